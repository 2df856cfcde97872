"""The `persistent` strategy, instrumented: each program's walk over its tiles of rows, and when it wrote its sums, and where.

The arithmetic is that of `lnkernels.persistent` where a row is one block, function by function; rows in several blocks have
`lnkernels.persistent_blocks_trace`. Clock reads and stores of a few numbers a tile are added. A program asks for its next tiles
while it works on one, so a tile's time is its turn in the walk: from the end of the turn before, with the wait for its data if
that is not there yet, to its dx written and its share in the program's sums.
"""

from dataclasses import dataclass

import numpy as np
import torch
import triton
import triton.language as tl

from lnkernels.interpreter import rounded
from lnkernels.launch import ceil_div
from lnkernels.launch.settings import RowsSettings
from lnkernels.pass_trace import pass_trace
from lnkernels.persistent import (
    keeps_packed,
    normalised,
    programs_for,
    start_sums,
    store_sums,
    weighted,
    with_tile,
)
from lnkernels.persistent_blocks_trace import traced_rows_in_blocks_kernel
from lnkernels.reductions import PartialSums, let_next_kernel_start, row_sums
from lnkernels.replay import launch_kernel
from lnkernels.sum_trace import SumRecord, launch_traced_sum
from lnkernels.tiles import common_step, in_steps, load_tile, store_tile
from lnkernels.trace_clock import carry_out, measured_tick, now, place, steps_from_zero, wait_until_written
from lnkernels.values.timeline import StrategyTimeline


