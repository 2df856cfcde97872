"""The `persistent` backward strategy, without locks: a grid that fills the GPU once walks all rows,
with sums of dw and db in registers.

Stage 1: program p takes the tiles p, p + programs, p + 2·programs, … of ROWS rows each, writes
their dx, and keeps its sums of dw and db in float32 registers until it has seen its last tile; then
it writes them as row p of the partial sums. Stage 2 (`lnkernels.passes.partial_sums`) sums the
partials over the programs. Both orders depend on the launch alone, so results are the same bit by
bit from run to run. Whole rows are held in registers, which ends at 16384 columns of half
precision; `lnkernels.passes.split` has no such end.

A row is one block of Triton in `rows_kernel`. A block has a power of two of elements: 9216 columns
would have 16384, and spill. So where one power of two does not fit well, `rows_in_blocks_kernel`
(`lnkernels.passes.persistent_blocks`) holds a row as BLOCKS blocks of BLOCK_N. Five blocks of 2048
leave few lanes idle, and hold rows of up to 16384 columns of half precision: 64 columns a thread,
whose sums take 128 of its 255 registers, x and dy 64 where they stay packed
(`lnkernels.language.device_functions.anew`).

One row or a few are read twice, for dx and once more for dw and db, by programs of one launch that
wait for nobody (`few_rows_kernel`): its time is that of one row's way, where a second launch would
add its own. A trace has both stages.

A program asks for its next tiles while it works on one. So in a trace a tile's time is its turn in
the walk: from the end of the turn before, with the wait for its data if that is not there yet, to
its dx written and its share in the program's sums.
"""

# torch is named in annotations only, and compiling must not wait for it
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import triton
import triton.language as tl

from lnkernels.interpreter import device_function
from lnkernels.language.clock import now, reading, stamp_end, stamp_start
from lnkernels.language.device_functions import (
    common_step,
    in_steps,
    let_next_kernel_start,
    load_tile,
    of_mean,
    packs,
    row_sums,
    store_tile,
)
from lnkernels.language.launching import launch_kernel
from lnkernels.launch import Launch, ceil_div
from lnkernels.launch.persistent import in_one_launch, programs_in_use
from lnkernels.passes.arguments import BackwardTensors, groups_of_rows, has_full_tiles
from lnkernels.passes.partial_sums import PartialSums, launch_sum, store_sums
from lnkernels.passes.persistent_blocks import rows_in_blocks_kernel
from lnkernels.trace.memory import ProgramTrace, array_of, pointers_of
from lnkernels.values.timeline import StrategyTimeline

if TYPE_CHECKING:
    from torch import Tensor

# Columns for each warp, 40 a thread: at 36 and 40 packing took 3 to 10 % longer, at 42 a third less
# (H200). Rows that are loaded 2 or 4 elements at once take more registers for addresses: not packed
# they spill at 32 columns a thread, and not at 24; those in groups do at 40 and not at 32.
_MOST_AS_FLOAT = 40 * 32
_MOST_AS_FLOAT_IN_PARTS = 24 * 32
_MOST_AS_FLOAT_IN_GROUPS = 36 * 32


def keeps_packed(n: int, element_bytes: int, num_warps: int, step: int, group: int) -> bool:
    """Return True if a program holds rows of n elements packed; `step` is their `common_step`,
    `group` their GROUP.
    """
    most = _MOST_AS_FLOAT_IN_PARTS if step in (2, 4) else _MOST_AS_FLOAT
    most = _MOST_AS_FLOAT_IN_GROUPS if group > 1 else most
    return packs(n, most * num_warps, element_bytes)


@device_function
def start_sums(ROWS: tl.constexpr, BLOCK_N: tl.constexpr, PER_ROW: tl.constexpr):
    """Return zeros to sum dw or db in."""
    if PER_ROW:
        return tl.full((ROWS, BLOCK_N), 0.0, tl.float32)
    else:  # the compiler drops the branch not taken only where there is an else
        return tl.full((BLOCK_N,), 0.0, tl.float32)


@device_function
def with_tile(sums, tile, PER_ROW: tl.constexpr):
    """Return the sums with one more tile added."""
    if PER_ROW:
        return sums + tile
    else:
        return sums + tl.sum(tile, axis=0)


@device_function
def normalised(x, mean, rstd, mask, EVEN: tl.constexpr):
    """Return x̂ of a tile, 0 where there is no element."""
    xhat = (x - mean[:, None]) * rstd[:, None]
    if EVEN:
        return xhat
    else:
        return tl.where(mask, xhat, 0.0)


@device_function
def weighted(dy, weight_ptr, weight):
    """Return w·dy, or dy where there is no weight."""
    if weight_ptr is not None:
        return dy * weight.to(tl.float32)[None, :]
    else:
        return dy


