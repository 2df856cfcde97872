"""Reading runs without changing anything of the file, in whatever state it is."""

import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from lnexplorer.store.history_reading import ReadRuns, read_runs

from lnexplorer.domain.history_filter import parse
from lnexplorer.store.history import History
from tests.store.examples import small_result
from tests.store.history.histories import filled

NEWEST_FIRST = replace(parse(""), sorted_by="id", descending=True)


def left_alone(path: Path, count: int | None = None) -> ReadRuns:
    before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    found = read_runs(path, NEWEST_FIRST, count)
    assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == before
    return found


def execute(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute(sql)
        database.commit()


def test_an_older_history_is_read_and_stays_old(path: Path) -> None:
    runs = filled(path)
    execute(path, "ALTER TABLE lines DROP COLUMN forward_counted")
    execute(path, "PRAGMA user_version = 3")
    found = left_alone(path)
    assert [number for number, _, _ in found.runs] == runs[::-1]
    assert (found.broken, found.damaged, found.unread) == (None, False, {})


def test_what_a_window_has_written_and_not_yet_moved_into_the_file_is_read(path: Path) -> None:
    history = History(path, pytest.fail)
    number = history.add(small_result())
    history.annotate(number, "new")
    found = read_runs(path, NEWEST_FIRST, None)
    assert [(id_, note) for id_, note, _ in found.runs] == [(number, "new")]
    copy = path.parent / "copy"  # as a window that was killed leaves it
    copy.mkdir()
    for file in path.parent.glob("history.sqlite3*"):
        shutil.copy(file, copy / file.name)
    history.close()
    assert len(read_runs(copy / path.name, NEWEST_FIRST, None).runs) == 1


def test_a_database_of_another_program_is_named(path: Path) -> None:
    execute(path, "CREATE TABLE letters (text)")
    assert left_alone(path).broken == f"The history in {path} cannot be read: it is a database of another program."


@pytest.mark.parametrize(
    ("sql", "why"), [("DROP TABLE lines", "may be a deleted one"), ("DROP TABLE results", "no such table: results")]
)
def test_each_run_that_a_missing_table_costs_is_counted(path: Path, sql: str, why: str) -> None:
    runs = filled(path)
    execute(path, sql)
    found = left_alone(path)
    assert (sorted(found.unread), found.runs) == (sorted(runs), [])
    assert all(why in reason for reason in found.unread.values())


def test_a_missing_column_costs_the_notes_alone(path: Path) -> None:
    runs = filled(path)
    execute(path, "ALTER TABLE lines DROP COLUMN note")
    found = left_alone(path, count=2)
    assert [number for number, _, _ in found.runs] == runs[::-1][:2]
    assert found.without_note == runs[::-1][:2]
