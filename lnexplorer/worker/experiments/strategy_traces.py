"""Timelines of the strategies without locks: instrumented kernels, checked against the plain ones, and what they cost."""

from dataclasses import replace
from types import ModuleType
from typing import Any

import torch

from lnexplorer.domain.experiments.words import OTHER_RESULTS
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.worker.experiments.backward import interruptible
from lnexplorer.worker.task import Task
from lnkernels import atomic, atomic_trace, persistent, persistent_trace, split, split_trace
from lnkernels.inputs import Inputs
from lnkernels.launch.settings import AtomicSettings, RowsSettings, SplitSettings
from lnkernels.reductions import PartialSums
from lnkernels.strategies import plan_of
from lnkernels.trace_cost import measure_cost
from lnkernels.values.timeline import StrategyTimeline

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
        recorded: StrategyTimeline = tracing.trace_backward(*arguments, **second)
    if not _alike(first, second, ordered=not isinstance(settings, AtomicSettings)):
        return str(OTHER_RESULTS)
    if device.type != "cuda":
        return recorded
    cost = measure_cost(
        lambda: plain.launch_backward(*arguments, workspace, **first),
        lambda: tracing.launch_traced(*arguments, workspace, memory, **second),
        device,
    )
    return replace(recorded, cost=cost)


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
