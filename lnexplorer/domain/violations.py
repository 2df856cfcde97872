"""Whether a timeline can have happened: its events, and the numbers of a traced run from store to store.

A violation is a sentence that says what is impossible, and where.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.ordered_sums import UNDERFLOW, UNIT_ROUNDOFF, previous_rows, rounded
from lnkernels.sentence import Sentence, say
from lnkernels.values.timeline import BUFFER_DTYPES, Indices, ReductionTimeline, StrategyTimeline, TracedSums

Floats = NDArray[np.float64]
_LARGEST = {"float32": 3.4028234663852886e38, "float16": 65504.0, "bfloat16": 3.3895313892515355e38}
_FLUSHED = 2.0**-126  # float32's smallest normal number: hardware may take what is below it for 0
_PARTS = ("dw", "db")


def violations(timeline: ReductionTimeline) -> list[Sentence]:
    """What is impossible in a timeline; empty for one that can have happened.

    Times of different programs are compared up to `tick_ns`, those of one program exactly: the clock of an SM does not
    go backwards.
    """
    shapes = _shape_violations(timeline)
    if shapes:
        return shapes  # nothing below can be computed
    return _row_violations(timeline) + _lock_violations(timeline) + _tile_violations(timeline)


def _shape_violations(timeline: ReductionTimeline) -> list[Sentence]:
    found: list[Sentence] = []
    for name in ("lock", "order", "sm", "start_ns", "wanted_ns", "held_ns", "released_ns"):
        shape = getattr(timeline, name).shape
        if shape != (timeline.m,):
            found.append(_unlike(name, shape, (timeline.m,)))
    tiles = -(-timeline.n // timeline.tile_block_n) if timeline.tile_block_n > 0 else 0
    for name in ("tile_sm", "tile_start_ns", "tile_end_ns"):
        shape = getattr(timeline, name).shape
        if shape != (tiles,):
            found.append(_unlike(name, shape, (tiles,)))
    if timeline.group_size_m < 1 or timeline.tile_block_m < 1:
        found.append(
            say(
                "GROUP_SIZE_M and a tile's BLOCK_SIZE_M are {group} and {block}; both are at least 1",
                group=timeline.group_size_m,
                block=timeline.tile_block_m,
            )
        )
    if timeline.tries is not None and timeline.tries.shape != (timeline.m,):
        found.append(_unlike("tries", timeline.tries.shape, (timeline.m,)))
    return found + (_sums_violations(timeline.sums, timeline.m, timeline.n) if timeline.sums is not None else [])


def _sums_violations(sums: TracedSums, m: int, n: int) -> list[Sentence]:
    found: list[Sentence] = []
    for name, shape in (
        ("row_dw", (m, n)),
        ("row_db", (m, n)),
        ("dw_after", (m, n)),
        ("db_after", (m, n)),
        ("dw", (n,)),
        ("db", (n,)),
    ):
        if getattr(sums, name).shape != shape:
            found.append(_unlike(name, getattr(sums, name).shape, shape))
    if sums.partial_dtype not in BUFFER_DTYPES:
        known = ", ".join(BUFFER_DTYPES)
        found.append(say("its buffers are of {dtype}, not of {known}", dtype=repr(sums.partial_dtype), known=known))
    return found


def _row_violations(timeline: ReductionTimeline) -> list[Sentence]:
    found: list[Sentence] = []
    wrong = timeline.lock != np.arange(timeline.m) % timeline.group_size_m
    if wrong.any():
        row = int(wrong.argmax())
        lock, right = int(timeline.lock[row]), row % timeline.group_size_m
        found.append(
            say("row {row} uses lock {lock}, not row mod GROUP_SIZE_M, which is {right}", row=row, lock=lock, right=right)
        )
    steps = ("start_ns", "wanted_ns", "held_ns", "released_ns")
    for before, after in pairwise(steps):
        wrong = getattr(timeline, before) > getattr(timeline, after)
        if wrong.any():
            row = int(wrong.argmax())
            first, second = int(getattr(timeline, before)[row]), int(getattr(timeline, after)[row])
            found.append(
                say(
                    "row {row}: {before} is later than {after}, {first} and {second}",
                    row=row,
                    before=before,
                    after=after,
                    first=first,
                    second=second,
                )
            )
    if timeline.m and int(timeline.start_ns.min()) < 0:
        row = int(timeline.start_ns.argmin())
        found.append(say("row {row} starts before time 0: start_ns is {time}", row=row, time=int(timeline.start_ns[row])))
    if timeline.tries is not None and timeline.m and int(timeline.tries.min()) < 1:
        row = int(timeline.tries.argmin())
        tries = int(timeline.tries[row])
        found.append(say("row {row} held its lock without a try: tries is {tries}, and at least 1", row=row, tries=tries))
    return found


def _lock_violations(timeline: ReductionTimeline) -> list[Sentence]:
    """Rows of one lock, sorted by their place in the buffer's order: places count up from 0, and holds follow each other."""
    rows = np.lexsort((timeline.order, timeline.lock))
    lock, order = timeline.lock[rows], timeline.order[rows]
    same = lock[1:] == lock[:-1]
    found: list[Sentence] = []
    first = np.flatnonzero(np.concatenate(([True], ~same))) if timeline.m else np.zeros(0, np.int64)
    counted = np.arange(timeline.m) - np.repeat(first, np.diff(np.append(first, timeline.m)))
    wrong = order != counted
    if wrong.any():
        at = int(wrong.argmax())
        found.append(
            say(
                "the order of lock {lock} does not count its rows from 0: row {row} has place {place}, in place of {right}",
                lock=int(lock[at]),
                row=int(rows[at]),
                place=int(order[at]),
                right=int(counted[at]),
            )
        )
    held, released = timeline.held_ns[rows], timeline.released_ns[rows]
    wrong = same & (held[1:] + timeline.tick_ns < held[:-1])
    if wrong.any():
        at = int(wrong.argmax())
        found.append(
            say(
                "row {row} comes after row {former} in the order of lock {lock}, but held it earlier: "
                "held_ns is {held}, and {before}",
                row=int(rows[at + 1]),
                former=int(rows[at]),
                lock=int(lock[at]),
                held=int(held[at + 1]),
                before=int(held[at]),
            )
        )
    wrong = same & (held[1:] + timeline.tick_ns < released[:-1])
    if wrong.any():
        at = int(wrong.argmax())
        found.append(
            say(
                "rows {former} and {row} hold lock {lock} at the same time: released_ns is {released}, held_ns {held}",
                former=int(rows[at]),
                row=int(rows[at + 1]),
                lock=int(lock[at]),
                released=int(released[at]),
                held=int(held[at + 1]),
            )
        )
    return found


