"""`lnexplorer export`: runs and sweeps of the history or of a file in a form that others take."""

import argparse
import sys
from pathlib import Path

from lnexplorer.cli import status
from lnexplorer.cli.places import why_not_written

DESCRIPTION = (
    "Write runs as a table, a report, a script or a notebook. Without --from they are those of the history, newest first."
)
EPILOG = (
    "The suffix of FILE says what is written: .csv, .parquet and .json hold a row or an object a run, .html is a report of one "
    "page, with the kept sweeps, or with the sweeps and experiments of a file; .py and .ipynb run the newest of the runs "
    "again with torch and triton alone. Of a .lnsweep the first three hold its rows. Exit status: 0 written; 2 the options are "
    "not possible, FILE is where nothing can be written, or SOURCE cannot be read; 3 there is no run, no room for FILE, or a run "
    "of the history cannot be read: those that can be are written."
)


def main(arguments: list[str]) -> int:
    """Read, write, and return the exit status."""
    options = _parser().parse_args(arguments)
    # Below this line numpy is loaded.
    from lnexplorer.cli.export_source import of_file, of_history
    from lnexplorer.domain.history_filter import impossible
    from lnexplorer.report.files import SUFFIXES, kind_of
    from lnexplorer.store.files import NO_ROOM
    from lnexplorer.store.paths import find_paths

    kind = kind_of(options.file)
    if kind is None:
        return _refuse(f"FILE = {options.file} is not possible: take a name that ends in {', '.join(SUFFIXES.values())}")
    if why := _why_not(options, kind):
        return _refuse(why)
    if options.source is not None:
        try:
            given = of_file(options.source, _warn)
        except ValueError as error:
            return _refuse(str(error))
    elif refused := impossible(options.filter):
        return _refuse("; ".join(f"filter: {why}" for why in refused))
    else:
        paths = find_paths()
        if paths.warning is not None:
            _warn(paths.warning)
        sweeps = options.last if options.sweeps is None else options.sweeps
        given = of_history(paths, kind, options.filter, options.last, sweeps, _warn)
    ended = status.OK if given.lost is None else status.FAILED
    try:
        written = given.write(options.file, kind)
    except (ValueError, OSError) as error:
        _warn(str(error))
        cause = error.__cause__
        ended = status.INVALID if isinstance(cause, OSError) and cause.errno not in NO_ROOM else status.FAILED
    else:
        print(f"{written}: {options.file}", flush=True)
    if given.lost is not None:
        _warn(given.lost)
    return ended


def _why_not(options: argparse.Namespace, kind: str) -> str | None:
    if why := why_not_written(options.file):
        return f"FILE = {options.file} is not possible: {why}"
    if options.source is not None and (options.filter or options.last is not None):
        return "--filter and --last are for the history: leave them out with --from"
    if options.sweeps is not None and (options.source is not None or kind != "report"):
        return "--sweeps is for a report (.html) of the history: leave it out"
    return None


def _warn(sentence: object) -> None:
    print(f"lnexplorer export: {sentence}", file=sys.stderr)


def _refuse(sentence: str) -> int:
    print(f"lnexplorer export: {sentence}", file=sys.stderr)
    return status.INVALID


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="lnexplorer export", description=DESCRIPTION, epilog=EPILOG, allow_abbrev=False)
    parser.add_argument("file", metavar="FILE", type=Path, help="what to write; its suffix says in which form")
    parser.add_argument(
        "--filter", default="", metavar="TEXT", help="as in the window: words, and terms such as 'n>=4096 strategy=locked passed'"
    )
    parser.add_argument("--last", type=_count, metavar="COUNT", help="the newest COUNT runs that match; all if not given")
    parser.add_argument(
        "--sweeps",
        type=_count_or_none,
        metavar="COUNT",
        help="of a report: the newest COUNT sweeps; if not given, as --last",
    )
    parser.add_argument(
        "--from", dest="source", type=Path, metavar="SOURCE", help="a .lnsession, .lnrec, .lnsweep or .lnexperiment"
    )
    return parser


def _count_or_none(text: str) -> int:
    return 0 if text == "0" else _count(text, "0 for none")


def _count(text: str, least: str = "at least 1") -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not possible: take a whole number, {least}")
    return int(text)
