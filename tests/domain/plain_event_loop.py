"""Stage 1 by the rules of the model, one after another as they are told: what the fast simulation has to come to."""

from heapq import heappop, heappush
from itertools import count

import numpy as np

from lnexplorer.domain.simulation.congestion import congestion
from lnexplorer.domain.simulation.draws import TABLE, Draws
from lnexplorer.domain.simulation.parameters import SimulationParameters
from lnexplorer.domain.simulation.stage1 import LOTS


class PlainStage1:
    """Dicts by row: start, wanted, held, released in ns, and lists of rows by lock in the order in which they held it."""

    def __init__(self, m: int, group_size_m: int, parameters: SimulationParameters, rng: np.random.Generator) -> None:
        self.parameters = parameters
        self.locks, self.present = min(group_size_m, m), min(parameters.resident_programs, m)
        self.draws = Draws.draw(parameters, self.locks, self.present, rng)
        slowness = congestion(parameters, max(self.locks, 1))
        self.hand_over_ns, self.hold_extra_ns = np.rint(slowness.hand_over), np.rint(slowness.hold_extra)
        self.lots = rng.integers(0, 1 << 29, LOTS) if parameters.arbitration == "random" else None
        self.start, self.wanted, self.held, self.released = {}, {}, {}, {}
        self.holders = [[] for _ in range(self.locks)]
        self.queues = [[] for _ in range(self.locks)]  # rows whose program has started, in that order
        self.free_since = {}  # locks that nobody holds
        self.events = []  # (time, row) of releases to come
        self._begin()
        to_come, turns = iter(range(self.present, m)), count()
        for number in count():
            if not self.events:
                return
            now, done = heappop(self.events)
            following = next(to_come, None)
            if following is None:
                self.present -= 1
                turn = next(turns)  # the times of hand-overs begin anew
            else:
                turn = number
                self._start(following, now + round(parameters.exit_ns))
                self._take_if_free(following)
            self._hand_over(done % self.locks, now, int(self.draws.wobble[turn % TABLE]), number)

    def _begin(self) -> None:
        """The first wave."""
        for row in range(self.present):
            self._start(row, round(row * self.parameters.stagger_ns))
        for queue in self.queues:
            queue.sort(key=self._ready)
        for lock, queue in enumerate(self.queues):
            if queue:
                row = queue.pop(0)
                self._take(row, self._ready(row), extra_ns=0)
            else:
                self.free_since[lock] = None

    def _ready(self, row: int) -> int:
        """When its first try is over."""
        return self.wanted[row] + round(self.parameters.try_ns)

    def _start(self, row: int, at_ns: int) -> None:
        self.start[row] = at_ns
        self.wanted[row] = at_ns + int(self.draws.compute_of(np.array([row]))[0])
        self.queues[row % self.locks].append(row)

    def _take_if_free(self, row: int) -> None:
        lock = row % self.locks
        if lock in self.free_since:
            since = self.free_since.pop(lock)
            self.queues[lock].remove(row)
            earliest = 0 if since is None else since + round(self.parameters.hand_over_ns)
            self._take(row, max(self._ready(row), earliest), self.hold_extra_ns[self.present])

    def _hand_over(self, lock: int, now: int, wobble_ns: int, number: int) -> None:
        queue = self.queues[lock]
        if not queue:
            self.free_since[lock] = now
            return
        earliest = now + int(self.hand_over_ns[self.present]) + wobble_ns
        row = queue.pop(self._place(number, len(queue)))
        if (self._ready(row), row) > (earliest, 0):
            queue.append(row)
            row = min(queue, key=lambda each: (self._ready(each), each))
            queue.remove(row)
        self._take(row, max(self._ready(row), earliest), self.hold_extra_ns[self.present])

    def _place(self, number: int, waiting: int) -> int:
        match self.parameters.arbitration:
            case "random":
                return int(self.lots[number % LOTS]) % waiting
            case "fifo":
                return 0
            case _:
                return waiting - 1

    def _take(self, row: int, at_ns: int, extra_ns: float) -> None:
        lock = row % self.locks
        hold = (self.draws.hold if self.holders[lock] else self.draws.first_hold)[row % TABLE]
        self.held[row] = at_ns
        self.released[row] = at_ns + int(hold + self.draws.lock_extra[lock] + extra_ns)
        self.holders[lock].append(row)
        heappush(self.events, (self.released[row], row))