def _tile_violations(timeline: ReductionTimeline) -> list[Sentence]:
    if timeline.tile_start_ns.size == 0:
        return []
    found: list[Sentence] = []
    wrong = timeline.tile_start_ns > timeline.tile_end_ns
    if wrong.any():
        tile = int(wrong.argmax())
        start, end = int(timeline.tile_start_ns[tile]), int(timeline.tile_end_ns[tile])
        found.append(
            say("tile {tile} ends before it starts: tile_start_ns is {start}, tile_end_ns {end}", tile=tile, start=start, end=end)
        )
    first = int(timeline.tile_start_ns.argmin())
    if timeline.m and timeline.tile_start_ns[first] + timeline.tick_ns < timeline.released_ns.max():
        found.append(
            say(
                "tile {tile} of stage 2 starts before the last row has given its lock back: "
                "tile_start_ns is {start}, the last released_ns {released}",
                tile=first,
                start=int(timeline.tile_start_ns[first]),
                released=int(timeline.released_ns.max()),
            )
        )
    return found


def _unlike(name: str, shape: tuple[int, ...], right: tuple[int, ...]) -> Sentence:
    return say("{name} has shape {shape}, not {right}", name=name, shape=str(shape), right=str(right))


def strategy_violations(timeline: StrategyTimeline) -> list[Sentence]:
    """What is impossible in the timeline of any strategy; empty for one that can have happened."""
    found = _shape_violations_of_strategy(timeline)
    if found:
        return found  # nothing below can be computed
    return _piece_violations(timeline) + _program_violations(timeline) + _tile_violations_of_strategy(timeline)


