"""Time from left to right: a line for each lock or row, how many programs do what, the queue of one lock."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen, QPolygonF

from lnexplorer.domain.timeline import locks_in_use, most_at_once, phase_times
from lnexplorer.gui.charts.theme import GRID
from lnexplorer.gui.reduction.painter.colours import HUES, PictureColours, left_part, picture_of
from lnexplorer.gui.reduction.painter.frame import Hit, Scene
from lnexplorer.gui.reduction.painter.wording import number, tick_text
from lnkernels.values.timeline import ReductionTimeline

HANDLE = 8.0  # px of the playhead above what it moves over
_HELD, _TRIED = 8, 16  # first index of held and of tried, in the lane table
_IN_GREY, COMPUTING, QUEUED, HOLDING, TILE, TRYING = 1, 2, 3, 4, 5, 6
_LEAST_ROW = 4.0  # px; lower ones have no line between them


@dataclass(frozen=True, slots=True)
class TimeAxis:
    """A stretch of time over the pixels from left to right."""

    left: float
    right: float
    begin_ns: float
    end_ns: float
    counted: bool = False  # events are counted, there is no clock

    def x(self, time_ns: float) -> float:
        return self.left + (time_ns - self.begin_ns) / (self.end_ns - self.begin_ns) * (self.right - self.left)

    def inside(self, time_ns: float) -> float:
        """Position of a time, kept within the stretch."""
        return self.x(min(max(time_ns, self.begin_ns), self.end_ns))

    def time(self, x: float) -> float:
        """The time at a position, kept within the stretch."""
        share = (x - self.left) / max(self.right - self.left, 1.0)
        return self.begin_ns + min(max(share, 0.0), 1.0) * (self.end_ns - self.begin_ns)

    def ticks(self, label_width: float) -> list[float]:
        """Round times, no closer than labels need."""
        most = max(int((self.right - self.left) / (label_width * 1.8)), 1)
        rough = (self.end_ns - self.begin_ns) / most
        power = 10.0 ** math.floor(math.log10(max(rough, 1.0)))
        step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
        return [place * step for place in range(math.ceil(self.begin_ns / step), math.floor(self.end_ns / step) + 1)]


def draw_axis(painter: QPainter, axis: TimeAxis, top: float, colours: PictureColours) -> None:
    """Ticks with their times, below `top`."""
    metrics = QFontMetricsF(painter.font())
    painter.setPen(QPen(colours.line, 1))
    painter.drawLine(QLineF(axis.left, top, axis.right, top))
    for tick in axis.ticks(metrics.horizontalAdvance("000.0 µs")):
        x = axis.x(tick)
        text = tick_text(tick) if not axis.counted else number(round(tick))
        width = metrics.horizontalAdvance(text)
        painter.setPen(QPen(colours.line, 1))
        painter.drawLine(QLineF(x, top, x, top + 4))
        painter.setPen(colours.muted)
        left = min(max(x - width / 2, axis.left), axis.right - width)
        painter.drawText(QRectF(left, top + 4, width + 1, metrics.height()), Qt.AlignmentFlag.AlignCenter, text)


def draw_playhead(painter: QPainter, axis: TimeAxis, time_ns: float, top: float, bottom: float, colours: PictureColours) -> None:
    """A line at a time, with a handle on its top; nothing outside of the stretch."""
    if not axis.begin_ns <= time_ns <= axis.end_ns:
        return
    x = axis.x(time_ns)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colours.accent, 2))
    painter.drawLine(QLineF(x, top, x, bottom))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colours.accent)
    painter.drawPolygon(QPolygonF([QPointF(x - 6, top - HANDLE), QPointF(x + 6, top - HANDLE), QPointF(x, top + 1)]))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of time in pixels."""

    begin_ns: float
    end_ns: float
    width: int

    def past(self, times: NDArray[np.int64], line: NDArray[np.int64] | None = None, lines: int = 1) -> Counts:
        """How many of the times of each line are past before the first pixel, and at the end of each [lines, width + 1].

        Args:
            times: any.
            line: of each of them; all in one line if not given.
            lines: how many lines there are.
        """
        pixel = np.floor((times - self.begin_ns) * (self.width / (self.end_ns - self.begin_ns)))
        place = np.clip(pixel, -1, self.width).astype(np.int64) + 1
        if line is not None:
            place += line * (self.width + 2)
        counts = np.bincount(place, minlength=lines * (self.width + 2)).reshape(lines, self.width + 2)
        past: Counts = counts[:, :-1].cumsum(axis=1)
        return past


