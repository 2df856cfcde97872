"""Timelines of all strategies in one grammar: what cannot be is found, and what programs do is
added up.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lnexplorer.domain.timeline import of_locked, shares
from lnexplorer.domain.violations import violations
from lnkernels.values.timeline import StrategyTimeline, places
from tests.sample_timelines import sharing_timeline, walking_timeline
from tests.store.examples import traced_timeline


def test_a_walk_that_can_be_has_no_violations() -> None:
    assert violations(walking_timeline()) == []
    assert violations(sharing_timeline()) == []
    assert violations(of_locked(traced_timeline())) == []


def _changed(name: str, at: int, value: int) -> StrategyTimeline:
    timeline = walking_timeline()
    array = getattr(timeline, name).copy()
    array[at] = value
    return replace(timeline, **{name: array})


@pytest.mark.parametrize(
    ("name", "at", "value", "words"),
    [
        ("first_row", 1, 0, "every row exactly once"),
        ("start_ns", 0, 500, "start_ns is later than ready_ns"),
        ("start_ns", 2, 150, "two pieces at the same time"),
        ("program_start_ns", 1, 120, "before its program starts"),
        ("program_start_ns", 0, -5, "before time 0"),
        ("add_begin_ns", 0, 150, "does not have yet"),
        ("add_end_ns", 0, 300, "add_begin_ns is later than add_end_ns"),
        ("tile_end_ns", 1, 0, "tile_start_ns is later than tile_end_ns"),
        ("tile_start_ns", 0, 300, "starts before the last sums"),
        ("program", 0, 7, "not there"),
    ],
)
def test_what_cannot_be_is_found(name: str, at: int, value: int, words: str) -> None:
    changed = _changed(name, at, value)
    if name == "tile_start_ns":
        changed = replace(changed, tile_setup_ns=np.zeros_like(changed.tile_setup_ns))
    assert any(words in str(sentence) for sentence in violations(changed))


@pytest.mark.parametrize(
    "changed",
    [{"rows": 0}, {"m": 1 << 60}, {"tile_sm": np.zeros((1, 1), np.int32)}],
)
def test_sizes_that_do_not_fit_are_found(changed: dict[str, Any]) -> None:
    assert violations(replace(walking_timeline(), **changed))


def test_what_cannot_be_of_rows_that_are_shared_is_found() -> None:
    timeline = sharing_timeline()
    begin, end = timeline.wait_begin_ns, timeline.wait_end_ns
    assert begin is not None
    assert end is not None
    twice = timeline.program.copy()
    twice[1] = twice[0]
    changes: list[tuple[dict[str, Any], str]] = [
        ({"slices": 1}, "every row exactly once"),
        ({"program": twice}, "takes a row twice"),
        ({"wait_begin_ns": end + 1}, "is later than"),
        ({"wait_end_ns": timeline.ready_ns + 1}, "is later than"),
        ({"wait_end_ns": None}, "waits have a begin and an end, or neither"),
        ({"wait_end_ns": np.zeros(3, np.int64)}, "wait_end_ns has shape (3,)"),
    ]
    for changed, words in changes:
        assert any(words in str(each) for each in violations(replace(timeline, **changed)))


def test_waits_within_pieces_are_no_computing() -> None:
    told = shares(sharing_timeline())
    # Four programs of 420 ns: of the seven rows' pieces, each of 100 ns, one slice waits 20 ns and
    # the other 10; two programs have a row less, and wait 100 ns for the others to end.
    assert told.add == pytest.approx(4 * 20 / 1680)
    assert told.waiting == pytest.approx((7 * 30 + 2 * 100) / 1680)
    assert told.compute + told.trying + told.waiting + told.add == pytest.approx(1.0)


def test_programs_of_one_lane_do_not_run_at_the_same_time() -> None:
    timeline = of_locked(traced_timeline())
    overlapping = replace(
        timeline, add_end_ns=timeline.add_end_ns + 150, sm=np.zeros_like(timeline.sm)
    )
    lanes = places(overlapping.program_start_ns, overlapping.add_end_ns)
    assert lanes.size == timeline.m
    assert lanes.max() == 2  # each runs until the third after it has begun
    for lane in range(3):
        own = np.flatnonzero(lanes == lane)
        own = own[np.argsort(overlapping.program_start_ns[own])]
        assert (overlapping.program_start_ns[own][1:] >= overlapping.add_end_ns[own][:-1]).all()
