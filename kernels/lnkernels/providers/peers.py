"""Norms of others: PyTorch as it comes and as torch.compile has Inductor write it, Liger
Kernel's (linkedin/Liger-Kernel), quack's (Dao-AILab/quack), Apex's (NVIDIA/apex), FlashAttention's
(Dao-AILab/flash-attention), cuDNN's (NVIDIA/cudnn-frontend). Those that can search for a setting
are there twice: as they come, and tuned.

Whether a library is there is found out without importing it: importing a kernel library costs
seconds and may start a CUDA context.
"""

import importlib
import importlib.util
from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Hashable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from lnkernels.failures import in_one_line
from lnkernels.launch import NORMS
from lnkernels.providers.protocol import Case, NoGradientError, Output, Provider
from lnkernels.values.sentence import Sentence, say

Forward = Callable[[], Output]
Gradients = tuple[Tensor | None, ...]  # of dx, dw, db and that of a residual
Backward = Callable[[], Gradients]
Autograd = Callable[..., Output]
ALONE: Container[str] = ("layer_norm",)
UNADDED: Container[str] = ("layer_norm", "rms_norm", "add_rms_norm")


class LibraryNorm(ABC):
    """A library's function with an autograd of its own. A pass alone is one of autograd's, which
    launches the same kernels: a captured graph has nothing of its cost on the host.
    """

    name = label = module = ""  # the module has the function
    norms: Container[str] = NORMS  # that are timed

    def unavailable(self) -> Sentence | None:
        return missing(self.module)

    @property
    def _library(self) -> Any:
        """The module, which a machine may lack."""
        return importlib.import_module(self.module)

    def forward(self, case: Case) -> Forward:
        return forward_of(self.autograd(case), case)

    def backward(self, case: Case) -> Backward:
        return backward_of(self.autograd(case), case)

    def autograd(self, case: Case) -> Autograd:
        """Return the function that users call.

        Raises:
            ValueError: the library has no such norm.
        """
        if case.named_norm not in self.norms:
            raise ValueError(f"{self.label} has no {NORMS[case.named_norm]} that is timed")
        return self._autograd(case)

    @abstractmethod
    def _autograd(self, case: Case) -> Autograd: ...


class Eager(LibraryNorm):
    """PyTorch's own kernels: the operators that `layer_norm` dispatches to, without autograd."""

    name = "torch"
    label = "PyTorch"
    module = "torch"

    def forward(self, case: Case) -> Forward:
        if case.named_norm != "layer_norm":
            return super().forward(case)
        given = case.x, case.shape[1:], case.weight, case.bias, case.eps
        return lambda: torch.ops.aten.native_layer_norm(*given)[0]

    def backward(self, case: Case) -> Backward:
        if case.named_norm != "layer_norm":
            return super().backward(case)
        x, shape, parameters = case.x, case.shape[1:], (case.weight, case.bias)
        _, mean, rstd = torch.ops.aten.native_layer_norm(x, shape, *parameters, case.eps)
        wanted = [True, True, True]
        return lambda: torch.ops.aten.native_layer_norm_backward(
            case.dy, x, shape, mean, rstd, *parameters, wanted
        )

    def _autograd(self, case: Case) -> Autograd:
        return functional(case)


class Inductor(LibraryNorm):
    """torch.compile. The first call of a shape compiles for seconds."""

    name = "torch.compile"
    label = "torch.compile"

    def __init__(self) -> None:
        self._compiled: dict[Hashable, Autograd] = {}  # the newest, by what it is compiled for

    def unavailable(self) -> Sentence | None:
        return (
            None
            if torch.cuda.is_available()
            else say("torch.compile is timed on a CUDA device only")
        )

    @property
    def _options(self) -> dict[str, Any] | None:
        """Return the options of Inductor that are not as they come."""
        return None

    def _autograd(self, case: Case) -> Autograd:
        """The compiled function, compiled for the very shapes of `case`."""
        key = (
            case.named_norm,
            case.shape,
            case.x.dtype,
            case.weight.dtype,
            case.x.device,
            case.eps,
        )
        if key not in self._compiled:
            # Dynamo keeps only a few versions of one function and then runs it uncompiled. With
            # fullgraph it would raise; a reset makes room, so that neither happens on the way
            # through many shapes.
            torch.compiler.reset()
            # A backward pass that is run again and again must not give its saved tensors away. The
            # setting is read when compiling and once more in every backward pass, so it holds from
            # here on.
            torch._functorch.config.donated_buffer = False
            self._compiled = {
                key: torch.compile(
                    functional(case), fullgraph=True, dynamic=False, options=self._options
                )
            }
        return self._compiled[key]


