"""The few pictures on buttons, painted in the theme's colours on a field of 16 × 16."""

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap, QPolygonF

Painter = Callable[[QPainter, QColor], None]
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


def _pause(painter: QPainter, _colour: QColor) -> None:
    painter.drawRect(QRectF(3.5, 3, 3.2, 10))
    painter.drawRect(QRectF(9.3, 3, 3.2, 10))


def _next(painter: QPainter, _colour: QColor) -> None:
    painter.drawRect(QRectF(3, 3, 2, 10))
    painter.drawPolygon(QPolygonF([QPointF(6.5, 2.5), QPointF(13.5, 8), QPointF(6.5, 13.5)]))


def _last(painter: QPainter, _colour: QColor) -> None:
    painter.drawRect(QRectF(11, 3, 2, 10))
    painter.drawPolygon(QPolygonF([QPointF(3, 2.5), QPointF(10, 8), QPointF(3, 13.5)]))


def _mirrored(paint: Painter) -> Painter:
    def mirrored(painter: QPainter, colour: QColor) -> None:
        painter.translate(SIZE, 0)
        painter.scale(-1, 1)
        paint(painter, colour)

    return mirrored


def _loop(painter: QPainter, colour: QColor) -> None:
    _outline(painter, colour, 1.8)
    painter.drawArc(QRectF(3, 3, 10, 10), 60 * 16, 300 * 16)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawPolygon(QPolygonF([QPointF(9, 0.5), QPointF(13.6, 4), QPointF(8.6, 6.5)]))


def _panel(painter: QPainter, colour: QColor) -> None:
    _outline(painter, colour, 1.4)
    painter.drawRoundedRect(QRectF(2, 3, 12, 10), 1.5, 1.5)
    painter.drawLine(QPointF(9, 3), QPointF(9, 13))
    for y in (5.8, 8.0, 10.2):
        painter.drawLine(QPointF(10.6, y), QPointF(12.6, y))


def _moment(painter: QPainter, colour: QColor) -> None:
    _outline(painter, colour, 1.4)
    painter.drawRoundedRect(QRectF(2, 4.5, 12, 8.5), 1.5, 1.5)
    painter.drawLine(QPointF(5.8, 3.2), QPointF(10.2, 3.2))
    painter.drawEllipse(QPointF(8, 8.8), 2.4, 2.4)


def _film(painter: QPainter, colour: QColor) -> None:
    _outline(painter, colour, 1.4)
    painter.drawRoundedRect(QRectF(2, 3, 12, 10), 1.5, 1.5)
    for x in (5.0, 11.0):
        painter.drawLine(QPointF(x, 3), QPointF(x, 13))
    for y in (5.0, 8.0, 11.0):
        painter.drawPoint(QPointF(3.5, y))
        painter.drawPoint(QPointF(12.5, y))


def _more(painter: QPainter, _colour: QColor) -> None:
    for x in (3.0, 8.0, 13.0):
        painter.drawEllipse(QPointF(x, 8), 1.6, 1.6)


def _outline(painter: QPainter, colour: QColor, width: float) -> None:
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(colour, width))


def _line(painter: QPainter, colour: QColor, points: list[QPointF]) -> None:
    pen = QPen(colour, 1.8)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPolyline(QPolygonF(points))


PAINTERS: dict[str, Painter] = {
    "run": _run,
    "play": _run,
    "pause": _pause,
    "next": _next,
    "previous": _mirrored(_next),
    "last": _last,
    "first": _mirrored(_last),
    "loop": _loop,
    "panel": _panel,
    "moment": _moment,
    "film": _film,
    "more": _more,
    "stop": _stop,
    "open": _open,
    "up": _up,
    "closed": _closed,
    "cross": _cross,
    "tick": _tick,
}
