"""GB/s of a benchmark's rows against N, one pass in one chart, the ceiling as a dashed line."""

import math
from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QWidget

from lnexplorer.domain.benchmark import BenchmarkRow
from lnexplorer.domain.wording import provider_label
from lnexplorer.gui.charts.axes import NumberAxis
from lnexplorer.gui.charts.chart import Chart
from lnexplorer.gui.charts.legend import LegendEntry
from lnexplorer.gui.charts.throughput_chart import provider_colour
from lnkernels.launch import STRATEGIES
from lnkernels.values.figures import CEILINGS

LINE_WIDTH = 2.5
LABEL_GAP = 14  # px between an axis' name and the widest of its numbers


class BenchmarkChart(Chart):
    """Lines over a logarithmic N with ticks at powers of two."""

    def __init__(self, direction: str, parent: QWidget | None = None) -> None:
        self._bottom = NumberAxis("bottom", "log")
        super().__init__({"left": NumberAxis("left", "whole"), "bottom": self._bottom}, parent)
        self._direction = direction
        # The first and the last power of two stand at the ends, where their labels reach beyond the axis.
        self._bottom.setStyle(hideOverlappingLabels=False)

    def set_rows(self, rows: Sequence[BenchmarkRow], mode: str) -> None:
        """Show the rows of this chart's pass that were called in one way; those without a speed leave a gap."""
        own = [row for row in rows if row.direction == self._direction and row.mode == mode]
        ceiling = CEILINGS[self._direction]
        self._draw_ceiling([row for row in own if row.provider == ceiling])
        names = dict.fromkeys(row.provider for row in own if row.provider != ceiling and row.gbps is not None)
        widths = sorted({row.n for row in own})
        for name in names:
            self._draw(name, {row.n: row for row in own if row.provider == name}, widths)
        self._show_all([row for row in own if row.gbps is not None], widths)

    def entries(self, rows: Sequence[BenchmarkRow], mode: str) -> tuple[LegendEntry, ...]:
        """What the lines are."""
        timed = [row for row in rows if row.mode == mode and row.gbps is not None]
        names = dict.fromkeys(row.provider for row in timed if row.provider not in CEILINGS.values())
        lines = [LegendEntry(provider_label(name), provider_colour(name), symbol=symbol_of(name)) for name in names]
        if any(row.provider in CEILINGS.values() for row in timed):
            lines.append(LegendEntry("copy · a + b → c", self.theme.text, Qt.PenStyle.DashLine))
        return tuple(lines)

    def _draw_ceiling(self, rows: Sequence[BenchmarkRow]) -> None:
        points = sorted((math.log10(row.n), row.gbps) for row in rows if row.gbps is not None)
        if points:
            x, y = zip(*points, strict=True)
            self.plot(x, y, pen=pg.mkPen(self.theme.text, width=LINE_WIDTH - 1, style=Qt.PenStyle.DashLine))

    def _draw(self, name: str, rows: dict[int, BenchmarkRow], widths: Sequence[int]) -> None:
        colour = provider_colour(name)
        x = np.log10(np.array(widths, dtype=np.float64))
        middle, low, high = (np.array([_speed(rows.get(n), field) for n in widths]) for field in ("gbps", "p20_gbps", "p80_gbps"))
        known = np.isfinite(middle) & np.isfinite(low) & np.isfinite(high)
        if known.any():
            above, below = (high - middle)[known], (middle - low)[known]
            self.addItem(pg.ErrorBarItem(x=x[known], y=middle[known], top=above, bottom=below, pen=pg.mkPen(colour)))
        self.plot(
            x,
            middle,
            connect="finite",
            pen=pg.mkPen(colour, width=LINE_WIDTH),
            symbol=symbol_of(name),
            symbolSize=8,
            symbolPen=None,
            symbolBrush=colour,
        )

    def _show_all(self, rows: Sequence[BenchmarkRow], widths: Sequence[int]) -> None:
        if not rows:
            return
        powers = range(math.floor(math.log2(widths[0])), math.ceil(math.log2(widths[-1])) + 1)
        self._bottom.set_places([power * math.log10(2) for power in powers])
        top = 1.06 * max(max(row.gbps or 0.0, row.p80_gbps or 0.0) for row in rows)
        left, right = math.log10(widths[0]), math.log10(widths[-1])
        margin = max(0.03 * (right - left), 0.02)
        self.full_view = QRectF(left - margin, 0.0, right - left + 2 * margin, top)
        self.reset_view()
        # Else the axis' name stands in its numbers where a font is larger than usual.
        metrics = QFontMetricsF(self.getPlotItem().getAxis("left").style["tickFont"] or self.font())
        width = metrics.horizontalAdvance(f"{top:.0f}") + metrics.height() + LABEL_GAP
        self.getPlotItem().getAxis("left").setWidth(width)


def symbol_of(provider: str) -> str:
    """Circles for the project's own, triangles for others."""
    return "o" if provider.split(" ", maxsplit=1)[0] in STRATEGIES else "t"


def _speed(row: BenchmarkRow | None, field: str) -> float:
    value = None if row is None else getattr(row, field)
    return math.nan if value is None else float(value)