class TunedInductor(Inductor):
    """torch.compile at its strongest: it searches as max-autotune does, and may sum rows and
    columns in one kernel wherever that is right. The first call of a shape compiles for a minute.
    """

    name = label = "torch.compile-max"

    @property
    def _options(self) -> dict[str, Any] | None:
        """Return those that this torch knows."""
        wanted = (
            "max_autotune",
            "coordinate_descent_tuning",
            "triton.mix_order_reduction",
            "triton.mix_order_reduction_autotune_split_size",
            "triton.mix_order_reduction_non_strict_mode",
        )
        known = torch._inductor.list_options()
        return {name: True for name in wanted if name in known}


class Liger(LibraryNorm):
    name = "liger"
    label = "Liger Kernel"
    module = "liger_kernel.ops.layer_norm"
    norms = UNADDED

    def _autograd(self, case: Case) -> Autograd:
        # Llama's definition; in place it would write to dy.
        settings = (case.eps, 0.0, "llama", False)
        if case.residual is not None:
            fused = importlib.import_module("liger_kernel.ops.fused_add_rms_norm")
            added = fused.LigerFusedAddRMSNormFunction
            return lambda x, weight, bias, residual: added.apply(x, residual, weight, *settings)
        if case.norm == "rms_norm":
            rms_norm = importlib.import_module("liger_kernel.ops.rms_norm").LigerRMSNormFunction
            return lambda x, weight, bias: rms_norm.apply(x, weight, *settings)
        layer_norm = self._library.LigerLayerNormFunction
        return lambda x, weight, bias: layer_norm.apply(x, weight, bias, case.eps)


class LigerCute(LibraryNorm):
    """Liger's kernels in the language CuTe, refused where they hand over to its Triton kernels."""

    name = "liger-cute"
    label = "Liger Kernel (CuTe)"
    module = "liger_kernel.ops.backends._cutedsl.layer_norm"
    norms = ALONE

    def unavailable(self) -> Sentence | None:
        return missing(self.module) or missing("cutlass")

    def _autograd(self, case: Case) -> Autograd:
        library, n = self._library, case.shape[1]
        most, step = library._BWD_MAX_TILE_CUTEDSL, 16 // case.x.element_size()
        if n > most or n % step:
            raise ValueError(f"{self.label} takes up to {most} columns, a multiple of {step}")
        layer_norm = library._LigerLayerNormCuTeDSLFunction
        return lambda x, weight, bias: layer_norm.apply(x, weight, bias, case.eps)


