"""Time axis and playhead, and pictures over time as indices of the lane table: how many programs do
what, what each row does, or how many rows of each group queue.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPen

from lnexplorer.domain.timeline import free_ns, most_at_once, peak_queue, phase_times
from lnexplorer.gui.charts.axes import linear_ticks
from lnexplorer.gui.kit import CENTRE, GRID
from lnexplorer.gui.timeline.frame import (
    COMPUTING,
    GREY,
    HEAT,
    HELD,
    HOLDING,
    HUES,
    LEVELS,
    OVER,
    QUEUED,
    TILE,
    TRIED,
    TRYING,
    PictureColours,
    Pixels,
    legible_on,
    picture_of,
)
from lnexplorer.gui.timeline.wording import text_width, tick_text, time_text, write_text
from lnkernels.values import Words, frozen
from lnkernels.values.timeline import ReductionTimeline, Times

HANDLE = 8.0  # px of the playhead above what it moves over
LEAST_ROW = 4.0  # px; lower ones have no line between them
TO_COME = 0.6  # of the surface's colour over what is to come

Counts = NDArray[np.int64]
Places = NDArray[np.int64]


@frozen
class TimeAxis:
    """Mapping of a stretch of time to pixels from left to right."""

    left: float
    right: float
    begin_ns: float
    end_ns: float
    counted: bool = False  # events are counted, there is no clock

    def x(self, time_ns: float) -> float:
        share = (time_ns - self.begin_ns) / (self.end_ns - self.begin_ns)
        return self.left + share * (self.right - self.left)

    def inside(self, time_ns: float) -> float:
        """Return the position of a time, clipped to the stretch."""
        return self.x(min(max(time_ns, self.begin_ns), self.end_ns))

    def time(self, x: float) -> float:
        """Return the time at a position, clipped to the stretch."""
        share = (x - self.left) / max(self.right - self.left, 1.0)
        return self.begin_ns + min(max(share, 0.0), 1.0) * (self.end_ns - self.begin_ns)

    @property
    def width(self) -> int:
        """Whole pixels of the stretch; at least 1."""
        return max(int(self.right - self.left), 1)

    def pixel(self, times: Times) -> Places:
        """Return the pixel of each time: -1 for earlier ones, `width` for later ones."""
        pixel = np.floor((times - self.begin_ns) * (self.width / (self.end_ns - self.begin_ns)))
        clipped: Places = np.clip(pixel, -1, self.width).astype(np.int64)
        return clipped

    def past(self, times: Times, line: Places | None = None, lines: int = 1) -> Counts:
        """Count the times of each line that are past before the first pixel, and at the end of
        each [lines, width + 1].

        Args:
            times: any.
            line: of each of them; all in one line if not given.
            lines: how many lines there are.
        """
        place = self.pixel(times) + 1
        if line is not None:
            place += line * (self.width + 2)
        counts = np.bincount(place, minlength=lines * (self.width + 2)).reshape(lines, -1)
        return counts[:, :-1].cumsum(axis=1)

    def ticks(self, label_width: float) -> list[float]:
        """Return round times, no closer than labels need."""
        most = max(int((self.right - self.left) / (label_width * 1.8)), 1)
        ticks = linear_ticks(self.begin_ns, self.end_ns, most)
        return [tick for tick in ticks if not self.counted or tick == round(tick)]


def draw_axis(
    painter: QPainter,
    axis: TimeAxis,
    top: float,
    colours: PictureColours,
    now_ns: float | None = None,
) -> None:
    """Paint ticks with their times below `top`, and the time of the playhead, if there is one, in
    a box among them.
    """
    font = painter.font()

    def box(time_ns: float, text: Words) -> QRectF:
        width = text_width(text, font) + GRID
        left = min(max(axis.inside(time_ns) - width / 2, axis.left), axis.right - width)
        return QRectF(left, top + 4, width, QFontMetricsF(font).height())

    line, playhead = QPen(colours.line, 1), QRectF()
    clock: Words = ""
    if now_ns is not None:
        clock = time_text(now_ns, counted=axis.counted)
        playhead = box(now_ns, clock)
    painter.setPen(line)
    painter.drawLine(QLineF(axis.left, top, axis.right, top))
    for tick in axis.ticks(text_width("000.0 µs", font)):
        text = f"{round(tick):,}" if axis.counted else tick_text(tick)
        painter.setPen(line)
        painter.drawLine(QLineF(axis.x(tick), top, axis.x(tick), top + 4))
        if not box(tick, text).intersects(playhead):
            write_text(painter, box(tick, text), CENTRE, text, colours.muted)
    painter.fillRect(playhead, colours.accent)
    write_text(painter, playhead, CENTRE, clock, legible_on(colours.accent))


def draw_playhead(
    painter: QPainter,
    axis: TimeAxis,
    time_ns: float,
    top: float,
    bottom: float,
    colours: PictureColours,
) -> None:
    """Paint a line at a time, with a handle on its top; nothing outside of the stretch."""
    if not axis.begin_ns <= time_ns <= axis.end_ns:
        return
    x = axis.x(time_ns)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colours.accent, 2))
    painter.drawLine(QLineF(x, top, x, bottom))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colours.accent)
    corners = ((x - 6, top - HANDLE), (x + 6, top - HANDLE), (x, top + 1))
    painter.drawPolygon([QPointF(*corner) for corner in corners])
    painter.restore()


def programs_over_time(timeline: ReductionTimeline, axis: TimeAxis) -> dict[int, Counts]:
    """Count programs that hold, try, queue, compute, and tiles that run, at the end of each pixel,
    keyed by index of the lane table.
    """
    started, wanted, free, held, released, tiles_started, tiles_ended = (
        axis.past(times)[0, 1:]
        for times in (*phase_times(timeline), timeline.tile_start_ns, timeline.tile_end_ns)
    )
    return {
        HOLDING: held - released,
        TRYING: free - held,
        QUEUED: wanted - free,
        COMPUTING: started - wanted,
        TILE: tiles_started - tiles_ended,
    }


def stacked_indices(counts: dict[int, Counts], height: int, most: int) -> Pixels:
    """Stack the counts from the bottom, as indices of the lane table [height, width]; `most` is the
    count that the height stands for.
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
    """Picture of a stretch of time, in full colours before the playhead and dimmed behind it."""

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
    """Picture of how many programs do what over the whole time; a frame marks the stretch that is
    shown elsewhere.
    """

    def __init__(
        self, timeline: ReductionTimeline, area: QRectF, last_ns: float, colours: PictureColours
    ) -> None:
        self.area = area
        self._colours = colours
        self.axis = TimeAxis(area.left(), area.right(), 0.0, last_ns, timeline.counted)
        counts = programs_over_time(timeline, self.axis)
        begins = np.append(timeline.start_ns, timeline.tile_start_ns)
        ends = np.append(timeline.released_ns, timeline.tile_end_ns)
        self.most = max(most_at_once(begins, ends), 1)  # what the height stands for
        indices = stacked_indices(counts, max(int(area.height()), 1), self.most)
        self._strip = Strip(picture_of(indices, colours.lane_table), area, self.axis, colours)

    def paint(self, painter: QPainter, time_ns: float, shown: TimeAxis) -> None:
        area, axis = self.area, self.axis
        self._strip.paint(painter, time_ns)
        if shown.begin_ns > 0 or shown.end_ns < axis.end_ns:
            left, right = (axis.x(end) for end in (shown.begin_ns, shown.end_ns))
            painter.setPen(QPen(self._colours.accent, 2))
            painter.drawRect(QRectF(left, area.top(), max(right - left, 2), area.height()))
        draw_playhead(painter, axis, time_ns, area.top(), area.bottom(), self._colours)


