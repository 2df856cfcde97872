"""The `locked` backward strategy: rows add their partial dw and db into GROUP_SIZE_M buffers, each guarded by a spin lock.

Stage 1, one program a row: dx of the row, then its partial sums into buffer row % GROUP_SIZE_M. Stage 2, one program per
BLOCK_SIZE_N columns: the buffers' sum. After Triton's documentation, "Layer Normalization" (tutorial 05), with its faults mended.
"""

from __future__ import annotations  # torch is imported where memory is allocated; compiling must not wait for it

from dataclasses import dataclass
from typing import TYPE_CHECKING

import triton
import triton.language as tl

from lnkernels.interpreter import INTERPRETED, device_function, rounded
from lnkernels.launch import LaunchConfig, ceil_div
from lnkernels.launch.consequences import buffers_in_use
from lnkernels.replay import fill, launch_kernel

if TYPE_CHECKING:
    import torch


WIDEST_IN_REGISTERS = tl.constexpr(16384)  # columns whose own sums registers hold
WIDEST_OF_BOTH = tl.constexpr(8192)  # columns of which they also hold what both float32 buffers bring


@device_function
def wait_for_all_threads():
    """The one place that names Triton's block-wide barrier."""
    tl.debug_barrier()


@device_function
def acquire(lock_ptr):
    """Spin until this program has turned the lock from 0 to 1; returns how many times it tried."""
    tries = tl.full((), 1, tl.int32)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        tries += 1
    return tries


