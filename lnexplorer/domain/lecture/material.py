"""Material of the lecture: the example, recordings, experiments, and what they tell."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from lnexplorer.domain.experiments.experiment import ExperimentResult
from lnexplorer.domain.lecture.example import Example
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.timeline import (
    TimelineSummary,
    at_once,
    free_ns,
    hand_overs,
    locks_in_use,
    most_in_flight,
    phase_times,
)
from lnexplorer.domain.wording import nanoseconds
from lnkernels.launch.limits import KNOWN_DEVICES, DeviceLimits
from lnkernels.values.compiled import KernelFacts
from lnkernels.values.frozen import frozen, frozen_by_name
from lnkernels.values.sentence import Sentence, Value, say
from lnkernels.values.timeline import ReductionTimeline, TraceCost

GROUP_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


@frozen(eq=False)
class LectureCase:
    """A launch that was recorded, with its timeline."""

    timeline: ReductionTimeline
    summary: TimelineSummary
    result: RunResult

    @property
    def source(self) -> tuple[str, str]:
        """GPU and date."""
        return source_of(self.result)

    @property
    def cost(self) -> TraceCost:
        """Return the cost of recording it."""
        assert self.timeline.cost is not None, "recorded with it"
        return self.timeline.cost


@frozen_by_name(eq=False)
class LectureMaterial:
    """Everything that the lecture shows."""

    example: Example
    cases: dict[int, LectureCase]  # by GROUP_SIZE_M, alike but for that
    small: LectureCase  # of as many rows and buffers as the example
    rounded: LectureCase  # small, too, with buffers of half precision
    wide: LectureCase  # of rows wide enough for memory to matter
    counted: RunResult  # the same launch under Nsight Compute
    # Machine code of stage 1 by the side of the experiment on the barrier, below a line that says
    # how it was made.
    code: dict[str, Sequence[str]]
    # Lines of the installed kernels, with their numbers, by the name of what a program does there.
    kernel: Mapping[str, Sequence[tuple[int, str]]]
    sweep: tuple[CellResult, ...]  # of GROUP_SIZE_M with rows as wide
    widths: tuple[CellResult, ...]  # a sweep over odd and even N
    # Experiments, each with the findings of its name.
    group_size: ExperimentResult
    barrier: ExperimentResult
    order: ExperimentResult
    strategies: ExperimentResult
    hang: ExperimentResult


def compiled(result: RunResult) -> tuple[ResolvedRequest, KernelFacts, DeviceLimits]:
    """Return a run as it was launched, its kernel of stage 1, and its device."""
    kernel = next(facts for facts in result.compiled if facts.name == "backward_stage1")
    name = result.provenance.environment.gpu
    limits = next(limits for limits in KNOWN_DEVICES if limits.name == name)
    return result.resolved, kernel, limits


def source_of(result: RunResult | ExperimentResult) -> tuple[str, str]:
    """GPU and date."""
    environment = result.provenance.environment
    return environment.named_gpu or "GPU", environment.date[:10]


@frozen
class QueueModel:
    """Model of stage 1: as long as the rows of a lock in turn, or as its programs compute."""

    m: int
    resident: int  # programs at once
    compute_ns: float  # of a row, without its lock
    hold_ns: float
    hand_over_ns: float  # from one row's release to the next one's hold, where the next one waits

    def stage1_ns(self, group_size_m: int) -> float:
        """max(compute, ceil(M / G) · (hold + hand-over))."""
        return max(self.floor_ns, -(-self.m // group_size_m) * (self.hold_ns + self.hand_over_ns))

    @property
    def floor_ns(self) -> float:
        """Return the time of all rows with no locks at all."""
        return -(-self.m // self.resident) * self.compute_ns


def queue_model(case: LectureCase) -> QueueModel:
    """Fit the model to one recording."""
    timeline, summary, free = case.timeline, case.summary, free_ns(case.timeline)
    gaps = (timeline.held_ns - free)[free > timeline.wanted_ns]
    hand_over = float(gaps.mean()) if gaps.size else 0.0
    return QueueModel(
        timeline.m,
        most_in_flight(timeline),
        summary.compute_mean_ns,
        summary.hold_mean_ns,
        hand_over,
    )


def share_overtaken(timeline: ReductionTimeline) -> float:
    """Return the share of hand-overs in which the lock went to a row that had waited less than
    another one.
    """
    after, later = hand_overs(timeline)[1], 0
    for lock in range(locks_in_use(timeline)):
        wanted = timeline.wanted_ns[after[timeline.lock[after] == lock]]
        later += int((np.minimum.accumulate(wanted[::-1])[::-1] < wanted).sum())
    return later / after.size


@lru_cache(maxsize=8)  # asked for with every frame
def passings(timeline: ReductionTimeline) -> tuple[tuple[int, Sentence], ...]:
    """Return what a timeline of at least one row tells before its end, by its time in ns; earlier
    entries come first.
    """
    start, wanted, free, held, released = phase_times(timeline)
    events: list[tuple[int, Sentence]] = []

    def told(time: int, template: str, **values: Value) -> None:
        now = nanoseconds(int(time))
        events.append((int(time), say(template, time=now, **values)))

    def of_row(row: int) -> dict[str, Value]:
        return {"row": f"{row:,}", "lock": int(timeline.lock[row])}

    first, last = int(held.argmin()), int(released.argmax())
    firsts = int((held == held[first]).sum())
    told(
        start.min(),
        "The programs start, one for each row. At most {count} are on the GPU at once.",
        count=f"{most_in_flight(timeline):,}",
    )
    if firsts > 1:
        told(
            held[first],
            "{time}: {count} rows take the first locks at once, row {row} among them.",
            count=firsts,
            row=f"{first:,}",
        )
    else:
        told(held[first], "{time}: row {row} takes lock {lock}, the first of all.", **of_row(first))
    waiting = np.flatnonzero(free > wanted)
    if waiting.size:
        handed = int(waiting[held[waiting].argmin()])
        told(
            held[handed],
            "{time}: row {row} gets lock {lock} from another row. The hand-over took {length}.",
            length=nanoseconds(int(held[handed] - free[handed])),
            **of_row(handed),
        )
        early = int(waiting[wanted[waiting].argmin()])
        told(
            wanted[early],
            "{time}: row {row} asks for lock {lock}. It has to queue: another row will get the lock"
            " before it.",
            **of_row(early),
        )
        times, depth = at_once(wanted[waiting], free[waiting])
        told(
            times[depth.argmax()],
            "{time}: {count} rows queue at once, never more.",
            count=f"{depth.max():,}",
        )
    half = np.sort(released)[(timeline.m - 1) // 2]
    told(half, "{time}: half of the rows are in their buffers.")
    told(start.max(), "{time}: the last row starts. None has to wait for room on the GPU any more.")
    if waiting.size:
        long = int((held - wanted).argmax())
        told(
            held[long],
            "{time}: row {row} gets lock {lock}, {length} after it asked: none waits longer.",
            length=nanoseconds(int(held[long] - wanted[long])),
            **of_row(long),
        )
    told(
        released[last], "{time}: row {row} gives the last lock back. Stage 1 ends.", **of_row(last)
    )
    if timeline.tile_start_ns.size:
        told(
            timeline.tile_start_ns.min(),
            "{time}: stage 2 begins. Buffers to add up: {buffers}, programs: {count}.",
            count=f"{timeline.tile_start_ns.size:,}",
            buffers=f"{locks_in_use(timeline):,}",
        )
    return tuple(sorted(events, key=lambda event: event[0]))
