"""A timeline sorted for drawing, so that a frame touches only what it shows. Built once, on any thread: no Qt in it."""

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.ma
from numpy.typing import NDArray

from lnexplorer.domain.moments import Moment, RowState, locks_in_use, moment, row_states
from lnexplorer.domain.simulation.fit import most_in_flight
from lnexplorer.domain.timeline import TimelineSummary, summarize
from lnkernels.values.timeline import ReductionTimeline

_LONG = 0.5  # of all the other time; a shorter gap between the stages is drawn as it is
_DRAWN = 0.12  # of all the other time


@dataclass(frozen=True, slots=True)
class TimeScale:
    """From begin_ns to end_ns the drawing passes in drawn_ns; elsewhere as fast as time does.

    No break where they are equal.
    """

    begin_ns: float = 0.0
    end_ns: float = 0.0
    drawn_ns: float = 0.0

    @property
    def broken(self) -> bool:
        return self.end_ns - self.begin_ns > self.drawn_ns

    def drawn(self, time_ns: float) -> float:
        """Where a time is on the drawing's own scale, in ns."""
        if time_ns <= self.begin_ns:
            return time_ns
        if time_ns >= self.end_ns:
            return time_ns - (self.end_ns - self.begin_ns) + self.drawn_ns
        return self.begin_ns + (time_ns - self.begin_ns) / (self.end_ns - self.begin_ns) * self.drawn_ns

    def true(self, drawn_ns: float) -> float:
        """The time at a place of the drawing, the inverse of `drawn`."""
        if drawn_ns <= self.begin_ns:
            return drawn_ns
        if drawn_ns >= self.begin_ns + self.drawn_ns:
            return drawn_ns - self.drawn_ns + (self.end_ns - self.begin_ns)
        return self.begin_ns + (drawn_ns - self.begin_ns) / self.drawn_ns * (self.end_ns - self.begin_ns)

    def drawn_all(self, times: NDArray[np.int64]) -> NDArray[np.int64]:
        """`drawn` of many times, of which none lies within the break; whole ns."""
        if not self.broken:
            return times
        return np.where(times >= self.end_ns, times - np.int64(self.end_ns - self.begin_ns - self.drawn_ns), times)


def time_scale(timeline: ReductionTimeline) -> TimeScale:
    """The scale of a timeline: between the stages of a tiny problem lies a launch many times as long as both."""
    if timeline.m == 0 or timeline.tile_start_ns.size == 0:
        return TimeScale()
    begin, end = int(timeline.released_ns.max()), int(timeline.tile_start_ns.min())
    rest = timeline.end_ns - (end - begin)
    if end - begin <= max(_LONG * rest, 1):
        return TimeScale()
    return TimeScale(float(begin), float(end), float(round(_DRAWN * rest)))


ADDED = 0.55  # share of the hold after which the sum is there and its store begins


def hold_share(timeline: ReductionTimeline, row: int, time_ns: float) -> float:
    """How much of a row's hold is past, 0 to 1."""
    held, released = int(timeline.held_ns[row]), int(timeline.released_ns[row])
    return min(max((time_ns - held) / max(released - held, 1), 0.0), 1.0)


Times = NDArray[np.int64]
_COARSE = 4096  # pixels; a drawing of the whole time is no wider
_FEW = 50_000  # rows; up to so many, looking at each takes no longer than searching


