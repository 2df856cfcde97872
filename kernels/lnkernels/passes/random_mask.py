"""Dropout kernels whose mask is computed and never stored, alone and fused with addition and layer
norm.

An element is kept where its random word is at least p·2³². The word is that of Philox4x32-10
(Salmon et al., Parallel random numbers: as easy as 1, 2, 3, SC 2011): the key is the seed, the
counter is the element's index divided by 4, and the remainder says which of the four words it is.
The index counts elements as they lie in a contiguous tensor. So a mask depends on p, the seed and
the index alone: not on blocks, warps, the pass, or which of these kernels asks.

Stored, a mask takes a byte an element, written by the forward pass and read by the backward pass.
"""

import torch
import triton
import triton.language as tl
from torch import Tensor

from lnkernels.device import device_limits
from lnkernels.interpreter import device_function
from lnkernels.language.device_functions import inverse_deviation, row_sums
from lnkernels.language.launching import launch_kernel
from lnkernels.launch import LaunchWish, ceil_div, next_power_of_two
from lnkernels.launch.strategy import stages_that_fit
from lnkernels.passes.partial_sums import PartialSums, launch_sum
from lnkernels.passes.registry import decide_launch

_WORDS = 1 << 32
FourTensors = tuple[Tensor, Tensor, Tensor, Tensor]


@device_function
def random_words(seed, first, BLOCK: tl.constexpr, FOURS: tl.constexpr):
    """Return the random words of BLOCK elements from index `first` on, int64; FOURS says that 4
    divides it.

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
    """Return values times scale where their words say so, else 0; everything is dropped where scale
    is 0.
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
    """Return the seed, the least word that is kept, and the factor of kept values."""
    return seed, min(round(p * _WORDS), _WORDS - 1), 1.0 / (1.0 - p) if p < 1.0 else 0.0


def _fused_warps(block: int) -> int:
    """Return the warps of a program that holds a row. At 4096 columns, in bfloat16 on an H200, 4
    are faster than 8 in both passes.
    """
    return min(max(block // (1024 if block == 4096 else 512), 1), 16)


def launch_dropout(x: Tensor, p: float, seed: int, block_size: int, num_warps: int) -> Tensor:
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


def launch_fused(
    x: Tensor,
    residual: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    p: float,
    seed: int,
    eps: float,
    widen: bool,
    num_warps: int,
) -> FourTensors:
    """Return y, the new residual, mean and rstd of x [M, N] and residual, whose rows fit a program.

    y is float32 with `widen`; num_warps is 0 for automatic.
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


def launch_fused_backward(
    dy: Tensor | None,
    dtotal: Tensor | None,
    total: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    mean: Tensor,
    rstd: Tensor,
    p: float,
    seed: int,
    num_warps: int,
) -> FourTensors:
    """Return the gradients of x, residual, weight and bias; empty ones where either is missing."""
    m, n = total.shape
    dy = torch.zeros_like(total) if dy is None else dy.contiguous()
    dtotal = None if dtotal is None else dtotal.contiguous()
    dx, dresidual = torch.empty_like(total), torch.empty_like(total)
    dw, db = (None if one is None else torch.empty_like(one) for one in (weight, bias))
    block = max(next_power_of_two(n), 4)
    limits, per_sm = device_limits(total.device), 2 if block <= 4096 else 1
    programs = min(m, max(limits.sm_count, 1) * per_sm)
    sums = PartialSums.allocate(programs, n, total.device, dw=dw is not None, db=db is not None)
    launch_kernel(
        fused_backward_kernel,
        (programs,),
        *(total, dy, dtotal, weight, mean, rstd, dx, dresidual),
        *(sums.dw, sums.db, m, n),
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
