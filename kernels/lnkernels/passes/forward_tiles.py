"""The forward kernel of narrow rows: several at once, held in registers as blocks.

A warp takes as many rows as it loads 16 bytes a thread of, no lane is idle where blocks divide N,
and no row's sum leaves its warp.
"""

import triton
import triton.language as tl

from lnkernels.interpreter import INTERPRETED, device_function
from lnkernels.language.device_functions import (
    in_steps,
    inverse_deviation,
    inverse_root,
    load_parameter,
    load_tile,
    of_mean,
    row_sums,
    store_tile,
)

# Columns of half precision up to which the warps of a row wait for each other once, not twice
# (H200, 64×1024: 4.6 µs of 4.8). Beyond it only some shapes were faster, and the sums lose more in
# rounding, see `statistics_at_once`.
SUMS_AT_ONCE = 1024


@device_function
def quotient(total, count, inverse):
    """Return total / count from the inverse of count, rounded as a division rounds but for its
    rarest cases.

    Where the quotient is a float32, as that of a row of equal values, it comes out exactly.
    """
    if INTERPRETED:  # it rounds between the product and the sum
        return tl.div_rn(total, count)
    # the compiler drops the branch not taken only where there is an else
    near = total * inverse
    return tl.fma(tl.fma(-near, count, total), inverse, near)


