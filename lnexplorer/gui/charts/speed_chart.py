"""GB/s of every run, or of everybody in the only one, with spread, samples and the ceiling above."""

import zlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from lnexplorer.domain.wording import provider_label
from lnexplorer.gui.charts.axes import NumberAxis, ValueAxis, ValueScale
from lnexplorer.gui.charts.chart import PointChart
from lnexplorer.gui.charts.theme import PROVIDER_COLOURS, RESULT_COLOURS, Theme, mixed, with_text
from lnkernels.values.figures import Figure

SYMBOLS = {"forward": ("o", "s", "d", "h"), "backward": ("t", "t1", "t3", "t2")}
# Of figures from elsewhere; whole lines are the sweep's own.
DASHES = (Qt.PenStyle.DashLine, Qt.PenStyle.DotLine, Qt.PenStyle.DashDotLine, Qt.PenStyle.DashDotDotLine)
MIXED = 0.45  # of the colour of texts, or of the ground, in a shade


def shade(colour: str, place: int, theme: Theme) -> QColor:
    """The colour itself for the first, then one nearer to the texts and one nearer to the ground, in turns."""
    if place % 3 == 0:
        return QColor(colour)
    return mixed(colour, theme.text if place % 3 == 1 else theme.surface, MIXED)


def symbol(direction: str, place: int) -> str:
    """The symbol of a pass, another one for each group of lines."""
    offered = SYMBOLS[direction]
    return offered[place % len(offered)]


def dash(place: int) -> Qt.PenStyle:
    """How the lines of one source from elsewhere are drawn."""
    return DASHES[place % len(DASHES)]


Column = NDArray[np.float64]


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
    device: str = ""  # the kind of GPU, empty where that is not known; figures of unlike GPUs are no line

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
BAR, CEILING, PEER, CLOUD, LINE, SPREAD, SYMBOL = range(7)  # what covers what
LINE_ALPHA, CLOUD_ALPHA = 150, 70  # of 255
SIDES = {"forward": (-0.2, 150), "backward": (0.2, 80)}  # of the bars of one provider: where, and how much is seen, of 255
HALF, HALF_RUN = 0.18, 0.5  # width of a bar, and of the column of a run
Series = tuple[str, str, str]  # provider, direction, device


@dataclass(frozen=True)
class Look:
    """How something is drawn: one item draws all that looks alike, whatever its series; each item takes half a millisecond."""

    level: int
    colour: str  # empty for none
    size: int  # px of a line's width or of a symbol, at usual text
    style: Qt.PenStyle = Qt.PenStyle.SolidLine
    symbol: str = ""  # empty for lines
    inside: str = ""  # colour

    def item(self, values: Column) -> pg.GraphicsObject:
        """The item of all: [x and y, points], for lines whether each point is joined to the next, for bars how far they reach
        below and above.
        """
        size = with_text(self.size)
        pen = pg.mkPen(QColor(self.colour), width=1 if self.symbol else size, style=self.style) if self.colour else None
        if self.symbol:
            brush = pg.mkBrush(QColor(self.inside))
            return pg.ScatterPlotItem(*values, symbol=self.symbol, size=size, pen=pen, brush=brush)
        if self.level == SPREAD:
            x, y, bottom, top = values
            return pg.ErrorBarItem(x=x, y=y, bottom=bottom, top=top, beam=0.16, pen=pen)
        return pg.PlotCurveItem(*values[:2], pen=pen, connect=values[2].astype(bool))


def provider_colour(provider: str) -> str:
    """Colour of a provider, the same in every pane."""
    own = PROVIDER_COLOURS.get(provider)
    # One of another package has the same colour every time; two such may share one.
    return own or OTHER_COLOURS[zlib.crc32(provider.encode()) % len(OTHER_COLOURS)]


