"""`locked` beside the strategies that replace its locks, with timelines of their programs:
instrumented kernels, checked against the plain ones, and what they cost.
"""

from dataclasses import replace

import torch

from lnexplorer.domain.experiments.findings import Strategies, StrategyRow
from lnexplorer.domain.experiments.words import OTHER_RESULTS, TWO_LAUNCHES
from lnexplorer.domain.request import ResolvedRequest, RunRequest, check, resolve
from lnexplorer.worker.checking import inputs_of
from lnexplorer.worker.connection import Task
from lnexplorer.worker.experiments.backward import statistics
from lnexplorer.worker.experiments.group_size import dw_error, measured_backward, median_ms
from lnexplorer.worker.experiments.order import repeated
from lnexplorer.worker.measuring import Measurer
from lnexplorer.worker.trace import interruptible, trace
from lnexplorer.worker.turns import turn
from lnkernels.check.inputs import Inputs
from lnkernels.launch import CATALOGUE, LAUNCHED, memory_estimate
from lnkernels.launch.persistent import in_one_launch
from lnkernels.passes.arguments import BackwardTensors
from lnkernels.passes.registry import STRATEGIES, launch_here, run_backward
from lnkernels.trace.capture import carry_out, measure_cost
from lnkernels.values.environment import Device
from lnkernels.values.sentence import Sentence, say
from lnkernels.values.timeline import ReductionTimeline, StrategyTimeline

OTHERS = tuple(sorted(set(LAUNCHED) - {"locked"}))


def strategies(
    task: Task,
    problem: RunRequest,
    runs: int,
    measurer: Measurer,
    torch_device: torch.device,
    device: Device,
) -> Strategies:
    """Time, check and repeat each strategy that takes rows of this width; trace those that can be
    traced.
    """
    settings = {"locked": problem} | {
        name: request
        for name in OTHERS
        if not check(request := problem.problem(name), device.backend, limits=device.limits)
    }
    measured = measured_backward(
        task, settings.values(), measurer, device, with_ceilings=device.backend == "cuda"
    )
    first = resolve(problem, device.backend, device.limits)
    inputs = inputs_of(first, torch_device)
    rows = []
    for number, (outcome, (name, request)) in enumerate(
        zip(measured.outcomes, settings.items(), strict=True)
    ):
        resolved = resolve(request, device.backend, device.limits)
        distinct = None
        if outcome.status == "ok":
            distinct = repeated(task, inputs, resolved, runs, number, len(settings)).distinct
        figure = outcome.figure("backward", "kernel_cold")
        rows.append(
            StrategyRow(
                strategy=name,
                ms=median_ms(outcome),
                gbps=None if figure is None else figure.gbps,
                workspace_bytes=memory_estimate(
                    resolved.m, resolved.n, resolved.dtype, resolved.launch
                ).partial_buffers,
                runs=runs,
                distinct=distinct,
                error=dw_error(outcome),
                reason=outcome.reason,
                share=None if figure is None else figure.share_of_ceiling,
            )
        )
    mean, rstd = statistics(inputs.x, first.eps)
    others = []
    for number, row in enumerate(rows):
        task.step(say("traces"), number, len(rows))
        if row.strategy == "locked" or row.distinct is None:
            continue
        resolved = resolve(settings[row.strategy], device.backend, device.limits)
        found = trace_strategy(task, inputs, mean, rstd, resolved)
        if isinstance(found, StrategyTimeline):
            others.append(found)
            if found.cost is not None and _in_one_launch(resolved):
                rows[number] = replace(row, reason=TWO_LAUNCHES)
        elif found is not None:
            rows[number] = replace(row, reason=found)
    traced = trace(task, first, torch_device)
    timeline = traced if isinstance(traced, ReductionTimeline) else None
    return Strategies(rows=tuple(rows), timeline=timeline, others=tuple(others))


_CLOSE = (
    1e-3  # of sums in float32 in two orders; a row that is lost or counted twice is off by far more
)


def trace_strategy(
    task: Task, inputs: Inputs, mean: torch.Tensor, rstd: torch.Tensor, resolved: ResolvedRequest
) -> StrategyTimeline | Sentence | None:
    """The timeline of one backward pass; why it is not shown; or None where no room is left. mean
    and rstd: [M] float32.
    """
    x, device = inputs.x, inputs.x.device
    if device.type == "cuda" and 4 * x.nbytes > torch.cuda.mem_get_info(device)[0]:
        return None  # dx is written twice, to be compared
    launch, kernels = launch_here(resolved.launch, x), STRATEGIES[resolved.launch.strategy]
    workspace, memory = kernels.allocate_workspace(x, launch), kernels.allocate_trace(x, launch)
    first, second = (_pass(inputs, mean, rstd) for _ in range(2))

    def plain() -> None:
        run_backward(first, launch, workspace)

    def traced() -> None:
        run_backward(second, launch, workspace, memory)

    with turn(task, device), interruptible(task, device):
        plain()
        carry_out(traced, device)
    ordered = CATALOGUE[resolved.launch.strategy].deterministic and not _in_one_launch(resolved)
    if not _alike(first, second, ordered=ordered):
        return OTHER_RESULTS
    recorded = kernels.read_trace(x, launch, memory, dw=second.dw, db=second.db)
    assert isinstance(recorded, StrategyTimeline), "another strategy than locked"
    if device.type != "cuda":
        return recorded
    with turn(task, device):
        return replace(recorded, cost=measure_cost(plain, traced, device))


def _in_one_launch(resolved: ResolvedRequest) -> bool:
    """Whether a plain pass is one launch, which adds in another order than the two that are traced."""
    return resolved.launch.strategy == "persistent" and in_one_launch(
        resolved.m, resolved.n, resolved.launch
    )


def _pass(inputs: Inputs, mean: torch.Tensor, rstd: torch.Tensor) -> BackwardTensors:
    dw, db = (torch.full_like(inputs.x[0], torch.nan, dtype=torch.float32) for _ in range(2))
    dx = torch.full_like(inputs.x, torch.nan)
    return BackwardTensors(
        x=inputs.x, dy=inputs.dy, weight=inputs.weight, mean=mean, rstd=rstd, dx=dx, dw=dw, db=db
    )


def _alike(first: BackwardTensors, second: BackwardTensors, *, ordered: bool) -> bool:
    """Whether two runs agree: dx to the bit, and sums too, where their order is fixed."""
    slack = {"dx": 0.0, "dw": 0.0 if ordered else _CLOSE, "db": 0.0 if ordered else _CLOSE}

    def close(name: str, by: float) -> bool:
        one, other = getattr(first, name), getattr(second, name)
        largest = float(one.abs().nan_to_num(nan=0.0, posinf=0.0).max())
        return torch.allclose(one, other, rtol=by, atol=by * largest, equal_nan=True)

    return all(close(name, by) for name, by in slack.items())
