"""The `atomic` backward strategy, for comparison: every row adds its partial dw and db to one
float32 sum by atomics.

One program a row computes dx and adds; a second kernel rounds the sums to the output's dtype.
Nobody waits for a lock, but all rows meet at the same N addresses. The order of the additions is
that in which the GPU happens to carry them out, so dw and db differ in their last bits from run to
run; dx does not. A row is held in registers, as `locked` does it.
"""

# torch is named in annotations only, and compiling must not wait for it
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import triton
import triton.language as tl

from lnkernels.language.clock import reading, stamp_end, stamp_start
from lnkernels.language.launching import fill, launch_kernel
from lnkernels.launch import Launch
from lnkernels.passes.arguments import BackwardTensors
from lnkernels.passes.locked import row_gradients
from lnkernels.passes.partial_sums import PartialSums, launch_sum
from lnkernels.trace.memory import ProgramTrace, array_of, pointers_of
from lnkernels.values.timeline import StrategyTimeline

if TYPE_CHECKING:
    from torch import Tensor


@triton.jit
def atomic_kernel(
    x_ptr,  # [M, N], columns adjacent, as dy and dx
    dy_ptr,
    dx_ptr,  # written, or None
    weight_ptr,  # [N], or None for ones
    mean_ptr,  # [M] float32, or None for RMSNorm
    rstd_ptr,  # [M] float32
    dw_sum_ptr,  # [N] float32 zeros, added to, or None where dw is not wanted
    db_sum_ptr,  # the same, for db
    x_stride,  # elements from one row to the next
    dy_stride,
    dx_stride,
    N,  # columns of a row
    BLOCK_N: tl.constexpr,  # at least N
    # [3, M] int64, written: start, atomics begun, all of them carried out; None unless traced, as
    # the next two
    times_ptr=None,
    sm_ptr=None,  # [M] int32, written
    steps_ptr=None,  # as `lnkernels.language.clock.now` takes it
):
    stamp_start(times_ptr, steps_ptr)
    row = tl.program_id(0).to(tl.int64)  # a row's address passes 2**31 elements
    columns = tl.arange(0, BLOCK_N)
    mask = columns < N
    x_ptr += row * x_stride
    dy_ptr += row * dy_stride
    if dx_ptr is not None:
        dx_ptr += row * dx_stride
    dw, db = row_gradients(
        x_ptr, dy_ptr, dx_ptr, weight_ptr, mean_ptr, rstd_ptr, row, N, columns, mask
    )
    begin = reading(times_ptr, steps_ptr)
    if dw_sum_ptr is not None:
        tl.atomic_add(dw_sum_ptr + columns, dw, mask=mask, sem="relaxed")
    if db_sum_ptr is not None:
        tl.atomic_add(db_sum_ptr + columns, db, mask=mask, sem="relaxed")
    stamp_end(times_ptr, sm_ptr, begin, steps_ptr)


def allocate_workspace(
    x: Tensor, launch: Launch, *, dw: bool = True, db: bool = True
) -> PartialSums:
    return PartialSums.allocate(1, x.shape[1], x.device, dw=dw, db=db)


def launch_backward(
    given: BackwardTensors,
    launch: Launch,
    workspace: PartialSums,
    trace: ProgramTrace | None = None,
) -> None:
    """Launch both kernels, after zeroing the sums.

    A program that is traced waits for its own atomics, without which nobody would know when they
    are done; others leave them to memory and end.
    """
    m, n = given.x.shape
    dw_sum = workspace.dw if given.dw is not None else None
    db_sum = workspace.db if given.db is not None else None
    for sums in (dw_sum, db_sum):
        if sums is not None:
            fill(sums, 0)
    launch_kernel(
        atomic_kernel,
        (m,),
        *given.pointers,
        dw_sum,
        db_sum,
        *given.strides,
        n,
        BLOCK_N=launch.block_size_n,
        num_warps=launch.num_warps,
        **pointers_of(trace),
    )
    if given.with_sums:
        launch_sum(1, n, workspace, launch, dw=given.dw, db=given.db, trace=trace)


def allocate_trace(x: Tensor, launch: Launch) -> ProgramTrace:
    return ProgramTrace.allocate(x, launch, None, x.shape[0])


def read_trace(
    x: Tensor, launch: Launch, trace: ProgramTrace, *, dw: Tensor, db: Tensor
) -> StrategyTimeline:
    """Return a traced pass as a timeline: a row's piece ends where its atomics begin."""
    m, n = x.shape
    return trace.read("atomic", m, n, 1, np.arange(m, dtype=np.int32), array_of(trace.times)[:2])
