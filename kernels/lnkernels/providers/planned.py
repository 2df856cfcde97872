"""The strategies without locks, as providers for the check and the stopwatch."""

from collections.abc import Callable

import torch
from torch import Tensor

from lnkernels.providers.protocol import Case


class Planned:
    """One of `lnkernels.strategies.STRATEGIES`; its settings come from there, and `case.launch` only bounds its errors."""

    def __init__(self, strategy: str) -> None:
        self.name = strategy
        self.label = strategy

    def unavailable(self) -> str | None:
        """Always there."""
        return None

    def forward(self, case: Case) -> Callable[[], Tensor]:
        """The forward kernel into memory allocated once."""
        from lnkernels.strategies import plan  # noqa: PLC0415  imports triton, which fixes the interpreter's use

        chosen = plan(self.name, case.shape[1], case.dtype, case.x.device)
        y, mean, rstd = _outputs(case)

        def call() -> Tensor:
            chosen.run_forward(case.x, case.weight, case.bias, case.eps, y=y, mean=mean, rstd=rstd)
            return y

        return call

    def backward(self, case: Case) -> Callable[[], tuple[Tensor, Tensor, Tensor]]:
        """Everything that a backward pass launches, into memory allocated once, on statistics computed once."""
        from lnkernels.strategies import plan  # noqa: PLC0415

        chosen = plan(self.name, case.shape[1], case.dtype, case.x.device)
        y, mean, rstd = _outputs(case)
        chosen.run_forward(case.x, case.weight, case.bias, case.eps, y=y, mean=mean, rstd=rstd)
        dx, dw, db = torch.empty_like(case.x), torch.empty_like(case.weight), torch.empty_like(case.bias)

        def call() -> tuple[Tensor, Tensor, Tensor]:
            chosen.run_backward(case.x, case.dy, case.weight, mean, rstd, dx=dx, dw=dw, db=db)
            return dx, dw, db

        return call

    def autograd(self, case: Case) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
        """The public function with this strategy."""
        from lnkernels.layer_norm import layer_norm  # noqa: PLC0415

        def call(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
            return layer_norm(x, case.shape[1:], weight, bias, case.eps, strategy=self.name)

        return call


def _outputs(case: Case) -> tuple[Tensor, Tensor, Tensor]:
    statistics = torch.empty((2, case.shape[0]), dtype=torch.float32, device=case.x.device)
    return torch.empty_like(case.x), statistics[0], statistics[1]
