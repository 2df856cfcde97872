"""The tables of the history, and how those of older versions become them."""

import json
import sqlite3
from collections.abc import Callable

from lnexplorer.domain.history import HistoryRow
from lnexplorer.protocol.plain import DecodeError, from_plain
from lnexplorer.store.database import header, other_tables_are_damage
from lnexplorer.store.history_lines import COLUMNS, DEFINITIONS, to_columns

APPLICATION_ID = 0x4C4E4558  # "LNEX", in the header of the file
VERSION = 4
# Numbers of runs that are only in memory begin here, so that they never meet those of a file.
FIRST_MEMORY_ID = 1 << 40

# Version 2 had no experiments.
EXPERIMENTS = """
CREATE TABLE experiments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    date TEXT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    device TEXT NOT NULL,
    m INTEGER NOT NULL,
    n INTEGER NOT NULL,
    dtype TEXT NOT NULL,
    ended TEXT NOT NULL,    -- finished, stopped, failed
    reason TEXT NOT NULL,
    done INTEGER NOT NULL,
    total INTEGER NOT NULL,
    deleted REAL,           -- when it was deleted, seconds since 1970; NULL while it is kept
    record BLOB NOT NULL    -- an ExperimentRecord, msgpack, deflated; last, so that a list does not read it
)
"""
# Version 3 did not list these; its runs have none.
COUNTED = {"forward_counted", "backward_counted"}
# Lines and whole runs are apart, so that a filter reads no run. In version 1 `runs` held both, the line as JSON.
TABLES = (
    f"CREATE TABLE lines ({DEFINITIONS})",
    "CREATE INDEX lines_by_date ON lines (date, id) WHERE deleted IS NULL",
    "CREATE INDEX lines_deleted ON lines (deleted) WHERE deleted IS NOT NULL",
    "CREATE TABLE results (id INTEGER PRIMARY KEY, result BLOB NOT NULL)",  # a RunResult, msgpack, deflated
    "CREATE TABLE settings (name TEXT PRIMARY KEY, value NOT NULL)",
)


class HistoryError(Exception):
    """A run or an experiment that cannot be read, and why, in one sentence."""


class NewerHistoryError(Exception):
    """A database that a newer version of the program wrote."""


def prepare(connection: sqlite3.Connection, path: str, line_of: Callable[[int, str, bytes], HistoryRow | None]) -> None:
    """Make the tables where there are none, bring older ones to this version, and refuse others.

    Args:
        connection: in autocommit mode.
        path: for messages.
        line_of: the line of a run of version 1 whose own cannot be read, from its number, date and result.

    Raises:
        sqlite3.Error: the file is damaged, foreign (SQLITE_NOTADB), or cannot be read; or its tables are old and it cannot be
            written.
        NewerHistoryError: its tables are of a newer version.
    """
    version = version_of(connection, path)
    with other_tables_are_damage():
        if version < VERSION:
            _use_wal(connection)
            _write_tables(connection, path, line_of)
        # Reading a page of every table and index now shows most damage before anything is written.
        connection.execute("SELECT date, id FROM lines WHERE deleted IS NULL ORDER BY date DESC LIMIT 1").fetchone()
        connection.execute(f"SELECT {', '.join(COLUMNS)}, search, deleted FROM lines ORDER BY id DESC LIMIT 1").fetchone()
        connection.execute("SELECT id, length(result) FROM results ORDER BY id DESC LIMIT 1").fetchone()
        connection.execute("SELECT count(name), count(value) FROM settings").fetchone()
        connection.execute("SELECT id, date, deleted, length(record) FROM experiments ORDER BY id DESC LIMIT 1").fetchone()


def version_of(connection: sqlite3.Connection, path: str) -> int:
    """The version of the tables; 0 where there are none.

    Args:
        connection: in autocommit mode.
        path: for messages.

    Raises:
        sqlite3.Error: the file is damaged, foreign (SQLITE_NOTADB), or cannot be read.
        NewerHistoryError: its tables are of a newer version.
    """
    version, application, tables = header(connection)
    empty = tables == 0 and version == 0
    if not empty and application != APPLICATION_ID:
        raise _not_ours("it is a database of another program")
    if version > VERSION:
        raise NewerHistoryError(f"The history in {path} has version {version}, and this program reads version {VERSION}.")
    return version


def insert_line(connection: sqlite3.Connection, row: HistoryRow, *, with_id: bool) -> int:
    """Write a line; its number, which is the row's own or the next free one."""
    values = to_columns(row)
    if not with_id:
        values["id"] = None
    marks = ", ".join("?" * len(values))
    sql = f"INSERT INTO lines ({', '.join(values)}) VALUES ({marks})"
    id_ = connection.execute(sql, tuple(values.values())).lastrowid
    assert id_ is not None
    return id_


def _use_wal(connection: sqlite3.Connection) -> None:
    try:
        # Readers and a writer do not wait for each other then; some network file systems refuse it, and work without.
        connection.execute("PRAGMA journal_mode = WAL")
    except sqlite3.OperationalError:
        connection.execute("PRAGMA journal_mode = DELETE")


def _write_tables(connection: sqlite3.Connection, path: str, line_of: Callable[[int, str, bytes], HistoryRow | None]) -> None:
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        # Another window may have been faster.
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version == VERSION:
            return
        for statement in () if version in {2, 3} else TABLES:
            connection.execute(statement)
        if connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'experiments'").fetchone() is None:
            connection.execute(EXPERIMENTS)
        there = {column[1] for column in connection.execute("PRAGMA table_info(lines)")}
        for name in sorted(COUNTED - there):
            connection.execute(f"ALTER TABLE lines ADD COLUMN {name} REAL")
        if version == 1:
            _take_version_1(connection, line_of)
        if path == ":memory:":
            for table in ("lines", "experiments"):
                values = (table, FIRST_MEMORY_ID - 1)
                connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", values)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION}")


def _take_version_1(connection: sqlite3.Connection, line_of: Callable[[int, str, bytes], HistoryRow | None]) -> None:
    last = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'runs'").fetchone()
    for id_, date, text in connection.execute("SELECT id, date, row FROM runs WHERE NOT deleted ORDER BY id").fetchall():
        (result,) = connection.execute("SELECT result FROM runs WHERE id = ?", (id_,)).fetchone()
        # The line is made of the run, which knows more than the line of version 1 did.
        line = line_of(id_, date, result) or _old_line(text)
        if line is not None:
            insert_line(connection, line, with_id=True)
            connection.execute("INSERT INTO results (id, result) VALUES (?, ?)", (id_, result))
    connection.execute("DROP TABLE runs")
    if last is not None:  # a number is never given twice
        connection.execute("DELETE FROM sqlite_sequence WHERE name = 'lines'")
        connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('lines', ?)", last)


def _old_line(text: str) -> HistoryRow | None:
    try:
        return from_plain(json.loads(text), HistoryRow)
    except (DecodeError, ValueError):
        return None


def _not_ours(message: str) -> sqlite3.Error:
    error = sqlite3.DatabaseError(message)
    error.sqlite_errorcode = sqlite3.SQLITE_NOTADB
    return error
