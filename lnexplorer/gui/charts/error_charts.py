"""The error map: the error of each element as a colour."""

from math import ceil, floor

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRect, QRectF, QTimer, Signal
from PySide6.QtWidgets import QGraphicsRectItem

from lnexplorer.gui.charts.axes import ChartAxis
from lnexplorer.gui.charts.chart import COLOURS, Chart
from lnexplorer.gui.kit import Theme
from lnkernels.values import frozen
from lnkernels.values.accuracy import ErrorMap

Values = NDArray[np.float32]
# A few elements that happen to be nearly exact would stretch a logarithmic scale over decades that
# hold nothing else.
LOWEST_SHARE = 5  # per cent of the values that may lie below the first colour
LEAST_DECADES = 1.0
SAMPLES = 1 << 14
BAR_WIDTH = 16  # px


@frozen
class ColourScale:
    """The values of the first and the last colour. `low` is 0 on a linear scale, above 0 on a
    logarithmic one.
    """

    low: float
    high: float
    log: bool

    @property
    def bounds(self) -> tuple[float, float]:
        """Ends of the scale in the coordinates in which the colours are evenly spaced."""
        if self.log:
            return float(np.log10(self.low)), float(np.log10(self.high))
        return self.low, self.high

    def coordinates(self, values: Values) -> Values:
        """Return the place of each value between the bounds; NaN where it is not finite."""
        finite = np.where(np.isfinite(values), values, np.float32(np.nan))
        return np.log10(np.maximum(finite, np.float32(self.low))) if self.log else finite


