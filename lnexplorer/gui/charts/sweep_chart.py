"""Curves of a sweep over one parameter, with their quantile bands, and everything that has no value at the foot."""

from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPainterPath
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from lnexplorer.gui.charts.axes import NumberAxis, ValueAxis, ValueScale
from lnexplorer.gui.charts.chart import Chart
from lnexplorer.gui.charts.mark_strip import AxisMark, MarkStrip, Place
from lnexplorer.gui.charts.setting_map import state_colour
from lnexplorer.gui.charts.theme import Theme, with_text

NEAR = 24  # px within which the column of a point is under the cursor
HEADROOM = 1.08
MARK_SIZE = 11
STAR, SMALL_STAR = 20, 13  # px; of the best setting, and of the best of each of many problems
FEW_STARS = 4
MOST_STARS = 300  # above which every second, third and so on is drawn: more cannot be told apart
MOST_SYMBOLS = 150  # of a line that has symbols at its points
MOST_BARS = 500  # points of a line that is not joined, above which it has no error bars
BAND_ALPHA = 60  # of 255
AXIS_WIDTH = 68  # px

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class SweepLine:
    """One strategy or peer on one kind of hardware. Places without a value are NaN."""

    label: str
    colour: str
    symbol: str
    x: Numbers  # rising
    y: Numbers
    low: Numbers
    high: Numbers
    cells: NDArray[np.int64]  # numbers of the cells
    group: int = 0  # which of several kinds of hardware it is of


@dataclass(frozen=True, eq=False, slots=True)
class OverlayLine:
    """Figures from elsewhere, never drawn as a whole line."""

    label: str
    colour: str
    x: Numbers
    y: Numbers
    style: Qt.PenStyle = Qt.PenStyle.DashLine


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class SweepPicture:
    """Everything that the chart shows."""

    scale: ValueScale
    lines: tuple[SweepLine, ...] = ()
    # Cells without a value (wrong, refused, out of resources, timed out, failed): where, what became of each, and its
    # number.
    foot: tuple[Numbers, tuple[str, ...], NDArray[np.int64]] = (np.empty(0), (), np.empty(0, np.int64))
    overlays: tuple[OverlayLine, ...] = ()
    marks: tuple[AxisMark, ...] = ()
    crossings: tuple[tuple[float, float], ...] = ()
    best: tuple[int, ...] = ()  # numbers of cells
    log: bool = False  # heights by their logarithms, for errors
    percent: bool = False  # heights are shares


class QuantileBand(pg.GraphicsObject):
    """A translucent area from `low` to `high` over `x`, broken where either is missing."""

    def __init__(self, x: Numbers, low: Numbers, high: Numbers, colour: str) -> None:
        super().__init__()
        self._colour = QColor(colour)
        self._colour.setAlpha(BAND_ALPHA)
        self._path = QPainterPath()
        known = np.isfinite(low) & np.isfinite(high)
        edges = np.flatnonzero(np.diff(np.concatenate([[False], known, [False]]).astype(np.int8)))
        for start, stop in edges.reshape(-1, 2):
            around = np.concatenate([x[start:stop], x[start:stop][::-1]])
            self._path.addPath(pg.arrayToQPath(around, np.concatenate([high[start:stop], low[start:stop][::-1]])))

    def boundingRect(self) -> QRectF:
        return self._path.boundingRect()

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._colour)
        painter.drawPath(self._path)


