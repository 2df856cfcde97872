import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lnexplorer.domain.simulation.model import SimulationParameters, simulate
from lnexplorer.domain.simulation.prediction import default_model
from lnexplorer.domain.timeline import most_in_flight, summarize
from lnexplorer.domain.violations import violations
from lnexplorer.protocol.codec import DecodeError, encode, from_plain, to_plain
from lnexplorer.protocol.foreign import check_bounds
from lnkernels.values.environment import Kind
from tests.domain.launches import launches
from tests.domain.timelines import model, request, simulated


@given(
    launch=launches(most_rows=100, most_places=60),
    n=st.integers(1, 300),
    arbitration=st.sampled_from(("random", "fifo", "newest")),
)
def test_every_simulated_timeline_can_have_happened(launch, n, arbitration):
    parameters = dataclasses.replace(launch.parameters, arbitration=arbitration, seed=launch.seed)
    timeline = simulate(launch.m, n, launch.locks, 32, 128, parameters)
    assert violations(timeline) == []
    assert timeline.kind is Kind.SIMULATED
    assert (timeline.held_ns - timeline.wanted_ns >= round(parameters.try_ns)).all()
    assert most_in_flight(timeline) <= parameters.resident_programs
    assert timeline.tile_start_ns.size == -(-n // 128)


def test_equal_seeds_give_equal_timelines_and_who_waits_has_an_equal_chance():
    waiting = {"arbitration": "random", "resident_programs": 3000, "stagger_ns": 0}
    timeline, again = (simulated(3000, 8, 600, **waiting) for _ in range(2))
    assert np.array_equal(timeline.held_ns, again.held_ns)
    first = (
        np.flatnonzero(timeline.order == 0) // 600
    )  # which of the five rows that come to a lock at once
    assert np.abs(np.bincount(first, minlength=5) / 600 - 1 / 5).max() < 0.06


def test_a_row_starts_in_the_place_of_one_that_has_ended():
    m, residents = 4000, 100
    schedule = model(
        resident_programs=residents, sm_count=residents, jitter=0.3, arbitration="random"
    )  # an SM is a place
    timeline = simulate(m, 64, 16, 32, 64, schedule)
    assert set(timeline.sm.tolist()) == set(range(residents))
    rows = np.lexsort((timeline.start_ns, timeline.sm))
    before, after = rows[:-1], rows[1:]
    same = timeline.sm[before] == timeline.sm[after]
    assert (timeline.start_ns[after[same]] == timeline.released_ns[before[same]] + 50).all()


def test_one_buffer_lets_one_row_in_at_a_time():
    timeline = simulated(50, 64, 1, resident_programs=50)
    held, released = np.sort(timeline.held_ns), np.sort(timeline.released_ns)
    assert (held[1:] >= released[:-1] + 300).all()
    assert summarize(timeline).stage1_ns >= 50 * 800 + 49 * 300


def test_tries_of_those_that_wait_make_locks_slower_and_more_so_the_more_wait():
    def stage1_ns(residents, spin_ns):
        schedule = model(resident_programs=residents, spin_ns=spin_ns, hold_slowdown=0.5)
        return summarize(simulate(400, 64, 2, 32, 128, schedule)).stage1_ns

    assert stage1_ns(100, 10.0) > 1.5 * stage1_ns(100, 0.0)
    assert stage1_ns(200, 10.0) > 1.2 * stage1_ns(100, 10.0)


def test_stage_2_takes_as_long_as_it_has_buffers():
    def stage2_ns(buffers):
        return summarize(simulated(64, 64, buffers)).stage2_ns

    assert stage2_ns(16) == pytest.approx(500 + 700 / 2, abs=1)
    assert stage2_ns(64) == pytest.approx(500 + 700 * 2, abs=1)
    assert stage2_ns(1) < 0.75 * stage2_ns(2)  # a kernel of its own


def test_a_first_wave_shares_the_bandwidth():
    timeline = simulated(64, 64, 64, resident_programs=32, crowd_ns=20.0)
    compute = timeline.wanted_ns - timeline.start_ns
    assert compute[:32].mean() == pytest.approx(1000 + 32 * 20, rel=0.2)
    # All 32 compute or hold a lock, or their places are being filled: nobody waits.
    assert np.unique(compute[32:]).size == 1
    assert 1000 + 16 * 20 < compute[32] < 1000 + 32 * 20


@given(m=st.integers(1, 60), group_size_m=st.integers(1, 20), residents=st.integers(1, 40))
def test_more_resident_programs_are_never_slower(m, group_size_m, residents):
    few = simulated(m, 64, group_size_m, resident_programs=residents, stagger_ns=0)
    more = simulated(m, 64, group_size_m, resident_programs=residents + 1, stagger_ns=0)
    assert more.end_ns <= few.end_ns


def test_arbitration_decides_who_is_next():
    in_order = simulated(4, 64, 1, arbitration="fifo")
    newest_first = simulated(4, 64, 1, arbitration="newest")
    assert in_order.order.tolist() == [0, 1, 2, 3]
    assert newest_first.order.tolist() == [0, 3, 2, 1]


def test_the_default_times_predict_the_default_run():
    schedule = default_model(request(m=4096, n=8192), 132, 132)
    summary = summarize(simulate(4096, 8192, 96, 32, 128, schedule))
    assert summary.stage1_ns / 1000 == pytest.approx(180, rel=0.1)
    assert summary.stage2_ns / 1000 == pytest.approx(6.1, rel=0.3)


def test_a_model_of_a_file_has_programs_and_an_arbitration_that_is_known():
    with pytest.raises(DecodeError, match="arbitration"):
        from_plain({**to_plain(model()), "arbitration": "priority"}, SimulationParameters)
    with pytest.raises(DecodeError, match="resident_programs"):
        check_bounds(encode(model(resident_programs=0)), SimulationParameters)


def test_times_that_fit_into_no_integer_are_refused():
    with pytest.raises(ValueError, match="too long to simulate"):
        simulated(1000, 64, 1000, compute_ns=10**16)
