"""Forward kernels that read x once where a row fits in registers, and twice, the second time from L2, where it does not."""

from __future__ import annotations  # torch is named in annotations only, and compiling must not wait for it

from typing import TYPE_CHECKING

import triton
import triton.language as tl

from lnkernels.forward_blocks import row_in_blocks_kernel
from lnkernels.interpreter import device_function, rounded
from lnkernels.launch import ceil_div
from lnkernels.launch.settings import ForwardSettings
from lnkernels.packed import packs
from lnkernels.reductions import inverse_deviation, inverse_root, row_sums
from lnkernels.replay import launch_kernel
from lnkernels.tiles import common_step, in_steps, load_tile, store_tile

if TYPE_CHECKING:
    import torch


# A sum of large values with small spread is off by as much as the spread, and what is left after the rough mean shows it. In half
# precision such values have one exponent, or two that are neighbours, and 12 bits; the sum of up to 4096 of them is exact in
# the 24 bits of float32, and so is that of 8192 to the last bit. So those rows need no correction. A float32 row does. A value of
# a lower exponent makes sums inexact, but also a spread of half the mean over the root of N, beside which they are nothing.
_EXACT_SUMS = 8192
_EARLY_WEIGHTS = 512  # columns up to which a row takes no longer than its weight and bias
# Rows up to this wide have their length compiled in: the compiler then unrolls the steps and asks for all of a row at once.
_KNOWN_STEPS = 32768
_MOST_AS_FLOAT = 8192  # columns of a held row: up to there packing took 1 % longer, at 8704 8 % less (H200)


@device_function
def shared_out(sums, count, columns: tl.constexpr, EVEN: tl.constexpr):  # noqa: N803
    """Sums over rows, divided by the rows' length; where that is `columns`, a power of two, its inverse is exact and quicker."""
    if EVEN:
        return sums * (1.0 / columns)
    else:  # noqa: RET505 - the compiler drops the branch not taken only where there is an else
        return tl.div_rn(sums, count)


@device_function
def normalise_tile(
    x_ptr,
    weight_ptr,
    bias_ptr,
    y_ptr,
    mean_ptr,
    rstd_ptr,
    x_stride,
    y_stride,
    rows,
    columns,
    weight,
    bias,
    M,  # noqa: N803
    N,  # noqa: N803
    eps,
    ROWS: tl.constexpr,  # noqa: N803
    BLOCK_N: tl.constexpr,  # noqa: N803
    EVEN: tl.constexpr,  # noqa: N803
    HELD: tl.constexpr,  # noqa: N803
    EARLY: tl.constexpr,  # noqa: N803
    CORRECTED: tl.constexpr,  # noqa: N803
):
    """Normalise some rows. HELD says that weight and bias are given; else they are loaded, with EARLY before the statistics."""
    in_row = columns < N
    mask = (rows < M)[:, None] & in_row[None, :]
    wide = rows[:, None].to(tl.int64)  # a row's address passes 2**31 elements
    count = tl.full((ROWS,), N, tl.float32)
    x = load_tile(x_ptr + wide * x_stride + columns[None, :], mask, EVEN, False).to(tl.float32)
    if EARLY and not HELD:
        if weight_ptr is not None:
            weight = tl.load(weight_ptr + columns, mask=in_row, other=0.0, eviction_policy="evict_last")
        if bias_ptr is not None:
            bias = tl.load(bias_ptr + columns, mask=in_row, other=0.0, eviction_policy="evict_last")
    mean = shared_out(tl.sum(x, axis=1), count, BLOCK_N, EVEN)
    centred = x - mean[:, None]
    if not EVEN:
        centred = tl.where(mask, centred, 0.0)
    if CORRECTED:
        squares, residue = row_sums(centred * centred, centred, 1)
        correction = shared_out(residue, count, BLOCK_N, EVEN)
        mean += correction
        centred = x - mean[:, None]
        rstd = inverse_deviation(squares, correction, count, eps)
    else:
        variance = shared_out(tl.sum(centred * centred, axis=1), count, BLOCK_N, EVEN)
        rstd = inverse_root(variance + eps)
    tl.store(mean_ptr + rows, mean, mask=rows < M)
    tl.store(rstd_ptr + rows, rstd, mask=rows < M)
    y = centred * rstd[:, None]
    if weight_ptr is not None:
        if not (HELD or EARLY):
            weight = tl.load(weight_ptr + columns, mask=in_row, other=0.0, eviction_policy="evict_last")
        y *= weight.to(tl.float32)[None, :]
    if bias_ptr is not None:
        if not (HELD or EARLY):
            bias = tl.load(bias_ptr + columns, mask=in_row, other=0.0, eviction_policy="evict_last")
        y += bias.to(tl.float32)[None, :]
    store_tile(y_ptr + wide * y_stride + columns[None, :], rounded(y, y_ptr.dtype.element_ty), mask, EVEN, False)


