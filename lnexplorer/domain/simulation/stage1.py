"""Stage 1 by row: which row holds which lock when, and where its program is."""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.simulation.arbitration import share_out
from lnexplorer.domain.simulation.draws import Draws, Times
from lnexplorer.domain.simulation.event_loop import run_events
from lnexplorer.domain.simulation.parameters import SimulationParameters
from lnexplorer.domain.simulation.progress import Progress
from lnexplorer.domain.simulation.row_order import run_row_order
from lnexplorer.domain.simulation.turns import Turns
from lnexplorer.domain.simulation.windows import run_windows

_Number = TypeVar("_Number", np.int32, np.int64)
_ROW_ORDER_SPEED = 4  # about as many times as fast as one release after another
_BLOCK = 1 << 14  # rows whose places are found at a time: as many as lie in a cache


@dataclass(frozen=True, eq=False, slots=True)
class Stage1:
    """Times in ns, and where and in which order, by row [M]."""

    start_ns: Times
    wanted_ns: Times
    held_ns: Times
    released_ns: Times
    order: NDArray[np.int32]
    place: Times  # the resident program's place on the device


def simulate_stage1(m: int, group_size_m: int, parameters: SimulationParameters, rng: np.random.Generator) -> Stage1:
    """One program a row, started in their order as places become free."""
    locks, first = min(group_size_m, m), min(parameters.resident_programs, m)
    turns = Turns.of(m, locks, first, parameters, Draws.draw(parameters, locks, first, rng))
    progress = Progress.begin(turns)
    advance(turns, progress)
    run_events(turns, progress)
    return _by_row(turns, np.concatenate(progress.ended), parameters, rng)


def advance(turns: Turns, progress: Progress) -> None:
    """As far as there is a way faster than release by release."""
    for speed in (_ROW_ORDER_SPEED, 1):
        run_windows(turns, progress, speed)
        run_row_order(turns, progress)


def _by_row(turns: Turns, ended: Times, parameters: SimulationParameters, rng: np.random.Generator) -> Stage1:
    """What all releases, in order, say."""
    m, locks, first = turns.m, turns.locks, turns.first
    now, lock = ended >> turns.lock_bits, ended & (1 << turns.lock_bits) - 1
    start = np.concatenate((turns.start, now[: m - first] + turns.exit_ns))  # a later row in the place of an earlier
    ready = start + turns.lead

    # From here on lock by lock: its turns in order. Their numbers are those of its rows, too.
    counts = -(-(m - np.arange(locks)) // max(locks, 1))
    of_lock, order = np.repeat(np.arange(locks), counts), np.arange(m) - np.repeat(np.cumsum(counts) - counts, counts)
    turn, in_front = order * locks + of_lock, of_lock << turns.time_bits
    events = np.argsort(lock.astype(np.uint16) if locks <= 1 << 16 else lock, kind="stable")
    released = now[events]
    held = released - turns.hold[turn]
    came = in_front + ready[turn]
    by_readiness = np.argsort(came, kind="stable")
    arrived = np.searchsorted(came[by_readiness], in_front + held, side="right")
    rows = turn[by_readiness][share_out(parameters.arbitration, arrived, rng)]

    ending = np.empty(m, np.int64)
    ending[events] = rows
    return Stage1(
        start_ns=start,
        wanted_ns=ready - round(parameters.try_ns),
        held_ns=_scattered(held, rows),
        released_ns=_scattered(released, rows),
        order=_scattered(order.astype(np.int32), rows),
        place=_places(first, ending[: m - first]),
    )


def _scattered(values: NDArray[_Number], rows: Times) -> NDArray[_Number]:
    """What belongs to rows, by row."""
    result = np.empty_like(values)
    result[rows] = values
    return result


def _places(first: int, before: Times) -> Times:
    """The place of each row: one of its own for the first wave, later that of the row whose end made room, `before` by row."""
    place = np.concatenate((np.arange(first), before))
    for begin in range(first, place.size, _BLOCK):
        block = place[begin : begin + _BLOCK]
        # Every row points at the one before it in its place, and then twice as far back, until all point in front of the block.
        while (inside := block >= begin).any():
            block[inside] = block[block[inside] - begin]
        block[:] = place[block]
    return place
