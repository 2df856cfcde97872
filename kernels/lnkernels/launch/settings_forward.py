"""Settings of the forward pass of all strategies without locks. They differ for few rows and for many."""

from functools import lru_cache

from lnkernels.launch.config import LaunchOverrides
from lnkernels.launch.limits import REGISTERS_PER_SM, SCHEDULERS_PER_SM, DeviceLimits
from lnkernels.launch.settings import ForwardSettings
from lnkernels.launch.settings_shared import (
    BLOCK_HELD,
    MOST_HELD_BYTES,
    NO_WISHES,
    elements_per_thread,
    measured,
    taken_or,
    usual_warps,
)
from lnkernels.launch.settings_table import FORWARD, FORWARD_OF_MANY_ROWS, MANY_ROWS, ForwardEntry
from lnkernels.launch.shapes import DTYPE_BYTES, next_power_of_two
from lnkernels.launch.tuned_choice import tuned_entry

_VALUES = 1  # registers that an element takes
_HELD_REGISTERS = 64  # of a thread, at most, with which a row is held
_WIDEST_WHOLE = REGISTERS_PER_SM // 4  # columns of a row of which an SM's registers hold a few


@lru_cache(maxsize=1024)
def forward_settings(
    n: int, dtype: str, limits: DeviceLimits, wished: LaunchOverrides = NO_WISHES, *, many_rows: bool = False
) -> ForwardSettings:
    """Forward pass, for rows of `n` elements of `dtype`; `many_rows` is `has_many_rows` of their number."""
    size = DTYPE_BYTES[dtype]
    entry = _tuned_forward(n, size, limits, many_rows=many_rows)
    return forward_of(entry or usual_forward(n, size, limits, many_rows=many_rows), n, limits, wished)


def _tuned_forward(n: int, size: int, limits: DeviceLimits, *, many_rows: bool) -> ForwardEntry | None:
    def untuned(width: int) -> ForwardEntry:
        return usual_forward(width, size, limits, many_rows=many_rows)

    entry: ForwardEntry | None = tuned_entry(ForwardEntry, n, size, limits, untuned, many_rows=many_rows)
    # Settings measured with many rows on another such device know more than those measured with few on this.
    if entry is None and many_rows and not measured(limits):
        return _tuned_forward(n, size, limits, many_rows=False)
    return entry


def has_many_rows(m: int | None) -> bool:
    """Whether the forward pass of m rows takes the settings for many; None, where their number is open, is few."""
    return m is not None and m >= MANY_ROWS


def usual_forward(n: int, size: int, limits: DeviceLimits, *, many_rows: bool = False) -> ForwardEntry:
    """The entry where nothing was tuned: measured ones for the table's device class, else a derived one."""
    if not measured(limits):
        return _derived_forward(n, size, limits)
    table = FORWARD_OF_MANY_ROWS + FORWARD if many_rows else FORWARD
    found = next((one for one in table if one.element_bytes == size and n <= one.up_to_n), None)
    return found or _derived_forward(n, size, limits)


def forward_of(entry: ForwardEntry, n: int, limits: DeviceLimits, wished: LaunchOverrides = NO_WISHES) -> ForwardSettings:
    """What an entry means for rows of `n` elements on a device."""
    size, whole = entry.element_bytes, next_power_of_two(n)
    automatic_block = min(entry.block_n or whole, whole)
    block = taken_or(wished.block_size, automatic_block)
    rows = taken_or(wished.forward_rows, entry.rows if block >= n else 1)
    warps, stages, programs = entry.num_warps, entry.num_stages, entry.programs_per_sm
    held = taken_or(wished.forward_held, entry.held and block == automatic_block and block < n)
    if (block, rows) != (automatic_block, entry.rows):
        warps, stages, programs = usual_warps(n if held else rows * block, limits, _VALUES), 1, 0
    programs = taken_or(wished.forward_grid_per_sm, programs)
    warps = taken_or(wished.forward_num_warps, warps)
    return ForwardSettings(
        rows=rows,
        block_n=block,
        num_warps=warps,
        # Who takes one tile has nothing to ask for ahead.
        num_stages=taken_or(wished.forward_num_stages, stages if programs else 1),
        programs=programs * limits.sm_count if programs else None,
        held=held,
        turn_after=_turn_after(n * size, warps, limits) if held else 0,
    )


def _turn_after(row_bytes: int, num_warps: int, limits: DeviceLimits) -> int:
    """Programs at work at one time, where weight and bias together are more than L1 holds; 0 where they are not.

    Taken the same way by every program, each of their lines would have been replaced when the next program comes to it. Programs
    that turn round begin with those that are still there.
    """
    if 2 * row_bytes <= limits.shared_bytes_per_sm or limits.compute_capability == (0, 0):
        return 0
    return limits.sm_count * max(REGISTERS_PER_SM // (_HELD_REGISTERS * 32 * max(num_warps, 1)), 1)


def _derived_forward(n: int, size: int, limits: DeviceLimits) -> ForwardEntry:
    """A program a row, with the warps that the SM's threads and registers call for; several rows where one is not work for two.

    Rows that would leave lanes idle are held in full blocks, those that take more than a quarter of an SM's registers are read
    in steps. That rows in blocks are the faster was measured on an H200 alone.
    """
    block = next_power_of_two(n)
    if BLOCK_HELD < n < block and n * size <= MOST_HELD_BYTES:
        return ForwardEntry(
            element_bytes=size,
            up_to_n=next_power_of_two(n),
            rows=1,
            block_n=BLOCK_HELD,
            num_warps=SCHEDULERS_PER_SM,
            num_stages=1,
            programs_per_sm=0,
            held=True,
        )
    rows = max(1, min(4, 2 * 32 * elements_per_thread(limits, _VALUES) // block))
    step = block if block <= _WIDEST_WHOLE else _WIDEST_WHOLE // 2
    return ForwardEntry(
        element_bytes=size,
        up_to_n=next_power_of_two(n),
        rows=rows,
        block_n=0 if step == block else step,
        num_warps=usual_warps(rows * step, limits, _VALUES),
        num_stages=1,
        programs_per_sm=0,
    )
