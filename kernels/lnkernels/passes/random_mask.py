"""Dropout whose mask is computed and never stored, alone and fused with the addition and layer norm
that follow it.

An element is kept where its random word is at least p·2³². The word is that of Philox4x32-10
(Salmon et al., Parallel
random numbers: as easy as 1, 2, 3, SC 2011): the key is the seed, the counter is the element's
    index divided by 4, and the
remainder says which of the four words it is. The index counts elements as they lie in a contiguous
tensor. So a mask depends on p, the seed and the index alone: not on blocks, warps, the pass, or
which of these kernels asks.

Stored, a mask takes a byte an element, written by the forward pass and read by the backward pass.
"""

from numbers import Integral, Real
from typing import Any

import torch
import triton
import triton.language as tl
from torch.overrides import handle_torch_function, has_torch_function

from lnkernels.call.calls import check_tensors, check_types, checked_shape, empty_like, is_widened
from lnkernels.call.functional import is_traced, layer_norm
from lnkernels.call.operators import is_dynamo_compiling, operator, refuse
from lnkernels.call.replay import launch_kernel
from lnkernels.interpreter import device_function
from lnkernels.language.device_functions import inverse_deviation, row_sums
from lnkernels.language.reductions import PartialSums, launch_sum
from lnkernels.launch import LaunchWish
from lnkernels.launch.limits import ceil_div, next_power_of_two
from lnkernels.launch.strategy import stages_that_fit
from lnkernels.passes.registry import decide_launch, limits_of

_WIDEST = 8192  # columns of a row that a program holds with its sums; at 16384 they spill
_MOST_WARPS, _MOST_BLOCK = 32, 1 << 20  # 1024 threads; what Triton takes
_BLOCK, _WARPS = (
    4096,
    4,
)  # of the kernel without layer norm: 32 elements a thread, of which it loads 8 at once
_WORDS = 1 << 32
_Four = tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]


@device_function
def random_words(seed, first, BLOCK: tl.constexpr, FOURS: tl.constexpr):
    """The words of BLOCK elements from the index `first` on, int64; FOURS says that 4 divides it.

    One call of Philox then serves four elements; else each element has its own.
    """
    if FOURS:
        counter = first // 4 + tl.arange(0, BLOCK // 4)
    else:
        index = first + tl.arange(0, BLOCK)
        counter = index // 4
    zero = (counter * 0).to(tl.uint32)
    a, b, c, d = tl.philox(seed, counter.to(tl.uint32), (counter >> 32).to(tl.uint32), zero, zero)
    if FOURS:
        return tl.interleave(tl.interleave(a, c), tl.interleave(b, d))
    else:  # the compiler drops the branch not taken only where there is an else
        return tl.where(
            index % 4 < 2, tl.where(index % 4 == 0, a, b), tl.where(index % 4 == 2, c, d)
        )


@device_function
def dropped(values, words, threshold, scale):
    """Values times scale where their words say that they are kept, 0 elsewhere; everything is
    dropped where scale is 0.
    """
    kept = (words.to(tl.uint32, bitcast=True) >= threshold.to(tl.uint32)) & (scale > 0.0)
    return tl.where(kept, values * scale, 0.0)


@triton.jit(do_not_specialize=["seed", "threshold"])
def dropout_kernel(
    x_ptr,
    y_ptr,
    COUNT,
    seed,
    threshold,
    scale,
    BLOCK: tl.constexpr,  # [COUNT]  # [COUNT], written
):
    first = tl.program_id(0).to(tl.int64) * BLOCK
    index = first + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + index, mask=index < COUNT, other=0.0).to(tl.float32)
    y = dropped(x, random_words(seed, first, BLOCK, True), threshold.to(tl.int64), scale)
    tl.store(y_ptr + index, y.to(y_ptr.dtype.element_ty), mask=index < COUNT)


