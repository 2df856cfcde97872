"""Stage 1, many releases at a time: as far ahead as the rows that have started decide it.

A row that starts from now on is ready at the horizon at the earliest: the next release, and the shortest way from there to the
end of a first try. Until then, and for one hold more, releases are those that there would be if no more rows came. And where
every lock has rows enough to be kept busy, it is so up to the last of them.
"""

import numpy as np

from lnexplorer.domain.simulation.progress import Progress
from lnexplorer.domain.simulation.turns import Turns
from lnexplorer.domain.simulation.waiting import releases

_TRIAL = 16  # windows after which their mean size is looked at
_LEAST, _LEAST_SHARE = 36, 32  # releases in a window that are worth it, and one more for so many programs


def run_windows(turns: Turns, progress: Progress, speed: float = 1.0) -> None:
    """Until rows run short, or windows prove so small that they are not so many times as fast as one release after another."""
    m, locks, shift, programs = turns.m, turns.locks, turns.time_bits, turns.first
    lead = turns.lead + turns.exit_ns
    if m == programs or int(lead.min()) <= 0:
        return
    mask = (1 << shift) - 1
    shortest, least_hold, least_gap = int(lead.min()), int(turns.hold.min()), int(turns.gap[locks:].min(initial=mask))
    arrival = (np.arange(m) % locks << shift) + lead
    gap = np.concatenate((turns.gap, np.zeros(locks, np.int64)))  # and none before turns that there are not
    service = turns.hold + turns.gap
    ramp = locks * np.arange(programs)
    changes = np.ones(programs, np.bool_)
    free = (np.arange(locks) << shift) + progress.free_at + gap[progress.turn]  # from when on a lock can be taken
    enough = speed * _TRIAL * (_LEAST + programs // _LEAST_SHARE)
    windows, looked_at = 0, progress.started
    while True:
        entries = progress.waiting
        lock = entries >> shift
        np.not_equal(lock[1:], lock[:-1], out=changes[1:])
        begin = changes.nonzero()[0]  # of each lock's entries
        own = lock[begin]
        turn = (progress.turn[own] - ramp[begin])[changes.cumsum() - 1] + ramp
        hold = turns.hold[turn]
        release = releases(entries, begin, free[own], hold, service[turn])
        released = release & mask
        horizon = int(released.min()) + shortest
        limit = horizon + least_hold
        if begin.size == locks and not ((release == entries + hold) & (entries & mask > horizon)).any():
            last = np.append(begin[1:], programs) - 1
            limit = max(limit, int(released[last].min()) + least_gap + least_hold)
        taken = released < limit
        now = taken.nonzero()[0]  # a lock's first entries
        following = progress.started + now.size
        if following > m:
            return
        lock, turn = lock[now], turn[now] + locks
        events = (released[now] << turns.lock_bits) + lock
        events.sort()
        progress.ended.append(events)
        progress.turn[lock] = turn  # of several for one lock the last is kept
        progress.free_at[lock] = released[now]
        free[lock] = release[now] + gap[turn]
        started = arrival[progress.started : following] + (events >> turns.lock_bits)
        progress.waiting = np.concatenate((entries[~taken], started))
        progress.waiting.sort()
        progress.started = following
        windows += 1
        if windows % _TRIAL == 0:
            if following - looked_at < enough:
                return
            looked_at = following
