"""The history on a thread of its own, so that no disk ever holds up the window."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from lnexplorer.domain.history_query import HistoryQuery
from lnexplorer.domain.result import RunResult
from lnexplorer.gui.responsive import Background, Delivery
from lnkernels.sentence import Sentence, sentence_of

if TYPE_CHECKING:
    from lnexplorer.domain.experiments.findings import ExperimentRecord
    from lnexplorer.domain.history import SweepRow
    from lnexplorer.store.history import History, Listing
    from lnexplorer.store.recorded_sweep import RecordedSweep

T = TypeVar("T")
LATER_MS = 100  # the lines that are looked at are read before what the menu of fields offers
TEND_MS = 1000  # how soon a window sees what another one has written


class HistoryThread(QObject):
    """Opens the history, and answers with signals on Qt's thread. A kind is "runs", "sweeps" or "experiments"."""

    listed = Signal(object)  # store.history.Listing
    facetsRead = Signal(dict)  # values of strategy, dtype and device
    rowsRead = Signal(list)  # HistoryRow
    loaded = Signal(object)  # RunResult
    sweepsRead = Signal(list)  # SweepRow, newest first
    sweepsChanged = Signal()  # what `read_sweeps` would say is something else now
    experimentsRead = Signal(list)  # ExperimentRow, newest first
    changed = Signal()  # what `find` and `read_experiments` would say may be something else now
    warned = Signal(object)  # a sentence for the user

    def __init__(self, path: Path, delivery: Delivery, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path = path
        self._history: History | None = None
        self._background = Background(delivery, "history", self)
        self._background.warned.connect(self._warn)
        self._knows_facets = False
        self._told: Sentence | None = None  # what was wrong when something was asked before
        self._tending = QTimer(self)
        self._tending.timeout.connect(self._tend)

    def find(self, query: HistoryQuery) -> None:
        """Ask which runs match. Only the newest question is answered."""
        if not self._tending.isActive():
            self._tending.start(TEND_MS)
        self._ask(lambda history: history.runs.find(query), self._tell_listing, "find")

    def read_rows(self, ids: tuple[int, ...]) -> None:
        self._ask(lambda history: history.runs.rows(ids), self.rowsRead.emit)

    def read_sweeps(self) -> None:
        self._ask(lambda history: history.sweeps.rows(), self.sweepsRead.emit)

    def read_experiments(self) -> None:
        self._ask(lambda history: history.experiments.rows(), self.experimentsRead.emit)

    def set_deleted(self, kind: str, numbers: tuple[int, ...], *, deleted: bool) -> None:
        """Take something out of the history, or bring it back. A sweep that runs stays, which is said."""
        self._change(kind, lambda history: getattr(history, kind).set_deleted(numbers, deleted=deleted))

    def annotate(self, kind: str, number: int, note: str) -> None:
        """Keep a note on a run or a sweep."""
        if kind == "runs":  # its table shows the note already
            self._ask(lambda history: history.runs.annotate(number, note))
        else:
            self._change(kind, lambda history: history.sweeps.annotate(number, note))

    def pin(self, number: int | None) -> None:
        self._change("runs", lambda history: history.runs.pin(number))

    def add(self, result: RunResult) -> None:
        self._change("runs", lambda history: history.runs.add(result))

    def add_experiment(self, record: "ExperimentRecord") -> None:
        """Keep an experiment that came to an end."""
        self._change("experiments", lambda history: history.experiments.add(record))

    def take(
        self,
        runs: list[tuple[RunResult, str]],
        baseline: int | None,
        then: Callable[[tuple[int | None, int | None]], None] | None = None,
    ) -> None:
        """Keep runs that come from a file, with their notes, and pin the one in place `baseline`.

        Args:
            runs: results and notes; the list is emptied.
            baseline: a place in `runs`, or None to leave the pin where it is.
            then: given the numbers of the baseline before and now, on Qt's thread.
        """

        def work(history: "History") -> tuple[int | None, int | None]:
            numbers = []
            while runs:  # each is given up once it is kept: freeing all of a large session at once would stop every thread
                numbers.append(history.runs.take(*runs.pop(0)))
            before = history.runs.baseline()
            if baseline is not None:
                history.runs.pin(numbers[baseline])
            return before, history.runs.baseline()

        self._change("runs", work, then)

    def take_experiments(self, records: "list[ExperimentRecord]") -> None:
        """Keep experiments that come from a file; those that are here already stay as they are."""
        self._change("experiments", lambda history: [history.experiments.take(record) for record in records])

    def take_sweeps(self, sweeps: "Sequence[RecordedSweep]", then: Callable[[], None]) -> None:
        """Keep sweeps that come from a file; those that are here already stay as they are. `then` on Qt's thread."""
        self._change("sweeps", lambda history: [history.sweeps.take(sweep) for sweep in sweeps], lambda _: then())

    def load(self, number: int) -> None:
        self._ask(lambda history: history.runs.load(number), self.loaded.emit)

    def load_experiment(self, number: int, then: "Callable[[ExperimentRecord], None]") -> None:
        """Have a whole experiment given to a function on Qt's thread."""
        self._ask(lambda history: history.experiments.load(number), then)

    def load_sweeps(self, numbers: Sequence[int], then: "Callable[[list[RecordedSweep]], None]") -> None:
        """Have whole sweeps given to a function on Qt's thread. Those that cannot be read are told of."""
        self._ask(lambda history: list(self._readable(history.sweeps.load, numbers).values()), then)

    def collect(self, numbers: tuple[int, ...], then: "Callable[[list[tuple[int, str, RunResult]]], None]") -> None:
        """Have whole runs, with number and note, given to a function on Qt's thread.

        Those that cannot be read are told of.
        """

        def work(history: "History") -> list[tuple[int, str, RunResult]]:
            notes = {row.id: row.note for row in history.runs.rows(numbers)}
            found = self._readable(history.runs.load, numbers)
            return [(number, notes.get(number, ""), result) for number, result in found.items()]

        self._ask(work, then)

    def export_sweep(self, sweep: int, path: Path, then: Callable[[Path], None]) -> None:
        """Write a sweep's rows in the form that the suffix of `path` names."""

        def work(history: "History") -> Path:
            from lnexplorer.report.tables import write_rows

            found = history.sweeps.load(sweep)
            write_rows(path, found.sweep, found.results, found.ended)
            return path

        self._ask(work, then)

    def weigh(self, numbers: tuple[int, ...], then: "Callable[[dict[int, int], dict[SweepRow, int]], None]") -> None:
        """Have bytes of these runs, by number, and those of all sweeps that have rows, given to a function on Qt's
        thread.
        """

        def work(history: "History") -> "tuple[dict[int, int], dict[SweepRow, int]]":
            of_sweeps = history.sweeps.sizes()
            sweeps = {row: of_sweeps[row.id] for row in history.sweeps.rows() if row.id in of_sweeps}
            return history.runs.sizes(numbers), sweeps

        self._ask(work, lambda found: then(*found))

    def close(self) -> None:
        """Finish what was asked, close the file."""
        self._tending.stop()
        self._background.do(lambda: self._history.close() if self._history is not None else None)
        self._background.close()

    def _ask(self, work: "Callable[[History], T]", then: Callable[[T], object] | None = None, key: str | None = None) -> None:
        def opened() -> T:
            from lnexplorer.store.history import History

            if self._history is None:
                self._history = History(self._path, self._warn_from_there)
            return work(self._history)

        def hand_over(value: T) -> None:
            self._told = None
            if then is not None:
                then(value)

        self._background.do(opened, hand_over, key)

    def _change(self, kind: str, work: "Callable[[History], T]", then: Callable[[T], object] | None = None) -> None:
        def changed(value: T) -> None:
            if then is not None:
                then(value)
            self._tell_changed(kind)

        self._ask(work, changed)

    def _tell_changed(self, kind: str = "runs") -> None:
        if kind == "sweeps":
            self.sweepsChanged.emit()
        else:
            self._knows_facets = False
            self.changed.emit()

    def _tend(self) -> None:
        self._ask(lambda history: history.has_changed(), lambda changed: self._tell_changed() if changed else None)

    def _tell_listing(self, listing: "Listing") -> None:
        self.listed.emit(listing)
        if not self._knows_facets:
            self._knows_facets = True
            QTimer.singleShot(LATER_MS, self, self._ask_facets)

    def _ask_facets(self) -> None:
        self._ask(lambda history: history.runs.facets(), self.facetsRead.emit)

    def _readable(self, load: Callable[[int], T], numbers: Sequence[int]) -> dict[int, T]:
        """What `load` finds, by number; those that cannot be read are told of."""
        found = {}
        for number in numbers:
            try:
                found[number] = load(number)
            except ValueError as error:
                self._warn_from_there(sentence_of(error))
        return found

    def _warn_from_there(self, sentence: Sentence) -> None:
        self._background.tell(self._warn, sentence)

    def _warn(self, sentence: Sentence) -> None:
        """Tell the user, but not once a second that the same file still cannot be used."""
        if sentence != self._told:
            self._told = sentence
            self.warned.emit(sentence)
