"""Strategies without locks, traced on the interpreter: their timelines, and what becomes of one whose results are
wrong.
"""

from typing import Any

import pytest
import torch

from lnexplorer.domain.experiments.words import OTHER_RESULTS
from lnexplorer.domain.request import ResolvedRequest, RunRequest, resolve
from lnexplorer.domain.violations import strategy_violations
from lnexplorer.worker.experiments import strategy_traces
from lnexplorer.worker.experiments.backward import statistics
from lnexplorer.worker.experiments.order import without_locks
from lnkernels.inputs import make_inputs
from lnkernels.sentence import Sentence
from lnkernels.strategies import persistent
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import Clock, StrategyTimeline
from tests.worker.test_experiments import Quiet

CPU = torch.device("cpu")


def traced(strategy: str, m: int = 21, n: int = 40) -> tuple[ResolvedRequest, StrategyTimeline | Sentence | None]:
    resolved = resolve(without_locks(RunRequest(m=m, n=n), strategy), "interpreter")
    inputs = make_inputs(m, n, torch.float16, "tutorial", 0, CPU)
    mean, rstd = statistics(inputs.x, resolved.eps)
    return resolved, strategy_traces.trace_strategy(Quiet(), inputs, mean, rstd, resolved)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("strategy", "n", "programs", "slices"),
    [("atomic", 40, 21, 1), ("persistent", 40, 6, 1), ("split", 40, 21, 1)],
)
def test_the_interpreter_gives_the_order_of_events(strategy: str, n: int, programs: int, slices: int) -> None:
    resolved, timeline = traced(strategy, n=n)
    assert isinstance(timeline, StrategyTimeline)
    assert strategy_violations(timeline) == []
    assert (timeline.strategy, timeline.m, timeline.n, timeline.slices) == (strategy, 21, n, slices)
    assert (timeline.wait_begin_ns is not None) == (strategy == "split")
    assert timeline.sm.size == programs
    assert (timeline.kind, timeline.clock, timeline.cost) == (Kind.INTERPRETED, Clock.STEPS, None)
    assert (timeline.program_start_ns[1:] > timeline.add_end_ns[:-1]).all()  # one program after another
    assert resolved.launch.strategy == strategy


def test_programs_that_share_a_row_each_have_a_slice_of_it() -> None:
    timeline = traced("split", 1, 9000)[1]
    assert isinstance(timeline, StrategyTimeline)
    assert strategy_violations(timeline) == []
    assert (timeline.slices, timeline.first_row.tolist(), timeline.program.tolist()) == (3, [0, 0, 0], [0, 1, 2])


def test_a_traced_kernel_with_other_results_has_no_timeline(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = persistent.launch_backward

    def losing(*args: Any, dw: torch.Tensor, trace: Any = None, **others: Any) -> None:
        honest(*args, dw=dw, trace=trace, **others)
        if trace is not None:
            dw[3] += 1e-6

    monkeypatch.setattr(persistent, "launch_backward", losing)
    assert traced("persistent")[1] is OTHER_RESULTS
