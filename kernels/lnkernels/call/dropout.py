"""`dropout` and `fused_dropout_add_layer_norm`, whose mask is computed and never stored.

See `lnkernels.passes.random_mask` for the kernels.
"""

from numbers import Integral, Real
from typing import Any

import torch
from torch import Tensor
from torch.overrides import handle_torch_function, has_torch_function

from lnkernels.call.checks import check_tensors, check_types, checked_shape, is_widened
from lnkernels.call.functional import is_traced, layer_norm
from lnkernels.call.known_calls import empty_like
from lnkernels.call.operators import is_dynamo_compiling, operator, refuse
from lnkernels.passes.random_mask import (
    FourTensors,
    launch_dropout,
    launch_fused,
    launch_fused_backward,
)

_WIDEST = 8192  # columns of a row that a program holds with its sums; at 16384 they spill
_MOST_WARPS = 32  # 1024 threads
_MOST_BLOCK = 1 << 20  # elements that Triton takes
# Of the kernel without layer norm: 32 elements a thread, of which it loads 8 at once.
_BLOCK = 4096
_WARPS = 4


def _keep(ctx: Any, inputs: tuple[Any, ...], output: FourTensors) -> None:
    _, _, weight, bias, p, seed, _, _, num_warps = inputs
    _, total, mean, rstd = output
    ctx.mark_non_differentiable(mean, rstd)
    ctx.save_for_backward(total, weight, bias, mean, rstd)
    ctx.settings = p, seed, num_warps
    ctx.set_materialize_grads(False)


def _differentiate(
    ctx: Any, dy: Tensor | None, dtotal: Tensor | None, *_: Any
) -> tuple[Tensor | None, ...]:
    dx, dresidual, dw, db = _fused_backward(dy, dtotal, *ctx.saved_tensors, *ctx.settings)
    needs = ctx.needs_input_grad
    return dx, dresidual, dw if needs[2] else None, db if needs[3] else None, *[None] * 5


def _fake_fused(x: Tensor, *others: Any) -> FourTensors:
    mean, total, widen = x.new_empty(x.shape[0], dtype=torch.float32), empty_like(x), others[-2]
    return (
        torch.empty_like(total, dtype=torch.float32 if widen else None),
        total,
        mean,
        torch.empty_like(mean),
    )


def _fake_fused_backward(
    dy: Any, dtotal: Any, total: Tensor, weight: Any, bias: Any, *_: Any
) -> FourTensors:
    dw, db = (
        total.new_empty(0) if one is None else torch.empty_like(one) for one in (weight, bias)
    )
    return torch.empty_like(total), torch.empty_like(total), dw, db


