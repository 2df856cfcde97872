"""The one SQLite file of a user: runs, experiments and sweeps. Several programs may have it open at
the same time.

A damaged file is kept under another name, never deleted. The larger values are compressed with
zlib's checksum; a row that cannot be parsed costs no other.
"""

import contextlib
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from lnexplorer.store.files import StoreError, name_aside, reason
from lnkernels.values import Sentence, say, verbatim

Warn = Callable[[Sentence], None]
Row = TypeVar("Row")

NAME = "lnexplorer.sqlite3"
VERSION = 2  # 1 had a checksum in each row: such a file is read and written as it is
APPLICATION_ID = 0x4C4E5831  # "LNX1", in the header of the file
WAIT_SECONDS = 60.0  # for another program that writes
KEPT_DELETED_SECONDS = 24 * 3600.0  # another window may still want to undo a deletion
FORGOTTEN = 2000  # rows at one start, so that none takes seconds; the next one forgets more
DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
WHY = {
    sqlite3.SQLITE_CORRUPT: say("it is not as SQLite writes it"),
    sqlite3.SQLITE_NOTADB: say("it is no database"),
    sqlite3.SQLITE_FULL: say("the disk is full"),
    sqlite3.SQLITE_READONLY: say("it cannot be written"),
    sqlite3.SQLITE_CANTOPEN: say("it cannot be opened"),
    sqlite3.SQLITE_IOERR: say("the disk does not read or write"),
    sqlite3.SQLITE_BUSY: say("another program holds it"),
}
COUNT_TABLES = "SELECT count(*) FROM sqlite_schema"
HEADER = ("PRAGMA application_id", "PRAGMA user_version")


