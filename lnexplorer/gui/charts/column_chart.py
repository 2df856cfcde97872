"""Errors by column, of two sides as two lines."""

from math import floor

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from lnexplorer.gui.charts.axis import LogAxis, WholeAxis
from lnexplorer.gui.charts.chart import Chart
from lnexplorer.gui.charts.pooling import pool_columns
from lnexplorer.gui.charts.step_curve import set_steps
from lnexplorer.gui.shell.theme import Theme

MOST_STEPS = 500  # of a line; more neighbours than this are drawn as their maximum
Values = NDArray[np.float32]


class ColumnChart(Chart):
    """Two lines of steps over the columns. Maxima of neighbours are drawn where there are more columns than steps."""

    columnHovered = Signal(object)  # noqa: N815  # (columns: range, [value of each line]), or None

    def __init__(self, parent: QWidget | None = None) -> None:
        self._axis = LogAxis("left")
        super().__init__({"left": self._axis, "bottom": WholeAxis("bottom")}, parent)
        self._values: tuple[Values, ...] = ()
        self._shown: tuple[tuple[NDArray[np.int64], Values], ...] = ()
        self._colours: tuple[str, ...] = ()
        self._log = True
        self._floor = 0.0
        self._curves = (pg.PlotCurveItem(), pg.PlotCurveItem())
        self._marks = pg.ScatterPlotItem(symbol="t", size=9, pen=None)
        for level, curve in enumerate(reversed(self._curves)):
            curve.setZValue(level)
            self.addItem(curve)
        self.addItem(self._marks, ignoreBounds=True)
        self.view.setMouseEnabled(x=True, y=False)
        self.view.disableAutoRange()
        self.view.sigXRangeChanged.connect(lambda *_: self._draw())
        self.hovered.connect(self._on_hovered)

    def set_values(self, values: tuple[Values, ...], colours: tuple[str, ...]) -> None:
        """Show up to two lines of [N] non-negative values each, the first of them solid and on top."""
        columns = values[0].size if values else 0
        same_length = bool(self._values) and bool(values) and columns == self._values[0].size
        self._values, self._colours = values, colours
        if not same_length and columns:
            self.view.setLimits(xMin=0, xMax=columns, minXRange=min(4, columns))
            self.reset_view()
        self._scale_y()
        self._draw()

    def set_log(self, log: bool) -> None:
        """Choose the scale of the errors."""
        self._log = log
        self._scale_y()
        self._draw()

    def reset_view(self) -> None:
        """Show all columns."""
        if self._values:
            self.view.setXRange(0, self._values[0].size, padding=0)

    def apply_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        super().apply_theme(theme)
        self._marks.setBrush(pg.mkBrush(theme.bad))

    def _scale_y(self) -> None:
        finite = [pooled[np.isfinite(pooled)] for pooled in (pool_columns(values, MOST_STEPS)[1] for values in self._values)]
        positive = np.concatenate([values[values > 0] for values in finite]) if finite else np.empty(0, np.float32)
        # Where everything is exact, nothing but zero has a place.
        self._axis.set_places([] if positive.size else [0.0])
        if not self._log:
            self._axis.set_log(False)
            high = float(positive.max(initial=0)) or 1.0
            self.view.setYRange(0, 1.05 * high, padding=0)
        elif positive.size == 0:
            self._floor = 0.0
            self._axis.set_log(True, zero_at=0.0)
            self.view.setYRange(-0.1, 1, padding=0)
        else:
            low, high = float(np.log10(positive.min())), float(np.log10(positive.max()))
            has_zero = any((values == 0).any() for values in finite)
            self._floor = low - max(0.15 * (high - low), 0.3) if has_zero else low
            self._axis.set_log(True, zero_at=self._floor if has_zero else None)
            margin = max(0.05 * (high - self._floor), 0.05)
            self.view.setYRange(self._floor - margin, high + margin, padding=0)

    def _draw(self) -> None:
        for curve in self._curves[len(self._values) :]:
            set_steps(curve, np.empty(0), np.empty(0))
        if not self._values or self._values[0].size == 0:
            self._marks.setData([], [])
            return
        columns = self._values[0].size
        low, high = self.view.viewRange()[0]
        start, stop = max(0, floor(low)), min(columns, floor(high) + 1)
        shown, marked = [], []
        top = self.view.viewRange()[1][1]
        styles = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine)
        for values, colour, style, curve in zip(self._values, self._colours, styles, self._curves, strict=False):
            edges, pooled = pool_columns(values[start:stop], MOST_STEPS)
            shown.append((edges + start, pooled))
            finite = np.isfinite(pooled)
            marked.append(((edges[:-1] + edges[1:]) / 2 + start)[~finite])
            heights = np.where(finite, pooled, np.float32(np.nan))
            curve.setPen(pg.mkPen(colour, width=1, style=style))
            set_steps(curve, (edges + start).astype(np.float64), self._heights(heights))
        self._shown = tuple(shown)
        places = np.unique(np.concatenate(marked))
        self._marks.setData(x=places, y=np.full(places.size, top))

    def _heights(self, values: Values) -> NDArray[np.float64]:
        heights = values.astype(np.float64)
        if not self._log:
            return heights
        positive = heights > 0
        logs = np.log10(heights, where=positive, out=np.where(np.isnan(heights), np.nan, self._floor))
        return np.maximum(logs, self._floor)

    def _on_hovered(self, point: tuple[float, float] | None) -> None:
        if point is None or not self._shown:
            self.columnHovered.emit(None)
            return
        edges = self._shown[0][0]
        place = int(np.searchsorted(edges, point[0], side="right")) - 1
        if not 0 <= place < edges.size - 1:
            self.columnHovered.emit(None)
            return
        values = [float(pooled[place]) for _edges, pooled in self._shown]
        self.columnHovered.emit((range(int(edges[place]), int(edges[place + 1])), values))
