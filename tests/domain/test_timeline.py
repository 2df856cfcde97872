import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lnexplorer.domain.simulation.model import SINGLE_BUFFER, simulate
from lnexplorer.domain.timeline import (
    EventKind,
    RowState,
    latest_event,
    moment,
    next_event,
    phase_times,
    previous_event,
    summarize,
)
from lnexplorer.domain.violations import violations
from tests.domain.timelines import model, simulated


@pytest.fixture
def timeline():
    return simulated(12, 200, 3)


def changed(timeline, **places):
    """The timeline with single values put in, as name=(index, value)."""
    arrays = {}
    for name, (index, value) in places.items():
        arrays[name] = getattr(timeline, name).copy()
        arrays[name][index] = value
    return dataclasses.replace(timeline, **arrays)


def test_a_good_timeline_has_no_violations(timeline):
    assert violations(timeline) == []


@pytest.mark.parametrize("name", ["lock", "tile_sm"])
def test_too_few_values_are_found(timeline, name):
    short = dataclasses.replace(timeline, **{name: getattr(timeline, name)[:-1]})
    assert f"{name} has shape" in str(violations(short)[0])


@pytest.mark.parametrize(
    ("places", "words"),
    [
        ({"lock": (4, 2)}, "row 4: its lock is not row mod"),
        ({"order": (11, 0)}, "does not count its rows from 0"),
        ({"order": ([0, 3], [1, 0])}, "held its lock earlier"),
        ({"tile_start_ns": (1, 5)}, "starts before the last row"),
    ],
)
def test_what_cannot_be_is_found(timeline, places, words):
    assert any(words in str(found) for found in violations(changed(timeline, **places)))


@pytest.mark.parametrize(
    ("name", "later"),
    [("start_ns", "wanted_ns"), ("held_ns", "released_ns")],
)
def test_time_that_runs_backwards_is_found(timeline, name, later):
    wrong = changed(timeline, **{name: (5, getattr(timeline, later)[5] + 1)})
    assert any(f"row 5: {name} is later than {later}" in str(found) for found in violations(wrong))


def test_a_lock_held_by_two_rows_is_found(timeline):
    row = int(np.flatnonzero((timeline.lock == 1) & (timeline.order == 1))[0])
    first = int(np.flatnonzero((timeline.lock == 1) & (timeline.order == 0))[0])
    wrong = changed(
        timeline,
        held_ns=(row, timeline.released_ns[first] - 10),
        wanted_ns=(row, 0),
        start_ns=(row, 0),
    )
    assert any("held its lock at the same time" in str(found) for found in violations(wrong))
    assert violations(dataclasses.replace(wrong, tick_ns=10.0)) == []


def test_the_summary_adds_up():
    timeline = simulated(3, 8, 1, stagger_ns=0)
    summary = summarize(timeline)
    # All three want the lock at 1000; it is held from 1100, 2350 and 3600 for 800 each: with one or
    # two waiting, a hand-over takes one and a half times as long as a try.
    assert summary.stage1_ns == 4400
    # The first tries for 100, the others for the 450 of a hand-over, before which they queue.
    assert summary.trying_mean_ns == pytest.approx((100 + 450 + 450) / 3)
    assert summary.queued_mean_ns == pytest.approx((0 + 900 + 2150) / 3)
    assert (summary.trying_max_ns, summary.queued_max_ns, summary.rows_queued) == (450, 2150, 2)
    assert summary.peak_queue == 2
    assert summary.hold_mean_ns == 800
    assert summary.compute_mean_ns == 1000
    assert summary.share_trying == pytest.approx(1000 / (3 * 1800 + 4050))
    assert summary.share_queued == pytest.approx(3050 / (3 * 1800 + 4050))
    assert summary.busiest_lock_share == pytest.approx(2400 / 4400)
    # 500, and for one buffer of 32 a 32nd of 700; a single buffer has a shorter kernel.
    assert summary.stage2_ns == round((500 + 700 / 32) * SINGLE_BUFFER)


@pytest.fixture
def few():
    return simulated(4, 300, 1, stagger_ns=10)


def test_states_follow_a_row_through_its_life(few):
    for state, column in zip(list(RowState)[1:], phase_times(few), strict=True):
        assert moment(few, float(column[3])).state[3] == state
    assert moment(few, 29).state[3] == RowState.PENDING


def test_a_lock_knows_its_holder_and_its_queue(few):
    now = moment(few, float(few.held_ns[0]))
    assert now.holder.tolist() == [0]
    assert now.queued.tolist() == [3]
    assert now.trying.tolist() == [0]
    given_back = moment(few, float(few.released_ns[0]))
    assert (given_back.queued.tolist(), given_back.trying.tolist()) == ([2], [1])
    assert now.queue(0) == [1, 2, 3]
    assert now.added.tolist() == [0]
    assert moment(few, few.end_ns).added.tolist() == [4]


@given(st.integers(0, 20_000))
def test_rows_are_counted_once_at_every_moment(time_ns):
    timeline = simulate(40, 64, 6, 4, 128, model(jitter=0.4))
    now = moment(timeline, time_ns)
    assert sum(now.count(state) for state in RowState) == 40
    assert now.queued.sum() == now.count(RowState.QUEUED)
    assert now.trying.sum() == now.count(RowState.TRYING)
    assert (now.trying + (now.holder >= 0) <= 1).all(), "one row of a lock holds or tries it"
    assert (now.holder >= 0).sum() == now.count(RowState.HOLDING)


def test_stepping_forward_and_back_meets_the_same_events(few):
    forward, at = [], -1.0
    while (found := next_event(few, at)) is not None:
        forward.append(found)
        at = found
    backward = []
    while (found := previous_event(few, at + 1)) is not None:
        backward.append(found)
        at = found - 1
    assert forward == backward[::-1]
    assert forward[-1] == few.end_ns
    event = latest_event(few, float(few.held_ns[0]))
    assert event is not None
    assert event.kind is EventKind.HELD
    assert next_event(few, 0, row=3) == few.start_ns[3]


def test_a_tile_reads_buffers_in_steps():
    timeline = simulated(100, 8, 80)
    now = moment(timeline, 0.0)
    read = [
        dataclasses.replace(now, tile_progress=np.array([share])).buffers_read.tolist()
        for share in (0.0, 0.34, 0.7, 1.0)
    ]
    assert read == [[0], [32], [64], [80]]
