"""Timelines of a backward pass, as plain arrays.

There are two, with a base for what both have. In `locked` a row, its program and its turn at a lock
are one thing, so `ReductionTimeline` has one array for each event of a row, and what only locks
have: order, tries, numbers. In other strategies programs take pieces of rows, so
`StrategyTimeline` has arrays of three lengths and no locks. One class for both would have to make
the locks or the pieces optional; the painter, the model's fit and the checks, which work on locks
alone, would ask for them at every use. `lnexplorer.domain.timeline.of_locked` turns the first into
the second where strategies are compared. `HangSnapshot` has where programs stood when their kernel
was given up.
"""

from enum import StrEnum
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from lnkernels.values.environment import Kind
from lnkernels.values.frozen import frozen_by_name
from lnkernels.values.sentence import Sentence

Times = NDArray[np.int64]
Indices = NDArray[np.int32]
Floats = NDArray[np.float32]
BUFFER_DTYPES = ("float32", "float16", "bfloat16")
NO_NUMBER = -1  # of a kernel that hangs, in place of that of a lock or of a program
COARSE_TICK_NS = 128  # a timer with longer steps cannot tell the parts of a hold of 500 to 3000 ns


class Clock(StrEnum):
    """Clocks that the times of a timeline are read from."""

    TIMER = "timer"  # the GPU's global timer
    # the timer steps coarsely; the SMs' clocks, calibrated against it, give the times between
    REFINED = "timer and SM clocks"
    COARSE = "coarse timer"  # the timer steps coarsely, and the SMs' clocks could not refine it
    MODEL = "model"  # no clock: a simulation
    # no clock: events are counted, one "ns" is one event. Their order is true, their distances
    # mean nothing
    STEPS = "steps"


def clock_of(tick_ns: int | None) -> Clock:
    """Return the clock of a device whose timer has steps of `tick_ns`; None for the interpreter."""
    if tick_ns is None:
        return Clock.STEPS
    return Clock.TIMER if tick_ns <= COARSE_TICK_NS else Clock.COARSE


@frozen_by_name(eq=False)
class TracedSums:
    """Numbers of a traced run of a small shape. Values of a narrower type are exact in float32."""

    partial_dtype: str  # element type of the buffers, one of BUFFER_DTYPES
    row_dw: Floats  # [M, N] what the row added, before rounding to the buffers' type
    row_db: Floats  # [M, N]
    dw_after: Floats  # [M, N] the buffer of the row's lock, as the row left it
    db_after: Floats  # [M, N]
    dw: Floats  # [N] the result of stage 2
    db: Floats  # [N]


@frozen_by_name
class TraceCost:
    """Cost of recording: medians of the whole backward pass with a warm L2 cache, plain and
    instrumented runs in turns.
    """

    plain_ns: float
    traced_ns: float
    repetitions: int  # of each

    @property
    def share(self) -> float:
        """Return how much longer the instrumented pass is: 0.02 is 2 %."""
        return self.traced_ns / self.plain_ns - 1


@frozen_by_name(eq=False)
class PassTimeline:
    """Fields of every timeline. Times in ns from the first start; T tiles of stage 2."""

    kind: Kind
    clock: Clock = Clock.TIMER
    tick_ns: float  # step of the clock; times of different programs closer than this are unordered
    m: int
    n: int
    sm: Indices  # [programs of stage 1] the SM; for a model that of the resident program
    tile_sm: Indices  # [T]
    tile_start_ns: Times  # [T]
    tile_end_ns: Times  # [T]
    cost: TraceCost | None = None  # None for what is not a trace

    @property
    def counted(self) -> bool:
        """True if events were counted because there was no clock."""
        return self.clock is Clock.STEPS


@frozen_by_name(eq=False)
class ReductionTimeline(PassTimeline):
    """Timeline of `locked`: rows and their locks in stage 1 [M], tiles of columns in stage 2
    [T].
    """

    group_size_m: int
    lock: Indices  # [M] the buffer of the row
    order: Indices  # [M] how many rows had added to the buffer before
    start_ns: Times  # [M] the program begins
    wanted_ns: Times  # [M] dx is done, the first try for the lock
    held_ns: Times  # [M] the lock is taken
    released_ns: Times  # [M] the stores are done, the lock is given back
    tile_block_m: int  # buffers that a tile adds per step
    tile_block_n: int  # columns of a tile
    tries: Indices | None = None  # [M] compare-and-swaps until the lock was held, from 1
    sums: TracedSums | None = None  # None for a simulation, and where there are too many numbers
    source: str = ""  # a user's kernel whose stamps these are; they tell nothing of stage 2
    lanes: bool = False  # of such a kernel: it has no locks, rows of one lane do not overlap
    phases: tuple[str, ...] = ()  # its names of the stamps, if not start, wanted, held, released
    # Why a kernel hangs: what never came has the time behind the end, at which the timeline stops.
    hang: Sentence | None = None

    @property
    def end_ns(self) -> int:
        last_row = int(self.released_ns.max(initial=0)) - (self.hang is not None)
        return max(last_row, int(self.tile_end_ns.max(initial=0)))


