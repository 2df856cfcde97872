"""Errors by column, of two sides."""

from math import floor

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import Qt, Signal

from lnexplorer.gui.charts.axes import NumberAxis
from lnexplorer.gui.charts.chart import Chart
from lnexplorer.gui.kit.theme import Theme

Values = NDArray[np.float32]
Numbers = NDArray[np.float64]
STYLES = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine)


class ColumnChart(Chart):
    """Two lines of steps over the columns; of many columns that share a pixel the extremes are
    drawn.
    """

    columnHovered = Signal(object)  # (column, [value of each line]), or None

    def __init__(self) -> None:
        self._axis = NumberAxis("left", "log")
        super().__init__({"left": self._axis, "bottom": NumberAxis("bottom", "whole")})
        self._values: tuple[Values, ...] = ()
        self._log = True
        self._curves = (pg.PlotDataItem(), pg.PlotDataItem())
        self._marks = pg.ScatterPlotItem(
            symbol="t", size=9, pen=None
        )  # where a value is not finite
        for level, curve in enumerate(self._curves):
            curve.setZValue(level)
            self.addItem(curve)
            curve.setDownsampling(auto=True, method="peak")
            curve.setClipToView(True)
        self.addItem(self._marks, ignoreBounds=True)
        self.view.setMouseEnabled(x=True, y=False)
        self.view.disableAutoRange()
        self.hovered.connect(self._on_hovered)

    def set_values(self, values: tuple[Values, ...], colours: tuple[str, ...]) -> None:
        """Show up to two lines of [N] non-negative values each, the second thin and on top: where
        they are one, both are seen.
        """
        columns = values[0].size if values else 0
        same_length = bool(self._values) and columns == self._values[0].size
        self._values = values if columns else ()
        for curve, colour, style, width in zip(self._curves, colours, STYLES, (3, 1), strict=False):
            curve.setPen(pg.mkPen(colour, width=width, style=style))
        if not same_length and columns:
            self.view.setLimits(xMin=0, xMax=columns, minXRange=min(4, columns))
            self.reset_view()
        self._draw()

    def set_log(self, log: bool) -> None:
        self._log = log
        self._draw()

    def reset_view(self) -> None:
        if self._values:
            self.view.setXRange(0, self._values[0].size, padding=0)

    def apply_theme(self, theme: Theme) -> None:
        super().apply_theme(theme)
        self._marks.setBrush(pg.mkBrush(theme.bad))

    def _draw(self) -> None:
        floor_ = self._scale_y()
        for curve in self._curves[len(self._values) :]:
            curve.setData([], [])
        for values, curve in zip(self._values, self._curves, strict=False):
            heights = (
                _heights(values, floor_)
                if self._log
                else np.where(np.isfinite(values), values, np.nan)
            )
            edges = np.arange(values.size + 1, dtype=np.float64)
            curve.setData(
                edges, np.append(heights, heights[-1]), stepMode="right", connect="finite"
            )
        wrong = [np.flatnonzero(~np.isfinite(values)) for values in self._values]
        places = np.unique(np.concatenate([*wrong, np.empty(0)])) + 0.5
        self._marks.setData(x=places, y=np.full(places.size, self.view.viewRange()[1][1]))

    def _scale_y(self) -> float:
        """Give the axis its range; the place of zero on a logarithmic one."""
        values = np.concatenate([*self._values, np.empty(0, np.float32)])
        positive = values[np.isfinite(values) & (values > 0)]
        # Where everything is exact, nothing but zero has a place.
        self._axis.set_places([] if positive.size else [0.0])
        if not self._log:
            self._axis.set_form("number")
            self.view.setYRange(0, 1.05 * (float(positive.max(initial=0)) or 1.0), padding=0)
            return 0.0
        if positive.size == 0:
            self._axis.set_form("log", zero_at=0.0)
            self.view.setYRange(-0.1, 1, padding=0)
            return 0.0
        low, high = float(np.log10(positive.min())), float(np.log10(positive.max()))
        has_zero = bool((values == 0).any())
        lowest = low - max(0.15 * (high - low), 0.3) if has_zero else low
        self._axis.set_form("log", zero_at=lowest if has_zero else None)
        margin = max(0.05 * (high - lowest), 0.05)
        self.view.setYRange(lowest - margin, high + margin, padding=0)
        return lowest

    def _on_hovered(self, point: tuple[float, float] | None) -> None:
        column = -1 if point is None else floor(point[0])
        if not self._values or not 0 <= column < self._values[0].size:
            self.columnHovered.emit(None)
        else:
            self.columnHovered.emit((column, [float(values[column]) for values in self._values]))


def _heights(values: Values, lowest: float) -> Numbers:
    """log10 of what is positive, `lowest` for zero, NaN for what is not finite."""
    finite = np.where(np.isfinite(values), values, np.nan).astype(np.float64)
    heights: Numbers = np.log10(np.maximum(finite, 10.0**lowest))
    return heights
