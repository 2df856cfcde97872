"""The `split` strategy, instrumented: each program's turns with its slices of rows, its waits for the others' sums, and its end.

The arithmetic is that of `lnkernels.split`, step by step; clock reads and stores of three numbers a row and program are added.
A program computes a row's dx one turn after it has published its share of the row's sums. So a row's turn is told as the time
from the end of the turn before, which for a program's first row is its start, to its slice of dx written and its share in the
program's sums. In it lies the wait for the sums of the row's other slices, which begins when the next row's own are published.
"""

from dataclasses import dataclass

import numpy as np
import torch
import triton
import triton.language as tl

from lnkernels.interpreter import IS_INTERPRETED, rounded
from lnkernels.launch import ceil_div
from lnkernels.launch.limits import REGISTERS_PER_SM
from lnkernels.launch.settings import SplitSettings
from lnkernels.pass_trace import pass_trace
from lnkernels.reductions import let_next_kernel_start, row_sums
from lnkernels.replay import fill, launch_kernel
from lnkernels.split import (
    EMPTY,
    SplitWorkspace,
    arrived,
    groups_for,
    loaded_step,
    packed,
    peek,
    slice_width,
    split_kernel,
    unpacked,
)
from lnkernels.sum_trace import SumRecord, launch_traced_sum
from lnkernels.tiles import in_steps, load_tile
from lnkernels.trace_clock import carry_out, measured_tick, now, place, steps_from_zero, wait_until_written
from lnkernels.values.timeline import StrategyTimeline, Times

MOST_REGISTERS = 255  # of a thread, on every architecture


