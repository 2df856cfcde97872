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
    """Reports the exit status of the command, and a sentence where something went wrong."""

    finished = Signal(int, str)

    def __init__(
        self,
        window: MainWindow,
        path: Path,
        settled: Callable[[], bool],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._window = window
        self._settled = settled
        self._state: SessionState | None = None
        self._path = path
        self._opened = self._over = self._asked = False

    def mention(self, sentence: str) -> None:
        """Say on stderr what the window says to nobody."""
        sys.stderr.write(f"lnexplorer: {one_line(sentence)}\n")

    def note_opened(self) -> None:
        """A session is on the screen: with or without a run in it, that is what was asked for."""
        self._opened = True

    def fail(self, sentence: str) -> None:
        """End without a picture, for what nobody expected."""
        if not self._over:
            self._over = True
            self.finished.emit(FAILED, sentence)

    def follow(self, state: SessionState) -> None:
        """Hear of the session's state, and of every moment at which the panes may have become
        complete.
        """
        self._state = state
        if self._over:
            return
        # Without a run there is a recording, or a remark about why it cannot be opened. Beside a
        # run a remark ends nothing.
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
        self._asked = (
            not self._state.jobs.busy and self._settled()
        )  # what followed a run, or begins with it, has an end, too
        if not self._over and self._asked:
            self._over = True
            problem = save_picture(self._window, self._path)
            self.finished.emit(
                *((FAILED, problem) if problem else outcome(self._state, opened=self._opened))
            )


def outcome(state: SessionState, *, opened: bool = False) -> tuple[int, str]:
    """Exit status for what the session came to, and the sentence that goes with it."""
    match state.notice:
        case Broken() | WorkerLost() as notice:
            return FAILED, notice_text(notice)
        case Refused() as notice:
            return UNUSABLE, notice_text(notice)
        case _:
            pass
    if state.run.result is None and opened:
        return CORRECT, ""
    if state.run.result is None:
        return UNUSABLE, state.notice.sentence if isinstance(state.notice, Remark) else ""
    return (CORRECT if state.run.result.correctness.passed else INCORRECT), ""
