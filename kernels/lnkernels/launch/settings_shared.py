"""What the choices of launch settings share: shared memory, warps, stages, the second stage of all strategies without locks."""

from functools import lru_cache

from lnkernels.launch.config import LaunchOverrides
from lnkernels.launch.limits import RESERVED_SHARED_BYTES, DeviceLimits
from lnkernels.launch.settings import ReduceSettings
from lnkernels.launch.shapes import next_power_of_two

NO_WISHES = LaunchOverrides()
BLOCK_HELD = 1024  # columns: 8 a thread of 4 warps
MOST_HELD_BYTES = 32768  # bytes of a row: 64 registers a thread
LOADED_BYTES = 16  # bytes that a thread loads at once
FEWEST_STAGES = 3  # rows in flight; with fewer, wide rows were no faster than with one
_TABLE_OF = (9, 0)  # compute capability that the tables were measured on; they count programs per SM, so an H100 may use them


def tile_bytes(rows: int, block_n: int, element_bytes: int, num_stages: int) -> int:
    """Shared memory in which tiles of x and dy wait, all but the one at work."""
    return 2 * rows * block_n * element_bytes * max(num_stages - 1, 0)


def shared_bytes_per_program(limits: DeviceLimits) -> int:
    """Most shared memory that one program may take; 0 where none is known of."""
    return max(limits.shared_bytes_per_sm - RESERVED_SHARED_BYTES, 0)


def measured(limits: DeviceLimits) -> bool:
    """Whether the tables were measured on this class of device."""
    return limits.compute_capability == _TABLE_OF


def usual_warps(tile: int) -> int:
    """32 elements a thread."""
    return max(1, min(16, next_power_of_two(tile) // 1024))


def stages_that_fit(tile_bytes: int, programs: int, limits: DeviceLimits) -> int:
    """Tiles in flight, 1 to 4: all but the one at work lie in shared memory, of which a quarter is left alone."""
    room = limits.shared_bytes_per_sm * 3 // 4 // max(programs, 1)
    return max(1, min(4, 1 + room // max(tile_bytes, 1)))


@lru_cache(maxsize=1024)
def reduce_settings(limits: DeviceLimits, wished: LaunchOverrides = NO_WISHES) -> ReduceSettings:
    """Second stage. Tiles of 32 partials by 16 columns: narrow, so that 1024 columns make 128 programs."""
    return ReduceSettings(
        block_m=taken_or(wished.reduce_block_size_m, 32),
        block_n=taken_or(wished.reduce_block_size_n, 16),
        num_warps=taken_or(wished.reduce_num_warps, 8),
        overlap=limits.compute_capability >= (9, 0),
    )


def taken_or(wished: int | None, automatic: int) -> int:
    """What somebody took over, or the automatic value."""
    return automatic if wished is None else wished