@triton.jit
def whole_rows_kernel(
    x_ptr,  # [M, N], columns adjacent
    weight_ptr,  # [N], or None for ones
    bias_ptr,  # [N], or None for zeros
    y_ptr,  # [M, N], columns adjacent
    mean_ptr,  # [M] float32
    rstd_ptr,  # [M] float32
    x_stride,  # elements from one row to the next
    y_stride,
    M,  # noqa: N803 - rows
    N,  # noqa: N803 - columns of a row
    eps,
    ROWS: tl.constexpr,  # noqa: N803 - rows a tile
    BLOCK_N: tl.constexpr,  # noqa: N803 - at least N
    EVEN: tl.constexpr,  # noqa: N803 - BLOCK_N is N, and ROWS divides M
    WALK: tl.constexpr,  # noqa: N803 - programs take several tiles, and hold weight and bias meanwhile
    STAGES: tl.constexpr,  # noqa: N803 - tiles in flight
    EARLY: tl.constexpr,  # noqa: N803 - weight and bias are asked for before the statistics are known
    CORRECTED: tl.constexpr,  # noqa: N803 - the mean is corrected by what is left after its subtraction
    STEP: tl.constexpr,  # noqa: N803 - see `lnkernels.tiles.in_steps`
):
    x_stride, y_stride, N = in_steps(x_stride, STEP), in_steps(y_stride, STEP), in_steps(N, STEP)  # noqa: N806
    lanes = tl.arange(0, ROWS)
    columns = tl.arange(0, BLOCK_N)
    first = tl.program_id(0) * ROWS
    given = (x_ptr, weight_ptr, bias_ptr, y_ptr, mean_ptr, rstd_ptr, x_stride, y_stride)
    if WALK:
        weight = 0.0
        bias = 0.0
        if weight_ptr is not None:
            weight = tl.load(weight_ptr + columns, mask=columns < N, other=0.0, eviction_policy="evict_last")
        if bias_ptr is not None:
            bias = tl.load(bias_ptr + columns, mask=columns < N, other=0.0, eviction_policy="evict_last")
        for start in tl.range(first, M, tl.num_programs(0) * ROWS, num_stages=STAGES):
            rows = start + lanes
            normalise_tile(*given, rows, columns, weight, bias, M, N, eps, ROWS, BLOCK_N, EVEN, True, False, CORRECTED)
    else:
        rows = first + lanes
        normalise_tile(*given, rows, columns, 0.0, 0.0, M, N, eps, ROWS, BLOCK_N, EVEN, False, EARLY, CORRECTED)


