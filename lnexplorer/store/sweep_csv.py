"""The CSV file of a sweep: a row as soon as it is known, and everything that it takes to go on after an interruption.

What is damaged in a file is named by its line, its column and its value.
"""

import codecs
import contextlib
import csv
import fcntl
import io
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from lnexplorer.domain.sweep.cells import VERSION, Cell, CellResult, all_cells
from lnexplorer.domain.sweep.request import SweepRequest, difference, sweep_command
from lnexplorer.domain.sweep.table import Plain, columns, row, typed
from lnexplorer.store.files import StoreError, keep_aside, read_at_most, short, unwritable, write_whole
from lnkernels.sentence import Sentence, say, verbatim

MAX_BYTES = 1 << 28
# Of what a row was asked, these say that it is that cell's; the others follow from heuristics, which a new version may
# change.
IDENTITY = ("provider", "m", "n", "dtype")
LONGEST_VALUE = 40  # characters
LONGEST_COMMAND = 250
OF_HEADER = say("It is no file of a sweep, or this line, which names the columns, is damaged.")
REMEDY = say("Correct that line, or take it out: its setting is then tried again.")


class SweepFile:
    """The file of a sweep. Only one process writes it at a time.

    Use `create` or `resume`; close it with `close`.
    """

    def __init__(self, path: Path, sweep: SweepRequest, stream: BinaryIO | None, rows: dict[int, list[str]]) -> None:
        """A file with these rows; without a stream it is begun with its first row."""
        self.path = path
        self.kept: Path | None = None  # what a file that was there is called now
        self._sweep = sweep
        self._stream = stream
        self._rows = rows  # by cell, as text
        self._names = columns(sweep)

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
            StoreError: it cannot be written; the file is as it was.
        """
        values = _values(row(self._sweep, result), self._names)
        if self._stream is None:
            self._stream = self._begin()
        self._write(self._stream, _line(values))
        self._rows[result.cell.number] = values

    def close(self, *, complete: bool) -> None:
        """Let go of the file. That of a complete sweep is put into the order of its cells first, where that is
        possible.
        """
        if self._stream is None:
            return
        if complete and self.path.is_file():
            lines = [_line(self._names), *(_line(self._rows[number]) for number in sorted(self._rows))]
            # Rows in another order are complete, too.
            with contextlib.suppress(OSError):
                write_whole(self.path, b"".join(lines))
        with contextlib.suppress(OSError):
            self._stream.close()

    def _begin(self) -> BinaryIO:
        """Open the file with its header; an old one of that name is kept under another name, or put back where this
        fails.
        """
        there = self.path.exists()
        try:
            if self.path.is_file() and self.path.stat().st_size:
                _check_free(self.path)
                self.kept = keep_aside(self.path)
            stream = self.path.open("ab", buffering=0)
        except OSError as error:
            raise unwritable(self.path, error) from error
        try:
            _lock(stream, self.path)
            self._write(stream, _line(self._names))
        except StoreError:
            stream.close()
            with contextlib.suppress(OSError):
                if self.kept is not None:
                    self.kept.replace(self.path)
                elif not there:
                    self.path.unlink()
            self.kept = None
            raise
        return stream

    def _write(self, stream: BinaryIO, data: bytes) -> None:
        regular = self.path.is_file()
        start = stream.seek(0, os.SEEK_END) if regular else 0
        try:
            written = 0
            while written < len(data):
                written += stream.write(data[written:]) or 0
        except OSError as error:
            if regular:
                with contextlib.suppress(OSError):
                    stream.truncate(start)
            raise unwritable(self.path, error, "The rows before are in it." if self._rows else "") from error


def create(path: Path, sweep: SweepRequest) -> SweepFile:
    """A new file, which is begun with its first row; an old one of that name is then kept under another name, `kept`.

    Raises:
        StoreError: another sweep writes it.
    """
    if path.is_file():
        _check_free(path)
    return SweepFile(path, sweep, None, {})


def command_in(path: Path) -> str:
    """The options of the sweep whose rows are in a file, as `sweep_command` writes them.

    Raises:
        StoreError: it cannot be read, is no such file, is of another version, or has no row.
    """
    found = _read(path)
    if not found.lines:
        raise StoreError(say("{path} has no row yet: give the sweep's options, too.", path=str(path)))
    return found.command


def command_refused(path: Path, why: str) -> StoreError:
    """What to raise where the options that a file's rows name are none of a sweep."""
    found = _read(path)
    line = next(line for line in found.lines if found.text(line, "sweep") == found.command)
    return found.refused(line, "sweep", verbatim(why))


