"""The `locked` backward strategy: rows add their partial dw and db into GROUP_SIZE_M buffers, each
guarded by a spin lock.

Stage 1, one program a row: dx of the row, then its partial sums into buffer row % GROUP_SIZE_M.
Stage 2, one program per BLOCK_SIZE_N columns: the buffers' sum. After Triton's documentation,
"Layer Normalization" (tutorial 05), with its faults mended.

A trace tells when each row wanted its lock, held it and gave it back, where, and in which order;
and for small shapes what the buffers held. It must not lengthen the time between taking a lock and
giving it back, for which all rows of the lock wait in turn. So nothing is waited for there and no
trip to memory is added; three values are kept (the lower half of a time, the tries, the place in
the order), and the compiler may use no more registers than the warps of a launch that is not traced
are given: then as many programs are resident. Where it lacks one, at 1024 and 2048 columns, it
stores one value in memory of its own.

`lnkernels.trace.lock_trace` has a trace's memory, and reads it.
"""

# torch is named in annotations only: processes that compile kernels ahead need not wait the two
# seconds that its import takes.
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import triton
import triton.language as tl

from lnkernels.interpreter import INTERPRETED, IS_INTERPRETED, device_function
from lnkernels.language.clock import (
    cycles,
    low_reading,
    note,
    note_event,
    note_place,
    reading,
    stamp_tile,
)
from lnkernels.language.device_functions import of_mean, wait_for_all_threads
from lnkernels.language.launching import empty, fill, launch_kernel
from lnkernels.language.stamps import stamp
from lnkernels.launch import Launch, ceil_div
from lnkernels.passes.arguments import BackwardTensors
from lnkernels.passes.forward import launch_three_walks
from lnkernels.trace.lock_trace import LockTrace
from lnkernels.trace.memory import TileTrace, pointers_of, registers_of
from lnkernels.values.timeline import ReductionTimeline

if TYPE_CHECKING:
    from torch import Tensor


WIDEST_IN_REGISTERS = tl.constexpr(16384)  # columns whose own sums registers hold
# Columns of which they also hold what both float32 buffers bring.
WIDEST_OF_BOTH = tl.constexpr(8192)


@device_function
def acquire(lock_ptr):
    """Spin until this program has set the lock from 0 to 1; return how many times it tried."""
    tries = tl.full((), 1, tl.int32)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        tries += 1
    return tries


@device_function
def columns_of_row(dw_buffer_ptr, db_buffer_ptr, BLOCK_SIZE_N: tl.constexpr):
    """Return a row's column numbers, laid out so that a thread stores 16 bytes to a buffer at once.

    With runs as long as a load of half precision, threads would exchange sums before each store to
    float32 buffers, through shared memory and with a barrier, while they hold the lock. Rows whose
    own sums spill have the usual runs: with shorter ones more spills.
    """
    if BLOCK_SIZE_N > WIDEST_IN_REGISTERS:
        return tl.arange(0, BLOCK_SIZE_N)
    elif (
        dw_buffer_ptr is not None
    ):  # the compiler drops the branch not taken only where there is an else
        return tl.max_contiguous(
            tl.arange(0, BLOCK_SIZE_N), 128 // dw_buffer_ptr.dtype.element_ty.primitive_bitwidth
        )
    elif db_buffer_ptr is not None:
        return tl.max_contiguous(
            tl.arange(0, BLOCK_SIZE_N), 128 // db_buffer_ptr.dtype.element_ty.primitive_bitwidth
        )
    else:
        return tl.arange(0, BLOCK_SIZE_N)


@device_function
def added_in_one_trip(partial_dw, partial_db, dw_buffer_ptr, db_buffer_ptr, order, columns, mask):
    """Add what both buffers hold to a row's partial sums, where registers suffice for both at once.

    The lock is held for one trip to memory. Left to itself, the compiler begins to add when the
    first load is there, and asks for others only then. The loop runs once, as no place in a lock's
    order reaches the number of programs; but no compiler knows, so what is loaded before the loop
    is asked for before all that is added in it.
    """
    dw_before = tl.load(dw_buffer_ptr + columns, mask=mask, other=0.0)
    db_before = tl.load(db_buffer_ptr + columns, mask=mask, other=0.0)
    for _ in range(0, order, tl.num_programs(0)):
        partial_dw += dw_before
        partial_db += db_before
    return partial_dw, partial_db


