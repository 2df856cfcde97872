"""The tables of the database of sweeps, and how those of older versions become them."""

import sqlite3
import time
from pathlib import Path

from lnexplorer.store.database import Connection, header, other_tables_are_damage

APPLICATION_ID = 0x4C4E5357  # "LNSW", in the header of the file
VERSION = 2
BUSY_SECONDS = 2.0
KEPT_DELETED_SECONDS = 24 * 3600.0  # another window may still want to undo a deletion
FORGOTTEN = 100  # at one start, so that none takes seconds; the next one forgets more
TABLES = (
    """
    CREATE TABLE sweeps (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        date TEXT NOT NULL,      -- ISO 8601, UTC
        command TEXT NOT NULL,   -- its options, for people and for searching
        request BLOB NOT NULL,   -- a SweepRequest, msgpack
        total INTEGER NOT NULL,  -- cells
        ended TEXT NOT NULL      -- finished, cancelled, failed; empty while it runs, and after a crash
    )
    """,
    """
    CREATE TABLE cells (
        sweep INTEGER NOT NULL REFERENCES sweeps (id),
        cell INTEGER NOT NULL,
        status TEXT NOT NULL,
        result BLOB NOT NULL,    -- a CellResult, msgpack, deflated
        PRIMARY KEY (sweep, cell)
    ) WITHOUT ROWID
    """,
)
# Version 1 had neither.
VERSION_2 = {
    "note": "TEXT NOT NULL DEFAULT ''",  # what its user wrote about it
    "deleted": "REAL",  # when it was deleted, seconds since 1970; NULL while it is kept
}


COLUMNS = ", ".join(("id", "date", "command", "request", "total", "ended", *VERSION_2))


class SweepStoreError(Exception):
    """A database, or a sweep in it, that cannot be used, and why, in one sentence."""


def opened(path: Path) -> sqlite3.Connection:
    """The database, made where it is missing, and brought to this version.

    Raises:
        sqlite3.Error: it is damaged, or cannot be opened.
        SweepStoreError: it is of another program or of a newer version, and left as it is.
    """
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, factory=Connection)
    try:
        _prepare(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    version, application, tables = header(connection)
    if tables and application != APPLICATION_ID:
        raise SweepStoreError(f"{path} is a database of another program, and is left as it is.")
    if version > VERSION:
        raise SweepStoreError(f"{path} has version {version}, this program reads version {VERSION}: it is left as it is.")
    if not tables:
        try:
            # A row is there once it is written, whatever becomes of this process, and readers do not wait.
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("PRAGMA synchronous = NORMAL")
    with other_tables_are_damage():
        if version < VERSION:
            _write_tables(connection)
        # Reading a page of each now shows most damage before anything is written.
        connection.execute(f"SELECT {COLUMNS} FROM sweeps ORDER BY id DESC LIMIT 1").fetchone()
        connection.execute("SELECT sweep, cell, status, length(result) FROM cells ORDER BY sweep DESC LIMIT 1").fetchone()
    _forget_deleted(connection)


def _write_tables(connection: sqlite3.Connection) -> None:
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        version = connection.execute("PRAGMA user_version").fetchone()[0]  # another program may have been faster
        if version == VERSION:
            return
        for statement in () if version == 1 else TABLES:
            connection.execute(statement)
        there = {column[1] for column in connection.execute("PRAGMA table_info(sweeps)")}
        for name, kind in VERSION_2.items():
            if name not in there:
                connection.execute(f"ALTER TABLE sweeps ADD COLUMN {name} {kind}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION}")


def _forget_deleted(connection: sqlite3.Connection) -> None:
    before = time.time() - KEPT_DELETED_SECONDS
    gone = connection.execute("SELECT id FROM sweeps WHERE deleted < ? ORDER BY id LIMIT ?", (before, FORGOTTEN)).fetchall()
    if not gone:
        return
    try:
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany("DELETE FROM cells WHERE sweep = ?", gone)
            connection.executemany("DELETE FROM sweeps WHERE id = ?", gone)
    except sqlite3.OperationalError:
        pass  # somebody is writing, or the disk is full: the next start may do it
