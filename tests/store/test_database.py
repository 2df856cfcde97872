"""A damaged database ends in a sentence, or in the lines that can still be read; never in an error of Python's."""

import random
import sqlite3
from pathlib import Path

import pytest

from lnexplorer.domain.history_query import HistoryQuery
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.cells import all_cells
from lnexplorer.domain.sweep.request import Axis, SweepRequest
from lnexplorer.store.database import Connection, file_id, header, put_aside
from lnexplorer.store.files import StoreError
from lnexplorer.store.history import History
from lnexplorer.store.sweeps import SweepStore
from tests.domain.sweep.results import row
from tests.store.examples import small_result

SWEEP = SweepRequest(base=RunRequest(m=4096), axes=(Axis(name="n", values=(512, 1024)),))
QUERY = HistoryQuery(sorted_by="id", descending=False)
WRONG = ("x", b"\xff\x00", 1.5, 2**62, "")


def _sweeps(path: Path) -> int:
    store = SweepStore(path, print)
    number = store.begin(SWEEP, 2)
    store.add(number, row(all_cells(SWEEP)[0]))
    store.close()
    return number


def _change(path: Path, sql: str, *values: object) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(sql, values)
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()


def _schema_with_other_bytes(path: Path, table: bytes) -> None:
    """Write bytes that are no UTF-8 into a table's definition."""
    _change(path, "PRAGMA user_version")
    data = path.read_bytes()
    assert data.count(b"CREATE TABLE " + table) == 1
    path.write_bytes(data.replace(b"CREATE TABLE " + table, b"\xf3\x9c\xff\xfe\xf3\xa5 TABLE " + table))


def test_definitions_that_are_no_text_are_damage_like_any_other(tmp_path: Path) -> None:
    warnings: list[str] = []
    _sweeps(tmp_path / "sweeps")
    _schema_with_other_bytes(tmp_path / "sweeps", b"sweeps")
    assert SweepStore(tmp_path / "sweeps", warnings.append).sweeps() == []
    history = History(tmp_path / "runs", warnings.append)
    history.add(small_result())
    history.close()
    _schema_with_other_bytes(tmp_path / "runs", b"lines")
    assert History(tmp_path / "runs", warnings.append).find(QUERY).total == 0
    assert [warning.count("damaged") for warning in warnings] == [1, 1]
    assert len(list(tmp_path.glob("sweeps.*"))) == len(list(tmp_path.glob("runs.*-*"))) == 1


@pytest.mark.parametrize("wrong", WRONG)
def test_a_row_of_a_sweep_that_is_none_is_named(wrong: object, tmp_path: Path) -> None:
    number = _sweeps(tmp_path / "sweeps")
    _change(tmp_path / "sweeps", "UPDATE cells SET result = ?", wrong)
    store = SweepStore(tmp_path / "sweeps", print)
    with pytest.raises(StoreError, match=f"Sweep {number} is damaged"):
        store.load(number)


@pytest.mark.parametrize("column", ["date", "command", "total", "ended", "note"])
@pytest.mark.parametrize("wrong", WRONG)
def test_a_sweep_with_a_damaged_column_is_still_a_line_of_the_list(column: str, wrong: object, tmp_path: Path) -> None:
    number = _sweeps(tmp_path / "sweeps")
    _change(tmp_path / "sweeps", f"UPDATE sweeps SET {column} = ?", wrong)
    (kept,) = SweepStore(tmp_path / "sweeps", print).sweeps()
    assert kept.id == number
    assert [type(value) for value in (kept.date, kept.command, kept.total, kept.ended)] == [str, str, int, str]
    assert kept.complete in (True, False)


@pytest.mark.parametrize("wrong", WRONG)
def test_a_run_that_is_none_is_named_and_words_that_are_none_are_no_facet(wrong: object, tmp_path: Path) -> None:
    history = History(tmp_path / "runs", print)
    first, second = history.add(small_result()), history.add(small_result())
    history.close()
    _change(tmp_path / "runs", "UPDATE results SET result = ? WHERE id = ?", wrong, first)
    _change(tmp_path / "runs", "UPDATE lines SET dtype = ? WHERE id = ?", b"\xff", first)
    history = History(tmp_path / "runs", print)
    with pytest.raises(StoreError, match=f"Run {first} is damaged"):
        history.load(first)
    assert history.load(second).resolved.m == small_result().resolved.m
    assert history.facets()["dtype"] == (small_result().resolved.dtype,)


def test_bytes_that_are_no_utf8_in_a_text_cost_these_characters_alone(tmp_path: Path) -> None:
    history = History(tmp_path / "runs", print)
    history.take(small_result(), "note")
    history.close()
    _change(tmp_path / "runs", "UPDATE lines SET note = CAST(? AS TEXT)", b"no\xff")
    history = History(tmp_path / "runs", print)
    (line,) = history.rows(history.find(QUERY).ids.tolist())
    assert line.note == "no\ufffd"


def test_any_damage_ends_in_a_sentence(tmp_path: Path) -> None:
    chance, path = random.Random(5), tmp_path / "sweeps"
    number = _sweeps(path)
    _change(path, "PRAGMA user_version")
    whole = path.read_bytes()
    refused = 0
    for _ in range(150):
        for file in tmp_path.glob("sweeps*"):
            file.unlink()
        data = bytearray(whole)
        for _ in range(chance.choice([1, 5, 50])):
            data[chance.randrange(len(data))] = chance.randrange(256)
        path.write_bytes(data)
        try:
            store = SweepStore(path, lambda _sentence: None)
        except StoreError:
            refused += 1
            continue
        try:
            store.load(number)
        except StoreError:
            refused += 1
        finally:
            store.close()
    assert refused


def test_programs_that_start_at_the_same_moment_make_one_database(tmp_path: Path) -> None:
    """One reads the header while another one is making the tables: that is no other program's database."""
    path = tmp_path / "history.sqlite3"
    first = sqlite3.connect(path, isolation_level=None)
    asked: list[str] = []

    class Meanwhile(Connection):
        def execute(self, sql: str, parameters: object = (), /) -> sqlite3.Cursor:
            found = super().execute(sql, parameters)
            asked.append(sql)
            if sql == "PRAGMA user_version":
                with pytest.raises(sqlite3.OperationalError, match="locked"):
                    first.execute("CREATE TABLE lines (id)")
            return found

    first.execute("PRAGMA busy_timeout = 0")
    reader = sqlite3.connect(path, isolation_level=None, factory=Meanwhile)
    reader.execute("PRAGMA page_count")
    assert header(reader) == (0, 0, 0)
    assert "PRAGMA user_version" in asked
    assert not reader.in_transaction
    reader.close()
    first.close()


def test_only_the_file_that_was_damaged_is_put_aside(tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite3"
    path.write_bytes(b"damaged")
    path.with_name("history.sqlite3-wal").write_bytes(b"its log")
    damaged = file_id(path)
    kept = put_aside(path, damaged)
    assert kept is not None
    assert (kept.read_bytes(), kept.with_name(f"{kept.name}-wal").read_bytes()) == (b"damaged", b"its log")
    path.write_bytes(b"new")
    assert put_aside(path, damaged) is None
    assert path.read_bytes() == b"new"
