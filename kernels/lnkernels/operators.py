"""The forward and the backward pass as operators of torch, for whatever traces or transforms calls.

Both are opaque: a compiler plans what surrounds them and calls them as they are. Their fake implementations say the shapes
and dtypes of what they return, and refuse what the kernels cannot take. A launch is a text, as `lnkernels.calls.wish_text`
writes it.
"""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import torch

from lnkernels.calls import (
    CALLS,
    Call,
    check_tensors,
    checked_call,
    checked_shape,
    empty_like,
    gradients,
    kind_of_call,
    normalise,
    wish_of,
)

NO_SECOND_DERIVATIVE = (
    "x, weight: layer_norm has no second derivative (a backward pass through dx, dw or db, asked for with "
    "create_graph=True); use torch.nn.functional.layer_norm for it"
)
_Three = tuple[torch.Tensor, torch.Tensor, torch.Tensor]
LIBRARY = torch.library.Library("lnkernels", "DEF")  # type: ignore[no-untyped-call]


def operator(function: Callable[..., Any], name: str) -> Any:
    """`function` as an operator that changes none of its arguments.

    As `torch.library.custom_op` defines one, without what that puts around each call: it looks at all storages for
    results that share one with an argument, which is longer than the kernels take. `torch.library.opcheck` looks in tests.
    """
    schema = torch.library.infer_schema(function, mutates_args=())
    LIBRARY.define(f"{name}{schema}", tags=(torch.Tag.pt2_compliant_tag,))  # type: ignore[no-untyped-call]
    LIBRARY.impl(name, function, "CompositeExplicitAutograd")  # type: ignore[no-untyped-call]
    return getattr(torch.ops.lnkernels, name).default


def _known(
    x: torch.Tensor, shape: Sequence[int], weight: torch.Tensor | None, bias: torch.Tensor | None, eps: float, launch: str
) -> tuple[torch.Tensor, torch.Tensor | None, torch.Tensor | None, Call]:
    """As `checked_call`; a kind of call that was checked before is not checked again."""
    wish = wish_of(launch)
    call = CALLS.get(kind_of_call(x, tuple(shape), weight, bias, eps, wish))
    return checked_call(x, tuple(shape), weight, bias, eps, wish) if call is None else (x, weight, bias, call)


def _forward(
    x: torch.Tensor,
    normalized_shape: Sequence[int],
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    eps: float,
    launch: str,
) -> _Three:
    """Y of x's shape, and mean and rstd [M], float32."""
    x, weight, bias, call = _known(x, normalized_shape, weight, bias, eps, launch)
    y = empty_like(x)
    mean = torch.empty(call.m, dtype=torch.float32, device=x.device)
    rstd = torch.empty_like(mean)
    if call.m and call.launch is not None:
        normalise(call, call.launch, x, weight, bias, y, mean, rstd)
    return y, mean, rstd


def _backward(
    dy: torch.Tensor,
    x: torch.Tensor,
    normalized_shape: Sequence[int],
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    mean: torch.Tensor,
    rstd: torch.Tensor,
    eps: float,
    launch: str,
    needs: Sequence[bool],
) -> _Three:
    """dx, dw and db; those that are not needed, and those of what is not there, are empty."""
    x, weight, bias, call = _known(x, normalized_shape, weight, bias, eps, launch)
    found = gradients(dy, x, weight, mean, rstd, call, tuple(needs))
    dx, dw, db = (x.new_empty(0) if one is None else one for one in found)
    return dx, dw, db


layer_norm_forward = operator(_forward, "layer_norm_forward")
layer_norm_backward = operator(_backward, "layer_norm_backward")


@torch.library.register_fake(layer_norm_forward, lib=LIBRARY)  # type: ignore[untyped-decorator]
def _(
    x: torch.Tensor,
    normalized_shape: Sequence[int],
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    eps: float,
    launch: str,
) -> _Three:
    del eps, launch
    shape = checked_shape(x, normalized_shape)
    check_tensors(x, shape, weight, bias, traced=True)
    mean = x.new_empty(prod(x.shape[: x.dim() - len(shape)]), dtype=torch.float32)
    return empty_like(x), mean, torch.empty_like(mean)


@torch.library.register_fake(layer_norm_backward, lib=LIBRARY)  # type: ignore[untyped-decorator]
def _(
    dy: torch.Tensor,
    x: torch.Tensor,
    normalized_shape: Sequence[int],
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    mean: torch.Tensor,
    rstd: torch.Tensor,
    eps: float,
    launch: str,
    needs: Sequence[bool],
) -> _Three:
    del dy, normalized_shape, mean, rstd, eps, launch
    dx, dw, db = (
        empty_like(like) if like is not None and needed else x.new_empty(0)
        for like, needed in zip((x, weight, bias), needs, strict=True)
    )
    return dx, dw, db


def keep_for_backward(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    x, shape, weight, bias, eps, launch = inputs
    _, mean, rstd = output
    ctx.mark_non_differentiable(mean, rstd)
    ctx.save_for_backward(x, weight, bias, mean, rstd)
    ctx.given = shape, eps, launch


def differentiate(ctx: Any, dy: torch.Tensor, *_: Any, backward: Any = layer_norm_backward) -> tuple[torch.Tensor | None, ...]:
    x, weight, bias, mean, rstd = ctx.saved_tensors
    shape, eps, launch = ctx.given
    needs = [ctx.needs_input_grad[place] for place in (0, 2, 3)]
    found = backward(dy, x, shape, weight, bias, mean, rstd, eps, launch, needs)
    dx, dw, db = (one if needed else None for one, needed in zip(found, needs, strict=True))
    return dx, None, dw, db, None, None


def refuse(ctx: Any, *_: Any) -> None:
    """What differentiating a backward pass comes to."""
    del ctx
    raise ValueError(NO_SECOND_DERIVATIVE)


torch.library.register_autograd(layer_norm_forward, differentiate, setup_context=keep_for_backward, lib=LIBRARY)
torch.library.register_autograd(layer_norm_backward, refuse, lib=LIBRARY)


def _one_by_one(operator: Any) -> Any:
    """What functorch's vmap has an operator do: its batches one after the other. Sums of weights are each batch's own."""

    def call(info: Any, in_dims: tuple[Any, ...], *arguments: Any) -> tuple[_Three, tuple[int, int, int]]:
        def of(batch: int) -> list[Any]:
            pairs = zip(arguments, in_dims, strict=True)
            return [one.select(place, batch) if isinstance(place, int) else one for one, place in pairs]

        results = [operator(*of(batch)) for batch in range(info.batch_size)]
        first, second, third = (torch.stack(each) for each in zip(*results, strict=True))
        return (first, second, third), (0, 0, 0)

    return call


for _each in (layer_norm_forward, layer_norm_backward):
    torch.library.register_vmap(_each, _one_by_one(_each), lib=LIBRARY)
