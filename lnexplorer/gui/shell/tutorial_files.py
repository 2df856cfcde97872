"""The files that the tutorial's benchmark leaves: a table and a picture for each pass, the same from window and command line."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from lnexplorer.domain import wording
from lnexplorer.domain.sweep.request import SweepRequest, sweep_command
from lnexplorer.domain.sweep.tutorial import Rows, chart_rows, of_one_kind, tutorial_csv
from lnexplorer.store.aside import reason, write_whole

FOLDER = "tutorial"  # within the user's data
MOST_SECONDS = 120.0  # for pictures in a process of their own


@dataclass(frozen=True, slots=True)
class TutorialFiles:
    """What was written, and what is to be said about it."""

    folder: Path
    names: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()  # sentences
    complete: bool = True  # whether all that can be written was


def new_folder(data: Path) -> Path:
    """A place of its own for the files of one sweep, among the user's data; it is not there yet."""
    stamp = datetime.now().astimezone().strftime("%Y-%m-%d %H.%M.%S")
    return data / FOLDER / stamp


def write_apart(folder: Path, sweep: SweepRequest, rows: Rows) -> TutorialFiles:
    """As `write_tutorial_files`, in another process: the pictures have their own style, and hold up no window.

    Raises:
        OSError: it takes too long.
        RuntimeError: the process ends early.
    """
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(write_tutorial_files, folder, sweep, rows).result(MOST_SECONDS)


def write_tutorial_files(folder: Path, sweep: SweepRequest, rows: Rows) -> TutorialFiles:
    """Write `layer-norm-backward.csv` and `.png`, and those of the other pass.

    Args:
        folder: made where it is missing.
        sweep: one over N.
        rows: its rows, by cell; at least one.
    """
    shown, said = of_one_kind(rows)
    remarks = [said] if said else []
    names = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for direction in sweep.directions:
            name = f"layer-norm-{direction}.csv"
            write_whole(folder / name, tutorial_csv(sweep, shown, direction).encode())
            names.append(name)
    except OSError as error:
        return TutorialFiles(folder, tuple(names), (*remarks, f"{folder} cannot be written ({reason(error)})"), complete=False)
    return _with_pictures(TutorialFiles(folder, tuple(names), tuple(remarks)), sweep, shown)


def _with_pictures(written: TutorialFiles, sweep: SweepRequest, rows: Rows) -> TutorialFiles:
    folder, names, remarks = written.folder, list(written.names), list(written.remarks)
    timed = {direction: chart_rows(sweep, rows, direction) for direction in sweep.directions}
    if not any(row.gbps is not None for each in timed.values() for row in each):
        return TutorialFiles(folder, written.names, (*remarks, "there is no speed to draw, so there is no picture"))
    from lnexplorer.doctor.qt_libraries import missing_libraries, missing_sentence  # noqa: PLC0415

    missing = missing_libraries(("offscreen",))
    if missing:
        return TutorialFiles(folder, written.names, (*remarks, missing_sentence(missing)), complete=False)
    from lnexplorer.gui.shell.benchmark_picture import save_benchmark_picture  # noqa: PLC0415  (Qt from here on)

    first, mode = rows[0], sweep.modes[0]
    title = f"LayerNorm, M = {first['m']}, {first['dtype']}: {wording.WAYS[mode]}"
    versions = [f"{name} {first[name]}" for name in ("driver", "torch", "triton") if first[name] is not None]
    where = " · ".join(map(str, [first["kind"], first["gpu"], *versions, first["date"]]))
    source = f"{where}\nlnexplorer sweep {sweep_command(sweep)}"
    complete = True
    for direction, chart in timed.items():
        name = f"layer-norm-{direction}.png"
        why_not = save_benchmark_picture(chart, mode, title, source, folder / name)
        complete = complete and not why_not
        if why_not:
            remarks.append(why_not)
        else:
            names.append(name)
    return TutorialFiles(folder, tuple(names), tuple(remarks), complete)
