"""Stage 1 of `locked`, instrumented: when each row wanted its lock, held it and gave it back, where, and in which order.
With it stage 2, by tile (`lnkernels.tile_trace`), and for small shapes what the buffers held.

The arithmetic is that of `lnkernels.locked`, function by function; only clock reads and stores of a few numbers a row are added.
What is added must not lengthen the time between taking a lock and giving it back, for which all rows of the lock wait in turn.
So nothing is waited for there and no trip to memory is added; three values are kept (the lower half of a time, the tries, the
place in the order), and the compiler may use no more registers than the warps of the kernel that is not traced are given: then as
many programs are resident. Where it lacks one, at 1024 and 2048 columns, it stores one value in memory of its own.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
import triton
import triton.language as tl

from lnkernels.clock_refinement import refined
from lnkernels.interpreter import IS_INTERPRETED, ieee_arithmetic
from lnkernels.launch import LaunchConfig
from lnkernels.launch.limits import registers_as_given
from lnkernels.locked import LockedWorkspace, acquire, add_to_buffers, columns_of_row, release, row_gradients, stage1_kernel
from lnkernels.tile_trace import TileRecord, launch_traced_stage2
from lnkernels.trace_clock import carry_out, measured_tick, registers_of, sm_clock, timer_low, whole_times
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import COARSE_TICK_NS, Clock, ReductionTimeline, Times, TracedSums


@triton.jit
def traced_stage1_kernel(
    x_ptr,  # the arguments of stage1_kernel
    dy_ptr,
    dx_ptr,
    weight_ptr,
    mean_ptr,
    rstd_ptr,
    partial_dw_ptr,
    partial_db_ptr,
    locks_ptr,
    order_ptr,  # [M] int32, written: the row's place in its lock's order, from 0
    tries_ptr,  # [M] int32, written: compare-and-swaps until the lock was held
    start_ptr,  # [M] int64, written: the start in ns; None where there is no clock
    low_ptr,  # [3, M] int32, written: wanted, held, released, the lower halves of times in ns; None as before
    sm_ptr,  # [M] int32, written; None where there is no clock
    cycles_ptr,  # [4, M] int64, written: the same by the SM's clock; None where the timer is fine enough
    rows_ptr,  # [2, M, N] float32, written: what the row adds to dw and to db; None where there is too much of it
    after_ptr,  # [2, M, N] of the buffers' type, written: its buffers after it; None as before
    x_stride,
    dy_stride,
    dx_stride,
    N,  # noqa: N803
    GROUP_SIZE_M: tl.constexpr,  # noqa: N803
    BLOCK_SIZE_N: tl.constexpr,  # noqa: N803
    BARRIER: tl.constexpr,  # noqa: N803
):
    if start_ptr is not None:
        start = tl.extra.cuda.globaltimer()
    if cycles_ptr is not None:
        start_cycle = sm_clock()
    row = tl.program_id(0).to(tl.int64)
    columns = columns_of_row(partial_dw_ptr, partial_db_ptr, BLOCK_SIZE_N)
    mask = columns < N
    x_ptr += row * x_stride
    dy_ptr += row * dy_stride
    dx_ptr += row * dx_stride
    partial_dw, partial_db = row_gradients(x_ptr, dy_ptr, dx_ptr, weight_ptr, mean_ptr, rstd_ptr, row, N, columns, mask)
    buffer = row % GROUP_SIZE_M
    partial_dw_ptr += buffer * N
    partial_db_ptr += buffer * N
    count_ptr = locks_ptr + GROUP_SIZE_M + buffer
    rows = tl.num_programs(0)
    if start_ptr is not None:
        tl.store(low_ptr + row, timer_low())
        tl.store(start_ptr + row, start)
    if cycles_ptr is not None:
        tl.store(cycles_ptr + rows + row, sm_clock())
        tl.store(cycles_ptr + row, start_cycle)
    tries = acquire(locks_ptr + buffer)
    if low_ptr is not None:
        held = timer_low()
    if cycles_ptr is not None:
        held_cycle = sm_clock()
    order = add_to_buffers(partial_dw, partial_db, partial_dw_ptr, partial_db_ptr, count_ptr, columns, mask, BARRIER)
    if low_ptr is not None:
        released = timer_low()
    if cycles_ptr is not None:
        released_cycle = sm_clock()
    if after_ptr is not None:
        # While the lock is held, so that no other row has changed it; each thread reads what it stored itself.
        after_ptr += row * N + columns
        tl.store(after_ptr, tl.load(partial_dw_ptr + columns, mask=mask), mask=mask)
        tl.store(after_ptr + rows * N, tl.load(partial_db_ptr + columns, mask=mask), mask=mask)
    release(locks_ptr + buffer)

    if rows_ptr is not None:
        rows_ptr += row * N + columns
        tl.store(rows_ptr, partial_dw, mask=mask)
        tl.store(rows_ptr + rows * N, partial_db, mask=mask)
    tl.store(order_ptr + row, order)
    tl.store(tries_ptr + row, tries)
    if low_ptr is not None:
        tl.store(low_ptr + rows + row, held)
        tl.store(low_ptr + 2 * rows + row, released)
        tl.store(sm_ptr + row, tl.extra.cuda.smid())
    if cycles_ptr is not None:
        tl.store(cycles_ptr + 2 * rows + row, held_cycle)
        tl.store(cycles_ptr + 3 * rows + row, released_cycle)


@dataclass(frozen=True, slots=True)
class TraceMemory:
    """Device memory that the traced stages write."""

    order: torch.Tensor  # [M] int32
    tries: torch.Tensor  # [M] int32
    start: torch.Tensor | None  # [M] int64
    low: torch.Tensor | None  # [3, M] int32
    sm: torch.Tensor | None  # [M] int32
    cycles: torch.Tensor | None  # [4, M] int64
    rows: torch.Tensor | None  # [2, M, N] float32
    after: torch.Tensor | None  # [2, M, N] of the buffers' type
    tiles: TileRecord

    @classmethod
    def allocate(
        cls, m: int, n: int, launch: LaunchConfig, workspace: LockedWorkspace, *, numbers: bool, cycles: bool
    ) -> "TraceMemory":
        """Memory for x [m, n], not initialised; on the interpreter without what a clock and SMs would say."""
        device, partial = workspace.locks_and_counts.device, workspace.partial_dw.dtype

        def unless_interpreted(*shape: int, dtype: torch.dtype) -> torch.Tensor | None:
            return None if IS_INTERPRETED else torch.empty(shape, dtype=dtype, device=device)

        return cls(
            order=torch.empty(m, dtype=torch.int32, device=device),
            tries=torch.empty(m, dtype=torch.int32, device=device),
            start=unless_interpreted(m, dtype=torch.int64),
            low=unless_interpreted(3, m, dtype=torch.int32),
            sm=unless_interpreted(m, dtype=torch.int32),
            cycles=unless_interpreted(4, m, dtype=torch.int64) if cycles else None,
            rows=torch.empty((2, m, n), dtype=torch.float32, device=device) if numbers else None,
            after=torch.empty((2, m, n), dtype=partial, device=device) if numbers else None,
            tiles=TileRecord.allocate(n, launch, device),
        )

    def times(self) -> npt.NDArray[np.int64] | None:
        """Start, wanted, held, released of every row [4, M] by the timer, on the host; None where there is no clock."""
        if self.start is None or self.low is None:
            return None
        return whole_times(self.start.cpu().numpy(), self.low.cpu().numpy())


def launch_traced(
    x: torch.Tensor,
    dy: torch.Tensor,
    weight: torch.Tensor | None,
    mean: torch.Tensor,
    rstd: torch.Tensor,
    launch: LaunchConfig,
    workspace: LockedWorkspace,
    memory: TraceMemory,
    *,
    dx: torch.Tensor,
    dw: torch.Tensor,
    db: torch.Tensor,
) -> None:
    """Both stages of the backward pass as `lnkernels.locked.launch_backward` runs them, traced. Allocates nothing.

    Arguments and shapes are those of `launch_backward`, and memory for the same shape and launch.
    """
    m, n = x.shape
    buffers = (workspace.partial_dw, workspace.partial_db, workspace.locks_and_counts)
    tensors, numbers = (x, dy, dx, weight, mean, rstd, *buffers), (x.stride(0), dy.stride(0), dx.stride(0), n)
    written = (memory.order, memory.tries, memory.start, memory.low, memory.sm, memory.cycles, memory.rows, memory.after)
    constants = {
        "GROUP_SIZE_M": launch.group_size_m,
        "BLOCK_SIZE_N": launch.block_size_n,
        "BARRIER": launch.barrier,
        "num_warps": launch.num_warps,
        "num_stages": launch.num_stages,
    }
    most = None
    if not IS_INTERPRETED and memory.rows is None and memory.cycles is None:
        most = registers_as_given(registers_of(stage1_kernel, (m,), *tensors, *numbers, **constants))
    workspace.locks_and_counts.zero_()
    with ieee_arithmetic():
        traced_stage1_kernel[(m,)](*tensors, *written, *numbers, **constants, maxnreg=most)
    launch_traced_stage2(launch, workspace, memory.tiles, dw=dw, db=db)


def trace_backward(
    x: torch.Tensor,
    dy: torch.Tensor,
    weight: torch.Tensor | None,
    mean: torch.Tensor,
    rstd: torch.Tensor,
    launch: LaunchConfig,
    workspace: LockedWorkspace,
    *,
    dx: torch.Tensor,
    dw: torch.Tensor,
    db: torch.Tensor,
    numbers: bool = False,
    refine: bool | None = None,
) -> ReductionTimeline:
    """Run `launch_traced` and read what it wrote.

    On a GPU both stages run several times and the last is recorded (`lnkernels.trace_clock.carry_out`).

    Args:
        x: this and the other tensors as `launch_backward` takes them.
        dy: see x.
        weight: see x.
        mean: see x.
        rstd: see x.
        launch: settings of the strategy `locked`.
        workspace: allocated for this shape and launch.
        dx: written.
        dw: written.
        db: written.
        numbers: whether to keep what every row added and left, 2·M·N numbers twice.
        refine: whether SM clocks are read beside the timer; None for where its tick is longer than COARSE_TICK_NS.

    Returns:
        The timeline, without what recording it costs.
    """
    m, n = x.shape
    timer_tick = measured_tick(x.device)
    if refine is None:
        refine = timer_tick is not None and timer_tick > COARSE_TICK_NS
    memory = TraceMemory.allocate(m, n, launch, workspace, numbers=numbers, cycles=refine)
    carry_out(
        lambda: launch_traced(x, dy, weight, mean, rstd, launch, workspace, memory, dx=dx, dw=dw, db=db),
        x.device,
    )
    times, tile_times, tick, clock = _times(memory, timer_tick)
    interpreted = clock is Clock.STEPS
    return ReductionTimeline(
        kind=Kind.INTERPRETED if interpreted else Kind.MEASURED,
        m=m,
        n=n,
        group_size_m=launch.group_size_m,
        lock=np.arange(m, dtype=np.int32) % np.int32(launch.group_size_m),
        order=memory.order.cpu().numpy(),
        sm=np.zeros(m, np.int32) if memory.sm is None else memory.sm.cpu().numpy(),
        start_ns=times[0],
        wanted_ns=times[1],
        held_ns=times[2],
        released_ns=times[3],
        tile_block_m=launch.reduce_block_size_m,
        tile_block_n=launch.reduce_block_size_n,
        tile_sm=np.zeros(len(tile_times[0]), np.int32) if memory.tiles.sm is None else memory.tiles.sm.cpu().numpy(),
        tile_start_ns=tile_times[0],
        tile_end_ns=tile_times[1],
        tick_ns=tick,
        clock=clock,
        tries=memory.tries.cpu().numpy(),
        sums=_sums(memory, dw, db),
    )


def _sums(memory: TraceMemory, dw: torch.Tensor, db: torch.Tensor) -> TracedSums | None:
    if memory.rows is None or memory.after is None:
        return None
    rows, after = memory.rows.cpu().numpy(), memory.after.float().cpu().numpy()
    return TracedSums(
        partial_dtype=str(memory.after.dtype).removeprefix("torch."),
        row_dw=rows[0],
        row_db=rows[1],
        dw_after=after[0],
        db_after=after[1],
        dw=dw.float().cpu().numpy(),
        db=db.float().cpu().numpy(),
    )


def _times(memory: TraceMemory, tick_ns: int | None) -> tuple[Times, Times, float, Clock]:
    """Times of rows [4, M] and of tiles [2, tiles] from the first row's start, how far rows' may be off, and the clock.

    The interpreter has no clock and runs one program after another: each of a row's four events is a step, and each end of a
    tile. No distance between two steps means anything. The rows are in the order of their programs, which is the order in which
    each buffer was added to.
    """
    times = memory.times()
    if times is None or memory.tiles.times is None or tick_ns is None:
        rows = 4 * np.arange(memory.order.numel(), dtype=np.int64) + np.arange(4)[:, None]
        tiles = 4 * memory.order.numel() + 2 * np.arange(memory.tiles.count, dtype=np.int64) + np.arange(2)[:, None]
        return rows, tiles, 1.0, Clock.STEPS
    clock = Clock.TIMER if tick_ns <= COARSE_TICK_NS else Clock.COARSE
    tiles = memory.tiles.times.cpu().numpy()
    if memory.cycles is not None and memory.sm is not None:
        finer = refined(times, memory.cycles.cpu().numpy(), memory.sm.cpu().numpy(), tick_ns)
        if finer is not None:
            times, tick_ns = finer
            clock = Clock.REFINED
            # A tile's start is the timer's last step before it, which may lie before the last row's refined end.
            tiles = np.maximum(tiles, times[3].max(initial=0))
    origin = times[0].min(initial=np.iinfo(np.int64).max) if times.size else tiles.min()
    return times - origin, tiles - origin, float(tick_ns), clock