def _keep_settings(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    ctx.settings = inputs[1:]


def _dropout_again(ctx: Any, dy: Tensor) -> tuple[Tensor | None, ...]:
    # The same mask again, from the seed; and differentiable again, for it is a product with
    # constants.
    return _dropout(dy, *ctx.settings), None, None, None, None


# Operators for eager calls, too: beside these kernels what an operator costs is little.
_dropout = operator(
    launch_dropout,
    "dropout",
    fake=lambda x, *_: empty_like(x),
    differentiate=_dropout_again,
    keep=_keep_settings,
)
_fused = operator(
    launch_fused,
    "fused_dropout_add_layer_norm",
    fake=_fake_fused,
    differentiate=_differentiate,
    keep=_keep,
)
_fused_backward = operator(
    launch_fused_backward,
    "fused_dropout_add_layer_norm_backward",
    fake=_fake_fused_backward,
    differentiate=refuse,
)


def dropout(
    x: Tensor, p: float, seed: int, *, block_size: int = _BLOCK, num_warps: int = _WARPS
) -> Tensor:
    """Return torch.nn.functional.dropout of x with a mask that follows from the seed;
    differentiable any number of times.

    Args:
        x: float16, bfloat16 or float32, any shape.
        p: the probability of an element to become 0, from 0 to 1; others are divided by 1 - p. It
            is rounded to 2⁻³².
        seed: any whole number; of two that differ by a multiple of 2⁶⁴ the masks are the same.
        block_size: elements a program, a power of two from 4 to 2²⁰; it changes no element.
        num_warps: warps of a program, a power of two up to 32; they change none either.

    Raises:
        TypeError: an argument is of a type or dtype that is not supported. The message names it.
        ValueError: an argument has a value or a device that is not possible. The message names it.
    """
    if not is_dynamo_compiling() and has_torch_function((x,)):  # torch.fx takes the call as a whole
        return handle_torch_function(
            dropout, (x,), x, p, seed, block_size=block_size, num_warps=num_warps
        )
    _check_random(p, seed)
    _check_power_of_two("block_size", block_size, 4, _MOST_BLOCK)
    _check_power_of_two("num_warps", num_warps, 1, _MOST_WARPS)
    check_types(x, None, None, 0.0)
    check_tensors(x, (), None, None, traced=is_traced(x, None) or x.is_meta)
    y: Tensor = _dropout(x, float(p), _signed(seed), block_size, num_warps)
    return y


def fused_dropout_add_layer_norm(
    x: Tensor,
    residual: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    p: float,
    seed: int,
    eps: float = 1e-5,
    *,
    num_warps: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Return layer_norm(residual + dropout(x, p, seed)) over the last dimension, and that sum, the
    new residual.

    One kernel forward, and one with the sums of dw and db behind it backward, where a program can
    hold a row: up to 8192 columns. Wider rows take the three steps. Differentiable once. Under
    autocast on a GPU y is float32, as of `layer_norm`.

    Args:
        x: float16, bfloat16 or float32, [..., N].
        residual: of x's shape and dtype.
        weight: [N], in x's dtype or float32; None for ones.
        bias: [N], in x's dtype or float32; None for zeros.
        p: as of `dropout`, whose mask this one is.
        seed: likewise.
        eps: added to the variance.
        num_warps: warps of a program of both passes, a power of two up to 32, without influence on
            the mask; chosen where None.

    Raises:
        TypeError: an argument is of a type or dtype that is not supported. The message names it.
        ValueError: an argument has a value, a shape or a device that is not possible. The message
            names it.
    """
    given = (x, residual, weight, bias)
    if not is_dynamo_compiling() and has_torch_function(given):
        return handle_torch_function(
            fused_dropout_add_layer_norm, given, *given, p, seed, eps, num_warps=num_warps
        )
    _check_random(p, seed)
    if num_warps is not None:
        _check_power_of_two("num_warps", num_warps, 1, _MOST_WARPS)
    check_types(x, weight, bias, eps)
    if not isinstance(residual, Tensor):
        raise TypeError(f"residual is a {type(residual).__name__}: give a tensor")
    shape = checked_shape(x, x.shape[-1:])
    check_tensors(x, shape, weight, bias, traced=is_traced(x, weight) or x.is_meta)
    if (residual.shape, residual.dtype, residual.device) != (x.shape, x.dtype, x.device):
        raise ValueError(
            f"residual is {residual.dtype} {list(residual.shape)} on {residual.device}: "
            f"give it as x is, {x.dtype} {list(x.shape)} on {x.device}"
        )
    n = shape[0]
    if n > _WIDEST or n == 1 or x.numel() == 0:
        total = residual + dropout(x, p, seed)
        return layer_norm(total, shape, weight, bias, eps), total
    rows = x.reshape(-1, n), residual.reshape(-1, n)
    parameters = tuple(None if one is None else one.contiguous() for one in (weight, bias))
    y, total, _, _ = _fused(
        *rows, *parameters, float(p), _signed(seed), float(eps), is_widened(x), num_warps or 0
    )
    return y.view(x.shape), total.view(x.shape)


def _signed(seed: int) -> int:
    """Return a seed as a signed 64-bit number."""
    # numpy's have 64 bits and no more
    whole = seed if isinstance(seed, torch.SymInt) else int(seed)
    return (whole + (1 << 63)) % (1 << 64) - (1 << 63)


def _check_random(p: float, seed: int) -> None:
    if isinstance(p, bool) or not isinstance(p, Real | torch.SymFloat) or not 0 <= p <= 1:
        raise ValueError(f"p = {p!r} is not possible: take a number from 0 to 1")
    if isinstance(seed, bool) or not isinstance(seed, Integral | torch.SymInt):
        raise TypeError(f"seed is a {type(seed).__name__}: give an int")


def _check_power_of_two(name: str, value: int, least: int, most: int) -> None:
    if (
        not isinstance(value, int)
        or isinstance(value, bool)
        or not least <= value <= most
        or value & (value - 1)
    ):
        raise ValueError(
            f"{name} = {value!r} is not possible: take a power of two from {least} to {most}"
        )
