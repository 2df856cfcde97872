"""With --json there is one JSON document on stdout, however a command ends; text of any kind is no
mistake of the program.
"""

import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from lnexplorer.cli import terminal
from tests.cli.conftest import Command, Refused
from tests.store.examples import files_of_at_most

RECORDINGS = Path(__file__).parents[2] / "resources/recordings"
LECTURE = str(RECORDINGS / "h200_lecture.lnrec")
BARRIER = str(RECORDINGS / "h200_barrier.lnexperiment")


@pytest.mark.parametrize(
    "line",
    [
        "trace --source nope",
        "experiment order --recorded h200_barrier",
        "run --m=--",
        "sweep --m 4 --n 8 --eps inf,1e-5",
        "bench --no-such-option",
        f"trace --source simulated --resident-programs {'9' * 5000}",
        f"experiment order --save {'x' * 300}",
    ],
)
def test_what_is_refused_is_refused_in_one_document(line: str, lnexplorer: Command) -> None:
    error = lnexplorer(f"{line} --json", status=2).document["error"]
    assert error["kind"] == "invalid"
    assert error.keys() == {"kind", "problems"} or error["cause"]


def test_a_file_that_takes_the_document_leaves_stdout_alone(
    tmp_path: Path, lnexplorer: Command
) -> None:
    assert lnexplorer(f"bench --json {tmp_path}/x.json --no-such-option", status=2).out == ""


def test_nothing_reaches_the_terminal_but_through_the_one_place_that_cleans_it() -> None:
    folder = Path(terminal.__file__).parent
    printing = [
        file.name
        for file in folder.glob("*.py")
        if re.search(r"\bprint\(|std(out|err)\.write\(", file.read_text())
    ]
    assert printing == ["terminal.py"]
    # What the window says on stderr is cleaned there; programs that are text, and a worker's words,
    # go elsewhere.
    elsewhere = {"report/script.py", "doctor/probe.py", "worker/remote.py"}
    raw = [
        f"{file.name}: {line.strip()}"
        for file in folder.parent.rglob("*.py")
        if file.parent != folder and str(file.relative_to(folder.parent)) not in elsewhere
        for line in file.read_text().splitlines()
        if re.search(r"(?<!\w)print\(|std(out|err)\.write\(", line) and "one_line(" not in line
    ]
    assert raw == []


def test_what_nobody_expected_ends_with_a_sentence_and_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lnexplorer: Command
) -> None:
    def breaks(*_: object) -> None:
        raise LookupError("no such page")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr("lnexplorer.engine.supervisor.run_in_turn", breaks)
    out, err = lnexplorer("run --json", status=3)
    assert json.loads(out)["error"] == {
        "kind": "failed",
        "phase": "program",
        "cause": "LookupError: no such page",
    }
    (report,) = tmp_path.iterdir()
    assert (
        err
        == "lnexplorer: something unexpected went wrong (LookupError: no such page); the report is"
        f" in {report}\n"
    )
    assert "Traceback" in report.read_text()


def test_a_folder_that_was_deleted_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: Refused
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert "the folder that this was started in is not there any more" in refused("run --m 4")
    os.chdir(tmp_path)


def test_a_signal_while_a_document_is_printed_does_not_cut_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written: list[str] = []

    class Slow(io.StringIO):
        def write(self, text: str) -> int:
            os.kill(os.getpid(), signal.SIGINT)
            written.append(text)
            return len(text)

    monkeypatch.setattr(sys, "stdout", Slow())
    terminal.print_json({"whole": True})
    assert json.loads("".join(written))["whole"]


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("trace --source recorded --recording h200_lecture --chrome", "row", [0, 1, 2, 3]),
        ("experiment barrier --recorded h200_barrier --save", "experiment", "barrier"),
    ],
)
def test_what_was_found_is_shown_though_its_file_cannot_be_written(
    line: str, name: str, value: object, lnexplorer: Command
) -> None:
    captured = lnexplorer(f"{line} /dev/full --json", status=3)
    assert captured.document[name] == value
    assert "/dev/full" in captured.err


def test_a_document_that_is_there_is_not_followed_by_another(
    monkeypatch: pytest.MonkeyPatch, lnexplorer: Command
) -> None:
    def print_and_stop(_arguments: list[str]) -> int:
        terminal.print_json({"whole": True})
        raise KeyboardInterrupt

    monkeypatch.setattr("lnexplorer.cli.main.run_command", print_and_stop)
    assert lnexplorer("run --json", status=130).document == {"schema_version": 1, "whole": True}


@pytest.fixture(autouse=True)
def _nothing_printed_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "printed", False)


def test_a_file_whose_name_is_no_unicode_is_named_without_a_traceback(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "lnexplorer", "export", "x.csv", "--from", b"\xff\xfe"]
    path = {"PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(
        command, cwd=tmp_path, env=os.environ | path, capture_output=True, timeout=100, check=False
    )
    assert run.returncode == 2
    assert b"Traceback" not in run.stderr
    assert b"No such file" in run.stderr


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_where_the_terminal_knows_ascii_alone_the_json_is_whole(
    encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding=encoding))
    terminal.print_json({"shape": "4×8"})
    assert json.loads(written.getvalue())["shape"] == "4×8"
    assert written.getvalue().isascii() == (encoding == "ascii")


def test_a_full_disk_leaves_no_empty_kernel(tmp_path: Path, refused: Refused) -> None:
    with files_of_at_most(100):
        told = refused(f"new-kernel {tmp_path}/first.py")
    assert "first.py cannot be written: File too large" in told
    assert not [*tmp_path.glob("*.py"), *tmp_path.glob(".*")]
