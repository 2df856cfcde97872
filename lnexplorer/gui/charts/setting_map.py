"""A heat map of settings, one cell for each."""

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from lnexplorer.gui.charts.axes import ValueScale
from lnexplorer.gui.charts.chart import COLOURS, MOVES, PointChart
from lnexplorer.gui.kit import CENTRE, Theme
from lnkernels.values import frozen_by_name

MOST_TEXTS = 2500  # cells; in more there is no room for a number
TEXT_SHARE = 0.9  # of a cell's width that a number may take
STATE_ALPHA = 110  # of 255
STATES = ("invalid", "out_of_resources", "timed_out", "failed", "incorrect")


@frozen_by_name(eq=False)
class SettingGrid:
    """The cells of a map, [rows, columns] each; row 0 is at the bottom."""

    rows: ValueScale
    columns: ValueScale
    values: NDArray[np.float64]  # NaN where there is none
    states: NDArray[np.object_]  # a status, "" for a cell that is not measured yet
    texts: NDArray[np.object_]  # what stands in the cells
    cells: NDArray[np.int64]  # numbers; -1 while there is no row
    best: Sequence[int] = ()  # numbers of cells
    falling: bool = False  # whether a small value is a good one

    def shares(self) -> NDArray[np.float64]:
        known = self.values[np.isfinite(self.values)]
        low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
        return (high - self.values if self.falling else self.values - low) / (high - low or 1.0)


def state_colour(state: str) -> str:
    theme = Theme.current
    return {"incorrect": theme.bad, "invalid": theme.muted}.get(state, theme.warning)


class _Texts(pg.GraphicsObject):
    """The texts of the cells, and the frames around the best ones."""

    def __init__(self, chart: "SettingMap") -> None:
        super().__init__()
        self._chart = chart

    def boundingRect(self) -> QRectF:
        return self._chart.full_view or QRectF()

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        del option, widget
        grid, theme = self._chart.grid, Theme.current
        if grid is None:
            return
        width, height = (abs(size) or 1.0 for size in self.pixelSize())  # of a pixel, in cells
        metrics, shares = QFontMetricsF(painter.font()), grid.shares()
        if grid.values.size <= MOST_TEXTS and metrics.height() * height < TEXT_SHARE:
            for place, share in np.ndenumerate(shares):
                text = str(grid.texts[place])
                if text and metrics.horizontalAdvance(text) * width < TEXT_SHARE:
                    ink = "#ffffff" if share < 0.55 else "#101010"
                    painter.save()
                    painter.translate(place[1], place[0])
                    painter.scale(width, -height)
                    painter.setPen(QColor(theme.text if np.isnan(share) else ink))
                    painter.drawText(QRectF(-100, -50, 200, 100), CENTRE, text)
                    painter.restore()
        pen = QPen(QColor(theme.good), 4)
        pen.setCosmetic(True)
        painter.setPen(pen)
        for row, column in np.argwhere(np.isin(grid.cells, list(grid.best))):
            painter.drawRect(QRectF(column - 0.5, row - 0.5, 1, 1))


class SettingMap(PointChart):
    """A map whose cells are pointed at by mouse or arrow keys, and chosen by a click or Enter."""

    AXIS_WIDTH = 68  # else the axis' name would overlap its numbers until they are painted

    def __init__(self) -> None:
        super().__init__()
        self.grid: SettingGrid | None = None
        self._image = pg.ImageItem(axisOrder="row-major")
        self._texts = _Texts(self)
        self._frame.setPxMode(False)
        self._frame.setSize(0.85)  # of a cell
        for item in (self._image, self._texts):
            self.addItem(item, ignoreBounds=True)
        self.plotItem.showGrid(x=False, y=False)
        self.view.setMouseEnabled(x=False, y=False)

    def set_grid(self, grid: SettingGrid) -> None:
        rows, columns = grid.values.shape
        area = QRectF(-0.5, -0.5, columns, rows)
        self.grid = grid
        self.bottom.set_scale_of(grid.columns)
        self.left.set_scale_of(grid.rows)
        there = grid.cells >= 0
        self.set_spots(np.argwhere(there)[:, ::-1].astype(np.float64), grid.cells[there].tolist())
        if area != self.full_view:
            self._texts.prepareGeometryChange()
            self.full_view = area
            self.reset_view()
        self._draw()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        move = MOVES.get(Qt.Key(event.key()))
        if move is None or not self._meanings:
            super().keyPressEvent(event)
            return
        at = (
            self._spots[self._meanings.index(self.current)] + move
            if self.current is not None
            else (0.0, 0.0)
        )
        found = self.nearest(*at)
        if found is not None:
            self._point_at(found)

    def nearest(self, x: float, y: float) -> int | None:
        """Return the cell at a place, if it has a row."""
        there = np.flatnonzero((self._spots == (round(x), round(y))).all(axis=1))
        return int(there[0]) if there.size else None

    def _draw(self) -> None:
        grid = self.grid
        if grid is None:
            return
        shares = grid.shares()
        known = np.isfinite(shares)
        pixels = np.zeros((*shares.shape, 4), np.uint8)
        pixels[known] = COLOURS.map(shares[known])
        for state in STATES:
            colour = QColor(state_colour(state))
            colour.setAlpha(STATE_ALPHA)
            pixels[(grid.states == state) & ~known] = colour.getRgb()
        self._image.setImage(pixels, levels=(0, 255))
        self._image.setRect(self.full_view)
        self._texts.update()
