"""The windows of the lecture.

The one for the room shows a page, a pointer, and buttons that hide; it reports keys and clicks. The
one for the speaker shows this step and the next one as small pictures, notes, and the time.
"""

from enum import Enum

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QBrush,
    QCloseEvent,
    QColor,
    QCursor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QRadialGradient,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QToolButton, QWidget

from lnexplorer.domain.lecture.scenes import QuestionScene, Scheduling
from lnexplorer.domain.stopwatch import Stopwatch
from lnexplorer.gui.charts.sheet import BLACK, TOP, Palette, Sheet
from lnexplorer.gui.kit import RIGHT, Retranslated, lay_row
from lnexplorer.lecture.page import PageState, draw_help, draw_page
from lnexplorer.lecture.picture_pages import HiddenCanvas
from lnkernels.values import say


class Command(Enum):
    """A command of the speaker; its value has the names of its keys in Qt."""

    NEXT = "PageDown Right Down Space"
    BACK = "PageUp Left Up"
    FIRST = "Home"
    LAST = "End"
    DIGIT = "0 1 2 3 4 5 6 7 8 9"
    ENTER = "Return Enter"
    ERASE = "Backspace"
    BLACK = "B Period"
    WHITE = "W Comma"
    LEAVE = "Escape"
    POINTER = "L"
    LANGUAGE = "Z"
    INVERT = "I"
    PLAY = "P"
    LENGTH = "M"
    ONE_PROGRAM = "J"
    OTHER_PROGRAM = "K"
    SPEAKER = "N"
    TIMER = "T"
    RESET = "R"
    FULL_SCREEN = "F F11"
    HELP = "H F1 Question"
    GUESS = ""  # a click on an option of a question, or on a program


_COMMANDS = {
    Qt.Key[f"Key_{name}"]: command for command in Command for name in command.value.split()
}
HELP_LINES = (
    ("PgDn  →  ↓  Space", say("next step, or event of an animation")),
    ("PgUp  ←  ↑", say("step or event before")),
    ("Enter  12 Enter", say("next step at once; step 12")),
    ("B  W", say("black or white screen")),
    ("L", say("pointer")),
    ("P", say("play or pause the animation")),
    ("J  K", say("scheduler: this or that program goes on")),
    ("M", say("25, 45 or 90 minutes")),
    ("Z", say("English or Chinese")),
    ("I", say("black or white background")),
    ("N  T  R", say("notes; time: start or pause, reset")),
    ("F  H  Esc", say("full screen, this page, leave")),
)
SHOWN_MS = 2500
_BUTTONS = {
    Command.BACK: ("◀", say("step before")),
    Command.NEXT: ("▶", say("next step")),
    Command.POINTER: ("●", say("pointer")),
    Command.BLACK: ("■", say("black screen")),
    Command.LANGUAGE: ("文", say("English or Chinese")),
    Command.HELP: ("?", say("all keys")),
    Command.LEAVE: ("✕", say("leave")),
}


class Controls(Retranslated, QWidget):
    """Buttons at the foot of the page, where nothing else stands."""

    wished = Signal(object, str)  # Command, and nothing

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._buttons: list[QToolButton] = []
        for command, (sign, name) in _BUTTONS.items():
            button = self.write_on(QToolButton(self), sign, name, name)
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.clicked.connect(
                lambda _checked=False, command=command: self.wished.emit(command, "")
            )
            self._buttons.append(button)
        self._layout = lay_row(self, *self._buttons)
        self._timer = QTimer(self, singleShot=True, interval=SHOWN_MS)
        self._timer.timeout.connect(self._on_timeout)
        self.hide()

    def fit(self, width: int, height: int, palette: Palette) -> None:
        """Move to the foot of a page of this size, and take its colours."""
        size = round(0.043 * height)
        self._layout.setSpacing(round(0.4 * size))
        for button in self._buttons:
            button.setFixedSize(round(1.3 * size), size)
        plain = (
            f"border: none; background: transparent; color: {palette.muted.name()}; font-size:"
            f" {round(0.6 * size)}px;"
        )
        self.setStyleSheet(
            f"QToolButton {{ {plain} }}QToolButton:hover {{ background: {palette.cell.name()};"
            f" color: {palette.text.name()}; }}"
        )
        self.adjustSize()
        self.move(round(0.035 * width), round(0.972 * height - size / 2))

    def wake(self) -> None:
        """Show for a while."""
        self.show()
        self._timer.start()

    def _on_timeout(self) -> None:
        if self.underMouse():
            self._timer.start()
        else:
            self.hide()


_SIZE = 22  # the page's height over the pointer's radius
_HOT, _GLOW = QColor(255, 255, 255), QColor(255, 30, 30)


