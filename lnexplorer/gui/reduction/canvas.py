"""The animation's picture: it shows a timeline at a time, zooms, pans, and says what is clicked."""

from dataclasses import dataclass, replace

from PySide6.QtCore import QEvent, QPointF, QRectF, QSignalBlocker, QSizeF, Qt, Signal
from PySide6.QtGui import QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QToolTip, QVBoxLayout, QWidget

from lnexplorer.domain.timeline import Moment, locks_in_use, moment
from lnexplorer.gui.charts.theme import DARK, GRID, Theme
from lnexplorer.gui.charts.widgets import ElidedLabel
from lnexplorer.gui.reduction.painter.colours import PictureColours
from lnexplorer.gui.reduction.painter.frame import CellNumbers, Hit, Scene
from lnexplorer.gui.reduction.painter.number_frame import NumberFrame, has_numbers
from lnexplorer.gui.reduction.painter.schedule_frame import Frame, frame_of
from lnexplorer.gui.reduction.painter.wording import words
from lnexplorer.gui.reduction.words import hover_text
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import ReductionTimeline

_MARGIN = GRID * 2
_CLOSEST_NS = 200.0  # the shortest stretch of time to zoom to


@dataclass
class _Drag:
    """The left button is down."""

    x: float
    begin_ns: float  # of the stretch that was shown then
    pans: bool
    moved: bool = False


