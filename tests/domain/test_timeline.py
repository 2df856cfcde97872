import dataclasses

import numpy as np
import pytest

from lnexplorer.domain.simulation import simulate
from lnexplorer.domain.simulation.model import SINGLE_BUFFER
from lnexplorer.domain.timeline import summarize
from lnexplorer.domain.violations import violations
from tests.domain.timelines import model


@pytest.fixture
def timeline():
    return simulate(12, 200, 3, 32, 128, model())


def changed(timeline, **places):
    """The timeline with single values put in, as name=(index, value)."""
    arrays = {}
    for name, (index, value) in places.items():
        arrays[name] = getattr(timeline, name).copy()
        arrays[name][index] = value
    return dataclasses.replace(timeline, **arrays)


def test_a_good_timeline_has_no_violations(timeline):
    assert violations(timeline) == []


def test_a_row_too_few_is_found(timeline):
    assert "lock has shape" in str(violations(dataclasses.replace(timeline, lock=timeline.lock[:-1]))[0])


def test_a_missing_tile_is_found(timeline):
    assert "tile_sm has shape (1,), not (" in str(violations(dataclasses.replace(timeline, tile_sm=timeline.tile_sm[:1]))[0])


def test_a_row_on_another_lock_is_found(timeline):
    assert any("row 4 uses lock 2" in str(found) for found in violations(changed(timeline, lock=(4, 2))))


@pytest.mark.parametrize(("name", "later"), [("start_ns", "wanted_ns"), ("wanted_ns", "held_ns"), ("held_ns", "released_ns")])
def test_time_that_runs_backwards_is_found(timeline, name, later):
    wrong = changed(timeline, **{name: (5, getattr(timeline, later)[5] + 1)})
    assert any(f"row 5: {name} is later than {later}" in str(found) for found in violations(wrong))


def test_a_lock_held_by_two_rows_is_found(timeline):
    row = int(np.flatnonzero((timeline.lock == 1) & (timeline.order == 1))[0])
    first = int(np.flatnonzero((timeline.lock == 1) & (timeline.order == 0))[0])
    wrong = changed(timeline, held_ns=(row, timeline.released_ns[first] - 10), wanted_ns=(row, 0), start_ns=(row, 0))
    assert any("hold lock 1 at the same time" in str(found) for found in violations(wrong))
    assert violations(dataclasses.replace(wrong, tick_ns=10.0)) == []


def test_an_order_that_counts_twice_is_found(timeline):
    assert any("does not count its rows from 0" in str(found) for found in violations(changed(timeline, order=(11, 0))))


def test_an_order_against_the_clock_is_found(timeline):
    order = timeline.order.copy()
    order[[0, 3]] = order[[3, 0]]
    assert any("but held it earlier" in str(found) for found in violations(dataclasses.replace(timeline, order=order)))


def test_a_tile_before_the_last_release_is_found(timeline):
    assert any("starts before the last row" in str(found) for found in violations(changed(timeline, tile_start_ns=(1, 5))))


def test_the_summary_adds_up():
    timeline = simulate(3, 8, 1, 32, 128, model(stagger_ns=0))
    summary = summarize(timeline)
    # All three want the lock at 1000; it is held from 1100, 2350 and 3600 for 800 each: with one or two waiting, a
    # hand-over takes one and a half times as long as a try.
    assert summary.stage1_ns == 4400
    assert summary.wait_mean_ns == pytest.approx((100 + 1350 + 2600) / 3)
    assert summary.wait_max_ns == 2600
    assert summary.hold_mean_ns == 800
    assert summary.compute_mean_ns == 1000
    assert summary.share_waiting == pytest.approx(4050 / (3 * 1800 + 4050))
    assert summary.busiest_lock_share == pytest.approx(2400 / 4400)
    # 500, and for one buffer of 32 a 32nd of 700; a single buffer has a shorter kernel.
    assert summary.stage2_ns == round((500 + 700 / 32) * SINGLE_BUFFER)


def test_a_timeline_without_rows_has_a_summary():
    assert summarize(simulate(0, 8, 4, 32, 128, model())).stage1_ns == 0