@triton.jit
def traced_split_kernel(  # noqa: PLR0912, PLR0915 - a kernel is read from top to bottom
    x_ptr,  # the arguments of split_kernel; of the pointers only those of the weight and the words may be None
    dy_ptr,
    dx_ptr,
    weight_ptr,
    mean_ptr,
    rstd_ptr,
    words_ptr,  # None where a row is one slice
    partial_dw_ptr,
    partial_db_ptr,
    turn_ptr,  # [M + groups, SLICES, 3] int64, written: own sums known; those of the row groups before there; its dx written
    times_ptr,  # [3, programs] int64, written: start, writing of the sums begins, and ends
    sm_ptr,  # [programs] int32, written
    steps_ptr,  # as `lnkernels.trace_clock.now` takes it
    x_stride,
    dy_stride,
    dx_stride,
    M,  # noqa: N803
    N,  # noqa: N803
    WIDTH: tl.constexpr,  # noqa: N803
    SLICES: tl.constexpr,  # noqa: N803
    BLOCK_S: tl.constexpr,  # noqa: N803
    BLOCK_N: tl.constexpr,  # noqa: N803
    BLOCKS: tl.constexpr,  # noqa: N803
    FULL: tl.constexpr,  # noqa: N803
    STAGES: tl.constexpr,  # noqa: N803
    PUBLISH: tl.constexpr,  # noqa: N803 - False where a launch before this one has published everything
    OVERLAP: tl.constexpr,  # noqa: N803
    STEP: tl.constexpr,  # noqa: N803
):
    x_stride, dy_stride, dx_stride = in_steps(x_stride, STEP), in_steps(dy_stride, STEP), in_steps(dx_stride, STEP)
    N = in_steps(N, STEP)  # noqa: N806
    # Stored at once: no register is free to keep it in.
    tl.store(times_ptr + tl.program_id(0), now(steps_ptr))
    group = tl.program_id(0) // SLICES
    part = tl.program_id(0) % SLICES
    groups = tl.num_programs(0) // SLICES
    lanes = tl.arange(0, BLOCK_N)
    first = part * WIDTH
    end = tl.minimum(first + WIDTH, N)
    parts = tl.arange(0, BLOCK_S)
    others = tl.minimum(parts, SLICES - 1)
    one = tl.arange(0, 1)
    weights = ()
    dw = ()
    db = ()
    last_x = ()
    last_dy = ()
    for block in tl.static_range(BLOCKS):
        columns = first + block * BLOCK_N + lanes
        if weight_ptr is not None:
            weights = weights + (tl.load(weight_ptr + columns, mask=columns < end, other=0.0),)  # type: ignore[assignment]  # noqa: RUF005
        dw = dw + (tl.full((BLOCK_N,), 0.0, tl.float32),)  # type: ignore[assignment]  # noqa: RUF005 - Triton has no unpacking
        db = db + (tl.full((BLOCK_N,), 0.0, tl.float32),)  # type: ignore[assignment]  # noqa: RUF005
        last_x = last_x + (tl.full((BLOCK_N,), 0.0, x_ptr.dtype.element_ty),)  # type: ignore[assignment]  # noqa: RUF005
        last_dy = last_dy + (tl.full((BLOCK_N,), 0.0, dy_ptr.dtype.element_ty),)  # type: ignore[assignment]  # noqa: RUF005
    last_mean = tl.full((1,), 0.0, tl.float32)
    last_rstd = tl.full((1,), 0.0, tl.float32)
    last_c1 = tl.full((), 0.0, tl.float32)
    last_c2 = tl.full((), 0.0, tl.float32)
    for row in tl.range(group, M + groups, groups, num_stages=STAGES):
        wide = tl.full((), row, tl.int64)
        here = row < M
        before = wide - groups
        there = (before >= 0) & (before < M)
        word_pointers = words_ptr + before * SLICES + others if words_ptr is not None else 0
        x = ()
        dy = ()
        for block in tl.static_range(BLOCKS):
            columns = first + block * BLOCK_N + lanes
            mask = here if block < FULL else (columns < end) & here
            x_block = load_tile(x_ptr + wide * x_stride + columns, mask, False)
            dy_block = load_tile(dy_ptr + wide * dy_stride + columns, mask, False)
            x = x + (x_block,)  # type: ignore[assignment]  # noqa: RUF005
            dy = dy + (dy_block,)  # type: ignore[assignment]  # noqa: RUF005
        mean = tl.load(mean_ptr + row + one, mask=row + one < M, other=0.0)
        rstd = tl.load(rstd_ptr + row + one, mask=row + one < M, other=0.0)
        if PUBLISH:
            c1s = tl.full((BLOCK_N,), 0.0, tl.float32)
            c2s = tl.full((BLOCK_N,), 0.0, tl.float32)
            for block in tl.static_range(BLOCKS):
                xhat = (x[block].to(tl.float32) - mean) * rstd
                if block >= FULL:
                    xhat = tl.where(first + block * BLOCK_N + lanes < end, xhat, 0.0)
                wdy = dy[block].to(tl.float32)
                if weight_ptr is not None:
                    wdy *= weights[block].to(tl.float32)
                c1s += xhat * wdy
                c2s += wdy
        if words_ptr is not None:
            words = peek(word_pointers, (parts < SLICES) & there)
        turn_pointer = turn_ptr + (wide * SLICES + part) * 3
        if PUBLISH:
            own_c1, own_c2 = row_sums(c1s, c2s, 0)
            # Before the word is out, so that nobody can be seen to have read it earlier.
            tl.store(turn_pointer, now(steps_ptr))
            if words_ptr is not None:
                tl.atomic_xchg(words_ptr + wide * SLICES + part, packed(own_c1, own_c2), mask=here, sem="relaxed")
        else:
            tl.store(turn_pointer, now(steps_ptr))
        if words_ptr is not None:
            c1s, c2s = unpacked(arrived(word_pointers, words))
            c1 = tl.sum(c1s, axis=0) / N * last_rstd
            c2 = tl.sum(c2s, axis=0) / N * last_rstd
        else:
            c1 = last_c1 / N * last_rstd
            c2 = last_c2 / N * last_rstd
        tl.store(turn_pointer + 1, now(steps_ptr))
        with_row_dw = ()
        with_row_db = ()
        for block in tl.static_range(BLOCKS):
            columns = first + block * BLOCK_N + lanes
            xhat = (last_x[block].to(tl.float32) - last_mean) * last_rstd
            if block >= FULL:
                xhat = tl.where(columns < end, xhat, 0.0)
            gradient = last_dy[block].to(tl.float32)
            wdy = gradient
            if weight_ptr is not None:
                wdy *= weights[block].to(tl.float32)
            dx = rounded(wdy * last_rstd - (xhat * c1 + c2), dx_ptr.dtype.element_ty)
            done = there if block < FULL else (columns < end) & there
            tl.store(dx_ptr + before * dx_stride + columns, dx, mask=done, cache_modifier=".cs")
            with_row_dw = with_row_dw + (dw[block] + gradient * xhat,)  # noqa: RUF005
            with_row_db = with_row_db + (db[block] + gradient,)  # noqa: RUF005
        dw = with_row_dw
        db = with_row_db
        last_x = x
        last_dy = dy
        last_mean = mean
        last_rstd = rstd
        if PUBLISH and words_ptr is None:
            last_c1 = own_c1
            last_c2 = own_c2
        tl.store(turn_pointer + 2, now(steps_ptr))
    let_next_kernel_start(OVERLAP)
    begin = now(steps_ptr)
    for block in tl.static_range(BLOCKS):
        columns = first + block * BLOCK_N + lanes
        at = group.to(tl.int64) * N + columns
        tl.store(partial_dw_ptr + at, dw[block], mask=columns < end)
        tl.store(partial_db_ptr + at, db[block], mask=columns < end)
    wait_until_written()
    finished = now(steps_ptr)
    program = tl.program_id(0)
    tl.store(times_ptr + tl.num_programs(0) + program, begin)
    tl.store(times_ptr + 2 * tl.num_programs(0) + program, finished)
    tl.store(sm_ptr + program, place())


