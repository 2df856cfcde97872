"""The chart that shows pictures of panels."""

import math
from html import escape

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QTextOption
from PySide6.QtWidgets import QGridLayout, QSizePolicy

from lnexplorer.domain import wording
from lnexplorer.domain.panels import EMPTY, Panel, PanelPicture, Series
from lnexplorer.gui.charts.axes import ValueScale, tick_text
from lnexplorer.gui.charts.chart import Chart, Drawing, LegendEntry
from lnexplorer.gui.kit import (
    BLUE,
    GREEN,
    GRID,
    ORANGE,
    PROVIDER_COLOURS,
    SKY,
    VERMILION,
    Arranged,
    Theme,
    text_size,
    translate_message,
    with_text,
)
from lnkernels.values import join_sentences

COLOURS = PROVIDER_COLOURS | {
    "orange": ORANGE,
    "sky": SKY,
    "green": GREEN,
    "blue": BLUE,
    "vermilion": VERMILION,
    "grey": "#999999",
}


def scale_of(panel: Panel) -> tuple[float, float]:
    """Return least and largest y of a panel in its coordinates: log10, or from zero on."""
    ends = [series.y + (0 if series.start is None else series.start) for series in panel.series]
    values = np.concatenate([np.empty(0), *ends])
    values = values[np.isfinite(values)]
    if panel.log:
        values = np.log10(values[values > 0])
        if not values.size:
            return 0.0, 1.0
        low, high = float(values.min()), float(values.max())
        margin = max(0.08 * (high - low), 0.08)
        return low - margin, high + margin
    return 0.0, 1.08 * (float(values.max(initial=0)) or 1.0)


ABSENT = "–"
THICK = 0.62  # of a bar, of the distance to the next
# Share of a panel that its longest bar takes, and takes at least; the value stands beside the bar.
LONGEST, SHORTEST = 0.55, 0.1
FILL_ALPHA = 60
LEGIBLE_LINES = 9  # of text, the height of a panel with its axis
# px, a panel beside others; of bars without their names
NARROWEST, NARROWEST_BARS = 36 * GRID, 23 * GRID
AXIS, MARGINS = 7 * GRID, 12  # px, the left axis of curves; what is left and right of a plot


