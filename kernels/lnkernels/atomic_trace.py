"""The `atomic` strategy, instrumented: when each row was computed, when its atomics began, and when all of them were carried out.

The arithmetic is that of `lnkernels.atomic`; clock reads and stores of a few numbers a row are added, and a wait for the row's
own atomics, without which nobody would know when they are done. A program that is not traced leaves them to memory and ends.
"""

from dataclasses import dataclass

import numpy as np
import torch
import triton
import triton.language as tl

from lnkernels.launch.settings import AtomicSettings
from lnkernels.locked import row_gradients
from lnkernels.pass_trace import pass_trace
from lnkernels.reductions import PartialSums
from lnkernels.replay import fill, launch_kernel
from lnkernels.sum_trace import SumRecord, launch_traced_sum
from lnkernels.trace_clock import carry_out, measured_tick, now, place, steps_from_zero, wait_until_written
from lnkernels.values.timeline import StrategyTimeline


@triton.jit
def traced_atomic_kernel(
    x_ptr,  # the arguments of atomic_kernel; of the pointers only the weight's may be None
    dy_ptr,
    dx_ptr,
    weight_ptr,
    mean_ptr,
    rstd_ptr,
    dw_sum_ptr,
    db_sum_ptr,
    times_ptr,  # [3, M] int64, written: start, the row's sums known and its atomics begun, its atomics carried out
    sm_ptr,  # [M] int32, written
    steps_ptr,  # as `lnkernels.trace_clock.now` takes it
    x_stride,
    dy_stride,
    dx_stride,
    N,  # noqa: N803
    BLOCK_N: tl.constexpr,  # noqa: N803
):
    start = now(steps_ptr)
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK_N)
    mask = columns < N
    x_ptr += row * x_stride
    dy_ptr += row * dy_stride
    dx_ptr += row * dx_stride
    dw, db = row_gradients(x_ptr, dy_ptr, dx_ptr, weight_ptr, mean_ptr, rstd_ptr, row, N, columns, mask)
    begin = now(steps_ptr)
    tl.atomic_add(dw_sum_ptr + columns, dw, mask=mask, sem="relaxed")
    tl.atomic_add(db_sum_ptr + columns, db, mask=mask, sem="relaxed")
    wait_until_written()
    end = now(steps_ptr)
    rows = tl.num_programs(0)
    tl.store(times_ptr + row, start)
    tl.store(times_ptr + rows + row, begin)
    tl.store(times_ptr + 2 * rows + row, end)
    tl.store(sm_ptr + row, place())


@dataclass(frozen=True, slots=True)
class AtomicTraceMemory:
    """Device memory that the traced kernels write."""

    times: torch.Tensor  # [3, M] int64
    sm: torch.Tensor  # [M] int32
    sums: SumRecord
    steps: torch.Tensor | None  # what the interpreter counts events in

    @classmethod
    def allocate(cls, m: int, n: int, settings: AtomicSettings, device: torch.device) -> "AtomicTraceMemory":
        """Memory for x [m, n], not initialised."""
        return cls(
            torch.empty((3, m), dtype=torch.int64, device=device),
            torch.empty(m, dtype=torch.int32, device=device),
            SumRecord.allocate(n, settings.reduce, device),
            steps_from_zero(device),
        )


def launch_traced(
    x: torch.Tensor,
    dy: torch.Tensor,
    weight: torch.Tensor | None,
    mean: torch.Tensor,
    rstd: torch.Tensor,
    settings: AtomicSettings,
    workspace: PartialSums,
    memory: AtomicTraceMemory,
    *,
    dx: torch.Tensor,
    dw: torch.Tensor,
    db: torch.Tensor,
) -> None:
    """Both kernels as `lnkernels.atomic.launch_backward` runs them, traced. Allocates nothing.

    Arguments and shapes are those of `launch_backward`, and memory for the same shape and settings.
    """
    m, n = x.shape
    for sums in (workspace.dw, workspace.db):
        if sums is not None:
            fill(sums, 0)
    launch_kernel(
        traced_atomic_kernel,
        (m,),
        x,
        dy,
        dx,
        weight,
        mean,
        rstd,
        workspace.dw,
        workspace.db,
        memory.times,
        memory.sm,
        memory.steps,
        x.stride(0),
        dy.stride(0),
        dx.stride(0),
        n,
        BLOCK_N=settings.block_n,
        num_warps=settings.num_warps,
    )
    launch_traced_sum(1, n, workspace, settings.reduce, memory.sums, memory.steps, dw=dw, db=db)


def trace_backward(
    x: torch.Tensor,
    dy: torch.Tensor,
    weight: torch.Tensor | None,
    mean: torch.Tensor,
    rstd: torch.Tensor,
    settings: AtomicSettings,
    *,
    dx: torch.Tensor,
    dw: torch.Tensor,
    db: torch.Tensor,
) -> StrategyTimeline:
    """Run `launch_traced` and read what it wrote. On a GPU it runs several times, and the last is recorded.

    Arguments and shapes are those of `launch_traced`; the workspace is allocated here.
    """
    m, n = x.shape
    workspace = PartialSums.allocate(1, n, x.device)
    memory = AtomicTraceMemory.allocate(m, n, settings, x.device)
    tick = measured_tick(x.device)
    carry_out(
        lambda: launch_traced(x, dy, weight, mean, rstd, settings, workspace, memory, dx=dx, dw=dw, db=db),
        x.device,
    )
    times = memory.times.cpu().numpy()
    program = np.arange(m, dtype=np.int32)
    return pass_trace("atomic", m, n, 1, program, times[:2], times, memory.sm.cpu().numpy(), memory.sums, tick)
