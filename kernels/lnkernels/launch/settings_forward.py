"""Settings of the forward pass of all strategies without locks. They differ for few rows and for many."""

from functools import lru_cache

from lnkernels.launch.config import LaunchOverrides
from lnkernels.launch.limits import DeviceLimits
from lnkernels.launch.settings import ForwardSettings
from lnkernels.launch.settings_shared import BLOCK_HELD, MOST_HELD_BYTES, NO_WISHES, measured, taken_or, usual_warps
from lnkernels.launch.settings_table import FORWARD, FORWARD_OF_MANY_ROWS, MANY_ROWS, ForwardEntry
from lnkernels.launch.shapes import DTYPE_BYTES, next_power_of_two
from lnkernels.launch.tuned import first_for, tuned_entry


@lru_cache(maxsize=1024)
def forward_settings(
    n: int, dtype: str, limits: DeviceLimits, wished: LaunchOverrides = NO_WISHES, *, many_rows: bool = False
) -> ForwardSettings:
    """Forward pass, for rows of `n` elements of `dtype`; `many_rows` is `has_many_rows` of their number."""
    size = DTYPE_BYTES[dtype]
    entry: ForwardEntry | None = tuned_entry(ForwardEntry, n, size, limits, many_rows=many_rows)
    if entry is not None and entry.many_rows != many_rows and measured(limits):
        entry = None  # settings measured with many rows on another such device know more than those measured with few on this
    return forward_of(entry or usual_forward(n, size, limits, many_rows=many_rows), n, limits, wished)


def has_many_rows(m: int | None) -> bool:
    """Whether the forward pass of m rows takes the settings for many; None, where their number is open, is few."""
    return m is not None and m >= MANY_ROWS


def usual_forward(n: int, size: int, limits: DeviceLimits, *, many_rows: bool = False) -> ForwardEntry:
    """The entry where nothing was tuned: measured ones for the table's device class, else a derived one."""
    if not measured(limits):
        return _derived_forward(n, size)
    wide_enough = [one for one in FORWARD + FORWARD_OF_MANY_ROWS if one.element_bytes == size and n <= one.up_to_n]
    found: ForwardEntry | None = first_for(wide_enough, many_rows=many_rows)
    return found or _derived_forward(n, size)


def forward_of(entry: ForwardEntry, n: int, limits: DeviceLimits, wished: LaunchOverrides = NO_WISHES) -> ForwardSettings:
    """What an entry means for rows of `n` elements on a device."""
    whole = next_power_of_two(n)
    automatic_block = min(entry.block_n or whole, whole)
    block = taken_or(wished.block_size, automatic_block)
    rows = taken_or(wished.forward_rows, entry.rows if block >= n else 1)
    warps, stages, programs = entry.num_warps, entry.num_stages, entry.programs_per_sm
    if (block, rows) != (automatic_block, entry.rows):
        warps, stages, programs = usual_warps(rows * block), 1, 0
    held = entry.held and block == automatic_block
    return ForwardSettings(
        rows=rows,
        block_n=block,
        num_warps=taken_or(wished.forward_num_warps, warps),
        num_stages=stages,
        programs=programs * limits.sm_count if programs else None,
        held=held and block < n,
    )


def _derived_forward(n: int, size: int) -> ForwardEntry:
    """A program a row, 32 elements a thread; rows that would leave lanes idle in full blocks, those beyond 16384 in steps."""
    block = next_power_of_two(n)
    if BLOCK_HELD < n < block and n * size <= MOST_HELD_BYTES:
        return ForwardEntry(
            element_bytes=size,
            up_to_n=n,
            rows=1,
            block_n=BLOCK_HELD,
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
        num_warps=usual_warps(rows * step),
        num_stages=1,
        programs_per_sm=0,
    )
