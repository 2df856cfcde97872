"""The forward and the backward pass as operators of torch, for whatever traces or transforms calls.

torch.compile is shown the kernels that they launch where that can be (`lnkernels.call.inlined`).
Elsewhere both are opaque: a compiler plans what surrounds them and calls them as they are. Their
fake implementations say the shapes and dtypes of what they return, and refuse what the kernels
cannot take. A launch is a text, as `lnkernels.call.checks.wish_text` writes it.
"""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import torch
from torch import Tensor
from torch._subclasses.functional_tensor import FunctionalTensorMode
from torch.autograd import forward_ad

from lnkernels.call.checks import check_tensors, checked_shape, wish_of
from lnkernels.call.inlined import inlined_backward, inlined_forward, name_sources
from lnkernels.call.known_calls import (
    empty_like,
    gradients,
    known_call,
    normalise,
)

_Three = tuple[Tensor, Tensor, Tensor]
# true while dynamo traces; export and others use fake tensors
is_dynamo_compiling = torch.compiler.is_dynamo_compiling
in_transform = torch._C._are_functorch_transforms_active
LIBRARY = torch.library.Library("lnkernels", "DEF")  # type: ignore[no-untyped-call]


def operator(
    function: Callable[..., Any],
    name: str,
    *,
    fake: Callable[..., Any],
    differentiate: Callable[..., Any],
    keep: Callable[..., None] = lambda ctx, inputs, output: None,
    launched: Callable[..., Any] | None = None,
) -> Callable[..., Any]:
    """Return `function` as an operator of torch that changes none of its arguments.

    `torch.library.custom_op` would also compare the storages of all results and arguments in each
    call, which takes longer than the kernels. Tests compare them, by `torch.library.opcheck`.

    Args:
        function: computes the results; its annotations are the operator's signature.
        name: of the operator.
        fake: does the same for tensors without memory.
        differentiate: returns the gradients of all arguments, from a context and the gradients of
            all results.
        keep: puts what `differentiate` needs into its context.
        launched: does the same by launches that torch.compile is shown; it returns None for
            arguments whose launches cannot be shown. None for an operator that stays opaque.
    """
    schema = torch.library.infer_schema(function, mutates_args=())
    LIBRARY.define(f"{name}{schema}", tags=(torch.Tag.pt2_compliant_tag,))  # type: ignore[no-untyped-call]
    LIBRARY.impl(name, function, "CompositeExplicitAutograd")  # type: ignore[no-untyped-call]
    made = getattr(torch.ops.lnkernels, name).default
    torch.library.register_fake(made, fake, lib=LIBRARY)
    torch.library.register_autograd(made, differentiate, setup_context=keep, lib=LIBRARY)
    torch.library.register_vmap(made, _one_by_one(made), lib=LIBRARY)
    if launched is not None:
        rule = _by_launches(launched)
        torch.library.register_torch_dispatch(made, FunctionalTensorMode, rule, lib=LIBRARY)
        name_sources(f"{LIBRARY.ns}::{name}")

    class Transformed(torch.autograd.Function):
        """For functorch, which differentiates no operator whose rule is in Python, and for forward
        mode, which would silently take an operator's derivative as zero: this refuses it.
        """

        generate_vmap_rule = True
        forward = staticmethod(made)
        setup_context = staticmethod(keep)
        backward = staticmethod(differentiate)

    def call(*arguments: Any) -> Any:
        if not is_dynamo_compiling() and (in_transform() or forward_ad._current_level >= 0):
            return Transformed.apply(*arguments)  # type: ignore[no-untyped-call]
        return made(*arguments)

    return call


def _by_launches(launched: Callable[..., Any]) -> Any:
    """Return a rule for torch.compile, which writes an operator as launches of Triton's kernels. An
    exported program keeps the operator, so that it can be written to a file.
    """

    def decompose(mode: Any, made: Any, types: Any, args: Any, kwargs: Any) -> Any:
        # Who compiles has it; an import at the top would come back to this module.
        from torch.export._trace import custom_triton_ops_decomposition_disabled

        if not custom_triton_ops_decomposition_disabled():  # type: ignore[no-untyped-call]
            with mode:
                found = launched(*args, **(kwargs or {}))
            if found is not None:
                return found
        return mode.__torch_dispatch__(made, types, args, kwargs)

    return decompose


def _one_by_one(made: Any) -> Any:
    """Return a vmap rule that computes one batch after the other. Sums of weights are each batch's
    own.
    """

    def call(info: Any, in_dims: tuple[Any, ...], *arguments: Any) -> Any:
        def of(batch: int) -> list[Any]:
            pairs = zip(arguments, in_dims, strict=True)
            # The sum over no batch at all is zeros of a batch's shape.
            taken = (lambda one, place: one.select(place, batch)) if info.batch_size else Tensor.sum
            return [taken(one, place) if isinstance(place, int) else one for one, place in pairs]

        results = [made(*of(batch)) for batch in range(max(info.batch_size, 1))]
        if isinstance(results[0], Tensor):
            return torch.stack(results)[: info.batch_size], 0
        found = tuple(torch.stack(each)[: info.batch_size] for each in zip(*results, strict=True))
        return found, (0,) * len(found)

    return call


