"""Stage 1 of `persistent` for rows held as several blocks, or read in aligned groups.

Rows whose length is no multiple of 16 bytes begin at any element of a line of 128 bytes. With a
GROUP, a program takes rows alone that begin at the same one: every 64th of an odd length in half
precision. So it reads and writes whole lines, loaded ahead as other rows are, and its weight and
sums lie in lanes that are shifted once (`lnkernels.language.groups.first_group`). The
elements at both ends of a row are lanes of their own.
"""

import triton
import triton.language as tl

from lnkernels.interpreter import device_function
from lnkernels.language.clock import now, reading, stamp_end, stamp_start
from lnkernels.language.device_functions import (
    anew,
    hidden_zero,
    in_steps,
    let_next_kernel_start,
    load_tile,
    of_mean,
    row_sums,
    store_tile,
)
from lnkernels.language.groups import (
    add_ends,
    first_group,
    last_element,
    load_ends,
    normalised_ends,
    of_threads,
    outside_groups,
    parameter_ends,
    store_dx_ends,
    store_sums_of_ends,
    with_ends,
)
from lnkernels.passes.partial_sums import store_sums


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
    EACH: tl.constexpr,  # adjacent elements of a block that are summed first; 1 without a GROUP
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
            weight = tl.load(weight_ptr + lead + columns, masks[block], other=0.0)
            # Loaded one by one, they would be kept so, beside their packed form.
            zero = hidden_zero(N, tl.full((), 0.1, tl.float32))
            weights = weights + (anew(weight, zero, PACKED and GROUP > 1),)
    first = program
    if GROUP > 1:
        first = tl.where(program < walkers, program, M)  # the programs that are left over take none
        places, ends = outside_groups(lead, length, N, GROUP, BLOCK_N // EACH)
        last_x = last_element(x_ptr, x_stride, M, N)
        last_dy = last_element(dy_ptr, dy_stride, M, N)
        weight_ends = parameter_ends(weight_ptr, lead, places, ends, 1.0)
        dw_ends = parameter_ends(None, lead, places, ends, 0.0)
        db_ends = parameter_ends(None, lead, places, ends, 0.0)
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
        zero = tl.full((), 0, tl.int16)
        c1 = tl.full((), 0.0, tl.float32)
        c2 = tl.full((), 0.0, tl.float32)
        # Added up by each thread first, so that threads wait for each other once a row.
        c1s = tl.full((BLOCK_N // EACH,), 0.0, tl.float32)
        c2s = tl.full((BLOCK_N // EACH,), 0.0, tl.float32)
        if GROUP > 1:
            x_ends = load_ends(x_ptr + x_at, last_x, row, lead, places, ends, M, N)
            dy_ends = load_ends(dy_ptr + dy_at, last_dy, row, lead, places, ends, M, N)
            xhat_ends = normalised_ends(x_ends, mean, rstd, ends)
            c1s, c2s = add_ends(c1s, c2s, xhat_ends, dy_ends, weight_ends, mean_ptr)
            dw_ends, db_ends = with_ends(dw_ends, db_ends, dy_ends, xhat_ends)
        if dx_ptr is not None:
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
                c1s += of_threads(xhat * wdy, EACH)
                c2s += of_threads(of_mean(wdy, mean_ptr), EACH)
            c1, c2 = row_sums(c1s, c2s, 0)
            zero = hidden_zero(N, c1)
        c1 = c1 / N * rstd
        c2 = c2 / N * rstd
        if GROUP > 1 and dx_ptr is not None:
            store_dx_ends(
                dx_ptr,
                wide,
                dx_stride,
                lead,
                xhat_ends,
                dy_ends,
                weight_ends,
                rstd,
                c1,
                c2,
                places,
                ends,
            )
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
        store_sums_of_ends(partial_dw_ptr, partial_db_ptr, at, lead, dw_ends, db_ends, places, ends)
    stamp_end(times_ptr, sm_ptr, begin, steps_ptr)
