"""`lnexplorer sweep`: many settings, one row each, without a window."""

import argparse
import math
from typing import TYPE_CHECKING

from lnexplorer.cli import status
from lnexplorer.cli.options import parse, unicode
from lnexplorer.cli.places import why_not_written
from lnexplorer.cli.sweep_options import CommandError, asks_for_a_sweep, parse_command, read_devices, read_sweep, sweep_parser
from lnkernels.launch import Problem

if TYPE_CHECKING:
    from lnexplorer.cli.sweep_session import SweepSession
    from lnexplorer.domain.sweep.request import SweepRequest
    from lnexplorer.store.sweep_csv import SweepFile


def main(arguments: list[str]) -> int:
    """Try, print, and return the exit status."""
    parser = sweep_parser()
    options = parse(parser, arguments)
    if options.recorded is not None:
        from lnexplorer.cli.sweep_output import show_recorded

        return show_recorded(options)
    # What takes long to load is loaded before a file is begun: from then on the session sees to it, however it ends.
    from lnexplorer.cli import sweep_session  # noqa: F401
    from lnexplorer.cli.outcome import fail, refuse, refuse_file
    from lnexplorer.store.files import NoRoomError, StoreError

    devices = read_devices(options.device)
    problems = [problem for problem in devices if isinstance(problem, Problem)]
    seconds = _seconds(options.timeout, problems)
    if options.csv and options.resume and options.csv != options.resume:
        problems.append(Problem("resume", str(options.resume), f"rows go to this file, so leave --csv {options.csv} out"))
    try:
        sweep = problems or _sweep(options)
        if isinstance(sweep, list):
            return refuse("sweep", sweep, as_json=options.json)
        problems = _problems_of_output(options, sweep)
        if problems:
            return refuse("sweep", problems, as_json=options.json)
        file = _open_file(options, sweep)
    except NoRoomError as error:
        return fail("sweep", "saving", str(error), as_json=options.json)
    except StoreError as error:
        return refuse_file("sweep", error, as_json=options.json)
    return _run(options, sweep, file, tuple(map(str, devices)), seconds)


def _run(
    options: argparse.Namespace,
    sweep: "SweepRequest",
    file: "SweepFile | None",
    devices: tuple[str, ...],
    seconds: float | None,
) -> int:
    from lnexplorer.cli.sweep_session import SweepSession

    session = SweepSession(sweep, file)
    saved = True
    try:
        exit_status = session.run(devices, seconds)
    finally:
        if options.save is not None and not session.refused:
            from lnexplorer.cli.sweep_saving import save_sweep

            saved = save_sweep(options.save, unicode(options.title), sweep, session)
    if session.refused:
        return _refuse(session, as_json=options.json)
    from lnexplorer.cli.sweep_output import give_out

    ended = session.ended, session.because
    complete = give_out(options, sweep, session.rows(), session.results, ended, session.times)
    return status.FAILED if exit_status == status.OK and not (saved and complete) else exit_status


def _refuse(session: "SweepSession", *, as_json: bool) -> int:
    from lnexplorer.cli.outcome import refuse, refuse_file

    if session.missing:
        return refuse("sweep", session.missing, as_json=as_json)
    return refuse_file("sweep", session.refused, as_json=as_json)


def _sweep(options: argparse.Namespace) -> "SweepRequest | list[Problem]":
    """What the options ask for; with --resume alone, what the file was asked for."""
    if options.resume is not None and not asks_for_a_sweep(options):
        from lnexplorer.store.sweep_csv import command_in, command_refused

        try:
            sweep = read_sweep(parse_command(command_in(options.resume)))
        except CommandError as error:
            raise command_refused(options.resume, f"take options of a sweep: {error}") from error
        if isinstance(sweep, list):
            raise command_refused(options.resume, f"take options of a sweep: {'; '.join(map(str, sweep))}")
        return sweep
    return read_sweep(options)


def _open_file(options: argparse.Namespace, sweep: "SweepRequest") -> "SweepFile | None":
    from lnexplorer.store.sweep_csv import create, resume

    if options.resume is not None:
        return resume(options.resume, sweep)
    if options.csv is None:
        return None
    return create(options.csv, sweep)


def _problems_of_output(options: argparse.Namespace, sweep: "SweepRequest") -> list[Problem]:
    problems = []
    if sweep.search:
        from lnexplorer.engine.sources import why_no_search

        why = why_no_search()
        problems += [Problem("search", str(sweep.search), why)] if why else []
    if options.tutorial_output is not None and [axis.name for axis in sweep.axes] != ["n"]:
        problems.append(Problem("tutorial_output", str(options.tutorial_output), "give N several values, and nothing else"))
    if options.csv is not None and options.resume is None:
        why_not = why_not_written(options.csv, folders_are_made=False)
        problems += [Problem("csv", str(options.csv), why_not)] if why_not else []
    if options.save is not None:
        from lnexplorer.cli.sweep_saving import why_not_saved

        why_not = why_not_saved(options.save, (options.csv, options.resume))
        problems += [Problem("save", str(options.save), why_not)] if why_not else []
    elif options.title is not None:
        problems.append(Problem("title", unicode(options.title), "name the file that has it with --save"))
    return problems


def _seconds(text: str | None, problems: list[Problem]) -> float | None:
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        problems.append(Problem("timeout", text, "take a number of seconds above 0"))
    return seconds
