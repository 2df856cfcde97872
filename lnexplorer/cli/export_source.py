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
from lnexplorer.store import experiment_file, session_file, sweep_recording
from lnexplorer.store.history_reading import ReadRuns, read_runs
from lnexplorer.store.kept_sweeps import load_sweeps, weighed_sweeps
from lnexplorer.store.paths import Paths
from lnexplorer.store.recording import RecordingError, read_recording
from lnexplorer.store.sweep_values import RecordedSweep

Warn = Callable[[str], None]


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Given:
    """What there is to write."""

    runs: tuple[KeptRun, ...] = ()
    baseline: int | None = None
    sweeps: tuple[RecordedSweep, ...] = ()
    experiments: tuple[ExperimentResult, ...] = ()
    alone: bool = False  # a single sweep, whose rows are what a table has
    unread: dict[int, str] = field(default_factory=dict)  # why a run cannot be read, by number
    without_note: int = 0  # runs that can be read, and whose notes cannot
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
        """How many runs or notes could not be read, in words; None where all could be."""
        if self.broken:
            return "no run of the history could be read"
        missing, lost = len(self.unread), []
        if missing:
            lost.append(f"{missing} of {counted(missing + len(self.runs), 'run')} could not be read")
        if self.without_note:
            notes = noun(self.without_note, "its note", "their notes")
            lost.append(f"{counted(self.without_note, 'run')} could be read only without {notes}")
        return ", ".join(lost) or None


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
    query = replace(parse(line), sorted_by="date", descending=True)
    found = read_runs(paths.history, query, 1 if kind in SINGLE else last)
    for sentence in _losses(found, paths.history):
        warn(sentence)
    kept: tuple[RecordedSweep, ...] = ()
    if kind == "report":
        newest = [sweep.row.id for sweep in weighed_sweeps(paths.data, warn)[:sweeps]]
        kept = tuple(load_sweeps(paths.data, newest, warn))
    return Given(
        runs=tuple(KeptRun(*run) for run in found.runs),
        baseline=found.baseline,
        sweeps=kept,
        unread=found.unread,
        without_note=len(found.without_note),
        broken=found.broken is not None,
    )


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


def _losses(found: ReadRuns, path: Path) -> list[str]:
    """What of the history cannot be read and why, and what to do, a sentence each."""
    sentences = [] if found.broken is None else [found.broken]
    for why in dict.fromkeys(found.unread.values()):
        numbers = [number for number, other in found.unread.items() if other == why]
        sentences.append(f"{noun(len(numbers), 'Run')} {_spans(numbers)} cannot be read: {why}.")
    if found.without_note:
        count = len(found.without_note)
        sentences.append(f"The {noun(count, 'note')} of {noun(count, 'run')} {_spans(found.without_note)} cannot be read.")
    if found.no_baseline is not None:
        sentences.append(f"Which run the others are compared with cannot be read: {found.no_baseline}.")
    if found.damaged:
        sentences.append(
            f"{path} is left as it is. If you have an earlier copy, put it in its place. Otherwise, when all that can be read is "
            "exported, open lnexplorer: it keeps such a file under another name, and begins a new one."
        )
    return sentences


def _spans(numbers: Iterable[int]) -> str:
    """Numbers in order, those that follow each other as one: 1, 3–7."""
    spans: list[list[int]] = []
    for number in sorted(numbers):
        if spans and spans[-1][1] == number:
            spans[-1][1] += 1
        else:
            spans.append([number, number + 1])
    return ", ".join(span(*ends) for ends in spans)
