import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lnexplorer.domain.moments import (
    EventKind,
    RowState,
    buffers_read,
    latest_event,
    moment,
    next_event,
    previous_event,
    queue_of,
)
from lnexplorer.domain.simulation import simulate
from tests.domain.timelines import model


@pytest.fixture
def timeline():
    return simulate(4, 300, 1, 32, 128, model(stagger_ns=10))


def test_states_follow_a_row_through_its_life(timeline):
    times = (timeline.start_ns, timeline.wanted_ns, timeline.held_ns, timeline.released_ns)
    for state, column in zip((RowState.COMPUTING, RowState.WAITING, RowState.HOLDING, RowState.DONE), times, strict=True):
        assert moment(timeline, float(column[3])).state[3] == state
    assert moment(timeline, 29).state[3] == RowState.PENDING


def test_a_lock_knows_its_holder_and_its_queue(timeline):
    now = moment(timeline, float(timeline.held_ns[0]))
    assert now.holder.tolist() == [0]
    assert now.waiting.tolist() == [3]
    assert queue_of(timeline, now.state, 0) == [1, 2, 3]
    assert now.added.tolist() == [0]
    assert moment(timeline, timeline.end_ns).added.tolist() == [4]


@given(st.integers(0, 20_000))
def test_rows_are_counted_once_at_every_moment(time_ns):
    timeline = simulate(40, 64, 6, 4, 128, model(jitter=0.4))
    now = moment(timeline, time_ns)
    assert sum(now.count(state) for state in RowState) == 40
    assert now.waiting.sum() == now.count(RowState.WAITING)
    assert (now.holder >= 0).sum() == now.count(RowState.HOLDING)


def test_stepping_forward_and_back_meets_the_same_events(timeline):
    forward, at = [], -1.0
    while (found := next_event(timeline, at)) is not None:
        forward.append(found)
        at = found
    backward = []
    while (found := previous_event(timeline, at + 1)) is not None:
        backward.append(found)
        at = found - 1
    assert forward == backward[::-1]
    assert forward[-1] == timeline.end_ns
    assert next_event(timeline, 0, row=3) == timeline.start_ns[3]


def test_the_latest_event_tells_holding_before_wanting():
    timeline = simulate(2, 8, 2, 32, 128, model(stagger_ns=0, try_ns=0))
    event = latest_event(timeline, float(timeline.held_ns[0]))
    assert event is not None
    assert event.kind is EventKind.HELD
    assert latest_event(timeline, -1) is None


def test_a_tile_reads_buffers_in_steps():
    timeline = simulate(100, 8, 80, 32, 128, model())
    assert buffers_read(timeline, np.array([0.0, 0.34, 0.7, 1.0])).tolist() == [0, 32, 64, 80]
