"""The history's database, or memory while that fails: what it holds is the business of its shelves."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol, TypeVar

from lnexplorer.store.aside import reason
from lnexplorer.store.database import DAMAGED, code, file_id, put_aside
from lnexplorer.store.history_schema import FIRST_MEMORY_ID, NewerHistoryError
from lnexplorer.store.history_store import Store

T = TypeVar("T")
ATTEMPTS = 3  # to begin anew: another program may put the same file aside, or open a new one, at the same moment
WHY = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_READONLY: "it cannot be written",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened",
    sqlite3.SQLITE_IOERR: "the disk does not read or write",
    sqlite3.SQLITE_BUSY: "another program holds it",
}


class UnreadableError(Exception):
    """Why the database cannot be read, in a few words."""


class Shelf(Protocol):
    """What one kind of thing asks of the file."""

    @property
    def in_memory(self) -> int:
        """How many are in memory alone."""

    def move(self, disk: Store) -> Iterator[None]:
        """Write what is in memory alone, a thing at each turn. An error of SQLite comes out of it."""

    def settle(self) -> None:
        """What waited for the file is written now, or the file is gone."""


class HistoryFile:
    """Reads and writes a database, and what it does not take, memory. For one thread.

    Args:
        path: of the database; made, with its folder, where it is missing.
        warn: called with a sentence when something about the file is wrong. What is new is then kept in memory, and written by
            `write_late` as soon as the file lets it be; what is in the file is still read where it can be, and the file is left
            as it is, or kept under another name if it is damaged.
    """

    def __init__(self, path: Path, warn: Callable[[str], None]) -> None:
        self._path = path
        self._warn = warn
        self._warned = False  # that the file cannot be written now
        self._may_reopen = False
        self._late: list[Callable[[Store], None]] = []  # what is still to be written about things in the file
        self._shelves: list[Shelf] = []
        self._seen = 0
        self._opened: tuple[int, int] | None = None  # which file, as `file_id` knows it
        self.memory = Store(":memory:")
        self.disk = self._open()

    def add_shelf(self, shelf: Shelf) -> None:
        """Tell a shelf when the file can be written again."""
        self._shelves.append(shelf)

    def ask(self, question: Callable[[Store], T], otherwise: T) -> T:
        """What the database says; `otherwise` where there is none, or it cannot be read."""
        if self.disk is None:
            return otherwise
        try:
            return question(self.disk)
        except sqlite3.Error as error:
            self._give_up(error)
            return otherwise

    def load(self, id_: int, question: Callable[[Store], T]) -> T | None:
        """One whole thing, from where its number says; None where that is not there.

        Raises:
            UnreadableError: the database cannot be read, and why.
            HistoryError: as `question` raises it.
        """
        store = self.memory if id_ >= FIRST_MEMORY_ID else self.disk
        try:
            return None if store is None else question(store)
        except sqlite3.Error as error:
            self._give_up(error)
            raise UnreadableError(_why(error)) from error

    def add(self, write: Callable[[Store], int]) -> int:
        """Write something new; its number."""
        self.write_late()
        if self.disk is not None and not self._waiting():
            try:
                return write(self.disk)
            except sqlite3.Error as error:
                self._give_up(error)
                if code(error) in DAMAGED and self.disk is not None:  # the damaged file was replaced by a new one
                    return self.add(write)
        return write(self.memory)

    def change(self, id_: int, work: Callable[[Store], None]) -> bool:
        """Change something about the thing with this number; False where that has to wait."""
        if id_ >= FIRST_MEMORY_ID:
            work(self.memory)
            return True
        self.write_late()
        if self.disk is None or self._late:
            self._late.append(work)
            return False
        try:
            work(self.disk)
        except sqlite3.Error as error:
            self._give_up(error)
            self._late.append(work)
            return False
        return True

    def write_late(self) -> bool:
        """Open the file where that failed before, and write what waits, oldest first; whether it holds something else now."""
        reopened = False
        if self.disk is None and self._may_reopen:
            self.disk = self._open()
            reopened = self.disk is not None
        if self.disk is None or not self._waiting():
            return reopened
        moved = 0
        try:
            while self._late:
                self._late[0](self.disk)
                self._late.pop(0)
            for shelf in self._shelves:
                shelf.settle()
            for shelf in self._shelves:
                for _ in shelf.move(self.disk):
                    moved += 1
        except sqlite3.Error as error:
            self._give_up(error)
        else:
            self._warned = False
        return reopened or moved > 0

    def tend(self) -> bool:
        """Write what could not be written before; whether the file holds something else now, by this or by another window."""
        written = self.write_late()
        if self.disk is None:
            return written
        try:
            version = self.disk.data_version()
        except sqlite3.Error as error:
            self._give_up(error)
            return True
        changed = written or version != self._seen
        self._seen = version
        return changed

    def close(self) -> bool:
        """Write what is still to be written, where that is possible, and let go of the file; whether it may have been."""
        self.write_late()
        usable = self.disk is not None or self._may_reopen
        if self.disk is not None:
            self.disk.close()
        self.disk = None
        return usable

    def _waiting(self) -> bool:
        return bool(self._late) or any(shelf.in_memory for shelf in self._shelves)

    def _open(self, attempts: int = ATTEMPTS) -> Store | None:
        self._may_reopen = False
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            self._tell(f"The history cannot be kept in {self._path} ({reason(error)}): runs are kept until the program ends.")
            return None
        self._opened = file_id(self._path)
        try:
            store = Store(str(self._path))
            self._seen = store.data_version()
        except NewerHistoryError as error:
            self._tell(f"{error} It is left as it is, and runs are kept until the program ends.")
        except sqlite3.Error as error:
            if code(error) in DAMAGED and attempts:
                return self._begin_anew(error, attempts - 1)
            self._may_reopen = True
            self._tell(f"The history in {self._path} is not used: {_why(error)}. Runs are kept in memory until it can be.")
        else:
            self._opened = self._opened or file_id(self._path)
            return store
        return None

    def _begin_anew(self, error: sqlite3.Error, attempts: int = ATTEMPTS) -> Store | None:
        try:
            kept = put_aside(self._path, self._opened)
        except OSError:
            self._warn(f"The history in {self._path} is damaged and cannot be renamed: runs are kept until the program ends.")
            return None
        if kept is not None:
            self._warn(
                f"The history in {self._path} is damaged: {_why(error)}. It is kept as {kept.name}, and a new one is begun. "
                "If you have an earlier copy, put it in its place."
            )
        self._late.clear()
        for shelf in self._shelves:
            shelf.settle()
        return self._open(attempts)

    def _give_up(self, error: sqlite3.Error) -> None:
        """After an error of the file: begin a new one if it is damaged, else keep what is new in memory."""
        if code(error) in DAMAGED and self.disk is not None:
            self.disk.close()
            self.disk = self._begin_anew(error)
            return
        self._tell(
            f"The history in {self._path} cannot be written now: {_why(error)}. What is new is kept in memory until it can."
        )

    def _tell(self, sentence: str) -> None:
        """Warn once, until the file can be written again."""
        if not self._warned:
            self._warn(sentence)
        self._warned = True


def _why(error: sqlite3.Error) -> str:
    return WHY.get(code(error), str(error))
