"""The few pictures on buttons, painted in the theme's colours on a field of 16 × 16."""

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap, QPolygonF

Stroke = Callable[[QPainter, QColor], None]
Place = tuple[float, float]
SIZE = 16  # units of a picture
SCALE = 3  # sharp up to three device pixels a pixel


def icon(name: str, colour: str, disabled: str | None = None, *, checked: str | None = None, size: int = SIZE) -> QIcon:
    """Picture of one of the names in PICTURES, in other colours where it is disabled or checked."""
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
    for stroke in PICTURES[name]:
        stroke(painter, QColor(colour))
    painter.end()
    return pixmap


def _line(*places: Place, width: float = 1.8) -> Stroke:
    """A line with round ends and corners."""

    def stroke(painter: QPainter, colour: QColor) -> None:
        painter.setPen(QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(QPolygonF([QPointF(*place) for place in places]))

    return stroke


def _filled(draw: Callable[[QPainter], None]) -> Stroke:
    def stroke(painter: QPainter, colour: QColor) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        draw(painter)

    return stroke


def _outlined(draw: Callable[[QPainter], None], width: float = 1.4) -> Stroke:
    def stroke(painter: QPainter, colour: QColor) -> None:
        painter.setPen(QPen(colour, width))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        draw(painter)

    return stroke


def _area(*places: Place) -> Stroke:
    return _filled(lambda painter: painter.drawPolygon(QPolygonF([QPointF(*place) for place in places])))


def _bar(x: float, width: float) -> Stroke:
    return _filled(lambda painter: painter.drawRect(QRectF(x, 3, width, 10)))


def _disc(x: float) -> Stroke:
    return _filled(lambda painter: painter.drawEllipse(QPointF(x, 8), 1.6, 1.6))


def _frame(x: float, y: float, width: float, height: float) -> Stroke:
    return _outlined(lambda painter: painter.drawRoundedRect(QRectF(x, y, width, height), 1.5, 1.5))


def _edge(start: Place, end: Place) -> Stroke:
    return _outlined(lambda painter: painter.drawLine(QPointF(*start), QPointF(*end)))


def _dot(x: float, y: float) -> Stroke:
    return _outlined(lambda painter: painter.drawPoint(QPointF(x, y)))


def _cell(row: int, column: int) -> Stroke:
    """Of those that a program touches, in the middle column, filled."""
    around = QRectF(2 + 4.2 * column, 2 + 4.2 * row, 3.2, 3.2)

    def stroke(painter: QPainter, colour: QColor) -> None:
        painter.setPen(QPen(colour, 1.2))
        painter.setBrush(colour if column == 1 else Qt.BrushStyle.NoBrush)
        painter.drawRect(around)

    return stroke


def _mirror(painter: QPainter, _colour: QColor) -> None:
    painter.translate(SIZE, 0)
    painter.scale(-1, 1)


RUN = (_area((4, 2.5), (13.5, 8), (4, 13.5)),)
NEXT = (_bar(3, 2), _area((6.5, 2.5), (13.5, 8), (6.5, 13.5)))
LAST = (_bar(11, 2), _area((3, 2.5), (10, 8), (3, 13.5)))
PICTURES: dict[str, tuple[Stroke, ...]] = {
    "run": RUN,
    "play": RUN,
    "stop": (_filled(lambda painter: painter.drawRoundedRect(QRectF(3.5, 3.5, 9, 9), 1.5, 1.5)),),
    "pause": (_bar(3.5, 3.2), _bar(9.3, 3.2)),
    "next": NEXT,
    "previous": (_mirror, *NEXT),
    "last": LAST,
    "first": (_mirror, *LAST),
    "loop": (
        _outlined(lambda painter: painter.drawArc(QRectF(3, 3, 10, 10), 60 * 16, 300 * 16), 1.8),
        _area((9, 0.5), (13.6, 4), (8.6, 6.5)),
    ),
    "panel": (_frame(2, 3, 12, 10), _edge((9, 3), (9, 13)), *(_edge((10.6, y), (12.6, y)) for y in (5.8, 8.0, 10.2))),
    "moment": (
        _frame(2, 4.5, 12, 8.5),
        _edge((5.8, 3.2), (10.2, 3.2)),
        _outlined(lambda painter: painter.drawEllipse(QPointF(8, 8.8), 2.4, 2.4)),
    ),
    "film": (
        _frame(2, 3, 12, 10),
        *(_edge((x, 3), (x, 13)) for x in (5, 11)),
        *(_dot(x, y) for y in (5, 8, 11) for x in (3.5, 12.5)),
    ),
    "more": tuple(_disc(x) for x in (3, 8, 13)),
    "open": (_line((4, 6), (8, 10), (12, 6)),),
    "closed": (_line((6, 4), (10, 8), (6, 12)),),
    "cross": (_line((4, 4), (12, 12)), _line((12, 4), (4, 12))),
    # The workspaces. Run: rows that go through a lock, and the arrow of a run.
    "rows": (
        _line((2.5, 3.5), (8, 3.5)),
        _line((2.5, 8), (6, 8)),
        _line((2.5, 12.5), (8, 12.5)),
        _area((8.5, 4.5), (14, 8), (8.5, 11.5)),
    ),
    "curves": (_line((2, 2), (2, 14), (14, 14), width=1.3), _line((4, 11.5), (7, 6), (10, 7.5), (14, 3))),
    "flask": (
        _line((6, 2), (6, 6.5), (2.5, 13), (3.5, 14), (12.5, 14), (13.5, 13), (10, 6.5), (10, 2), width=1.4),
        _line((4.8, 2), (11.2, 2), width=1.4),
        _line((4.6, 10), (11.4, 10), width=1.4),
    ),
    "cells": tuple(_cell(row, column) for row in range(3) for column in range(3)),
    "clock": (
        _outlined(lambda painter: painter.drawEllipse(QRectF(2, 2, 12, 12))),
        _line((8, 4.5), (8, 8.2), (11, 9.8), width=1.4),
    ),
    "fill": (
        _line((9.5, 3), (13, 3), (13, 6.5), width=1.4),
        _line((6.5, 13), (3, 13), (3, 9.5), width=1.4),
        _line((13, 3), (9, 7), width=1.4),
        _line((3, 13), (7, 9), width=1.4),
    ),
    "unfill": (
        _line((9, 3.5), (9, 7), (12.5, 7), width=1.4),
        _line((7, 12.5), (7, 9), (3.5, 9), width=1.4),
        _line((13, 3), (9, 7), width=1.4),
        _line((3, 13), (7, 9), width=1.4),
    ),
    "own_window": (
        _outlined(lambda painter: painter.drawRect(QRectF(2.5, 5.5, 8, 8)), 1.3),
        _line((6, 2.5), (13.5, 2.5), (13.5, 10), width=1.3),
    ),
}
