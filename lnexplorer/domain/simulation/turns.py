"""The turns of all locks: how long each takes, whoever has it.

Turn k of lock l has the number k · locks + l, so that there are as many turns as rows. Who has a turn decides nothing of when it
is: a lock is taken when it was given back and somebody's first try is over, and the times of its turns are its own. So the turns
are simulated first, and then shared out to the rows (`arbitration`).
"""

from dataclasses import dataclass

import numpy as np

from lnexplorer.domain.simulation.congestion import congestion
from lnexplorer.domain.simulation.draws import Draws, Times
from lnexplorer.domain.simulation.parameters import SimulationParameters

LEAST_HOLD_NS = 1
MOST_BITS = 62  # of a time and a lock in one integer


@dataclass(frozen=True, eq=False, slots=True)
class Turns:
    """Times in ns."""

    m: int  # rows, and turns
    locks: int
    first: int  # programs that start at once; as many stay on the device while rows are left
    start: Times  # [first], of these programs
    lead: Times  # [M] from a row's start to the end of its first try
    exit_ns: int  # from a release to the start of the next program in the place
    hold: Times  # [M] by turn, and
    gap: Times  # [M] from the release of the turn before to the earliest taking, both while rows are left; 0 for a first turn
    hold_change: Times  # [first + 1] what is added where so many programs are left on the device, none more to start
    gap_change: Times  # [first + 1]
    time_bits: int  # any time, and any sum of holds and gaps, is below half of 2 ** time_bits
    lock_bits: int

    @classmethod
    def of(cls, m: int, locks: int, first: int, parameters: SimulationParameters, draws: Draws) -> "Turns":
        """Of M rows and as many locks as are in use.

        Raises:
            ValueError: the times are so long that they would not fit into an integer.
        """
        slowness = congestion(parameters, max(locks, 1))
        hand_over, hold_extra = (np.rint(times).astype(np.int64) for times in (slowness.hand_over, slowness.hold_extra))
        # Held for no time, a lock could be given back by the very row that this lets start.
        hold = np.maximum(again(draws.hold, m) + again(draws.lock_extra, m), LEAST_HOLD_NS) + hold_extra[first]
        hold[:locks] = np.maximum(again(draws.first_hold, locks) + draws.lock_extra, LEAST_HOLD_NS)
        hold[first:locks] += hold_extra[first]  # rows of the first wave find the device quiet
        gap = again(draws.wobble, m) + hand_over[first]
        gap[:locks] = 0
        start = np.rint(np.arange(first) * parameters.stagger_ns).astype(np.int64)
        lead = again(draws.compute, m) + round(parameters.try_ns)
        lead[: draws.crowd.size] += draws.crowd
        lead[first:] += round(float(slowness.compute_extra[first]))
        changes = hold_extra - hold_extra[first], hand_over - hand_over[first]
        longest = sum(int(times.max(initial=0)) for times in (hold, gap, lead)) + round(parameters.exit_ns)
        time_bits, lock_bits = (int(start.max(initial=0)) + (m + 1) * longest).bit_length() + 1, max(locks - 1, 0).bit_length()
        if time_bits + lock_bits > MOST_BITS:
            raise ValueError(f"{m} rows of up to {longest} ns are too long to simulate")
        return cls(m, locks, first, start, lead, round(parameters.exit_ns), hold, gap, *changes, time_bits, lock_bits)


def again(times: Times, count: int) -> Times:
    """The times over and over, `count` in all."""
    return np.tile(times, -(-count // max(times.size, 1)))[:count]
