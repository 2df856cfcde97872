"""Rows over time, the first to start on top: bars of what each does, or, from afar, how many queue
for each lock.

A row has the same place in both. As it grows from one pixel to three, its bar appears in the place
of the queue's depth.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QLinearGradient, QPainter, QPen

from lnexplorer.domain.timeline import RowState, free_ns, peak_queue, phase_times
from lnexplorer.gui.charts.sheet import LEFT, RIGHT
from lnexplorer.gui.kit.theme import GRID, mixed
from lnexplorer.gui.timeline.colours import (
    COMPUTING,
    GREY,
    HEAT,
    HELD,
    HUES,
    LEVELS,
    OVER,
    TILE,
    TRIED,
    legible_on,
    picture_of,
)
from lnexplorer.gui.timeline.frame import Hit, Scene
from lnexplorer.gui.timeline.lanes import (
    HANDLE,
    LEAST_ROW,
    TO_COME,
    Stretch,
    Strip,
    TimeAxis,
    draw_axis,
    draw_playhead,
)
from lnexplorer.gui.timeline.wording import lock_name, number, short_state, time_text, words
from lnkernels.values.timeline import ReductionTimeline

_TOLD_APART = 10.0  # px of a group, from which on its rows are told from each other
_COLOURED = 3.0  # px of a group, from which on it has the colour of its lock


@dataclass(frozen=True, eq=False, slots=True)
class Arrangement:
    """The rows from top to bottom: each has a place, from 0."""

    rows: NDArray[np.int64]  # [M] at each place
    place: NDArray[np.int64]  # [M] of each row
    group: NDArray[np.int64]  # [M] of each row, counted from the top
    first: NDArray[np.int64]  # [groups + 1] first place of each group, and M
    number: NDArray[np.int64]  # [groups] of the lock or the SM
    deepest: int  # rows of a group that queue at once, at most; at least 1


@lru_cache(maxsize=6)  # asked for with every turn of the wheel
def arranged(timeline: ReductionTimeline, grouping: str) -> Arrangement:
    """The rows in one of GROUPINGS, each group in the order of their starts."""
    keys = {"lock": timeline.lock, "sm": timeline.sm}.get(grouping, np.zeros(timeline.m, np.int32))
    numbers, group = np.unique(keys, return_inverse=True)
    rows = np.lexsort((timeline.start_ns, group))
    place = np.empty(timeline.m, np.int64)
    place[rows] = np.arange(timeline.m)
    first = np.searchsorted(group[rows], np.arange(numbers.size + 1)).astype(np.int64)
    deepest = max(peak_queue(timeline, group), 1)
    return Arrangement(
        rows=rows,
        place=place,
        group=group,
        first=first,
        number=numbers.astype(np.int64),
        deepest=deepest,
    )


def growth(size: float, ends: tuple[float, float]) -> float:
    """How far a size is from the first end to the second, 0 to 1."""
    return min(max((size - ends[0]) / (ends[1] - ends[0]), 0.0), 1.0)


def hues(grouping: str, arrangement: Arrangement, band: float) -> NDArray[np.uint8]:
    """Of each group's heat [groups], `band` px high: its lock's, or grey where it is of none.

    Of locks that share pixels, the few that happen to be drawn would make a pattern that is not
        there: they are grey, too.
    """
    locks = arrangement.number % HUES
    return (
        locks if grouping == "lock" and band >= _COLOURED else np.full(locks.size, GREY)
    ).astype(np.uint8)


def heat_picture(
    timeline: ReductionTimeline,
    grouping: str,
    stretch: Stretch,
    height: int,
    top: float = 0.0,
    bottom: float = 1.0,
) -> NDArray[np.uint8]:
    """How many rows of each group queue, where rows of it are on the GPU, and the tiles of stage 2
    behind them.

    Args:
        timeline: any.
        grouping: one of GROUPINGS.
        stretch: of time.
        height: in pixels.
        top: of the part of the rows, 0 to 1.
        bottom: its end.

    Returns:
        Indices of the lane table [height, width].
    """
    m, columns = timeline.m, _columns(stretch)
    found = arranged(timeline, grouping)
    edges = (top + (bottom - top) * np.arange(height + 1) / height) * m
    low = np.clip(np.floor(edges[:-1]).astype(np.int64), 0, m - 1)
    high = np.clip(np.ceil(edges[1:]).astype(np.int64), low + 1, m)
    group = found.group[found.rows[(low + high) // 2]]
    band = height / max((bottom - top) * found.number.size, 1e-9)
    if band < _TOLD_APART:  # their starts and the pixels would make a pattern
        low, high = np.minimum(low, found.first[group]), np.maximum(high, found.first[group + 1])
    shown, line_of_pixel = np.unique(group, return_inverse=True)
    line = np.full(found.number.size, -1)
    line[shown] = np.arange(shown.size)
    own = line[found.group]
    there = own >= 0
    queued = stretch.past(timeline.wanted_ns[there], own[there], shown.size)[:, 1:]
    queued -= stretch.past(free_ns(timeline)[there], own[there], shown.size)[:, 1:]
    level = np.ceil((LEVELS - 1) * np.arange(found.deepest + 1) / found.deepest).astype(np.uint8)
    hue = hues(grouping, found, band)[shown]
    base = HEAT + hue * LEVELS
    picture: NDArray[np.uint8] = (level[queued] + base.astype(np.uint8)[:, None])[line_of_pixel]
    slices = np.column_stack((low, high)).ravel()
    starts, ends = (
        np.append(timeline.start_ns[found.rows], 0),
        np.append(timeline.released_ns[found.rows], 0),
    )
    begun = _pixel(stretch, np.minimum.reduceat(starts, slices)[::2])
    ended = _pixel(stretch, np.maximum.reduceat(ends, slices)[::2])
    over = (OVER + hue).astype(np.uint8)[line_of_pixel]
    np.copyto(picture, over[:, None], where=columns > ended)
    picture[columns < begun] = 0
    return _with_tiles(timeline, picture, stretch, edges / m)


def bars_picture(
    timeline: ReductionTimeline,
    grouping: str,
    stretch: Stretch,
    height: int,
    top: float = 0.0,
    bottom: float = 1.0,
) -> NDArray[np.uint8]:
    """What each row does, and the tiles of stage 2 behind them; arguments and result as those of
    `heat_picture`.

    For rows of a pixel at least. However short it is, a hold takes a pixel.
    """
    m = timeline.m
    edges = (top + (bottom - top) * np.arange(height + 1) / height) * m
    place = np.clip(((edges[:-1] + edges[1:]) / 2).astype(np.int64), 0, m - 1)
    places, line_of_pixel = np.unique(place, return_inverse=True)
    rows = arranged(timeline, grouping).rows[places]
    hue = (timeline.lock[rows] % HUES).astype(np.uint8)
    start, wanted, free, held, released = (
        _pixel(stretch, times[rows]) for times in phase_times(timeline)
    )
    picture, columns = np.zeros((rows.size, stretch.width), np.uint8), _columns(stretch)
    queued = HEAT + hue * LEVELS + LEVELS - 1  # as in the deepest queue
    phases = np.full_like(hue, COMPUTING), queued, hue + TRIED, hue + HELD, hue + OVER
    for begin, index in zip(
        (start, wanted, free, held, np.maximum(released, held + 1)), phases, strict=True
    ):
        np.copyto(picture, index.astype(np.uint8)[:, None], where=columns >= begin)
    picture = picture[line_of_pixel]
    if height >= LEAST_ROW * (bottom - top) * m:
        picture[1:][line_of_pixel[1:] != line_of_pixel[:-1]] = 0
    return _with_tiles(timeline, picture, stretch, edges / m)


def _columns(stretch: Stretch) -> NDArray[np.int16]:
    """Every pixel of a line. Of few bytes, since all lines are compared with them."""
    return np.arange(stretch.width, dtype=np.int16)


def _pixel(stretch: Stretch, times: NDArray[np.int64]) -> NDArray[np.int16]:
    """The pixel of a time of each line [lines, 1]."""
    return stretch.pixel(times).astype(np.int16)[:, None]


def _with_tiles(
    timeline: ReductionTimeline,
    picture: NDArray[np.uint8],
    stretch: Stretch,
    edges: NDArray[np.float64],
) -> NDArray[np.uint8]:
    tiles = timeline.tile_start_ns.size
    begin = int(stretch.pixel(timeline.tile_start_ns).min(initial=stretch.width))
    if begin >= stretch.width:
        return picture
    tile = np.clip(((edges[:-1] + edges[1:]) / 2 * tiles).astype(np.int64), 0, tiles - 1)
    columns, over = _columns(stretch), (picture >= OVER) & (picture < HEAT)
    starts, ends = (
        _pixel(stretch, times[tile]) for times in (timeline.tile_start_ns, timeline.tile_end_ns)
    )
    picture[
        (columns >= starts) & (columns < np.maximum(ends, starts + 1)) & ((picture == 0) | over)
    ] = TILE
    return picture


BARS_FROM, BARS_ALONE = (
    1.0,
    3.0,
)  # px of a row: where bars begin to appear, and where nothing else is left
_ARROWS_FROM = 8.0  # px of a row
_MOST_ARROWS = 200
_SCALE_UNTIL = 0.6  # of the bars' share; more, and nobody can read the scale of what is behind them
_LEAST_GROUP = 6.0  # px; lower groups have no line between them


class Waterfall:
    """The waterfall in an area: labels on its left, its axis below."""

    def __init__(self, scene: Scene, area: QRectF, gutter: float | None = None) -> None:
        self._scene = scene
        timeline = scene.timeline
        metrics = QFontMetricsF(scene.font)
        self._line = metrics.height()
        self.arrangement = arranged(timeline, scene.grouping)
        if gutter is None:
            gutter = (
                max(map(metrics.horizontalAdvance, (number(timeline.m - 1), self._name(-1)))) + GRID
            )
        self._gutter = gutter = math.ceil(gutter)
        inside = area.adjusted(gutter, 0, 0, -self._line - 4)
        # Whole pixels, so that the picture is copied and not scaled.
        left, top = math.ceil(inside.left()), math.ceil(inside.top())
        self.lines = QRectF(
            left,
            top,
            max(math.floor(inside.right()) - left, 1),
            max(math.floor(inside.bottom()) - top, 1),
        )
        self.axis = TimeAxis(
            self.lines.left(), self.lines.right(), scene.begin_ns, scene.end_ns, timeline.counted
        )
        # places
        self._top = scene.top * timeline.m
        self._bottom = scene.bottom * timeline.m
        self.row_height = self.lines.height() / max(self._bottom - self._top, 1e-9)
        self.bars_share = growth(self.row_height, (BARS_FROM, BARS_ALONE))
        band = self.row_height * timeline.m / self.arrangement.number.size
        self._hue = int(hues(scene.grouping, self.arrangement, band)[0])  # of the scale
        if timeline.m <= 2:
            self.bars_share = 1.0
        self._strip = Strip(self._picture(), self.lines, self.axis, scene.colours)
        self._arrows = self._hand_overs()
        self._labels_rows = self.row_height >= self._line * 0.8 or scene.grouping == "start"
        self._labels = self._labels_in(
            QRectF(area.left(), area.top(), gutter - GRID, self.lines.height())
        )
        self._tags = self._group_tags()

    def _name(self, group: int) -> str:
        found = self.arrangement.number
        value = int(found[group])
        if self._scene.grouping == "start":
            return ""
        return (
            words("SM {0}", value)
            if self._scene.grouping == "sm"
            else lock_name(self._scene.timeline, value)
        )

    def _picture(self) -> QImage:
        scene, lines = self._scene, self.lines
        stretch = Stretch(scene.begin_ns, scene.end_ns, max(int(lines.width()), 1))
        asked = (
            scene.timeline,
            scene.grouping,
            stretch,
            max(int(lines.height()), 1),
            scene.top,
            scene.bottom,
        )
        if self.bars_share >= 1:
            return picture_of(bars_picture(*asked), scene.colours.lane_table)
        picture = picture_of(heat_picture(*asked), scene.colours.lane_table)
        if self.bars_share > 0:
            painter = QPainter(picture)
            painter.setOpacity(self.bars_share)
            painter.drawImage(0, 0, picture_of(bars_picture(*asked), scene.colours.lane_table))
            painter.end()
        return picture

    def _y(self, place: float) -> float:
        return self.lines.top() + (place - self._top) * self.row_height

    def _visible(self) -> range:
        """The places that are shown, if only in part."""
        return range(
            max(math.floor(self._top), 0), min(math.ceil(self._bottom), self._scene.timeline.m)
        )

    def _hand_overs(self) -> list[QLineF]:
        """From each row's release to the next one's hold of the same lock, between rows that are
        shown.
        """
        timeline, axis = self._scene.timeline, self.axis
        if self.row_height < _ARROWS_FROM or timeline.lanes:
            return []
        shown = self.arrangement.rows[list(self._visible())]
        rows = shown[np.lexsort((timeline.order[shown], timeline.lock[shown]))]
        follow = (timeline.lock[rows[1:]] == timeline.lock[rows[:-1]]) & (
            timeline.order[rows[1:]] == timeline.order[rows[:-1]] + 1
        )
        lines = []
        for before, after in zip(
            rows[:-1][follow].tolist(), rows[1:][follow].tolist(), strict=True
        ):
            begin, end = int(timeline.released_ns[before]), int(timeline.held_ns[after])
            if begin >= axis.begin_ns and end <= axis.end_ns:
                ys = (self._y(self.arrangement.place[row] + 0.5) for row in (before, after))
                lines.append(QLineF(axis.x(begin), next(ys), axis.x(end), next(ys)))
        return lines if len(lines) <= _MOST_ARROWS else []

    def paint(self, painter: QPainter, time_ns: float) -> None:
        scene, colours, lines = self._scene, self._scene.colours, self.lines
        self._strip.paint(painter, time_ns)
        painter.setFont(scene.font)
        painter.save()
        painter.setClipRect(lines)
        self._paint_groups(painter)
        self._paint_arrows(painter)
        if self.row_height >= self._line:
            self._write_phases(painter, time_ns)
        self._mark_followed(painter)
        painter.restore()
        for box, text, colour in self._tags:
            painter.fillRect(box, colours.surface)
            painter.setPen(colour)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
        for box, text, colour in self._labels:
            painter.setPen(colour)
            painter.drawText(box, RIGHT, text)
        draw_axis(painter, self.axis, lines.bottom(), colours, time_ns)
        draw_playhead(painter, self.axis, time_ns, lines.top(), lines.bottom(), colours)

    def _groups(self) -> range:
        """The groups that are shown, if only in part."""
        visible, found = self._visible(), self.arrangement
        return range(
            *(
                int(found.group[found.rows[place]]) + last
                for place, last in ((visible[0], 0), (visible[-1], 1))
            )
        )

    def _band(self, group: int) -> QRectF:
        top, bottom = (self._y(float(self.arrangement.first[group + last])) for last in (0, 1))
        return QRectF(self.lines.left(), top, self.lines.width(), bottom - top)

    def _paint_groups(self, painter: QPainter) -> None:
        groups = self._groups()
        if len(groups) > 1 and self.lines.height() / len(groups) >= _LEAST_GROUP:
            painter.setPen(QPen(self._scene.colours.line, 1))
            for group in groups[1:]:
                y = self._band(group).top()
                painter.drawLine(QLineF(self.lines.left(), y, self.lines.right(), y))

    def _paint_arrows(self, painter: QPainter) -> None:
        if not self._arrows:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._scene.colours.accent, 1.5))
        size = min(5.0, self.row_height / 3)
        heads = [
            QLineF.fromPolar(size, line.angle() + turn).translated(line.p2())
            for line in self._arrows
            for turn in (150.0, 210.0)
        ]
        painter.drawLines(self._arrows + heads)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _write_phases(self, painter: QPainter, time_ns: float) -> None:
        """What a row does, and for how long, in bars that have room for it."""
        scene, metrics, axis = self._scene, QFontMetricsF(self._scene.font), self.axis
        times = phase_times(scene.timeline)
        for place in self._visible():
            row = int(self.arrangement.rows[place])
            top, lock = self._y(place), int(scene.timeline.lock[row])
            for state, begin, end in zip(list(RowState)[1:-1], times[:-1], times[1:], strict=True):
                left, right = axis.inside(float(begin[row])), axis.inside(float(end[row]))
                length = time_text(float(end[row] - begin[row]), counted=scene.timeline.counted)
                name = short_state(state, scene.timeline.phases)
                for text in (f"{name} {length}", name):
                    if metrics.horizontalAdvance(text) + GRID <= right - left:
                        ground = scene.colours.state(state, lock)
                        if axis.inside(time_ns) < (left + right) / 2:
                            ground = mixed(ground, scene.colours.surface, TO_COME)
                        painter.setPen(legible_on(ground))
                        box = QRectF(left, top, right - left, self.row_height)
                        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
                        break

    def _mark_followed(self, painter: QPainter) -> None:
        scene, timeline = self._scene, self._scene.timeline
        painter.setPen(QPen(scene.colours.accent, 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if scene.followed_lock is not None and scene.grouping == "lock":
            band = self._band(int(np.searchsorted(self.arrangement.number, scene.followed_lock)))
            painter.drawRect(self._at_least(band, 4.0))
        if scene.followed is not None:
            row = scene.followed
            left, right = (
                self.axis.inside(float(times[row]))
                for times in (timeline.start_ns, timeline.released_ns)
            )
            top = self._y(float(self.arrangement.place[row]))
            box = self._at_least(
                QRectF(left - 1, top, max(right - left, 2) + 2, self.row_height), 6.0
            )
            painter.drawRect(box)
            if self.row_height < self._line:  # it has no label of its own
                self._write_tag(painter, words("row {0}", number(row)), box)

    def _write_tag(self, painter: QPainter, text: str, beside: QRectF) -> None:
        width = QFontMetricsF(self._scene.font).horizontalAdvance(text) + GRID
        left = min(beside.right() + 4, self.lines.right() - width)
        top = min(
            max(beside.center().y() - self._line / 2, self.lines.top()),
            self.lines.bottom() - self._line,
        )
        box = QRectF(left, top, width, self._line)
        painter.fillRect(box, self._scene.colours.surface)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    @staticmethod
    def _at_least(area: QRectF, height: float) -> QRectF:
        more = max(height - area.height(), 0.0) / 2
        return area.adjusted(0, -more, 0, more)

    def _labels_in(self, room: QRectF) -> list[tuple[QRectF, str, QColor]]:
        """Of rows where they are high enough, else of groups, as many as there is room for in a
        column.
        """
        scene, colours, line = self._scene, self._scene.colours, self._line
        named: list[tuple[float, str, bool]] = []  # middle, words, whether it is followed
        if self._labels_rows:
            for place in self._visible()[:: max(math.ceil(line / self.row_height), 1)]:
                row, high = int(self.arrangement.rows[place]), max(self.row_height, line)
                named.append((self._y(place) + high / 2, number(row), row == scene.followed))
        else:
            groups = self._groups()
            step = max(math.ceil((line + 4) * len(groups) / max(self.lines.height(), 1.0)), 1)
            for group in groups:
                if group % step:  # the same ones while it is moved
                    continue
                middle = self._band(group).intersected(self.lines).center().y()
                followed = (
                    scene.grouping == "lock"
                    and self.arrangement.number[group] == scene.followed_lock
                )
                named.append((middle, self._name(group), followed))
        boxes, last = [], -math.inf
        for middle, text, followed in named:
            top = (
                min(max(middle, room.top() + line / 2 - 2), room.bottom() - line / 2 + 2) - line / 2
            )
            if top >= last and room.top() - 1 <= middle <= room.bottom() + 1:
                last = top + line
                boxes.append(
                    (
                        QRectF(room.left(), top, room.width(), line),
                        text,
                        colours.accent if followed else colours.muted,
                    )
                )
        return boxes

    def _group_tags(self) -> list[tuple[QRectF, str, QColor]]:
        """Where rows are labelled, a group has its name in its upper right corner."""
        colours, metrics, tags = self._scene.colours, QFontMetricsF(self._scene.font), []
        for group in (
            self._groups() if self._labels_rows and self._scene.grouping != "start" else ()
        ):
            band, text = self._band(group).intersected(self.lines), self._name(group)
            width = metrics.horizontalAdvance(text) + GRID
            if band.height() >= self._line:
                colour = (
                    colours.lock(int(self.arrangement.number[group]))
                    if self._scene.grouping == "lock"
                    else colours.text
                )
                tags.append(
                    (QRectF(band.right() - width, band.top(), width, self._line), text, colour)
                )
        return tags

    def paint_title(self, painter: QPainter, room: QRectF, *, titled: bool) -> None:
        """What a line is, where that is wanted, and what its colours mean."""
        scene, colours, visible = self._scene, self._scene.colours, self._visible()
        bold = QFont(scene.font)
        bold.setBold(True)
        locks = (
            words("Rows of each lane") if self._scene.timeline.lanes else words("Rows of each lock")
        )
        names = {"lock": locks, "sm": words("Rows of each SM"), "start": words("Rows")}
        title = words("{0}, by their start", names[scene.grouping]) if titled else ""
        if len(visible) < scene.timeline.m:
            part = words("{0} of {1} rows", number(len(visible)), number(scene.timeline.m))
            title = f"{title} · {part}" if title else part
        painter.setFont(bold)
        painter.setPen(colours.text)
        width = QFontMetricsF(bold).horizontalAdvance(title)
        if width <= room.width():
            painter.drawText(room, LEFT, title)
        painter.setFont(scene.font)
        self._paint_scale(painter, room.adjusted(width + 2 * GRID if title else 0, 0, 0, 0))

    def _paint_scale(self, painter: QPainter, room: QRectF) -> None:
        """How deep a queue each colour means, as faint as the queues' depth in the picture."""
        if self.bars_share >= _SCALE_UNTIL:
            return
        colours, metrics = self._scene.colours, QFontMetricsF(self._scene.font)
        most = number(self.arrangement.deepest)
        for least, bar in ((words("queued: 0"), 8.0 * GRID), ("0", 4.0 * GRID)):
            widths = [metrics.horizontalAdvance(text) + GRID / 2 for text in (least, most)]
            left = room.right() - sum(widths) - bar
            if left >= room.left():
                break
        else:
            return
        painter.save()
        painter.setOpacity(1.0 - self.bars_share)
        painter.setPen(colours.muted)
        painter.drawText(QRectF(left, room.top(), widths[0], room.height()), LEFT, least)
        painter.drawText(
            QRectF(room.right() - widths[1], room.top(), widths[1], room.height()), RIGHT, most
        )
        scale = QRectF(left + widths[0], room.center().y() - self._line / 4, bar, self._line / 2)
        gradient = QLinearGradient(scale.topLeft(), scale.topRight())
        for share in (0.0, 1.0):
            gradient.setColorAt(share, colours.heat(share, self._hue))
        painter.fillRect(scale, gradient)
        painter.restore()

    def hit(self, position: QPointF) -> Hit:
        """The time, and the row there; where rows are too low for one, in a lock's lines the lock."""
        scene, found = self._scene, self.arrangement
        area = self.lines.adjusted(-self._gutter, -HANDLE, 0, self._line + 4)
        if not area.contains(position):
            return Hit()
        inside = position.x() >= self.lines.left()
        time_ns = self.axis.time(position.x()) if inside else None
        if position.y() > self.lines.bottom():
            return Hit(time_ns=time_ns) if inside else Hit()
        place = int(
            min(
                max(self._top + (position.y() - self.lines.top()) / self.row_height, 0),
                scene.timeline.m - 1,
            )
        )
        row = int(found.rows[place])
        if self.row_height >= BARS_ALONE or self.bars_share >= 1:
            return Hit(row=row, time_ns=time_ns)
        if scene.grouping != "lock":
            return Hit(time_ns=time_ns) if inside else Hit()
        return Hit(lock=int(found.number[found.group[row]]), time_ns=time_ns)

    def share_at(self, y: float) -> float:
        """The part of the rows above a height, 0 to 1."""
        share = (y - self.lines.top()) / max(self.lines.height(), 1.0)
        return self._scene.top + min(max(share, 0.0), 1.0) * (self._scene.bottom - self._scene.top)
