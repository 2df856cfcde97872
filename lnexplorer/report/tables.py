"""Tables that leave the program, as CSV, Parquet and JSON: runs, a run a row; a sweep, a setting a
row; and any other rows.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from lnexplorer.domain.history import KeptRun
from lnexplorer.domain.request import ResolvedRequest, RunRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.table import as_text, columns, row
from lnexplorer.report.documents import finite, run_document, sweep_document
from lnexplorer.store.files import StoreError, unwritable, write_whole
from lnexplorer.store.recordings import RecordedSweep
from lnexplorer.store.sweep_csv import sweep_csv
from lnkernels.values import say
from lnkernels.values.accuracy import TENSORS
from lnkernels.values.environment import Environment
from lnkernels.values.figures import DIRECTIONS, MODES, Figure, Throughput

LONG_SUFFIX = ".figures.csv"
SWEEP_SUFFIXES = (".csv", ".json", ".parquet", LONG_SUFFIX)
RUNS_FORMAT = "lnexplorer runs"
RUNS_VERSION = 1
FIGURES = (
    "gbps",
    "requested_gbps",
    "p20_ms",
    "p50_ms",
    "p80_ms",
    "share_of_ceiling",
    "settled",
    "verdict",
)
PARQUET_MISSING = say(
    "Parquet needs the package pyarrow, which is not here. Install it with: python -m pip install"
    " '.[parquet]' in the clone"
)
LONG = (
    "id",
    "date",
    "kind",
    "gpu",
    "m",
    "n",
    "dtype",
    "norm",
    "strategy",
    "provider",
    "direction",
    "mode",
    "passed",
    "gbps",
    "p20_gbps",
    "p80_gbps",
    "p50_ms",
    "share_of_ceiling",
    "samples",
    "settled",
    "verdict",
    "note",
)
STAMP = (
    "date",
    "gpu",
    "host",
    "driver",
    "torch",
    "triton",
    "peers",
    "python",
    "sm_clock_mhz",
    "temperature_c",
    "power_w",
    "throttle_reasons",
    "other_processes",
)


def table_of_runs(runs: Sequence[KeptRun]) -> pd.DataFrame:
    """Make a table with a run a row; cells are empty where a run has no such value.

    Speeds stand under PROVIDER_DIRECTION_MODE_FIGURE; the run's own kernels are called `kernel`,
    whatever the strategy.
    """
    return table_of([_row(run) for run in runs])


def table_of_figures(runs: Sequence[KeptRun]) -> pd.DataFrame:
    """Make a table with a figure of a run a row, in twenty-two columns."""
    rows = []
    for run in runs:
        result, made = run.result, run.result.provenance
        rows += _speeds(
            _figures(result),
            result.resolved,
            made.environment,
            id=run.id,
            kind=made.kind.value,
            strategy=result.resolved.launch.strategy,
            passed=result.correctness.passed,
            note=run.note,
        )
    return table_of(rows, LONG)


def _sweep_figures(results: Sequence[CellResult]) -> pd.DataFrame:
    """Make a table with a figure of a sweep a row, in the same columns."""
    rows = []
    for result in results:
        cell = result.cell
        asked = result.resolved or cell.request
        rows += _speeds(
            result.figures,
            asked,
            result.environment,
            id=cell.number,
            kind=result.kind.value,
            strategy=None if cell.peer else asked.launch.strategy,
            passed=result.status == "ok",
            provider=cell.provider,
        )
    return table_of(rows, LONG)


def _speeds(
    figures: Sequence[Figure],
    asked: RunRequest | ResolvedRequest,
    environment: Environment,
    **about: Any,
) -> list[dict[str, Any]]:
    """Return a row for each figure, by the names in LONG; `about` is in all rows."""
    about |= {name: getattr(asked, name) for name in ("m", "n", "dtype", "norm")}
    about |= {"date": environment.date, "gpu": environment.named_gpu}
    return [
        {name: getattr(figure, name) for name in ("provider", "direction", "mode")}
        | figure.flat()
        | about
        for figure in figures
    ]


def _figures(result: RunResult) -> Sequence[Figure]:
    return (result.throughput or Throughput()).figures


def table_of(rows: Sequence[Mapping[str, Any]], columns: Sequence[str] = ()) -> pd.DataFrame:
    """Make a table whose whole numbers stay whole where some are missing. Columns are those of the
    rows, as they come, if none are given.
    """
    names = columns or list(dict.fromkeys(name for row in rows for name in row))
    return pd.DataFrame({name: _column([row.get(name) for row in rows]) for name in names})


def _column(values: list[Any]) -> pd.Series:
    kinds = {type(value) for value in values if value is not None}
    kind = {
        frozenset({bool}): "boolean",
        frozenset({int}): "Int64",
        frozenset({str}): "string",
    }.get(frozenset(kinds))
    return pd.Series(
        values, dtype=kind or ("Float64" if kinds and kinds <= {int, float} else "object")
    )


def csv_of(table: pd.DataFrame, **options: Any) -> str:
    """Encode a table as CSV. Cells and names of columns are escaped by `as_text`, whoever's words
    they are.

    Args:
        table: as `table_of_runs` makes it, or any other.
        options: those of `DataFrame.to_csv`, such as `sep`.
    """
    texts = [name for name in table if not pd.api.types.is_numeric_dtype(table[name])]
    escaped = table.assign(**{name: table[name].map(_escaped) for name in texts})
    form = {"index": False, "lineterminator": "\n"} | options
    text: str = escaped.rename(columns=as_text).to_csv(**form)
    return text


def _escaped(value: object) -> object:
    return as_text(value) if isinstance(value, str) else value


def parquet_of(table: pd.DataFrame) -> bytes:
    """Encode a table as Parquet.

    Raises:
        StoreError: pyarrow is not installed.
    """
    try:
        data: bytes = table.to_parquet(index=False)
    except ImportError as error:
        raise StoreError(PARQUET_MISSING) from error
    return data


def json_text(runs: Sequence[KeptRun], unread: Mapping[int, str] | None = None) -> str:
    """Encode runs as `lnexplorer run --json` prints them, with number, note and the samples of
    every figure. `unread` says why other runs cannot be read, by number; the document lists them.
    """
    documents = [
        {
            "id": run.id,
            "note": run.note,
            **run_document(run.result),
            "samples_ms": finite(_samples(run.result)),
        }
        for run in runs
    ]
    missing = [{"id": number, "reason": why} for number, why in (unread or {}).items()]
    whole = {"format": RUNS_FORMAT, "version": RUNS_VERSION, "runs": documents, "unread": missing}
    return _json(whole)


def write(path: Path, data: bytes | str) -> None:
    """Write a file whole or not at all.

    Raises:
        StoreError: it cannot be written; one sentence.
    """
    try:
        write_whole(path, data.encode() if isinstance(data, str) else data)
    except OSError as error:
        raise unwritable(path, error) from error


def _row(run: KeptRun) -> dict[str, Any]:
    document = run_document(run.result)
    environment, resolved = document["provenance"]["environment"], document["resolved"]
    launch = resolved["launch"]  # nothing stands where the strategy has no such setting
    row: dict[str, Any] = {
        "id": run.id,
        "note": run.note,
        "kind": document["provenance"]["kind"],
    }
    row |= {name: joined(environment.get(name)) for name in STAMP}
    before = (document["device_state"] or {}).get("before", {})
    row |= {f"{name}_before": joined(value) for name, value in before.items() if name in STAMP}
    row |= {name: value for name, value in resolved.items() if name != "launch"}
    row |= launch
    row["providers"] = joined(run.result.providers)
    row["passed"] = document["passed"]
    for name in TENSORS:
        check = document["correctness"].get(name, {})
        for column in ("max_abs_error", "torch_max_abs_error", "tolerance", "passed"):
            row[f"{name}_{column}"] = check.get(column)
    for provider, directions in (document["throughput"] or {}).items():
        owner = "kernel" if provider == launch["strategy"] else provider
        for direction in DIRECTIONS:
            for mode in MODES:
                figure = directions[direction][mode]
                if figure is not None:
                    row |= {f"{owner}_{direction}_{mode}_{name}": figure[name] for name in FIGURES}
    # They say, among others, what makes the figures doubtful.
    row["notes"] = " ".join(" ".join(map(str, run.result.notes)).split())
    return row


def _samples(result: RunResult) -> dict[str, list[float]]:
    """Return times in ms by provider/direction/mode."""
    return {
        f"{figure.provider}/{figure.direction}/{figure.mode}": figure.samples_ms.tolist()
        for figure in _figures(result)
    }


def joined(value: Any) -> Any:
    """Return a list as one text, and anything else as it is."""
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else value


def write_rows(path: Path, sweep: RecordedSweep) -> Path:
    """Write the rows of a sweep in the form of the path's suffix; return the path.

    The suffixes are SWEEP_SUFFIXES; any other one gives CSV. CSV and Parquet have the columns of
    `lnexplorer sweep --csv`. JSON is what `lnexplorer sweep --json` prints, without the wall time,
    which is not kept.

    Raises:
        StoreError: it cannot be written, or Parquet's package is missing; one sentence.
    """
    request, results = sweep.sweep, sweep.results
    data: bytes | str
    match path.suffix.lower():
        case _ if path.name.lower().endswith(LONG_SUFFIX):
            data = csv_of(_sweep_figures(results))
        case ".json":
            times = {"timing_seconds": sum(result.timing_seconds for result in results)}
            ended = sweep.ended, "" if sweep.ended else "The sweep has not come to its end."
            data = _json(finite(sweep_document(request, results, ended, times)))
        case ".parquet":
            rows = [row(request, result) for result in results]
            data = parquet_of(table_of(rows, columns(request)))
        case _:
            data = sweep_csv(request, results)
    write(path, data)
    return path


def _json(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
