"""Histories of older and newer versions of the program."""

import sqlite3
import zlib
from pathlib import Path

import pytest

from lnexplorer.protocol.codec import encode
from lnexplorer.store.files import StoreError
from lnexplorer.store.history import History
from tests.store.examples import small_result
from tests.store.history.histories import filled, ids_of, rows


def test_a_newer_history_is_left_alone(path: Path, warnings: list[str]) -> None:
    filled(path)
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 99")
    database.close()
    before = path.read_bytes()
    history = History(path, warnings.append)
    new = history.add(small_result())
    assert ids_of(history) == [new]
    history.close()
    assert path.read_bytes() == before
    assert "version 99" in warnings[0]


def test_a_history_of_version_2_that_has_the_table_of_experiments_goes_on(path: Path) -> None:
    runs = filled(path)
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 2")
    database.close()
    history = History(path, pytest.fail)
    assert ids_of(history) == runs
    history.close()


def test_a_run_that_another_version_wrote_is_named_and_the_others_stay(path: Path) -> None:
    ids = filled(path)
    database = sqlite3.connect(path)
    database.execute("UPDATE results SET result = ? WHERE id = ?", (b"\x00", ids[1]))
    database.execute("UPDATE lines SET kind = 'dreamt' WHERE id = ?", (ids[2],))
    database.execute("UPDATE lines SET strategy = 'new' WHERE id = ?", (ids[0],))
    database.commit()
    database.close()
    history = History(path, pytest.fail)
    assert [(row.id, row.strategy) for row in rows(history)] == [(ids[0], "new"), (ids[1], "locked")]
    with pytest.raises(StoreError, match=f"Run {ids[1]} is damaged"):
        history.load(ids[1])
    history.close()


def test_a_history_of_version_3_gets_the_columns_of_counted_bytes(path: Path) -> None:
    history = History(path, pytest.fail)
    result = small_result()
    run = history.add(result)
    history.close()
    database = sqlite3.connect(path)
    for name in ("forward_counted", "backward_counted"):
        database.execute(f"ALTER TABLE lines DROP COLUMN {name}")
    database.execute("PRAGMA user_version = 3")
    database.close()
    history = History(path, pytest.fail)
    assert history.take(result, "") == run, "it is the same run, whatever its line lacks"
    new = history.add(result)
    assert result.throughput is not None
    figure = result.throughput.find(result.resolved.launch.strategy, "backward", "kernel_cold")
    assert figure is not None
    assert [row.backward_counted for row in history.rows([run, new])] == [None, figure.counted_gbps]
    history.close()


def test_the_history_of_the_first_version_is_taken_over(path: Path) -> None:
    database = sqlite3.connect(path)
    database.execute(
        "CREATE TABLE runs (id INTEGER PRIMARY KEY AUTOINCREMENT, date TEXT NOT NULL, deleted INTEGER NOT NULL DEFAULT 0,"
        " row TEXT NOT NULL, result BLOB NOT NULL)"
    )
    blob = zlib.compress(encode(small_result()))
    for deleted in (0, 1, 0):
        database.execute("INSERT INTO runs (date, deleted, row, result) VALUES ('2025-11-20', ?, '{}', ?)", (deleted, blob))
    database.execute("PRAGMA application_id = 0x4C4E4558")
    database.execute("PRAGMA user_version = 1")
    database.commit()
    database.close()
    history = History(path, pytest.fail)
    assert ids_of(history) == [1, 3]
    assert rows(history)[0].speed("forward") is not None
    assert encode(history.load(3)) == encode(small_result())
    assert history.add(small_result()) == 4
    history.close()
