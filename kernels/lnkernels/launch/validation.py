"""Which launches are possible at all, and what to change about one that is not."""

from lnkernels.launch.config import LaunchConfig, Problem
from lnkernels.launch.heuristics import MAX_ROW_BYTES
from lnkernels.launch.shapes import DTYPE_BYTES, is_power_of_two, next_power_of_two

STRATEGIES = ("locked",)
PARTIAL_DTYPES = ("float32", "same")
MAX_GROUP_SIZE_M = 65536
MAX_BLOCK = 65536
MAX_WARPS = 32
MAX_STAGES = 8
# Triton refuses a block of more elements (TRITON_MAX_TENSOR_NUMEL).
MAX_TILE = 1 << 20


def check_launch(n: int, dtype: str, launch: LaunchConfig) -> list[Problem]:
    """Everything that makes `launch` impossible for rows of `n` elements of `dtype`; empty when nothing does."""
    problems = []
    if launch.strategy not in STRATEGIES:
        problems.append(Problem("strategy", launch.strategy, f"choose one of {', '.join(STRATEGIES)}"))
    if launch.partial_dtype not in PARTIAL_DTYPES:
        problems.append(Problem("partial_dtype", launch.partial_dtype, f"choose one of {', '.join(PARTIAL_DTYPES)}"))
    if not 1 <= launch.group_size_m <= MAX_GROUP_SIZE_M:
        problems.append(Problem("group_size_m", str(launch.group_size_m), f"take 1 to {MAX_GROUP_SIZE_M}"))
    if not 1 <= launch.num_stages <= MAX_STAGES:
        problems.append(Problem("num_stages", str(launch.num_stages), f"take 1 to {MAX_STAGES}"))
    for field, limit in _POWERS_OF_TWO.items():
        value = getattr(launch, field)
        if not (is_power_of_two(value) and value <= limit):
            problems.append(Problem(field, str(value), f"take a power of two from 1 to {limit}"))
    tile = launch.reduce_block_size_m * launch.reduce_block_size_n
    if tile > MAX_TILE:
        problems.append(
            Problem(
                "reduce_block_size_m",
                str(launch.reduce_block_size_m),
                f"its product with reduce_block_size_n = {launch.reduce_block_size_n} is at most {MAX_TILE}",
            )
        )
    if launch.strategy == "locked":
        problems += _check_locked(n, dtype, launch)
    return problems


def _check_locked(n: int, dtype: str, launch: LaunchConfig) -> list[Problem]:
    widest = MAX_ROW_BYTES // DTYPE_BYTES[dtype]
    if n > widest:
        return [Problem("n", str(n), f"strategy locked takes rows of at most 64 KiB, {widest} columns of {dtype}")]
    if launch.block_size_n < n:
        least = next_power_of_two(n)
        reason = f"take at least {least}: stage 1 holds a whole row, and columns past its block would be dropped"
        return [Problem("block_size_n", str(launch.block_size_n), reason)]
    return []


_POWERS_OF_TWO = {
    "block_size": MAX_BLOCK,
    "block_size_n": MAX_BLOCK,
    "reduce_block_size_m": MAX_BLOCK,
    "reduce_block_size_n": MAX_BLOCK,
    "num_warps": MAX_WARPS,
    "reduce_num_warps": MAX_WARPS,
}