_TOLD_APART = 10.0  # px of a group; in lower ones its rows are not told from each other
_COLOURED = 3.0  # px of a group; lower ones do not have the colour of their lock


@frozen(eq=False)
class Arrangement:
    """The rows from top to bottom: each has a place, from 0."""

    rows: Places  # [M] at each place
    place: Places  # [M] of each row
    group: Places  # [M] of each row, counted from the top
    first: Places  # [groups + 1] first place of each group, and M
    number: Places  # [groups] of the lock or the SM
    deepest: int  # rows of a group that queue at once, at most; at least 1


@lru_cache(maxsize=6)  # called for every turn of the wheel
def arranged(timeline: ReductionTimeline, grouping: str) -> Arrangement:
    """Arrange the rows by one of GROUPINGS, each group in the order of their starts."""
    keys = {"lock": timeline.lock, "sm": timeline.sm}.get(grouping, np.zeros(timeline.m, np.int32))
    numbers, group = np.unique(keys, return_inverse=True)
    rows = np.lexsort((timeline.start_ns, group))
    place = np.empty(timeline.m, np.int64)
    place[rows] = np.arange(timeline.m)
    return Arrangement(
        rows=rows,
        place=place,
        group=group,
        first=np.searchsorted(group[rows], np.arange(numbers.size + 1)).astype(np.int64),
        number=numbers.astype(np.int64),
        deepest=max(peak_queue(timeline, group), 1),
    )


def hues(grouping: str, arrangement: Arrangement, band: float) -> Pixels:
    """Return the hue of the heat of each group [groups], `band` px high: its lock's, or grey if it
    has none.

    Of locks that share pixels, the few that happen to be drawn would make a pattern that is not
    there: they are grey, too.
    """
    locks = arrangement.number % HUES
    coloured = grouping == "lock" and band >= _COLOURED
    return (locks if coloured else np.full(locks.size, GREY)).astype(np.uint8)


