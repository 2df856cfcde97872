"""The animation's picture: it shows a timeline at a time, zooms, pans, and says what is clicked."""

import math
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSignalBlocker, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QHelpEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QToolTip, QWidget

from lnexplorer.domain.simulation.model import SimulationParameters, simulate
from lnexplorer.domain.timeline import Moment, locks_in_use, moment
from lnexplorer.gui.charts.chart import Drawing
from lnexplorer.gui.kit.theme import DARK, GRID, Theme
from lnexplorer.gui.timeline.captions import hover_text
from lnexplorer.gui.timeline.colours import PictureColours
from lnexplorer.gui.timeline.frame import CellNumbers, Hit, Scene
from lnexplorer.gui.timeline.number_frame import NumberFrame, has_numbers
from lnexplorer.gui.timeline.schedule_frame import Frame, frame_of
from lnexplorer.gui.timeline.waterfall import arranged
from lnexplorer.gui.timeline.wording import words
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import ReductionTimeline

_MARGIN, _ABOVE = GRID * 2, GRID // 2
_CLOSEST_NS = 200.0  # the shortest stretch of time to zoom to
_FEWEST_ROWS = 8  # to zoom to
_IDLE = SimulationParameters(
    resident_programs=1,
    sm_count=1,
    compute_ns=0,
    hold_ns=0,
    try_ns=0,
    hand_over_ns=0,
    stagger_ns=0,
    exit_ns=0,
)
_NOTHING = simulate(0, 1, 1, 1, 1, _IDLE)  # until something is shown


@dataclass
class _Drag:
    """The left button is down."""

    at: QPointF
    begin_ns: float  # of the stretch that was shown then
    top: float  # of the rows
    pans: bool
    moved: bool = False


