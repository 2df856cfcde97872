"""Connections to SQLite whose damage shows as an error of SQLite, whatever form Python gives it; and where damaged files go.

Several programs may open one file at the same moment, and may find the same damage.
"""

import contextlib
import fcntl
import os
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from lnexplorer.store.aside import name_aside

DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
BESIDE = ("-wal", "-shm")  # what SQLite keeps beside a database


class Connection(sqlite3.Connection):
    """Each statement commits itself. Text that is no UTF-8 is read with its wrong bytes replaced.

    Statements may call `folded(x)`, which makes texts equal that differ in case alone: SQLite's `lower` knows ASCII only.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.text_factory = _text
        self.create_function("folded", 1, _folded, deterministic=True)

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        """As that of sqlite3."""
        try:
            return super().execute(sql, parameters)
        except UnicodeDecodeError as error:
            raise _damaged(error) from error

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> sqlite3.Cursor:
        """As that of sqlite3."""
        try:
            return super().executemany(sql, parameters)
        except UnicodeDecodeError as error:
            raise _damaged(error) from error


def _folded(value: Any) -> Any:
    return value.casefold() if isinstance(value, str) else value


def _text(data: bytes) -> str:
    return data.decode(errors="replace")


def _damaged(cause: UnicodeDecodeError) -> sqlite3.DatabaseError:
    # SQLite says which table's definition is damaged, in its damaged words, which Python cannot put into its exception.
    return _corrupt(sqlite3.DatabaseError(f"its definitions are damaged ({cause.reason})"))


def code(error: sqlite3.Error) -> int:
    """SQLite's primary result code, or 0."""
    found: int = getattr(error, "sqlite_errorcode", 0)
    return found & 0xFF


@contextlib.contextmanager
def other_tables_are_damage() -> Iterator[None]:
    """Have a table or a column that lacks, or is there and should not be, raise what damage raises."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if code(error) != sqlite3.SQLITE_ERROR:
            raise
        raise _corrupt(sqlite3.DatabaseError(f"its tables are others: {error}")) from error


def header(connection: sqlite3.Connection) -> tuple[int, int, int]:
    """Version, kind of application and number of tables, all of one moment: another program may be making the tables."""
    connection.execute("BEGIN")
    try:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        return version, application, connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    finally:
        connection.rollback()


def file_id(path: Path) -> tuple[int, int] | None:
    """What tells a file from another one that takes its name; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def put_aside(path: Path, damaged: tuple[int, int] | None) -> Path | None:
    """Rename a damaged database, with what belongs to it; its new name.

    Args:
        path: of the database.
        damaged: the file that the damage was found in, as `file_id` gave it before it was opened.

    Returns:
        None where `path` is another file by now: another program was faster, and its new one is not to be taken from it.

    Raises:
        OSError: the folder does not let files be renamed.
    """
    with _alone_in(path.parent):
        if file_id(path) != damaged:
            return None
        kept = name_aside(path)
        # The file itself comes last: who finds it missing makes a new one, to which these do not belong.
        for suffix in (*BESIDE, ""):
            part = path.with_name(path.name + suffix)
            if part.exists():
                part.rename(kept.with_name(kept.name + suffix))
        return kept


@contextlib.contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _corrupt(error: sqlite3.DatabaseError) -> sqlite3.DatabaseError:
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error
