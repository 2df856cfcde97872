"""Many releases at a time against one after another."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lnexplorer.domain.simulation import windows
from lnexplorer.domain.simulation.draws import Draws
from lnexplorer.domain.simulation.event_loop import run_events
from lnexplorer.domain.simulation.progress import Progress
from lnexplorer.domain.simulation.turns import Turns
from tests.domain.timelines import model


def turns_of(m, locks, parameters, seed=0):
    first = min(parameters.resident_programs, m)
    return Turns.of(m, locks, first, parameters, Draws.draw(parameters, locks, first, np.random.default_rng(seed)))


def finished(m, locks, parameters, seed, in_windows):
    turns = turns_of(m, locks, parameters, seed)
    progress = Progress.begin(turns)
    if in_windows:
        windows.run_windows(turns, progress)
    of_windows = sum(events.size for events in progress.ended)
    run_events(turns, progress)
    return np.concatenate(progress.ended).tolist(), turns, of_windows


@settings(max_examples=60, deadline=None)
@given(
    m=st.integers(1, 2000),
    locks=st.one_of(st.integers(1, 6), st.integers(1, 400)),
    residents=st.integers(1, 400),
    jitter=st.sampled_from((0.0, 0.2, 0.5)),
    lock_spread=st.sampled_from((0.0, 0.1, 0.3)),
    compute_ns=st.sampled_from((0, 1, 30, 1000, 9000)),
    hold_ns=st.sampled_from((0, 1, 40, 800, 5000)),
    first_hold_ns=st.sampled_from((None, 0, 200)),
    hand_over_ns=st.sampled_from((0, 1, 300, 4000)),
    try_ns=st.sampled_from((0, 100)),
    exit_ns=st.sampled_from((0, 1, 700)),
    stagger_ns=st.sampled_from((0, 0.3, 50)),
    crowd_ns=st.sampled_from((0.0, 3.0)),
    spin_ns=st.sampled_from((0.0, 0.8)),
    seed=st.integers(0, 1000),
)
def test_windows_come_to_the_same_as_release_by_release(m, locks, residents, seed, **times):
    locks = min(locks, m)
    schedule = model(resident_programs=residents, hold_slowdown=0.6, **times)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(windows, "_LEAST", -1000)  # however small they are
        ended, turns, _ = finished(m, locks, schedule, seed, in_windows=True)
    expected, plain_turns, _ = finished(m, locks, schedule, seed, in_windows=False)
    assert ended == expected
    assert turns.hold.tolist() == plain_turns.hold.tolist()


@pytest.mark.parametrize("locks", [1, 64])
def test_windows_take_nearly_all_rows_of_a_launch_that_fills_the_device(locks):
    _, _, of_windows = finished(8000, locks, model(resident_programs=1000, jitter=0.2), 0, in_windows=True)
    assert of_windows > 5000


def test_few_programs_are_left_to_the_event_loop():
    _, _, of_windows = finished(8000, 4, model(resident_programs=8, jitter=0.2), 0, in_windows=True)
    assert of_windows < 500


def test_times_that_fit_into_no_integer_are_refused():
    with pytest.raises(ValueError, match="too long to simulate"):
        turns_of(1000, 1000, model(compute_ns=10**16))
