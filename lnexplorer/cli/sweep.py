"""`lnexplorer sweep`: many settings, one row each, without a window."""

import shlex
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from lnexplorer.cli.commands import FAILED, NOT_WITHIN_TOLERANCE, OK, refusal
from lnexplorer.cli.options import (
    Options,
    unicode,
)
from lnexplorer.cli.providers import read_providers
from lnexplorer.cli.sweep_options import (
    asks_for_a_sweep,
    parser,  # noqa: F401 - it is that of the command
    read_devices,
    read_sweep,
)
from lnexplorer.cli.sweep_session import SweepRows, SweepSession
from lnexplorer.cli.sweep_text import sweep_text
from lnexplorer.cli.terminal import print_json, say, show
from lnexplorer.domain.machines import is_remote
from lnexplorer.domain.sweep.cells import CellResult, kernels_left_out, missing_peers
from lnexplorer.domain.sweep.request import (
    SweepRequest,
    check_cluster,
    sweep_command,
)
from lnexplorer.domain.wording import counted
from lnexplorer.engine.sources import source_of, why_no_search
from lnexplorer.report.documents import sweep_document
from lnexplorer.report.files import write_tutorial_files
from lnexplorer.store.archive import SWEEP
from lnexplorer.store.files import StoreError, keep_aside, reason
from lnexplorer.store.paths import find_paths
from lnexplorer.store.recordings import read_recorded_sweep, recorded_sweep, write_recorded_sweep
from lnexplorer.store.sweep_csv import SweepFile
from lnexplorer.store.sweep_keeper import KeptSweep, kept_sweep
from lnkernels.launch.source import KernelSource

DAY = 86_400.0


def main(options: Options) -> int:
    if options.recorded is not None:
        return show_recorded(options)
    devices = read_devices(options)
    if options.cluster is not None:
        options.problems += check_cluster(options.cluster)
        if len(devices) != 1 or is_remote(devices[0]):
            allowed = "with --cluster name what each Dask worker takes, such as auto"
            options.refuse("device", options.device, allowed)
    seconds = options.read_time("timeout", DAY) or None
    if options.csv and options.resume and options.csv != options.resume:
        allowed = f"rows go to this file, so leave --csv {options.csv} out"
        options.refuse("resume", options.resume, allowed)
    options.end_if_refused()
    kept = None
    if options.resume is not None:
        kept = kept_sweep(options.resume, find_paths(reading=True), partial(say, "sweep"))
    sweep = _asked_for(options, kept)
    _check_output(options, sweep)
    path = options.resume or options.csv
    file = None if path is None else SweepFile(path, sweep, () if kept is None else kept.results)
    session = SweepSession("sweep")
    rows = SweepRows(sweep, file, kept, session)
    saved = True
    try:
        ended = session.run(
            lambda: source_of(sweep, rows.results, options.kernels),
            devices,
            rows,
            step_seconds=seconds,
            cluster=options.cluster,
        )
    finally:
        if options.save is not None and not session.refused:
            saved = save_sweep(options.save, unicode(options.title), sweep, rows.results, session)
    complete = give_out(
        options,
        sweep,
        sorted(rows.results, key=lambda result: result.cell.number),
        (session.how, session.because),
        session.times,
    )
    if ended == OK and not (saved and complete and rows.in_history):
        return FAILED
    return NOT_WITHIN_TOLERANCE if ended == OK and missing_peers(rows.results) else ended


def _asked_for(options: Options, kept: KeptSweep | None) -> SweepRequest:
    """Return the sweep that is to be run; a resumed one has to be the one of its file."""
    if kept is None:
        return read_sweep(options)
    if not asks_for_a_sweep(options):
        options.kernels = _named_again(options, kept.sweep)
        return kept.sweep
    sweep = read_sweep(options)
    if sweep_command(sweep) != sweep_command(kept.sweep):
        other = (
            f"it is of another sweep: {sweep_command(kept.sweep)}. Give the file and a device alone"
        )
        options.refuse("resume", options.resume, other)
    return sweep


