"""What a trace of a backward pass without locks tells: its programs, the rows that they took, the tiles of its second stage."""

import numpy as np

from lnkernels.interpreter import IS_INTERPRETED
from lnkernels.sum_trace import SumRecord
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import COARSE_TICK_NS, Clock, Indices, StrategyTimeline, Times


def pass_trace(
    strategy: str,
    m: int,
    n: int,
    rows: int,
    program: Indices,
    pieces: Times,
    programs: Times,
    sm: Indices,
    record: SumRecord,
    tick_ns: int | None,
    *,
    first_row: Indices | None = None,
    waits: Times | None = None,
    slices: int = 1,
) -> StrategyTimeline:
    """Put a timeline together, without what recording it costs.

    Times are in ns from the first program's start. On the interpreter, which has no clock, they count the events that came
    before: their order is true, their distances mean nothing.

    Args:
        strategy: whose pass it is.
        m: rows.
        n: columns.
        rows: of a piece.
        program: [T] that took each piece.
        pieces: [2, T] start and ready, as read.
        programs: [3, P] start, begin and end of adding, as read.
        sm: [P].
        record: of stage 2.
        tick_ns: the timer's step on this device; None on the interpreter.
        first_row: [T] of each piece; None where each holds the rows after those of the piece before it.
        waits: [2, T] begin and end of the wait in each piece, as read; None where no program waits for another in one.
        slices: of a row, each with a program of its own.
    """
    tiles = record.times.cpu().numpy()
    origin = programs[0].min(initial=np.iinfo(np.int64).max) if programs.size else tiles.min()
    if IS_INTERPRETED:
        origin = 0
    clock = Clock.STEPS
    if tick_ns is not None:
        clock = Clock.TIMER if tick_ns <= COARSE_TICK_NS else Clock.COARSE
    return StrategyTimeline(
        strategy=strategy,
        kind=Kind.INTERPRETED if tick_ns is None else Kind.MEASURED,
        clock=clock,
        tick_ns=float(tick_ns or 1),
        m=m,
        n=n,
        rows=rows,
        program=program,
        first_row=np.arange(program.size, dtype=np.int32) * np.int32(rows) if first_row is None else first_row,
        start_ns=pieces[0] - origin,
        ready_ns=pieces[1] - origin,
        sm=sm,
        program_start_ns=programs[0] - origin,
        add_begin_ns=programs[1] - origin,
        add_end_ns=programs[2] - origin,
        tile_sm=record.sm.cpu().numpy(),
        tile_setup_ns=tiles[0] - origin,
        tile_start_ns=tiles[1] - origin,
        tile_end_ns=tiles[2] - origin,
        slices=slices,
        wait_begin_ns=None if waits is None else waits[0] - origin,
        wait_end_ns=None if waits is None else waits[1] - origin,
    )
