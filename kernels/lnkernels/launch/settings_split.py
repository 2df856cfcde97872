"""Settings of strategy `split`: rows that several programs share."""

from functools import lru_cache

from lnkernels.launch.config import LaunchOverrides
from lnkernels.launch.limits import REGISTERS_PER_SM, WARPS_OF_ANY_REGISTERS, DeviceLimits
from lnkernels.launch.settings import SplitSettings
from lnkernels.launch.settings_shared import (
    FEWEST_STAGES,
    LOADED_BYTES,
    NO_WISHES,
    measured,
    reduce_settings,
    stages_that_fit,
    taken_or,
)
from lnkernels.launch.settings_table import SPLIT, SplitEntry
from lnkernels.launch.shapes import DTYPE_BYTES, ceil_div, next_power_of_two
from lnkernels.launch.tuned_choice import tuned_entry

_LEAST_SLICE = 16
# Of an SM's registers, for the sums of dw and db and for x and dy: with more, they spill; with fewer, rows take longer (H200).
_HELD_REGISTERS = REGISTERS_PER_SM * 3 // 8


@lru_cache(maxsize=1024)
def split_settings(n: int, dtype: str, limits: DeviceLimits, wished: LaunchOverrides = NO_WISHES) -> SplitSettings:
    """Strategy `split`, for rows of `n` elements of `dtype`. All programs have to be resident together.

    A row that more programs would share than there are SMs gets its one group all the same; `check_launch` refuses it.
    """
    size = DTYPE_BYTES[dtype]
    entry = tuned_entry(SplitEntry, n, size, limits, lambda width: usual_split(width, size, limits))
    entry = entry or usual_split(n, size, limits)
    return split_of(entry, n, limits, wished)


def usual_split(n: int, size: int, limits: DeviceLimits) -> SplitEntry:
    """The entry where nothing was tuned: measured ones for the table's device class, else a derived one."""
    found = next((one for one in SPLIT if one.element_bytes == size and n <= one.up_to_n), None)
    return found if found is not None and measured(limits) else _derived_split(n, size, limits)


def split_of(entry: SplitEntry, n: int, limits: DeviceLimits, wished: LaunchOverrides = NO_WISHES) -> SplitSettings:
    """What an entry means for rows of `n` elements on a device."""
    size = entry.element_bytes
    # Somebody who takes over more warps gets as few programs as have their place whatever their registers.
    fitting = max(WARPS_OF_ANY_REGISTERS // max(taken_or(wished.num_warps, entry.num_warps), 1), 1)
    programs = taken_or(wished.programs_per_sm, min(entry.programs_per_sm, fitting))
    most = _slice_columns(n, size, programs, limits)
    slices = taken_or(wished.slices, max(ceil_div(n, most), 1))
    columns = ceil_div(n, max(slices, 1))
    block = taken_or(wished.block_size_n, min(entry.block_n, max(_LEAST_SLICE, next_power_of_two(columns))))
    automatic_slices = _slices(n, max(most, block))
    slices = taken_or(wished.slices, automatic_slices)
    columns = ceil_div(n, max(slices, 1))
    warps, stages = entry.num_warps, entry.num_stages
    if (block, programs, slices) != (entry.block_n, entry.programs_per_sm, automatic_slices):
        held = max(block, columns)
        warps = max(1, _slice_warps(held, size))
        stages = min(3, stages_that_fit(2 * ceil_div(held, max(block, 1)) * block * size, programs, limits))
    # Without a GPU programs run one after the other, and none waits for another.
    sms = limits.sm_count if limits.compute_capability > (0, 0) else slices
    return SplitSettings(
        slices=slices,
        block_n=block,
        num_warps=taken_or(wished.num_warps, warps),
        num_stages=taken_or(wished.num_stages, stages),
        max_registers=None,
        groups=max(sms * programs // max(slices, 1), 1),
        reduce=reduce_settings(limits, wished, n=n),
        programs_per_sm=programs,
    )


def _slices(n: int, most: int) -> int:
    """The fewest slices of at most `most` columns; they begin at multiples of 16 columns, and none is without a column."""
    width = ceil_div(ceil_div(n, max(ceil_div(n, most), 1)), _LEAST_SLICE) * _LEAST_SLICE
    return max(ceil_div(n, width), 1)


def _slice_columns(n: int, size: int, programs: int, limits: DeviceLimits) -> int:
    """Columns of a slice at most: what an SM's registers hold with their sums, where three of x and dy fit its shared memory.

    Fewer where they do not, but no more slices than SMs: they wait for each other.
    """
    held = _HELD_REGISTERS // (2 + size // 2)  # two float32 sums a column, and x and dy of `size` bytes each
    widest = max(held // max(programs, 1), _LEAST_SLICE)
    columns = widest
    if limits.compute_capability > (0, 0):
        while columns > 1024 and stages_that_fit(2 * columns * size, programs, limits) < FEWEST_STAGES:
            columns //= 2
        while ceil_div(n, columns) > limits.sm_count and columns < widest:
            columns *= 2
    return columns


def _derived_split(n: int, size: int, limits: DeviceLimits) -> SplitEntry:
    """One program an SM, whose threads load 16 bytes at once; its slice is what registers, shared memory and SMs allow."""
    columns = _slice_columns(n, size, 1, limits)
    warps = _slice_warps(columns, size)
    return SplitEntry(
        element_bytes=size,
        up_to_n=next_power_of_two(n),
        block_n=min(warps * 32 * LOADED_BYTES // size, next_power_of_two(columns)),
        num_warps=warps,
        num_stages=min(3, stages_that_fit(2 * columns * size, 1, limits)),
    )


def _slice_warps(columns: int, size: int) -> int:
    """About 32 columns a thread in half precision, 16 in float32."""
    return max(4, min(16, next_power_of_two(columns * size) // 2048))
