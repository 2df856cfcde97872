"""The settings that tuning tries on a device.

All candidates can be launched, and keep to the workspace, which is promised to be at most the
larger of 5 % of the bytes of x and of 16 bytes for each column and SM, whatever the number of rows.
Only of narrow rows in groups it may be 32 bytes, by settings that tuning does not try.
"""

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import product

from lnkernels.launch import LAUNCHED, automatic_strategy, check_launch
from lnkernels.launch.forward import forward_of, usual_forward
from lnkernels.launch.limits import (
    DTYPE_BYTES,
    DeviceLimits,
    ceil_div,
    next_power_of_two,
)
from lnkernels.launch.measured import ForwardEntry, RowsEntry, SplitEntry
from lnkernels.launch.persistent import rows_of, usual_rows
from lnkernels.launch.settings import Launch, LaunchWish
from lnkernels.launch.split import split_of, usual_split
from lnkernels.launch.strategy import LOADED_BYTES, Asked
from lnkernels.launch.tuned import Entry

# Powers of two, and what models have between them.
WIDTHS = (
    *(256, 512, 768, 1024, 1536, 2048, 2560, 3072, 3584, 4096, 5120, 6144, 7168, 8192),
    *(10240, 12288, 16384, 20480, 32768, 65536),
)
_ALWAYS_FIT = 8  # warps of an SM that fit whatever registers they take
_HELD = 8192  # elements of a tile; beyond, sums spill
_STAGES = (1, 3, 4, 5, 6)  # 2 hides as little as 1, and small shared memories hold no more than 1
# columns up to which a third program an SM may be worth its sums, where rows are many
_NARROW = 512
_WIDE = 4096  # columns beyond which a row may be worth sharing, or walking in steps


def launch_of(
    entry: Entry, n: int, dtype: str, limits: DeviceLimits, m: int | None = None
) -> Launch:
    """Return the launch of an entry for m rows; the pass that it does not set is the usual one."""
    asked = Asked(n, dtype, limits, LaunchWish(), m)
    if isinstance(entry, ForwardEntry):
        strategy = LAUNCHED[automatic_strategy(asked)]
        return replace(strategy.choose(replace(asked, m=None)), **forward_of(entry, asked))
    if isinstance(entry, RowsEntry):
        return rows_of(entry, asked)
    return split_of(entry, asked)


def candidates(kind: str, n: int, dtype: str, limits: DeviceLimits) -> list[Entry]:
    """Return the entries to measure for rows of n elements.

    What is used untuned comes first, the others in a random order, so that the first part of them
    is a fair sample.
    """
    size = DTYPE_BYTES[dtype]
    makers = {"rows": _rows, "split": _split, "forward": _forward}
    found = [entry for entry in makers[kind](n, size) if _fits(entry, n, dtype, limits)]
    if not found:
        return []
    # Whoever stops early shall not end up with less than before.
    first = list(
        dict.fromkeys(
            untuned(kind, n, dtype, limits, many_rows=many_rows) for many_rows in (False, True)
        )
    )
    others = [entry for entry in found if entry not in first]
    return [
        *(entry for entry in first if _possible(entry, n, dtype, limits)),
        *random.Random(0).sample(others, len(others)),
    ]


def untuned(kind: str, n: int, dtype: str, limits: DeviceLimits, *, many_rows: bool) -> Entry:
    """Return what is used untuned for rows of n elements, as a candidate."""
    asked = Asked(n, dtype, limits, LaunchWish())
    match kind:
        case "rows":
            return replace(usual_rows(asked), up_to_n=n)
        case "split":
            return replace(usual_split(asked), up_to_n=n)
        case _:
            return replace(usual_forward(asked, many_rows=many_rows), up_to_n=n, many_rows=False)


def _rows(n: int, size: int) -> Iterator[Entry]:
    block, entry = next_power_of_two(n), partial(RowsEntry, element_bytes=size, up_to_n=n)
    programs_per_sm = (1, 2, 3) if n <= _NARROW else (1, 2)
    for rows, warps, stages, programs in product(
        (1, 2, 4, 8, 16), (1, 2, 4, 8, 16), _STAGES, programs_per_sm
    ):
        if 8 <= rows * block // (32 * warps) <= 64 and rows * block <= _HELD:
            for apart in (False, True) if block <= 512 else (False,):
                yield entry(
                    rows=rows,
                    num_warps=warps,
                    num_stages=stages,
                    programs_per_sm=programs,
                    sums_per_row=apart,
                )
    for (width, warps), stages, programs in product(_blocks(size), _STAGES[1:], (1, 2)):
        if width < n <= 64 * 32 * warps * 2 // size and n > 4 * 32 * warps:
            yield entry(
                rows=1, num_warps=warps, num_stages=stages, programs_per_sm=programs, block_n=width
            )


