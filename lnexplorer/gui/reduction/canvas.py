"""The widget that shows the frame of a moment."""

from dataclasses import replace

from PySide6.QtCore import QCoreApplication, QEvent, QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QToolTip, QWidget

from lnexplorer.domain.moments import moment
from lnexplorer.domain.ordered_sums import OrderedSums
from lnexplorer.domain.result import PartialRows
from lnexplorer.domain.timeline import ReductionTimeline
from lnexplorer.gui.painter.colours import PictureColours
from lnexplorer.gui.painter.frame import Frame, Scene
from lnexplorer.gui.painter.number_frame import NumberFrame, has_numbers
from lnexplorer.gui.painter.schedule_frame import ScheduleFrame
from lnexplorer.gui.reduction.hover import hover_text
from lnexplorer.gui.theme import DARK, GRID, Theme

_MARGIN = GRID * 2
_CLOSEST_NS = 200.0  # the shortest stretch of time to zoom to


class Canvas(QWidget):
    """Paints a timeline at a time. It lays out a frame once, and again when anything but the time changes."""

    seekWished = Signal(float)  # noqa: N815  # ns
    rowClicked = Signal(object)  # noqa: N815  # int | None

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scene: Scene | None = None
        self._colours = PictureColours(DARK)
        self._frame: Frame | None = None
        self._time_ns = 0.0
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMinimumSize(40 * GRID, 30 * GRID)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def show_timeline(self, timeline: ReductionTimeline) -> None:
        """Take a new timeline, whole."""
        self._scene = Scene(
            timeline=timeline,
            colours=self._colours,
            size=QSizeF(),
            font=self.font(),
            end_ns=max(timeline.end_ns, 1) * 1.01,
            result=self._scene.result if self._scene else "dw",
        )
        self._renew()

    def set_numbers(self, partial_rows: PartialRows | None, sums: OrderedSums | None) -> None:
        """Numbers for the cells of a small shape."""
        if self._scene is not None:
            self._scene = replace(self._scene, partial_rows=partial_rows, sums=sums)
            self._renew()

    def set_followed(self, row: int | None) -> None:
        """Mark a row everywhere."""
        if self._scene is not None:
            self._scene = replace(self._scene, followed=row)
            self._renew()

    def set_result(self, name: str) -> None:
        """Choose dw or db for the numbers."""
        if self._scene is not None:
            self._scene = replace(self._scene, result=name)
            self._renew()

    def set_time(self, time_ns: float) -> None:
        """Show a moment. A part of the time that is zoomed to follows it."""
        self._time_ns = time_ns
        if self._scene is not None and not self._scene.begin_ns <= time_ns <= self._scene.end_ns:
            self._show_stretch(time_ns - 0.1 * (self._scene.end_ns - self._scene.begin_ns))
        self.update()

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self._colours = PictureColours(theme)
        if self._scene is not None:
            self._scene = replace(self._scene, colours=self._colours)
        self._renew()

    def retranslate(self) -> None:
        """Write the titles again."""
        self.setAccessibleName(QCoreApplication.translate("reduction", "Animation of the reduction"))
        self._renew()

    @property
    def shows_numbers(self) -> bool:
        """Whether there are numbers in cells."""
        return isinstance(self._laid_out(), NumberFrame)

    def zoom(self, factor: float, around_ns: float | None = None) -> None:
        """Show a stretch of time so many times as long, about a time."""
        if self._scene is None:
            return
        around = self._time_ns if around_ns is None else around_ns
        begin, end = self._scene.begin_ns, self._scene.end_ns
        whole = max(self._scene.timeline.end_ns, 1) * 1.01
        length = min(max((end - begin) * factor, _CLOSEST_NS), whole)
        self._scene = replace(self._scene, begin_ns=begin, end_ns=begin + length)
        self._show_stretch(around - (around - begin) / (end - begin) * length)

    def _show_stretch(self, begin_ns: float) -> None:
        assert self._scene is not None
        whole = max(self._scene.timeline.end_ns, 1) * 1.01
        length = self._scene.end_ns - self._scene.begin_ns
        begin = min(max(begin_ns, 0.0), whole - length)
        self._scene = replace(self._scene, begin_ns=begin, end_ns=begin + length)
        self._renew()

    def _renew(self) -> None:
        self._frame = None
        self.update()

    def _laid_out(self) -> Frame | None:
        if self._frame is None and self._scene is not None:
            size = QSizeF(self.width() - 2 * _MARGIN, self.height() - 2 * GRID)
            scene = replace(self._scene, size=size, font=self.font())
            timeline = scene.timeline
            if has_numbers(timeline.m, timeline.n, timeline.group_size_m):
                numbers = NumberFrame(scene)
                self._frame = numbers if numbers.legible else ScheduleFrame(scene, self.devicePixelRatioF())
            else:
                self._frame = ScheduleFrame(scene, self.devicePixelRatioF())
        return self._frame

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Draw the moment."""
        painter = QPainter(self)
        frame = self._laid_out()
        if frame is None:
            painter.fillRect(self.rect(), self._colours.surface)
            text = QCoreApplication.translate("reduction", "Choose a shape in Parameters: its reduction is shown here.")
            painter.setPen(self._colours.muted)
            painter.drawText(QRectF(self.rect()), Qt.AlignmentFlag.AlignCenter, text)
        else:
            self._fill_margins(painter)
            painter.translate(_MARGIN, GRID)
            frame.paint(painter, self._time_ns)
        painter.end()

    def _fill_margins(self, painter: QPainter) -> None:
        """The frame covers the rest itself."""
        width, height, colour = self.width(), self.height(), self._colours.surface
        painter.fillRect(QRectF(0, 0, width, GRID), colour)
        painter.fillRect(QRectF(0, height - GRID, width, GRID), colour)
        painter.fillRect(QRectF(0, GRID, _MARGIN, height - 2 * GRID), colour)
        painter.fillRect(QRectF(width - _MARGIN, GRID, _MARGIN, height - 2 * GRID), colour)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Lay out again."""
        self._frame = None
        super().resizeEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """A row is followed; a time is gone to."""
        frame = self._laid_out()
        if frame is None or event.button() != Qt.MouseButton.LeftButton:
            return
        hit = frame.hit(self._inside(event.position()))
        if hit.time_ns is not None:
            self.seekWished.emit(hit.time_ns)
        if hit.row is not None or hit.time_ns is None:
            self.rowClicked.emit(hit.row)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Drag the playhead."""
        frame = self._laid_out()
        if frame is not None and event.buttons() & Qt.MouseButton.LeftButton:
            hit = frame.hit(self._inside(event.position()))
            if hit.time_ns is not None:
                self.seekWished.emit(hit.time_ns)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        """Zoom the lanes about the time under the mouse."""
        frame = self._laid_out()
        hit = frame.hit(self._inside(event.position())) if frame is not None else None
        if hit is not None and hit.time_ns is not None:
            self.zoom(0.8 if event.angleDelta().y() > 0 else 1.25, hit.time_ns)
            event.accept()

    def event(self, event: QEvent) -> bool:
        """Show numbers under the mouse."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.text_at(QPointF(event.pos())), self)
            return True
        return super().event(event)

    def text_at(self, position: QPointF) -> str:
        """The numbers at a point of the widget."""
        frame = self._laid_out()
        if frame is None or self._scene is None:
            return ""
        timeline = self._scene.timeline
        return hover_text(timeline, moment(timeline, self._time_ns), frame.hit(self._inside(position)), self._scene.sums)

    @staticmethod
    def _inside(position: QPointF) -> QPointF:
        return position - QPointF(_MARGIN, GRID)
