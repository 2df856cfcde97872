"""GB/s of every run: points with their spread, the samples behind them, and the ceiling above them."""

import zlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TypeAlias

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from lnexplorer.gui.charts.axes import LogAxis, NumberAxis
from lnexplorer.gui.charts.chart import Chart
from lnexplorer.gui.charts.sample_cloud import SampleCloud
from lnexplorer.gui.charts.theme import PROVIDER_COLOURS, RESULT_COLOURS, Theme
from lnkernels.values.figures import Figure

SYMBOLS = {"forward": ("o", "s", "d", "h"), "backward": ("t", "t1", "t3", "t2")}
# Of figures from elsewhere; whole lines are the sweep's own.
DASHES = (Qt.PenStyle.DashLine, Qt.PenStyle.DotLine, Qt.PenStyle.DashDotLine, Qt.PenStyle.DashDotDotLine)
MIXED = 0.45  # of the colour of texts, or of the ground, in a shade


def shade(colour: str, place: int, theme: Theme) -> QColor:
    """The colour itself for the first, then one nearer to the texts and one nearer to the ground, in turns."""
    own = QColor(colour)
    if place % 3 == 0:
        return own
    other = QColor(theme.text if place % 3 == 1 else theme.surface)
    channels = ((own.red(), other.red()), (own.green(), other.green()), (own.blue(), other.blue()))
    return QColor(*(round((1 - MIXED) * mine + MIXED * its) for mine, its in channels))


def symbol(direction: str, place: int) -> str:
    """The symbol of a pass, another one for each group of lines."""
    offered = SYMBOLS[direction]
    return offered[place % len(offered)]


def dash(place: int) -> Qt.PenStyle:
    """How the lines of one source from elsewhere are drawn."""
    return DASHES[place % len(DASHES)]


Column = NDArray[np.float64]
Group = tuple[str, str]  # what a line stays within: a kind of GPU, and a problem where N is along the axis


@dataclass(frozen=True, eq=False)
class Point:
    """One figure of one run."""

    run: int
    shape: tuple[int, int, str]  # M, N, dtype
    provider: str
    direction: str
    figure: Figure
    ceiling: float | None  # GB/s
    hollow: bool  # not measured on this machine now
    peer: bool = False  # drawn as a line, for the run's own kernels to be seen against
    device: str = ""  # the kind of GPU; empty where that is not known

    def group(self, *, by_n: bool) -> Group:
        """With which points it may be joined: figures of unlike GPUs are no line, nor over N those of unlike problems."""
        return self.device, f"M = {self.shape[0]}, {self.shape[2]}" if by_n else ""

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        """As in COLUMNS. The same points are drawn again with every new run."""
        ceiling = np.nan if self.ceiling is None else self.ceiling
        return (self.run, float(np.log10(self.shape[1])), self.figure.gbps, *spread(self.figure), ceiling, self.peer, self.hollow)

    @cached_property
    def cloud(self) -> tuple[Column, Column]:
        """Its samples: how far to the side each stands, -1 to 1, and its GB/s.

        Neighbours are put apart by a fixed pattern: the picture stays the same when it is drawn again.
        """
        samples = self.figure.samples_ms[self.figure.samples_ms > 0]
        sideways = (np.arange(samples.size, dtype=np.float64) * 0.618 % 1.0 - 0.5) * 2
        return sideways, self.figure.gbps * self.figure.p50_ms / samples


COLUMNS = ("run", "n", "gbps", "slow", "fast", "ceiling", "peer", "hollow")  # N as a power of ten


def spread(figure: Figure) -> tuple[float, float]:
    """GB/s at the 80th and the 20th percentile of the time: the range from slow to fast."""
    moved = figure.gbps * figure.p50_ms
    return moved / figure.p80_ms, moved / figure.p20_ms