@device_function
def statistics_at_once(
    x_row, held, last, N, inverse, eps, mean_ptr, BLOCKS: tl.constexpr, FULL: tl.constexpr
):
    """Return mean and rstd of a row held as blocks, from sums of x - shift and of its squares;
    shift is the mean of four elements.

    The mean of the squares is the variance and d², d being the distance from shift to the mean:
    where d² is large beside the variance, rounding takes more of it. At worst one of the four is
    far from all other elements: d² is N/16 times the variance then.
    """
    shift = tl.load(x_row).to(tl.float32)
    for quarter in tl.static_range(1, 4):
        shift += tl.load(x_row + N * quarter // 4).to(tl.float32)
    shift = of_mean(shift * 0.25, mean_ptr)
    for block in tl.static_range(BLOCKS):
        centred = held[block].to(tl.float32) - shift
        if block >= FULL:
            centred = tl.where(last, centred, 0.0)
        if block == 0:
            total = centred
            squares = centred * centred
        else:
            total += centred
            squares += centred * centred
    residue, square = row_sums(total, squares, 1)
    correction = of_mean(residue * inverse, mean_ptr)
    variance = square * inverse - correction * correction
    variance = tl.where(variance < 0.0, 0.0, variance)  # not tl.maximum, which would hide a NaN
    eps = tl.cast(eps, tl.float32)
    return tl.sum(shift, axis=1) + correction, inverse_root(variance + eps)


@triton.jit
def tile_in_blocks_kernel(
    x_ptr,  # [M, N], columns adjacent
    weight_ptr,  # [N], or None for ones
    bias_ptr,  # [N], or None for zeros
    y_ptr,  # [M, N], columns adjacent
    mean_ptr,  # [M] float32, or None for RMSNorm
    rstd_ptr,  # [M] float32
    x_stride,  # elements from one row to the next
    y_stride,
    M,  # rows
    N,  # columns of a row
    eps,
    ROWS: tl.constexpr,  # rows a tile
    BLOCK_N: tl.constexpr,
    BLOCKS: tl.constexpr,  # the fewest that hold N columns
    EVEN: tl.constexpr,  # ROWS divides M
    FULL: tl.constexpr,  # blocks that need no mask
    EARLY: tl.constexpr,  # weight and bias are asked for before the statistics are known
    CORRECTED: tl.constexpr,  # the mean is corrected by what is left after its subtraction
    # of a tile of one row both sums are taken at once, see `statistics_at_once`
    AT_ONCE: tl.constexpr,
    # N, where the compiler is to know it, and rows lie one behind the other; else 0
    COLUMNS: tl.constexpr,
    STEP: tl.constexpr,  # see `in_steps`
):
    x_stride, y_stride, N = in_steps(x_stride, STEP), in_steps(y_stride, STEP), in_steps(N, STEP)
    first = tl.program_id(0).to(tl.int64) * ROWS  # a row's address passes 2**31 elements
    lanes = tl.arange(0, ROWS)
    rows = tl.program_id(0) * ROWS + lanes
    if COLUMNS > 0:
        N = COLUMNS
        x_rows = x_ptr + first * COLUMNS + lanes[:, None] * COLUMNS
        y_rows = y_ptr + first * COLUMNS + lanes[:, None] * COLUMNS
    else:
        x_rows = x_ptr + rows[:, None].to(tl.int64) * x_stride
        y_rows = y_ptr + rows[:, None].to(tl.int64) * y_stride
    # Weight and bias are addressed as x is, row by row: threads then have what they need of them,
    # and exchange nothing.
    columns = tl.broadcast_to(tl.arange(0, BLOCK_N)[None, :], (ROWS, BLOCK_N))
    inside = rows < M
    last = columns < N - (BLOCKS - 1) * BLOCK_N
    if not EVEN:
        last = inside[:, None] & last
    full = tl.broadcast_to(inside[:, None], (ROWS, BLOCK_N))
    count = tl.full((ROWS,), N, tl.float32)
    inverse = 1.0 / count
    held = ()
    for block in tl.static_range(BLOCKS):
        at = x_rows + (columns + block * BLOCK_N)
        x = load_tile(at, full, EVEN, False) if block < FULL else load_tile(at, last, False, False)
        held = held + (x,)
    weights = ()
    biases = ()
    if EARLY:
        for block in tl.static_range(BLOCKS):
            here = columns + block * BLOCK_N
            even = block < FULL
            if weight_ptr is not None:
                weights = weights + (load_parameter(weight_ptr + here, here < N, even),)
            if bias_ptr is not None:
                biases = biases + (load_parameter(bias_ptr + here, here < N, even),)
    if AT_ONCE:
        mean, rstd = statistics_at_once(x_rows, held, last, N, inverse, eps, mean_ptr, BLOCKS, FULL)
    else:
        total = tl.full((ROWS, BLOCK_N), 0.0, tl.float32)
        for block in tl.static_range(BLOCKS):
            total += held[block].to(tl.float32)
        mean = of_mean(quotient(tl.sum(total, axis=1), count, inverse), mean_ptr)
        squares = tl.full((ROWS, BLOCK_N), 0.0, tl.float32)
        residues = tl.full((ROWS, BLOCK_N), 0.0, tl.float32)
        for block in tl.static_range(BLOCKS):
            centred = held[block].to(tl.float32) - mean[:, None]
            if block >= FULL:
                centred = tl.where(last, centred, 0.0)
            squares += centred * centred
            if CORRECTED:
                residues += centred
        if CORRECTED:
            square, residue = row_sums(squares, residues, 1)
            correction = of_mean(quotient(residue, count, inverse), mean_ptr)
            mean += correction
            rstd = inverse_deviation(square, correction, count, eps)
        else:
            eps = tl.cast(eps, tl.float32)
            rstd = inverse_root(tl.sum(squares, axis=1) * inverse + eps)
    # Several programs write to a sector of these: it waits in L2 until all have.
    if mean_ptr is not None:
        tl.store(mean_ptr + rows, mean, mask=inside, eviction_policy="evict_last")
    tl.store(rstd_ptr + rows, rstd, mask=inside, eviction_policy="evict_last")
    for block in tl.static_range(BLOCKS):
        here = columns + block * BLOCK_N
        even = block < FULL
        y = (held[block].to(tl.float32) - mean[:, None]) * rstd[:, None]
        if weight_ptr is not None:
            y *= (
                weights[block] if EARLY else load_parameter(weight_ptr + here, here < N, even)
            ).to(tl.float32)
        if bias_ptr is not None:
            y += (biases[block] if EARLY else load_parameter(bias_ptr + here, here < N, even)).to(
                tl.float32
            )
        out = y.to(y_ptr.dtype.element_ty)
        if even:
            store_tile(y_rows + here, out, full, EVEN, False)
        else:
            store_tile(y_rows + here, out, last, False, False)
