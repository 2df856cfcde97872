"""The forward pass of all strategies without locks: its settings for few and many rows, and their
check.
"""

from dataclasses import replace
from functools import partial
from typing import Any

from lnkernels.launch.limits import (
    REGISTERS_PER_SM,
    SCHEDULERS_PER_SM,
    DeviceLimits,
    ceil_div,
    next_power_of_two,
)
from lnkernels.launch.measured import (
    FORWARD,
    FORWARD_IN_GROUPS,
    FORWARD_OF_MANY_ROWS,
    MANY_ROWS,
    ForwardEntry,
    entry_for,
    reads_groups,
)
from lnkernels.launch.settings import Launch, Problem
from lnkernels.launch.strategy import (
    BLOCK_HELD,
    MAX_BLOCKS,
    MAX_HELD,
    MOST_HELD_BYTES,
    Asked,
    LaunchedStrategy,
    bytes_in_flight,
    check_power,
    check_shared,
    elements_per_thread,
    measured,
    refused,
    taken_or,
    usual_entry,
    usual_warps,
)
from lnkernels.launch.tuned import tuned_entry
from lnkernels.values.sentence import say

_VALUES = 1  # registers that an element takes
_HELD_REGISTERS = 64  # of a thread, at most, with which a row is held
# Most rows for each SM that are few, by the columns of the widest that they may have.
_FEW_ROWS = {4096: 4, 8192: 2, 16384: 1}
_WIDEST_OF_FEW = 32768  # bytes of one
# For each SM, of 513 to 1024 columns in half precision: each has a program of two warps (H200,
# 1024×1024: 6.4 µs of 6.9).
_SOME_ROWS = 8
# Of a program that walks: fewer do not pay for the weight and bias that it loads first; and of an
# SM (H200, bfloat16: 4096×1001 11.0 µs of 13.9, 1024×4001 11.4 of 15.7, 600×8001 13.6 of 19.2, but
# 600×1001 7.7 of 6.9).
_ROWS_OF_A_WALK, _WARPS_OF_A_WALK = 2, 4
_WIDEST_WHOLE = REGISTERS_PER_SM // 4  # columns of a row of which an SM's registers hold a few


def choose_forward(asked: Asked) -> dict[str, Any]:
    """Return the fields of a launch that the forward pass reads; for few rows where their number is
    not known.
    """
    many_rows = has_many_rows(asked.m)
    entry = _for_number_of_rows(asked) or _tuned_forward(asked, many_rows=many_rows)
    return forward_of(entry or usual_forward(asked, many_rows=many_rows), asked)


