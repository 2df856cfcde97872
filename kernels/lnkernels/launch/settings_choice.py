"""Which settings a launch gets: those tuned on this machine, else measured ones where the device class has a table, else derived
from the device's limits. What somebody took over is kept, and what hangs together with it follows.

Needs only the standard library. Settings depend on N and the element's size and not on M, which a caller may change from call
to call without a new compilation. Every function takes any number, a senseless one too: `check_launch` judges.
"""

from functools import lru_cache

from lnkernels.launch.config import LaunchOverrides
from lnkernels.launch.limits import REGISTERS_PER_SM, RESERVED_SHARED_BYTES, DeviceLimits
from lnkernels.launch.settings import AtomicSettings, ForwardSettings, ReduceSettings, RowsSettings, SplitSettings
from lnkernels.launch.settings_table import (
    FORWARD,
    FORWARD_OF_MANY_ROWS,
    MANY_ROWS,
    ROWS,
    SPLIT,
    ForwardEntry,
    RowsEntry,
    SplitEntry,
)
from lnkernels.launch.shapes import DTYPE_BYTES, ceil_div, next_power_of_two
from lnkernels.launch.tuned import first_for, tuned_entry

NO_WISHES = LaunchOverrides()
_HELD_COLUMNS = REGISTERS_PER_SM // 8  # of a row whose float32 sums of dw and db take a quarter of an SM's registers
_TABLE_OF = (9, 0)  # compute capability that the table was measured on; it counts programs per SM, so an H100 may use it
_LEAST_SLICE = 16
_BLOCK_HELD = 1024  # columns: 8 a thread of 4 warps
_MOST_HELD = 32768  # bytes of a row: 64 registers a thread
_HELD_BY_SPLIT = {
    2: 8192,
    4: 6144,
}  # columns on an SM, by bytes an element: with more, sums spill; with fewer, rows take longer
_FEWEST_STAGES = 3  # rows in flight; with fewer, wide rows were no faster than with one
_LOADED = 16  # bytes that a thread loads at once


def tile_bytes(rows: int, block_n: int, element_bytes: int, num_stages: int) -> int:
    """Shared memory in which tiles of x and dy wait, all but the one at work."""
    return 2 * rows * block_n * element_bytes * max(num_stages - 1, 0)


def shared_bytes_per_program(limits: DeviceLimits) -> int:
    """Most shared memory that one program may take; 0 where none is known of."""
    return max(limits.shared_bytes_per_sm - RESERVED_SHARED_BYTES, 0)


def _measured(limits: DeviceLimits) -> bool:
    return limits.compute_capability == _TABLE_OF


@lru_cache(maxsize=1024)
def reduce_settings(limits: DeviceLimits, wished: LaunchOverrides = NO_WISHES) -> ReduceSettings:
    """Second stage. Tiles of 32 partials by 16 columns: narrow, so that 1024 columns make 128 programs."""
    return ReduceSettings(
        block_m=_or(wished.reduce_block_size_m, 32),
        block_n=_or(wished.reduce_block_size_n, 16),
        num_warps=_or(wished.reduce_num_warps, 8),
        overlap=limits.compute_capability >= (9, 0),
    )


@lru_cache(maxsize=1024)
def rows_settings(n: int, dtype: str, limits: DeviceLimits, wished: LaunchOverrides = NO_WISHES) -> RowsSettings:
    """Strategy `persistent`, for rows of `n` elements of `dtype`."""
    size = DTYPE_BYTES[dtype]
    entry = tuned_entry(RowsEntry, n, size, limits) or usual_rows(n, size, limits)
    return rows_of(entry, n, limits, wished)


def usual_rows(n: int, size: int, limits: DeviceLimits) -> RowsEntry:
    """The entry where nothing was tuned: measured ones for the table's device class, else a derived one."""
    found = next((one for one in ROWS if one.element_bytes == size and n <= one.up_to_n), None)
    return found if found is not None and _measured(limits) else _derived_rows(n, size, limits)


