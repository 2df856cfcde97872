"""A message over the window's status bar, with buttons for what can be done and for closing it.

The message moves no other widget, and the window can be used meanwhile.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QPushButton, QToolButton, QWidget

from lnexplorer.gui.kit import GRID, Label, Retranslated, Theme, icon, lay_column, lay_row, restyle
from lnkernels.values import say

if TYPE_CHECKING:
    from lnexplorer.gui.session.state import Notice

DETAIL_HEIGHT = 16 * GRID
MOST_LINES = 4  # on show: the panes below need the room
LONGEST = 240  # characters of a line
NOTE_MS = 10_000  # a single line that asks for nothing is on show


class MessageStrip(Retranslated, QFrame):
    """Shows a message; hidden while there is none."""

    def __init__(
        self, run: QAction, few: QAction, restart: QAction, parent: QWidget | None = None
    ) -> None:
        """Make a hidden strip that offers these actions where they help."""
        super().__init__(parent, objectName="message")
        self._notice: Notice | None = None
        self._place = 0, 400, 800  # px: left, bottom, width
        self.sentence = Label(
            self,
            wordWrap=True,
            textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse,
        )
        self.details = self.write_on(
            QPushButton(self), say("Details"), say("What was written when it happened")
        )
        self.run = QToolButton(self)
        self.few = QToolButton(self)
        self.restart = QToolButton(self)
        self.details.setCheckable(True)
        for button, action in ((self.run, run), (self.few, few), (self.restart, restart)):
            button.setDefaultAction(action)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.close_button = self.write_on(
            QToolButton(self), tip=say("Put this message away"), name=say("Close")
        )
        self.close_button.setProperty("look", "plain")
        self._away = QTimer(self, singleShot=True, interval=NOTE_MS)
        self._away.timeout.connect(self._put_away)
        self._buttons = (self.details, self.run, self.few, self.restart, self.close_button)
        self.detail = QPlainTextEdit(self, readOnly=True)
        self.detail.setFixedHeight(DETAIL_HEIGHT)
        line = lay_row(None, (self.sentence, 1), *self._buttons, spacing=GRID)
        margins = (2 * GRID, 1, GRID, 1)  # a line is as high as the status bar
        self._column = lay_column(self, line, self.detail, margins=margins, spacing=GRID // 2)
        self.details.toggled.connect(self._show_detail)
        self.write(self.setAccessibleName, say("Message"))
        self.hide()

    def show_notice(self, notice: "Notice", *, can_restart: bool = False) -> None:
        """Show a message, with its details behind a button and the actions that help."""
        # Imports the engine's messages, after the window is painted.
        from lnexplorer.gui.session.state import LongRun, Remark
        from lnexplorer.protocol.messages import Broken, WorkerLost

        self._notice = notice
        self._say()
        detailed = bool(self.detail.toPlainText())
        self._away.stop()
        if isinstance(notice, Remark) and not (notice.stays or notice.lines[1:] or detailed):
            self._away.start()
        self.details.setVisible(detailed)
        self.details.setChecked(False)
        self.detail.hide()
        asks = isinstance(notice, LongRun)
        # A run that broke by itself would break again, so it is not offered once more.
        lost = isinstance(notice, WorkerLost) or (
            isinstance(notice, Broken) and (notice.device_lost or notice.line_dropped)
        )
        self.run.setVisible(asks or (lost and not can_restart))
        self.few.setVisible(asks)
        self.restart.setVisible(can_restart)
        restyle(self, "tone", "note" if isinstance(notice, Remark | LongRun) else "error")
        self.show()
        self._fit()
        if not self.isWindow():
            self.raise_()

    def place(self, left: int, bottom: int, width: int) -> None:
        self._place = left, bottom, width
        self._fit()

    def apply_theme(self) -> None:
        self.close_button.setIcon(icon("cross", Theme.current.text))

    def retranslate(self) -> None:
        self._say()
        self._fit()

    def _put_away(self) -> None:
        """Close the note, which covers what it is about; wait while the cursor is over it."""
        if self.underMouse():
            self._away.start()
        else:
            self.close_button.click()

    def _show_detail(self, shown: bool) -> None:
        self.detail.setVisible(shown)
        self._fit()

    def _fit(self) -> None:
        self._column.activate()
        left, bottom, width = self._place
        if not self.detail.isVisibleTo(self):
            width = min(width, self._needed_width())
        height = self._column.totalHeightForWidth(width)
        self.setGeometry(left, bottom - height, width, height)

    def _needed_width(self) -> int:
        """Return the width of the longest line: a short message covers little below it."""
        metrics, margins = self.sentence.fontMetrics(), self._column.contentsMargins()
        shown = [button for button in self._buttons if button.isVisibleTo(self)]
        beside = sum(button.sizeHint().width() + GRID for button in shown)
        longest = metrics.size(0, self.sentence.text()).width()
        return longest + beside + margins.left() + margins.right() + 2 * GRID

    def _say(self) -> None:
        """Show the latest lines of a message, with earlier and long ones among the details."""
        if self._notice is None:
            return
        # Imports the values of all that runs can answer, after the window is painted.
        from lnexplorer.gui.session.messages import notice_detail, notice_text

        lines = notice_text(self._notice).split("\n")
        latest = [
            line if len(line) <= LONGEST else f"{line[:LONGEST]} …" for line in lines[-MOST_LINES:]
        ]
        self.sentence.setText("\n".join(latest))
        earlier = lines[:-MOST_LINES] if latest == lines[-MOST_LINES:] else lines
        detail = "\n".join((*earlier, *filter(None, (notice_detail(self._notice),))))
        if detail != self.detail.toPlainText():  # setting it would scroll back to its beginning
            self.detail.setPlainText(detail)
