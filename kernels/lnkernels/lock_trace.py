"""Stage 1 of `locked`, instrumented: when each row wanted its lock, held it and gave it back, where, and in which order.
With it stage 2, by tile (`lnkernels.tile_trace`).

The arithmetic is that of `lnkernels.locked`, function by function; only clock reads and stores of a few numbers a row are added.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
import triton
import triton.language as tl

from lnkernels.interpreter import IS_INTERPRETED, ieee_arithmetic
from lnkernels.launch import LaunchConfig
from lnkernels.locked import LockedWorkspace, acquire, add_to_buffers, release, row_gradients
from lnkernels.tile_trace import TileRecord, launch_traced_stage2

_CLOCK_READS = 4096


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
    times_ptr,  # [4, M] int64, written: start, wanted, held, released in ns; None where there is no clock
    sm_ptr,  # [M] int32, written; None where there is no clock
    x_stride,
    dy_stride,
    dx_stride,
    N,  # noqa: N803
    GROUP_SIZE_M: tl.constexpr,  # noqa: N803
    BLOCK_SIZE_N: tl.constexpr,  # noqa: N803
    BARRIER: tl.constexpr,  # noqa: N803
):
    if times_ptr is not None:
        start = tl.extra.cuda.globaltimer()
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK_SIZE_N)
    mask = columns < N
    x_ptr += row * x_stride
    dy_ptr += row * dy_stride
    dx_ptr += row * dx_stride
    partial_dw, partial_db = row_gradients(x_ptr, dy_ptr, dx_ptr, weight_ptr, mean_ptr, rstd_ptr, row, N, columns, mask)
    buffer = row % GROUP_SIZE_M
    partial_dw_ptr += buffer * N
    partial_db_ptr += buffer * N
    count_ptr = locks_ptr + GROUP_SIZE_M + buffer
    if times_ptr is not None:
        wanted = tl.extra.cuda.globaltimer()
    tries = acquire(locks_ptr + buffer)
    if times_ptr is not None:
        held = tl.extra.cuda.globaltimer()
    order = add_to_buffers(partial_dw, partial_db, partial_dw_ptr, partial_db_ptr, count_ptr, columns, mask, BARRIER)
    if times_ptr is not None:
        released = tl.extra.cuda.globaltimer()
    release(locks_ptr + buffer)

    tl.store(order_ptr + row, order)
    tl.store(tries_ptr + row, tries)
    if times_ptr is not None:
        rows = tl.num_programs(0)
        tl.store(times_ptr + row, start)
        tl.store(times_ptr + rows + row, wanted)
        tl.store(times_ptr + 2 * rows + row, held)
        tl.store(times_ptr + 3 * rows + row, released)
        tl.store(sm_ptr + row, tl.extra.cuda.smid())


@triton.jit
def clock_kernel(times_ptr, reads):
    """Read the clock again and again."""
    for i in range(reads):
        tl.store(times_ptr + i, tl.extra.cuda.globaltimer())


@dataclass(frozen=True, slots=True)
class LockTrace:
    """What happened to each row in stage 1, arrays [M], and to each tile of columns in stage 2, arrays [tiles].

    Times are those of the GPU's global timer, in ns from the first row's start; two times closer than a tick cannot be told
    apart, and then `order` says who came first. On the interpreter, where programs run one after another, there are no times.
    """

    lock: npt.NDArray[np.int32]  # the row's lock and buffer
    order: npt.NDArray[np.int32]  # the row's place among those of its lock, from 0
    tries: npt.NDArray[np.int32]  # attempts until the lock was held, from 1
    start_ns: npt.NDArray[np.int64] | None
    wanted_ns: npt.NDArray[np.int64] | None
    held_ns: npt.NDArray[np.int64] | None
    released_ns: npt.NDArray[np.int64] | None
    sm: npt.NDArray[np.int32] | None  # the streaming multiprocessor that the row ran on
    tile_start_ns: npt.NDArray[np.int64] | None
    tile_end_ns: npt.NDArray[np.int64] | None
    tile_sm: npt.NDArray[np.int32] | None
    tick_ns: int | None  # the timer's step on this device, as measured


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
) -> LockTrace:
    """Both stages of the backward pass as `lnkernels.locked.launch_backward` runs them, traced.

    On a GPU both run twice and the second time is recorded, since the first pays for loading the kernels. Arguments and shapes
    are those of `launch_backward`.

    Returns:
        The trace, on the host.
    """
    m, n = x.shape
    order, tries = (torch.empty(m, dtype=torch.int32, device=x.device) for _ in range(2))
    times = None if IS_INTERPRETED else torch.empty((4, m), dtype=torch.int64, device=x.device)
    sm = None if IS_INTERPRETED else torch.empty(m, dtype=torch.int32, device=x.device)
    tiles = TileRecord.allocate(n, launch, x.device)
    for _ in range(1 if IS_INTERPRETED else 2):
        workspace.locks_and_counts.zero_()
        with ieee_arithmetic():
            traced_stage1_kernel[(m,)](
                x,
                dy,
                dx,
                weight,
                mean,
                rstd,
                workspace.partial_dw,
                workspace.partial_db,
                workspace.locks_and_counts,
                order,
                tries,
                times,
                sm,
                x.stride(0),
                dy.stride(0),
                dx.stride(0),
                n,
                GROUP_SIZE_M=launch.group_size_m,
                BLOCK_SIZE_N=launch.block_size_n,
                BARRIER=launch.barrier,
                num_warps=launch.num_warps,
                num_stages=launch.num_stages,
            )
        launch_traced_stage2(launch, workspace, tiles, dw=dw, db=db)
    if times is not None and tiles.times is not None and m:
        origin = times[0].min()
        times -= origin
        tiles.times.sub_(origin)
    start, wanted, held, released = times.cpu().numpy() if times is not None else (None,) * 4
    tile_start, tile_end = tiles.times.cpu().numpy() if tiles.times is not None else (None, None)
    return LockTrace(
        lock=np.arange(m, dtype=np.int32) % np.int32(launch.group_size_m),
        order=order.cpu().numpy(),
        tries=tries.cpu().numpy(),
        start_ns=start,
        wanted_ns=wanted,
        held_ns=held,
        released_ns=released,
        sm=sm.cpu().numpy() if sm is not None else None,
        tile_start_ns=tile_start,
        tile_end_ns=tile_end,
        tile_sm=tiles.sm.cpu().numpy() if tiles.sm is not None else None,
        tick_ns=measured_tick(x.device),
    )


def measured_tick(device: torch.device) -> int | None:
    """The least step, in ns, between two different readings of the device's global timer; None on the interpreter.

    A timer that steps more often than one program can read it shows the time of a reading instead.
    """
    if IS_INTERPRETED:
        return None
    times = torch.empty(_CLOCK_READS, dtype=torch.int64, device=device)
    clock_kernel[(1,)](times, _CLOCK_READS, num_warps=1)
    steps = times.diff()
    return int(steps[steps > 0].min())
