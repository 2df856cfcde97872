"""The lower part of a frame: lanes over time and programs at work, with one playhead through both."""

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from lnexplorer.gui.reduction.painter.frame import Hit, Scene
from lnexplorer.gui.reduction.painter.images import left_part, picture_of
from lnexplorer.gui.reduction.painter.lanes import lane_indices, most_at_once, programs_over_time, stacked_indices, tile_indices
from lnexplorer.gui.reduction.painter.queue_strip import QueueStrip
from lnexplorer.gui.reduction.painter.time_axis import HANDLE, TimeAxis, draw_axis, draw_break, draw_playhead
from lnexplorer.gui.shell.theme import GRID

_LEAST_LANE = 6.0  # px; a mark around a lane is no lower
_QUEUE_SHARE = 0.5  # of the lanes' height, for the queue of the lock that is followed


class TimelineStrip:
    """Pictures of the past in full colours and of the future dimmed; a frame shows the one left, the other right of now.

    The programs are an overview of the whole time; a frame in it marks the stretch that the lanes show. While a lock is followed,
    or a row of it, the lanes give half of their height to its holder and its queue.
    """

    def __init__(self, scene: Scene, lanes: QRectF, programs: QRectF) -> None:
        self._scene, self._room, self.programs = scene, lanes, programs
        self.queue: QueueStrip | None = None
        index = self._index = scene.indexed()
        self.whole = TimeAxis(programs.left(), programs.right(), 0.0, scene.last_ns, index.scale, scene.timeline.counted)
        self._tables = {future: scene.colours.lane_table(future=future) for future in (False, True)}
        counts = programs_over_time(index, 0.0, self.whole.end_ns, max(int(programs.width()), 1))
        # What the height stands for. Between two pixels there may have been more than at either.
        self.most = max(index.at_once, most_at_once(counts))
        stacked = stacked_indices(counts, max(int(programs.height()), 1), self.most)
        self._programs = {future: picture_of(stacked, table) for future, table in self._tables.items()}
        self.stretch(scene.begin_ns, scene.end_ns)

    def follow(self, row: int | None, lock: int | None) -> None:
        """Mark another row and lock."""
        before = self._own_lock
        self._scene = replace(self._scene, followed=row, followed_lock=lock)
        if self._own_lock != before:
            self.stretch(self.axis.begin_ns, self.axis.end_ns)

    @property
    def _own_lock(self) -> int | None:
        """The lock whose queue is shown."""
        scene = self._scene
        return int(scene.timeline.lock[scene.followed]) if scene.followed is not None else scene.followed_lock

    def stretch(self, begin_ns: float, end_ns: float) -> None:
        """Show another stretch of the drawing's scale in the lanes."""
        index, room, lock = self._index, self._room, self._own_lock
        lower = 0.0 if lock is None else round(room.height() * _QUEUE_SHARE)
        lanes = self.lanes = room.adjusted(0, 0, 0, -lower)
        self.axis = TimeAxis(lanes.left(), lanes.right(), begin_ns, end_ns, index.scale, index.timeline.counted)
        width, height = max(int(lanes.width()), 1), max(int(lanes.height()), 1)
        indices = lane_indices(index, begin_ns, end_ns, width)
        # Pixel by pixel, so that locks and tiles share the picture: they are never at work at the same time.
        indices = indices[np.arange(height) * len(indices) // height] if len(indices) else np.zeros((height, width), np.uint8)
        if index.timeline.tile_start_ns.size:
            indices = np.maximum(indices, tile_indices(index, begin_ns, end_ns, width, height))
        self._lanes = {future: picture_of(indices, table) for future, table in self._tables.items()}
        below = QRectF(room.left(), lanes.bottom() + GRID / 2, room.width(), lower - GRID / 2)
        self.queue = None
        if lock is not None:
            self.queue = QueueStrip(index, lock, below, self.axis, self._tables, self._scene.colours.surface)

    @property
    def zoomed(self) -> bool:
        """Whether the lanes show a part of the time only."""
        return self.axis.begin_ns > 0 or self.axis.end_ns < self.whole.end_ns

    def paint_still(self, painter: QPainter) -> None:
        """What does not move: the future and the axis."""
        colours = self._scene.colours
        for area, pictures in ((self.lanes, self._lanes), (self.programs, self._programs)):
            painter.drawImage(area, pictures[True], QRectF(pictures[True].rect()))
        draw_axis(painter, self.whole, self.programs.bottom(), colours)

    def paint(self, painter: QPainter, time_ns: float) -> None:
        """The past, the frame around the part that the lanes show, what is followed, and the playhead."""
        for axis, area, pictures in (
            (self.axis, self.lanes, self._lanes),
            (self.whole, self.programs, self._programs),
        ):
            picture = pictures[False]
            width = round((axis.inside(time_ns) - axis.left) / max(axis.right - axis.left, 1) * picture.width())
            if width > 0:
                place = QRectF(area.left(), area.top(), width / picture.width() * area.width(), area.height())
                painter.drawImage(place, left_part(picture, width))
        colours = self._scene.colours
        if self.queue is not None:
            self.queue.paint(painter, time_ns)
        for axis, area in ((self.axis, self._room), (self.whole, self.programs)):
            draw_break(painter, axis, area.top(), area.bottom(), colours)
        if self.zoomed:
            left, right = (self.whole.x(self.axis.scale.true(end)) for end in (self.axis.begin_ns, self.axis.end_ns))
            painter.setPen(QPen(colours.accent, 2))
            painter.drawRect(QRectF(left, self.programs.top(), max(right - left, 2), self.programs.height()))
        if self._scene.followed_lock is not None:
            painter.setPen(QPen(colours.accent, 2))
            painter.drawRect(self._lane(self._scene.followed_lock).adjusted(0, -1, 0, 1))
        if self._scene.followed is not None:
            self._paint_followed(painter, self._scene.followed)
        draw_playhead(painter, self.axis, time_ns, self._room.top(), self._room.bottom(), colours)
        draw_playhead(painter, self.whole, time_ns, self.programs.top(), self.programs.bottom(), colours)

    def _lane(self, lock: int) -> QRectF:
        height = self.lanes.height() / max(self._index.first.size - 1, 1)
        shown = max(height, _LEAST_LANE)
        return QRectF(self.lanes.left(), self.lanes.top() + (lock + 0.5) * height - shown / 2, self.lanes.width(), shown)

    def _paint_followed(self, painter: QPainter, row: int) -> None:
        timeline, axis, colours = self._scene.timeline, self.axis, self._scene.colours
        lane = self._lane(int(timeline.lock[row]))
        left, right = axis.inside(float(timeline.start_ns[row])), axis.inside(float(timeline.released_ns[row]))
        painter.setPen(QPen(colours.accent, 2))
        painter.drawRect(QRectF(left - 1, lane.top(), max(right - left, 2) + 2, lane.height()))
        text = f"{row}"
        metrics = QFontMetricsF(painter.font())
        x = min(right + 6, axis.right - metrics.horizontalAdvance(text))
        if x >= axis.left:
            middle = lane.center().y()
            box = QRectF(x - 2, middle - metrics.height() / 2, metrics.horizontalAdvance(text) + 4, metrics.height())
            painter.fillRect(box, colours.surface)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def hit(self, position: QPointF) -> Hit:
        """Time, lock, and in the lanes the row that holds the lock then."""
        reach = self.programs.adjusted(0, -HANDLE, 0, 24)
        if reach.contains(position):
            return Hit(time_ns=self.whole.time(position.x()), whole=True)
        if not self._room.adjusted(0, -HANDLE, 0, 0).contains(position):
            return Hit()
        if self.queue is not None and position.y() >= self.queue.area.top():
            lock = self.queue.lock
        else:
            locks = self._index.first.size - 1
            share = max(position.y() - self.lanes.top(), 0.0) / self.lanes.height()
            lock = min(int(share * locks), locks - 1)
        time_ns = self.axis.time(position.x())
        slack = (self.axis.end_ns - self.axis.begin_ns) / max(self.lanes.width(), 1)
        return Hit(row=self._index.holder_near(lock, time_ns, slack), lock=lock, time_ns=time_ns)