@device_function
def added_in_two_trips(partial_dw, partial_db, dw_buffer_ptr, db_buffer_ptr, order, columns, mask):
    """Add one buffer after the other, where registers suffice for one; loops as in
    `added_in_one_trip`.
    """
    dw_before = tl.load(dw_buffer_ptr + columns, mask=mask, other=0.0)
    for _ in range(0, order, tl.num_programs(0)):
        partial_dw += dw_before
    db_before = tl.load(db_buffer_ptr + columns, mask=mask, other=0.0)
    for _ in range(0, order, tl.num_programs(0)):
        partial_db += db_before
    return partial_dw, partial_db


@device_function
def added_as_loaded(partial_dw, partial_db, dw_buffer_ptr, db_buffer_ptr, columns, mask):
    """Add both buffers plainly, where order gains nothing: loads of half precision come together by
    themselves, and wide rows spill.
    """
    partial_dw += tl.load(dw_buffer_ptr + columns, mask=mask, other=0.0).to(tl.float32)
    partial_db += tl.load(db_buffer_ptr + columns, mask=mask, other=0.0).to(tl.float32)
    return partial_dw, partial_db


@device_function
def both_fit(columns):
    """Return True if registers hold these columns of both float32 buffers beside the row's own
    sums.
    """
    if INTERPRETED:
        return columns.shape[0] <= WIDEST_OF_BOTH
    else:
        return (
            columns.shape[0] <= WIDEST_OF_BOTH
            and columns.shape[0] <= 32 * tl.extra.cuda.num_threads()
        )


@device_function
def with_rows_before(partial_dw, partial_db, dw_buffer_ptr, db_buffer_ptr, order, columns, mask):
    """Return a row's partial sums plus what earlier rows left in the buffers; order is above 0."""
    if dw_buffer_ptr is None:
        return partial_dw, partial_db + tl.load(db_buffer_ptr + columns, mask=mask, other=0.0).to(
            tl.float32
        )
    elif db_buffer_ptr is None:
        return (
            partial_dw + tl.load(dw_buffer_ptr + columns, mask=mask, other=0.0).to(tl.float32),
            partial_db,
        )
    elif dw_buffer_ptr.dtype.element_ty != tl.float32 or columns.shape[0] > WIDEST_IN_REGISTERS:
        return added_as_loaded(partial_dw, partial_db, dw_buffer_ptr, db_buffer_ptr, columns, mask)
    elif both_fit(columns):
        return added_in_one_trip(
            partial_dw, partial_db, dw_buffer_ptr, db_buffer_ptr, order, columns, mask
        )
    else:
        return added_in_two_trips(
            partial_dw, partial_db, dw_buffer_ptr, db_buffer_ptr, order, columns, mask
        )


@device_function
def add_to_buffers(
    partial_dw,
    partial_db,
    dw_buffer_ptr,
    db_buffer_ptr,
    count_ptr,
    columns,
    mask,
    BARRIER: tl.constexpr,
    ATOMIC_COUNT: tl.constexpr,
):
    """Add a row's partial sums into the buffers of the held lock; return the row's place in the
    lock's order.
    """
    # The result of an atomic reaches all threads through a block-wide barrier, so none reads the
    # count after it is raised. With a plain load and no barrier some warps may, if others run ahead
    # to the store below.
    order = tl.atomic_add(count_ptr, 1, sem="relaxed") if ATOMIC_COUNT else tl.load(count_ptr)
    if order != 0:  # nobody has written the buffers before the first row; later rows add to them
        partial_dw, partial_db = with_rows_before(
            partial_dw, partial_db, dw_buffer_ptr, db_buffer_ptr, order, columns, mask
        )
    if dw_buffer_ptr is not None:
        tl.store(dw_buffer_ptr + columns, partial_dw.to(dw_buffer_ptr.dtype.element_ty), mask=mask)
    if db_buffer_ptr is not None:
        tl.store(db_buffer_ptr + columns, partial_db.to(db_buffer_ptr.dtype.element_ty), mask=mask)
    if not ATOMIC_COUNT:
        if BARRIER:
            tl.debug_barrier()  # all have read it
        tl.store(count_ptr, order + 1)
    # One thread gives the lock back. Without the barrier it may do so while others still store.
    if BARRIER:
        wait_for_all_threads()
    return order


