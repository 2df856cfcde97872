"""Stage 1, release by release. Exact for any launch, and as fast as anything where few rows start at about the same time."""

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
    progress.ended.append(np.array(loop.ended, np.int64))


class _Loop:
    """The one kind of event is "a lock is given back": then the next row starts in the place.

    A time and a lock are one integer, time << lock_bits | lock, so that they are compared and stored as one.
    """

    def __init__(self, turns: Turns, progress: Progress) -> None:
        self._turns, self._started = turns, progress.started
        self._hold, self._gap = turns.hold.data, turns.gap.data
        self._turn = progress.turn.tolist()
        self._earliest = progress.free_at.tolist()  # that a lock can be taken again
        for lock, turn in enumerate(self._turn):
            self._earliest[lock] += self._gap[turn] if turn < turns.m else 0
        self._queues: list[list[int]] = [[] for _ in range(turns.locks)]  # heaps of the ends of first tries
        for entry in progress.waiting.tolist():
            self._queues[entry >> turns.time_bits].append(entry & (1 << turns.time_bits) - 1)
        self._due = [-1] * turns.locks  # a lock's event; any other in the heap was overtaken by a row that was ready sooner
        for lock, queue in enumerate(self._queues):
            if queue:
                taken = max(queue[0], self._earliest[lock])
                self._due[lock] = taken + self._hold[self._turn[lock]] << turns.lock_bits | lock
        self._events = [event for event in self._due if event >= 0]
        heapify(self._events)
        self.ended: list[int] = []

    def run_full(self) -> None:
        """While rows are left a place never stays empty. Everything is a local name and written out: it is done for each row."""
        m, locks, shift, exit_ns = self._turns.m, self._turns.locks, self._turns.lock_bits, self._turns.exit_ns
        if self._started == m:
            return
        events, queues, due, turn_of, earliest = self._events, self._queues, self._due, self._turn, self._earliest
        hold, gap, mask = self._hold, self._gap, (1 << shift) - 1
        ended, push, pop, push_and_pop = self.ended.append, heappush, heappop, heappushpop
        event = pop(events)
        for row, lead in enumerate(self._turns.lead[self._started :].data, self._started):
            lock = event & mask
            while due[lock] != event:
                event = pop(events)
                lock = event & mask
            ended(event)
            now = event >> shift
            queue = queues[lock]
            pop(queue)
            turn_of[lock] = turn = turn_of[lock] + locks
            due[lock] = -1
            other = row % locks
            ready = now + exit_ns + lead
            push(queues[other], ready)
            if other != lock and queues[other][0] == ready:
                at = earliest[other]
                due[other] = again = (ready if ready > at else at) + hold[turn_of[other]] << shift | other
                push(events, again)
            if turn < m:
                earliest[lock] = at = now + gap[turn]
                if queue:
                    ready = queue[0]
                    due[lock] = event = (ready if ready > at else at) + hold[turn] << shift | lock
                    event = push_and_pop(events, event)
                    continue
            event = pop(events)
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
            queue = self._queues[lock]
            heappop(queue)
            self._turn[lock] = turn = self._turn[lock] + locks
            if queue:
                self._hold[turn] += hold_change[present]
                taken = max(queue[0], now + self._gap[turn] + gap_change[present])
                self._due[lock] = taken + self._hold[turn] << shift | lock
                heappush(self._events, self._due[lock])
