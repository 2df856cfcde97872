"""Intervals of medians and of their ratios."""

from dataclasses import replace

import numpy as np
import pytest

from lnexplorer.domain.comparison import Drift, Interval, median_interval, ratio
from lnexplorer.domain.history import compare, history_row
from tests.benchmarks.false_alarms import count, pairs_of_runs
from tests.sample_results import make_result


def known(samples: np.ndarray) -> Interval:
    interval = median_interval(samples)
    assert interval is not None
    return interval


def test_the_interval_of_a_median_holds_the_true_one_in_about_95_of_100_cases() -> None:
    rng = np.random.default_rng(3)
    true = np.log(2.0)  # of the exponential distribution, as skewed as times are
    intervals = [known(rng.exponential(size=60)) for _ in range(1000)]
    inside = [interval.low <= true <= interval.high for interval in intervals]
    assert 0.93 <= np.mean(inside) <= 0.99


def test_few_samples_have_a_median_and_no_interval() -> None:
    count = 5
    few = known(np.arange(1.0, count + 1))
    assert few == Interval(0.0, (count + 1) / 2, np.inf)
    assert not few.is_known
    gain = ratio(few, known(np.full(100, 1e-3)))
    assert not gain.is_known
    assert gain.holds_nothing
    assert gain.value == pytest.approx(1000 * few.value)


def test_equal_speeds_are_within_noise_and_unequal_ones_are_not() -> None:
    rng = np.random.default_rng(5)
    inside = 0
    for _ in range(200):
        one, other, faster = (known(f * rng.gamma(40, 0.025, 100)) for f in (1.0, 1.0, 1.3))
        inside += ratio(one, other).holds_nothing
        assert not ratio(faster, one).holds_nothing
    assert inside >= 180


def two_runs(rng: np.random.Generator, planted: float) -> tuple[Interval, Interval, Drift]:
    """A kernel in two runs, as on an H200: the second machine is up to 4 % slower or faster as a
    whole, each capture of a kernel differs by 0.6 %, and each sample by 2 %.
    """

    def captured(speed: float) -> Interval:
        return known(rng.normal(rng.normal(1 / speed, 0.006), 0.02, 40))

    drift = float(rng.uniform(0.96, 1.04))
    others = [(captured(1.0), captured(drift)) for _ in range(4)]
    told = Drift.of([before.value / after.value for before, after in others])
    return captured(1.0), captured(drift * (1 - planted)), told


def test_a_drift_of_the_whole_machine_is_no_change_and_5_percent_are_seen_through_it() -> None:
    rng = np.random.default_rng(8)
    unchanged = [ratio(*two_runs(rng, 0.0)) for _ in range(300)]
    slower = [ratio(*two_runs(rng, 0.05)) for _ in range(300)]
    assert sum(change.high < 1 for change in unchanged) <= 9, "2.5 % lie below 95 % intervals"
    assert sum(change.high < 1 for change in slower) >= 285
    deaf = [ratio(one, other) for one, other, _ in (two_runs(rng, 0.0) for _ in range(300))]
    assert sum(change.high < 1 for change in deaf) > 30, "it is the drift that makes them"


def test_without_what_did_not_change_or_where_it_is_scattered_less_is_known() -> None:
    one = known(np.full(100, 1.0))
    alone = ratio(one, one, Drift.of([]))
    known_drift = ratio(one, one, Drift.of([1.0, 1.001, 0.999, 1.0]))
    scattered = ratio(one, one, Drift.of([0.9, 1.0, 1.1, 1.05, 0.95]))
    assert known_drift.high < alone.high < scattered.high


def test_in_the_shipped_series_no_unchanged_kernel_is_slower_and_5_percent_are_seen() -> None:
    unchanged, alarms, planted, finds = count("", pairs_of_runs(), "kernel_cold", 1 / 0.95)
    assert (unchanged, planted) == (90, 45)
    assert alarms <= 1
    assert finds >= 43


def test_runs_are_compared_by_their_speed_and_only_on_like_devices() -> None:
    slow, fast = (history_row(1, "", make_result(wobble=factor)) for factor in (1.0, 1.1))
    gain = compare(fast, slow, "backward")
    assert gain is not None
    assert gain.value == pytest.approx(1.1)
    assert compare(replace(fast, device="NVIDIA A100"), slow, "forward") is None
    assert compare(replace(fast, forward_gbps=None), slow, "forward") is None
