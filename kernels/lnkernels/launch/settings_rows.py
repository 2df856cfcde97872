"""Settings of strategy `persistent`: rows that one program holds."""

from functools import lru_cache

from lnkernels.launch.config import LaunchOverrides
from lnkernels.launch.limits import REGISTERS_PER_SM, DeviceLimits
from lnkernels.launch.settings import RowsSettings
from lnkernels.launch.settings_shared import (
    BLOCK_HELD,
    FEWEST_STAGES,
    LOADED_BYTES,
    MOST_HELD_BYTES,
    NO_WISHES,
    measured,
    reduce_settings,
    stages_that_fit,
    taken_or,
    usual_warps,
)
from lnkernels.launch.settings_table import ROWS, RowsEntry
from lnkernels.launch.shapes import DTYPE_BYTES, ceil_div, next_power_of_two
from lnkernels.launch.tuned_choice import tuned_entry

# Programs an SM, each with its partial sums, for which the workspace has room however few rows there are.
ALWAYS_ALLOWED = 2
_VALUES = 4  # registers that an element takes: x, dy, and the sums of dw and db
_HELD_COLUMNS = REGISTERS_PER_SM // 8  # of a row whose float32 sums of dw and db take a quarter of an SM's registers
_TILE = REGISTERS_PER_SM // 16  # elements whose values take a quarter of an SM's registers


@lru_cache(maxsize=1024)
def rows_settings(
    n: int, dtype: str, limits: DeviceLimits, wished: LaunchOverrides = NO_WISHES, *, most_per_sm: int = ALWAYS_ALLOWED
) -> RowsSettings:
    """Strategy `persistent`, for rows of `n` elements of `dtype`; `most_per_sm` is `sums_per_sm` of their number."""
    size = DTYPE_BYTES[dtype]
    entry = tuned_entry(RowsEntry, n, size, limits, lambda width: usual_rows(width, size, limits))
    entry = entry or usual_rows(n, size, limits)
    return rows_of(entry, n, limits, wished, most_per_sm)


def usual_rows(n: int, size: int, limits: DeviceLimits) -> RowsEntry:
    """The entry where nothing was tuned: measured ones for the table's device class, else a derived one."""
    found = next((one for one in ROWS if one.element_bytes == size and n <= one.up_to_n), None)
    return found if found is not None and measured(limits) else _derived_rows(n, size, limits)


def sums_per_sm(m: int | None, dtype: str, limits: DeviceLimits) -> int:
    """Programs an SM, each with its sums of dw and db, that the workspace of m rows has room for; None is the fewest rows.

    It may take 5 % of the bytes of x, and 16 bytes for each column and SM where that is more.
    """
    of_x = (m or 0) * DTYPE_BYTES[dtype] // (20 * 8 * max(limits.sm_count, 1))
    return max(ALWAYS_ALLOWED, of_x)


def rows_of(
    entry: RowsEntry,
    n: int,
    limits: DeviceLimits,
    wished: LaunchOverrides = NO_WISHES,
    most_per_sm: int = ALWAYS_ALLOWED,
) -> RowsSettings:
    """What an entry means for rows of `n` elements on a device. Programs that somebody took over are as many as he says."""
    size, whole = entry.element_bytes, next_power_of_two(n)
    in_blocks = wished.rows in (None, 1) and entry.rows == 1
    automatic_block = min(entry.block_n or whole, whole) if in_blocks else whole
    block = taken_or(wished.block_size_n, automatic_block)
    rows = taken_or(wished.rows, entry.rows if block >= n else 1)
    automatic_programs = min(entry.programs_per_sm, most_per_sm)
    warps, programs, stages = entry.num_warps, automatic_programs, entry.num_stages
    if (rows, block) != (entry.rows, automatic_block):
        warps = usual_warps(rows * block, limits, _VALUES) if block >= n else _warps_of_blocks(n, size)
        programs = programs if rows < entry.rows else 1
    programs = taken_or(wished.programs_per_sm, programs)
    if (rows, block, programs) != (entry.rows, automatic_block, automatic_programs):
        held = ceil_div(n, max(block, 1)) * block
        stages = max(1, min(stages, stages_that_fit(2 * rows * held * size, programs, limits)))
    return RowsSettings(
        rows=rows,
        block_n=block,
        num_warps=taken_or(wished.num_warps, warps),
        num_stages=taken_or(wished.num_stages, stages),
        programs=programs * limits.sm_count,
        max_registers=None,
        sums_per_row=taken_or(wished.sums_per_row, entry.sums_per_row and block >= n),
        reduce=reduce_settings(limits, wished, n=n),
    )


def _derived_rows(n: int, size: int, limits: DeviceLimits) -> RowsEntry:
    """Tiles whose values take a quarter of an SM's registers, as many in flight as its shared memory holds.

    Rows that leave lanes of a power of two idle, and those too wide for it, are held in blocks. Two programs share an SM where
    its warps allow that four do: so much room is left for registers that the values do not take. That pipelined loads pay, and
    blocks where lanes would be idle, was measured on an H200 alone.
    """
    block = next_power_of_two(n)
    if BLOCK_HELD < n < block or block > _HELD_COLUMNS:
        warps = _warps_of_blocks(n, size)
        return RowsEntry(
            element_bytes=size,
            up_to_n=next_power_of_two(n),
            rows=1,
            num_warps=warps,
            num_stages=stages_that_fit(2 * n * size, 1, limits),
            programs_per_sm=1,
            block_n=warps * 32 * LOADED_BYTES // size,
        )
    rows = max(1, min(8, _TILE // block))
    tile = rows * block
    warps = usual_warps(tile, limits, _VALUES)
    programs = max(1, min(2, limits.warps_per_sm // (2 * warps))) if tile < _HELD_COLUMNS // 2 else 1
    return RowsEntry(
        element_bytes=size,
        up_to_n=next_power_of_two(n),
        rows=rows,
        num_warps=warps,
        num_stages=stages_that_fit(2 * tile * size, programs, limits),
        programs_per_sm=programs,
        sums_per_row=block <= 512,
    )


def holds_rows(n: int, dtype: str, limits: DeviceLimits) -> bool:
    """Whether `persistent` is taken to be the faster strategy: rows fit a program's registers. Beyond, `split` is."""
    if measured(limits):
        return n <= max(entry.up_to_n for entry in ROWS if entry.element_bytes == DTYPE_BYTES[dtype])
    size = DTYPE_BYTES[dtype]
    in_blocks = n * size <= MOST_HELD_BYTES and stages_that_fit(2 * n * size, 1, limits) >= FEWEST_STAGES
    return next_power_of_two(n) <= _HELD_COLUMNS or in_blocks


def _warps_of_blocks(n: int, size: int) -> int:
    """128 bytes of a row a thread at most, in 4 to 16 warps."""
    return min(max(4, next_power_of_two(ceil_div(n * size, 128 * 32))), 16)
