"""Liger Kernel's LayerNorm, in Triton (linkedin/Liger-Kernel)."""

from collections.abc import Callable

from torch import Tensor

from lnkernels.providers.lookup import missing
from lnkernels.providers.protocol import Case
from lnkernels.sentence import Sentence

_MODULE = "liger_kernel.ops.layer_norm"


class Liger:
    """Liger Kernel."""

    name = "liger"
    label = "Liger Kernel"

    def unavailable(self) -> Sentence | None:
        """Looks for the autograd function and the two launchers beneath it."""
        return missing(_MODULE, "LigerLayerNormFunction", "layer_norm_forward", "layer_norm_backward")

    def forward(self, case: Case) -> Callable[[], Tensor]:
        """The forward launcher."""
        from liger_kernel.ops.layer_norm import layer_norm_forward

        def call() -> Tensor:
            y: Tensor = layer_norm_forward(case.x, case.weight, case.bias, case.eps)[0]
            return y

        return call

    def backward(self, case: Case) -> Callable[[], tuple[Tensor, Tensor, Tensor]]:
        """The backward launcher, on statistics computed once."""
        from liger_kernel.ops.layer_norm import layer_norm_backward, layer_norm_forward

        _, x, mean, rstd, *_ = layer_norm_forward(case.x, case.weight, case.bias, case.eps)

        def call() -> tuple[Tensor, Tensor, Tensor]:
            dx, dw, db = layer_norm_backward(case.dy, x, case.weight, case.bias, mean, rstd)
            return dx, dw, db

        return call

    def autograd(self, case: Case) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
        """The autograd function."""
        from liger_kernel.ops.layer_norm import LigerLayerNormFunction

        def call(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
            y: Tensor = LigerLayerNormFunction.apply(x, weight, bias, case.eps)
            return y

        return call
