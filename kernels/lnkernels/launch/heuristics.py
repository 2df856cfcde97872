"""What the strategies' choices of settings share: shared memory, warps, stages, and the second stage of all without
locks.

Where a device has no table, settings are derived from its limits: shared memory and warps of an SM, the number of SMs.
What the derivation takes to be alike everywhere is alike from compute capability 7.0 to 12.0: 65536 registers and four
schedulers an SM, 255 registers a thread at most. How far they may be filled (a share of the registers, 64 of a thread
for a row) was found on one H200, and is assumed for the others: `lnkernels.tune` finds out.
"""

from math import log2
from typing import TypedDict, TypeVar

from lnkernels.launch.limits import REGISTERS_PER_SM, SCHEDULERS_PER_SM, DeviceLimits
from lnkernels.launch.settings import LaunchWish
from lnkernels.launch.shapes import ceil_div, next_power_of_two

Value = TypeVar("Value", int, bool)

LOADED_BYTES = 16  # bytes that a thread loads at once
_FEWEST_THREADS = SCHEDULERS_PER_SM * 32  # of a program that keeps every scheduler of an SM busy
BLOCK_HELD = _FEWEST_THREADS * LOADED_BYTES // 2  # columns that so many threads load at once in half precision; float32 twice
MOST_HELD_BYTES = _FEWEST_THREADS * 64 * 4  # of a row: 64 registers a thread
FEWEST_STAGES = 3  # rows in flight; with fewer, wide rows were no faster than with one
_TABLE_OF, _TABLE_SMS = (9, 0), 132  # compute capability and SMs that the tables were measured on
_REGISTERS_PER_THREAD = 255
_USUAL_THREADS = 2048  # of an SM
_MOST_WARPS = 16
_NARROW_ROW = 1024  # columns for which stage 2 is to have a program for about every SM
_LEAST_REDUCED = 8  # columns of a program of stage 2: 32 bytes of partials, which memory moves at least


def measured(limits: DeviceLimits) -> bool:
    """Whether the tables were measured on this class of device: the same compute capability, and SMs within a fifth.

    The tables count programs per SM, so an H100 may use them. A part of a GPU, or one with half the SMs before the same
    memory, has another balance.
    """
    return limits.compute_capability == _TABLE_OF and abs(limits.sm_count - _TABLE_SMS) * 5 <= _TABLE_SMS


def elements_per_thread(limits: DeviceLimits, values: int) -> int:
    """Elements of a tile for each thread, a power of two: as many as it has registers where an SM holds all its
    threads.

    That is 32 where an SM holds 2048 or 1536 threads, and 64 where it holds 1024. Fewer where a thread would need more
    than its 255 registers.

    Args:
        limits: the device's.
        values: registers that an element takes: 1 for x, 4 for x, dy and the sums of dw and db.
    """
    threads = 32 * limits.warps_per_sm if limits.compute_capability > (0, 0) else _USUAL_THREADS
    return _power_below(min(REGISTERS_PER_SM // max(threads, 1), _REGISTERS_PER_THREAD // values))


def usual_warps(tile: int, limits: DeviceLimits, values: int) -> int:
    """Warps for so many elements by `elements_per_thread`; an SM holds two such programs at least, by its warps."""
    most = _power_below(limits.warps_per_sm // 2) if limits.compute_capability > (0, 0) else _MOST_WARPS
    return max(1, min(_MOST_WARPS, most, next_power_of_two(tile) // (32 * elements_per_thread(limits, values))))


def stages_that_fit(tile_bytes: int, programs: int, limits: DeviceLimits) -> int:
    """Tiles in flight, 1 to 4: all but the one at work lie in shared memory, of which a quarter is left alone."""
    room = limits.shared_bytes_per_sm * 3 // 4 // max(programs, 1)
    return max(1, min(4, 1 + room // max(tile_bytes, 1)))


class Reduction(TypedDict):
    reduce_block_size_m: int
    reduce_block_size_n: int
    reduce_num_warps: int
    overlap: bool


def reduction(limits: DeviceLimits, wish: LaunchWish, n: int = _NARROW_ROW) -> Reduction:
    """Fields of a launch that the second stage reads, with strategies that sum the programs' float32 partials. Tiles of
    32 partials; 1024 columns of dw and db make about as many programs as there are SMs.

    Rows of half as many columns and fewer leave SMs without a program. There programs take as few columns as they may,
    and more partials at once, so that each has fewer steps, one behind the other (`kernels/notes.md`).
    """
    narrow = n <= _NARROW_ROW // 2
    return {
        "reduce_block_size_m": taken_or(wish.reduce_block_size_m, 128 if narrow else 32),
        "reduce_block_size_n": taken_or(wish.reduce_block_size_n, _LEAST_REDUCED if narrow else _reduced_columns(limits)),
        "reduce_num_warps": taken_or(wish.reduce_num_warps, 8),
        "overlap": may_overlap(limits),
    }


def may_overlap(limits: DeviceLimits) -> bool:
    """Whether a device sets a kernel up while the one before it still runs: compute capability 9.0 and later."""
    return limits.compute_capability >= (9, 0)


def even_share(items: int, most: int) -> int:
    """The fewest workers that take no more of the items each than `most` workers would."""
    return ceil_div(items, max(ceil_div(items, max(most, 1)), 1))


def _reduced_columns(limits: DeviceLimits) -> int:
    """Columns of a program: 32 to 256 bytes of partials."""
    sms = limits.sm_count if limits.compute_capability > (0, 0) else _TABLE_SMS
    return min(max(_LEAST_REDUCED, _power_near(2 * _NARROW_ROW / max(sms, 1))), 64)


def _power_below(number: int) -> int:
    """The largest power of two that is at most `number`, and at least 1."""
    return 1 << max(number.bit_length() - 1, 0)


def _power_near(number: float) -> int:
    """The power of two whose ratio to `number` is the nearest to 1."""
    return int(2 ** round(log2(number)))


def taken_or(wished: Value | None, automatic: Value) -> Value:
    """What somebody took over, or the automatic value."""
    return automatic if wished is None else wished