class Quack(LibraryNorm):
    """Quack. Weights are converted to float32 once, outside of the kernels' time and inside that of
    autograd.
    """

    name = label = "quack"
    module = "quack.rmsnorm"
    norms = UNADDED

    def forward(self, case: Case) -> Forward:
        """Prepare the forward launcher, which keeps mean and rstd as a training step does."""
        if case.named_norm != "layer_norm":
            return super().forward(case)
        weight, bias = case.weight.float(), case.bias.float()
        return lambda: self._forward(case.x, weight, bias, case.eps)[0]

    def backward(self, case: Case) -> Backward:
        if case.named_norm != "layer_norm":
            return super().backward(case)
        weight = case.weight.float()
        _, rstd, mean = self._forward(case.x, weight, case.bias.float(), case.eps)
        return lambda: self._backward(case.x, weight, case.dy, rstd, mean)

    def _autograd(self, case: Case) -> Autograd:
        """Wrap the launchers in autograd, as quack has none for LayerNorm with a bias."""
        if case.norm == "rms_norm":
            rmsnorm = self._library.rmsnorm
            # Alone it returns y, with a residual and `prenorm` the sum, too.
            return lambda x, weight, bias, residual=None: rmsnorm(
                x, weight, residual=residual, eps=case.eps, prenorm=residual is not None
            )
        quack_forward, quack_backward = self._forward, self._backward

        class QuackLayerNorm(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
                weight32 = weight.float()
                y, rstd, mean = quack_forward(x, weight32, bias.float(), case.eps)
                ctx.save_for_backward(x, weight32, rstd, mean)
                ctx.dtypes = weight.dtype, bias.dtype
                return y

            @staticmethod
            def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, Tensor]:
                x, weight32, rstd, mean = ctx.saved_tensors
                dx, dw, db = quack_backward(x, weight32, grads[0], rstd, mean)
                weight_dtype, bias_dtype = ctx.dtypes
                return dx, dw.to(weight_dtype), db.to(bias_dtype)

        return QuackLayerNorm.apply

    def _forward(
        self, x: Tensor, weight: Tensor, bias: Tensor, eps: float
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return y, rstd and mean."""
        y, rstd, mean = self._library.layernorm_fwd(
            x, weight, bias, eps, return_rstd=True, return_mean=True
        )
        return y, rstd, mean

    def _backward(
        self, x: Tensor, weight: Tensor, dy: Tensor, rstd: Tensor, mean: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return dx, dw and db."""
        dx, dw, db = self._library.layernorm_bwd(x, weight, dy, rstd, mean)
        return dx, dw, db


class TunedQuack(Quack):
    """Quack with the settings that its own search finds, at the first call of a shape."""

    name = label = "quack-tuned"
    norms = ALONE

    def _forward(
        self, x: Tensor, weight: Tensor, bias: Tensor, eps: float
    ) -> tuple[Tensor, Tensor, Tensor]:
        y, rstd = torch.empty_like(x), x.new_empty(len(x), dtype=torch.float32)
        mean = torch.empty_like(rstd)
        self._library.rmsnorm_fwd_tuned(
            x, weight, y, bias=bias, rstd=rstd, mean=mean, eps=eps, is_layernorm=True
        )
        return y, rstd, mean

    def _backward(
        self, x: Tensor, weight: Tensor, dy: Tensor, rstd: Tensor, mean: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        dx, programs = torch.empty_like(x), self._library.get_sm_count(x.shape[1], x.device)
        dw = x.new_empty((programs, x.shape[1]), dtype=torch.float32)
        db = torch.empty_like(dw)
        self._library.rmsnorm_bwd_tuned(
            x,
            weight,
            dy,
            rstd,
            dx,
            dw_partial=dw,
            db_partial=db,
            has_dw_partial=True,
            has_db_partial=True,
            mean=mean,
            is_layernorm=True,
        )
        return dx, dw.sum(0), db.sum(0)


class Apex(LibraryNorm):
    """NVIDIA Apex, built with its CUDA extensions. The package named apex elsewhere is a different
    one.
    """

    name = "apex"
    label = "Apex FusedLayerNorm"
    module = "apex.normalization.fused_layer_norm"
    norms = ALONE

    def unavailable(self) -> Sentence | None:
        return missing("fused_layer_norm_cuda") or super().unavailable()

    def _autograd(self, case: Case) -> Autograd:
        fused_layer_norm_affine = self._library.fused_layer_norm_affine
        return lambda x, weight, bias: fused_layer_norm_affine(
            x, weight, bias, case.shape[1:], case.eps
        )


class FlashAttention(LibraryNorm):
    """FlashAttention's norms in Triton. It tunes itself for some seconds when it first meets a
    number of columns.
    """

    name = "flash-attn"
    label = "FlashAttention (Triton)"
    module = "flash_attn.ops.triton.layer_norm"

    def _autograd(self, case: Case) -> Autograd:
        layer_norm_fn, rms = self._library.layer_norm_fn, case.norm == "rms_norm"
        return lambda x, weight, bias, residual=None: layer_norm_fn(
            x,
            weight,
            None if rms else bias,
            residual=residual,
            eps=case.eps,
            prenorm=residual is not None,
            is_rms_norm=rms,
        )


class Cudnn(LibraryNorm):
    """The layer norm of cuDNN. Weights are converted to float32 in each call."""

    name = "cudnn"
    label = "cuDNN"
    module = "cudnn.ops.norm.layernorm"
    norms = ALONE

    def _autograd(self, case: Case) -> Autograd:
        layer_norm = self._library.layer_norm
        return lambda x, weight, bias: layer_norm(x, case.shape[1:], weight, bias, case.eps)


def functional(case: Case) -> Autograd:
    """Return PyTorch's function of the case's norm, after an addition where it has a residual."""
    shape, eps = case.shape[1:], case.eps

    def layer_norm(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        return torch.nn.functional.layer_norm(x, shape, weight, bias, eps)

    def rms_norm(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        return torch.nn.functional.rms_norm(x, shape, weight, eps)

    norm = rms_norm if case.norm == "rms_norm" else layer_norm
    return norm if case.residual is None else after_addition(norm)


def after_addition(norm: Callable[[Tensor, Tensor, Tensor], Tensor]) -> Autograd:
    """Return the function that adds a residual to x, and gives the norm of the sum, and the sum."""

    def add_and_norm(
        x: Tensor, weight: Tensor, bias: Tensor, residual: Tensor
    ) -> tuple[Tensor, Tensor]:
        total = x + residual
        return norm(total, weight, bias), total

    return add_and_norm


def forward_of(function: Autograd, case: Case) -> Forward:
    """Return the forward pass of a function that has its own autograd."""

    def call() -> Output:
        with torch.no_grad():
            return function(*case.given)

    return call


def backward_of(function: Autograd, case: Case) -> Backward:
    """Return the backward pass of autograd, on one forward pass."""
    leaves = case.leaves
    given = function(*leaves)
    return lambda: gradients_of(given, leaves, case.given_gradients)


def gradients_of(
    given: Output, leaves: tuple[Tensor, ...], gradients: tuple[Tensor, ...]
) -> Gradients:
    """Return what the gradients of y, or of y and x + residual, are for each leaf, which may be
    asked for again; None for a leaf without one. Raises NoGradientError where the backward pass is
    not written.

    `torch.autograd.grad` would leave every TorchFunctionMode before it runs the backward pass, and
    with it the one in which cuda is the CPU.
    """
    run: Any = torch.autograd.graph._engine_run_backward
    outputs = given if isinstance(given, tuple) else (given,)
    found: Gradients
    try:
        found = run(outputs, gradients, True, False, leaves, True, accumulate_grad=False)
    except NotImplementedError as error:
        if str(error).startswith("Could not run"):  # an operator that the device has not
            raise
        raise NoGradientError(
            "its backward pass is not written: {why}", why=in_one_line(error)
        ) from error
    return found


def missing(module: str) -> Sentence | None:
    """Return why a module cannot be imported, or None. Nothing of its package is executed."""
    package, *inner = module.split(".")
    spec = importlib.util.find_spec(package)
    if spec is None:
        return say("package {package} is not installed", package=package)
    file = Path(*inner).with_suffix(".py") if inner else Path()
    if inner and not any(
        (Path(folder) / file).exists() for folder in spec.submodule_search_locations or ()
    ):
        return say("{package} has no module {module}", package=package, module=module)
    return None


# In the order in which they are listed.
PEERS: tuple[type[Provider], ...] = (
    Eager,
    Inductor,
    TunedInductor,
    Liger,
    LigerCute,
    Quack,
    TunedQuack,
    Apex,
    FlashAttention,
    Cudnn,
)
