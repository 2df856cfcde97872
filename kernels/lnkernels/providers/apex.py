"""Apex's FusedLayerNorm (NVIDIA/apex), the one that the tutorial compares with."""

from collections.abc import Callable

from torch import Tensor

from lnkernels.providers.lookup import missing
from lnkernels.providers.protocol import Case
from lnkernels.sentence import Sentence

_EXTENSION = "fused_layer_norm_cuda"
_PYTHON = "apex.normalization.fused_layer_norm"


class Apex:
    """NVIDIA Apex, built with its CUDA extensions. The package named apex elsewhere is a different one."""

    name = "apex"
    label = "Apex FusedLayerNorm"

    def unavailable(self) -> Sentence | None:
        """Looks for the compiled extension first: without it Apex imports, and then falls back to PyTorch."""
        return missing(_EXTENSION) or missing(_PYTHON, "fused_layer_norm_affine")

    def forward(self, case: Case) -> Callable[[], Tensor]:
        """The extension's forward function."""
        from fused_layer_norm_cuda import forward_affine

        _refuse_mixed_dtypes(case)
        shape = case.shape[1:]

        def call() -> Tensor:
            y: Tensor = forward_affine(case.x, shape, case.weight, case.bias, case.eps)[0]
            return y

        return call

    def backward(self, case: Case) -> Callable[[], tuple[Tensor, Tensor, Tensor]]:
        """The extension's backward function, on statistics computed once."""
        from fused_layer_norm_cuda import backward_affine, forward_affine

        _refuse_mixed_dtypes(case)
        shape = case.shape[1:]
        _, mean, rstd = forward_affine(case.x, shape, case.weight, case.bias, case.eps)

        def call() -> tuple[Tensor, Tensor, Tensor]:
            dx, dw, db = backward_affine(case.dy, mean, rstd, case.x, shape, case.weight, case.bias, case.eps, False)
            return dx, dw, db

        return call

    def autograd(self, case: Case) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
        """Apex's public function."""
        from apex.normalization.fused_layer_norm import fused_layer_norm_affine

        _refuse_mixed_dtypes(case)

        def call(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
            y: Tensor = fused_layer_norm_affine(x, weight, bias, case.shape[1:], case.eps)
            return y

        return call


def _refuse_mixed_dtypes(case: Case) -> None:
    if case.weight.dtype != case.x.dtype:
        raise ValueError(f"Apex gives y in the dtype of the weight, {case.weight_dtype}, and x is {case.dtype}")
