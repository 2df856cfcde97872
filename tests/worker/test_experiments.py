"""Experiments on the interpreter, and what they make of results that are wrong; waits; the order of
additions.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from lnexplorer.domain.experiments.barrier import Barriers
from lnexplorer.domain.experiments.catalogue import EXPERIMENTS
from lnexplorer.domain.experiments.experiment import ExperimentRequest
from lnexplorer.domain.experiments.group_size import SIZES as GROUP_SIZES
from lnexplorer.domain.experiments.strategies import OTHER_RESULTS
from lnexplorer.domain.measuring import CandidateOutcome, MeasureRequest
from lnexplorer.domain.request import ResolvedRequest, RunRequest, resolve
from lnexplorer.domain.timeline import LockWait
from lnexplorer.worker.experiments import barrier, dropout, gpus, group_size, order
from lnexplorer.worker.experiments.strategies import trace_strategy
from lnexplorer.worker.experiments.work import Work
from lnexplorer.worker.trace import Backward
from lnkernels.check.inputs import make_inputs
from lnkernels.launch import Launch, limits_for_architecture
from lnkernels.launch.persistent import in_one_launch
from lnkernels.passes import persistent
from lnkernels.passes.arguments import BackwardTensors
from lnkernels.values.sentence import Sentence
from lnkernels.values.timeline import StrategyTimeline
from tests.sample_results import make_device

CPU = torch.device("cpu")
ASKED = RunRequest.of(m=12, n=20, group_size_m=4, partial_dtype="same")
PROBLEM = resolve(ASKED, "interpreter")


class Quiet:
    """A task that nobody hears."""

    def begin(self, phase: str) -> None:
        pass

    def step(self, name: str, done: int, total: int) -> None:
        assert 0 <= done <= total

    tell_step = step

    def check(self) -> None:
        pass

    def tell(self, part: object) -> None:
        pass

    @contextmanager
    def interruptible(self, *, prompt: bool = False) -> Iterator[None]:
        del prompt
        yield


def work(
    name: str, runs: int, problem: RunRequest, tell: Callable[[Any], None] = print, **given: Any
) -> Work:
    experiment = EXPERIMENTS[name]
    request = experiment.complete(
        ExperimentRequest(name=name, problem=problem, runs=runs, **given), "interpreter"
    )
    return Work(
        task=Quiet(),  # type: ignore[arg-type]
        request=request,
        resolved=experiment.resolve(request, "interpreter", None),
        measurer=Measurer(),  # type: ignore[arg-type]
        torch_device=CPU,
        device=make_device("interpreter"),
        tell=tell,
    )


def test_sums_of_ones_are_exact_with_the_barrier_and_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(barrier, "PART_SECONDS", 0.0)
    told: list[Barriers] = []
    found = barrier.measure(work("barrier", 2, ASKED, told.append))
    assert [[side.runs for side in part.sides] for part in told] == [[1] * 3, [2] * 3]
    switches = [(side.barrier, side.atomic_count) for side in found.sides]
    assert switches == [(False, True), (False, False), (True, True)]
    for side in found.sides:
        assert (side.runs, side.wrong_runs, side.first) == (2, 0, ())
        assert side.wrong_dw.sum() == side.wrong_db.sum() == 0


def test_a_lost_row_is_counted_where_it_was_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    honest, calls = Backward.__call__, 0

    def losing(self: Backward, dw: torch.Tensor, db: torch.Tensor) -> None:
        nonlocal calls
        honest(self, dw, db)
        calls += 1
        if calls == 4:  # the sides take turns: the second run of the first
            dw[7] += 1
            db[[3, 4]] -= 1

    monkeypatch.setattr(Backward, "__call__", losing)
    found = barrier.measure(work("barrier", 2, ASKED))
    side = found.worst
    assert side is found.left_out
    assert [each.wrong_runs for each in found.sides] == [1, 0, 0]
    assert np.flatnonzero(side.wrong_dw).tolist() == [7]
    assert np.flatnonzero(side.wrong_db).tolist() == [3, 4]
    assert [(wrong.run, wrong.result, wrong.column, wrong.error) for wrong in side.first] == [
        (1, "dw", 7, 1.0),
        (1, "db", 3, -1.0),
        (1, "db", 4, -1.0),
    ]


def test_what_is_not_written_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Backward, "__call__", lambda _self, _dw, _db: None)
    found = barrier.measure(work("barrier", 2, ASKED))
    assert [side.wrong_runs for side in found.sides] == [2, 2, 2]
    assert found.put_back.wrong_dw.tolist() == [2] * PROBLEM.n


def test_the_spread_of_runs_is_that_of_their_results(monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = make_inputs(PROBLEM.m, PROBLEM.n, torch.float16, "tutorial", 0, CPU)
    assert order.repeated(Quiet(), inputs, PROBLEM, 3, 0, 1).distinct == 1  # type: ignore[arg-type]
    honest, runs = Backward.__call__, iter((0.0, 0.5, 0.0, -0.25))

    def shifting(self: Backward, dw: torch.Tensor, db: torch.Tensor) -> None:
        honest(self, dw, db)
        dw[2] += next(runs)

    monkeypatch.setattr(Backward, "__call__", shifting)
    side = order.repeated(Quiet(), inputs, PROBLEM, 4, 0, 1)  # type: ignore[arg-type]
    assert side.distinct == 3
    assert side.spread[2] == pytest.approx(0.75, abs=1e-6)
    assert np.flatnonzero(side.spread).tolist() == [2]
    assert side.error > 0.49


class Measurer:
    """Finds everything right, and times nothing."""

    def measure(self, _task: object, request: MeasureRequest) -> SimpleNamespace:
        outcomes = [
            CandidateOutcome(label=str(each), status="ok", setting=each)
            for each in request.settings
        ]
        return SimpleNamespace(outcomes=tuple(outcomes))

    def forget(self) -> None:
        pass


def test_rows_wait_with_buffers_of_either_type(monkeypatch: pytest.MonkeyPatch) -> None:
    def wait(_task: object, resolved: ResolvedRequest, _device: object) -> LockWait:
        launch = resolved.launch
        queued = (1000.0 if launch.partial_dtype == "float32" else 1.0) * launch.group_size_m
        return LockWait(trying_ns=700.0, queued_ns=queued)

    monkeypatch.setattr(group_size, "mean_wait", wait)
    found = group_size.measure(work("group_size", 1, RunRequest(m=4096, n=1024)))
    assert [point.wait for point in found.points] == [
        LockWait(trying_ns=700.0, queued_ns=1000.0 * size) for size in GROUP_SIZES
    ]
    assert [point.wait_same for point in found.points] == [
        LockWait(trying_ns=700.0, queued_ns=size) for size in GROUP_SIZES
    ]


def traced(
    strategy: str, m: int = 9, n: int = 40, **settings: Any
) -> tuple[ResolvedRequest, StrategyTimeline | Sentence | None]:
    resolved = resolve(RunRequest.of(m=m, n=n, strategy=strategy, **settings), "interpreter")
    inputs = make_inputs(m, n, torch.float16, "tutorial", 0, CPU)
    return resolved, trace_strategy(Quiet(), inputs, resolved)  # type: ignore[arg-type]


@pytest.mark.parametrize(("rows", "together", "refused"), [(1, True, 1e-2), (2, False, 1e-6)])
def test_a_traced_kernel_with_other_results_has_no_timeline(
    rows: int, together: bool, refused: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plain pass of one launch adds in another order than the two launches that are traced."""
    honest, off = persistent.launch_backward, 1e-6

    def losing(given: BackwardTensors, launch: Launch, workspace: Any, trace: Any = None) -> None:
        honest(given, launch, workspace, trace)
        if trace is not None and given.dw is not None:
            given.dw[3] += off

    monkeypatch.setattr(persistent, "launch_backward", losing)
    resolved, found = traced("persistent", rows=rows)
    assert in_one_launch(9, 40, resolved.launch) == together
    assert isinstance(found, StrategyTimeline) == together
    off = refused
    assert traced("persistent", rows=rows)[1] is OTHER_RESULTS


