"""The rows of x, each lock's rows side by side behind the lock."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from lnexplorer.domain.moments import Moment, RowState, locks_in_use
from lnexplorer.domain.timeline import ReductionTimeline
from lnexplorer.gui.painter.colours import BACKGROUND, HUES, PictureColours, legible_on
from lnexplorer.gui.painter.images import draw_indices

_ASPECT = 1.5  # width over height of a cell that pleases
_LARGEST = 44.0  # px; cells of few rows grow no further
_MOST_NUMBERED = 512  # rows whose numbers are written
_FEW = 6  # rows of a lock that need no space between it and them
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
    """Positions of rows and locks in the picture, and the picture at a moment."""

    def __init__(self, timeline: ReductionTimeline, area: QRectF, colours: PictureColours) -> None:
        self._timeline, self._colours = timeline, colours
        locks = locks_in_use(timeline)
        shape = self._shape = _best_shape(max(locks, 1), max(-(-timeline.m // max(locks, 1)), 1), area)
        width = _snapped(min(area.width() / shape.columns, _LARGEST * _ASPECT))
        height = _snapped(min(area.height() / shape.lines, _LARGEST))
        self.cell_width, self.cell_height = width, height
        self.area = QRectF(area.left(), area.top(), width * shape.columns, height * shape.lines)
        self._indices = np.full((shape.lines, shape.columns), BACKGROUND, np.uint8)
        lock = np.arange(locks)
        bank, lane = lock // shape.lanes_per_bank, lock % shape.lanes_per_bank
        first_column = bank * shape.bank_columns
        self._lock_places = [
            (lane * shape.folds + fold) * shape.columns + first_column for fold in range(shape.folds)
        ]  # a lock is as high as its lane
        self._lock_hue = (lock % HUES).astype(np.uint8)
        place = np.arange(timeline.m) // max(timeline.group_size_m, 1)
        line = lane[timeline.lock] * shape.folds + place // shape.cells_per_line
        column = first_column[timeline.lock] + shape.lock_columns + place % shape.cells_per_line
        self._row_places = line * shape.columns + column
        self._row_hue = (timeline.lock % HUES).astype(np.uint8)
        self._owner: NDArray[np.int32] = np.full(self._indices.size, -1, np.int32)  # row of each cell, or -2 - lock
        self._owner[self._row_places] = np.arange(timeline.m)
        for places in self._lock_places:
            self._owner[places] = -2 - lock
        self._mesh = self._lines()
        self._numbered = timeline.m <= _MOST_NUMBERED and width >= 30 and height >= 16

    def paint(self, painter: QPainter, now: Moment, followed: int | None) -> None:
        """Draw all rows and locks as they are now."""
        flat = self._indices.reshape(-1)
        flat[self._row_places] = now.state * np.uint8(HUES) + self._row_hue
        taken = np.where(now.holder >= 0, np.uint8(RowState.HOLDING * HUES), np.uint8(_FREE)) + self._lock_hue
        for places in self._lock_places:
            flat[places] = taken
        draw_indices(painter, self.area, self._indices, self._colours.row_table)
        if self._mesh:
            painter.setPen(QPen(self._colours.surface, 1))
            painter.drawLines(self._mesh)
        if min(self.cell_width, self.cell_height) >= 4:
            self._outline(painter, now.holder[now.holder >= 0], self._colours.text, 1.0)
        if self._numbered:
            self._write_numbers(painter, now)
        if followed is not None:
            self._outline(painter, np.array([followed]), self._colours.accent, 3.0)

    def row_at(self, position: QPointF) -> int | None:
        """The row under a point."""
        owner = self._owner_at(position)
        return owner if owner is not None and owner >= 0 else None

    def lock_at(self, position: QPointF) -> int | None:
        """The lock under a point."""
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
        lines, columns = np.divmod(self._row_places[rows], self._shape.columns)
        grow = width / 2 if width > 1 else -0.5
        painter.drawRects(
            [
                QRectF(
                    self.area.left() + column * self.cell_width - grow,
                    self.area.top() + line * self.cell_height - grow,
                    self.cell_width + 2 * grow,
                    self.cell_height + 2 * grow,
                )
                for line, column in zip(lines.tolist(), columns.tolist(), strict=True)
            ]
        )

    def _write_numbers(self, painter: QPainter, now: Moment) -> None:
        """Each row's number in its cell."""
        for row, (place, state) in enumerate(zip(self._row_places.tolist(), now.state.tolist(), strict=True)):
            line, column = divmod(place, self._shape.columns)
            left, top = self.area.left() + column * self.cell_width, self.area.top() + line * self.cell_height
            painter.setPen(legible_on(self._colours.state(RowState(state), int(self._row_hue[row]))))
            painter.drawText(QRectF(left, top, self.cell_width, self.cell_height), Qt.AlignmentFlag.AlignCenter, str(row))

    def _lines(self) -> list[QLineF]:
        """Spaces between cells, where there is room for them."""
        area, mesh = self.area, []
        if self.cell_width >= 5:
            xs = [area.left() + column * self.cell_width for column in range(self._shape.columns + 1)]
            mesh += [QLineF(x, area.top(), x, area.bottom()) for x in xs]
        if self.cell_height >= 4:
            ys = [area.top() + line * self.cell_height for line in range(self._shape.lines + 1)]
            mesh += [QLineF(area.left(), y, area.right(), y) for y in ys]
        return mesh


def _snapped(size: float) -> float:
    """Whole pixels where that costs little room."""
    whole = float(int(size))
    return whole if whole > 0.9 * size else size
