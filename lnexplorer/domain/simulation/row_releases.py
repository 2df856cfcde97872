"""When rows give their locks back, where row r has turn r.

A row starts at the next release of all, and gives its lock back a known time later, or a known time after the row before it at
the lock does, whichever is later. That row is as many rows back as there are locks.
"""

from heapq import heappop, heappushpop

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.simulation.draws import Times

EXACT_BITS = 52  # of an integer and a half as a float, of which sums and comparisons take half as long as of integers
_MANY = 32  # locks and programs from which on rows are worth being done many at a time
_NEAR, _NEAR_OF_LOCK = 16, 4  # how many of the next releases are kept in order: a few, and some for each lock
_NEVER = 1 << EXACT_BITS


def row_releases(waiting: Times, last: Times, free_after: Times, busy_after: Times) -> Times:
    """The same, by row.

    Args:
        waiting: sorted, when the rows that have started give their locks back.
        last: by lock in the order in which rows come to them, when the last of those does.
        free_after: by row, above 0, from the release that lets it start to its own where the lock is free.
        busy_after: by row, from the release of the row before it at the lock to its own where the lock is busy.
    """
    find = many_at_a_time if min(waiting.size, last.size) >= _MANY else one_by_one
    return find(waiting, last, free_after, busy_after)


def many_at_a_time(waiting: Times, last: Times, free_after: Times, busy_after: Times) -> Times:
    """As many as start before any of them gives its lock back, and no more than there are locks."""
    locks, rows, shortest = last.size, free_after.size, int(free_after.min())
    most = _NEAR + _NEAR_OF_LOCK * locks
    near, later, limit = waiting, list[Times](), _NEVER  # the next releases; others, none before the limit
    result = np.concatenate((last, np.empty(rows, np.int64)))
    row = 0
    while row < rows:
        if near[0] >= limit:
            near, later, limit = np.sort(np.concatenate((near, *later))), [], _NEVER
        if near.size > 2 * most and near[most] > near[0]:
            later.append(near[most:])
            limit = min(limit, int(near[most]))
            near = near[:most]
        before = min(int(near[0]) + shortest, limit)
        end = min(row + int(near.searchsorted(before)), row + locks, rows)
        now, near = near[: end - row], near[end - row :]
        found = result[row + locks : end + locks]
        np.maximum(now + free_after[row:end], result[row:end] + busy_after[row:end], out=found)
        near = np.concatenate((near, found))
        near.sort()
        row = end
    return result[locks:]


def one_by_one(waiting: Times, last: Times, free_after: Times, busy_after: Times) -> Times:
    """Whatever their number. Written out: it is done for each row."""
    later, near = waiting.astype(np.float64).tolist(), list[float]()
    most = _NEAR + _NEAR_OF_LOCK * last.size
    result: list[float] = last.astype(np.float64).tolist()
    append, postpone, push_and_pop, pop = result.append, later.append, heappushpop, heappop
    now = limit = -1.0  # at the limit, a time that no release has, `near` is at its end
    rows = free_after.astype(np.float64).data, busy_after.astype(np.float64).data
    for free, busy, before in zip(*rows, iter(result), strict=False):  # the result grows meanwhile
        if now == limit:
            later.sort()
            near = later[:most]
            del later[:most]
            limit = near[-1] + 0.5 if later else float("inf")
            near.append(limit)
            now = pop(near)
        alone, after = now + free, before + busy
        release = alone if alone > after else after
        append(release)
        if release < limit:
            now = push_and_pop(near, release)
        else:
            postpone(release)
            now = pop(near)
    found: NDArray[np.float64] = np.array(result[last.size :])
    return found.astype(np.int64)