@device_function
def release(lock_ptr):
    """Release the lock, with everything stored before visible to the next holder."""
    tl.atomic_xchg(lock_ptr, 0)


@device_function
def row_gradients(x_ptr, dy_ptr, dx_ptr, weight_ptr, mean_ptr, rstd_ptr, row, N, columns, mask):
    """Write dx of one row, where dx_ptr is not None; return the row's partial dw and db in float32.

    x_ptr, dy_ptr and dx_ptr point at the row's first column.
    """
    x = tl.load(x_ptr + columns, mask=mask, other=0.0).to(tl.float32)
    dy = tl.load(dy_ptr + columns, mask=mask, other=0.0).to(tl.float32)
    rstd = tl.load(rstd_ptr + row)
    mean = tl.load(mean_ptr + row) if mean_ptr is not None else 0.0
    xhat = tl.where(mask, (x - mean) * rstd, 0.0)
    if dx_ptr is not None:
        wdy = dy
        if weight_ptr is not None:
            wdy = dy * tl.load(weight_ptr + columns, mask=mask, other=0.0).to(tl.float32)
        c1 = tl.sum(xhat * wdy, axis=0) / N
        c2 = of_mean(tl.sum(wdy, axis=0) / N, mean_ptr)
        dx = (wdy - (xhat * c1 + c2)) * rstd
        tl.store(dx_ptr + columns, dx.to(dx_ptr.dtype.element_ty), mask=mask)
    return dy * xhat, dy


@triton.jit
def stage1_kernel(
    x_ptr,  # [M, N], columns adjacent, as dy and dx
    dy_ptr,
    dx_ptr,  # written, or None
    weight_ptr,  # [N], or None for ones
    mean_ptr,  # [M] float32, or None for RMSNorm
    rstd_ptr,  # [M] float32
    partial_dw_ptr,  # [min(GROUP_SIZE_M, M), N], or None where dw is not wanted
    partial_db_ptr,  # the same, for db
    # [2 * GROUP_SIZE_M] int32 zeros: the locks, then the counts; None where neither dw nor db is
    # wanted
    locks_ptr,
    x_stride,  # elements from one row to the next
    dy_stride,
    dx_stride,
    N,  # columns of a row
    GROUP_SIZE_M: tl.constexpr,  # number of buffers
    BLOCK_SIZE_N: tl.constexpr,  # at least N: there is no loop over columns
    BARRIER: tl.constexpr,
    ATOMIC_COUNT: tl.constexpr,
    # What is written where the launch is traced, [M] of each; else None.
    order_ptr=None,  # int32: the row's place in its lock's order, from 0
    tries_ptr=None,  # int32: compare-and-swaps until the lock was held
    start_ptr=None,  # int64: the start in ns
    low_ptr=None,  # int32, three times: wanted, held, released, the lower halves of times in ns
    sm_ptr=None,  # int32
    steps_ptr=None,  # as `lnkernels.language.clock.now` takes it
    # int64, four times: the times by the SM's clock; None where the timer is fine enough, too
    cycles_ptr=None,
    # [2, M, N] float32: what the row adds to dw and to db; None where there is too much of it, too
    rows_ptr=None,
    after_ptr=None,  # [2, M, N] of the buffers' type: its buffers after it; None as before
    # of `stamps.allocate`: when each phase of a row begins, told at once; None where nobody watches
    watch_ptr=None,
):
    stamp(watch_ptr, "start")
    start = reading(start_ptr, steps_ptr)
    start_cycle = cycles(cycles_ptr)
    row = tl.program_id(0).to(tl.int64)  # a row's address passes 2**31 elements
    columns = columns_of_row(partial_dw_ptr, partial_db_ptr, BLOCK_SIZE_N)
    mask = columns < N
    x_ptr += row * x_stride
    dy_ptr += row * dy_stride
    if dx_ptr is not None:
        dx_ptr += row * dx_stride
    partial_dw, partial_db = row_gradients(
        x_ptr, dy_ptr, dx_ptr, weight_ptr, mean_ptr, rstd_ptr, row, N, columns, mask
    )
    if locks_ptr is not None:
        buffer = row % GROUP_SIZE_M
        if partial_dw_ptr is not None:
            partial_dw_ptr += buffer * N
        if partial_db_ptr is not None:
            partial_db_ptr += buffer * N
        note(start_ptr, row, start)
        note(cycles_ptr, row, start_cycle)
        note_event(low_ptr, cycles_ptr, 1, row, low_reading(low_ptr, steps_ptr), cycles(cycles_ptr))
        stamp(watch_ptr, "wanted", None, buffer)
        tries = acquire(locks_ptr + buffer)
        stamp(watch_ptr, "held")
        held = low_reading(low_ptr, steps_ptr)
        held_cycle = cycles(cycles_ptr)
        order = add_to_buffers(
            partial_dw,
            partial_db,
            partial_dw_ptr,
            partial_db_ptr,
            locks_ptr + GROUP_SIZE_M + buffer,
            columns,
            mask,
            BARRIER,
            ATOMIC_COUNT,
        )
        released = low_reading(low_ptr, steps_ptr)
        released_cycle = cycles(cycles_ptr)
        if after_ptr is not None:
            # While the lock is held, so that no other row has changed it; each thread reads what it
            # stored itself.
            after_ptr += row * N + columns
            tl.store(after_ptr, tl.load(partial_dw_ptr + columns, mask=mask), mask=mask)
            tl.store(
                after_ptr + tl.num_programs(0) * N,
                tl.load(partial_db_ptr + columns, mask=mask),
                mask=mask,
            )
        release(locks_ptr + buffer)
        stamp(watch_ptr, "released")
        if rows_ptr is not None:
            rows_ptr += row * N + columns
            tl.store(rows_ptr, partial_dw, mask=mask)
            tl.store(rows_ptr + tl.num_programs(0) * N, partial_db, mask=mask)
        note(order_ptr, row, order)
        note(tries_ptr, row, tries)
        note_event(low_ptr, cycles_ptr, 2, row, held, held_cycle)
        note_event(low_ptr, cycles_ptr, 3, row, released, released_cycle)
        note_place(sm_ptr, row)


