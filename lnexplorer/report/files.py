"""Runs as a file of one of the forms that others take."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from lnexplorer.domain.experiments.findings import ExperimentResult
from lnexplorer.report.report import report
from lnexplorer.report.script import notebook, python_script
from lnexplorer.report.table import ExportError, KeptRun, csv_text, json_text, parquet_bytes, write
from lnexplorer.store.sweep_values import RecordedSweep

SUFFIXES = {"report": ".html", "csv": ".csv", "parquet": ".parquet", "json": ".json", "notebook": ".ipynb", "script": ".py"}
SINGLE = ("notebook", "script")  # of one run each


def write_runs(
    path: Path,
    kind: str,
    runs: Sequence[KeptRun],
    baseline: int | None = None,
    sweeps: Sequence[RecordedSweep] = (),
    experiments: Sequence[ExperimentResult] = (),
    unread: Mapping[int, str] | None = None,
) -> Path:
    """Write runs, and into a report sweeps and experiments, too; the path.

    Args:
        path: of the file, which is replaced whole or not at all.
        kind: a key of SUFFIXES; those of SINGLE take the first run.
        runs: at least one; a report of sweeps or experiments alone has none.
        baseline: number of the run among them that a report compares the others with.
        sweeps: of a report.
        experiments: of a report.
        unread: why other runs cannot be read, by number, for JSON.

    Raises:
        ExportError: there is no run, or it cannot be written; one sentence.
    """
    if not runs and not (kind == "report" and (sweeps or experiments)):
        raise ExportError(f"{path} is not written: there is no run to export.")
    pinned = next((run for run in runs if run.id == baseline), None)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    forms: dict[str, Callable[[Sequence[KeptRun]], bytes | str]] = {
        "csv": csv_text,
        "json": lambda runs: json_text(runs, unread),
        "parquet": parquet_bytes,
        "report": lambda runs: report(runs, pinned, now, sweeps, experiments),
        "notebook": lambda runs: notebook(runs[0].result),
        "script": lambda runs: python_script(runs[0].result),
    }
    write(path, forms[kind](runs))
    return path


def kind_of(path: Path) -> str | None:
    """The form that a file's name stands for; None where it is none of SUFFIXES."""
    return next((kind for kind, suffix in SUFFIXES.items() if path.suffix.lower() == suffix), None)
