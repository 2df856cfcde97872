"""Diagrams on a sheet: squares of cells, from the grid of a launch to a thread, and a roofline."""

import math
from collections.abc import Callable

from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from lnexplorer.domain.lecture.scenes import HierarchyLevel, Levels
from lnexplorer.domain.roofline import Roofline
from lnexplorer.gui.charts.sheet import CENTRE, LEFT, LINES, RIGHT, Palette, Sheet, SheetView
from lnexplorer.gui.kit.languages import translate_message
from lnexplorer.gui.kit.theme import mixed
from lnkernels.values.sentence import say

_ABOVE = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
_GRID_SHARE = 0.92  # of a cell's side that is filled


def draw_levels(sheet: Sheet, room: QRectF, scene: Levels) -> None:
    """Squares of cells side by side: one cell of each is the next square."""
    unit, palette, painter, levels = sheet.unit, sheet.palette, sheet.painter, scene.levels
    gap = 2.2 * unit
    room = room.adjusted(
        0.4 * gap, 0, -0.4 * gap, 0
    )  # for the words, which are wider than their square
    width = (room.width() - gap * (len(levels) - 1)) / len(levels)
    side = min(width, 0.5 * room.height())
    top = room.top() + 2.6 * unit
    before: tuple[QRectF, QColor] | None = None
    for place, level in enumerate(levels):
        left = room.left() + place * (width + gap)
        square = QRectF(left + (width - side) / 2, top, side, side)
        colour = palette.lock(place)
        if before is not None:
            cell, ink = before
            painter.setPen(QPen(ink, 0.1 * unit))
            painter.drawLine(QLineF(cell.topRight(), square.topLeft()))
            painter.drawLine(QLineF(cell.bottomRight(), square.bottomLeft()))
        heading = QRectF(left, room.top(), width, 2.2 * unit)
        sheet.write(heading, translate_message(level.title), 1.5, palette.text, CENTRE, bold=True)
        before = _draw_cells(sheet, square, level, colour), colour
        words = QRectF(
            left - 0.4 * gap,
            square.bottom() + 0.6 * unit,
            width + 0.8 * gap,
            room.bottom() - square.bottom(),
        )
        sheet.write(words, translate_message(level.text), sheet.body, palette.text, _ABOVE)


