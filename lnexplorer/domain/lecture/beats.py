"""A small timeline, cut into events that are told one at a time."""

from dataclasses import dataclass
from enum import Enum

from lnexplorer.domain.moments import EventKind
from lnexplorer.domain.timeline import ReductionTimeline


class BeatKind(Enum):
    """What there is to tell."""

    START = "start"  # all programs of stage 1
    FINDS_FREE = "finds free"
    WAITS = "waits"
    STORES = "stores"  # the count is 0
    ADDS = "adds"
    RELEASES = "releases"
    TILES = "tiles"  # stage 2 begins
    END = "end"


@dataclass(frozen=True, slots=True)
class Beat:
    """One event. Of START, TILES and END, row and lock are -1."""

    kind: BeatKind
    time_ns: int
    row: int = -1
    lock: int = -1
    other: int = -1  # WAITS: the row that holds the lock; RELEASES: how many wait for it
    count: int = 0  # STORES, ADDS: what the row finds, and raises by 1 at once; otherwise what is there


def beats(timeline: ReductionTimeline) -> tuple[Beat, ...]:
    """The events of a timeline in their order. All rows must be on the device at once: their starts are told as one."""
    events = []
    for kind, times in (
        (EventKind.HELD, timeline.held_ns),
        (EventKind.RELEASED, timeline.released_ns),
        (EventKind.WANTED, timeline.wanted_ns),
    ):
        events += [(int(time), kind, row) for row, time in enumerate(times)]
    told = [Beat(BeatKind.START, int(timeline.start_ns.max(initial=0)))]
    holder: dict[int, int] = {}
    waiting: dict[int, list[int]] = {}
    count: dict[int, int] = {}
    for time, kind, row in sorted(events):
        lock = int(timeline.lock[row])
        queue = waiting.setdefault(lock, [])
        if kind is EventKind.WANTED:
            queue.append(row)
            taken = holder.get(lock, -1)
            told.append(Beat(BeatKind.WAITS if taken >= 0 else BeatKind.FINDS_FREE, time, row, lock, taken, count.get(lock, 0)))
        elif kind is EventKind.HELD:
            if row in queue:
                queue.remove(row)
            holder[lock] = row
            before = count.get(lock, 0)
            told.append(Beat(BeatKind.ADDS if before else BeatKind.STORES, time, row, lock, count=before))
        else:
            holder.pop(lock, None)
            count[lock] = count.get(lock, 0) + 1
            told.append(Beat(BeatKind.RELEASES, time, row, lock, len(queue), count[lock]))
    if timeline.tile_start_ns.size:
        told.append(Beat(BeatKind.TILES, int(timeline.tile_start_ns.max())))
        told.append(Beat(BeatKind.END, timeline.end_ns))
    return tuple(told)