def _blocks(size: int) -> list[tuple[int, int]]:
    """Return pairs of a block's columns and warps for rows held in several blocks: a thread loads
    16 bytes at once, or half for narrow rows.
    """
    return [*((warps * 32 * 16 // size, warps) for warps in (2, 4, 8, 16)), (4 * 32 * 8 // size, 4)]


def _split(n: int, size: int) -> Iterator[Entry]:
    if n <= _WIDE:
        return
    entry = partial(SplitEntry, element_bytes=size, up_to_n=n)
    for (width, warps), stages in product(_blocks(size), (3, 4)):
        for programs in sorted({1, max(_ALWAYS_FIT // warps, 1)}):
            yield entry(block_n=width, num_warps=warps, num_stages=stages, programs_per_sm=programs)


def _forward(n: int, size: int) -> Iterator[Entry]:
    block = next_power_of_two(n)
    entry = partial(ForwardEntry, element_bytes=size, up_to_n=n, rows=1)
    for rows, warps in product((1, 2, 4, 8, 16), (1, 2, 4, 8, 16)):
        if (
            rows * block <= (16384 if rows <= 4 else 4096)
            and 8 <= rows * block // (32 * warps) <= 64
        ):
            yield entry(rows=rows, num_warps=warps)
            for stages, programs in product((3, 4), (1, 2, 4, 8)):
                yield entry(rows=rows, num_warps=warps, num_stages=stages, programs_per_sm=programs)
    for step, warps in (
        *((512, 2), (1024, 2), (1024, 4), (2048, 4), (2048, 8), (2048, 16)),
        *((4096, 8), (4096, 16), (8192, 8), (8192, 16), (8192, 32)),
    ):
        if step < n <= 16 * step and n <= 128 * 32 * warps * 2 // size:
            yield entry(block_n=step, num_warps=warps, held=True)
    for step, warps in ((64, 2), (64, 4), (128, 2), (128, 4), (256, 2), (256, 4)):
        # a thread loads as many bytes of each block as it can at once
        rows = warps * 32 * LOADED_BYTES // size // step
        if step < n <= 10 * step and rows > 1:
            yield entry(rows=rows, block_n=step, num_warps=warps, held=True)
    for step, warps in (
        (1024, 4),
        (1024, 8),
        (2048, 8),
        (4096, 8),
        (4096, 16),
        (8192, 16),
        (8192, 32),
        (16384, 32),
    ):
        if n > _WIDE // 2 and step < block:
            yield entry(block_n=step, num_warps=warps)


def _fits(entry: Entry, n: int, dtype: str, limits: DeviceLimits) -> bool:
    """Return whether an entry can be launched with as many programs on an SM as it says."""
    programs = max(entry.programs_per_sm, 1)
    if entry.num_warps * programs > limits.warps_per_sm:
        return False
    if isinstance(entry, SplitEntry):
        return _possible(entry, n, dtype, limits)  # its slices are chosen so that they fit
    block = (
        entry.block_n if isinstance(entry, RowsEntry) and entry.block_n else next_power_of_two(n)
    )
    tile = 2 * entry.rows * ceil_div(n, block) * block
    if isinstance(entry, ForwardEntry):
        tile //= 2  # x alone
    if (
        tile * entry.element_bytes * (entry.num_stages - 1) * programs
        > limits.shared_bytes_per_sm * 0.9
    ):
        return False
    return _possible(entry, n, dtype, limits)


def _possible(entry: Entry, n: int, dtype: str, limits: DeviceLimits) -> bool:
    launch = launch_of(entry, n, dtype, limits)
    within = isinstance(entry, ForwardEntry) or _keeps_to_workspace(launch, n, dtype, limits)
    return within and not check_launch(n, dtype, launch, limits)


def _keeps_to_workspace(launch: Launch, n: int, dtype: str, limits: DeviceLimits) -> bool:
    """Return True if the workspace is within its bound for every number of rows."""
    least = 16 * n * limits.sm_count
    of_a_row = n * DTYPE_BYTES[dtype] / 20  # by which the bound grows from some number of rows on
    sums = 8 * n * (launch.programs // launch.slices)
    words_of_a_row = LAUNCHED[launch.strategy].exchange_bytes(1, launch)
    return sums + words_of_a_row * least / of_a_row <= least and words_of_a_row <= of_a_row