@dataclass(frozen=True, eq=False, slots=True)
class Intervals:
    """Stretches of time with a lock each, by their begin. On the scale of the drawing, in ns."""

    lock: NDArray[np.int64]
    begin: Times
    end: Times
    latest: Times  # the latest end so far, which makes the first visible one easy to find

    @classmethod
    def of(cls, lock: NDArray[np.int64], begin: Times, end: Times) -> "Intervals":
        rows = np.argsort(begin, kind="stable")
        end = end[rows]
        return cls(lock[rows], begin[rows], end, np.maximum.accumulate(end) if end.size else end)

    def between(self, begin_ns: float, end_ns: float) -> "tuple[NDArray[np.int64], Times, Times]":
        """Locks, begins and ends of those that touch a stretch of time."""
        # Whole numbers, since for another kind of number all of the array would be converted.
        first = int(np.searchsorted(self.latest, math.floor(begin_ns), "right"))
        part = slice(first, int(np.searchsorted(self.begin, math.ceil(end_ns))))
        lock, begin, end = self.lock[part], self.begin[part], self.end[part]
        seen = end > begin_ns
        return lock[seen], begin[seen], end[seen]


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class TimelineIndex:
    """Sorted copies of a timeline's times. `by_lock` arrays hold lock 0's rows, then lock 1's, and so on, each sorted."""

    timeline: ReductionTimeline
    scale: TimeScale
    started: Times  # [M], true times as all below, sorted over all rows
    wanted: Times
    held: Times
    released: Times
    tiles_started: Times  # [T]
    tiles_ended: Times
    at_once: int  # programs on the device at once, at most: rows, or tiles
    first: NDArray[np.int64]  # [G in use + 1] where a lock's rows begin in the arrays by lock
    rows_by_lock: NDArray[np.int64]  # [M] in the order of the additions
    wanted_by_lock: Times
    held_by_lock: Times
    released_by_lock: Times
    holds: Intervals
    coarse_holds: Intervals  # those of a lock are joined where they are no more than coarse_ns apart
    coarse_ns: int
    waits: Intervals  # of any row: those of a lock are joined where they overlap
    latest: dict[float, Moment] = field(default_factory=dict)  # the last moment, which a frame and its words both ask for

    def holds_for(self, pixel_ns: float) -> Intervals:
        """Holds to draw where a pixel is so long: what is closer than that looks joined all the same."""
        return self.coarse_holds if pixel_ns >= self.coarse_ns else self.holds

    @property
    def end_ns(self) -> float:
        """The end of the drawing, on its own scale."""
        return max(self.scale.drawn(float(self.timeline.end_ns)), 1.0) * 1.01

    def moment(self, time_ns: float) -> Moment:
        """What is true at a time, as `lnexplorer.domain.moments.moment` tells it."""
        found = self.latest.get(time_ns)
        if found is None:
            found = moment(self.timeline, time_ns) if self.timeline.m <= _FEW else self._moment(time_ns)
            self.latest.clear()
            self.latest[time_ns] = found
        return found

    def _moment(self, time_ns: float) -> Moment:
        timeline = self.timeline
        held, released = self._passed(self.held_by_lock, time_ns), self._passed(self.released_by_lock, time_ns)
        holder = np.full(held.size, -1, np.int32)
        busy = np.flatnonzero(held > released)
        holder[busy] = self.rows_by_lock[self.first[busy] + held[busy] - 1]
        length = np.maximum(timeline.tile_end_ns - timeline.tile_start_ns, 1)
        return Moment(
            time_ns=time_ns,
            # Times are whole, and whole numbers are compared faster with each other.
            state=row_states(timeline, math.floor(time_ns)),
            holder=holder,
            waiting=self._passed(self.wanted_by_lock, time_ns) - held,
            added=released,
            tile_progress=np.clip((time_ns - timeline.tile_start_ns) / length, 0.0, 1.0),
        )

    def counts(self, time_ns: float) -> dict[RowState, int]:
        whole = math.floor(time_ns)
        started, wanted, held, released = (
            int(np.searchsorted(times, whole, "right")) for times in (self.started, self.wanted, self.held, self.released)
        )
        return {
            RowState.PENDING: self.timeline.m - started,
            RowState.COMPUTING: started - wanted,
            RowState.WAITING: wanted - held,
            RowState.HOLDING: held - released,
            RowState.DONE: released,
        }

    def _passed(self, times: Times, time_ns: float) -> NDArray[np.int64]:
        """How many of each lock's times are past: one bisection for all locks at once."""
        low, high = self.first[:-1].copy(), self.first[1:].copy()
        for _ in range(int((high - low).max(initial=0)).bit_length()):
            middle = (low + high) // 2
            open_ = low < high
            past = open_ & (times[np.minimum(middle, max(times.size - 1, 0))] <= time_ns)
            low = np.where(past, middle + 1, low)
            high = np.where(open_ & ~past, middle, high)
        passed: NDArray[np.int64] = low - self.first[:-1]
        return passed

    def holder_near(self, lock: int, time_ns: float, slack_ns: float) -> int | None:
        """The row that holds a lock at about a time, or None."""
        begin, end = int(self.first[lock]), int(self.first[lock + 1])
        place = int(np.searchsorted(self.held_by_lock[begin:end], time_ns + slack_ns, "right")) - 1
        if place < 0 or self.released_by_lock[begin + place] < time_ns - slack_ns:
            return None
        return int(self.rows_by_lock[begin + place])


