"""The CSV file of a sweep: a row as soon as it is known, and everything that it takes to go on after an interruption."""

import contextlib
import csv
import fcntl
import io
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from lnexplorer.domain.sweep.cells import CellResult, NotKeptError
from lnexplorer.domain.sweep.request import SweepRequest, sweep_command
from lnexplorer.domain.sweep.table import LATER_SETTINGS, STATE_COLUMNS, Plain, columns, row, typed
from lnexplorer.store.aside import NO_ROOM, keep_aside, reason, write_whole
from lnexplorer.store.sweep_rows import (
    SweepFileError,
    SweepFileUnwritableError,
    check_rows,
    check_sweep_of,
    first_unlike,
    read_lines,
    usual_command,
    whole_bytes,
)

__all__ = [
    "SweepFile",
    "SweepFileError",
    "SweepFileUnwritableError",
    "command_in",
    "command_refused",
    "create",
    "resume",
    "table",
]


class SweepFile:
    """An open file. Only one process writes it at a time.

    Use `create` or `resume`; close it with `close`.
    """

    def __init__(
        self, path: Path, sweep: SweepRequest, stream: BinaryIO, rows: dict[int, list[str]], names: tuple[str, ...] = ()
    ) -> None:
        """A file with these rows; its columns are `names`, those of this version if they are not given."""
        self.path = path
        self._sweep = sweep
        self._stream = stream
        self._rows = rows  # by cell, as text
        self._names = names or columns(sweep)
        self._regular = path.is_file()
        self._take_back: Callable[[], None] | None = None  # what `create` did to the folder; until there is a row
        self.kept: Path | None = None  # what a file that was there is called now

    @property
    def done(self) -> frozenset[int]:
        """Numbers of the cells that have a row."""
        return frozenset(self._rows)

    @property
    def rows(self) -> list[dict[str, Plain]]:
        """All rows, by cell."""
        return [
            {name: typed(name, text) for name, text in zip(self._names, self._rows[number], strict=True)}
            for number in sorted(self._rows)
        ]

    def add(self, result: CellResult) -> None:
        """Write a row.

        Raises:
            NotKeptError: it cannot be written; the file is as it was.
        """
        values = _values(row(self._sweep, result), self._names)
        self._write(_line(values))
        self._rows[result.cell.number] = values
        self._take_back = None

    def close(self, *, complete: bool) -> None:
        """Let go of the file. That of a complete sweep is put into the order of its cells first, where that is possible.

        One that was begun and got no row, of a sweep that is not complete, is taken away, and what it replaced is put back.
        """
        if complete and self._regular:
            lines = [_line(self._names), *(_line(self._rows[number]) for number in sorted(self._rows))]
            # Rows in another order are complete, too.
            with contextlib.suppress(OSError):
                write_whole(self.path, b"".join(lines))
        elif self._take_back is not None and self._regular and self._is_there():
            with contextlib.suppress(OSError):
                self._stream.truncate(0)
            self._take_back()  # while the lock is held
            if self.kept is not None and not self.kept.exists():
                self.kept = None
        with contextlib.suppress(OSError):
            self._stream.close()

    def _is_there(self) -> bool:
        """Whether the file's name is still that of what is written, and of no other file."""
        try:
            return os.path.samestat(os.fstat(self._stream.fileno()), self.path.stat())
        except OSError:
            return False

    def _begin(self, names: tuple[str, ...]) -> None:
        try:
            self._write(_line(names))
        except NotKeptError as error:
            self._stream.close()
            raise SweepFileUnwritableError(str(error)) from error

    def _write(self, data: bytes) -> None:
        start = self._stream.seek(0, os.SEEK_END) if self._regular else 0
        try:
            written = 0
            while written < len(data):
                written += self._stream.write(data[written:]) or 0
        except OSError as error:
            if self._regular:
                with contextlib.suppress(OSError):
                    self._stream.truncate(start)
            before = " The rows before are in it." if self._rows else ""
            raise NotKeptError(f"{self.path} cannot be written ({reason(error)}).{before}") from error


