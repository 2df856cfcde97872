"""The history on a thread of its own, so that no disk ever holds up the window."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from lnexplorer.domain.history import history_row
from lnexplorer.domain.result import RunResult
from lnexplorer.gui.mailbox import Mailbox

if TYPE_CHECKING:
    from lnexplorer.storage.history import History


class HistoryThread(QObject):
    """Opens the history, and answers with signals on Qt's thread."""

    listed = Signal(list)  # HistoryRow, all of them
    added = Signal(object)  # HistoryRow
    loaded = Signal(object)  # RunResult
    warned = Signal(str)  # a sentence for the user

    def __init__(self, path: Path, mailbox: Mailbox, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path = path
        self._mailbox = mailbox
        self._history: History | None = None
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="history")

    def list_rows(self) -> None:
        """Ask for all rows."""
        self._pool.submit(lambda: self._guard(lambda history: self._tell(self.listed.emit, history.rows())))

    def add(self, result: RunResult) -> None:
        """Keep a run; its row follows."""

        def work(history: "History") -> None:
            number = history.add(result)
            self._tell(self.added.emit, history_row(number, result.provenance.environment.date, result))

        self._pool.submit(lambda: self._guard(work))

    def load(self, number: int) -> None:
        """Ask for a run's result."""
        self._pool.submit(lambda: self._guard(lambda history: self._tell(self.loaded.emit, history.load(number))))

    def delete(self, number: int) -> None:
        """Take a run out of the history."""
        self._pool.submit(lambda: self._guard(lambda history: history.delete(number)))

    def undelete(self, number: int) -> None:
        """Bring a deleted run back."""
        self._pool.submit(lambda: self._guard(lambda history: history.undelete(number)))

    def close(self) -> None:
        """Finish what was asked, close the file."""
        self._pool.submit(lambda: self._history.close() if self._history else None)
        self._pool.shutdown(wait=True)

    def _guard(self, work: "Callable[[History], None]") -> None:
        from lnexplorer.storage.history import History, HistoryError  # noqa: PLC0415  (no work for the start of the window)

        if self._history is None:
            self._history = History(self._path, self._warn)
        try:
            work(self._history)
        except HistoryError as error:
            self._warn(str(error))

    def _warn(self, sentence: str) -> None:
        self._tell(self.warned.emit, sentence)

    def _tell(self, emit: Callable[[Any], None], value: object) -> None:
        self._mailbox.post(lambda: emit(value))
