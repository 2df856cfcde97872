"""The project's own kernels with the `locked` backward strategy."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from lnkernels.launch import CATALOGUE, LaunchConfig, check_launch, resolve_launch
from lnkernels.providers.protocol import Case
from lnkernels.timing.figures import locked_bytes
from lnkernels.values.figures import Direction


class Locked:
    """Forward kernel, and the two-stage backward pass with lock buffers.

    Launched as `case.launch` says where that is a launch of `locked`, else with the tutorial's heuristics.
    """

    name = "locked"
    label = "locked"

    def unavailable(self) -> str | None:
        """Always there."""
        return None

    def counted_bytes(self, case: Case, direction: Direction) -> int:
        """Everything the kernels ask for, buffers included."""
        m, n = case.shape
        return locked_bytes(direction, m, n, case.dtype, launch=_launch(case), weight_dtype=case.weight_dtype)

    def forward(self, case: Case) -> Callable[[], Tensor]:
        """The forward kernel into memory allocated once."""
        from lnkernels.forward import launch_three_walks

        launch = _launch(case)
        y, mean, rstd = _outputs(case)

        def call() -> Tensor:
            launch_three_walks(case.x, case.weight, case.bias, case.eps, launch, y=y, mean=mean, rstd=rstd)
            return y

        return call

    def backward(self, case: Case) -> Callable[[], tuple[Tensor, Tensor, Tensor]]:
        """Both stages and the zeroing of the locks, into memory allocated once, on statistics computed once."""
        from lnkernels.forward import launch_three_walks
        from lnkernels.strategies.locked import LockedWorkspace, launch_backward

        launch = _launch(case)
        y, mean, rstd = _outputs(case)
        launch_three_walks(case.x, case.weight, case.bias, case.eps, launch, y=y, mean=mean, rstd=rstd)
        workspace = LockedWorkspace.allocate(*case.shape, case.x.dtype, launch, case.x.device)
        dx, dw, db = torch.empty_like(case.x), torch.empty_like(case.weight), torch.empty_like(case.bias)

        def call() -> tuple[Tensor, Tensor, Tensor]:
            launch_backward(case.x, case.dy, case.weight, mean, rstd, launch, workspace, dx=dx, dw=dw, db=db)
            return dx, dw, db

        return call

    def autograd(self, case: Case) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
        """The public function, with every launch setting given where one differs from the heuristics'."""
        from lnkernels.layer_norm import layer_norm

        launch = _launch(case)
        settings: dict[str, Any] = {}
        if launch != resolve_launch(case.shape[1], case.dtype):
            settings = {name: getattr(launch, name) for name in CATALOGUE["locked"].settings}

        def call(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
            return layer_norm(x, case.shape[1:], weight, bias, case.eps, strategy="locked", **settings)

        return call


def _launch(case: Case) -> LaunchConfig:
    """The case's launch, or that of the heuristics.

    Raises:
        ValueError: rows are too wide for `locked`.
    """
    n, dtype = case.shape[1], case.dtype
    launch = case.launch if case.launch.strategy == "locked" else resolve_launch(n, dtype)
    problems = check_launch(n, dtype, launch)
    if problems:
        raise ValueError("; ".join(map(str, problems)))
    return launch


def _outputs(case: Case) -> tuple[Tensor, Tensor, Tensor]:
    m = case.shape[0]
    statistics = torch.empty((2, m), dtype=torch.float32, device=case.x.device)
    return torch.empty_like(case.x), statistics[0], statistics[1]
