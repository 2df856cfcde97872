"""Stage 2 of the strategies without locks, instrumented: when each tile of columns was summed, and where.

The arithmetic is that of `lnkernels.reductions`, unchanged. Where the GPU sets stage 2 up while stage 1 still runs, a program's
start is when stage 1 has ended and all it wrote is there; when the program was set up is told apart from it.
"""

from dataclasses import dataclass

import torch
import triton
import triton.language as tl

from lnkernels.launch import ceil_div
from lnkernels.launch.settings import ReduceSettings
from lnkernels.locked import wait_for_all_threads
from lnkernels.reductions import PartialSums, sum_partials, wait_for_kernel_before
from lnkernels.replay import launch_kernel
from lnkernels.trace_clock import now, place


@triton.jit
def traced_sum_kernel(
    partial_dw_ptr,  # the arguments of sum_partials_kernel, none of them None
    partial_db_ptr,
    dw_ptr,
    db_ptr,
    times_ptr,  # [3, 2 * tiles] int64, written: set up, start, end; the tiles of dw, then those of db
    sm_ptr,  # [2 * tiles] int32, written
    steps_ptr,  # as `lnkernels.trace_clock.now` takes it
    partials,
    N,  # noqa: N803
    REDUCE_M: tl.constexpr,  # noqa: N803
    REDUCE_N: tl.constexpr,  # noqa: N803
    OVERLAP: tl.constexpr,  # noqa: N803
):
    set_up = now(steps_ptr)
    wait_for_kernel_before(OVERLAP)
    start = now(steps_ptr)
    columns = tl.program_id(0) * REDUCE_N + tl.arange(0, REDUCE_N)
    if tl.program_id(1) == 0:
        sum_partials(partial_dw_ptr, dw_ptr, partials, columns, N, REDUCE_M, REDUCE_N)
    else:
        sum_partials(partial_db_ptr, db_ptr, partials, columns, N, REDUCE_M, REDUCE_N)
    wait_for_all_threads()
    end = now(steps_ptr)
    tile = tl.program_id(1) * tl.num_programs(0) + tl.program_id(0)
    tiles = 2 * tl.num_programs(0)
    tl.store(times_ptr + tile, set_up)
    tl.store(times_ptr + tiles + tile, start)
    tl.store(times_ptr + 2 * tiles + tile, end)
    tl.store(sm_ptr + tile, place())


@dataclass(frozen=True, slots=True)
class SumRecord:
    """Device memory that a traced stage 2 writes; times are those of `lnkernels.trace_clock.now`."""

    times: torch.Tensor  # [3, 2 * tiles] int64: set up, start, end; the tiles of dw, then those of db
    sm: torch.Tensor  # [2 * tiles] int32

    @classmethod
    def allocate(cls, n: int, settings: ReduceSettings, device: torch.device) -> "SumRecord":
        """Memory for n columns, not initialised."""
        tiles = 2 * ceil_div(n, settings.block_n)
        return cls(
            torch.empty((3, tiles), dtype=torch.int64, device=device), torch.empty(tiles, dtype=torch.int32, device=device)
        )


def launch_traced_sum(
    partials: int,
    n: int,
    sums: PartialSums,
    settings: ReduceSettings,
    record: SumRecord,
    steps: torch.Tensor | None,
    *,
    dw: torch.Tensor,
    db: torch.Tensor,
) -> None:
    """Write dw and db [N] as `lnkernels.reductions.launch_sum` does, and the record. Allocates nothing."""
    options = {"launch_pdl": True} if settings.overlap else {}
    launch_kernel(
        traced_sum_kernel,
        (ceil_div(n, settings.block_n), 2),
        sums.dw,
        sums.db,
        dw,
        db,
        record.times,
        record.sm,
        steps,
        partials,
        n,
        REDUCE_M=settings.block_m,
        REDUCE_N=settings.block_n,
        OVERLAP=settings.overlap,
        num_warps=settings.num_warps,
        **options,
    )
