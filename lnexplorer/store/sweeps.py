"""Every sweep with its rows and their samples, from the moment each row arrives. A sweep belongs to one process at a
time.
"""

import contextlib
import fcntl
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from lnexplorer.domain.history import SweepRow
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.request import SweepRequest, sweep_command
from lnexplorer.store.database import Database, Table, Warn
from lnexplorer.store.files import StoreError
from lnexplorer.store.packed import deflate, inflate, pack, unpack
from lnexplorer.store.recordings import RecordedSweep
from lnkernels.sentence import say

LOCKS = "running-sweeps"  # folder beside the database: a locked file for each, which the system lets go of with the process


class SweepInUseError(StoreError):
    """A sweep that another window, or another command, is at."""


class Sweeps(Table):
    """The sweeps. Every method raises StoreError where the database cannot be read or written."""

    name = "sweeps"
    columns = ("date", "command", "request", "total", "ended", "note")

    def __init__(self, database: Database, warn: Warn) -> None:
        super().__init__(database)
        self._warn = warn
        self._folder = database.path.parent / LOCKS
        self._locks: dict[int, int] = {}  # handles of the files of the sweeps that this program is at

    def begin(self, sweep: SweepRequest, total: int) -> int:
        """Note a sweep, which this program is at then; its number."""
        values = _columns(sweep, datetime.now(UTC).isoformat(timespec="seconds"), total, "")
        with self._database.change() as connection:
            number = self._insert(connection, values)
        self._lock(number)
        return number

    def go_on(self, sweep: int) -> None:
        """Be at a kept sweep again.

        Raises:
            SweepInUseError: somebody is at it already.
        """
        if not self._lock(sweep):
            raise SweepInUseError(
                say("Sweep {sweep} is running in another window or command: wait for its end, or end it there.", sweep=sweep)
            )
        try:
            self._set(sweep, "ended", "")
        except StoreError:
            self._release(sweep)
            raise

    def add(self, sweep: int, result: CellResult) -> None:
        """Write a row; one of the same cell is replaced."""
        with self._database.change() as connection:
            connection.execute(*_row(sweep, result))

    def end(self, sweep: int, how: str) -> None:
        """Note that a sweep ended, and how; others may go on with it."""
        try:
            self._set(sweep, "ended", how)
        finally:
            self._release(sweep)

    def take(self, recorded: RecordedSweep) -> int:
        """Keep a sweep that comes from a file, whole, unless one with the same rows is here already; its number.

        That one gets the note, where it has none. One that had not come to its end is kept as cancelled: it is not for
        this program to go on with by itself.
        """
        wanted = {(result.cell.number, _stamp(result)) for result in recorded.results}
        for number, note in self._database.rows(
            "SELECT id, note FROM sweeps WHERE command = ? AND deleted IS NULL ORDER BY id DESC", (sweep_command(recorded.sweep),)
        ):
            if wanted <= set(self._database.rows("SELECT cell, stamp FROM cells WHERE sweep = ?", (number,))):
                if recorded.note and not note:
                    self.annotate(number, recorded.note)
                return int(number)
        values = _columns(recorded.sweep, recorded.date, recorded.total, recorded.ended or "cancelled")
        with self._database.change() as connection:
            number = self._insert(connection, values | {"note": recorded.note})
            for result in recorded.results:
                connection.execute(*_row(number, result))
        return int(number)

    def with_row(self, command: str, cell: int, stamp: str) -> int | None:
        """The newest sweep of this command that has this row, told by its cell and `stamp_of`; None where there is none."""
        sql = "SELECT id FROM sweeps JOIN cells ON sweep = id WHERE command = ? AND cell = ? AND stamp = ? AND deleted IS NULL"
        found = self._database.rows(f"{sql} ORDER BY id DESC LIMIT 1", (command, cell, stamp))
        return int(found[0][0]) if found else None

    def rows(self) -> list[SweepRow]:
        """All sweeps, newest first; one that is damaged is left out."""
        sql = f"""
        SELECT id, date, command, total, (SELECT count(*) FROM cells WHERE sweep = id), ended, note
        FROM sweeps WHERE deleted IS NULL AND checksum = {self.sealed} ORDER BY id DESC
        """
        return [
            SweepRow(
                id=id_,
                date=date,
                command=command,
                total=total,
                done=done,
                ended=ended,
                note=note,
                running=not ended and self._is_locked(id_),  # without an end it may have crashed; its lock says
            )
            for id_, date, command, total, done, ended, note in self._database.rows(sql)
        ]

    def sizes(self) -> dict[int, int]:
        """Bytes of the rows of each sweep that has some, as they are kept."""
        return dict(self._database.rows("SELECT sweep, sum(length(result)) FROM cells GROUP BY sweep"))

    def load(self, sweep: int) -> RecordedSweep:
        """A sweep and its rows so far. A row that is damaged costs itself alone, and is told of.

        Raises:
            StoreError: there is no such sweep, or it cannot be read.
        """
        sql = f"SELECT request, date, ended, note, checksum = {self.sealed} FROM sweeps WHERE id = ? AND deleted IS NULL"
        found = self._database.rows(sql, (sweep,))
        if not found:
            raise StoreError(say("There is no sweep {sweep}.", sweep=sweep))
        request, date, ended, note, whole = found[0]
        whole_row = "checksum = seal(sweep, cell, CAST(stamp AS BLOB), CAST(result AS BLOB))"
        sql = f"SELECT cell, result, {whole_row} FROM cells WHERE sweep = ? ORDER BY cell"
        results, lost = [], []
        for cell, blob, intact in self._database.rows(sql, (sweep,)):
            try:
                results.append(inflate(blob, intact, CellResult))
            except StoreError as error:
                lost.append(say("Row {cell} of sweep {sweep} is left out: {why}.", cell=cell, sweep=sweep, why=error.sentence))
        try:
            if not whole:
                raise StoreError(say("its checksum is not that of what it says"))
            kept = unpack(request, SweepRequest)
        except StoreError as error:
            raise StoreError(say("Sweep {sweep} cannot be read: {why}.", sweep=sweep, why=error.sentence)) from error
        for sentence in lost:
            self._warn(sentence)
        return RecordedSweep(sweep=kept, results=tuple(results), date=date, ended=ended, note=note)

    def set_deleted(self, ids: Sequence[int], *, deleted: bool) -> None:
        """As of all tables.

        Raises:
            SweepInUseError: somebody is at one of them. None is taken off.
        """
        for sweep in ids if deleted else ():
            if self._is_locked(sweep):
                raise SweepInUseError(say("Sweep {sweep} is running: cancel it before it is deleted.", sweep=sweep))
        super().set_deleted(ids, deleted=deleted)

    def release_all(self) -> None:
        """Let others go on with the sweeps that this program is at."""
        for sweep in tuple(self._locks):
            self._release(sweep)

    def _lock(self, sweep: int) -> bool:
        """Whether nobody else is at a sweep, as far as the file system lets that be known."""
        path = self._folder / str(sweep)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            while True:
                handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    if os.path.samestat(os.fstat(handle), path.stat()):
                        break
                except FileNotFoundError:
                    pass
                except BaseException:
                    os.close(handle)
                    raise
                os.close(handle)  # whoever had it took the file away in between
        except BlockingIOError:
            return False
        except OSError:
            return True
        self._locks[sweep] = handle
        return True

    def _is_locked(self, sweep: int) -> bool:
        try:
            handle = os.open(self._folder / str(sweep), os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return sweep in self._locks
        finally:
            os.close(handle)
        return False

    def _release(self, sweep: int) -> None:
        handle = self._locks.pop(sweep, None)
        if handle is not None:
            # Before the lock goes: afterwards the file may be another process's.
            with contextlib.suppress(OSError):
                (self._folder / str(sweep)).unlink()
            os.close(handle)


def _columns(sweep: SweepRequest, date: str, total: int, ended: str) -> dict[str, Any]:
    return {"date": date, "command": sweep_command(sweep), "request": pack(sweep), "total": total, "ended": ended}


def stamp_of(date: object, device: object, seconds: object) -> str:
    """What tells the rows of one cell apart, as far as a CSV file knows it: when, where, and how many seconds it took."""
    return f"{date} {device} {seconds}"


def _stamp(result: CellResult) -> str:
    return stamp_of(result.environment.date, result.device, round(result.seconds, 3))


def _row(sweep: int, result: CellResult) -> tuple[str, tuple[Any, ...]]:
    key = (sweep, result.cell.number, _stamp(result))
    blob = deflate(result)
    return "INSERT OR REPLACE INTO cells VALUES (?, ?, ?, seal(?, ?, CAST(? AS BLOB), ?), ?)", (*key, *key, blob, blob)
