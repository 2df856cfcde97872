"""Session files."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lnexplorer.store.session_lines import by_lines

from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.views import CorrectnessView
from lnexplorer.store import session_file
from lnexplorer.store.files import StoreError
from lnexplorer.store.session import FILE, Session, SessionRun, read_session, write_session
from lnkernels.values.environment import Kind
from tests.store.examples import files_of_at_most, small_result
from tests.store.session_examples import full_session

VERSION_1 = Path(__file__).parent / "data" / "version_1.lnsession"
SESSION = full_session()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "one.lnsession"
    write_session(path, SESSION)
    return path


def test_runs_come_back_and_what_was_measured_is_recorded(path: Path) -> None:
    session = read_session(path)
    assert session.left_out == ()
    assert session.request == SESSION.request
    assert (session.baseline, session.shown, session.charted, session.layout) == (0, 1, (0, 1), "AAAA")
    assert [run.note for run in session.runs] == ["fast 快", ""]
    assert [run.result.provenance.kind for run in session.runs] == [Kind.RECORDED, Kind.INTERPRETED]
    before, after = (one.runs[0].result for one in (SESSION, session))
    assert after.provenance.environment == before.provenance.environment
    assert before.throughput is not None
    assert after.throughput is not None
    for one, other in zip(before.throughput.figures, after.throughput.figures, strict=True):
        np.testing.assert_array_equal(one.samples_ms, other.samples_ms)
    np.testing.assert_array_equal(before.correctness.maps[0].values, after.correctness.maps[0].values)


def test_what_else_is_open_comes_back_with_its_views(path: Path) -> None:
    session = read_session(path)
    assert session.views == SESSION.views
    assert session.part is not None
    assert session.part.name == "dx"
    timeline, before = session.timeline, SESSION.timeline
    assert timeline is not None
    assert before is not None
    assert timeline.view == before.view
    assert (timeline.request, timeline.environment) == (before.request, before.environment)
    assert timeline.timeline is not None
    assert before.timeline is not None
    assert timeline.timeline.kind is Kind.RECORDED
    np.testing.assert_array_equal(timeline.timeline.released_ns, before.timeline.released_ns)
    assert timeline.timeline.sums is not None
    assert before.timeline.sums is not None
    np.testing.assert_array_equal(timeline.timeline.sums.dw_after, before.timeline.sums.dw_after)
    assert session.beside[0].curves == SESSION.beside[0].curves
    assert session.launches == SESSION.launches
    kinds = [experiment.provenance.kind for experiment in session.experiments]
    assert kinds == [Kind.RECORDED, Kind.INTERPRETED]
    assert session.experiments[0].group_size == SESSION.experiments[0].group_size


def test_a_sweep_comes_back_with_every_row_and_its_samples(path: Path) -> None:
    session = read_session(path)
    assert (session.sweep, session.sweep_form) == (0, SESSION.sweep_form)
    sweep, before = session.sweeps[0], SESSION.sweeps[0]
    assert (sweep.sweep, sweep.date, sweep.ended) == (before.sweep, before.date, "finished")
    assert sweep.note == before.note == "slow clocks 慢"
    assert [row.cell for row in sweep.results] == [row.cell for row in before.results]
    assert {row.kind for row in sweep.results} == {Kind.RECORDED}
    one, other = sweep.results[-1].figures[0], before.results[-1].figures[0]
    np.testing.assert_array_equal(one.samples_ms, other.samples_ms)


def test_the_file_is_json_that_every_reader_takes(path: Path) -> None:
    document = json.loads(path.read_text(), parse_constant=pytest.fail)
    assert (document["format"], document["version"]) == ("lnexplorer session", 2)
    assert document["session"]["request"]["n"] == 2048
    assert "left_out" not in document["session"]


def test_a_session_of_version_1_is_opened() -> None:
    session = read_session(VERSION_1)
    assert session.left_out == ()
    assert session.request == SESSION.request
    assert (session.baseline, session.shown, session.layout) == (0, 1, "AAAA")
    assert [(run.note, run.result.provenance.kind) for run in session.runs] == [
        ("fast 快", Kind.RECORDED),
        ("", Kind.INTERPRETED),
    ]
    assert session.runs[0].result.throughput is not None
    assert (session.sweeps, session.experiments, session.timeline) == ((), (), None)


def test_a_session_without_what_came_later_is_opened(path: Path) -> None:
    document = json.loads(path.read_text())
    del document["session"]["launches"], document["session"]["sweeps"][0]["note"]
    del document["session"]["timeline"]["environment"]
    for name in ("columns", "histogram", "zoom"):
        del document["session"]["views"]["correctness"][name]
    path.write_text(json.dumps(document))
    session = read_session(path)
    assert (session.left_out, session.launches) == ((), ())
    assert [sweep.note for sweep in session.sweeps] == [""]
    assert session.views.correctness == CorrectnessView(picture="map", tensor="dx", log=False)


def test_an_empty_session_is_one(tmp_path: Path) -> None:
    path = tmp_path / "empty.lnsession"
    write_session(path, Session(request=RunRequest(m=7)))
    assert read_session(path).request.m == 7


def _set(*keys: Any, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        place: Any = document
        for key in keys[:-1]:
            place = place[key]
        place[keys[-1]] = value

    return change


def _changed(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (_set("version", value=3), "version 3 of the format"),
        (_set("version", value="x"), "version is not known"),
        (_set("format", value="a letter"), "not a session of this program"),
        (_set("session", value=[]), "holds no session"),
    ],
)
def test_what_is_of_another_kind_is_refused_with_a_sentence(
    path: Path, change: Callable[[dict[str, Any]], None], why: str
) -> None:
    _changed(path, change)
    with pytest.raises(StoreError, match=why) as refused:
        read_session(path)
    assert str(refused.value).startswith(f"{path} cannot be opened: ")


ARRAY = ("runs", 0, "result", "throughput", "figures", 0, "samples_ms", "array")
SUMS = ("timeline", "timeline")
ROW = ("sweeps", 0, "results", 0)


@pytest.mark.parametrize(
    ("keys", "value", "why"),
    [
        (("runs", 0, "result"), {}, r"run 1: it is damaged or not complete"),
        (("runs", 0, "result", "resolved", "m"), 0, "run 1: .*0 rows"),
        ((*ARRAY, "base64"), "!!", "run 1: .*damaged"),
        ((*ARRAY, "base64"), "AAAA", "run 1: .*not as large"),
        ((*ARRAY, "shape"), [-1], "run 1: .*without a shape"),
        ((*ARRAY, "dtype"), "O", "run 1: .*that is none"),
        ((*ARRAY, "dtype"), [], "run 1: "),
        ((*ARRAY, "dtype"), "<i8", "run 1: .*not complete"),
        (("runs",), {}, "every run: "),
        (("baseline",), 2, "the baseline: .*2 to choose from"),
        (("shown",), -1, "the run on the screen: "),
        (("request",), [], "the parameters: "),
        ((*SUMS, "m"), 0, "the timeline: m of its timeline is 0"),
        ((*SUMS, "lock"), None, "the timeline: "),
        (("timeline", "view", "fitted", "parameters", "hold_ns"), -1.0, "hold_ns of its model is -1"),
        (("timeline", "view", "fitted", "parameters", "sm_count"), 0, "the timeline: "),
        (("timeline", "view", "fitted", "fitted_to"), 1 << 40, "GROUP_SIZE_M = .*1 to 65536"),
        (("timeline", "request", "launch", "group_size_m"), 0, "the timeline: .*group_size_m = 0"),
        (("timeline", "request", "launch", "reduce_block_size_n"), 0, "the timeline: .*reduce_block_size_n = 0"),
        (("timeline", "request", "m"), 9, "the timeline: its timeline is of 8 rows of 16 columns, and its run of 9"),
        (("timeline", "environment", "gpu"), "=1", "the timeline: gpu of its environment is"),
        (("timeline", "view", "time_ns"), {"float": "nan"}, "outside of all time"),
        ((*ROW, "cell", "number"), 5, "sweep 1: .*order of their cells"),
        ((*ROW, "status"), "wonderful", "sweep 1: "),
        (("sweeps", 0, "samples_ms"), [1.0], "sweep 1: "),
        (("sweep",), 9, "the sweep on the screen: .*1 to choose from"),
        (("sweep_form", "effort"), "none", "the form of the sweep: "),
        (("experiments", 1, "request", "name"), "barrier", "experiment 2: "),
        (("beside", 0, "curves", 0, "provider"), "=1", "figures beside the sweep 1: the name of a curve is =1"),
        (("beside", 0, "curves", 0, "y"), [1.0], "figures beside the sweep 1: .*the curve of torch"),
        (("launches", 0, "seen", "group_size_m"), 0, "earlier trace 1: .*1 to 65536"),
        (("launches", 0, "seen", "programs"), 0, "earlier trace 1: its programs is 0"),
        (("launches", 0, "seen", "summary", "stage1_ns"), -5, "earlier trace 1: stage1_ns of its times is -5"),
        (("launches", 0, "seen", "summary", "wait_mean_ns"), {"float": "nan"}, "earlier trace 1: wait_mean_ns"),
        (
            ("launches", 0, "seen", "cost"),
            {"plain_ns": 0.0, "traced_ns": 5.0, "repetitions": 3},
            "earlier trace 1: plain_ns of its times is 0",
        ),
        (("launches", 0, "kernel"), {}, "earlier trace 1: "),
        (("views", "correctness", "zoom"), [4.0, 4.0, 0.0, 1.0], "pane correctness .*zoomed to where nothing"),
        (("views", "correctness", "zoom"), [{"float": "nan"}, 4.0, 0.0, 1.0], "pane correctness .*zoomed"),
        (("views", "correctness", "zoom"), [1.0, 4.0], "pane correctness"),
        (("views", "touch", "row"), "first", "how the pane touch shows what it has: "),
    ],
)
def test_a_part_that_cannot_be_shown_is_named_and_takes_no_other_with_it(
    path: Path, keys: tuple[Any, ...], value: Any, why: str
) -> None:
    _changed(path, _set("session", *keys, value=value))
    session = read_session(path)
    assert len(session.left_out) == 1
    (said,) = session.left_out
    assert re.search(why, said), said
    whole = {"runs": 2, "launches": 1, "sweeps": 1, "experiments": 2, "beside": 1}
    for name, count in whole.items():
        if name != keys[0]:
            assert len(getattr(session, name)) == count
    assert (session.timeline is None) == (keys[0] == "timeline")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            _set("session", "charted", value=[0, 7]),
            "one of the chart of speeds: charted has 7, and there are 2 to choose from",
        ),
        (_set("session", "part", "column_start", value=1 << 62), "the part of an error map: dx, rows 0 to 4, columns 4611"),
        (_set("session", "part", "name", value="\x1b[31m"), "the part of an error map:  [31m, rows 0 to 4"),
    ],
)
def test_what_is_pointed_at_and_is_not_there_is_named(path: Path, change: Callable[[dict[str, Any]], None], said: str) -> None:
    _changed(path, change)
    session = read_session(path)
    assert [sentence[: len(said)] for sentence in session.left_out] == [said]
    assert len(session.runs) == 2


def test_places_follow_their_runs_when_another_is_left_out(path: Path) -> None:
    _changed(path, _set("session", "runs", 0, "result", value={}))
    session = read_session(path)
    assert (session.baseline, session.shown, session.charted) == (None, 0, (0,))
    assert session.runs[0].result.provenance.kind is Kind.INTERPRETED


def test_a_session_of_which_nothing_is_left_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "one.lnsession"
    write_session(path, Session(request=RunRequest(), runs=(SessionRun(result=small_result()),)))
    _changed(path, _set("session", "runs", 0, "result", "resolved", "m", value=0))
    with pytest.raises(StoreError, match="nothing of it can be shown: run 1"):
        read_session(path)


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"[]", b"{", b"[" * 100_000, b"\xff\xfe"])
def test_what_is_no_session_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "letter.lnsession"
    path.write_bytes(data)
    with pytest.raises(StoreError, match="not a session"):
        read_session(path)


def test_a_session_that_is_not_whole_is_refused(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(StoreError, match="not a session, or its text is damaged"):
        read_session(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="No such file"):
        read_session(tmp_path / "none.lnsession")


def test_newer_fields_are_passed_over(path: Path) -> None:
    document = json.loads(path.read_text())
    document["session"]["weather"] = "fine"
    document["session"]["request"]["clusters"] = 4
    document["session"]["views"]["weather"] = {"cloudy": True}
    path.write_text(json.dumps(document))
    session = read_session(path)
    assert (session.request, session.left_out) == (SESSION.request, ())


def test_a_full_disk_leaves_the_old_file(path: Path) -> None:
    before = path.read_bytes()
    with files_of_at_most(100), pytest.raises(StoreError, match="cannot be saved"):
        write_session(path, SESSION)
    assert path.read_bytes() == before


def test_a_session_that_would_be_too_large_leaves_the_old_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = path.read_bytes()
    monkeypatch.setattr(session_file, "FILE", replace(FILE, most_bytes=1 << 10))
    with pytest.raises(StoreError, match="choose fewer runs or sweeps"):
        write_session(path, SESSION)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_file_is_read_line_by_line_and_one_of_another_layout_as_a_whole(path: Path) -> None:
    document = json.loads(path.read_text())
    assert by_lines(path.read_bytes(), json.loads) == document
    for text in (json.dumps(document), json.dumps(document, indent=2)):
        assert by_lines(text.encode(), json.loads) is None
        path.write_text(text)
        session = read_session(path)
        assert (session.left_out, session.views) == ((), SESSION.views)
        assert [len(session.runs), len(session.sweeps), len(session.experiments)] == [2, 1, 2]


def test_an_empty_session_has_lines_too(tmp_path: Path) -> None:
    path = tmp_path / "empty.lnsession"
    write_session(path, Session(request=RunRequest()))
    assert by_lines(path.read_bytes(), json.loads) == json.loads(path.read_text())
    assert by_lines(path.read_bytes()[:-4], json.loads) is None
