"""Picture of rows over time, the first to start on top: a bar of what each row does, or, from afar,
how many rows queue for each lock.

A row has the same place in both.
"""

import math

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QLinearGradient, QPainter, QPen

from lnexplorer.domain.timeline import RowState, phase_times
from lnexplorer.gui.kit import CENTRE, GRID, LEFT, RIGHT, mixed, translate_message
from lnexplorer.gui.timeline.frame import Hit, Scene, legible_on, picture_of
from lnexplorer.gui.timeline.lanes import (
    HANDLE,
    TO_COME,
    RowsPart,
    Strip,
    TimeAxis,
    arranged,
    bars_picture,
    draw_axis,
    draw_playhead,
    heat_picture,
    hues,
)
from lnexplorer.gui.timeline.wording import (
    bold,
    join_facts,
    lock_name,
    state_name,
    text_width,
    time_text,
    write_text,
)
from lnkernels.values import Sentence, say
from lnkernels.values.timeline import Times

Label = tuple[QRectF, str, QColor]

_BARS_FROM = 2.0  # px of a row; lower ones have no bars
_ARROWS_FROM = 8.0  # px of a row
_MOST_ARROWS = 200
_SCALE = 6 * GRID  # px; the width of the scale of queues
_LEAST_GROUP = 6.0  # px; lower groups have no line between them


