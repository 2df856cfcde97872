"""Every run, kept in an SQLite database, or in memory while that fails: nothing that is there is ever overwritten."""

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.history import HistoryRow
from lnexplorer.domain.history_query import HistoryQuery
from lnexplorer.domain.result import RunResult
from lnexplorer.storage.aside import keep_aside, reason
from lnexplorer.storage.history_schema import FIRST_MEMORY_ID, NewerHistoryError
from lnexplorer.storage.history_store import HistoryError, Store

__all__ = ["History", "HistoryError", "Listing"]

DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
Ids = NDArray[np.int64]
FACETS = ("strategy", "dtype", "device")
WHY = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_READONLY: "it cannot be written",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened",
    sqlite3.SQLITE_IOERR: "the disk does not read or write",
    sqlite3.SQLITE_BUSY: "another program holds it",
}


@dataclass(frozen=True, eq=False, slots=True)
class Listing:
    """What matches a query: numbers alone, so that a hundred thousand runs are a short list. `rows` gives their lines."""

    ids: Ids
    total: int  # runs that are kept, whether they match or not
    baseline: HistoryRow | None  # the run that others are compared with


class History:
    """The runs of this user. For one thread.

    Args:
        path: of the database; made, with its folder, where it is missing.
        warn: called with a sentence when something about the file is wrong. Runs, notes and deletions are then kept in memory
            and written by `tend` as soon as the file lets them be; what is in the file is still listed where it can be read,
            and the file is left as it is, or kept under another name if it is damaged.
    """

    def __init__(self, path: Path, warn: Callable[[str], None]) -> None:
        self._path = path
        self._warn = warn
        self._warned = False  # that the file cannot be written now
        self._may_reopen = False
        self._memory = Store(":memory:")
        self._moved: dict[int, int] = {}  # numbers that runs had in memory, and have in the file
        self._late: list[Callable[[Store], None]] = []  # what is still to be written about runs in the file
        self._hidden: set[int] = set()  # deleted ones among them
        self._notes: dict[int, str] = {}
        self._seen = 0
        self._disk = self._open()

    def add(self, result: RunResult) -> int:
        """Keep a finished run; its number."""
        date = result.provenance.environment.date
        self._write_late()
        if self._disk is not None and not self._waiting():
            try:
                return self._disk.add(date, result)
            except sqlite3.Error as error:
                self._give_up(error)
                if _code(error) in DAMAGED and self._disk is not None:  # the damaged file was replaced by a new one
                    return self.add(result)
        return self._memory.add(date, result)

    def take(self, result: RunResult, note: str) -> int:
        """Keep a run that comes from a file, unless it is here already, perhaps without a note; its number."""
        date = result.provenance.environment.date
        for store in (self._memory, self._disk):
            try:
                known = None if store is None else store.find_same(date, result)
            except sqlite3.Error as error:
                self._give_up(error)
                known = None
            if known is not None:
                if note and not any(row.note for row in self.rows([known])):
                    self.annotate(known, note)
                return known
        id_ = self.add(result)
        if note:
            self.annotate(id_, note)
        return id_

    def find(self, query: HistoryQuery) -> Listing:
        """The runs that match, in order.

        Raises:
            ValueError: the query compares what is no field, or with what is no value of it.
        """
        ids, total, baseline = self._memory.select(query), self._memory.count(), self._memory.baseline()
        if self._disk is not None:
            try:
                on_disk = self._disk.select(query)
                if self._hidden:
                    on_disk = on_disk[~np.isin(on_disk, list(self._hidden))]
                ids = self._merged(on_disk, ids, query) if ids.size else on_disk
                total += self._disk.count() - len(self._hidden)
                baseline = baseline or self._disk.baseline()
            except sqlite3.Error as error:
                self._give_up(error)
        rows = self.rows([baseline]) if baseline is not None else []
        return Listing(ids, total, rows[0] if rows else None)

    def facets(self) -> dict[str, tuple[str, ...]]:
        """The values of each of FACETS, in order."""
        found = {name: set(self._memory.distinct(name)) for name in FACETS}
        if self._disk is not None:
            try:
                for name in FACETS:
                    found[name] |= set(self._disk.distinct(name))
            except sqlite3.Error as error:
                self._give_up(error)
        return {name: tuple(sorted(values)) for name, values in found.items()}

    def rows(self, ids: Sequence[int]) -> list[HistoryRow]:
        """The lines of these runs, in this order; what is not there, or cannot be understood, is left out."""
        ids = [self._moved.get(id_, id_) for id_ in ids]
        found = self._memory.rows([id_ for id_ in ids if id_ >= FIRST_MEMORY_ID])
        if self._disk is not None:
            try:
                found |= self._disk.rows([id_ for id_ in ids if id_ < FIRST_MEMORY_ID])
            except sqlite3.Error as error:
                self._give_up(error)
        rows = [found[id_] for id_ in ids if id_ in found and id_ not in self._hidden]
        return [replace(row, note=self._notes.get(row.id, row.note)) for row in rows]

    def sizes(self, ids: Sequence[int]) -> dict[int, int]:
        """Bytes of these runs as they are kept, by number; what is not there is left out."""
        found = self._memory.sizes([id_ for id_ in ids if id_ >= FIRST_MEMORY_ID])
        if self._disk is not None:
            try:
                found |= self._disk.sizes([id_ for id_ in ids if id_ < FIRST_MEMORY_ID])
            except sqlite3.Error as error:
                self._give_up(error)
        return found

    def load(self, id: int) -> RunResult:  # noqa: A002
        """The whole run.

        Raises:
            HistoryError: there is no such run, or it cannot be read; one sentence.
        """
        id_ = self._moved.get(id, id)
        store = self._store_of(id_)
        if id_ in self._hidden:
            raise HistoryError(f"There is no run {id_}.")
        try:
            return store.load(id_)
        except sqlite3.Error as error:
            self._give_up(error)
            raise HistoryError(f"Run {id_} cannot be read: {_why(error)}.") from error

    def delete(self, ids: Sequence[int]) -> None:
        """Take runs off the list. `undelete` brings them back; a start a day later removes them for good."""
        self._set_deleted(ids, deleted=True)

    def undelete(self, ids: Sequence[int]) -> None:
        """Bring deleted runs back."""
        self._set_deleted(ids, deleted=False)

    def annotate(self, id: int, note: str) -> None:  # noqa: A002
        """Keep what a user has to say about a run."""
        id_ = self._moved.get(id, id)
        if not self._write(id_, lambda store: store.annotate(id_, note)):
            self._notes[id_] = note

    def pin(self, id: int | None) -> None:  # noqa: A002
        """Compare other runs with this one, or with none."""
        id_ = None if id is None else self._moved.get(id, id)
        if id_ is None or id_ < FIRST_MEMORY_ID:
            self._memory.set_baseline(None)
            self._write(0, lambda store: store.set_baseline(id_))
        else:
            self._memory.set_baseline(id_)

    def baseline(self) -> int | None:
        """Number of the run that others are compared with."""
        found = self._memory.baseline()
        if found is None and self._disk is not None:
            try:
                found = self._disk.baseline()
            except sqlite3.Error as error:
                self._give_up(error)
        return found

    def tend(self) -> bool:
        """Write what could not be written before; whether what `find` says has changed, by this or by another window."""
        written = self._write_late()
        if self._disk is None:
            return written
        try:
            version = self._disk.data_version()
        except sqlite3.Error as error:
            self._give_up(error)
            return True
        changed = written or version != self._seen
        self._seen = version
        return changed

    def close(self) -> None:
        """Write what is still to be written, where that is possible, and let go of the file."""
        self._write_late()
        if self._memory.count() and (self._disk is not None or self._may_reopen):
            self._warn(f"{self._memory.count()} runs could not be written to the history in {self._path}.")
        if self._disk is not None:
            self._disk.close()
        self._memory.close()
        self._disk = None

    def _waiting(self) -> bool:
        return bool(self._late) or self._memory.count() > 0

    def _open(self) -> Store | None:
        self._may_reopen = False
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            self._tell(f"The history cannot be kept in {self._path} ({reason(error)}): runs are kept until the program ends.")
            return None
        try:
            store = Store(str(self._path))
            self._seen = store.data_version()
        except NewerHistoryError as error:
            self._tell(f"{error} It is left as it is, and runs are kept until the program ends.")
        except sqlite3.Error as error:
            if _code(error) in DAMAGED:
                return self._begin_anew()
            self._may_reopen = True
            self._tell(f"The history in {self._path} is not used: {_why(error)}. Runs are kept in memory until it can be.")
        else:
            return store
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
        self._late.clear()
        self._hidden.clear()
        self._notes.clear()
        return store

    def _give_up(self, error: sqlite3.Error) -> None:
        """After an error of the file: begin a new one if it is damaged, else keep what is new in memory."""
        if _code(error) in DAMAGED and self._disk is not None:
            self._disk.close()
            self._disk = self._begin_anew()
            return
        self._tell(
            f"The history in {self._path} cannot be written now: {_why(error)}. What is new is kept in memory until it can."
        )

    def _tell(self, sentence: str) -> None:
        """Warn once, until the file can be written again."""
        if not self._warned:
            self._warn(sentence)
        self._warned = True

    def _write(self, id_: int, work: Callable[[Store], None]) -> bool:
        """Change something about a run; False where that has to wait."""
        if id_ >= FIRST_MEMORY_ID:
            work(self._memory)
            return True
        self._write_late()
        if self._disk is None or self._late:
            self._late.append(work)
            return False
        try:
            work(self._disk)
        except sqlite3.Error as error:
            self._give_up(error)
            self._late.append(work)
            return False
        return True

    def _write_late(self) -> bool:
        """Open the file where that failed before, and write what waits, oldest first; whether the list is another one now."""
        reopened = False
        if self._disk is None and self._may_reopen:
            self._disk = self._open()
            reopened = self._disk is not None
        if self._disk is None or not self._waiting():
            return reopened
        moved = 0
        try:
            while self._late:
                self._late[0](self._disk)
                self._late.pop(0)
            self._hidden.clear()
            self._notes.clear()
            baseline = self._memory.baseline()
            for id_ in self._memory.select(HistoryQuery(sorted_by="id", descending=False)).tolist():
                (row,) = self._memory.rows([id_]).values()
                result = self._memory.load(id_)
                self._moved[id_] = self._disk.add(row.date, result, row.note, baseline=id_ == baseline)
                self._memory.remove(id_)
                moved += 1
        except sqlite3.Error as error:
            self._give_up(error)
        else:
            self._warned = False
        return reopened or moved > 0

    def _merged(self, on_disk: Ids, in_memory: Ids, query: HistoryQuery) -> Ids:
        """Both as one, in the order of the query."""
        if query.sorted_by in ("date", "id"):
            return np.concatenate([in_memory, on_disk] if query.descending else [on_disk, in_memory])
        lines = {row.id: row for row in self.rows([*on_disk.tolist(), *in_memory.tolist()])}
        with_value = [id_ for id_, line in lines.items() if getattr(line, query.sorted_by) is not None]
        with_value.sort(key=lambda id_: (getattr(lines[id_], query.sorted_by), id_), reverse=query.descending)
        others = sorted(set(lines) - set(with_value), reverse=query.descending)
        return np.array([*with_value, *others], np.int64)

    def _store_of(self, id_: int) -> Store:
        store = self._memory if id_ >= FIRST_MEMORY_ID else self._disk
        if store is None:
            raise HistoryError(f"There is no run {id_}.")
        return store

    def _set_deleted(self, ids: Sequence[int], *, deleted: bool) -> None:
        ids = [self._moved.get(id_, id_) for id_ in ids]
        in_memory = [id_ for id_ in ids if id_ >= FIRST_MEMORY_ID]
        on_disk = [id_ for id_ in ids if id_ < FIRST_MEMORY_ID]
        if in_memory:
            self._memory.set_deleted(in_memory, deleted=deleted)
        if on_disk and not self._write(0, lambda store: store.set_deleted(on_disk, deleted=deleted)):
            self._hidden = self._hidden | set(on_disk) if deleted else self._hidden - set(on_disk)


def _code(error: sqlite3.Error) -> int:
    """SQLite's primary result code, or 0."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF


def _why(error: sqlite3.Error) -> str:
    return WHY.get(_code(error), str(error))