@triton.jit(do_not_specialize=["seed", "threshold"])
def fused_forward_kernel(
    x_ptr,  # [M, N] contiguous, as all matrices
    residual_ptr,
    weight_ptr,  # [N], or None for ones
    bias_ptr,  # [N], or None for zeros
    y_ptr,  # written, as all that follow
    sum_ptr,  # the new residual
    mean_ptr,  # [M] float32
    rstd_ptr,  # [M] float32
    N,  # columns of a row
    eps,
    seed,
    threshold,
    scale,
    BLOCK_N: tl.constexpr,  # at least N
    FOURS: tl.constexpr,  # 4 divides N
):
    row = tl.program_id(0).to(tl.int64)  # a row's address passes 2**31 elements
    columns = tl.arange(0, BLOCK_N)
    mask = columns < N
    count = tl.full((), N, tl.float32)
    at = row * N + columns
    x = tl.load(x_ptr + at, mask=mask, other=0.0).to(tl.float32)
    residual = tl.load(residual_ptr + at, mask=mask, other=0.0).to(tl.float32)
    words = random_words(seed, row * N, BLOCK_N, FOURS)
    held = (dropped(x, words, threshold.to(tl.int64), scale) + residual).to(
        sum_ptr.dtype.element_ty
    )
    tl.store(sum_ptr + at, held, mask=mask)
    value = held.to(tl.float32)  # as whoever reads the new residual sees it
    rough = tl.div_rn(tl.sum(value, axis=0), count)
    centred = tl.where(mask, value - rough, 0.0)
    squares, residue = row_sums(centred * centred, centred, 0)
    correction = tl.div_rn(
        residue, count
    )  # the sum of large values with small spread is off by as much as the spread
    mean = rough + correction
    rstd = inverse_deviation(squares, correction, count, eps)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)
    y = (value - mean) * rstd
    if weight_ptr is not None:
        y *= tl.load(weight_ptr + columns, mask=mask, other=0.0).to(tl.float32)
    if bias_ptr is not None:
        y += tl.load(bias_ptr + columns, mask=mask, other=0.0).to(tl.float32)
    tl.store(y_ptr + at, y.to(y_ptr.dtype.element_ty), mask=mask)


@triton.jit(do_not_specialize=["seed", "threshold"])
def fused_backward_kernel(
    sum_ptr,  # [M, N] contiguous, as all matrices: the new residual
    dy_ptr,
    dsum_ptr,  # the new residual's own gradient, or None
    weight_ptr,  # [N], or None for ones
    mean_ptr,  # [M] float32
    rstd_ptr,  # [M] float32
    dx_ptr,  # written, as all that follow
    dresidual_ptr,
    partial_dw_ptr,  # [programs, N] float32, or None where dw is not wanted
    partial_db_ptr,  # the same, for db
    M,  # rows
    N,  # columns of a row
    seed,
    threshold,
    scale,
    BLOCK_N: tl.constexpr,  # at least N
    FOURS: tl.constexpr,  # 4 divides N
    STAGES: tl.constexpr,  # rows in flight
):
    program = tl.program_id(0)
    columns = tl.arange(0, BLOCK_N)
    mask = columns < N
    one = tl.arange(
        0, 1
    )  # a loop with loads of scalars is not pipelined, one with loads of blocks of one is
    weight = (
        tl.load(weight_ptr + columns, mask=mask, other=0.0).to(tl.float32)
        if weight_ptr is not None
        else 1.0
    )
    dw = tl.full((BLOCK_N,), 0.0, tl.float32)
    db = tl.full((BLOCK_N,), 0.0, tl.float32)
    for row in tl.range(program, M, tl.num_programs(0), num_stages=STAGES):
        wide = tl.full((), row, tl.int64)  # a row's address passes 2**31 elements
        at = wide * N + columns
        value = tl.load(sum_ptr + at, mask=mask, other=0.0).to(tl.float32)
        dy = tl.load(dy_ptr + at, mask=mask, other=0.0).to(tl.float32)
        mean = tl.load(mean_ptr + row + one)
        rstd = tl.load(rstd_ptr + row + one)
        xhat = tl.where(mask, (value - mean) * rstd, 0.0)
        wdy = dy * weight
        c1, c2 = row_sums(xhat * wdy, wdy, 0)
        total = (wdy - (xhat * (c1 / N) + c2 / N)) * rstd
        if dsum_ptr is not None:
            total += tl.load(dsum_ptr + at, mask=mask, other=0.0).to(tl.float32)
        tl.store(dresidual_ptr + at, total.to(dresidual_ptr.dtype.element_ty), mask=mask)
        dx = dropped(
            total, random_words(seed, wide * N, BLOCK_N, FOURS), threshold.to(tl.int64), scale
        )
        tl.store(dx_ptr + at, dx.to(dx_ptr.dtype.element_ty), mask=mask)
        dw += dy * xhat
        db += dy
    at = program.to(tl.int64) * N + columns
    if partial_dw_ptr is not None:
        tl.store(partial_dw_ptr + at, dw, mask=mask)
    if partial_db_ptr is not None:
        tl.store(partial_db_ptr + at, db, mask=mask)


