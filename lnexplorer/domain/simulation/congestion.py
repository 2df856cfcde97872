"""How many programs wait for a lock while a given number is on the device, and how much slower that makes locks and rows."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.simulation.parameters import SimulationParameters

# Traces of an NVIDIA H200, 4096 rows of 1024 columns, about 1000 waiting programs: with 1 to 64 locks of 4 bytes a try is held up
# by 0.78 to 0.9 ns for each of those that wait, with 128 to 512 locks by 0.51 to 0.59. So it seems that 256 bytes of locks lie in
# one slice of the cache, and that others help with the rest.
_LOCKS_OF_A_SLICE, _SHARE_OF_MORE = 64, 0.7
_HOLDER = 1.4  # waiting programs that one that holds a lock stands for: its count, loads and stores pass the same cache
_STEPS = 40  # of the fixed point, each half the way: the rest is below 1e-4 ns


@dataclass(frozen=True, eq=False, slots=True)
class Congestion:
    """Times by the number of programs on the device, 0 to resident_programs, in ns."""

    hand_over: NDArray[np.float64]  # from giving a lock back to the next holder's taking it
    hold_extra: NDArray[np.float64]  # added to every hold
    compute_extra: NDArray[np.float64]  # added to the compute time of every row after the first wave


def crowding(waiting: NDArray[np.float64], holding: NDArray[np.float64], locks: int) -> NDArray[np.float64]:
    """How many tries stand in each other's way while some programs wait for locks, and some hold one."""
    return (_SHARE_OF_MORE if locks > _LOCKS_OF_A_SLICE else 1.0) * (waiting + _HOLDER * holding)


def congestion(parameters: SimulationParameters, locks: int) -> Congestion:
    """Mean values for a number of locks in use.

    Of the programs on the device, those that hold a lock, compute or end do not wait. How many these are follows from how often
    a lock changes hands, and that from how many wait, and how many use the memory: a fixed point.
    """
    present = np.arange(parameters.resident_programs + 1, dtype=np.float64)
    waiting = np.maximum(present - locks, 0.0)
    holding, active = present - waiting, np.zeros_like(present)
    for _ in range(_STEPS):
        attempt, hand_over = _hand_over(parameters, waiting, holding, locks)
        hold = (
            parameters.hold_ns
            + parameters.hold_slowdown * (attempt - parameters.hand_over_ns)
            + parameters.hold_crowd_ns * active
        )
        compute = parameters.compute_ns + parameters.crowd_ns * active
        turn = hold + compute + parameters.exit_ns  # of a program, but for its waiting
        busy = locks * turn / np.maximum(hold + hand_over, 1.0)
        waiting = (waiting + np.maximum(present - busy, 0.0)) / 2
        rate = (present - waiting) / np.maximum(turn, 1.0)
        holding = np.minimum(rate * hold, locks)
        active = (active + rate * compute + holding) / 2  # that compute or hold a lock
    attempt, hand_over = _hand_over(parameters, waiting, holding, locks)
    slower = parameters.hold_slowdown * (attempt - parameters.hand_over_ns)
    return Congestion(hand_over, slower + parameters.hold_crowd_ns * active, parameters.crowd_ns * active)


def _hand_over(
    parameters: SimulationParameters, waiting: NDArray[np.float64], holding: NDArray[np.float64], locks: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    attempt = np.hypot(parameters.hand_over_ns, parameters.spin_ns * crowding(waiting, holding, locks))
    return attempt, attempt * (1 + 1 / (np.maximum(waiting / locks, 1.0) + 1))
