"""The second stage of the strategies that keep partial sums of dw and db: their sum over programs.

The sum's order is fixed by the launch: program p's partial is the p-th summand, tiles of REDUCE_M
partials are added in ascending order, and a tile is added by one tree. So the same launch gives the
same bits on every run.
"""

# torch is imported where memory is allocated; compiling must not wait for it
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import triton
import triton.language as tl

from lnkernels.interpreter import device_function
from lnkernels.language.clock import reading, stamp_tile
from lnkernels.language.device_functions import wait_for_kernel_before
from lnkernels.language.launching import empty, launch_kernel
from lnkernels.launch import ceil_div
from lnkernels.launch.settings import Launch
from lnkernels.trace.memory import ProgramTrace, pointers_of

if TYPE_CHECKING:
    import torch


@device_function
def store_sums(pointers, sums, mask, PER_ROW: tl.constexpr):
    """Write a program's sums; those kept apart for each row of a tile are added first."""
    if PER_ROW:
        sums = tl.sum(sums, axis=0)
    tl.store(pointers, sums.to(pointers.dtype.element_ty), mask=mask)


@device_function
def sum_partials(
    partial_ptr, out_ptr, partials, columns, N, REDUCE_M: tl.constexpr, REDUCE_N: tl.constexpr
):
    """Sum some columns over all partials and write them."""
    mask = columns < N
    lanes = tl.arange(0, REDUCE_M)
    total = tl.full((REDUCE_M, REDUCE_N), 0.0, tl.float32)
    for start in range(0, partials, REDUCE_M):
        rows = start + lanes
        addresses = rows[:, None].to(tl.int64) * N + columns[None, :]
        total += tl.load(
            partial_ptr + addresses, mask=(rows[:, None] < partials) & mask[None, :], other=0.0
        )
    tl.store(out_ptr + columns, tl.sum(total, axis=0).to(out_ptr.dtype.element_ty), mask=mask)


@triton.jit
def sum_partials_kernel(
    partial_dw_ptr,  # [partials, N] float32, or None
    partial_db_ptr,  # [partials, N] float32, or None
    dw_ptr,  # [N], written, or None
    db_ptr,  # [N], written, or None
    partials,
    N,  # columns of a row
    REDUCE_M: tl.constexpr,  # partials a step
    REDUCE_N: tl.constexpr,  # columns a program
    OVERLAP: tl.constexpr,
    # [3, tiles] int64, written: set up, start and end; None unless traced, as the next two
    times_ptr=None,
    sm_ptr=None,  # [tiles] int32, written
    steps_ptr=None,  # as `lnkernels.language.clock.now` takes it
):
    set_up = reading(times_ptr, steps_ptr)
    wait_for_kernel_before(OVERLAP)
    start = reading(times_ptr, steps_ptr)
    columns = tl.program_id(0) * REDUCE_N + tl.arange(0, REDUCE_N)
    if dw_ptr is None:
        sum_partials(partial_db_ptr, db_ptr, partials, columns, N, REDUCE_M, REDUCE_N)
    elif db_ptr is None or tl.program_id(1) == 0:
        sum_partials(partial_dw_ptr, dw_ptr, partials, columns, N, REDUCE_M, REDUCE_N)
    else:
        sum_partials(partial_db_ptr, db_ptr, partials, columns, N, REDUCE_M, REDUCE_N)
    stamp_tile(times_ptr, sm_ptr, set_up, start, steps_ptr)


@dataclass(frozen=True, slots=True)
class PartialSums:
    """Partial sums of dw and db, one row for each program. Need not be initialised."""

    dw: torch.Tensor | None  # [programs, N] float32
    db: torch.Tensor | None  # [programs, N] float32

    @classmethod
    def allocate(
        cls, programs: int, n: int, device: torch.device | str, *, dw: bool = True, db: bool = True
    ) -> PartialSums:
        made = (empty((programs, n), "float32", device) if wanted else None for wanted in (dw, db))
        return cls(*made)


def launch_sum(
    partials: int,
    n: int,
    sums: PartialSums,
    launch: Launch,
    *,
    dw: torch.Tensor | None,
    db: torch.Tensor | None,
    trace: ProgramTrace | None = None,
) -> None:
    """Write dw and db [N], where not None, as sums of the first `partials` rows of the partial
    sums.

    Allocates nothing.
    """
    options = {"launch_pdl": True} if launch.overlap else {}
    both = dw is not None and db is not None
    launch_kernel(
        sum_partials_kernel,
        (ceil_div(n, launch.reduce_block_size_n), 2 if both else 1),
        sums.dw if dw is not None else None,
        sums.db if db is not None else None,
        dw,
        db,
        partials,
        n,
        REDUCE_M=launch.reduce_block_size_m,
        REDUCE_N=launch.reduce_block_size_n,
        OVERLAP=launch.overlap,
        num_warps=launch.reduce_num_warps,
        **options,
        **pointers_of(trace and trace.tiles),
    )
