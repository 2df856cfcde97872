"""What a trace of a backward pass without locks tells: its programs, the rows that they took, the tiles of its second stage."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lnkernels.interpreter import IS_INTERPRETED
from lnkernels.sum_trace import SumRecord

Times = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PassTrace:
    """Pieces are tiles of rows, or slices of a row [T], each taken by one program [P]; tiles are the columns of stage 2, those of
    dw and of db [S].

    Times are in ns from the first program's start. On the interpreter, which has no clock, they count the events that came
    before: their order is true, their distances mean nothing.
    """

    rows: int  # of a piece; the last may have fewer
    program: npt.NDArray[np.int32]  # [T] that took the piece
    first_row: npt.NDArray[np.int32]  # [T]
    start_ns: Times  # [T] the program turns to the piece
    ready_ns: Times  # [T] dx is written, and the program's sums are known
    sm: npt.NDArray[np.int32]  # [P] the streaming multiprocessor that the program ran on
    program_start_ns: Times  # [P]
    add_begin_ns: Times  # [P] the program begins to put its sums into memory
    add_end_ns: Times  # [P] they are there
    tile_sm: npt.NDArray[np.int32]  # [S]
    tile_setup_ns: Times  # [S] set up, while stage 1 may still run
    tile_start_ns: Times  # [S]
    tile_end_ns: Times  # [S]
    tick_ns: int | None  # the timer's step on this device; None on the interpreter
    waits_ns: Times | None = None  # [2, T] a piece's program begins and ends to wait for other programs; None where none does


def pass_trace(
    rows: int,
    program: npt.NDArray[np.int32],
    pieces: Times,
    programs: Times,
    sm: npt.NDArray[np.int32],
    record: SumRecord,
    tick_ns: int | None,
    *,
    first_row: npt.NDArray[np.int32] | None = None,
    waits: Times | None = None,
) -> PassTrace:
    """Put a trace together.

    Args:
        rows: of a piece.
        program: [T] that took each piece.
        pieces: [2, T] start and ready, as read.
        programs: [3, P] start, begin and end of adding, as read.
        sm: [P].
        record: of stage 2.
        tick_ns: the timer's step.
        first_row: [T] of each piece; None where each holds the rows after those of the piece before it.
        waits: [2, T] begin and end of the wait in each piece, as read; None where no program waits for another in one.
    """
    tiles = record.times.cpu().numpy()
    origin = programs[0].min(initial=np.iinfo(np.int64).max) if programs.size else tiles.min()
    if IS_INTERPRETED:
        origin = 0
    return PassTrace(
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
        tick_ns=tick_ns,
        waits_ns=None if waits is None else waits - origin,
    )
