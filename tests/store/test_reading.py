"""Files that have no end, or are not what their reader expects, end in its own error."""

import json
import math
import os
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

from lnexplorer.domain.request import RunRequest
from lnexplorer.protocol.codec import DecodeError, from_plain, to_plain
from lnexplorer.report.benchmark_file import read_benchmark
from lnexplorer.store.files import StoreError, TooLargeError, read_at_most
from lnexplorer.store.recordings import (
    Recording,
    experiments_in,
    read_experiment,
    read_recording,
    recordings_in,
    write_experiment,
    write_recording,
)
from lnexplorer.store.resources import resource
from lnexplorer.store.session import Session, read_session, write_session
from lnexplorer.store.sweep_csv import command_in
from tests.sample_experiments import sample
from tests.store.examples import small_result

READERS = (read_recording, read_experiment, read_session, read_benchmark, command_in)
ERRORS = (StoreError, StoreError, StoreError, StoreError)


@pytest.mark.parametrize("reader", READERS)
def test_a_device_without_an_end_is_refused(reader: Callable[[Path], object]) -> None:
    with pytest.raises(ERRORS, match=r"/dev/zero cannot be read .*device or a pipe"):
        reader(Path("/dev/zero"))


@pytest.mark.parametrize("reader", READERS)
def test_a_pipe_that_nobody_writes_is_not_waited_for(reader: Callable[[Path], object], tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(ERRORS, match="device or a pipe"):
        reader(pipe)


@pytest.mark.parametrize(("suffix", "listed"), [("lnrec", recordings_in), ("lnexperiment", experiments_in)])
def test_a_pipe_among_the_files_of_a_folder_is_not_waited_for(
    suffix: str, listed: Callable[[Path], list[object]], tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / f"pipe.{suffix}")
    found: list[object] = []
    thread = Thread(target=lambda: found.append(listed(tmp_path)), daemon=True)
    thread.start()
    thread.join(10)
    assert found == [[]]


def test_a_file_may_hold_as_much_as_the_limit_and_no_more(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"1234")
    assert read_at_most(file, 4) == b"1234"
    with pytest.raises(TooLargeError):
        read_at_most(file, 3)


@pytest.mark.parametrize(
    "array",
    [
        {"dtype": [], "shape": [1], "base64": ""},
        {"dtype": {}, "shape": [1], "base64": ""},
        {"dtype": "<f4", "shape": [2**200, 0], "base64": ""},
    ],
)
def test_an_array_of_a_session_with_an_impossible_head_is_refused(array: dict[str, object], tmp_path: Path) -> None:
    file = tmp_path / "some.lnsession"
    write_session(file, Session(request=RunRequest(), runs=()))
    plain = json.loads(file.read_bytes())
    plain["session"]["layout"] = {"array": array}
    file.write_text(json.dumps(plain))
    with pytest.raises(StoreError, match="cannot be opened"):
        read_session(file)


@pytest.mark.parametrize("damage", ["compression", "encrypted", "deep"])
def test_a_damaged_archive_in_a_folder_does_not_hide_the_others(damage: str, tmp_path: Path) -> None:
    for suffix in ("lnrec", "lnexperiment"):
        file = tmp_path / f"damaged.{suffix}"
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("manifest.json", "[" * 60_000 if damage == "deep" else json.dumps({"format": "x"}))
        data = bytearray(file.read_bytes())
        local, central = 0, data.rindex(b"PK\x01\x02")
        if damage == "compression":
            data[local + 8] = data[central + 10] = 97
        if damage == "encrypted":
            data[local + 6] |= 1
            data[central + 8] |= 1
        file.write_bytes(data)
    assert recordings_in(tmp_path) == []
    assert experiments_in(tmp_path) == []


@pytest.mark.parametrize("bad", [10**30, -(2**63) - 1, "\ud800", {"\udfff": 1}])
def test_what_no_database_and_no_screen_takes_is_refused_where_it_is_read(bad: object) -> None:
    plain = to_plain(RunRequest()) | {"seed": bad}
    with pytest.raises(DecodeError):
        from_plain(plain, RunRequest)
    with pytest.raises(DecodeError):
        from_plain(to_plain(RunRequest()) | {"a later version's": [bad]}, RunRequest)


@pytest.mark.parametrize(("field", "value"), [("dtype", "cuda"), ("dtype", "float64"), ("n", 1 << 40), ("m", 0)])
def test_a_resolved_problem_that_cannot_be_is_refused(field: str, value: Any, tmp_path: Path) -> None:
    result, experiment = small_result(), sample("order")
    result = replace(result, resolved=replace(result.resolved, **{field: value}))
    with pytest.raises(StoreError, match=f"{field} (is|can be)"):
        write_recording(tmp_path / "run", Recording(title="", result=result, timeline=None))
    with pytest.raises(StoreError, match=f"{field} (is|can be)"):
        write_experiment(tmp_path / "one", replace(experiment, resolved=replace(experiment.resolved, **{field: value})))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("p20_ms", 0.0),
        ("p20_ms", 1e9),
        ("p50_ms", math.nan),
        ("p80_ms", math.inf),
        ("gbps", -1.0),
        ("gbps", math.inf),
        ("counted_gbps", math.nan),
        ("share_of_ceiling", -0.5),
        ("host_us", math.nan),
        ("samples_ms", np.array([1.0, math.nan])),
        ("samples_ms", np.array([-1.0])),
    ],
)
def test_an_impossible_figure_is_refused_before_a_chart_draws_it(field: str, value: Any, tmp_path: Path) -> None:
    result = read_recording(resource("recordings") / "h200_lecture.lnrec").result
    assert result is not None and result.throughput is not None  # noqa: PT018
    first, *others = result.throughput.figures
    changed = replace(result.throughput, figures=(replace(first, **{field: value}), *others))
    with pytest.raises(StoreError, match=f"{first.provider}, {first.direction}, {first.mode} is impossible"):
        write_recording(tmp_path / "run", Recording(title="", result=replace(result, throughput=changed), timeline=None))
