"""Time from left to right: its axis and playhead, and how many programs do what."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPen, QPolygonF

from lnexplorer.domain.timeline import most_at_once, phase_times
from lnexplorer.gui.charts.axes import linear_ticks
from lnexplorer.gui.kit.theme import GRID
from lnexplorer.gui.timeline.colours import (
    COMPUTING,
    HOLDING,
    QUEUED,
    TILE,
    TRYING,
    PictureColours,
    legible_on,
    picture_of,
)
from lnexplorer.gui.timeline.wording import number, tick_text, time_text
from lnkernels.values.timeline import ReductionTimeline

HANDLE = 8.0  # px of the playhead above what it moves over
LEAST_ROW = 4.0  # px; lower ones have no line between them
TO_COME = 0.6  # of the surface's colour over what is to come


@dataclass(frozen=True, slots=True)
class TimeAxis:
    """A stretch of time over the pixels from left to right."""

    left: float
    right: float
    begin_ns: float
    end_ns: float
    counted: bool = False  # events are counted, there is no clock

    def x(self, time_ns: float) -> float:
        return self.left + (time_ns - self.begin_ns) / (self.end_ns - self.begin_ns) * (
            self.right - self.left
        )

    def inside(self, time_ns: float) -> float:
        """Position of a time, kept within the stretch."""
        return self.x(min(max(time_ns, self.begin_ns), self.end_ns))

    def time(self, x: float) -> float:
        """The time at a position, kept within the stretch."""
        share = (x - self.left) / max(self.right - self.left, 1.0)
        return self.begin_ns + min(max(share, 0.0), 1.0) * (self.end_ns - self.begin_ns)

    def ticks(self, label_width: float) -> list[float]:
        """Round times, no closer than labels need."""
        return linear_ticks(
            self.begin_ns, self.end_ns, max(int((self.right - self.left) / (label_width * 1.8)), 1)
        )


def draw_axis(
    painter: QPainter,
    axis: TimeAxis,
    top: float,
    colours: PictureColours,
    now_ns: float | None = None,
) -> None:
    """Ticks with their times, below `top`, and in a box among them the time of the playhead, if
    there is one.
    """
    metrics = QFontMetricsF(painter.font())

    def box(time_ns: float, text: str) -> QRectF:
        width = metrics.horizontalAdvance(text) + GRID
        left = min(max(axis.inside(time_ns) - width / 2, axis.left), axis.right - width)
        return QRectF(left, top + 4, width, metrics.height())

    clock = "" if now_ns is None else time_text(now_ns, counted=axis.counted)
    playhead = QRectF() if now_ns is None else box(now_ns, clock)
    painter.setPen(QPen(colours.line, 1))
    painter.drawLine(QLineF(axis.left, top, axis.right, top))
    for tick in axis.ticks(metrics.horizontalAdvance("000.0 µs")):
        text = tick_text(tick) if not axis.counted else number(round(tick))
        painter.setPen(QPen(colours.line, 1))
        painter.drawLine(QLineF(axis.x(tick), top, axis.x(tick), top + 4))
        painter.setPen(colours.muted)
        if not box(tick, text).intersects(playhead):
            painter.drawText(box(tick, text), Qt.AlignmentFlag.AlignCenter, text)
    painter.fillRect(playhead, colours.accent)
    painter.setPen(legible_on(colours.accent))
    painter.drawText(playhead, Qt.AlignmentFlag.AlignCenter, clock)


def draw_playhead(
    painter: QPainter,
    axis: TimeAxis,
    time_ns: float,
    top: float,
    bottom: float,
    colours: PictureColours,
) -> None:
    """A line at a time, with a handle on its top; nothing outside of the stretch."""
    if not axis.begin_ns <= time_ns <= axis.end_ns:
        return
    x = axis.x(time_ns)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colours.accent, 2))
    painter.drawLine(QLineF(x, top, x, bottom))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colours.accent)
    painter.drawPolygon(
        QPolygonF([QPointF(x - 6, top - HANDLE), QPointF(x + 6, top - HANDLE), QPointF(x, top + 1)])
    )
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of time in pixels."""

    begin_ns: float
    end_ns: float
    width: int

    def pixel(self, times: NDArray[np.int64]) -> NDArray[np.int64]:
        """The pixel of each time: -1 for what is earlier, `width` for what is later."""
        pixel = np.floor((times - self.begin_ns) * (self.width / (self.end_ns - self.begin_ns)))
        clipped: NDArray[np.int64] = np.clip(pixel, -1, self.width).astype(np.int64)
        return clipped

    def past(
        self, times: NDArray[np.int64], line: NDArray[np.int64] | None = None, lines: int = 1
    ) -> Counts:
        """How many of the times of each line are past before the first pixel, and at the end of
        each [lines, width + 1].

        Args:
            times: any.
            line: of each of them; all in one line if not given.
            lines: how many lines there are.
        """
        place = self.pixel(times) + 1
        if line is not None:
            place += line * (self.width + 2)
        counts = np.bincount(place, minlength=lines * (self.width + 2)).reshape(
            lines, self.width + 2
        )
        past: Counts = counts[:, :-1].cumsum(axis=1)
        return past