def rows_of(entry: RowsEntry, n: int, limits: DeviceLimits, wished: LaunchOverrides = NO_WISHES) -> RowsSettings:
    """What an entry means for rows of `n` elements on a device."""
    size, whole = entry.element_bytes, next_power_of_two(n)
    in_blocks = wished.rows in (None, 1) and entry.rows == 1
    automatic_block = min(entry.block_n or whole, whole) if in_blocks else whole
    block = _or(wished.block_size_n, automatic_block)
    rows = _or(wished.rows, entry.rows if block >= n else 1)
    warps, programs, stages = entry.num_warps, entry.programs_per_sm, entry.num_stages
    if (rows, block) != (entry.rows, automatic_block):
        warps = _warps(rows * block) if block >= n else _warps_of_blocks(n, size)
        programs = programs if rows < entry.rows else 1
    programs = _or(wished.programs_per_sm, programs)
    if (rows, block, programs) != (entry.rows, automatic_block, entry.programs_per_sm):
        held = ceil_div(n, max(block, 1)) * block
        stages = max(1, min(stages, _stages(2 * rows * held * size, programs, limits)))
    return RowsSettings(
        rows=rows,
        block_n=block,
        num_warps=_or(wished.num_warps, warps),
        num_stages=_or(wished.num_stages, stages),
        programs=programs * limits.sm_count,
        max_registers=None,
        sums_per_row=entry.sums_per_row,
        reduce=reduce_settings(limits, wished),
    )


