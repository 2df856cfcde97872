"""A heat map of settings: one cell for each, whatever became of it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from lnexplorer.gui.charts.axes import ValueAxis, ValueScale
from lnexplorer.gui.charts.chart import COLOURS, Chart
from lnexplorer.gui.charts.theme import LIGHT, Theme, with_text

MOST_TEXTS = 2500  # cells; in more there is no room for a number
AXIS_WIDTH = 68  # px
TEXT_SHARE = 0.9  # of a cell's width that a number may take
STATE_ALPHA = 110  # of 255
STATES = ("running", "invalid", "out_of_resources", "timed_out", "failed", "incorrect")


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class SettingGrid:
    """What the map shows. [rows, columns] each; row 0 is at the bottom."""

    rows: ValueScale
    columns: ValueScale
    values: NDArray[np.float64]  # NaN where there is none
    states: NDArray[np.object_]  # a status, "" for a cell that is not measured yet, "running"
    texts: NDArray[np.object_]  # the values, as they are written
    words: dict[str, str]  # what stands in a cell without a value, by its state
    cells: NDArray[np.int64]  # numbers; -1 while there is no row
    best: Sequence[int] = ()  # numbers of cells
    falling: bool = False  # whether a small value is a good one

    def shares(self) -> NDArray[np.float64]:
        """How good each value is, from 0 to 1."""
        known = self.values[np.isfinite(self.values)]
        low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
        return (high - self.values if self.falling else self.values - low) / (high - low or 1.0)


def state_colour(state: str, theme: Theme) -> str:
    """Colour of a cell without a value."""
    return {"incorrect": theme.bad, "invalid": theme.muted, "running": theme.accent}.get(state, theme.warning)


class _Texts(pg.GraphicsObject):
    """What is written in the cells, and the frames around the best ones and the one under the cursor."""

    def __init__(self) -> None:
        super().__init__()
        self._grid: SettingGrid | None = None
        self._theme = LIGHT
        self.current: tuple[int, int] | None = None

    def show_grid(self, grid: SettingGrid | None, theme: Theme) -> None:
        self.prepareGeometryChange()
        self._grid, self._theme = grid, theme
        self.update()

    def boundingRect(self) -> QRectF:
        if self._grid is None:
            return QRectF()
        rows, columns = self._grid.values.shape
        return QRectF(-0.5, -0.5, columns, rows)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        del option, widget
        grid = self._grid
        if grid is None:
            return
        width, height = (abs(size) or 1.0 for size in self.pixelSize())  # of a pixel, in cells
        metrics, shares = QFontMetricsF(painter.font()), grid.shares()
        if grid.values.size <= MOST_TEXTS and metrics.height() * height < TEXT_SHARE:
            for place in np.ndindex(grid.values.shape):
                text, share = grid.texts[place] or grid.words.get(grid.states[place], ""), shares[place]
                if text and metrics.horizontalAdvance(text) * width < TEXT_SHARE:
                    dark = self._theme.text if np.isnan(share) else "#ffffff" if share < 0.55 else "#101010"
                    painter.save()
                    painter.translate(place[1], place[0])
                    painter.scale(width, -height)
                    painter.setPen(QColor(dark))
                    painter.drawText(QRectF(-100, -50, 200, 100), Qt.AlignmentFlag.AlignCenter, text)
                    painter.restore()
        framed = [(place, self._theme.good, 4) for place in np.argwhere(np.isin(grid.cells, list(grid.best)))]
        if self.current is not None:
            framed.append((np.array(self.current), self._theme.accent, 2))
        for (row, column), colour, thick in framed:
            pen = QPen(QColor(colour), thick)
            pen.setCosmetic(True)
            painter.setPen(pen)
            painter.drawRect(QRectF(column - 0.5, row - 0.5, 1, 1))


class SettingMap(Chart):
    """Point and click, or arrow keys and Enter, to choose a setting."""

    pointed = Signal(object)  # at the number of a cell, or None
    chosen = Signal(object)  # number of a cell

    def __init__(self, parent: QWidget | None = None) -> None:
        self._bottom, self._left = ValueAxis("bottom"), ValueAxis("left")
        super().__init__({"bottom": self._bottom, "left": self._left}, parent)
        self._grid: SettingGrid | None = None
        self._image, self._texts = pg.ImageItem(axisOrder="row-major"), _Texts()
        for item in (self._image, self._texts):
            self.addItem(item, ignoreBounds=True)
        self.getPlotItem().showGrid(x=False, y=False)
        self.view.setMouseEnabled(x=False, y=False)
        self.view.disableAutoRange()
        self.hovered.connect(lambda place: self._point_at(None if place is None else self.cell_at(*place)))
        self.clicked.connect(self._on_clicked)

    def set_grid(self, grid: SettingGrid | None) -> None:
        """Show another state of the sweep."""
        new_shape = grid is not None and (self._grid is None or self._grid.values.shape != grid.values.shape)
        self._grid = grid
        self._draw()
        if grid is None:
            return
        self._bottom.set_scale_of(grid.columns)
        self._left.set_scale_of(grid.rows)
        if new_shape:
            rows, columns = grid.values.shape
            self._texts.current = None
            self.full_view = QRectF(-0.5, -0.5, columns, rows)
            self.reset_view()

    def apply_theme(self, theme: Theme) -> None:
        super().apply_theme(theme)
        self._left.setWidth(with_text(AXIS_WIDTH))  # else its name stands in its numbers until they were painted
        self._draw()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        moves = {Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Right: (0, 1), Qt.Key.Key_Up: (1, 0), Qt.Key.Key_Down: (-1, 0)}
        key = Qt.Key(event.key())
        if self._grid is not None and key in moves:
            rows, columns = self._grid.values.shape
            row, column = self._texts.current or (0, 0)
            up, right = moves[key] if self._texts.current is not None else (0, 0)
            self._point_at((min(max(row + up, 0), rows - 1), min(max(column + right, 0), columns - 1)))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._number() is not None:
            self.chosen.emit(self._number())
        else:
            event.ignore()
            return
        event.accept()

    def cell_at(self, x: float, y: float) -> tuple[int, int] | None:
        """Row and column of the cell at a place."""
        if self._grid is None:
            return None
        row, column = round(y), round(x)
        rows, columns = self._grid.values.shape
        return (row, column) if 0 <= row < rows and 0 <= column < columns else None

    def _draw(self) -> None:
        grid = self._grid
        self._texts.show_grid(grid, self.theme)
        self._image.setVisible(grid is not None)
        if grid is None:
            return
        shares = grid.shares()
        known = np.isfinite(shares)
        pixels = np.zeros((*shares.shape, 4), np.uint8)
        pixels[known] = COLOURS.map(shares[known])
        for state in STATES:
            colour = QColor(state_colour(state, self.theme))
            colour.setAlpha(STATE_ALPHA)
            pixels[(grid.states == state) & ~known] = colour.getRgb()
        rows, columns = shares.shape
        self._image.setImage(pixels, levels=(0, 255))
        self._image.setRect(QRectF(-0.5, -0.5, columns, rows))

    def _number(self) -> int | None:
        if self._grid is None or self._texts.current is None:
            return None
        number = int(self._grid.cells[self._texts.current])
        return number if number >= 0 else None

    def _point_at(self, place: tuple[int, int] | None) -> None:
        if place != self._texts.current:
            self._texts.current = place
            self._texts.update()
            self.pointed.emit(self._number())

    def _on_clicked(self, x: float, y: float) -> None:
        self._point_at(self.cell_at(x, y))
        number = self._number()
        if number is not None:
            self.chosen.emit(number)
