"""Time from left to right: a lane for each lock, how many programs do what, the queue of one lock."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from lnexplorer.gui.charts.theme import GRID
from lnexplorer.gui.reduction.painter.colours import HUES, PictureColours, left_part, picture_of
from lnexplorer.gui.reduction.painter.frame import Hit, Scene
from lnexplorer.gui.reduction.painter.time_axis import HANDLE, TimeAxis, draw_axis, draw_break, draw_playhead
from lnexplorer.gui.reduction.painter.timeline_index import Intervals, TimelineIndex

_HELD = 8  # first index of held, in the lane table
COMPUTING, WAITING, HOLDING, TILE = 2, 3, 4, 5


def lane_indices(index: TimelineIndex, begin_ns: float, end_ns: float, width: int) -> NDArray[np.uint8]:
    """Who holds each lock at each pixel of a stretch of the drawing, as indices of the lane table [G in use, width]."""
    locks = index.first.size - 1

    def covered(intervals: Intervals) -> NDArray[np.bool_]:
        lock, begin, end = intervals.between(begin_ns, end_ns)
        first = lock * (width + 1) + _pixel(begin, begin_ns, end_ns, width)
        # At least a pixel each, so that no holder vanishes.
        last = lock * (width + 1) + np.minimum(_pixel(end, begin_ns, end_ns, width) + 1, width)
        size = locks * (width + 1)
        change = np.bincount(first, minlength=size) - np.bincount(np.maximum(last, first), minlength=size)
        count: NDArray[np.int64] = change.reshape(locks, width + 1)[:, :width].cumsum(axis=1)
        return count > 0

    hue = (np.arange(locks) % HUES + _HELD).astype(np.uint8)[:, None]
    holds = index.holds_for((end_ns - begin_ns) / width)
    return np.where(covered(holds), hue, covered(index.waits).astype(np.uint8))


def tile_indices(index: TimelineIndex, begin_ns: float, end_ns: float, width: int, height: int) -> NDArray[np.uint8]:
    """Which tiles of stage 2 run, the first on top, as indices of the lane table [height, width]."""
    timeline, scale = index.timeline, index.scale
    tile = np.arange(height) * timeline.tile_start_ns.size // max(height, 1)
    time = (begin_ns + (np.arange(width) + 0.5) * ((end_ns - begin_ns) / width))[None, :]
    start, end = scale.drawn_all(timeline.tile_start_ns)[tile, None], scale.drawn_all(timeline.tile_end_ns)[tile, None]
    return np.where((start <= time) & (time < end), np.uint8(TILE), np.uint8(0))


def lanes_picture(index: TimelineIndex, begin_ns: float, end_ns: float, width: int, height: int) -> NDArray[np.uint8]:
    """The lanes over a height, and the tiles of stage 2 behind them, as indices of the lane table [height, width].

    Pixel by pixel, so that locks and tiles share the picture: they are never at work at the same time.
    """
    lanes = lane_indices(index, begin_ns, end_ns, width)
    lanes = lanes[np.arange(height) * len(lanes) // height] if len(lanes) else np.zeros((height, width), np.uint8)
    if index.timeline.tile_start_ns.size:
        lanes = np.maximum(lanes, tile_indices(index, begin_ns, end_ns, width, height))
    return lanes


def programs_over_time(index: TimelineIndex, begin_ns: float, end_ns: float, width: int) -> dict[int, NDArray[np.int64]]:
    """Programs that compute, wait, hold, and tiles that run, at the end of each pixel, keyed by index of the lane
    table.
    """
    times = _pixel_ends(index, begin_ns, end_ns, width)

    def past(sorted_times: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.searchsorted(sorted_times, times)

    wanted, held = past(index.wanted), past(index.held)
    return {
        HOLDING: held - past(index.released),
        WAITING: wanted - held,
        COMPUTING: past(index.started) - wanted,
        TILE: past(index.tiles_started) - past(index.tiles_ended),
    }


def queue_over_time(index: TimelineIndex, lock: int, begin_ns: float, end_ns: float, width: int) -> dict[int, NDArray[np.int64]]:
    """Rows that hold one lock, and that wait for it, at the end of each pixel, keyed by index of the lane table."""
    times = _pixel_ends(index, begin_ns, end_ns, width)
    own = slice(int(index.first[lock]), int(index.first[lock + 1]))
    wanted, held, released = (
        np.searchsorted(some[own], times, "right") for some in (index.wanted_by_lock, index.held_by_lock, index.released_by_lock)
    )
    return {_HELD + lock % HUES: held - released, WAITING: wanted - held}


def _pixel_ends(index: TimelineIndex, begin_ns: float, end_ns: float, width: int) -> NDArray[np.int64]:
    """True times at the end of each pixel of a stretch of the drawing."""
    edges = begin_ns + np.arange(1, width + 1) * ((end_ns - begin_ns) / width)
    # Whole numbers, since for others all of a sorted array would be converted.
    times: NDArray[np.int64] = np.ceil([index.scale.true(edge) for edge in edges.tolist()]).astype(np.int64)
    return times


def most_at_once(counts: dict[int, NDArray[np.int64]]) -> int:
    return max(int(sum(counts.values()).max(initial=1)), 1)  # type: ignore[union-attr]


def stacked_indices(counts: dict[int, NDArray[np.int64]], height: int, most: int) -> NDArray[np.uint8]:
    """The counts stacked from the bottom, as indices of the lane table [height, width]; `most` is what the height
    stands for.
    """
    level = np.arange(height, 0, -1)[:, None]
    picture = np.zeros((height, next(iter(counts.values())).size), np.uint8)
    below = np.zeros(picture.shape[1])
    for index, count in counts.items():
        above = below + count * (height / most)
        picture[(level > np.round(below)) & (level <= np.round(above))] = index
        below = above
    return picture


def _pixel(times: NDArray[np.int64], begin_ns: float, end_ns: float, width: int) -> NDArray[np.int64]:
    pixel = np.floor((times - begin_ns) * (width / (end_ns - begin_ns))).astype(np.int64)
    clipped: NDArray[np.int64] = np.clip(pixel, 0, width - 1)
    return clipped


_LEAST_ROW = 4.0  # px; lower ones have no line between them


class StretchPicture:
    """A picture of a stretch of time: what is past in full colours, what is to come dimmed."""

    def __init__(self, indices: NDArray[np.uint8], area: QRectF, axis: TimeAxis, colours: PictureColours) -> None:
        self.area, self._axis = area, axis
        self._past, self._future = (picture_of(indices, colours.lane_table(future=future)) for future in (False, True))

    def paint_future(self, painter: QPainter) -> None:
        painter.drawImage(self.area, self._future, QRectF(self._future.rect()))

    def paint_past(self, painter: QPainter, time_ns: float) -> None:
        area, axis, past = self.area, self._axis, self._past
        width = round((axis.inside(time_ns) - axis.left) / max(axis.right - axis.left, 1) * past.width())
        if width > 0:
            place = QRectF(area.left(), area.top(), width / past.width() * area.width(), area.height())
            painter.drawImage(place, left_part(past, width))


class QueueStrip:
    """Who holds a lock and who waits for it, over a stretch of time."""

    def __init__(self, index: TimelineIndex, lock: int, area: QRectF, axis: TimeAxis, colours: PictureColours) -> None:
        self.lock, self.area = lock, area
        counts = queue_over_time(index, lock, axis.begin_ns, axis.end_ns, max(int(area.width()), 1))
        self.most = most_at_once(counts)  # rows that the height stands for
        self._between = colours.surface  # of the lines between rows
        self._picture = StretchPicture(stacked_indices(counts, max(int(area.height()), 1), self.most), area, axis, colours)

    def paint(self, painter: QPainter, time_ns: float) -> None:
        self._picture.paint_future(painter)
        self._picture.paint_past(painter, time_ns)
        row = self.area.height() / self.most
        if row >= _LEAST_ROW:
            painter.setPen(QPen(self._between, 1))
            left, right = self.area.left(), self.area.right()
            painter.drawLines(
                [QLineF(left, y, right, y) for y in (self.area.bottom() - row * place for place in range(1, self.most))]
            )


_LEAST_LANE = 6.0  # px; a mark around a lane is no lower
_QUEUE_SHARE = 0.5  # of the lanes' height, for the queue of the lock that is followed


class TimelineStrip:
    """The lanes of a stretch above the programs.

    The programs are an overview of the whole time; a frame in it marks the stretch that the lanes show. While a lock is
    followed, or a row of it, the lanes give half of their height to its holder and its queue.
    """

    def __init__(self, scene: Scene, lanes: QRectF, programs: QRectF) -> None:
        self._scene, self._room, self.programs = scene, lanes, programs
        self.queue: QueueStrip | None = None
        index = self._index = scene.index
        self.whole = TimeAxis(programs.left(), programs.right(), 0.0, scene.last_ns, index.scale, scene.timeline.counted)
        counts = programs_over_time(index, 0.0, self.whole.end_ns, max(int(programs.width()), 1))
        # What the height stands for. Between two pixels there may have been more than at either.
        self.most = max(index.at_once, most_at_once(counts))
        stacked = stacked_indices(counts, max(int(programs.height()), 1), self.most)
        self._programs = StretchPicture(stacked, programs, self.whole, scene.colours)
        self.stretch(scene.begin_ns, scene.end_ns)

    def follow(self, row: int | None, lock: int | None) -> None:
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
        indices = lanes_picture(index, begin_ns, end_ns, width, height)
        self._lanes = StretchPicture(indices, lanes, self.axis, self._scene.colours)
        below = QRectF(room.left(), lanes.bottom() + GRID / 2, room.width(), lower - GRID / 2)
        self.queue = None
        if lock is not None:
            self.queue = QueueStrip(index, lock, below, self.axis, self._scene.colours)

    @property
    def zoomed(self) -> bool:
        return self.axis.begin_ns > 0 or self.axis.end_ns < self.whole.end_ns

    def paint_still(self, painter: QPainter) -> None:
        """What does not move: the future and the axis."""
        self._lanes.paint_future(painter)
        self._programs.paint_future(painter)
        draw_axis(painter, self.whole, self.programs.bottom(), self._scene.colours)

    def paint(self, painter: QPainter, time_ns: float) -> None:
        self._lanes.paint_past(painter, time_ns)
        self._programs.paint_past(painter, time_ns)
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
