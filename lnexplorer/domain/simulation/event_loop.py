"""Stage 1, release by release. Exact for any launch, and as fast as anything where few rows start at about the same time."""

from array import array
from heapq import heapify, heappop, heappush, heappushpop

import numpy as np

from lnexplorer.domain.simulation.progress import Progress
from lnexplorer.domain.simulation.turns import Turns


def run_events(turns: Turns, progress: Progress) -> None:
    """To the end. Of turns that begin when no more rows start, hold and gap become what they are with fewer programs."""
    loop = _Loop(turns, progress)
    loop.run_full()
    loop.run_out()
    progress.started = turns.m
    progress.ended.append(np.array(loop.ended))


class _Loop:
    """The one kind of event is "a lock is given back": then the next row starts in the place.

    A time and a lock are one integer, time << lock_bits | lock, so that they are compared and stored as one.
    """

    def __init__(self, turns: Turns, progress: Progress) -> None:
        self._turns, self._started = turns, progress.started
        after_all = np.zeros(turns.locks, np.int64)
        self._gap = np.concatenate((turns.gap, after_all)).data
        self._hold = turns.hold.data
        self._turn = progress.turn.tolist()
        self._earliest = [free + self._gap[turn] for free, turn in zip(progress.free_at.tolist(), self._turn, strict=True)]
        self._due = [-1] * turns.locks  # a lock's event; any other in the heap was overtaken by a row that was ready sooner
        self._next = [0] * turns.locks  # the end of the first try of the row whose release this is, and
        self._queues: list[list[int]] = [[] for _ in range(turns.locks)]  # heaps of those of all others that want the lock
        for entry in progress.waiting.tolist():
            lock, ready = entry >> turns.time_bits, entry & (1 << turns.time_bits) - 1
            if self._due[lock] >= 0:
                self._queues[lock].append(ready)
            else:
                self._next[lock] = ready
                taken = max(ready, self._earliest[lock])
                self._due[lock] = taken + self._hold[self._turn[lock]] << turns.lock_bits | lock
        self._events = [event for event in self._due if event >= 0]
        heapify(self._events)
        self.ended = array("q")

    def run_full(self) -> None:
        """While rows are left a place never stays empty. Everything is a local name and written out: it is done for each row."""
        locks, shift, later = self._turns.locks, self._turns.lock_bits, self._turns.lead[self._started :] + self._turns.exit_ns
        if not later.size:
            return
        events, queues, due, coming = self._events, self._queues, self._due, self._next
        turn_of, earliest, hold, gap, mask = self._turn, self._earliest, self._hold, self._gap, (1 << shift) - 1
        ended, push, pop, push_and_pop = self.ended.append, heappush, heappop, heappushpop
        event = pop(events)
        for row, lead in enumerate(later.data, self._started):
            while due[lock := event & mask] != event:
                event = pop(events)
            ended(event)
            now = event >> shift
            turn_of[lock] = turn = turn_of[lock] + locks
            earliest[lock] = at = now + gap[turn]
            if queue := queues[lock]:
                coming[lock] = ready = pop(queue)
                due[lock] = following = (ready if ready > at else at) + hold[turn] << shift | lock
            else:
                due[lock] = following = -1
            ready, lock = now + lead, row % locks
            if due[lock] >= 0:
                if ready >= coming[lock]:
                    push(queues[lock], ready)
                    event = push_and_pop(events, following) if following >= 0 else pop(events)
                    continue
                push(queues[lock], coming[lock])
            coming[lock] = ready
            at = earliest[lock]
            due[lock] = event = (ready if ready > at else at) + hold[turn_of[lock]] << shift | lock
            if following >= 0:
                push(events, following)
            event = push_and_pop(events, event)
        push(events, event)

    def run_out(self) -> None:
        """Nothing starts any more, and fewer and fewer programs are left."""
        locks, shift, present = self._turns.locks, self._turns.lock_bits, self._turns.first
        hold_change, gap_change = self._turns.hold_change.tolist(), self._turns.gap_change.tolist()
        while self._events:
            event = heappop(self._events)
            lock, now = event & (1 << shift) - 1, event >> shift
            if self._due[lock] != event:
                continue
            self.ended.append(event)
            self._due[lock] = -1
            present -= 1
            self._turn[lock] = turn = self._turn[lock] + locks
            if self._queues[lock]:
                self._hold[turn] += hold_change[present]
                taken = max(heappop(self._queues[lock]), now + self._gap[turn] + gap_change[present])
                self._due[lock] = taken + self._hold[turn] << shift | lock
                heappush(self._events, self._due[lock])
