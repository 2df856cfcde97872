"""What there is to tell while a timeline plays: its first and last events, and those that stand out."""

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.timeline import ReductionTimeline, Times


class PassingKind(Enum):
    """What happens, in the order in which it is told when it happens at the same time."""

    START = "start"  # the first programs
    FIRST_LOCK = "first lock"
    FIRST_WAIT = "first wait"  # a row wants a lock that another row gets before it
    MOST_WAIT = "most wait"  # at once
    HALF = "half"  # of the rows are in their buffers
    LAST_START = "last start"
    LONGEST_WAIT = "longest wait"  # ends
    LAST_RELEASE = "last release"  # stage 1 ends
    TILES = "tiles"  # stage 2 begins
    END = "end"


@dataclass(frozen=True, slots=True)
class Passing:
    """Something that happens while a timeline plays."""

    kind: PassingKind
    time_ns: int
    row: int = -1  # of FIRST_LOCK, FIRST_WAIT, LONGEST_WAIT and LAST_RELEASE
    count: int = 0  # START: rows on the GPU at once, at most; MOST_WAIT: rows that wait; TILES: tiles
    length_ns: int = 0  # LONGEST_WAIT: the wait; LAST_RELEASE: stage 1


@lru_cache(maxsize=8)  # asked for with every frame
def passings(timeline: ReductionTimeline) -> tuple[Passing, ...]:
    """What there is to tell of a timeline, by time; nothing of one without rows."""
    if timeline.m == 0:
        return ()
    start, wanted, held, released = timeline.start_ns, timeline.wanted_ns, timeline.held_ns, timeline.released_ns
    first, last = int(held.argmin()), int(released.argmax())
    at_once, _ = _most(start, released)
    found = [
        Passing(PassingKind.START, int(start.min()), count=at_once),
        Passing(PassingKind.FIRST_LOCK, int(held[first]), first),
        Passing(PassingKind.HALF, int(np.sort(released)[(timeline.m - 1) // 2])),
        Passing(PassingKind.LAST_START, int(start.max())),
        Passing(PassingKind.LAST_RELEASE, int(released[last]), last, length_ns=int(released[last] - start.min())),
        Passing(PassingKind.END, timeline.end_ns),
    ]
    waiting = _rows_that_wait(timeline)
    if waiting.size:
        early = int(waiting[wanted[waiting].argmin()])
        long = int(waiting[(held - wanted)[waiting].argmax()])
        most, when = _most(wanted, held)  # as the picture counts them: those that find their lock free ask for it, too
        found += [
            Passing(PassingKind.FIRST_WAIT, int(wanted[early]), early),
            Passing(PassingKind.MOST_WAIT, when, count=most),
            Passing(PassingKind.LONGEST_WAIT, int(held[long]), long, length_ns=int(held[long] - wanted[long])),
        ]
    if timeline.tile_start_ns.size:
        found.append(Passing(PassingKind.TILES, int(timeline.tile_start_ns.min()), count=timeline.tile_start_ns.size))
    told = list(PassingKind)
    return tuple(sorted(found, key=lambda passing: (passing.time_ns, told.index(passing.kind))))


def halts(timeline: ReductionTimeline) -> tuple[int, ...]:
    """The times in ns at which there is something to tell, each once, but for the end, where it halts anyway."""
    return tuple(sorted({passing.time_ns for passing in passings(timeline) if passing.time_ns < timeline.end_ns}))


def latest(timeline: ReductionTimeline, time_ns: float) -> Passing | None:
    """What happened last at or before a time; at the end, the end."""
    return next((passing for passing in reversed(passings(timeline)) if passing.time_ns <= time_ns), None)


def _rows_that_wait(timeline: ReductionTimeline) -> NDArray[np.int64]:
    """Rows that want their lock before the row before them in the lock's order has given it back."""
    rows: NDArray[np.int64] = np.lexsort((timeline.order, timeline.lock))
    follows = timeline.lock[rows][1:] == timeline.lock[rows][:-1]
    early = timeline.wanted_ns[rows][1:] < timeline.released_ns[rows][:-1]
    found: NDArray[np.int64] = rows[1:][follows & early]
    return found


def _most(begin: Times, end: Times) -> tuple[int, int]:
    """How many stretches of time lie over each other at most, and from when on. What ends makes room for what begins then."""
    times = np.concatenate((end, begin))
    change = np.repeat((-1, 1), begin.size)
    order = np.argsort(times, kind="stable")
    there = np.cumsum(change[order])
    peak = int(there.argmax())
    return int(there[peak]), int(times[order][peak])