def _draw_cells(sheet: Sheet, square: QRectF, level: HierarchyLevel, colour: QColor) -> QRectF:
    """Draw a square of cells; return the one that is the next square, or all where several are."""
    columns = next(
        count
        for count in range(math.isqrt(level.cells - 1) + 1, level.cells + 1)
        if level.cells % count == 0
    )
    rows = level.cells // columns
    width, height = square.width() / columns, square.height() / rows
    plain = mixed(sheet.palette.cell, colour, 0.35)
    marked = level.marked or (
        columns * (rows // 2) + columns - 1,
    )  # on the right edge: its lines cross no other cell
    cells = []
    for cell in range(level.cells):
        area = QRectF(0, 0, _GRID_SHARE * width, _GRID_SHARE * height)
        area.moveCenter(
            QPointF(
                square.left() + (cell % columns + 0.5) * width,
                square.top() + (cell // columns + 0.5) * height,
            )
        )
        cells.append(area)
    painter = sheet.painter
    painter.fillRect(square, sheet.palette.cell)
    painter.setPen(Qt.PenStyle.NoPen)
    for fill, areas in ((plain, cells), (colour, [cells[cell] for cell in marked])):
        painter.setBrush(fill)
        painter.drawRects(areas)  # all at once: one by one, thousands take longer than a frame
    painter.setBrush(Qt.BrushStyle.NoBrush)
    return cells[marked[0]] if len(marked) == 1 else square


def draw_axes(
    sheet: Sheet,
    plot: QRectF,
    x: tuple[int, int],
    y: tuple[int, int],
    names: Callable[[float], str],
) -> Callable[[float, float], QPointF]:
    """Draw the decades of two logarithmic axes.

    Args:
        sheet: the page.
        plot: between the axes.
        x: powers of ten at its ends.
        y: the same.
        names: of a value of y.

    Returns:
        Where a pair of values is.
    """
    unit, palette = sheet.unit, sheet.palette

    def place(across: float, up: float) -> QPointF:
        right = (math.log10(across) - x[0]) / (x[1] - x[0]) * plot.width()
        return QPointF(
            plot.left() + right,
            plot.bottom() - (math.log10(up) - y[0]) / (y[1] - y[0]) * plot.height(),
        )

    for power in range(y[0], y[1] + 1):
        level = place(10.0 ** x[0], 10.0**power).y()
        sheet.painter.setPen(QPen(palette.line, 0.06 * unit))
        sheet.painter.drawLine(QLineF(plot.left(), level, plot.right(), level))
        label = QRectF(plot.left() - 10.4 * unit, level - 0.7 * unit, 10 * unit, 1.4 * unit)
        sheet.write(label, names(10.0**power), sheet.small, palette.muted, RIGHT)
    return place


_INTENSITIES = (0, 2)  # powers of ten of operations a byte
_LINE = 1.6  # units from one label to the next


def draw_roofline(sheet: Sheet, room: QRectF, scene: Roofline) -> None:
    """Draw the limits of memory and arithmetic, and measured passes below."""
    unit, palette, painter = sheet.unit, sheet.palette, sheet.painter
    low = math.floor(math.log10(min(point.gflops for point in scene.points)))
    high = math.ceil(math.log10(scene.peak.gflops))
    axis = sheet.width_of("100,000 GFLOP/s", sheet.small) + 0.6 * unit
    plot = room.adjusted(axis, 0.8 * unit, -unit, -3.2 * unit)
    place = draw_axes(sheet, plot, _INTENSITIES, (low, high), lambda value: f"{value:,g} GFLOP/s")
    for power in range(_INTENSITIES[0], _INTENSITIES[1] + 1):
        x = place(10.0**power, 10.0**low).x()
        label = QRectF(x - 2 * unit, plot.bottom() + 0.2 * unit, 4 * unit, 1.4 * unit)
        label.moveRight(min(label.right(), room.right()))
        sheet.write(label, f"{10.0**power:g}", sheet.small, palette.muted, CENTRE)
    name = QRectF(plot.left(), plot.bottom() + 1.7 * unit, plot.width(), 1.4 * unit)
    sheet.write(
        name, translate_message(say("operations a byte")), sheet.small, palette.muted, CENTRE
    )
    ridge = scene.peak.gflops / scene.ceiling_gbps
    left, right = 10.0 ** _INTENSITIES[0], 10.0 ** _INTENSITIES[1]
    painter.setPen(QPen(palette.accent, 0.2 * unit))
    roof = [
        place(left, left * scene.ceiling_gbps),
        place(ridge, scene.peak.gflops),
        place(right, scene.peak.gflops),
    ]
    painter.drawPolyline(QPolygonF(roof))
    above = -math.inf
    for point in sorted(scene.points, key=lambda each: -each.gflops):
        at = place(point.intensity, point.gflops)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(palette.good)
        painter.drawEllipse(at, 0.42 * unit, 0.42 * unit)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        above = max(above, at.y() - 0.7 * unit)  # below the label before it
        label = QRectF(at.x() + 3 * unit, above, plot.right() - at.x() - 3 * unit, 1.4 * unit)
        painter.setPen(QPen(palette.good, 0.08 * unit))
        painter.drawLine(QLineF(at, QPointF(label.left() - 0.3 * unit, label.center().y())))
        for words, ink in (
            (f"{translate_message(point.name)}: {point.gflops:,.0f}", palette.text),
            (point.l2, palette.muted),
        ):
            if words is not None:
                text, room = translate_message(words), label.translated(0, above - label.top())
                width = min(sheet.width_of(text, sheet.small), room.width())
                painter.fillRect(
                    QRectF(room.left(), room.top(), width, room.height()), palette.background
                )  # no line in it
                sheet.write(room, text, sheet.small, ink, LEFT)
                above += _LINE * unit


class RooflineView(SheetView):
    """A roofline in a pane, as large as there is room."""

    def draw(self, painter: QPainter, shown: Roofline) -> None:
        letter = (
            self.fontMetrics().height() / 1.3
        )  # a sheet has so many of its units in a page of LINES
        sheet = Sheet(
            painter,
            QSizeF(2 * LINES * letter, LINES * letter),
            Palette(self.theme, self.theme.raised),
        )
        draw_roofline(
            sheet, QRectF(self.rect()).adjusted(letter, letter, -letter, -letter / 2), shown
        )
