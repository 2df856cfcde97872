"""Strategy `split`: rows that several programs share."""

from lnkernels.launch.forward import WithoutLocks, check_forward, choose_forward
from lnkernels.launch.limits import (
    DTYPE_BYTES,
    REGISTERS_PER_SM,
    WARPS_OF_ANY_REGISTERS,
    DeviceLimits,
    ceil_div,
    next_power_of_two,
)
from lnkernels.launch.measured import LINE, SPLIT, SPLIT_IN_GROUPS, SplitEntry, reads_groups
from lnkernels.launch.settings import SETTING, Launch, Problem, Trait
from lnkernels.launch.strategy import (
    FEWEST_STAGES,
    LOADED_BYTES,
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
)
from lnkernels.launch.tuned import tuned_entry
from lnkernels.values.sentence import say

_LEAST_SLICE = 16
# Of an SM's registers, for the sums of dw and db and for x and dy: with more, they spill; with
# fewer, rows take longer (H200).
_HELD_REGISTERS = REGISTERS_PER_SM * 3 // 8
_MOST_SLICES = SETTING["slices"].maximum or 1


class Split(WithoutLocks):
    name = "split"
    summary = say(
        "For wide rows: several programs share a row and exchange its sums; no locks, the same bits"
        " from run to run."
    )
    deterministic = True
    traits = frozenset({Trait.FORWARD, Trait.BLOCKS, Trait.RESIDENT, Trait.SLICES})
    main = "block_size_n"

    def choose(self, asked: Asked) -> Launch:
        """Return the launch. All programs have to be resident together.

        A row that more programs would share than there are SMs gets its one group all the same;
        `check` refuses it.
        """
        entry = tuned_entry(SplitEntry, asked, usual_split)
        return split_of(entry or usual_split(asked), asked)

    def widest(self, dtype: str) -> int:
        return _MOST_SLICES * _held_columns(DTYPE_BYTES[dtype])

    def check(
        self, n: int, dtype: str, launch: Launch, limits: DeviceLimits | None
    ) -> list[Problem]:
        problems = check_forward(n, dtype, launch, limits)
        sms = limits.sm_count if limits is not None else None
        if beyond := check_power(launch, "block_size_n", WIDEST_HELD, _LEAST_SLICE):
            problems += beyond
        elif (launch.slices - 1) * slice_width(n, launch.slices) >= n:
            allowed = say(
                "take fewer: slices begin at multiples of {columns} columns, and with N = {n} the"
                " last would have none",
                columns=_LEAST_SLICE,
                n=n,
            )
            problems += refused(launch, "slices", allowed)
        elif sms is not None and launch.slices > sms * max(launch.programs_per_sm, 1):
            # All programs of a row wait for each other, so each needs its place.
            allowed = say(
                "a row of {n} columns would be shared by {slices} programs, and there are"
                " {sms} SMs",
                n=n,
                slices=launch.slices,
                sms=sms,
            )
            problems += refused(launch, "block_size_n", allowed)
        else:
            problems += check_blocks(ceil_div(n, launch.slices), launch) + _check_resident(launch)
        block, warps, stages = launch.block_size_n, launch.num_warps, launch.num_stages
        needed = bytes_in_flight(n, dtype, 1, block, warps, stages, launch.slices)
        return problems or check_shared(launch, "num_stages", needed, limits)

    def partial_sums(self, m: int, launch: Launch) -> int:
        return groups_in_use(m, launch)

    def stage1_programs(self, m: int, launch: Launch) -> int:
        return self.partial_sums(m, launch) * launch.slices

    def exchange_bytes(self, m: int, launch: Launch) -> int:
        # A word of 8 bytes for each slice of a row.
        return m * launch.slices * 8 if launch.slices > 1 else 0


def slice_width(n: int, slices: int) -> int:
    """Return the columns of every slice but the last; slices start at multiples of 16 columns, so
    that loads stay aligned.
    """
    return ceil_div(ceil_div(n, slices), _LEAST_SLICE) * _LEAST_SLICE