@frozen(eq=False)
class RowsPart:
    """The part of rows and time that a picture shows."""

    timeline: ReductionTimeline
    grouping: str  # one of GROUPINGS
    axis: TimeAxis
    height: int  # in pixels
    top: float = 0.0  # of the part of the rows, 0 to 1
    bottom: float = 1.0

    @property
    def edges(self) -> NDArray[np.float64]:
        """Edges of the pixels as shares of all rows [height + 1]."""
        return self.top + (self.bottom - self.top) * np.arange(self.height + 1) / self.height

    @property
    def columns(self) -> NDArray[np.int16]:
        """Every pixel of a line; of few bytes, since all lines are compared with them."""
        return np.arange(self.axis.width, dtype=np.int16)

    def pixel(self, times: Times) -> NDArray[np.int16]:
        """Return the pixel of a time of each line [lines, 1]."""
        return self.axis.pixel(times).astype(np.int16)[:, None]


def heat_picture(part: RowsPart) -> Pixels:
    """Picture how many rows of each group queue while rows of it are on the GPU, and the tiles of
    stage 2 behind them.

    Returns:
        Indices of the lane table [height, width].
    """
    timeline, grouping, axis = part.timeline, part.grouping, part.axis
    m, edges, rows = timeline.m, part.edges, arranged(timeline, grouping)
    low = np.clip(np.floor(edges[:-1] * m).astype(np.int64), 0, m - 1)
    high = np.clip(np.ceil(edges[1:] * m).astype(np.int64), low + 1, m)
    group = rows.group[rows.rows[(low + high) // 2]]
    band = part.height / max((part.bottom - part.top) * rows.number.size, 1e-9)
    if band < _TOLD_APART:  # starts of rows and pixels would make a pattern
        low, high = np.minimum(low, rows.first[group]), np.maximum(high, rows.first[group + 1])
    shown, line_of_pixel = np.unique(group, return_inverse=True)
    line = np.full(rows.number.size, -1)
    line[shown] = np.arange(shown.size)
    own = line[rows.group]
    there = own >= 0
    queued, free = (
        axis.past(times[there], own[there], shown.size)[:, 1:]
        for times in (timeline.wanted_ns, free_ns(timeline))
    )
    level = np.ceil((LEVELS - 1) * np.arange(rows.deepest + 1) / rows.deepest).astype(np.uint8)
    hue = hues(grouping, rows, band)[shown]
    base = (HEAT + hue * LEVELS).astype(np.uint8)
    picture: Pixels = (level[queued - free] + base[:, None])[line_of_pixel]
    slices = np.column_stack((low, high)).ravel()
    starts, ends = (
        np.append(times[rows.rows], 0) for times in (timeline.start_ns, timeline.released_ns)
    )
    begin = part.pixel(np.minimum.reduceat(starts, slices)[::2])
    end = part.pixel(np.maximum.reduceat(ends, slices)[::2])
    over = (OVER + hue).astype(np.uint8)[line_of_pixel]
    np.copyto(picture, over[:, None], where=part.columns > end)
    picture[part.columns < begin] = 0
    return _with_tiles(part, picture)


def bars_picture(part: RowsPart) -> Pixels:
    """Picture what each row does, and the tiles of stage 2 behind them; see `heat_picture`.

    For rows of a pixel at least. A hold takes a pixel, however short it is.
    """
    timeline, m, edges, columns = part.timeline, part.timeline.m, part.edges, part.columns
    middle = (edges[:-1] * m + edges[1:] * m) / 2
    place = np.clip(middle.astype(np.int64), 0, m - 1)
    places, line_of_pixel = np.unique(place, return_inverse=True)
    rows = arranged(timeline, part.grouping).rows[places]
    hue = (timeline.lock[rows] % HUES).astype(np.uint8)
    start, wanted, free, held, released = (
        part.pixel(times[rows]) for times in phase_times(timeline)
    )
    picture = np.zeros((rows.size, columns.size), np.uint8)
    queued = HEAT + hue * LEVELS + LEVELS - 1  # as in the deepest queue
    for begin, index in (
        (start, np.full_like(hue, COMPUTING)),
        (wanted, queued),
        (free, hue + TRIED),
        (held, hue + HELD),
        (np.maximum(released, held + 1), hue + OVER),
    ):
        np.copyto(picture, index.astype(np.uint8)[:, None], where=columns >= begin)
    picture = picture[line_of_pixel]
    if part.height >= LEAST_ROW * (part.bottom - part.top) * m:
        picture[1:][line_of_pixel[1:] != line_of_pixel[:-1]] = 0
    return _with_tiles(part, picture)


def _with_tiles(part: RowsPart, picture: Pixels) -> Pixels:
    timeline, edges, columns = part.timeline, part.edges, part.columns
    starts, ends, width = timeline.tile_start_ns, timeline.tile_end_ns, columns.size
    if part.axis.pixel(starts).min(initial=width) >= width:
        return picture
    middle = (edges[:-1] + edges[1:]) / 2
    tile = np.clip((middle * starts.size).astype(np.int64), 0, starts.size - 1)
    begin, end = part.pixel(starts[tile]), part.pixel(ends[tile])
    runs = (columns >= begin) & (columns < np.maximum(end, begin + 1))
    over = (picture >= OVER) & (picture < HEAT)
    picture[runs & ((picture == 0) | over)] = TILE
    return picture