@dataclass(frozen=True, slots=True)
class SplitTraceMemory:
    """Device memory that the traced stages write."""

    turns: torch.Tensor  # [M + groups, slices, 3] int64
    times: torch.Tensor  # [3, programs] int64
    sm: torch.Tensor  # [programs] int32
    sums: SumRecord
    steps: torch.Tensor | None  # what the interpreter counts events in

    @classmethod
    def allocate(cls, m: int, n: int, settings: SplitSettings, device: torch.device) -> "SplitTraceMemory":
        """Memory for x [m, n], not initialised."""
        groups = groups_for(m, settings)
        return cls(
            torch.empty((m + groups, settings.slices, 3), dtype=torch.int64, device=device),
            torch.empty((3, groups * settings.slices), dtype=torch.int64, device=device),
            torch.empty(groups * settings.slices, dtype=torch.int32, device=device),
            SumRecord.allocate(n, settings.reduce, device),
            steps_from_zero(device),
        )


def launch_traced(
    x: torch.Tensor,
    dy: torch.Tensor,
    weight: torch.Tensor | None,
    mean: torch.Tensor,
    rstd: torch.Tensor,
    settings: SplitSettings,
    workspace: SplitWorkspace,
    memory: SplitTraceMemory,
    *,
    dx: torch.Tensor,
    dw: torch.Tensor,
    db: torch.Tensor,
) -> None:
    """Both stages as `lnkernels.split.launch_backward` runs them, traced.

    On the interpreter all sums that others need are published before.

    Arguments and shapes are those of `launch_backward`, and memory for the same shape and settings. Allocates nothing.
    """
    m, n = x.shape
    groups, width = groups_for(m, settings), slice_width(n, settings)
    tensors = (x, dy, dx, weight, mean, rstd, workspace.words, workspace.sums.dw, workspace.sums.db)
    numbers = (x.stride(0), dy.stride(0), dx.stride(0), m, n)
    constants = {
        "WIDTH": width,
        "SLICES": settings.slices,
        "BLOCK_S": triton.next_power_of_2(settings.slices),
        "BLOCK_N": settings.block_n,
        "BLOCKS": ceil_div(width, settings.block_n),
        "FULL": min(width, n - (settings.slices - 1) * width) // settings.block_n,
        "STAGES": settings.num_stages,
        "OVERLAP": settings.reduce.overlap,
        "STEP": loaded_step(x, dy, dx),
        "num_warps": settings.num_warps,
        "maxnreg": registers_at_most(settings),
    }
    grid = (groups * settings.slices,)
    if workspace.words is not None:
        fill(workspace.words, EMPTY)
    before = IS_INTERPRETED and workspace.words is not None
    if before:
        launch_kernel(split_kernel, grid, *tensors, *numbers, PUBLISH=True, FINISH=False, **constants)
    cooperative = {} if IS_INTERPRETED or workspace.words is None else {"launch_cooperative_grid": True}
    written = (memory.turns, memory.times, memory.sm, memory.steps)
    launch_kernel(traced_split_kernel, grid, *tensors, *written, *numbers, PUBLISH=not before, **constants, **cooperative)
    launch_traced_sum(groups, n, workspace.sums, settings.reduce, memory.sums, memory.steps, dw=dw, db=db)


