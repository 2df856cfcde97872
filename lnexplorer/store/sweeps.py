"""All sweeps with their rows and samples. A sweep belongs to one process at a time."""

import os
import struct
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from lnexplorer.domain.history import SweepRow
from lnexplorer.domain.sweep.cells import CellResult, all_cells
from lnexplorer.domain.sweep.request import SweepRequest, sweep_command
from lnexplorer.protocol.codec import encode, from_plain
from lnexplorer.store.database import Database, Table, Warn
from lnexplorer.store.files import StoreError
from lnexplorer.store.packed import deflate, inflate, unpack
from lnexplorer.store.recordings import RecordedSweep
from lnkernels.values import say

if sys.platform == "linux":
    import fcntl

# A file beside the database with a byte for each sweep; the system lets go of its locks with the
# process.
LOCKS = "running-sweeps.lock"
DONE = "(SELECT count(*) FROM cells WHERE sweep = sweeps.id)"
RECORD = struct.Struct(
    "hhqqi0q"
)  # a lock as the system takes it: kind, from where, begin, length, 0


class SweepInUseError(StoreError):
    """Another window or command is running the sweep."""


class Sweeps(Table):
    """The table of sweeps. Every method raises StoreError where the database cannot be used."""

    name = "sweeps"
    columns = ("date", "command", "request", "total", "ended", "note")

    def __init__(self, database: Database, warn: Warn) -> None:
        super().__init__(database, warn)
        self._path = database.path.with_name(LOCKS)
        self._handle: int | None = None
        self._own: set[int] = set()  # sweeps that this program is at

    def begin(self, sweep: SweepRequest, kept: int | None = None) -> int:
        """Begin a sweep, or resume one that is kept. Return its number.

        Raises:
            SweepInUseError: somebody is at the kept one already.
        """
        if kept is not None:
            if not self._lock(kept):
                raise SweepInUseError(
                    "Sweep {sweep} is running in another window or command: wait for its end,"
                    " or end it there.",
                    sweep=kept,
                )
            try:
                self._set(kept, "ended", "")
            except StoreError:
                self._release(kept)
                raise
            return kept
        total = sweep.search or len(all_cells(sweep))
        values = _columns(sweep, datetime.now(UTC).isoformat(timespec="seconds"), total, "")
        with self._database.change() as connection:
            number = self._insert(connection, values)
        self._lock(number)
        return number

    def add(self, sweep: int, result: CellResult) -> None:
        """Write a row; one of the same cell is replaced."""
        with self._database.change() as connection:
            connection.execute(*_row(sweep, result))

    def end(self, sweep: int, how: str) -> None:
        """Write how a sweep ended; others may resume it."""
        try:
            self._set(sweep, "ended", how)
        finally:
            self._release(sweep)

    def take(self, recorded: RecordedSweep) -> int:
        """Keep a whole sweep from a file, unless one with the same rows is here.

        Return its number.

        That one gets the note, where it has none. One that had not come to its end is kept as
        cancelled: it is not for this program to go on with by itself.
        """
        wanted = {(result.cell.number, _stamp(result)) for result in recorded.results}
        for number, note in self._database.rows(
            "SELECT id, note FROM sweeps WHERE command = ? AND deleted IS NULL ORDER BY id DESC",
            (sweep_command(recorded.sweep),),
        ):
            if wanted <= set(
                self._database.rows("SELECT cell, stamp FROM cells WHERE sweep = ?", (number,))
            ):
                if recorded.note and not note:
                    self.annotate(number, recorded.note)
                return int(number)
        values = _columns(
            recorded.sweep, recorded.date, recorded.total, recorded.ended or "cancelled"
        )
        with self._database.change() as connection:
            number = self._insert(connection, values | {"note": recorded.note})
            for result in recorded.results:
                connection.execute(*_row(number, result))
        return int(number)

    def with_row(self, command: str, cell: int, stamp: str) -> int | None:
        """Return the newest sweep of a command that has this row; None where there is none."""
        sql = (
            "SELECT id FROM sweeps JOIN cells ON sweep = id WHERE command = ? AND cell = ? AND"
            " stamp = ? AND deleted IS NULL"
        )
        found = self._database.rows(f"{sql} ORDER BY id DESC LIMIT 1", (command, cell, stamp))
        return int(found[0][0]) if found else None

    def rows(self) -> list[SweepRow]:
        """Return all sweeps, newest first, without damaged ones."""

        def parse(values: dict[str, Any]) -> SweepRow:
            row = from_plain(values | {"done": values[DONE]}, SweepRow)
            # One without an end may have crashed; its lock says.
            return replace(row, running=not row.ended and self._is_locked(row.id))

        names = ("date", "command", "total", DONE, "ended", "note")
        return list(self._read_rows(names, parse, "ORDER BY id DESC"))

    def load(self, sweep: int) -> RecordedSweep:
        """Return a sweep and its rows so far. A damaged row is left out with a warning.

        Raises:
            StoreError: there is no such sweep, or it cannot be read.
        """
        sql = "SELECT request, date, ended, note FROM sweeps WHERE id = ? AND deleted IS NULL"
        found = self._database.rows(sql, (sweep,))
        if not found:
            raise StoreError("There is no sweep {sweep}.", sweep=sweep)
        request, date, ended, note = found[0]
        sql = "SELECT cell, result FROM cells WHERE sweep = ? ORDER BY cell"
        results, lost = [], []
        for cell, blob in self._database.rows(sql, (sweep,)):
            try:
                results.append(inflate(blob, CellResult))
            except StoreError as error:
                lost.append(
                    say(
                        "Row {cell} of sweep {sweep} is left out: {why}.",
                        cell=cell,
                        sweep=sweep,
                        why=error.sentence,
                    )
                )
        try:
            kept = unpack(request, SweepRequest)
        except StoreError as error:
            raise StoreError(
                "Sweep {sweep} cannot be read: {why}.", sweep=sweep, why=error.sentence
            ) from error
        for sentence in lost:
            self._warn(sentence)
        return RecordedSweep(sweep=kept, results=tuple(results), date=date, ended=ended, note=note)

    def set_deleted(self, ids: Sequence[int], *, deleted: bool) -> None:
        """Delete sweeps, or take that back.

        Raises:
            SweepInUseError: somebody is at one of them. None is taken off.
        """
        for sweep in ids if deleted else ():
            if self._is_locked(sweep):
                raise SweepInUseError(
                    "Sweep {sweep} is running: cancel it before it is deleted.", sweep=sweep
                )
        super().set_deleted(ids, deleted=deleted)

    def release_all(self) -> None:
        """Let others resume the sweeps of this program."""
        self._own.clear()
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _lock(self, sweep: int) -> bool:
        """Lock a sweep. Return whether nobody else has it, as far as the file system can tell."""
        if not self._change_lock(sweep, locked=True):
            return False
        self._own.add(sweep)
        return True

    def _is_locked(self, sweep: int) -> bool:
        if sweep in self._own or not self._path.exists():
            return sweep in self._own
        if not self._change_lock(sweep, locked=True):
            return True
        self._change_lock(sweep, locked=False)
        return False

    def _release(self, sweep: int) -> None:
        self._own.discard(sweep)
        self._change_lock(sweep, locked=False)

    def _change_lock(self, sweep: int, *, locked: bool) -> bool:
        """Set a lock. Return whether no other program is in the way."""
        if sys.platform != "linux":
            return True  # only there a lock belongs to an open file and not to a whole program
        kind = fcntl.F_WRLCK if locked else fcntl.F_UNLCK
        try:
            if self._handle is None:
                self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.fcntl(
                self._handle, fcntl.F_OFD_SETLK, RECORD.pack(kind, os.SEEK_SET, sweep, 1, 0)
            )
        except (BlockingIOError, PermissionError):
            return False
        except OSError:
            return True  # a file system without locks
        return True


def _columns(sweep: SweepRequest, date: str, total: int, ended: str) -> dict[str, Any]:
    command, request = sweep_command(sweep), encode(sweep)
    return {
        "date": date,
        "command": command,
        "request": request,
        "total": total,
        "ended": ended,
        "note": "",
    }


def stamp_of(date: object, device: object, seconds: object) -> str:
    """Return what tells the rows of one cell apart in a CSV file: when, where, and how long."""
    return f"{date} {device} {seconds}"


def _stamp(result: CellResult) -> str:
    return stamp_of(result.environment.date, result.device, round(result.seconds, 3))


def _row(sweep: int, result: CellResult) -> tuple[str, tuple[Any, ...]]:
    sql = "INSERT OR REPLACE INTO cells (sweep, cell, stamp, result) VALUES (?, ?, ?, ?)"
    return sql, (sweep, result.cell.number, _stamp(result), deflate(result))
