"""The few pictures on buttons, painted in the theme's colours on a field of 16 × 16."""

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap, QPolygonF

SIZE = 16
SCALE = 3  # sharp up to three device pixels a pixel


def icon(name: str, colour: str, disabled: str | None = None) -> QIcon:
    """Picture of one of the names in PAINTERS."""
    result = QIcon(_pixmap(name, colour))
    if disabled is not None:
        result.addPixmap(_pixmap(name, disabled), QIcon.Mode.Disabled)
    return result


def _pixmap(name: str, colour: str) -> QPixmap:
    pixmap = QPixmap(SIZE * SCALE, SIZE * SCALE)
    pixmap.setDevicePixelRatio(SCALE)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    PAINTERS[name](painter, QColor(colour))
    painter.end()
    return pixmap


def _run(painter: QPainter, _colour: QColor) -> None:
    painter.drawPolygon(QPolygonF([QPointF(4, 2.5), QPointF(13.5, 8), QPointF(4, 13.5)]))


def _stop(painter: QPainter, _colour: QColor) -> None:
    painter.drawRoundedRect(QRectF(3.5, 3.5, 9, 9), 1.5, 1.5)


def _open(painter: QPainter, colour: QColor) -> None:
    _line(painter, colour, [QPointF(4, 6), QPointF(8, 10), QPointF(12, 6)])


def _up(painter: QPainter, colour: QColor) -> None:
    _line(painter, colour, [QPointF(4, 10), QPointF(8, 6), QPointF(12, 10)])


def _closed(painter: QPainter, colour: QColor) -> None:
    _line(painter, colour, [QPointF(6, 4), QPointF(10, 8), QPointF(6, 12)])


def _cross(painter: QPainter, colour: QColor) -> None:
    _line(painter, colour, [QPointF(4, 4), QPointF(12, 12)])
    _line(painter, colour, [QPointF(12, 4), QPointF(4, 12)])


def _tick(painter: QPainter, colour: QColor) -> None:
    _line(painter, colour, [QPointF(3, 8.5), QPointF(6.5, 12), QPointF(13, 4.5)])


def _line(painter: QPainter, colour: QColor, points: list[QPointF]) -> None:
    pen = QPen(colour, 1.8)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPolyline(QPolygonF(points))


PAINTERS: dict[str, Callable[[QPainter, QColor], None]] = {
    "run": _run,
    "stop": _stop,
    "open": _open,
    "up": _up,
    "closed": _closed,
    "cross": _cross,
    "tick": _tick,
}
