"""A backward pass over time: plain arrays.

One timeline of rows and their locks, one of programs and the pieces they take.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from lnkernels.values.environment import Kind

Times = NDArray[np.int64]
Indices = NDArray[np.int32]
BUFFER_DTYPES = ("float32", "float16", "bfloat16")
COARSE_TICK_NS = 128  # a timer with longer steps cannot tell the parts of a hold of 500 to 3000 ns


class Clock(StrEnum):
    """What the times of a timeline were read from."""

    TIMER = "timer"  # the GPU's global timer
    # the timer steps coarsely, and the SMs' clocks, calibrated against it, tell times between
    REFINED = "timer and SM clocks"
    COARSE = "coarse timer"  # the timer steps coarsely, and the SMs' clocks could not refine it
    MODEL = "model"  # no clock: a simulation
    # no clock: events are counted, and one "ns" is one event. Their order is true, their distance
    # means nothing
    STEPS = "steps"


def clock_of(tick_ns: int | None) -> Clock:
    """What tells the time where a timer steps by so much; None is the interpreter, which has none."""
    if tick_ns is None:
        return Clock.STEPS
    return Clock.TIMER if tick_ns <= COARSE_TICK_NS else Clock.COARSE


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class TracedSums:
    """The numbers of a traced run of a small shape. Those of a narrower type are exact in float32."""

    partial_dtype: str  # element type of the buffers, one of BUFFER_DTYPES
    row_dw: NDArray[
        np.float32
    ]  # [M, N] what the row added, before any rounding to the buffers' type
    row_db: NDArray[np.float32]  # [M, N]
    dw_after: NDArray[np.float32]  # [M, N] the buffer of the row's lock, as the row left it
    db_after: NDArray[np.float32]  # [M, N]
    dw: NDArray[np.float32]  # [N] what stage 2 made of the buffers
    db: NDArray[np.float32]  # [N]


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceCost:
    """What it costs to record: medians of the whole backward pass, plain and instrumented runs
    taken in turns, L2 cache warm.
    """

    plain_ns: float
    traced_ns: float
    repetitions: int  # of each

    @property
    def share(self) -> float:
        """By how much the instrumented pass is longer: 0.02 is 2 %."""
        return self.traced_ns / self.plain_ns - 1


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ReductionTimeline:
    """Stage 1, a row each entry [M], and stage 2, a tile of columns each entry [T].

    Times in ns from the first start.
    """

    kind: Kind
    m: int
    n: int
    group_size_m: int
    lock: Indices  # [M] the buffer of the row
    order: Indices  # [M] how many rows had added to the buffer before
    sm: Indices  # [M] the SM, or for a model the resident program's SM
    start_ns: Times  # [M] the program begins
    wanted_ns: Times  # [M] dx is done, the first try for the lock
    held_ns: Times  # [M] the lock is taken
    released_ns: Times  # [M] the stores are done, the lock is given back
    tile_block_m: int  # buffers that a tile adds per step
    tile_block_n: int  # columns of a tile
    tile_sm: Indices  # [T]
    tile_start_ns: Times  # [T]
    tile_end_ns: Times  # [T]
    tick_ns: float  # step of the clock: times closer than this are not ordered by it
    clock: Clock = Clock.TIMER
    tries: Indices | None = (
        None  # [M] compare-and-swaps until the lock was held, from 1; None where nobody counted
    )
    sums: TracedSums | None = (
        None  # None where there are too many numbers to show, and in a simulation
    )
    cost: TraceCost | None = None  # None for what is not a trace
    source: str = ""  # the kernel of one's own whose stamps these are, which tell of no stage 2
    # such a kernel has no locks: `lock` is a lane, and rows of one are not under way at once
    lanes: bool = False
    phases: tuple[
        str, ...
    ] = ()  # what it calls its stamps, where they are not start, wanted, held and released

    @property
    def counted(self) -> bool:
        return self.clock is Clock.STEPS

    @property
    def end_ns(self) -> int:
        last_row = int(self.released_ns.max(initial=0))
        return max(last_row, int(self.tile_end_ns.max(initial=0)))


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class StrategyTimeline:
    """Stage 1 by programs [P] and the pieces of rows that they take [T], stage 2 by tiles [S].
    Times in ns from the first start.

    `locked` and `atomic` have a program for each row; `persistent` has few programs, which take one
    piece after another. In `split` several programs share a row: a piece is one program's slice of
    it, and in the middle of the piece the program waits for the sums of the row's other slices.
    Programs of one row have numbers that follow each other.
    """

    strategy: str
    kind: Kind
    clock: Clock
    # step of the clock: times of different programs closer than this are not ordered by it
    tick_ns: float
    m: int
    n: int
    rows: int  # of a piece; the last has what is left
    program: Indices  # [T] that took the piece
    first_row: Indices  # [T]
    start_ns: Times  # [T] the program turns to the piece
    ready_ns: Times  # [T] dx is written, the sums are known
    sm: Indices  # [P]
    program_start_ns: Times  # [P]
    # [P] locked: the lock is held; atomic: the first addition; persistent: the sums begin to be
    # written
    add_begin_ns: Times
    add_end_ns: Times  # [P] the sums are in memory
    tile_sm: Indices  # [S]
    tile_setup_ns: Times  # [S] the program is set up, and may have to wait for the end of stage 1
    tile_start_ns: Times  # [S]
    tile_end_ns: Times  # [S]
    cost: TraceCost | None = None  # None where nothing was timed
    slices: int = 1  # of a row, each with a program of its own; 1 where a program has whole rows
    wait_begin_ns: Times | None = (
        None  # [T] within the piece; None where no program waits for another in one
    )
    wait_end_ns: Times | None = None  # [T]
    free_ns: Times | None = (
        # [P] locked: the lock is free, and is tried until add_begin_ns; before, it is queued for
        None
    )

    @property
    def waits_ns(self) -> Times:
        """How long the program of each piece waits in it for others [T]."""
        if self.wait_begin_ns is None or self.wait_end_ns is None:
            return np.zeros_like(self.start_ns)
        return self.wait_end_ns - self.wait_begin_ns

    @property
    def end_ns(self) -> int:
        return max(int(self.add_end_ns.max(initial=0)), int(self.tile_end_ns.max(initial=0)))

    def last_ready_ns(self) -> Times:
        """When each program had its last sums [P]; its start where it took no piece."""
        last = self.program_start_ns.copy()
        np.maximum.at(last, self.program, self.ready_ns)
        return last
