"""The window for the speaker: this step and the next as small pictures, notes, and the time."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QWidget

from lnexplorer.domain.lecture.position import Stopwatch, clock_text
from lnexplorer.gui.i18n.languages import Retranslated
from lnexplorer.gui.lecture.keys import Command, command_of
from lnexplorer.gui.lecture.sheet import BLACK, LEFT, RIGHT, TOP, Sheet

_MOST = 8  # that are kept


class Previews(QObject):
    """Draws what is wanted and not there, the first wanted first.

    Args:
        draw: draws a step.
    """

    drawn = Signal()

    def __init__(self, draw: Callable[[int], QPixmap], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._draw = draw
        self._pictures: dict[int, QPixmap] = {}
        self._wanted: tuple[int, ...] = ()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._draw_one)

    def want(self, numbers: tuple[int, ...]) -> None:
        """Have these drawn, and nothing that was wanted before."""
        self._wanted = numbers
        self._timer.start(0)

    def forget(self, number: int | None = None) -> None:
        """A step's picture is out of date; without a number, all are."""
        if number is None:
            self._pictures.clear()
        else:
            self._pictures.pop(number, None)

    def stop(self) -> None:
        """Draw nothing any more."""
        self._timer.stop()

    def picture(self, number: int) -> QPixmap | None:
        """The picture of a step, if it is there."""
        return self._pictures.get(number)

    def _draw_one(self) -> None:
        missing = [number for number in self._wanted if number not in self._pictures]
        if missing:
            self._pictures[missing[0]] = self._draw(missing[0])
            while len(self._pictures) > _MOST:
                del self._pictures[next(iter(self._pictures))]
        self.drawn.emit()
        if len(missing) > 1:
            self._timer.start(0)


_TICK_MS = 200
_NOW, _NEXT = 0.58, 0.36  # widths of the two pictures


class SpeakerWindow(Retranslated, QWidget):
    """Shows pictures and words that it is given; keys go the same way as in the room's window."""

    wished = Signal(object, str)  # Command, and the digit for DIGIT
    left = Signal()

    def __init__(self, stopwatch: Stopwatch) -> None:
        super().__init__(None, Qt.WindowType.Window)
        self._stopwatch = stopwatch
        self._now: QPixmap | None = None
        self._next: QPixmap | None = None
        self._notes, self._number = "", ""
        self._shown_time, self._last = "", False
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._tick)
        self._timer.start()
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(640, 400)
        self.resize(1280, 720)
        self.retranslate()

    @property
    def notes(self) -> str:
        """The notes that are shown."""
        return self._notes

    def show_step(self, now: QPixmap | None, following: QPixmap | None, notes: str, number: str, *, last: bool) -> None:
        """Take a step.

        Args:
            now: its picture, when it is drawn.
            following: the next one's.
            notes: what to say.
            number: which step of how many.
            last: whether no step follows.
        """
        self._now, self._next, self._notes, self._number = now, None if last else following, notes, number
        self._last = last
        self.update()

    def retranslate(self) -> None:
        self.setWindowTitle(self.tr("Lecture: notes"))
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        command = command_of(event)
        if command is not None and command is not Command.POINT_WHILE_HELD:
            self.wished.emit(command, event.text() if command is Command.DIGIT else "")
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.left.emit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        self.draw(painter)
        painter.end()

    def draw(self, painter: QPainter) -> Sheet:
        """Draw everything; the sheet tells where."""
        sheet = Sheet(painter, self.size().toSizeF(), BLACK)
        palette, unit = sheet.palette, sheet.unit
        painter.fillRect(QRectF(self.rect()), palette.background)
        bottom = 0.0
        for picture, left, share, label in (
            (self._now, 0.02, _NOW, self._number),
            (self._next, 0.04 + _NOW, _NEXT, self.tr("next")),
        ):
            head = sheet.rect(left, 0.015, left + share, 0.07)
            sheet.write(head, label, sheet.small, palette.muted, LEFT)
            place = self._place(sheet, picture, left, share)
            if picture is not None:
                painter.drawPixmap(place, picture, QRectF(picture.rect()))
            elif self._last and label != self._number:
                sheet.write(place, self.tr("The end"), sheet.body, palette.muted, Qt.AlignmentFlag.AlignCenter)
            painter.setPen(palette.line)
            painter.drawRect(place)
            bottom = max(bottom, place.bottom())
        self._draw_time(sheet)
        room = QRectF(0.02 * self.width(), bottom + unit, 0.72 * self.width(), self.height() - bottom - 1.5 * unit)
        sheet.write(room, self._notes, 1.8, align=TOP)
        return sheet

    def _place(self, sheet: Sheet, picture: QPixmap | None, left: float, share: float) -> QRectF:
        """Where a picture goes: as wide as its share, no higher than leaves room for the notes."""
        ratio = picture.height() / picture.width() if picture is not None else 9 / 16
        width = min(share * sheet.size.width(), 0.58 * sheet.size.height() / ratio)
        return QRectF(left * sheet.size.width(), 0.08 * sheet.size.height(), width, width * ratio)

    def _draw_time(self, sheet: Sheet) -> None:
        palette = sheet.palette
        self._shown_time = clock_text(self._stopwatch.seconds)
        colour = palette.text if self._stopwatch.running else palette.muted
        sheet.write(sheet.rect(0.74, 0.74, 0.98, 0.9), self._shown_time, 3.2, colour, RIGHT, bold=True)
        state = self.tr("T pauses, R resets") if self._stopwatch.running else self.tr("T starts, R resets")
        sheet.write(sheet.rect(0.7, 0.9, 0.98, 0.98), state, sheet.small, palette.muted, RIGHT)

    def _tick(self) -> None:
        if clock_text(self._stopwatch.seconds) != self._shown_time:
            self.update()