def _shape_violations_of_strategy(timeline: StrategyTimeline) -> list[Sentence]:
    groups = (
        ("program", ("first_row", "start_ns", "ready_ns")),
        ("sm", ("program_start_ns", "add_begin_ns", "add_end_ns")),
        ("tile_sm", ("tile_setup_ns", "tile_start_ns", "tile_end_ns")),
    )
    found: list[Sentence] = []
    for first, others in groups:
        shape = getattr(timeline, first).shape
        found += [
            say("{name} and {first} differ in size", name=name, first=first)
            for name in others
            if getattr(timeline, name).shape != shape
        ]
        if len(shape) != 1:
            found.append(say("{name} is not a list", name=first))
    waits = (timeline.wait_begin_ns, timeline.wait_end_ns)
    if [wait is None for wait in waits] not in ([True, True], [False, False]):
        found.append(say("waits have a begin and an end, or neither"))
    if any(wait is not None and wait.shape != timeline.program.shape for wait in waits):
        found.append(say("waits and program differ in size"))
    if timeline.rows < 1 or timeline.slices < 1 or timeline.tick_ns < 0:
        found.append(say("a piece has at least one row, a row one slice, and a clock does not step backwards"))
    if not found and (pieces := -(-timeline.m // timeline.rows) * timeline.slices) != timeline.program.size:
        found.append(
            say(
                "the pieces do not hold every row exactly once: there are {found}, and of {m} rows, "
                "{rows} a piece and each shared by {slices}, there are {pieces}",
                found=timeline.program.size,
                m=timeline.m,
                rows=timeline.rows,
                slices=timeline.slices,
                pieces=pieces,
            )
        )
    if not found and timeline.program.size and not 0 <= timeline.program.min() <= timeline.program.max() < timeline.sm.size:
        found.append(say("a piece was taken by a program that is not there"))
    return found


def _piece_violations(timeline: StrategyTimeline) -> list[Sentence]:
    expected = np.repeat(np.arange(0, timeline.m, timeline.rows), timeline.slices)
    found: list[Sentence] = []
    if not np.array_equal(np.sort(timeline.first_row), expected):
        found.append(say("the pieces do not hold every row exactly once"))
    if np.unique(timeline.first_row.astype(np.int64) * timeline.sm.size + timeline.program).size < timeline.program.size:
        found.append(say("a program takes a row twice"))
    if timeline.wait_begin_ns is not None and timeline.wait_end_ns is not None:
        events = (timeline.start_ns, timeline.wait_begin_ns, timeline.wait_end_ns, timeline.ready_ns)
        if any((earlier > later).any() for earlier, later in pairwise(events)):
            found.append(say("a program waits for others outside its piece, or less than no time"))
    if (timeline.start_ns > timeline.ready_ns).any():
        piece = int((timeline.start_ns > timeline.ready_ns).argmax())
        ready, start = int(timeline.ready_ns[piece]), int(timeline.start_ns[piece])
        found.append(
            say(
                "piece {piece} is ready before it starts: ready_ns is {ready}, start_ns {start}",
                piece=piece,
                ready=ready,
                start=start,
            )
        )
    order = np.lexsort((timeline.start_ns, timeline.program))
    same = timeline.program[order][1:] == timeline.program[order][:-1]
    early = same & (timeline.start_ns[order][1:] < timeline.ready_ns[order][:-1])
    if early.any():
        program = int(timeline.program[order][1:][early][0])
        found.append(say("program {program} works on two pieces at the same time", program=program))
    early = timeline.start_ns < timeline.program_start_ns[timeline.program]
    if early.any():
        piece = int(early.argmax())
        found.append(
            say(
                "piece {piece} is taken before its program starts: start_ns is {start}, program_start_ns {program_start}",
                piece=piece,
                start=int(timeline.start_ns[piece]),
                program_start=int(timeline.program_start_ns[timeline.program[piece]]),
            )
        )
    return found


def _program_violations(timeline: StrategyTimeline) -> list[Sentence]:
    found: list[Sentence] = []
    if timeline.sm.size and int(timeline.program_start_ns.min()) < 0:
        program = int(timeline.program_start_ns.argmin())
        time = int(timeline.program_start_ns[program])
        found.append(say("program {program} starts before time 0: program_start_ns is {time}", program=program, time=time))
    last = timeline.last_ready_ns()
    early = timeline.add_begin_ns < last
    if early.any():
        program = int(early.argmax())
        found.append(
            say(
                "program {program} adds sums that it does not have yet: add_begin_ns is {begin}, its last ready_ns {ready}",
                program=program,
                begin=int(timeline.add_begin_ns[program]),
                ready=int(last[program]),
            )
        )
    early = timeline.add_end_ns < timeline.add_begin_ns
    if early.any():
        program = int(early.argmax())
        found.append(
            say(
                "program {program} has added before it begins to: add_end_ns is {end}, add_begin_ns {begin}",
                program=program,
                end=int(timeline.add_end_ns[program]),
                begin=int(timeline.add_begin_ns[program]),
            )
        )
    return found


def _tile_violations_of_strategy(timeline: StrategyTimeline) -> list[Sentence]:
    if not timeline.tile_sm.size:
        return []
    found: list[Sentence] = []
    early = (timeline.tile_start_ns < timeline.tile_setup_ns) | (timeline.tile_end_ns < timeline.tile_start_ns)
    if early.any():
        tile = int(early.argmax())
        steps = timeline.tile_setup_ns[tile], timeline.tile_start_ns[tile], timeline.tile_end_ns[tile]
        times = ", ".join(map(str, steps))
        found.append(
            say("tile {tile} ends before it starts: it is set up, starts and ends at {times} ns", tile=tile, times=times)
        )
    if timeline.sm.size and timeline.tile_start_ns.min() + timeline.tick_ns < timeline.add_end_ns.max():
        found.append(
            say(
                "stage 2 starts before the last sums are in memory: tile_start_ns is {start}, the last add_end_ns {end}",
                start=int(timeline.tile_start_ns.min()),
                end=int(timeline.add_end_ns.max()),
            )
        )
    return found


def sum_violations(timeline: ReductionTimeline, result_dtype: str | None = None, *, barrier: bool = True) -> list[Sentence]:
    """What is impossible in a timeline's sums; empty where there are none, or they can have happened.

    A row leaves what was in its buffer and its own share, dw and db are the buffers as their last rows left them, each up to the
    roundings on the way. NaN and infinities are as possible as in the data, and a sum may grow beyond its type.

    Args:
        timeline: in which nothing else is impossible.
        result_dtype: element type of dw and db, one of BUFFER_DTYPES; None where it is not known, and may be any of them.
        barrier: whether each row waits for its stores. Where none does, a row may add to what is out of date.
    """
    sums = timeline.sums
    if sums is None:
        return []
    found: list[Sentence] = []
    for part in _PARTS:
        found += _not_of_type(f"{part}_after", getattr(sums, f"{part}_after"), sums.partial_dtype)
    previous, last = previous_rows(timeline)
    if barrier and not found:
        found += [each for part in _PARTS for each in _step_violations(sums, part, timeline.order, previous)]
    dtypes = BUFFER_DTYPES if result_dtype is None else (result_dtype,)
    return found + min((_result_violations(sums, last, dtype, barrier=barrier) for dtype in dtypes), key=len)


@dataclass(frozen=True, eq=False, slots=True)
class _Expected:
    """Sums, and how far what was stored may be from them."""

    exact: Floats
    bound: Floats
    magnitude: Floats  # sums of the absolute terms
    largest: float  # of the type that they are stored in

    @classmethod
    def of(cls, terms: Floats, roundings: int, dtype: str) -> "_Expected":
        """Of terms [K, …], of which each is rounded to float32 so many times, and their sum once to the type."""
        with np.errstate(invalid="ignore", over="ignore"):
            exact, magnitude = terms.sum(axis=0), np.abs(terms).sum(axis=0)
            growth = np.expm1(roundings * np.log1p(UNIT_ROUNDOFF["float32"]) + np.log1p(UNIT_ROUNDOFF[dtype]))
            bound = magnitude * growth + UNDERFLOW[dtype] + len(terms) * _FLUSHED
        return cls(exact, bound, magnitude, _LARGEST[dtype])

    def first_wrong(self, stored: NDArray[np.float32]) -> tuple[int, ...] | None:
        """Where a stored number is none that the sum may be rounded to."""
        with np.errstate(invalid="ignore"):
            close = np.isfinite(self.exact) & (np.abs(stored - self.exact) <= self.bound)
            infinite = np.isinf(stored) & (np.sign(stored) == np.sign(self.exact))
            overflown = infinite & (np.abs(self.exact) + self.bound >= self.largest)
            on_the_way = ~np.isfinite(stored) & (self.magnitude + self.bound >= _LARGEST["float32"])
        wrong = ~(close | overflown | on_the_way | (np.isnan(stored) & np.isnan(self.exact)))
        return tuple(int(place) for place in np.argwhere(wrong)[0]) if wrong.any() else None


def _not_of_type(name: str, values: NDArray[np.float32], dtype: str) -> list[Sentence]:
    wrong = (rounded(values, dtype) != values) & ~np.isnan(values)
    if not wrong.any():
        return []
    place = tuple(int(index) for index in np.argwhere(wrong)[0])
    return [
        say(
            "{number} is {value:.9g}, which is no {dtype}",
            number=f"{name}{list(place)}",
            value=float(values[place]),
            dtype=dtype,
        )
    ]


def _step_violations(sums: TracedSums, part: str, order: Indices, previous: Indices) -> list[Sentence]:
    """Rows in the order of their turns: of those that a wrong number has spoilt, the first is told."""
    rows = np.argsort(order, kind="stable")
    shares, after = getattr(sums, f"row_{part}")[rows].astype(np.float64), getattr(sums, f"{part}_after")[rows]
    left = getattr(sums, f"{part}_after")[previous[rows]].astype(np.float64)
    before = np.where((previous[rows] < 0)[:, None], 0.0, left)
    # The share is kept rounded and may be added as it was before that, the addition rounds, and then the store does.
    expected = _Expected.of(np.stack((before, shares)), 2, sums.partial_dtype)
    wrong = expected.first_wrong(after)
    if wrong is None:
        return []
    row, column = int(rows[wrong[0]]), wrong[1]
    there = say("the first to store")
    if previous[row] >= 0:
        there = say("after row {former} left {left:.9g}", former=int(previous[row]), left=float(before[wrong]))
    return [
        say(
            "{number} is {value:.9g}, and row {row} adds {share:.9g}, {there}, which gives {expected:.9g}, "
            "give or take {bound:.2g}",
            number=f"{part}_after[{row}, {column}]",
            value=float(after[wrong]),
            row=row,
            share=float(shares[wrong]),
            there=there,
            expected=float(expected.exact[wrong]),
            bound=float(expected.bound[wrong]),
        )
    ]


def _result_violations(sums: TracedSums, last: Indices, dtype: str, *, barrier: bool) -> list[Sentence]:
    found: list[Sentence] = []
    for part in _PARTS:
        total, buffers = getattr(sums, part), getattr(sums, f"{part}_after")[last].astype(np.float64)
        found += _not_of_type(part, total, dtype)
        expected = _Expected.of(buffers, len(buffers), dtype)
        wrong = expected.first_wrong(total) if barrier else None
        if wrong is not None:
            found.append(
                say(
                    "{number} is {value:.9g}, and the buffers' last values add up to {expected:.9g}, give or take {bound:.2g}",
                    number=f"{part}[{wrong[0]}]",
                    value=float(total[wrong]),
                    expected=float(expected.exact[wrong]),
                    bound=float(expected.bound[wrong]),
                )
            )
    return found
