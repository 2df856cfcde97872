"""What a forward and a backward pass give, and how the kernels are asked for it: into poisoned outputs."""

from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import torch

from lnkernels.inputs import Inputs
from lnkernels.launch import Launch
from lnkernels.strategies.registry import STRATEGIES, launch_here


@dataclass(frozen=True, slots=True)
class Results:
    """Results of one implementation, in the dtypes that it gives them in."""

    y: torch.Tensor  # [M, N]
    dx: torch.Tensor  # [M, N]
    dw: torch.Tensor | None  # [N]; None without a weight
    db: torch.Tensor | None  # [N]; None without a bias


@dataclass(frozen=True, slots=True)
class KernelResults(Results):
    """The kernels' results, with the statistics that went from the forward to the backward pass."""

    mean: torch.Tensor  # [M] float32
    rstd: torch.Tensor  # [M] float32


def kernel_results(inputs: Inputs, eps: float, launch: Launch) -> KernelResults:
    """Run both passes once.

    Outputs are filled with NaN first, as is the workspace, so an element that no program writes, or a buffer that is
    summed without having been written, cannot pass for a result.

    Args:
        inputs: x and dy [M, N] with adjacent columns, weight and bias [N] contiguous or None.
        eps: added to the variance.
        launch: as `lnkernels.launch.resolve_launch` gives it and `check_launch` passes it.
    """
    x, weight, bias = inputs.x, inputs.weight, inputs.bias
    m, n = x.shape
    y = _poisoned(x, m, n)
    mean, rstd = (torch.full((m,), torch.nan, device=x.device) for _ in range(2))
    kernels = STRATEGIES[launch.strategy]
    kernels.run_forward(x, weight, bias, eps, launch_here(launch, x), y=y, mean=mean, rstd=rstd)
    return backward_results(inputs, launch, y=y, mean=mean, rstd=rstd)


def backward_results(inputs: Inputs, launch: Launch, *, y: torch.Tensor, mean: torch.Tensor, rstd: torch.Tensor) -> KernelResults:
    """Run the backward pass once, behind a forward pass that gave y, mean and rstd. Otherwise as `kernel_results`."""
    x, weight, bias, dy = inputs.x, inputs.weight, inputs.bias, inputs.dy
    m, n = x.shape
    dx = _poisoned(x, m, n)
    dw = _poisoned(weight, n) if weight is not None else None
    db = _poisoned(bias, n) if bias is not None else None
    kernels, launch = STRATEGIES[launch.strategy], launch_here(launch, x)
    workspace = kernels.allocate_workspace(x, launch, dw=dw is not None, db=db is not None)
    _poison(workspace)
    kernels.run_backward(x, dy, weight, mean, rstd, launch, dx=dx, dw=dw, db=db, workspace=workspace)
    return KernelResults(y=y, dx=dx, dw=dw, db=db, mean=mean, rstd=rstd)


def _poisoned(like: torch.Tensor, *shape: int) -> torch.Tensor:
    return torch.full(shape, torch.nan, dtype=like.dtype, device=like.device)


def _poison(workspace: Any) -> None:
    """Leave in a workspace what nobody takes for a sum, or for a lock or word that has been cleared."""
    for field in fields(workspace):
        memory = getattr(workspace, field.name)
        if is_dataclass(memory):
            _poison(memory)
        elif memory is not None:
            memory.fill_(torch.nan if memory.is_floating_point() else 0x5A5A5A5A)
