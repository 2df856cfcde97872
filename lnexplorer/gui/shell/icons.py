"""The few pictures on buttons, painted in the theme's colours on a field of 16 × 16."""

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap, QPolygonF

Painter = Callable[[QPainter, QColor], None]
SIZE = 16  # units of a painter
SCALE = 3  # sharp up to three device pixels a pixel


def icon(name: str, colour: str, disabled: str | None = None, *, checked: str | None = None, size: int = SIZE) -> QIcon:
    """Picture of one of the names in PAINTERS, in other colours where it is disabled or checked."""
    result = QIcon(_pixmap(name, colour, size))
    if disabled is not None:
        result.addPixmap(_pixmap(name, disabled, size), QIcon.Mode.Disabled)
    if checked is not None:
        for mode in (QIcon.Mode.Normal, QIcon.Mode.Active, QIcon.Mode.Selected):
            result.addPixmap(_pixmap(name, checked, size), mode, QIcon.State.On)
    return result


def _pixmap(name: str, colour: str, size: int) -> QPixmap:
    pixmap = QPixmap(size * SCALE, size * SCALE)
    pixmap.setDevicePixelRatio(SCALE)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(size / SIZE, size / SIZE)
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


def _rows(painter: QPainter, colour: QColor) -> None:
    """The workspace Run: rows that go through a lock, and the arrow of a run."""
    _line(painter, colour, [QPointF(2.5, 3.5), QPointF(8, 3.5)])
    _line(painter, colour, [QPointF(2.5, 8), QPointF(6, 8)])
    _line(painter, colour, [QPointF(2.5, 12.5), QPointF(8, 12.5)])
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawPolygon(QPolygonF([QPointF(8.5, 4.5), QPointF(14, 8), QPointF(8.5, 11.5)]))


def _curves(painter: QPainter, colour: QColor) -> None:
    _line(painter, colour, [QPointF(2, 2), QPointF(2, 14), QPointF(14, 14)], 1.3)
    _line(painter, colour, [QPointF(4, 11.5), QPointF(7, 6), QPointF(10, 7.5), QPointF(14, 3)])


def _flask(painter: QPainter, colour: QColor) -> None:
    outline = [(6, 2), (6, 6.5), (2.5, 13), (3.5, 14), (12.5, 14), (13.5, 13), (10, 6.5), (10, 2)]
    _line(painter, colour, [QPointF(x, y) for x, y in outline], 1.4)
    _line(painter, colour, [QPointF(4.8, 2), QPointF(11.2, 2)], 1.4)
    _line(painter, colour, [QPointF(4.6, 10), QPointF(11.4, 10)], 1.4)


def _cells(painter: QPainter, colour: QColor) -> None:
    painter.setPen(QPen(colour, 1.2))
    for row in range(3):
        for column in range(3):
            painter.setBrush(colour if (row, column) in ((0, 1), (1, 1), (2, 1)) else Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(2 + 4.2 * column, 2 + 4.2 * row, 3.2, 3.2))


def _clock(painter: QPainter, colour: QColor) -> None:
    painter.setPen(QPen(colour, 1.4))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawEllipse(QRectF(2, 2, 12, 12))
    _line(painter, colour, [QPointF(8, 4.5), QPointF(8, 8.2), QPointF(11, 9.8)], 1.4)


def _fill(painter: QPainter, colour: QColor) -> None:
    for points in (((9.5, 3), (13, 3), (13, 6.5)), ((6.5, 13), (3, 13), (3, 9.5))):
        _line(painter, colour, [QPointF(*point) for point in points], 1.4)
    _line(painter, colour, [QPointF(13, 3), QPointF(9, 7)], 1.4)
    _line(painter, colour, [QPointF(3, 13), QPointF(7, 9)], 1.4)


def _unfill(painter: QPainter, colour: QColor) -> None:
    for points in (((9, 3.5), (9, 7), (12.5, 7)), ((7, 12.5), (7, 9), (3.5, 9))):
        _line(painter, colour, [QPointF(*point) for point in points], 1.4)
    _line(painter, colour, [QPointF(13, 3), QPointF(9, 7)], 1.4)
    _line(painter, colour, [QPointF(3, 13), QPointF(7, 9)], 1.4)


def _own_window(painter: QPainter, colour: QColor) -> None:
    painter.setPen(QPen(colour, 1.3))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(QRectF(2.5, 5.5, 8, 8))
    _line(painter, colour, [QPointF(6, 2.5), QPointF(13.5, 2.5), QPointF(13.5, 10)], 1.3)


def _line(painter: QPainter, colour: QColor, points: list[QPointF], width: float = 1.8) -> None:
    pen = QPen(colour, width)
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
    "rows": _rows,
    "curves": _curves,
    "flask": _flask,
    "cells": _cells,
    "clock": _clock,
    "fill": _fill,
    "unfill": _unfill,
    "own_window": _own_window,
}
