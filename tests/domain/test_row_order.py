"""Row by row against release by release."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lnexplorer.domain.simulation import row_order, row_releases
from lnexplorer.domain.simulation.event_loop import run_events
from lnexplorer.domain.simulation.progress import Progress
from lnexplorer.domain.simulation.stage1 import advance
from tests.domain.test_windows import turns_of
from tests.domain.timelines import model


def loop_only(turns, progress):
    pass


def finished(m, locks, parameters, seed, first):
    """All releases, holds after all, and how many releases `first` has found."""
    turns = turns_of(m, locks, parameters, seed)
    progress = Progress.begin(turns)
    first(turns, progress)
    found = sum(events.size for events in progress.ended)
    run_events(turns, progress)
    return np.concatenate(progress.ended).tolist(), turns.hold.tolist(), found


@pytest.mark.parametrize("first", [row_order.run_row_order, advance])
@settings(max_examples=60, deadline=None)
@given(
    m=st.integers(1, 1000),
    locks=st.one_of(st.integers(1, 6), st.integers(1, 200)),
    residents=st.integers(1, 200),
    jitter=st.sampled_from((0.0, 0.2, 0.5)),
    lock_spread=st.sampled_from((0.0, 0.1, 0.3)),
    compute_ns=st.sampled_from((0, 1, 30, 1000, 9000)),
    hold_ns=st.sampled_from((0, 1, 40, 800, 5000)),
    hand_over_ns=st.sampled_from((0, 1, 300, 4000)),
    try_ns=st.sampled_from((0, 100)),
    exit_ns=st.sampled_from((0, 1, 700)),
    stagger_ns=st.sampled_from((0, 0.3, 50)),
    crowd_ns=st.sampled_from((0.0, 3.0)),
    spin_ns=st.sampled_from((0.0, 0.8)),
    seed=st.integers(0, 1000),
    batch=st.sampled_from((1, 7, 100, 10_000)),
    many=st.sampled_from((1, 1000)),
    near=st.sampled_from((1, 20)),
)
def test_row_by_row_comes_to_the_same_as_release_by_release(first, m, locks, residents, seed, batch, many, near, **times):
    locks = min(locks, m)
    schedule = model(resident_programs=residents, hold_slowdown=0.6, **times)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_order, "_BATCH", batch)
        patch.setattr(row_releases, "_MANY", many)
        patch.setattr(row_releases, "_NEAR", near)
        patch.setattr(row_releases, "_NEAR_OF_LOCK", 0)
        ended, hold, _ = finished(m, locks, schedule, seed, first)
    assert (ended, hold) == finished(m, locks, schedule, seed, loop_only)[:2]


@pytest.mark.parametrize(("locks", "residents"), [(1, 1000), (16, 1000), (64, 1000), (8, 16)])
def test_rows_of_a_usual_launch_come_in_order(locks, residents):
    schedule = model(resident_programs=residents, jitter=0.2, lock_spread=0.1)
    assert finished(8000, locks, schedule, 0, row_order.run_row_order)[2] == 8000 - residents


def test_a_row_that_overtakes_one_that_was_to_find_the_lock_free_is_noticed():
    schedule = model(resident_programs=16, compute_ns=9000, hold_ns=40, hand_over_ns=1, jitter=0.5)
    assert finished(2000, 2, schedule, 0, row_order.run_row_order)[2] == 0


@pytest.mark.parametrize("times", [{"compute_ns": 10**15}, {"compute_ns": 0, "hold_ns": 0, "try_ns": 0, "exit_ns": 0}])
def test_times_too_long_for_a_float_and_rows_that_take_none_are_left_to_the_event_loop(times):
    assert finished(100, 4, model(**times), 0, row_order.run_row_order)[2] == 0
