"""PyTorch as it comes: `torch.nn.functional.layer_norm` and the operators beneath it."""

from collections.abc import Callable

import torch
from torch import Tensor

from lnkernels.providers.protocol import Case


class Eager:
    """PyTorch's own kernels."""

    name = "torch"
    label = "PyTorch"

    def unavailable(self) -> str | None:
        """Always there: the project needs torch."""
        return None

    def forward(self, case: Case) -> Callable[[], Tensor]:
        """The operator that `layer_norm` dispatches to, without autograd."""
        shape = case.shape[1:]

        def call() -> Tensor:
            y: Tensor = torch.ops.aten.native_layer_norm(case.x, shape, case.weight, case.bias, case.eps)[0]
            return y

        return call

    def backward(self, case: Case) -> Callable[[], tuple[Tensor, Tensor, Tensor]]:
        """The backward operator alone, on statistics computed once."""
        shape = case.shape[1:]
        _, mean, rstd = torch.ops.aten.native_layer_norm(case.x, shape, case.weight, case.bias, case.eps)

        def call() -> tuple[Tensor, Tensor, Tensor]:
            dx, dw, db = torch.ops.aten.native_layer_norm_backward(
                case.dy, case.x, shape, mean, rstd, case.weight, case.bias, [True, True, True]
            )
            return dx, dw, db

        return call

    def autograd(self, case: Case) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
        """`torch.nn.functional.layer_norm`."""

        def call(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
            return torch.nn.functional.layer_norm(x, case.shape[1:], weight, bias, case.eps)

        return call