class SweepChart(Chart):
    """Point and click, or Page Up and Page Down and Enter, to choose a setting."""

    cellHovered = Signal(object)  # number of a cell, or None
    cellChosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        self._bottom, self._left = ValueAxis("bottom"), NumberAxis("left")
        self._strip = MarkStrip()
        super().__init__({"bottom": self._bottom, "left": self._left, "top": self._strip}, parent)
        self.getPlotItem().showAxis("top")
        self._bottom.setStyle(hideOverlappingLabels=False)
        self._picture: SweepPicture | None = None
        self._items: list[pg.GraphicsObject] = []  # made anew each time
        self._spots: Numbers = np.empty((0, 2))
        self._cells: NDArray[np.int64] = np.empty(0, np.int64)
        self._current: int | None = None
        self._extent: tuple[float, ...] = ()
        self._ring = pg.ScatterPlotItem(symbol="o", size=18, brush=None)
        self._cross = pg.InfiniteLine(angle=90)
        for level, item in ((20, self._ring), (19, self._cross)):
            item.setZValue(level)
            self.addItem(item, ignoreBounds=True)
        self._cross.setVisible(False)
        self.view.disableAutoRange()
        self.hovered.connect(self._on_hovered)
        self.scene().sigMouseClicked.connect(self._on_clicked)

    @property
    def picture(self) -> SweepPicture | None:
        """What is on show."""
        return self._picture

    @property
    def marks(self) -> list[Place]:
        """The marks in view, with where their words stand above the plot."""
        return self._strip.shown

    @property
    def current(self) -> int | None:
        """The cell under the cursor."""
        return self._current

    def set_picture(self, picture: SweepPicture) -> None:
        """Show another state of the sweep. The view stays where it is, as long as what there is to see fits into it."""
        self._picture = picture
        self._draw()

    def apply_theme(self, theme: Theme) -> None:
        super().apply_theme(theme)
        self._strip.apply_theme(theme, self.font())
        self._left.setWidth(with_text(AXIS_WIDTH))  # charts one above the other have their axes in line
        self._ring.setPen(pg.mkPen(theme.accent, width=2))
        self._cross.setPen(pg.mkPen(theme.accent, width=1, style=Qt.PenStyle.DotLine))
        self._draw()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown) and self._cells.size:
            order = np.lexsort((self._spots[:, 1], self._spots[:, 0]))
            at = np.flatnonzero(self._cells[order] == self._current)
            step = 1 if key == Qt.Key.Key_PageDown else -1
            place = (int(at[0]) + step) % order.size if at.size else 0
            self._point_at(int(order[place]))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._current is not None:
            self.cellChosen.emit(self._current)
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    def _draw(self) -> None:
        for item in self._items:
            self.removeItem(item)
        self._items = []
        picture = self._picture
        if picture is None:
            return
        self._bottom.set_scale_of(picture.scale)
        self._left.show_as(log=picture.log, percent=picture.percent)
        for overlay in picture.overlays:
            pen = pg.mkPen(QColor(overlay.colour), width=2, style=overlay.style)
            self._add(pg.PlotCurveItem(overlay.x, self._height(overlay.y), pen=pen, connect="finite", antialias=True), 0)
        self._strip.set_marks(picture.marks)
        for mark in picture.marks:
            pen = pg.mkPen(self.theme.muted, width=1, style=Qt.PenStyle.DotLine)
            self._add(pg.InfiniteLine(mark.x, angle=90, pen=pen), -2)
        self._fit(picture)
        for line in picture.lines:
            self._draw_line(line, joined=picture.scale.by_size)
        self._gather_spots(picture)
        self._add_foot(picture)
        self._add_signs(picture)
        if self._current is not None:
            at = np.flatnonzero(self._cells == self._current)
            self._point_at(int(at[0]) if at.size else None, tell=False)

    def _add(self, item: pg.GraphicsObject, level: int) -> None:
        item.setZValue(level)
        self.addItem(item, ignoreBounds=True)
        self._items.append(item)

    def _draw_line(self, line: SweepLine, *, joined: bool) -> None:
        x, y, low, high = line.x, *(self._height(values) for values in (line.y, line.low, line.high))
        known = np.isfinite(y)
        many = x.size > MOST_SYMBOLS  # symbols would hide the line, and cost the event loop's time
        if joined:
            self._add(QuantileBand(x, low, high, line.colour), 1)
            curve = pg.PlotDataItem(x, y, pen=pg.mkPen(line.colour, width=2), connect="finite", antialias=not many)
            self._add(curve, 2)
            curve.setDownsampling(auto=True, method="peak")  # both need the view, which it has from here on
            curve.setClipToView(True)
        elif known.any() and x.size <= MOST_BARS:
            top, bottom = (high - y)[known], (y - low)[known]
            pen = pg.mkPen(line.colour, width=1)
            self._add(pg.ErrorBarItem(x=x[known], y=y[known], top=top, bottom=bottom, beam=0.08, pen=pen), 3)
        if not (joined and many):
            brush = pg.mkBrush(line.colour)
            self._add(pg.ScatterPlotItem(x[known], y[known], symbol=line.symbol, size=8, pen=None, brush=brush), 4)

    def _add_foot(self, picture: SweepPicture) -> None:
        x, statuses, _ = picture.foot
        for status in dict.fromkeys(statuses):
            places = x[np.array(statuses) == status]
            colour = state_colour(status, self.theme)
            symbol = {"incorrect": "x", "invalid": "s"}.get(status, "d")
            brush = pg.mkBrush(colour) if status == "incorrect" else None
            pen, y = pg.mkPen(colour, width=1.5), np.full(places.size, self._floor)
            self._add(pg.ScatterPlotItem(places, y, symbol=symbol, size=MARK_SIZE, pen=pen, brush=brush), 4)

    def _gather_spots(self, picture: SweepPicture) -> None:
        """Places and cells of everything that can be pointed at."""
        foot_x, _, foot_cells = picture.foot
        known = [np.isfinite(line.y) for line in picture.lines]
        x = [*(line.x[there] for line, there in zip(picture.lines, known, strict=True)), foot_x]
        y = [*(self._height(line.y[there]) for line, there in zip(picture.lines, known, strict=True))]
        cells = [*(line.cells[there] for line, there in zip(picture.lines, known, strict=True)), foot_cells]
        self._spots = np.stack([np.concatenate(x), np.concatenate([*y, np.full(foot_x.size, self._floor)])], axis=1)
        self._cells = np.concatenate(cells)

    def _add_signs(self, picture: SweepPicture) -> None:
        best = np.isin(self._cells, picture.best)
        if best.any():
            pen, brush = pg.mkPen(self.theme.text, width=1), pg.mkBrush(self.theme.good)
            size = STAR if best.sum() <= FEW_STARS else SMALL_STAR
            stars = self._spots[best]
            stars = stars[np.argsort(stars[:, 0])][:: -(-len(stars) // MOST_STARS)]
            self._add(pg.ScatterPlotItem(*stars.T, symbol="star", size=size, pen=pen, brush=brush), 6)
        if picture.crossings:
            x, y = np.array(picture.crossings).T
            pen = pg.mkPen(self.theme.text, width=1.5)
            self._add(pg.ScatterPlotItem(x, self._height(y), symbol="o", size=13, pen=pen, brush=None), 5)

    def _fit(self, picture: SweepPicture) -> None:
        heights = [line.high for line in picture.lines] + [overlay.y for overlay in picture.overlays]
        known = np.concatenate([each[np.isfinite(each)] for each in heights]) if heights else np.empty(0)
        left, right = picture.scale.ends
        margin = 0.03 * (right - left) if picture.scale.by_size and right > left else 0.6
        if picture.log:
            known = known[known > 0]
            bottom = float(np.log10(known.min())) - 0.4 if known.size else -4.0
            top = max(float(np.log10(known.max())) + 0.3, bottom + 1.0) if known.size else 0.0
        else:
            bottom, top = 0.0, HEADROOM * float(known.max()) if known.size and known.max() > 0 else 1.0
        # Rounded up, so that a growing sweep does not move the view with every row.
        extent = (left - margin, right + margin, bottom, top)
        if not picture.log:
            extent = (*extent[:2], 0.0, _rounded_up(top))
            extent = (*extent[:2], -0.03 * extent[3], extent[3])
        self.full_view = QRectF(extent[0], extent[2], extent[1] - extent[0], extent[3] - extent[2])
        if extent != self._extent:
            self._extent = extent
            self.reset_view()

    @property
    def _floor(self) -> float:
        """The height at which cells without a value stand."""
        picture = self._picture
        if picture is None or not picture.log:
            return 0.0
        known = [line.y[np.isfinite(line.y) & (line.y > 0)] for line in picture.lines]
        joined = np.concatenate(known) if known else np.empty(0)
        return float(np.log10(joined.min())) - 0.3 if joined.size else -4.0

    def _height(self, values: Numbers) -> Numbers:
        if self._picture is None or not self._picture.log:
            return values
        with np.errstate(divide="ignore", invalid="ignore"):
            found: Numbers = np.where(values > 0, np.log10(values), np.nan)
        return found

    def _point_at(self, place: int | None, *, tell: bool = True) -> None:
        self._current = None if place is None else int(self._cells[place])
        self._cross.setVisible(place is not None)
        if place is None:
            self._ring.setData([], [])
        else:
            x, y = self._spots[place]
            self._ring.setData([x], [y])
            self._cross.setValue(x)
        if tell:
            self.cellHovered.emit(self._current)

    def _on_hovered(self, place: tuple[float, float] | None) -> None:
        self._point_at(None if place is None else self._nearest(*place))

    def _nearest(self, x: float, y: float) -> int | None:
        if not self._cells.size:
            return None
        width, height = self.view.viewPixelSize()
        across = np.abs(self._spots[:, 0] - x) / (width or 1)
        if across.min() > NEAR:
            return None
        distance = np.hypot(across, (self._spots[:, 1] - y) / (height or 1))
        return int(np.where(across <= across.min() + 1, distance, np.inf).argmin())

    def _on_clicked(self, event: object) -> None:
        place = event.scenePos()  # type: ignore[attr-defined]  # pyqtgraph's own kind of event
        if event.button() != Qt.MouseButton.LeftButton or not self.view.sceneBoundingRect().contains(place):  # type: ignore[attr-defined]
            return
        point = self.view.mapSceneToView(place)
        found = self._nearest(point.x(), point.y())
        if found is not None:
            self.cellChosen.emit(int(self._cells[found]))


def _rounded_up(value: float) -> float:
    """To two digits, upwards."""
    if value <= 0:
        return 1.0
    step = 10.0 ** (np.floor(np.log10(value)) - 1)
    return float(np.ceil(value / step) * step)
