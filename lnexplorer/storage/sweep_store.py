"""Every sweep with its rows and their samples, in an SQLite database beside the history, from the moment each row arrives."""

import sqlite3
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lnexplorer.domain.sweep.command import sweep_command
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.domain.sweep.result import CellResult, NotKeptError
from lnexplorer.protocol.codec import decode, encode
from lnexplorer.protocol.plain import DecodeError
from lnexplorer.storage.aside import keep_aside, reason
from lnexplorer.storage.database import Connection
from lnexplorer.storage.history_file import DAMAGED, WHY
from lnexplorer.storage.sweep_values import RecordedSweep

NAME = "sweeps.sqlite3"
APPLICATION_ID = 0x4C4E5357  # "LNSW", in the header of the file
VERSION = 1
BUSY_SECONDS = 2.0
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


class SweepStoreError(Exception):
    """A database, or a sweep in it, that cannot be used, and why, in one sentence."""


@dataclass(frozen=True, slots=True)
class KeptSweep:
    """A sweep as a line of a list."""

    id: int
    date: str
    command: str
    total: int
    done: int
    ended: str

    @property
    def complete(self) -> bool:
        """Whether every cell has its row, so that there is nothing to go on with."""
        return self.done >= self.total


class SweepStore:
    """The sweeps of this user. For one thread at a time; several programs may have it open.

    Args:
        path: of the database; made, with its folder, where it is missing.
        warn: called with a sentence when a damaged database was kept under another name, and a new one begun.

    Raises:
        SweepStoreError: the database cannot be used, or is of another version; it is left as it is.
    """

    def __init__(self, path: Path, warn: Callable[[str], None]) -> None:
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._connection = _opened(path)
            except sqlite3.Error as error:
                if _code(error) not in DAMAGED:
                    raise
                kept = _put_aside(path)
                self._connection = _opened(path)
                warn(f"The sweeps in {path} are damaged. They are kept as {kept.name}, and a new file is begun.")
        except OSError as error:
            raise SweepStoreError(f"Sweeps cannot be kept in {path} ({reason(error)}).") from error
        except sqlite3.Error as error:
            raise SweepStoreError(f"Sweeps cannot be kept in {path}: {_why(error)}.") from error

    def begin(self, sweep: SweepRequest, total: int) -> int:
        """Note a sweep; its number.

        Raises:
            NotKeptError: it cannot be written.
        """
        values = (datetime.now(UTC).isoformat(timespec="seconds"), sweep_command(sweep), encode(sweep), total)
        sql = "INSERT INTO sweeps (date, command, request, total, ended) VALUES (?, ?, ?, ?, '')"
        number = self._write(sql, values)
        assert number is not None
        return number

    def add(self, sweep: int, result: CellResult) -> None:
        """Write a row; one of the same cell is replaced.

        Raises:
            NotKeptError: it cannot be written.
        """
        blob = zlib.compress(encode(result), 1)
        self._write("INSERT OR REPLACE INTO cells VALUES (?, ?, ?, ?)", (sweep, result.cell.number, result.status, blob))

    def take(self, recorded: RecordedSweep) -> int:
        """Keep a sweep that comes from a file, whole, unless one with the same rows is here already; its number.

        One that had not come to its end is kept as cancelled: it is not for this program to go on with by itself.

        Raises:
            NotKeptError: it cannot be written.
            SweepStoreError: the sweeps that are here cannot be read.
        """
        command = sweep_command(recorded.sweep)
        wanted = {_row_key(result) for result in recorded.results}
        for (number,) in self._read("SELECT id FROM sweeps WHERE command = ? ORDER BY id", (command,)):
            if wanted <= self._row_keys(number):
                return int(number)
        values = (recorded.date, command, encode(recorded.sweep), recorded.total, recorded.ended or "cancelled")
        try:
            with self._connection:
                self._connection.execute("BEGIN IMMEDIATE")
                sql = "INSERT INTO sweeps (date, command, request, total, ended) VALUES (?, ?, ?, ?, ?)"
                number = self._connection.execute(sql, values).lastrowid
                for result in recorded.results:
                    blob = zlib.compress(encode(result), 1)
                    row = (number, result.cell.number, result.status, blob)
                    self._connection.execute("INSERT INTO cells VALUES (?, ?, ?, ?)", row)
        except sqlite3.Error as error:
            raise NotKeptError(f"{self._path} takes no sweep: {_why(error)}.") from error
        assert number is not None
        return int(number)

    def sizes(self) -> dict[int, int]:
        """Bytes of the rows of each sweep that has some, as they are kept.

        Raises:
            SweepStoreError: they cannot be read.
        """
        return dict(self._read("SELECT sweep, sum(length(result)) FROM cells GROUP BY sweep"))

    def end(self, sweep: int, how: str) -> None:
        """Note that a sweep ended, and how; empty when it goes on.

        Raises:
            NotKeptError: it cannot be written.
        """
        self._write("UPDATE sweeps SET ended = ? WHERE id = ?", (how, sweep))

    def sweeps(self) -> list[KeptSweep]:
        """All sweeps, newest first.

        Raises:
            SweepStoreError: they cannot be read.
        """
        sql = """
        SELECT id, CAST(date AS TEXT), CAST(command AS TEXT), CAST(total AS INTEGER),
               (SELECT count(*) FROM cells WHERE sweep = id), CAST(ended AS TEXT)
        FROM sweeps ORDER BY id DESC
        """  # a damaged column has a value of another type, which its line need not go under with
        return [KeptSweep(*row) for row in self._read(sql)]

    def latest(self, sweep: SweepRequest) -> int | None:
        """The newest sweep with the same settings.

        Raises:
            SweepStoreError: they cannot be read.
        """
        found = self._read("SELECT max(id) FROM sweeps WHERE command = ?", (sweep_command(sweep),))
        number = found[0][0]
        return number if isinstance(number, int) else None

    def load(self, sweep: int) -> tuple[SweepRequest, list[CellResult]]:
        """A sweep and its rows so far.

        Raises:
            SweepStoreError: there is no such sweep, or it cannot be read.
        """
        found = self._read("SELECT request FROM sweeps WHERE id = ?", (sweep,))
        if not found:
            raise SweepStoreError(f"There is no sweep {sweep}.")
        rows = self._read("SELECT result FROM cells WHERE sweep = ? ORDER BY cell", (sweep,))
        try:
            return decode(found[0][0], SweepRequest), [decode(zlib.decompress(row[0]), CellResult) for row in rows]
        except (DecodeError, zlib.error, TypeError) as error:
            raise SweepStoreError(f"Sweep {sweep} is damaged, or another version of this program wrote it: {error}.") from error

    def delete(self, sweep: int) -> None:
        """Take a sweep away for good.

        Raises:
            NotKeptError: it cannot be written.
        """
        self._write("DELETE FROM cells WHERE sweep = ?", (sweep,))
        self._write("DELETE FROM sweeps WHERE id = ?", (sweep,))

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def _row_keys(self, sweep: int) -> set[tuple[object, ...]]:
        try:
            return {_row_key(result) for result in self.load(sweep)[1]}
        except SweepStoreError:
            return set()  # damaged: no row of it is known

    def _write(self, sql: str, values: tuple[object, ...]) -> int | None:
        try:
            return self._connection.execute(sql, values).lastrowid
        except sqlite3.Error as error:
            raise NotKeptError(f"{self._path} takes no rows: {_why(error)}.") from error

    def _read(self, sql: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise SweepStoreError(f"The sweeps in {self._path} cannot be read: {_why(error)}.") from error


def _row_key(result: CellResult) -> tuple[object, ...]:
    """What two rows have in common that are the same one, whether they were measured here or come from a file."""
    figures = tuple((figure.direction, figure.mode, figure.p50_ms) for figure in result.figures)
    return result.cell.number, result.status, result.device, result.environment.date, result.hardware, figures


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, factory=Connection)
    try:
        _prepare(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


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
        connection.execute("BEGIN IMMEDIATE")
        if not connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:  # another program may have been faster
            for statement in TABLES:
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    connection.execute("PRAGMA synchronous = NORMAL")
    # Reading a page of each now shows most damage before anything is written.
    connection.execute("SELECT * FROM sweeps ORDER BY id DESC LIMIT 1").fetchone()
    connection.execute("SELECT sweep, cell, status, length(result) FROM cells ORDER BY sweep DESC LIMIT 1").fetchone()


def _put_aside(path: Path) -> Path:
    kept = keep_aside(path)
    for suffix in ("-wal", "-shm"):
        side = path.with_name(path.name + suffix)
        if side.exists():
            side.rename(kept.with_name(kept.name + suffix))
    return kept


def _code(error: sqlite3.Error) -> int:
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF


def _why(error: sqlite3.Error) -> str:
    return WHY.get(_code(error), str(error))
