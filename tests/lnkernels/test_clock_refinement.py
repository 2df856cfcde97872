"""Times from SM clocks against times that are known, as a timer with long steps would tell them."""

import numpy as np
import pytest

from lnkernels.trace.clock_refinement import refined

TICK_NS, NS_PER_CYCLE, SMS = 1024, 0.57, 8


def readings(m, span_ns, seed=0, *, slower_from=None):
    """True times [4, M], and what timer and clocks show of them; from a time on, the clocks may go
    at half their pace.
    """
    rng = np.random.default_rng(seed)
    sm = rng.integers(0, SMS, m).astype(np.int32)
    true = 5_000_123 + np.sort(rng.uniform(0, span_ns, (4, m)), axis=0)
    begin = rng.uniform(0, 1e12, SMS)
    clock = (
        true if slower_from is None else true - np.maximum(true - 5_000_123 - slower_from, 0) / 2
    )
    cycles = np.floor(clock / NS_PER_CYCLE + begin[sm]).astype(np.int64)
    return true, (np.floor(true / TICK_NS) * TICK_NS).astype(np.int64), cycles, sm


@pytest.mark.parametrize("seed", range(2))
def test_refined_times_are_as_near_to_the_truth_as_they_say(seed):
    true, timer, cycles, sm = readings(1000, 300_000, seed)
    found = refined(timer, cycles, sm, TICK_NS)
    assert found is not None
    times, doubt = found
    assert doubt < TICK_NS / 5
    assert np.abs(times - true).max() <= doubt
    assert (np.diff(times, axis=0) >= 0).all()


def test_too_few_readings_refine_nothing():
    _, timer, cycles, sm = readings(8, 3_000)
    assert refined(timer, cycles, sm, TICK_NS) is None


def test_a_clock_that_changes_its_pace_refines_nothing():
    _, timer, cycles, sm = readings(1000, 300_000, slower_from=150_000)
    assert refined(timer, cycles, sm, TICK_NS) is None
