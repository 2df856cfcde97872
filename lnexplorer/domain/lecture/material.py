"""Material of the lecture: the example that is worked out by hand, with its events, recordings and
experiments, and what they tell.
"""

from collections.abc import Mapping, Sequence
from enum import Enum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.experiments.experiment import ExperimentResult
from lnexplorer.domain.ordered_sums import OrderedSums, ordered_sums, previous_rows
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.roofline import cold_figure
from lnexplorer.domain.simulation.model import SimulationParameters, simulate
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
from lnkernels.values import Sentence, Value, frozen, frozen_by_name, say
from lnkernels.values.accuracy import PartialRows
from lnkernels.values.compiled import KernelFacts
from lnkernels.values.figures import Figure
from lnkernels.values.timeline import ReductionTimeline, TraceCost

Numbers = NDArray[np.float64]

# Rows whose mean is a whole number and whose values are all one standard deviation from it, so that
# x̂ is 1 or −1.
X = np.array([[1, 3, 3, 1], [0, 4, 0, 4], [5, 1, 1, 5], [2, 2, 4, 4]], np.float64)
DY = np.array([[1, 2, 0, 1], [2, 1, 1, 0], [0, 1, 3, 1], [1, 0, 2, 1]], np.float64)
WEIGHT = np.array([1, 2, 1, 2], np.float64)
GROUP_SIZE_M = 2
# So that each program wants its lock a little later than the one before, the second of each lock
# has to wait, and no two events fall on one time.
MODEL = SimulationParameters(
    resident_programs=4,
    sm_count=4,
    compute_ns=1000,
    hold_ns=1500,
    try_ns=100,
    hand_over_ns=150,
    stagger_ns=300,
    exit_ns=100,
    arbitration="fifo",
    stage2_gap_ns=500,
    tile_base_ns=500,
    tile_step_ns=500,
)


@frozen(eq=False)
class Example:
    """A backward pass with everything that it computes on the way."""

    # [rows, columns] by sign: x, dy, w, mean, rstd, xhat, wdy, c1, c2, dx, dw row, db row.
    values: dict[str, Numbers]
    partial_rows: PartialRows  # what each row adds to dw and db
    timeline: ReductionTimeline
    sums: OrderedSums  # in the timeline's order


def work_out(
    x: Numbers = X, dy: Numbers = DY, weight: Numbers = WEIGHT, group_size_m: int = GROUP_SIZE_M
) -> Example:
    """Compute the backward pass of LayerNorm by hand, with the rows in a model's order; eps is 0.

    Args:
        x: [M, N].
        dy: gradient of the output [M, N].
        weight: [N].
        group_size_m: buffers.
    """
    mean = x.mean(axis=1, keepdims=True)
    rstd = 1 / np.sqrt(((x - mean) ** 2).mean(axis=1, keepdims=True))
    xhat, wdy = (x - mean) * rstd, weight * dy
    c1, c2 = (xhat * wdy).mean(axis=1, keepdims=True), wdy.mean(axis=1, keepdims=True)
    dw, db = dy * xhat, dy
    m, n = x.shape
    partials = PartialRows(
        dw=dw.astype(np.float32),
        db=db.astype(np.float32),
        dw_total=dw.sum(axis=0).astype(np.float32),
        db_total=db.sum(axis=0).astype(np.float32),
    )
    timeline = simulate(m, n, group_size_m, group_size_m, max(n // 2, 1), MODEL)
    values = {
        "x": x,
        "dy": dy,
        "w": weight[None, :],
        "mean": mean,
        "rstd": rstd,
        "xhat": xhat,
        "wdy": wdy,
        "c1": c1,
        "c2": c2,
    }
    values |= {"dx": (wdy - (xhat * c1 + c2)) * rstd, "dw row": dw, "db row": db}
    return Example(values, partials, timeline, ordered_sums(partials, timeline, "float32"))


class BeatKind(Enum):
    """Kinds of events of the example."""

    START = "start"  # all programs of stage 1
    STORES = "stores"  # a row takes its lock, and is the first of it
    WAITS = "waits"  # rows ask for locks that others hold
    ADDS = "adds"  # a row gets its lock from the one before
    TILES = "tiles"  # the last rows give their locks back; stage 2 begins
    END = "end"


@frozen
class Beat:
    """Events up to the one of `kind`, whose moment is shown."""

    kind: BeatKind
    time_ns: int
    # STORES, WAITS: when a row asks; ADDS, TILES: when the row before, or the last one, gives back.
    first_ns: int = 0
    rows: tuple[int, ...] = ()  # those that the kind is about
    others: tuple[int, ...] = ()  # WAITS, ADDS: the row before each
    lock: int = -1  # STORES, ADDS
    count: int = 0  # STORES, ADDS: what the row finds, and raises by 1 at once


def beats(timeline: ReductionTimeline) -> tuple[Beat, ...]:
    """Return the events of a timeline in order.

    All rows must be on the device at once: their starts are one event.
    """
    start, wanted, free, held, released = phase_times(timeline)
    previous, last = previous_rows(timeline)
    events = [Beat(BeatKind.START, int(start.max()))]
    for row, (lock, place, before) in enumerate(
        zip(timeline.lock.tolist(), timeline.order.tolist(), previous.tolist(), strict=True)
    ):
        kind, first, others = (
            (BeatKind.ADDS, released[before], (before,))
            if place
            else (BeatKind.STORES, wanted[row], ())
        )
        events.append(Beat(kind, int(held[row]), int(first), (row,), others, lock, place))
    waiting = np.flatnonzero(free > wanted)
    if waiting.size:
        asked = wanted[waiting]
        others = tuple(previous[waiting].tolist())
        events.append(
            Beat(
                BeatKind.WAITS, int(asked.max()), int(asked.min()), tuple(waiting.tolist()), others
            )
        )
    last = last[np.argsort(released[last])]
    events.append(
        Beat(
            BeatKind.TILES,
            int(timeline.tile_start_ns.max()),
            int(released.max()),
            tuple(last.tolist()),
        )
    )
    events.append(Beat(BeatKind.END, timeline.end_ns))
    return tuple(sorted(events, key=lambda beat: beat.time_ns))


def plain(value: float) -> str:
    """Return a number of the example as a short text."""
    return f"{value + 0.0:g}".replace("-", "−")


GROUP_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


@frozen(eq=False)
class LectureCase:
    """A launch that was recorded, with its timeline."""

    timeline: ReductionTimeline
    summary: TimelineSummary
    result: RunResult

    @property
    def source(self) -> tuple[str, str]:
        """Return the GPU and the date."""
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


def recorded_figure(result: RunResult, provider: str, direction: str) -> Figure:
    """Return the figure of the kernels alone, with a cold L2, of a run that was timed."""
    figure = cold_figure(result, provider, direction)
    assert figure is not None, "recorded on a GPU"
    return figure


def source_of(result: RunResult | ExperimentResult) -> tuple[str, str]:
    """Return the GPU and the date of a result."""
    environment = result.provenance.environment
    return environment.named_gpu or "GPU", environment.date[:10]


@frozen
class QueueModel:
    """A model of stage 1: the longer of all computing, and of the rows of a lock in turn."""

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
    """Return the events of a timeline in the order of time: the time in ns, and a sentence.

    The timeline has at least one row.
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
