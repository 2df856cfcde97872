"""Statistics of measured times."""

import numpy as np
import pytest

from lnkernels.timing.samples import EVENT_STEP_MS, LEAST_SAMPLES, has_settled, median_interval, summarize


def test_percentiles_are_those_of_the_samples():
    timing = summarize([5.0, 1.0, 4.0, 2.0, 3.0, 6.0], "cold")
    assert (timing.p20_ms, timing.p50_ms, timing.p80_ms) == (2.0, 3.5, 5.0)
    assert timing.repetitions == 6
    assert timing.l2 == "cold"


def test_samples_keep_their_order_and_cannot_be_changed():
    taken = [3.0, 1.0, 2.0]
    timing = summarize(taken, "warm")
    taken.append(9.0)
    assert timing.samples_ms.tolist() == [3.0, 1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        timing.samples_ms[0] = 0.0


@pytest.mark.parametrize("bad", [[], [1.0, float("nan")], [float("inf")], [-1.0]])
def test_samples_that_are_no_times_are_refused(bad):
    with pytest.raises(ValueError, match="samples_ms"):
        summarize(bad, "cold")


def test_one_sample_is_all_three_percentiles_and_not_settled():
    timing = summarize([2.0], "cold")
    assert (timing.p20_ms, timing.p50_ms, timing.p80_ms) == (2.0, 2.0, 2.0)
    assert not timing.settled


def test_the_medians_interval_holds_the_true_median_nineteen_times_in_twenty():
    generator = np.random.default_rng(0)
    # Skewed, as times are: the true median of a log-normal is exp(mu) = 1.
    draws = generator.lognormal(0.0, 0.5, (2000, 60))
    inside = [low <= 1.0 <= high for low, high in map(median_interval, draws)]
    assert 0.93 <= np.mean(inside) <= 0.99


def test_too_few_samples_have_no_interval_and_never_settle():
    assert median_interval([0.2] * 5) == (0.0, np.inf)
    assert median_interval([0.1, *[0.2] * 4, 0.3]) == (0.1, 0.3)
    assert not has_settled([0.2] * 5, least=1)


def test_a_steady_time_settles_and_a_spread_one_does_not():
    generator = np.random.default_rng(1)
    assert has_settled(generator.normal(0.2, 0.002, 50))
    assert not has_settled(generator.normal(0.2, 0.05, 50))


def test_a_few_samples_never_settle_however_equal():
    assert not has_settled([0.2] * (LEAST_SAMPLES - 1))
    assert has_settled([0.2] * LEAST_SAMPLES)


def test_a_time_that_jumps_by_the_events_own_step_settles():
    # 2 µs, measured to half a microsecond: no number of samples gets it within 1 %.
    assert has_settled([0.0020, 0.0020 + EVENT_STEP_MS] * 50)


def test_one_outlier_does_not_keep_a_median_from_settling():
    assert has_settled([0.2] * 40 + [50.0])