def _random(p: float, seed: int) -> tuple[int, int, float]:
    """The seed, the least word that is kept, and what kept values are multiplied by."""
    return seed, min(round(p * _WORDS), _WORDS - 1), 1.0 / (1.0 - p) if p < 1.0 else 0.0


def _fused_warps(block: int) -> int:
    """Warps of a program that holds a row. At 4096 columns, in bfloat16 on an H200, 4 are faster
    than 8 in both passes.
    """
    return min(max(block // (1024 if block == 4096 else 512), 1), 16)


def _launch_dropout(
    x: torch.Tensor, p: float, seed: int, block_size: int, num_warps: int
) -> torch.Tensor:
    x = x.contiguous()
    y = torch.empty_like(x)
    if x.numel():
        grid = (ceil_div(x.numel(), block_size),)
        launch_kernel(
            dropout_kernel,
            grid,
            x,
            y,
            x.numel(),
            *_random(p, seed),
            BLOCK=block_size,
            num_warps=num_warps,
        )
    return y


def _launch_fused(
    x: torch.Tensor,
    residual: torch.Tensor,
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    p: float,
    seed: int,
    eps: float,
    widen: bool,
    num_warps: int,
) -> _Four:
    """y, float32 if it is to be widened, the new residual, mean and rstd of x [M, N] and residual,
    whose rows a program holds; num_warps is 0 for automatic.
    """
    m, n = x.shape
    x, residual = x.contiguous(), residual.contiguous()
    y, total = torch.empty_like(x, dtype=torch.float32 if widen else None), torch.empty_like(x)
    mean = torch.empty(m, dtype=torch.float32, device=x.device)
    rstd = torch.empty_like(mean)
    block = max(next_power_of_two(n), 4)
    launch_kernel(
        fused_forward_kernel,
        (m,),
        *(x, residual, weight, bias, y, total, mean, rstd, n, eps),
        *_random(p, seed),
        BLOCK_N=block,
        FOURS=n % 4 == 0,
        num_warps=num_warps or _fused_warps(block),
    )
    return y, total, mean, rstd


def _launch_fused_backward(
    dy: torch.Tensor | None,
    dtotal: torch.Tensor | None,
    total: torch.Tensor,
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    mean: torch.Tensor,
    rstd: torch.Tensor,
    p: float,
    seed: int,
    num_warps: int,
) -> _Four:
    """The gradients of x, residual, weight and bias; empty ones of a weight or bias that there is
    not.
    """
    m, n = total.shape
    dy = torch.zeros_like(total) if dy is None else dy.contiguous()
    dtotal = None if dtotal is None else dtotal.contiguous()
    dx, dresidual = torch.empty_like(total), torch.empty_like(total)
    dw, db = (None if one is None else torch.empty_like(one) for one in (weight, bias))
    block = max(next_power_of_two(n), 4)
    limits, per_sm = limits_of(total.device), 2 if block <= 4096 else 1
    programs = min(m, max(limits.sm_count, 1) * per_sm)
    sums = PartialSums.allocate(programs, n, total.device, dw=dw is not None, db=db is not None)
    launch_kernel(
        fused_backward_kernel,
        (programs,),
        *(total, dy, dtotal, weight, mean, rstd, dx, dresidual),
        *(sums.dw if dw is not None else None, sums.db if db is not None else None, m, n),
        *_random(p, seed),
        BLOCK_N=block,
        FOURS=n % 4 == 0,
        STAGES=min(
            3,
            stages_that_fit(block * (2 * total.element_size() + dy.element_size()), per_sm, limits),
        ),
        num_warps=num_warps or _fused_warps(block),
    )
    if dw is not None or db is not None:
        dtype = str(total.dtype).removeprefix("torch.")
        launch_sum(
            programs,
            n,
            sums,
            decide_launch(LaunchWish(strategy="auto"), n, dtype, total.device, m),
            dw=dw,
            db=db,
        )
    dw, db = (total.new_empty(0) if one is None else one for one in (dw, db))
    return dx, dresidual, dw, db


def _keep(ctx: Any, inputs: tuple[Any, ...], output: _Four) -> None:
    _, _, weight, bias, p, seed, _, _, num_warps = inputs
    _, total, mean, rstd = output
    ctx.mark_non_differentiable(mean, rstd)
    ctx.save_for_backward(total, weight, bias, mean, rstd)
    ctx.settings = p, seed, num_warps
    ctx.set_materialize_grads(False)


def _differentiate(
    ctx: Any, dy: torch.Tensor | None, dtotal: torch.Tensor | None, *_: Any
) -> tuple[torch.Tensor | None, ...]:
    dx, dresidual, dw, db = _fused_backward(dy, dtotal, *ctx.saved_tensors, *ctx.settings)
    needs = ctx.needs_input_grad
    return dx, dresidual, dw if needs[2] else None, db if needs[3] else None, *[None] * 5


def _fake_fused(x: torch.Tensor, *others: Any) -> _Four:
    mean, total, widen = x.new_empty(x.shape[0], dtype=torch.float32), empty_like(x), others[-2]
    return (
        torch.empty_like(total, dtype=torch.float32 if widen else None),
        total,
        mean,
        torch.empty_like(mean),
    )


def _fake_fused_backward(
    dy: Any, dtotal: Any, total: torch.Tensor, weight: Any, bias: Any, *_: Any
) -> _Four:
    dw, db = (
        total.new_empty(0) if one is None else torch.empty_like(one) for one in (weight, bias)
    )
    return torch.empty_like(total), torch.empty_like(total), dw, db


def _keep_settings(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    del output
    ctx.settings = inputs[1:]


def _dropout_again(ctx: Any, dy: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
    # The same mask again, from the seed; and differentiable again, for it is a product with
    # constants.
    return _dropout(dy, *ctx.settings), None, None, None, None


# Operators for eager calls, too: beside these kernels what an operator costs is little.
_dropout = operator(
    _launch_dropout,
    "dropout",
    fake=lambda x, *_: empty_like(x),
    differentiate=_dropout_again,
    keep=_keep_settings,
)
_fused = operator(
    _launch_fused,
    "fused_dropout_add_layer_norm",
    fake=_fake_fused,
    differentiate=_differentiate,
    keep=_keep,
)
_fused_backward = operator(
    _launch_fused_backward,
    "fused_dropout_add_layer_norm_backward",
    fake=_fake_fused_backward,
    differentiate=refuse,
)


def dropout(
    x: torch.Tensor, p: float, seed: int, *, block_size: int = _BLOCK, num_warps: int = _WARPS
) -> torch.Tensor:
    """torch.nn.functional.dropout of x with a mask that the seed makes, differentiable any number
    of times.

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
    y: torch.Tensor = _dropout(x, float(p), _signed(seed), block_size, num_warps)
    return y


def fused_dropout_add_layer_norm(
    x: torch.Tensor,
    residual: torch.Tensor,
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    p: float,
    seed: int,
    eps: float = 1e-5,
    *,
    num_warps: int | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """layer_norm(residual + dropout(x, p, seed)) over the last dimension, and that sum, the new
    residual.

    One kernel forward, and one with the sums of dw and db behind it backward, where a program can
        hold a row: up to 8192
    columns. Wider rows take the three steps. Differentiable once. Under autocast on a GPU y is
    float32, as of `layer_norm`.

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
    if not isinstance(residual, torch.Tensor):
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
    """As 64 bits with a sign."""
    whole = (
        seed if isinstance(seed, torch.SymInt) else int(seed)
    )  # numpy's have 64 bits and no more
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
