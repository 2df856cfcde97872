"""The sweeps that are kept, for the history: as lines, and their rows as CSV."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

from lnexplorer.domain.history import SweepRow
from lnexplorer.domain.sweep.table import columns, row
from lnexplorer.storage.export.table import ExportError, write
from lnexplorer.storage.sweep_store import NAME, SweepStore, SweepStoreError


def sweep_rows(folder: Path, warn: Callable[[str], None]) -> list[SweepRow]:
    """All sweeps in the data folder, newest first. `warn` hears of a damaged file, which is kept under another name.

    Raises:
        ExportError: they cannot be read; one sentence.
    """
    if not (folder / NAME).exists():
        return []
    store = _open(folder, warn)
    try:
        kept = store.sweeps()
    except SweepStoreError as error:
        raise ExportError(str(error)) from error
    finally:
        store.close()
    return [SweepRow(id=s.id, date=s.date, command=s.command, total=s.total, done=s.done, ended=s.ended) for s in kept]


def write_sweep(folder: Path, sweep: int, path: Path, warn: Callable[[str], None]) -> None:
    """Write the rows of a sweep as CSV, with the columns of `lnexplorer sweep --csv`.

    Raises:
        ExportError: there is no such sweep, or it cannot be read or written; one sentence.
    """
    store = _open(folder, warn)
    try:
        request, results = store.load(sweep)
    except SweepStoreError as error:
        raise ExportError(str(error)) from error
    finally:
        store.close()
    stream = io.StringIO()
    writer = csv.DictWriter(stream, columns(request), lineterminator="\n")
    writer.writeheader()
    writer.writerows(row(request, result) for result in results)
    write(path, stream.getvalue())


def _open(folder: Path, warn: Callable[[str], None]) -> SweepStore:
    try:
        return SweepStore(folder / NAME, warn)
    except SweepStoreError as error:
        raise ExportError(str(error)) from error