def _fake_backward(
    dy: Any, x: Tensor, normalized_shape: Any, weight: Any, bias: Any, *others: Any
) -> _Three:
    needs = zip((x, weight, bias), others[-1], strict=True)
    dx, dw, db = (
        empty_like(like) if like is not None and needed else x.new_empty(0)
        for like, needed in needs
    )
    return dx, dw, db


def _keep(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    x, shape, weight, bias, eps, launch = inputs
    _, mean, rstd = output
    ctx.mark_non_differentiable(mean, rstd)
    ctx.save_for_backward(x, weight, bias, mean, rstd)
    ctx.given = shape, eps, launch


def refuse(ctx: Any, *_: Any) -> None:
    """Refuse to differentiate a backward pass."""
    raise ValueError(
        "x, weight: a norm of lnkernels has no second derivative (a backward pass through dx, dw or"
        " db, asked for with create_graph=True); use torch.nn.functional's for it"
    )


def _passes(norm: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Define the operators of both passes of a norm. RMSNorm, which has no bias, takes None for it
    and for the mean, and gives an empty mean.
    """
    has_mean = norm == "layer_norm"

    def forward(
        x: Tensor,
        normalized_shape: Sequence[int],
        weight: Tensor | None,
        bias: Tensor | None,
        eps: float,
        launch: str,
    ) -> _Three:
        given = x, tuple(normalized_shape), weight, bias, eps, wish_of(launch)
        x, weight, bias, call = known_call(*given, norm)
        y, mean, rstd = normalise(call, x, weight, bias, apart=True)
        return y, x.new_empty(0) if mean is None else mean, rstd

    def backward(
        dy: Tensor,
        x: Tensor,
        normalized_shape: Sequence[int],
        weight: Tensor | None,
        bias: Tensor | None,
        mean: Tensor | None,
        rstd: Tensor,
        eps: float,
        launch: str,
        needs: Sequence[bool],
    ) -> _Three:
        """Return dx, dw and db; empty those that are not needed or whose parameter is absent."""
        given = x, tuple(normalized_shape), weight, bias, eps, wish_of(launch)
        x, weight, bias, call = known_call(*given, norm)
        mean = mean if has_mean else None
        found = gradients(dy, x, weight, mean, rstd, call, tuple(needs))
        dx, dw, db = (x.new_empty(0) if one is None else one for one in found)
        return dx, dw, db

    def fake_forward(
        x: Tensor, normalized_shape: Sequence[int], weight: Any, bias: Any, *_: Any
    ) -> _Three:
        shape = checked_shape(x, normalized_shape)
        check_tensors(x, shape, weight, bias, traced=True)
        rstd = x.new_empty(prod(x.shape[: x.dim() - len(shape)]), dtype=torch.float32)
        return empty_like(x), torch.empty_like(rstd) if has_mean else x.new_empty(0), rstd

    def differentiate(ctx: Any, dy: Tensor, *_: Any) -> tuple[Tensor | None, ...]:
        x, weight, bias, mean, rstd = ctx.saved_tensors
        shape, eps, launch = ctx.given
        needs = [ctx.needs_input_grad[place] for place in (0, 2, 3)]
        found = made_backward(dy, x, shape, weight, bias, mean, rstd, eps, launch, needs)
        dx, dw, db = (one if needed else None for one, needed in zip(found, needs, strict=True))
        return dx, None, dw, db, None, None

    made_backward = operator(
        backward,
        f"{norm}_backward",
        fake=_fake_backward,
        differentiate=refuse,
        launched=inlined_backward if has_mean else None,
    )
    made_forward = operator(
        forward,
        f"{norm}_forward",
        fake=fake_forward,
        differentiate=differentiate,
        keep=_keep,
        launched=inlined_forward if has_mean else None,
    )
    return made_forward, made_backward


# By norm, those of the forward and of the backward pass.
OPERATORS = {norm: _passes(norm) for norm in ("layer_norm", "rms_norm")}


@torch._decomp.register_decomposition(torch.ops.lnkernels.layer_norm_forward.default)
def _decomposed(
    x: Tensor, shape: Sequence[int], weight: Any, bias: Any, eps: float, _launch: str
) -> _Three:
    """Return the results by PyTorch's own operators, for exports that know no other: ONNX."""
    same = (None if one is None else one.to(x.dtype) for one in (weight, bias))
    y, mean, rstd = torch.ops.aten.native_layer_norm(x, shape, *same, eps)
    return y, mean.flatten().float(), rstd.flatten().float()


@torch._decomp.register_decomposition(torch.ops.lnkernels.rms_norm_forward.default)
def _decomposed_rms(
    x: Tensor, shape: Sequence[int], weight: Any, _bias: None, eps: float, _launch: str
) -> _Three:
    wide, dims = x.float(), list(range(-len(shape), 0))
    rstd = torch.rsqrt(wide.square().mean(dims, keepdim=True) + eps)
    y = wide * rstd if weight is None else wide * rstd * weight
    return y.to(x.dtype), x.new_empty(0), rstd.flatten()