def _pointer(height: int) -> QCursor:
    """Return a cursor that looks like a spot of light, for a page of this height."""
    radius = max(height // _SIZE, 8)
    picture = QPixmap(2 * radius, 2 * radius)
    picture.fill(Qt.GlobalColor.transparent)
    glow = QRadialGradient(QPointF(radius, radius), radius)
    clear = QColor(_GLOW)
    clear.setAlpha(0)
    for place, colour in ((0.0, _HOT), (0.16, _HOT), (0.24, _GLOW), (0.4, _GLOW), (1.0, clear)):
        glow.setColorAt(place, colour)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QBrush(glow))
    painter.drawEllipse(picture.rect())
    painter.end()
    return QCursor(picture)


_NOTCH = 120  # of a wheel


class KeyedWindow(QWidget):
    """A window that emits the commands of its keys."""

    wished = Signal(object, str)  # Command; and the digit, or the option
    left = Signal()

    def __init__(self) -> None:
        super().__init__(None, Qt.WindowType.Window)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(640, 400)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        command = _COMMANDS.get(Qt.Key(event.key()))
        if command is not None:
            self.wished.emit(command, event.text())
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.left.emit()


class LectureWindow(Retranslated, KeyedWindow):
    """The window for the room: paints one step."""

    languageChanged = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._state: PageState | None = None
        self._options: list[QRectF] = []  # of the question on the page
        self.colours: Palette = BLACK
        self.covered: Command | None = None  # BLACK, WHITE or HELP in place of the step
        self._pictures = HiddenCanvas(self)
        self.controls = Controls(self)
        self.controls.wished.connect(self.wished)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMouseTracking(True)
        self.retranslate()

    def show_state(self, state: PageState) -> None:
        """Show a step as it is now."""
        self._state = state
        self.update()

    def set_palette(self, palette: Palette) -> None:
        """Take other colours."""
        self.colours = palette
        self.controls.fit(self.width(), self.height(), palette)
        self.update()

    def cover(self, covered: Command | None) -> None:
        """Show black, white or the keys in place of the step; None: the step again."""
        self.covered = covered
        self.update()

    def toggle_pointer(self) -> None:
        """Show the spot of light, or the arrow again."""
        if self.cursor().shape() is Qt.CursorShape.BitmapCursor:
            self.setCursor(Qt.CursorShape.ArrowCursor)
        else:
            self.setCursor(_pointer(self.height()))
            self.controls.hide()

    def retranslate(self) -> None:
        self.setWindowTitle(self.tr("Lecture"))
        self._pictures.retranslate()
        self.update()
        self.languageChanged.emit()

    def draw(self, painter: QPainter, state: PageState) -> Sheet:
        """Draw a step as large as this window; the sheet returned knows what was written where."""
        painter.setRenderHints(
            QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform
        )
        sheet = self._sheet(painter)
        draw_page(sheet, state, self._pictures)
        return sheet

    def _sheet(self, painter: QPainter) -> Sheet:
        return Sheet(painter, QSizeF(self.size()), self.colours)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self.covered is Command.HELP:
            draw_help(self._sheet(painter), HELP_LINES)
        elif self.covered is not None or self._state is None:
            painter.fillRect(
                self.rect(),
                Qt.GlobalColor.white if self.covered is Command.WHITE else Qt.GlobalColor.black,
            )
        else:
            self._options = self.draw(painter, self._state).options
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.controls.fit(self.width(), self.height(), self.colours)
        super().resizeEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            option = self._option_at(event.position())
            self.wished.emit(
                *((Command.NEXT, "") if option is None else (Command.GUESS, str(option)))
            )

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        if self.cursor().shape() is Qt.CursorShape.ArrowCursor and self.covered is None:
            self.controls.wake()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if abs(event.angleDelta().y()) >= _NOTCH:
            self.wished.emit(Command.BACK if event.angleDelta().y() > 0 else Command.NEXT, "")

    def _option_at(self, position: QPointF) -> int | None:
        """Return the option of an open question, or the program, at a point; None for none."""
        scene = self._state.step.scene if self._state is not None else None
        asks = isinstance(scene, Scheduling) or (
            isinstance(scene, QuestionScene) and not scene.revealed
        )
        if not asks or self.covered is not None:
            return None
        return next(
            (place for place, area in enumerate(self._options) if area.contains(position)), None
        )


_TICK_MS = 200
# Left and right end of this step and of the next one, as shares of the width.
_LEFT, _RIGHT = (0.015, 0.6), (0.625, 0.985)


def clock_text(seconds: float) -> str:
    """Return a time as minutes and seconds, with hours if there are any."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes:02d}:{rest:02d}"


class SpeakerWindow(Retranslated, KeyedWindow):
    """The window for the speaker; its keys are those of the room's window."""

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
        """Show a step; `following` is the picture of the next one, None after the last."""
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