# Colour says whose, dash and symbol say which direction.
STYLES = {"forward": (Qt.PenStyle.SolidLine, "o"), "backward": (Qt.PenStyle.DashLine, "t")}
OTHER_COLOURS = (RESULT_COLOURS["db"], "#B8860B", "#3FA7A0", "#7A8B2A")  # of providers that the theme does not know
MOST_CLOUDS = 1000  # points of a series with a cloud, the newest
NEAR = 24  # px within which a point, or the column of a run, is under the cursor
SIZE, PEER_SIZE = 9, 6  # px of a symbol
HEIGHTS = (1, 2, 3, 4, 0)  # of a series' items: its samples, line, bars and symbols, above the lines of peers
PEER_HEIGHT = 0.5  # of the symbols of one that is a peer everywhere
Series = tuple[str, str, Group]  # provider, direction, within which it is a line
Items: TypeAlias = tuple[pg.PlotCurveItem, pg.ErrorBarItem, pg.ScatterPlotItem, pg.PlotCurveItem]


def provider_colour(provider: str) -> str:
    """Colour of a provider, the same in every pane."""
    own = PROVIDER_COLOURS.get(provider)
    # One of another package has the same colour every time; two such may share one.
    return own or OTHER_COLOURS[zlib.crc32(provider.encode()) % len(OTHER_COLOURS)]


