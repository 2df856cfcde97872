"""How far stage 1 has come: what one way of simulating it hands to another."""

from dataclasses import dataclass, field

import numpy as np

from lnexplorer.domain.simulation.draws import Times
from lnexplorer.domain.simulation.turns import Turns


@dataclass(eq=False, slots=True)
class Progress:
    """Changed by whoever simulates on."""

    started: int  # rows
    waiting: Times  # [programs] sorted: the lock of each that has not had its turn << time_bits | end of its first try
    turn: Times  # [locks] the next
    free_at: Times  # [locks] the last release, or 0
    ended: list[Times] = field(default_factory=list)  # all releases in order: time << lock_bits | lock

    @classmethod
    def begin(cls, turns: Turns) -> "Progress":
        """The first wave has started."""
        rows = np.arange(turns.first)
        waiting = (rows % max(turns.locks, 1) << turns.time_bits) + turns.start + turns.lead[: turns.first]
        return cls(turns.first, np.sort(waiting), np.arange(turns.locks), np.zeros(turns.locks, np.int64))
