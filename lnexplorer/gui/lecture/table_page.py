"""The numbers of the example, a table beside the other, each as far as the lecture has come."""

import numpy as np
from PySide6.QtCore import QCoreApplication, QRectF

from lnexplorer.domain.lecture.example import Example
from lnexplorer.gui.lecture.formulas import DX, STATISTICS, SUMS, draw_formulas, draw_sign, sign_width
from lnexplorer.gui.lecture.sheet import CENTRE, RIGHT, Sheet
from lnexplorer.gui.lecture.words import plain
from lnexplorer.gui.reduction.painter.colours import legible_on, mixed

_GAP = 1.2  # units between two tables
_TALLEST = 2.7  # units a line
_WIDEST = 4.2  # units a cell
_FORMULAS = {
    "inputs": (STATISTICS, ()),
    "mean": (STATISTICS, ("mean",)),
    "rstd": (STATISTICS, ("rstd",)),
    "xhat": (STATISTICS, ("xhat",)),
    "c": (DX, ("c1", "c2")),
    "dx": (DX, ("dx",)),
    "partials": (SUMS, ("rows",)),
}


def draw_table_page(sheet: Sheet, room: QRectF, example: Example, upto: str) -> None:
    """Formulas above, with the current one marked, and tables below."""
    formulas, marked = _FORMULAS[upto]
    height = 0.36 * room.height()
    draw_formulas(sheet, QRectF(room.left(), room.top(), room.width(), height), formulas, marked)
    below = QRectF(room.left(), room.top() + height, room.width(), room.height() - height)
    _draw_tables(sheet, below, _tables(example, upto), example.timeline.lock.tolist())


_Table = tuple[str, np.ndarray, bool]  # name in SIGNS, values [rows, columns], whether it is what the step is about


def _tables(example: Example, upto: str) -> list[_Table]:
    x, dy = ("x", example.x, False), ("dy", example.dy, False)
    mean, rstd = ("mean", example.mean[:, None], upto == "mean"), ("rstd", example.rstd[:, None], upto == "rstd")
    xhat = ("xhat", example.xhat, upto == "xhat")
    c1, c2 = ("c1", example.c1[:, None], upto == "c"), ("c2", example.c2[:, None], upto == "c")
    wdy = ("wdy", example.weight * example.dy, False)
    tables: dict[str, list[_Table]] = {
        "inputs": [("x", example.x, True), ("dy", example.dy, True), ("w", example.weight[None, :], True)],
        "mean": [x, mean],
        "rstd": [x, mean, rstd],
        "xhat": [x, mean, rstd, xhat],
        "c": [xhat, wdy, c1, c2],
        "dx": [wdy, xhat, c1, c2, rstd, ("dx", example.dx, True)],
        "partials": [dy, xhat, ("dw row", example.partial_rows.dw, True), ("db row", example.partial_rows.db, True)],
    }
    return tables[upto]


def _cell_widths(sheet: Sheet, tables: list[_Table], units: float) -> list[float]:
    return [
        max(
            max(sheet.width_of(plain(float(value)), units) for value in values.flat) + 0.7 * sheet.unit,
            (sign_width(sheet, name) + 0.2 * sheet.unit) / values.shape[1],
            1.6 * sheet.unit,
        )
        for name, values, _ in tables
    ]


def _draw_tables(sheet: Sheet, room: QRectF, tables: list[_Table], locks: list[int]) -> None:
    unit, units = sheet.unit, 1.5
    label = sheet.width_of(QCoreApplication.translate("lecture", "row {0}").format(0), sheet.small) + 0.8 * unit
    while True:
        cells = _cell_widths(sheet, tables, units)
        total = label + sum(width * table[1].shape[1] for width, table in zip(cells, tables, strict=True))
        total += _GAP * unit * (len(tables) - 1)
        if total <= room.width() or (units <= sheet.small and len(tables) <= 2):
            break
        if units > sheet.small:
            units = max(units * 0.95, sheet.small)
        else:
            tables, units = tables[1:], 1.5  # the earliest is the best known
    spare = (room.width() - total) / sum(table[1].shape[1] for table in tables)
    cells = [min(width + spare, max(_WIDEST * unit, width)) for width in cells]
    total = label + sum(width * table[1].shape[1] for width, table in zip(cells, tables, strict=True))
    total += _GAP * unit * (len(tables) - 1)
    lines = len(locks)
    heading = 1.7 * unit
    height = min((room.height() - heading) / lines, _TALLEST * unit)
    top = room.top() + heading + max((room.height() - heading - lines * height) / 3, 0)
    x = room.left() + (room.width() - total) / 2
    for row in range(lines):
        text = QCoreApplication.translate("lecture", "row {0}").format(row)
        sheet.write(QRectF(x, top + row * height, label - 0.5 * unit, height), text, sheet.small, sheet.palette.muted, RIGHT)
    x += label
    for (name, values, now), width in zip(tables, cells, strict=True):
        _draw_table(
            sheet, QRectF(x, top - heading, width * values.shape[1], heading + height * len(values)), name, values, now, units
        )
        x += width * values.shape[1] + _GAP * unit


def _draw_table(sheet: Sheet, area: QRectF, name: str, values: np.ndarray, now: bool, units: float) -> None:
    unit, palette = sheet.unit, sheet.palette
    heading = 1.7 * unit
    draw_sign(sheet, QRectF(area.left(), area.top() - 0.15 * unit, area.width(), heading), name, marked=now)
    height, width = (area.height() - heading) / len(values), area.width() / values.shape[1]
    fill = mixed(palette.background, palette.accent, 0.24) if now else palette.cell
    for row, line in enumerate(values):
        top = area.top() + heading + row * height
        sheet.box(QRectF(area.left(), top, area.width(), height - 0.18 * unit), fill)
        for column, value in enumerate(line):
            cell = QRectF(area.left() + column * width, top, width, height - 0.18 * unit)
            sheet.write(cell, plain(float(value)), units, legible_on(fill), CENTRE)