def _derived_rows(n: int, size: int, limits: DeviceLimits) -> RowsEntry:
    """About what the measured entries have in common: tiles of 4096 columns, as many in flight as shared memory holds.

    Rows that leave lanes of a power of two idle, and those too wide for it, are held in blocks.
    """
    block = next_power_of_two(n)
    if _BLOCK_HELD < n < block or block > _HELD_COLUMNS:
        warps = _warps_of_blocks(n, size)
        return RowsEntry(
            element_bytes=size,
            up_to_n=n,
            rows=1,
            num_warps=warps,
            num_stages=_stages(2 * n * size, 1, limits),
            programs_per_sm=1,
            block_n=warps * 32 * _LOADED // size,
        )
    rows = max(1, min(8, 4096 // block))
    tile = rows * block
    warps = _warps(tile)
    programs = max(1, min(2, limits.warps_per_sm // (2 * warps))) if tile < _HELD_COLUMNS // 2 else 1
    return RowsEntry(
        element_bytes=size,
        up_to_n=n,
        rows=rows,
        num_warps=warps,
        num_stages=_stages(2 * tile * size, programs, limits),
        programs_per_sm=programs,
        sums_per_row=block <= 512,
    )


def _warps(tile: int) -> int:
    """32 elements a thread."""
    return max(1, min(16, next_power_of_two(tile) // 1024))


def _warps_of_blocks(n: int, size: int) -> int:
    """128 bytes of a row a thread at most, in 4 to 16 warps."""
    return min(max(4, next_power_of_two(ceil_div(n * size, 128 * 32))), 16)


def _stages(tile_bytes: int, programs: int, limits: DeviceLimits) -> int:
    """Tiles in flight, 1 to 4: all but the one at work lie in shared memory, of which a quarter is left alone."""
    room = limits.shared_bytes_per_sm * 3 // 4 // max(programs, 1)
    return max(1, min(4, 1 + room // max(tile_bytes, 1)))


@lru_cache(maxsize=1024)
def split_settings(n: int, dtype: str, limits: DeviceLimits, wished: LaunchOverrides = NO_WISHES) -> SplitSettings:
    """Strategy `split`, for rows of `n` elements of `dtype`. All programs have to be resident together.

    A row that more programs would share than there are SMs gets its one group all the same; `check_launch` refuses it.
    """
    size = DTYPE_BYTES[dtype]
    entry = tuned_entry(SplitEntry, n, size, limits) or usual_split(n, size, limits)
    return split_of(entry, n, limits, wished)


def usual_split(n: int, size: int, limits: DeviceLimits) -> SplitEntry:
    """The entry where nothing was tuned: measured ones for the table's device class, else a derived one."""
    found = next((one for one in SPLIT if one.element_bytes == size and n <= one.up_to_n), None)
    return found if found is not None and _measured(limits) else _derived_split(n, size, limits)


def split_of(entry: SplitEntry, n: int, limits: DeviceLimits, wished: LaunchOverrides = NO_WISHES) -> SplitSettings:
    """What an entry means for rows of `n` elements on a device."""
    size = entry.element_bytes
    programs = _or(wished.programs_per_sm, entry.programs_per_sm)
    most = _slice_columns(n, size, programs, limits)
    slices = max(ceil_div(n, most), 1)
    block = _or(wished.block_size_n, min(entry.block_n, max(_LEAST_SLICE, next_power_of_two(ceil_div(n, slices)))))
    slices = max(ceil_div(n, max(most, block)), 1)
    warps, stages = entry.num_warps, entry.num_stages
    if (block, programs) != (entry.block_n, entry.programs_per_sm):
        held = max(block, ceil_div(n, slices))
        warps = max(1, _slice_warps(held, size))
        stages = min(3, _stages(2 * ceil_div(held, max(block, 1)) * block * size, programs, limits))
    # Without a GPU programs run one after the other, and none waits for another.
    sms = limits.sm_count if limits.compute_capability > (0, 0) else slices
    return SplitSettings(
        slices=slices,
        block_n=block,
        num_warps=_or(wished.num_warps, warps),
        num_stages=_or(wished.num_stages, stages),
        max_registers=None,
        groups=max(sms * programs // slices, 1),
        reduce=reduce_settings(limits, wished),
        programs_per_sm=programs,
    )


def _slice_columns(n: int, size: int, programs: int, limits: DeviceLimits) -> int:
    """Columns of a slice at most: what an SM's registers hold with their sums, where three of x and dy fit its shared memory.

    Fewer where they do not, but no more slices than SMs: they wait for each other.
    """
    widest = max(_HELD_BY_SPLIT[size] // max(programs, 1), _LEAST_SLICE)
    columns = widest
    if limits.compute_capability > (0, 0):
        while columns > 1024 and _stages(2 * columns * size, programs, limits) < _FEWEST_STAGES:
            columns //= 2
        while ceil_div(n, columns) > limits.sm_count and columns < widest:
            columns *= 2
    return columns


def _derived_split(n: int, size: int, limits: DeviceLimits) -> SplitEntry:
    """One program an SM, whose threads load 16 bytes at once."""
    columns = _slice_columns(n, size, 1, limits)
    warps = _slice_warps(columns, size)
    return SplitEntry(
        element_bytes=size,
        up_to_n=n,
        block_n=min(warps * 32 * _LOADED // size, next_power_of_two(columns)),
        num_warps=warps,
        num_stages=min(3, _stages(2 * columns * size, 1, limits)),
    )


def _slice_warps(columns: int, size: int) -> int:
    """About 32 columns a thread in half precision, 16 in float32."""
    return max(4, min(16, next_power_of_two(columns * size) // 2048))


@lru_cache(maxsize=1024)
def forward_settings(
    n: int, dtype: str, limits: DeviceLimits, wished: LaunchOverrides = NO_WISHES, *, many_rows: bool = False
) -> ForwardSettings:
    """Forward pass, for rows of `n` elements of `dtype`; `many_rows` is `has_many_rows` of their number."""
    size = DTYPE_BYTES[dtype]
    entry: ForwardEntry | None = tuned_entry(ForwardEntry, n, size, limits, many_rows=many_rows)
    if entry is not None and entry.many_rows != many_rows and _measured(limits):
        entry = None  # settings measured with many rows on another such device know more than those measured with few on this
    return forward_of(entry or usual_forward(n, size, limits, many_rows=many_rows), n, limits, wished)


def has_many_rows(m: int | None) -> bool:
    """Whether the forward pass of m rows takes the settings for many; None, where their number is open, is few."""
    return m is not None and m >= MANY_ROWS


def usual_forward(n: int, size: int, limits: DeviceLimits, *, many_rows: bool = False) -> ForwardEntry:
    """The entry where nothing was tuned: measured ones for the table's device class, else a derived one."""
    if not _measured(limits):
        return _derived_forward(n, size)
    wide_enough = [one for one in FORWARD + FORWARD_OF_MANY_ROWS if one.element_bytes == size and n <= one.up_to_n]
    found: ForwardEntry | None = first_for(wide_enough, many_rows=many_rows)
    return found or _derived_forward(n, size)


def forward_of(entry: ForwardEntry, n: int, limits: DeviceLimits, wished: LaunchOverrides = NO_WISHES) -> ForwardSettings:
    """What an entry means for rows of `n` elements on a device."""
    whole = next_power_of_two(n)
    automatic_block = min(entry.block_n or whole, whole)
    block = _or(wished.block_size, automatic_block)
    rows = _or(wished.forward_rows, entry.rows if block >= n else 1)
    warps, stages, programs = entry.num_warps, entry.num_stages, entry.programs_per_sm
    if (block, rows) != (automatic_block, entry.rows):
        warps, stages, programs = _warps(rows * block), 1, 0
    held = entry.held and block == automatic_block
    return ForwardSettings(
        rows=rows,
        block_n=block,
        num_warps=_or(wished.forward_num_warps, warps),
        num_stages=stages,
        programs=programs * limits.sm_count if programs else None,
        held=held and block < n,
    )


def _derived_forward(n: int, size: int) -> ForwardEntry:
    """A program a row, 32 elements a thread; rows that would leave lanes idle in full blocks, those beyond 16384 in steps."""
    block = next_power_of_two(n)
    if _BLOCK_HELD < n < block and n * size <= _MOST_HELD:
        return ForwardEntry(
            element_bytes=size,
            up_to_n=n,
            rows=1,
            block_n=_BLOCK_HELD,
            num_warps=4,
            num_stages=1,
            programs_per_sm=0,
            held=True,
        )
    rows = max(1, min(4, 2048 // block))
    step = block if block <= 16384 else 8192
    return ForwardEntry(
        element_bytes=size,
        up_to_n=n,
        rows=rows,
        block_n=0 if step == block else step,
        num_warps=_warps(rows * step),
        num_stages=1,
        programs_per_sm=0,
    )


@lru_cache(maxsize=1024)
def atomic_settings(n: int, limits: DeviceLimits, wished: LaunchOverrides = NO_WISHES) -> AtomicSettings:
    """Strategy `atomic`: as `locked` is launched by the tutorial's heuristics."""
    block = next_power_of_two(n)
    return AtomicSettings(
        block_n=block,
        num_warps=_or(wished.num_warps, max(1, min(16, block // 512))),
        reduce=reduce_settings(limits, wished),
    )


def holds_rows(n: int, dtype: str, limits: DeviceLimits) -> bool:
    """Whether `persistent` is the faster strategy: rows fit a program's registers. Beyond, `split` is."""
    if _measured(limits):
        return n <= max(entry.up_to_n for entry in ROWS if entry.element_bytes == DTYPE_BYTES[dtype])
    size = DTYPE_BYTES[dtype]
    in_blocks = n * size <= _MOST_HELD and _stages(2 * n * size, 1, limits) >= _FEWEST_STAGES
    return next_power_of_two(n) <= _HELD_COLUMNS or in_blocks


def choose_again() -> None:
    """Forget what was chosen, after the tuned settings have changed."""
    for chosen in (reduce_settings, rows_settings, split_settings, forward_settings, atomic_settings):
        chosen.cache_clear()


def _or(wished: int | None, automatic: int) -> int:
    return automatic if wished is None else wished
