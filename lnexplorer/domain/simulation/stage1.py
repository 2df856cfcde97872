"""Stage 1, event by event: which row holds which lock when."""

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import heapify, heappop, heappush, heappushpop, heapreplace
from itertools import cycle, islice, repeat
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.simulation.congestion import congestion
from lnexplorer.domain.simulation.draws import TABLE, Draws
from lnexplorer.domain.simulation.parameters import SimulationParameters

Times = NDArray[np.int64]
_LOTS = 65537  # a prime, so that together with the times, which repeat after TABLE, they hardly ever come again


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
    """One program a row, started in their order as places become free.

    The one kind of event is "a row gives its lock back": then the next row starts in its place, and one of those that wait takes
    the lock. A time and a row are one integer, time << shift | row, so that they are compared, stored and sorted as one.
    """
    locks, first = min(group_size_m, m), min(parameters.resident_programs, m)
    draws = Draws.draw(parameters, locks, first, rng)
    start = np.rint(np.arange(first) * parameters.stagger_ns).astype(np.int64)
    ready = start + draws.compute_of(np.arange(first)) + round(parameters.try_ns)
    schedule = _Schedule(m, locks, parameters, draws)
    schedule.begin(ready)
    lots = _lots(parameters, rng)
    schedule.run_full(first, lots)
    schedule.run_out(first, lots)
    return _by_row(schedule, start, draws, parameters)


def _lots(parameters: SimulationParameters, rng: np.random.Generator) -> Iterator[int]:
    """Numbers whose remainder by a queue's length says where in it the next holder stands, without an end."""
    if parameters.arbitration == "random":
        lots: list[int] = rng.integers(0, 1 << 29, _LOTS).tolist()  # so large that no place in a queue is favoured
        return cycle(lots)
    return repeat(0 if parameters.arbitration == "fifo" else -1)


_Value = TypeVar("_Value")