def _for_number_of_rows(asked: Asked) -> ForwardEntry | None:
    """Return the entry for few rows, for some narrow ones, or for so many that a walk pays; else
    None.
    """
    n, size, limits, m = asked.n, asked.size, asked.limits, asked.m
    if m is None or not measured(limits):
        return None
    if _has_few_rows(m, n, size, limits):
        return _few_rows(n, size)
    if m <= _SOME_ROWS * limits.sm_count and size == 2 and 512 < n <= 1024:
        return ForwardEntry(2, n, rows=1, block_n=512, num_warps=2, held=True)
    walk = entry_for(FORWARD_IN_GROUPS, n, size) if reads_groups(n, size) else None
    if walk is None:
        return None
    programs = min(walk.programs_per_sm, m // (_ROWS_OF_A_WALK * limits.sm_count))
    enough = programs * walk.num_warps >= _WARPS_OF_A_WALK
    return replace(walk, programs_per_sm=programs) if enough else None


def _has_few_rows(m: int, n: int, size: int, limits: DeviceLimits) -> bool:
    """Return True if there is at most one program of a row for each SM, or a few where rows are
    narrow.
    """
    few = any(m <= each * limits.sm_count and n <= widest for widest, each in _FEW_ROWS.items())
    return few and n * size <= _WIDEST_OF_FEW


def _few_rows(n: int, size: int) -> ForwardEntry:
    """Return settings for few rows: one row at once, up to 32 elements a thread, whatever was
    tuned.

    With few programs an SM there is nothing to overlap, and what counts is one row's way from
    memory to memory.
    """
    warps = min(max(next_power_of_two(n) // 1024, 4), 8)
    return ForwardEntry(size, n, rows=1, num_warps=warps, held=True)


def _tuned_forward(asked: Asked, *, many_rows: bool) -> ForwardEntry | None:
    untuned = partial(usual_forward, many_rows=many_rows)
    entry: ForwardEntry | None = tuned_entry(ForwardEntry, asked, untuned, many_rows=many_rows)
    # Settings measured with many rows on another such device know more than those measured with few
    # on this.
    if entry is None and many_rows and not measured(asked.limits):
        return _tuned_forward(asked, many_rows=False)
    return entry


def has_many_rows(m: int | None) -> bool:
    """Return True if the forward pass of m rows takes the settings for many; None, an open number,
    is few.
    """
    return m is not None and m >= MANY_ROWS


def usual_forward(asked: Asked, *, many_rows: bool = False) -> ForwardEntry:
    table = FORWARD_OF_MANY_ROWS + FORWARD if many_rows else FORWARD
    return usual_entry(table, asked, _derived_forward)


def forward_of(entry: ForwardEntry, asked: Asked) -> dict[str, Any]:
    n, limits, wish = asked.n, asked.limits, asked.wish
    size, whole = entry.element_bytes, next_power_of_two(n)
    automatic_block = min(entry.block_n or whole, whole)
    block = taken_or(wish.block_size, automatic_block)
    held = taken_or(wish.forward_held, entry.held and block == automatic_block)
    rows = taken_or(
        wish.forward_rows, entry.rows if block >= n or (held and block == automatic_block) else 1
    )
    warps, stages, programs = entry.num_warps, entry.num_stages, entry.programs_per_sm
    if (block, rows) != (automatic_block, entry.rows):
        warps, stages, programs = usual_warps(rows * (n if held else block), limits, _VALUES), 1, 0
    programs = taken_or(wish.forward_grid_per_sm, programs)
    warps = taken_or(wish.forward_num_warps, warps)
    return {
        "block_size": block,
        "forward_rows": rows,
        "forward_num_warps": warps,
        "forward_held": held,
        "forward_num_stages": (
            stages if programs else 1
        ),  # who takes one tile has nothing to ask for ahead
        "forward_grid_per_sm": programs,
        "forward_programs": programs * limits.sm_count,
        "turn_after": turn_after(n * size, warps, limits) if held else 0,
    }


def turn_after(row_bytes: int, num_warps: int, limits: DeviceLimits) -> int:
    """Return how many programs run at one time if weight and bias together exceed L1, else 0.

    Taken the same way by every program, each of their lines would have been replaced when the next
    program comes to it. Programs that turn round begin with those that are still there.
    """
    if 2 * row_bytes <= limits.shared_bytes_per_sm or limits.compute_capability == (0, 0):
        return 0
    return limits.sm_count * max(REGISTERS_PER_SM // (_HELD_REGISTERS * 32 * max(num_warps, 1)), 1)


def _derived_forward(n: int, size: int, limits: DeviceLimits) -> ForwardEntry:
    """Derive one program a row, with the warps that the SM's threads and registers call for;
    several rows where one is not work for two.

    Rows that would leave lanes idle are held in full blocks, those that take more than a quarter of
    an SM's registers are read in steps. That rows in blocks are the faster was measured on an H200
    alone.
    """
    block = next_power_of_two(n)
    if BLOCK_HELD < n < block and n * size <= MOST_HELD_BYTES:
        return ForwardEntry(
            element_bytes=size,
            up_to_n=block,
            rows=1,
            block_n=BLOCK_HELD,
            num_warps=SCHEDULERS_PER_SM,
            held=True,
        )
    rows = max(1, min(4, 2 * 32 * elements_per_thread(limits, _VALUES) // block))
    step = block if block <= _WIDEST_WHOLE else _WIDEST_WHOLE // 2
    warps = usual_warps(rows * step, limits, _VALUES)
    return ForwardEntry(
        element_bytes=size,
        up_to_n=block,
        rows=rows,
        block_n=0 if step == block else step,
        num_warps=warps,
    )


class WithoutLocks(LaunchedStrategy):
    """Base of the strategies without locks: this forward pass, and a stage 2 that sums partials of
    dw and db apart.
    """

    def stage1_programs(self, m: int, launch: Launch) -> int:
        return self.partial_sums(m, launch)

    def grids(self, m: int, n: int, launch: Launch) -> tuple[tuple[int, ...], ...]:
        tiles = ceil_div(m, launch.forward_rows)
        forward = min(tiles, launch.forward_programs or tiles)
        stage2 = ceil_div(n, launch.reduce_block_size_n), 2  # dw and db
        return (forward,), (self.stage1_programs(m, launch),), stage2


def check_forward(n: int, dtype: str, launch: Launch, limits: DeviceLimits | None) -> list[Problem]:
    problems = []
    if launch.block_size >= n or launch.forward_held:
        most = max(MAX_HELD // max(launch.block_size, n), 1)
        problems = check_power(launch, "forward_rows", most)
    elif launch.forward_rows != 1:
        allowed = say("take 1: BLOCK_SIZE is less than N = {n}", n=n)
        problems = refused(launch, "forward_rows", allowed)
    return problems or _check_held(n, launch) or _check_walk(n, dtype, launch, limits)


def _check_held(n: int, launch: Launch) -> list[Problem]:
    if not launch.forward_held:
        return []
    blocks = ceil_div(n, launch.block_size)
    if blocks * launch.block_size <= MAX_HELD and blocks <= MAX_BLOCKS:
        return []
    allowed = say(
        "take it off: a program holds {columns} columns in {blocks} blocks at most, and N = {n}"
        " needs more",
        columns=MAX_HELD,
        blocks=MAX_BLOCKS,
        n=n,
    )
    return refused(launch, "forward_held", allowed)


def _check_walk(n: int, dtype: str, launch: Launch, limits: DeviceLimits | None) -> list[Problem]:
    """Check programs that take several tiles."""
    programs, stages = launch.forward_grid_per_sm, launch.forward_num_stages
    if programs and launch.block_size < n and not launch.forward_held:
        allowed = say(
            "take 0: BLOCK_SIZE is less than N = {n}, and then each row has its program", n=n
        )
        return refused(launch, "forward_grid_per_sm", allowed)
    if programs and launch.forward_held and launch.forward_rows != 1:
        return refused(launch, "forward_rows", say("take 1: programs walk rows that they hold"))
    if not programs and stages != 1:
        allowed = say("take 1: a program with one tile of rows has no other to load ahead")
        return refused(launch, "forward_num_stages", allowed)
    block, warps = launch.block_size, launch.forward_num_warps
    needed = bytes_in_flight(n, dtype, launch.forward_rows, block, warps, stages) // 2  # x alone
    return check_shared(launch, "forward_num_stages", needed, limits)
