"""The example that is worked out by hand: whole numbers, and its events."""

from enum import Enum

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.ordered_sums import OrderedSums, ordered_sums, previous_rows
from lnexplorer.domain.simulation.model import SimulationParameters, simulate
from lnexplorer.domain.timeline import phase_times
from lnkernels.values.accuracy import PartialRows
from lnkernels.values.frozen import frozen
from lnkernels.values.timeline import ReductionTimeline

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

    values: dict[
        str, Numbers
    ]  # [rows, columns] of each sign: x, dy, w, mean, rstd, xhat, wdy, c1, c2, dx, dw row, db row
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
    first_ns: int = (
        0  # STORES, WAITS: a row asks; ADDS: the one before gives back; TILES: the last one does
    )
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
    """A number of the example, as short as it is."""
    return f"{value + 0.0:g}".replace("-", "−")