@triton.jit
def rows_kernel(
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
    ROWS: tl.constexpr,  # rows a tile
    BLOCK_N: tl.constexpr,  # at least N
    EVEN: tl.constexpr,  # BLOCK_N is N, and ROWS divides M
    PER_ROW: tl.constexpr,  # sums are kept apart for each row of a tile
    STAGES: tl.constexpr,  # tiles in flight; where 1, hints for L2 would only delay the first load
    OVERLAP: tl.constexpr,
    STEP: tl.constexpr,  # see `in_steps`
    # [2, tiles] int64, written: a tile's turn begins, and ends; None unless traced, as the next
    # three
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
    # a constant: the first load waits for nothing
    N = BLOCK_N if EVEN and STAGES == 1 else in_steps(N, STEP)
    program = tl.program_id(0)
    columns = tl.arange(0, BLOCK_N)
    in_row = columns < N
    lanes = tl.arange(0, ROWS)
    weight = (
        tl.load(weight_ptr + columns, mask=in_row, other=0.0) if weight_ptr is not None else 0.0
    )
    dw = start_sums(ROWS, BLOCK_N, PER_ROW)
    db = start_sums(ROWS, BLOCK_N, PER_ROW)
    for start in tl.range(program * ROWS, M, tl.num_programs(0) * ROWS, num_stages=STAGES):
        turn = reading(turn_ptr, steps_ptr)
        rows = start + lanes
        mask = (rows < M)[:, None] & in_row[None, :]
        wide = rows[:, None].to(tl.int64)  # a row's address passes 2**31 elements
        x = load_tile(x_ptr + wide * x_stride + columns[None, :], mask, EVEN, STAGES > 1).to(
            tl.float32
        )
        dy = load_tile(dy_ptr + wide * dy_stride + columns[None, :], mask, EVEN, STAGES > 1).to(
            tl.float32
        )
        mean = tl.full((ROWS,), 0.0, tl.float32)
        if mean_ptr is not None:
            mean = tl.load(mean_ptr + rows, mask=rows < M, other=0.0)
        rstd = tl.load(rstd_ptr + rows, mask=rows < M, other=0.0)
        xhat = normalised(x, mean, rstd, mask, EVEN)
        if dx_ptr is not None:
            wdy = weighted(dy, weight_ptr, weight)
            c1, c2 = row_sums(xhat * wdy, of_mean(wdy, mean_ptr), 1)
            # (wdy - xhat·c1 - c2)·rstd with the row's factors multiplied beforehand: one operation
            # an element less.
            c1 = (c1 / N if EVEN else c1 * (1.0 / N)) * rstd
            c2 = (c2 / N if EVEN else c2 * (1.0 / N)) * rstd
            dx = wdy * rstd[:, None] - (xhat * c1[:, None] + c2[:, None])
            store_tile(
                dx_ptr + wide * dx_stride + columns[None, :],
                dx.to(dx_ptr.dtype.element_ty),
                mask,
                EVEN,
                STAGES > 1,
            )
        if partial_dw_ptr is not None:
            dw = with_tile(dw, dy * xhat, PER_ROW)
        if partial_db_ptr is not None:
            db = with_tile(db, dy, PER_ROW)
        if turn_ptr is not None:
            tl.store(turn_ptr + start // ROWS, turn)
            tl.store(turn_ptr + (M + ROWS - 1) // ROWS + start // ROWS, now(steps_ptr))
    let_next_kernel_start(OVERLAP)
    begin = reading(times_ptr, steps_ptr)
    at = program.to(tl.int64) * N
    if partial_dw_ptr is not None:
        store_sums(partial_dw_ptr + at + columns, dw, in_row, PER_ROW)
    if partial_db_ptr is not None:
        store_sums(partial_db_ptr + at + columns, db, in_row, PER_ROW)
    stamp_end(times_ptr, sm_ptr, begin, steps_ptr)


@triton.jit
def few_rows_kernel(
    x_ptr,  # [M, N], columns adjacent, as dy and dx
    dy_ptr,
    dx_ptr,  # written
    weight_ptr,  # [N], or None for ones
    mean_ptr,  # [M] float32, or None for RMSNorm
    rstd_ptr,  # [M] float32
    dw_ptr,  # [N], written, or None where dw is not wanted
    db_ptr,  # the same, for db
    x_stride,  # elements from one row to the next
    dy_stride,
    dx_stride,
    M,  # rows
    N,  # columns of a row
    ROWS: tl.constexpr,  # at least M
    COLUMNS: tl.constexpr,  # of dw and db that a program sums
    BLOCK_N: tl.constexpr,  # at least N
    EVEN: tl.constexpr,  # BLOCK_N is N
    STEP: tl.constexpr,  # see `in_steps`
):
    program = tl.program_id(0)
    if tl.program_id(1) == 0:
        rows = tl.arange(0, ROWS)
        columns = program * COLUMNS + tl.arange(0, COLUMNS)
        in_row = columns < in_steps(N, STEP)
        mask = (rows < M)[:, None] & in_row[None, :]
        wide = rows[:, None].to(tl.int64)  # a row's address passes 2**31 elements
        x = load_tile(
            x_ptr + wide * in_steps(x_stride, STEP) + columns[None, :], mask, False, False
        ).to(tl.float32)
        dy = load_tile(
            dy_ptr + wide * in_steps(dy_stride, STEP) + columns[None, :], mask, False, False
        ).to(tl.float32)
        mean = tl.full((ROWS,), 0.0, tl.float32)
        if mean_ptr is not None:
            mean = tl.load(mean_ptr + rows, mask=rows < M, other=0.0)
        rstd = tl.load(rstd_ptr + rows, mask=rows < M, other=0.0)
        dw, db = row_sums(dy * normalised(x, mean, rstd, mask, False), dy, 0)
        if dw_ptr is not None:
            store_sums(dw_ptr + columns, dw, in_row, False)
        if db_ptr is not None:
            store_sums(db_ptr + columns, db, in_row, False)
    elif (
        program < M
    ):  # its one tile is the row of its number, as there are at least M programs on this axis
        pointers = (x_ptr, dy_ptr, dx_ptr, weight_ptr, mean_ptr, rstd_ptr, None, None)
        rows_kernel(
            *pointers, x_stride, dy_stride, dx_stride, M, N, 1, BLOCK_N, EVEN, False, 1, False, STEP
        )


def allocate_workspace(
    x: Tensor, launch: Launch, *, dw: bool = True, db: bool = True
) -> PartialSums:
    return PartialSums.allocate(
        programs_in_use(x.shape[0], launch), x.shape[1], x.device, dw=dw, db=db
    )


def launch_backward(
    given: BackwardTensors,
    launch: Launch,
    workspace: PartialSums,
    trace: ProgramTrace | None = None,
) -> None:
    """Launch both stages; for a few rows one launch, whose programs take a row of dx or some
    columns of dw and db.
    """
    m, n = given.x.shape
    programs, block = programs_in_use(m, launch), launch.block_size_n
    # The sums of a program that is alone are dw and db, and there is no stage 2; a trace has one
    # all the same.
    alone = programs == 1 and trace is None
    with_sums = given.with_sums and not alone
    step = common_step(n, *given.strides)
    if trace is None and given.dx is not None and given.with_sums and in_one_launch(m, n, launch):
        launch_kernel(
            few_rows_kernel,
            (max(m, ceil_div(n, launch.reduce_block_size_n)), 2),
            *given.pointers,
            given.dw,
            given.db,
            *given.strides,
            m,
            n,
            ROWS=launch.reduce_block_size_m,
            COLUMNS=launch.reduce_block_size_n,
            BLOCK_N=block,
            EVEN=block == n,
            STEP=step,
            num_warps=launch.num_warps,
        )
        return
    arguments = (
        *given.pointers,
        given.dw if alone or given.dw is None else workspace.dw,
        given.db if alone or given.db is None else workspace.db,
        *given.strides,
        m,
        n,
    )
    common = {
        "BLOCK_N": block,
        "STAGES": launch.num_stages,
        "OVERLAP": launch.overlap and with_sums,
        "STEP": step,
        "num_warps": launch.num_warps,
        **pointers_of(trace),
    }
    group, each = groups_of_rows(launch, programs, given.x, given.dy, given.dx)
    if block < n or group > 1:
        kernel = rows_in_blocks_kernel
        constants = {
            "BLOCKS": ceil_div(n // group * group, block),
            "FULL": (n - 2 * (group - 1)) // block,
            "PACKED": keeps_packed(n, given.x.element_size(), launch.num_warps, step, group),
            "GROUP": group,
            "EACH": each,
        }
    else:
        kernel, even = rows_kernel, block == n and has_full_tiles(m, launch.rows, launch)
        constants = {"ROWS": launch.rows, "EVEN": even, "PER_ROW": launch.sums_per_row}
    launch_kernel(kernel, (programs,), *arguments, **constants, **common)
    if with_sums:
        launch_sum(programs, n, workspace, launch, dw=given.dw, db=given.db, trace=trace)


def allocate_trace(x: Tensor, launch: Launch) -> ProgramTrace:
    m = x.shape[0]
    turns = (2, ceil_div(m, launch.rows))
    return ProgramTrace.allocate(x, launch, turns, programs_in_use(m, launch))


def read_trace(
    x: Tensor, launch: Launch, trace: ProgramTrace, *, dw: Tensor, db: Tensor
) -> StrategyTimeline:
    m, n = x.shape
    assert trace.turn is not None, "`allocate_trace` gave it"
    turns = array_of(trace.turn)
    programs = programs_in_use(m, launch)
    group, _ = groups_of_rows(launch, programs, x)
    walkers = programs - programs % group
    taken_by = np.arange(turns.shape[1], dtype=np.int32) % np.int32(max(walkers, 1))
    return trace.read("persistent", m, n, launch.rows, taken_by, turns)
