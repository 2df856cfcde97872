"""The window for the room: a page, a pointer above it, and buttons that hide. It is told what to show, and tells its keys."""

from PySide6.QtCore import QEvent, QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QCloseEvent, QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPixmap, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from lnexplorer.domain.lecture.storyboard import Asked, Played
from lnexplorer.gui.lecture.controls import Controls
from lnexplorer.gui.lecture.help_page import draw_help
from lnexplorer.gui.lecture.keys import Command, command_of
from lnexplorer.gui.lecture.page import PageState, caption_room, draw_page, foot_room, picture_room, said
from lnexplorer.gui.lecture.palette import BLACK, Palette
from lnexplorer.gui.lecture.pointer import Pointer
from lnexplorer.gui.lecture.sheet import Sheet
from lnexplorer.gui.lecture.trace_picture import TracePicture

_NOTCH = 120  # of a wheel


class LectureWindow(QWidget):
    """Paints one step."""

    wished = Signal(object, str)  # Command, and the digit for DIGIT
    left = Signal()
    languageChanged = Signal()  # noqa: N815

    def __init__(self) -> None:
        super().__init__(None, Qt.WindowType.Window)
        self._state: PageState | None = None
        self._options: list[QRectF] = []  # of the question on the page
        self._page: QPixmap | None = None  # of the state; the pointer goes over it without its being drawn again
        self._palette: Palette = BLACK
        self._cover: QColor | None = None
        self._help = False
        self._held: set[object] = set()  # what keeps the pointer on while it is held
        self._toggled = False
        self.trace = TracePicture(self)
        self._previewed = TracePicture(self)  # so that a preview does not lay out the room's picture anew
        self.pointer = Pointer(self)
        self.controls = Controls(self)
        self.controls.wished.connect(lambda command: self.wished.emit(command, ""))
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(640, 400)
        self.retranslate()

    @property
    def blank(self) -> QColor | None:
        """Colour of the screen while it shows nothing else."""
        return self._cover

    @property
    def help_shown(self) -> bool:
        """Whether the keys are on the screen."""
        return self._help

    @property
    def palette_(self) -> Palette:
        """The colours."""
        return self._palette

    def show_state(self, state: PageState) -> None:
        """Show a step as it is now. Of an animation that goes on, only what changes is painted again."""
        before, self._state = self._state, state
        playing = before is not None and before.step is state.step and before.time_ns != state.time_ns
        self._page = None
        if playing and before is not None and before.typed == state.typed and not self._help:
            sheet = self._sheet(QPainter())
            self.update(picture_room(sheet).toAlignedRect())
            if said(before) != said(state):
                self.update(caption_room(sheet).toAlignedRect())
                self.update(foot_room(sheet).toAlignedRect())
        else:
            self.update()

    def set_palette(self, palette: Palette) -> None:
        """Take other colours."""
        self._palette, self._page = palette, None
        self.controls.fit(self.width(), self.height(), palette)
        self.update()

    def cover(self, colour: QColor | None) -> None:
        """Show nothing but a colour; None shows the step again."""
        self._cover = colour
        self.update()

    def show_help(self, shown: bool) -> None:
        """Show the keys, or the step again."""
        self._help = shown
        self.update()

    def toggle_pointer(self) -> None:
        """Keep the pointer on, or let it go."""
        self._toggled = not self._toggled
        self._follow_pointer(QPointF(self.mapFromGlobal(self.cursor().pos())))

    def retranslate(self) -> None:
        """Write everything in the language as it is now."""
        self.setWindowTitle(self.tr("Lecture"))
        self.controls.retranslate()
        self.trace.retranslate()
        self._previewed.retranslate()
        self._page = None
        self.update()

    def draw_preview(self, painter: QPainter, state: PageState) -> Sheet:
        """Draw any step as this window would; the sheet tells what was written where."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        sheet = self._sheet(painter)
        draw_page(sheet, state, self._previewed)
        return sheet

    def _sheet(self, painter: QPainter) -> Sheet:
        return Sheet(painter, QSizeF(self.size()), self._palette)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Draw the step, the keys, or nothing."""
        painter = QPainter(self)
        if self._cover is not None or self._state is None:
            painter.fillRect(QRectF(self.rect()), self._cover or self._palette.background)
        elif self._help:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            draw_help(self._sheet(painter))
        elif isinstance(self._state.step.scene, Played):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            draw_page(self._sheet(painter), self._state, self.trace)
        else:
            painter.drawPixmap(0, 0, self._drawn(self._state))
        painter.end()

    def _drawn(self, state: PageState) -> QPixmap:
        if self._page is None:
            ratio = self.devicePixelRatioF()
            self._page = QPixmap(self.size() * ratio)
            self._page.setDevicePixelRatio(ratio)
            painter = QPainter(self._page)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            sheet = self._sheet(painter)
            draw_page(sheet, state, self.trace)
            painter.end()
            self._options = sheet.options
        return self._page

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Everything grows with the page."""
        self._page = None
        self.pointer.fit(self.height())
        self.controls.fit(self.width(), self.height(), self._palette)
        super().resizeEvent(event)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follow the language."""
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
            self.languageChanged.emit()
        super().changeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Pass on what a key asks for."""
        command = command_of(event)
        if command is Command.POINT_WHILE_HELD:
            self._held.add(Command.POINT_WHILE_HELD)
            self._follow_pointer(QPointF(self.mapFromGlobal(self.cursor().pos())))
        elif command is not None:
            self.wished.emit(command, event.text() if command is Command.DIGIT else "")
        else:
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Let the pointer go."""
        if command_of(event) is Command.POINT_WHILE_HELD and not event.isAutoRepeat():
            self._held.discard(Command.POINT_WHILE_HELD)
            self._follow_pointer(QPointF(self.mapFromGlobal(self.cursor().pos())))
        super().keyReleaseEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """The left button goes on, or chooses an option; the right one points while it is held."""
        if event.button() == Qt.MouseButton.LeftButton:
            option = self._option_at(event.position())
            self.wished.emit(*((Command.NEXT, "") if option is None else (Command.GUESS, str(option))))
        elif event.button() == Qt.MouseButton.RightButton:
            self._held.add(Qt.MouseButton.RightButton)
            self._follow_pointer(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Let the pointer go."""
        if event.button() == Qt.MouseButton.RightButton:
            self._held.discard(Qt.MouseButton.RightButton)
            self._follow_pointer(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """The pointer follows; without it, the buttons come."""
        self._follow_pointer(event.position())
        if not self.pointer.isVisible() and self._cover is None:
            self.controls.wake()

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        """A notch is a step."""
        if abs(event.angleDelta().y()) >= _NOTCH:
            self.wished.emit(Command.BACK if event.angleDelta().y() > 0 else Command.NEXT, "")

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        """Tell that the lecture is over."""
        super().closeEvent(event)
        self.left.emit()

    def _option_at(self, position: QPointF) -> int | None:
        """The option of an open question at a place."""
        scene = self._state.step.scene if self._state is not None else None
        if not isinstance(scene, Asked) or scene.revealed or self._help or self._cover is not None:
            return None
        return next((place for place, area in enumerate(self._options) if area.contains(position)), None)

    def _follow_pointer(self, position: QPointF) -> None:
        shown = self._toggled or bool(self._held)
        self.pointer.move_to(position)
        self.pointer.setVisible(shown)
        self.setCursor(Qt.CursorShape.BlankCursor if shown else Qt.CursorShape.ArrowCursor)
        if shown:
            self.pointer.raise_()
            self.controls.hide()
