"""`lnexplorer export`: runs, sweeps and experiments of the history or of a file in a form that others take."""

import argparse
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from lnexplorer.cli import terminal
from lnexplorer.cli.outcome import why_not_written
from lnexplorer.cli.status import FAILED, INVALID, OK
from lnexplorer.cli.terminal import show
from lnexplorer.domain.experiments.findings import ExperimentResult
from lnexplorer.domain.history_query import impossible, parse
from lnexplorer.domain.wording import counted, noun, span
from lnexplorer.report.files import SINGLE, SUFFIXES, kind_of, write_runs
from lnexplorer.report.tables import SWEEP_SUFFIXES, KeptRun, write_rows
from lnexplorer.store.archive import EXPERIMENT, SESSION, SWEEP
from lnexplorer.store.files import NO_ROOM, StoreError
from lnexplorer.store.history import History, open_history
from lnexplorer.store.paths import Paths, find_paths
from lnexplorer.store.recordings import RecordedSweep, read_experiment, read_recorded_sweep, read_recording
from lnexplorer.store.session import read_session
from lnkernels.sentence import say

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
    kind = kind_of(options.file)
    if kind is None:
        return _refuse(f"FILE = {options.file} is not possible: take a name that ends in {', '.join(SUFFIXES.values())}")
    if why := _why_not(options, kind):
        return _refuse(why)
    if options.source is not None:
        try:
            given = of_file(options.source)
        except ValueError as error:
            return _refuse(str(error))
    elif refused := impossible(options.filter):
        return _refuse("; ".join(f"filter: {why}" for why in refused))
    else:
        paths = find_paths()
        if paths.warning is not None:
            _warn(paths.warning)
        sweeps = options.last if options.sweeps is None else options.sweeps
        given = of_history(paths, kind, options.filter, options.last, sweeps)
    ended = OK if given.lost is None else FAILED
    try:
        written = given.write(options.file, kind)
    except (ValueError, OSError) as error:
        _warn(str(error))
        cause = error.__cause__
        ended = INVALID if isinstance(cause, OSError) and cause.errno not in NO_ROOM else FAILED
    else:
        show(f"{written}: {options.file}")
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
    terminal.say("export", sentence)


def _refuse(sentence: str) -> int:
    terminal.say("export", sentence)
    return INVALID


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


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Given:
    """What there is to write."""

    runs: tuple[KeptRun, ...] = ()
    baseline: int | None = None
    sweeps: tuple[RecordedSweep, ...] = ()
    experiments: tuple[ExperimentResult, ...] = ()
    alone: bool = False  # a single sweep, whose rows are what a table has
    unread: dict[int, str] = field(default_factory=dict)  # why a run cannot be read, by number
    broken: bool = False  # no run can be read, and it is not known how many there are

    def write(self, path: Path, kind: str) -> str:
        """Write it in the form of this kind; what was written, in words.

        Raises:
            StoreError: there is nothing to write in this form, or it cannot be written; one sentence.
        """
        if self.alone and path.suffix.lower() in SWEEP_SUFFIXES:
            (sweep,) = self.sweeps
            write_rows(path, sweep.sweep, sweep.results, sweep.ended)
            return counted(len(sweep.results), "row")
        if (self.unread or self.broken) and not self.runs and not (kind == "report" and self.sweeps):
            raise StoreError(say("{path} is not written: there is no run that can be read.", path=str(path)))
        write_runs(path, kind, self.runs, self.baseline, self.sweeps, self.experiments, self.unread)
        runs = len(self.runs[:1] if kind in SINGLE else self.runs)
        others = (("sweep", len(self.sweeps)), ("experiment", len(self.experiments))) if kind == "report" else ()
        found = [(name, count) for name, count in (("run", runs), *others) if count]
        return ", ".join(counted(count, name) for name, count in found)

    @property
    def lost(self) -> str | None:
        """How many runs could not be read, in words; None where all could be."""
        if self.broken:
            return "no run of the history could be read"
        missing = len(self.unread)
        return f"{missing} of {counted(missing + len(self.runs), 'run')} could not be read" if missing else None


