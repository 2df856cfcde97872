"""Strategy `persistent`: rows that one program holds."""

from dataclasses import replace

from lnkernels.launch.forward import WithoutLocks, check_forward, choose_forward
from lnkernels.launch.limits import (
    DTYPE_BYTES,
    REGISTERS_PER_SM,
    DeviceLimits,
    ceil_div,
    known_limits,
    next_power_of_two,
)
from lnkernels.launch.measured import (
    H100_MEMORY,
    ROWS,
    ROWS_IN_GROUPS,
    ROWS_OF_MANY,
    ROWS_OF_MANY_H100,
    RowsEntry,
    entry_for,
    reads_groups,
)
from lnkernels.launch.settings import Launch, Problem, Trait
from lnkernels.launch.strategy import (
    BLOCK_HELD,
    FEWEST_STAGES,
    LOADED_BYTES,
    MAX_HELD,
    MOST_HELD_BYTES,
    WIDEST_HELD,
    Asked,
    bytes_in_flight,
    check_blocks,
    check_power,
    check_shared,
    even_share,
    measured,
    reduction,
    refused,
    stages_that_fit,
    taken_or,
    usual_entry,
    usual_warps,
)
from lnkernels.launch.tuned import tuned_entry
from lnkernels.values.sentence import say

# Programs an SM, each with its partial sums, for which the workspace has room however few rows
# there are.
ALWAYS_ALLOWED = 2
_ALLOWED_IN_GROUPS = 4  # of narrow rows, each read alone
_SMS_OF_OTHERS = 16  # of an architecture without a known card, where programs have to be as many
_VALUES = 4  # registers that an element takes: x, dy, and the sums of dw and db
# of a row whose float32 sums of dw and db take a quarter of an SM's registers
_HELD_COLUMNS = REGISTERS_PER_SM // 8
# columns from which on a few rows have nothing loaded ahead, and stage 2 few, wide programs
_WIDE_OF_FEW = 4096
_NARROW_OF_FEW = 1024  # columns up to which a few rows are not taken several at once
# Rows up to which one launch does both stages, and bytes of the widest, which a program holds as
# one block; more rows where they are narrow, and whole groups of 16 bytes (H200, bfloat16: 128×8192
# 8.6 µs of 16.7, 256×8192 10.9 of 13.9, 512×4096 11.0 of 12.1; 400×6144 14.3 of 14.2, 512×1001 13.5
# of 10.3).
_ROWS_AT_ONCE, _WIDEST_AT_ONCE = 256, 32768
_NARROW_ROWS_AT_ONCE, _NARROW_AT_ONCE = 512, 8192
# Then a thread takes at most so many elements, and about as many programs as a GPU has SMs sum dw
# and db, each of at most so many columns.
_MOST_AT_ONCE, _SUMS_AT_ONCE, _WIDEST_SUM = 64, 128, 128
_VERY_FEW = 8  # rows
_TILE = REGISTERS_PER_SM // 16  # elements whose values take a quarter of an SM's registers


