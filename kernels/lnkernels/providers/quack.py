"""quack's LayerNorm, in CuTe DSL (Dao-AILab/quack). It takes weight and bias in float32 only."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from lnkernels.providers.lookup import missing
from lnkernels.providers.protocol import Case
from lnkernels.sentence import Sentence

_MODULE = "quack.rmsnorm"


class Quack:
    """quack. Weights are converted to float32 once, outside the kernels' time and inside that of autograd."""

    name = "quack"
    label = "quack"

    def unavailable(self) -> Sentence | None:
        """Looks for the two launchers; a backward pass of LayerNorm came to quack later than the forward pass."""
        return missing(_MODULE, "layernorm_fwd", "layernorm_bwd")

    def forward(self, case: Case) -> Callable[[], Tensor]:
        """The forward launcher, keeping mean and rstd as a training step does."""
        from quack.rmsnorm import layernorm_fwd

        weight, bias = case.weight.float(), case.bias.float()

        def call() -> Tensor:
            y: Tensor = layernorm_fwd(case.x, weight, bias, case.eps, return_rstd=True, return_mean=True)[0]
            return y

        return call

    def backward(self, case: Case) -> Callable[[], tuple[Tensor, Tensor, Tensor]]:
        """The backward launcher, on statistics computed once."""
        from quack.rmsnorm import layernorm_bwd, layernorm_fwd

        weight, bias = case.weight.float(), case.bias.float()
        _, rstd, mean = layernorm_fwd(case.x, weight, bias, case.eps, return_rstd=True, return_mean=True)

        def call() -> tuple[Tensor, Tensor, Tensor]:
            dx, dw, db = layernorm_bwd(case.x, weight, case.dy, rstd, mean)
            return dx, dw, db

        return call

    def autograd(self, case: Case) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
        """An autograd function around the launchers, as quack has none for LayerNorm with a bias."""
        function = _autograd_function()

        def call(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
            y: Tensor = function.apply(x, weight, bias, case.eps)
            return y

        return call


def _autograd_function() -> Any:
    from quack.rmsnorm import layernorm_bwd, layernorm_fwd

    class QuackLayerNorm(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, eps: float) -> Tensor:
            weight32 = weight.float()
            y: Tensor
            y, rstd, mean = layernorm_fwd(x, weight32, bias.float(), eps, return_rstd=True, return_mean=True)
            ctx.save_for_backward(x, weight32, rstd, mean)
            ctx.dtypes = weight.dtype, bias.dtype
            return y

        @staticmethod
        def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
            x, weight32, rstd, mean = ctx.saved_tensors
            dx, dw, db = layernorm_bwd(x, weight32, grads[0], rstd, mean)
            weight_dtype, bias_dtype = ctx.dtypes
            return dx, dw.to(weight_dtype), db.to(bias_dtype), None

    return QuackLayerNorm