@device_function
def sum_buffers(
    partial_ptr,
    out_ptr,
    buffers,
    columns,
    N,
    BLOCK_SIZE_M: tl.constexpr,
    BLOCK_SIZE_N: tl.constexpr,
):
    """Sum some columns over all buffers, BLOCK_SIZE_M buffers a step, and write them."""
    total = tl.full((BLOCK_SIZE_M, BLOCK_SIZE_N), 0.0, tl.float32)
    for start in range(0, buffers, BLOCK_SIZE_M):
        rows = start + tl.arange(0, BLOCK_SIZE_M)
        mask = (rows[:, None] < buffers) & (columns[None, :] < N)
        addresses = rows[:, None].to(tl.int64) * N + columns[None, :]
        total += tl.load(partial_ptr + addresses, mask=mask, other=0.0).to(tl.float32)
    tl.store(
        out_ptr + columns, tl.sum(total, axis=0).to(out_ptr.dtype.element_ty), mask=columns < N
    )


@triton.jit
def stage2_kernel(
    partial_dw_ptr,  # [buffers, N], or None
    partial_db_ptr,  # [buffers, N], or None
    dw_ptr,  # [N], written, or None
    db_ptr,  # [N], written, or None
    buffers,  # how many hold sums: min(GROUP_SIZE_M, M)
    N,
    BLOCK_SIZE_M: tl.constexpr,  # buffers a step
    BLOCK_SIZE_N: tl.constexpr,  # columns a program
    # [3, tiles] int64, written: set up, start and end; None unless traced, as the next two
    times_ptr=None,
    sm_ptr=None,  # [tiles] int32, written
    steps_ptr=None,  # as `lnkernels.language.clock.now` takes it
):
    start = reading(times_ptr, steps_ptr)
    columns = tl.program_id(0) * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    if dw_ptr is not None:
        sum_buffers(partial_dw_ptr, dw_ptr, buffers, columns, N, BLOCK_SIZE_M, BLOCK_SIZE_N)
    if db_ptr is not None:
        sum_buffers(partial_db_ptr, db_ptr, buffers, columns, N, BLOCK_SIZE_M, BLOCK_SIZE_N)
    stamp_tile(times_ptr, sm_ptr, start, start, steps_ptr)


@dataclass(frozen=True, slots=True)
class LockedWorkspace:
    """Device memory that the two stages share. Need not be initialised."""

    partial_dw: Tensor  # [min(GROUP_SIZE_M, M), N]
    partial_db: Tensor  # [min(GROUP_SIZE_M, M), N]
    locks_and_counts: Tensor  # [2 * GROUP_SIZE_M] int32: the locks, then the counts