def programs_over_time(timeline: ReductionTimeline, stretch: Stretch) -> dict[int, Counts]:
    """Programs that hold, try, queue, compute, and tiles that run, at the end of each pixel, keyed
    by index of the lane table.
    """
    started, wanted, free, held, released, tiles_started, tiles_ended = (
        stretch.past(times)[0, 1:]
        for times in (*phase_times(timeline), timeline.tile_start_ns, timeline.tile_end_ns)
    )
    return {
        HOLDING: held - released,
        TRYING: free - held,
        QUEUED: wanted - free,
        COMPUTING: started - wanted,
        TILE: tiles_started - tiles_ended,
    }


def highest(counts: dict[int, Counts]) -> int:
    """The largest sum of the counts, at least 1."""
    return max(int(np.sum(list(counts.values()), axis=0).max(initial=1)), 1)


def stacked_indices(counts: dict[int, Counts], height: int, most: int) -> NDArray[np.uint8]:
    """The counts stacked from the bottom, as indices of the lane table [height, width]; `most` is
    what the height stands for.
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

    def __init__(
        self, picture: QImage, area: QRectF, axis: TimeAxis, colours: PictureColours
    ) -> None:
        self.area = area
        self.axis = axis
        self._picture = picture
        self._veil = QColor(colours.surface)
        self._veil.setAlphaF(TO_COME)

    def paint(self, painter: QPainter, time_ns: float) -> None:
        painter.drawImage(self.area, self._picture)
        to_come = QRectF(self.area)
        to_come.setLeft(round(self.axis.inside(time_ns)))
        painter.fillRect(to_come, self._veil)


class Overview:
    """How many programs do what over the whole time; a frame marks the stretch that is shown
    elsewhere.
    """

    def __init__(
        self, timeline: ReductionTimeline, area: QRectF, last_ns: float, colours: PictureColours
    ) -> None:
        self.area = area
        self._colours = colours
        self.axis = TimeAxis(area.left(), area.right(), 0.0, last_ns, timeline.counted)
        counts = programs_over_time(timeline, Stretch(0.0, last_ns, max(int(area.width()), 1)))
        # What the height stands for. Between two pixels there may have been more than at either.
        rows, tiles = (
            (timeline.start_ns, timeline.released_ns),
            (timeline.tile_start_ns, timeline.tile_end_ns),
        )
        self.most = max(most_at_once(*rows), most_at_once(*tiles), highest(counts))
        picture = picture_of(
            stacked_indices(counts, max(int(area.height()), 1), self.most), colours.lane_table
        )
        self._strip = Strip(picture, area, self.axis, colours)

    def paint(self, painter: QPainter, time_ns: float, shown: TimeAxis) -> None:
        area, axis = self.area, self.axis
        self._strip.paint(painter, time_ns)
        if shown.begin_ns > 0 or shown.end_ns < axis.end_ns:
            left, right = (axis.x(end) for end in (shown.begin_ns, shown.end_ns))
            painter.setPen(QPen(self._colours.accent, 2))
            painter.drawRect(QRectF(left, area.top(), max(right - left, 2), area.height()))
        draw_playhead(painter, axis, time_ns, area.top(), area.bottom(), self._colours)