def _check_resident(launch: Launch) -> list[Problem]:
    """Check that programs which wait for each other have a place each, whatever the compiler makes
    of their registers.
    """
    most = max(WARPS_OF_ANY_REGISTERS // max(launch.num_warps, 1), 1)
    if 1 <= launch.programs_per_sm <= most:
        return []
    allowed = say(
        "take 1 to {most} with num_warps = {warps}: programs of a row wait for each other, so all"
        " have to fit",
        most=most,
        warps=launch.num_warps,
    )
    return refused(launch, "programs_per_sm", allowed)


def usual_split(asked: Asked) -> SplitEntry:
    table = SPLIT_IN_GROUPS + SPLIT if reads_groups(asked.n, asked.size) else SPLIT
    return usual_entry(table, asked, _derived_split)


def split_of(entry: SplitEntry, asked: Asked) -> Launch:
    n, size, limits, wish = asked.n, asked.size, asked.limits, asked.wish
    # In whole lines; the few elements outside of them are not sliced. Where the table was not
    # measured, programs may be too few for groups.
    if measured(limits) and reads_groups(n, size):
        n -= n % (LINE // size)
    # Somebody who takes over more warps gets as few programs as have their place whatever their
    # registers.
    fitting = max(WARPS_OF_ANY_REGISTERS // max(taken_or(wish.num_warps, entry.num_warps), 1), 1)
    programs = taken_or(wish.programs_per_sm, min(entry.programs_per_sm, fitting))
    most = _slice_columns(n, size, programs, limits)
    slices = taken_or(wish.slices, max(ceil_div(n, most), 1))
    columns = ceil_div(n, max(slices, 1))
    block = taken_or(
        wish.block_size_n, min(entry.block_n, max(_LEAST_SLICE, next_power_of_two(columns)))
    )
    # Filled by the whole row, too: that is what is sliced where programs are too few for groups.
    automatic_slices = _filled(asked.n, _slices(n, max(most, block)))
    slices = taken_or(wish.slices, automatic_slices)
    columns = ceil_div(n, max(slices, 1))
    warps, stages = entry.num_warps, entry.num_stages
    if (block, programs, slices) != (entry.block_n, entry.programs_per_sm, automatic_slices):
        held = max(block, columns)
        warps = max(1, _slice_warps(held, size))
        stages = min(
            3, stages_that_fit(2 * ceil_div(held, max(block, 1)) * block * size, programs, limits)
        )
    # Without a GPU programs run one after the other, and none waits for another.
    sms = limits.sm_count if limits.compute_capability > (0, 0) else slices
    return Launch(
        strategy="split",
        slices=slices,
        block_size_n=block,
        num_warps=warps,
        num_stages=stages,
        programs_per_sm=programs,
        programs=max(sms * programs // max(slices, 1), 1) * slices,
        **reduction(limits, asked.n),
        **choose_forward(asked),
    )


def _slices(n: int, most: int) -> int:
    """Return the fewest slices of at most `most` columns, or as many as there may be; none is
    empty.
    """
    return _filled(n, min(max(ceil_div(n, most), 1), _MOST_SLICES))


def _filled(n: int, slices: int) -> int:
    """Return how many of `slices` have a column."""
    return max(ceil_div(n, slice_width(n, slices)), 1)


def _slice_columns(n: int, size: int, programs: int, limits: DeviceLimits) -> int:
    """Return the most columns of a slice: what an SM's registers hold with their sums, where three
    rows of x and dy fit its shared memory.

    Fewer where they do not, but no more slices than SMs: they wait for each other.
    """
    widest = max(_held_columns(size) // max(programs, 1), _LEAST_SLICE)
    columns = widest
    if limits.compute_capability > (0, 0):
        while (
            columns > 1024 and stages_that_fit(2 * columns * size, programs, limits) < FEWEST_STAGES
        ):
            columns //= 2
        while ceil_div(n, columns) > limits.sm_count and columns < widest:
            columns *= 2
    return columns


def _derived_split(n: int, size: int, limits: DeviceLimits) -> SplitEntry:
    """Derive one program an SM, whose threads load 16 bytes at once; its slice is what registers,
    shared memory and SMs allow.
    """
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
    """Return warps for about 32 columns a thread in half precision, 16 in float32."""
    return max(4, min(16, next_power_of_two(columns * size) // 2048))


def groups_in_use(m: int, launch: Launch) -> int:
    """Return the groups of programs that share a row, each with a partial sum: the fewest that give
    none more rows than the most would.
    """
    return even_share(m, launch.groups)


def _held_columns(size: int) -> int:
    """Return the columns that an SM's registers hold: two float32 sums each, and x and dy of `size`
    bytes.
    """
    return _HELD_REGISTERS // (2 + size // 2)