def bars(
    timeline: ReductionTimeline, line: NDArray[np.int64], hue: NDArray[np.signedinteger], stretch: Stretch, *, computing: bool
) -> NDArray[np.uint8]:
    """What rows do, each in the line that it is given, as indices of the lane table [lines, width].

    Of all that happens in a line within a pixel, holding a lock is shown first, then trying, then queueing.

    Args:
        timeline: any.
        line: of each row [M]; -1 for none.
        hue: of a row that holds its lock, for each line.
        stretch: of time.
        computing: show it, and what queues in the colour of queueing rather than in grey.
    """
    shown, lines = line >= 0, hue.size
    started, wanted, free, held, released = (stretch.past(times[shown], line[shown], lines) for times in phase_times(timeline))
    picture = np.zeros((lines, stretch.width), np.uint8)
    if computing:
        picture[started[:, 1:] > wanted[:, :-1]] = COMPUTING
    picture[wanted[:, 1:] > free[:, :-1]] = QUEUED if computing else _IN_GREY
    picture = np.where(free[:, 1:] > held[:, :-1], (hue + _TRIED).astype(np.uint8)[:, None], picture)
    return np.where(held[:, 1:] > released[:, :-1], (hue + _HELD).astype(np.uint8)[:, None], picture)


def lock_lanes(timeline: ReductionTimeline, stretch: Stretch, height: int) -> NDArray[np.uint8]:
    """Who holds each lock; of more locks than pixels every so many are shown [locks, width]."""
    locks = locks_in_use(timeline)
    shown = np.arange(min(locks, height)) * locks // max(min(locks, height), 1)
    lane = np.full(locks, -1)
    lane[shown] = np.arange(shown.size)
    return bars(timeline, lane[timeline.lock], shown % HUES, stretch, computing=False)


def lanes_picture(timeline: ReductionTimeline, stretch: Stretch, height: int) -> NDArray[np.uint8]:
    """The locks over a height, and the tiles of stage 2 behind them, as indices of the lane table [height, width].

    Pixel by pixel, so that locks and tiles share the picture: they are never at work at the same time.
    """
    return _with_tiles(timeline, lock_lanes(timeline, stretch, height), stretch, height)


