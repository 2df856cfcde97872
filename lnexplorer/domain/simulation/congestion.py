"""How many programs wait for a lock while a given number is on the device, and how much slower that makes locks."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.simulation.parameters import SimulationParameters

_STEPS = 40  # of the fixed point, each half the way: the rest is below 1e-9 of a program


@dataclass(frozen=True, eq=False, slots=True)
class Congestion:
    """Times by the number of programs on the device, 0 to resident_programs, in ns."""

    hand_over: NDArray[np.float64]  # from giving a lock back to the next holder's taking it
    hold_extra: NDArray[np.float64]  # added to every hold


def try_time(parameters: SimulationParameters, waiting: NDArray[np.float64]) -> NDArray[np.float64]:
    """Time of one try while some programs spin."""
    return np.hypot(parameters.hand_over_ns, parameters.spin_ns * waiting)


def congestion(parameters: SimulationParameters, locks: int) -> Congestion:
    """Mean values for a number of locks in use.

    Of the programs on the device, those that hold a lock, compute or end do not wait. How many these are follows from how often
    a lock changes hands, and that from how many wait: a fixed point.
    """
    present = np.arange(parameters.resident_programs + 1, dtype=np.float64)
    waiting = np.maximum(present - locks, 0.0)
    elsewhere = parameters.compute_ns + parameters.exit_ns
    for _ in range(_STEPS):
        attempt, hand_over = _hand_over(parameters, waiting, locks)
        hold = parameters.hold_ns + parameters.hold_slowdown * (attempt - parameters.hand_over_ns)
        busy = locks * (hold + elsewhere) / (hold + hand_over)
        waiting = (waiting + np.maximum(present - busy, 0.0)) / 2
    attempt, hand_over = _hand_over(parameters, waiting, locks)
    return Congestion(hand_over, parameters.hold_slowdown * (attempt - parameters.hand_over_ns))


def _hand_over(
    parameters: SimulationParameters, waiting: NDArray[np.float64], locks: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    attempt = try_time(parameters, waiting)
    return attempt, attempt * (1 + 1 / (np.maximum(waiting / locks, 1.0) + 1))
