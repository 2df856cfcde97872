"""A timeline at one moment: what every row, lock and tile is doing, and which event comes next."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from lnkernels.values.timeline import ReductionTimeline


class RowState(IntEnum):
    """What a row's program does. The numbers count how many of its events are past."""

    PENDING = 0
    COMPUTING = 1
    WAITING = 2
    HOLDING = 3
    DONE = 4


class EventKind(IntEnum):
    """What can happen, in the order in which it is told when it happens at the same time."""

    HELD = 0
    RELEASED = 1
    WANTED = 2
    START = 3
    TILE_END = 4
    TILE_START = 5


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens to a row, or to a tile of stage 2."""

    time_ns: int
    kind: EventKind
    subject: int  # row, or tile


@dataclass(frozen=True, eq=False, slots=True)
class Moment:
    """All of a timeline at one time."""

    time_ns: float
    state: NDArray[np.uint8]  # [M], values of RowState
    holder: NDArray[np.int32]  # [G in use], the row that holds the lock, or -1
    waiting: NDArray[np.int64]  # [G in use], rows that wait for the lock
    added: NDArray[np.int64]  # [G in use], rows whose partial sums are in the buffer
    tile_progress: NDArray[np.float64]  # [T], 0 to 1

    def count(self, state: RowState) -> int:
        return int(np.count_nonzero(self.state == state))

    def counts(self, *, barrier: bool) -> NDArray[np.int64]:
        """What is in memory behind the locks [G in use]: with the barrier a holder raises its count before it adds,
        else last.
        """
        return self.added + (self.holder >= 0) if barrier else self.added


def locks_in_use(timeline: ReductionTimeline) -> int:
    """Locks and buffers that some row uses: no more than there are rows."""
    return min(timeline.group_size_m, timeline.m)


def lock_after(timeline: ReductionTimeline, row: int | None, lock: int | None) -> int:
    """The lock of a row; without one the lock after another, and the first after the last or after none.

    Args:
        timeline: of at least one row.
        row: that is followed, or None.
        lock: that is followed, or None.
    """
    if row is not None:
        return int(timeline.lock[row])
    return ((-1 if lock is None else lock) + 1) % locks_in_use(timeline)


def moment(timeline: ReductionTimeline, time_ns: float) -> Moment:
    """What is true at a time, all of that time's events included."""
    state = row_states(timeline, time_ns)
    locks = locks_in_use(timeline)
    holding = np.flatnonzero(state == RowState.HOLDING)
    holder = np.full(locks, -1, np.int32)
    holder[timeline.lock[holding]] = holding
    length = np.maximum(timeline.tile_end_ns - timeline.tile_start_ns, 1)
    return Moment(
        time_ns=time_ns,
        state=state,
        holder=holder,
        waiting=np.bincount(timeline.lock[state == RowState.WAITING], minlength=locks),
        added=np.bincount(timeline.lock[state == RowState.DONE], minlength=locks),
        tile_progress=np.clip((time_ns - timeline.tile_start_ns) / length, 0.0, 1.0),
    )


def row_states(timeline: ReductionTimeline, time_ns: float) -> NDArray[np.uint8]:
    """RowState of each row [M]: the number of its events that are past."""
    states: NDArray[np.uint8] = (timeline.start_ns <= time_ns).view(np.uint8).copy()
    for times in (timeline.wanted_ns, timeline.held_ns, timeline.released_ns):
        states += (times <= time_ns).view(np.uint8)
    return states


ADDED = 0.55  # share of the hold after which a picture has the sum there and its store begins


def hold_share(timeline: ReductionTimeline, row: int, time_ns: float) -> float:
    """How much of a row's hold is past, 0 to 1."""
    held, released = int(timeline.held_ns[row]), int(timeline.released_ns[row])
    return min(max((time_ns - held) / max(released - held, 1), 0.0), 1.0)


def queue_of(timeline: ReductionTimeline, state: NDArray[np.uint8], lock: int) -> list[int]:
    """Rows that wait for a lock, the longest first."""
    rows = np.flatnonzero((timeline.lock == lock) & (state == RowState.WAITING))
    return [int(row) for row in rows[np.argsort(timeline.wanted_ns[rows], kind="stable")]]


def buffers_read(timeline: ReductionTimeline, progress: NDArray[np.float64]) -> NDArray[np.int64]:
    """Buffers that each tile has read [T], taking its steps to be equally long."""
    buffers = locks_in_use(timeline)
    steps = -(-buffers // timeline.tile_block_m)
    read: NDArray[np.int64] = np.minimum(np.floor(progress * steps).astype(np.int64) * timeline.tile_block_m, buffers)
    return read


def next_event(timeline: ReductionTimeline, after_ns: float, row: int | None = None) -> int | None:
    """Time of the first event later than a time; of one row only, when it is given."""
    found = [int(some.min()) for _, times in _columns(timeline, row) if (some := times[times > after_ns]).size]
    return min(found, default=None)


def previous_event(timeline: ReductionTimeline, before_ns: float, row: int | None = None) -> int | None:
    """Time of the last event earlier than a time; of one row only, when it is given."""
    found = [int(some.max()) for _, times in _columns(timeline, row) if (some := times[times < before_ns]).size]
    return max(found, default=None)


def latest_event(timeline: ReductionTimeline, time_ns: float) -> Event | None:
    """What happened last at or before a time."""
    latest: Event | None = None
    for kind, times in _columns(timeline, None):
        past = np.where(times <= time_ns, times, -1)
        if past.size == 0:
            continue
        subject = int(past.argmax())
        found = Event(int(past[subject]), kind, subject)
        if found.time_ns >= 0 and (latest is None or (found.time_ns, -found.kind) > (latest.time_ns, -latest.kind)):
            latest = found
    return latest


def _columns(timeline: ReductionTimeline, row: int | None) -> list[tuple[EventKind, NDArray[np.int64]]]:
    rows = slice(None) if row is None else slice(row, row + 1)
    columns = [
        (EventKind.HELD, timeline.held_ns[rows]),
        (EventKind.RELEASED, timeline.released_ns[rows]),
        (EventKind.WANTED, timeline.wanted_ns[rows]),
        (EventKind.START, timeline.start_ns[rows]),
    ]
    if row is None:
        columns += [(EventKind.TILE_END, timeline.tile_end_ns), (EventKind.TILE_START, timeline.tile_start_ns)]
    return columns