class ThroughputChart(PointChart):
    """Points over the number of the run; of a single one, bars over the names of those who were timed."""

    def __init__(self) -> None:
        self._bottom = ValueAxis("bottom")
        super().__init__({"left": NumberAxis("left"), "bottom": self._bottom})
        self.points: list[Point] = []
        self._names: list[str] = []  # of a single run
        self._samples = True
        self._devices: list[str] = []
        self._alike: dict[Look, list[Column]] = {}
        self.view.setMouseEnabled(x=True, y=False)

    def set_points(self, points: list[Point]) -> None:
        self.points = points
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
        left, right = self._ends
        top = max(max(point.ceiling or 0.0, spread(point.figure)[1]) for point in self.points)
        self.view.setRange(xRange=(left, right), yRange=(0, 1.06 * top), padding=0)

    @property
    def is_of_one_run(self) -> bool:
        return len({point.run for point in self.points}) == 1

    @property
    def _ends(self) -> tuple[float, float]:
        """Of the axis."""
        if self._names:
            spare = max(2 - len(self._names), 0) / 2
            return -0.6 - spare, len(self._names) - 0.4 + spare
        runs = [point.run for point in self.points]
        return min(runs) - 0.6, max(max(runs) + 0.6, min(runs) + 4.4)

    def _at(self, point: Point) -> float:
        """Where a point stands."""
        return self._names.index(point.provider) + SIDES[point.direction][0] if self._names else point.run

    def _name_places(self) -> None:
        self._names = list(dict.fromkeys(point.provider for point in self.points)) if self.is_of_one_run else []
        left, right = map(round, self._ends if self.points else (0, 5))
        names = dict(enumerate(map(provider_label, self._names))) or {run: str(run) for run in range(left + 1, right + 1)}
        self._bottom.set_scale_of(ValueScale(tuple(map(float, names)), tuple(names.values()), by_size=False))

    def _draw(self) -> None:
        self.clear_items()
        self._name_places()
        self._devices = devices_of(self.points)
        self._alike = defaultdict(list)
        by_series: dict[Series, list[Point]] = defaultdict(list)
        for point in self.points:
            by_series[point.provider, point.direction, point.device].append(point)
        for series, points in by_series.items():
            self._draw_series(series, points)
        for direction, device in dict.fromkeys(series[1:] for series in by_series):
            below = [point for series, points in by_series.items() if series[1:] == (direction, device) for point in points]
            heights = {self._at(point): point.ceiling for point in below if point.ceiling is not None}
            colour = shade(self.theme.muted, self._devices.index(device), self.theme)
            self._draw_levels(heights, Look(CEILING, _name(colour), 1, STYLES[direction][0]))
        for look, values in self._alike.items():
            self.draw_item(look.item(np.concatenate(values, axis=1)), look.level)
        self._draw_bars()
        places = [(self._at(point), point.figure.gbps) for point in self.points]
        self.set_spots(np.array(places, np.float64).reshape(-1, 2), self.points)
        self.reset_view()

    def _draw_series(self, series: Series, points: list[Point]) -> None:
        style, place = STYLES[series[1]][0], self._devices.index(series[2])
        colour = shade(provider_colour(series[0]), place, self.theme)
        for point in points:
            level, size = (PEER, PEER_SIZE) if point.peer else (SYMBOL, SIZE)
            inside = self.theme.surface if point.hollow else colour.name()
            look = Look(level, colour.name(), size, symbol=symbol(series[1], place), inside=inside)
            self._alike[look].append(np.array([[self._at(point)], [point.figure.gbps]], np.float64))
        levels = {self._at(point): point.figure.gbps for point in points if point.peer}
        self._draw_levels(levels, Look(PEER, colour.name(), 2, style))
        own = [point for point in points if not point.peer]
        if own:
            self._draw_own(own, colour, style)

    def _draw_own(self, points: list[Point], colour: QColor, style: Qt.PenStyle) -> None:
        """The run's own kernels: a line, bars of the spread, and the samples."""
        x, y = np.array([(self._at(point), point.figure.gbps) for point in points], np.float64).T
        # Runs of unlike problems are no line: the one would seem to follow from the other.
        joined = np.array([one.shape == other.shape for one, other in pairwise(points)] + [False])
        self._alike[Look(LINE, _name(colour, LINE_ALPHA), 1, style)].append(np.array([x, y, joined]))
        slow, fast = np.array([spread(point.figure) for point in points]).T
        self._alike[Look(SPREAD, colour.name(), 1)].append(np.array([x, y, y - slow, fast - y]))
        clouds = [(self._at(point) + 0.12 * point.cloud[0], point.cloud[1]) for point in points[-MOST_CLOUDS:]]
        if self._samples:
            look = Look(CLOUD, "", 3, symbol="s", inside=_name(colour, CLOUD_ALPHA))
            self._alike[look].append(np.concatenate(clouds, axis=1))

    def _draw_bars(self) -> None:
        """Of a single run, which has room for them."""
        for direction, (_, alpha) in SIDES.items():
            own = [point for point in self.points if self._names and point.direction == direction]
            if own:
                brushes = [QColor(_name(QColor(provider_colour(point.provider)), alpha)) for point in own]
                x, height = [self._at(point) for point in own], [point.figure.gbps for point in own]
                self.draw_item(pg.BarGraphItem(x=x, height=height, width=2 * HALF, brushes=brushes, pen=None), BAR)

    def _draw_levels(self, heights: dict[float, float], look: Look) -> None:
        """A level across each bar, or the column of each run."""
        half = HALF if self._names else HALF_RUN
        x, y = np.array(sorted(heights.items()), np.float64).reshape(-1, 2).T
        if x.size:
            ends = np.column_stack((x - half, x + half)).reshape(-1)
            self._alike[look].append(np.array([ends, np.repeat(y, 2), np.tile((1.0, 0.0), x.size)]))


def _name(colour: QColor, alpha: int = 255) -> str:
    """A colour with how much of it is seen, as Qt reads it."""
    return QColor(colour.red(), colour.green(), colour.blue(), alpha).name(QColor.NameFormat.HexArgb)


def devices_of(points: Iterable[Point]) -> list[str]:
    """In the order in which these first appear: the place says how a line looks."""
    return list(dict.fromkeys(point.device for point in points))
