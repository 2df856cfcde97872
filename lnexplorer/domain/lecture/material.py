"""What the lecture shows, gathered: the example, recordings and their simulations, and what there is to tell of them."""

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from lnexplorer.domain import wording
from lnexplorer.domain.experiments.findings import ExperimentResult
from lnexplorer.domain.lecture.example import Example
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.schedule_defaults import default_model
from lnexplorer.domain.simulation import simulate
from lnexplorer.domain.timeline import TimelineSummary, locks_in_use, most_in_flight, phase_times, summarize
from lnkernels.sentence import Sentence, say
from lnkernels.values.timeline import ReductionTimeline, Times

GROUP_SIZES = (256, 128, 64, 32, 16, 8, 4, 2, 1)


@dataclass(frozen=True, eq=False, slots=True)
class Case:
    """One launch, simulated or recorded."""

    timeline: ReductionTimeline
    summary: TimelineSummary
    source: tuple[str, ...] = ()  # GPU and date of a recording


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Material:
    """What is in hand. Before all is loaded, there is the example alone."""

    example: Example
    request: ResolvedRequest | None = None  # of the first recording; the others differ in GROUP_SIZE_M
    recorded: dict[int, Case] = field(default_factory=dict)  # by GROUP_SIZE_M
    simulated: dict[int, Case] = field(default_factory=dict)  # by GROUP_SIZE_M
    strategies: ExperimentResult | None = None  # with times of strategies
    problem: Sentence | None = None  # why something is not there


def simulated_like(recorded: ReductionTimeline, request: ResolvedRequest) -> Case:
    """The model's launch beside a recorded one: with as many SMs and programs at once."""
    launch = request.launch
    model = default_model(request, most_in_flight(recorded), int(recorded.sm.max()) + 1)
    sizes = (launch.group_size_m, launch.reduce_block_size_m, launch.reduce_block_size_n)
    timeline = simulate(request.m, request.n, *sizes, model)
    return Case(timeline, summarize(timeline))


@dataclass(frozen=True, slots=True)
class Passing:
    """Something that happens while a timeline plays."""

    time_ns: int
    sentence: Sentence | None  # None at its end, where the step's caption says what it came to


@lru_cache(maxsize=8)  # asked for with every frame
def passings(timeline: ReductionTimeline) -> tuple[Passing, ...]:
    """What there is to tell of a timeline of at least one row, by time; what comes first here is told first of a time."""
    start, wanted, free, held, released = phase_times(timeline)
    found = []

    def tell(time: int, sentence: Sentence | None) -> None:
        found.append(Passing(int(time), sentence))

    def of_row(row: int, time: int) -> dict[str, str | int]:
        return {"time": time_text(int(time)), "row": f"{row:,}", "lock": int(timeline.lock[row])}

    at_once, _ = _most(start, released)
    first = int(held.argmin())
    tell(start.min(), say("The programs start, one for each row. At most {count} are on the GPU at once.", count=f"{at_once:,}"))
    tell(held[first], say("{time}: row {row} takes lock {lock}, the first of all.", **of_row(first, held[first])))
    waiting = np.flatnonzero(free > wanted)
    if waiting.size:
        early = int(waiting[wanted[waiting].argmin()])
        waits = say(
            "{time}: row {row} is the first that has to queue: another row gets lock {lock} before it.",
            **of_row(early, wanted[early]),
        )
        tell(wanted[early], waits)
        most, when = _most(wanted[waiting], free[waiting])
        tell(when, say("{time}: {count} rows queue at once, never more.", time=time_text(when), count=f"{most:,}"))
    half = int(np.sort(released)[(timeline.m - 1) // 2])
    tell(half, say("{time}: half of the rows are in their buffers.", time=time_text(half)))
    last_start = int(start.max())
    tell(last_start, say("{time}: the last row starts. From now on the GPU empties.", time=time_text(last_start)))
    if waiting.size:
        long = int((free - wanted).argmax())
        length = time_text(int(free[long] - wanted[long]))
        longest = say(
            "{time}: row {row} gets lock {lock}; {length} it was queued, longer than any other.",
            length=length,
            **of_row(long, held[long]),
        )
        tell(held[long], longest)
    last = int(released.argmax())
    tell(released[last], say("{time}: row {row} gives the last lock back. Stage 1 ends.", **of_row(last, released[last])))
    if timeline.tile_start_ns.size:
        begin = int(timeline.tile_start_ns.min())
        stage2 = say(
            "{time}: stage 2 begins. {count} programs add up the {buffers} buffers.",
            time=time_text(begin),
            count=f"{timeline.tile_start_ns.size:,}",
            buffers=f"{locks_in_use(timeline):,}",
        )
        tell(begin, stage2)
    tell(timeline.end_ns, None)
    return tuple(sorted(found, key=lambda passing: passing.time_ns))


def halts(timeline: ReductionTimeline) -> tuple[int, ...]:
    """The times in ns at which there is something to tell, each once, but for the end, where it halts anyway."""
    return tuple(sorted({passing.time_ns for passing in passings(timeline) if passing.time_ns < timeline.end_ns}))


def latest(timeline: ReductionTimeline, time_ns: float) -> Sentence | None:
    """What happened last at or before a time; at the end, None."""
    return next((passing.sentence for passing in reversed(passings(timeline)) if passing.time_ns <= time_ns), None)


def time_text(ns: float) -> str:
    """A time in the unit that suits it."""
    return wording.milliseconds(ns / 1e6)


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
