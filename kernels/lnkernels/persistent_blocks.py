"""Stage 1 of `persistent` for rows that one power of two does not fit well: a program holds its row as BLOCKS blocks of BLOCK_N.

Like `lnkernels.persistent`, a grid that fills the GPU once walks all rows, and dw and db are summed in float32 registers, in an
order that the launch fixes. There a row is one block of Triton, which has a power of two of elements: 9216 columns would have
16384, and spill. Five blocks of 2048 leave few lanes idle, and hold rows of up to 16384 columns of half precision: 64 columns a
thread, whose sums take 128 of its 255 registers, x and dy 64 where they stay packed (`lnkernels.packed`).
"""

import triton
import triton.language as tl

from lnkernels.interpreter import rounded
from lnkernels.packed import anew, hidden_zero
from lnkernels.reductions import let_next_kernel_start, row_sums
from lnkernels.tiles import in_steps, load_tile, store_tile


@triton.jit
def rows_in_blocks_kernel(  # noqa: PLR0912, PLR0915
    x_ptr,  # [M, N], columns adjacent, as dy and dx
    dy_ptr,
    dx_ptr,  # written, or None
    weight_ptr,  # [N], or None for ones
    mean_ptr,  # [M] float32
    rstd_ptr,  # [M] float32
    partial_dw_ptr,  # [programs, N] float32, written, or None where dw is not wanted
    partial_db_ptr,  # the same, for db
    x_stride,  # elements from one row to the next
    dy_stride,
    dx_stride,
    M,  # noqa: N803 - rows
    N,  # noqa: N803 - columns of a row
    BLOCK_N: tl.constexpr,  # noqa: N803
    BLOCKS: tl.constexpr,  # noqa: N803 - the fewest that hold N columns
    WHOLE: tl.constexpr,  # noqa: N803 - BLOCK_N divides N
    PACKED: tl.constexpr,  # noqa: N803 - x, dy and weight are converted anew for their second use
    STAGES: tl.constexpr,  # noqa: N803 - rows in flight
    OVERLAP: tl.constexpr,  # noqa: N803
    STEP: tl.constexpr,  # noqa: N803 - see `lnkernels.tiles.in_steps`
):
    x_stride, dy_stride, dx_stride = in_steps(x_stride, STEP), in_steps(dy_stride, STEP), in_steps(dx_stride, STEP)
    N = in_steps(N, STEP)  # noqa: N806
    program = tl.program_id(0)
    lanes = tl.arange(0, BLOCK_N)
    last = (BLOCKS - 1) * BLOCK_N + lanes < N
    one = tl.arange(0, 1)  # a loop with loads of scalars is not pipelined, one with loads of blocks of one is
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
        wide = tl.full((), row, tl.int64)  # a row's address passes 2**31 elements
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
        c1 = tl.full((), 0.0, tl.float32)
        c2 = tl.full((), 0.0, tl.float32)
        if dx_ptr is not None:
            # Added up column by column first, so that threads wait for each other once a row.
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
            if dx_ptr is not None:
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
    let_next_kernel_start(OVERLAP)
    at = program.to(tl.int64) * N
    for block in tl.static_range(BLOCKS):
        columns = block * BLOCK_N + lanes
        if partial_dw_ptr is not None:
            tl.store(partial_dw_ptr + at + columns, dw[block], mask=columns < N)
        if partial_db_ptr is not None:
            tl.store(partial_db_ptr + at + columns, db[block], mask=columns < N)