launch_forward = launch_three_walks  # the tutorial's, in place of that of all others


def allocate_workspace(
    x: Tensor, launch: Launch, *, dw: bool = True, db: bool = True
) -> LockedWorkspace:
    m, n = x.shape
    buffers = min(launch.group_size_m, m), n  # no more than there are rows
    return LockedWorkspace(
        partial_dw=empty(buffers, _partial_dtype(x, launch), x.device),
        partial_db=empty(buffers, _partial_dtype(x, launch), x.device),
        locks_and_counts=empty((2 * launch.group_size_m,), "int32", x.device),
    )


def _partial_dtype(x: Tensor, launch: Launch) -> str:
    same = launch.partial_dtype == "same"
    return str(x.dtype).removeprefix("torch.") if same else "float32"


def launch_stage1(
    given: BackwardTensors,
    launch: Launch,
    workspace: LockedWorkspace,
    trace: LockTrace | Tensor | None = None,
) -> None:
    """Write dx, and add the partial sums that are wanted into the workspace, whose locks and counts
    must be zero. Rows stamp a trace that is memory of `stamps.allocate`.
    """
    m, n = given.x.shape
    arguments = (
        *given.pointers,
        workspace.partial_dw if given.dw is not None else None,
        workspace.partial_db if given.db is not None else None,
        workspace.locks_and_counts if given.with_sums else None,
        *given.strides,
        n,
    )
    constants = {
        "GROUP_SIZE_M": launch.group_size_m,
        "BLOCK_SIZE_N": launch.block_size_n,
        "BARRIER": launch.barrier,
        "ATOMIC_COUNT": launch.atomic_count,
        "num_warps": launch.num_warps,
        "num_stages": launch.num_stages,
    }
    traced: dict[str, Any] = {} if trace is None else {"watch_ptr": trace}
    narrow = True
    if isinstance(trace, LockTrace):
        traced, narrow = pointers_of(trace), trace.rows is None and trace.cycles is None
    if traced and narrow and not IS_INTERPRETED:
        traced["maxnreg"] = registers_of(stage1_kernel, (m,), *arguments, **constants)
    launch_kernel(stage1_kernel, (m,), *arguments, **constants, **traced)


def launch_stage2(
    given: BackwardTensors,
    launch: Launch,
    workspace: LockedWorkspace,
    trace: TileTrace | None = None,
) -> None:
    """Write dw and db, where wanted, as the sums of the workspace's buffers."""
    buffers, n = workspace.partial_dw.shape
    launch_kernel(
        stage2_kernel,
        (ceil_div(n, launch.reduce_block_size_n),),
        workspace.partial_dw,
        workspace.partial_db,
        given.dw,
        given.db,
        buffers,
        n,
        BLOCK_SIZE_M=launch.reduce_block_size_m,
        BLOCK_SIZE_N=launch.reduce_block_size_n,
        num_warps=launch.reduce_num_warps,
        num_stages=launch.num_stages,
        **pointers_of(trace),
    )


def launch_backward(
    given: BackwardTensors,
    launch: Launch,
    workspace: LockedWorkspace,
    trace: LockTrace | Tensor | None = None,
) -> None:
    """Launch both stages, after zeroing locks and counts. A LockTrace needs dw and db."""
    if given.with_sums:
        fill(workspace.locks_and_counts, 0)
    launch_stage1(given, launch, workspace, trace)
    if given.with_sums:
        launch_stage2(
            given, launch, workspace, trace.tiles if isinstance(trace, LockTrace) else None
        )


def allocate_trace(x: Tensor, launch: Launch, *, numbers: bool = False) -> LockTrace:
    """Allocate uninitialised memory for the trace of a pass over x [M, N]; `numbers` adds what
    every row added and left, 2·M·N numbers twice.
    """
    return LockTrace.allocate(x, launch, _partial_dtype(x, launch) if numbers else None)


def read_trace(
    x: Tensor, launch: Launch, trace: LockTrace, *, dw: Tensor, db: Tensor | None
) -> ReductionTimeline:
    """Return what a traced pass over x [M, N] wrote as a timeline, with the dw and db that it
    gave.
    """
    return trace.read(x, launch, dw, db)
