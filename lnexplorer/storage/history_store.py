"""One SQLite database of runs: its tables, and reading and writing them. Errors of SQLite come out as they are."""

import json
import sqlite3
import zlib

from lnexplorer.domain.compact import compact
from lnexplorer.domain.history import HistoryRow, history_row
from lnexplorer.domain.result import RunResult
from lnexplorer.protocol.codec import decode, encode
from lnexplorer.protocol.plain import DecodeError, from_plain, to_plain

APPLICATION_ID = 0x4C4E4558  # "LNEX", in the header of the file
VERSION = 1
BUSY_SECONDS = 0.5
MAX_RESULT_BYTES = 1 << 30
# Numbers of runs that are only in memory begin here, so that they never meet those of a file.
FIRST_MEMORY_ID = 1 << 40

TABLES = """
CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    date TEXT NOT NULL,
    deleted INTEGER NOT NULL DEFAULT 0,
    row TEXT NOT NULL,     -- a HistoryRow, JSON
    result BLOB NOT NULL   -- a RunResult, msgpack, deflated
)
"""


class HistoryError(Exception):
    """A run that cannot be read, and why, in one sentence."""


class NewerHistoryError(Exception):
    """A database that a newer version of the program wrote."""


class Store:
    """An open database.

    Args:
        path: a file, made where it is missing, or ":memory:".

    Raises:
        sqlite3.Error: the file is damaged, foreign (SQLITE_NOTADB), or cannot be opened.
        NewerHistoryError: its tables are of a newer version.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            self._prepare()
        except BaseException:
            self._connection.close()
            raise

    def add(self, date: str, result: RunResult) -> int:
        """Write a run, compact; its number."""
        blob = zlib.compress(encode(compact(result)), 1)
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            cursor = self._connection.execute("INSERT INTO runs (date, row, result) VALUES (?, '', ?)", (date, blob))
            id_ = cursor.lastrowid
            assert id_ is not None
            row = json.dumps(to_plain(history_row(id_, date, result)))
            self._connection.execute("UPDATE runs SET row = ? WHERE id = ?", (row, id_))
        return id_

    def rows(self) -> list[HistoryRow]:
        """Summaries, oldest first. A run whose summary cannot be read any more gets a new one; one beyond that is left out."""
        found = self._connection.execute("SELECT id, date, row FROM runs WHERE NOT deleted ORDER BY id")
        return [row for id_, date, text in found.fetchall() if (row := self._row(id_, date, text)) is not None]

    def load(self, id_: int) -> RunResult:
        """The whole run.

        Raises:
            HistoryError: there is no such run, or another version of the program wrote it.
        """
        found = self._connection.execute("SELECT result FROM runs WHERE id = ?", (id_,)).fetchone()
        if found is None:
            raise HistoryError(f"There is no run {id_}.")
        try:
            return decode(_inflate(found[0]), RunResult)
        except (DecodeError, zlib.error) as error:
            raise HistoryError(f"Run {id_} is damaged, or another version of this program wrote it: {error}.") from error

    def set_deleted(self, id_: int, *, deleted: bool) -> None:
        """Mark or unmark a run as deleted."""
        self._connection.execute("UPDATE runs SET deleted = ? WHERE id = ?", (int(deleted), id_))

    def close(self) -> None:
        """Close the database."""
        self._connection.close()

    def _prepare(self) -> None:
        connection = self._connection
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
        if tables == 0 and version == 0:
            self._create()
        elif application != APPLICATION_ID:
            raise _not_ours(f"{self._path} is a database of another program")
        elif version > VERSION:
            raise NewerHistoryError(
                f"The history in {self._path} has version {version}, and this program reads version {VERSION}."
            )
        # Reading a page of every table and index now shows most damage before anything is written.
        connection.execute("SELECT id, date, deleted, row, length(result) FROM runs ORDER BY id DESC LIMIT 1").fetchone()
        try:
            connection.execute("DELETE FROM runs WHERE deleted")
        except sqlite3.OperationalError:
            return  # a file that can be read and not written still shows its runs

    def _create(self) -> None:
        connection = self._connection
        try:
            # Readers and a writer do not wait for each other then; some network file systems refuse it, and work without.
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            connection.execute("PRAGMA journal_mode = DELETE")
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(TABLES)
            if self._path == ":memory:":
                first = ("runs", FIRST_MEMORY_ID - 1)
                connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", first)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {VERSION}")

    def _row(self, id_: int, date: str, text: str) -> HistoryRow | None:
        try:
            return from_plain(json.loads(text), HistoryRow)
        except (DecodeError, ValueError):
            try:
                return history_row(id_, date, self.load(id_))
            except HistoryError:
                return None


def _inflate(blob: bytes) -> bytes:
    inflater = zlib.decompressobj()
    data = inflater.decompress(blob, MAX_RESULT_BYTES)
    if not inflater.eof:
        raise zlib.error("it is not whole")
    return data


def _not_ours(message: str) -> sqlite3.Error:
    error = sqlite3.DatabaseError(message)
    error.sqlite_errorcode = sqlite3.SQLITE_NOTADB
    return error