class _Schedule:
    """The state of all locks. Times are packed, time << shift, unless they are called ns."""

    def __init__(self, m: int, locks: int, parameters: SimulationParameters, draws: Draws) -> None:
        slowness = congestion(parameters, max(locks, 1))
        self.m, self.locks = m, locks
        self.shift = m.bit_length()
        self.hold_extra_ns = np.rint(slowness.hold_extra).astype(np.int64)
        self._hand_over = self._packed(np.rint(slowness.hand_over).astype(np.int64))
        self._hold_extra = self._packed(self.hold_extra_ns)
        self._lock_extra = self._packed(draws.lock_extra)
        self._hold, self._first_hold = self._packed(draws.hold), self._packed(draws.first_hold)
        # From a release to the end of the first try of the row that starts in the place.
        self._wobble = self._packed(draws.wobble)
        self._lead = self._packed(draws.compute + round(parameters.exit_ns) + round(parameters.try_ns))
        self._idle_hand_over = round(parameters.hand_over_ns) << self.shift
        self._queues: list[list[int]] = [[] for _ in range(locks)]  # rows that want the lock, by the end of their first try
        self._free = dict.fromkeys(range(locks), -1)  # locks that nobody holds, and since when; -1 for never
        self._releases: list[int] = []  # a heap of what is to come
        self.grants: list[int] = []  # all releases, in the order in which the locks were taken
        self.in_first_wave = self.while_full = 0  # how many of the grants
        self.left: list[int] = []  # for each later grant, how many programs were still on the device

    def _packed(self, times_ns: Times) -> list[int]:
        packed: list[int] = (times_ns << self.shift).tolist()
        return packed

    def _for_rows(self, values: list[_Value]) -> list[_Value]:
        """Row r has the value at r mod their number."""
        return (values * -(-self.m // len(values)))[: self.m]

    def begin(self, ready_ns: Times) -> None:
        """The first wave: one row for each lock takes it, the others wait."""
        for row in np.argsort(ready_ns, kind="stable").tolist():
            lock, ready = row % self.locks, int(ready_ns[row]) << self.shift
            if self._free.pop(lock, None) is None:
                self._queues[lock].append(ready | row)
            else:
                self.grants.append(ready + self._first_hold[row % TABLE] + self._lock_extra[lock] | row)
        self.in_first_wave = self.while_full = len(self.grants)
        self._releases = self.grants.copy()
        heapify(self._releases)

    def run_full(self, first: int, lots: Iterable[int]) -> None:
        """While rows are left a place never stays empty. Nearly all of a simulation's time is spent here, so names are local."""
        if first == self.m:
            return
        free, releases, locks, mask = self._free, self._releases, self.locks, (1 << self.shift) - 1
        gaps = cycle([self._hand_over[first] + time for time in self._wobble])
        extra = [time + self._hold_extra[first] for time in self._lock_extra]
        # By row rather than by remainder: a division in each of the steps below costs more than these lists of pointers.
        queue_of, extra_of, hold_of = self._for_rows(self._queues), self._for_rows(extra), self._for_rows(self._hold)
        grant = self.grants.append
        leads, owns = islice(cycle(self._lead), first % TABLE, None), islice(queue_of, first, None)
        event = heappop(releases)
        for starting, lead, own, lot, gap in zip(range(first, self.m), leads, owns, lots, gaps, strict=False):
            done = event & mask
            now = event - done
            ready = now + lead
            if free and starting % locks in free:
                self._take_free(starting, ready, extra)
            else:
                own.append(ready | starting)
            queue = queue_of[done]
            if not queue:
                free[done % locks] = now
                event = heappop(releases)  # there is one: the row that just started holds a lock, or waits for one that is held
                continue
            entry = queue.pop(lot % len(queue))
            held = now + gap
            if entry > held:
                entry = _first_to_come(queue, entry)
                held = max(held, entry & ~mask)
            row = entry & mask
            release = held + hold_of[row] + extra_of[row] + row
            grant(release)
            event = heappushpop(releases, release)
        heappush(releases, event)
        self.while_full = len(self.grants)

    def run_out(self, first: int, lots: Iterable[int]) -> None:
        """Nothing starts any more, and fewer and fewer wait."""
        releases, mask, present = self._releases, (1 << self.shift) - 1, first
        for lot, wobble in zip(lots, cycle(self._wobble), strict=False):
            if not releases:
                return
            done = releases[0] & mask
            lock, present = done % self.locks, present - 1
            queue = self._queues[lock]
            if not queue:
                heappop(releases)
                continue
            held = releases[0] - done + self._hand_over[present] + wobble
            entry = queue.pop(lot % len(queue))
            if entry > held:
                entry = _first_to_come(queue, entry)
            row = entry & mask
            held = max(held, entry - row)
            release = held + self._hold[row % TABLE] + self._lock_extra[lock] + self._hold_extra[present] + row
            heapreplace(releases, release)
            self.grants.append(release)
            self.left.append(present)

    def _take_free(self, row: int, ready: int, extra: list[int]) -> None:
        lock = row % self.locks
        since = self._free.pop(lock)
        if since < 0:
            held, hold = ready, self._first_hold[row % TABLE]
        else:
            held, hold = max(ready, since + self._idle_hand_over), self._hold[row % TABLE]
        release = held + hold + extra[lock] + row
        self.grants.append(release)
        heappush(self._releases, release)


def _first_to_come(queue: list[int], entry: int) -> int:
    """Instead of a row that still computes, the one in the queue whose try is over first."""
    queue.append(entry)
    entry = min(queue)
    queue.remove(entry)
    return entry


def _by_row(schedule: _Schedule, first_start: Times, draws: Draws, parameters: SimulationParameters) -> Stage1:
    """What the list of releases says, by row."""
    m, locks, first = schedule.m, schedule.locks, first_start.size
    packed = np.array(array("q", schedule.grants), np.int64)
    released, rows = packed >> schedule.shift, packed & ((1 << schedule.shift) - 1)
    extra = np.zeros(m, np.int64)
    extra[schedule.in_first_wave : schedule.while_full] = schedule.hold_extra_ns[first]
    extra[schedule.while_full :] = schedule.hold_extra_ns[schedule.left]

    lock = rows % max(locks, 1)
    by_lock = np.argsort(lock.astype(np.uint16) if locks < 1 << 16 else lock, kind="stable")  # grants of a lock are in order
    counts = np.bincount(lock, minlength=locks)
    order = np.empty(m, np.int32)
    order[by_lock] = np.arange(m) - np.repeat(np.cumsum(counts) - counts, counts)
    hold = np.where(order == 0, draws.first_hold[rows % TABLE], draws.hold[rows % TABLE]) + draws.lock_extra[lock] + extra

    ending = np.sort(packed)[: m - first]  # whose place a later row takes
    start = np.concatenate((first_start, (ending >> schedule.shift) + round(parameters.exit_ns)))
    place = _places(first, ending & ((1 << schedule.shift) - 1))

    result = {name: np.empty(m, np.int64) for name in ("held", "released")}
    result["released"][rows] = released
    result["held"][rows] = released - hold
    order_of_row = np.empty(m, np.int32)
    order_of_row[rows] = order
    return Stage1(
        start_ns=start,
        wanted_ns=start + draws.compute_of(np.arange(m)),
        held_ns=result["held"],
        released_ns=result["released"],
        order=order_of_row,
        place=place,
    )


def _places(first: int, before: Times) -> Times:
    """The place of each row: one of its own for the first wave, later that of the row whose end made room, `before` by row."""
    # Every row points at the one before it in its place, and then twice as far back, until all point into the first wave.
    place = np.concatenate((np.arange(first), before))
    while place.size and int(place.max()) >= first:
        place = place[place]
    return place
