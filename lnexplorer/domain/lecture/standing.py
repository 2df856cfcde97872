"""How rows, locks and buffers stand after an event of the example: what the events up to it have changed, and no more."""

from dataclasses import dataclass

from lnexplorer.domain.lecture.beats import Beat, BeatKind, beats
from lnexplorer.domain.moments import RowState, locks_in_use
from lnexplorer.domain.timeline import ReductionTimeline

_STATES = {
    BeatKind.FINDS_FREE: RowState.WAITING,
    BeatKind.WAITS: RowState.WAITING,
    BeatKind.STORES: RowState.HOLDING,
    BeatKind.ADDS: RowState.HOLDING,
    BeatKind.RELEASES: RowState.DONE,
}


@dataclass(frozen=True, slots=True)
class Standing:
    """All rows and locks after an event."""

    states: tuple[RowState, ...]  # by row
    holders: tuple[int, ...]  # by lock: the row that holds it, or -1
    counts: tuple[int, ...]  # by lock, as in memory: who takes a lock raises its count before anything else
    stored: tuple[int, ...]  # by buffer: the row that stored what is in it, or -1
    loaded: int = -1  # the row whose sums this event loads and adds to, or -1


def standing(timeline: ReductionTimeline, upto: Beat) -> Standing:
    """How everything stands after one of the timeline's beats."""
    locks = locks_in_use(timeline)
    states = [RowState.PENDING] * timeline.m
    holders, counts, stored, loaded = [-1] * locks, [0] * locks, [-1] * locks, -1
    for beat in beats(timeline):
        loaded = -1
        if beat.kind is BeatKind.START:
            states = [RowState.COMPUTING] * timeline.m
        elif beat.row >= 0:
            states[beat.row] = _STATES[beat.kind]
        if beat.kind in (BeatKind.STORES, BeatKind.ADDS):
            loaded = stored[beat.lock]
            holders[beat.lock] = stored[beat.lock] = beat.row
            counts[beat.lock] += 1
        elif beat.kind is BeatKind.RELEASES:
            holders[beat.lock] = -1
        if beat == upto:
            break
    return Standing(tuple(states), tuple(holders), tuple(counts), tuple(stored), loaded)
