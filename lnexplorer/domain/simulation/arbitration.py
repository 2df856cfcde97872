"""Who of those that wait has a lock's next turn."""

import numpy as np

from lnexplorer.domain.simulation.draws import Times


def share_out(arbitration: str, came: Times, rng: np.random.Generator) -> Times:
    """For each turn the place, in the order in which rows were ready, of the one that has it.

    Turns and rows are told lock by lock, so that each lock's have the same places.

    Args:
        arbitration: one of ARBITRATIONS.
        came: [M] for each turn the place after that of the last row that was ready when the lock was taken.
        rng: for chance.
    """
    turns = np.arange(came.size)
    if arbitration == "fifo":
        return turns
    if arbitration == "newest":
        return np.array(_newest(came.tolist()), np.int64)
    # Rows that wait at turn k stand from place k on up to came[k]: one of them has the turn, and that at k stands there instead.
    return swapped(turns + rng.integers(0, came - turns))


def swapped(other: Times) -> Times:
    """What k = 0, 1, … finds at other[k] ≥ k, where each leaves there what is at k; at first each place has its own number.

    What k leaves is what the last one before it that chose place k left, and so on, back to one that nobody chose before.
    """
    count = other.size
    bits = max(count - 1, 0).bit_length()
    by_place = np.sort((other << bits) + np.arange(count))
    place, chooser = by_place >> bits, by_place & (1 << bits) - 1
    left = np.arange(count)
    moves = chooser != place
    left[place[moves]] = chooser[moves]  # of several that chose a place the last is kept
    while not np.array_equal(left, further := left[left]):
        left = further
    found = np.empty_like(other)
    found[chooser] = place
    again = place[1:] == place[:-1]
    found[chooser[1:][again]] = left[chooser[:-1][again]]
    return found


def _newest(came: list[int]) -> list[int]:
    waiting: list[int] = []
    taken, next_place = [], 0
    for end in came:
        waiting.extend(range(next_place, end))
        next_place = max(next_place, end)
        taken.append(waiting.pop())
    return taken
