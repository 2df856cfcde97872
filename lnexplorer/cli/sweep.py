"""`lnexplorer sweep`: many settings, one row each, without a window."""

import argparse
import math
import shlex
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from lnexplorer.cli.options import parse, unicode
from lnexplorer.cli.outcome import refuse, refuse_file, why_not_written
from lnexplorer.cli.status import FAILED, OK
from lnexplorer.cli.sweep_options import asks_for_a_sweep, read_devices, read_sweep, sweep_parser
from lnexplorer.cli.sweep_session import KeptSweep, SweepSession
from lnexplorer.cli.terminal import aligned, print_json, say, show
from lnexplorer.domain import wording
from lnexplorer.domain.parameters import BY_NAME
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.findings import findings
from lnexplorer.domain.sweep.request import SweepRequest, difference, sweep_command
from lnexplorer.domain.sweep.space import open_settings
from lnexplorer.domain.sweep.table import WAIT, Plain, row, speed_column
from lnexplorer.domain.wording import counted
from lnexplorer.engine.sources import why_no_search
from lnexplorer.report.documents import sweep_document
from lnexplorer.report.files import new_folder, write_tutorial_files
from lnexplorer.store.archive import SWEEP
from lnexplorer.store.files import StoreError, keep_aside, reason
from lnexplorer.store.history import open_history
from lnexplorer.store.paths import find_paths
from lnexplorer.store.recordings import read_recorded_sweep, recorded_sweep, write_recorded_sweep
from lnexplorer.store.sweep_csv import SweepFile, rows_of_file
from lnkernels.launch import Problem
from lnkernels.sentence import verbatim
from lnkernels.values.environment import Kind

MOST_ROWS = 200
ENDINGS = {  # of columns' names, the longer one of two first
    "_counted_gbps": " counted",
    "_gbps": " GB/s",
    "_share_of_ceiling": " of ceiling",
    "_max_abs_error": " error",
}


def main(arguments: list[str]) -> int:
    """Try, print, and return the exit status."""
    options = parse(sweep_parser(), arguments)
    if options.recorded is not None:
        return show_recorded(options)
    devices = read_devices(options.device)
    problems = [problem for problem in devices if isinstance(problem, Problem)]
    seconds = _seconds(options.timeout, problems)
    if options.csv and options.resume and options.csv != options.resume:
        problems.append(_impossible("resume", options.resume, f"rows go to this file, so leave --csv {options.csv} out"))
    try:
        kept = None if options.resume is None or problems else kept_sweep(options.resume)
        sweep = problems or _sweep(options, kept)
        problems = sweep if isinstance(sweep, list) else _problems_of_output(options, sweep)
        if isinstance(sweep, list) or problems:
            return refuse("sweep", problems, as_json=options.json)
    except StoreError as error:
        return refuse_file("sweep", error, as_json=options.json)
    path = options.resume or options.csv
    file = None if path is None else SweepFile(path, sweep, () if kept is None else kept.results)
    session, saved = SweepSession(sweep, file, kept), True
    try:
        ended = session.run(tuple(map(str, devices)), seconds)
    finally:
        if options.save is not None and not session.refused:
            saved = save_sweep(options.save, unicode(options.title), sweep, session)
    if session.refused:
        return _refuse(session, as_json=options.json)
    complete = give_out(options, sweep, session.rows(), session.results, (session.ended, session.because), session.times)
    return FAILED if ended == OK and not (saved and complete) else ended


def _refuse(session: SweepSession, *, as_json: bool) -> int:
    if session.missing:
        return refuse("sweep", session.missing, as_json=as_json)
    return refuse_file("sweep", session.refused, as_json=as_json)


def kept_sweep(path: Path) -> KeptSweep:
    """The sweep of the history that has a file's rows, with those of its rows that the file has.

    Raises:
        StoreError: the file or the history cannot be read, or the history does not have them.
    """
    found = rows_of_file(path)
    cell, stamp = next(iter(found.stamps.items()))
    history = find_paths().history
    with open_history(history, lambda sentence: say("sweep", sentence)) as opened:
        number = opened.sweeps.with_row(found.command, cell, stamp)
        if number is None:
            where = "go on where the sweep was begun, or begin another with --csv"
            raise StoreError(verbatim(f"The rows of {path} are not in {history}: {where}."))
        recorded = opened.sweeps.load(number)
    results = tuple(result for result in recorded.results if result.cell.number in found.stamps)
    return KeptSweep(number, recorded.sweep, results)


