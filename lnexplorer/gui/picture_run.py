"""One run for the sake of its picture: waits for the end of the run and for the panes, saves the picture, leaves."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from lnexplorer.engine.events import Broken, Refused, WorkerLost
from lnexplorer.gui.main_window import MainWindow
from lnexplorer.gui.screenshot import Screenshot
from lnexplorer.gui.session.messages import sentence_of
from lnexplorer.gui.session.state import Remark, SessionState

CORRECT, INCORRECT, UNUSABLE, FAILED = 0, 1, 2, 3


class PictureRun(QObject):
    """Reports the exit status of the command, and a sentence where something went wrong."""

    finished = Signal(int, str)

    def __init__(self, window: MainWindow, path: Path, settled: Callable[[], bool], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._window = window
        self._settled = settled
        self._state: SessionState | None = None
        self._screenshot = Screenshot(window, path, self)
        self._screenshot.saved.connect(self._on_saved)

    def follow(self, state: SessionState) -> None:
        """Hear of the session's state, and of every moment at which the panes may have become complete."""
        self._state = state
        # Without a run there is a recording, or a remark about why it cannot be opened. Beside a run a remark ends nothing.
        shown = state.job is None and (state.result is not None or isinstance(state.notice, Remark))
        ended = state.ended > 0 or shown
        if (ended or isinstance(state.notice, WorkerLost)) and not state.busy and self._settled():
            self._screenshot.take()

    def _on_saved(self, problem: str) -> None:
        assert self._state is not None
        if problem:
            self.finished.emit(FAILED, problem)
            return
        self.finished.emit(*outcome(self._state))


def outcome(state: SessionState) -> tuple[int, str]:
    """Exit status for what the session came to, and the sentence that goes with it."""
    match state.notice:
        case Broken() | WorkerLost() as notice:
            return FAILED, sentence_of(notice)
        case Refused() as notice:
            return UNUSABLE, sentence_of(notice)
        case _:
            pass
    if state.result is None:
        return UNUSABLE, state.notice.sentence if isinstance(state.notice, Remark) else ""
    return (CORRECT if state.result.correctness.passed else INCORRECT), ""
