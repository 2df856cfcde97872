"""Row sums in one pass, and the second stage of strategies that keep partial sums of dw and db: a sum over programs.

The sum's order is fixed by the launch: program p's partial is the p-th summand, tiles of REDUCE_M partials are added in
ascending order, and a tile is added by one tree. So the same launch gives the same bits on every run.
"""

from __future__ import annotations  # torch is imported where memory is allocated; compiling must not wait for it

from dataclasses import dataclass
from typing import TYPE_CHECKING

import triton
import triton.language as tl

from lnkernels.interpreter import INTERPRETED, device_function, rounded
from lnkernels.launch import ceil_div
from lnkernels.launch.settings import ReduceSettings
from lnkernels.replay import launch_kernel

if TYPE_CHECKING:
    import torch


@device_function
def add_pairs(a, b, other_a, other_b):
    """What `tl.reduce` combines two pairs of summands with."""
    return a + other_a, b + other_b


@device_function
def row_sums(a, b, axis: tl.constexpr):
    """Sums of two blocks along `axis`: threads wait for each other once for both, not once for each."""
    if INTERPRETED:  # its `tl.reduce` walks elements one by one in Python
        return tl.sum(a, axis=axis), tl.sum(b, axis=axis)
    else:  # noqa: RET505 - the compiler drops the branch not taken only where there is an else
        return tl.reduce((a, b), axis, add_pairs)


@device_function
def inverse_deviation(squares, correction, count, eps):
    """1 / sqrt(variance + eps), from the sum of squares of x - shift and the mean of x - shift."""
    variance = tl.div_rn(squares, count) - correction * correction
    variance = tl.where(variance < 0.0, 0.0, variance)  # not tl.maximum, which would hide a NaN
    return tl.div_rn(1.0, tl.sqrt_rn(variance + eps))


@device_function
def inverse_root(value):
    """1 / sqrt(value) by the GPU's quick instruction, which takes subnormal numbers for 0 and gives infinity: they are scaled."""
    scaled = value < 2.0**-100
    root = tl.rsqrt(tl.where(scaled, value * 2.0**64, value))
    return tl.where(scaled, root * 2.0**32, root)


@device_function
def let_next_kernel_start(WANTED: tl.constexpr):  # noqa: N803
    """Allow the kernel behind this one to be set up while this one still runs (compute capability 9.0 and later)."""
    if WANTED:
        tl.extra.cuda.gdc_launch_dependents()


@device_function
def wait_for_kernel_before(WANTED: tl.constexpr):  # noqa: N803
    """Wait until everything that the kernel before this one has written is visible."""
    if WANTED:
        tl.extra.cuda.gdc_wait()


@device_function
def sum_partials(
    partial_ptr,
    out_ptr,
    partials,
    columns,
    N,  # noqa: N803
    REDUCE_M: tl.constexpr,  # noqa: N803
    REDUCE_N: tl.constexpr,  # noqa: N803
):
    """Sum some columns over all partials and write them."""
    mask = columns < N
    lanes = tl.arange(0, REDUCE_M)
    total = tl.full((REDUCE_M, REDUCE_N), 0.0, tl.float32)
    for start in range(0, partials, REDUCE_M):
        rows = start + lanes
        addresses = rows[:, None].to(tl.int64) * N + columns[None, :]
        total += tl.load(partial_ptr + addresses, mask=(rows[:, None] < partials) & mask[None, :], other=0.0)
    tl.store(out_ptr + columns, rounded(tl.sum(total, axis=0), out_ptr.dtype.element_ty), mask=mask)


@triton.jit
def sum_partials_kernel(
    partial_dw_ptr,  # [partials, N] float32, or None
    partial_db_ptr,  # [partials, N] float32, or None
    dw_ptr,  # [N], written, or None
    db_ptr,  # [N], written, or None
    partials,
    N,  # noqa: N803 - columns of a row
    REDUCE_M: tl.constexpr,  # noqa: N803 - partials a step
    REDUCE_N: tl.constexpr,  # noqa: N803 - columns a program
    OVERLAP: tl.constexpr,  # noqa: N803
):
    wait_for_kernel_before(OVERLAP)
    columns = tl.program_id(0) * REDUCE_N + tl.arange(0, REDUCE_N)
    if dw_ptr is None:
        sum_partials(partial_db_ptr, db_ptr, partials, columns, N, REDUCE_M, REDUCE_N)
    elif db_ptr is None or tl.program_id(1) == 0:
        sum_partials(partial_dw_ptr, dw_ptr, partials, columns, N, REDUCE_M, REDUCE_N)
    else:
        sum_partials(partial_db_ptr, db_ptr, partials, columns, N, REDUCE_M, REDUCE_N)


@dataclass(frozen=True, slots=True)
class PartialSums:
    """Partial sums of dw and db, one row a program. Its contents before a launch do not matter."""

    dw: torch.Tensor | None  # [programs, N] float32
    db: torch.Tensor | None  # [programs, N] float32

    @classmethod
    def allocate(cls, programs: int, n: int, device: torch.device | str, *, dw: bool = True, db: bool = True) -> PartialSums:
        """Memory for the sums that are wanted, not initialised."""
        import torch  # noqa: PLC0415

        both = torch.empty((dw + db, programs, n), dtype=torch.float32, device=device)
        return cls(both[0] if dw else None, both[-1] if db else None)


def launch_sum(
    partials: int, n: int, sums: PartialSums, settings: ReduceSettings, *, dw: torch.Tensor | None, db: torch.Tensor | None
) -> None:
    """Write dw and db [N], where not None, as the sums of the first `partials` rows of the partial sums. Allocates nothing."""
    options = {"launch_pdl": True} if settings.overlap else {}
    both = dw is not None and db is not None
    launch_kernel(
        sum_partials_kernel,
        (ceil_div(n, settings.block_n), 2 if both else 1),
        sums.dw if dw is not None else None,
        sums.db if db is not None else None,
        dw,
        db,
        partials,
        n,
        REDUCE_M=settings.block_m,
        REDUCE_N=settings.block_n,
        OVERLAP=settings.overlap,
        num_warps=settings.num_warps,
        **options,
    )
