"""A damaged or foreign file is kept aside, and nothing in it is overwritten."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from lnexplorer.store.history import History
from tests.store.examples import small_result
from tests.store.history.histories import filled, ids_of


def test_a_file_that_is_no_database_is_kept_aside_and_a_new_history_begun(path: Path, warnings: list[str]) -> None:
    content = b"This is a letter.\n" * 100
    path.write_bytes(content)
    history = History(path, warnings.append)
    history.add(small_result())
    assert len(ids_of(history)) == 1
    history.close()
    (kept,) = path.parent.glob("history.sqlite3.2*[0-9]")
    assert kept.read_bytes() == content
    assert len(warnings) == 1
    assert kept.name in warnings[0]


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("DROP TABLE lines", "no such table: lines"),
        ("ALTER TABLE lines DROP COLUMN note", "no such column: note"),
        ("PRAGMA user_version = 1", "table lines already exists"),
    ],
)
def test_one_with_other_tables_is_kept_aside_whole(path: Path, warnings: list[str], sql: str, why: str) -> None:
    runs = filled(path)
    database = sqlite3.connect(path)
    database.execute(sql)
    database.commit()
    database.close()
    history = History(path, warnings.append)
    history.add(small_result())
    assert len(ids_of(history)) == 1
    history.close()
    (kept,) = path.parent.glob("history.sqlite3.2*[0-9]")
    assert f"is damaged: its tables are others: {why}. It is kept as {kept.name}, and a new one is begun. If" in warnings[0]
    with closing(sqlite3.connect(kept)) as database:
        assert [run for (run,) in database.execute("SELECT id FROM results")] == runs


def test_a_database_of_another_program_is_kept_aside(path: Path, warnings: list[str]) -> None:
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE letters (text)")
    other.commit()
    other.close()
    history = History(path, warnings.append)
    assert ids_of(history) == []
    history.close()
    assert "kept as" in warnings[0]


def test_damage_in_the_middle_is_found_when_it_is_met_and_nothing_is_overwritten(path: Path, warnings: list[str]) -> None:
    filled(path, 30)
    content = bytearray(path.read_bytes())
    for page in range(1, len(content) // 4096):
        content[page * 4096 : page * 4096 + 64] = b"\xff" * 64
    path.write_bytes(content)
    history = History(path, warnings.append)
    ids_of(history)
    new = history.add(small_result())
    assert ids_of(history) == [new]
    history.close()
    assert any("damaged" in warning for warning in warnings)
    (kept,) = (
        file
        for file in path.parent.iterdir()
        if file.name.startswith("history.sqlite3.2") and not file.name.endswith(("wal", "shm"))
    )
    assert kept.read_bytes()[4096:4160] == b"\xff" * 64
