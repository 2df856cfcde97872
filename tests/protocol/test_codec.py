import tracemalloc
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from lnexplorer.domain.jobs import RunJob
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.protocol.codec import DecodeError, decode, encode
from lnexplorer.protocol.messages import (
    Do,
    Finished,
    JobEnded,
    JobProgress,
    WorkerEvent,
    WorkerReady,
    decode_command,
    decode_event,
    encode_message,
)
from lnkernels.values.accuracy import ErrorMap
from lnkernels.values.environment import Kind
from lnkernels.values.sentence import Sentence, verbatim
from tests.sample_results import make_device, make_result


def error_map_on_the_wire(array: Any) -> bytes:
    fields = {
        "name": "y",
        "row_start": 0,
        "rows": 1,
        "column_start": 0,
        "columns": 1,
        "values": array,
    }
    return msgspec.msgpack.encode(["JobEnded", 1, "ErrorMap", fields])


@given(
    arrays.arrays(
        st.sampled_from(
            [np.float16, np.float32, np.float64, np.int8, np.int32, np.int64, np.uint8, np.bool_]
        ),
        arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
    )
)
def test_an_array_keeps_its_bits_its_shape_and_its_type(array: np.ndarray[Any, Any]) -> None:
    back = decode(encode(array), np.ndarray)
    assert back.dtype == array.dtype
    assert back.shape == array.shape
    assert back.tobytes() == array.tobytes()


@given(
    st.integers(0, 2**31),
    st.integers(1, 1 << 24),
    st.none() | st.integers(1, 4096),
    st.booleans() | st.none(),
)
def test_a_request_comes_back_equal(
    job: int, m: int, group_size_m: int | None, barrier: bool | None
) -> None:
    command = Do(job, RunJob(RunRequest.of(m=m, n=8, group_size_m=group_size_m, barrier=barrier)))
    assert decode_command(encode_message(command)) == command


@given(st.binary(max_size=200))
def test_any_bytes_are_an_event_or_a_decode_error(data: bytes) -> None:
    try:
        event = decode_event(data)
    except DecodeError:
        return
    assert isinstance(event, WorkerEvent)


@pytest.mark.parametrize(
    ("event", "why"),
    [
        (JobProgress(1, "run", Sentence("{a.b}", (("a", 1),)), 0, 1), "place that no sentence has"),
        (JobProgress(1, "run", Sentence("{a}"), 0, 1), "place that no sentence has"),
        (JobProgress(1, "run", Sentence("{a:9999999}", (("a", 1),)), 0, 1), "place that no"),
        (JobProgress(1, "run", Sentence("{a:d}", (("a", "b"),)), 0, 1), "text where a number"),
        (JobProgress(1, "run", Sentence("{"), 0, 1), "is damaged"),
        (
            JobEnded(1, Finished(replace(make_result(), providers=("torch", "; rm -rf ~")))),
            "providers",
        ),
        (WorkerReady(replace(make_device("cuda"), free_memory_bytes=-1)), "free_memory_bytes"),
    ],
)
def test_what_no_worker_of_ours_says_is_refused_from_another_machine(
    event: WorkerEvent, why: str
) -> None:
    data = encode_message(event)
    assert decode_event(data)
    with pytest.raises(DecodeError, match=why):
        decode_event(data, foreign=True)


def test_names_and_sentences_of_another_machine_command_nothing_and_measured_stays_measured() -> (
    None
):
    device = replace(make_device("cuda"), name="H200\x1b[2J\u202e", notes=(verbatim("\x07a"),))
    found = decode_event(encode_message(WorkerReady(device)), foreign=True)
    assert isinstance(found, WorkerReady)
    assert (found.device.name, str(found.device.notes[0])) == ("H200 [2J ", " a")
    ended = decode_event(encode_message(JobEnded(1, Finished(make_result()))), foreign=True)
    assert isinstance(ended, JobEnded)
    assert isinstance(ended.outcome, Finished)
    assert isinstance(ended.outcome.value, RunResult)
    assert ended.outcome.value.provenance.kind is Kind.MEASURED


def test_a_list_in_the_place_of_an_array_takes_no_memory() -> None:
    """A byte for each number on the wire would be eight, and a list, when decoded."""
    made = ErrorMap(
        name="y", row_start=0, rows=2, column_start=0, columns=2, values=np.ones((2, 2), np.float32)
    )
    whole = encode_message(JobEnded(1, Finished(made)))
    array = encode(made.values)
    many = b"\xdd" + (1 << 24).to_bytes(4, "big") + bytes(1 << 24)
    tracemalloc.start()
    with pytest.raises(DecodeError, match="values"):
        decode_event(whole.replace(array, many), foreign=True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3 << 24


@pytest.mark.parametrize(
    ("array", "reason"),
    [
        (["|O", [1], bytes(8)], "not allowed"),
        (["i4,f4", [1], bytes(8)], "not allowed"),
        (["<f8", [1], bytes(8)], "float32 is expected"),
        (["<f4", [-1, -1], bytes(4)], "negative"),
        (["<f4", [1 << 62, 1 << 62], bytes(4)], "does not have"),
        (["<f4", [2], bytes(4)], "does not have"),
        (["no such type", [1], bytes(4)], "."),
        (["f4, f4, f4)", [1], bytes(4)], "."),
        (["<f4", [1]], "."),
        ([[]] * 3, "."),
        (7, "."),
    ],
)
def test_an_array_that_is_not_what_it_says_is_refused(array: Any, reason: str) -> None:
    with pytest.raises(DecodeError, match=reason):
        decode_event(error_map_on_the_wire(array))


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(DecodeError):
        decode_event(b"\x81\xa4type" + b"\x91" * 100_000)


def test_a_list_that_announces_four_billion_entries_is_refused() -> None:
    with pytest.raises(DecodeError):
        decode(b"\xdd\xff\xff\xff\xff", tuple[int, ...])


@pytest.mark.parametrize(
    "value", [object(), np.array([object()]), np.array(["text"]), {1: {2: object()}}]
)
def test_what_has_no_form_on_the_wire_is_not_sent(value: Any) -> None:
    with pytest.raises(TypeError, match="no form on the wire"):
        encode(value)
