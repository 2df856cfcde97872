"""Session files."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lnexplorer.domain.provenance import Kind
from lnexplorer.domain.request import RunRequest
from lnexplorer.storage.session_file import MAX_RUNS, Session, SessionError, SessionRun, read_session, write_session
from tests.storage.examples import files_of_at_most, small_result

SESSION = Session(
    request=RunRequest(n=2048, eps=float("inf")),
    runs=(SessionRun(result=small_result(), note="fast"), SessionRun(result=small_result(Kind.INTERPRETED))),
    baseline=0,
    shown=1,
    layout="AAAA",
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "one.lnsession"
    write_session(path, SESSION)
    return path


def test_a_session_comes_back_and_what_was_measured_is_recorded(path: Path) -> None:
    session = read_session(path)
    assert session.request == SESSION.request
    assert (session.baseline, session.shown, session.layout) == (0, 1, "AAAA")
    assert [run.note for run in session.runs] == ["fast", ""]
    assert [run.result.provenance.kind for run in session.runs] == [Kind.RECORDED, Kind.INTERPRETED]
    before, after = (one.runs[0].result for one in (SESSION, session))
    assert after.provenance.environment == before.provenance.environment
    assert before.throughput is not None
    assert after.throughput is not None
    for one, other in zip(before.throughput.figures, after.throughput.figures, strict=True):
        np.testing.assert_array_equal(one.samples_ms, other.samples_ms)
    np.testing.assert_array_equal(before.correctness.maps[0].values, after.correctness.maps[0].values)


def test_the_file_is_json_that_every_reader_takes(path: Path) -> None:
    document = json.loads(path.read_text(), parse_constant=pytest.fail)
    assert (document["format"], document["version"]) == ("lnexplorer session", 1)
    assert document["session"]["request"]["n"] == 2048


def _set(*keys: Any, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        place: Any = document
        for key in keys[:-1]:
            place = place[key]
        place[keys[-1]] = value

    return change


ARRAY = ("session", "runs", 0, "result", "throughput", "figures", 0, "samples_ms", "array")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (_set("version", value=2), "version 2 of the format"),
        (_set("version", value="x"), "version is not known"),
        (_set("format", value="a letter"), "not a session of this program"),
        (_set("session", "baseline", value=2), "baseline is run 2 of 2"),
        (_set("session", "shown", value=-1), "shown is run -1"),
        (_set("session", "runs", 0, "result", value={}), "not complete"),
        (_set("session", "runs", 0, "result", "resolved", "m", value=0), "0 rows"),
        (_set("session", "request", value=None), "not complete"),
        (_set(*ARRAY, "base64", value="!!"), "damaged"),
        (_set(*ARRAY, "base64", value="AAAA"), "not as large"),
        (_set(*ARRAY, "shape", value=[-1]), "without a shape"),
        (_set(*ARRAY, "dtype", value="O"), "that is none"),
        (_set(*ARRAY, "dtype", value="<i8"), "not complete"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(path: Path, change: Callable[[dict[str, Any]], None], why: str) -> None:
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))
    with pytest.raises(SessionError, match=why) as refused:
        read_session(path)
    assert str(refused.value).startswith(f"{path} cannot be opened: ")


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"[]", b"{", b"[" * 100_000, b"\xff\xfe"])
def test_what_is_no_session_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "letter.lnsession"
    path.write_bytes(data)
    with pytest.raises(SessionError, match="not a session"):
        read_session(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match="No such file"):
        read_session(tmp_path / "none.lnsession")


def test_newer_fields_are_passed_over(path: Path) -> None:
    document = json.loads(path.read_text())
    document["session"]["weather"] = "fine"
    document["session"]["request"]["clusters"] = 4
    path.write_text(json.dumps(document))
    assert read_session(path).request == SESSION.request


def test_a_full_disk_leaves_the_old_file(path: Path) -> None:
    before = path.read_bytes()
    with files_of_at_most(100), pytest.raises(SessionError, match="cannot be saved"):
        write_session(path, SESSION)
    assert path.read_bytes() == before


def test_too_many_runs_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    runs = SESSION.runs[:1] * (MAX_RUNS + 1)
    with pytest.raises(SessionError, match=f"at most {MAX_RUNS} runs"):
        write_session(tmp_path / "big.lnsession", Session(request=RunRequest(), runs=runs))
    assert list(tmp_path.iterdir()) == []
