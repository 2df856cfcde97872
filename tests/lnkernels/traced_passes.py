"""A backward pass on the same inputs twice: plain and traced."""

from types import ModuleType
from typing import Any

import torch

from lnkernels.inputs import make_inputs
from lnkernels.values.timeline import StrategyTimeline

Gradients = dict[str, torch.Tensor]


def plain_and_traced(
    plain: ModuleType,
    tracing: ModuleType,
    settings: Any,
    workspace: Any,
    shape: tuple[int, int],
    dtype: torch.dtype,
    device: torch.device,
) -> tuple[StrategyTimeline, Gradients, Gradients]:
    """The trace, then dx [M, N], dw and db [N] of the plain kernels and of the traced ones; NaN where nothing was written."""
    m, n = shape
    inputs = make_inputs(m, n, dtype, "tutorial", 0, device)
    wide = inputs.x.double()
    mean, rstd = wide.mean(1).float(), (wide.var(1, unbiased=False) + 1e-5).rsqrt().float()
    first, second = (
        {"dx": torch.full_like(inputs.x, torch.nan)}
        | {name: torch.full((n,), torch.nan, dtype=torch.float32, device=device) for name in ("dw", "db")}
        for _ in range(2)
    )
    arguments = (inputs.x, inputs.dy, inputs.weight, mean, rstd, settings)
    plain.launch_backward(*arguments, workspace, **first)
    return tracing.trace_backward(*arguments, **second), first, second
