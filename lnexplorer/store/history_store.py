"""One SQLite database of runs and experiments: reading and writing them. Errors of SQLite come out as they are."""

import sqlite3
import time
from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.compact import compact
from lnexplorer.domain.history import HistoryRow, history_row
from lnexplorer.domain.history_query import HistoryQuery
from lnexplorer.domain.result import RunResult
from lnexplorer.protocol.plain import DecodeError
from lnexplorer.store.database import Connection
from lnexplorer.store.deflated import DAMAGE, deflate, inflate
from lnexplorer.store.experiment_table import ExperimentTable
from lnexplorer.store.history_lines import COLUMNS, from_columns, order_by, to_columns, where
from lnexplorer.store.history_schema import COUNTED, HistoryError, insert_line, prepare

BUSY_SECONDS = 0.5
KEPT_DELETED_SECONDS = 24 * 3600.0  # another window may still want to undo a deletion
FORGOTTEN = 5000  # at one start, so that none takes seconds; the next one forgets more
CHUNK = 500  # numbers in one statement
BASELINE = "baseline"


class Store:
    """An open database.

    Args:
        path: a file, made where it is missing, or ":memory:".

    Raises:
        sqlite3.Error: the file is damaged, foreign (SQLITE_NOTADB), or cannot be opened.
        NewerHistoryError: its tables are of a newer version.
    """

    def __init__(self, path: str) -> None:
        self._connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, factory=Connection)
        self.experiments = ExperimentTable(self._connection)
        try:
            prepare(self._connection, path, line_of)
            self._forget_deleted()
        except BaseException:
            self._connection.close()
            raise

    @classmethod
    def of(cls, connection: Connection) -> "Store":
        """That of a connection whose tables are there; it is closed with it. Nothing is written."""
        store = cls.__new__(cls)
        store._connection = connection
        store.experiments = ExperimentTable(connection)
        return store

    def add(self, date: str, result: RunResult, note: str = "", *, baseline: bool = False) -> int:
        """Write a run, compact, with its note and whether others are compared with it: all of that or nothing; its number."""
        blob = deflate(compact(result))
        line = history_row(0, date, result)
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            id_ = insert_line(self._connection, line, with_id=False)
            self._connection.execute("INSERT INTO results (id, result) VALUES (?, ?)", (id_, blob))
            if note:
                self.annotate(id_, note)
            if baseline:
                self.set_baseline(id_)
        return id_

    def find_same(self, date: str, result: RunResult) -> int | None:
        """Number of a run that says the same as `result`; None where there is none. Its kind may be another."""
        line = to_columns(history_row(0, date, result))
        names = [name for name in COLUMNS if name not in {"id", "kind", "note", *COUNTED}]
        sql = "SELECT id FROM lines WHERE deleted IS NULL AND " + " AND ".join(f"{name} IS ?" for name in names)
        found = self._connection.execute(sql + " LIMIT 1", [line[name] for name in names]).fetchone()
        return None if found is None else int(found[0])

    def select(self, query: HistoryQuery) -> NDArray[np.int64]:
        """Numbers of the runs that match, in their order."""
        condition, arguments = where(query)
        found = self._connection.execute(f"SELECT id FROM lines WHERE {condition} ORDER BY {order_by(query)}", arguments)
        return np.fromiter(chain.from_iterable(found), np.int64)

    def count(self) -> int:
        """Runs that are kept."""
        found: int = self._connection.execute("SELECT count(*) FROM lines WHERE deleted IS NULL").fetchone()[0]
        return found

    def rows(self, ids: Sequence[int]) -> dict[int, HistoryRow]:
        """Lines by number. Numbers that are not there, or whose line this version does not understand, are left out."""
        found: dict[int, HistoryRow] = {}
        for values in self._of("SELECT " + ", ".join(COLUMNS) + " FROM lines WHERE id IN ({marks})", ids):
            try:
                row = from_columns(values)
            except (ValueError, TypeError, AttributeError):
                continue
            found[row.id] = row
        return found

    def load(self, id_: int, *, listed: bool = True) -> RunResult:
        """The whole run.

        Args:
            id_: its number.
            listed: False where its line is not looked at, which tells whether it is deleted.

        Raises:
            HistoryError: there is no such run, or another version of the program wrote it.
        """
        sql = "SELECT result FROM results JOIN lines USING (id) WHERE id = ? AND deleted IS NULL"
        if not listed:
            sql = "SELECT result FROM results WHERE id = ?"
        found = self._connection.execute(sql, (id_,)).fetchone()
        if found is None:
            raise HistoryError(f"There is no run {id_}.")
        try:
            return inflate(found[0], RunResult)
        except (DecodeError, *DAMAGE) as error:
            raise HistoryError(f"Run {id_} is damaged, or another version of this program wrote it: {error}.") from error

    def sizes(self, ids: Sequence[int]) -> dict[int, int]:
        """Bytes of runs as they are kept, by number."""
        found = self._of("SELECT id, length(result) FROM results WHERE id IN ({marks})", ids)
        return {int(id_): int(size) for id_, size in found if isinstance(size, int)}  # type: ignore[call-overload]

    def set_deleted(self, ids: Sequence[int], *, deleted: bool) -> None:
        """Mark or unmark runs as deleted, all or none of them."""
        when = time.time() if deleted else None
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany("UPDATE lines SET deleted = ? WHERE id = ?", [(when, id_) for id_ in ids])

    def annotate(self, id_: int, note: str) -> None:
        """Write what a user has to say about a run."""
        self._connection.execute("UPDATE lines SET note = ? WHERE id = ?", (note, id_))

    def remove(self, id_: int) -> None:
        """Forget a run for good."""
        for table in ("lines", "results"):
            self._connection.execute(f"DELETE FROM {table} WHERE id = ?", (id_,))

    def baseline(self) -> int | None:
        """Number of the run that others are compared with."""
        sql = "SELECT value FROM settings JOIN lines ON lines.id = value WHERE name = ? AND deleted IS NULL"
        found = self._connection.execute(sql, (BASELINE,)).fetchone()
        return None if found is None else int(found[0])

    def set_baseline(self, id_: int | None) -> None:
        """Compare with this run, or with none."""
        if id_ is None:
            self._connection.execute("DELETE FROM settings WHERE name = ?", (BASELINE,))
        else:
            self._connection.execute("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)", (BASELINE, id_))

    def distinct(self, keys: Sequence[str]) -> list[set[str]]:
        """The values of columns of words."""
        assert set(keys) <= {"strategy", "dtype", "device", "kind"}
        # There are few combinations, and one way through all lines is much shorter than one for each column.
        found = self._connection.execute(f"SELECT DISTINCT {', '.join(keys)} FROM lines WHERE deleted IS NULL").fetchall()
        # A damaged line may hold anything.
        return [{line[place] for line in found if isinstance(line[place], str)} for place in range(len(keys))]

    def data_version(self) -> int:
        """A number that changes when another program has written the file."""
        found: int = self._connection.execute("PRAGMA data_version").fetchone()[0]
        return found

    def close(self) -> None:
        """Close the database."""
        self._connection.close()

    def _of(self, sql: str, ids: Sequence[int]) -> Iterable[tuple[object, ...]]:
        for start in range(0, len(ids), CHUNK):
            chunk = ids[start : start + CHUNK]
            yield from self._connection.execute(sql.format(marks=", ".join("?" * len(chunk))), chunk).fetchall()

    def _forget_deleted(self) -> None:
        before = time.time() - KEPT_DELETED_SECONDS
        gone = self._connection.execute("SELECT id FROM lines WHERE deleted < ? LIMIT ?", (before, FORGOTTEN)).fetchall()
        try:
            self.experiments.forget_deleted(before)
            if not gone:
                return
            with self._connection:
                self._connection.execute("BEGIN IMMEDIATE")
                self._connection.executemany("DELETE FROM results WHERE id = ?", gone)
                self._connection.executemany("DELETE FROM lines WHERE id = ?", gone)
        except sqlite3.OperationalError:
            return  # a file that can be read and not written still shows its runs


def line_of(id_: int, date: str, blob: bytes) -> HistoryRow | None:
    """The line of a run, made of the run itself as it is kept; None where that cannot be read."""
    try:
        return history_row(id_, date, inflate(blob, RunResult))
    except (DecodeError, *DAMAGE):
        return None
