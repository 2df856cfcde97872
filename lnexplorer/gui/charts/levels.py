"""Squares of cells side by side, from the grid of a launch to a thread."""

import math

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPen

from lnexplorer.domain.lecture.scenes import HierarchyLevel, Levels
from lnexplorer.gui.charts.sheet import CENTRE, Sheet
from lnexplorer.gui.kit.theme import mixed
from lnexplorer.gui.kit.translate import translate_message

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
