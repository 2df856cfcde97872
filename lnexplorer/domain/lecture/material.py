"""What the lecture shows, gathered: the example, the simulations, the recordings, and what there is to tell of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.lecture.example import Example
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.schedule_defaults import default_model
from lnexplorer.domain.simulation import simulate
from lnexplorer.domain.timeline import TimelineSummary, summarize
from lnkernels.sentence import Sentence
from lnkernels.values.timeline import ReductionTimeline, StrategyTimeline, Times, TraceCost

GROUP_SIZES = (256, 128, 64, 32, 16, 8, 4, 2, 1)


@dataclass(frozen=True, eq=False, slots=True)
class GrowthPoint:
    """One GROUP_SIZE_M."""

    group_size_m: int
    summary: TimelineSummary
    timeline: ReductionTimeline


def growth(
    request: ResolvedRequest,
    resident_programs: int,
    sm_count: int,
    rest: Callable[[], None] = lambda: None,
    seen: Mapping[int, int] | None = None,
) -> tuple[GrowthPoint, ...]:
    """Simulate a launch with every one of GROUP_SIZES.

    Args: request: the launch; its own GROUP_SIZE_M does not matter. resident_programs: programs of stage 1 on the
        device at once. sm_count: SMs. rest: called between two simulations. seen: resident programs by GROUP_SIZE_M,
        where a recording tells: the kernel of one buffer is another, of which fewer
            run at once.
    """
    points = []
    for group_size_m in GROUP_SIZES:
        launch = replace(request.launch, group_size_m=group_size_m)
        model = default_model(replace(request, launch=launch), (seen or {}).get(group_size_m, resident_programs), sm_count)
        timeline = simulate(request.m, request.n, group_size_m, launch.reduce_block_size_m, launch.reduce_block_size_n, model)
        points.append(GrowthPoint(group_size_m, summarize(timeline), timeline))
        rest()
    return tuple(points)


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
    """How many stretches of time lie over each other at most, and from when on.

    What ends makes room for what begins then.
    """
    times = np.concatenate((end, begin))
    change = np.repeat((-1, 1), begin.size)
    order = np.argsort(times, kind="stable")
    there = np.cumsum(change[order])
    peak = int(there.argmax())
    return int(there[peak]), int(times[order][peak])


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class RecordedCase:
    """One recording of the launch that the simulation is about."""

    timeline: ReductionTimeline
    summary: TimelineSummary
    gpu: str
    date: str  # ISO 8601


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class RecordedStrategies:
    """One launch by several strategies, as it was recorded."""

    timelines: tuple[StrategyTimeline, ...]  # that of locked first
    m: int
    n: int
    gpu: str
    date: str  # ISO 8601


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Material:
    """What is in hand. Before all is loaded, request is None, growth and recorded are empty."""

    example: Example
    request: ResolvedRequest | None = None  # of the simulation and the recordings, but for GROUP_SIZE_M
    resident_programs: int = 0
    sm_count: int = 0
    growth: tuple[GrowthPoint, ...] = ()
    recorded: dict[int, RecordedCase] = field(default_factory=dict)  # by GROUP_SIZE_M
    stage1_ns: dict[int, int] = field(default_factory=dict)  # recorded, by GROUP_SIZE_M: of more launches than are played
    costs: dict[int, TraceCost] = field(default_factory=dict)  # of recording these, by GROUP_SIZE_M, where it was measured
    residents: dict[int, int] = field(default_factory=dict)  # programs at once as recorded, by GROUP_SIZE_M
    strategies: RecordedStrategies | None = None
    problem: Sentence | None = None  # why something is not there

    def point(self, group_size_m: int) -> GrowthPoint | None:
        """The simulation of one GROUP_SIZE_M."""
        return next((point for point in self.growth if point.group_size_m == group_size_m), None)
