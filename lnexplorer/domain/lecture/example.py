"""The example that is worked out by hand: whole numbers, so that every sum can be checked on paper."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.ordered_sums import OrderedSums, ordered_sums
from lnexplorer.domain.result import PartialRows
from lnexplorer.domain.simulation import ScheduleModel, simulate
from lnexplorer.domain.timeline import ReductionTimeline

Numbers = NDArray[np.float64]

# Rows whose mean is a whole number and whose values are all one standard deviation from it, so that x̂ is 1 or −1.
X = np.array([[1, 3, 3, 1], [0, 4, 0, 4], [5, 1, 1, 5], [2, 2, 4, 4]], np.float64)
DY = np.array([[1, 2, 0, 1], [2, 1, 1, 0], [0, 1, 3, 1], [1, 0, 2, 1]], np.float64)
WEIGHT = np.array([1, 2, 1, 2], np.float64)
GROUP_SIZE_M = 2
# So that each program wants its lock a little later than the one before, the second of each lock has to wait, and no two events
# fall on one time.
MODEL = ScheduleModel(
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
    model: ScheduleModel = MODEL,
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


def sums_without_counts(example: Example, left_over: Numbers) -> Numbers:
    """Sum of dw [N] where every row loads, adds and stores, the first one too, and the buffers hold something already.

    Args:
        example: the rows and their locks.
        left_over: what is in the buffers before the pass [G, N].
    """
    buffers = np.array(left_over, np.float64)
    for row in np.argsort(example.timeline.order, kind="stable"):
        buffers[example.timeline.lock[row]] += example.partial_rows.dw[row]
    total: Numbers = buffers.sum(axis=0)
    return total


def last_contents(example: Example) -> Numbers:
    """The buffers of dw when all rows have added to them [G, N]."""
    timeline = example.timeline
    contents = np.zeros((min(timeline.group_size_m, timeline.m), timeline.n))
    for row in np.argsort(timeline.order, kind="stable"):
        contents[timeline.lock[row]] = example.sums.dw_after[row]
    return contents
