"""`lnexplorer export` of a history that cannot be read, whole or in part: nothing there is changed, and the rest is
written.
"""

import csv
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from lnexplorer.__main__ import main
from lnexplorer.store.history import open_history
from lnexplorer.store.paths import HOME_VARIABLE
from lnkernels.values.environment import Kind
from tests.store.examples import small_result


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    monkeypatch.setenv(HOME_VARIABLE, str(home))
    path = home / "lnexplorer.sqlite3"
    with open_history(path, pytest.fail) as history:
        for kind in (Kind.MEASURED, Kind.INTERPRETED, Kind.MEASURED):
            history.runs.add(small_result(kind))
        history.runs.annotate(3, "third")
        history.runs.set_deleted([history.runs.add(small_result(Kind.MEASURED))], deleted=True)
    return path


def change(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(sql)


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


def test_damaged_runs_cost_no_other_and_nothing_is_put_aside(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(path, "UPDATE results SET result = x'00' WHERE id = 1")
    change(path, "UPDATE runs SET m = m + 1 WHERE id = 2")
    ran = Ran(path, capsys)
    assert ran.status == 3
    assert ran.rows() == [("3", "third")]
    assert ran.out.startswith("1 run: ")
    said = f"lnexplorer export: of {path}, which is left as it is, cannot be read (run"
    assert ran.err == [
        f"{said} 2): its line in the list is damaged.",
        f"{said} 1): its checksum is not that of what it says.",
        "lnexplorer export: 2 of 3 runs could not be read",
    ]
    whole = json.loads(Ran(path, capsys, "runs.json").file.read_text())
    assert [run["id"] for run in whole["runs"]] == [3]
    assert [each["id"] for each in whole["unread"]] == [2, 1]
    assert Ran(path, capsys, "runs.csv", "--last", "1").status == 0


def _spoil(path: Path) -> None:
    path.write_bytes(bytes(4096) + path.read_bytes()[4096:])


@pytest.mark.parametrize(
    ("spoil", "words"),
    [(_spoil, "is damaged: it is no database."), (lambda path: change(path, "PRAGMA user_version = 99"), "has version 99")],
)
def test_a_file_of_which_nothing_can_be_read_is_named(
    spoil: Callable[[Path], object], words: str, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil(path)
    ran = Ran(path, capsys)
    assert ran.status == 3
    assert words in ran.err[0]
    assert ran.err[-1] == f"lnexplorer export: {ran.file} is not written: no run of the history could be read"
    assert not ran.file.exists()


def test_without_a_history_none_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    assert main(["export", str(tmp_path / "runs.csv")]) == 3
    assert "there is no run to export" in capsys.readouterr().err
    assert not (tmp_path / "home" / "lnexplorer.sqlite3").exists()


@pytest.mark.parametrize("line", ["n>=banana", "passed=yes"])
def test_a_filter_that_is_not_possible_is_refused(line: str, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = Ran(path, capsys, "runs.csv", "--filter", line)
    assert ran.status == 2
    assert ran.err[0].startswith(f"lnexplorer export: filter = {line} is not possible: ")