class PanelChart(Arranged, Drawing):
    """Shows a picture, and reports the values under the cursor."""

    hovered = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.picture = EMPTY
        self._charts: list[Chart] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(GRID // 2)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def set_picture(self, picture: PanelPicture) -> None:
        self.picture = picture
        titles = join_sentences([panel.title for panel in picture.panels], ", ")
        self.setAccessibleDescription(translate_message(titles))
        while len(self._charts) < len(picture.panels):
            self._add()
        for chart, panel in zip(self._charts, picture.panels, strict=False):
            self._show(chart, panel)
        self.arrange()

    def entries(self) -> tuple[LegendEntry, ...]:
        named = {
            series.name: series
            for panel in self.picture.panels
            for series in panel.series
            if series.name
        }
        return tuple(
            LegendEntry(
                translate_message(series.name),
                _colours(series)[0],
                Qt.PenStyle.DashLine if series.dashed else Qt.PenStyle.SolidLine,
                {"line": "o", "bars": "s"}.get(series.form, ""),
            )
            for series in named.values()
        )

    def apply_theme(self) -> None:
        self.set_picture(self.picture)

    def values_at(self, panel: Panel, x: float) -> str:
        parts, where = [], ""
        for series in panel.series:
            if not series.y.size:
                continue
            if series.form == "steps":
                place = int(np.searchsorted(series.x, x, side="right")) - 1
            else:
                place = int(np.abs(series.x - x).argmin())
            if not 0 <= place < series.y.size or np.isnan(series.y[place]):
                continue
            if series.start is not None and abs(series.x[place] - x) > 0.5:  # of another row
                continue
            where = where or self._where(series, place)
            value = (
                series.labels[place]
                if place < len(series.labels)
                else tick_text(float(series.y[place]))
            )
            parts.append(translate_message(join_sentences((series.name, value), ": ")))
        title = translate_message(panel.title)
        return " · ".join(filter(None, (title, where, *parts))) if parts else ""

    def legible_height(self, width: int) -> int:
        """Return the height in which the panels can be read."""
        rows = math.ceil(len(self.picture.panels) / self._columns(width))
        names = len(self.picture.x_ticks or ()) if self.picture.has_bars else 0
        lines = max(LEGIBLE_LINES, names + 2)
        return round(rows * lines * QFontMetricsF(self.font()).height())

    def _columns(self, width: int) -> int:
        bars, columns = self.picture.has_bars, self.picture.columns
        least, names = (NARROWEST_BARS, self._names()) if bars else (NARROWEST, 0)
        while columns > 1 and width < columns * with_text(least) + names:
            columns //= 2
        return columns

    def _names(self) -> int:
        """Return the width of the names of the bars in px, with their ticks."""
        metrics = QFontMetricsF(self.font())
        widths = [metrics.horizontalAdvance(text) for _, text in self._ticks()]
        return math.ceil(max(widths, default=0)) + 2 * GRID

    def arrange(self) -> None:
        columns, bars = self._columns(self.width()), self.picture.has_bars
        names = self._names() if bars else 0
        each = max((self.width() - names - (columns - 1) * self._grid.spacing()) // columns, 1)
        for place, chart in enumerate(self._charts):
            self._grid.addWidget(chart, *divmod(place, columns))
            chart.setVisible(place < len(self.picture.panels))
            if bars:  # their names stand once in a row
                chart.plotItem.showAxis("left", place % columns == 0)
        for column in range(self._grid.columnCount()):
            stretch = each + (names if column == 0 else 0)
            self._grid.setColumnStretch(column, stretch if column < columns else 0)
        for row in range(self._grid.rowCount()):  # all that are shown are as high as each other
            self._grid.setRowStretch(row, 1 if row * columns < len(self.picture.panels) else 0)
        room = each - MARGINS - (0 if bars else with_text(AXIS))
        for chart, panel in zip(self._charts, self.picture.panels, strict=False):
            self._fit(chart, panel, max(room, 1))

    def _fit(self, chart: Chart, panel: Panel, width: int) -> None:
        """Break the title where a plot so many px wide ends, and leave its bars' values room."""
        plot = chart.plotItem
        if panel.title:
            label = plot.titleLabel
            label.item.document().setDefaultTextOption(QTextOption(Qt.AlignmentFlag.AlignHCenter))
            label.item.setTextWidth(width)
            label.updateMin()
            label.resizeEvent(None)  # centres the title anew
            high = label.itemRect().height()
            label.setMaximumHeight(high)
            plot.layout.setRowFixedHeight(0, high)
            plot.setGeometry(chart.range)  # a plot grows to a title's old width, and stays so
        if not self.picture.has_bars:
            return
        share = 1.0
        if not self.picture.has_spans:
            metrics = QFontMetricsF(self.font())
            labels = [translate_message(text) for each in panel.series for text in each.labels]
            beside = max(map(metrics.horizontalAdvance, labels), default=0) + GRID
            share = max(min(LONGEST, 1 - beside / width), SHORTEST)
        first, last = self.picture.x_range
        chart.full_view = QRectF(0, first, scale_of(panel)[1] / share, last - first)
        chart.reset_view()

    def _add(self) -> None:
        chart, place = Chart(), len(self._charts)
        chart.setMinimumHeight(0)
        chart.view.disableAutoRange()
        chart.hovered.connect(
            lambda at: self.hovered.emit("" if at is None else self._values(place, at))
        )
        chart.apply_theme()
        self._charts.append(chart)

    def _values(self, place: int, at: tuple[float, float]) -> str:
        return self.values_at(self.picture.panels[place], at[1] if self.picture.has_bars else at[0])

    def _show(self, chart: Chart, panel: Panel) -> None:
        picture, theme, bars = self.picture, Theme.current, self.picture.has_bars
        plot = chart.plotItem
        left = chart.left
        plot.clear()
        chart.view.invertY(bars)
        chart.view.setMouseEnabled(x=picture.zooms, y=False)
        plot.showGrid(x=not bars, y=not bars)
        plot.showAxis("bottom", picture.has_spans or not bars)
        plot.showAxis("left")
        left.setTicks([self._ticks()] if bars else None)
        left.set_form("log" if panel.log else "whole" if panel.whole else "number")
        # Panels below each other are in line.
        left.setWidth(self._names() if bars else with_text(AXIS))
        left.setStyle(hideOverlappingLabels=False, tickLength=0 if bars else -4)
        low, high = scale_of(panel)
        first, last = picture.x_range
        before = chart.full_view
        chart.full_view = QRectF(first, low, last - first, high - low)
        scale = None
        if not bars and picture.x_ticks is not None:
            places, texts = zip(*self._ticks(), strict=True)
            scale = ValueScale(places, texts, by_size=True)
        chart.bottom.set_scale_of(scale)
        chart.set_labels(translate_message(picture.x_title), "")
        if picture.zooms and before is not None and before.right() == last:
            chart.view.setYRange(low, high, padding=0)  # what is looked at stays
        else:
            chart.reset_view()
        title = escape(translate_message(panel.title))
        plot.setTitle(title or None, color=theme.text, size=f"{text_size()}pt")
        if panel.empty:
            text = translate_message(panel.absent)
            absent = pg.TextItem(text, color=theme.muted, anchor=(0.5, 0.5))
            absent.setPos(chart.full_view.center())
            chart.addItem(absent, ignoreBounds=True)
        else:
            for series in panel.series:
                _draw(chart, series, log=panel.log, low=low)

    def _ticks(self) -> list[tuple[float, str]]:
        return [(place, translate_message(text)) for place, text in self.picture.x_ticks or ()]

    def _where(self, series: Series, place: int) -> str:
        """Return the x of a point as its tick says it, or the range of a step."""
        at = float(series.x[place])
        named = {round(where, 6): text for where, text in self._ticks()}
        if series.form != "steps":
            return named.get(round(at, 6), f"{at:g}")
        end = float(series.x[place + 1])
        if self.picture.x_ticks is None:  # whole numbers
            span = wording.span(int(at), int(end))
            return f"{translate_message(self.picture.x_title)} {span}"
        if named.get(round((at + end) / 2, 6)) == "0":
            return "0"
        return f"{10**at:.1e} … {10**end:.1e}"


def _colours(series: Series) -> list[str]:
    return [COLOURS.get(colour, colour) for colour in series.colours]


def _draw(chart: Chart, series: Series, *, log: bool, low: float) -> None:
    colours, heights = _colours(series), series.y
    colour = colours[0]
    lost = np.flatnonzero(np.isinf(heights))
    if log or series.form == "steps":
        heights = np.where((heights > 0) & np.isfinite(heights), heights, np.nan)
    if log:
        heights = np.log10(heights)
    style = Qt.PenStyle.DashLine if series.dashed else Qt.PenStyle.SolidLine
    if series.form == "bars":
        known = np.where(np.isfinite(series.y), series.y, 0.0)
        brushes = [colours[place % len(colours)] for place in range(series.y.size)]
        x0 = 0 if series.start is None else series.start
        chart.addItem(
            pg.BarGraphItem(x0=x0, y=series.x, width=known, height=THICK, brushes=brushes, pen=None)
        )
        for place, length in enumerate(known if series.start is None else ()):
            text = translate_message(series.labels[place])
            label = pg.TextItem(text or ABSENT, color=Theme.current.text, anchor=(0, 0.5))
            label.setPos(length, series.x[place])
            chart.addItem(label, ignoreBounds=True)
    elif series.form == "steps":
        fill = QColor(colour)
        fill.setAlpha(FILL_ALPHA)
        pen = pg.mkPen(colour, width=1.5, style=style)
        stairs = chart.plot(
            series.x,
            np.append(heights, heights[-1:]),
            stepMode="right",
            connect="finite",
            pen=pen,
            fillLevel=None if series.dashed else low,
            brush=fill,
        )
        # Of many columns that share a pixel the largest is seen.
        stairs.setDownsampling(auto=True, method="peak")
        stairs.setClipToView(True)
        top = np.full(lost.size, chart.view.viewRange()[1][1])
        marks = pg.ScatterPlotItem(
            series.x[lost] + 0.5, top, symbol="t", size=9, pen=None, brush=Theme.current.bad
        )
        chart.addItem(marks, ignoreBounds=True)
    else:
        known = np.isfinite(heights)
        chart.plot(
            series.x[known],
            heights[known],
            pen=pg.mkPen(colour, width=with_text(2), style=style),
            symbol="o",
            symbolSize=with_text(8),
            symbolPen=None,
            symbolBrush=colour,
            antialias=True,
        )
