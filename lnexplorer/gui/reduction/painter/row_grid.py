"""The rows of x, each lock's rows side by side behind the lock."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from lnexplorer.domain.timeline import Moment, RowState, locks_in_use
from lnexplorer.gui.reduction.painter.colours import BACKGROUND, HUES, PictureColours, draw_indices, legible_on
from lnkernels.values.timeline import ReductionTimeline

_ASPECT = 1.5  # width over height of a cell that pleases
_LARGEST = 44.0  # px; cells of few rows grow no further
_MOST_NUMBERED = 512  # rows whose numbers are written
_FEW = 6  # rows of a lock that need no space between it and them
_LEAST_AREA = 4.0  # px²; smaller cells are joined
_LEAST_SPACED = 5.0  # px; smaller cells have no line between them
_FREE = len(RowState) * HUES  # first index of free locks


@dataclass(frozen=True, slots=True)
class _Shape:
    banks: int  # lanes are stacked in so many columns
    folds: int  # lines that one lane takes
    lanes_per_bank: int
    cells_per_line: int

    @property
    def lock_columns(self) -> int:
        """The lock, and a space where there are rows enough to pay for it."""
        return 1 if self.cells_per_line < _FEW else 2

    @property
    def bank_columns(self) -> int:
        """A bank, and the space behind it."""
        return 2 * self.lock_columns + self.cells_per_line

    @property
    def columns(self) -> int:
        return self.banks * self.bank_columns - self.lock_columns

    @property
    def lines(self) -> int:
        return self.lanes_per_bank * self.folds


def _best_shape(locks: int, rows_per_lock: int, area: QRectF) -> _Shape:
    """Many lanes are stacked in banks, a few long ones are folded, so that a cell is neither a thread nor a stripe."""
    banked = [_Shape(banks, 1, -(-locks // banks), rows_per_lock) for banks in range(1, locks + 1)]
    folded = [_Shape(1, folds, locks, -(-rows_per_lock // folds)) for folds in range(2, min(rows_per_lock, 512) + 1)]

    def distance(shape: _Shape) -> float:
        width = max(area.width(), 1.0) / shape.columns
        height = max(area.height(), 1.0) / shape.lines
        return abs(float(np.log(width / height / _ASPECT)))

    return min(banked + folded, key=distance)


class RowGrid:
    """Positions of rows and locks in the picture, and the picture at a moment.

    Where there are more rows than the picture has room for, a cell stands for several rows of one lock, one after
    another, and shows the busiest of them.
    """

    def __init__(self, timeline: ReductionTimeline, area: QRectF, colours: PictureColours) -> None:
        self._timeline, self._colours = timeline, colours
        locks = self._locks = locks_in_use(timeline)
        rows_per_lock = max(-(-timeline.m // max(locks, 1)), 1)
        room = max(area.width() * area.height() / _LEAST_AREA, 1.0)
        self.rows_per_cell = max(-(-timeline.m // int(room)), 1) if rows_per_lock > 1 else 1
        self._cells_per_lock = -(-rows_per_lock // self.rows_per_cell)
        shape = self._shape = _best_shape(max(locks, 1), self._cells_per_lock, area)
        width = _snapped(min(area.width() / shape.columns, _LARGEST * _ASPECT))
        height = _snapped(min(area.height() / shape.lines, _LARGEST))
        self.cell_width, self.cell_height = width, height
        self.area = QRectF(area.left(), area.top(), width * shape.columns, height * shape.lines)
        self._indices = np.full((shape.lines, shape.columns), BACKGROUND, np.uint8)
        stride = shape.columns
        lock = np.arange(locks)
        bank, lane = lock // shape.lanes_per_bank, lock % shape.lanes_per_bank
        first_column = bank * shape.bank_columns
        self._lock_places = [
            (lane * shape.folds + fold) * stride + first_column for fold in range(shape.folds)
        ]  # a lock is as high as its lane
        self._lock_hue = (lock % HUES).astype(np.uint8)
        place = np.arange(self._cells_per_lock)[:, None]
        line = lane * shape.folds + place // shape.cells_per_line
        self._places = line * stride + first_column + shape.lock_columns + place % shape.cells_per_line  # [cells a lock, lock]
        self._owner: NDArray[np.int32] = np.full(self._indices.size, -1, np.int32)  # cell, or -2 - lock
        cells = np.arange(self._places.size).reshape(self._places.shape)
        first_row = place * self.rows_per_cell * max(locks, 1) + lock
        self._owner[self._places] = np.where(first_row < timeline.m, cells, -1)
        for places in self._lock_places:
            self._owner[places] = -2 - lock
        left, top, right, bottom = self.area.left(), self.area.top(), self.area.right(), self.area.bottom()
        self._gaps = [QLineF(left + place * width, top, left + place * width, bottom) for place in range(shape.columns)]
        self._gaps += [QLineF(left, top + place * height, right, top + place * height) for place in range(shape.lines)]
        self._numbered = timeline.m <= _MOST_NUMBERED and width >= 30 and height >= 16

    def paint(self, painter: QPainter, now: Moment, followed: int | None, followed_lock: int | None = None) -> None:
        flat = self._indices.reshape(-1)
        flat[self._places] = self._states(now) * np.uint8(HUES) + self._lock_hue
        if self._locks and self._timeline.m % self._locks:
            flat[self._places[-1, self._owner[self._places[-1]] < 0]] = BACKGROUND
        taken = np.where(now.holder >= 0, np.uint8(RowState.HOLDING * HUES), np.uint8(_FREE)) + self._lock_hue
        for places in self._lock_places:
            flat[places] = taken
        draw_indices(painter, self.area, self._indices, self._colours.row_table)
        if min(self.cell_width, self.cell_height) >= _LEAST_SPACED:
            painter.setPen(QPen(self._colours.surface, 1))
            painter.drawLines(self._gaps)
        if min(self.cell_width, self.cell_height) >= 4 and self.rows_per_cell == 1:
            self._outline(painter, now.holder[now.holder >= 0], self._colours.text, 1.0)
        if self._numbered and self.cell_height >= 0.8 * painter.fontMetrics().height():
            self._write_numbers(painter, now)
        if followed_lock is not None:
            self._outline_lock(painter, followed_lock)
        if followed is not None:
            self._outline(painter, np.array([followed]), self._colours.accent, 3.0)

    def _states(self, now: Moment) -> NDArray[np.uint8]:
        """State of each cell [cells a lock, lock]: of its rows, one that holds, else one that tries, queues, computes, or is
        done.
        """
        rows = self._cells_per_lock * self.rows_per_cell * self._locks
        state = now.state
        if rows != state.size:
            state = np.concatenate((state, np.zeros(rows - state.size, np.uint8)))
        if self.rows_per_cell == 1:
            return state.reshape(self._cells_per_lock, self._locks)
        groups = state.reshape(self._cells_per_lock, self.rows_per_cell, self._locks)
        busy = (groups * (groups < RowState.DONE)).max(axis=1)  # neither of those not started nor of those done
        states: NDArray[np.uint8] = np.where(busy > 0, busy, groups.max(axis=1))
        return states

    def _box(self, cell: int, columns: int = 1, lines: int = 1) -> QRectF:
        """So many cells from one on, which is counted through the lines of the picture."""
        line, column = divmod(cell, self._shape.columns)
        left, top = self.area.left() + column * self.cell_width, self.area.top() + line * self.cell_height
        return QRectF(left, top, columns * self.cell_width, lines * self.cell_height)

    def _cells_of(self, rows: NDArray[np.signedinteger]) -> list[int]:
        place, lock = np.divmod(rows, max(self._locks, 1))
        cells: list[int] = self._places[place // self.rows_per_cell, lock].tolist()
        return cells

    def row_at(self, position: QPointF) -> int | None:
        """The row under a point, the first of its cell."""
        owner = self._owner_at(position)
        if owner is None or owner < 0:
            return None
        cell, lock = divmod(owner, self._locks)
        return cell * self.rows_per_cell * self._locks + lock

    def lock_at(self, position: QPointF) -> int | None:
        owner = self._owner_at(position)
        return -2 - owner if owner is not None and owner <= -2 else None

    def _owner_at(self, position: QPointF) -> int | None:
        if not self.area.contains(position):
            return None
        column = min(int((position.x() - self.area.left()) / self.cell_width), self._shape.columns - 1)
        line = min(int((position.y() - self.area.top()) / self.cell_height), self._shape.lines - 1)
        return int(self._owner[line * self._shape.columns + column])

    def _outline(self, painter: QPainter, rows: NDArray[np.signedinteger], colour: QColor, width: float) -> None:
        painter.setPen(QPen(colour, width))
        grow = width / 2 if width > 1 else -0.5
        painter.drawRects([self._box(cell).adjusted(-grow, -grow, grow, grow) for cell in self._cells_of(rows)])

    def _outline_lock(self, painter: QPainter, lock: int) -> None:
        cells = self._shape.lock_columns + self._shape.cells_per_line
        painter.setPen(QPen(self._colours.accent, 2.0))
        painter.drawRect(self._box(int(self._lock_places[0][lock]), cells, self._shape.folds).adjusted(-2, -2, 2, 2))

    def _write_numbers(self, painter: QPainter, now: Moment) -> None:
        for row, (state, cell) in enumerate(zip(now.state.tolist(), self._cells_of(np.arange(now.state.size)), strict=True)):
            painter.setPen(legible_on(self._colours.state(RowState(state), row % self._locks % HUES)))
            painter.drawText(self._box(cell), Qt.AlignmentFlag.AlignCenter, str(row))


def _snapped(size: float) -> float:
    """Whole pixels where that costs little room."""
    whole = float(int(size))
    return whole if whole > 0.9 * size else size
