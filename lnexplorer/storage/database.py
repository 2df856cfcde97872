"""Connections to SQLite whose damage shows as an error of SQLite, whatever form Python gives it."""

import sqlite3
from collections.abc import Iterable
from typing import Any


class Connection(sqlite3.Connection):
    """Each statement commits itself. Text that is no UTF-8 is read with its wrong bytes replaced."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.text_factory = _text

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


def _text(data: bytes) -> str:
    return data.decode(errors="replace")


def _damaged(cause: UnicodeDecodeError) -> sqlite3.DatabaseError:
    # SQLite says which table's definition is damaged, in its damaged words, which Python cannot put into its exception.
    error = sqlite3.DatabaseError(f"its definitions are damaged ({cause.reason})")
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error