def registers_at_most(settings: SplitSettings) -> int | None:
    """Registers a thread of the traced kernel may use, which uses some more than the plain one: all programs have to be resident.

    None where the compiler keeps to it unasked.
    """
    if settings.max_registers is not None or settings.programs_per_sm == 1:
        return settings.max_registers
    most = REGISTERS_PER_SM // (settings.programs_per_sm * settings.num_warps * 32) // 8 * 8
    return most if most < MOST_REGISTERS else None


def trace_backward(
    x: torch.Tensor,
    dy: torch.Tensor,
    weight: torch.Tensor | None,
    mean: torch.Tensor,
    rstd: torch.Tensor,
    settings: SplitSettings,
    *,
    dx: torch.Tensor,
    dw: torch.Tensor,
    db: torch.Tensor,
) -> StrategyTimeline:
    """Run `launch_traced` and read what it wrote. On a GPU it runs several times, and the last is recorded.

    Arguments and shapes are those of `launch_traced`; the workspace is allocated here.
    """
    m, n = x.shape
    workspace = SplitWorkspace.allocate(m, n, settings, x.device)
    memory = SplitTraceMemory.allocate(m, n, settings, x.device)
    tick = measured_tick(x.device)
    carry_out(
        lambda: launch_traced(x, dy, weight, mean, rstd, settings, workspace, memory, dx=dx, dw=dw, db=db),
        x.device,
    )
    groups, times = groups_for(m, settings), memory.times.cpu().numpy()
    pieces, waits = turns_of_rows(memory.turns.cpu().numpy(), times[0], groups)
    rows, parts = np.divmod(np.arange(m * settings.slices, dtype=np.int32), np.int32(settings.slices))
    program = rows % np.int32(max(groups, 1)) * np.int32(settings.slices) + parts
    sm = memory.sm.cpu().numpy()
    return pass_trace(
        "split",
        m,
        n,
        1,
        program,
        pieces,
        times,
        sm,
        memory.sums,
        tick,
        first_row=rows,
        waits=waits,
        slices=settings.slices,
    )


def turns_of_rows(turns: Times, starts: Times, groups: int) -> tuple[Times, Times]:
    """When each program turned to its slice of each row and had finished it, and when it began and ended to wait in between.

    Args:
        turns: [M + groups, slices, 3] as the kernel writes them: what is written of a row is in the turn of the row groups later.
        starts: [programs] of the programs.
        groups: rows at work at one time.

    Returns:
        Two arrays [2, M * slices]: begin and end of the turns, begin and end of the waits; the slices of a row together.
    """
    rows_and_more, slices, _ = turns.shape
    known, there, written = np.moveaxis(turns, -1, 0)
    ready = written[groups:]
    begin = np.empty_like(ready)
    begin[:groups] = starts.reshape(groups, slices)[: ready.shape[0]]
    begin[groups:] = ready[: max(rows_and_more - 2 * groups, 0)]
    waits = (known[groups:], there[groups:])
    return np.stack((begin, ready)).reshape(2, -1), np.stack(waits).reshape(2, -1)
