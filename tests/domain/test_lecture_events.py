"""What the lecture draws of its example follows event by event, and what it tells of a timeline that plays is in the
timeline.
"""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from lnexplorer.domain.lecture.example import MODEL, BeatKind, beats, standing, work_out
from lnexplorer.domain.lecture.material import PassingKind, latest, passings
from lnexplorer.domain.moments import RowState, moment
from lnexplorer.domain.simulation import simulate
from lnkernels.values.timeline import ReductionTimeline


def contended(m: int = 200, group_size_m: int = 4) -> ReductionTimeline:
    return simulate(m, 64, group_size_m, 4, 16, replace(MODEL, resident_programs=32, sm_count=8))


def test_no_two_events_of_the_example_fall_on_one_time() -> None:
    times = [beat.time_ns for beat in beats(work_out().timeline)]
    assert len(set(times)) == len(times)


def test_after_each_event_everything_stands_as_the_window_shows_it_at_that_time() -> None:
    """The window reads the times; the lecture counts the events. The count is raised by who holds the lock, in both."""
    timeline = work_out().timeline
    for beat in beats(timeline):
        now, seen = standing(timeline, beat), moment(timeline, beat.time_ns)
        assert now.states == tuple(seen.state), beat
        assert now.holders == tuple(seen.holder), beat
        assert now.counts == tuple(seen.counts(barrier=True)), beat


def test_an_event_changes_its_own_row_and_lock_alone_even_at_the_time_of_another() -> None:
    timeline = work_out(model=replace(MODEL, hand_over_ns=200)).timeline
    told = beats(timeline)
    for before, after in pairwise(told):
        old, new = standing(timeline, before), standing(timeline, after)
        changed = {row for row in range(timeline.m) if old.states[row] is not new.states[row]}
        assert changed <= {after.row}, after
        locks = {lock for lock in range(2) if (old.counts[lock], old.holders[lock]) != (new.counts[lock], new.holders[lock])}
        assert locks <= {after.lock}, after


def test_what_is_told_to_be_stored_is_in_the_buffer_from_that_event_on() -> None:
    example = work_out()
    for beat in beats(example.timeline):
        now = standing(example.timeline, beat)
        if beat.kind is BeatKind.STORES:
            assert (now.stored[beat.lock], now.loaded, now.counts[beat.lock]) == (beat.row, -1, 1)
        elif beat.kind is BeatKind.ADDS:
            assert now.states[beat.row] is RowState.HOLDING
            assert now.stored[beat.lock] == beat.row
            assert now.counts[beat.lock] == beat.count + 1
            old, row = example.sums.dw_after[now.loaded], example.partial_rows.dw[beat.row]
            assert np.array_equal(old + row, example.sums.dw_after[beat.row])
        else:
            assert now.loaded == -1


def test_what_there_is_to_tell_is_found_in_the_times() -> None:
    timeline = contended()
    told = {passing.kind: passing for passing in passings(timeline)}
    assert set(told) == set(PassingKind)
    wait = timeline.held_ns - timeline.wanted_ns
    assert told[PassingKind.FIRST_LOCK].time_ns == timeline.held_ns.min()
    assert told[PassingKind.LONGEST_WAIT].length_ns == wait.max()
    assert told[PassingKind.LONGEST_WAIT].time_ns == timeline.held_ns[told[PassingKind.LONGEST_WAIT].row]
    assert told[PassingKind.LAST_RELEASE].time_ns == timeline.released_ns.max()
    assert told[PassingKind.LAST_START].time_ns == timeline.start_ns.max()
    assert told[PassingKind.TILES].time_ns == timeline.tile_start_ns.min()
    assert told[PassingKind.TILES].count == timeline.tile_start_ns.size
    assert told[PassingKind.START].count == 32
    half = told[PassingKind.HALF].time_ns
    assert int((timeline.released_ns <= half).sum()) >= timeline.m / 2 > int((timeline.released_ns < half).sum())
    times = [passing.time_ns for passing in passings(timeline)]
    assert times == sorted(times)


def test_the_first_row_that_waits_finds_its_lock_held() -> None:
    timeline = contended()
    first = next(passing for passing in passings(timeline) if passing.kind is PassingKind.FIRST_WAIT)
    holders = (timeline.lock == timeline.lock[first.row]) & (timeline.held_ns <= timeline.held_ns[first.row])
    others = np.flatnonzero(holders & (timeline.released_ns > first.time_ns))
    assert set(others) - {first.row}
    most = next(passing for passing in passings(timeline) if passing.kind is PassingKind.MOST_WAIT)
    at_most = max(int((moment(timeline, int(time)).state == RowState.WAITING).sum()) for time in timeline.wanted_ns)
    assert 0 < most.count == at_most, "who finds its lock free wants it for a moment, too, and is shown as one that waits"


def test_where_nobody_waits_no_wait_is_told() -> None:
    kinds = {passing.kind for passing in passings(contended(8, 8))}
    assert not kinds & {PassingKind.FIRST_WAIT, PassingKind.MOST_WAIT, PassingKind.LONGEST_WAIT}


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 1.0])
def test_the_latest_of_them_is_told(share: float) -> None:
    timeline = contended()
    time = share * timeline.end_ns
    found = latest(timeline, time)
    assert found is not None
    assert found.time_ns == max(passing.time_ns for passing in passings(timeline) if passing.time_ns <= time)
    if share == 1:
        assert found.kind is PassingKind.END
    assert latest(timeline, -1) is None
