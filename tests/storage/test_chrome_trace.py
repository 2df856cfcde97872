"""Slices of the exported trace: all of a timeline, and none that overlaps another on its thread."""

import itertools
from collections import defaultdict
from typing import Any

import pytest

from lnexplorer.domain.simulation import simulate
from lnexplorer.domain.timeline import ReductionTimeline
from lnexplorer.storage.chrome_trace import LOCKS, SMS, chrome_trace
from tests.domain.timelines import model
from tests.storage.examples import traced_timeline


def slices(timeline: ReductionTimeline) -> list[dict[str, Any]]:
    return [event for event in chrome_trace(timeline)["traceEvents"] if event["ph"] == "X"]


@pytest.fixture
def timeline() -> ReductionTimeline:
    return simulate(60, 300, 4, 2, 64, model(resident_programs=12, arbitration="random", jitter=0.3))


def test_every_row_has_its_parts_its_hold_and_every_tile_is_there(timeline: ReductionTimeline) -> None:
    events = slices(timeline)
    assert len(events) == 5 * timeline.m + timeline.tile_sm.size
    rows = [event for event in events if event["pid"] == SMS and event["name"].startswith("row")]
    assert [event["args"]["row"] for event in rows] == list(range(timeline.m))
    assert rows[7]["ts"] == timeline.start_ns[7] / 1000
    assert rows[7]["dur"] == pytest.approx((timeline.released_ns[7] - timeline.start_ns[7]) / 1000)
    tiles = [event for event in events if event["name"].startswith("stage 2")]
    assert tiles[-1]["args"] == {"first_column": 256, "last_column": 299}


def test_slices_of_one_thread_do_not_overlap_unless_one_is_part_of_the_other(timeline: ReductionTimeline) -> None:
    outer = defaultdict(list)
    for event in slices(timeline):
        if event["name"] not in {"compute", "wait", "hold"}:
            outer[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
    for spans in outer.values():
        spans.sort()
        assert all(end <= start + 1e-9 for (_, end), (start, _) in itertools.pairwise(spans))


def test_threads_are_named_after_sms_and_locks_and_tries_are_told() -> None:
    document = chrome_trace(traced_timeline())
    names = {event["args"]["name"] for event in document["traceEvents"] if event["ph"] == "M"}
    assert {"SMs", "locks", "SM 0, place 0", "lock 1"} <= names
    held = [event for event in document["traceEvents"] if event["ph"] == "X" and event["pid"] == LOCKS]
    assert [event["args"]["tries"] for event in held] == list(range(1, 9))
    assert document["otherData"]["clock"] == "timer and SM clocks"