class Persistent(WithoutLocks):
    name = "persistent"
    summary = say(
        "A grid that fills the GPU once walks all rows, sums in registers: no locks, the same bits"
        " from run to run."
    )
    deterministic = True
    traits = frozenset({Trait.FORWARD, Trait.BLOCKS, Trait.TILES, Trait.RESIDENT, Trait.ORDERED})

    def choose(self, asked: Asked) -> Launch:
        if asked.wish.invariant:  # nothing of m, of this GPU's SMs, or that was tuned here
            limits = asked.limits
            known = known_limits(limits.architecture)
            limits = replace(known or replace(limits, sm_count=_SMS_OF_OTHERS), name="")
            alike = replace(asked, limits=limits, m=None)
            return replace(rows_of(usual_rows(alike), alike), turn_after=0)
        entry = tuned_entry(RowsEntry, asked, usual_rows)
        # Settings measured with so many rows on another such device know more than those measured
        # with few on this.
        entry = _for_number_of_rows(asked) or entry
        return rows_of(entry or usual_rows(asked), asked)

    def widest(self, dtype: str) -> int:
        return WIDEST_HELD

    def check(
        self, n: int, dtype: str, launch: Launch, limits: DeviceLimits | None
    ) -> list[Problem]:
        problems = check_forward(n, dtype, launch, limits) + check_blocks(n, launch)
        if launch.block_size_n < n and launch.rows != 1:
            problems += refused(
                launch, "rows", say("take 1: a row of {n} columns is held in blocks", n=n)
            )
        else:
            problems += check_power(launch, "rows", max(MAX_HELD // next_power_of_two(n), 1))
        if launch.sums_per_row and launch.block_size_n < n:
            allowed = say(
                "take it off: a row of {n} columns is held in blocks, and its sums with them", n=n
            )
            problems += refused(launch, "sums_per_row", allowed)
        block, warps = launch.block_size_n, launch.num_warps
        needed = bytes_in_flight(n, dtype, launch.rows, block, warps, launch.num_stages)
        return problems or check_shared(launch, "num_stages", needed, limits)

    def main_setting(self, launch: Launch) -> str:
        return "rows" if launch.rows > 1 else "block_size_n"

    def partial_sums(self, m: int, launch: Launch) -> int:
        return programs_in_use(m, launch)


def usual_rows(asked: Asked) -> RowsEntry:
    return usual_entry(ROWS, asked, _derived_rows)


def _for_number_of_rows(asked: Asked) -> RowsEntry | None:
    """Return the entry for a few rows, or for so many that more programs than usual have room for
    their sums; else None.
    """
    n, size, limits, m = asked.n, asked.size, asked.limits, asked.m
    if not measured(limits):
        return None
    if m is not None and _takes_all_at_once(m, n, size):
        programs = min(ceil_div(m, limits.sm_count), ALWAYS_ALLOWED)
        entry = _a_row_each(n, size)
        warps = _warps_of_few(m, n, size)
        return replace(entry, num_warps=warps, block_n=0, programs_per_sm=programs)
    few = m is not None and m <= limits.sm_count
    if few and n > _WIDE_OF_FEW:
        return _a_row_each(n, size)
    if few and n <= _NARROW_OF_FEW:
        return replace(_a_row_each(n, size), num_stages=FEWEST_STAGES)
    if m is not None and not few and reads_groups(n, size):
        return entry_for(ROWS_IN_GROUPS, n, size)
    table = ROWS_OF_MANY_H100 if limits.memory_bytes < H100_MEMORY else ROWS_OF_MANY
    many = entry_for(table, n, size)
    return many if many is not None and many.programs_per_sm <= _sums_within(asked) else None


def _a_row_each(n: int, size: int) -> RowsEntry:
    """Return the entry for programs with one row each: nothing to load ahead, and 16 bytes a thread
    at once.
    """
    warps = min(max(next_power_of_two(n) // 512, 2), 8)
    block = warps * 32 * LOADED_BYTES // size
    return RowsEntry(
        element_bytes=size,
        up_to_n=n,
        rows=1,
        num_warps=warps,
        num_stages=1,
        programs_per_sm=1,
        block_n=block if 2 * block < next_power_of_two(n) or warps == 8 else 0,
    )


def _sums_within(asked: Asked) -> int:
    """Return the programs an SM whose sums of dw and db take at most 5 % of the bytes of x."""
    return (asked.m or 0) * asked.size // (20 * 8 * max(asked.limits.sm_count, 1))


def rows_of(entry: RowsEntry, asked: Asked) -> Launch:
    """Return the launch of an entry.

    Programs that somebody took over are as many as he says, but for those that an entry with the
    same number leaves out.
    """
    n, size, limits, wish = asked.n, asked.size, asked.limits, asked.wish
    whole = next_power_of_two(n)
    in_blocks = wish.rows in (None, 1) and entry.rows == 1
    automatic_block = min(entry.block_n or whole, whole) if in_blocks else whole
    block = taken_or(wish.block_size_n, automatic_block)
    rows = taken_or(wish.rows, entry.rows if block >= n else 1)
    # The workspace may take 5 % of the bytes of x, and 16 bytes for each column and SM where that
    # is more, 32 where rows are read in groups.
    allowed = _ALLOWED_IN_GROUPS if reads_groups(n, size) else ALWAYS_ALLOWED
    automatic_programs = min(entry.programs_per_sm, max(allowed, _sums_within(asked)))
    warps, programs, stages = entry.num_warps, automatic_programs, entry.num_stages
    if (rows, block) != (entry.rows, automatic_block):
        warps = (
            usual_warps(rows * block, limits, _VALUES) if block >= n else _warps_of_blocks(n, size)
        )
        programs = programs if rows < entry.rows else 1
    programs = taken_or(wish.programs_per_sm, programs)
    if (rows, block, programs) != (entry.rows, automatic_block, automatic_programs):
        held = ceil_div(n, max(block, 1)) * block
        stages = max(1, min(stages, stages_that_fit(2 * rows * held * size, programs, limits)))
    grid = programs * limits.sm_count
    if programs == automatic_programs:
        grid -= grid * entry.fewer // 32
    return Launch(
        strategy="persistent",
        rows=rows,
        block_size_n=block,
        num_warps=warps,
        num_stages=stages,
        programs_per_sm=programs,
        programs=grid,
        sums_per_row=entry.sums_per_row and block >= n,
        **reduction(limits, n) | _few_partials(asked),
        **choose_forward(asked),
    )


def _few_partials(asked: Asked) -> dict[str, int]:
    """Return settings of stage 2 for few rows: all at once, or few programs, where as many as usual
    had a step or two.
    """
    n, size, limits, m = asked.n, asked.size, asked.limits, asked.m
    if m is None or not measured(limits):
        return {}
    if _takes_all_at_once(m, n, size):
        rows, warps = next_power_of_two(m), _warps_of_few(m, n, size)
        lanes = 32 * warps
        most = min(_MOST_AT_ONCE * lanes // rows, _WIDEST_SUM)
        columns = min(next_power_of_two(n) // _SUMS_AT_ONCE, most)
        return {
            "reduce_block_size_m": rows,
            "reduce_block_size_n": max(columns, 16, 2 * lanes // rows),
            "reduce_num_warps": warps,
        }
    if m > limits.sm_count or n <= _WIDE_OF_FEW:
        return {}
    return {"reduce_block_size_m": 16, "reduce_block_size_n": 64, "reduce_num_warps": 4}


def _takes_all_at_once(m: int, n: int, size: int) -> bool:
    narrow = n * size <= _NARROW_AT_ONCE and not reads_groups(n, size)
    return 0 < m <= (_NARROW_ROWS_AT_ONCE if narrow else _ROWS_AT_ONCE) and (
        n * size <= _WIDEST_AT_ONCE
    )


def _warps_of_few(m: int, n: int, size: int) -> int:
    """Return warps for 64 elements of a row a thread; for 32 of very few rows, and of those that
    are loaded one by one (H200, 8×16384: 9.2 µs of 10.0; 64×4097: 7.8 of 8.6).
    """
    each = _MOST_AT_ONCE if m > _VERY_FEW and not reads_groups(n, size) else _MOST_AT_ONCE // 2
    return min(max(next_power_of_two(n) // (32 * each), 4), 16)


def in_one_launch(m: int, n: int, launch: Launch) -> bool:
    """Return True if programs of stage 2 sum columns of x and dy themselves, all rows in one step,
    beside one program for each row.
    """
    one_row = (
        launch.rows == launch.num_stages == 1 and launch.block_size_n >= n and not launch.invariant
    )
    return (
        one_row
        and 0 < m <= launch.reduce_block_size_m
        and launch.num_warps == launch.reduce_num_warps
    )


def _derived_rows(n: int, size: int, limits: DeviceLimits) -> RowsEntry:
    """Derive tiles whose values take a quarter of an SM's registers, as many in flight as its
    shared memory holds.

    Rows that leave lanes of a power of two idle, and those too wide for it, are held in blocks. Two
    programs share an SM where its warps allow that four do: so much room is left for registers that
    the values do not take. That pipelined loads pay, and blocks where lanes would be idle, was
    measured on an H200 alone.
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
    programs = (
        max(1, min(2, limits.warps_per_sm // (2 * warps))) if tile < _HELD_COLUMNS // 2 else 1
    )
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
    """Return True if `persistent` is the faster strategy, because rows fit a program's registers;
    else `split` is.
    """
    size = DTYPE_BYTES[dtype]
    if measured(limits):
        return entry_for(ROWS, n, size) is not None
    in_blocks = (
        n * size <= MOST_HELD_BYTES and stages_that_fit(2 * n * size, 1, limits) >= FEWEST_STAGES
    )
    return next_power_of_two(n) <= _HELD_COLUMNS or in_blocks


def _warps_of_blocks(n: int, size: int) -> int:
    """Return warps for at most 128 bytes of a row a thread, 4 to 16."""
    return min(max(4, next_power_of_two(ceil_div(n * size, 128 * 32))), 16)


def programs_in_use(m: int, launch: Launch) -> int:
    """Return the programs of stage 1, each with a partial sum: the fewest that take no more tiles
    than the most would; with `invariant` the most, so that M does not change whose sum a tile is.

    A GPU that waits for memory does not miss the programs left out, and none is left to work on a
    last tile alone.
    """
    tiles = ceil_div(m, launch.rows)
    return min(tiles, launch.programs) if launch.invariant else even_share(tiles, launch.programs)
