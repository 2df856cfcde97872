"""Stage 1, event by event: which row holds which lock when."""

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
LOTS = 65537  # a prime, so that together with the times, which repeat after TABLE, they hardly ever come again


_Value = TypeVar("_Value")


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
        lots: list[int] = rng.integers(0, 1 << 29, LOTS).tolist()  # so large that no place in a queue is favoured
        return cycle(lots)
    return repeat(0 if parameters.arbitration == "fifo" else -1)


class _Schedule:
    """The state of all locks. Times are packed, time << shift, unless they are called ns."""

    def __init__(self, m: int, locks: int, parameters: SimulationParameters, draws: Draws) -> None:
        slowness = congestion(parameters, max(locks, 1))
        self.m, self.locks = m, locks
        self.shift = m.bit_length()
        self.hold_extra_ns = np.rint(slowness.hold_extra).astype(np.int64)
        self._draws = draws
        self._hand_over = self._packed(np.rint(slowness.hand_over).astype(np.int64))
        self._hold, self._first_hold = self._packed(draws.hold), self._packed(draws.first_hold)
        self._lock_extra = self._packed(draws.lock_extra)
        self._wobble = self._packed(draws.wobble)
        # From a release to the end of the first try of the row that starts in the place.
        self._lead = self._packed(draws.compute + round(parameters.exit_ns) + round(parameters.try_ns))
        self._idle_hand_over = round(parameters.hand_over_ns) << self.shift
        self._queues: list[list[int]] = [[] for _ in range(locks)]  # rows that want the lock, by the end of their first try
        self._free = dict.fromkeys(range(locks), -1)  # locks that nobody holds, and since when; -1 for never
        self._releases: list[int] = []  # a heap of what is to come
        self.in_first_wave: list[int] = []  # releases of the rows that took their lock before any was given back
        self.ended: list[int] = []  # all releases, in order
        self.run_out_rows: list[int] = []  # that took their lock when no more rows started
        self.left: list[int] = []  # for each of them, how many programs were still on the device

    def _packed(self, times_ns: Times) -> list[int]:
        packed: list[int] = (times_ns << self.shift).tolist()
        return packed

    def begin(self, ready_ns: Times) -> None:
        """The first wave: one row for each lock takes it, the others wait."""
        for row in np.argsort(ready_ns, kind="stable").tolist():
            lock, ready = row % self.locks, int(ready_ns[row]) << self.shift
            if self._free.pop(lock, None) is None:
                self._queues[lock].append(ready | row)
            else:
                self.in_first_wave.append(ready + self._first_hold[row % TABLE] + self._lock_extra[lock] | row)
        self._releases = self.in_first_wave.copy()
        heapify(self._releases)

    def _by_row(self, values: list[_Value]) -> list[_Value]:
        """Row r has the value at r mod their number."""
        return (values * -(-self.m // len(values)))[: self.m]

    def run_full(self, first: int, lots: Iterable[int]) -> None:
        """While rows are left a place never stays empty. Nearly all of a simulation's time is spent here.

        Therefore everything is a local name, what could be a function is written out, and what belongs to a row is looked up
        rather than worked out: the lists of M values cost less than the steps that they save.
        """
        if first == self.m:
            return
        free, releases, locks, mask = self._free, self._releases, self.locks, (1 << self.shift) - 1
        gaps = cycle([self._hand_over[first] + time for time in self._wobble])
        idle_gap = self._idle_hand_over
        extra = self._packed(self._draws.lock_extra + self.hold_extra_ns[first])
        hold_of, extra_of, queue_of = self._by_row(self._hold), self._by_row(extra), self._by_row(self._queues)
        ended, push, pop, push_and_pop = self.ended.append, heappush, heappop, heappushpop
        leads, owns = islice(cycle(self._lead), first % TABLE, None), islice(queue_of, first, None)
        event = pop(releases)
        for starting, lead, own, lot, gap in zip(range(first, self.m), leads, owns, lots, gaps, strict=False):
            ended(event)
            done = event & mask
            now = event - done
            if free and starting % locks in free:
                ready, since = now + lead, free.pop(starting % locks)
                if since < 0:
                    push(releases, ready + self._first_hold[starting % TABLE] + extra_of[starting] + starting)
                else:
                    held = since + idle_gap
                    push(releases, (ready if ready > held else held) + hold_of[starting] + extra_of[starting] + starting)
            else:
                own.append(now + lead | starting)
            queue = queue_of[done]
            if not queue:
                free[done % locks] = now
                event = pop(releases)  # there is one: the row that just started holds a lock, or waits for one that is held
                continue
            entry = queue.pop(lot % len(queue))
            held = now + gap
            if entry > held:  # it still computes: instead of it, the one in the queue whose try is over first
                if queue and (earliest := min(queue)) < entry:
                    queue.remove(earliest)
                    queue.append(entry)
                    entry = earliest
                row = entry & mask
                ready = entry - row
                if ready > held:  # noqa: PLR1730  (a call of max costs three times as much)
                    held = ready
            else:
                row = entry & mask
            event = push_and_pop(releases, held + hold_of[row] + extra_of[row] + row)
        push(releases, event)

    def run_out(self, first: int, lots: Iterable[int]) -> None:
        """Nothing starts any more, and fewer and fewer wait."""
        releases, mask, present = self._releases, (1 << self.shift) - 1, first
        hold_extra = self._packed(self.hold_extra_ns)
        for lot, wobble in zip(lots, cycle(self._wobble), strict=False):
            if not releases:
                return
            event = releases[0]
            self.ended.append(event)
            done = event & mask
            lock, present = done % self.locks, present - 1
            queue = self._queues[lock]
            if not queue:
                heappop(releases)
                continue
            held = event - done + self._hand_over[present] + wobble
            entry = queue.pop(lot % len(queue))
            if entry > held and queue and (earliest := min(queue)) < entry:
                queue.remove(earliest)
                queue.append(entry)
                entry = earliest
            row = entry & mask
            held = max(held, entry - row)
            heapreplace(releases, held + self._hold[row % TABLE] + self._lock_extra[lock] + hold_extra[present] + row)
            self.run_out_rows.append(row)
            self.left.append(present)


def _by_row(schedule: _Schedule, first_start: Times, draws: Draws, parameters: SimulationParameters) -> Stage1:
    """What the list of releases says, by row."""
    m, locks, first = schedule.m, schedule.locks, first_start.size
    mask = (1 << schedule.shift) - 1
    packed = np.fromiter(schedule.ended, np.int64, m)
    end, rows = packed >> schedule.shift, packed & mask
    extra = np.full(m, schedule.hold_extra_ns[first], np.int64)
    extra[np.array(schedule.in_first_wave, np.int64) & mask] = 0
    extra[schedule.run_out_rows] = schedule.hold_extra_ns[schedule.left]

    lock = rows % max(locks, 1)
    by_lock = rows[np.argsort(lock.astype(np.uint16) if locks < 1 << 16 else lock, kind="stable")]
    counts = np.bincount(lock, minlength=locks)
    order = np.empty(m, np.int32)
    order[by_lock] = np.arange(m) - np.repeat(np.cumsum(counts) - counts, counts)
    hold = np.where(order == 0, _again(draws.first_hold, m), _again(draws.hold, m)) + _again(draws.lock_extra, m) + extra

    start = np.concatenate((first_start, end[: m - first] + round(parameters.exit_ns)))  # a later row in the place of an earlier
    released = np.empty(m, np.int64)
    released[rows] = end
    return Stage1(
        start_ns=start,
        wanted_ns=start + draws.compute_of(np.arange(m)),
        held_ns=released - hold,
        released_ns=released,
        order=order,
        place=_places(first, rows[: m - first]),
    )


def _again(times: Times, m: int) -> Times:
    """Row r has the time at r mod their number."""
    return np.tile(times, -(-m // max(times.size, 1)))[:m]


def _places(first: int, before: Times) -> Times:
    """The place of each row: one of its own for the first wave, later that of the row whose end made room, `before` by row."""
    # Every row points at the one before it in its place, and then twice as far back, until all point into the first wave.
    place = np.concatenate((np.arange(first), before))
    while place.size and int(place.max()) >= first:
        place = place[place]
    return place
