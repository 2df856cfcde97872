"""The chart of a sweep: curves, bands, marks, overlays, and at its foot what has no value."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainterPath
from PySide6.QtWidgets import QGraphicsPathItem

from lnexplorer.gui.charts.axes import ValueScale
from lnexplorer.gui.charts.chart import LegendEntry, PointChart
from lnexplorer.gui.charts.setting_map import state_colour
from lnexplorer.gui.kit import Theme, translate_message, with_text
from lnkernels.values import frozen, frozen_by_name, say

HEADROOM = 1.08
MARK_SIZE = 11
STAR, SMALL_STAR = 20, 13  # px; of the best setting, and of the best of each of many problems
FEW_STARS = 4
MOST_SYMBOLS = 150  # of a line that has symbols at its points
MOST_BARS = 500  # points of a line that is not joined, above which it has no error bars
BAND_ALPHA = 60  # of 255
STEP = 0.3  # from the least value to zero on a logarithmic axis, and on to what has no value
ROW = 17  # px of a row of words of marks
MOST_WORDS = 0.4  # share of the height that all rows may take

Numbers = NDArray[np.float64]


@frozen
class AxisMark:
    """A place on the axis with a few words: a heuristic chooses otherwise from here on."""

    x: float
    text: str


@frozen(eq=False)
class SweepLine:
    """A strategy or peer on one kind of hardware. Places without a value are NaN."""

    label: str
    colour: str
    symbol: str
    x: Numbers  # rising
    y: Numbers
    low: Numbers
    high: Numbers
    cells: NDArray[np.int64]  # numbers of the cells
    hollow: NDArray[np.bool_] | None = None  # of the symbols, those of inexact results


@frozen(eq=False)
class OverlayLine:
    """Figures from elsewhere, never drawn as a whole line."""

    label: str
    colour: str
    x: Numbers
    y: Numbers
    style: Qt.PenStyle = Qt.PenStyle.DashLine


class Unlined(NamedTuple):
    """A cell on no line: wrong, refused, out of resources, timed out, failed."""

    x: float
    status: str
    cell: int
    y: float  # of a wrong one that was timed all the same; NaN for the others, at the foot


@frozen_by_name(eq=False)
class SweepPicture:
    """The content of a chart."""

    scale: ValueScale
    lines: tuple[SweepLine, ...] = ()
    foot: tuple[Unlined, ...] = ()
    overlays: tuple[OverlayLine, ...] = ()
    marks: tuple[AxisMark, ...] = ()
    crossings: tuple[tuple[float, float], ...] = ()
    best: tuple[int, ...] = ()  # numbers of cells
    log: bool = False  # heights by their logarithms, for errors
    percent: bool = False  # heights are shares

    def legend(self) -> list[LegendEntry]:
        """Return the entries of the curves, of those from elsewhere, and of what is wrong."""
        entries = [LegendEntry(each.label, each.colour, symbol=each.symbol) for each in self.lines]
        entries += [LegendEntry(each.label, each.colour, each.style) for each in self.overlays]
        if any(np.isfinite(each.y) for each in self.foot):
            text = translate_message(say("WRONG, timed all the same"))
            entries.append(LegendEntry(text, state_colour("incorrect"), symbol="x"))
        return entries


class SweepChart(PointChart):
    """Curves whose settings are pointed at and chosen, each by the number of its cell."""

    AXIS_WIDTH = 68  # charts one above the other have their axes in line

    def __init__(self) -> None:
        super().__init__()
        self.bottom.setStyle(hideOverlappingLabels=False)
        self.picture: SweepPicture | None = None
        self._zero = 0.0  # its height on a logarithmic axis
        self._floor = 0.0  # the height of cells without a value
        self.view.sigResized.connect(lambda _view: self._draw())

    def set_picture(self, picture: SweepPicture) -> None:
        """Show another state of the sweep. The view stays, as long as everything fits into it."""
        self.picture = picture
        self._draw()

    def _draw(self) -> None:
        self.clear_items()
        picture = self.picture
        if picture is None:
            return
        self.bottom.set_scale_of(picture.scale)
        form = "log" if picture.log else "percent" if picture.percent else "number"
        known = np.concatenate([np.empty(0), *(line.y for line in picture.lines)])
        positive, has_zero = known[known > 0], picture.log and bool((known == 0).any())
        self._zero = float(np.log10(positive.min())) - STEP if positive.size else -4.0
        self._floor = (self._zero - STEP * has_zero) if picture.log else 0.0
        self.left.set_form(form, self._zero if has_zero else None)
        for overlay in picture.overlays:
            pen = pg.mkPen(QColor(overlay.colour), width=2, style=overlay.style)
            curve = pg.PlotCurveItem(
                overlay.x, self._height(overlay.y), pen=pen, connect="finite", antialias=True
            )
            self.draw_item(curve, 0)
        self._draw_marks(picture)
        for line in picture.lines:
            self._draw_line(line, joined=picture.scale.by_size)
        self._set_spots(picture)
        self._draw_foot(picture)
        self._draw_signs(picture)

    def _draw_marks(self, picture: SweepPicture) -> None:
        """Draw dotted lines, and above the curves their words, as far as these have rows."""
        row_share = with_text(ROW) / max(self.view.height(), 1.0)
        rows = min(len(picture.marks), max(int(MOST_WORDS / row_share), 1))
        self._fit(picture, min(rows * row_share, MOST_WORDS))
        pen = pg.mkPen(Theme.current.muted, width=1, style=Qt.PenStyle.DotLine)
        for row, mark in enumerate(picture.marks):
            side = 1.0 if mark.x > sum(picture.scale.ends) / 2 else 0.0
            words = {
                "position": 1 - (row + 0.5) * row_share,
                "anchors": [(side, 0.5), (side, 0.5)],
                "color": Theme.current.muted,
            }
            text = mark.text if row < rows else None
            line = pg.InfiniteLine(mark.x, angle=90, pen=pen, label=text, labelOpts=words)
            self.draw_item(line, -2)

    def _draw_line(self, line: SweepLine, *, joined: bool) -> None:
        x, y, low, high = (
            line.x,
            *(self._height(values) for values in (line.y, line.low, line.high)),
        )
        known = np.isfinite(y)
        many = x.size > MOST_SYMBOLS  # symbols would hide the line, and cost the event loop's time
        if joined:
            colour = QColor(line.colour)
            colour.setAlpha(BAND_ALPHA)
            band = QGraphicsPathItem(_between(x, low, high))
            band.setPen(pg.mkPen(None))
            band.setBrush(colour)
            self.draw_item(band, 1)
            curve = pg.PlotDataItem(
                x,
                y,
                pen=pg.mkPen(line.colour, width=with_text(2)),
                connect="finite",
                antialias=not many,
            )
            self.draw_item(curve, 2)
            # Both need the view, which it has from here on.
            curve.setDownsampling(auto=True, method="peak")
            curve.setClipToView(True)
        elif known.any() and x.size <= MOST_BARS:
            top, bottom = (high - y)[known], (y - low)[known]
            pen = pg.mkPen(line.colour, width=1)
            self.draw_item(
                pg.ErrorBarItem(x=x[known], y=y[known], top=top, bottom=bottom, beam=0.08, pen=pen),
                3,
            )
        # A line has none at its many points, but where it does not go.
        shown = known & ~_beside(known) if joined and many else known
        hollow = np.zeros(x.size, bool) if line.hollow is None else line.hollow
        # One item for all, with a list of brushes, makes Python's garbage collector crash.
        for own, inside in (
            (shown & ~hollow, line.colour),
            (shown & hollow, Theme.current.surface),
        ):
            if own.any():
                pen, brush = pg.mkPen(line.colour), pg.mkBrush(inside)
                marks = pg.ScatterPlotItem(
                    x[own], y[own], symbol=line.symbol, size=with_text(8), pen=pen, brush=brush
                )
                self.draw_item(marks, 4)

    def _draw_foot(self, picture: SweepPicture) -> None:
        for status in dict.fromkeys(each.status for each in picture.foot):
            x, y = self._places([each for each in picture.foot if each.status == status]).T
            colour = state_colour(status)
            symbol = {"incorrect": "x", "invalid": "s"}.get(status, "d")
            brush = pg.mkBrush(colour) if status == "incorrect" else None
            pen = pg.mkPen(colour, width=1.5)
            marks = pg.ScatterPlotItem(x, y, symbol=symbol, size=MARK_SIZE, pen=pen, brush=brush)
            self.draw_item(marks, 4)

    def _places(self, foot: Sequence[Unlined]) -> Numbers:
        """Return where cells on no line are drawn, [cells, 2]."""
        heights = self._height(np.array([each.y for each in foot], np.float64))
        heights = np.where(np.isfinite(heights), heights, self._floor)
        return np.stack([np.array([each.x for each in foot], np.float64), heights], axis=1)

    def _set_spots(self, picture: SweepPicture) -> None:
        spots, cells = [], []
        for line in picture.lines:
            known = np.isfinite(line.y)
            spots.append(np.stack([line.x, self._height(line.y)], axis=1)[known])
            cells += line.cells[known].tolist()
        spots.append(self._places(picture.foot))
        cells += [each.cell for each in picture.foot]
        self.set_spots(np.concatenate(spots), cells)

    def _draw_signs(self, picture: SweepPicture) -> None:
        best = np.isin(np.array(self._meanings, np.int64), picture.best)
        if best.any():
            pen, brush = pg.mkPen(Theme.current.text, width=1), pg.mkBrush(Theme.current.good)
            size = STAR if best.sum() <= FEW_STARS else SMALL_STAR
            stars = pg.ScatterPlotItem(
                *self._spots[best].T, symbol="star", size=size, pen=pen, brush=brush
            )
            self.draw_item(stars, 6)
        if picture.crossings:
            x, y = np.array(picture.crossings).T
            pen = pg.mkPen(Theme.current.text, width=1.5)
            self.draw_item(
                pg.ScatterPlotItem(x, self._height(y), symbol="o", size=13, pen=pen, brush=None), 5
            )

    def _fit(self, picture: SweepPicture, words: float) -> None:
        """Show everything, with the curves below words that take this share of the height."""
        heights = [*(line.high for line in picture.lines), *(each.y for each in picture.overlays)]
        heights.append(np.array([each.y for each in picture.foot], np.float64))
        known = np.concatenate([np.empty(0), *heights])
        known = known[np.isfinite(known)]
        left, right = picture.scale.ends
        margin = 0.03 * (right - left) if picture.scale.by_size and right > left else 0.6
        if picture.log:
            known = np.log10(known[known > 0])
            bottom = float(known.min(initial=self._floor)) - 0.1
            top = max(float(known.max()) + 0.3, bottom + 1.0) if known.size else 0.0
        else:
            bottom = 0.0
            top = (HEADROOM * float(known.max()) if known.size else 0.0) or 1.0
        top = bottom + (top - bottom) / (1 - words)
        if not picture.log:
            # Rounded up, so that a growing sweep does not move the view with every row.
            top = _rounded_up(top)
            bottom = -0.03 * top
        area = QRectF(left - margin, bottom, right - left + 2 * margin, top - bottom)
        if area != self.full_view:
            self.full_view = area
            self.reset_view()

    def _height(self, values: Numbers) -> Numbers:
        if self.picture is None or not self.picture.log:
            return values
        heights: Numbers = np.log10(np.maximum(values, 10.0**self._zero))
        return heights


def _beside(known: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which places have a known neighbour."""
    wide = np.pad(known, 1)
    return wide[:-2] | wide[2:]


def _between(x: Numbers, low: Numbers, high: Numbers) -> QPainterPath:
    """Return the area between two lines, broken at gaps; pyqtgraph's takes ten times as long."""
    path, known = QPainterPath(), np.isfinite(low) & np.isfinite(high)
    for piece in np.split(np.arange(x.size), np.flatnonzero(np.diff(known)) + 1):
        if known[piece[0]]:
            there_and_back = np.concatenate([x[piece], x[piece][::-1]])
            path.addPath(
                pg.arrayToQPath(there_and_back, np.concatenate([low[piece], high[piece][::-1]]))
            )
    return path


def _rounded_up(value: float) -> float:
    if value <= 0:
        return 1.0
    step = 10.0 ** (np.floor(np.log10(value)) - 1)
    return float(np.ceil(value / step) * step)
