"""The rows of a sweep's CSV file as they are read: what is damaged is named by its line, its column and its value."""

import codecs
import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lnexplorer.domain.sweep.cells import VERSION, Cell, all_cells
from lnexplorer.domain.sweep.request import SweepRequest, difference
from lnexplorer.domain.sweep.table import typed
from lnexplorer.store.aside import reason
from lnexplorer.store.own_file import short
from lnexplorer.store.reading import TooLargeError, read_at_most

MAX_BYTES = 1 << 28
# Of what a row was asked, these say that it is that cell's; the others follow from heuristics, which a new version may change.
IDENTITY = ("provider", "m", "n", "dtype")
LONGEST_VALUE = 40  # characters
LONGEST_COMMAND = 250
OF_HEADER = "It is no file of a sweep, or this line, which names the columns, is damaged."
REMEDY = "Correct that line, or take it out: its setting is then tried again."


class SweepFileError(Exception):
    """A file that a sweep cannot be kept in or go on with, why, and what to do."""


class SweepFileUnwritableError(SweepFileError):
    """A file that nothing is wrong with, on a disk that has no room, or fails."""


@dataclass(frozen=True, slots=True)
class Line:
    """One row, as text."""

    number: int  # of its line in the file, from 1
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Lines:
    """A whole file."""

    path: Path
    names: tuple[str, ...]  # of its columns; none in an empty file
    lines: tuple[Line, ...]

    def text(self, line: Line, name: str) -> str:
        """What a line has in a column."""
        return line.values[self.names.index(name)]

    def refused(self, line: Line, name: str, allowed: str) -> SweepFileError:
        """What is wrong with one value, and what to do."""
        given = _shown(self.text(line, name))
        return SweepFileError(f"{self.path}, line {line.number}: {name} = {given} is not possible: {allowed}. {REMEDY}")


def _shown(text: str) -> str:
    """A value for a sentence; a long one by its beginning, but for a whole command."""
    limit = LONGEST_COMMAND if text.startswith("--") else LONGEST_VALUE
    return (short(text[:limit]) + (" …" if len(text) > limit else "")) or "nothing"


def whole_bytes(data: bytes) -> int:
    """Length of the part that ends with a whole line."""
    return data.rfind(b"\n") + 1


def read_lines(path: Path) -> Lines:
    """The rows of a file, all of this version and of one sweep. A row that was being written at the end is left out.

    Raises:
        SweepFileError: it cannot be read, is no such file, or is damaged.
    """
    try:
        data = read_at_most(path, MAX_BYTES)
    except OSError as error:
        raise SweepFileError(f"{path} cannot be read ({reason(error)}).") from error
    except TooLargeError as error:
        raise SweepFileError(f"{path} is larger than a sweep's file can be.") from error
    data = data[: whole_bytes(data)].removeprefix(codecs.BOM_UTF8)  # which a spreadsheet writes before the header
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        remedy = OF_HEADER if line == 1 else REMEDY
        raise SweepFileError(f"{path}, line {line}: byte {data[error.start]:#04x} is no text in UTF-8. {remedy}") from error
    read = tuple(_split(path, text))
    if not read:
        return Lines(path, (), ())
    found = Lines(path, read[0].values, read[1:])
    _check_shape(found)
    _check_version(found)
    return found


def check_sweep_of(found: Lines, wanted: str) -> None:
    """Refuse the file of another sweep, and a line that is not of the file's sweep.

    Args:
        found: the file.
        wanted: the sweep, as `sweep_command` writes it.
    """
    unlike = {line: difference(wanted, found.text(line, "sweep")) for line in found.lines}
    others = {line: words for line, words in unlike.items() if words is not None}
    if others and len(others) == len(unlike):
        raise SweepFileError(
            f"{found.path} is of another sweep, and is left as it is: {next(iter(others.values()))}. "
            "Given nothing but the file and a device, --resume goes on with that sweep."
        )
    for line in others:
        raise found.refused(line, "sweep", f"the other lines have {wanted}")


def usual_command(found: Lines) -> str:
    """The sweep that most rows are of; the file has one."""
    return Counter(found.text(line, "sweep") for line in found.lines).most_common(1)[0][0]


def check_rows(found: Lines, sweep: SweepRequest) -> dict[int, Line]:
    """The lines by the number of their cell, of a file that `check_sweep_of` passes.

    Raises:
        SweepFileError: a value is none that a row of this sweep has.
    """
    cells = () if sweep.search else all_cells(sweep)
    rows: dict[int, Line] = {}
    for line in found.lines:
        for name in found.names:
            try:
                typed(name, found.text(line, name))
            except ValueError as error:
                raise found.refused(line, name, str(error)) from error
        number = _cell_of(found, line, sweep.search or len(cells))
        if number in rows:
            raise found.refused(line, "cell", f"line {rows[number].number} has that cell; each has one line")
        _check_identity(found, line, sweep, cells[number] if cells else None)
        rows[number] = line
    return rows


def _split(path: Path, text: str) -> Iterator[Line]:
    reader = csv.reader(io.StringIO(text), strict=True)
    begins = 1
    while True:
        try:
            values = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise SweepFileError(f"{path}, line {begins}: it is damaged ({error}). {REMEDY}") from error
        yield Line(begins, tuple(values))
        begins = reader.line_num + 1


def _check_shape(found: Lines) -> None:
    lacking = [name for name in ("cell", "schema_version", "sweep", "kind", *IDENTITY) if name not in found.names]
    if lacking:
        raise SweepFileError(f"{found.path}, line 1: it lacks the columns {', '.join(lacking)}. {OF_HEADER}")
    for line in found.lines:
        if len(line.values) != len(found.names):
            has = f"it has {len(line.values)} values, and the file {len(found.names)} columns"
            raise SweepFileError(f"{found.path}, line {line.number}: {has}. {REMEDY}")


def _check_version(found: Lines) -> None:
    others = [line for line in found.lines if found.text(line, "schema_version") != str(VERSION)]
    if others and len(others) == len(found.lines):
        raise SweepFileError(
            f"{found.path} has rows of version {_shown(found.text(others[0], 'schema_version'))}, "
            f"this program writes version {VERSION}: it is left as it is. "
            "Go on with the version of the program that wrote it, or begin anew with --csv."
        )
    for line in others:
        raise found.refused(line, "schema_version", f"take {VERSION}, as the other lines have")


def _cell_of(found: Lines, line: Line, count: int) -> int:
    number = int(found.text(line, "cell"))
    if number >= count:
        raise found.refused(line, "cell", f"take 0 to {count - 1}")
    return number


def _check_identity(found: Lines, line: Line, sweep: SweepRequest, cell: Cell | None) -> None:
    # What a search tries follows from its rows; on which problem, and of whom, does not.
    request = sweep.base if cell is None else cell.request
    asked: dict[str, object] = {"provider": sweep.strategies[0] if cell is None else cell.provider}
    asked |= {name: getattr(request, name) for name in IDENTITY[1:]}
    for name, value in asked.items():
        if value is not None and found.text(line, name) != str(value):
            raise found.refused(line, name, f"cell {found.text(line, 'cell')} has {value}")


def first_unlike(names: Sequence[str], wanted: Sequence[str]) -> str:
    """Where the columns of a file begin to differ from those that are wanted, in words."""
    for place, (name, other) in enumerate(zip(names, wanted, strict=False), start=1):
        if name != other:
            return f"column {place} is {_shown(name)}, and this version writes {other} there"
    return f"it has {len(names)} columns, and this version writes {len(wanted)}"