@frozen_by_name(eq=False)
class StrategyTimeline(PassTimeline):
    """Timeline of any strategy: programs [P] and the pieces of rows that they take [K] in stage 1,
    tiles [T] in stage 2.

    `locked` and `atomic` have a program for each row; `persistent` has few programs, which take one
    piece after another. In `split` several programs share a row: a piece is one program's slice of
    it, and in the middle of the piece the program waits for the sums of the row's other slices.
    Programs of one row have consecutive numbers.
    """

    strategy: str
    rows: int  # of a piece; the last has what is left
    program: Indices  # [K] that took the piece
    first_row: Indices  # [K]
    start_ns: Times  # [K] the program turns to the piece
    ready_ns: Times  # [K] dx is written, the sums are known
    program_start_ns: Times  # [P]
    # [P] the sums begin to be added. locked: the lock is held; atomic: the first addition;
    # persistent: the sums begin to be written
    add_begin_ns: Times
    add_end_ns: Times  # [P] the sums are in memory
    tile_setup_ns: Times  # [T] the program is set up, and may have to wait for the end of stage 1
    slices: int = 1  # of a row, each with a program of its own; 1 where a program has whole rows
    wait_begin_ns: Times | None = None  # [K] in the piece; None where no program waits in one
    wait_end_ns: Times | None = None  # [K]
    # [P] locked: the lock is free and is tried until add_begin_ns; before, it is queued for
    free_ns: Times | None = None

    @property
    def waits_ns(self) -> Times:
        """Return how long the program of each piece waits in it for others [K]."""
        if self.wait_begin_ns is None or self.wait_end_ns is None:
            return np.zeros_like(self.start_ns)
        return self.wait_end_ns - self.wait_begin_ns

    @property
    def end_ns(self) -> int:
        return max(int(self.add_end_ns.max(initial=0)), int(self.tile_end_ns.max(initial=0)))

    def last_ready_ns(self) -> Times:
        """Return when each program had its last sums [P]; its start where it took no piece."""
        last = self.program_start_ns.copy()
        np.maximum.at(last, self.program, self.ready_ns)
        return last


def places(start_ns: Times, end_ns: Times) -> Times:
    """Assign a place to each of some intervals, so that no two of a place overlap: from 0, as few
    as possible.
    """
    found, free, taken = np.empty(start_ns.size, np.int64), list[int](), list[tuple[int, int]]()
    starts, ends = start_ns.tolist(), end_ns.tolist()
    for each in np.argsort(start_ns, kind="stable").tolist():
        while taken and taken[0][0] <= starts[each]:
            heappush(free, heappop(taken)[1])
        found[each] = place = heappop(free) if free else len(taken)
        heappush(taken, (ends[each], place))
    return found


@frozen_by_name(eq=False)
class HangSnapshot:
    """Stamps of R rows. A row is the number that a stamp names, else that of its program."""

    kernel: str  # its file
    stamps: tuple[str, ...]  # names, in the order of the text; the last one ends a row
    lines: tuple[tuple[int, ...], ...]  # of each name; none where the text is not known
    programs: int  # of the grid, of which 65,536 at most are noted
    row: Times  # [R], ascending
    program: Times  # [R]
    last: Times  # [R] index of the stamp that came last
    since_ns: Times  # [R] when it came, from the first stamp of all
    now_ns: int  # when the snapshot was taken
    holds: Times  # [R] the lock that was taken and not given back, or NO_NUMBER
    # [R] the lock that is wanted; behind the stamp "waits" the program that is waited for, or
    # NO_NUMBER for all
    wants: Times
    counted: bool = False  # stamps, because there was no clock
    timeline: ReductionTimeline | None = None  # that stops; None where the stamps make none

    @property
    def is_whole(self) -> bool:
        """True if each row has its state, and stands at one of the stamps."""
        arrays = (self.row, self.program, self.last, self.since_ns, self.holds, self.wants)
        alike = len({array.shape for array in arrays}) == 1 and len(self.lines) == len(self.stamps)
        return alike and bool(np.isin(self.last, range(len(self.stamps))).all())
