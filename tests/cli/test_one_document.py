"""With --json there is one JSON document on stdout, however a command ends, and what was computed is in it."""

import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from lnexplorer.__main__ import main
from lnexplorer.cli import terminal

RECORDINGS = Path(__file__).parents[2] / "resources/recordings"
LECTURE = str(RECORDINGS / "h200_lecture.lnrec")
BARRIER = str(RECORDINGS / "h200_barrier.lnexperiment")


def _ended(arguments: Sequence[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, Any]:
    return main(arguments), json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    "arguments",
    [
        ["trace", "--source", "nope", "--json"],
        ["experiment", "--json"],
        ["experiment", "nope", "--json"],
        ["experiment", "order", "--json", "--recorded", "/dev/null"],
        ["experiment", "order", "--json", "--recorded", BARRIER],
        ["run", "--m", "--json"],
        ["run", "--no-such-option", "--json"],
        ["sweep", "extra", "--json"],
        ["bench", "--no-such-option", "--json"],
        ["experiment", "order", "--repeats", "9" * 5000, "--json"],
        ["trace", "--source", "simulated", "--resident-programs", "9" * 5000, "--json"],
        ["touch", "--row", "x", "--json"],
        ["touch", "--row", "99999999999999999999", "--json"],
        ["touch", "--column", "-1", "--m", "0", "--json"],
    ],
)
def test_what_is_refused_is_refused_in_one_document(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    status, document = _ended(arguments, capsys)
    assert status == 2
    assert document["error"]["kind"] == "invalid"
    assert document["error"].keys() == {"kind", "problems"} or document["error"]["cause"]


def test_a_file_that_takes_the_document_leaves_stdout_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--json", str(tmp_path / "x.json"), "--no-such-option"]) == 2
    assert capsys.readouterr().out == ""


def test_a_trace_is_shown_though_its_file_cannot_be_written(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["trace", "--source", "recorded", "--recording", LECTURE, "--chrome", "/dev/full", "--json"]
    status, document = _ended(arguments, capsys)
    assert status == 3
    assert document["row"] == [0, 1, 2, 3]


def test_findings_are_shown_though_their_file_cannot_be_written(capsys: pytest.CaptureFixture[str]) -> None:
    status, document = _ended(["experiment", "barrier", "--recorded", BARRIER, "--save", "/dev/full", "--json"], capsys)
    assert status == 3
    assert document["experiment"] == "barrier"


def test_an_interrupted_run_says_so_in_its_document() -> None:
    command = [sys.executable, "-m", "lnexplorer", "run", "--m", "64", "--n", "64", "--device", "interpreter", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert json.loads(out)["error"]["kind"] == "interrupted"


def test_a_document_that_is_there_is_not_followed_by_another(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def print_and_stop(_arguments: list[str]) -> int:
        terminal.print_json({"whole": True})
        raise KeyboardInterrupt

    monkeypatch.setattr("lnexplorer.__main__.run_command", print_and_stop)
    assert _ended(["run", "--json"], capsys) == (130, {"whole": True})


@pytest.fixture(autouse=True)
def _nothing_printed_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "printed", False)
