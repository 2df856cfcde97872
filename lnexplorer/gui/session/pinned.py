"""Keeps A, the run that others are compared with, as the history's baseline."""

from PySide6.QtCore import QObject

from lnexplorer.gui.session.history import HistoryThread
from lnexplorer.gui.session.session import SessionController
from lnkernels.values import say


class Pinning(QObject):
    """Pins the run on the screen, and follows what the history has pinned."""

    def __init__(self, session: SessionController, history: HistoryThread, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._history = history
        self._number: int | None = None  # of A in the history

    def follow(self) -> None:
        """From now on, show what is pinned, by whatever window."""
        self._history.changed.connect(self._on_changed)
        self._on_changed("runs")

    def toggle(self) -> None:
        """Pin the run on the screen; none where that is A."""
        pinned, shown = self._session.state.pinned, self._session.state.shown
        if shown is None:
            self._session.remark(say("There is no finished run to pin yet."))
        elif pinned is not None and pinned.is_of(shown.result):
            self._history.change("runs", lambda kept: kept.runs.pin(None))
        else:
            result, trace = shown.result, shown.timeline
            self._number = None  # it may be the same, with another trace
            self._history.change(
                "runs", lambda kept: kept.runs.pin(kept.runs.take(result, ""), trace)
            )

    def _on_changed(self, kind: str) -> None:
        if kind == "runs":
            self._history.ask(lambda kept: kept.runs.baseline(), self._take, "baseline")

    def _take(self, number: int | None) -> None:
        if number != self._number:
            self._number = number
            self._history.ask(lambda kept: kept.runs.pinned(), self._session.set_pinned, "pinned")
