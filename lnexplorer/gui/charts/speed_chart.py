"""GB/s of every run, or of all providers of the only run, with spread, samples and ceiling."""

import zlib
from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPen

from lnexplorer.domain.wording import provider_label, with_verdict
from lnexplorer.gui.charts.axes import ValueScale
from lnexplorer.gui.charts.chart import PointChart
from lnexplorer.gui.kit import PROVIDER_COLOURS, Theme, mixed, translate_message
from lnkernels.values import frozen, say
from lnkernels.values.figures import Figure

MODE_TEXTS = {  # ways of calling, each with its tooltip
    "kernel_cold": (say("cold L2"), say("Kernels alone, L2 flushed before each repetition")),
    "kernel_warm": (say("warm L2"), say("Kernels alone, L2 as the repetition before left it")),
    "autograd": (say("autograd"), say("A call through autograd, with Python and the allocator")),
}
SYMBOLS = {"forward": ("o", "s", "d", "h"), "backward": ("t", "t1", "t3", "t2")}
# Of figures from elsewhere; whole lines are the sweep's own.
DASHES = (
    Qt.PenStyle.DashLine,
    Qt.PenStyle.DotLine,
    Qt.PenStyle.DashDotLine,
    Qt.PenStyle.DashDotDotLine,
)
MIXED = 0.45  # of the colour of texts, or of the ground, in a shade


def shade(colour: str, place: int) -> QColor:
    """Return the colour itself for the first, then one nearer to the texts or to the ground, in
    turns.
    """
    theme = Theme.current
    if place % 3 == 0:
        return QColor(colour)
    return mixed(colour, theme.text if place % 3 == 1 else theme.surface, MIXED)


def symbol(direction: str, place: int) -> str:
    """Return the symbol of a pass, another one for each group of lines."""
    offered = SYMBOLS[direction]
    return offered[place % len(offered)]


def dash(place: int) -> Qt.PenStyle:
    """Return how the lines of one source from elsewhere are drawn."""
    return DASHES[place % len(DASHES)]


Column = NDArray[np.float64]


