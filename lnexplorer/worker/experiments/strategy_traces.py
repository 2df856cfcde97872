"""Timelines of the strategies without locks: instrumented kernels, checked against the plain ones, and what they cost."""

from types import ModuleType
from typing import Any

import torch

from lnexplorer.domain.experiments.strategy_timeline import StrategyTimeline
from lnexplorer.domain.experiments.words import OTHER_RESULTS
from lnexplorer.domain.provenance import Kind
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.timeline import Clock, TraceCost
from lnexplorer.worker.experiments.backward import interruptible
from lnexplorer.worker.task import Task
from lnkernels import atomic, atomic_trace, persistent, persistent_trace, split, split_trace
from lnkernels.inputs import Inputs
from lnkernels.launch.settings import AtomicSettings, RowsSettings, SplitSettings
from lnkernels.pass_trace import PassTrace
from lnkernels.reductions import PartialSums
from lnkernels.strategies import plan_of
from lnkernels.trace_clock import COARSE_TICK_NS
from lnkernels.trace_cost import measure_cost

_CLOSE = 1e-3  # of sums in float32 in two orders; a row that is lost or counted twice is off by far more


def trace_strategy(
    task: Task, inputs: Inputs, mean: torch.Tensor, rstd: torch.Tensor, resolved: ResolvedRequest
) -> StrategyTimeline | str | None:
    """Trace one backward pass.

    Args:
        task: hears nothing, but may end the interpreter's work.
        inputs: x and dy [M, N], weight [N].
        mean: [M] float32.
        rstd: [M] float32.
        resolved: of a strategy without locks.

    Returns:
        The timeline; why it is not shown; or None where no room is left.
    """
    x, dy, weight = inputs.x, inputs.dy, inputs.weight
    m, n = x.shape
    device = x.device
    if device.type == "cuda" and 4 * x.nbytes > torch.cuda.mem_get_info(device)[0]:
        return None  # dx is written twice, to be compared
    settings = plan_of(resolved.launch, n, resolved.dtype, device).backward
    plain: ModuleType
    tracing: ModuleType
    memory: Any
    workspace: Any
    match settings:
        case AtomicSettings():
            plain, tracing, workspace = atomic, atomic_trace, PartialSums.allocate(1, n, device)
            memory = atomic_trace.AtomicTraceMemory.allocate(m, n, settings, device)
        case RowsSettings():
            plain, tracing = persistent, persistent_trace
            workspace = PartialSums.allocate(persistent.programs_for(m, settings), n, device)
            memory = persistent_trace.PersistentTraceMemory.allocate(m, n, settings, device)
        case SplitSettings():
            plain, tracing, workspace = split, split_trace, split.SplitWorkspace.allocate(m, n, settings, device)
            memory = split_trace.SplitTraceMemory.allocate(m, n, settings, device)
    arguments = (x, dy, weight, mean, rstd, settings)
    first, second = (_outputs(inputs) for _ in range(2))
    with interruptible(task, device):
        plain.launch_backward(*arguments, workspace, **first)
        recorded = tracing.trace_backward(*arguments, **second)
    if not _alike(first, second, ordered=not isinstance(settings, AtomicSettings)):
        return OTHER_RESULTS
    cost = None
    if device.type == "cuda":
        found = measure_cost(
            lambda: plain.launch_backward(*arguments, workspace, **first),
            lambda: tracing.launch_traced(*arguments, workspace, memory, **second),
            device,
        )
        cost = TraceCost(plain_ns=found.plain_ms * 1e6, traced_ns=found.traced_ms * 1e6, repetitions=found.repetitions)
    return _timeline(recorded, resolved, cost, settings.slices if isinstance(settings, SplitSettings) else 1)


def _outputs(inputs: Inputs) -> dict[str, torch.Tensor]:
    sums = {name: torch.full_like(inputs.x[0], torch.nan, dtype=torch.float32) for name in ("dw", "db")}
    return {"dx": torch.full_like(inputs.x, torch.nan)} | sums


def _alike(first: dict[str, torch.Tensor], second: dict[str, torch.Tensor], *, ordered: bool) -> bool:
    """Whether two runs agree: dx to the bit, and sums too, where their order is fixed."""
    slack = {"dx": 0.0, "dw": 0.0 if ordered else _CLOSE, "db": 0.0 if ordered else _CLOSE}

    def close(name: str, by: float) -> bool:
        largest = float(first[name].abs().nan_to_num(nan=0.0, posinf=0.0).max())
        return torch.allclose(first[name], second[name], rtol=by, atol=by * largest, equal_nan=True)

    return all(close(name, by) for name, by in slack.items())


def _timeline(recorded: PassTrace, resolved: ResolvedRequest, cost: TraceCost | None, slices: int) -> StrategyTimeline:
    clock = Clock.STEPS
    if recorded.tick_ns is not None:
        clock = Clock.TIMER if recorded.tick_ns <= COARSE_TICK_NS else Clock.COARSE
    return StrategyTimeline(
        strategy=resolved.launch.strategy,
        kind=Kind.INTERPRETED if recorded.tick_ns is None else Kind.MEASURED,
        clock=clock,
        tick_ns=float(recorded.tick_ns or 1),
        m=resolved.m,
        n=resolved.n,
        rows=recorded.rows,
        program=recorded.program,
        first_row=recorded.first_row,
        start_ns=recorded.start_ns,
        ready_ns=recorded.ready_ns,
        sm=recorded.sm,
        program_start_ns=recorded.program_start_ns,
        add_begin_ns=recorded.add_begin_ns,
        add_end_ns=recorded.add_end_ns,
        tile_sm=recorded.tile_sm,
        tile_setup_ns=recorded.tile_setup_ns,
        tile_start_ns=recorded.tile_start_ns,
        tile_end_ns=recorded.tile_end_ns,
        cost=cost,
        slices=slices,
        wait_begin_ns=None if recorded.waits_ns is None else recorded.waits_ns[0],
        wait_end_ns=None if recorded.waits_ns is None else recorded.waits_ns[1],
    )
