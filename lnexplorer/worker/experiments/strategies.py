"""Measures `locked` beside the strategies that replace its locks, and traces their programs.

Traces are of instrumented kernels, which are checked against the plain ones.
"""

from dataclasses import replace

import torch

from lnexplorer.domain.experiments.strategies import (
    OTHER_RESULTS,
    TWO_LAUNCHES,
    Strategies,
    StrategyRow,
)
from lnexplorer.domain.request import ResolvedRequest, check
from lnexplorer.worker.checking import inputs_of
from lnexplorer.worker.connection import Task
from lnexplorer.worker.experiments.order import repeated
from lnexplorer.worker.experiments.work import Work, dw_error, median_ms, statistics
from lnexplorer.worker.trace import Backward, interruptible, trace
from lnexplorer.worker.turns import turn
from lnkernels.check.inputs import Inputs
from lnkernels.launch import CATALOGUE, LAUNCHED, memory_estimate
from lnkernels.launch.persistent import in_one_launch
from lnkernels.trace.capture import carry_out, measure_cost
from lnkernels.values import Sentence, say
from lnkernels.values.timeline import ReductionTimeline, StrategyTimeline

OTHERS = tuple(sorted(set(LAUNCHED) - {"locked"}))


def measure(work: Work) -> Strategies:
    """Time, check and repeat each strategy that takes rows of this width; trace those that can be
    traced.
    """
    task, device = work.task, work.device
    problems = {"locked": work.problem} | {
        name: problem
        for name in OTHERS
        if not check(problem := work.problem.problem(name), device.backend, limits=device.limits)
    }
    resolved = {name: work.resolve(problem) for name, problem in problems.items()}
    measured = work.measured_backward(problems.values(), with_ceilings=work.on_gpu)
    inputs = inputs_of(work.resolved, work.torch_device)
    rows = []
    for number, (name, outcome) in enumerate(zip(problems, measured.outcomes, strict=True)):
        own, distinct = resolved[name], None
        if outcome.status == "ok":
            distinct = repeated(task, inputs, own, work.runs, number, len(problems)).distinct
        figure = outcome.figure("backward", "kernel_cold")
        workspace = memory_estimate(own.m, own.n, own.dtype, own.launch).partial_buffers
        rows.append(
            StrategyRow(
                strategy=name,
                ms=median_ms(outcome),
                gbps=None if figure is None else figure.gbps,
                workspace_bytes=workspace,
                runs=work.runs,
                distinct=distinct,
                error=dw_error(outcome),
                reason=outcome.reason,
                share=None if figure is None else figure.share_of_ceiling,
            )
        )
    others = []
    for number, row in enumerate(rows):
        task.step(say("traces"), number, len(rows))
        if row.strategy == "locked" or row.distinct is None:
            continue
        own = resolved[row.strategy]
        recorded = trace_strategy(task, inputs, own)
        if isinstance(recorded, StrategyTimeline):
            others.append(recorded)
            if recorded.cost is not None and _in_one_launch(own):
                rows[number] = replace(row, reason=TWO_LAUNCHES)
        elif recorded is not None:
            rows[number] = replace(row, reason=recorded)
    traced = trace(task, work.resolved, work.torch_device)
    timeline = traced if isinstance(traced, ReductionTimeline) else None
    return Strategies(rows=tuple(rows), timeline=timeline, others=tuple(others))


# Of sums in float32 in two orders; a row that is lost or counted twice is off by far more.
_CLOSE = 1e-3


def trace_strategy(
    task: Task, inputs: Inputs, resolved: ResolvedRequest
) -> StrategyTimeline | Sentence | None:
    """Trace one backward pass, checked against a plain one.

    Returns:
        The timeline, why there is none, or None where no memory is left.
    """
    x, device = inputs.x, inputs.x.device
    if device.type == "cuda" and 4 * x.nbytes > torch.cuda.mem_get_info(device)[0]:
        return None  # dx is written twice, to be compared
    before = statistics(x, resolved.eps)
    passes = [Backward(inputs, *before, resolved.launch) for _ in range(2)]
    sums = [  # dw and db of both
        [torch.full((resolved.n,), torch.nan, device=device) for _ in range(2)] for _ in passes
    ]
    memory = passes[1].allocate_trace()

    def plain() -> None:
        passes[0](*sums[0])

    def traced() -> None:
        dw, db = sums[1]
        passes[1](dw, db, memory)

    with turn(task, device), interruptible(task, device):
        plain()
        carry_out(traced, device)
    ordered = CATALOGUE[resolved.launch.strategy].deterministic and not _in_one_launch(resolved)
    close = 0.0 if ordered else _CLOSE
    if not _alike(passes[0].dx, passes[1].dx) or not all(map(_alike, *sums, (close, close))):
        return OTHER_RESULTS
    recorded = passes[1].read_trace(memory, *sums[1])
    assert isinstance(recorded, StrategyTimeline), "another strategy than locked"
    if device.type != "cuda":
        return recorded
    with turn(task, device):
        return replace(recorded, cost=measure_cost(plain, traced, device))


def _in_one_launch(resolved: ResolvedRequest) -> bool:
    """Return whether a plain pass is one launch, which adds in another order than a traced one."""
    return resolved.launch.strategy == "persistent" and in_one_launch(
        resolved.m, resolved.n, resolved.launch
    )


def _alike(one: torch.Tensor, other: torch.Tensor, by: float = 0.0) -> bool:
    """Return whether results of two runs agree up to a share of the largest, NaN in both alike."""
    largest = float(one.abs().nan_to_num(nan=0.0, posinf=0.0).max())
    return torch.allclose(one, other, rtol=by, atol=by * largest, equal_nan=True)
