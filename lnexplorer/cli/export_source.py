"""What `lnexplorer export` writes: runs, sweeps and experiments of the history, or of a file."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from lnexplorer.domain.experiments.findings import ExperimentResult
from lnexplorer.domain.history_filter import parse
from lnexplorer.domain.wording import counted, noun, span
from lnexplorer.report.files import SINGLE, write_runs
from lnexplorer.report.sweeps import SWEEP_SUFFIXES, write_rows
from lnexplorer.report.tables import ExportError, KeptRun
from lnexplorer.store.archive import EXPERIMENT, SESSION, SWEEP
from lnexplorer.store.files import StoreError
from lnexplorer.store.history import History, open_history
from lnexplorer.store.paths import Paths
from lnexplorer.store.recorded_sweep import RecordedSweep, read_recorded_sweep
from lnexplorer.store.recordings import read_experiment, read_recording
from lnexplorer.store.session import read_session
from lnkernels.sentence import Sentence, say

Warn = Callable[[Sentence], None]


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
            ExportError: there is nothing to write in this form, or it cannot be written; one sentence.
        """
        if self.alone and path.suffix.lower() in SWEEP_SUFFIXES:
            (sweep,) = self.sweeps
            write_rows(path, sweep.sweep, sweep.results, sweep.ended)
            return counted(len(sweep.results), "row")
        if (self.unread or self.broken) and not self.runs and not (kind == "report" and self.sweeps):
            raise ExportError(f"{path} is not written: there is no run that can be read.")
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


def of_history(paths: Paths, kind: str, line: str, last: int | None, sweeps: int | None, warn: Warn) -> Given:
    """Runs of the history, newest first, and for a report the kept sweeps. The history is read alone, damaged or not.

    Args:
        paths: where they are kept.
        kind: of the file that is to be written.
        line: a filter, as in the window.
        last: how many runs at most; None for all.
        sweeps: how many sweeps at most; None for all.
        warn: hears what cannot be read.
    """
    if not paths.history.exists():
        return Given()
    query = replace(parse(line), sorted_by="date", descending=True)
    try:
        with open_history(paths.history, warn, reading=True) as history:
            numbers = history.runs.find(query).ids[: 1 if kind in SINGLE else last].tolist()
            found, unread = _runs(history, numbers)
            sweeps_ = _sweeps(history, sweeps, warn) if kind == "report" else ()
            given = Given(runs=found, baseline=history.runs.baseline(), sweeps=sweeps_, unread=unread)
    except StoreError as error:
        warn(error.sentence)
        given = Given(broken=True)
    for why in dict.fromkeys(given.unread.values()):
        spans = _spans(number for number, other in given.unread.items() if other == why)
        warn(say("{runs} {numbers} cannot be read: {why}.", runs=noun(len(given.unread), "Run"), numbers=spans, why=why))
    if given.unread or given.broken:
        warn(
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


def _sweeps(history: History, count: int | None, warn: Warn) -> tuple[RecordedSweep, ...]:
    """The newest sweeps that have a row."""
    found = []
    for row in [row for row in history.sweeps.rows() if row.done][:count]:
        try:
            found.append(history.sweeps.load(row.id))
        except StoreError as error:
            warn(error.sentence)
    return tuple(found)


def of_file(path: Path, warn: Warn) -> Given:
    """What a session, a recording, a sweep or an experiment holds; its suffix says which it is.

    Raises:
        StoreError: it cannot be read, or holds nothing that is exported; one sentence.
    """
    match path.suffix:
        case SESSION.suffix:
            session = read_session(path)
            for part in session.left_out:
                warn(say("{path}: left out is {part}.", path=str(path), part=part))
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
