"""The CSV file of a sweep, with a row as soon as it is known."""

import contextlib
import csv
import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.domain.sweep.table import Plain, as_text, columns, from_text, row
from lnexplorer.store.files import StoreError, keep_aside, read_at_most, unwritable, write_whole
from lnexplorer.store.sweeps import stamp_of
from lnkernels.values import frozen

MAX_BYTES = 1 << 26


class SweepFile:
    """The file of a sweep; `close` it."""

    def __init__(self, path: Path, sweep: SweepRequest, before: Sequence[CellResult] = ()) -> None:
        """Begin the file with the first row.

        One with rows of `before` is this sweep's; any other of that name is kept under another one,
        `kept`.
        """
        self.path = path
        self.kept: Path | None = None
        self._sweep = sweep
        self._stream: BinaryIO | None = None
        self._lines = {result.cell.number: _line(sweep, result) for result in before}
        self._is_own = bool(before)

    @property
    def count(self) -> int:
        return len(self._lines)

    def add(self, result: CellResult) -> None:
        """Write a row.

        Raises:
            StoreError: it cannot be written; the file is as it was.
        """
        if self._stream is None:
            self._stream = self._begin()
        line = _line(self._sweep, result)
        start = self._stream.seek(0, os.SEEK_END) if self.path.is_file() else None
        try:
            rest = line
            while rest:
                rest = rest[self._stream.write(rest) :]
        except OSError as error:
            if start is not None:
                with contextlib.suppress(OSError):
                    os.truncate(self.path, start)
            raise unwritable(
                self.path, error, "The rows before are in it." if self._lines else ""
            ) from error
        self._lines[result.cell.number] = line

    def close(self, *, complete: bool) -> None:
        """Close the file; that of a complete sweep is sorted by cell, where that is possible."""
        if self._stream is None:
            return
        with contextlib.suppress(OSError):  # rows in another order are complete, too
            if (
                complete
                and self.path.is_file()
                and os.path.samestat(os.fstat(self._stream.fileno()), self.path.stat())
            ):
                write_whole(self.path, self._content())
        with contextlib.suppress(OSError):
            self._stream.close()

    def _content(self) -> bytes:
        return b"".join(
            [_csv(columns(self._sweep)), *(self._lines[number] for number in sorted(self._lines))]
        )

    def _begin(self) -> BinaryIO:
        """Open the file with its header; an old one is put back where this fails."""
        try:
            if not self._is_own and self.path.is_file() and self.path.stat().st_size:
                self.kept = keep_aside(self.path)
            write_whole(self.path, self._content())
            return self.path.open("ab", buffering=0)
        except OSError as error:
            if self.kept is not None:
                self.kept.replace(self.path)
                self.kept = None
            raise unwritable(self.path, error) from error


@frozen
class RowsOfFile:
    """Keys by which the history has the rows of a file."""

    command: str  # of the sweep
    stamps: dict[int, str]  # by cell, as `stamp_of` makes them


def rows_of_file(path: Path) -> RowsOfFile:
    """Read the keys of a file's rows. A row that was cut off is ignored.

    Raises:
        StoreError: it cannot be read, is no such file, or has no row.
    """
    text = read_at_most(path, MAX_BYTES).decode("utf-8-sig", errors="replace")
    command, stamps = "", {}
    try:
        for line in csv.DictReader(text[: text.rfind("\n") + 1].splitlines(keepends=True)):
            command = command or from_text(line["sweep"])
            date, device, seconds = map(from_text, (line["date"], line["device"], line["seconds"]))
            stamps[int(line["cell"])] = stamp_of(date, device, seconds)
    except (KeyError, ValueError, TypeError, AttributeError, csv.Error) as error:
        raise StoreError("{path} is no file of a sweep, or it is damaged.", path=path) from error
    if not stamps:
        raise StoreError("{path} has no row of a sweep: begin one with --csv.", path=path)
    return RowsOfFile(command, stamps)


def sweep_csv(sweep: SweepRequest, results: Sequence[CellResult]) -> str:
    """Return a whole file of these rows."""
    return b"".join([_csv(columns(sweep)), *(_line(sweep, result) for result in results)]).decode()


def _line(sweep: SweepRequest, result: CellResult) -> bytes:
    found = row(sweep, result)
    return _csv([found[name] for name in columns(sweep)])


def _csv(values: Sequence[Plain]) -> bytes:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerow(map(_text, values))
    return stream.getvalue().encode()


def _text(value: Plain) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return as_text(value) if isinstance(value, str) else str(value)
