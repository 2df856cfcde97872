"""Runs as a file in a form that other programs read, and the files that the tutorial's benchmark
writes of a sweep over N.
"""

import multiprocessing
import os
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import ParamSpec, TypeVar

import pandas as pd

from lnexplorer.doctor.qt_libraries import missing_libraries, missing_sentence
from lnexplorer.domain import wording
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.curves import curves
from lnexplorer.domain.sweep.request import SweepRequest, sweep_command
from lnexplorer.report.page import Exported, report
from lnexplorer.report.script import notebook, python_script
from lnexplorer.report.signals import signals_held
from lnexplorer.report.tables import (
    LONG_SUFFIX,
    csv_of,
    json_text,
    parquet_of,
    table_of_figures,
    table_of_runs,
    write,
)
from lnexplorer.store.files import StoreError
from lnkernels.launch import NORMS
from lnkernels.values import frozen

# As in the tutorial's `line_names`; Triton's perf_report adds the unit.
LINE_NAMES = {"locked": "Triton", "torch": "Torch", "apex": "Apex"}
UNIT = "GB/s"
NOTHING_TO_DRAW = "there is no speed to draw, so there is no picture"
MOST_SECONDS = 120.0  # for pictures in a process of their own
P = ParamSpec("P")
T = TypeVar("T")
SUFFIXES = {
    "figures": LONG_SUFFIX,
    "report": ".html",
    "csv": ".csv",
    "parquet": ".parquet",
    "json": ".json",
    "notebook": ".ipynb",
    "script": ".py",
}
SINGLE = ("notebook", "script")  # of one run each


def write_runs(path: Path, kind: str, content: Exported) -> Path:
    """Write runs, and into a report what else there is; return the path.

    Args:
        path: of the file, which is replaced whole or not at all.
        kind: a key of SUFFIXES; those of SINGLE take the first run.
        content: at least a run, or what else a report has.

    Raises:
        StoreError: there is no run, or it cannot be written; one sentence.
    """
    runs = content.runs
    if not content.suffices(kind):
        raise StoreError("{path} is not written: there is no run to export.", path=path)
    data: bytes | str
    match kind:
        case "csv":
            data = csv_of(table_of_runs(runs))
        case "figures":
            data = csv_of(table_of_figures(runs))
        case "json":
            data = json_text(runs, content.unread)
        case "parquet":
            data = parquet_of(table_of_runs(runs))
        case "report":
            data = _report(content)
        case "notebook":
            data = notebook(runs[0].result)
        case _:
            data = python_script(runs[0].result)
    write(path, data)
    return path


def in_a_process(write: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
    """Call a function that draws pictures in a process of its own, and return its result.

    A process with a window needs that: pictures have another style, and would block it. No file of
    the current folder is imported.

    Raises:
        OSError: it takes too long.
        RuntimeError: the process ends early.
    """
    os.environ["PYTHONSAFEPATH"] = "1"  # Python's own way to start it has no option for that
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(write, *arguments, **options).result(MOST_SECONDS)


def kind_of(path: Path) -> str | None:
    """Return the form of a file by its suffix; None where it is none of SUFFIXES."""
    return next(
        (kind for kind, suffix in SUFFIXES.items() if path.name.lower().endswith(suffix)), None
    )


def _report(content: Exported) -> str:
    """Make a report; on a thread, as in the window, charts are drawn in another process."""
    if threading.current_thread() is threading.main_thread():
        return report(content)
    return in_a_process(report, content)


@frozen
class TutorialFiles:
    """The files that were written, and remarks on them."""

    folder: Path
    names: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()  # sentences
    complete: bool = True  # whether all that can be written was


def write_tutorial_files(
    folder: Path, sweep: SweepRequest, results: Sequence[CellResult]
) -> TutorialFiles:
    """Write `layer-norm-backward.csv` and `.png`, and those of the other pass.

    Pictures are drawn, so this is for a process whose application draws offscreen, or has none. The
    sweep is one over N, and has at least one row.
    """
    shown, left_out = of_one_kind(results)
    names: list[str] = []
    why = ""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for direction in sweep.directions:
            write(folder / f"layer-norm-{direction}.csv", tutorial_csv(sweep, shown, direction))
            names.append(f"layer-norm-{direction}.csv")
        pictures, why = _pictures(sweep, shown)
        for name, data in pictures.items():
            write(folder / name, data)
            names.append(name)
    except (StoreError, OSError) as error:
        why = f"{folder} cannot be written ({error})"
    remarks = tuple(filter(None, (left_out, why)))
    return TutorialFiles(folder, tuple(names), remarks, why in ("", NOTHING_TO_DRAW))


def _pictures(sweep: SweepRequest, results: Sequence[CellResult]) -> tuple[dict[str, bytes], str]:
    """Return the pictures by their files' names, or why there are none."""
    if not any(result.figures for result in results):
        return {}, NOTHING_TO_DRAW
    missing = missing_libraries(("offscreen",))
    if missing:
        return {}, missing_sentence(missing)
    # It loads Qt, whose libraries were looked for first.
    with signals_held():
        from lnexplorer.report.pictures import BENCHMARK_TEXT, begin_drawing, curves_picture

    first = results[0]
    asked = first.resolved or first.cell.request
    title = f"{NORMS[asked.norm]}, M = {asked.m}, {asked.dtype}: {wording.WAYS[sweep.modes[0]]}"
    source = [
        " · ".join([first.kind.value, *first.environment.stamp]),
        f"lnexplorer sweep {sweep_command(sweep)}",
    ]
    begin_drawing(BENCHMARK_TEXT)
    drawn = {
        direction: curves_picture(sweep, results, [direction], title, source)
        for direction in sweep.directions
    }
    return {f"layer-norm-{direction}.png": data for direction, data in drawn.items()}, ""


def of_one_kind(results: Sequence[CellResult]) -> tuple[Sequence[CellResult], str]:
    """Return the rows of the GPU that has most of them, and a sentence about the others: unlike
    GPUs never share a line.
    """
    (first, _), *others = Counter(str(result.environment.gpu) for result in results).most_common()
    if not others:
        return results, ""
    left_out = ", ".join(f"{count} of {name}" for name, count in others)
    own = [result for result in results if str(result.environment.gpu) == first]
    return own, f"the files show {first}; rows of another GPU are left out: {left_out}"


def tutorial_csv(sweep: SweepRequest, results: Sequence[CellResult], direction: str) -> str:
    """Return the text of `layer-norm-DIRECTION.csv`: N, then GB/s of each line.

    Figures have six digits behind the point, and are empty where there is none.

    Source of the form: triton.testing.perf_report of Triton 3.6 and 3.7.
    """
    lines = {
        line.provider: pd.Series(line.y, line.x)
        for line in curves(sweep, results, direction, sweep.modes[0])
    }
    widths = sorted({float((result.resolved or result.cell.request).n or 0) for result in results})
    names = {
        name: f"{LINE_NAMES.get(name, name)} ({UNIT})"
        for name in (*sweep.strategies, *sweep.providers)
    }
    speeds = pd.DataFrame(
        {title: lines.get(name) for name, title in names.items()}, index=widths, dtype="float64"
    )
    return csv_of(speeds, index=True, index_label="N", float_format="%.6f")
