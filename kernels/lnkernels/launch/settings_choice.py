"""Which settings a launch gets: measured ones where the device class has a table, else derived from the device's limits.

Needs only the standard library. Settings depend on N and the element's size and not on M, which a caller may change from call
to call without a new compilation.
"""

from functools import lru_cache

from lnkernels.launch.limits import DeviceLimits
from lnkernels.launch.settings import AtomicSettings, ForwardSettings, ReduceSettings, RowsSettings, SplitSettings
from lnkernels.launch.settings_table import FORWARD, ROWS, SPLIT, ForwardEntry, RowsEntry, SplitEntry
from lnkernels.launch.shapes import DTYPE_BYTES, ceil_div, next_power_of_two

_HELD_COLUMNS = 8192  # columns of a tile whose float32 sums of dw and db fit one program's registers, a quarter of an SM's each
_TABLE_OF = (9, 0)  # compute capability that the table was measured on; it counts programs per SM, so an H100 may use it


def _measured(limits: DeviceLimits) -> bool:
    return limits.compute_capability == _TABLE_OF


@lru_cache(maxsize=1024)
def reduce_settings(limits: DeviceLimits) -> ReduceSettings:
    """Second stage. Tiles of 32 partials by 16 columns: narrow, so that 1024 columns make 128 programs."""
    return ReduceSettings(block_m=32, block_n=16, num_warps=8, overlap=limits.compute_capability >= (9, 0))


@lru_cache(maxsize=1024)
def rows_settings(n: int, dtype: str, limits: DeviceLimits) -> RowsSettings:
    """Strategy `persistent`, for rows of `n` elements of `dtype`."""
    size = DTYPE_BYTES[dtype]
    found = next((entry for entry in ROWS if entry.element_bytes == size and n <= entry.up_to_n), None)
    entry = found if found is not None and _measured(limits) else _derived_rows(n, size, limits)
    return RowsSettings(
        rows=entry.rows,
        block_n=next_power_of_two(n),
        num_warps=entry.num_warps,
        num_stages=entry.num_stages,
        programs=entry.programs_per_sm * limits.sm_count,
        max_registers=None,
        sums_per_row=entry.sums_per_row,
        reduce=reduce_settings(limits),
    )


def _derived_rows(n: int, size: int, limits: DeviceLimits) -> RowsEntry:
    """About what the measured entries have in common: tiles of 4096 columns, as many in flight as shared memory holds."""
    block = next_power_of_two(n)
    rows = max(1, min(8, 4096 // block))
    tile = rows * block
    warps = max(1, min(16, tile // 1024))
    programs = max(1, min(2, limits.warps_per_sm // (2 * warps)))
    return RowsEntry(
        element_bytes=size,
        up_to_n=n,
        rows=rows,
        num_warps=warps,
        num_stages=_stages(2 * tile * size, programs, limits),
        programs_per_sm=programs if tile < _HELD_COLUMNS // 2 else 1,
        sums_per_row=block <= 512,
    )


def _stages(tile_bytes: int, programs: int, limits: DeviceLimits) -> int:
    """Tiles in flight, 1 to 4: all but the one at work lie in shared memory, of which a quarter is left alone."""
    room = limits.shared_bytes_per_sm * 3 // 4 // programs
    return max(1, min(4, 1 + room // max(tile_bytes, 1)))


@lru_cache(maxsize=1024)
def split_settings(n: int, dtype: str, limits: DeviceLimits) -> SplitSettings:
    """Strategy `split`, for rows of `n` elements of `dtype`. One program an SM, so all of them are resident together."""
    size = DTYPE_BYTES[dtype]
    found = next((entry for entry in SPLIT if entry.element_bytes == size and n <= entry.up_to_n), None)
    entry = found if found is not None and _measured(limits) else _derived_split(n, size, limits)
    slices = ceil_div(n, entry.block_n)
    # Without a GPU programs run one after the other, and none waits for another.
    sms = limits.sm_count if limits.compute_capability > (0, 0) else slices
    if slices > sms:
        raise ValueError(f"n = {n} is not possible: a row would be shared by {slices} programs, and {limits.name} has fewer SMs")
    return SplitSettings(
        slices=slices,
        block_n=min(entry.block_n, max(16, next_power_of_two(ceil_div(n, slices)))),
        num_warps=entry.num_warps,
        num_stages=entry.num_stages,
        max_registers=None,
        groups=sms // slices,
        reduce=reduce_settings(limits),
    )


def _derived_split(n: int, size: int, limits: DeviceLimits) -> SplitEntry:
    """Slices of 16 KiB where three of x and of dy fit an SM's shared memory, and smaller ones where they do not."""
    block = 16384 // size
    while block > 1024 and _stages(2 * block * size, 1, limits) < 3:
        block //= 2
    while ceil_div(n, block) > limits.sm_count and block < 16384 // size:
        block *= 2
    return SplitEntry(
        element_bytes=size,
        up_to_n=n,
        block_n=block,
        num_warps=max(4, block * size // 2048),  # 32 columns a thread in half precision, 16 in float32
        num_stages=min(3, _stages(2 * block * size, 1, limits)),
    )


@lru_cache(maxsize=1024)
def forward_settings(n: int, dtype: str, limits: DeviceLimits) -> ForwardSettings:
    """Forward pass, for rows of `n` elements of `dtype`."""
    size = DTYPE_BYTES[dtype]
    found = next((entry for entry in FORWARD if entry.element_bytes == size and n <= entry.up_to_n), None)
    entry = found if found is not None and _measured(limits) else _derived_forward(n, size)
    return ForwardSettings(
        rows=entry.rows,
        block_n=min(entry.block_n or next_power_of_two(n), next_power_of_two(n)),
        num_warps=entry.num_warps,
        num_stages=entry.num_stages,
        programs=entry.programs_per_sm * limits.sm_count if entry.programs_per_sm else None,
    )


def _derived_forward(n: int, size: int) -> ForwardEntry:
    """A program a row, 32 elements a thread, rows of more than 16384 columns in steps of 8192."""
    block = next_power_of_two(n)
    rows = max(1, min(4, 2048 // block))
    step = block if block <= 16384 else 8192
    return ForwardEntry(
        element_bytes=size,
        up_to_n=n,
        rows=rows,
        block_n=0 if step == block else step,
        num_warps=max(1, min(16, rows * step // 1024)),
        num_stages=1,
        programs_per_sm=0,
    )


@lru_cache(maxsize=1024)
def atomic_settings(n: int, limits: DeviceLimits) -> AtomicSettings:
    """Strategy `atomic`: as `locked` is launched by the tutorial's heuristics."""
    block = next_power_of_two(n)
    return AtomicSettings(block_n=block, num_warps=max(1, min(16, block // 512)), reduce=reduce_settings(limits))


def holds_rows(n: int, dtype: str, limits: DeviceLimits) -> bool:
    """Whether `persistent` is the faster strategy: rows fit a program's registers. Beyond, `split` is."""
    if _measured(limits):
        return n <= max(entry.up_to_n for entry in ROWS if entry.element_bytes == DTYPE_BYTES[dtype])
    return next_power_of_two(n) <= _HELD_COLUMNS
