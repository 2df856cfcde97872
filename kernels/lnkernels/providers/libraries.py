"""LayerNorm of other libraries: Liger Kernel's (linkedin/Liger-Kernel), quack's (Dao-AILab/quack), Apex's
(NVIDIA/apex).

Whether one is there is found out without importing it: importing a kernel library costs seconds and may start a CUDA
context, and a package of the right name may be another one, or another version. So the module's source is read for the
very name.
"""

import ast
import importlib.machinery
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from lnkernels.providers.protocol import Case
from lnkernels.sentence import Sentence, say

_LIGER = "liger_kernel.ops.layer_norm"
_QUACK = "quack.rmsnorm"
_APEX_EXTENSION = "fused_layer_norm_cuda"
_APEX = "apex.normalization.fused_layer_norm"


class Liger:
    """Liger Kernel."""

    name = "liger"
    label = "Liger Kernel"

    def unavailable(self) -> Sentence | None:
        """Looks for the autograd function and the two launchers beneath it."""
        return missing(_LIGER, "LigerLayerNormFunction", "layer_norm_forward", "layer_norm_backward")

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


class Quack:
    """quack. Weights are converted to float32 once, outside the kernels' time and inside that of autograd."""

    name = "quack"
    label = "quack"

    def unavailable(self) -> Sentence | None:
        """Looks for the two launchers; a backward pass of LayerNorm came to quack later than the forward pass."""
        return missing(_QUACK, "layernorm_fwd", "layernorm_bwd")

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


class Apex:
    """NVIDIA Apex, built with its CUDA extensions. The package named apex elsewhere is a different one."""

    name = "apex"
    label = "Apex FusedLayerNorm"

    def unavailable(self) -> Sentence | None:
        """Looks for the compiled extension first: without it Apex imports, and then falls back to PyTorch."""
        return missing(_APEX_EXTENSION) or missing(_APEX, "fused_layer_norm_affine")

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


def missing(module: str, *names: str) -> Sentence | None:
    """Why `names` cannot be imported from `module`; None where they can be, as far as its source shows.

    Args: module: dotted name. Nothing of its package is executed. names: functions or classes that the module defines
        or imports at its top level. None are needed for an extension
            module, whose names cannot be seen.
    """
    package = module.partition(".")[0]
    file = _locate(module)
    if file is None:
        if _locate(package) is None:
            return say("package {package} is not installed", package=package)
        return say("{package} has no module {module}", package=package, module=module)
    if file.suffix != ".py":
        return None
    try:
        defined = _top_level_names(ast.parse(file.read_bytes()))
    except (OSError, SyntaxError, ValueError) as error:
        return say("{file} cannot be read: {error}", file=str(file), error=str(error))
    absent = [name for name in names if name not in defined]
    if not absent:
        return None
    return say("{module} has no {names}: another version is needed", module=module, names=", ".join(absent))


def _locate(module: str) -> Path | None:
    """The file of a module, or of a package's __init__; None if there is none."""
    path: list[str] | None = None
    spec = None
    parts = module.split(".")
    for depth in range(len(parts)):
        # importlib.util.find_spec would execute the parent packages; the path finder alone does not.
        spec = _find(".".join(parts[: depth + 1]), path)
        if spec is None:
            return None
        path = list(spec.submodule_search_locations or [])
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin)


def _find(name: str, path: list[str] | None) -> importlib.machinery.ModuleSpec | None:
    if path is None:
        # Top level: all finders, so that editable installs are seen too. A module without a spec raises ValueError.
        try:
            return importlib.util.find_spec(name)
        except ValueError:
            return None
    return importlib.machinery.PathFinder.find_spec(name, path)


def _top_level_names(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    # Definitions inside a top-level `if` or `try` count: libraries define the same name for several versions.
    pending: list[ast.stmt] = list(tree.body)
    while pending:
        statement = pending.pop()
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names.add(statement.name)
            case ast.Import() | ast.ImportFrom():
                names.update(alias.asname or alias.name for alias in statement.names)
            case ast.Assign():
                names.update(target.id for target in statement.targets if isinstance(target, ast.Name))
            case ast.If():
                pending += [*statement.body, *statement.orelse]
            case ast.Try():
                pending += [*statement.body, *statement.orelse, *statement.finalbody]
                pending += [inner for handler in statement.handlers for inner in handler.body]
    return names
