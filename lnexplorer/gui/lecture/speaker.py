"""The window for the speaker: this step and the next as small pictures, notes, and the time."""

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from lnexplorer.domain.stopwatch import Stopwatch
from lnexplorer.gui.charts.sheet import BLACK
from lnexplorer.gui.charts.theme import GRID
from lnexplorer.gui.charts.widgets import Label
from lnexplorer.gui.i18n.languages import Retranslated
from lnexplorer.gui.lecture.window import command_of

_TICK_MS = 200
_NOW, _NEXT, _HIGHEST = 0.58, 0.36, 0.58  # widths of the two pictures, and their height at most: shares of the window's
_NOTES, _TIME = 20, 10  # sizes of the type: the window's height divided by them


def clock_text(seconds: float) -> str:
    """Hours, where there are any, minutes and seconds."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes:02d}:{rest:02d}"


class SpeakerWindow(Retranslated, QWidget):
    """Shows pictures and words that it is given; keys go the same way as in the room's window."""

    wished = Signal(object, str)  # Command, and what was typed
    left = Signal()

    def __init__(self, stopwatch: Stopwatch) -> None:
        super().__init__(None, Qt.WindowType.Window)
        self._stopwatch = stopwatch
        self._pixmaps: tuple[QPixmap | None, QPixmap | None] = (None, None)
        self.notes, self.number, self._following = Label(), Label(), Label()
        self.now, self.next, self._time, self._keys = Label(), Label(), Label(), Label()
        self.notes.setWordWrap(True)
        layout = QGridLayout(self)
        layout.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        layout.setSpacing(2 * GRID)
        layout.setColumnStretch(0, round(100 * _NOW))
        layout.setColumnStretch(1, round(100 * _NEXT))
        layout.setRowStretch(2, 1)
        top, right = Qt.AlignmentFlag.AlignTop, Qt.AlignmentFlag.AlignRight
        layout.addWidget(self.number, 0, 0)
        layout.addWidget(self._following, 0, 1)
        layout.addWidget(self.now, 1, 0, top)
        layout.addWidget(self.next, 1, 1, top)
        layout.addWidget(self.notes, 2, 0, 2, 1, top)
        layout.addWidget(self._time, 2, 1, right | Qt.AlignmentFlag.AlignBottom)
        layout.addWidget(self._keys, 3, 1, right)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._show_time)
        self._timer.start(_TICK_MS)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(640, 400)
        self.resize(1280, 720)
        self.retranslate()

    def show_step(self, now: QPixmap, following: QPixmap | None, notes: str, number: str) -> None:
        """Take a step; `following` is the next one's picture, None after the last."""
        self._pixmaps = (now, following)
        self.notes.setText(notes)
        self.number.setText(number)
        self._fit()

    def retranslate(self) -> None:
        self.setWindowTitle(self.tr("Lecture: notes"))
        self._following.setText(self.tr("next"))
        self._show_time()
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        command = command_of(event)
        if command is not None:
            self.wished.emit(command, event.text())
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.left.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Pictures and type take the size of the window."""
        for label, pixmap, share in zip((self.now, self.next), self._pixmaps, (_NOW, _NEXT), strict=True):
            if pixmap is None:
                label.setText(self.tr("The end") if self._pixmaps[0] is not None else "")
            else:
                size = (round(share * self.width()) - 2 * GRID, round(_HIGHEST * self.height()))
                mode = Qt.TransformationMode.SmoothTransformation
                label.setPixmap(pixmap.scaled(*size, Qt.AspectRatioMode.KeepAspectRatio, mode))
        small, notes, time = (max(self.height() // part, 1) for part in (30, _NOTES, _TIME))
        plain = f"color: {BLACK.muted.name()}; font-size: {small}px;"
        strong = f"color: {BLACK.text.name()}; font-size"
        self.setStyleSheet(f"SpeakerWindow {{ background: black; }} QLabel {{ {plain} }}")
        self.notes.setStyleSheet(f"{strong}: {notes}px;")
        self._time.setStyleSheet(f"{strong}: {time}px; font-weight: bold;")

    def _show_time(self) -> None:
        self._time.setText(clock_text(self._stopwatch.seconds))
        running = self._stopwatch.running
        self._keys.setText(self.tr("T pauses, R resets") if running else self.tr("T starts, R resets"))
