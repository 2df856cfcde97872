"""Checks whether a timeline is possible. A violation is a sentence that says what is not, and
where.

A foreign file is drawn only if there are none: a picture of times that run backwards would be a
lie.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.timeline import hand_overs
from lnkernels.values import Sentence, say
from lnkernels.values.timeline import BUFFER_DTYPES, ReductionTimeline, StrategyTimeline

ROW, TILE, PIECE, PROGRAM = say("row"), say("tile"), say("piece"), say("program")
EARLY = say("it starts before time 0")
EACH_ONCE = say("the pieces do not hold every row exactly once")


def violations(timeline: ReductionTimeline | StrategyTimeline) -> list[Sentence]:
    """Return what is impossible in a timeline; an empty list if nothing is.

    Times of different programs are compared up to `tick_ns`, those of one program exactly: the
    clock of an SM does not go backwards.
    """
    if isinstance(timeline, StrategyTimeline):
        return list(_shapes_of_strategy(timeline)) or [
            *_pieces(timeline),
            *_programs(timeline),
            *_in_order(timeline, TILE, "tile_setup_ns", "tile_start_ns", "tile_end_ns"),
            *_stage2(timeline, timeline.add_end_ns, say("the last sums are in memory")),
        ]
    ended = say("the last row has given its lock back")
    return list(_shapes(timeline)) or [
        *_rows(timeline),
        *_locks(timeline),
        *_in_order(timeline, TILE, "tile_start_ns", "tile_end_ns"),
        *_stage2(timeline, timeline.released_ns, ended),
    ]


def _first(
    wrong: NDArray[np.bool_], what: Sentence, why: Sentence, at: NDArray[np.int64] | None = None
) -> Iterator[Sentence]:
    """Yield a sentence about the first wrong entry; its number is its index, or that entry of
    `at`.
    """
    if wrong.any():
        place = int(wrong.argmax())
        yield say(
            "{what} {at}: {why}", what=what, at=place if at is None else int(at[place]), why=why
        )


def _misshapen(value: object, right: tuple[int, ...], *names: str) -> Iterator[Sentence]:
    for name in names:
        array = getattr(value, name)
        if array is not None and array.shape != right:
            yield say(
                "{name} has shape {shape}, not {right}",
                name=name,
                shape=str(array.shape),
                right=str(right),
            )


def _in_order(timeline: object, what: Sentence, *names: str) -> Iterator[Sentence]:
    """Yield the first entry of each of these times that is later than the next one; absent times
    are passed over.
    """
    known = [name for name in names if getattr(timeline, name) is not None]
    for before, after in pairwise(known):
        wrong = getattr(timeline, before) > getattr(timeline, after)
        yield from _first(
            wrong, what, say("{before} is later than {after}", before=before, after=after)
        )


def _stage2(
    timeline: ReductionTimeline | StrategyTimeline, ended_ns: NDArray[np.int64], after: Sentence
) -> Iterator[Sentence]:
    starts = timeline.tile_start_ns
    if starts.size and ended_ns.size and starts.min() + timeline.tick_ns < ended_ns.max():
        yield say("stage 2 starts before {after}", after=after)


def _shapes(timeline: ReductionTimeline) -> Iterator[Sentence]:
    m, n, sums = timeline.m, timeline.n, timeline.sums
    tiles = 0
    if timeline.tile_block_n > 0 and not timeline.source:
        tiles = -(-n // timeline.tile_block_n)
    times = ("start_ns", "wanted_ns", "held_ns", "released_ns")
    yield from _misshapen(timeline, (m,), "lock", "order", "sm", "tries", *times)
    yield from _misshapen(timeline, (tiles,), "tile_sm", "tile_start_ns", "tile_end_ns")
    if timeline.group_size_m < 1 or timeline.tile_block_m < 1:
        yield say("GROUP_SIZE_M or a tile's BLOCK_SIZE_M is less than 1")
    if sums is not None:
        yield from _misshapen(sums, (m, n), "row_dw", "row_db", "dw_after", "db_after")
        yield from _misshapen(sums, (n,), "dw", "db")
        if sums.partial_dtype not in BUFFER_DTYPES:
            yield say("its buffers are not of {known}", known=BUFFER_DTYPES)


def _rows(timeline: ReductionTimeline) -> Iterator[Sentence]:
    lock = timeline.lock
    if not timeline.source:
        foreign = lock != np.arange(timeline.m) % timeline.group_size_m
        yield from _first(foreign, ROW, say("its lock is not row mod GROUP_SIZE_M"))
    elif ((lock < 0) | (lock >= timeline.group_size_m)).any():
        yield say("a row has a lock that is not there")
    yield from _in_order(timeline, ROW, "start_ns", "wanted_ns", "held_ns", "released_ns")
    yield from _first(timeline.start_ns < 0, ROW, EARLY)
    if len(timeline.phases) not in (0, 2, 3, 4):
        yield say("it has {count} phases: there are two to four", count=len(timeline.phases))
    if timeline.tries is not None:
        yield from _first(timeline.tries < 1, ROW, say("it held its lock without a try"))


def _locks(timeline: ReductionTimeline) -> Iterator[Sentence]:
    """Check that the rows of a lock are counted up from 0, and that its holds follow each other."""
    before, after = hand_overs(timeline)
    counted = np.zeros(timeline.m, np.int64)
    counted[after] = timeline.order[before].astype(np.int64) + 1
    yield from _first(
        timeline.order != counted, ROW, say("the order of its lock does not count its rows from 0")
    )
    held, tick = timeline.held_ns, timeline.tick_ns
    early = held[after] + tick < held[before]
    yield from _first(
        early, ROW, say("it held its lock earlier than the row before it in the order"), after
    )
    if not timeline.source:  # stamps of a user's kernel are there to show what it does wrong
        both = held[after] + tick < timeline.released_ns[before]
        yield from _first(
            both, ROW, say("it held its lock at the same time as the row before it"), after
        )


def _shapes_of_strategy(timeline: StrategyTimeline) -> Iterator[Sentence]:
    pieces, programs, tiles = timeline.program.size, timeline.sm.size, timeline.tile_sm.size
    by_piece = ("program", "first_row", "start_ns", "ready_ns", "wait_begin_ns", "wait_end_ns")
    yield from _misshapen(timeline, (pieces,), *by_piece)
    by_program = ("sm", "program_start_ns", "free_ns", "add_begin_ns", "add_end_ns")
    yield from _misshapen(timeline, (programs,), *by_program)
    by_tile = ("tile_sm", "tile_setup_ns", "tile_start_ns", "tile_end_ns")
    yield from _misshapen(timeline, (tiles,), *by_tile)
    if (timeline.wait_begin_ns is None) != (timeline.wait_end_ns is None):
        yield say("waits have a begin and an end, or neither")
    if timeline.rows < 1 or timeline.slices < 1 or timeline.tick_ns < 0:
        yield say(
            "a piece has at least one row, a row one slice, and a clock does not step backwards"
        )
    elif -(-timeline.m // timeline.rows) * timeline.slices != pieces:
        yield EACH_ONCE
    elif ((timeline.program < 0) | (timeline.program >= programs)).any():
        yield say("a piece was taken by a program that is not there")


def _pieces(timeline: StrategyTimeline) -> Iterator[Sentence]:
    expected = np.repeat(np.arange(0, timeline.m, timeline.rows), timeline.slices)
    if not np.array_equal(np.sort(timeline.first_row), expected):
        yield EACH_ONCE
    taken = timeline.first_row.astype(np.int64) * timeline.sm.size + timeline.program
    if np.unique(taken).size < taken.size:
        yield say("a program takes a row twice")
    yield from _in_order(timeline, PIECE, "start_ns", "wait_begin_ns", "wait_end_ns", "ready_ns")
    order = np.lexsort((timeline.start_ns, timeline.program))
    program, start, ready = (
        times[order] for times in (timeline.program, timeline.start_ns, timeline.ready_ns)
    )
    early = (program[1:] == program[:-1]) & (start[1:] < ready[:-1])
    yield from _first(
        early, PIECE, say("its program works on two pieces at the same time"), order[1:]
    )
    own = timeline.program_start_ns[timeline.program]
    yield from _first(timeline.start_ns < own, PIECE, say("it is taken before its program starts"))


def _programs(timeline: StrategyTimeline) -> Iterator[Sentence]:
    yield from _first(timeline.program_start_ns < 0, PROGRAM, EARLY)
    early = timeline.add_begin_ns < timeline.last_ready_ns()
    yield from _first(early, PROGRAM, say("it adds sums that it does not have yet"))
    yield from _in_order(timeline, PROGRAM, "free_ns", "add_begin_ns", "add_end_ns")
