"""Stage 1 of `persistent` for rows held as several blocks, or read in groups of 16 bytes.

Rows whose length is no multiple of 16 bytes begin at any element of their 16 bytes. With a GROUP, a
program takes rows alone that begin at the same one: every eighth of an odd length in half
precision. So it reads and writes whole groups, loaded ahead as other rows are, and its weight and
sums lie in lanes that are shifted once (`lnkernels.language.device_functions.first_group`). The few
elements at both ends of a row are lanes of their own.
"""

import triton
import triton.language as tl

from lnkernels.interpreter import device_function
from lnkernels.language.clock import now, reading, stamp_end, stamp_start
from lnkernels.language.device_functions import (
    anew,
    first_group,
    hidden_zero,
    in_steps,
    let_next_kernel_start,
    load_ends,
    load_tile,
    of_mean,
    outside_groups,
    row_sums,
    store_tile,
)
from lnkernels.passes.partial_sums import store_sums


@device_function
def start_ends(weight_ptr, columns, mask, GROUP: tl.constexpr):
    """Return the weights of the elements outside of a row's groups, and zeros to sum dw and db
    in.
    """
    weight = tl.full((2 * GROUP,), 1.0, tl.float32)
    if weight_ptr is not None:
        weight = tl.load(weight_ptr + columns, mask=mask, other=0.0).to(tl.float32)
    zeros = tl.full((2 * GROUP,), 0.0, tl.float32)
    return weight, zeros, zeros


@device_function
def normalised_block(
    x,
    dy,
    weights,
    mean,
    rstd,
    mask,
    zero,
    BLOCK: tl.constexpr,
    EVEN: tl.constexpr,
    PACKED: tl.constexpr,
    PACKED_WEIGHT: tl.constexpr,
):
    """Return x̂, dy and w·dy of a block in float32; x̂ is 0 outside of `mask`, unless EVEN.

    x, dy and weights are tuples of blocks; weights is empty where there is no weight. PACKED and
    PACKED_WEIGHT have them converted anew, see `anew`.
    """
    xhat = (anew(x[BLOCK], zero, PACKED).to(tl.float32) - mean) * rstd
    if not EVEN:
        xhat = tl.where(mask, xhat, 0.0)
    gradient = anew(dy[BLOCK], zero, PACKED).to(tl.float32)
    wdy = gradient
    if len(weights) > 0:
        wdy *= anew(weights[BLOCK], zero, PACKED_WEIGHT).to(tl.float32)
    return xhat, gradient, wdy