class DatabaseConnection(sqlite3.Connection):
    """Each statement commits itself. Text that is no UTF-8 is read with its wrong bytes replaced.

    Statements may call `folded(x)`, which makes texts equal that differ in case alone: SQLite's
    `lower` knows ASCII only. It takes texts as bytes, for SQLite passes no text that is no UTF-8.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.text_factory = lambda data: data.decode(errors="replace")
        self.create_function("folded", 1, _folded, deterministic=True)


def _folded(text: Any) -> Any:
    return text.decode(errors="replace").casefold() if isinstance(text, bytes) else text


class Database:
    """An open file, for one thread at a time. A statement is done as a whole or fails with a
    StoreError.

    Args:
        path: of the file; made, with its folder, where it is missing.
        tables: by name, the statements that make them.
        columns: by table, those that a file of an older version may not have.
        warn: called with a sentence when a file was kept under another name, and a new one begun.
        reading: nothing is made, changed, moved or forgotten.

    Raises:
        StoreError: it cannot be opened, or is of another program or of a newer version, and left as
            it is; where it is only read, it is damaged.
    """

    def __init__(
        self,
        path: Path,
        tables: Mapping[str, Sequence[str]],
        columns: Mapping[str, Sequence[str]],
        warn: Warn,
        *,
        reading: bool = False,
    ) -> None:
        self.path = path
        self.reading = reading
        self._tables = tables
        self._columns = columns
        try:
            self._connection = self._open()
        except StoreError as error:
            if reading or not _is_damage(error.__cause__):
                raise
            kept = self._keep_aside(error)
            if kept is not None:
                warn(
                    say(
                        "{damage} It is kept as {kept}, and a new one is begun.",
                        damage=error.sentence,
                        kept=kept.name,
                    )
                )
            self._connection = self._open()
        self._seen = self._data_version()

    def rows(self, sql: str, arguments: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._explained():
            return self._connection.execute(sql, arguments).fetchall()

    @contextlib.contextmanager
    def change(self) -> Iterator[sqlite3.Connection]:
        """Begin a transaction: what is written within is written as a whole, or not at all."""
        with self._explained(), self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            yield self._connection

    def has_changed(self) -> bool:
        """Return whether another program has written since the last call."""
        with self._explained():
            before = self._seen
            self._seen = self._data_version()
            return before != self._seen

    def close(self) -> None:
        self._connection.close()

    def _data_version(self) -> int:
        return int(self._connection.execute("PRAGMA data_version").fetchone()[0])

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        if _file_id(self.path) != self._opened:
            raise StoreError(
                "{path} is not the file that was opened: start the program again.",
                path=self.path,
            )
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise _unusable(self.path, error) from error

    def _open(self) -> DatabaseConnection:
        try:
            # Not mode=ro, which leaves its -wal and -shm behind.
            return self._connect("mode=rw")
        except StoreError as error:
            # In a folder that cannot be written, or is full, there is no place for these two; a
            # file that nobody writes is read without. A full one gets an empty -wal.
            wal = self.path.with_name(f"{self.path.name}-wal")
            unfinished = wal.exists() and wal.stat().st_size
            if not self.reading or _is_damage(error.__cause__) or unfinished:
                raise
            return self._connect("immutable=1")

    def _connect(self, mode: str) -> DatabaseConnection:
        connection = None
        try:
            if not self.reading:
                _make(self.path)
            self._opened = _file_id(self.path)
            connection = sqlite3.connect(
                f"{self.path.absolute().as_uri()}?{mode}",
                uri=True,
                timeout=WAIT_SECONDS,
                isolation_level=None,
                check_same_thread=False,
                factory=DatabaseConnection,
            )
            self._prepare(connection)
        except (sqlite3.Error, UnicodeDecodeError, OSError, StoreError) as error:
            if connection is not None:
                connection.close()
            if isinstance(error, StoreError):
                raise
            raise _unusable(self.path, error) from error
        return connection

    def _prepare(self, connection: DatabaseConnection) -> None:
        # In this order: who makes the tables notes the application in the same transaction.
        tables, application, version = (
            connection.execute(sql).fetchone()[0] for sql in (COUNT_TABLES, *HEADER)
        )
        if tables and application != APPLICATION_ID:
            raise StoreError(
                "{path} is a database of another program, and is left as it is.",
                path=self.path,
            )
        if version > VERSION:
            raise StoreError("{path} is of a newer version: it is left as it is.", path=self.path)
        if not tables and self.reading:
            raise StoreError("{path} is empty.", path=self.path)
        if not tables:
            with contextlib.suppress(sqlite3.OperationalError):
                # Readers and a writer do not wait for each other then; some network file systems
                # refuse it, and work without.
                connection.execute("PRAGMA journal_mode = WAL")
            self._make_tables(connection)
        self._add_columns(connection)
        connection.execute("PRAGMA query_only = ON" if self.reading else "PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = NORMAL")
        for table in self._tables:
            # Reading a page of each now shows most damage before anything is written.
            connection.execute(f"SELECT * FROM {table} ORDER BY rowid DESC LIMIT 1").fetchone()

    def _make_tables(self, connection: DatabaseConnection) -> None:
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            if connection.execute(COUNT_TABLES).fetchone()[0]:  # another program was faster
                return
            for statement in chain.from_iterable(self._tables.values()):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {VERSION}")

    def _add_columns(self, connection: DatabaseConnection) -> None:
        """Add the columns that a file of an older version has not, also where it is only read."""
        if not self._missing_columns(connection):
            return
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            for table, name in self._missing_columns(connection):
                connection.execute(f"ALTER TABLE {table} ADD COLUMN {name}")

    def _missing_columns(self, connection: DatabaseConnection) -> list[tuple[str, str]]:
        return [
            (table, name)
            for table, names in self._columns.items()
            for name in names
            if name not in {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
        ]

    def _keep_aside(self, damage: StoreError) -> Path | None:
        """Rename the damaged file; None where another program was faster, and a new one has its
        name.
        """
        try:
            return _renamed(self.path) if _file_id(self.path) == self._opened else None
        except OSError as error:
            why = reason(error)
            raise StoreError(
                "{path} is damaged, and cannot be renamed ({why}).",
                path=self.path,
                why=why,
            ) from damage


class Table:
    """Rows of one kind: deletion that can be undone, and notes."""

    name: ClassVar[str]
    columns: ClassVar[tuple[str, ...]]
    parts: ClassVar[tuple[str, ...]] = ()  # other tables that have a row for each of its
    blobs: ClassVar[tuple[str, ...]] = ()  # they come last, so that a list does not read them

    missing: ClassVar[Sentence]
    unreadable: ClassVar[Sentence]

    def __init__(self, database: Database, warn: Warn) -> None:
        self._database = database
        self._warn = warn
        self._left_out: set[int] = set()  # rows that were reported
        if not database.reading:
            # A file that can be read and not written still shows what it has.
            with contextlib.suppress(StoreError):
                self._forget_deleted()

    @classmethod
    def definition(cls) -> str:
        """Return the statement that makes the table.

        `deleted` is when a row was deleted, seconds since 1970; NULL while it is kept.
        """
        names = ", ".join((*cls.columns, "deleted", *cls.blobs))
        return f"CREATE TABLE {cls.name} (id INTEGER PRIMARY KEY AUTOINCREMENT, {names})"

    def _read_rows(
        self,
        names: Sequence[str],
        parse: Callable[[dict[str, Any]], Row],
        rest: str = "",
        arguments: Sequence[Any] = (),
    ) -> Iterator[Row]:
        """Parse the rows that are kept; one that cannot be parsed is left out, and reported once.

        Args:
            names: the columns that are read.
            parse: makes a row of them and its id; raises ValueError for one that is damaged.
            rest: of the statement: an order, or more conditions.
            arguments: for its places.
        """
        names = ("id", *names)
        sql = f"SELECT {', '.join(names)} FROM {self.name} WHERE deleted IS NULL {rest}"
        for values in self._database.rows(sql, arguments):
            try:
                yield parse(dict(zip(names, values, strict=True)))
            except ValueError:
                if values[0] not in self._left_out:
                    self._left_out.add(values[0])
                    self._warn(
                        say(
                            "Row {id} of {table} is damaged: it is left out.",
                            id=values[0],
                            table=self.name,
                        )
                    )

    def _find_same(self, values: Mapping[str, Any]) -> int | None:
        """Return the id of a row that is kept and has these values."""
        condition = " AND ".join(f"{name} IS ?" for name in values)
        sql = f"SELECT id FROM {self.name} WHERE deleted IS NULL AND {condition} LIMIT 1"
        rows = self._database.rows(sql, tuple(values.values()))
        return int(rows[0][0]) if rows else None

    def _load(self, id_: int, sql: str, parse: Callable[..., Row]) -> Row:
        """Parse the columns that a statement gives for an id.

        Raises:
            StoreError: there is none, or it cannot be parsed: `missing` or `unreadable`.
        """
        rows = self._database.rows(sql, (id_,))
        if not rows:
            raise StoreError(self.missing.template, id=id_)
        try:
            return parse(*rows[0])
        except StoreError as error:
            why = error.sentence
            raise StoreError(self.unreadable.template, id=id_, why=why) from error

    def set_deleted(self, ids: Sequence[int], *, deleted: bool) -> None:
        """Take rows off the list, or bring them back: all of them or none.

        A start a day later removes them for good.
        """
        when = time.time() if deleted else None
        sql = f"UPDATE {self.name} SET deleted = ? WHERE id = ?"
        with self._database.change() as connection:
            connection.executemany(sql, [(when, id_) for id_ in ids])

    def _forget_deleted(self) -> None:
        sql = f"SELECT id FROM {self.name} WHERE deleted < ? LIMIT ?"
        ids = self._database.rows(sql, (time.time() - KEPT_DELETED_SECONDS, FORGOTTEN))
        if ids:
            with self._database.change() as connection:
                for table in (self.name, *self.parts):
                    connection.executemany(f"DELETE FROM {table} WHERE id = ?", ids)

    def annotate(self, id_: int, note: str) -> None:
        """Write a user's note about a row."""
        self._set(id_, "note", note.encode(errors="replace").decode())

    def _set(self, id_: int, column: str, value: Any) -> None:
        with self._database.change() as connection:
            connection.execute(f"UPDATE {self.name} SET {column} = ? WHERE id = ?", (value, id_))

    def _insert(self, connection: sqlite3.Connection, values: dict[str, Any]) -> int:
        sql = (
            f"INSERT INTO {self.name} ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})"
        )
        id_ = connection.execute(sql, tuple(values.values())).lastrowid
        assert id_ is not None
        return id_