def _named_again(options: Options, sweep: SweepRequest) -> tuple[KernelSource, ...]:
    """Return the user kernels of a sweep that is resumed, from the files that --provider names."""
    _, kernels = read_providers(options, (), axes=[])
    if left := kernels_left_out(sweep, kernels):
        allowed = (
            f"it has {', '.join(left)}, of your own: name the file as well, as in --provider"
            f" {left[0]}.py"
        )
        options.refuse("resume", options.resume, allowed)
    return kernels


def _check_output(options: Options, sweep: SweepRequest) -> None:
    save = options.save
    if sweep.search and (why := why_no_search()):
        options.refuse("search", sweep.search, why)
    _check_curve(options, sweep)
    if options.resume is None:
        options.check_file("csv", options.csv)
    if save is None:
        options.refuse_given(("title",), "name the file that has it with --save")
    elif save in (options.csv, options.resume):
        options.refuse("save", save, "name another file than that of the rows")
    elif save.suffix != SWEEP.suffix and not save.is_dir():
        allowed = f"name a file that ends in {SWEEP.suffix}, by which the window knows it"
        options.refuse("save", save, allowed)
    else:
        options.check_file("save", save)
    options.end_if_refused()


def _check_curve(options: Options, sweep: SweepRequest) -> None:
    folder = options.tutorial_output
    if folder is not None and [axis.name for axis in sweep.axes] != ["n"]:
        options.refuse("tutorial_output", folder, "give N several values, and nothing else")


def give_out(
    options: Options,
    sweep: SweepRequest,
    results: Sequence[CellResult],
    ended: tuple[str, str],
    times: Mapping[str, float],
) -> bool:
    """Print a sweep, and write the tutorial's files where they are wanted.

    Return whether all of it was written.
    """
    if options.json:
        print_json(sweep_document(sweep, results, ended, times))
    else:
        show(sweep_text(sweep, results))
    if options.tutorial_output is None:
        return True
    if not results:
        say("sweep", "the tutorial's files are not written: there is no row")
        return True
    written = write_tutorial_files(options.tutorial_output, sweep, results)
    for sentence in (
        *written.remarks,
        *(f"wrote {written.folder / name}" for name in written.names),
    ):
        say("sweep", sentence)
    return written.complete


def show_recorded(options: Options) -> int:
    """Print a recorded sweep; nothing is run. Return the exit status."""
    if options.given.keys() - {"recorded", "quiet", "json", "tutorial_output"}:
        alone = "show it alone: leave out what would be run, or kept"
        raise refusal("recorded", options.recorded, alone)
    found = read_recorded_sweep(options.recorded)
    sweep = found.sweep
    _check_curve(options, sweep)
    options.end_if_refused()
    where = ", ".join(found.gpus)
    say("sweep", f"{found.title}: {found.results[0].kind} on {where}, {found.date[:10]}")
    times = {"timing_seconds": sum(result.timing_seconds for result in found.results)}
    complete = give_out(options, sweep, found.results, (found.ended, ""), times)
    return OK if complete else FAILED


def save_sweep(
    path: Path,
    title: str,
    sweep: SweepRequest,
    results: Sequence[CellResult],
    session: SweepSession,
) -> bool:
    """Save the rows so far, and say so. Return whether that was done.

    A file of that name is kept under another one.
    """
    if not results:
        say("sweep", f"there is no row to save in {path}")
        return False
    try:
        if path.is_file() and path.stat().st_size:
            say("sweep", f"{path} was there already, and is kept as {keep_aside(path).name}.")
        write_recorded_sweep(path, recorded_sweep(sweep, results, title=title, ended=session.how))
    except StoreError as error:
        say("sweep", error)
        return False
    except OSError as error:
        say("sweep", f"{path} cannot be saved ({reason(error)}).")
        return False
    saved = len(results)
    say(
        "sweep",
        f"{counted(saved, 'row is', 'rows are')} saved as {path}. Open it with: lnexplorer"
        f" {shlex.quote(str(path))}",
    )
    return True
