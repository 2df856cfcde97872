"""`lnexplorer export`: runs of the history, of a session or of a recording in a form that others take."""

import argparse
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from lnexplorer.cli import status

if TYPE_CHECKING:
    from lnexplorer.domain.experiments.findings import ExperimentResult
    from lnexplorer.storage.export.table import KeptRun
    from lnexplorer.storage.sweep_values import RecordedSweep

DESCRIPTION = (
    "Write runs as a table, a report, a script or a notebook. Without --from they are those of the history, newest first."
)
EPILOG = (
    "The suffix of FILE says what is written: .csv, .parquet and .json hold a row or an object a run, .html is a report of one "
    "page, with the kept sweeps, or with the sweeps and experiments of a session; .py and .ipynb run the newest of the runs "
    "again with torch and triton alone. Exit status: 0 written; 2 the options are not possible; 3 it cannot be read or written."
)


def main(arguments: list[str]) -> int:
    """Read, write, and return the exit status."""
    options = _parser().parse_args(arguments)
    # Below this line numpy is loaded.
    from lnexplorer.storage.export.files import SUFFIXES, kind_of, write_runs  # noqa: PLC0415
    from lnexplorer.storage.paths import find_paths  # noqa: PLC0415

    kind = kind_of(options.file)
    if kind is None:
        return _refuse(f"FILE = {options.file} is not possible: take a name that ends in {', '.join(SUFFIXES.values())}")
    if options.source is not None and (options.filter or options.last is not None):
        return _refuse("--filter and --last are for the history: leave them out with --from")
    if options.sweeps is not None and (options.source is not None or kind != "report"):
        return _refuse("--sweeps is for a report (.html) of the history: leave it out")
    try:
        if options.source is not None:
            given = _of_file(options.source)
        else:
            paths = find_paths()
            if paths.warning is not None:
                _warn(paths.warning)
            given = _of_history(paths.history, options.filter, options.last)
            if kind == "report":
                most = options.last if options.sweeps is None else options.sweeps
                given = replace(given, sweeps=_kept_sweeps(paths.data, most))
        write_runs(options.file, kind, given.runs, given.baseline, given.sweeps, given.experiments)
    except (ValueError, OSError) as error:
        print(f"lnexplorer export: {error}", file=sys.stderr)
        return status.FAILED
    print(f"{_counted(given, kind)}: {options.file}")
    return status.OK


@dataclass(frozen=True, eq=False, slots=True)
class _Given:
    """What is written."""

    runs: "list[KeptRun]"
    baseline: int | None
    sweeps: "tuple[RecordedSweep, ...]" = ()
    experiments: "tuple[ExperimentResult, ...]" = ()


def _counted(given: _Given, kind: str) -> str:
    others = (("sweep", len(given.sweeps)), ("experiment", len(given.experiments))) if kind == "report" else ()
    counted = [("run", len(given.runs)), *((name, count) for name, count in others if count)]
    return ", ".join(f"{count} {name}{'' if count == 1 else 's'}" for name, count in counted)


def _warn(sentence: str) -> None:
    print(f"lnexplorer export: {sentence}", file=sys.stderr)


def _kept_sweeps(folder: Path, most: int | None) -> "tuple[RecordedSweep, ...]":
    """The newest ones."""
    from lnexplorer.storage.kept_sweeps import load_sweeps, weighed_sweeps  # noqa: PLC0415

    return tuple(load_sweeps(folder, [sweep.row.id for sweep in weighed_sweeps(folder, _warn)[:most]], _warn))


def _of_history(file: Path, line: str, last: int | None) -> _Given:
    from lnexplorer.domain.history_filter import parse  # noqa: PLC0415
    from lnexplorer.storage.export.table import KeptRun  # noqa: PLC0415
    from lnexplorer.storage.history import History, HistoryError  # noqa: PLC0415

    history = History(file, _warn)
    try:
        listing = history.find(replace(parse(line), sorted_by="date", descending=True))
        numbers = listing.ids[:last].tolist()
        notes = {row.id: row.note for row in history.rows(numbers)}
        runs = []
        for number in numbers:
            try:
                runs.append(KeptRun(number, notes.get(number, ""), history.load(number)))
            except HistoryError as error:
                _warn(str(error))
        return _Given(runs, None if listing.baseline is None else listing.baseline.id)
    finally:
        history.close()


def _of_file(path: Path) -> _Given:
    from lnexplorer.storage.export.table import ExportError, KeptRun  # noqa: PLC0415
    from lnexplorer.storage.recording import read_recording  # noqa: PLC0415
    from lnexplorer.storage.session_file import SUFFIX, read_session  # noqa: PLC0415

    if path.suffix == SUFFIX:
        session = read_session(path)
        for part in session.left_out:
            _warn(f"{path}: left out is {part}.")
        runs = [KeptRun(number, run.note, run.result) for number, run in enumerate(session.runs, 1)]
        return _Given(runs, None if session.baseline is None else session.baseline + 1, session.sweeps, session.experiments)
    recording = read_recording(path)
    if recording.result is None:
        raise ExportError(f"{path} holds a timing of locks and no run.")
    return _Given([KeptRun(1, recording.title, recording.result)], None)


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
        "--from", dest="source", type=Path, metavar="SOURCE", help="a session (.lnsession) or a recording (.lnrec)"
    )
    return parser


def _count_or_none(text: str) -> int:
    return 0 if text == "0" else _count(text, "0 for none")


def _count(text: str, least: str = "at least 1") -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not possible: take a whole number, {least}")
    return int(text)
