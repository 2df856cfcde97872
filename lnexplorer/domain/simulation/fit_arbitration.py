"""Who of those that wait has a lock's next turn, as a timeline tells."""

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.timeline import ReductionTimeline

_MOST_TURNS = 128  # that are looked at, evenly spread
_LEAST_TURNS = 16  # of fewer, chance may have made any order
# Mean place of the one that has the turn, among those that wait in the order in which they came: 0 for the first, 1 for the last.
# Traces of an NVIDIA H200 of 1000 rows and more have 0.39 to 0.55.
_FIRST, _LAST = 0.1, 0.9


def fit_arbitration(timeline: ReductionTimeline, before: NDArray[np.int64], after: NDArray[np.int64]) -> str:
    """One of ARBITRATIONS; "random" where hardly any row had others waiting beside it.

    Args:
        timeline: any.
        before: rows, all but the last of each lock.
        after: for each of them the row that has the lock next.
    """
    waited = np.flatnonzero(timeline.wanted_ns[after] < timeline.released_ns[before])
    places = []
    for at in waited[:: max(-(-waited.size // _MOST_TURNS), 1)].tolist():
        row = after[at]
        of_lock = np.arange(timeline.lock[row], timeline.m, timeline.group_size_m)
        beside = of_lock[timeline.order[of_lock] > timeline.order[row]]
        beside = beside[timeline.wanted_ns[beside] < timeline.released_ns[before[at]]]
        beside = beside[timeline.wanted_ns[beside] != timeline.wanted_ns[row]]  # who of these came first is not known
        if beside.size:
            places.append(np.count_nonzero(timeline.wanted_ns[beside] < timeline.wanted_ns[row]) / beside.size)
    mean = float(np.mean(places)) if len(places) >= _LEAST_TURNS else 0.5
    return "fifo" if mean < _FIRST else "newest" if mean > _LAST else "random"
