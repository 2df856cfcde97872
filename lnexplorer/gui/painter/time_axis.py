"""A stretch of time on the screen: positions, ticks, and the playhead."""

import math
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen, QPolygonF

from lnexplorer.gui.painter.colours import PictureColours
from lnexplorer.gui.painter.wording import tick_text


@dataclass(frozen=True, slots=True)
class TimeAxis:
    """Times from begin_ns to end_ns over the pixels from left to right."""

    left: float
    right: float
    begin_ns: float
    end_ns: float

    def x(self, time_ns: float) -> float:
        """Position of a time."""
        return self.left + (time_ns - self.begin_ns) / (self.end_ns - self.begin_ns) * (self.right - self.left)

    def time(self, x: float) -> float:
        """Time at a position, kept within the stretch."""
        share = (x - self.left) / max(self.right - self.left, 1.0)
        return self.begin_ns + min(max(share, 0.0), 1.0) * (self.end_ns - self.begin_ns)

    def ticks(self, label_width: float) -> list[float]:
        """Round times, no closer than labels need."""
        most = max(int((self.right - self.left) / (label_width * 1.8)), 1)
        rough = (self.end_ns - self.begin_ns) / most
        power = 10.0 ** math.floor(math.log10(max(rough, 1.0)))
        step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
        first = math.ceil(self.begin_ns / step)
        return [index * step for index in range(first, math.floor(self.end_ns / step) + 1)]


def draw_axis(painter: QPainter, axis: TimeAxis, top: float, colours: PictureColours) -> None:
    """Ticks with their times, below `top`."""
    metrics = QFontMetricsF(painter.font())
    painter.setPen(QPen(colours.line, 1))
    painter.drawLine(QLineF(axis.left, top, axis.right, top))
    for tick in axis.ticks(metrics.horizontalAdvance("000.0 µs")):
        x = axis.x(tick)
        text = tick_text(tick)
        width = metrics.horizontalAdvance(text)
        painter.setPen(QPen(colours.line, 1))
        painter.drawLine(QLineF(x, top, x, top + 4))
        painter.setPen(colours.muted)
        left = min(max(x - width / 2, axis.left), axis.right - width)
        painter.drawText(QRectF(left, top + 4, width + 1, metrics.height()), Qt.AlignmentFlag.AlignCenter, text)


def draw_playhead(painter: QPainter, axis: TimeAxis, time_ns: float, top: float, bottom: float, colours: PictureColours) -> None:
    """A line at a time, with a handle on its top."""
    if not axis.begin_ns <= time_ns <= axis.end_ns:
        return
    x = axis.x(time_ns)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colours.accent, 2))
    painter.drawLine(QLineF(x, top, x, bottom))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colours.accent)
    painter.drawPolygon(QPolygonF([QPointF(x - 6, top - 8), QPointF(x + 6, top - 8), QPointF(x, top + 1)]))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
