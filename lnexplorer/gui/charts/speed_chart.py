"""GB/s of every run, with its spread, its samples and the ceiling above it."""

import math
import zlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPen
from PySide6.QtWidgets import QWidget

from lnexplorer.gui.charts.axes import NumberAxis
from lnexplorer.gui.charts.chart import PointChart
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

    @property
    def cloud(self) -> tuple[Column, Column]:
        """Its samples: how far to the side each stands, -1 to 1, and its GB/s.

        Neighbours are put apart by a fixed pattern: the picture stays the same when it is drawn again.
        """
        samples = self.figure.samples_ms[self.figure.samples_ms > 0]
        samples = samples[:: -(-samples.size // MOST_SAMPLES) or 1]
        sideways = (np.arange(samples.size, dtype=np.float64) * 0.618 % 1.0 - 0.5) * 2
        return sideways, self.figure.gbps * self.figure.p50_ms / samples


def spread(figure: Figure) -> tuple[float, float]:
    """GB/s at the 80th and the 20th percentile of the time: the range from slow to fast."""
    moved = figure.gbps * figure.p50_ms
    return moved / figure.p80_ms, moved / figure.p20_ms


# Colour says whose, dash and symbol say which direction.
STYLES = {"forward": (Qt.PenStyle.SolidLine, "o"), "backward": (Qt.PenStyle.DashLine, "t")}
OTHER_COLOURS = (RESULT_COLOURS["db"], "#B8860B", "#3FA7A0", "#7A8B2A")  # of providers that the theme does not know
MOST_CLOUDS = 20  # points of a series with a cloud of samples, the newest
MOST_SAMPLES = 60  # of a cloud; of more, every second, third and so on
SIZE, PEER_SIZE = 9, 6  # px of a symbol
CEILING, PEER, CLOUD, LINE, SPREAD, SYMBOL = range(6)  # what covers what
CLOUD_ALPHA = 70  # of 255
Series = tuple[str, str, Group]  # provider, direction, within which it is a line


def provider_colour(provider: str) -> str:
    """Colour of a provider, the same in every pane."""
    own = PROVIDER_COLOURS.get(provider)
    # One of another package has the same colour every time; two such may share one.
    return own or OTHER_COLOURS[zlib.crc32(provider.encode()) % len(OTHER_COLOURS)]


class ThroughputChart(PointChart):
    """Points over the number of the run, or over N on a logarithmic axis."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._bottom = NumberAxis("bottom", "whole")
        super().__init__({"left": NumberAxis("left"), "bottom": self._bottom}, parent)
        self.points: list[Point] = []
        self._by_n = False
        self._samples = True
        self._groups: list[Group] = []
        self.view.setMouseEnabled(x=True, y=False)

    def set_points(self, points: list[Point]) -> None:
        self.points = points
        self._draw()

    def set_by_n(self, by_n: bool) -> None:
        if by_n != self._by_n:
            self._by_n = by_n
            self._bottom.set_form("log" if by_n else "whole")
            self._draw()

    def set_samples(self, samples: bool) -> None:
        self._samples = samples
        self._draw()

    def apply_theme(self, theme: Theme) -> None:
        super().apply_theme(theme)
        self._draw()

    def reset_view(self) -> None:
        """Show all runs, from 0 GB/s to the highest ceiling."""
        if not self.points:
            self.view.setRange(xRange=(0.5, 5.5), yRange=(0, 1000), padding=0)
            return
        x = [self._x(point) for point in self.points]
        margin = 0.06 if self._by_n else 0.6
        left, right = min(x) - margin, max(x) + margin
        if not self._by_n:
            right = max(right, left + 5)
        top = max(max(point.ceiling or 0.0, spread(point.figure)[1]) for point in self.points)
        self.view.setRange(xRange=(left, right), yRange=(0, 1.06 * top), padding=0)

    def _x(self, point: Point) -> float:
        return math.log10(point.shape[1]) if self._by_n else point.run

    def _draw(self) -> None:
        self.clear_items()
        self._groups = groups(self.points, by_n=self._by_n)
        by_series: dict[Series, list[Point]] = defaultdict(list)
        for point in self.points:
            by_series[point.provider, point.direction, point.group(by_n=self._by_n)].append(point)
        for series, points in by_series.items():
            self._draw_series(series, points)
        for direction, group in dict.fromkeys(series[1:] for series in by_series):
            below = [point for series, points in by_series.items() if series[1:] == (direction, group) for point in points]
            heights = {self._x(point): point.ceiling for point in below if point.ceiling is not None}
            colour = shade(self.theme.muted, self._groups.index(group), self.theme)
            self._draw_levels(heights, pg.mkPen(colour, width=1, style=STYLES[direction][0]), CEILING)
        places = [(self._x(point), point.figure.gbps) for point in self.points]
        self._bottom.set_places(sorted({x for x, _ in places}) if self._by_n else [])
        self.set_spots(np.array(places, np.float64).reshape(-1, 2), self.points)
        self.reset_view()

    def _draw_series(self, series: Series, points: list[Point]) -> None:
        style, place = STYLES[series[1]][0], self._groups.index(series[2])
        colour = shade(provider_colour(series[0]), place, self.theme)
        for hollow in (False, True):
            for peer in (False, True):
                alike = [point for point in points if (point.hollow, point.peer) == (hollow, peer)]
                if not alike:
                    continue
                x, y = [self._x(point) for point in alike], [point.figure.gbps for point in alike]
                look = {"pen": pg.mkPen(colour, width=1), "brush": self.theme.surface if hollow else colour}
                size, sign = PEER_SIZE if peer else SIZE, symbol(series[1], place)
                self.draw_item(pg.ScatterPlotItem(x, y, symbol=sign, size=size, **look), PEER if peer else SYMBOL)
        levels = {self._x(point): point.figure.gbps for point in points if point.peer}
        self._draw_levels(levels, pg.mkPen(colour, width=2, style=style), PEER)
        own = [point for point in points if not point.peer]
        if own:
            self._draw_own(own, colour, style)

    def _draw_own(self, points: list[Point], colour: QColor, style: Qt.PenStyle) -> None:
        """The run's own kernels: a line, bars of the spread, and the samples."""
        faint, cloud = QColor(colour), QColor(colour)
        faint.setAlpha(150)
        cloud.setAlpha(CLOUD_ALPHA)
        x, y = [self._x(point) for point in points], np.array([point.figure.gbps for point in points])
        line = sorted(dict(zip(x, y, strict=True)).items()) if self._by_n else list(zip(x, y, strict=True))
        # From one run to the next a line only leads the eye; over N it is what is looked at.
        pen = pg.mkPen(colour, width=3, style=style) if self._by_n else pg.mkPen(faint, width=1, style=style)
        # Runs of unlike problems are no line: the one would seem to follow from the other.
        joined = np.array([one.shape == other.shape for one, other in pairwise(points)] + [False])
        self.draw_item(pg.PlotCurveItem(*np.array(line).T, pen=pen, connect="all" if self._by_n else joined), LINE)
        slow, fast = np.array([spread(point.figure) for point in points]).T
        beam, wide = (0.008, 0.006) if self._by_n else (0.16, 0.12)
        bars = pg.ErrorBarItem(x=np.array(x), y=y, bottom=y - slow, top=fast - y, beam=beam, pen=pg.mkPen(colour, width=1))
        self.draw_item(bars, SPREAD)
        clouds = [(self._x(point) + wide * point.cloud[0], point.cloud[1]) for point in points[-MOST_CLOUDS:]]
        if self._samples:
            dots = pg.ScatterPlotItem(*np.concatenate(clouds, axis=1), symbol="s", size=3, pen=None, brush=cloud)
            self.draw_item(dots, CLOUD)

    def _draw_levels(self, heights: dict[float, float], pen: QPen, level: float) -> None:
        """A line over N, or one level across the column of each run."""
        x, y = np.array(sorted(heights.items()), np.float64).reshape(-1, 2).T
        if not self._by_n or x.size == 1:
            half = 0.04 if self._by_n else 0.5
            x, y = np.column_stack((x - half, x + half)).reshape(-1), np.repeat(y, 2)
        if x.size:
            self.draw_item(pg.PlotCurveItem(x, y, pen=pen, connect="all" if self._by_n else "pairs"), level)


def groups(points: Iterable[Point], *, by_n: bool) -> list[Group]:
    """Within which points are joined, in the order in which these first appear: the place says how a line looks."""
    return list(dict.fromkeys(point.group(by_n=by_n) for point in points))
