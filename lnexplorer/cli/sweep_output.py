"""What `lnexplorer sweep` prints and writes at the end: of a sweep that ran, and of a recorded one."""

import argparse
import shlex
import sys
from collections.abc import Mapping, Sequence

from lnexplorer.cli import status
from lnexplorer.cli.outcome import print_json, refuse, refuse_file
from lnexplorer.cli.sweep_options import asks_for_a_sweep
from lnexplorer.cli.sweep_text import sweep_text
from lnexplorer.cli.wording import harmless
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.domain.sweep.table import Plain, row, speed_column
from lnexplorer.report.sweep_document import sweep_document
from lnexplorer.store.files import StoreError
from lnexplorer.store.recorded_sweep import read_recorded_sweep
from lnkernels.launch import Problem
from lnkernels.values.environment import Kind


def give_out(
    options: argparse.Namespace,
    sweep: SweepRequest,
    rows: Sequence[Mapping[str, Plain]],
    results: Sequence[CellResult],
    ended: tuple[str, str],
    times: Mapping[str, float],
) -> bool:
    """Print a sweep, and write the tutorial's files where they are wanted; whether all of it was written.

    Args:
        options: of the command line.
        sweep: what was asked.
        rows: its rows, by cell.
        results: those of them whose samples are at hand.
        ended: how it ended, and why, where that needs words.
        times: seconds of the sweep, by name.
    """
    if options.json:
        print_json(sweep_document(sweep, rows, results, ended, times))
    else:
        print(sweep_text(sweep, rows, results))
    folder, asked = options.tutorial_output, options.tutorial_output is not None
    if not asked and not options.tutorial:
        return True
    why_not = _why_no_tutorial_files(options, sweep, rows, ended[0])
    if why_not:
        print(f"lnexplorer sweep: the tutorial's files are not written: {why_not}", file=sys.stderr)
        return True
    from lnexplorer.report.tutorial import new_folder, write_tutorial_files
    from lnexplorer.store.paths import find_paths

    written = write_tutorial_files(folder if asked else new_folder(find_paths().data), sweep, rows)
    for sentence in (*written.remarks, *(f"wrote {written.folder / name}" for name in written.names)):
        print(f"lnexplorer sweep: {sentence}", file=sys.stderr)
    return written.complete or not asked  # what nobody asked for by name does not make the command fail


def _why_no_tutorial_files(
    options: argparse.Namespace, sweep: SweepRequest, rows: Sequence[Mapping[str, Plain]], ended: str
) -> str:
    """Why there are none, and how to have them all the same; empty where they are to be written."""
    if not rows:
        return "there is no row"
    if options.tutorial_output is not None:
        return ""
    if [axis.name for axis in sweep.axes] != ["n"]:
        return "they show a curve over N, and over nothing else"
    file = options.resume or options.csv
    again = (
        "--tutorial-output DIR" if file is None else f"lnexplorer sweep --resume {shlex.quote(str(file))} --tutorial-output DIR"
    )
    if ended != "finished":
        what = "writes those of the rows that there are" if file is None else "goes on and writes them"
        return f"the sweep did not come to its end; {again} {what}"
    speeds = [f"{speed_column(direction, mode)}_gbps" for direction in sweep.directions for mode in sweep.modes]
    if all(row[name] is None for row in rows for name in speeds):
        interpreted = any(row["kind"] == Kind.INTERPRETED.value for row in rows)
        none = "the interpreter's times mean nothing, so no row has a speed" if interpreted else "no row has a speed"
        return f"{none}; {again} writes the tables all the same, without speeds"
    return ""


def show_recorded(options: argparse.Namespace) -> int:
    """Print a recorded sweep; nothing is run. The exit status."""
    if asks_for_a_sweep(options) or any((options.csv, options.resume, options.save)):
        problem = Problem("recorded", str(options.recorded), "show it alone: leave out what would be run, or kept")
        return refuse("sweep", [problem], as_json=options.json)
    try:
        found = read_recorded_sweep(options.recorded)
    except StoreError as error:
        return refuse_file("sweep", error, as_json=options.json)
    sweep = found.sweep
    if options.tutorial_output is not None and [axis.name for axis in sweep.axes] != ["n"]:
        problem = Problem("tutorial_output", str(options.tutorial_output), "show a sweep over N, and over nothing else")
        return refuse("sweep", [problem], as_json=options.json)
    where = ", ".join(found.gpus)
    print(harmless(f"{found.title}: {found.results[0].kind} on {where}, {found.date[:10]}"), file=sys.stderr)
    times = {"timing_seconds": sum(result.timing_seconds for result in found.results)}
    rows = [row(sweep, result) for result in found.results]
    complete = give_out(options, sweep, rows, found.results, (found.ended, ""), times)
    return status.OK if complete else status.FAILED
