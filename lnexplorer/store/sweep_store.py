"""Every sweep with its rows and their samples, in an SQLite database beside the history, from the moment each row arrives."""

import sqlite3
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lnexplorer.domain.history import SweepRow
from lnexplorer.domain.sweep.cells import CellResult, NotKeptError
from lnexplorer.domain.sweep.request import SweepRequest, sweep_command
from lnexplorer.protocol.codec import decode, encode
from lnexplorer.protocol.plain import DecodeError
from lnexplorer.store.aside import reason
from lnexplorer.store.database import DAMAGED, code, file_id, put_aside
from lnexplorer.store.history_file import WHY
from lnexplorer.store.paths import SWEEPS_NAME as NAME
from lnexplorer.store.sweep_lock import SweepLock, any_locked, is_locked, lock
from lnexplorer.store.sweep_schema import SweepStoreError, opened
from lnexplorer.store.sweep_values import RecordedSweep

__all__ = ["NAME", "SweepInUseError", "SweepStore", "SweepStoreError"]


class SweepInUseError(SweepStoreError):
    """A sweep that another window, or another command, is at."""


class SweepStore:
    """The sweeps of this user. For one thread at a time; several programs may have it open.

    Args:
        path: of the database; made, with its folder, where it is missing.
        warn: called with a sentence when a damaged database was kept under another name, and a new one begun, and where a
            damaged row is left out.

    Raises:
        SweepStoreError: the database cannot be used, or is of another version; it is left as it is.
    """

    def __init__(self, path: Path, warn: Callable[[str], None]) -> None:
        self._path = path
        self._warn = warn
        self._locks: dict[int, SweepLock] = {}  # of the sweeps that this program is at
        self._opened: tuple[int, int] | None = None  # which file, as `file_id` knows it
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._open()
        except OSError as error:
            raise SweepStoreError(f"Sweeps cannot be kept in {path} ({reason(error)}).") from error
        except sqlite3.Error as error:
            raise SweepStoreError(f"Sweeps cannot be kept in {path}: {_why(error)}.") from error

    def begin(self, sweep: SweepRequest, total: int) -> int:
        """Note a sweep, which this program is at then; its number.

        Raises:
            NotKeptError: it cannot be written.
        """
        self._follow()
        values = (datetime.now(UTC).isoformat(timespec="seconds"), sweep_command(sweep), encode(sweep), total)
        sql = "INSERT INTO sweeps (date, command, request, total, ended) VALUES (?, ?, ?, ?, '')"
        number = self._write(sql, values)
        assert number is not None
        self._take_lock(number)
        return number

    def go_on(self, sweep: int) -> None:
        """Be at a kept sweep again.

        Raises:
            SweepInUseError: somebody is at it already.
            NotKeptError: it cannot be written.
        """
        if not self._take_lock(sweep):
            raise SweepInUseError(f"Sweep {sweep} is running in another window or command: wait for its end, or end it there.")
        try:
            self._write("UPDATE sweeps SET ended = '' WHERE id = ?", (sweep,))
        except NotKeptError:
            self._release(sweep)
            raise

    def add(self, sweep: int, result: CellResult) -> None:
        """Write a row; one of the same cell is replaced.

        Raises:
            NotKeptError: it cannot be written.
        """
        blob = zlib.compress(encode(result), 1)
        self._write("INSERT OR REPLACE INTO cells VALUES (?, ?, ?, ?)", (sweep, result.cell.number, result.status, blob))

    def take(self, recorded: RecordedSweep) -> int:
        """Keep a sweep that comes from a file, whole, unless one with the same rows is here already; its number.

        That one gets the note, where it has none. One that had not come to its end is kept as cancelled: it is not for this
        program to go on with by itself.

        Raises:
            NotKeptError: it cannot be written.
            SweepStoreError: the sweeps that are here cannot be read.
        """
        command = sweep_command(recorded.sweep)
        wanted = {_row_key(result) for result in recorded.results}
        for known in reversed(self.like(recorded.sweep)):
            if wanted <= self._row_keys(known):
                self._note_if_none(known, recorded.note)
                return known
        ended = recorded.ended or "cancelled"
        values = (recorded.date, command, encode(recorded.sweep), recorded.total, ended, recorded.note)
        try:
            with self._connection:
                self._connection.execute("BEGIN IMMEDIATE")
                sql = "INSERT INTO sweeps (date, command, request, total, ended, note) VALUES (?, ?, ?, ?, ?, ?)"
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
        return dict(self._read("SELECT sweep, sum(length(result)) FROM cells GROUP BY sweep", anew=True))

    def end(self, sweep: int, how: str) -> None:
        """Note that a sweep ended, and how; others may go on with it.

        Raises:
            NotKeptError: it cannot be written.
        """
        try:
            self._write("UPDATE sweeps SET ended = ? WHERE id = ?", (how, sweep))
        finally:
            self._release(sweep)

    def annotate(self, sweep: int, note: str) -> None:
        """Write what a user has to say about a sweep.

        Raises:
            NotKeptError: it cannot be written.
        """
        self._write("UPDATE sweeps SET note = ? WHERE id = ?", (note, sweep))

    def sweeps(self) -> list[SweepRow]:
        """All sweeps, newest first. Where damage shows, and nobody is at a sweep, a new file is begun.

        Raises:
            SweepStoreError: they cannot be read.
        """
        self._follow()
        sql = """
        SELECT id, CAST(date AS TEXT), CAST(command AS TEXT), CAST(total AS INTEGER),
               coalesce(done, 0), CAST(ended AS TEXT), CAST(note AS TEXT)
        FROM sweeps LEFT JOIN (SELECT sweep, count(*) AS done FROM cells GROUP BY sweep) ON sweep = id
        WHERE deleted IS NULL ORDER BY id DESC
        """  # a damaged column has a value of another type, which its line need not go under with
        names = ("id", "date", "command", "total", "done", "ended", "note")
        kept = [SweepRow(**dict(zip(names, values, strict=True))) for values in self._read(sql, anew=True)]
        # Without an end it may have crashed; whether it runs, its lock says.
        return [sweep if sweep.ended else replace(sweep, running=self._is_locked(sweep.id)) for sweep in kept]

    def like(self, sweep: SweepRequest) -> list[int]:
        """The sweeps with the same settings, newest first.

        Raises:
            SweepStoreError: they cannot be read.
        """
        sql = "SELECT id FROM sweeps WHERE command = ? AND deleted IS NULL ORDER BY id DESC"
        return [int(number) for (number,) in self._read(sql, (sweep_command(sweep),), anew=True)]

    def load(self, sweep: int) -> tuple[SweepRequest, list[CellResult]]:
        """A sweep and its rows so far. A row that is damaged takes no other with it.

        Raises:
            SweepStoreError: there is no such sweep, or it cannot be read.
        """
        found = self._read("SELECT request FROM sweeps WHERE id = ? AND deleted IS NULL", (sweep,))
        if not found:
            raise SweepStoreError(f"There is no sweep {sweep}.")
        rows = self._read("SELECT cell, result FROM cells WHERE sweep = ? ORDER BY cell", (sweep,))
        try:
            return decode(found[0][0], SweepRequest), self._decoded(sweep, rows)
        except (DecodeError, zlib.error, TypeError) as error:
            raise SweepStoreError(f"Sweep {sweep} is damaged, or another version of this program wrote it: {error}.") from error

    def delete(self, sweeps: Sequence[int]) -> None:
        """Take sweeps off the list. `undelete` brings them back; a start a day later removes them for good.

        Raises:
            SweepInUseError: somebody is at one of them. None is taken off.
            NotKeptError: it cannot be written.
        """
        for sweep in sweeps:
            if self._is_locked(sweep):
                raise SweepInUseError(f"Sweep {sweep} is running: cancel it before it is deleted.")
        self._set_deleted(sweeps, time.time())

    def undelete(self, sweeps: Sequence[int]) -> None:
        """Bring deleted sweeps back.

        Raises:
            NotKeptError: it cannot be written.
        """
        self._set_deleted(sweeps, None)

    def close(self) -> None:
        """Let go of the file, and of the sweeps that this program is at."""
        for sweep in tuple(self._locks):
            self._release(sweep)
        self._connection.close()

    def _set_deleted(self, sweeps: Sequence[int], when: float | None) -> None:
        try:
            with self._connection:
                self._connection.execute("BEGIN IMMEDIATE")
                self._connection.executemany("UPDATE sweeps SET deleted = ? WHERE id = ?", [(when, each) for each in sweeps])
        except sqlite3.Error as error:
            raise NotKeptError(f"{self._path} cannot be written: {_why(error)}.") from error

    def _take_lock(self, sweep: int) -> bool:
        """Whether nobody else is at a sweep, as far as the file system lets that be known."""
        try:
            found = lock(self._path.parent, sweep)
        except OSError:
            return True
        if found is not None:
            self._locks[sweep] = found
        return found is not None

    def _is_locked(self, sweep: int) -> bool:
        return sweep in self._locks or is_locked(self._path.parent, sweep)

    def _release(self, sweep: int) -> None:
        held = self._locks.pop(sweep, None)
        if held is not None:
            held.release()

    def _decoded(self, sweep: int, rows: Sequence[tuple[Any, Any]]) -> list[CellResult]:
        """The rows; a damaged one is told of and left out, but where all are, what is wrong with the first is raised."""
        found, lost = [], []
        for cell, blob in rows:
            try:
                found.append(decode(zlib.decompress(blob), CellResult))
            except (DecodeError, zlib.error, TypeError) as error:
                lost.append((cell, error))
        if lost and not found:
            raise lost[0][1]
        for cell, cause in lost:
            why = f"it is damaged, or another version of this program wrote it: {cause}"
            self._warn(f"Row {cell} of sweep {sweep} is left out: {why}.")
        return found

    def _note_if_none(self, sweep: int, note: str) -> None:
        if note:
            self._write("UPDATE sweeps SET note = ? WHERE id = ? AND note = ''", (note, sweep))

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

    def _read(self, sql: str, values: tuple[object, ...] = (), *, anew: bool = False) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            # A window's sweep, or that of another program, still writes what it can.
            if anew and code(error) in DAMAGED and not any_locked(self._path.parent):
                self._begin_anew(error)
                return []
            raise SweepStoreError(f"The sweeps in {self._path} cannot be read: {_why(error)}.") from error

    def _open(self) -> None:
        self._opened = file_id(self._path)
        try:
            self._connection = opened(self._path)
        except sqlite3.Error as error:
            if code(error) not in DAMAGED:
                raise
            self._put_aside(error)
            self._connection = opened(self._path)
        self._opened = file_id(self._path)

    def _begin_anew(self, error: sqlite3.Error) -> None:
        self._connection.close()
        try:
            self._put_aside(error)
            self._open()
        except (OSError, sqlite3.Error) as again:
            why = reason(again) if isinstance(again, OSError) else _why(again)
            raise SweepStoreError(f"Sweeps cannot be kept in {self._path}: {why}.") from again

    def _put_aside(self, error: sqlite3.Error) -> None:
        kept = put_aside(self._path, self._opened)
        if kept is not None:
            self._warn(
                f"The sweeps in {self._path} are damaged: {_why(error)}. They are kept as {kept.name}, "
                "and a new file is begun. If you have an earlier copy, put it in its place."
            )

    def _follow(self) -> None:
        """Go over to the file that another program has begun in the place of a damaged one."""
        if not self._locks and file_id(self._path) not in (None, self._opened):
            self._connection.close()
            try:
                self._open()
            except (OSError, sqlite3.Error) as error:
                raise SweepStoreError(f"The sweeps in {self._path} cannot be read: {error}.") from error


def _row_key(result: CellResult) -> tuple[object, ...]:
    """What two rows have in common that are the same one, whether they were measured here or come from a file."""
    figures = tuple((figure.direction, figure.mode, figure.p50_ms) for figure in result.figures)
    return result.cell.number, result.status, result.device, result.environment.date, result.hardware, figures


def _why(error: sqlite3.Error) -> str:
    return WHY.get(code(error), str(error))
