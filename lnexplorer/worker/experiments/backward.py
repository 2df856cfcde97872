"""What experiments share: one backward pass of any strategy, into dw and db that may be wider than
x.
"""

from dataclasses import replace
from typing import Any

import torch

from lnkernels.check.inputs import Inputs
from lnkernels.check.results import true_chunks
from lnkernels.interpreter import ieee_arithmetic
from lnkernels.launch import Launch
from lnkernels.passes.arguments import BackwardTensors
from lnkernels.passes.registry import STRATEGIES, launch_here, run_backward


class Backward:
    """A backward pass that can be repeated: what it needs besides its results is allocated once.

    Args:
        inputs: x and dy [M, N], weight [N].
        mean: [M] float32.
        rstd: [M] float32.
        launch: of any strategy.
    """

    def __init__(
        self, inputs: Inputs, mean: torch.Tensor, rstd: torch.Tensor, launch: Launch
    ) -> None:
        x, dx = inputs.x, torch.empty_like(inputs.x)
        self._launch = launch_here(launch, x)
        self._kernels = STRATEGIES[launch.strategy]
        self._given = BackwardTensors(
            x=x, dy=inputs.dy, weight=inputs.weight, mean=mean, rstd=rstd, dx=dx, dw=None, db=None
        )
        self._workspace = self._kernels.allocate_workspace(x, self._launch)

    def allocate_trace(self) -> Any:
        """Memory for the trace of a pass."""
        return self._kernels.allocate_trace(self._given.x, self._launch)

    def __call__(self, dw: torch.Tensor, db: torch.Tensor, trace: Any = None) -> None:
        """Write dw and db [N], and the trace where one is wanted."""
        with ieee_arithmetic():
            run_backward(replace(self._given, dw=dw, db=db), self._launch, self._workspace, trace)


def true_sums(inputs: Inputs, eps: float) -> torch.Tensor:
    """The exact dw and db in float64, [2, N]."""
    total = inputs.x.new_zeros((2, inputs.x.shape[1]), dtype=torch.float64)
    for chunk in true_chunks(inputs, eps):
        total += torch.stack(((chunk.dy * chunk.xhat).sum(dim=0), chunk.dy.sum(dim=0)))
    return total


def statistics(x: torch.Tensor, eps: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Mean and 1 / sqrt(variance + eps) of every row, both [M] float32."""
    wide = x.double()
    mean = wide.mean(dim=1)
    rstd = (wide.var(dim=1, unbiased=False) + eps).rsqrt()
    return mean.float(), rstd.float()
