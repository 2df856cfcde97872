"""Stage 1 by row: which row holds which lock when, and where its program is. A discrete-event simulation in three
steps.

Chance and congestion decide how long each turn of each lock takes. Turn k of lock l has the number k · locks + l, so
that there are as many turns as rows. Who has a turn decides nothing of when it is: a lock is taken when it was given
back and somebody's first try is over, and the times of its turns are its own. So the turns are simulated release by
release, and then shared out to the rows by the order of arbitration.
"""

from array import array
from dataclasses import dataclass
from heapq import heapify, heappop, heappush, heappushpop
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.simulation.parameters import SimulationParameters

Times = NDArray[np.int64]

# As many different times as a million rows need to look random: a prime, so that turns of one lock do not share a few
# of them. Drawing them for each row would take a third of a simulation's time.
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


# Traces of an NVIDIA H200, 4096 rows of 1024 columns, about 1000 waiting programs: with 1 to 64 locks of 4 bytes a try
# is held up by 0.78 to 0.9 ns for each of those that wait, with 128 to 512 locks by 0.51 to 0.59. So it seems that 256
# bytes of locks lie in one slice of the cache, and that others help with the rest.
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

    Of the programs on the device, those that hold a lock, compute or end do not wait. How many these are follows from
    how often a lock changes hands, and that from how many wait, and how many use the memory: a fixed point.
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


def releases(turns: Turns) -> Times:
    """All releases in their order, each as time << lock_bits | lock. Exact for any launch; 0.9 s for a million rows.

    Of turns that begin when no more rows start, hold and gap become what they are with fewer programs.
    """
    loop = _Loop(turns)
    loop.run_full()
    loop.run_out()
    return np.array(loop.ended)


class _Loop:
    """The one kind of event is "a lock is given back": then the next row starts in the place.

    A time and a lock are one integer, time << lock_bits | lock, so that they are compared and stored as one.
    """

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        after_all = np.zeros(turns.locks, np.int64)
        self._gap = np.concatenate((turns.gap, after_all)).data
        self._hold = turns.hold.data
        self._turn = list(range(turns.locks))
        self._earliest = [self._gap[turn] for turn in self._turn]
        self._due = [-1] * turns.locks  # a lock's event; any other in the heap was overtaken by a row that was ready sooner
        self._next = [0] * turns.locks  # the end of the first try of the row whose release this is, and
        self._queues: list[list[int]] = [[] for _ in range(turns.locks)]  # heaps of those of all others that want the lock
        first_wave = (turns.start + turns.lead[: turns.first]).tolist()  # the end of each row's first try
        for ready, lock in sorted((ready, row % max(turns.locks, 1)) for row, ready in enumerate(first_wave)):
            if self._due[lock] >= 0:
                self._queues[lock].append(ready)
            else:
                self._next[lock] = ready
                taken = max(ready, self._earliest[lock])
                self._due[lock] = taken + self._hold[self._turn[lock]] << turns.lock_bits | lock
        self._events = [event for event in self._due if event >= 0]
        heapify(self._events)
        self.ended = array("q")

    def run_full(self) -> None:
        """While rows are left a place never stays empty.

        Everything is a local name and written out: it is done for each row.
        """
        locks, shift, later = (
            self._turns.locks,
            self._turns.lock_bits,
            self._turns.lead[self._turns.first :] + self._turns.exit_ns,
        )
        if not later.size:
            return
        events, queues, due, coming = self._events, self._queues, self._due, self._next
        turn_of, earliest, hold, gap, mask = self._turn, self._earliest, self._hold, self._gap, (1 << shift) - 1
        ended, push, pop, push_and_pop = self.ended.append, heappush, heappop, heappushpop
        event = pop(events)
        for row, lead in enumerate(later.data, self._turns.first):
            while due[lock := event & mask] != event:
                event = pop(events)
            ended(event)
            now = event >> shift
            turn_of[lock] = turn = turn_of[lock] + locks
            earliest[lock] = at = now + gap[turn]
            if queue := queues[lock]:
                coming[lock] = ready = pop(queue)
                due[lock] = following = (ready if ready > at else at) + hold[turn] << shift | lock
            else:
                due[lock] = following = -1
            ready, lock = now + lead, row % locks
            if due[lock] >= 0:
                if ready >= coming[lock]:
                    push(queues[lock], ready)
                    event = push_and_pop(events, following) if following >= 0 else pop(events)
                    continue
                push(queues[lock], coming[lock])
            coming[lock] = ready
            at = earliest[lock]
            due[lock] = event = (ready if ready > at else at) + hold[turn_of[lock]] << shift | lock
            if following >= 0:
                push(events, following)
            event = push_and_pop(events, event)
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
            self._turn[lock] = turn = self._turn[lock] + locks
            if self._queues[lock]:
                self._hold[turn] += hold_change[present]
                taken = max(heappop(self._queues[lock]), now + self._gap[turn] + gap_change[present])
                self._due[lock] = taken + self._hold[turn] << shift | lock
                heappush(self._events, self._due[lock])


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
    # Rows that wait at turn k stand from place k on up to came[k]: one of them has the turn, and that at k stands there
    # instead.
    return swapped(turns + rng.integers(0, came - turns))


def swapped(other: Times) -> Times:
    """What k = 0, 1, … finds at other[k] ≥ k, where each leaves there what is at k; at first each place has its own
    number.

    What k leaves is what the last one before it that chose place k left, and so on, back to one that nobody chose
    before.
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


_Number = TypeVar("_Number", np.int32, np.int64)
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
    return _by_row(turns, releases(turns), parameters, rng)


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
    """The place of each row: one of its own for the first wave, later that of the row whose end made room, `before` by
    row.
    """
    place = np.concatenate((np.arange(first), before))
    for begin in range(first, place.size, _BLOCK):
        block = place[begin : begin + _BLOCK]
        # Every row points at the one before it in its place, and then twice as far back, until all point in front of
        # the block.
        while (inside := block >= begin).any():
            block[inside] = block[block[inside] - begin]
        block[:] = place[block]
    return place
