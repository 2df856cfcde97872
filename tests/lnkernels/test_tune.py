"""What tuning searches, how it shares its time, what it takes for the best, and what becomes of
candidates that fail.
"""

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from lnkernels.failures import DeviceLostError
from lnkernels.interpreter import IS_INTERPRETED
from lnkernels.launch import Launch, limits_for_architecture
from lnkernels.launch.candidates import candidates
from lnkernels.launch.measured import ForwardEntry, RowsEntry
from lnkernels.launch.tuned import Entry, StrategyEntry, read_tuned
from lnkernels.passes import registry
from lnkernels.passes.tensors import BackwardTensors
from lnkernels.timing import measure as measuring
from lnkernels.tuning import trial as tune_trial
from lnkernels.tuning.search import COMPARED, Times, TuningTask, main, searches, tune
from lnkernels.tuning.trial import trial

A100, H200 = limits_for_architecture("sm_80"), limits_for_architecture("sm_90")
FOREVER = float("inf")
M, N = 24, 64
CPU = torch.device("cpu")
interpreted = pytest.mark.skipif(not IS_INTERPRETED, reason="runs on the CPU")


def test_the_fastest_over_all_row_counts_wins_and_one_that_failed_anywhere_does_not() -> None:
    def measure(_: TuningTask, entries: list[Entry], __: float) -> dict[int, Times]:
        first, second, third, *_others = entries
        return {4096: {first: 1.0, second: 3.0, third: 0.1}, 8192: {first: 2.0, second: 0.5}}

    ((search, best, times),) = tune([TuningTask("rows", 1024, "float16")], A100, measure, FOREVER)
    assert (search.n, times) == (1024, [3.0, 0.5])
    assert best == candidates("rows", 1024, "float16", A100)[1]


@pytest.mark.parametrize(("time", "place"), [(0.995, 0), (0.98, 3)])
def test_what_is_used_untuned_stays_unless_another_is_worth_it(time: float, place: int) -> None:
    ((_, best, _times),) = tune(
        [TuningTask("rows", 4096, "float16")],
        A100,
        lambda _, entries, __: {4096: {entries[0]: 1.0, entries[3]: time}},
        FOREVER,
    )
    assert best == candidates("rows", 4096, "float16", A100)[place]


def test_the_forward_pass_gets_an_entry_for_few_rows_and_one_for_many() -> None:
    def measure(_: TuningTask, entries: list[Entry], __: float) -> dict[int, Times]:
        first, second, *_others = entries
        return {4096: {first: 1.0, second: 2.0}, 32768: {first: 8.0, second: 4.0}}

    found = [
        (entry, times)
        for _, entry, times in tune(
            [TuningTask("forward", 4096, "float16")], A100, measure, FOREVER
        )
    ]
    first, second, *_others = candidates("forward", 4096, "float16", A100)
    assert [times for _, times in found] == [[1.0], [4.0]]
    (few, _), (many, _) = found
    assert isinstance(few, ForwardEntry)
    assert isinstance(many, ForwardEntry)
    assert few == first
    assert (many.many_rows, many.num_warps, many.rows) == (True, second.num_warps, second.rows)


@pytest.mark.parametrize(
    ("split", "faster"), [(0.5, "split"), (2.0, "persistent"), (0.995, "persistent")]
)
def test_the_best_of_both_strategies_are_measured_in_turns_and_the_faster_one_is_kept(
    split: float, faster: str
) -> None:
    compared: list[list[Entry]] = []

    def measure(search: TuningTask, entries: list[Entry], _: float) -> dict[int, Times]:
        if search.kind != COMPARED:
            return {4096: {entries[2]: 1.0}}
        compared.append(entries)
        return {4096: {entry: 1.0 if isinstance(entry, RowsEntry) else split for entry in entries}}

    found = list(
        tune(searches([8192], ["float16"], ["rows", "split"], H200), H200, measure, FOREVER)
    )
    assert [search.kind for search, *_ in found] == ["rows", "split", COMPARED]
    assert compared == [[entry for _, entry, _ in found[:2]]]
    assert found[2][1] == StrategyEntry(element_bytes=2, up_to_n=8192, strategy=faster)


def test_nothing_is_compared_where_one_of_the_two_could_not_be_timed() -> None:
    def measure(search: TuningTask, entries: list[Entry], _: float) -> dict[int, Times]:
        return {4096: dict.fromkeys(entries[: 1 if search.kind == COMPARED else None], 1.0)}

    found = tune(
        searches([8192, 1024], ["float16"], ["rows", "split"], H200), H200, measure, FOREVER
    )
    assert [(search.kind, search.n) for search, *_ in found] == [
        ("rows", 8192),
        ("split", 8192),
        ("rows", 1024),
    ]


def test_no_search_begins_after_its_time_and_each_has_a_fair_share_of_what_is_left() -> None:
    clock = iter([0.0, 2.0, 11.0])
    deadlines: list[float] = []

    def measure(_: TuningTask, entries: list[Entry], deadline: float) -> dict[int, Times]:
        deadlines.append(deadline)
        return {4096: {entries[0]: 1.0}}

    wanted = searches([1024, 2048, 4096], ["float16"], ["rows", "split"], A100)
    assert len(wanted) == 3  # rows this narrow are not shared
    assert [search.n for search, *_ in tune(wanted, A100, measure, 9.0, lambda: next(clock))] == [
        1024,
        2048,
    ]
    assert deadlines == [3.0, 5.5]


