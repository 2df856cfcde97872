"""Stage 1 by the rules of the model, one after another as they are told: what the fast simulation has to come to."""

import numpy as np

from lnexplorer.domain.simulation.parameters import SimulationParameters
from lnexplorer.domain.simulation.stage1 import TABLE, Draws, congestion


class PlainStage1:
    """Dicts by row: start, wanted, held, released in ns, and lists of rows by lock in the order in which they held it."""

    def __init__(self, m: int, group_size_m: int, parameters: SimulationParameters, rng: np.random.Generator) -> None:
        self.parameters, self.rng = parameters, rng
        self.m, self.locks, self.present = m, min(group_size_m, m), min(parameters.resident_programs, m)
        self.draws = Draws.draw(parameters, self.locks, self.present, rng)
        slowness = congestion(parameters, max(self.locks, 1))
        self.hand_over_ns, self.hold_extra_ns = np.rint(slowness.hand_over), np.rint(slowness.hold_extra)
        self.beside_ns = round(float(slowness.compute_extra[self.present]))  # of rows after the first wave
        self.start, self.wanted, self.held, self.released = {}, {}, {}, {}
        self.holders = [[] for _ in range(self.locks)]
        self.waiting = [[] for _ in range(self.locks)]  # rows that have started and not had the lock
        self.holder = [None] * self.locks
        self.due = [0] * self.locks  # when the holder gives it back
        self.earliest = [0] * self.locks  # that the lock can be taken
        self.extra = [0 if lock < self.present else self._extra() for lock in range(self.locks)]  # of the next hold
        for row in range(self.present):
            self._start(row, round(row * parameters.stagger_ns))
        while len(self.released) < m:
            now, is_taken, lock = min(event for lock in range(self.locks) if (event := self._next(lock)))
            if is_taken:
                self._take(lock, now)
            else:
                self._release(lock, now)

    def _extra(self) -> int:
        return int(self.hold_extra_ns[self.present])

    def _ready(self, row: int) -> int:
        """When its first try is over."""
        return self.wanted[row] + round(self.parameters.try_ns)

    def _start(self, row: int, at_ns: int) -> None:
        self.start[row] = at_ns
        crowd_ns = self.draws.crowd[row] if row < self.draws.crowd.size else self.beside_ns
        self.wanted[row] = at_ns + int(self.draws.compute[row % TABLE] + crowd_ns)
        self.waiting[row % self.locks].append(row)

    def _next(self, lock: int) -> tuple[int, bool, int] | None:
        """When, whether it is taken rather than given back, which comes first, and the lock."""
        if self.holder[lock] is not None:
            return self.due[lock], False, lock
        if self.waiting[lock]:
            return max(self.earliest[lock], min(map(self._ready, self.waiting[lock]))), True, lock
        return None

    def _take(self, lock: int, now: int) -> None:
        ready = [(self._ready(row), row) for row in self.waiting[lock] if self._ready(row) <= now]
        match self.parameters.arbitration:
            case "random":
                row = ready[self.rng.integers(0, len(ready))][1]
            case "fifo":
                row = min(ready)[1]
            case _:
                row = max(ready)[1]
        self.waiting[lock].remove(row)
        self.holder[lock] = row
        self.held[row] = now
        turn = len(self.holders[lock])
        hold = (self.draws.hold if turn else self.draws.first_hold)[(turn * self.locks + lock) % TABLE]
        self.due[lock] = now + max(int(hold + self.draws.lock_extra[lock]), 1) + self.extra[lock]
        self.holders[lock].append(row)

    def _release(self, lock: int, now: int) -> None:
        self.released[self.holder[lock]] = now
        self.holder[lock] = None
        if len(self.start) < self.m:
            self._start(len(self.start), now + round(self.parameters.exit_ns))
        else:
            self.present -= 1
        turn = len(self.holders[lock])
        wobble = self.draws.wobble[(turn * self.locks + lock) % TABLE]
        self.earliest[lock] = now + int(self.hand_over_ns[self.present] + wobble)
        self.extra[lock] = self._extra()
