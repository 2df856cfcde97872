"""Errors by column, and how often which error occurs, of two sides each."""

from math import floor

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from lnexplorer.gui.charts.axes import LogAxis, WholeAxis
from lnexplorer.gui.charts.chart import Chart
from lnexplorer.gui.charts.theme import Theme

Values = NDArray[np.float32]


def pool_edges(count: int, most: int) -> NDArray[np.int64]:
    """Bounds of at most `most` neighbouring groups that cover `count` elements, [groups + 1]."""
    groups = min(count, most)
    return np.arange(groups + 1, dtype=np.int64) * count // max(groups, 1)


def pool_columns(values: Values, most: int) -> tuple[NDArray[np.int64], Values]:
    """Maximum of each group of neighbours in [N], with the groups' bounds. NaN wins over everything."""
    edges = pool_edges(values.size, most)
    if edges.size - 1 == values.size:
        return edges, values
    return edges, np.maximum.reduceat(values, edges[:-1])


def set_steps(curve: pg.PlotCurveItem, edges: NDArray[np.float64], heights: NDArray[np.float64]) -> None:
    """Draw a level piece for each height; none over what is not finite.

    Args:
        curve: what draws.
        edges: ends of the pieces, [pieces + 1], or fewer than two for none.
        heights: of the pieces, [pieces].
    """
    if edges.size >= 2:
        curve.setData(edges, heights, stepMode="center", connect="finite")
    else:
        # The mode stays otherwise, and an empty curve does not fit it.
        curve.setData([], [], stepMode=None)


MOST_STEPS = 500  # of a line; more neighbours than this are drawn as their maximum


class ColumnChart(Chart):
    """Two lines of steps over the columns. Maxima of neighbours are drawn where there are more columns than steps."""

    columnHovered = Signal(object)  # (columns: range, [value of each line]), or None

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


FILL_ALPHA = 70  # of 255
ZERO_BINS = 3  # width of the place for zeros, and of the gap beside it, in bins
Counts = NDArray[np.int64]


class HistogramChart(Chart):
    """Counts by log10 of the error."""

    binHovered = Signal(object)  # (low, high, [count of each side]); low = high = 0 for zeros; or None

    def __init__(self, parent: QWidget | None = None) -> None:
        self._bottom, self._left = LogAxis("bottom"), LogAxis("left")
        super().__init__({"left": self._left, "bottom": self._bottom}, parent)
        self._edges: NDArray[np.float64] = np.empty(0)
        self._counts: tuple[Counts, ...] = ()
        self._zeros: tuple[int, ...] = ()
        self._zero_place: tuple[float, float] | None = None
        self._colours: tuple[str, ...] = ()
        self._log = True
        self._curves = (pg.PlotCurveItem(), pg.PlotCurveItem())
        self._bars = (pg.PlotCurveItem(), pg.PlotCurveItem())
        for items in (reversed(self._curves), reversed(self._bars)):
            for level, curve in enumerate(items):
                curve.setZValue(level)
                self.addItem(curve)
        self.view.disableAutoRange()
        self.view.setMouseEnabled(x=True, y=False)
        self.hovered.connect(self._on_hovered)

    def set_counts(
        self, edges: NDArray[np.float32], counts: tuple[Counts, ...], zeros: tuple[int, ...], colours: tuple[str, ...]
    ) -> None:
        """Show up to two sides.

        Args:
            edges: log10 of the bins' bounds, [bins + 1].
            counts: elements in each bin, [bins], a side each.
            zeros: elements whose error is exactly zero, a side each.
            colours: a side each, #rrggbb. The first side is filled, the second dashed.
        """
        used = np.flatnonzero(sum(counts)) if counts else np.empty(0, np.int64)
        first, last = (max(int(used[0]) - 1, 0), int(used[-1]) + 2) if used.size else (0, 0)
        self._edges = edges[first : last + 1].astype(np.float64)
        self._counts = tuple(side[first:last] for side in counts)
        self._zeros, self._colours = zeros, colours
        self._draw()

    def set_log(self, log: bool) -> None:
        """Choose the scale of the counts."""
        self._log = log
        self._draw()

    def reset_view(self) -> None:
        """Show all bins."""
        left, right = self._extent()
        highest = max((int(side.max(initial=0)) for side in (*self._counts, np.asarray(self._zeros))), default=1)
        self.view.setLimits(xMin=left, xMax=right)
        self.view.setXRange(left, right, padding=0)
        top = float(np.log10(max(highest, 10))) if self._log else float(max(highest, 1))
        self.view.setYRange(self._base(), self._base() + (top - self._base()) * 1.06, padding=0)

    def _base(self) -> float:
        # Half a decade below a single element, so that one element has a height.
        return -0.5 if self._log else 0.0

    def _heights(self, counts: Counts) -> NDArray[np.float64]:
        heights = counts.astype(np.float64)
        if not self._log:
            return heights
        some = heights > 0
        return np.where(some, np.log10(heights, where=some, out=np.zeros_like(heights)), self._base())

    def _extent(self) -> tuple[float, float]:
        if self._edges.size < 2:
            return (-1.0, 1.0)
        left = self._edges[0] if self._zero_place is None else self._zero_place[0]
        width = self._edges[1] - self._edges[0]
        return float(left - width), float(self._edges[-1] + width)

    def _draw(self) -> None:
        self._zero_place = None
        if any(self._zeros):
            if self._edges.size >= 2:
                width = self._edges[1] - self._edges[0]
                right = self._edges[0] - ZERO_BINS * width
                self._zero_place = (float(right - ZERO_BINS * width), float(right))
            else:
                self._zero_place = (-0.1, 0.1)
        self._bottom.set_log(True, zero_at=None if self._zero_place is None else sum(self._zero_place) / 2)
        self._left.set_log(self._log, zero_at=self._base() if self._log else None)
        self.reset_view()
        for side, (curve, bar) in enumerate(zip(self._curves, self._bars, strict=True)):
            if side >= len(self._counts):
                set_steps(curve, np.empty(0), np.empty(0))
                set_steps(bar, np.empty(0), np.empty(0))
                continue
            for item in (curve, bar):
                self._style(item, side)
            set_steps(curve, self._edges, self._heights(self._counts[side]))
            place = np.asarray(self._zero_place if self._zero_place and self._zeros[side] else ())
            set_steps(bar, place, self._heights(np.asarray(self._zeros[side : side + 1])))

    def _style(self, item: pg.PlotCurveItem, side: int) -> None:
        colour = QColor(self._colours[side])
        item.setPen(pg.mkPen(colour, width=1, style=Qt.PenStyle.DashLine if side else Qt.PenStyle.SolidLine))
        fill = QColor(colour)
        fill.setAlpha(0 if side else FILL_ALPHA)
        item.setFillLevel(self._base())
        item.setBrush(fill)

    def _on_hovered(self, point: tuple[float, float] | None) -> None:
        self.binHovered.emit(None if point is None else self._bin_at(point[0]))

    def _bin_at(self, x: float) -> tuple[float, float, list[int]] | None:
        if self._zero_place is not None and self._zero_place[0] <= x <= self._zero_place[1]:
            return 0.0, 0.0, list(self._zeros)
        place = int(np.searchsorted(self._edges, x, side="right")) - 1
        if not 0 <= place < self._edges.size - 1:
            return None
        low, high = self._edges[place : place + 2]
        return float(10.0**low), float(10.0**high), [int(side[place]) for side in self._counts]
