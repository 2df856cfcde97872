"""The example that is worked out by hand: whole numbers, and its events."""

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.ordered_sums import OrderedSums, ordered_sums
from lnexplorer.domain.simulation import SimulationParameters, simulate
from lnexplorer.domain.timeline import phase_times
from lnkernels.values.accuracy import PartialRows
from lnkernels.values.timeline import ReductionTimeline

Numbers = NDArray[np.float64]

# Rows whose mean is a whole number and whose values are all one standard deviation from it, so that x̂ is 1 or −1.
X = np.array([[1, 3, 3, 1], [0, 4, 0, 4], [5, 1, 1, 5], [2, 2, 4, 4]], np.float64)
DY = np.array([[1, 2, 0, 1], [2, 1, 1, 0], [0, 1, 3, 1], [1, 0, 2, 1]], np.float64)
WEIGHT = np.array([1, 2, 1, 2], np.float64)
GROUP_SIZE_M = 2
# So that each program wants its lock a little later than the one before, the second of each lock has to wait, and no
# two events fall on one time.
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


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Example:
    """A backward pass with everything that it computes on the way."""

    x: Numbers  # [M, N]
    dy: Numbers  # [M, N]
    weight: Numbers  # [N]
    mean: Numbers  # [M]
    rstd: Numbers  # [M]
    xhat: Numbers  # [M, N]
    c1: Numbers  # [M]
    c2: Numbers  # [M]
    dx: Numbers  # [M, N]
    partial_rows: PartialRows  # what each row adds to dw and db
    timeline: ReductionTimeline
    sums: OrderedSums  # in the timeline's order


def work_out(
    x: Numbers = X,
    dy: Numbers = DY,
    weight: Numbers = WEIGHT,
    group_size_m: int = GROUP_SIZE_M,
    *,
    eps: float = 0.0,
    model: SimulationParameters = MODEL,
) -> Example:
    """The backward pass of LayerNorm, and the order in which a model of the schedule adds its rows.

    Args:
        x: [M, N].
        dy: gradient of the output [M, N].
        weight: [N].
        group_size_m: buffers.
        eps: added to the variance; 0 keeps the numbers whole.
        model: the schedule.
    """
    mean = x.mean(axis=1)
    rstd = 1 / np.sqrt(((x - mean[:, None]) ** 2).mean(axis=1) + eps)
    xhat = (x - mean[:, None]) * rstd[:, None]
    wdy = weight * dy
    c1, c2 = (xhat * wdy).mean(axis=1), wdy.mean(axis=1)
    m, n = x.shape
    partials = PartialRows(
        dw=(dy * xhat).astype(np.float32),
        db=dy.astype(np.float32),
        dw_total=(dy * xhat).sum(axis=0).astype(np.float32),
        db_total=dy.sum(axis=0).astype(np.float32),
    )
    timeline = simulate(m, n, group_size_m, group_size_m, max(n // 2, 1), model)
    return Example(
        x=x,
        dy=dy,
        weight=weight,
        mean=mean,
        rstd=rstd,
        xhat=xhat,
        c1=c1,
        c2=c2,
        dx=(wdy - (xhat * c1[:, None] + c2[:, None])) * rstd[:, None],
        partial_rows=partials,
        timeline=timeline,
        sums=ordered_sums(partials, timeline, "float32"),
    )


class BeatKind(Enum):
    """What there is to tell."""

    START = "start"  # all programs of stage 1
    FINDS_FREE = "finds free"
    WAITS = "waits"
    STORES = "stores"  # the count is 0
    ADDS = "adds"
    RELEASES = "releases"
    TILES = "tiles"  # stage 2 begins
    END = "end"


@dataclass(frozen=True, slots=True)
class Beat:
    """One event. Of START, TILES and END, row and lock are -1."""

    kind: BeatKind
    time_ns: int
    row: int = -1
    lock: int = -1
    other: int = -1  # WAITS: the row that has the lock before it
    count: int = 0  # STORES, ADDS: what the row finds, and raises by 1 at once; RELEASES: what is there


def beats(timeline: ReductionTimeline) -> tuple[Beat, ...]:
    """The events of a timeline in their order. All rows must be on the device at once: their starts are told as one."""
    start, wanted, free, held, released = phase_times(timeline)
    told = []
    for row, (lock, place) in enumerate(zip(timeline.lock.tolist(), timeline.order.tolist(), strict=True)):
        before = np.flatnonzero((timeline.lock == lock) & (timeline.order == place - 1))
        waits = free[row] > wanted[row]
        told += [
            Beat(BeatKind.WAITS, int(wanted[row]), row, lock, int(before[0]))
            if waits
            else Beat(BeatKind.FINDS_FREE, int(wanted[row]), row, lock),
            Beat(BeatKind.ADDS if place else BeatKind.STORES, int(held[row]), row, lock, count=place),
            Beat(BeatKind.RELEASES, int(released[row]), row, lock, count=place + 1),
        ]
    told.sort(key=lambda beat: beat.time_ns)
    stage2 = Beat(BeatKind.TILES, int(timeline.tile_start_ns.max())), Beat(BeatKind.END, timeline.end_ns)
    return Beat(BeatKind.START, int(start.max())), *told, *stage2


# What is told together with what came right before it.
_TOGETHER = {
    (BeatKind.FINDS_FREE, BeatKind.STORES),
    (BeatKind.WAITS, BeatKind.WAITS),
    (BeatKind.RELEASES, BeatKind.ADDS),
    (BeatKind.RELEASES, BeatKind.RELEASES),
    (BeatKind.RELEASES, BeatKind.TILES),
}


def told_together(told: tuple[Beat, ...]) -> tuple[tuple[Beat, ...], ...]:
    """Events in their order, in groups: a row takes its lock and stores, or gets it from another and adds."""
    groups: list[tuple[Beat, ...]] = []
    for beat in told:
        group = groups[-1] if groups else ()
        joins = bool(group) and (group[-1].kind, beat.kind) in _TOGETHER
        if joins and (len(group) == 1 or beat.kind is BeatKind.TILES):
            groups[-1] += (beat,)
        else:
            groups.append((beat,))
    return tuple(groups)
