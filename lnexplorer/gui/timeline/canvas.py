"""The widgets that paint a timeline at a moment."""

import math
from dataclasses import dataclass, replace
from typing import Any

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
from PySide6.QtWidgets import QApplication, QRubberBand, QToolTip, QWidget

from lnexplorer.domain.simulation.model import SimulationParameters, simulate
from lnexplorer.domain.timeline import Moment, locks_in_use, moment
from lnexplorer.gui.charts.chart import Drawing
from lnexplorer.gui.kit import CENTRE, GRID, LEFT, Retranslated, Theme
from lnexplorer.gui.timeline.captions import hover_text, stretch_sentence
from lnexplorer.gui.timeline.frame import CellNumbers, Hit, Scene, picture_colours
from lnexplorer.gui.timeline.lanes import arranged
from lnexplorer.gui.timeline.number_frame import NumberFrame, has_numbers
from lnexplorer.gui.timeline.schedule_frame import Frame, frame_of
from lnexplorer.gui.timeline.wording import elided, write_text
from lnkernels.values import Sentence, Words, say
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import ReductionTimeline

_MARGIN, _ABOVE = GRID * 2, GRID // 2
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
_NOTHING = simulate(0, 1, 1, 1, 1, _IDLE)  # the timeline before any is shown


class TimelinePicture(Retranslated, Drawing):
    """Paints a timeline at a moment.

    Its frame is laid out once, and again when anything but the time changes: 5 ms for 16384 rows.
    """

    stretchChanged = Signal(float, float, float, float)  # ns from, to; share of the rows from, to
    resized = Signal()  # now there may be room for numbers, or none any more

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scene = Scene(
            timeline=_NOTHING,
            colours=picture_colours(Theme.current),
            size=QSizeF(),
            font=self.font(),
        )
        self._frame: Frame | None = None
        self._title: Words = ""
        self._time_ns = 0.0
        self._now: Moment | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMinimumSize(40 * GRID, 24 * GRID)
        self.write(self.setAccessibleName, say("Animation of the reduction"))

    def show_timeline(
        self, timeline: ReductionTimeline, least_ns: float = 0.0, *, atomic_count: bool = True
    ) -> None:
        """Show the whole of another timeline.

        Args:
            timeline: has at least one row.
            least_ns: the least length of the time axis.
            atomic_count: the launch had one.
        """
        scene = replace(
            self._scene,
            timeline=timeline,
            least_ns=least_ns,
            atomic_count=atomic_count,
            numbers=CellNumbers(),
            followed=None,
            followed_lock=None,
        )
        self._lay_out_anew(scene.whole())

    def set_title(self, title: Words) -> None:
        """Show a title, which tells this picture from another one; an empty one hides it."""
        self._title = title
        self._lay_out_anew()

    def set_numbers(self, numbers: CellNumbers) -> None:
        """Set the numbers in the cells of a small shape."""
        self._lay_out_anew(numbers=numbers)

    def set_result(self, name: str) -> None:
        self._lay_out_anew(result=name)

    def set_time(self, time_ns: float) -> None:
        """Show a moment; a picture that is zoomed in moves along if the moment is outside."""
        self._time_ns = time_ns
        self._now = None
        if not self._scene.begin_ns <= time_ns <= self._scene.end_ns:
            self._show_part(self._scene.part(time_ns - 0.1 * self._scene.length_ns))
        self.update()

    @property
    def now(self) -> Moment:
        if self._now is None:
            self._now = moment(self._scene.timeline, self._time_ns)
        return self._now

    def apply_theme(self) -> None:
        self.set_colours(Theme.current)

    def set_colours(self, theme: Theme) -> None:
        """Draw in the colours of any theme."""
        self._lay_out_anew(colours=picture_colours(theme))

    def retranslate(self) -> None:
        self._lay_out_anew()

    @property
    def shows_numbers(self) -> bool:
        """True if the cells have numbers."""
        # A timeline that is too large for numbers is not laid out to find that out.
        return has_numbers(self._scene.timeline) and isinstance(self._laid_out(), NumberFrame)

    @property
    def scene(self) -> Scene:
        """Everything that the picture shows; before the first timeline there are no rows."""
        return self._scene

    def zoom(
        self,
        factor: float,
        around_ns: float | None = None,
        around_rows: float | None = None,
        *,
        time_alone: bool = False,
    ) -> None:
        """Zoom rows and time so that both reach all of it together.

        If there are no more or fewer rows to show, only the time is zoomed.

        Args:
            factor: of the rows; below 1 to see less.
            around_ns: the time that stays in its place; None: that of the playhead.
            around_rows: the place among all rows, 0 to 1, that stays; None: the followed row, or
                the one nearest to the middle of those that run at the playhead.
            time_alone: leave the rows as they are.
        """
        scene, share = self._scene, self._scene.share
        around = self._time_ns if around_ns is None else around_ns
        if around_rows is None:
            around_rows = (
                middle_row(scene, self._time_ns)
                if scene.followed is None
                else place_of(scene, scene.followed)
            )
        zoomed = share if time_alone else min(max(share * factor, scene.least_share), 1.0)
        rest = factor if zoomed == share else (zoomed / share) ** _time_power(scene)
        length = scene.possible_length(scene.length_ns * rest)
        begin = around - (around - scene.begin_ns) / scene.length_ns * length
        top = around_rows - (around_rows - scene.top) / share * zoomed
        self._show_part(scene.part(begin, length, top, zoomed))

    def fit(self) -> None:
        self._show_part(self._scene.whole())

    def set_stretch(
        self, begin_ns: float, end_ns: float, top: float = 0.0, bottom: float = 1.0
    ) -> None:
        """Show a part of time and rows, without emitting `stretchChanged`."""
        with QSignalBlocker(self):
            self._show_part(self._scene.part(begin_ns, end_ns - begin_ns, top, bottom - top))

    def set_grouping(self, grouping: str) -> None:
        """Group the rows by one of GROUPINGS; if that is another one, show all rows."""
        if grouping != self._scene.grouping:
            self._lay_out_anew(grouping=grouping, top=0.0, bottom=1.0)

    def scroll_rows(self, screens: float) -> None:
        """Scroll down by so many times the height on show; a negative number scrolls up."""
        scene = self._scene
        self._show_part(scene.part(scene.begin_ns, top=scene.top + screens * scene.share))

    def set_least(self, least_ns: float) -> None:
        """Set the least length of the time axis; if it is another one, show all of it."""
        if self._scene.least_ns != least_ns:
            self._lay_out_anew(replace(self._scene, least_ns=least_ns).whole())

    def follow(self, row: int | None, lock: int | None) -> None:
        """Mark a row, or a lock and its rows; nothing if the timeline lacks it."""
        timeline = self._scene.timeline
        row = row if row is not None and row < timeline.m else None
        lock = lock if lock is not None and lock < locks_in_use(timeline) else None
        if (row, lock) == (self._scene.followed, self._scene.followed_lock):
            return
        self._lay_out_anew(followed=row, followed_lock=lock)
        scene = self._scene
        place = scene.top if row is None else place_of(scene, row)
        if not scene.top <= place <= scene.bottom:
            self._show_part(scene.part(scene.begin_ns, top=place - scene.share / 2))

    def _show_part(self, scene: Scene) -> None:
        if scene.shown != self._scene.shown:
            self._lay_out_anew(scene)
            self.stretchChanged.emit(*scene.shown)

    def _lay_out_anew(self, scene: Scene | None = None, **changed: Any) -> None:
        self._scene = replace(scene or self._scene, **changed)
        self._frame = None
        self.update()

    def _laid_out(self) -> Frame | None:
        if self._frame is None and self._scene.timeline.m:
            size = QSizeF(self.width() - 2 * _MARGIN, self.height() - self._above)
            self._frame = frame_of(replace(self._scene, size=size, font=self.font()))
        return self._frame

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        frame, colours = self._laid_out(), self._scene.colours
        painter.fillRect(self.rect(), colours.surface)
        if frame is None:
            text = say("Choose a shape in Parameters: its reduction is shown here.")
            write_text(painter, QRectF(self.rect()), CENTRE, text, colours.muted)
        else:
            if self._title:
                room = QRectF(_MARGIN, 0, self.width() - 2 * _MARGIN, self._above)
                middle = Qt.TextElideMode.ElideMiddle  # its end tells one setting from another
                title = elided(self._title, self.font(), room.width(), middle)
                write_text(painter, room, LEFT, title, colours.text)
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

    @property
    def _above(self) -> float:
        return _ABOVE + (self.fontMetrics().height() if self._title else 0)