def create(path: Path, sweep: SweepRequest) -> SweepFile:
    """A new file; an old one of that name is kept under another name, `kept`. Without a row, closing it undoes all this.

    Raises:
        SweepFileError: it cannot be made; SweepFileUnwritableError where the disk has no room for it.
    """
    kept, was_there = None, path.exists()
    try:
        if path.is_file() and path.stat().st_size:
            with path.open("rb") as old:
                _lock(old, path)  # that of another sweep stays where it writes
            kept = keep_aside(path)
        stream = path.open("ab", buffering=0)
        _lock(stream, path)
    except OSError as error:
        _put_back(path, kept, was_there=was_there)
        raise _unwritable(path, error) from error
    file = SweepFile(path, sweep, stream, {})
    try:
        file._begin(columns(sweep))
    except SweepFileError:
        _put_back(path, kept, was_there=was_there)
        raise
    file.kept = kept
    file._take_back = lambda: _put_back(path, kept, was_there=was_there)
    return file


def _put_back(path: Path, kept: Path | None, *, was_there: bool) -> None:
    """Leave a folder as it was before a file without a row was begun in it."""
    with contextlib.suppress(OSError):
        if kept is not None:
            kept.replace(path)
        elif not was_there and path.is_file() and not path.stat().st_size:
            path.unlink()


def command_in(path: Path) -> str:
    """The options of the sweep whose rows are in a file, as `sweep_command` writes them.

    Raises:
        SweepFileError: it cannot be read, is no such file, is of another version, or has no row.
    """
    found = read_lines(path)
    if not found.lines:
        raise SweepFileError(f"{path} has no row yet: give the sweep's options, too.")
    return usual_command(found)


def command_refused(path: Path, why: str) -> SweepFileError:
    """What to raise where the options that a file's rows name are none of a sweep."""
    found = read_lines(path)
    command = usual_command(found)
    line = next(line for line in found.lines if found.text(line, "sweep") == command)
    return found.refused(line, "sweep", why)


def resume(path: Path, sweep: SweepRequest) -> SweepFile:
    """Go on with a file of the same sweep. A row that was being written when the program ended is taken away.

    Raises:
        SweepFileError: it cannot be read or written, is no such file, is of another version or of another sweep, or is damaged;
            the sentence says in what they differ, or which line has which value in which column.
    """
    found = read_lines(path)
    names = columns(sweep)
    # A file goes on with the columns that it has.
    earlier = tuple(name for name in names if name not in LATER_SETTINGS)
    earliest = tuple(name for name in earlier if name not in STATE_COLUMNS)
    if found.lines:
        check_sweep_of(found, sweep_command(sweep))
        if found.names not in (names, earlier, earliest):
            why = f"{first_unlike(found.names, names)}. It is left as it is"
            raise SweepFileError(f"{path}, line 1: {why}: correct that line, or begin anew with --csv.")
    rows = {number: list(line.values) for number, line in check_rows(found, sweep).items()}
    try:
        stream = path.open("r+b", buffering=0)
        _lock(stream, path)
        stream.truncate(whole_bytes(path.read_bytes()) if rows else 0)
    except OSError as error:
        raise _unwritable(path, error) from error
    file = SweepFile(path, sweep, stream, rows, found.names if rows else names)
    if not path.stat().st_size:
        file._begin(names)
    return file


def _unwritable(path: Path, error: OSError) -> SweepFileError:
    """The disk's fault, or that of who named such a file."""
    kind = SweepFileUnwritableError if error.errno in NO_ROOM else SweepFileError
    return kind(f"{path} cannot be written ({reason(error)}).")


def _lock(stream: BinaryIO, path: Path) -> None:
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        stream.close()
        raise SweepFileError(f"{path} is being written by another sweep.") from error
    except OSError:
        return  # a file system, or a device, that knows no locks


def table(sweep: SweepRequest, results: Sequence[CellResult]) -> str:
    """A whole file, such as `resume` goes on with.

    Args:
        sweep: whose axes are in the order of their options, for its command tells no other.
        results: rows of its cells.
    """
    names = columns(sweep)
    lines = (_values(row(sweep, result), names) for result in results)
    return b"".join(map(_line, (names, *lines))).decode()


def _values(found: Mapping[str, Plain], names: Sequence[str]) -> list[str]:
    return [_text(found[name]) for name in names]


def _line(values: Sequence[str]) -> bytes:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerow(values)
    return stream.getvalue().encode()


def _text(value: Plain) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
