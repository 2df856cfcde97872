"""From a wish to a launch. Strategy `locked` has the tutorial's heuristics, the others those of `settings_choice`.

Source: Triton's documentation, "Layer Normalization" (tutorial 05).
"""

from dataclasses import asdict

from lnkernels.launch.choice import as_launch, choose
from lnkernels.launch.config import LaunchConfig, LaunchOverrides
from lnkernels.launch.limits import DeviceLimits, limits_for_architecture
from lnkernels.launch.shapes import DTYPE_BYTES, next_power_of_two
from lnkernels.launch.strategies import CATALOGUE

MAX_ROW_BYTES = 65536
USUAL_LIMITS = limits_for_architecture("sm_90")  # where the device is not known


def resolve_launch(
    n: int, dtype: str, wished: LaunchOverrides | None = None, limits: DeviceLimits = USUAL_LIMITS, *, m: int | None = None
) -> LaunchConfig:
    """Fill in what `wished` leaves open.

    Args:
        n: columns of a row, at least 1.
        dtype: element type of x, one of DTYPES.
        wished: settings that somebody took over. They are taken as they are; `check_launch` judges them.
        limits: the device, on which the grids of all strategies but locked depend.
        m: rows, on whose number they depend; None for settings of few.
    """
    wished = wished or LaunchOverrides()
    if wished.strategy in CATALOGUE and wished.strategy != "locked":
        chosen = choose(wished.strategy, n, dtype, limits, wished, m=m)
        return as_launch(chosen, limits.sm_count)
    max_block = MAX_ROW_BYTES // DTYPE_BYTES[dtype]
    block_size = wished.block_size or min(max_block, next_power_of_two(n))
    automatic = LaunchConfig(
        strategy="locked",
        block_size=block_size,
        # Stage 1 has no loop over columns, so its block covers the row.
        block_size_n=next_power_of_two(n),
        group_size_m=_group_size_m(n),
        reduce_block_size_m=32,
        reduce_block_size_n=128,
        num_warps=min(max(block_size // 256, 1), 8),
        reduce_num_warps=4,
        num_stages=3,
        # Half-precision buffers cost 1e-2 in dw at 4096 rows, float32 ones 1e-6 (H200, float16).
        partial_dtype="float32",
        barrier=True,
    )
    taken_over = {name: value for name, value in asdict(wished).items() if value is not None}
    return LaunchConfig(**{**asdict(automatic), **taken_over})


def _group_size_m(n: int) -> int:
    if n <= 1024:
        return 256
    if n <= 4096:
        return 128
    if n <= 8192:
        return 96
    return 64