def resume(path: Path, sweep: SweepRequest) -> SweepFile:
    """Go on with a file of the same sweep. A row that was being written when the program ended is taken away.

    Raises:
        StoreError: it cannot be read or written, is no such file, is of another version or of another sweep, or is
            damaged; the sentence says in what they differ, or which line has which value in which column.
    """
    found = _read(path)
    if not found.lines:
        with contextlib.suppress(OSError):  # writing says why not
            os.truncate(path, 0)
        return SweepFile(path, sweep, None, {})
    _check_sweep_of(found, sweep)
    rows = {number: list(line.values) for number, line in _rows_by_cell(found, sweep).items()}
    try:
        stream = path.open("r+b", buffering=0)
        _lock(stream, path)
        stream.truncate(_whole_bytes(path.read_bytes()))
    except OSError as error:
        raise unwritable(path, error) from error
    return SweepFile(path, sweep, stream, rows)


def table(sweep: SweepRequest, results: Sequence[CellResult]) -> str:
    """A whole file, such as `resume` goes on with.

    Args:
        sweep: whose axes are in the order of their options, for its command tells no other.
        results: rows of its cells.
    """
    names = columns(sweep)
    lines = (_values(row(sweep, result), names) for result in results)
    return b"".join(map(_line, (names, *lines))).decode()


@dataclass(frozen=True, slots=True)
class _Line:
    number: int  # of its line in the file, from 1
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Lines:
    """A whole file, as text."""

    path: Path
    names: tuple[str, ...]  # of its columns; none in an empty file
    lines: tuple[_Line, ...]

    @property
    def command(self) -> str:
        """The sweep that most rows are of."""
        return Counter(self.text(line, "sweep") for line in self.lines).most_common(1)[0][0]

    def text(self, line: _Line, name: str) -> str:
        return line.values[self.names.index(name)]

    def refused(self, line: _Line, name: str, allowed: Sentence) -> StoreError:
        """What is wrong with one value, and what to do."""
        value = self.text(line, name)
        limit = LONGEST_COMMAND if value.startswith("--") else LONGEST_VALUE
        return StoreError(
            say(
                "{path}, line {line}: {name} = {value} is not possible: {allowed}. {remedy}",
                path=str(self.path),
                line=line.number,
                name=name,
                value=(short(value[:limit]) + (" …" if len(value) > limit else "")) or "nothing",
                allowed=allowed,
                remedy=REMEDY,
            )
        )


def _at_line(path: Path, line: int, why: Sentence) -> StoreError:
    remedy = OF_HEADER if line == 1 else REMEDY
    return StoreError(say("{path}, line {line}: {why}. {remedy}", path=str(path), line=line, why=why, remedy=remedy))


def _whole_bytes(data: bytes) -> int:
    """Length of the part that ends with a whole line."""
    return data.rfind(b"\n") + 1


