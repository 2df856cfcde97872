"""Timelines of the strategies without locks: instrumented kernels, checked against the plain ones, and what they cost."""

from dataclasses import replace

import torch

from lnexplorer.domain.experiments.words import OTHER_RESULTS
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.worker.connection import Task
from lnexplorer.worker.experiments.backward import interruptible
from lnkernels.inputs import Inputs
from lnkernels.launch import CATALOGUE
from lnkernels.sentence import Sentence
from lnkernels.strategies.registry import STRATEGIES, launch_here
from lnkernels.tracing import carry_out, measure_cost
from lnkernels.values.timeline import StrategyTimeline

_CLOSE = 1e-3  # of sums in float32 in two orders; a row that is lost or counted twice is off by far more


def trace_strategy(
    task: Task, inputs: Inputs, mean: torch.Tensor, rstd: torch.Tensor, resolved: ResolvedRequest
) -> StrategyTimeline | Sentence | None:
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
    device = x.device
    if device.type == "cuda" and 4 * x.nbytes > torch.cuda.mem_get_info(device)[0]:
        return None  # dx is written twice, to be compared
    launch, kernels = launch_here(resolved.launch, x), STRATEGIES[resolved.launch.strategy]
    workspace, memory = kernels.allocate_workspace(x, launch), kernels.allocate_trace(x, launch)
    first, second = (_outputs(inputs) for _ in range(2))

    def plain() -> None:
        kernels.run_backward(x, dy, weight, mean, rstd, launch, **first, workspace=workspace)

    def traced() -> None:
        kernels.run_backward(x, dy, weight, mean, rstd, launch, **second, workspace=workspace, trace=memory)

    with interruptible(task, device):
        plain()
        carry_out(traced, device)
    if not _alike(first, second, ordered=CATALOGUE[resolved.launch.strategy].deterministic):
        return OTHER_RESULTS
    recorded = kernels.read_trace(x, launch, memory, dw=second["dw"], db=second["db"])
    assert isinstance(recorded, StrategyTimeline), "another strategy than locked"
    return replace(recorded, cost=measure_cost(plain, traced, device)) if device.type == "cuda" else recorded


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
