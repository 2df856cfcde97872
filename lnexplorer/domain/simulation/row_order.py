"""Stage 1, row by row: as long as rows come to each lock in the order in which they start.

Then row r has turn r, and when it starts it is known when it gives its lock back. A lock that is always busy has the same turns
whoever comes first, so that a row may overtake those that wait. Only where it comes sooner than one that was to find the lock
free is there a turn that begins earlier. So this is looked for after every batch of rows.
"""

import numpy as np

from lnexplorer.domain.simulation.draws import Times
from lnexplorer.domain.simulation.progress import Progress
from lnexplorer.domain.simulation.row_releases import EXACT_BITS, row_releases
from lnexplorer.domain.simulation.turns import Turns
from lnexplorer.domain.simulation.waiting import Waiting

_BATCH = 1 << 15  # rows


def run_row_order(turns: Turns, progress: Progress) -> None:
    """Until rows run short, or one comes so soon that this does not hold."""
    if turns.time_bits > EXACT_BITS or turns.m == progress.started:
        return
    while progress.started < turns.m and _run_batch(turns, progress):
        pass


def _run_batch(turns: Turns, progress: Progress) -> bool:
    """Whether rows came in order; if not, nothing is done."""
    locks, started = turns.locks, progress.started
    rows = slice(started, min(started + _BATCH, turns.m))
    count = rows.stop - started
    waiting = Waiting.of(turns, progress)
    lock = (started + np.arange(count)) % locks
    next_locks = (started + np.arange(locks)) % locks  # in the order in which rows come to them
    lead, hold, gap = turns.lead[rows] + turns.exit_ns, turns.hold[rows], turns.gap[rows]

    last = progress.free_at.copy()
    last[waiting.lock] = waiting.release  # of several for one lock the last is kept
    last = last[next_locks]
    release = row_releases(np.sort(waiting.release), last, lead + hold, gap + hold)
    events = np.concatenate((waiting.release << turns.lock_bits | waiting.lock, release << turns.lock_bits | lock))
    events.sort()
    ended = events[:count]
    ready = (ended >> turns.lock_bits) + lead

    found_free = np.zeros(locks, np.int64)
    found_free[waiting.lock[waiting.found_free]] = waiting.ready[waiting.found_free]
    earliest = np.concatenate((last, release))[:count] + gap
    if _one_is_too_soon(ready, earliest, found_free[next_locks]):
        return False
    progress.started = rows.stop
    _give_back(turns, progress, ended, (lock << turns.time_bits) + ready)
    return True


def _one_is_too_soon(ready: Times, earliest: Times, found_free: Times) -> bool:
    """Whether one is ready before an earlier row of its lock that was to find it free.

    Args:
        ready: by row.
        earliest: by row, when its lock can be taken after the row before.
        found_free: by lock in the order in which rows come to them, when the last of those that wait that is to find it free is
            ready, or 0.
    """
    locks, count = found_free.size, ready.size
    before = np.zeros((count // locks + 2, locks), np.int64)
    before[0] = found_free
    of_rows = before.ravel()[locks : locks + count]
    of_rows[:] = np.where(ready > earliest, ready, 0)
    np.maximum.accumulate(before, axis=0, out=before)
    return bool((ready < of_rows).any())


def _give_back(turns: Turns, progress: Progress, ended: Times, came: Times) -> None:
    """Take note of releases, in order, and of as many rows that came, the lock in front."""
    lock = ended & (1 << turns.lock_bits) - 1
    progress.ended.append(ended)
    progress.free_at[lock] = ended >> turns.lock_bits
    done = np.bincount(lock, minlength=turns.locks)
    progress.turn += turns.locks * done
    entries = np.concatenate((progress.waiting, came))
    entries.sort()
    wanted = np.bincount(entries >> turns.time_bits, minlength=turns.locks)
    still = np.repeat(wanted.cumsum() - wanted + done, wanted)  # from which entry on those of the same lock wait
    progress.waiting = entries[np.arange(entries.size) >= still]
