"""What chance decides in a simulation: compute and hold times, and how far away each lock is."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.simulation.parameters import SimulationParameters

Times = NDArray[np.int64]

# As many different times as a million rows need to look random: a prime, so that turns of one lock do not share a few of them.
# Drawing them for each row would take a third of a simulation's time.
TABLE = 4093
_LEAST, _MOST = -2.0, 3.0  # standard deviations that a draw is kept within; memory answers late more often than early


@dataclass(frozen=True, eq=False, slots=True)
class Draws:
    """Times in ns; that of a row, or of a lock's turn, is the one at its number mod TABLE."""

    compute: Times  # [TABLE] by row
    hold: Times  # [TABLE] by turn
    first_hold: Times  # [TABLE] by turn, of a buffer's first row
    wobble: Times  # [TABLE] by turn, added to the hand-over before it, and less than none for a quick one
    crowd: Times  # [first wave] by row, added to the compute time
    lock_extra: Times  # [locks], added to every hold, and less than none for a lock that is near

    @classmethod
    def draw(cls, parameters: SimulationParameters, locks: int, first_wave: int, rng: np.random.Generator) -> "Draws":
        """Draw for a number of locks in use and of programs that start at once."""
        hold = around(parameters.hold_ns, TABLE, parameters.jitter, rng)
        first = parameters.hold_ns if parameters.first_hold_ns is None else parameters.first_hold_ns
        spread = parameters.hold_ns * parameters.lock_spread * np.clip(rng.standard_normal(locks), _LEAST, -_LEAST)
        nearest = -min(first, parameters.hold_ns) / 4  # no hold becomes negative: none is drawn below a quarter of its mean
        # The loads of a wave are served one after another: the first program waits for none of them, the last for all.
        crowd = 2 * parameters.crowd_ns * first_wave * rng.random(first_wave)
        return cls(
            compute=around(parameters.compute_ns, TABLE, parameters.jitter, rng),
            hold=hold,
            first_hold=np.rint(hold * (first / parameters.hold_ns if parameters.hold_ns else 0.0)).astype(np.int64),
            wobble=around(parameters.hand_over_ns, TABLE, parameters.jitter, rng) - round(parameters.hand_over_ns),
            crowd=np.rint(crowd).astype(np.int64),
            lock_extra=np.rint(np.maximum(spread, nearest)).astype(np.int64),
        )


def around(mean_ns: float, count: int, jitter: float, rng: np.random.Generator) -> Times:
    """Times about a mean, none shorter than a quarter of it."""
    if jitter == 0:
        return np.full(count, round(mean_ns), np.int64)
    times = mean_ns * (1 + jitter * np.clip(rng.standard_normal(count), _LEAST, _MOST))
    shortest: NDArray[np.float64] = np.maximum(times, mean_ns / 4)
    return np.rint(shortest).astype(np.int64)
