"""Slices of the exported trace: all of a timeline, and none that overlaps another on its thread."""

import itertools
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest

from lnexplorer.domain.simulation.model import simulate
from lnexplorer.domain.timeline import moment
from lnexplorer.report.chrome_trace import FIRST_SM, LOCKS, write_chrome_trace
from lnkernels.values.timeline import ReductionTimeline
from tests.domain.timelines import model
from tests.store.examples import traced_timeline


def chrome_trace(timeline: ReductionTimeline) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "trace.json"
        write_chrome_trace(file, timeline)
        found: dict[str, Any] = json.loads(file.read_bytes(), parse_constant=pytest.fail)
    return found


def slices(timeline: ReductionTimeline) -> list[dict[str, Any]]:
    return [event for event in chrome_trace(timeline)["traceEvents"] if event["ph"] == "X"]


@pytest.fixture
def timeline() -> ReductionTimeline:
    return simulate(
        60, 300, 4, 2, 64, model(resident_programs=12, arbitration="random", jitter=0.3)
    )


def test_every_row_has_its_parts_its_hold_and_every_tile_is_there(
    timeline: ReductionTimeline,
) -> None:
    events = slices(timeline)
    assert len(events) == 6 * timeline.m + timeline.tile_sm.size
    rows = [
        event for event in events if event["pid"] >= FIRST_SM and event["name"].startswith("row")
    ]
    assert [event["args"]["row"] for event in rows] == list(range(timeline.m))
    assert rows[7]["ts"] == timeline.start_ns[7] / 1000
    assert rows[7]["dur"] == pytest.approx((timeline.released_ns[7] - timeline.start_ns[7]) / 1000)
    tiles = [event for event in events if event["name"].startswith("stage 2")]
    assert tiles[-1]["args"] == {"first_column": 256, "last_column": 299}


def test_every_event_has_what_the_viewers_ask_for(timeline: ReductionTimeline) -> None:
    end = timeline.end_ns / 1000
    for event in chrome_trace(timeline)["traceEvents"]:
        assert event["ph"] in {"X", "M", "C"}
        assert isinstance(event["name"], str)
        assert all(type(event[key]) is int and event[key] >= 0 for key in ("pid", "tid"))
        if event["ph"] == "X":
            assert event["ts"] >= 0
            assert event["dur"] >= 0
            assert event["ts"] + event["dur"] <= end + 1e-9


def test_no_two_threads_of_any_process_have_one_number_and_all_are_named(
    timeline: ReductionTimeline,
) -> None:
    events = chrome_trace(timeline)["traceEvents"]
    named = [(event["pid"], event["tid"]) for event in events if event["name"] == "thread_name"]
    processes = {event["pid"] for event in events if event["name"] == "process_name"}
    assert len({thread for _, thread in named}) == len(named)
    assert all(thread > 0 for _, thread in named)
    assert {(event["pid"], event["tid"]) for event in events} == set(named)
    assert {process for process, _ in named} == processes


def test_a_counter_has_the_queue_of_each_lock_at_every_time(timeline: ReductionTimeline) -> None:
    counters = [event for event in chrome_trace(timeline)["traceEvents"] if event["ph"] == "C"]
    assert len(counters) == 3 * timeline.m
    for lock in range(4):
        own = [event for event in counters if event["name"] == f"lock {lock}: rows that want it"]
        for event, following in itertools.pairwise(own):
            if event["ts"] < following["ts"]:
                now = moment(timeline, round(event["ts"] * 1000))
                assert event["args"] == {"queued": now.queued[lock], "trying": now.trying[lock]}
        assert own[-1]["args"] == {"queued": 0, "trying": 0}


def test_each_sm_is_a_process_locks_are_threads_and_tries_are_told() -> None:
    document = chrome_trace(traced_timeline())
    names = {
        (event["name"], event["pid"], event["args"]["name"])
        for event in document["traceEvents"]
        if event["ph"] == "M" and event["name"].endswith("_name")
    }
    assert ("process_name", LOCKS, "locks") in names
    assert ("process_name", FIRST_SM, "SM 0") in names
    assert ("thread_name", FIRST_SM, "place 0") in names
    assert ("thread_name", LOCKS, "lock 1") in names
    held = [
        event for event in document["traceEvents"] if event["ph"] == "X" and event["pid"] == LOCKS
    ]
    assert [event["args"]["tries"] for event in held] == list(range(1, 9))
    assert document["otherData"]["clock"] == "timer and SM clocks"