@triton.jit
def wide_row_kernel(
    x_ptr,  # [M, N], columns adjacent
    weight_ptr,  # [N], or None for ones
    bias_ptr,  # [N], or None for zeros
    y_ptr,  # [M, N], columns adjacent
    mean_ptr,  # [M] float32
    rstd_ptr,  # [M] float32
    x_stride,  # elements from one row to the next
    y_stride,
    N,  # noqa: N803 - columns of a row
    eps,
    BLOCK_N: tl.constexpr,  # noqa: N803 - columns a step
    WHOLE: tl.constexpr,  # noqa: N803 - BLOCK_N divides N
    COLUMNS: tl.constexpr,  # noqa: N803 - N, where the compiler is to know the number of steps; else 0
    STEP: tl.constexpr,  # noqa: N803 - see `lnkernels.tiles.in_steps`
):
    x_stride, y_stride, N = in_steps(x_stride, STEP), in_steps(y_stride, STEP), in_steps(N, STEP)  # noqa: N806
    if COLUMNS > 0:
        N = COLUMNS  # noqa: N806
    row = tl.program_id(0).to(tl.int64)  # a row's address passes 2**31 elements
    x_ptr += row * x_stride
    y_ptr += row * y_stride
    lanes = tl.arange(0, BLOCK_N)
    count = tl.full((), N, tl.float32)
    # Sums are of x - shift, the shift being the mean of the first step. Its distance d to the row's mean is harmless: with a
    # share f of the row in the first step, the spread between it and the rest alone makes the variance at least d²·f/(1-f),
    # so the squares' sum is at most 1/f times what the variance needs, and loses no more than that factor in rounding.
    first = tl.load(x_ptr + lanes, mask=lanes < N, other=0.0, eviction_policy="evict_last").to(tl.float32)
    shift = tl.sum(first, axis=0) / tl.minimum(N, BLOCK_N)
    centred = tl.where(lanes < N, first - shift, 0.0)
    residue = centred
    squares = centred * centred
    for start in range(BLOCK_N, N, BLOCK_N):
        columns = start + lanes
        if WHOLE:
            centred = tl.load(x_ptr + columns, eviction_policy="evict_last").to(tl.float32) - shift
        else:
            x = tl.load(x_ptr + columns, mask=columns < N, other=0.0, eviction_policy="evict_last").to(tl.float32)
            centred = tl.where(columns < N, x - shift, 0.0)
        residue += centred
        squares += centred * centred
    total, total_squares = row_sums(residue, squares, 0)
    correction = tl.div_rn(total, count)
    mean = shift + correction
    rstd = inverse_deviation(total_squares, correction, count, eps)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)
    for start in range(0, N, BLOCK_N):
        columns = start + lanes
        mask = columns < N
        x = load_tile(x_ptr + columns, mask, WHOLE)
        y = (x.to(tl.float32) - mean) * rstd
        if weight_ptr is not None:
            y *= tl.load(weight_ptr + columns, mask=mask, other=0.0, eviction_policy="evict_last").to(tl.float32)
        if bias_ptr is not None:
            y += tl.load(bias_ptr + columns, mask=mask, other=0.0, eviction_policy="evict_last").to(tl.float32)
        store_tile(y_ptr + columns, rounded(y, y_ptr.dtype.element_ty), mask, WHOLE)


def launch_forward(
    x: torch.Tensor,
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    eps: float,
    settings: ForwardSettings,
    *,
    y: torch.Tensor,
    mean: torch.Tensor,
    rstd: torch.Tensor,
) -> None:
    """Normalise the rows of x into y, and keep each row's statistics. Checks nothing, allocates nothing.

    Args:
        x: [M, N], any row stride, column stride 1.
        weight: [N] contiguous, or None.
        bias: [N] contiguous, or None.
        eps: added to the variance.
        settings: a row is read once where `block_n` is at least N, or where it is held.
        y: [M, N] written, any row stride, column stride 1.
        mean: [M] float32, written.
        rstd: [M] float32, written: 1 / sqrt(variance + eps).
    """
    m, n = x.shape
    pointers = (x, weight, bias, y, mean, rstd, x.stride(0), y.stride(0))
    step = common_step(n, x.stride(0), y.stride(0))
    corrected = x.element_size() > 2 or n > _EXACT_SUMS
    eps = float(eps)  # an int 1 would be compiled in as a constant
    if settings.block_n >= n:
        tiles = ceil_div(m, settings.rows)
        launch_kernel(
            whole_rows_kernel,
            (min(tiles, settings.programs or tiles),),
            *pointers,
            m,
            n,
            eps,
            ROWS=settings.rows,
            BLOCK_N=settings.block_n,
            EVEN=settings.block_n == n and m % settings.rows == 0,
            WALK=settings.programs is not None,
            STAGES=settings.num_stages,
            EARLY=n <= _EARLY_WEIGHTS,
            CORRECTED=corrected,
            STEP=step,
            num_warps=settings.num_warps,
        )
    elif settings.held:
        launch_kernel(
            row_in_blocks_kernel,
            (m,),
            *pointers,
            n,
            eps,
            BLOCK_N=settings.block_n,
            BLOCKS=ceil_div(n, settings.block_n),
            WHOLE=n % settings.block_n == 0,
            PACKED=packs(n, _MOST_AS_FLOAT, x.element_size()),
            CORRECTED=corrected,
            TURN_AFTER=settings.turn_after,
            STEP=step,
            num_warps=settings.num_warps,
        )
    else:
        launch_kernel(
            wide_row_kernel,
            (m,),
            *pointers,
            n,
            eps,
            BLOCK_N=settings.block_n,
            WHOLE=n % settings.block_n == 0,
            COLUMNS=n if n <= _KNOWN_STEPS else 0,
            STEP=step,
            num_warps=settings.num_warps,
        )