def rows_picture(timeline: ReductionTimeline, stretch: Stretch, height: int) -> NDArray[np.uint8]:
    """A line for each row over a height, and the tiles behind them."""
    rows = bars(timeline, np.arange(timeline.m), timeline.lock % HUES, stretch, computing=True)
    picture = _with_tiles(timeline, rows, stretch, height)
    if height >= _LEAST_ROW * timeline.m:
        picture[np.arange(1, timeline.m) * height // timeline.m] = 0
    return picture


def _with_tiles(timeline: ReductionTimeline, lines: NDArray[np.uint8], stretch: Stretch, height: int) -> NDArray[np.uint8]:
    picture = lines[np.arange(height) * len(lines) // height] if len(lines) else np.zeros((height, stretch.width), np.uint8)
    tiles = timeline.tile_start_ns.size
    if not tiles:
        return picture
    tile = np.arange(height) * tiles // height
    time = (stretch.begin_ns + (np.arange(stretch.width) + 0.5) * ((stretch.end_ns - stretch.begin_ns) / stretch.width))[None, :]
    runs = (timeline.tile_start_ns[tile, None] <= time) & (time < timeline.tile_end_ns[tile, None])
    return np.maximum(picture, runs * np.uint8(TILE))


def programs_over_time(timeline: ReductionTimeline, stretch: Stretch) -> dict[int, Counts]:
    """Programs that hold, try, queue, compute, and tiles that run, at the end of each pixel, keyed by index of the lane table."""
    started, wanted, free, held, released, tiles_started, tiles_ended = (
        stretch.past(times)[0, 1:] for times in (*phase_times(timeline), timeline.tile_start_ns, timeline.tile_end_ns)
    )
    return {
        HOLDING: held - released,
        TRYING: free - held,
        QUEUED: wanted - free,
        COMPUTING: started - wanted,
        TILE: tiles_started - tiles_ended,
    }


def queue_over_time(timeline: ReductionTimeline, lock: int, stretch: Stretch) -> dict[int, Counts]:
    """Rows that hold one lock, that try it, and that queue for it, at the end of each pixel, keyed by index of the lane table."""
    own = timeline.lock == lock
    _, wanted, free, held, released = (stretch.past(times[own])[0, 1:] for times in phase_times(timeline))
    return {_HELD + lock % HUES: held - released, _TRIED + lock % HUES: free - held, QUEUED: wanted - free}


def highest(counts: dict[int, Counts]) -> int:
    """The largest sum of the counts, at least 1."""
    return max(int(np.sum(list(counts.values()), axis=0).max(initial=1)), 1)


def stacked_indices(counts: dict[int, Counts], height: int, most: int) -> NDArray[np.uint8]:
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


class Strip:
    """A picture of a stretch of time: what is past in full colours, what is to come dimmed."""

    def __init__(self, indices: NDArray[np.uint8], area: QRectF, axis: TimeAxis, colours: PictureColours) -> None:
        self.area, self.axis = area, axis
        self._past, self._future = (picture_of(indices, colours.lane_table(future=future)) for future in (False, True))

    def paint(self, painter: QPainter, time_ns: float) -> None:
        area, axis, past = self.area, self.axis, self._past
        painter.drawImage(area, self._future, QRectF(self._future.rect()))
        width = round((axis.inside(time_ns) - axis.left) / max(axis.right - axis.left, 1) * past.width())
        if width > 0:
            place = QRectF(area.left(), area.top(), width / past.width() * area.width(), area.height())
            painter.drawImage(place, left_part(past, width))


def _pixels(area: QRectF, begin_ns: float, end_ns: float) -> tuple[Stretch, int]:
    return Stretch(begin_ns, end_ns, max(int(area.width()), 1)), max(int(area.height()), 1)


class RowsStrip:
    """Few rows over time, a line each with its number, and the tiles of stage 2 behind them."""

    def __init__(self, scene: Scene, area: QRectF, label_width: float) -> None:
        self._scene = scene
        self._line = QFontMetricsF(scene.font).height()
        lines = self.lines = area.adjusted(label_width, 0, 0, -self._line - 4)
        self._labels = QRectF(area.left(), area.top(), label_width - GRID, lines.height())
        self.axis = TimeAxis(lines.left(), lines.right(), scene.begin_ns, scene.end_ns, scene.timeline.counted)
        indices = rows_picture(scene.timeline, *_pixels(lines, scene.begin_ns, scene.end_ns))
        self._strip = Strip(indices, lines, self.axis, scene.colours)

    def paint(self, painter: QPainter, time_ns: float) -> None:
        scene, colours, lines = self._scene, self._scene.colours, self.lines
        self._strip.paint(painter, time_ns)
        painter.setFont(scene.font)
        height = lines.height() / max(scene.timeline.m, 1)
        for row in range(0, scene.timeline.m, max(math.ceil(self._line / height), 1)):
            box = QRectF(self._labels.left(), self._labels.top() + row * height, self._labels.width(), max(height, self._line))
            painter.setPen(colours.accent if row == scene.followed else colours.muted)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, number(row))
        if scene.followed is not None:
            painter.setPen(QPen(colours.accent, 2))
            painter.drawRect(QRectF(lines.left(), lines.top() + scene.followed * height, lines.width(), height))
        draw_axis(painter, self.axis, lines.bottom(), colours)
        draw_playhead(painter, self.axis, time_ns, lines.top(), lines.bottom(), colours)

    def hit(self, position: QPointF) -> Hit:
        if not self.lines.adjusted(0, -HANDLE, 0, self._line + 4).contains(position):
            return Hit()
        rows = self._scene.timeline.m
        row = int((position.y() - self.lines.top()) / self.lines.height() * rows)
        return Hit(row=row if 0 <= row < rows else None, time_ns=self.axis.time(position.x()))


_LEAST_LANE = 6.0  # px; a mark around a lane is no lower
_QUEUE_SHARE = 0.5  # of the lanes' height, for the queue of the lock that is followed


class TimelineStrip:
    """The lanes of a stretch above the programs.

    The programs are an overview of the whole time; a frame in it marks the stretch that the lanes show. While a lock is
    followed, or a row of it, the lanes give half of their height to its holder and its queue.
    """

    def __init__(self, scene: Scene, lanes: QRectF, programs: QRectF) -> None:
        self._scene, self._room, self.programs = scene, lanes, programs
        timeline = scene.timeline
        self.whole = TimeAxis(programs.left(), programs.right(), 0.0, scene.last_ns, timeline.counted)
        whole, height = _pixels(programs, 0.0, scene.last_ns)
        counts = programs_over_time(timeline, whole)
        # What the height stands for. Between two pixels there may have been more than at either.
        rows, tiles = (timeline.start_ns, timeline.released_ns), (timeline.tile_start_ns, timeline.tile_end_ns)
        self.most = max(most_at_once(*rows), most_at_once(*tiles), highest(counts))
        self._programs = Strip(stacked_indices(counts, height, self.most), programs, self.whole, scene.colours)
        self._lay_out()

    def update(self, scene: Scene) -> None:
        """Show another stretch in the lanes, or mark another row or lock; the programs stay."""
        self._scene = scene
        self._lay_out()

    @property
    def queue_lock(self) -> int | None:
        """The lock whose queue is shown."""
        scene = self._scene
        return int(scene.timeline.lock[scene.followed]) if scene.followed is not None else scene.followed_lock

    def _lay_out(self) -> None:
        scene, room, lock = self._scene, self._room, self.queue_lock
        lower = 0.0 if lock is None else round(room.height() * _QUEUE_SHARE)
        lanes = self.lanes = room.adjusted(0, 0, 0, -lower)
        axis = self.axis = TimeAxis(lanes.left(), lanes.right(), scene.begin_ns, scene.end_ns, scene.timeline.counted)
        stretch, height = _pixels(lanes, scene.begin_ns, scene.end_ns)
        self._lanes = Strip(lanes_picture(scene.timeline, stretch, height), lanes, axis, scene.colours)
        self._queue, self.longest_queue = None, 0
        if lock is not None:
            below = QRectF(room.left(), lanes.bottom() + GRID / 2, room.width(), lower - GRID / 2)
            counts = queue_over_time(scene.timeline, lock, stretch)
            self.longest_queue = highest(counts)  # rows that the height stands for
            indices = stacked_indices(counts, max(int(below.height()), 1), self.longest_queue)
            self._queue = Strip(indices, below, axis, scene.colours)

    @property
    def zoomed(self) -> bool:
        return self.axis.begin_ns > 0 or self.axis.end_ns < self.whole.end_ns

    def paint(self, painter: QPainter, time_ns: float) -> None:
        colours, programs = self._scene.colours, self.programs
        self._lanes.paint(painter, time_ns)
        self._programs.paint(painter, time_ns)
        if self._queue is not None:
            self._queue.paint(painter, time_ns)
            self._rule(painter, self._queue.area)
        painter.setPen(QPen(colours.accent, 2))
        if self.zoomed:
            left, right = (self.whole.x(end) for end in (self.axis.begin_ns, self.axis.end_ns))
            painter.drawRect(QRectF(left, programs.top(), max(right - left, 2), programs.height()))
        if self._scene.followed_lock is not None:
            painter.drawRect(self._lane(self._scene.followed_lock).adjusted(0, -1, 0, 1))
        if self._scene.followed is not None:
            self._paint_followed(painter, self._scene.followed)
        draw_axis(painter, self.whole, programs.bottom(), colours)
        draw_playhead(painter, self.axis, time_ns, self._room.top(), self._room.bottom(), colours)
        draw_playhead(painter, self.whole, time_ns, programs.top(), programs.bottom(), colours)

    def _rule(self, painter: QPainter, area: QRectF) -> None:
        """Lines between the rows of a queue, where these are high enough."""
        row = area.height() / self.longest_queue
        if row >= _LEAST_ROW:
            painter.setPen(QPen(self._scene.colours.surface, 1))
            for place in range(1, self.longest_queue):
                y = area.bottom() - row * place
                painter.drawLine(QLineF(area.left(), y, area.right(), y))

    def _lane(self, lock: int) -> QRectF:
        height = self.lanes.height() / max(locks_in_use(self._scene.timeline), 1)
        shown = max(height, _LEAST_LANE)
        return QRectF(self.lanes.left(), self.lanes.top() + (lock + 0.5) * height - shown / 2, self.lanes.width(), shown)

    def _paint_followed(self, painter: QPainter, row: int) -> None:
        timeline, axis, colours = self._scene.timeline, self.axis, self._scene.colours
        lane = self._lane(int(timeline.lock[row]))
        begin, end = float(timeline.start_ns[row]), float(timeline.released_ns[row])
        if end < axis.begin_ns or begin > axis.end_ns:
            return
        left, right = axis.inside(begin), axis.inside(end)
        painter.setPen(QPen(colours.accent, 2))
        painter.drawRect(QRectF(left - 1, lane.top(), max(right - left, 2) + 2, lane.height()))
        metrics = QFontMetricsF(painter.font())
        width = metrics.horizontalAdvance(f"{row}") + 4
        x = min(right + 4, axis.right - width)
        box = QRectF(x, lane.center().y() - metrics.height() / 2, width, metrics.height())
        painter.fillRect(box, colours.surface)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, f"{row}")

    def hit(self, position: QPointF) -> Hit:
        """Time, lock, and in the lanes the row that holds the lock then."""
        if self.programs.adjusted(0, -HANDLE, 0, 24).contains(position):
            return Hit(time_ns=self.whole.time(position.x()), whole=True)
        if not self._room.adjusted(0, -HANDLE, 0, 0).contains(position):
            return Hit()
        lock = self.queue_lock
        if lock is None or position.y() < self.lanes.bottom():
            locks = locks_in_use(self._scene.timeline)
            lock = min(int(max(position.y() - self.lanes.top(), 0.0) / self.lanes.height() * locks), locks - 1)
        time_ns = self.axis.time(position.x())
        slack = (self.axis.end_ns - self.axis.begin_ns) / max(self.lanes.width(), 1)
        return Hit(row=holder_near(self._scene.timeline, lock, time_ns, slack), lock=lock, time_ns=time_ns)


def holder_near(timeline: ReductionTimeline, lock: int, time_ns: float, slack_ns: float) -> int | None:
    """The row that holds a lock at about a time, the last of several, or None."""
    held, released = timeline.held_ns <= time_ns + slack_ns, timeline.released_ns >= time_ns - slack_ns
    rows = np.flatnonzero((timeline.lock == lock) & held & released)
    return int(rows[timeline.held_ns[rows].argmax()]) if rows.size else None
