"""What `lnexplorer export` writes: runs, sweeps and experiments of the history, or of a file."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from lnexplorer.domain.experiments.findings import ExperimentResult
from lnexplorer.domain.history_filter import parse
from lnexplorer.domain.wording import counted
from lnexplorer.storage import experiment_file, session_file, sweep_recording
from lnexplorer.storage.export.files import SINGLE, write_runs
from lnexplorer.storage.export.sweeps import SWEEP_SUFFIXES, write_rows
from lnexplorer.storage.export.table import KeptRun
from lnexplorer.storage.history import History, HistoryError
from lnexplorer.storage.kept_sweeps import load_sweeps, weighed_sweeps
from lnexplorer.storage.paths import Paths
from lnexplorer.storage.recording import RecordingError, read_recording
from lnexplorer.storage.sweep_values import RecordedSweep

Warn = Callable[[str], None]


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Given:
    """What there is to write."""

    runs: tuple[KeptRun, ...] = ()
    baseline: int | None = None
    sweeps: tuple[RecordedSweep, ...] = ()
    experiments: tuple[ExperimentResult, ...] = ()
    alone: bool = False  # a single sweep, whose rows are what a table has

    def write(self, path: Path, kind: str) -> str:
        """Write it in the form of this kind; what was written, in words.

        Raises:
            ExportError: there is nothing to write in this form, or it cannot be written; one sentence.
        """
        if self.alone and path.suffix.lower() in SWEEP_SUFFIXES:
            (sweep,) = self.sweeps
            write_rows(path, sweep.sweep, sweep.results, sweep.ended)
            return counted(len(sweep.results), "row")
        write_runs(path, kind, self.runs, self.baseline, self.sweeps, self.experiments)
        runs = len(self.runs[:1] if kind in SINGLE else self.runs)
        others = (("sweep", len(self.sweeps)), ("experiment", len(self.experiments))) if kind == "report" else ()
        found = [(name, count) for name, count in (("run", runs), *others) if count]
        return ", ".join(counted(count, name) for name, count in found)


def of_history(paths: Paths, kind: str, line: str, last: int | None, sweeps: int | None, warn: Warn) -> Given:
    """Runs of the history, newest first, and for a report the kept sweeps.

    Args:
        paths: where they are kept.
        kind: of the file that is to be written.
        line: a filter, as in the window.
        last: how many runs at most; None for all.
        sweeps: how many sweeps at most; None for all.
        warn: hears what cannot be read.
    """
    history = History(paths.history, warn)
    try:
        listing = history.find(replace(parse(line), sorted_by="date", descending=True))
        numbers = listing.ids[: 1 if kind in SINGLE else last].tolist()
        notes = {row.id: row.note for row in history.rows(numbers)}
        runs = []
        for number in numbers:
            try:
                runs.append(KeptRun(number, notes.get(number, ""), history.load(number)))
            except HistoryError as error:
                warn(str(error))
    finally:
        history.close()
    kept: tuple[RecordedSweep, ...] = ()
    if kind == "report":
        newest = [sweep.row.id for sweep in weighed_sweeps(paths.data, warn)[:sweeps]]
        kept = tuple(load_sweeps(paths.data, newest, warn))
    return Given(runs=tuple(runs), baseline=None if listing.baseline is None else listing.baseline.id, sweeps=kept)


def of_file(path: Path, warn: Warn) -> Given:
    """What a session, a recording, a sweep or an experiment holds; its suffix says which it is.

    Raises:
        RecordingError: it cannot be read, or holds nothing that is exported; one sentence.
        SessionError: the same of a session.
    """
    match path.suffix:
        case session_file.SUFFIX:
            session = session_file.read_session(path)
            for part in session.left_out:
                warn(f"{path}: left out is {part}.")
            return Given(
                runs=tuple(KeptRun(number, run.note, run.result) for number, run in enumerate(session.runs, 1)),
                baseline=None if session.baseline is None else session.baseline + 1,
                sweeps=session.sweeps,
                experiments=session.experiments,
            )
        case sweep_recording.SUFFIX:
            return Given(sweeps=(sweep_recording.read_recorded_sweep(path),), alone=True)
        case experiment_file.SUFFIX:
            return Given(experiments=(experiment_file.read_experiment(path),))
    recording = read_recording(path)
    if recording.result is None:
        raise RecordingError(f"{path} holds a timing of locks and no run.")
    return Given(runs=(KeptRun(1, recording.title, recording.result),))