def _impossible(field: str, value: object, allowed: str) -> Problem:
    return Problem(field, unicode(str(value)), verbatim(allowed))


def _sweep(options: argparse.Namespace, kept: KeptSweep | None) -> SweepRequest | list[Problem]:
    """What the options ask for; with --resume, what the file was asked for."""
    if kept is None:
        return read_sweep(options)
    sweep = read_sweep(options) if asks_for_a_sweep(options) else kept.sweep
    unlike = None if isinstance(sweep, list) else difference(sweep_command(sweep), sweep_command(kept.sweep))
    if unlike:
        return [_impossible("resume", options.resume, f"it is of another sweep: {unlike}. Give the file and a device alone")]
    return sweep if isinstance(sweep, list) else kept.sweep


def _problems_of_output(options: argparse.Namespace, sweep: SweepRequest) -> list[Problem]:
    found: dict[str, tuple[object, str | None]] = {}
    if sweep.search:
        found["search"] = sweep.search, why_no_search()
    if options.tutorial_output is not None and [axis.name for axis in sweep.axes] != ["n"]:
        found["tutorial_output"] = options.tutorial_output, "give N several values, and nothing else"
    if options.csv is not None and options.resume is None:
        found["csv"] = options.csv, why_not_written(options.csv, folders_are_made=False)
    if options.save is not None:
        found["save"] = options.save, why_not_saved(options.save, (options.csv, options.resume))
    elif options.title is not None:
        found["title"] = options.title, "name the file that has it with --save"
    return [_impossible(field, value, why) for field, (value, why) in found.items() if why]


def _seconds(text: str | None, problems: list[Problem]) -> float | None:
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        problems.append(_impossible("timeout", text, "take a number of seconds above 0"))
    return seconds


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
        show(sweep_text(sweep, rows, results))
    folder, asked = options.tutorial_output, options.tutorial_output is not None
    if not asked and not options.tutorial:
        return True
    why_not = _why_no_tutorial_files(options, sweep, rows, ended[0])
    if why_not:
        say("sweep", f"the tutorial's files are not written: {why_not}")
        return True

    written = write_tutorial_files(folder if asked else new_folder(find_paths().data), sweep, rows)
    for sentence in (*written.remarks, *(f"wrote {written.folder / name}" for name in written.names)):
        say("sweep", sentence)
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
        problem = Problem("recorded", str(options.recorded), verbatim("show it alone: leave out what would be run, or kept"))
        return refuse("sweep", [problem], as_json=options.json)
    try:
        found = read_recorded_sweep(options.recorded)
    except StoreError as error:
        return refuse_file("sweep", error, as_json=options.json)
    sweep = found.sweep
    if options.tutorial_output is not None and [axis.name for axis in sweep.axes] != ["n"]:
        problem = Problem("tutorial_output", str(options.tutorial_output), verbatim("show a sweep over N, and over nothing else"))
        return refuse("sweep", [problem], as_json=options.json)
    where = ", ".join(found.gpus)
    say("sweep", f"{found.title}: {found.results[0].kind} on {where}, {found.date[:10]}")
    times = {"timing_seconds": sum(result.timing_seconds for result in found.results)}
    rows = [row(sweep, result) for result in found.results]
    complete = give_out(options, sweep, rows, found.results, (found.ended, ""), times)
    return OK if complete else FAILED


def sweep_text(sweep: SweepRequest, rows: Sequence[Mapping[str, Plain]], results: Sequence[CellResult]) -> str:
    """A sweep for people.

    Args:
        sweep: what was asked.
        rows: its rows, by cell.
        results: those of them whose samples are at hand.
    """
    if not rows:
        return "There are no rows."
    parts = []
    if len(rows) <= MOST_ROWS:
        parts.append(aligned([_heads(sweep, rows), *(_line(sweep, rows, row) for row in rows)]))
    found = findings(sweep, results, [str(row["status"]) for row in rows])
    kinds = dict.fromkeys(each.kind for each in found)
    parts += ["\n".join(str(each.sentence) for each in found if each.kind == kind) for kind in kinds]
    return "\n\n".join(parts)


