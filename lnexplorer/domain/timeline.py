"""State of a timeline at a moment, its events, and its figures; for `locked` and any strategy."""

from dataclasses import fields
from enum import IntEnum
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from lnkernels.values import frozen, frozen_by_name
from lnkernels.values.timeline import PassTimeline, ReductionTimeline, StrategyTimeline, Times


class RowState(IntEnum):
    """State of a row's program; the number counts its past events."""

    PENDING = 0
    COMPUTING = 1
    QUEUED = 2  # another row holds its lock, or will before it
    TRYING = 3  # its lock is free, and will be its own: the round trip of compare-and-swap
    HOLDING = 4
    DONE = 5


class EventKind(IntEnum):
    """Kinds of events; of simultaneous ones the first in this order is shown."""

    HELD = 0
    RELEASED = 1
    WANTED = 2
    START = 3
    TILE_END = 4
    TILE_START = 5


@frozen
class TimelineEvent:
    time_ns: int
    kind: EventKind
    subject: int  # row, or tile


@frozen(eq=False)
class Moment:
    """State of a timeline at a time."""

    timeline: ReductionTimeline
    time_ns: float
    state: NDArray[np.uint8]  # [M], values of RowState
    holder: NDArray[np.int32]  # [G in use], the row that holds the lock, or -1
    queued: NDArray[np.int64]  # [G in use], rows that queue for the lock
    trying: NDArray[np.int64]  # [G in use], rows that try it while it is free: one, or none
    added: NDArray[np.int64]  # [G in use], rows whose partial sums are in the buffer
    tile_progress: NDArray[np.float64]  # [T], 0 to 1

    def count(self, state: RowState) -> int:
        return int(np.count_nonzero(self.state == state))

    def counts(self, *, atomic: bool) -> NDArray[np.int64]:
        """Return the counts in memory behind the locks [G in use]. A holder raises an atomic count
        before it adds, a plain one last.
        """
        return self.added + (self.holder >= 0) if atomic else self.added

    def hold_share(self, row: int) -> float:
        """Return how much of a row's hold is past, 0 to 1."""
        held, released = int(self.timeline.held_ns[row]), int(self.timeline.released_ns[row])
        return min(max((self.time_ns - held) / max(released - held, 1), 0.0), 1.0)

    def queue(self, lock: int) -> list[int]:
        """Return the rows that wait for a lock, the longest wait first."""
        waiting = (self.state == RowState.QUEUED) | (self.state == RowState.TRYING)
        rows = np.flatnonzero((self.timeline.lock == lock) & waiting)
        order = np.argsort(self.timeline.wanted_ns[rows], kind="stable")
        return [int(row) for row in rows[order]]

    @property
    def buffers_read(self) -> NDArray[np.int64]:
        """How many buffers each tile has read [T], if its steps are equally long."""
        buffers, block = locks_in_use(self.timeline), self.timeline.tile_block_m
        steps = np.floor(self.tile_progress * -(-buffers // block)).astype(np.int64)
        read: NDArray[np.int64] = np.minimum(steps * block, buffers)
        return read


def hand_overs(timeline: ReductionTimeline) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows before and after each hand-over of a lock, in two arrays."""
    rows = np.lexsort((timeline.order, timeline.lock))
    same = timeline.lock[rows[1:]] == timeline.lock[rows[:-1]]
    return rows[:-1][same], rows[1:][same]


@lru_cache(maxsize=4)  # called for every frame; a million rows take 0.2 s
def free_ns(timeline: ReductionTimeline) -> Times:
    """Return when the lock of each row became free for it [M], in ns: wanted by it, and released by
    its previous holder.

    Until then the row is queued, from then on it tries. Between `wanted_ns` and `held_ns`, ends
    included.
    """
    before, after = hand_overs(timeline)
    free = timeline.wanted_ns.copy()
    free[after] = np.maximum(free[after], timeline.released_ns[before])
    # A clock that steps may read a release after the next hold.
    free = np.minimum(free, timeline.held_ns)
    free.flags.writeable = False
    return free


def phase_times(timeline: ReductionTimeline) -> tuple[Times, Times, Times, Times, Times]:
    """Return the ends of the phases of rows: start, wanted, free, held, released; [M] each."""
    each = timeline
    return each.start_ns, each.wanted_ns, free_ns(each), each.held_ns, each.released_ns


@frozen(eq=False)
class StretchSums:
    """The time that rows spend within a stretch, in ns."""

    rows: int  # of which some time lies within it
    phases: tuple[tuple[RowState, float], ...]
    waits: NDArray[np.float64]  # [G in use], queueing for each lock and trying it


def sum_stretch(
    timeline: ReductionTimeline, begin_ns: float, end_ns: float, rows: NDArray[np.int64]
) -> StretchSums:
    """Sum up the phases of some rows within a stretch of time."""
    times = [np.clip(each[rows], begin_ns, end_ns) for each in phase_times(timeline)]
    lengths = dict(
        zip(list(RowState)[1:], (late - soon for soon, late in pairwise(times)), strict=False)
    )
    waits = lengths[RowState.QUEUED] + lengths[RowState.TRYING]
    return StretchSums(
        rows=int(np.count_nonzero(times[-1] > times[0])),
        phases=tuple((state, float(length.sum())) for state, length in lengths.items()),
        waits=np.bincount(timeline.lock[rows], waits, locks_in_use(timeline)).astype(np.float64),
    )


def phase_names(phases: tuple[str, ...]) -> dict[str, str]:
    """Return a kernel's own names of its phases, keyed by the lower-case names of `RowState`."""
    if len(phases) == 3:  # without the one in the middle
        return {"computing": phases[0], "holding": phases[1], "done": phases[2]}
    return dict(zip(("computing", "trying", "holding"), phases[:-1], strict=False)) | {
        "done": phases[-1]
    }


def locks_in_use(timeline: ReductionTimeline) -> int:
    """Return the number of locks and buffers that some row uses: no more than there are rows."""
    return min(timeline.group_size_m, timeline.m)


def moment(timeline: ReductionTimeline, time_ns: float) -> Moment:
    """Return the state at a time, that time's events included."""
    first, *others = phase_times(timeline)
    state: NDArray[np.uint8] = (first <= time_ns).view(np.uint8).copy()
    for times in others:
        state += (times <= time_ns).view(np.uint8)
    locks = locks_in_use(timeline)
    holding = np.flatnonzero(state == RowState.HOLDING)
    holder = np.full(locks, -1, np.int32)
    holder[timeline.lock[holding]] = holding
    length = np.maximum(timeline.tile_end_ns - timeline.tile_start_ns, 1)
    return Moment(
        timeline=timeline,
        time_ns=time_ns,
        state=state,
        holder=holder,
        queued=np.bincount(timeline.lock[state == RowState.QUEUED], minlength=locks),
        trying=np.bincount(timeline.lock[state == RowState.TRYING], minlength=locks),
        added=np.bincount(timeline.lock[state == RowState.DONE], minlength=locks),
        tile_progress=np.clip((time_ns - timeline.tile_start_ns) / length, 0.0, 1.0),
    )


ADDED = 0.55  # share of the hold after which a picture has the sum there and its store begins


def next_event(timeline: ReductionTimeline, after_ns: float, row: int | None = None) -> int | None:
    """Return the time of the first event later than a time; of one row only, if given."""
    times = _event_times(timeline, row)
    place = int(times.searchsorted(after_ns, "right"))
    return int(times[place]) if place < times.size else None


def previous_event(
    timeline: ReductionTimeline, before_ns: float, row: int | None = None
) -> int | None:
    """Return the time of the last event earlier than a time; of one row only, if given."""
    times = _event_times(timeline, row)
    place = int(times.searchsorted(before_ns))
    return int(times[place - 1]) if place else None


def latest_event(timeline: ReductionTimeline, time_ns: float) -> TimelineEvent | None:
    """Return the last event at or before a time."""
    times, kinds, subjects = _events(timeline)
    place = int(times.searchsorted(time_ns, "right")) - 1
    if place < 0:
        return None
    return TimelineEvent(int(times[place]), EventKind(kinds[place]), int(subjects[place]))


def _event_times(timeline: ReductionTimeline, row: int | None) -> Times:
    times, kinds, subjects = _events(timeline)
    return times if row is None else times[(subjects == row) & (kinds <= EventKind.START)]


@lru_cache(maxsize=4)  # called for every frame
def _events(timeline: ReductionTimeline) -> tuple[Times, NDArray[np.int64], NDArray[np.int64]]:
    """Return the times of all events in their order, with their kinds and subjects. Of simultaneous
    ones that to be shown comes last.
    """
    columns = (
        timeline.held_ns,
        timeline.released_ns,
        timeline.wanted_ns,
        timeline.start_ns,
        timeline.tile_end_ns,
        timeline.tile_start_ns,
    )
    sizes = [times.size for times in columns]
    times, kinds = np.concatenate(columns), np.repeat(list(EventKind), sizes)
    subjects = np.concatenate([np.arange(size) for size in sizes])
    order = np.lexsort((-subjects, -kinds, times))
    return times[order], kinds[order], subjects[order]


@frozen_by_name
class TimelineSummary:
    """Figures of both stages. Times in ns; a row's time runs from its start to giving its lock
    back.
    """

    stage1_ns: int
    # from the last release to the first tile; of older traces of a tiny problem, the host's time
    gap_ns: int
    stage2_ns: int  # from the first tile's start to the last one's end
    trying_mean_ns: float  # for a lock that is free
    trying_p95_ns: float
    trying_max_ns: int
    queued_mean_ns: float  # behind rows that hold the lock; over all rows
    queued_p95_ns: float
    queued_max_ns: int
    rows_queued: int  # for any time
    peak_queue: int  # rows that queue at one lock at once, at most
    hold_mean_ns: float
    compute_mean_ns: float
    share_trying: float  # of all rows' time
    share_queued: float
    busiest_lock: int  # held for the longest time in all
    busiest_lock_share: float  # of stage 1 during which that lock was held
    tries_mean: float | None  # of a row, until it held its lock; None where nobody counted

    @property
    def pass_ns(self) -> int:
        """From the first start to the end of the last tile."""
        return self.stage1_ns + self.gap_ns + self.stage2_ns

    @property
    def wait(self) -> "LockWait":
        return LockWait(trying_ns=self.trying_mean_ns, queued_ns=self.queued_mean_ns)


@frozen_by_name
class LockWait:
    """Mean time of all rows of a trace before they hold their lock, in ns."""

    trying_ns: float  # the lock is free: the round trip of compare-and-swap
    queued_ns: float  # another row holds it


def summarize(timeline: ReductionTimeline) -> TimelineSummary:
    """Compute the figures of a timeline of at least one row."""
    free = free_ns(timeline)
    trying, queued = timeline.held_ns - free, free - timeline.wanted_ns
    hold = timeline.released_ns - timeline.held_ns
    stage1_ns = int(timeline.released_ns.max() - timeline.start_ns.min())
    # Stamps of a kernel of one's own tell of no stage 2.
    tiles_begin = (
        timeline.tile_start_ns.min() if timeline.tile_start_ns.size else timeline.released_ns.max()
    )
    held_by_lock = np.bincount(timeline.lock, weights=hold)
    busiest = int(held_by_lock.argmax())
    in_flight = float((timeline.released_ns - timeline.start_ns).sum())
    return TimelineSummary(
        stage1_ns=stage1_ns,
        gap_ns=int(tiles_begin - timeline.released_ns.max()),
        stage2_ns=int(timeline.tile_end_ns.max(initial=tiles_begin) - tiles_begin),
        trying_mean_ns=float(trying.mean()),
        trying_p95_ns=float(np.percentile(trying, 95)),
        trying_max_ns=int(trying.max()),
        queued_mean_ns=float(queued.mean()),
        queued_p95_ns=float(np.percentile(queued, 95)),
        queued_max_ns=int(queued.max()),
        rows_queued=int(np.count_nonzero(queued)),
        peak_queue=peak_queue(timeline, timeline.lock),
        hold_mean_ns=float(hold.mean()),
        compute_mean_ns=float((timeline.wanted_ns - timeline.start_ns).mean()),
        share_trying=float(trying.sum()) / in_flight if in_flight else 0.0,
        share_queued=float(queued.sum()) / in_flight if in_flight else 0.0,
        busiest_lock=busiest,
        busiest_lock_share=float(held_by_lock[busiest]) / stage1_ns if stage1_ns else 0.0,
        tries_mean=None if timeline.tries is None else float(timeline.tries.mean()),
    )


def peak_queue(timeline: ReductionTimeline, group: NDArray[np.signedinteger]) -> int:
    """Return how many rows of a group queue at once, at most; `group` is that of each row [M]."""
    times = np.concatenate((free_ns(timeline), timeline.wanted_ns))
    change = np.repeat((-1, 1), timeline.m)  # who leaves the queue makes room for who joins it then
    depth = np.cumsum(change[np.lexsort((times, np.tile(group, 2)))])  # 0 at the end of each group
    return int(depth.max(initial=0))


def at_once(
    begun: NDArray[np.int64], ended: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the sorted begins of some intervals, and how many are open at each. An interval that
    ends then is not.
    """
    begun = np.sort(begun)
    return begun, np.arange(1, begun.size + 1) - np.searchsorted(np.sort(ended), begun, "right")


def most_at_once(begun: NDArray[np.int64], ended: NDArray[np.int64]) -> int:
    """Return how many of some intervals are open at once, at most."""
    return int(at_once(begun, ended)[1].max(initial=0))


def most_in_flight(timeline: ReductionTimeline) -> int:
    """Return how many rows had their programs on the device at once, at most.

    At least 1, also for rows that took less than a step of the clock.
    """
    return max(most_at_once(timeline.start_ns, timeline.released_ns), 1)


@frozen(eq=False)
class Prepared:
    """A timeline with its figures."""

    timeline: ReductionTimeline
    summary: TimelineSummary
    programs: int  # of stage 1 on the device at once, at most
    title: str = ""  # of its recording

    def tells_of(self, m: int) -> bool:
        """Return whether `m` rows would have been as many at once: it had more rows than places, or
        no fewer than these.
        """
        return m <= self.timeline.m or self.programs < self.timeline.m

    def is_of(self, timeline: ReductionTimeline) -> bool:
        """Return whether a timeline of the same kernel is of this launch."""
        names = ("m", "group_size_m", "tile_block_m", "tile_block_n")
        return all(getattr(self.timeline, name) == getattr(timeline, name) for name in names)


def prepare(timeline: ReductionTimeline, title: str = "") -> Prepared:
    """Compute the figures: a millisecond for a few thousand rows."""
    return Prepared(timeline, summarize(timeline), most_in_flight(timeline), title)


@frozen_by_name
class Shares:
    """Shares of the time of the programs of stage 1, and how long both stages took."""

    compute: float  # of the time of all programs, from a program's start to its sums in memory
    trying: float  # a lock that is free
    # queued for a lock that another program holds, or for the sums of a row's other slices
    waiting: float
    add: float
    stage1_ns: int
    stage2_ns: int  # from the end of stage 1, so with the gap between the two


def of_locked(timeline: ReductionTimeline) -> StrategyTimeline:
    """Convert the timeline of `locked` into the form of all strategies."""
    rows = np.arange(timeline.m, dtype=np.int32)
    return StrategyTimeline(
        strategy="locked",
        **{field.name: getattr(timeline, field.name) for field in fields(PassTimeline)},
        rows=1,
        program=rows,
        first_row=rows,
        start_ns=timeline.start_ns,
        ready_ns=timeline.wanted_ns,
        program_start_ns=timeline.start_ns,
        free_ns=free_ns(timeline),
        add_begin_ns=timeline.held_ns,
        add_end_ns=timeline.released_ns,
        tile_setup_ns=timeline.tile_start_ns,
    )


def shares(timeline: StrategyTimeline) -> Shares:
    """Add up the time of programs; zeros where there are none."""
    last = timeline.last_ready_ns()
    within = float(timeline.waits_ns.sum())
    free = timeline.add_begin_ns if timeline.free_ns is None else timeline.free_ns
    parts = [
        float((last - timeline.program_start_ns).sum()) - within,
        float((timeline.add_begin_ns - free).sum()),
        float((free - last).sum()) + within,
        float((timeline.add_end_ns - timeline.add_begin_ns).sum()),
    ]
    total = sum(parts) or 1.0
    end = int(timeline.add_end_ns.max(initial=0))
    compute, trying, waiting, add = (part / total for part in parts)
    return Shares(
        compute=compute,
        trying=trying,
        waiting=waiting,
        add=add,
        stage1_ns=end - int(timeline.program_start_ns.min(initial=end)),
        stage2_ns=max(timeline.end_ns - end, 0),
    )
