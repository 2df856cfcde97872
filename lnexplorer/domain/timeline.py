"""What a timeline says at one moment, and what it amounts to; of `locked`, and of any strategy."""

from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from lnkernels.values.timeline import ReductionTimeline, StrategyTimeline, Times


class RowState(IntEnum):
    """What a row's program does. The numbers count how many of its events are past."""

    PENDING = 0
    COMPUTING = 1
    QUEUED = 2  # another row holds its lock, or will before it
    TRYING = 3  # its lock is free, and will be its own: the round trip of compare-and-swap
    HOLDING = 4
    DONE = 5


class EventKind(IntEnum):
    """What can happen, in the order in which it is told when it happens at the same time."""

    HELD = 0
    RELEASED = 1
    WANTED = 2
    START = 3
    TILE_END = 4
    TILE_START = 5


@dataclass(frozen=True, slots=True)
class TimelineEvent:
    time_ns: int
    kind: EventKind
    subject: int  # row, or tile


@dataclass(frozen=True, eq=False, slots=True)
class Moment:
    time_ns: float
    state: NDArray[np.uint8]  # [M], values of RowState
    holder: NDArray[np.int32]  # [G in use], the row that holds the lock, or -1
    queued: NDArray[np.int64]  # [G in use], rows that queue for the lock
    trying: NDArray[np.int64]  # [G in use], rows that try it while it is free: one, or none
    added: NDArray[np.int64]  # [G in use], rows whose partial sums are in the buffer
    tile_progress: NDArray[np.float64]  # [T], 0 to 1

    def count(self, state: RowState) -> int:
        return int(np.count_nonzero(self.state == state))

    def counts(self, *, barrier: bool) -> NDArray[np.int64]:
        """What is in memory behind the locks [G in use]: with the barrier a holder raises its count
        before it adds, else last.
        """
        return self.added + (self.holder >= 0) if barrier else self.added


@lru_cache(maxsize=4)  # asked for with every frame; a million rows take 0.2 s
def free_ns(timeline: ReductionTimeline) -> Times:
    """When the lock of each row became free for it [M], in ns: it had been wanted, and its previous
    holder had released it.

    Until then the row is queued, from then on it tries. Between `wanted_ns` and `held_ns`, ends
    included.
    """
    rows = np.lexsort((timeline.order, timeline.lock))
    before, after = rows[:-1], rows[1:]
    same = timeline.lock[before] == timeline.lock[after]
    free = timeline.wanted_ns.copy()
    free[after[same]] = np.maximum(free[after[same]], timeline.released_ns[before[same]])
    free = np.minimum(
        free, timeline.held_ns
    )  # a clock that steps may read a release after the next hold
    free.flags.writeable = False
    return free


def phase_times(timeline: ReductionTimeline) -> tuple[Times, Times, Times, Times, Times]:
    """Where the phases of rows begin and end: start, wanted, free, held, released; [M] each."""
    return (
        timeline.start_ns,
        timeline.wanted_ns,
        free_ns(timeline),
        timeline.held_ns,
        timeline.released_ns,
    )


def phase_names(phases: tuple[str, ...]) -> dict[str, str]:
    """Own names of what a row does, by the words of `locked`: what each stamp begins, up to the
    last one, which ends.
    """
    if len(phases) == 3:  # without the one in the middle
        return {"computing": phases[0], "holding": phases[1], "done": phases[2]}
    return dict(zip(("computing", "trying", "holding"), phases[:-1], strict=False)) | {
        "done": phases[-1]
    }


def locks_in_use(timeline: ReductionTimeline) -> int:
    """Locks and buffers that some row uses: no more than there are rows."""
    return min(timeline.group_size_m, timeline.m)


def moment(timeline: ReductionTimeline, time_ns: float) -> Moment:
    """What is true at a time, all of that time's events included."""
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
        time_ns=time_ns,
        state=state,
        holder=holder,
        queued=np.bincount(timeline.lock[state == RowState.QUEUED], minlength=locks),
        trying=np.bincount(timeline.lock[state == RowState.TRYING], minlength=locks),
        added=np.bincount(timeline.lock[state == RowState.DONE], minlength=locks),
        tile_progress=np.clip((time_ns - timeline.tile_start_ns) / length, 0.0, 1.0),
    )


