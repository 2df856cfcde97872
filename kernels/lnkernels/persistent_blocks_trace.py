"""Stage 1 of `persistent` for rows in blocks, instrumented: the turns of each program's walk, and the writing of its sums.

The arithmetic is that of `lnkernels.persistent_blocks`, step by step; clock reads and stores of a few numbers a row are added.
`lnkernels.persistent_trace` launches it, and says what a turn is.
"""

import triton
import triton.language as tl

from lnkernels.interpreter import rounded
from lnkernels.packed import anew, hidden_zero
from lnkernels.reductions import let_next_kernel_start, row_sums
from lnkernels.tiles import in_steps, load_tile, store_tile
from lnkernels.trace_clock import now, place, wait_until_written


@triton.jit
def traced_rows_in_blocks_kernel(  # noqa: PLR0915 - a kernel is read from top to bottom
    x_ptr,  # the arguments of rows_in_blocks_kernel; of the pointers only the weight's may be None
    dy_ptr,
    dx_ptr,
    weight_ptr,
    mean_ptr,
    rstd_ptr,
    partial_dw_ptr,
    partial_db_ptr,
    turn_ptr,  # [2, M] int64, written: a row's turn begins, and ends
    times_ptr,  # [3, programs] int64, written: start, writing of the sums begins, and ends
    sm_ptr,  # [programs] int32, written
    steps_ptr,  # as `lnkernels.trace_clock.now` takes it
    x_stride,
    dy_stride,
    dx_stride,
    M,  # noqa: N803
    N,  # noqa: N803
    BLOCK_N: tl.constexpr,  # noqa: N803
    BLOCKS: tl.constexpr,  # noqa: N803
    WHOLE: tl.constexpr,  # noqa: N803
    PACKED: tl.constexpr,  # noqa: N803
    STAGES: tl.constexpr,  # noqa: N803
    OVERLAP: tl.constexpr,  # noqa: N803
    STEP: tl.constexpr,  # noqa: N803
):
    x_stride, dy_stride, dx_stride = in_steps(x_stride, STEP), in_steps(dy_stride, STEP), in_steps(dx_stride, STEP)
    N = in_steps(N, STEP)  # noqa: N806
    begun = now(steps_ptr)
    program = tl.program_id(0)
    lanes = tl.arange(0, BLOCK_N)
    last = (BLOCKS - 1) * BLOCK_N + lanes < N
    one = tl.arange(0, 1)
    dw = ()
    db = ()
    weights = ()
    for block in tl.static_range(BLOCKS):
        dw = dw + (tl.full((BLOCK_N,), 0.0, tl.float32),)  # type: ignore[assignment]  # noqa: RUF005 - Triton has no unpacking
        db = db + (tl.full((BLOCK_N,), 0.0, tl.float32),)  # type: ignore[assignment]  # noqa: RUF005
        if weight_ptr is not None:
            columns = block * BLOCK_N + lanes
            weights = weights + (tl.load(weight_ptr + columns, mask=columns < N, other=0.0),)  # type: ignore[assignment]  # noqa: RUF005
    for row in tl.range(program, M, tl.num_programs(0), num_stages=STAGES):
        turn = now(steps_ptr)
        wide = tl.full((), row, tl.int64)
        x = ()
        dy = ()
        for block in tl.static_range(BLOCKS):
            columns = block * BLOCK_N + lanes
            x_block = load_tile(x_ptr + wide * x_stride + columns, last, WHOLE or block < BLOCKS - 1)
            dy_block = load_tile(dy_ptr + wide * dy_stride + columns, last, WHOLE or block < BLOCKS - 1)
            x = x + (x_block,)  # type: ignore[assignment]  # noqa: RUF005
            dy = dy + (dy_block,)  # type: ignore[assignment]  # noqa: RUF005
        mean = tl.load(mean_ptr + row + one)
        rstd = tl.load(rstd_ptr + row + one)
        zero = tl.full((), 0, tl.int16)
        c1s = tl.full((BLOCK_N,), 0.0, tl.float32)
        c2s = tl.full((BLOCK_N,), 0.0, tl.float32)
        for block in tl.static_range(BLOCKS):
            xhat = (x[block].to(tl.float32) - mean) * rstd
            if not (WHOLE or block < BLOCKS - 1):
                xhat = tl.where(last, xhat, 0.0)
            wdy = dy[block].to(tl.float32)
            if weight_ptr is not None:
                wdy *= anew(weights[block], zero, PACKED).to(tl.float32)
            c1s += xhat * wdy
            c2s += wdy
        c1, c2 = row_sums(c1s, c2s, 0)
        zero = hidden_zero(N, c1)
        c1 = c1 / N * rstd
        c2 = c2 / N * rstd
        with_row_dw = ()
        with_row_db = ()
        for block in tl.static_range(BLOCKS):
            xhat = (anew(x[block], zero, PACKED).to(tl.float32) - mean) * rstd
            if not (WHOLE or block < BLOCKS - 1):
                xhat = tl.where(last, xhat, 0.0)
            gradient = anew(dy[block], zero, PACKED).to(tl.float32)
            wdy = gradient
            if weight_ptr is not None:
                wdy *= anew(weights[block], zero, PACKED).to(tl.float32)
            dx = rounded(wdy * rstd - (xhat * c1 + c2), dx_ptr.dtype.element_ty)
            columns = block * BLOCK_N + lanes
            store_tile(dx_ptr + wide * dx_stride + columns, dx, last, WHOLE or block < BLOCKS - 1)
            with_row_dw = with_row_dw + (dw[block] + gradient * xhat,)  # type: ignore[assignment]  # noqa: RUF005
            with_row_db = with_row_db + (db[block] + gradient,)  # type: ignore[assignment]  # noqa: RUF005
        dw = with_row_dw
        db = with_row_db
        tl.store(turn_ptr + row, turn)
        tl.store(turn_ptr + M + row, now(steps_ptr))
    let_next_kernel_start(OVERLAP)
    begin = now(steps_ptr)
    at = program.to(tl.int64) * N
    for block in tl.static_range(BLOCKS):
        columns = block * BLOCK_N + lanes
        tl.store(partial_dw_ptr + at + columns, dw[block], mask=columns < N)
        tl.store(partial_db_ptr + at + columns, db[block], mask=columns < N)
    wait_until_written()
    end = now(steps_ptr)
    tl.store(times_ptr + program, begun)
    tl.store(times_ptr + tl.num_programs(0) + program, begin)
    tl.store(times_ptr + 2 * tl.num_programs(0) + program, end)
    tl.store(sm_ptr + program, place())