def test_of_two_element_types_of_one_size_one_is_enough() -> None:
    assert {
        search.dtype
        for search in searches([64], ["bfloat16", "float16", "float32"], ["rows"], A100)
    } == {"bfloat16", "float32"}


class OutOfResources(Exception):  # noqa: N818 - Triton's has this name, and derives from Exception alone
    """What Triton raises where shared memory is not enough."""


@pytest.fixture
def made_up_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are interpreted, and each call takes 1 ms."""

    def watch(call: Callable[[], object], *_: object) -> Callable[[int], list[float]]:
        call()
        return lambda repetitions: [1.0] * repetitions

    monkeypatch.setattr(measuring, "require_cuda", lambda _: None)
    monkeypatch.setattr(measuring, "Flush", lambda _: None)
    monkeypatch.setattr(measuring, "Capture", lambda _: lambda prepare: prepare())
    monkeypatch.setattr(measuring, "KernelStopwatch", watch)
    monkeypatch.setattr(torch.cuda, "device", lambda _: contextlib.nullcontext())
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: None)


def _trial(entries: list[Entry], **more: Any) -> tuple[dict[Entry, float], str]:
    told: list[str] = []
    times = trial(M, N, "float16", entries, CPU, A100, told.append, **more)
    return times, "\n".join(told)


def _some(kind: str) -> list[Entry]:
    return candidates(kind, N, "float16", A100)[:3]


@interpreted
@pytest.mark.usefixtures("made_up_device")
@pytest.mark.parametrize("kind", ["rows", "forward"])
def test_right_candidates_are_timed(kind: str) -> None:
    assert _trial(_some(kind)) == (dict.fromkeys(_some(kind), 1.0), "")


@interpreted
@pytest.mark.usefixtures("made_up_device")
def test_when_time_is_up_those_before_are_timed() -> None:
    asked = iter([False, False, True])
    times, told = _trial(_some("rows"), enough=lambda: next(asked))
    assert list(times) == _some("rows")[:2]
    assert told == "time is up, 1 candidates not tried"


@interpreted
@pytest.mark.usefixtures("made_up_device")
def test_a_candidate_that_is_wrong_or_raises_is_left_out_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right, runs = registry.run_backward, 0

    def run_backward(given: BackwardTensors, launch: Launch) -> None:
        nonlocal runs
        runs += 1
        if runs == 2:
            raise OutOfResources("out of resource: shared memory")
        right(given, launch)
        if runs == 1:  # the first candidate: 24 rows, of which the last adds nothing
            assert given.dw is not None
            given.dw.sub_(
                (given.dy[-1].float() * (given.x[-1].float() - given.mean[-1]) * given.rstd[-1]).to(
                    given.dw.dtype
                )
            )

    monkeypatch.setattr(registry, "run_backward", run_backward)
    first, second, third = _some("rows")
    times, told = _trial([first, second, third])
    assert list(times) == [third]
    wrong, raised = told.splitlines()
    assert wrong.startswith("dw is wrong in")
    assert wrong.endswith(f"left out: {first}")
    assert raised == f"OutOfResources: out of resource: shared memory, left out: {second}"


@interpreted
@pytest.mark.usefixtures("made_up_device")
def test_a_lost_device_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def synchronize() -> None:
        raise RuntimeError("CUDA error: an illegal memory access was encountered")

    def run(*_: object, **__: object) -> None:
        monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
        monkeypatch.setattr(torch.cuda, "synchronize", synchronize)
        raise RuntimeError("CUDA error: unspecified launch failure")

    monkeypatch.setattr(registry, "run_backward", run)
    with pytest.raises(
        DeviceLostError,
        match="does not answer any more: RuntimeError: CUDA error: unspecified launch failure",
    ):
        _trial(_some("rows"))


def _scripted(m: int, n: int, dtype: str, entries: list[Entry], *_: object) -> dict[Entry, float]:
    """In place of a trial: 2048 columns do not fit the memory, 4096 take the device with them."""
    if n == 2048:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 9 GiB.")
    if n == 4096:
        raise DeviceLostError("the GPU does not answer any more")
    return dict.fromkeys(entries, 1.0)


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("LNEXPLORER_HOME", str(tmp_path))
    monkeypatch.setattr("lnkernels.tuning.search._open", lambda _: CPU)
    monkeypatch.setattr("lnkernels.device.device_limits", lambda _: A100)
    monkeypatch.setattr(tune_trial, "trial", _scripted)
    return tmp_path


def _kept() -> list[int]:
    return [entry.up_to_n for one in read_tuned() for entry in one.entries]


def test_a_shape_without_memory_costs_that_shape_alone(
    scripted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--n", "2048,1024", "--kind", "rows"]) == 0
    first, second, *_rest = capsys.readouterr().err.splitlines()
    assert first == "1/2 rows, N = 2048, float16"
    assert (
        second
        == "  M = 4096 left out: OutOfMemoryError: CUDA out of memory. Tried to allocate 9 GiB."
    )
    assert _kept() == [1024]


def test_a_lost_device_ends_tuning_with_a_message_and_what_was_found_stays(
    scripted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--n", "1024,4096,8192", "--kind", "rows"]) == 3
    said = capsys.readouterr().err
    assert "tuning failed in phase run: the GPU does not answer any more" in said
    assert f"what was found is kept in {scripted}" in said
    assert _kept() == [1024]