@triton.jit
def traced_rows_kernel(
    x_ptr,  # the arguments of rows_kernel; of the pointers only the weight's may be None
    dy_ptr,
    dx_ptr,
    weight_ptr,
    mean_ptr,
    rstd_ptr,
    partial_dw_ptr,
    partial_db_ptr,
    turn_ptr,  # [2, tiles] int64, written: a tile's turn begins, and ends
    times_ptr,  # [3, programs] int64, written: start, writing of the sums begins, and ends
    sm_ptr,  # [programs] int32, written
    steps_ptr,  # as `lnkernels.trace_clock.now` takes it
    x_stride,
    dy_stride,
    dx_stride,
    M,  # noqa: N803
    N,  # noqa: N803
    ROWS: tl.constexpr,  # noqa: N803
    BLOCK_N: tl.constexpr,  # noqa: N803
    EVEN: tl.constexpr,  # noqa: N803
    PER_ROW: tl.constexpr,  # noqa: N803
    STAGES: tl.constexpr,  # noqa: N803
    OVERLAP: tl.constexpr,  # noqa: N803
    STEP: tl.constexpr,  # noqa: N803
):
    x_stride, dy_stride, dx_stride = in_steps(x_stride, STEP), in_steps(dy_stride, STEP), in_steps(dx_stride, STEP)
    N = in_steps(N, STEP)  # noqa: N806
    begun = now(steps_ptr)
    program = tl.program_id(0)
    columns = tl.arange(0, BLOCK_N)
    in_row = columns < N
    lanes = tl.arange(0, ROWS)
    weight = tl.load(weight_ptr + columns, mask=in_row, other=0.0) if weight_ptr is not None else 0.0
    dw = start_sums(ROWS, BLOCK_N, PER_ROW)
    db = start_sums(ROWS, BLOCK_N, PER_ROW)
    for start in tl.range(program * ROWS, M, tl.num_programs(0) * ROWS, num_stages=STAGES):
        turn = now(steps_ptr)
        rows = start + lanes
        mask = (rows < M)[:, None] & in_row[None, :]
        wide = rows[:, None].to(tl.int64)
        x = load_tile(x_ptr + wide * x_stride + columns[None, :], mask, EVEN).to(tl.float32)
        dy = load_tile(dy_ptr + wide * dy_stride + columns[None, :], mask, EVEN).to(tl.float32)
        mean = tl.load(mean_ptr + rows, mask=rows < M, other=0.0)
        rstd = tl.load(rstd_ptr + rows, mask=rows < M, other=0.0)
        xhat = normalised(x, mean, rstd, mask, EVEN)
        wdy = weighted(dy, weight_ptr, weight)
        c1, c2 = row_sums(xhat * wdy, wdy, 1)
        c1 = c1 / N * rstd
        c2 = c2 / N * rstd
        dx = wdy * rstd[:, None] - (xhat * c1[:, None] + c2[:, None])
        store_tile(dx_ptr + wide * dx_stride + columns[None, :], rounded(dx, dx_ptr.dtype.element_ty), mask, EVEN)
        dw = with_tile(dw, dy * xhat, PER_ROW)
        db = with_tile(db, dy, PER_ROW)
        tl.store(turn_ptr + start // ROWS, turn)
        tl.store(turn_ptr + (M + ROWS - 1) // ROWS + start // ROWS, now(steps_ptr))
    let_next_kernel_start(OVERLAP)
    begin = now(steps_ptr)
    at = program.to(tl.int64) * N
    store_sums(partial_dw_ptr + at + columns, dw, in_row, PER_ROW)
    store_sums(partial_db_ptr + at + columns, db, in_row, PER_ROW)
    wait_until_written()
    end = now(steps_ptr)
    tl.store(times_ptr + program, begun)
    tl.store(times_ptr + tl.num_programs(0) + program, begin)
    tl.store(times_ptr + 2 * tl.num_programs(0) + program, end)
    tl.store(sm_ptr + program, place())


@dataclass(frozen=True, slots=True)
class PersistentTraceMemory:
    """Device memory that the traced stages write."""

    turns: torch.Tensor  # [2, tiles] int64
    times: torch.Tensor  # [3, programs] int64
    sm: torch.Tensor  # [programs] int32
    sums: SumRecord
    steps: torch.Tensor | None  # what the interpreter counts events in

    @classmethod
    def allocate(cls, m: int, n: int, settings: RowsSettings, device: torch.device) -> "PersistentTraceMemory":
        """Memory for x [m, n], not initialised."""
        programs = programs_for(m, settings)
        return cls(
            torch.empty((2, ceil_div(m, settings.rows)), dtype=torch.int64, device=device),
            torch.empty((3, programs), dtype=torch.int64, device=device),
            torch.empty(programs, dtype=torch.int32, device=device),
            SumRecord.allocate(n, settings.reduce, device),
            steps_from_zero(device),
        )


def launch_traced(
    x: torch.Tensor,
    dy: torch.Tensor,
    weight: torch.Tensor | None,
    mean: torch.Tensor,
    rstd: torch.Tensor,
    settings: RowsSettings,
    workspace: PartialSums,
    memory: PersistentTraceMemory,
    *,
    dx: torch.Tensor,
    dw: torch.Tensor,
    db: torch.Tensor,
) -> None:
    """Both stages as `lnkernels.persistent.launch_backward` runs them, traced. Allocates nothing.

    Arguments and shapes are those of `launch_backward`, and memory for the same shape and settings.
    """
    m, n = x.shape
    programs = programs_for(m, settings)
    step = common_step(n, x.stride(0), dy.stride(0), dx.stride(0))
    arguments = (
        x,
        dy,
        dx,
        weight,
        mean,
        rstd,
        workspace.dw,
        workspace.db,
        memory.turns,
        memory.times,
        memory.sm,
        memory.steps,
        x.stride(0),
        dy.stride(0),
        dx.stride(0),
        m,
        n,
    )
    common = {
        "BLOCK_N": settings.block_n,
        "STAGES": settings.num_stages,
        "OVERLAP": settings.reduce.overlap,
        "STEP": step,
        "num_warps": settings.num_warps,
        "maxnreg": settings.max_registers,
    }
    if settings.block_n < n:
        launch_kernel(
            traced_rows_in_blocks_kernel,
            (programs,),
            *arguments,
            BLOCKS=ceil_div(n, settings.block_n),
            WHOLE=n % settings.block_n == 0,
            PACKED=keeps_packed(n, x.element_size(), settings.num_warps, step),
            **common,
        )
    else:
        launch_kernel(
            traced_rows_kernel,
            (programs,),
            *arguments,
            ROWS=settings.rows,
            EVEN=settings.block_n == n and m % settings.rows == 0,
            PER_ROW=settings.sums_per_row,
            **common,
        )
    launch_traced_sum(programs, n, workspace, settings.reduce, memory.sums, memory.steps, dw=dw, db=db)


def trace_backward(
    x: torch.Tensor,
    dy: torch.Tensor,
    weight: torch.Tensor | None,
    mean: torch.Tensor,
    rstd: torch.Tensor,
    settings: RowsSettings,
    *,
    dx: torch.Tensor,
    dw: torch.Tensor,
    db: torch.Tensor,
) -> StrategyTimeline:
    """Run `launch_traced` and read what it wrote. On a GPU it runs several times, and the last is recorded.

    Arguments and shapes are those of `launch_traced`; the workspace is allocated here.
    """
    m, n = x.shape
    programs = programs_for(m, settings)
    workspace = PartialSums.allocate(programs, n, x.device)
    memory = PersistentTraceMemory.allocate(m, n, settings, x.device)
    tick = measured_tick(x.device)
    carry_out(
        lambda: launch_traced(x, dy, weight, mean, rstd, settings, workspace, memory, dx=dx, dw=dw, db=db),
        x.device,
    )
    turns = memory.turns.cpu().numpy()
    taken_by = np.arange(turns.shape[1], dtype=np.int32) % np.int32(max(programs, 1))
    times, sm = memory.times.cpu().numpy(), memory.sm.cpu().numpy()
    return pass_trace("persistent", m, n, settings.rows, taken_by, turns, times, sm, memory.sums, tick)
