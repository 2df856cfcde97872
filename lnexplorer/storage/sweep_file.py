"""The CSV file of a sweep: a row as soon as it is known, and everything that it takes to go on after an interruption."""

import contextlib
import csv
import fcntl
import io
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from lnexplorer.domain.sweep.cells import all_cells
from lnexplorer.domain.sweep.command import difference, sweep_command
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.domain.sweep.result import VERSION, CellResult, NotKeptError
from lnexplorer.domain.sweep.table import STATE_COLUMNS, Plain, columns, row, typed
from lnexplorer.storage.aside import keep_aside, reason, write_whole
from lnexplorer.storage.reading import TooLargeError, read_at_most

MAX_BYTES = 1 << 28
CELL = "[0-9]{1,9}"  # the number of a cell, as text
# Of what a row was asked, these say that it is that cell's; the others follow from heuristics, which a new version may change.
IDENTITY = ("provider", "m", "n", "dtype")


class SweepFileError(Exception):
    """A file that a sweep cannot be kept in or go on with, and why, in one sentence."""


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

    @property
    def done(self) -> frozenset[int]:
        """Numbers of the cells that have a row."""
        return frozenset(self._rows)

    @property
    def rows(self) -> list[dict[str, Plain]]:
        """All rows, by cell.

        Raises:
            ValueError: one has a text where a number belongs.
        """
        return [
            {name: typed(name, text) for name, text in zip(self._names, self._rows[number], strict=True)}
            for number in sorted(self._rows)
        ]

    def add(self, result: CellResult) -> None:
        """Write a row.

        Raises:
            NotKeptError: it cannot be written; the file is as it was.
        """
        found = row(self._sweep, result)
        values = [_text(found[name]) for name in self._names]
        self._write(_line(values))
        self._rows[result.cell.number] = values

    def close(self, *, complete: bool) -> None:
        """Let go of the file. That of a complete sweep is put into the order of its cells first, where that is possible."""
        if complete and self._regular:
            lines = [_line(self._names), *(_line(self._rows[number]) for number in sorted(self._rows))]
            # Rows in another order are complete, too.
            with contextlib.suppress(OSError):
                write_whole(self.path, b"".join(lines))
        with contextlib.suppress(OSError):
            self._stream.close()

    def _begin(self, names: tuple[str, ...]) -> None:
        try:
            self._write(_line(names))
        except NotKeptError as error:
            self._stream.close()
            raise SweepFileError(str(error)) from error

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
            raise NotKeptError(f"{self.path} cannot be written ({reason(error)}). The rows before are in it.") from error


def create(path: Path, sweep: SweepRequest) -> tuple[SweepFile, str | None]:
    """A new file, and a sentence where an old one of that name was kept under another name.

    Raises:
        SweepFileError: it cannot be made.
    """
    said = None
    try:
        if path.is_file() and path.stat().st_size:
            with path.open("rb") as old:
                _lock(old, path)  # that of another sweep stays where it writes
            said = f"{path} was there already, and is kept as {keep_aside(path).name}."
        stream = path.open("ab", buffering=0)
        _lock(stream, path)
    except OSError as error:
        raise SweepFileError(f"{path} cannot be written ({reason(error)}).") from error
    file = SweepFile(path, sweep, stream, {})
    file._begin(columns(sweep))
    return file, said


def command_in(path: Path) -> str:
    """The options of the sweep whose rows are in a file, as `sweep_command` writes them.

    Raises:
        SweepFileError: it cannot be read, is no such file, is of another version, or has no row.
    """
    rows = _read(path)
    if not rows:
        raise SweepFileError(f"{path} has no row yet: give the sweep's options, too.")
    return rows[0]["sweep"]