def test_masks_of_a_seed_are_alike_and_of_neighbours_are_not() -> None:
    found = dropout.measure(work("dropout", 3, RunRequest(m=16, n=64)))
    assert found.alike
    assert found.alike_fused
    assert found.fewest <= found.zeros <= found.most
    assert len(found.correlations) == 3
    assert max(map(abs, found.correlations)) < found.uncorrelated
    assert [(row.way, row.mask_bytes, row.forward_ms) for row in found.rows] == [
        ("seed", 0, None),
        ("stored", 1024, None),
        ("fused", 0, None),
        ("sequence", 1024, None),
    ]


def test_masks_that_are_not_alike_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = dropout.dropout

    def by_blocks(x: torch.Tensor, p: float, seed: int, *, block_size: int = 4096) -> torch.Tensor:
        return honest(x, p, seed + (block_size == dropout.BLOCKS[0]))

    monkeypatch.setattr(dropout, "dropout", by_blocks)
    found = dropout.measure(work("dropout", 1, RunRequest(m=16, n=64)))
    assert not found.alike
    assert not found.alike_fused


def test_ranks_of_the_interpreter_add_their_rows_as_one_pass_over_all_would(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = work("gpus", 2, RunRequest(m=7), ranks=3)
    monkeypatch.setattr(gpus.gpus, "WIDTHS", {"interpreter": (20, 300)})
    honest = gpus.measure(asked)
    assert (honest.ranks, [row.n for row in honest.rows], honest.clocks) == (3, [20, 300], None)
    assert all(
        row.alike and row.one_shot_error < 1e-5 and row.one_shot_us is None for row in honest.rows
    )

    adds = gpus.Exchange.add

    def without_the_last(self: gpus.Exchange, rank: int, *args: Any, **steps: bool) -> None:
        self.buffers[2].zero_()
        adds(self, rank, *args, **steps)

    monkeypatch.setattr(gpus.Exchange, "add", without_the_last)
    wrong = gpus.measure(asked)
    assert all(row.one_shot_error > 1e-3 for row in wrong.rows)


def test_every_width_of_a_sum_over_gpus_is_possible_there() -> None:
    problem = RunRequest(m=4096).problem("persistent")
    found = gpus.problems_of(problem, "cuda", limits_for_architecture("sm_90"))
    assert [(each.n, each.strategy) for each in found] == [
        *((2**power, "persistent") for power in range(10, 15)),
        (32768, "split"),
        (65536, "split"),
    ]


@pytest.mark.parametrize(
    ("count", "own", "request_", "taken"),
    [
        (4, 2, ExperimentRequest(name="gpus"), [2, 3]),
        (4, 3, ExperimentRequest(name="gpus", ranks=3), [3, 0, 1]),
        (4, 1, ExperimentRequest(name="gpus", gpus=(1, 0)), [1, 0]),
        (1, 0, ExperimentRequest(name="gpus"), "needs 2, and the last GPU here is cuda:0"),
    ],
)
def test_the_gpus_of_a_sum_are_those_that_are_named_or_the_own_and_the_next(
    count: int,
    own: int,
    request_: ExperimentRequest,
    taken: list[int] | str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: count)
    if isinstance(taken, str):
        with pytest.raises(gpus.GpusError, match=taken):
            gpus.devices_of(request_, torch.device("cuda", own))
    else:
        assert [
            device.index for device in gpus.devices_of(request_, torch.device("cuda", own))
        ] == taken
