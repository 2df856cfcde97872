"""`lnexplorer export`: runs of the history, of a session or of a recording in a form that others take."""

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lnexplorer.cli import status

if TYPE_CHECKING:
    from lnexplorer.storage.export.table import KeptRun

DESCRIPTION = (
    "Write runs as a table, a report, a script or a notebook. Without --from they are those of the history, newest first."
)
EPILOG = (
    "The suffix of FILE says what is written: .csv, .parquet and .json hold a row or an object a run, .html is a report of one "
    "page, .py and .ipynb run the newest of the runs again with torch and triton alone. Exit status: 0 written; "
    "2 the options are not possible; 3 it cannot be read or written."
)


def main(arguments: list[str]) -> int:
    """Read, write, and return the exit status."""
    options = _parser().parse_args(arguments)
    # Below this line numpy is loaded.
    from lnexplorer.storage.export.files import SUFFIXES, kind_of, write_runs  # noqa: PLC0415

    kind = kind_of(options.file)
    if kind is None:
        return _refuse(f"FILE = {options.file} is not possible: take a name that ends in {', '.join(SUFFIXES.values())}")
    if options.source is not None and (options.filter or options.last is not None):
        return _refuse("--filter and --last are for the history: leave them out with --from")
    try:
        runs, baseline = _of_file(options.source) if options.source else _of_history(options.filter, options.last)
        write_runs(options.file, kind, runs, baseline)
    except (ValueError, OSError) as error:
        print(f"lnexplorer export: {error}", file=sys.stderr)
        return status.FAILED
    print(f"{len(runs)} run{'' if len(runs) == 1 else 's'}: {options.file}")
    return status.OK


def _of_history(line: str, last: int | None) -> "tuple[list[KeptRun], int | None]":
    from lnexplorer.domain.history_filter import parse  # noqa: PLC0415
    from lnexplorer.storage.export.table import KeptRun  # noqa: PLC0415
    from lnexplorer.storage.history import History, HistoryError  # noqa: PLC0415
    from lnexplorer.storage.paths import find_paths  # noqa: PLC0415

    def warn(sentence: str) -> None:
        print(f"lnexplorer export: {sentence}", file=sys.stderr)

    history = History(find_paths().history, warn)
    try:
        listing = history.find(replace(parse(line), sorted_by="date", descending=True))
        numbers = listing.ids[:last].tolist()
        notes = {row.id: row.note for row in history.rows(numbers)}
        runs = []
        for number in numbers:
            try:
                runs.append(KeptRun(number, notes.get(number, ""), history.load(number)))
            except HistoryError as error:
                warn(str(error))
        return runs, None if listing.baseline is None else listing.baseline.id
    finally:
        history.close()


def _of_file(path: Path) -> "tuple[list[KeptRun], int | None]":
    from lnexplorer.storage.export.table import ExportError, KeptRun  # noqa: PLC0415
    from lnexplorer.storage.recording import read_recording  # noqa: PLC0415
    from lnexplorer.storage.session_file import SUFFIX, read_session  # noqa: PLC0415

    if path.suffix == SUFFIX:
        session = read_session(path)
        runs = [KeptRun(number, run.note, run.result) for number, run in enumerate(session.runs, 1)]
        return runs, None if session.baseline is None else session.baseline + 1
    recording = read_recording(path)
    if recording.result is None:
        raise ExportError(f"{path} holds a timing of locks and no run.")
    return [KeptRun(1, recording.title, recording.result)], None


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
        "--from", dest="source", type=Path, metavar="SOURCE", help="a session (.lnsession) or a recording (.lnrec)"
    )
    return parser


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not possible: take a whole number, at least 1")
    return int(text)
