"""The window for the speaker: this step and the next as small pictures, notes, and the time."""

from PySide6.QtCore import QRectF, QSizeF, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent, QPixmap

from lnexplorer.domain.stopwatch import Stopwatch
from lnexplorer.gui.charts.sheet import BLACK, RIGHT, TOP, Sheet
from lnexplorer.gui.kit.languages import Retranslated
from lnexplorer.lecture.window import KeyedWindow

_TICK_MS = 200
_LEFT, _RIGHT = (
    (0.015, 0.6),
    (0.625, 0.985),
)  # what is shown now, and what comes: shares of the width


def clock_text(seconds: float) -> str:
    """Return hours, where there are any, minutes and seconds."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes:02d}:{rest:02d}"


class SpeakerWindow(Retranslated, KeyedWindow):
    """Shows the pictures and words that it is given; its keys are those of the room's window."""

    def __init__(self, stopwatch: Stopwatch) -> None:
        super().__init__()
        self._stopwatch = stopwatch
        self.now: QPixmap | None = None
        self.next: QPixmap | None = None  # None after the last step
        self.notes = ""
        self.number = ""
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.update)
        self._timer.start(_TICK_MS)
        self.resize(1280, 720)
        self.retranslate()

    def show_step(self, now: QPixmap, following: QPixmap | None, notes: str, number: str) -> None:
        """Take a step; `following` is the next one's picture, None after the last."""
        self.now = now
        self.next = following
        self.notes = notes
        self.number = number
        self.update()

    def retranslate(self) -> None:
        self.setWindowTitle(self.tr("Lecture: notes"))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHints(
            QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform
        )
        painter.fillRect(self.rect(), BLACK.background)
        sheet = Sheet(painter, QSizeF(self.size()), BLACK)
        following = (
            self.tr("next") if self.next is not None or self.now is None else self.tr("The end")
        )
        for (left, right), pixmap, above in (
            (_LEFT, self.now, self.number),
            (_RIGHT, self.next, following),
        ):
            sheet.label(sheet.rect(left, 0.01, right, 0.06), above)
            if pixmap is not None:
                room = sheet.rect(left, 0.07, right, 0.64)
                size = (
                    pixmap.size().toSizeF().scaled(room.size(), Qt.AspectRatioMode.KeepAspectRatio)
                )
                painter.drawPixmap(QRectF(room.topLeft(), size), pixmap, QRectF(pixmap.rect()))
                sheet.box(QRectF(room.topLeft(), size), None, BLACK.line)
        sheet.write(sheet.rect(_LEFT[0], 0.67, _LEFT[1], 0.98), self.notes, 1.5, align=TOP)
        keys = (
            self.tr("T pauses, R resets")
            if self._stopwatch.running
            else self.tr("T starts, R resets")
        )
        sheet.write(
            sheet.rect(_RIGHT[0], 0.78, _RIGHT[1], 0.91),
            clock_text(self._stopwatch.seconds),
            3.0,
            align=RIGHT,
            bold=True,
        )
        sheet.label(sheet.rect(_RIGHT[0], 0.92, _RIGHT[1], 0.98), keys, RIGHT)
        painter.end()
