"""What follows for the rows that have started, if no more came."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.simulation.draws import Times
from lnexplorer.domain.simulation.progress import Progress
from lnexplorer.domain.simulation.turns import Turns


@dataclass(frozen=True, eq=False, slots=True)
class Waiting:
    """[programs], lock by lock and in the order of their turns; times in ns."""

    lock: Times
    ready: Times  # the end of the first try
    release: Times
    found_free: NDArray[np.bool_]  # whether the lock is taken as soon as that

    @classmethod
    def of(cls, turns: Turns, progress: Progress) -> "Waiting":
        """Those whose turns are still to come."""
        entries, locks, mask = progress.waiting, turns.locks, (1 << turns.time_bits) - 1
        lock = entries >> turns.time_bits
        begin = np.flatnonzero(np.diff(lock, prepend=-1))
        own = lock[begin]
        turn = progress.turn[lock] + locks * (np.arange(lock.size) - np.repeat(begin, np.diff(begin, append=lock.size)))
        free = (own << turns.time_bits) + progress.free_at[own] + turns.gap[progress.turn[own]]
        hold = turns.hold[turn]
        release = releases(entries, begin, free, hold, hold + turns.gap[turn])
        return cls(lock, entries & mask, release & mask, release == entries + hold)


def releases(entries: Times, begin: Times, free: Times, hold: Times, service: Times) -> Times:
    """When each entry gives its lock back, the lock in front, first come first served.

    Entry i of a lock does so at max(entry[i], release[i - 1] + gap[i]) + hold[i]. Less the sum of all gaps and holds up to i this
    is a maximum over the lock's entries up to i; those of earlier locks are smaller, as the lock stands in front.

    Args:
        entries: sorted, the lock in front.
        begin: each lock's first entry.
        free: from when on each of these locks can be taken, the lock in front.
        hold: by entry.
        service: gap and hold, by entry.
    """
    total = service.cumsum()
    less = hold - total
    release: Times = entries + less
    release[begin] = np.maximum(release[begin], free + less[begin])
    np.maximum.accumulate(release, out=release)
    release += total
    return release
