"""Picture of the rows of x, each lock's rows side by side."""

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from lnexplorer.domain.timeline import Moment, RowState, locks_in_use
from lnexplorer.gui.charts.sheet import CENTRE
from lnexplorer.gui.kit.theme import GRID
from lnexplorer.gui.timeline.colours import (
    BACKGROUND,
    HUES,
    PictureColours,
    draw_indices,
    legible_on,
)
from lnexplorer.gui.timeline.painting import write_text
from lnkernels.values.timeline import ReductionTimeline

_ASPECT = 1.5  # width over height of a cell that pleases
_LARGEST = 44.0  # px; cells of few rows grow no further
_MOST_NUMBERED = 512  # rows whose numbers are written
_LEAST_AREA = 4.0  # px²; smaller cells are joined
_LEAST_SPACED = 5.0  # px; smaller cells have no line between them


class RowGrid:
    """Picture of the rows at a moment, a cell for each row.

    Cells are laid out from left to right, a lock's rows after those of the lock before; a line
    holds whole locks, or a lock whole lines. If there are more rows than the picture has room for,
    a cell stands for several consecutive rows of one lock, and shows the busiest of them.
    """

    def __init__(self, timeline: ReductionTimeline, area: QRectF, colours: PictureColours) -> None:
        self._timeline = timeline
        self._colours = colours
        locks = self._locks = locks_in_use(timeline)
        rows_per_lock = -(-timeline.m // locks)
        room = max(area.width() * area.height() / _LEAST_AREA, 1.0)
        self.rows_per_cell = min(-(-timeline.m // int(room)), rows_per_lock)
        cells = self._cells_per_lock = -(-rows_per_lock // self.rows_per_cell)
        pleasing = math.sqrt(
            locks * cells * max(area.width(), 1.0) / max(area.height(), 1.0) / _ASPECT
        )
        if pleasing >= cells:
            self._columns = cells * min(round(pleasing / cells), locks)
            self._stride = cells
        else:
            folds = round(cells / pleasing)  # lines of a lock
            self._columns = -(-cells // folds)
            self._stride = self._columns * folds
        lines = -(-locks * self._stride // self._columns)
        width = self.cell_width = _snapped(min(area.width() / self._columns, _LARGEST * _ASPECT))
        height = self.cell_height = _snapped(min(area.height() / lines, _LARGEST))
        self.area = QRectF(area.left(), area.top(), width * self._columns, height * lines)
        self._indices = np.full((lines, self._columns), BACKGROUND, np.uint8)
        lock, place = np.arange(locks), np.arange(cells)[:, None]
        self._hue = (lock % HUES).astype(np.uint8)
        # A view of the picture [cells of a lock, lock], and where in it no row is.
        whole = self._indices.reshape(-1)[: locks * self._stride]
        self._cells = whole.reshape(locks, self._stride)[:, :cells].T
        self._nothing = np.nonzero(place * self.rows_per_cell * locks + lock >= timeline.m)
        upright = QLineF(self.area.topLeft(), self.area.bottomLeft())
        level = QLineF(self.area.topLeft(), self.area.topRight())
        self._gaps = [upright.translated(place * width, 0) for place in range(self._columns)]
        self._gaps += [level.translated(0, place * height) for place in range(lines)]
        self._numbered = timeline.m <= _MOST_NUMBERED and self.rows_per_cell == 1

    def paint(
        self, painter: QPainter, now: Moment, followed: int | None, followed_lock: int | None = None
    ) -> None:
        self._cells[:] = self._states(now) * np.uint8(HUES) + self._hue
        self._cells[self._nothing] = BACKGROUND
        draw_indices(painter, self.area, self._indices, self._colours.row_table)
        size, metrics = min(self.cell_width, self.cell_height), painter.fontMetrics()
        if size >= _LEAST_SPACED:
            painter.setPen(QPen(self._colours.surface, 1))
            painter.drawLines(self._gaps)
        if size >= 4 and self.rows_per_cell == 1:
            self._outline(painter, now.holder[now.holder >= 0], self._colours.text, 1.0)
        wide = metrics.horizontalAdvance("00") <= self.cell_width - GRID
        if self._numbered and wide and 0.9 * metrics.height() <= self.cell_height:
            self._write_numbers(painter, now)
        if followed_lock is not None:
            columns, lines = min(self._stride, self._columns), self._stride // self._columns or 1
            box = self._box(followed_lock * self._stride, columns, lines)
            painter.setPen(QPen(self._colours.accent, 2.0))
            painter.drawRect(box.adjusted(-2, -2, 2, 2))
        if followed is not None:
            self._outline(painter, np.array([followed]), self._colours.accent, 3.0)

    def row_at(self, position: QPointF) -> int | None:
        """Return the row under a point, the first of its cell."""
        if not self.area.contains(position):
            return None
        column = min(int((position.x() - self.area.left()) / self.cell_width), self._columns - 1)
        line = min(int((position.y() - self.area.top()) / self.cell_height), len(self._indices) - 1)
        lock, cell = divmod(line * self._columns + column, self._stride)
        row = cell * self.rows_per_cell * self._locks + lock
        there = lock < self._locks and cell < self._cells_per_lock and row < self._timeline.m
        return row if there else None

    def _states(self, now: Moment) -> NDArray[np.uint8]:
        """Return the state of each cell [cells of a lock, lock]: of its rows, one that holds, else
        one that tries, queues, computes, or is done.
        """
        shape = (self._cells_per_lock, self.rows_per_cell, self._locks)
        state = np.zeros(math.prod(shape), np.uint8)
        state[: now.state.size] = now.state
        groups = state.reshape(shape)
        if self.rows_per_cell == 1:
            return groups[:, 0]
        busy = (groups * (groups < RowState.DONE)).max(axis=1)  # 0 where all are pending or done
        states: NDArray[np.uint8] = np.where(busy > 0, busy, groups.max(axis=1))
        return states

    def _box(self, cell: int, columns: int = 1, lines: int = 1) -> QRectF:
        """Return the place of so many cells from one on, counted through the picture's lines."""
        line, column = divmod(cell, self._columns)
        width, height = self.cell_width, self.cell_height
        left, top = self.area.left() + column * width, self.area.top() + line * height
        return QRectF(left, top, columns * width, lines * height)

    def _cells_of(self, rows: NDArray[np.signedinteger]) -> list[int]:
        place, lock = np.divmod(rows, self._locks)
        cells: list[int] = (lock * self._stride + place // self.rows_per_cell).tolist()
        return cells

    def _outline(
        self, painter: QPainter, rows: NDArray[np.signedinteger], colour: QColor, width: float
    ) -> None:
        painter.setPen(QPen(colour, width))
        grow = width / 2 if width > 1 else -0.5
        painter.drawRects(
            [self._box(cell).adjusted(-grow, -grow, grow, grow) for cell in self._cells_of(rows)]
        )

    def _write_numbers(self, painter: QPainter, now: Moment) -> None:
        for row, cell in enumerate(self._cells_of(np.arange(now.state.size))):
            ground = self._colours.state(RowState(int(now.state[row])), row % self._locks % HUES)
            write_text(painter, self._box(cell), CENTRE, str(row), legible_on(ground))


def _snapped(size: float) -> float:
    """Return whole pixels if that costs little room."""
    whole = float(int(size))
    return whole if whole > 0.9 * size else size