def resume(path: Path, sweep: SweepRequest) -> SweepFile:
    """Go on with a file of the same sweep. A row that was being written when the program ended is taken away.

    Raises:
        SweepFileError: it cannot be read or written, is no such file, is of another version or of another sweep; the sentence
            says in what they differ.
    """
    found: dict[int, list[str]] = {}
    cells = all_cells(sweep) if not sweep.search else ()
    count = sweep.search or len(cells)
    names = own = columns(sweep)
    earlier = tuple(name for name in names if name not in STATE_COLUMNS)  # a file goes on with the columns that it has
    for line, values in enumerate(_read(path), start=2):
        unlike = difference(sweep_command(sweep), values["sweep"])
        if unlike is not None:
            raise SweepFileError(f"{path} is of another sweep, and is left as it is: {unlike}.")
        if tuple(values) not in (names, earlier):
            raise SweepFileError(f"{path} has other columns than this version writes, and is left as it is.")
        number = int(values["cell"]) if re.fullmatch(CELL, values["cell"]) else -1
        if not 0 <= number < count:
            raise SweepFileError(f"{path}, line {line}: cell is {values['cell']}, and the sweep has 0 to {count - 1}.")
        # What a search tries follows from its rows; on which problem, and of whom, does not.
        request, provider = (cells[number].request, cells[number].provider) if cells else (sweep.base, sweep.strategies[0])
        asked: dict[str, object] = {"provider": provider} | {name: getattr(request, name) for name in IDENTITY[1:]}
        for name, text in values.items():
            try:
                typed(name, text)
            except ValueError as error:
                raise SweepFileError(f"{path}, line {line}: {name} is {text[:40]}, which is no number.") from error
        for name, value in asked.items():
            if value is not None and values[name] != str(value):
                raise SweepFileError(f"{path}, line {line}: {name} is {values[name]}, and cell {number} has {value}.")
        found[number] = list(values.values())
        own = tuple(values)
    try:
        stream = path.open("r+b", buffering=0)
        _lock(stream, path)
        stream.truncate(_whole_bytes(path.read_bytes()) if found else 0)
    except OSError as error:
        raise SweepFileError(f"{path} cannot be written ({reason(error)}).") from error
    file = SweepFile(path, sweep, stream, found, own)
    if not path.stat().st_size:
        file._begin(names)
    return file


def _read(path: Path) -> list[Mapping[str, str]]:
    try:
        data = read_at_most(path, MAX_BYTES)
        text = data[: _whole_bytes(data)].decode()
    except OSError as error:
        raise SweepFileError(f"{path} cannot be read ({reason(error)}).") from error
    except TooLargeError as error:
        raise SweepFileError(f"{path} is larger than a sweep's file can be.") from error
    except UnicodeDecodeError as error:
        raise SweepFileError(f"{path} is no file of a sweep: it is not text.") from error
    try:
        lines = list(csv.reader(io.StringIO(text), strict=True))
    except csv.Error as error:
        raise SweepFileError(f"{path} is damaged: {error}.") from error
    if not lines:
        return []
    names = lines[0]
    if not {"cell", "schema_version", "sweep", "kind", *IDENTITY} <= set(names):
        raise SweepFileError(f"{path} is no file of a sweep: it lacks the columns that one has.")
    for number, line in enumerate(lines[1:], start=2):
        if len(line) != len(names):
            raise SweepFileError(f"{path}, line {number}: it has {len(line)} values, and the file {len(names)} columns.")
    rows: list[Mapping[str, str]] = [dict(zip(names, line, strict=True)) for line in lines[1:]]
    versions = {values["schema_version"] for values in rows} - {str(VERSION)}
    if versions:
        raise SweepFileError(
            f"{path} has rows of version {min(versions)}, this program writes version {VERSION}: it is left as it is."
        )
    return rows


def _whole_bytes(data: bytes) -> int:
    """Length of the part that ends with a whole line."""
    return data.rfind(b"\n") + 1


def _lock(stream: BinaryIO, path: Path) -> None:
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        stream.close()
        raise SweepFileError(f"{path} is being written by another sweep.") from error
    except OSError:
        return  # a file system, or a device, that knows no locks


def _line(values: list[str] | tuple[str, ...]) -> bytes:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerow(values)
    return stream.getvalue().encode()


def _text(value: Plain) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