def timeline_index(timeline: ReductionTimeline) -> TimelineIndex:
    """Sort a timeline. A million rows take about a second of a core."""
    scale = time_scale(timeline)
    lock = timeline.lock.astype(np.int64)
    rows = np.lexsort((timeline.order, lock))
    first = np.concatenate(([0], np.cumsum(np.bincount(lock, minlength=locks_in_use(timeline)))))
    span = np.int64(timeline.end_ns + 1)
    coarse = np.int64(timeline.end_ns // _COARSE)

    def by_lock(times: Times) -> Times:
        return np.sort(lock * span + times) - np.repeat(np.arange(first.size - 1) * span, np.diff(first))

    started, given_back = np.sort(timeline.start_ns), np.sort(timeline.released_ns)
    tiles_started, tiles_ended = np.sort(timeline.tile_start_ns), np.sort(timeline.tile_end_ns)
    drawn = [scale.drawn_all(times) for times in (timeline.wanted_ns, timeline.held_ns, timeline.released_ns)]
    wanted, held, released = drawn
    return TimelineIndex(
        timeline=timeline,
        scale=scale,
        started=started,
        wanted=np.sort(timeline.wanted_ns),
        held=np.sort(timeline.held_ns),
        released=given_back,
        tiles_started=tiles_started,
        tiles_ended=tiles_ended,
        at_once=max(_at_once(started, given_back), _at_once(tiles_started, tiles_ended), 1),
        first=first,
        rows_by_lock=rows,
        wanted_by_lock=by_lock(timeline.wanted_ns),
        held_by_lock=by_lock(timeline.held_ns),
        released_by_lock=by_lock(timeline.released_ns),
        holds=Intervals.of(lock, held, released),
        coarse_holds=_joined(lock, held, released, span, coarse),
        coarse_ns=int(coarse),
        waits=_joined(lock, wanted, held, span, np.int64(0)),
    )


def _at_once(begun: Times, ended: Times) -> int:
    """How many are there at once at most, of sorted times; what ends makes room for what begins then."""
    return int((np.arange(1, begun.size + 1) - np.searchsorted(ended, begun, "right")).max(initial=0))


def _joined(lock: NDArray[np.int64], begin: Times, end: Times, span: np.int64, gap: np.int64) -> Intervals:
    """Those of a lock joined where they are no more than `gap` apart.

    Locks are told apart by their number times `span`.
    """
    rows = np.argsort(lock * span + begin, kind="stable")
    lock, begin = lock[rows], begin[rows]
    if not begin.size:
        return Intervals.of(lock, begin, begin)
    latest = np.maximum.accumulate(lock * span + end[rows])
    new = np.concatenate(([True], ((lock * span + begin)[1:] > latest[:-1] + gap) | (lock[1:] != lock[:-1])))
    heads = np.flatnonzero(new)
    tails = np.append(heads[1:], begin.size) - 1
    return Intervals.of(lock[heads], begin[heads], latest[tails] - lock[heads] * span)


@dataclass(frozen=True, eq=False, slots=True)
class Prepared:
    """A timeline, sorted for drawing, and its figures."""

    timeline: ReductionTimeline
    index: TimelineIndex
    summary: TimelineSummary
    programs: int  # of stage 1 on the device at once, at most


def prepare(timeline: ReductionTimeline) -> Prepared:
    """Work it out: a millisecond for a thousand rows."""
    return Prepared(timeline, timeline_index(timeline), summarize(timeline), most_in_flight(timeline))
