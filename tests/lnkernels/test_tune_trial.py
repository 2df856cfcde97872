"""What becomes of candidates that are wrong, that raise whatever they like, or that take the device with them."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from lnkernels import failures, tune, tune_trial
from lnkernels.interpreter import IS_INTERPRETED
from lnkernels.launch import DeviceLimits, limits_for_architecture
from lnkernels.launch.tuned import Entry, read_tuned
from lnkernels.launch.tuning import candidates
from lnkernels.strategies.registry import Kernels
from lnkernels.tune_search import DeviceLostError, Search
from lnkernels.tune_trial import Trial

pytestmark = pytest.mark.skipif(not IS_INTERPRETED, reason="runs on the CPU")

M, N = 24, 64
CPU = torch.device("cpu")
A100 = limits_for_architecture("sm_80")
Watch = Callable[[int], Sequence[float]]


class OutOfResources(Exception):  # noqa: N818 - Triton's has this name, and derives from Exception alone
    """What Triton raises where shared memory is not enough."""


def _stopwatch(call: Callable[[], None]) -> Watch:
    call()
    return lambda repetitions: [1.0] * repetitions


def _trial(entries: list[Entry], stopwatch: Callable[[Callable[[], None]], Watch] = _stopwatch) -> tuple[dict[Entry, float], str]:
    told: list[str] = []
    times = Trial(M, N, "float16", CPU, A100).times(entries, told.append, stopwatch=stopwatch)
    return times, "".join(text for text in told if text.endswith("\n"))


def _some(kind: str) -> list[Entry]:
    return candidates(kind, N, "float16", A100)[:3]


@pytest.mark.parametrize("kind", ["rows", "forward"])
def test_right_candidates_are_timed(kind: str) -> None:
    times, told = _trial(_some(kind))
    assert times == dict.fromkeys(_some(kind), 1.0)
    assert told == ""


def test_a_candidate_that_loses_a_row_of_dw_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    right, runs = Kernels.run_backward, 0

    def run_backward(self: Kernels, x: torch.Tensor, dy: torch.Tensor, *rest: Any, **written: torch.Tensor) -> None:
        nonlocal runs
        runs += 1
        right(self, x, dy, *rest, **written)  # type: ignore[arg-type]
        if runs == 1:  # the first candidate: 24 rows, of which the last adds nothing
            _, mean, rstd, _ = rest
            written["dw"] -= (dy[-1].float() * (x[-1].float() - mean[-1]) * rstd[-1]).to(written["dw"].dtype)

    monkeypatch.setattr(Kernels, "run_backward", run_backward)
    first, *others = _some("rows")
    times, told = _trial([first, *others])
    assert list(times) == others
    assert told.startswith("dw off by")
    assert "times what is allowed, left out: RowsEntry" in told


def test_a_forward_candidate_with_statistics_that_are_off_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Kernels.run_forward

    def run_forward(self: Kernels, *given: object, mean: torch.Tensor, **written: torch.Tensor) -> None:
        right(self, *given, mean=mean, **written)  # type: ignore[arg-type]
        mean += 1e-4

    monkeypatch.setattr(Kernels, "run_forward", run_forward)
    times, told = _trial(_some("forward")[:1])
    assert times == {}
    assert told.startswith("mean or rstd off by more than is allowed, left out: ForwardEntry")


def test_neither_pass_is_blamed_for_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*_: object, **__: object) -> None:
        raise OutOfResources("out of resource: registers")

    for other, kind in (("run_backward", "forward"), ("run_forward", "rows")):
        with monkeypatch.context() as patched:
            patched.setattr(Kernels, other, run)
            assert len(_trial(_some(kind)[:1])[0]) == 1


def test_whatever_a_candidate_raises_costs_that_candidate_alone() -> None:
    first, second, third = _some("rows")

    def stopwatch(call: Callable[[], None]) -> Watch:
        made.append(call)
        if len(made) == 1:
            raise OutOfResources("out of resource: shared memory")
        return broken if len(made) == 2 else _stopwatch(call)

    def broken(_: int) -> Sequence[float]:
        raise OutOfResources("in its turn")

    made: list[Callable[[], None]] = []
    times, told = _trial([first, second, third], stopwatch)
    assert list(times) == [third]
    assert told.splitlines() == [
        f"OutOfResources: out of resource: shared memory, left out: {first}",
        f"OutOfResources: in its turn, left out: {second}",
    ]


def _lose_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    def synchronize() -> None:
        raise RuntimeError("CUDA error: an illegal memory access was encountered")

    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.cuda, "synchronize", synchronize)


def test_a_lost_device_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopwatch(_: Callable[[], None]) -> Watch:
        _lose_the_device(monkeypatch)
        raise RuntimeError("CUDA error: unspecified launch failure")

    with pytest.raises(DeviceLostError, match="does not answer any more: RuntimeError: CUDA error: unspecified launch failure"):
        _trial(_some("rows"), stopwatch)


def test_the_device_is_lost_only_where_there_is_one_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not failures.device_is_lost()
    _lose_the_device(monkeypatch)
    assert failures.device_is_lost()


class _Scripted:
    """In place of a Trial: 2048 columns do not fit the memory, 4096 take the device with them."""

    def __init__(self, m: int, n: int, dtype: str, device: torch.device, limits: DeviceLimits) -> None:
        if n == 2048:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 9 GiB.")
        self._n = n

    def times(self, entries: list[Entry], *_: object) -> dict[Entry, float]:
        if self._n == 4096:
            raise DeviceLostError("the GPU does not answer any more")
        return dict.fromkeys(entries, 1.0)


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("LNEXPLORER_HOME", str(tmp_path))
    monkeypatch.setattr(tune, "_open", lambda _: CPU)
    monkeypatch.setattr("lnkernels.device.device_limits", lambda _: A100)
    monkeypatch.setattr(tune_trial, "Trial", _Scripted)
    return tmp_path


def _kept() -> list[int]:
    return [entry.up_to_n for one in read_tuned() for entry in one.entries]


def test_a_shape_without_memory_costs_that_shape_alone(scripted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert tune.main(["--n", "2048", "1024", "--kind", "rows"]) == 0
    first, second, *_rest = capsys.readouterr().err.splitlines()
    assert first == "1/2 rows, N = 2048, float16"
    assert second == "  M = 4096 left out: OutOfMemoryError: CUDA out of memory. Tried to allocate 9 GiB."
    assert _kept() == [1024]


def test_where_nothing_fits_that_is_said(scripted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert tune.main(["--n", "2048", "--kind", "rows"]) == 3
    assert "tuning failed in phase run: no candidate could be measured" in capsys.readouterr().err


def test_a_lost_device_ends_tuning_with_a_message_and_what_was_found_stays(
    scripted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tune.main(["--n", "1024", "4096", "8192", "--kind", "rows"]) == 3
    said = capsys.readouterr().err
    assert "tuning failed in phase run: the GPU does not answer any more" in said
    assert f"what was found is kept in {scripted}" in said
    assert _kept() == [1024]


def test_a_shape_of_several_row_counts_is_measured_with_those_that_fit(monkeypatch: pytest.MonkeyPatch, scripted: Path) -> None:
    class Narrow(_Scripted):
        def __init__(self, m: int, n: int, dtype: str, device: torch.device, limits: DeviceLimits) -> None:
            super().__init__(m, 2048 if m == 4096 else 1024, dtype, device, limits)

    monkeypatch.setattr(tune_trial, "Trial", Narrow)
    measure = tune._measurement([4096, 512], CPU, A100, tune._Progress(1))
    entries = _some("rows")
    assert measure(Search("rows", 1024, "float16"), entries, None) == {512: dict.fromkeys(entries, 1.0)}
