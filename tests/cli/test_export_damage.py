"""`lnexplorer export` of a history that cannot be read, whole or in part: nothing there is changed, and the rest is written."""

import csv
import json
import sqlite3
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lnexplorer.__main__ import main
from lnexplorer.store.history import History
from lnexplorer.store.paths import HOME_VARIABLE
from lnkernels.values.environment import Kind
from tests.store.examples import small_result

PAGE = 4096


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    monkeypatch.setenv(HOME_VARIABLE, str(home))
    history = History(home / "history.sqlite3", pytest.fail)
    for kind in (Kind.MEASURED, Kind.INTERPRETED, Kind.MEASURED):
        long = replace(small_result(kind), notes=tuple(f"{zlib.crc32(bytes([i % 256, i // 256])):x}" for i in range(2000)))
        history.add(long)  # a run has pages of its own
    history.annotate(3, "third")
    history.delete([history.add(small_result(Kind.MEASURED))])
    history.close()
    return home / "history.sqlite3"


def overwrite_pages(path: Path, *numbers: int) -> None:
    with path.open("r+b") as stream:
        for number in numbers:
            stream.seek((number - 1) * PAGE)
            stream.write(b"\xff" * PAGE)


def root(path: Path, name: str) -> int:
    connection = sqlite3.connect(path)
    found = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (name,)).fetchone()[0]
    connection.close()
    return int(found)


def pages_of_run(path: Path, number: int) -> list[int]:
    """Pages that hold nothing but this run."""
    connection = sqlite3.connect(path)
    (blob,) = connection.execute("SELECT result FROM results WHERE id = ?", (number,)).fetchone()
    connection.close()
    data = path.read_bytes()
    return [1 + data.find(blob[at : at + 64]) // PAGE for at in range(5000, len(blob) - 5000, 1000)]


class Ran:
    """One export, after which the folder of the history is as it was."""

    def __init__(self, path: Path, capsys: pytest.CaptureFixture[str], name: str = "runs.csv", *options: str) -> None:
        before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
        self.file = path.parent.parent / name
        self.status = main(["export", str(self.file), *options])
        printed = capsys.readouterr()
        self.out, self.err = printed.out, printed.err.splitlines()
        assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == before
        assert "There is no run" not in printed.err
        assert "is begun" not in printed.err

    def rows(self) -> list[tuple[str, str]]:
        return [(row["id"], row["note"]) for row in csv.DictReader(self.file.read_text().splitlines())]


def test_a_damaged_run_costs_no_other_and_nothing_is_put_aside(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    overwrite_pages(path, *pages_of_run(path, 2))
    ran = Ran(path, capsys)
    assert ran.status == 3
    assert ran.rows() == [("3", "third"), ("1", "")]
    assert ran.out.startswith("2 runs: ")
    assert ran.err[0] == "lnexplorer export: Run 2 cannot be read: database disk image is malformed."
    assert "history.sqlite3 is left as it is. If you have an earlier copy" in ran.err[1]
    assert ran.err[-1] == "lnexplorer export: 1 of 3 runs could not be read"

    whole = json.loads(Ran(path, capsys, "runs.json").file.read_text())
    assert [run["id"] for run in whole["runs"]] == [3, 1]
    assert whole["unread"] == [{"id": 2, "reason": "database disk image is malformed"}]
    assert Ran(path, capsys, "runs.csv", "--last", "1").status == 0


def test_a_run_that_the_database_gives_and_nobody_understands_is_counted(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    connection = sqlite3.connect(path)
    connection.execute("UPDATE results SET result = x'00' WHERE id IN (1, 2)")
    connection.commit()
    connection.close()
    ran = Ran(path, capsys)
    assert ran.status == 3
    assert ran.rows() == [("3", "third")]
    assert "Runs 1–2 cannot be read: it is damaged, or another version" in ran.err[0]
    assert ran.err[1:] == ["lnexplorer export: 2 of 3 runs could not be read"]


@pytest.mark.parametrize("options", [(), ("--filter", "n>=1")])
def test_runs_are_found_without_their_list(options: tuple[str, ...], path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    overwrite_pages(path, root(path, "lines"))
    ran = Ran(path, capsys, "runs.csv", *options)
    assert sorted(ran.rows()) == [("1", ""), ("2", ""), ("3", "")]  # the deleted one is not among them
    assert "The notes of runs 1–3 cannot be read." in ran.err[0]
    assert ran.status == 3
    assert ran.err[-1] == "lnexplorer export: 3 runs could be read only without their notes"


def test_a_damaged_index_or_baseline_costs_no_run(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    overwrite_pages(path, root(path, "lines_by_date"), root(path, "sqlite_autoindex_settings_1"))
    ran = Ran(path, capsys)
    assert [number for number, _ in ran.rows()] == ["3", "2", "1"]
    assert "Which run the others are compared with cannot be read: database disk image is malformed." in ran.err[0]


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda path: path.write_bytes(b"no database at all" * 500), "cannot be read: file is not a database."),
        (lambda path: overwrite_pages(path, 1), "cannot be read: file is not a database."),
    ],
)
def test_a_file_of_which_nothing_can_be_read_is_named(
    spoil: Callable[[Path], object], words: str, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil(path)
    ran = Ran(path, capsys)
    assert ran.status == 3
    assert f"The history in {path} {words}" in ran.err[0]
    assert "runs.csv is not written: there is no run that can be read." in ran.err[-2]
    assert ran.err[-1] == "lnexplorer export: no run of the history could be read"
    assert not ran.file.exists()


def test_a_newer_history_is_not_said_to_be_empty(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    ran = Ran(path, capsys)
    assert (ran.status, ran.err[-1]) == (3, "lnexplorer export: no run of the history could be read")
    assert "has version 99" in ran.err[0]


def test_without_a_history_none_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    assert main(["export", str(tmp_path / "runs.csv")]) == 3
    assert "there is no run to export" in capsys.readouterr().err
    assert not (tmp_path / "home" / "history.sqlite3").exists()


@pytest.mark.parametrize("line", ["n>=banana", "passed=yes"])
def test_a_filter_that_is_not_possible_is_refused(line: str, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = Ran(path, capsys, "runs.csv", "--filter", line)
    assert ran.status == 2
    assert ran.err[0].startswith(f"lnexplorer export: filter: {line[0]}")
    assert " is not possible: " in ran.err[0]
