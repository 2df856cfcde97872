"""Diagrams on a sheet: the levels from a launch's grid to a thread, as squares; and a roofline."""

import math
from collections.abc import Callable

from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from lnexplorer.domain.lecture.scenes import HierarchyLevel, Levels
from lnexplorer.domain.roofline import Roofline
from lnexplorer.gui.charts.sheet import LINES, Palette, Sheet, SheetView, within
from lnexplorer.gui.kit import CENTRE, RIGHT, Theme, mixed, translate_message
from lnkernels.values import join_sentences, say

_ABOVE = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
_GRID_SHARE = 0.92  # of a cell's side that is filled


def draw_levels(sheet: Sheet, room: QRectF, scene: Levels) -> None:
    """Draw each level as a square of cells; one cell of a square is the next square."""
    unit, palette, painter, levels = sheet.unit, sheet.palette, sheet.painter, scene.levels
    gap, spare = 2.2 * unit, 0.88 * unit  # between squares; words are wider than them by `spare`
    width = (room.width() - 2 * spare - gap * (len(levels) - 1)) / len(levels)
    side = min(width, 0.5 * room.height())
    before: tuple[QRectF, QColor] | None = None
    for place, level in enumerate(levels):
        left = spare + place * (width + gap)
        square = within(room, left + (width - side) / 2, 2.6 * unit, side, side)
        colour = palette.lock(place)
        if before is not None:
            cell, ink = before
            painter.setPen(QPen(ink, 0.1 * unit))
            painter.drawLine(QLineF(cell.topRight(), square.topLeft()))
            painter.drawLine(QLineF(cell.bottomRight(), square.bottomLeft()))
        heading = within(room, left, 0, width, 2.2 * unit)
        sheet.write(heading, level.title, 1.5, palette.text, CENTRE, bold=True)
        before = _draw_cells(sheet, square, level, colour), colour
        words = within(room, left - spare, 3.2 * unit + side, width + 2 * spare)
        sheet.write(words, level.text, sheet.body, palette.text, _ABOVE)


def _draw_cells(sheet: Sheet, square: QRectF, level: HierarchyLevel, colour: QColor) -> QRectF:
    """Draw a square of cells; return the cell that is the next square, or all if several are."""
    counts = range(math.isqrt(level.cells - 1) + 1, level.cells + 1)
    columns = next(count for count in counts if level.cells % count == 0)
    rows = level.cells // columns
    # Without a marked cell, one at the right edge: the lines to the next square cross no cell.
    marked = level.marked or (columns * (rows // 2) + columns - 1,)
    width, height = square.width() / columns, square.height() / rows
    area = QRectF(square.left(), square.top(), _GRID_SHARE * width, _GRID_SHARE * height)
    area.translate((width - area.width()) / 2, (height - area.height()) / 2)
    cells = [
        area.translated(cell % columns * width, cell // columns * height)
        for cell in range(level.cells)
    ]
    painter, cell_colour = sheet.painter, sheet.palette.cell
    painter.fillRect(square, cell_colour)
    painter.setPen(Qt.PenStyle.NoPen)
    for fill, areas in (
        (mixed(cell_colour, colour, 0.35), cells),
        (colour, [cells[cell] for cell in marked]),
    ):
        painter.setBrush(fill)
        painter.drawRects(areas)  # all at once: one by one, thousands take longer than a frame
    painter.setBrush(Qt.BrushStyle.NoBrush)
    return cells[marked[0]] if len(marked) == 1 else square


def draw_decades(
    sheet: Sheet, plot: QRectF, low: int, high: int, names: Callable[[float], str]
) -> Callable[[float], float]:
    """Draw the powers of ten of an upright logarithmic axis, each with a line through the plot.

    Args:
        sheet: the page.
        plot: the area at the right of the axis.
        low: the power of ten at the lower end.
        high: the power of ten at the upper end.
        names: gives the label of a value.

    Returns:
        A function that gives the height of a value, in px.
    """
    unit = sheet.unit

    def height(value: float) -> float:
        return plot.bottom() - (math.log10(value) - low) / (high - low) * plot.height()

    for power in range(low, high + 1):
        level = height(10.0**power)
        sheet.rule(plot, level)
        label = QRectF(plot.left() - 10.4 * unit, level - 0.7 * unit, 10 * unit, 1.4 * unit)
        sheet.label(label, names(10.0**power), RIGHT)
    return height


_MOST = 2  # power of ten of operations a byte, at the right end
_LINE = 1.6  # units from one label to the next


def draw_roofline(sheet: Sheet, room: QRectF, scene: Roofline) -> None:
    """Draw the limits that memory and arithmetic set, and below them the measured passes."""
    unit, palette, painter, peak = sheet.unit, sheet.palette, sheet.painter, scene.peak.gflops
    low = math.floor(math.log10(min(point.gflops for point in scene.points)))
    axis = sheet.width_of("100,000 GFLOP/s", sheet.small) + 0.6 * unit
    plot = room.adjusted(axis, 0.8 * unit, -unit, -3.2 * unit)
    height = draw_decades(
        sheet, plot, low, math.ceil(math.log10(peak)), lambda value: f"{value:,g} GFLOP/s"
    )

    def place(intensity: float, gflops: float) -> QPointF:
        right = math.log10(intensity) / _MOST * plot.width()
        return QPointF(plot.left() + right, height(gflops))

    below = within(plot, top=plot.height() + 0.2 * unit, height=1.4 * unit)
    for power in range(_MOST + 1):
        sheet.tick(below, power / _MOST * plot.width(), f"{10.0**power:g}", room)
    name = below.translated(0, 1.5 * unit)
    sheet.label(name, say("operations a byte"), CENTRE)
    painter.setPen(QPen(palette.accent, 0.2 * unit))
    ridge = place(peak / scene.ceiling_gbps, peak)
    roof = [place(1.0, scene.ceiling_gbps), ridge, place(10.0**_MOST, peak)]
    painter.drawPolyline(QPolygonF(roof))
    above = -math.inf
    for point in sorted(scene.points, key=lambda each: -each.gflops):
        at = place(point.intensity, point.gflops)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(palette.good)
        painter.drawEllipse(at, 0.42 * unit, 0.42 * unit)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        above = max(above, at.y() - 0.7 * unit)  # below the label before it
        painter.setPen(QPen(palette.good, 0.08 * unit))
        painter.drawLine(QLineF(at, QPointF(at.x() + 2.7 * unit, above + 0.7 * unit)))
        lines = [
            (
                translate_message(join_sentences((point.name, f"{point.gflops:,.0f}"), ": ")),
                palette.text,
            )
        ]
        if point.l2 is not None:
            lines.append((translate_message(point.l2), palette.muted))
        for text, ink in lines:
            left = at.x() + 3 * unit
            label = QRectF(left, above, plot.right() - left, 1.4 * unit)
            free = min(sheet.width_of(text, sheet.small), label.width())
            painter.fillRect(within(label, width=free), palette.background)  # no line in it
            sheet.write(label, text, sheet.small, ink)
            above += _LINE * unit


class RooflineView(SheetView):
    """A roofline in a pane, as large as there is room."""

    def draw(self, painter: QPainter, shown: Roofline) -> None:
        # A size for which the sheet's unit is about the height of this widget's letters.
        letter = self.fontMetrics().height() / 1.3
        size = QSizeF(2 * LINES * letter, LINES * letter)
        sheet = Sheet(painter, size, Palette(Theme.current, Theme.current.raised))
        room = QRectF(self.rect()).adjusted(letter, letter, -letter, -letter / 2)
        draw_roofline(sheet, room, shown)