def _make(path: Path) -> None:
    """Make the file for its user alone. One that is there is not opened: closing it would drop
    SQLite's locks.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        path.touch(0o600, exist_ok=False)


def _renamed(path: Path) -> Path:
    """Rename a database with the files that SQLite keeps beside it; return its new name."""
    kept = name_aside(path)
    # The file itself comes last: who finds it missing makes a new one, to which the others do not
    # belong.
    for suffix in ("-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + suffix).rename(kept.with_name(kept.name + suffix))
    return path.rename(kept)


def _file_id(path: Path) -> tuple[int, int] | None:
    """Return what identifies a file when its name is taken by another; None without a file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _is_damage(error: BaseException | None) -> bool:
    """Return whether the file is damaged: also where a table is missing, or its definition is no
    text.
    """
    no_table = isinstance(error, sqlite3.OperationalError) and _code(error) == sqlite3.SQLITE_ERROR
    return isinstance(error, UnicodeDecodeError) or _code(error) in DAMAGED or no_table


def _code(error: BaseException | None) -> int:
    """SQLite's primary result code, or 0."""
    return int(getattr(error, "sqlite_errorcode", 0) & 0xFF)


def _unusable(path: Path, error: Exception) -> StoreError:
    why = (
        reason(error) if isinstance(error, OSError) else WHY.get(_code(error), verbatim(str(error)))
    )
    if _is_damage(error):
        return StoreError("{path} is damaged: {why}.", path=path, why=why)
    return StoreError("{path} cannot be used: {why}.", path=path, why=why)
