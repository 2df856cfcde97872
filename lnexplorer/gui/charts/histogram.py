"""How often which error occurs, of two sides, on a logarithmic axis of errors with a place of its own for zero."""

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from lnexplorer.gui.charts.axis import LogAxis
from lnexplorer.gui.charts.chart import Chart
from lnexplorer.gui.charts.step_curve import set_steps

FILL_ALPHA = 70  # of 255
ZERO_BINS = 3  # width of the place for zeros, and of the gap beside it, in bins
Counts = NDArray[np.int64]


class HistogramChart(Chart):
    """Counts by log10 of the error."""

    binHovered = Signal(object)  # noqa: N815  # (low, high, [count of each side]); low = high = 0 for zeros; or None

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