@device_function
def columns_of_row(
    dw_buffer_ptr,
    db_buffer_ptr,
    BLOCK_SIZE_N: tl.constexpr,  # noqa: N803
):
    """The numbers of a row's columns, which a thread takes in runs as long as what it stores to a buffer at once, 16 bytes.

    With runs as long as a load of half precision, threads would exchange sums before each store to float32 buffers, through
    shared memory and with a barrier, while they hold the lock. Rows whose own sums spill have the usual runs: with shorter ones
    more spills.
    """
    if BLOCK_SIZE_N > WIDEST_IN_REGISTERS:
        return tl.arange(0, BLOCK_SIZE_N)
    elif dw_buffer_ptr is not None:  # noqa: RET505 - the compiler drops the branch not taken only where there is an else
        return tl.max_contiguous(tl.arange(0, BLOCK_SIZE_N), 128 // dw_buffer_ptr.dtype.element_ty.primitive_bitwidth)
    elif db_buffer_ptr is not None:
        return tl.max_contiguous(tl.arange(0, BLOCK_SIZE_N), 128 // db_buffer_ptr.dtype.element_ty.primitive_bitwidth)
    else:
        return tl.arange(0, BLOCK_SIZE_N)


@device_function
def added_in_one_trip(partial_dw, partial_db, dw_buffer_ptr, db_buffer_ptr, order, columns, mask):
    """A row's partial sums with what is in the buffers, where registers hold what both bring.

    The lock is held for one trip to memory. Left to itself, the compiler begins to add when the first load is there, and asks for
    others only then. The loop runs once, as no place in a lock's order reaches the number of programs; but no compiler knows, so
    what is loaded before the loop is asked for before all that is added in it.
    """
    dw_before = tl.load(dw_buffer_ptr + columns, mask=mask, other=0.0)
    db_before = tl.load(db_buffer_ptr + columns, mask=mask, other=0.0)
    for _ in range(0, order, tl.num_programs(0)):
        partial_dw += dw_before
        partial_db += db_before
    return partial_dw, partial_db


@device_function
def added_in_two_trips(partial_dw, partial_db, dw_buffer_ptr, db_buffer_ptr, order, columns, mask):
    """The same where registers hold what one buffer brings; loops as in `added_in_one_trip`."""
    dw_before = tl.load(dw_buffer_ptr + columns, mask=mask, other=0.0)
    for _ in range(0, order, tl.num_programs(0)):
        partial_dw += dw_before
    db_before = tl.load(db_buffer_ptr + columns, mask=mask, other=0.0)
    for _ in range(0, order, tl.num_programs(0)):
        partial_db += db_before
    return partial_dw, partial_db


@device_function
def added_as_loaded(partial_dw, partial_db, dw_buffer_ptr, db_buffer_ptr, columns, mask):
    """The same where nothing is to be gained: loads of half precision come together by themselves, and wide rows spill."""
    partial_dw += tl.load(dw_buffer_ptr + columns, mask=mask, other=0.0).to(tl.float32)
    partial_db += tl.load(db_buffer_ptr + columns, mask=mask, other=0.0).to(tl.float32)
    return partial_dw, partial_db


@device_function
def both_fit(columns):
    """Whether registers hold what both float32 buffers bring of these columns, beside the row's own sums."""
    if INTERPRETED:
        return columns.shape[0] <= WIDEST_OF_BOTH
    else:  # noqa: RET505
        return columns.shape[0] <= WIDEST_OF_BOTH and columns.shape[0] <= 32 * tl.extra.cuda.num_threads()


@device_function
def with_rows_before(partial_dw, partial_db, dw_buffer_ptr, db_buffer_ptr, order, columns, mask):
    """A row's partial sums with what the rows before it have left in the buffers; order is above 0."""
    if dw_buffer_ptr is None:
        return partial_dw, partial_db + tl.load(db_buffer_ptr + columns, mask=mask, other=0.0).to(tl.float32)
    elif db_buffer_ptr is None:  # noqa: RET505
        return partial_dw + tl.load(dw_buffer_ptr + columns, mask=mask, other=0.0).to(tl.float32), partial_db
    elif dw_buffer_ptr.dtype.element_ty != tl.float32 or columns.shape[0] > WIDEST_IN_REGISTERS:
        return added_as_loaded(partial_dw, partial_db, dw_buffer_ptr, db_buffer_ptr, columns, mask)
    elif both_fit(columns):
        return added_in_one_trip(partial_dw, partial_db, dw_buffer_ptr, db_buffer_ptr, order, columns, mask)
    else:
        return added_in_two_trips(partial_dw, partial_db, dw_buffer_ptr, db_buffer_ptr, order, columns, mask)


@device_function
def add_to_buffers(
    partial_dw,
    partial_db,
    dw_buffer_ptr,
    db_buffer_ptr,
    count_ptr,
    columns,
    mask,
    BARRIER: tl.constexpr,  # noqa: N803
):
    """Add a row's partial sums into the buffers of the lock that is held; returns the row's place in the lock's order."""
    # The result of an atomic reaches all threads through a block-wide barrier, so none reads the count after it is raised.
    # With a plain load some warps may, if others run ahead to the store below.
    order = tl.atomic_add(count_ptr, 1, sem="relaxed") if BARRIER else tl.load(count_ptr)
    if order != 0:  # nobody has written the buffers before the first row; later rows add to them
        partial_dw, partial_db = with_rows_before(partial_dw, partial_db, dw_buffer_ptr, db_buffer_ptr, order, columns, mask)
    if dw_buffer_ptr is not None:
        tl.store(dw_buffer_ptr + columns, rounded(partial_dw, dw_buffer_ptr.dtype.element_ty), mask=mask)
    if db_buffer_ptr is not None:
        tl.store(db_buffer_ptr + columns, rounded(partial_db, db_buffer_ptr.dtype.element_ty), mask=mask)
    # One thread gives the lock back. Without the barrier it may do so while others still store.
    if BARRIER:
        wait_for_all_threads()
    else:
        tl.store(count_ptr, order + 1)
    return order


@device_function
def release(lock_ptr):
    """Give a held lock back, everything stored before it visible to the next holder."""
    tl.atomic_xchg(lock_ptr, 0)


@device_function
def row_gradients(x_ptr, dy_ptr, dx_ptr, weight_ptr, mean_ptr, rstd_ptr, row, N, columns, mask):  # noqa: N803
    """Write dx of one row (where dx_ptr is not None); returns the row's partial dw and db in float32.

    x_ptr, dy_ptr and dx_ptr point at the row's first column.
    """
    x = tl.load(x_ptr + columns, mask=mask, other=0.0).to(tl.float32)
    dy = tl.load(dy_ptr + columns, mask=mask, other=0.0).to(tl.float32)
    rstd = tl.load(rstd_ptr + row)
    xhat = tl.where(mask, (x - tl.load(mean_ptr + row)) * rstd, 0.0)
    if dx_ptr is not None:
        wdy = dy
        if weight_ptr is not None:
            wdy = dy * tl.load(weight_ptr + columns, mask=mask, other=0.0).to(tl.float32)
        c1 = tl.sum(xhat * wdy, axis=0) / N
        c2 = tl.sum(wdy, axis=0) / N
        dx = (wdy - (xhat * c1 + c2)) * rstd
        tl.store(dx_ptr + columns, rounded(dx, dx_ptr.dtype.element_ty), mask=mask)
    return dy * xhat, dy


@triton.jit
def stage1_kernel(
    x_ptr,  # [M, N], columns adjacent, as dy and dx
    dy_ptr,
    dx_ptr,  # written, or None
    weight_ptr,  # [N], or None for ones
    mean_ptr,  # [M] float32
    rstd_ptr,  # [M] float32
    partial_dw_ptr,  # [min(GROUP_SIZE_M, M), N], or None where dw is not wanted
    partial_db_ptr,  # the same, for db
    locks_ptr,  # [2 * GROUP_SIZE_M] int32 zeros: the locks, then the counts; None where neither dw nor db is wanted
    x_stride,  # elements from one row to the next
    dy_stride,
    dx_stride,
    N,  # noqa: N803 - columns of a row
    GROUP_SIZE_M: tl.constexpr,  # noqa: N803 - number of buffers
    BLOCK_SIZE_N: tl.constexpr,  # noqa: N803 - at least N: there is no loop over columns
    BARRIER: tl.constexpr,  # noqa: N803
):
    row = tl.program_id(0).to(tl.int64)  # a row's address passes 2**31 elements
    columns = columns_of_row(partial_dw_ptr, partial_db_ptr, BLOCK_SIZE_N)
    mask = columns < N
    x_ptr += row * x_stride
    dy_ptr += row * dy_stride
    if dx_ptr is not None:
        dx_ptr += row * dx_stride
    partial_dw, partial_db = row_gradients(x_ptr, dy_ptr, dx_ptr, weight_ptr, mean_ptr, rstd_ptr, row, N, columns, mask)
    if locks_ptr is not None:
        buffer = row % GROUP_SIZE_M
        if partial_dw_ptr is not None:
            partial_dw_ptr += buffer * N
        if partial_db_ptr is not None:
            partial_db_ptr += buffer * N
        acquire(locks_ptr + buffer)
        add_to_buffers(
            partial_dw,
            partial_db,
            partial_dw_ptr,
            partial_db_ptr,
            locks_ptr + GROUP_SIZE_M + buffer,
            columns,
            mask,
            BARRIER,
        )
        release(locks_ptr + buffer)


@device_function
def sum_buffers(
    partial_ptr,
    out_ptr,
    buffers,
    columns,
    N,  # noqa: N803
    BLOCK_SIZE_M: tl.constexpr,  # noqa: N803
    BLOCK_SIZE_N: tl.constexpr,  # noqa: N803
):
    """Sum some columns over all buffers, BLOCK_SIZE_M buffers a step, and write them."""
    total = tl.full((BLOCK_SIZE_M, BLOCK_SIZE_N), 0.0, tl.float32)
    for start in range(0, buffers, BLOCK_SIZE_M):
        rows = start + tl.arange(0, BLOCK_SIZE_M)
        mask = (rows[:, None] < buffers) & (columns[None, :] < N)
        addresses = rows[:, None].to(tl.int64) * N + columns[None, :]
        total += tl.load(partial_ptr + addresses, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + columns, rounded(tl.sum(total, axis=0), out_ptr.dtype.element_ty), mask=columns < N)


@triton.jit
def stage2_kernel(
    partial_dw_ptr,  # [buffers, N], or None
    partial_db_ptr,  # [buffers, N], or None
    dw_ptr,  # [N], written, or None
    db_ptr,  # [N], written, or None
    buffers,  # how many hold sums: min(GROUP_SIZE_M, M)
    N,  # noqa: N803
    BLOCK_SIZE_M: tl.constexpr,  # noqa: N803 - buffers a step
    BLOCK_SIZE_N: tl.constexpr,  # noqa: N803 - columns a program
):
    columns = tl.program_id(0) * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    if dw_ptr is not None:
        sum_buffers(partial_dw_ptr, dw_ptr, buffers, columns, N, BLOCK_SIZE_M, BLOCK_SIZE_N)
    if db_ptr is not None:
        sum_buffers(partial_db_ptr, db_ptr, buffers, columns, N, BLOCK_SIZE_M, BLOCK_SIZE_N)


@dataclass(frozen=True, slots=True)
class LockedWorkspace:
    """Device memory that the two stages share. Its contents before a launch do not matter."""

    partial_dw: torch.Tensor  # [min(GROUP_SIZE_M, M), N]
    partial_db: torch.Tensor  # [min(GROUP_SIZE_M, M), N]
    locks_and_counts: torch.Tensor  # [2 * GROUP_SIZE_M] int32: the locks, then the counts

    @classmethod
    def allocate(cls, m: int, n: int, dtype: torch.dtype, launch: LaunchConfig, device: torch.device | str) -> LockedWorkspace:
        """Memory for x [m, n] of `dtype`, not initialised."""
        import torch  # noqa: PLC0415

        buffers = buffers_in_use(m, launch)
        partial_dtype = torch.float32 if launch.partial_dtype == "float32" else dtype
        return cls(
            partial_dw=torch.empty((buffers, n), dtype=partial_dtype, device=device),
            partial_db=torch.empty((buffers, n), dtype=partial_dtype, device=device),
            locks_and_counts=torch.empty(2 * launch.group_size_m, dtype=torch.int32, device=device),
        )


def launch_stage1(
    x: torch.Tensor,
    dy: torch.Tensor,
    weight: torch.Tensor | None,
    mean: torch.Tensor,
    rstd: torch.Tensor,
    launch: LaunchConfig,
    workspace: LockedWorkspace | None,
    *,
    dx: torch.Tensor | None,
    partial_dw: bool = True,
    partial_db: bool = True,
) -> None:
    """Write dx, and add the partial sums into the workspace, whose locks and counts must be zero. Allocates nothing.

    Args and shapes are those of `launch_backward`; `partial_dw` and `partial_db` say which partial sums are wanted.
    """
    m, n = x.shape
    with_sums = workspace is not None and (partial_dw or partial_db)
    launch_kernel(
        stage1_kernel,
        (m,),
        x,
        dy,
        dx,
        weight,
        mean,
        rstd,
        workspace.partial_dw if workspace is not None and partial_dw else None,
        workspace.partial_db if workspace is not None and partial_db else None,
        workspace.locks_and_counts if workspace is not None and with_sums else None,
        x.stride(0),
        dy.stride(0),
        dx.stride(0) if dx is not None else 0,
        n,
        GROUP_SIZE_M=launch.group_size_m,
        BLOCK_SIZE_N=launch.block_size_n,
        BARRIER=launch.barrier,
        num_warps=launch.num_warps,
        num_stages=launch.num_stages,
    )


def launch_stage2(launch: LaunchConfig, workspace: LockedWorkspace, *, dw: torch.Tensor | None, db: torch.Tensor | None) -> None:
    """Write dw and db [N], where not None, as the sums of the workspace's buffers. Allocates nothing."""
    buffers, n = workspace.partial_dw.shape
    launch_kernel(
        stage2_kernel,
        (ceil_div(n, launch.reduce_block_size_n),),
        workspace.partial_dw,
        workspace.partial_db,
        dw,
        db,
        buffers,
        n,
        BLOCK_SIZE_M=launch.reduce_block_size_m,
        BLOCK_SIZE_N=launch.reduce_block_size_n,
        num_warps=launch.reduce_num_warps,
        num_stages=launch.num_stages,
    )


def launch_backward(
    x: torch.Tensor,
    dy: torch.Tensor,
    weight: torch.Tensor | None,
    mean: torch.Tensor,
    rstd: torch.Tensor,
    launch: LaunchConfig,
    workspace: LockedWorkspace | None,
    *,
    dx: torch.Tensor | None,
    dw: torch.Tensor | None,
    db: torch.Tensor | None,
) -> None:
    """Both stages, the locks and counts zeroed before them. Checks nothing, allocates nothing.

    Args:
        x: [M, N], any row stride, column stride 1.
        dy: [M, N], any row stride (0 too), column stride 1.
        weight: [N] contiguous, or None.
        mean: [M] float32, from the forward pass.
        rstd: [M] float32, from the forward pass.
        launch: every setting but block_size is used.
        workspace: allocated for this shape and launch; None is enough where neither dw nor db is wanted.
        dx: [M, N] written, any row stride, column stride 1; None where it is not wanted.
        dw: [N] contiguous, written; None where it is not wanted.
        db: [N] contiguous, written; None where it is not wanted.

    Raises:
        ValueError: dw or db is wanted without a workspace.
    """
    with_sums = dw is not None or db is not None
    if workspace is None and with_sums:
        raise ValueError("workspace = None is not possible: dw and db are summed in its buffers")
    if workspace is not None and with_sums:
        fill(workspace.locks_and_counts, 0)
    if with_sums or dx is not None:
        launch_stage1(
            x,
            dy,
            weight,
            mean,
            rstd,
            launch,
            workspace,
            dx=dx,
            partial_dw=dw is not None,
            partial_db=db is not None,
        )
    if workspace is not None and with_sums:
        launch_stage2(launch, workspace, dw=dw, db=db)
