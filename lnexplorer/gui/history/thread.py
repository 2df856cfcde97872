"""The history on a thread of its own, so that no disk ever holds up the window."""

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from lnexplorer.domain.history_query import HistoryQuery
from lnexplorer.domain.result import RunResult
from lnexplorer.gui.responsive import Delivery, log_failure

if TYPE_CHECKING:
    from lnexplorer.domain.experiments.findings import ExperimentRecord
    from lnexplorer.store.history import History, Listing
    from lnexplorer.store.kept_sweeps import WeighedSweep
    from lnexplorer.store.sweep_store import SweepStore

LATER_MS = 100  # the lines that are looked at are read before what the menu of fields offers
TEND_MS = 1000  # how soon a window sees what another one has written, and what could not be written is tried again


class HistoryThread(QObject):
    """Opens the history, and answers with signals on Qt's thread."""

    listed = Signal(object)  # storage.history.Listing
    facetsRead = Signal(dict)  # values of strategy, dtype and device  # noqa: N815
    rowsRead = Signal(list)  # HistoryRow  # noqa: N815
    loaded = Signal(object)  # RunResult
    sweepsRead = Signal(list)  # SweepRow, newest first  # noqa: N815
    sweepsChanged = Signal()  # what `read_sweeps` would say is something else now  # noqa: N815
    experimentsRead = Signal(list)  # ExperimentRow, newest first  # noqa: N815
    changed = Signal()  # what `find` would say may be something else now
    warned = Signal(str)  # a sentence for the user

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
                self._tell(self._tell_listing, history.find(query))

        self._submit(work)

    def read_rows(self, ids: tuple[int, ...]) -> None:
        """Ask for the lines of some runs."""
        self._submit(lambda history: self._tell(self.rowsRead.emit, history.rows(ids)))

    def read_sweeps(self) -> None:
        """Ask for the sweeps that are kept beside the history."""

        def work() -> None:
            from lnexplorer.report.sweeps import sweep_rows  # noqa: PLC0415  (no work for the start of the window)

            self._tell(self.sweepsRead.emit, sweep_rows(self._path.parent, self._warn))

        if not self._closed:  # it may be asked a moment after the pane
            self._pool.submit(self._guard_files, work).add_done_callback(log_failure)

    def annotate_sweep(self, number: int, note: str) -> None:
        """Keep a note on a sweep."""
        self._change_sweeps(lambda store: store.annotate(number, note))

    def delete_sweeps(self, numbers: tuple[int, ...]) -> None:
        """Take sweeps off the list; one that runs stays, which is said."""
        self._change_sweeps(lambda store: store.delete(numbers))

    def undelete_sweeps(self, numbers: tuple[int, ...]) -> None:
        """Bring deleted sweeps back."""
        self._change_sweeps(lambda store: store.undelete(numbers))

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
        self._change(lambda history: history.experiments.delete(numbers))

    def undelete_experiments(self, numbers: tuple[int, ...]) -> None:
        """Bring deleted experiments back."""
        self._change(lambda history: history.experiments.undelete(numbers))

    def export_sweep(self, sweep: int, path: Path, then: Callable[[Path], None]) -> None:
        """Write a sweep's rows in the form that the suffix of `path` names."""

        def work() -> None:
            from lnexplorer.report.sweeps import write_sweep  # noqa: PLC0415

            write_sweep(self._path.parent, sweep, path, self._warn)
            self._tell(then, path)

        self._pool.submit(self._guard_files, work).add_done_callback(log_failure)

    def add(self, result: RunResult) -> None:
        """Keep a run."""
        self._change(lambda history: history.add(result))

    def load(self, number: int) -> None:
        """Ask for a run's result."""
        self._submit(lambda history: self._tell(self.loaded.emit, history.load(number)))

    def collect(self, numbers: tuple[int, ...], then: "Callable[[list[tuple[int, str, RunResult]]], None]") -> None:
        """Have whole runs, with number and note, given to a function on Qt's thread. Those that cannot be read are told of."""
        from lnexplorer.store.history import HistoryError  # noqa: PLC0415  (no work for the start of the window)

        def work(history: "History") -> None:
            notes = {row.id: row.note for row in history.rows(numbers)}
            found = []
            for number in numbers:
                try:
                    found.append((number, notes.get(number, ""), history.load(number)))
                except HistoryError as error:
                    self._warn(str(error))
            self._tell(then, found)

        self._submit(work)

    def weigh(self, numbers: tuple[int, ...], then: "Callable[[dict[int, int], list[WeighedSweep]], None]") -> None:
        """Have bytes of these runs, by number, and all sweeps that have rows, given to a function on Qt's thread."""

        def work(history: "History") -> None:
            from lnexplorer.store.kept_sweeps import weighed_sweeps  # noqa: PLC0415  (no work for the start of the window)

            sizes, sweeps = history.sizes(numbers), weighed_sweeps(self._path.parent, self._warn)
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
                numbers.append(history.take(*runs.pop(0)))
            before = history.baseline()
            if baseline is not None:
                history.pin(numbers[baseline])
            if then is not None:
                self._tell(then, (before, history.baseline()))

        self._change(work)

    def delete(self, numbers: tuple[int, ...]) -> None:
        """Take runs out of the history."""
        self._change(lambda history: history.delete(numbers))

    def undelete(self, numbers: tuple[int, ...]) -> None:
        """Bring deleted runs back."""
        self._change(lambda history: history.undelete(numbers))

    def annotate(self, number: int, note: str) -> None:
        """Keep a note on a run."""
        self._submit(lambda history: history.annotate(number, note))

    def pin(self, number: int | None) -> None:
        """Compare other runs with this one, or with none."""
        self._change(lambda history: history.pin(number))

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
        self._submit(lambda history: self._tell(self.facetsRead.emit, history.facets()))

    def _tend(self) -> None:
        def work(history: "History") -> None:
            if history.tend():
                self._delivery.post(self._tell_changed)

        self._submit(work)

    def _tell_changed(self) -> None:
        self._knows_facets = False
        self.changed.emit()

    def _change_sweeps(self, work: "Callable[[SweepStore], None]") -> None:
        def change() -> None:
            from lnexplorer.store.kept_sweeps import change_sweeps  # noqa: PLC0415  (no work for the start of the window)

            change_sweeps(self._path.parent, work, self._warn)
            self._delivery.post(self.sweepsChanged.emit)

        self._pool.submit(self._guard_files, change).add_done_callback(log_failure)

    def _change(self, work: "Callable[[History], object]") -> None:
        def change(history: "History") -> None:
            work(history)
            self._delivery.post(self._tell_changed)

        self._submit(change)

    def _submit(self, work: "Callable[[History], None]") -> None:
        self._pool.submit(self._guard, work).add_done_callback(log_failure)

    def _guard(self, work: "Callable[[History], None]") -> None:
        from lnexplorer.store.history import History, HistoryError  # noqa: PLC0415  (no work for the start of the window)

        if self._history is None:
            self._history = History(self._path, self._warn)
        try:
            work(self._history)
        except (HistoryError, ValueError) as error:
            self._warn(str(error))

    def _guard_files(self, work: Callable[[], None]) -> None:
        try:  # errors of sweeps and of exports are ValueErrors
            work()
        except (ValueError, OSError) as error:
            self._warn(str(error))

    def _warn(self, sentence: str) -> None:
        self._tell(self.warned.emit, sentence)

    def _tell(self, tell: Callable[[Any], None], value: object) -> None:
        self._delivery.post(lambda: tell(value))