class Canvas(QWidget):
    """Paints a timeline at a time. It lays out a frame once, and again when anything but the time changes.

    Wheel: zoom the lanes at the pointer. Drag in zoomed lanes: pan. Double click: all of the time again.
    """

    seekWished = Signal(float)  # ns
    rowClicked = Signal(object)  # int | None
    lockClicked = Signal(int)
    stretchChanged = Signal(float, float)  # ns, the time that the lanes show
    resized = Signal()  # there may be room for numbers now, or none any more

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scene: Scene | None = None
        self._colours = PictureColours(DARK)
        self._frame: Frame | None = None
        self._stale = False  # the frame shows another stretch, or marks another row
        self._time_ns = 0.0
        self._now: Moment | None = None
        self._dragged: _Drag | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMinimumSize(40 * GRID, 24 * GRID)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def show_timeline(self, timeline: ReductionTimeline, least_ns: float = 0.0, *, barrier: bool = True) -> None:
        """Take a new timeline, whole.

        Args:
            timeline: any.
            least_ns: how long the time axis is at least.
            barrier: the launch had it.
        """
        scene = Scene(
            timeline=timeline,
            colours=self._colours,
            size=QSizeF(),
            font=self.font(),
            least_ns=least_ns,
            barrier=barrier,
            result=self._scene.result if self._scene else "dw",
        )
        self._scene = replace(scene, end_ns=scene.last_ns)
        self._renew()

    def set_numbers(self, numbers: CellNumbers) -> None:
        """Numbers for the cells of a small shape."""
        if self._scene is not None:
            self._scene = replace(self._scene, numbers=numbers)
            self._renew()

    def set_result(self, name: str) -> None:
        if self._scene is not None:
            self._scene = replace(self._scene, result=name)
            self._renew()

    def set_time(self, time_ns: float) -> None:
        """Show a moment. A part of the time that is zoomed to follows it."""
        self._time_ns, self._now = time_ns, None
        if self._scene is not None and not self._scene.begin_ns <= time_ns <= self._scene.end_ns:
            self._show_stretch(time_ns - 0.1 * (self._scene.end_ns - self._scene.begin_ns))
        self.update()

    @property
    def now(self) -> Moment | None:
        if self._now is None and self._scene is not None:
            self._now = moment(self._scene.timeline, self._time_ns)
        return self._now

    def apply_theme(self, theme: Theme) -> None:
        self._colours = PictureColours(theme)
        if self._scene is not None:
            self._scene = replace(self._scene, colours=self._colours)
        self._renew()

    def retranslate(self) -> None:
        self.setAccessibleName(words("Animation of the reduction"))
        self._renew()

    @property
    def shows_numbers(self) -> bool:
        """Whether there are numbers in cells."""
        if self._frame is not None or self._scene is None:
            return isinstance(self._frame, NumberFrame)
        timeline = self._scene.timeline
        if not has_numbers(timeline.m, timeline.n, timeline.group_size_m):
            return False  # known before anything is laid out, which takes long where there are many rows
        return isinstance(self._laid_out(), NumberFrame)

    @property
    def scene(self) -> Scene | None:
        """All that is drawn but for the time, as a film or a file needs it; None where there is no timeline."""
        return self._scene

    def zoom(self, factor: float, around_ns: float | None = None) -> None:
        """Show a stretch of time so many times as long, about a time; about the playhead where none is given."""
        if self._scene is None:
            return
        around = self._time_ns if around_ns is None else around_ns
        begin, end = self._scene.begin_ns, self._scene.end_ns
        length = min(max((end - begin) * factor, _CLOSEST_NS), self._scene.last_ns)
        self._show_stretch(around - (around - begin) / (end - begin) * length, length)

    def fit(self) -> None:
        if self._scene is not None:
            self._show_stretch(0.0, self._scene.last_ns)

    def set_stretch(self, begin_ns: float, end_ns: float) -> None:
        """Show the lanes from one time to another, as another picture of the same time does; nothing is told of it."""
        if self._scene is not None:
            with QSignalBlocker(self):
                self._show_stretch(begin_ns, min(max(end_ns - begin_ns, _CLOSEST_NS), self._scene.last_ns))

    @property
    def zoomed(self) -> bool:
        return self._scene is not None and self._scene.end_ns - self._scene.begin_ns < self._scene.last_ns

    def set_least(self, least_ns: float) -> None:
        """Make the time axis at least so long, and show all of it."""
        if self._scene is not None and self._scene.least_ns != least_ns:
            self._scene = replace(self._scene, least_ns=least_ns)
            self._scene = replace(self._scene, begin_ns=0.0, end_ns=self._scene.last_ns)
            self._renew()

    def follow(self, row: int | None, lock: int | None) -> None:
        """Mark a row, or a lock and its rows; nothing where there is no such row or lock."""
        if self._scene is None:
            return
        timeline = self._scene.timeline
        row = row if row is not None and row < timeline.m else None
        lock = lock if lock is not None and lock < locks_in_use(timeline) else None
        if (row, lock) != (self._scene.followed, self._scene.followed_lock):
            self._scene = replace(self._scene, followed=row, followed_lock=lock)
            self._stale = True
            self.update()

    def _show_stretch(self, begin_ns: float, length: float | None = None) -> None:
        """Where the lanes begin, and how much they show."""
        scene = self._scene
        assert scene is not None
        if length is None:
            length = scene.end_ns - scene.begin_ns
        begin = min(max(begin_ns, 0.0), scene.last_ns - length)
        if (begin, begin + length) == (scene.begin_ns, scene.end_ns):
            return
        self._scene = replace(scene, begin_ns=begin, end_ns=begin + length)
        self._stale = True
        self.stretchChanged.emit(begin, begin + length)
        self.update()

    def _renew(self) -> None:
        self._frame = None
        self._stale = False
        self.update()

    def _laid_out(self) -> Frame | None:
        if self._frame is None and self._scene is not None:
            size = QSizeF(self.width() - 2 * _MARGIN, self.height() - 2 * GRID)
            self._frame = frame_of(replace(self._scene, size=size, font=self.font()), self.devicePixelRatioF())
        elif self._frame is not None and self._scene is not None and self._stale:
            # Of several turns of the wheel between two paintings only the last is laid out.
            self._frame.update(replace(self._scene, size=self._frame.scene.size, font=self.font()))
        self._stale = False
        return self._frame

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        frame, now = self._laid_out(), self.now
        painter.fillRect(self.rect(), self._colours.surface)
        if frame is None or now is None:
            text = words("Choose a shape in Parameters: its reduction is shown here.")
            painter.setPen(self._colours.muted)
            painter.drawText(QRectF(self.rect()), Qt.AlignmentFlag.AlignCenter, text)
        else:
            painter.translate(_MARGIN, GRID)
            frame.paint(painter, now)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._frame = None
        super().resizeEvent(event)
        self.resized.emit()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.FontChange:
            self._frame = None
        super().changeEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        frame, scene = self._laid_out(), self._scene
        if frame is None or scene is None or event.button() != Qt.MouseButton.LeftButton:
            return
        hit = frame.hit(self._inside(event.position()))
        self._dragged = _Drag(event.position().x(), scene.begin_ns, self.zoomed and hit.time_ns is not None and not hit.whole)
        if not self._dragged.pans:
            self._take(hit)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        frame, scene, drag = self._laid_out(), self._scene, self._dragged
        if frame is None or scene is None or drag is None or not event.buttons() & Qt.MouseButton.LeftButton:
            return
        if drag.pans:
            way = event.position().x() - drag.x
            drag.moved = drag.moved or abs(way) >= QApplication.startDragDistance()
            if drag.moved:
                length = scene.end_ns - scene.begin_ns
                self._show_stretch(drag.begin_ns - way / max(self.width() - 2 * _MARGIN, 1) * length)
            return
        hit = frame.hit(self._inside(event.position()))
        if hit.time_ns is not None:
            self.seekWished.emit(hit.time_ns)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        frame, drag, self._dragged = self._laid_out(), self._dragged, None
        if frame is not None and drag is not None and drag.pans and not drag.moved:
            self._take(frame.hit(self._inside(event.position())))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        frame = self._laid_out()
        if frame is not None and frame.hit(self._inside(event.position())).time_ns is not None:
            self.fit()

    def _take(self, hit: Hit) -> None:
        if hit.time_ns is not None:
            self.seekWished.emit(hit.time_ns)
        if hit.lock is not None and (hit.row is None or hit.time_ns is not None):
            self.lockClicked.emit(hit.lock)
        elif hit.row is not None or hit.time_ns is None:
            self.rowClicked.emit(hit.row)

    def wheelEvent(self, event: QWheelEvent) -> None:
        frame = self._laid_out()
        hit = frame.hit(self._inside(event.position())) if frame is not None else None
        if hit is not None and hit.time_ns is not None:
            self.zoom(0.8 if event.angleDelta().y() > 0 else 1.25, hit.time_ns)
            event.accept()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.text_at(QPointF(event.pos())), self)
            return True
        return super().event(event)

    def text_at(self, position: QPointF) -> str:
        frame = self._laid_out()
        scene, now = self._scene, self.now
        if frame is None or scene is None or now is None:
            return ""
        return hover_text(scene.timeline, now, frame.hit(self._inside(position)), scene.numbers.sums, barrier=scene.barrier)

    @staticmethod
    def _inside(position: QPointF) -> QPointF:
        return position - QPointF(_MARGIN, GRID)


class TitledCanvas(QWidget):
    """A canvas, and a line above it once there is something to tell it from."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = ElidedLabel(self)
        self.title.setProperty("look", "strong")
        self.title.setContentsMargins(2 * GRID, 0, 0, 0)
        self.title.hide()
        self.canvas = Canvas(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.title)
        layout.addWidget(self.canvas, 1)
        self._shown: tuple[Kind, int] | None = None

    def show_title(self, kind: Kind | None, group_size_m: int = 0) -> None:
        """Say what this is; None for nothing to tell it from."""
        self._shown = None if kind is None else (kind, group_size_m)
        self.title.setVisible(kind is not None)
        self.retranslate()

    def retranslate(self) -> None:
        self.canvas.retranslate()
        if self._shown is None:
            return
        kind, group_size_m = self._shown
        texts = {
            Kind.SIMULATED: words("Simulated by the fitted model, GROUP_SIZE_M {0}"),
            Kind.RECORDED: words("Recorded, GROUP_SIZE_M {0}"),
        }
        self.title.setText(texts.get(kind, words("Measured, GROUP_SIZE_M {0}")).format(group_size_m))
        self.title.setToolTip(self.title.text())
