"""The history on a thread of its own, so that no disk ever holds up the window."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from lnexplorer.domain.history import KeptRun
from lnexplorer.domain.result import RunResult
from lnexplorer.gui.kit.responsive import Background, Delivery
from lnkernels.values import Sentence, sentence_of

if TYPE_CHECKING:
    from lnexplorer.store.history import History
    from lnexplorer.store.recordings import RecordedSweep

T = TypeVar("T")
TEND_MS = 1000  # how soon a window sees what another one has written


class HistoryThread(Background):
    """Opens the history and works on it. A kind is "runs", "sweeps" or "experiments".

    `remark` says why the history is not in its usual place; None where it is.
    """

    changed = Signal(str)  # kind, of which something else may be found now

    def __init__(
        self,
        path: Path,
        delivery: Delivery,
        parent: QObject | None = None,
        remark: Sentence | None = None,
    ) -> None:
        super().__init__(delivery, "history", parent)
        self._path = path
        self.remark = remark
        self._history: History | None = None
        self._tending = QTimer(self)
        self._tending.timeout.connect(self._tend)

    def ask(
        self,
        work: "Callable[[History], T]",
        then: Callable[[T], object] | None = None,
        key: str | None = None,
    ) -> None:
        """Do work with the history on the thread, as `do` does."""
        self.do(lambda: work(self.opened()), then, key)

    def change(self, kind: str, work: "Callable[[History], object]") -> None:
        self.ask(work, lambda _done: self.changed.emit(kind))

    def wait_for(self, work: "Callable[[History], T]") -> T:
        """Do work with the history on the thread, and wait for it on a thread that is not Qt's.

        Errors of the work are raised.
        """
        return self._pool.submit(lambda: work(self.opened())).result()

    def follow(self) -> None:
        """From now on, see what other programs write."""
        self._tending.start(TEND_MS)

    def take(self, runs: list[tuple[RunResult, str]], baseline: int | None = None) -> None:
        """Keep runs that come from a file, with their notes; the one in place `baseline` is pinned.
        The list is emptied.
        """

        def work(history: "History") -> None:
            numbers = []
            # each is given up once it is kept: freeing all of a large session at once would stop
            # every thread
            while runs:
                numbers.append(history.runs.take(*runs.pop(0)))
            if baseline is not None:
                history.runs.pin(numbers[baseline])

        self.change("runs", work)

    def load_sweeps(self, then: "Callable[[list[RecordedSweep]], None]") -> None:
        """Pass all sweeps with rows to a callback; those that cannot be read are warned of."""

        def work(history: "History") -> "list[RecordedSweep]":
            return list(
                self._readable(
                    history.sweeps.load, [row.id for row in history.sweeps.rows() if row.done]
                ).values()
            )

        self.ask(work, then)

    def collect(self, numbers: tuple[int, ...], then: Callable[[list[KeptRun]], None]) -> None:
        """Pass runs to a callback; those that cannot be read are warned of."""

        def work(history: "History") -> list[KeptRun]:
            notes = {row.id: row.note for row in history.runs.rows(numbers)}
            found = self._readable(history.runs.load, numbers)
            return [
                KeptRun(number, notes.get(number, ""), result) for number, result in found.items()
            ]

        self.ask(work, then)

    def close(self) -> None:
        self._tending.stop()
        self.do(lambda: self._history.close() if self._history is not None else None)
        super().close()

    def opened(self) -> "History":
        """The history, for work on its thread."""
        # Imported on this thread: it takes long.
        from lnexplorer.store.history import History

        if self._history is None:
            self._history = History(self._path, self._warn_from_there)
        return self._history

    def _tend(self) -> None:
        def tell(has_changed: bool) -> None:
            for kind in ("runs", "sweeps", "experiments") if has_changed else ():
                self.changed.emit(kind)

        # Nobody is told once a second that the same file still cannot be used.
        self.do(lambda: self.opened().has_changed(), tell, otherwise=lambda _sentence: None)

    def _readable(self, load: Callable[[int], T], numbers: Sequence[int]) -> dict[int, T]:
        """Load values by number; those that cannot be read are warned of."""
        found = {}
        for number in numbers:
            try:
                found[number] = load(number)
            except ValueError as error:
                self._warn_from_there(sentence_of(error))
        return found

    def _warn_from_there(self, sentence: Sentence) -> None:
        self.tell(self.warned.emit, sentence)
