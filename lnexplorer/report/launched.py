"""Which kernels a run launches, and with which constants: what stands in its `triton.Config`."""

from dataclasses import dataclass

from lnexplorer.domain.request import ResolvedRequest
from lnkernels.launch import Launch, ceil_div

Constant = int | bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchedKernel:
    """A kernel by its function's name, constants that follow from the settings, its warps, and its stages where Triton has them.

    Constants that follow from the problem alone, such as whether a mask is needed, are left out.
    """

    name: str
    constants: dict[str, Constant]
    num_warps: int
    num_stages: int | None = None


def launched_kernels(resolved: ResolvedRequest) -> tuple[LaunchedKernel, ...]:
    """The forward pass and both stages of the backward pass, in this order; none where the strategy is not known here."""
    launch, n = resolved.launch, resolved.n
    match launch.strategy:
        case "locked":
            return _locked(launch)
        case "persistent" if launch.block_size_n < n:
            blocks = {"BLOCK_N": launch.block_size_n, "BLOCKS": ceil_div(n, launch.block_size_n), "STAGES": launch.num_stages}
            stage1 = LaunchedKernel(name="rows_in_blocks_kernel", constants=blocks, num_warps=launch.num_warps)
        case "persistent":
            rows: dict[str, Constant] = {"ROWS": launch.rows, "BLOCK_N": launch.block_size_n, "STAGES": launch.num_stages}
            if launch.sums_per_row is not None:
                rows["PER_ROW"] = launch.sums_per_row
            stage1 = LaunchedKernel(name="rows_kernel", constants=rows, num_warps=launch.num_warps)
        case "split":
            slices = {"SLICES": launch.slices, "BLOCK_N": launch.block_size_n, "STAGES": launch.num_stages}
            stage1 = LaunchedKernel(name="split_kernel", constants=slices, num_warps=launch.num_warps)
        case "atomic":
            stage1 = LaunchedKernel(name="atomic_kernel", constants={"BLOCK_N": launch.block_size_n}, num_warps=launch.num_warps)
        case _:
            return ()
    stage2 = {"REDUCE_M": launch.reduce_block_size_m, "REDUCE_N": launch.reduce_block_size_n}
    last = LaunchedKernel(name="sum_partials_kernel", constants=stage2, num_warps=launch.reduce_num_warps)
    return _forward(launch, n), stage1, last


def _forward(launch: Launch, n: int) -> LaunchedKernel:
    """That of the strategies without locks: a row at once where a block holds it, else in blocks, held or in steps."""
    warps, block = launch.forward_num_warps, launch.block_size
    if block >= n:
        whole: dict[str, Constant] = {"ROWS": launch.forward_rows, "BLOCK_N": block, "WALK": launch.forward_programs > 0}
        if launch.forward_num_stages is not None:
            whole["STAGES"] = launch.forward_num_stages
        return LaunchedKernel(name="whole_rows_kernel", constants=whole, num_warps=warps)
    if launch.forward_held:
        held = {"BLOCK_N": block, "BLOCKS": ceil_div(n, block)}
        return LaunchedKernel(name="row_in_blocks_kernel", constants=held, num_warps=warps)
    return LaunchedKernel(name="wide_row_kernel", constants={"BLOCK_N": block}, num_warps=warps)


def _locked(launch: Launch) -> tuple[LaunchedKernel, ...]:
    stage1 = {"GROUP_SIZE_M": launch.group_size_m, "BLOCK_SIZE_N": launch.block_size_n, "BARRIER": launch.barrier}
    stage2 = {"BLOCK_SIZE_M": launch.reduce_block_size_m, "BLOCK_SIZE_N": launch.reduce_block_size_n}
    warps, stages = launch.num_warps, launch.num_stages
    return (
        LaunchedKernel(name="forward_kernel", constants={"BLOCK_SIZE": launch.block_size}, num_warps=warps, num_stages=stages),
        LaunchedKernel(name="stage1_kernel", constants=stage1, num_warps=warps, num_stages=stages),
        LaunchedKernel(name="stage2_kernel", constants=stage2, num_warps=launch.reduce_num_warps, num_stages=stages),
    )