def _read(path: Path) -> _Lines:
    """The rows of a file, all of this version. A row that was being written at the end is left out."""
    data = read_at_most(path, MAX_BYTES)
    data = data[: _whole_bytes(data)].removeprefix(codecs.BOM_UTF8)  # which a spreadsheet writes before the header
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        at, byte = data.count(b"\n", 0, error.start) + 1, f"{data[error.start]:#04x}"
        raise _at_line(path, at, say("byte {byte} is no text in UTF-8", byte=byte)) from error
    read = tuple(_split(path, text))
    if not read:
        return _Lines(path, (), ())
    found = _Lines(path, read[0].values, read[1:])
    lacking = [name for name in ("cell", "date", "schema_version", "sweep", "kind", *IDENTITY) if name not in found.names]
    if lacking:
        raise _at_line(path, 1, say("it lacks the columns {names}", names=", ".join(lacking)))
    for line in found.lines:
        if len(line.values) != len(found.names):
            why = say("it has {count} values, and the file {columns} columns", count=len(line.values), columns=len(found.names))
            raise _at_line(path, line.number, why)
        if found.text(line, "schema_version") != str(VERSION):
            raise found.refused(line, "schema_version", say("this program reads and writes version {known}", known=VERSION))
    return found


def _split(path: Path, text: str) -> Iterator[_Line]:
    reader = csv.reader(io.StringIO(text), strict=True)
    begins = 1
    while True:
        try:
            values = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise _at_line(path, begins, say("it is damaged ({why})", why=str(error))) from error
        yield _Line(begins, tuple(values))
        begins = reader.line_num + 1


def _check_sweep_of(found: _Lines, sweep: SweepRequest) -> None:
    """Refuse the file of another sweep, one with other columns, and a line that is not of the file's sweep."""
    wanted = sweep_command(sweep)
    unlike = {line: difference(wanted, found.text(line, "sweep")) for line in found.lines}
    others = {line: words for line, words in unlike.items() if words is not None}
    if len(others) == len(unlike):
        raise StoreError(
            say(
                "{path} is of another sweep, and is left as it is: {difference}. Given nothing but the file and a device, "
                "--resume goes on with that sweep.",
                path=str(found.path),
                difference=next(iter(others.values())),
            )
        )
    for other in others:
        raise found.refused(other, "sweep", say("the other lines have {command}", command=wanted))
    if found.names != columns(sweep):
        raise _at_line(found.path, 1, say("its columns are not those that this version writes"))


def _rows_by_cell(found: _Lines, sweep: SweepRequest) -> dict[int, _Line]:
    """The lines by the number of their cell; what no row of this sweep has is refused."""
    cells = () if sweep.search else all_cells(sweep)
    rows: dict[int, _Line] = {}
    for line in found.lines:
        for name in found.names:
            try:
                typed(name, found.text(line, name))
            except ValueError as error:
                raise found.refused(line, name, verbatim(str(error))) from error
        number, count = int(found.text(line, "cell")), sweep.search or len(cells)
        if number >= count:
            raise found.refused(line, "cell", say("take 0 to {most}", most=count - 1))
        if number in rows:
            other = rows[number].number
            raise found.refused(line, "cell", say("line {line} has that cell; each has one line", line=other))
        _check_identity(found, line, sweep, cells[number] if cells else None)
        rows[number] = line
    return rows


def _check_identity(found: _Lines, line: _Line, sweep: SweepRequest, cell: Cell | None) -> None:
    # What a search tries follows from its rows; on which problem, and of whom, does not.
    request = sweep.base if cell is None else cell.request
    asked: dict[str, object] = {"provider": sweep.strategies[0] if cell is None else cell.provider}
    asked |= {name: getattr(request, name) for name in IDENTITY[1:]}
    for name, value in asked.items():
        if value is not None and found.text(line, name) != str(value):
            number = found.text(line, "cell")
            raise found.refused(line, name, say("cell {cell} has {value}", cell=number, value=str(value)))


def _check_free(path: Path) -> None:
    """Refuse a file that another sweep writes: it stays where it is written."""
    try:
        with path.open("rb") as stream:
            _lock(stream, path)
    except OSError:
        return  # whether it can be written, writing says


def _lock(stream: BinaryIO, path: Path) -> None:
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        stream.close()
        raise StoreError(say("{path} is being written by another sweep.", path=str(path))) from error
    except OSError:
        return  # a file system, or a device, that knows no locks


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
