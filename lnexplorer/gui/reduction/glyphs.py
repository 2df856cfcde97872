"""Pictures on the buttons of the animation, painted in the theme's colours on a field of 16 × 16."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap, QPolygonF

_SCALE = 3  # sharp up to three device pixels a pixel


def glyph(name: str, colour: str) -> QIcon:
    """One of play, pause, next, previous, last, first, loop, panel, moment, film, more."""
    pixmap = QPixmap(16 * _SCALE, 16 * _SCALE)
    pixmap.setDevicePixelRatio(_SCALE)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    if name in ("previous", "first"):
        painter.translate(16, 0)
        painter.scale(-1, 1)
    match name:
        case "play":
            _triangle(painter, 4, 13.5)
        case "pause":
            painter.drawRect(QRectF(3.5, 3, 3.2, 10))
            painter.drawRect(QRectF(9.3, 3, 3.2, 10))
        case "next" | "previous":
            painter.drawRect(QRectF(3, 3, 2, 10))
            _triangle(painter, 6.5, 13.5)
        case "last" | "first":
            _triangle(painter, 3, 10)
            painter.drawRect(QRectF(11, 3, 2, 10))
        case "panel" | "moment" | "film":
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(colour), 1.4))
            _outlines(painter, name)
        case "more":
            for x in (3.0, 8.0, 13.0):
                painter.drawEllipse(QPointF(x, 8), 1.6, 1.6)
        case _:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(colour), 1.8))
            painter.drawArc(QRectF(3, 3, 10, 10), 60 * 16, 300 * 16)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colour))
            painter.drawPolygon(QPolygonF([QPointF(9, 0.5), QPointF(13.6, 4), QPointF(8.6, 6.5)]))
    painter.end()
    return QIcon(pixmap)


def _triangle(painter: QPainter, left: float, right: float) -> None:
    painter.drawPolygon(QPolygonF([QPointF(left, 2.5), QPointF(right, 8), QPointF(left, 13.5)]))


def _outlines(painter: QPainter, name: str) -> None:
    match name:
        case "panel":
            painter.drawRoundedRect(QRectF(2, 3, 12, 10), 1.5, 1.5)
            painter.drawLine(QPointF(9, 3), QPointF(9, 13))
            for y in (5.8, 8.0, 10.2):
                painter.drawLine(QPointF(10.6, y), QPointF(12.6, y))
        case "moment":
            painter.drawRoundedRect(QRectF(2, 4.5, 12, 8.5), 1.5, 1.5)
            painter.drawLine(QPointF(5.8, 3.2), QPointF(10.2, 3.2))
            painter.drawEllipse(QPointF(8, 8.8), 2.4, 2.4)
        case "film":
            painter.drawRoundedRect(QRectF(2, 3, 12, 10), 1.5, 1.5)
            for x in (5.0, 11.0):
                painter.drawLine(QPointF(x, 3), QPointF(x, 13))
            for y in (5.0, 8.0, 11.0):
                painter.drawPoint(QPointF(3.5, y))
                painter.drawPoint(QPointF(12.5, y))
