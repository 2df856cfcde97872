"""The tables of the database of sweeps, and how those of older versions become them."""

import sqlite3
import time
from pathlib import Path

from lnexplorer.storage.aside import keep_aside
from lnexplorer.storage.database import Connection

APPLICATION_ID = 0x4C4E5357  # "LNSW", in the header of the file
VERSION = 2
BUSY_SECONDS = 2.0
KEPT_DELETED_SECONDS = 24 * 3600.0  # another window may still want to undo a deletion
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
VERSION_2 = (
    "ALTER TABLE sweeps ADD COLUMN note TEXT NOT NULL DEFAULT ''",  # what its user wrote about it
    "ALTER TABLE sweeps ADD COLUMN deleted REAL",  # when it was deleted, seconds since 1970; NULL while it is kept
)


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


def put_aside(path: Path) -> Path:
    """Rename a damaged database, with what belongs to it; its new name.

    Raises:
        OSError: the folder does not let files be renamed.
    """
    kept = keep_aside(path)
    for suffix in ("-wal", "-shm"):
        side = path.with_name(path.name + suffix)
        if side.exists():
            side.rename(kept.with_name(kept.name + suffix))
    return kept


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
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
    if version < VERSION:
        _write_tables(connection)
    connection.execute("PRAGMA synchronous = NORMAL")
    # Reading a page of each now shows most damage before anything is written.
    connection.execute("SELECT * FROM sweeps ORDER BY id DESC LIMIT 1").fetchone()
    connection.execute("SELECT sweep, cell, status, length(result) FROM cells ORDER BY sweep DESC LIMIT 1").fetchone()
    _forget_deleted(connection)


def _write_tables(connection: sqlite3.Connection) -> None:
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        version = connection.execute("PRAGMA user_version").fetchone()[0]  # another program may have been faster
        if version == VERSION:
            return
        for statement in VERSION_2 if version == 1 else (*TABLES, *VERSION_2):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION}")


def _forget_deleted(connection: sqlite3.Connection) -> None:
    gone = connection.execute("SELECT id FROM sweeps WHERE deleted < ?", (time.time() - KEPT_DELETED_SECONDS,)).fetchall()
    if not gone:
        return
    try:
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany("DELETE FROM cells WHERE sweep = ?", gone)
            connection.executemany("DELETE FROM sweeps WHERE id = ?", gone)
    except sqlite3.OperationalError:
        pass  # somebody is writing, or the disk is full: the next start may do it