@triton.jit
def rows_in_blocks_kernel(
    x_ptr,  # [M, N], columns adjacent, as dy and dx
    dy_ptr,
    dx_ptr,  # written, or None
    weight_ptr,  # [N], or None for ones
    mean_ptr,  # [M] float32, or None for RMSNorm
    rstd_ptr,  # [M] float32
    partial_dw_ptr,  # [programs, N] float32, written, or None where dw is not wanted
    partial_db_ptr,  # the same, for db
    x_stride,  # elements from one row to the next
    dy_stride,
    dx_stride,
    M,  # rows
    N,  # columns of a row
    BLOCK_N: tl.constexpr,
    BLOCKS: tl.constexpr,  # the fewest that hold N columns
    FULL: tl.constexpr,  # blocks that need no mask
    PACKED: tl.constexpr,  # x, dy and weight are converted anew for their second use
    STAGES: tl.constexpr,  # rows in flight
    OVERLAP: tl.constexpr,
    STEP: tl.constexpr,  # see `in_steps`
    GROUP: tl.constexpr,  # see `first_group`; 1, or strides differ by multiples of it
    # [2, M] int64, written: a row's turn begins, and ends; None unless traced, as the next three
    turn_ptr=None,
    times_ptr=None,  # [3, programs] int64, written: start, writing of the sums begins, and ends
    sm_ptr=None,  # [programs] int32, written
    steps_ptr=None,  # as `lnkernels.language.clock.now` takes it
):
    stamp_start(times_ptr, steps_ptr)
    x_stride, dy_stride, dx_stride = (
        in_steps(x_stride, STEP),
        in_steps(dy_stride, STEP),
        in_steps(dx_stride, STEP),
    )
    N = in_steps(N, STEP)
    program = tl.program_id(0)
    lanes = tl.arange(0, BLOCK_N)
    walkers = in_steps(tl.num_programs(0), GROUP)
    lead, length = first_group(program, x_stride, N, GROUP)
    columns_of_ends, ends = outside_groups(lead, length, N, GROUP)
    one = tl.arange(
        0, 1
    )  # a loop with loads of scalars is not pipelined, one with loads of blocks of one is
    dw = ()
    db = ()
    masks = ()
    weights = ()
    for block in tl.static_range(BLOCKS):
        columns = block * BLOCK_N + lanes
        masks = masks + (columns < length,)
        dw = dw + (tl.full((BLOCK_N,), 0.0, tl.float32),)
        db = db + (tl.full((BLOCK_N,), 0.0, tl.float32),)
        if weight_ptr is not None:
            weights = weights + (tl.load(weight_ptr + lead + columns, masks[block], other=0.0),)
    first = program
    if GROUP > 1:
        first = tl.where(program < walkers, program, M)  # the programs that are left over take none
        weight_ends, dw_ends, db_ends = start_ends(weight_ptr, columns_of_ends, ends, GROUP)
    for row in tl.range(first, M, walkers, num_stages=STAGES):
        turn = reading(turn_ptr, steps_ptr)
        wide = tl.full((), row, tl.int64)  # a row's address passes 2**31 elements
        x = ()
        dy = ()
        x_at = in_steps(wide * x_stride + lead, GROUP)
        dy_at = in_steps(wide * dy_stride + lead, GROUP)
        for block in tl.static_range(BLOCKS):
            columns = block * BLOCK_N + lanes
            x_block = load_tile(x_ptr + x_at + columns, masks[block], block < FULL)
            dy_block = load_tile(dy_ptr + dy_at + columns, masks[block], block < FULL)
            x = x + (x_block,)
            dy = dy + (dy_block,)
        mean = tl.full((1,), 0.0, tl.float32)
        if mean_ptr is not None:
            mean = tl.load(mean_ptr + row + one)
        rstd = tl.load(rstd_ptr + row + one)
        if GROUP > 1:
            more = (row, lead, length, columns_of_ends, ends, M, N)
            x_ends = load_ends(x_ptr + x_at, *more, GROUP)
            dy_ends = load_ends(dy_ptr + dy_at, *more, GROUP)
            xhat_ends = tl.where(ends, (x_ends - mean) * rstd, 0.0)
            wdy_ends = dy_ends * weight_ends
            dw_ends += dy_ends * xhat_ends
            db_ends += dy_ends
        zero = tl.full((), 0, tl.int16)
        c1 = tl.full((), 0.0, tl.float32)
        c2 = tl.full((), 0.0, tl.float32)
        if dx_ptr is not None:
            # Added up column by column first, so that threads wait for each other once a row.
            c1s = tl.full((BLOCK_N,), 0.0, tl.float32)
            c2s = tl.full((BLOCK_N,), 0.0, tl.float32)
            for block in tl.static_range(BLOCKS):
                xhat, _, wdy = normalised_block(
                    x,
                    dy,
                    weights,
                    mean,
                    rstd,
                    masks[block],
                    zero,
                    block,
                    block < FULL,
                    False,
                    PACKED,
                )
                c1s += xhat * wdy
                c2s += of_mean(wdy, mean_ptr)
            c1, c2 = row_sums(c1s, c2s, 0)
            if GROUP > 1:
                c1_ends, c2_ends = row_sums(xhat_ends * wdy_ends, of_mean(wdy_ends, mean_ptr), 0)
                c1 += c1_ends
                c2 += c2_ends
            zero = hidden_zero(N, c1)
        c1 = c1 / N * rstd
        c2 = c2 / N * rstd
        with_row_dw = ()
        with_row_db = ()
        for block in tl.static_range(BLOCKS):
            xhat, gradient, wdy = normalised_block(
                x, dy, weights, mean, rstd, masks[block], zero, block, block < FULL, PACKED, PACKED
            )
            if dx_ptr is not None:
                dx = (wdy * rstd - (xhat * c1 + c2)).to(dx_ptr.dtype.element_ty)
                columns = block * BLOCK_N + lanes
                dx_at = in_steps(wide * dx_stride + lead, GROUP)
                store_tile(dx_ptr + dx_at + columns, dx, masks[block], block < FULL)
            with_row_dw = with_row_dw + (dw[block] + gradient * xhat,)
            with_row_db = with_row_db + (db[block] + gradient,)
        dw = with_row_dw
        db = with_row_db
        if GROUP > 1 and dx_ptr is not None:
            dx_ends = (wdy_ends * rstd - (xhat_ends * c1 + c2)).to(dx_ptr.dtype.element_ty)
            tl.store(dx_ptr + wide * dx_stride + columns_of_ends, dx_ends, mask=ends)
        if turn_ptr is not None:
            tl.store(turn_ptr + row, turn)
            tl.store(turn_ptr + M + row, now(steps_ptr))
    let_next_kernel_start(OVERLAP)
    begin = reading(times_ptr, steps_ptr)
    at = program.to(tl.int64) * N
    for block in tl.static_range(BLOCKS):
        columns = block * BLOCK_N + lanes
        if partial_dw_ptr is not None:
            store_sums(partial_dw_ptr + at + lead + columns, dw[block], masks[block], False)
        if partial_db_ptr is not None:
            store_sums(partial_db_ptr + at + lead + columns, db[block], masks[block], False)
    if GROUP > 1:
        if partial_dw_ptr is not None:
            store_sums(partial_dw_ptr + at + columns_of_ends, dw_ends, ends, False)
        if partial_db_ptr is not None:
            store_sums(partial_db_ptr + at + columns_of_ends, db_ends, ends, False)
    stamp_end(times_ptr, sm_ptr, begin, steps_ptr)
