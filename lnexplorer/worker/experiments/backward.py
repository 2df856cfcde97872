"""What experiments share: one backward pass of any strategy, into dw and db that may be wider than x."""

from typing import Any

import torch

from lnkernels.inputs import Inputs
from lnkernels.interpreter import ieee_arithmetic
from lnkernels.launch import Launch
from lnkernels.strategies.registry import STRATEGIES, launch_here


class Backward:
    """A backward pass that can be repeated: what it needs besides its results is allocated once.

    Args:
        inputs: x and dy [M, N], weight [N].
        mean: [M] float32.
        rstd: [M] float32.
        launch: of any strategy.
    """

    def __init__(self, inputs: Inputs, mean: torch.Tensor, rstd: torch.Tensor, launch: Launch) -> None:
        self._inputs, self._mean, self._rstd = inputs, mean, rstd
        self._launch, self._kernels = launch_here(launch, inputs.x), STRATEGIES[launch.strategy]
        self._dx = torch.empty_like(inputs.x)
        self._workspace = self._kernels.allocate_workspace(inputs.x, self._launch)

    def allocate_trace(self) -> Any:
        """Memory for the trace of a pass."""
        return self._kernels.allocate_trace(self._inputs.x, self._launch)

    def __call__(self, dw: torch.Tensor, db: torch.Tensor, trace: Any = None) -> None:
        """Write dw and db [N], and the trace where one is wanted."""
        given = (self._inputs.x, self._inputs.dy, self._inputs.weight, self._mean, self._rstd, self._launch)
        with ieee_arithmetic():
            self._kernels.run_backward(*given, dx=self._dx, dw=dw, db=db, workspace=self._workspace, trace=trace)


def statistics(x: torch.Tensor, eps: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Mean and 1 / sqrt(variance + eps) of every row, both [M] float32."""
    wide = x.double()
    mean = wide.mean(dim=1)
    rstd = (wide.var(dim=1, unbiased=False) + eps).rsqrt()
    return mean.float(), rstd.float()
