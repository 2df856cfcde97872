"""Few rows over time, a line each: computing, waiting, adding; and the tiles of stage 2 behind them."""

from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from lnexplorer.domain.moments import RowState
from lnexplorer.gui.reduction.painter.colours import legible_on, mixed
from lnexplorer.gui.reduction.painter.frame import Hit, Scene
from lnexplorer.gui.reduction.painter.time_axis import HANDLE, TimeAxis, draw_axis, draw_break, draw_playhead
from lnexplorer.gui.reduction.painter.wording import number


class Gantt:
    """Bars of all rows; what is still to come is dimmed."""

    def __init__(self, scene: Scene, area: QRectF, label_width: float) -> None:
        self._scene = scene
        self._line = QFontMetricsF(scene.font).height()
        self.lanes = area.adjusted(label_width, 0, 0, -self._line - 4)
        self._labels = QRectF(area.left(), area.top(), label_width - 8, self.lanes.height())
        scale, counted = scene.index.scale, scene.timeline.counted
        self.axis = TimeAxis(self.lanes.left(), self.lanes.right(), scene.begin_ns, scene.end_ns, scale, counted)
        self._bars = self._lay_out()

    def _lay_out(self) -> list[tuple[QRectF, RowState, int]]:
        timeline, bars = self._scene.timeline, []
        height = self.lanes.height() / max(timeline.m, 1)
        steps = (timeline.start_ns, timeline.wanted_ns, timeline.held_ns, timeline.released_ns)
        for row in range(timeline.m):
            top = self.lanes.top() + row * height
            for state, (begin, end) in enumerate(pairwise(steps), RowState.COMPUTING):
                left, right = (self.axis.inside(float(times[row])) for times in (begin, end))
                inset = height * (0.3 if state == RowState.COMPUTING else 0.12)
                if right > left:
                    bars.append((QRectF(left, top + inset, right - left, height - 2 * inset), RowState(state), row))
        return bars

    def paint(self, painter: QPainter, time_ns: float) -> None:
        timeline, colours = self._scene.timeline, self._scene.colours
        height = self.lanes.height() / max(timeline.m, 1)
        painter.setFont(self._scene.font)
        step = max(round(self._line / height), 1)
        for row in range(0, timeline.m, step):
            box = QRectF(self._labels.left(), self._labels.top() + row * height, self._labels.width(), height)
            painter.setPen(colours.accent if row == self._scene.followed else colours.muted)
            painter.drawText(
                box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip, number(row)
            )
        now = self.axis.x(time_ns)
        for bar, state, row in self._bars:
            colour = colours.state(state, int(timeline.lock[row]))
            self._fill(painter, bar, colour, now)
        self._paint_tiles(painter, now)
        if self._scene.followed is not None:
            painter.setPen(QPen(colours.accent, 2))
            top = self.lanes.top() + self._scene.followed * height
            painter.drawRect(QRectF(self.lanes.left(), top, self.lanes.width(), height))
        draw_break(painter, self.axis, self.lanes.top(), self.lanes.bottom(), colours)
        draw_axis(painter, self.axis, self.lanes.bottom(), colours)
        draw_playhead(painter, self.axis, time_ns, self.lanes.top(), self.lanes.bottom(), colours)

    def _paint_tiles(self, painter: QPainter, now: float) -> None:
        timeline, colours = self._scene.timeline, self._scene.colours
        tiles = timeline.tile_start_ns.size
        height = self.lanes.height() / max(tiles, 1)
        for tile in range(tiles):
            ends = (float(times[tile]) for times in (timeline.tile_start_ns, timeline.tile_end_ns))
            left, right = (self.axis.inside(end) for end in ends)
            if right <= left:
                continue
            bar = QRectF(left, self.lanes.top() + tile * height + 2, right - left, height - 4)
            colour = colours.result(self._scene.result)
            self._fill(painter, bar, colour, now)
            painter.setPen(legible_on(colour) if now > left else colours.muted)
            if bar.width() > 8 * self._line / 2 and height > self._line:
                painter.drawText(bar, Qt.AlignmentFlag.AlignCenter, self._scene.result)

    def _fill(self, painter: QPainter, bar: QRectF, colour: QColor, now: float) -> None:
        dim = mixed(self._scene.colours.surface, colour, 0.3)
        painter.fillRect(bar, dim if now < bar.right() else colour)
        if bar.left() < now < bar.right():
            painter.fillRect(QRectF(bar.left(), bar.top(), now - bar.left(), bar.height()), colour)

    def hit(self, position: QPointF) -> Hit:
        reach = self.lanes.adjusted(0, -HANDLE, 0, self._line + 4)
        if not reach.contains(position):
            return Hit()
        rows = self._scene.timeline.m
        row = int((position.y() - self.lanes.top()) / self.lanes.height() * rows)
        return Hit(row=row if 0 <= row < rows else None, time_ns=self.axis.time(position.x()))
