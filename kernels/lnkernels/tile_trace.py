"""Stage 2 of `locked`, instrumented: when each tile of columns was summed, and where. The arithmetic is its own, unchanged."""

from dataclasses import dataclass

import torch
import triton
import triton.language as tl

from lnkernels.interpreter import IS_INTERPRETED, ieee_arithmetic
from lnkernels.launch import LaunchConfig, ceil_div
from lnkernels.locked import LockedWorkspace, sum_buffers, wait_for_all_threads


@triton.jit
def traced_stage2_kernel(
    partial_dw_ptr,  # the arguments of stage2_kernel, none of them None
    partial_db_ptr,
    dw_ptr,
    db_ptr,
    times_ptr,  # [2, tiles] int64, written: start and end in ns; None where there is no clock
    sm_ptr,  # [tiles] int32, written; None where there is no clock
    buffers,
    N,  # noqa: N803
    BLOCK_SIZE_M: tl.constexpr,  # noqa: N803
    BLOCK_SIZE_N: tl.constexpr,  # noqa: N803
):
    if times_ptr is not None:
        start = tl.extra.cuda.globaltimer()
    tile = tl.program_id(0)
    columns = tile * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    sum_buffers(partial_dw_ptr, dw_ptr, buffers, columns, N, BLOCK_SIZE_M, BLOCK_SIZE_N)
    sum_buffers(partial_db_ptr, db_ptr, buffers, columns, N, BLOCK_SIZE_M, BLOCK_SIZE_N)
    if times_ptr is not None:
        wait_for_all_threads()
        end = tl.extra.cuda.globaltimer()
        tl.store(times_ptr + tile, start)
        tl.store(times_ptr + tl.num_programs(0) + tile, end)
        tl.store(sm_ptr + tile, tl.extra.cuda.smid())


@dataclass(frozen=True, slots=True)
class TileRecord:
    """Device memory that a traced stage 2 writes. Times are those of the GPU's global timer, in ns."""

    times: torch.Tensor | None  # [2, tiles] int64: start and end; None on the interpreter, as there is no clock
    sm: torch.Tensor | None  # [tiles] int32
    count: int  # of tiles

    @classmethod
    def allocate(cls, n: int, launch: LaunchConfig, device: torch.device) -> "TileRecord":
        """Memory for n columns, not initialised."""
        tiles = ceil_div(n, launch.reduce_block_size_n)
        if IS_INTERPRETED:
            return cls(None, None, tiles)
        times = torch.empty((2, tiles), dtype=torch.int64, device=device)
        return cls(times, torch.empty(tiles, dtype=torch.int32, device=device), tiles)


def launch_traced_stage2(
    launch: LaunchConfig, workspace: LockedWorkspace, record: TileRecord, *, dw: torch.Tensor, db: torch.Tensor
) -> None:
    """Write dw and db [N] as `lnkernels.locked.launch_stage2` does, and the record. Allocates nothing."""
    buffers, n = workspace.partial_dw.shape
    with ieee_arithmetic():
        traced_stage2_kernel[(ceil_div(n, launch.reduce_block_size_n),)](
            workspace.partial_dw,
            workspace.partial_db,
            dw,
            db,
            record.times,
            record.sm,
            buffers,
            n,
            BLOCK_SIZE_M=launch.reduce_block_size_m,
            BLOCK_SIZE_N=launch.reduce_block_size_n,
            num_warps=launch.reduce_num_warps,
            num_stages=launch.num_stages,
        )