class Waterfall:
    """The waterfall in an area: labels on its left, its axis below."""

    def __init__(self, scene: Scene, area: QRectF, gutter: float | None = None) -> None:
        self._scene = scene
        timeline, font = scene.timeline, scene.font
        self._line = QFontMetricsF(font).height()
        self.arrangement = arranged(timeline, scene.grouping)
        if gutter is None:
            texts = f"{timeline.m - 1:,}", self._name(-1)
            gutter = max(text_width(text, font) for text in texts) + GRID
        self._gutter = gutter = math.ceil(gutter)
        inside = area.adjusted(gutter, 0, 0, -self._line - 4)
        # Whole pixels, so that the picture is copied and not scaled.
        left, top = math.ceil(inside.left()), math.ceil(inside.top())
        width = max(math.floor(inside.right()) - left, 1)
        self.lines = QRectF(left, top, width, max(math.floor(inside.bottom()) - top, 1))
        self.axis = TimeAxis(left, left + width, scene.begin_ns, scene.end_ns, timeline.counted)
        # places
        self._top = scene.top * timeline.m
        self._bottom = scene.bottom * timeline.m
        self.row_height = self.lines.height() / max(self._bottom - self._top, 1e-9)
        self.has_bars = self.row_height >= _BARS_FROM or timeline.m <= 2
        self._strip = Strip(self._picture(), self.lines, self.axis, scene.colours)
        self._arrows = self._hand_overs()
        self._labels_rows = self.row_height >= self._line * 0.8 or scene.grouping == "start"
        room = QRectF(area.left(), area.top(), gutter - GRID, self.lines.height())
        self._labels = self._labels_in(room)
        self._tags = self._group_tags()

    def _name(self, group: int) -> str:
        number = int(self.arrangement.number[group])
        if self._scene.grouping == "start":
            return ""
        if self._scene.grouping == "sm":
            return f"SM {number}"
        return translate_message(lock_name(self._scene.timeline, number))

    def _picture(self) -> QImage:
        scene, height = self._scene, int(self.lines.height())
        part = RowsPart(scene.timeline, scene.grouping, self.axis, height, scene.top, scene.bottom)
        picture = bars_picture(part) if self.has_bars else heat_picture(part)
        return picture_of(picture, scene.colours.lane_table)

    def _y(self, place: float) -> float:
        return self.lines.top() + (place - self._top) * self.row_height

    def _visible(self) -> range:
        """Return the places that are shown, if only in part."""
        end = min(math.ceil(self._bottom), self._scene.timeline.m)
        return range(max(math.floor(self._top), 0), end)

    def _hand_overs(self) -> list[QLineF]:
        """Return arrows from each row's release to the next hold of its lock, between rows that are
        shown.
        """
        timeline, axis = self._scene.timeline, self.axis
        if self.row_height < _ARROWS_FROM or timeline.lanes:
            return []
        shown = self.arrangement.rows[list(self._visible())]
        rows = shown[np.lexsort((timeline.order[shown], timeline.lock[shown]))]
        before, after = rows[:-1], rows[1:]
        follow = (timeline.lock[after] == timeline.lock[before]) & (
            timeline.order[after] == timeline.order[before] + 1
        )
        follow &= timeline.released_ns[before] >= axis.begin_ns
        follow &= timeline.held_ns[after] <= axis.end_ns
        if np.count_nonzero(follow) > _MOST_ARROWS:
            return []

        def end(row: int, times: Times) -> QPointF:
            y = self._y(float(self.arrangement.place[row]) + 0.5)
            return QPointF(axis.x(float(times[row])), y)

        return [
            QLineF(end(first, timeline.released_ns), end(second, timeline.held_ns))
            for first, second in zip(before[follow], after[follow], strict=True)
        ]

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
            write_text(painter, box, CENTRE, text, colour)
        for box, text, colour in self._labels:
            write_text(painter, box, RIGHT, text, colour)
        draw_axis(painter, self.axis, lines.bottom(), colours, time_ns)
        draw_playhead(painter, self.axis, time_ns, lines.top(), lines.bottom(), colours)

    def _groups(self) -> range:
        """Return the groups that are shown, if only in part."""
        visible, rows = self._visible(), self.arrangement
        first, last = (int(rows.group[rows.rows[place]]) for place in (visible[0], visible[-1]))
        return range(first, last + 1)

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
        """Write what a row does, and for how long, in bars that have room for it."""
        scene, timeline, axis = self._scene, self._scene.timeline, self.axis
        states, times = list(RowState)[1:-1], phase_times(timeline)
        names = [translate_message(state_name(state, timeline.phases)) for state in states]
        for place in self._visible():
            row = int(self.arrangement.rows[place])
            ends, lock = [float(each[row]) for each in times], int(timeline.lock[row])
            for state, name, begin, end in zip(states, names, ends[:-1], ends[1:], strict=True):
                left, right = axis.inside(begin), axis.inside(end)
                length = translate_message(time_text(end - begin, counted=timeline.counted))
                for text in (f"{name} {length}", name):
                    if text_width(text, scene.font) + GRID <= right - left:
                        ground = scene.colours.state(state, lock)
                        if axis.inside(time_ns) < (left + right) / 2:
                            ground = mixed(ground, scene.colours.surface, TO_COME)
                        box = QRectF(left, self._y(place), right - left, self.row_height)
                        write_text(painter, box, CENTRE, text, legible_on(ground))
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
            bar = QRectF(left - 1, top, max(right - left, 2) + 2, self.row_height)
            painter.drawRect(self._at_least(bar, 6.0))

    @staticmethod
    def _at_least(area: QRectF, height: float) -> QRectF:
        more = max(height - area.height(), 0.0) / 2
        return area.adjusted(0, -more, 0, more)

    def _labels_in(self, room: QRectF) -> list[Label]:
        """Return labels of rows if they are high enough, else of groups, as many as there is room
        for in a column.
        """
        scene, colours, line = self._scene, self._scene.colours, self._line
        named: list[tuple[float, str, bool]] = []  # middle, text, whether it is followed
        if self._labels_rows:
            for place in self._visible()[:: max(math.ceil(line / self.row_height), 1)]:
                row, high = int(self.arrangement.rows[place]), max(self.row_height, line)
                named.append((self._y(place) + high / 2, f"{row:,}", row == scene.followed))
        else:
            groups, followed_lock = self._groups(), None
            if scene.grouping == "lock":
                followed_lock = scene.followed_lock
            step = max(math.ceil((line + 4) * len(groups) / max(self.lines.height(), 1.0)), 1)
            # The same groups while it is moved.
            for group in range(-(-groups.start // step) * step, groups.stop, step):
                middle = self._band(group).intersected(self.lines).center().y()
                followed = bool(self.arrangement.number[group] == followed_lock)
                named.append((middle, self._name(group), followed))
        labels: list[Label] = []
        for middle, text, followed in named:
            if room.top() + line / 2 - 2 <= middle <= room.bottom() - line / 2 + 2:
                box = QRectF(room.left(), middle - line / 2, room.width(), line)
                labels.append((box, text, colours.accent if followed else colours.muted))
        return labels

    def _group_tags(self) -> list[Label]:
        """Return the names of groups, in their upper right corners, if the labels are of rows."""
        scene, colours, tags = self._scene, self._scene.colours, []
        if not self._labels_rows or scene.grouping == "start":
            return []
        for group in self._groups():
            band, text = self._band(group).intersected(self.lines), self._name(group)
            if band.height() < self._line:
                continue
            width, colour = text_width(text, scene.font) + GRID, colours.text
            if scene.grouping == "lock":
                colour = colours.lock(int(self.arrangement.number[group]))
            box = QRectF(band.right() - width, band.top(), width, self._line)
            tags.append((box, text, colour))
        return tags

    def paint_title(self, painter: QPainter, room: QRectF, *, titled: bool) -> None:
        """Paint a title that says what a line is, if wanted, and the meaning of its colours."""
        scene, font, visible = self._scene, bold(self._scene.font), len(self._visible())
        locks = say("Rows of each lane") if scene.timeline.lanes else say("Rows of each lock")
        names = {"lock": locks, "sm": say("Rows of each SM"), "start": say("Rows")}
        facts: list[Sentence] = []
        if titled:
            facts.append(say("{rows}, by their start", rows=names[scene.grouping]))
        if visible < scene.timeline.m:
            facts.append(say("{shown:,} of {rows:,} rows", shown=visible, rows=scene.timeline.m))
        title = join_facts(*facts)
        width = text_width(title, font)
        if width <= room.width():
            write_text(painter, room, LEFT, title, scene.colours.text, font)
        painter.setFont(scene.font)
        self._paint_scale(painter, room.adjusted(width + 2 * GRID if facts else 0, 0, 0, 0))

    def _paint_scale(self, painter: QPainter, room: QRectF) -> None:
        """Paint which colour means how deep a queue, if there is room."""
        colours, font, line = self._scene.colours, self._scene.font, self._line
        least, most = say("queued: 0"), f"{self.arrangement.deepest:,}"
        left = room.right() - text_width(most, font) - GRID / 2 - _SCALE
        if self.has_bars or left - text_width(least, font) - GRID / 2 < room.left():
            return
        scale = QRectF(left, room.center().y() - line / 4, _SCALE, line / 2)
        write_text(painter, room, RIGHT, most, colours.muted)
        room.setRight(left - GRID / 2)
        write_text(painter, room, RIGHT, least, colours.muted)
        gradient = QLinearGradient(scale.topLeft(), scale.topRight())
        band = self.row_height * self._scene.timeline.m / self.arrangement.number.size
        hue = int(hues(self._scene.grouping, self.arrangement, band)[0])
        heats = colours.heats(hue)
        gradient.setColorAt(0.0, heats[0])
        gradient.setColorAt(1.0, heats[-1])
        painter.fillRect(scale, gradient)

    def hit(self, position: QPointF) -> Hit:
        """Return the time and the row at a point; the lock if rows are too low to point at."""
        scene, rows, lines = self._scene, self.arrangement, self.lines
        area = lines.adjusted(-self._gutter, -HANDLE, 0, self._line + 4)
        if not area.contains(position):
            return Hit()
        time_ns = self.axis.time(position.x()) if position.x() >= lines.left() else None
        if position.y() > lines.bottom():
            return Hit(time_ns=time_ns)
        place = self._top + (position.y() - lines.top()) / self.row_height
        row = int(rows.rows[int(min(max(place, 0), scene.timeline.m - 1))])
        if self.has_bars:
            return Hit(row=row, time_ns=time_ns)
        lock = int(rows.number[rows.group[row]]) if scene.grouping == "lock" else None
        return Hit(lock=lock, time_ns=time_ns)

    def share_at(self, y: float) -> float:
        """Return the part of the rows above a height, 0 to 1."""
        share = (y - self.lines.top()) / max(self.lines.height(), 1.0)
        return self._scene.top + min(max(share, 0.0), 1.0) * self._scene.share
