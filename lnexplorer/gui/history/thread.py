"""The history on a thread of its own, so that no disk ever holds up the window."""

import itertools
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from lnexplorer.domain.history_query import HistoryQuery
from lnexplorer.domain.result import RunResult
from lnexplorer.gui.responsive import Delivery, log_failure
from lnkernels.sentence import Sentence, sentence_of

if TYPE_CHECKING:
    from lnexplorer.domain.experiments.findings import ExperimentRecord
    from lnexplorer.domain.history import SweepRow
    from lnexplorer.store.history import History, Listing
    from lnexplorer.store.recorded_sweep import RecordedSweep
    from lnexplorer.store.sweeps import Sweeps

T = TypeVar("T")
LATER_MS = 100  # the lines that are looked at are read before what the menu of fields offers
TEND_MS = 1000  # how soon a window sees what another one has written


class HistoryThread(QObject):
    """Opens the history, and answers with signals on Qt's thread."""

    listed = Signal(object)  # store.history.Listing
    facetsRead = Signal(dict)  # values of strategy, dtype and device  # noqa: N815
    rowsRead = Signal(list)  # HistoryRow  # noqa: N815
    loaded = Signal(object)  # RunResult
    sweepsRead = Signal(list)  # SweepRow, newest first  # noqa: N815
    sweepsChanged = Signal()  # what `read_sweeps` would say is something else now  # noqa: N815
    experimentsRead = Signal(list)  # ExperimentRow, newest first  # noqa: N815
    changed = Signal()  # what `find` would say may be something else now
    warned = Signal(object)  # a sentence for the user

    def __init__(self, path: Path, delivery: Delivery, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path = path
        self._delivery = delivery
        self._history: History | None = None
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="history")
        self._questions = itertools.count()
        self._newest = -1
        self._knows_facets = False
        self._closed = False
        self._told: Sentence | None = None  # what was wrong when something was asked before
        self._tending = QTimer(self)
        self._tending.timeout.connect(self._tend)
        self._asking_facets = QTimer(self)
        self._asking_facets.setSingleShot(True)
        self._asking_facets.timeout.connect(self._ask_facets)

    def find(self, query: HistoryQuery) -> None:
        """Ask which runs match. Only the newest question is answered."""
        number = self._newest = next(self._questions)
        if not self._tending.isActive():
            self._tending.start(TEND_MS)

        def work(history: "History") -> None:
            if number == self._newest:
                self._tell(self._tell_listing, history.runs.find(query))

        self._submit(work)

    def read_rows(self, ids: tuple[int, ...]) -> None:
        """Ask for the lines of some runs."""
        self._submit(lambda history: self._tell(self.rowsRead.emit, history.runs.rows(ids)))

    def read_sweeps(self) -> None:
        """Ask for the sweeps."""
        if not self._closed:  # it may be asked a moment after the pane
            self._submit(lambda history: self._tell(self.sweepsRead.emit, history.sweeps.rows()))

    def annotate_sweep(self, number: int, note: str) -> None:
        """Keep a note on a sweep."""
        self._change_sweeps(lambda sweeps: sweeps.annotate(number, note))

    def delete_sweeps(self, numbers: tuple[int, ...]) -> None:
        """Take sweeps off the list; one that runs stays, which is said."""
        self._change_sweeps(lambda sweeps: sweeps.set_deleted(numbers, deleted=True))

    def undelete_sweeps(self, numbers: tuple[int, ...]) -> None:
        """Bring deleted sweeps back."""
        self._change_sweeps(lambda sweeps: sweeps.set_deleted(numbers, deleted=False))

    def read_experiments(self) -> None:
        """Ask for the experiments."""
        if not self._closed:
            self._submit(lambda history: self._tell(self.experimentsRead.emit, history.experiments.rows()))

    def add_experiment(self, record: "ExperimentRecord") -> None:
        """Keep an experiment that came to an end."""
        self._change(lambda history: history.experiments.add(record))

    def take_experiments(self, records: "list[ExperimentRecord]") -> None:
        """Keep experiments that come from a file; those that are here already stay as they are."""
        self._change(lambda history: [history.experiments.take(record) for record in records])

    def load_experiment(self, number: int, then: "Callable[[ExperimentRecord], None]") -> None:
        """Have a whole experiment given to a function on Qt's thread."""
        self._submit(lambda history: self._tell(then, history.experiments.load(number)))

    def delete_experiments(self, numbers: tuple[int, ...]) -> None:
        """Take experiments out of the history."""
        self._change(lambda history: history.experiments.set_deleted(numbers, deleted=True))

    def undelete_experiments(self, numbers: tuple[int, ...]) -> None:
        """Bring deleted experiments back."""
        self._change(lambda history: history.experiments.set_deleted(numbers, deleted=False))

    def export_sweep(self, sweep: int, path: Path, then: Callable[[Path], None]) -> None:
        """Write a sweep's rows in the form that the suffix of `path` names."""

        def work(history: "History") -> None:
            from lnexplorer.report.sweeps import write_rows  # noqa: PLC0415  (no work for the start of the window)

            found = history.sweeps.load(sweep)
            write_rows(path, found.sweep, found.results, found.ended)
            self._tell(then, path)

        self._submit(work)

    def load_sweeps(self, numbers: Sequence[int], then: "Callable[[list[RecordedSweep]], None]") -> None:
        """Have whole sweeps given to a function on Qt's thread. Those that cannot be read are told of."""

        def work(history: "History") -> None:
            self._tell(then, [found for number in numbers if (found := self._readable(history.sweeps.load, number)) is not None])

        self._submit(work)

    def take_sweeps(self, sweeps: "Sequence[RecordedSweep]", then: Callable[[], None]) -> None:
        """Keep sweeps that come from a file; those that are here already stay as they are. `then` on Qt's thread."""

        def take(kept: "Sweeps") -> None:
            for sweep in sweeps:
                kept.take(sweep)
            self._delivery.post(then)

        self._change_sweeps(take)

    def add(self, result: RunResult) -> None:
        """Keep a run."""
        self._change(lambda history: history.runs.add(result))

    def load(self, number: int) -> None:
        """Ask for a run's result."""
        self._submit(lambda history: self._tell(self.loaded.emit, history.runs.load(number)))

    def collect(self, numbers: tuple[int, ...], then: "Callable[[list[tuple[int, str, RunResult]]], None]") -> None:
        """Have whole runs, with number and note, given to a function on Qt's thread. Those that cannot be read are told of."""

        def work(history: "History") -> None:
            notes = {row.id: row.note for row in history.runs.rows(numbers)}
            whole = ((number, self._readable(history.runs.load, number)) for number in numbers)
            self._tell(then, [(number, notes.get(number, ""), result) for number, result in whole if result is not None])

        self._submit(work)

    def weigh(self, numbers: tuple[int, ...], then: "Callable[[dict[int, int], dict[SweepRow, int]], None]") -> None:
        """Have bytes of these runs, by number, and those of all sweeps that have rows, given to a function on Qt's thread."""

        def work(history: "History") -> None:
            sizes, of_sweeps = history.runs.sizes(numbers), history.sweeps.sizes()
            sweeps = {row: of_sweeps[row.id] for row in history.sweeps.rows() if row.id in of_sweeps}
            self._delivery.post(lambda: then(sizes, sweeps))

        self._submit(work)

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

        def work(history: "History") -> None:
            numbers = []
            while runs:  # each is given up once it is kept: freeing all of a large session at once would stop every thread
                numbers.append(history.runs.take(*runs.pop(0)))
            before = history.runs.baseline()
            if baseline is not None:
                history.runs.pin(numbers[baseline])
            if then is not None:
                self._tell(then, (before, history.runs.baseline()))

        self._change(work)

    def delete(self, numbers: tuple[int, ...]) -> None:
        """Take runs out of the history."""
        self._change(lambda history: history.runs.set_deleted(numbers, deleted=True))

    def undelete(self, numbers: tuple[int, ...]) -> None:
        """Bring deleted runs back."""
        self._change(lambda history: history.runs.set_deleted(numbers, deleted=False))

    def annotate(self, number: int, note: str) -> None:
        """Keep a note on a run."""
        self._submit(lambda history: history.runs.annotate(number, note))

    def pin(self, number: int | None) -> None:
        """Compare other runs with this one, or with none."""
        self._change(lambda history: history.runs.pin(number))

    def close(self) -> None:
        """Finish what was asked, close the file."""
        self._closed = True
        self._tending.stop()
        self._asking_facets.stop()
        self._pool.submit(lambda: self._history.close() if self._history else None).add_done_callback(log_failure)
        self._pool.shutdown(wait=True)

    def _tell_listing(self, listing: "Listing") -> None:
        self.listed.emit(listing)
        if not (self._knows_facets or self._closed or self._asking_facets.isActive()):
            self._asking_facets.start(LATER_MS)

    def _ask_facets(self) -> None:
        self._knows_facets = True
        self._submit(lambda history: self._tell(self.facetsRead.emit, history.runs.facets()))

    def _tend(self) -> None:
        def work(history: "History") -> None:
            if history.has_changed():
                self._delivery.post(self._tell_changed)

        self._submit(work)

    def _tell_changed(self) -> None:
        self._knows_facets = False
        self.changed.emit()

    def _change_sweeps(self, work: "Callable[[Sweeps], None]") -> None:
        def change(history: "History") -> None:
            work(history.sweeps)
            self._delivery.post(self.sweepsChanged.emit)

        self._submit(change)

    def _change(self, work: "Callable[[History], object]") -> None:
        def change(history: "History") -> None:
            work(history)
            self._delivery.post(self._tell_changed)

        self._submit(change)

    def _submit(self, work: "Callable[[History], None]") -> None:
        self._pool.submit(self._guard, work).add_done_callback(log_failure)

    def _guard(self, work: "Callable[[History], None]") -> None:
        from lnexplorer.store.history import History  # noqa: PLC0415  (no work for the start of the window)

        try:  # errors of the store and of exports are ValueErrors
            if self._history is None:
                self._history = History(self._path, self._warn)
            work(self._history)
        except (ValueError, OSError) as error:
            self._warn(sentence_of(error))
        else:
            self._told = None

    def _readable(self, load: Callable[[int], T], number: int) -> T | None:
        """What `load` finds; None, and a warning, where it cannot be read."""
        try:
            return load(number)
        except ValueError as error:
            self._warn(sentence_of(error))
            return None

    def _warn(self, sentence: Sentence) -> None:
        """Tell the user, but not once a second that the same file still cannot be used."""
        if sentence != self._told:
            self._told = sentence
            self._tell(self.warned.emit, sentence)

    def _tell(self, tell: Callable[[Any], None], value: object) -> None:
        self._delivery.post(lambda: tell(value))