def of_history(paths: Paths, kind: str, line: str, last: int | None, sweeps: int | None) -> Given:
    """Runs of the history, newest first, and for a report the kept sweeps. The history is read alone, damaged or not.

    Args:
        paths: where they are kept.
        kind: of the file that is to be written.
        line: a filter, as in the window.
        last: how many runs at most; None for all.
        sweeps: how many sweeps at most; None for all.
    """
    if not paths.history.exists():
        return Given()
    query = replace(parse(line), sorted_by="date", descending=True)
    try:
        with open_history(paths.history, _warn, reading=True) as history:
            numbers = history.runs.find(query).ids[: 1 if kind in SINGLE else last].tolist()
            found, unread = _runs(history, numbers)
            sweeps_ = _sweeps(history, sweeps) if kind == "report" else ()
            given = Given(runs=found, baseline=history.runs.baseline(), sweeps=sweeps_, unread=unread)
    except StoreError as error:
        _warn(error)
        given = Given(broken=True)
    for why in dict.fromkeys(given.unread.values()):
        spans = _spans(number for number, other in given.unread.items() if other == why)
        _warn(say("{runs} {numbers} cannot be read: {why}.", runs=noun(len(given.unread), "Run"), numbers=spans, why=why))
    if given.unread or given.broken:
        _warn(
            say(
                "{path} is left as it is. If you have an earlier copy, put it in its place. Otherwise, when all that can be read "
                "is exported, open lnexplorer: it keeps a damaged file under another name, and begins a new one.",
                path=str(paths.history),
            )
        )
    return given


def _runs(history: History, numbers: list[int]) -> tuple[tuple[KeptRun, ...], dict[int, str]]:
    """Runs with their notes, and why others cannot be read."""
    found, unread = [], {}
    notes = {row.id: row.note for row in history.runs.rows(numbers)}
    for number in numbers:
        try:
            if number not in notes:
                raise StoreError(say("its line in the list is damaged"))
            found.append(KeptRun(number, notes[number], history.runs.load(number)))
        except StoreError as error:
            unread[number] = str(error.__cause__ or error)
    return tuple(found), unread


def _sweeps(history: History, count: int | None) -> tuple[RecordedSweep, ...]:
    """The newest sweeps that have a row."""
    found = []
    for row in [row for row in history.sweeps.rows() if row.done][:count]:
        try:
            found.append(history.sweeps.load(row.id))
        except StoreError as error:
            _warn(error)
    return tuple(found)


def of_file(path: Path) -> Given:
    """What a session, a recording, a sweep or an experiment holds; its suffix says which it is.

    Raises:
        StoreError: it cannot be read, or holds nothing that is exported; one sentence.
    """
    match path.suffix:
        case SESSION.suffix:
            session = read_session(path)
            for part in session.left_out:
                _warn(say("{path}: left out is {part}.", path=str(path), part=part))
            return Given(
                runs=tuple(KeptRun(number, run.note, run.result) for number, run in enumerate(session.runs, 1)),
                baseline=None if session.baseline is None else session.baseline + 1,
                sweeps=session.sweeps,
                experiments=session.experiments,
            )
        case SWEEP.suffix:
            return Given(sweeps=(read_recorded_sweep(path),), alone=True)
        case EXPERIMENT.suffix:
            return Given(experiments=(read_experiment(path),))
    recording = read_recording(path)
    if recording.result is None:
        raise StoreError(say("{path} holds a timing of locks and no run.", path=str(path)))
    return Given(runs=(KeptRun(1, recording.title, recording.result),))


def _spans(numbers: Iterable[int]) -> str:
    """Numbers in order, those that follow each other as one: 1, 3–7."""
    spans: list[list[int]] = []
    for number in sorted(numbers):
        if spans and spans[-1][1] == number:
            spans[-1][1] += 1
        else:
            spans.append([number, number + 1])
    return ", ".join(span(*ends) for ends in spans)
