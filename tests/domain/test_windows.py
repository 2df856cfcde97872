"""Many releases at a time against one after another."""

import pytest
from hypothesis import given, settings

from lnexplorer.domain.simulation import windows
from tests.domain.launches import Launch, launches, release_by_release
from tests.domain.timelines import model


@settings(max_examples=60, deadline=None)
@given(launch=launches(most_rows=2000, most_places=400))
def test_windows_come_to_the_same_as_release_by_release(launch):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(windows, "_LEAST", -1000)  # however small they are
        ended, hold, _ = launch.finished(windows.run_windows)
    assert (ended, hold) == launch.finished(release_by_release)[:2]


@pytest.mark.parametrize("locks", [1, 64])
def test_windows_take_nearly_all_rows_of_a_launch_that_fills_the_device(locks):
    assert Launch(8000, locks, model(resident_programs=1000, jitter=0.2)).finished(windows.run_windows)[2] > 5000


def test_few_programs_are_left_to_the_event_loop():
    assert Launch(8000, 4, model(resident_programs=8, jitter=0.2)).finished(windows.run_windows)[2] < 500


def test_times_that_fit_into_no_integer_are_refused():
    with pytest.raises(ValueError, match="too long to simulate"):
        Launch(1000, 1000, model(compute_ns=10**16)).turns()