ADDED = 0.55  # share of the hold after which a picture has the sum there and its store begins


def hold_share(timeline: ReductionTimeline, row: int, time_ns: float) -> float:
    """How much of a row's hold is past, 0 to 1."""
    held, released = int(timeline.held_ns[row]), int(timeline.released_ns[row])
    return min(max((time_ns - held) / max(released - held, 1), 0.0), 1.0)


def queue_of(timeline: ReductionTimeline, state: NDArray[np.uint8], lock: int) -> list[int]:
    """Rows that want a lock and do not hold it, the longest first."""
    rows = np.flatnonzero(
        (timeline.lock == lock) & ((state == RowState.QUEUED) | (state == RowState.TRYING))
    )
    return [int(row) for row in rows[np.argsort(timeline.wanted_ns[rows], kind="stable")]]


def buffers_read(timeline: ReductionTimeline, progress: NDArray[np.float64]) -> NDArray[np.int64]:
    """Buffers that each tile has read [T], taking its steps to be equally long."""
    buffers = locks_in_use(timeline)
    steps = -(-buffers // timeline.tile_block_m)
    read: NDArray[np.int64] = np.minimum(
        np.floor(progress * steps).astype(np.int64) * timeline.tile_block_m, buffers
    )
    return read


def next_event(timeline: ReductionTimeline, after_ns: float, row: int | None = None) -> int | None:
    """Time of the first event later than a time; of one row only, when it is given."""
    found = [
        int(some.min())
        for _, times in _columns(timeline, row)
        if (some := times[times > after_ns]).size
    ]
    return min(found, default=None)


def previous_event(
    timeline: ReductionTimeline, before_ns: float, row: int | None = None
) -> int | None:
    """Time of the last event earlier than a time; of one row only, when it is given."""
    found = [
        int(some.max())
        for _, times in _columns(timeline, row)
        if (some := times[times < before_ns]).size
    ]
    return max(found, default=None)


def latest_event(timeline: ReductionTimeline, time_ns: float) -> TimelineEvent | None:
    """What happened last at or before a time."""
    latest: TimelineEvent | None = None
    for kind, times in _columns(timeline, None):
        past = np.where(times <= time_ns, times, -1)
        if past.size == 0:
            continue
        subject = int(past.argmax())
        found = TimelineEvent(int(past[subject]), kind, subject)
        if found.time_ns >= 0 and (
            latest is None or (found.time_ns, -found.kind) > (latest.time_ns, -latest.kind)
        ):
            latest = found
    return latest


def _columns(
    timeline: ReductionTimeline, row: int | None
) -> list[tuple[EventKind, NDArray[np.int64]]]:
    rows = slice(None) if row is None else slice(row, row + 1)
    columns = [
        (EventKind.HELD, timeline.held_ns[rows]),
        (EventKind.RELEASED, timeline.released_ns[rows]),
        (EventKind.WANTED, timeline.wanted_ns[rows]),
        (EventKind.START, timeline.start_ns[rows]),
    ]
    if row is None:
        columns += [
            (EventKind.TILE_END, timeline.tile_end_ns),
            (EventKind.TILE_START, timeline.tile_start_ns),
        ]
    return columns


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class LockWait:
    """What a row does before it holds its lock, in ns: the mean of all rows of a trace."""

    trying_ns: float  # the lock is free: the round trip of compare-and-swap
    queued_ns: float  # another row holds it


def summarize(timeline: ReductionTimeline) -> TimelineSummary:
    """Figures of a timeline of at least one row."""
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
    """How many rows of a group queue at once, at most; `group` is that of each row [M]."""
    times = np.concatenate((free_ns(timeline), timeline.wanted_ns))
    change = np.repeat((-1, 1), timeline.m)  # who leaves the queue makes room for who joins it then
    depth = np.cumsum(change[np.lexsort((times, np.tile(group, 2)))])  # 0 at the end of each group
    return int(depth.max(initial=0))


def at_once(
    begun: NDArray[np.int64], ended: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """When each begins, in order, and how many there are then; what ends makes room for what
    begins.
    """
    begun = np.sort(begun)
    return begun, np.arange(1, begun.size + 1) - np.searchsorted(np.sort(ended), begun, "right")


def most_at_once(begun: NDArray[np.int64], ended: NDArray[np.int64]) -> int:
    """How many there are at once, at most."""
    return int(at_once(begun, ended)[1].max(initial=0))


def most_in_flight(timeline: ReductionTimeline) -> int:
    """The largest number of rows whose programs were on the device at once.

    Of rows that took less than the clock tells, at least one.
    """
    return max(most_at_once(timeline.start_ns, timeline.released_ns), 1)


@dataclass(frozen=True, eq=False, slots=True)
class Prepared:
    timeline: ReductionTimeline
    summary: TimelineSummary
    programs: int  # of stage 1 on the device at once, at most


def prepare(timeline: ReductionTimeline) -> Prepared:
    """Work it out: a millisecond for a few thousand rows."""
    return Prepared(timeline, summarize(timeline), most_in_flight(timeline))


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """What the programs of stage 1 did with their time, and how long both stages took."""

    compute: float  # of the time of all programs, from a program's start to its sums in memory
    trying: float  # a lock that is free
    # queued for a lock that another program holds, or for the sums of a row's other slices
    waiting: float
    add: float
    stage1_ns: int
    stage2_ns: int  # from the end of stage 1, so with the gap between the two


def of_locked(timeline: ReductionTimeline) -> StrategyTimeline:
    """The timeline of `locked` in the grammar of all."""
    rows = np.arange(timeline.m, dtype=np.int32)
    return StrategyTimeline(
        strategy="locked",
        kind=timeline.kind,
        clock=timeline.clock,
        tick_ns=timeline.tick_ns,
        m=timeline.m,
        n=timeline.n,
        rows=1,
        program=rows,
        first_row=rows,
        start_ns=timeline.start_ns,
        ready_ns=timeline.wanted_ns,
        sm=timeline.sm,
        program_start_ns=timeline.start_ns,
        free_ns=free_ns(timeline),
        add_begin_ns=timeline.held_ns,
        add_end_ns=timeline.released_ns,
        tile_sm=timeline.tile_sm,
        tile_setup_ns=timeline.tile_start_ns,
        tile_start_ns=timeline.tile_start_ns,
        tile_end_ns=timeline.tile_end_ns,
        cost=timeline.cost,
    )


def shares(timeline: StrategyTimeline) -> Shares:
    """What a pass amounts to; zeros where there are no programs."""
    last = timeline.last_ready_ns()
    within, free = (
        float(timeline.waits_ns.sum()),
        timeline.add_begin_ns if timeline.free_ns is None else timeline.free_ns,
    )
    parts = [
        float((last - timeline.program_start_ns).sum()) - within,
        float((timeline.add_begin_ns - free).sum()),
        float((free - last).sum()) + within,
        float((timeline.add_end_ns - timeline.add_begin_ns).sum()),
    ]
    total = sum(parts) or 1.0
    end = int(timeline.add_end_ns.max(initial=0))
    return Shares(
        compute=parts[0] / total,
        trying=parts[1] / total,
        waiting=parts[2] / total,
        add=parts[3] / total,
        stage1_ns=end - int(timeline.program_start_ns.min(initial=end)),
        stage2_ns=max(timeline.end_ns - end, 0),
    )


def places(start_ns: Times, end_ns: Times) -> NDArray[np.int64]:
    """A place for each of the programs of an SM, so that no two of a place run at the same time;
    from 0, as many as were resident at once.
    """
    taken_until: list[int] = []
    found, starts, ends = np.empty(start_ns.size, np.int64), start_ns.tolist(), end_ns.tolist()
    for program in np.argsort(start_ns, kind="stable").tolist():
        free = (place for place, until in enumerate(taken_until) if until <= starts[program])
        found[program] = place = next(free, len(taken_until))
        taken_until[place : place + 1] = [ends[program]]
    return found