def scale_for(values: Values, log: bool) -> ColourScale:
    """Return a scale that ends at the highest value.

    A logarithmic one begins so that LOWEST_SHARE per cent of the values lie below it.
    """
    high = float(np.max(values, where=np.isfinite(values), initial=0))
    if not log or not high:
        return ColourScale(0.0, high or 1.0, log=False)
    flat = values.reshape(-1)
    some = flat[:: max(1, flat.size // SAMPLES)]
    some = some[np.isfinite(some) & (some > 0)]
    low = float(np.percentile(some, LOWEST_SHARE)) if some.size else high
    return ColourScale(min(low, high * 10**-LEAST_DECADES), high, log=True)


def pooled(values: Values, steps: tuple[int, int]) -> Values:
    """Return the maximum of each tile of so many rows and columns; the last tiles may be smaller.

    NaN wins over everything, so that no bad element is lost between the pixels of a screen.
    """
    for axis, step in enumerate(steps):
        if step > 1:
            values = np.maximum.reduceat(values, np.arange(0, values.shape[axis], step), axis=axis)
    return values


SETTLE_MS = 150  # zooming is over when nothing moved for so long
FINER_BELOW = 0.7  # ask for a finer part when less than this share of the present one is in view


class ErrorMapChart(Chart):
    """A map, zoomable to the single element, with a bar of the colours."""

    tileHovered = Signal(object)  # (rows: range, columns: range, value: float), or None
    # Row, row stop, column, column stop: what is in view, or one element, which was clicked.
    partWanted = Signal(int, int, int, int)

    def __init__(self) -> None:
        super().__init__("whole", "whole")
        self.scale = ColourScale(0.0, 1.0, log=False)
        self._parts: list[ErrorMap] = []  # the whole, and a finer part on top of it if there is one
        self._area = QRect()  # columns and rows of the whole
        self._log = True
        self._asked = QRect()  # the part that was asked for last
        # Values that are not finite are transparent: the ground behind the picture is seen there.
        self._ground = QGraphicsRectItem()
        self._frame = QGraphicsRectItem()
        self._images = (pg.ImageItem(axisOrder="row-major"), pg.ImageItem(axisOrder="row-major"))
        for level, item in enumerate((self._ground, *self._images, self._frame)):
            item.setZValue(level)
            self.addItem(item, ignoreBounds=True)
        self._ground.setPen(pg.mkPen(None))
        self.bar = pg.ColorBarItem(width=BAR_WIDTH, colorMap=COLOURS, interactive=False)
        self.bar.setAxisItems({"right": ChartAxis("right")})
        self.bar.axis = self.bar.getAxis("right")
        self.bar.axis.unlinkFromView()  # its range is that of the colours
        self.axes += [self.bar.getAxis(side) for side in ("left", "right", "top", "bottom")]
        self.bar.setImageItem(self._images, insert_in=self.plotItem)
        self.view.invertY(True)
        self.plotItem.showGrid(x=False, y=False)
        self._settle = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._settle.timeout.connect(self._ask_for_part)
        self.view.sigRangeChanged.connect(lambda *_: self._on_view_changed())
        self.view.sigResized.connect(lambda *_: self._draw())
        self.hovered.connect(self._on_hovered)
        self.clicked.connect(self._on_clicked)
        self._show_parts()

    def set_whole(self, whole: ErrorMap | None) -> None:
        before, area = self._area, QRect() if whole is None else _area(whole)
        self._parts = [] if whole is None else [whole]
        self._area = area
        self._asked = QRect()
        self._colour()
        if not area.isEmpty() and area != before:
            self.full_view = QRectF(area)
            self.view.setLimits(
                xMin=self.full_view.left(),
                xMax=self.full_view.right(),
                yMin=self.full_view.top(),
                yMax=self.full_view.bottom(),
                minXRange=min(4, area.width()),
                minYRange=min(4, area.height()),
            )
            self.reset_view()
        self._settle.start()

    def set_part(self, part: ErrorMap) -> None:
        if self._area.contains(_area(part)):
            self._parts[1:] = [part]
            self._show_parts()

    def set_log(self, log: bool) -> None:
        self._log = log
        self._colour()

    def show_worst(self) -> None:
        """Zoom to the largest value, or to the first that is not finite."""
        if not self._parts:
            return
        best = max(reversed(self._parts), key=lambda part: _ranked(part).max())
        i, j = np.unravel_index(int(np.argmax(_ranked(best))), best.values.shape)
        height, width = best.rows / best.values.shape[0], best.columns / best.values.shape[1]
        shown = QRectF(0, 0, max(32.0, 2 * width), max(16.0, 2 * height))
        shown = shown.intersected(QRectF(self._area))
        centre = best.column_start + (j + 0.5) * width, best.row_start + (i + 0.5) * height
        shown.moveCenter(QPointF(*centre))
        self.view.setRange(shown, padding=0)

    def apply_theme(self) -> None:
        super().apply_theme()
        theme = Theme.current
        self._ground.setBrush(pg.mkBrush(theme.bad))
        self._frame.setPen(pg.mkPen(theme.accent, width=2))

    def _colour(self) -> None:
        if self._parts:
            self.scale = scale_for(self._parts[0].values, self._log)
            self.bar.axis.set_form("log" if self.scale.log else "number")
            self.bar.setLevels(self.scale.bounds)
        self._show_parts()

    def _show_parts(self) -> None:
        self._frame.setVisible(False)
        self._ground.setRect(QRectF(self._area))
        self._coordinates = [self.scale.coordinates(part.values) for part in self._parts]
        for place, image in enumerate(self._images):
            image.setVisible(place < len(self._parts))
        self._draw()

    def _draw(self) -> None:
        """Draw no more tiles than there are pixels.

        Otherwise a pixel would show one of its values at random.
        """
        for image, part, values in zip(self._images, self._parts, self._coordinates, strict=False):
            width, height = self.view.viewPixelSize()
            # Elements of each value down and across, and values of each pixel.
            down, across = part.rows / values.shape[0], part.columns / values.shape[1]
            steps = max(1, ceil(height / down)), max(1, ceil(width / across))
            shown = pooled(values, steps)
            image.setImage(shown, levels=self.scale.bounds, autoLevels=False)
            # The last tiles may reach beyond the part.
            rows, columns = shown.shape[0] * steps[0] * down, shown.shape[1] * steps[1] * across
            image.setRect(QRectF(part.column_start, part.row_start, columns, rows))

    def _on_view_changed(self) -> None:
        self._draw()
        self._settle.start()

    def _ask_for_part(self) -> None:
        visible = self.view.viewRect().toAlignedRect().intersected(self._area)
        if visible.isEmpty() or visible == self._asked:
            return
        best = next(part for part in reversed(self._parts) if _area(part).contains(visible))
        down, across = best.values.shape
        finer_rows = down < best.rows and visible.height() < FINER_BELOW * best.rows
        finer_columns = across < best.columns and visible.width() < FINER_BELOW * best.columns
        if finer_rows or finer_columns:
            self._asked = visible
            row, column = visible.top(), visible.left()
            self.partWanted.emit(row, row + visible.height(), column, column + visible.width())

    def _on_hovered(self, point: tuple[float, float] | None) -> None:
        column, row = (-1, -1) if point is None else map(floor, point)
        tiles = (
            _tile_at(part, row, column)
            for part in reversed(self._parts)
            if _area(part).contains(column, row)
        )
        tile = next(tiles, None)
        self._frame.setVisible(tile is not None)
        if tile is not None:
            rows, columns, _value = tile
            self._frame.setRect(QRectF(columns.start, rows.start, len(columns), len(rows)))
        self.tileHovered.emit(tile)

    def _on_clicked(self, x: float, y: float) -> None:
        column, row = floor(x), floor(y)
        if self._area.contains(column, row):
            self.partWanted.emit(row, row + 1, column, column + 1)


def _area(part: ErrorMap) -> QRect:
    """Return columns and rows of a part."""
    return QRect(part.column_start, part.row_start, part.columns, part.rows)


def _tile_at(part: ErrorMap, row: int, column: int) -> tuple[range, range, float]:
    """Return the rows and columns that share one value with an element, and the value."""
    down, across = part.values.shape
    i = (row - part.row_start) * down // part.rows
    j = (column - part.column_start) * across // part.columns
    rows = (part.row_start + ceil(place * part.rows / down) for place in (i, i + 1))
    columns = (part.column_start + ceil(place * part.columns / across) for place in (j, j + 1))
    return range(*rows), range(*columns), float(part.values[i, j])


def _ranked(part: ErrorMap) -> Values:
    """Return the values, with infinity for those that are not finite."""
    return np.where(np.isfinite(part.values), part.values, np.float32(np.inf))
