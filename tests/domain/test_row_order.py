"""Row by row against release by release."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lnexplorer.domain.simulation import row_order, row_releases
from lnexplorer.domain.simulation.stage1 import advance
from tests.domain.launches import Launch, launches, release_by_release
from tests.domain.timelines import model


@pytest.mark.parametrize("first", [row_order.run_row_order, advance])
@settings(max_examples=60, deadline=None)
@given(
    launch=launches(most_rows=1000, most_places=200),
    batch=st.sampled_from((1, 7, 100, 10_000)),
    many=st.sampled_from((1, 1000)),
    near=st.sampled_from((1, 20)),
)
def test_row_by_row_comes_to_the_same_as_release_by_release(first, launch, batch, many, near):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_order, "_BATCH", batch)
        patch.setattr(row_releases, "_MANY", many)
        patch.setattr(row_releases, "_NEAR", near)
        patch.setattr(row_releases, "_NEAR_OF_LOCK", 0)
        ended, hold, _ = launch.finished(first)
    assert (ended, hold) == launch.finished(release_by_release)[:2]


@pytest.mark.parametrize(("locks", "residents"), [(1, 1000), (16, 1000), (64, 1000), (8, 16)])
def test_rows_of_a_usual_launch_come_in_order(locks, residents):
    launch = Launch(8000, locks, model(resident_programs=residents, jitter=0.2, lock_spread=0.1))
    assert launch.finished(row_order.run_row_order)[2] == 8000 - residents


def test_a_row_that_overtakes_one_that_was_to_find_the_lock_free_is_noticed():
    schedule = model(resident_programs=16, compute_ns=9000, hold_ns=40, hand_over_ns=1, jitter=0.5)
    assert Launch(2000, 2, schedule).finished(row_order.run_row_order)[2] == 0


def test_times_too_long_for_a_float_are_left_to_the_event_loop():
    assert Launch(100, 4, model(compute_ns=10**15)).finished(row_order.run_row_order)[2] == 0