class Canvas(Drawing):
    """Paints a timeline at a time. It lays out a frame once, and again when anything but the time
    changes.

    Wheel and pinch: zoom rows and time at the pointer; with Ctrl the time alone. Drag where it is
        zoomed: pan. Double click:
    all of it again.
    """

    seekWished = Signal(float)  # ns
    rowClicked = Signal(object)  # int | None
    lockClicked = Signal(int)
    stretchChanged = Signal(
        float, float, float, float
    )  # the part that is shown: ns from, to; share of the rows from, to
    resized = Signal()  # there may be room for numbers now, or none any more

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scene = Scene(
            timeline=_NOTHING, colours=PictureColours(DARK), size=QSizeF(), font=self.font()
        )
        self._frame: Frame | None = None
        self._stale = False  # the frame shows another stretch, or marks another row
        self._titled = False
        self._time_ns = 0.0
        self._now: Moment | None = None
        self._dragged: _Drag | None = None
        self._least = 1.0  # the smallest part of the rows to zoom to
        self._time_zoom = 1.0  # the power of the rows' zoom with which the time is zoomed along
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMinimumSize(40 * GRID, 24 * GRID)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def show_timeline(
        self, timeline: ReductionTimeline, least_ns: float = 0.0, *, barrier: bool = True
    ) -> None:
        """Take a new timeline, whole.

        Args:
            timeline: of at least one row.
            least_ns: how long the time axis is at least.
            barrier: the launch had it.
        """
        before = self._scene
        scene = Scene(
            timeline=timeline,
            colours=before.colours,
            size=QSizeF(),
            font=self.font(),
            least_ns=least_ns,
            barrier=barrier,
            result=before.result,
            grouping=before.grouping,
        )
        # A zoom to the fewest rows shows about two lives of a row, so of few rows of long lives all
        # of the time.
        self._least = min(_FEWEST_ROWS / timeline.m, 1.0)
        life = 2 * float(np.median(timeline.released_ns - timeline.start_ns))
        longer = math.log(max(scene.last_ns / max(life, 1.0), 1.0))
        self._time_zoom = min(longer / -math.log(self._least), 1.0) if self._least < 1 else 1.0
        self._scene = replace(scene, end_ns=scene.last_ns)
        self._renew()

    def set_titled(self, titled: bool) -> None:
        """Whether there is another picture to tell this one from."""
        self._titled = titled
        self._renew()

    def set_numbers(self, numbers: CellNumbers) -> None:
        """Numbers for the cells of a small shape."""
        self._scene = replace(self._scene, numbers=numbers)
        self._renew()

    def set_result(self, name: str) -> None:
        self._scene = replace(self._scene, result=name)
        self._renew()

    def set_time(self, time_ns: float) -> None:
        """Show a moment. A part of the time that is zoomed to follows it."""
        self._time_ns = time_ns
        self._now = None
        if not self._scene.begin_ns <= time_ns <= self._scene.end_ns:
            self._show_part(time_ns - 0.1 * (self._scene.end_ns - self._scene.begin_ns))
        self.update()

    @property
    def now(self) -> Moment:
        if self._now is None:
            self._now = moment(self._scene.timeline, self._time_ns)
        return self._now

    def apply_theme(self, theme: Theme) -> None:
        self.theme = theme
        self._scene = replace(self._scene, colours=PictureColours(theme))
        self._renew()

    def retranslate(self) -> None:
        self.setAccessibleName(words("Animation of the reduction"))
        self._renew()

    @property
    def shows_numbers(self) -> bool:
        """Whether there are numbers in cells; where they cannot be nothing is laid out to know it."""
        return has_numbers(self._scene.timeline) and isinstance(self._laid_out(), NumberFrame)

    @property
    def scene(self) -> Scene:
        """All that is drawn but for the time, as a film or a file needs it; its timeline has no row
        until one is shown.
        """
        return self._scene

    def zoom(
        self,
        factor: float,
        around_ns: float | None = None,
        around_rows: float | None = None,
        *,
        time_alone: bool = False,
    ) -> None:
        """Show so many times as many rows, and so much more of the time that rows and time reach
        all of it together.

        Where there are no more or fewer rows to show, the time alone is zoomed.

        Args:
            factor: below 1 to see less.
            around_ns: the time that stays in its place; the playhead where none is given.
            around_rows: the part of the rows, 0 to 1, that does; where none is given the followed
                row, or of those that run at the playhead the one that is nearest to the middle.
            time_alone: the rows stay as they are.
        """
        scene = self._scene
        around = self._time_ns if around_ns is None else around_ns
        length, share = scene.end_ns - scene.begin_ns, scene.bottom - scene.top
        if around_rows is None:
            around_rows = (
                self._middle(scene) if scene.followed is None else self._place(scene.followed)
            )
        joined, rest = share, factor
        if not time_alone and self._least < 1:
            # What the time was zoomed further than the rows is taken back first.
            first = (
                min(max(scene.last_ns * share**self._time_zoom / length, 1.0), factor)
                if factor > 1
                else 1.0
            )
            joined = min(max(share * factor / first, self._least), 1.0)
            rest = first * factor / first / (joined / share) if factor < 1 else first
            rest *= (joined / share) ** self._time_zoom
        new = min(max(length * rest, min(_CLOSEST_NS, scene.last_ns)), scene.last_ns)
        begin = around - (around - scene.begin_ns) / length * new
        top = around_rows - (around_rows - scene.top) / share * joined
        self._show_part(begin, new, top, joined)

    def fit(self) -> None:
        self._show_part(0.0, self._scene.last_ns, 0.0, 1.0)

    def set_stretch(
        self, begin_ns: float, end_ns: float, top: float = 0.0, bottom: float = 1.0
    ) -> None:
        """Show a part of time and of the rows, as another picture of the same rows does; nothing is
        told of it.
        """
        with QSignalBlocker(self):
            length = min(max(end_ns - begin_ns, _CLOSEST_NS), self._scene.last_ns)
            self._show_part(begin_ns, length, top, min(max(bottom - top, self._least), 1.0))

    def set_grouping(self, grouping: str) -> None:
        """Group the rows otherwise, one of GROUPINGS; of the rows all are shown again."""
        if grouping != self._scene.grouping:
            self._scene = replace(self._scene, grouping=grouping, top=0.0, bottom=1.0)
            self._renew()

    def show_more_rows(self, screens: float) -> None:
        """Go down, or up, by so many times the rows that are shown."""
        share = self._scene.bottom - self._scene.top
        self._show_part(self._scene.begin_ns, None, self._scene.top + screens * share)

    def _place(self, row: int) -> float:
        """Where a row stands among all, 0 to 1."""
        timeline = self._scene.timeline
        return float(arranged(timeline, self._scene.grouping).place[row] + 0.5) / timeline.m

    def _middle(self, scene: Scene) -> float:
        timeline, middle = scene.timeline, (scene.top + scene.bottom) / 2
        running = np.flatnonzero(
            (timeline.start_ns <= self._time_ns) & (timeline.released_ns > self._time_ns)
        )
        places = (arranged(timeline, scene.grouping).place[running] + 0.5) / timeline.m
        return float(places[np.abs(places - middle).argmin()]) if places.size else middle

    @property
    def zoomed(self) -> bool:
        scene = self._scene
        return scene.end_ns - scene.begin_ns < scene.last_ns or scene.bottom - scene.top < 1

    def set_least(self, least_ns: float) -> None:
        """Make the time axis at least so long, and show all of it."""
        if self._scene.least_ns != least_ns:
            self._scene = replace(self._scene, least_ns=least_ns)
            self._scene = replace(
                self._scene, begin_ns=0.0, end_ns=self._scene.last_ns, top=0.0, bottom=1.0
            )
            self._renew()

    def follow(self, row: int | None, lock: int | None) -> None:
        """Mark a row, or a lock and its rows; nothing where there is no such row or lock."""
        timeline = self._scene.timeline
        row = row if row is not None and row < timeline.m else None
        lock = lock if lock is not None and lock < locks_in_use(timeline) else None
        if (row, lock) != (self._scene.followed, self._scene.followed_lock):
            self._scene = replace(self._scene, followed=row, followed_lock=lock)
            self._stale = True
            self.update()
            place = self._scene.top if row is None else self._place(row)
            if not self._scene.top <= place <= self._scene.bottom:
                self._show_part(
                    self._scene.begin_ns, None, place - (self._scene.bottom - self._scene.top) / 2
                )

    def _show_part(
        self,
        begin_ns: float,
        length: float | None = None,
        top: float | None = None,
        share: float | None = None,
    ) -> None:
        """Where the waterfall begins, and how much it shows of time and rows; as much as before
        where that is not given.
        """
        scene = self._scene
        length = scene.end_ns - scene.begin_ns if length is None else length
        share = scene.bottom - scene.top if share is None else share
        begin = min(max(begin_ns, 0.0), scene.last_ns - length)
        top = min(max(scene.top if top is None else top, 0.0), 1.0 - share)
        if (begin, begin + length, top, top + share) == (
            scene.begin_ns,
            scene.end_ns,
            scene.top,
            scene.bottom,
        ):
            return
        self._scene = replace(
            scene, begin_ns=begin, end_ns=begin + length, top=top, bottom=top + share
        )
        self._stale = True
        self.stretchChanged.emit(begin, begin + length, top, top + share)
        self.update()

    def _renew(self) -> None:
        self._frame = None
        self._stale = False
        self.update()

    def _laid_out(self) -> Frame | None:
        if self._frame is None and self._scene.timeline.m:
            size = QSizeF(self.width() - 2 * _MARGIN, self.height() - self._above)
            self._frame = frame_of(replace(self._scene, size=size, font=self.font()))
        elif self._frame is not None and self._stale:
            # Of several turns of the wheel between two paintings only the last is laid out.
            self._frame.update(replace(self._scene, size=self._frame.scene.size, font=self.font()))
        self._stale = False
        return self._frame

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        frame, colours = self._laid_out(), self._scene.colours
        painter.fillRect(self.rect(), colours.surface)
        if frame is None:
            text = words("Choose a shape in Parameters: its reduction is shown here.")
            painter.setPen(colours.muted)
            painter.drawText(QRectF(self.rect()), Qt.AlignmentFlag.AlignCenter, text)
        else:
            if self._titled:
                painter.setPen(colours.text)
                painter.drawText(
                    QRectF(_MARGIN, 0, self.width(), self._above),
                    Qt.AlignmentFlag.AlignVCenter,
                    self._title(),
                )
            painter.translate(_MARGIN, self._above)
            frame.paint(painter, self.now)
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
        if frame is None or event.button() != Qt.MouseButton.LeftButton:
            return
        hit = frame.hit(self._inside(event.position()))
        pans = self.zoomed and hit.time_ns is not None and not hit.whole
        self._dragged = _Drag(event.position(), scene.begin_ns, scene.top, pans)
        if not self._dragged.pans:
            self._take(hit)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        frame, scene, drag = self._laid_out(), self._scene, self._dragged
        if frame is None or drag is None or not event.buttons() & Qt.MouseButton.LeftButton:
            return
        if drag.pans:
            way, shown = event.position() - drag.at, frame.waterfall.lines
            drag.moved = drag.moved or way.manhattanLength() >= QApplication.startDragDistance()
            if drag.moved:
                begin = drag.begin_ns - way.x() / max(shown.width(), 1) * (
                    scene.end_ns - scene.begin_ns
                )
                self._show_part(
                    begin,
                    None,
                    drag.top - way.y() / max(shown.height(), 1) * (scene.bottom - scene.top),
                )
            return
        hit = frame.hit(self._inside(event.position()))
        if hit.time_ns is not None:
            self.seekWished.emit(hit.time_ns)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        frame = self._laid_out()
        drag = self._dragged
        self._dragged = None
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
        alone = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if event.angleDelta().y() and self._zoom_at(
            event.position(), 0.8 ** (event.angleDelta().y() / 120), time_alone=alone
        ):
            event.accept()

    def _zoom_at(self, position: QPointF, factor: float, *, time_alone: bool = False) -> bool:
        """Zoom about a point of the waterfall or of the whole time; whether it is in one of them."""
        frame, inside = self._laid_out(), self._inside(position)
        hit = frame.hit(inside) if frame is not None else None
        if frame is None or hit is None or hit.time_ns is None:
            return False
        rows = None if hit.whole else frame.waterfall.share_at(inside.y())
        self.zoom(factor, hit.time_ns, rows, time_alone=time_alone)
        return True

    def event(self, event: QEvent) -> bool:
        if (
            isinstance(event, QNativeGestureEvent)
            and event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture
        ):
            return self._zoom_at(event.position(), 1.0 / max(1.0 + event.value(), 0.1))
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.text_at(QPointF(event.pos())), self)
            return True
        return super().event(event)

    def text_at(self, position: QPointF) -> str:
        frame, scene = self._laid_out(), self._scene
        if frame is None:
            return ""
        return hover_text(
            scene.timeline,
            self.now,
            frame.hit(self._inside(position)),
            scene.numbers.sums,
            barrier=scene.barrier,
        )

    def _inside(self, position: QPointF) -> QPointF:
        return position - QPointF(_MARGIN, self._above)

    @property
    def _above(self) -> float:
        return _ABOVE + (self.fontMetrics().height() if self._titled else 0)

    def _title(self) -> str:
        timeline = self._scene.timeline
        texts = {
            Kind.SIMULATED: words("Simulated by the fitted model, GROUP_SIZE_M {0}"),
            Kind.RECORDED: words("Recorded, GROUP_SIZE_M {0}"),
        }
        return texts.get(timeline.kind, words("Measured, GROUP_SIZE_M {0}")).format(
            timeline.group_size_m
        )
