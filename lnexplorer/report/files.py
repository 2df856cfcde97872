"""Runs as a file of one of the forms that others take."""

import multiprocessing
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import ParamSpec, TypeVar

from lnexplorer.domain.experiments.findings import ExperimentResult
from lnexplorer.report.page import report
from lnexplorer.report.script import notebook, python_script
from lnexplorer.report.tables import KeptRun, csv_of, json_text, parquet_of, table_of_runs, write
from lnexplorer.store.files import StoreError
from lnexplorer.store.recorded_sweep import RecordedSweep
from lnkernels.sentence import say

MOST_SECONDS = 120.0  # for pictures in a process of their own
P = ParamSpec("P")
T = TypeVar("T")
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
        StoreError: there is no run, or it cannot be written; one sentence.
    """
    if not runs and not (kind == "report" and (sweeps or experiments)):
        raise StoreError(say("{path} is not written: there is no run to export.", path=str(path)))
    pinned = next((run for run in runs if run.id == baseline), None)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    forms: dict[str, Callable[[Sequence[KeptRun]], bytes | str]] = {
        "csv": lambda runs: csv_of(table_of_runs(runs)),
        "json": lambda runs: json_text(runs, unread),
        "parquet": lambda runs: parquet_of(table_of_runs(runs)),
        "report": lambda runs: _report(runs, pinned, now, sweeps, experiments),
        "notebook": lambda runs: notebook(runs[0].result),
        "script": lambda runs: python_script(runs[0].result),
    }
    write(path, forms[kind](runs))
    return path


def in_a_process(write: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
    """What a function gives that draws pictures, where this process has a window: they have their own style, and hold up nothing.

    Raises:
        OSError: it takes too long.
        RuntimeError: the process ends early.
    """
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(write, *arguments, **options).result(MOST_SECONDS)


def kind_of(path: Path) -> str | None:
    """The form that a file's name stands for; None where it is none of SUFFIXES."""
    return next((kind for kind, suffix in SUFFIXES.items() if path.suffix.lower() == suffix), None)


def _report(
    runs: Sequence[KeptRun],
    pinned: KeptRun | None,
    now: str,
    sweeps: Sequence[RecordedSweep],
    experiments: Sequence[ExperimentResult],
) -> str:
    """The window writes its files on a thread, where no chart can be drawn."""
    if threading.current_thread() is threading.main_thread():
        return report(runs, pinned, now, sweeps, experiments)
    return in_a_process(report, runs, pinned, now, sweeps, experiments)