_TITLES = {
    Kind.SIMULATED: say("Simulated by a model"),
    Kind.RECORDED: say("Recorded"),
    Kind.MEASURED: say("Measured"),
}


def title_of(timeline: ReductionTimeline) -> Sentence:
    kind = _TITLES[timeline.kind]
    return say("{kind}, GROUP_SIZE_M {size}", kind=kind, size=timeline.group_size_m)


@dataclass
class _Drag:
    """A drag of the left button that goes on."""

    at: QPointF
    scene: Scene  # on show when the button was pressed
    pans: bool
    selects: bool
    moved: bool = False


class Canvas(TimelinePicture):
    """A timeline that can be zoomed, panned and clicked.

    Wheel and pinch zoom rows and time at the pointer, with Ctrl only the time. Dragging pans if the
    picture is zoomed in; with Shift it selects a stretch, which is summed up. A double click shows
    all again.
    """

    seekWished = Signal(float)  # ns
    rowClicked = Signal(object)  # int | None
    lockClicked = Signal(int)
    summed = Signal(object)  # Sentence about the selected stretch

    def __init__(self) -> None:
        super().__init__()
        self._drag: _Drag | None = None
        self.selection = QRubberBand(QRubberBand.Shape.Rectangle, self)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        hit, scene = self._hit(event.position()), self._scene
        if event.button() == Qt.MouseButton.LeftButton:
            self.selection.hide()
            inside = hit.time_ns is not None and not hit.whole
            selects = inside and bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            pans = scene.zoomed and inside and not selects
            self._drag = _Drag(event.position(), scene, pans, selects)
            if not (pans or selects):
                self._click(hit)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        frame, drag = self._laid_out(), self._drag
        if frame is None or drag is None or not event.buttons() & Qt.MouseButton.LeftButton:
            return
        if drag.selects:
            lines = frame.waterfall.lines.translated(_MARGIN, self._above)
            part = QRectF(drag.at, event.position()).normalized().intersected(lines)
            self.selection.setGeometry(part.toAlignedRect())
            self.selection.show()
        elif drag.pans:
            way, shown, scene = event.position() - drag.at, frame.waterfall.lines, drag.scene
            drag.moved = drag.moved or way.manhattanLength() >= QApplication.startDragDistance()
            if drag.moved:
                begin = scene.begin_ns - way.x() / max(shown.width(), 1) * scene.length_ns
                top = scene.top - way.y() / max(shown.height(), 1) * scene.share
                self._show_part(self._scene.part(begin, top=top))
        elif (time_ns := self._hit(event.position()).time_ns) is not None:
            self.seekWished.emit(time_ns)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        drag = self._drag
        self._drag = None
        if drag is not None and drag.selects and self.selection.isVisible():
            self._sum_selection()
        elif drag is not None and drag.pans and not drag.moved:
            self._click(self._hit(event.position()))

    def sum_up(self, part: tuple[float, float, float, float] | None = None) -> None:
        """Emit a sentence that sums up a part: begin and end in ns, first and last share of rows.

        None: all that is in view.
        """
        scene = self._scene
        begin, end, first, last = part or scene.shown
        places = slice(math.floor(first * scene.timeline.m), math.ceil(last * scene.timeline.m))
        rows = arranged(scene.timeline, scene.grouping).rows[places]
        end = min(end, float(scene.timeline.end_ns))
        self.summed.emit(stretch_sentence(scene.timeline, begin, end, rows))

    def _sum_selection(self) -> None:
        frame = self._laid_out()
        if frame is None:
            return
        part = QRectF(self.selection.geometry()).translated(-_MARGIN, -self._above)
        waterfall = frame.waterfall
        begin, end = map(waterfall.axis.time, (part.left(), part.right()))
        top, bottom = map(waterfall.share_at, (part.top(), part.bottom()))
        self.sum_up((begin, end, top, bottom))

    def _lay_out_anew(self, scene: Scene | None = None, **changed: Any) -> None:
        self.selection.hide()  # it belongs to another picture
        super()._lay_out_anew(scene, **changed)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self._hit(event.position()).time_ns is not None:
            self.fit()

    def _click(self, hit: Hit) -> None:
        if hit.time_ns is not None:
            self.seekWished.emit(hit.time_ns)
        if hit.lock is not None and (hit.row is None or hit.time_ns is not None):
            self.lockClicked.emit(hit.lock)
        elif hit.row is not None or hit.time_ns is None:
            self.rowClicked.emit(hit.row)

    def wheelEvent(self, event: QWheelEvent) -> None:
        alone = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        turned = event.angleDelta().y() / 120
        if turned and self._zoom_at(event.position(), 0.8**turned, time_alone=alone):
            event.accept()

    def _zoom_at(self, position: QPointF, factor: float, *, time_alone: bool = False) -> bool:
        """Zoom at a point; False if it is neither in the waterfall nor in the overview."""
        frame, hit = self._laid_out(), self._hit(position)
        if frame is None or hit.time_ns is None:
            return False
        rows = None if hit.whole else frame.waterfall.share_at(position.y() - self._above)
        self.zoom(factor, hit.time_ns, rows, time_alone=time_alone)
        return True

    def event(self, event: QEvent) -> bool:
        pinch = Qt.NativeGestureType.ZoomNativeGesture
        if isinstance(event, QNativeGestureEvent) and event.gestureType() == pinch:
            return self._zoom_at(event.position(), 1.0 / max(1.0 + event.value(), 0.1))
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.text_at(QPointF(event.pos())), self)
            return True
        return super().event(event)

    def text_at(self, position: QPointF) -> str:
        """Return the tooltip for a point."""
        hit, atomic_count = self._hit(position), self._scene.atomic_count
        return hover_text(self.now, hit, atomic_count=atomic_count)

    def _hit(self, position: QPointF) -> Hit:
        frame = self._laid_out()
        return frame.hit(position - QPointF(_MARGIN, self._above)) if frame else Hit()


def _time_power(scene: Scene) -> float:
    """Return the exponent that turns a zoom of the rows into that of the time.

    At the fewest rows about two lives of a row are shown: with few rows that live long, all time.
    """
    timeline = scene.timeline
    life = float(np.median(timeline.released_ns - timeline.start_ns))
    longer = math.log(max(scene.last_ns / max(2 * life, 1.0), 1.0))
    return min(longer / -math.log(scene.least_share), 1.0)


def place_of(scene: Scene, row: int) -> float:
    """Return the place of a row among all, 0 to 1."""
    place = arranged(scene.timeline, scene.grouping).place[row]
    return float(place + 0.5) / scene.timeline.m


def middle_row(scene: Scene, time_ns: float) -> float:
    """Return the place, 0 to 1, of the row that runs at a time and is nearest to the middle.

    If none runs it is the middle of the picture.
    """
    timeline, middle = scene.timeline, (scene.top + scene.bottom) / 2
    running = np.flatnonzero((timeline.start_ns <= time_ns) & (timeline.released_ns > time_ns))
    places = (arranged(timeline, scene.grouping).place[running] + 0.5) / timeline.m
    return float(places[np.abs(places - middle).argmin()]) if places.size else middle
