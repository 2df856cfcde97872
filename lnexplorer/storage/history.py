"""Every run, kept in an SQLite database, or in memory where that fails: nothing that is there is ever overwritten."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

from lnexplorer.domain.history import HistoryRow
from lnexplorer.domain.result import RunResult
from lnexplorer.storage.aside import keep_aside, reason
from lnexplorer.storage.history_store import FIRST_MEMORY_ID, HistoryError, NewerHistoryError, Store

__all__ = ["History", "HistoryError"]

DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
WHY = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_READONLY: "it cannot be written",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened",
    sqlite3.SQLITE_IOERR: "the disk does not read or write",
    sqlite3.SQLITE_BUSY: "another program holds it",
}


class History:
    """The runs of this user, newest last. For one thread.

    Args:
        path: of the database; made, with its folder, where it is missing.
        warn: called with a sentence when something about the file is wrong. Runs are then kept in memory, what is in the file
            is still listed where it can be read, and the file is left as it is, or kept under another name if it is damaged.
    """

    def __init__(self, path: Path, warn: Callable[[str], None]) -> None:
        self._path = path
        self._warn = warn
        self._memory: Store | None = None
        self._hidden: set[int] = set()  # deleted runs of a file that cannot be written
        self._disk = self._open()

    def add(self, result: RunResult) -> int:
        """Keep a finished run; its number."""
        date = result.provenance.environment.date
        if self._disk is not None and self._memory is None:
            try:
                return self._disk.add(date, result)
            except sqlite3.Error as error:
                self._give_up(error)
                if self._disk is not None and self._memory is None:  # a damaged file was replaced by a new one
                    return self.add(result)
        return self._in_memory().add(date, result)

    def rows(self) -> list[HistoryRow]:
        """Summaries of all runs, oldest first, without the deleted ones."""
        rows: list[HistoryRow] = []
        if self._disk is not None:
            try:
                rows = [row for row in self._disk.rows() if row.id not in self._hidden]
            except sqlite3.Error as error:
                self._give_up(error)
        return rows + (self._memory.rows() if self._memory is not None else [])

    def load(self, id: int) -> RunResult:  # noqa: A002
        """The whole run.

        Raises:
            HistoryError: there is no such run, or it cannot be read; one sentence.
        """
        store = self._store_of(id)
        try:
            return store.load(id)
        except sqlite3.Error as error:
            self._give_up(error)
            raise HistoryError(f"Run {id} cannot be read: {_why(error)}.") from error

    def delete(self, id: int) -> None:  # noqa: A002
        """Take a run off the list. `undelete` brings it back; the next start removes it for good."""
        self._set_deleted(id, deleted=True)

    def undelete(self, id: int) -> None:  # noqa: A002
        """Bring a deleted run back."""
        self._set_deleted(id, deleted=False)

    def close(self) -> None:
        """Let go of the file."""
        for store in (self._disk, self._memory):
            if store is not None:
                store.close()
        self._disk = self._memory = None

    def _open(self) -> Store | None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            self._warn(f"The history cannot be kept in {self._path} ({reason(error)}): runs are kept until the program ends.")
            return None
        try:
            return Store(str(self._path))
        except NewerHistoryError as error:
            self._warn(f"{error} It is left as it is, and runs are kept until the program ends.")
        except sqlite3.Error as error:
            if _code(error) in DAMAGED:
                return self._begin_anew()
            self._warn(f"The history in {self._path} is not used: {_why(error)}. Runs are kept until the program ends.")
        return None

    def _begin_anew(self) -> Store | None:
        try:
            kept = keep_aside(self._path)
            for suffix in ("-wal", "-shm"):
                side = self._path.with_name(self._path.name + suffix)
                if side.exists():
                    side.rename(kept.with_name(kept.name + suffix))
            store = Store(str(self._path))
        except (OSError, sqlite3.Error):
            self._warn(f"The history in {self._path} is damaged and cannot be renamed: runs are kept until the program ends.")
            return None
        self._warn(f"The history in {self._path} is damaged. It is kept as {kept.name}, and a new one is begun.")
        return store

    def _give_up(self, error: sqlite3.Error) -> None:
        """After an error of the file: begin a new one if it is damaged, else keep runs in memory."""
        if _code(error) in DAMAGED and self._disk is not None:
            self._disk.close()
            self._disk = self._begin_anew()
            return
        if self._memory is None:
            self._warn(
                f"The history in {self._path} takes no more runs: {_why(error)}. New ones are kept until the program ends."
            )
            self._in_memory()

    def _in_memory(self) -> Store:
        if self._memory is None:
            self._memory = Store(":memory:")
        return self._memory

    def _store_of(self, id: int) -> Store:  # noqa: A002
        store = self._memory if id >= FIRST_MEMORY_ID else self._disk
        if store is None:
            raise HistoryError(f"There is no run {id}.")
        return store

    def _set_deleted(self, id: int, *, deleted: bool) -> None:  # noqa: A002
        store = self._store_of(id)
        try:
            store.set_deleted(id, deleted=deleted)
        except sqlite3.Error as error:
            self._give_up(error)
            if deleted:
                self._hidden.add(id)
        if not deleted:
            self._hidden.discard(id)


def _code(error: sqlite3.Error) -> int:
    """SQLite's primary result code, or 0."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF


def _why(error: sqlite3.Error) -> str:
    return WHY.get(_code(error), str(error))
