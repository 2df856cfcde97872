"""`--screenshot`: wait for the run and for the panes, save the picture, leave."""

import sys
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from lnexplorer.gui.charts.picture import packed
from lnexplorer.gui.kit import translate_message
from lnexplorer.gui.session.messages import notice_text
from lnexplorer.gui.session.state import Remark, SessionState
from lnexplorer.gui.window.main_window import MainWindow
from lnexplorer.protocol.messages import Broken, Refused, WorkerLost
from lnexplorer.store.files import reason, write_whole
from lnkernels.values import one_line, say

SETTLE_MS = 400  # for the panes to lay out and paint what they were given


def save_picture(widget: QWidget, path: Path) -> str:
    """Save a picture of a widget, as PNG unless the name says otherwise; return why that failed, or
    the empty text.
    """
    picture = widget.grab()
    try:
        write_whole(path, (path.suffix and packed(picture, path.suffix[1:])) or packed(picture))
    except OSError as error:
        where = f"{path} ({reason(error)})"
        return translate_message(say("The picture cannot be saved in {path}.", path=where))
    return ""


CORRECT, INCORRECT, UNUSABLE, FAILED = 0, 1, 2, 3


class PictureRun(QObject):
    """Saves the picture once the window is complete, and says on stderr what went wrong."""

    finished = Signal(int)  # with the exit status of the command

    def __init__(
        self, window: MainWindow, path: Path, settled: Callable[[], bool], parent: QObject
    ) -> None:
        """Make a run that saves in `path`; `settled` tells whether the window is complete."""
        super().__init__(parent)
        self._window = window
        self._settled = settled
        self._state: SessionState | None = None
        self._path = path
        self._opened = self._over = self._asked = False

    def mention(self, sentence: str) -> None:
        """Say on stderr what nobody reads in this window."""
        sys.stderr.write(f"lnexplorer: {one_line(sentence)}\n")

    def note_opened(self) -> None:
        """Take it that a session was opened: that was asked for, so it needs no run in it."""
        self._opened = True

    def fail(self, sentence: str) -> None:
        """End without a picture, after an unexpected error."""
        if not self._over:
            self._end(FAILED, sentence)

    def follow(self, state: SessionState) -> None:
        """Take the state of the session; called at each change, and when no pane is waited for."""
        self._state = state
        if self._over:
            return
        # Without a run the state has the result of a recording, or a remark that says why the
        # recording cannot be opened. Beside a run a remark ends nothing.
        shown = state.jobs.run is None and (
            state.run.result is not None or isinstance(state.notice, Remark)
        )
        ended = state.jobs.ended > 0 or shown
        complete = (
            (ended or isinstance(state.notice, WorkerLost))
            and not state.jobs.busy
            and self._settled()
        )
        if complete and not self._asked:
            self._asked = True
            QTimer.singleShot(SETTLE_MS, self, self._save)

    def _save(self) -> None:
        assert self._state is not None
        # Meanwhile a job may have begun, or a pane may have something to show soon.
        self._asked = not self._state.jobs.busy and self._settled()
        if not self._over and self._asked:
            problem = save_picture(self._window, self._path)
            status, sentence = outcome(self._state, opened=self._opened)
            self._end(FAILED if problem else status, problem or sentence)

    def _end(self, status: int, sentence: str) -> None:
        self._over = True
        if sentence:
            self.mention(sentence)
        self.finished.emit(status)


def outcome(state: SessionState, *, opened: bool = False) -> tuple[int, str]:
    """Return the exit status for a session, and a sentence about what went wrong, or none.

    `opened` says that a session was opened from a file, which needs no run.
    """
    match state.notice:
        case Broken() | WorkerLost() as notice:
            return FAILED, notice_text(notice)
        case Refused() as notice:
            return UNUSABLE, notice_text(notice)
    if state.run.result is not None:
        return (CORRECT if state.run.result.correctness.passed else INCORRECT), ""
    if opened:
        return CORRECT, ""
    return UNUSABLE, state.notice.sentence if isinstance(state.notice, Remark) else ""
