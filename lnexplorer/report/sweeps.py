"""The rows of a sweep as CSV, JSON or Parquet."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from lnexplorer.domain.parameters import PARAMETERS
from lnexplorer.domain.sweep.cells import CellResult, all_cells
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.domain.sweep.table import Plain, columns, row
from lnexplorer.report.document import finite
from lnexplorer.report.sweep_document import sweep_document
from lnexplorer.report.tables import parquet_of, table_of, write
from lnexplorer.store.sweep_csv import table

SWEEP_SUFFIXES = (".csv", ".json", ".parquet")


def write_rows(path: Path, request: SweepRequest, results: Sequence[CellResult], ended: str) -> None:
    """Write the rows of a sweep in the form that the suffix of `path` names, one of SWEEP_SUFFIXES; any other gives CSV.

    CSV and Parquet have the columns of `lnexplorer sweep --csv`, JSON is what `lnexplorer sweep --json` prints, without the wall
    time, which is not kept.

    Raises:
        StoreError: it cannot be written, or Parquet's package is missing; one sentence.
    """
    rows = [row(request, result) for result in results]
    match path.suffix.lower():
        case ".json":
            write(path, _json(request, rows, results, ended))
        case ".parquet":
            write(path, parquet_of(table_of(rows, columns(request))))
        case _:
            write(path, _csv(request, results))


def _csv(request: SweepRequest, results: Sequence[CellResult]) -> str:
    """As the command writes it, which can go on with it: its axes have the order of its options, whatever that of the pane is."""
    places = [parameter.name for parameter in PARAMETERS]
    ordered = replace(request, axes=tuple(sorted(request.axes, key=lambda axis: places.index(axis.name))))
    if ordered != request and not request.search:
        cells = {(cell.provider, cell.request): cell for cell in all_cells(ordered)}
        moved = [replace(result, cell=cells[result.cell.provider, result.cell.request]) for result in results]
        results = sorted(moved, key=lambda result: result.cell.number)
    return table(ordered, results)


def _json(request: SweepRequest, rows: Sequence[dict[str, Plain]], results: Sequence[CellResult], ended: str) -> str:
    times = {"timing_seconds": sum(result.timing_seconds for result in results)}
    document = sweep_document(request, rows, results, (ended, "" if ended else "The sweep has not come to its end."), times)
    return json.dumps(finite(document), ensure_ascii=False, indent=1, allow_nan=False) + "\n"