@frozen(eq=False)
class SpeedPoint:
    """A figure of a run."""

    run: int
    shape: tuple[int, int, str, str]  # M, N, dtype, norm
    provider: str
    direction: str
    figure: Figure
    ceiling: float | None  # GB/s
    hollow: bool  # not measured on this machine now
    peer: bool = False  # drawn as a line, for the run's own kernels to be seen against
    device: str = ""  # the kind of GPU, whose figures make a line; empty where it is not known

    @property
    def label(self) -> str:
        """Return the name of the provider, with the verdict unless that is "right"."""
        name = provider_label(self.provider)
        return translate_message(with_verdict(name, self.figure.verdict))

    @property
    def colour(self) -> str:
        """Return the provider's colour, or for wrong results the theme's colour of faults."""
        wrong = self.figure.verdict == "wrong"
        return Theme.current.bad if wrong else provider_colour(self.provider)

    @property
    def cloud(self) -> tuple[Column, Column]:
        """Return for each sample how far to the side it is drawn, -1 to 1, and its GB/s.

        A fixed pattern keeps neighbours apart, so that the picture stays the same when it is drawn
        again.
        """
        samples = self.figure.samples_ms[self.figure.samples_ms > 0]
        samples = samples[:: -(-samples.size // MOST_SAMPLES) or 1]
        sideways = (np.arange(samples.size, dtype=np.float64) * 0.618 % 1.0 - 0.5) * 2
        return sideways, self.figure.gbps * self.figure.p50_ms / samples


def spread(figure: Figure) -> tuple[float, float]:
    """Return GB/s at the 80th and the 20th percentile of the time: from slow to fast."""
    moved = figure.gbps * figure.p50_ms
    return moved / figure.p80_ms, moved / figure.p20_ms


# Colour says whose, dash and symbol say which direction.
STYLES = {"forward": (Qt.PenStyle.SolidLine, "o"), "backward": (Qt.PenStyle.DashLine, "t")}
# Of providers that the theme does not know, such as files of one's own.
OTHER_COLOURS = (
    "#3FA7A0",
    "#C25BE0",
    "#7A8B2A",
    "#4845F2",
    "#6CBF3B",
    "#C49A6C",
    "#0C7890",
    "#E58F8F",
)
SHADES = (100, 150, 67)  # % of their lightness
_given: dict[str, str] = {}  # of these by provider
MOST_CLOUDS = 20  # points of a series with a cloud of samples, the newest
MOST_SAMPLES = 60  # of a cloud; of more, every second, third and so on
SIZE, PEER_SIZE = 9, 6  # px of a symbol
BAR, CEILING, PEER, CLOUD, LINE, SPREAD, SYMBOL = range(7)  # what covers what
LINE_ALPHA, CLOUD_ALPHA = 150, 70  # of 255
# Of the bars of one provider: the place beside its name, and the opacity, 0 to 255.
SIDES = {"forward": (-0.2, 150), "backward": (0.2, 80)}
HALF, HALF_RUN = 0.18, 0.5  # width of a bar, and of the column of a run
Series = tuple[str, str, str]  # provider, direction, device


def provider_colour(provider: str) -> str:
    """Return the colour of a provider, the same in every pane."""
    if provider not in PROVIDER_COLOURS and provider not in _given:
        # The same one every time, unless another provider has it already.
        first = zlib.crc32(provider.encode()) % len(OTHER_COLOURS)
        own = OTHER_COLOURS[first:] + OTHER_COLOURS[:first]
        offered = [QColor(each).lighter(percent).name() for percent in SHADES for each in own]
        _given[provider] = min(offered, key=list(_given.values()).count)
    return PROVIDER_COLOURS.get(provider) or _given[provider]


class ThroughputChart(PointChart):
    """Points over the numbers of runs; of a single run, bars over the names of its providers."""

    def __init__(self) -> None:
        super().__init__("whole")
        self.points: list[SpeedPoint] = []
        self._names: list[str] = []  # of a single run
        self._samples = True
        self._devices: list[str] = []
        self.view.setMouseEnabled(x=True, y=False)

    def set_points(self, points: list[SpeedPoint]) -> None:
        self.points = points
        self._draw()

    def set_samples(self, samples: bool) -> None:
        self._samples = samples
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
        """The ends of the axis."""
        if self._names:
            spare = max(2 - len(self._names), 0) / 2
            return -0.6 - spare, len(self._names) - 0.4 + spare
        runs = [point.run for point in self.points]
        return min(runs) - 0.6, max(max(runs) + 0.6, min(runs) + 4.4)

    @property
    def names_all(self) -> bool:
        """Return whether the axis of a single run has room for all names."""
        if not self._names:
            return False
        ((_, shown),) = self.bottom.tickValues(*self._ends, self.view.width())
        return len(shown) == len(self._names)

    def _at(self, point: SpeedPoint) -> float:
        """Return where a point stands."""
        if not self._names:
            return point.run
        return self._names.index(point.provider) + SIDES[point.direction][0]

    def _name_places(self) -> None:
        labels = {point.provider: point.label for point in self.points}
        self._names = list(labels) if self.is_of_one_run else []
        names = tuple(labels[name] for name in self._names)
        places = tuple(map(float, range(len(names))))
        self.bottom.set_scale_of(ValueScale(places, names, by_size=False) if names else None)

    def _draw(self) -> None:
        self.clear_items()
        self._name_places()
        self._devices = devices_of(self.points)
        by_series: dict[Series, list[SpeedPoint]] = defaultdict(list)
        ceilings: dict[tuple[str, str], dict[float, float]] = defaultdict(dict)
        for point in self.points:
            by_series[point.provider, point.direction, point.device].append(point)
            if point.ceiling is not None:
                ceilings[point.direction, point.device][self._at(point)] = point.ceiling
        for series, points in by_series.items():
            self._draw_series(series, points)
        for (direction, device), heights in ceilings.items():
            colour = shade(Theme.current.muted, self._devices.index(device))
            self._draw_levels(heights, pg.mkPen(colour, style=STYLES[direction][0]), CEILING)
        self._draw_bars()
        places = [(self._at(point), point.figure.gbps) for point in self.points]
        self.set_spots(np.array(places, np.float64).reshape(-1, 2), self.points)
        self.reset_view()

    def _draw_series(self, series: Series, points: list[SpeedPoint]) -> None:
        style, place = STYLES[series[1]][0], self._devices.index(series[2])
        colour = shade(points[-1].colour, place)
        peers, own = ([point for point in points if point.peer is peer] for peer in (True, False))
        self._draw_levels(
            {self._at(point): point.figure.gbps for point in peers},
            pg.mkPen(colour, width=2, style=style),
            PEER,
        )
        if own:
            self._draw_own(own, colour, style)
        look = {"symbol": symbol(series[1], place), "pen": pg.mkPen(colour)}
        for some, size, level in ((peers, PEER_SIZE, PEER), (own, SIZE, SYMBOL)):
            x = list(map(self._at, some))
            y = [point.figure.gbps for point in some]
            brush = [pg.mkBrush(Theme.current.surface if each.hollow else colour) for each in some]
            self.draw_item(pg.ScatterPlotItem(x, y, size=size, brush=brush, **look), level)

    def _draw_own(self, points: list[SpeedPoint], colour: QColor, style: Qt.PenStyle) -> None:
        """Draw the run's own kernels: a line, bars of the spread, and the samples."""
        x, y = np.array([(self._at(point), point.figure.gbps) for point in points], np.float64).T
        # Runs of unlike problems are no line: the one would seem to follow from the other.
        joined = np.array([one.shape == other.shape for one, other in pairwise(points)] + [False])
        self.draw_item(
            pg.PlotCurveItem(
                x, y, pen=pg.mkPen(_seen(colour, LINE_ALPHA), style=style), connect=joined
            ),
            LINE,
        )
        slow, fast = np.array([spread(point.figure) for point in points]).T
        bars = pg.ErrorBarItem(
            x=x, y=y, bottom=y - slow, top=fast - y, beam=0.16, pen=pg.mkPen(colour)
        )
        self.draw_item(bars, SPREAD)
        if self._samples:
            clouds = [
                (self._at(point) + 0.12 * point.cloud[0], point.cloud[1])
                for point in points[-MOST_CLOUDS:]
            ]
            brush = pg.mkBrush(_seen(colour, CLOUD_ALPHA))
            dots = np.concatenate(clouds, axis=1)
            self.draw_item(
                pg.ScatterPlotItem(*dots, symbol="s", size=3, pen=None, brush=brush), CLOUD
            )

    def _draw_bars(self) -> None:
        """Draw the bars of a single run."""
        for direction, (_, alpha) in SIDES.items():
            own = [point for point in self.points if self._names and point.direction == direction]
            if own:
                brushes = [_seen(QColor(point.colour), alpha) for point in own]
                x, height = [self._at(point) for point in own], [point.figure.gbps for point in own]
                self.draw_item(
                    pg.BarGraphItem(x=x, height=height, width=2 * HALF, brushes=brushes, pen=None),
                    BAR,
                )

    def _draw_levels(self, heights: dict[float, float], pen: QPen, level: int) -> None:
        """Draw a level across each bar, or the column of each run."""
        if heights:
            half = HALF if self._names else HALF_RUN
            ends = np.array([(x - half, x + half) for x in heights]).reshape(-1)
            levels = np.repeat(list(heights.values()), 2)
            self.draw_item(pg.PlotCurveItem(ends, levels, pen=pen, connect="pairs"), level)


def _seen(colour: QColor, alpha: int) -> QColor:
    """Return a colour with an opacity of 0 to 255."""
    return QColor(colour.red(), colour.green(), colour.blue(), alpha)


def devices_of(points: Iterable[SpeedPoint]) -> list[str]:
    """Return the devices in the order in which they first appear, which decides how lines look."""
    return list(dict.fromkeys(point.device for point in points))
