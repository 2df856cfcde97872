"""The lower part of a frame: lanes over time and programs at work, with one playhead through both."""

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from lnexplorer.domain.moments import locks_in_use
from lnexplorer.gui.painter.frame import Hit, Scene
from lnexplorer.gui.painter.images import pixmap_of
from lnexplorer.gui.painter.lanes import lane_indices, programs_over_time, stacked_indices, tile_indices
from lnexplorer.gui.painter.time_axis import TimeAxis, draw_axis, draw_playhead


class TimelineStrip:
    """Pictures of the past in full colours and of the future dimmed; a frame shows the one left, the other right of now."""

    def __init__(self, scene: Scene, lanes: QRectF, programs: QRectF) -> None:
        self._scene, self.lanes, self.programs = scene, lanes, programs
        timeline = scene.timeline
        self.axis = TimeAxis(lanes.left(), lanes.right(), scene.begin_ns, scene.end_ns)
        self._whole = TimeAxis(programs.left(), programs.right(), 0.0, max(timeline.end_ns, 1) * 1.01)
        width = max(int(lanes.width()), 1)
        height = max(int(lanes.height()), 1)
        indices = lane_indices(timeline, scene.begin_ns, scene.end_ns, width)
        # Pixel by pixel, so that locks and tiles share the picture: they are never at work at the same time.
        indices = indices[np.arange(height) * len(indices) // height] if len(indices) else np.zeros((height, width), np.uint8)
        if timeline.tile_start_ns.size:
            indices = np.maximum(indices, tile_indices(timeline, scene.begin_ns, scene.end_ns, width, height))
        stacked = stacked_indices(
            programs_over_time(timeline, 0.0, self._whole.end_ns, max(int(programs.width()), 1)), max(int(programs.height()), 1)
        )
        past, future = (scene.colours.lane_table(future=which) for which in (False, True))
        self._lanes = {False: pixmap_of(indices, past), True: pixmap_of(indices, future)}
        self._programs = {False: pixmap_of(stacked, past), True: pixmap_of(stacked, future)}

    @property
    def zoomed(self) -> bool:
        """Whether the lanes show a part of the time only."""
        return self.axis.begin_ns > 0 or self.axis.end_ns < self._whole.end_ns

    def paint_still(self, painter: QPainter) -> None:
        """What does not move: the future, the axis, the frame around the part that the lanes show."""
        colours = self._scene.colours
        for area, pixmaps in ((self.lanes, self._lanes), (self.programs, self._programs)):
            painter.drawPixmap(area, pixmaps[True], QRectF(pixmaps[True].rect()))
        draw_axis(painter, self._whole, self.programs.bottom(), colours)
        if self.zoomed:
            left, right = self._whole.x(self.axis.begin_ns), self._whole.x(self.axis.end_ns)
            painter.setPen(QPen(colours.accent, 1))
            painter.drawRect(QRectF(left, self.programs.top(), right - left, self.programs.height()))

    def paint(self, painter: QPainter, time_ns: float) -> None:
        """The past, the row that is followed, and the playhead."""
        for axis, area, pixmaps in (
            (self.axis, self.lanes, self._lanes),
            (self._whole, self.programs, self._programs),
        ):
            share = (axis.x(min(max(time_ns, axis.begin_ns), axis.end_ns)) - axis.left) / max(axis.right - axis.left, 1)
            if share > 0:
                pixmap = pixmaps[False]
                part = QRectF(0, 0, share * pixmap.width(), pixmap.height())
                painter.drawPixmap(QRectF(area.left(), area.top(), share * area.width(), area.height()), pixmap, part)
        if self._scene.followed is not None:
            self._paint_followed(painter, self._scene.followed)
        colours = self._scene.colours
        draw_playhead(painter, self.axis, time_ns, self.lanes.top(), self.lanes.bottom(), colours)
        draw_playhead(painter, self._whole, time_ns, self.programs.top(), self.programs.bottom(), colours)

    def _paint_followed(self, painter: QPainter, row: int) -> None:
        timeline, axis, colours = self._scene.timeline, self.axis, self._scene.colours
        height = self.lanes.height() / max(locks_in_use(timeline), 1)
        lane_height = max(height, 6.0)
        middle = self.lanes.top() + (timeline.lock[row] + 0.5) * height
        left = min(max(axis.x(float(timeline.start_ns[row])), axis.left), axis.right)
        right = min(max(axis.x(float(timeline.released_ns[row])), axis.left), axis.right)
        painter.setPen(QPen(colours.accent, 2))
        painter.drawRect(QRectF(left - 1, middle - lane_height / 2, max(right - left, 2) + 2, lane_height))
        text = f"{row}"
        metrics = QFontMetricsF(painter.font())
        x = min(right + 6, axis.right - metrics.horizontalAdvance(text))
        if x >= axis.left:
            box = QRectF(x - 2, middle - metrics.height() / 2, metrics.horizontalAdvance(text) + 4, metrics.height())
            painter.fillRect(box, colours.surface)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def hit(self, position: QPointF) -> Hit:
        """Time, lock, and in the lanes the row that holds the lock then."""
        reach = self.programs.adjusted(0, -4, 0, 24)
        if reach.contains(position):
            return Hit(time_ns=self._whole.time(position.x()))
        if not self.lanes.adjusted(0, -8, 0, 0).contains(position):
            return Hit()
        timeline, locks = self._scene.timeline, locks_in_use(self._scene.timeline)
        share = max(position.y() - self.lanes.top(), 0.0) / self.lanes.height()
        lock = min(int(share * locks), locks - 1)
        time_ns = self.axis.time(position.x())
        slack = (self.axis.end_ns - self.axis.begin_ns) / max(self.lanes.width(), 1)
        holds = (timeline.lock == lock) & (timeline.held_ns <= time_ns + slack) & (timeline.released_ns >= time_ns - slack)
        return Hit(row=int(holds.argmax()) if holds.any() else None, lock=lock, time_ns=time_ns)
