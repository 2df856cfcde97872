"""Whether a timeline can have happened. A violation is a sentence that says what is impossible, and
where.

A foreign file is drawn only where this finds nothing: a picture of times that run backwards would
    be a lie.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from lnkernels.values.sentence import Sentence, say
from lnkernels.values.timeline import BUFFER_DTYPES, ReductionTimeline, StrategyTimeline

Shape = tuple[int, ...]
ROW, TILE, PIECE, PROGRAM = say("row"), say("tile"), say("piece"), say("program")
EARLY = say("it starts before time 0")
EACH_ONCE = say("the pieces do not hold every row exactly once")


def violations(timeline: ReductionTimeline) -> list[Sentence]:
    """What is impossible in a timeline; empty for one that can have happened.

    Times of different programs are compared up to `tick_ns`, those of one program exactly: the
    clock of an SM does not go backwards.
    """
    return list(_shape_violations(timeline)) or [
        *_row_violations(timeline),
        *_lock_violations(timeline),
        *_tile_violations(
            timeline,
            ("start_ns", "end_ns"),
            say("the last row has given its lock back"),
            timeline.released_ns,
        ),
    ]


def strategy_violations(timeline: StrategyTimeline) -> list[Sentence]:
    """What is impossible in the timeline of any strategy; empty for one that can have happened."""
    return list(_shape_violations_of_strategy(timeline)) or [
        *_piece_violations(timeline),
        *_program_violations(timeline),
        *_tile_violations(
            timeline,
            ("setup_ns", "start_ns", "end_ns"),
            say("the last sums are in memory"),
            timeline.add_end_ns,
        ),
    ]


def _first(
    wrong: NDArray[np.bool_], what: Sentence, why: Sentence, at: NDArray[np.int64] | None = None
) -> Iterator[Sentence]:
    """A sentence about the first thing that is wrong, by its number: its place, if `at` does not
    say.
    """
    if wrong.any():
        place = int(wrong.argmax())
        yield say(
            "{what} {at}: {why}", what=what, at=place if at is None else int(at[place]), why=why
        )


def _unlike(value: object, wanted: Iterable[tuple[str, Shape]]) -> Iterator[Sentence]:
    for name, right in wanted:
        array = getattr(value, name)
        if array is not None and array.shape != right:
            yield say(
                "{name} has shape {shape}, not {right}",
                name=name,
                shape=str(array.shape),
                right=str(right),
            )


def _out_of_order(timeline: object, what: Sentence, names: Iterable[str]) -> Iterator[Sentence]:
    for before, after in pairwise(names):
        wrong = getattr(timeline, before) > getattr(timeline, after)
        yield from _first(
            wrong, what, say("{before} is later than {after}", before=before, after=after)
        )


def _shape_violations(timeline: ReductionTimeline) -> Iterator[Sentence]:
    m, n, sums = timeline.m, timeline.n, timeline.sums
    names = ("lock", "order", "sm", "start_ns", "wanted_ns", "held_ns", "released_ns", "tries")
    tiles = (
        -(-n // timeline.tile_block_n) if timeline.tile_block_n > 0 and not timeline.source else 0
    )
    yield from _unlike(timeline, ((name, (m,)) for name in names))
    yield from _unlike(
        timeline, ((name, (tiles,)) for name in ("tile_sm", "tile_start_ns", "tile_end_ns"))
    )
    if timeline.group_size_m < 1 or timeline.tile_block_m < 1:
        yield say("GROUP_SIZE_M or a tile's BLOCK_SIZE_M is less than 1")
    if sums is not None:
        yield from _unlike(
            sums, ((name, (m, n)) for name in ("row_dw", "row_db", "dw_after", "db_after"))
        )
        yield from _unlike(sums, (("dw", (n,)), ("db", (n,))))
        if sums.partial_dtype not in BUFFER_DTYPES:
            yield say("its buffers are not of {known}", known=", ".join(BUFFER_DTYPES))


def _row_violations(timeline: ReductionTimeline) -> Iterator[Sentence]:
    foreign = (timeline.lock != np.arange(timeline.m) % timeline.group_size_m) & (
        not timeline.source
    )
    yield from _first(foreign, ROW, say("its lock is not row mod GROUP_SIZE_M"))
    yield from _out_of_order(timeline, ROW, ("start_ns", "wanted_ns", "held_ns", "released_ns"))
    yield from _first(timeline.start_ns < 0, ROW, EARLY)
    if (
        timeline.m
        and timeline.source
        and not 0 <= timeline.lock.min() <= timeline.lock.max() < timeline.group_size_m
    ):
        yield say("a row has a lock that is not there")
    if len(timeline.phases) not in (0, 2, 3, 4):
        yield say("it has {count} phases: there are two to four", count=len(timeline.phases))
    if timeline.tries is not None:
        yield from _first(timeline.tries < 1, ROW, say("it held its lock without a try"))


def _lock_violations(timeline: ReductionTimeline) -> Iterator[Sentence]:
    """Rows of one lock, sorted by their place in the buffer's order: places count up from 0, and
    holds follow each other.
    """
    rows = np.lexsort((timeline.order, timeline.lock))
    lock, order = timeline.lock[rows], timeline.order[rows]
    same = lock[1:] == lock[:-1]
    first = np.flatnonzero(np.concatenate(([True], ~same))) if timeline.m else np.zeros(0, np.int64)
    counted = np.arange(timeline.m) - np.repeat(first, np.diff(np.append(first, timeline.m)))
    yield from _first(
        order != counted, ROW, say("the order of its lock does not count its rows from 0"), rows
    )
    held, released = timeline.held_ns[rows], timeline.released_ns[rows]
    early = same & (held[1:] + timeline.tick_ns < held[:-1])
    yield from _first(
        early, ROW, say("it held its lock earlier than the row before it in the order"), rows[1:]
    )
    if not timeline.source:  # what a kernel of one's own does wrong is what its stamps are to show
        both = same & (held[1:] + timeline.tick_ns < released[:-1])
        yield from _first(
            both, ROW, say("it held its lock at the same time as the row before it"), rows[1:]
        )


def _tile_violations(
    timeline: ReductionTimeline | StrategyTimeline,
    steps: tuple[str, ...],
    after: Sentence,
    ended_ns: NDArray[np.int64],
) -> Iterator[Sentence]:
    yield from _out_of_order(timeline, TILE, (f"tile_{step}" for step in steps))
    starts = timeline.tile_start_ns
    if starts.size and ended_ns.size and starts.min() + timeline.tick_ns < ended_ns.max():
        yield say("stage 2 starts before {after}", after=after)


def _shape_violations_of_strategy(timeline: StrategyTimeline) -> Iterator[Sentence]:
    pieces, programs, tiles = timeline.program.size, timeline.sm.size, timeline.tile_sm.size
    by_piece = ("program", "first_row", "start_ns", "ready_ns", "wait_begin_ns", "wait_end_ns")
    yield from _unlike(timeline, ((name, (pieces,)) for name in by_piece))
    yield from _unlike(
        timeline,
        (
            (name, (programs,))
            for name in ("sm", "program_start_ns", "free_ns", "add_begin_ns", "add_end_ns")
        ),
    )
    yield from _unlike(
        timeline,
        ((name, (tiles,)) for name in ("tile_sm", "tile_setup_ns", "tile_start_ns", "tile_end_ns")),
    )
    if (timeline.wait_begin_ns is None) != (timeline.wait_end_ns is None):
        yield say("waits have a begin and an end, or neither")
    if timeline.rows < 1 or timeline.slices < 1 or timeline.tick_ns < 0:
        yield say(
            "a piece has at least one row, a row one slice, and a clock does not step backwards"
        )
    elif -(-timeline.m // timeline.rows) * timeline.slices != pieces:
        yield EACH_ONCE
    elif pieces and not 0 <= timeline.program.min() <= timeline.program.max() < programs:
        yield say("a piece was taken by a program that is not there")


def _piece_violations(timeline: StrategyTimeline) -> Iterator[Sentence]:
    expected = np.repeat(np.arange(0, timeline.m, timeline.rows), timeline.slices)
    if not np.array_equal(np.sort(timeline.first_row), expected):
        yield EACH_ONCE
    if (
        np.unique(timeline.first_row.astype(np.int64) * timeline.sm.size + timeline.program).size
        < timeline.program.size
    ):
        yield say("a program takes a row twice")
    waits = () if timeline.wait_begin_ns is None else ("wait_begin_ns", "wait_end_ns")
    yield from _out_of_order(timeline, PIECE, ("start_ns", *waits, "ready_ns"))
    order = np.lexsort((timeline.start_ns, timeline.program))
    program, start, ready = (
        timeline.program[order],
        timeline.start_ns[order],
        timeline.ready_ns[order],
    )
    early = (program[1:] == program[:-1]) & (start[1:] < ready[:-1])
    yield from _first(
        early, PIECE, say("its program works on two pieces at the same time"), order[1:]
    )
    own = timeline.program_start_ns[timeline.program]
    yield from _first(timeline.start_ns < own, PIECE, say("it is taken before its program starts"))


def _program_violations(timeline: StrategyTimeline) -> Iterator[Sentence]:
    yield from _first(timeline.program_start_ns < 0, PROGRAM, EARLY)
    yield from _first(
        timeline.add_begin_ns < timeline.last_ready_ns(),
        PROGRAM,
        say("it adds sums that it does not have yet"),
    )
    free = () if timeline.free_ns is None else ("free_ns",)
    yield from _out_of_order(timeline, PROGRAM, (*free, "add_begin_ns", "add_end_ns"))
