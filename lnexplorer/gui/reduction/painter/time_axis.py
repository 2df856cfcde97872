"""A stretch of time on the screen: positions, ticks, and the playhead."""

import math
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen, QPolygonF

from lnexplorer.gui.reduction.painter.colours import PictureColours
from lnexplorer.gui.reduction.painter.timeline_index import TimeScale
from lnexplorer.gui.reduction.painter.wording import number, tick_text, time_text

_EVEN = TimeScale()
HANDLE = 8.0  # px of the playhead above what it moves over


@dataclass(frozen=True, slots=True)
class TimeAxis:
    """A stretch of the drawing, from begin_ns to end_ns on its scale, over the pixels from left to right."""

    left: float
    right: float
    begin_ns: float
    end_ns: float
    scale: TimeScale = _EVEN
    counted: bool = False  # events are counted, there is no clock

    def x(self, time_ns: float) -> float:
        return self._x(self.scale.drawn(time_ns))

    def inside(self, time_ns: float) -> float:
        """Position of a time, kept within the stretch."""
        return self._x(min(max(self.scale.drawn(time_ns), self.begin_ns), self.end_ns))

    def shows(self, time_ns: float) -> bool:
        return self.begin_ns <= self.scale.drawn(time_ns) <= self.end_ns

    def time(self, x: float) -> float:
        return self.scale.true(self.drawn_at(x))

    def drawn_at(self, x: float) -> float:
        """Place on the drawing's scale at a position, kept within the stretch."""
        share = (x - self.left) / max(self.right - self.left, 1.0)
        return self.begin_ns + min(max(share, 0.0), 1.0) * (self.end_ns - self.begin_ns)

    def ticks(self, label_width: float) -> list[float]:
        """Round times, no closer than labels need; none within a break."""
        most = max(int((self.right - self.left) / (label_width * 1.8)), 1)
        rough = (self.end_ns - self.begin_ns) / most
        power = 10.0 ** math.floor(math.log10(max(rough, 1.0)))
        step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
        scale, found = self.scale, []
        spans = [(self.begin_ns, self.end_ns)]
        if scale.broken:
            spans = [(self.begin_ns, min(self.end_ns, scale.begin_ns))]
            spans.append((max(self.begin_ns, scale.begin_ns + scale.drawn_ns), self.end_ns))
        for begin, end in spans:
            if end > begin:
                first, last = math.ceil(scale.true(begin) / step), math.floor(scale.true(end) / step)
                found += [index * step for index in range(first, last + 1)]
        return found

    def _x(self, drawn_ns: float) -> float:
        return self.left + (drawn_ns - self.begin_ns) / (self.end_ns - self.begin_ns) * (self.right - self.left)


def draw_axis(painter: QPainter, axis: TimeAxis, top: float, colours: PictureColours) -> None:
    """Ticks with their times, below `top`."""
    metrics = QFontMetricsF(painter.font())
    painter.setPen(QPen(colours.line, 1))
    painter.drawLine(QLineF(axis.left, top, axis.right, top))
    taken = -math.inf
    for tick in axis.ticks(metrics.horizontalAdvance("000.0 µs")):
        x = axis.x(tick)
        text = tick_text(tick) if not axis.counted else number(round(tick))
        width = metrics.horizontalAdvance(text)
        painter.setPen(QPen(colours.line, 1))
        painter.drawLine(QLineF(x, top, x, top + 4))
        painter.setPen(colours.muted)
        left = min(max(x - width / 2, axis.left), axis.right - width)
        if left < taken:
            continue
        taken = left + width + metrics.averageCharWidth()
        painter.drawText(QRectF(left, top + 4, width + 1, metrics.height()), Qt.AlignmentFlag.AlignCenter, text)


def draw_playhead(painter: QPainter, axis: TimeAxis, time_ns: float, top: float, bottom: float, colours: PictureColours) -> None:
    """A line at a time, with a handle on its top."""
    if not axis.shows(time_ns):
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


def draw_break(painter: QPainter, axis: TimeAxis, top: float, bottom: float, colours: PictureColours) -> None:
    """Two slanted lines where time is drawn shorter than it is, and how long it is in truth."""
    scale = axis.scale
    if not scale.broken or not (axis.shows(scale.begin_ns) or axis.shows(scale.end_ns)):
        return
    left, right = axis.inside(scale.begin_ns), axis.inside(scale.end_ns)
    middle = (left + right) / 2
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colours.muted, 1.5))
    for offset in (-3.0, 3.0):
        painter.drawLine(QLineF(middle + offset - 4, bottom, middle + offset + 4, top))
    metrics = QFontMetricsF(painter.font())
    text = time_text(scale.end_ns - scale.begin_ns, counted=axis.counted)
    width = metrics.horizontalAdvance(text) + 8
    box = QRectF(middle - width / 2, (top + bottom - metrics.height()) / 2, width, metrics.height())
    painter.fillRect(box, colours.surface)
    painter.setPen(colours.text)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
    painter.restore()