class ThroughputChart(Chart):
    """Points over the number of the run, or over N on a logarithmic axis."""

    pointHovered = Signal(object)  # Point, or None

    def __init__(self, parent: QWidget | None = None) -> None:
        self._bottom = LogAxis("bottom")
        self._left = NumberAxis("left")
        super().__init__({"left": self._left, "bottom": self._bottom}, parent)
        self._points: list[Point] = []
        self._places: NDArray[np.float64] = np.empty((0, 2))
        self._by_n = False
        self._samples = True
        self._series: dict[Series, Items] = {}
        self._clouds: dict[Series, SampleCloud] = {}
        self._tables: dict[Series, dict[str, Column]] = {}  # the columns of their points
        self._groups: list[Group] = []
        self._ceilings: dict[tuple[str, Group], pg.PlotCurveItem] = {}
        self._ring = pg.ScatterPlotItem(symbol="o", size=18, brush=None)
        self._ring.setZValue(10)
        self.addItem(self._ring, ignoreBounds=True)
        self._cursor: tuple[float, float] | None = None
        self._cross = (pg.InfiniteLine(angle=90), pg.InfiniteLine(angle=0))
        for line in self._cross:
            line.setZValue(9)
            line.setVisible(False)
            self.addItem(line, ignoreBounds=True)
        self.view.setMouseEnabled(x=True, y=False)
        self.view.disableAutoRange()
        self.hovered.connect(self._on_hovered)
        self._configure_bottom()

    @property
    def points(self) -> list[Point]:
        """What is drawn."""
        return self._points

    def set_points(self, points: list[Point]) -> None:
        """Draw these."""
        self._points = points
        self._draw()

    def set_by_n(self, by_n: bool) -> None:
        """Choose what is on the horizontal axis: N, or the number of the run."""
        if by_n != self._by_n:
            self._by_n = by_n
            self._configure_bottom()
            self._draw()

    def set_samples(self, samples: bool) -> None:
        """Show or hide the clouds of samples."""
        self._samples = samples
        self._draw()

    def apply_theme(self, theme: Theme) -> None:
        super().apply_theme(theme)
        self._ring.setPen(pg.mkPen(theme.accent, width=2))
        for line in self._cross:
            line.setPen(pg.mkPen(theme.accent, width=1, style=Qt.PenStyle.DotLine))
        self._draw()

    def reset_view(self) -> None:
        """Show all runs, from 0 GB/s to the highest ceiling."""
        if not self._points:
            self.view.setRange(xRange=(0.5, 5.5), yRange=(0, 1000), padding=0)
            return
        x = self._places[:, 0]
        margin = 0.06 if self._by_n else 0.6
        left, right = float(x.min()) - margin, float(x.max()) + margin
        if not self._by_n:
            right = max(right, left + 5)
        tops = (max(np.nanmax(table["ceiling"], initial=0.0), table["fast"].max()) for table in self._tables.values())
        self.view.setRange(xRange=(left, right), yRange=(0, 1.06 * float(max(tops))), padding=0)

    def _configure_bottom(self) -> None:
        self._bottom.set_log(self._by_n)
        self._bottom.whole = not self._by_n

    def _draw(self) -> None:
        by_series: dict[Series, list[Point]] = defaultdict(list)
        for point in self._points:
            by_series[point.provider, point.direction, point.group(by_n=self._by_n)].append(point)
        self._groups = groups(self._points, by_n=self._by_n)
        for gone in set(self._series) - set(by_series):
            for item in (*self._series.pop(gone), self._clouds.pop(gone)):
                self.removeItem(item)
        self._points = [point for series in by_series.values() for point in series]
        self._tables = {
            series: dict(zip(COLUMNS, np.array([point.numbers for point in points]).T, strict=True))
            for series, points in by_series.items()
        }
        for series, points in by_series.items():
            self._draw_series(series, points)
        places = [np.column_stack((self._x(table), table["gbps"])) for table in self._tables.values()]
        self._places = np.concatenate([np.empty((0, 2)), *places])
        self._draw_ceilings(list(by_series))
        self._ring.setData([], [])
        for line in self._cross:
            line.setVisible(False)
        self._bottom.set_places(np.unique(self._places[:, 0]).tolist() if self._by_n else [])
        self.reset_view()
        if self._cursor is not None:
            self._on_hovered(self._cursor)  # what is under the cursor may be something else now

    def _x(self, table: dict[str, Column]) -> Column:
        return table["n" if self._by_n else "run"]

    def _draw_series(self, series: Series, points: list[Point]) -> None:
        curve, bars, symbols, level = self._items(series)
        table, style = self._tables[series], STYLES[series[1]][0]
        colour = shade(provider_colour(series[0]), self._groups.index(series[2]), self.theme)
        x, y, peers = self._x(table), table["gbps"], table["peer"] > 0
        self._draw_symbols(symbols, series, colour)
        level.setPen(pg.mkPen(colour, width=2, style=style))
        level.setData(*self._segments(*_latest(x[peers], y[peers])))
        own = np.flatnonzero(~peers)
        x, y = x[own], y[own]
        faint = QColor(colour)
        faint.setAlpha(150)
        # From one run to the next a line only leads the eye; over N it is what is looked at.
        curve.setPen(pg.mkPen(colour, width=3, style=style) if self._by_n else pg.mkPen(faint, width=1, style=style))
        curve.setData(*(_latest(x, y) if self._by_n else (x, y)))
        width = 0.008 if self._by_n else 0.16
        slow, fast = table["slow"][own], table["fast"][own]
        bars.setData(x=x, y=y, bottom=y - slow, top=fast - y, beam=width, pen=pg.mkPen(colour, width=1))
        clouds = [points[place].cloud for place in own[-MOST_CLOUDS:]] if self._samples else []
        sideways, speeds = (np.concatenate([np.empty(0), *(cloud[part] for cloud in clouds)]) for part in (0, 1))
        middles = np.repeat(x[-MOST_CLOUDS:][: len(clouds)], [cloud[0].size for cloud in clouds])
        self._clouds[series].set_data(middles + (0.006 if self._by_n else 0.12) * sideways, speeds, colour)

    def _draw_symbols(self, scatter: pg.ScatterPlotItem, series: Series, colour: QColor) -> None:
        table, sign = self._tables[series], symbol(series[1], self._groups.index(series[2]))
        scatter.clear()
        for peer, hollow in product((False, True), repeat=2):  # lists of looks would cost a look at each point
            alike = (table["peer"] == peer) & (table["hollow"] == hollow)
            brush = pg.mkBrush(self.theme.surface if hollow else colour)
            x, y, pen = self._x(table)[alike], table["gbps"][alike], pg.mkPen(colour, width=1)
            scatter.addPoints(x=x, y=y, symbol=sign, size=PEER_SIZE if peer else SIZE, pen=pen, brush=brush)
        scatter.setZValue(PEER_HEIGHT if table["peer"].all() else HEIGHTS[3])

    def _draw_ceilings(self, drawn: list[Series]) -> None:
        """One for each pass on each kind of GPU; over N of each problem, whose bytes are others."""
        wanted = dict.fromkeys((direction, group) for _, direction, group in drawn)
        for gone in set(self._ceilings) - set(wanted):
            self.removeItem(self._ceilings.pop(gone))
        for key in wanted:
            if key not in self._ceilings:
                self._ceilings[key] = pg.PlotCurveItem(connect="pairs")
                self._ceilings[key].setZValue(-1)
                self.addItem(self._ceilings[key])
            colour = shade(self.theme.muted, self._groups.index(key[1]), self.theme)
            self._ceilings[key].setPen(pg.mkPen(colour, width=1, style=STYLES[key[0]][0]))
            tables = [self._tables[series] for series in drawn if series[1:] == key]
            x = np.concatenate([self._x(each) for each in tables])
            y = np.concatenate([each["ceiling"] for each in tables])
            known = ~np.isnan(y)
            self._ceilings[key].setData(*self._segments(*_latest(x[known], y[known])))

    def _segments(self, x: Column, y: Column) -> tuple[Column, Column]:
        """Ends of a line over N, or of one level across the column of each run."""
        if self._by_n and x.size > 1:
            ends, heights = np.column_stack((x[:-1], x[1:])), np.column_stack((y[:-1], y[1:]))
        else:
            half = 0.04 if self._by_n else 0.5
            ends, heights = np.column_stack((x - half, x + half)), np.column_stack((y, y))
        return ends.reshape(-1), heights.reshape(-1)

    def _items(self, series: Series) -> Items:
        if series not in self._series:
            items = (pg.PlotCurveItem(), pg.ErrorBarItem(), pg.ScatterPlotItem(), pg.PlotCurveItem(connect="pairs"))
            self._series[series] = items
            self._clouds[series] = SampleCloud()
            for height, item in zip(HEIGHTS, (self._clouds[series], *items), strict=True):
                item.setZValue(height)
                self.addItem(item)
        return self._series[series]

    def _on_hovered(self, place: tuple[float, float] | None) -> None:
        self._cursor = place
        point = None if place is None else self._nearest(*place)
        for line in self._cross:
            line.setVisible(point is not None)
        if point is None:
            self._ring.setData([], [])
        else:
            x = point.numbers[COLUMNS.index("n" if self._by_n else "run")]
            self._ring.setData([x], [point.figure.gbps])
            self._cross[0].setValue(x)
            self._cross[1].setValue(point.figure.gbps)
        self.pointHovered.emit(point)

    def _nearest(self, x: float, y: float) -> Point | None:
        if not self._points:
            return None
        width, height = self.view.viewPixelSize()
        across = np.abs(self._places[:, 0] - x) / (width or 1)
        distance = np.hypot(across, (self._places[:, 1] - y) / (height or 1))
        best = int(distance.argmin())
        if distance[best] > NEAR:
            # Away from all points: of the run in whose column the cursor is, the one at the nearest height.
            best = int(np.where(across <= across.min() + 1, distance, np.inf).argmin())
        in_column = not self._by_n and abs(self._places[best, 0] - x) <= 0.5  # lines of peers reach across it
        return self._points[best] if in_column or across[best] <= NEAR else None


def groups(points: Iterable[Point], *, by_n: bool) -> list[Group]:
    """Within which points are joined, in the order in which these first appear: the place says how a line looks."""
    return list(dict.fromkeys(point.group(by_n=by_n) for point in points))


def _latest(x: Column, y: Column) -> tuple[Column, Column]:
    """Every place once, in order, with the last of its heights."""
    places, backwards = np.unique(x[::-1], return_index=True)
    return places, y[::-1][backwards]