def _shown(sweep: SweepRequest, rows: Sequence[Mapping[str, Plain]]) -> list[str]:
    """Columns: what varies, the provider, the kind of GPU where there are several, and what came of it."""
    varied = [axis.name for axis in sweep.axes] if not sweep.search else list(open_settings(sweep))
    names = [*varied, "provider"]
    names += [name for name in ("gpu", "device") if len({row[name] for row in rows}) > 1]
    for direction in sweep.directions:
        for mode in sweep.modes:
            speed = speed_column(direction, mode)
            names += [f"{speed}_gbps", f"{speed}_counted_gbps", f"{speed}_share_of_ceiling"]
    names += [WAIT] if sweep.waits else []
    names = [name for name in names if any(row[name] is not None for row in rows)]
    return [*names, "dx_max_abs_error", "dw_max_abs_error", "status"]


def _heads(sweep: SweepRequest, rows: Sequence[Mapping[str, Plain]]) -> tuple[str, ...]:
    return tuple(_head(name) for name in _shown(sweep, rows))


def _head(name: str) -> str:
    if name in BY_NAME:
        return BY_NAME[name].label
    if name == WAIT:
        return "lock wait"
    for ending, text in ENDINGS.items():
        if name.endswith(ending):
            return name.removesuffix(ending).replace("_", " ") + text
    return name


def _line(sweep: SweepRequest, rows: Sequence[Mapping[str, Plain]], row: Mapping[str, Plain]) -> tuple[str, ...]:
    cells = [_cell(name, row[name]) for name in _shown(sweep, rows)]
    if row["reason"]:
        cells[-1] += f": {row['reason']}"
    return tuple(cells)


def _cell(name: str, value: Plain) -> str:
    if value is None:
        return wording.ABSENT
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, int | float):
        return _number(name, value)
    return str(value).replace("_", " ") if name == "status" else str(value)


def _number(name: str, value: float) -> str:
    if name.endswith("_gbps"):
        return wording.gbps(value)
    if name.endswith("_share_of_ceiling"):
        return wording.share(value)
    if name.endswith("_max_abs_error"):
        return wording.error(value)
    return f"{wording.significant(value / 1e3, 3)} µs" if name == WAIT else str(value)


def save_sweep(path: Path, title: str, sweep: SweepRequest, session: SweepSession) -> bool:
    """Save the rows so far, and say so; whether that was done. A file of that name is kept under another one.

    Args:
        path: of the file.
        title: what the sweep is called; empty for one that says what varies.
        sweep: what was asked.
        session: at its end, however it came.
    """
    if not session.results:
        say("sweep", f"there is no row to save in {path}")
        return False
    try:
        if path.is_file() and path.stat().st_size:
            say("sweep", f"{path} was there already, and is kept as {keep_aside(path).name}.")
        write_recorded_sweep(path, recorded_sweep(sweep, session.results, title=title, ended=session.ended))
    except StoreError as error:
        say("sweep", error)
        return False
    except OSError as error:
        say("sweep", f"{path} cannot be saved ({reason(error)}).")
        return False
    saved = len(session.results)
    say("sweep", f"{counted(saved, 'row is', 'rows are')} saved as {path}. Open it with: lnexplorer {shlex.quote(str(path))}")
    return True


def why_not_saved(path: Path, taken: Collection[Path | None]) -> str | None:
    """Why nothing can be saved there, as far as that is known before there is something.

    Args:
        path: of the file.
        taken: files that the rows go to.
    """
    if path in taken:
        return "name another file than that of the rows"
    if path.suffix != SWEEP.suffix and not path.is_dir():
        return f"name a file that ends in {SWEEP.suffix}, by which the window knows it"
    return why_not_written(path, folders_are_made=False)
