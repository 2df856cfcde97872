"""A matrix of errors as colours, zoomable to the single element, and the bar that says which colour
is which value.
"""

from dataclasses import dataclass
from math import ceil, floor

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QTimer, Signal
from PySide6.QtWidgets import QGraphicsRectItem

from lnexplorer.gui.charts.axes import NumberAxis, linear_ticks, log_ticks, tick_text
from lnexplorer.gui.charts.chart import COLOURS, Chart
from lnexplorer.gui.kit.theme import Theme, with_text
from lnkernels.values.accuracy import ErrorMap

Values = NDArray[np.float32]
# A few elements that happen to be nearly exact would stretch a logarithmic scale over decades that
# hold nothing else.
LOWEST_SHARE = 5  # per cent of the values that may lie below the first colour
LEAST_DECADES = 1.0
SAMPLES = 1 << 14
BAR_WIDTH = 16  # px
TICK_ROOM = 28  # px that a label beside the bar takes


@dataclass(frozen=True, slots=True)
class ColourScale:
    """Which values the first and the last colour stand for. `low` is 0 on a linear scale, above 0
    on a logarithmic one.
    """

    low: float
    high: float
    log: bool

    @property
    def flat(self) -> bool:
        return self.high <= self.low

    @property
    def bounds(self) -> tuple[float, float]:
        """Ends of the scale in the coordinates in which the colours are evenly spaced."""
        if self.flat:
            return 0.0, 1.0
        return (
            (float(np.log10(self.low)), float(np.log10(self.high)))
            if self.log
            else (self.low, self.high)
        )

    def coordinates(self, values: Values) -> Values:
        """Where each value stands between the bounds; NaN where it is not finite."""
        finite = np.where(np.isfinite(values), values, np.float32(np.nan))
        return np.log10(np.maximum(finite, np.float32(self.low))) if self.log else finite

    def ticks(self, most: int) -> list[tuple[float, str]]:
        """Coordinates of the labels beside the colours, and their texts."""
        if self.flat:
            return [(0.0, tick_text(self.high))]
        if self.log:
            return [(place, tick_text(10.0**place)) for place in log_ticks(*self.bounds, most)]
        return [(value, tick_text(value)) for value in linear_ticks(*self.bounds, most)]


def scale_for(values: Values, log: bool) -> ColourScale:
    """From the lowest values but a few to the highest; flat where all are zero or none is finite."""
    high = float(np.max(values, where=np.isfinite(values), initial=0))
    if high <= 0:
        return ColourScale(0.0, 0.0, log=False)
    if not log:
        return ColourScale(0.0, high, log=False)
    flat = values.reshape(-1)
    some = flat[:: max(1, flat.size // SAMPLES)]
    some = some[np.isfinite(some) & (some > 0)]
    low = float(np.percentile(some, LOWEST_SHARE)) if some.size else high
    return ColourScale(min(low, high * 10**-LEAST_DECADES), high, log=True)


def covers(part: ErrorMap, row: int, row_stop: int, column: int, column_stop: int) -> bool:
    inside_rows = part.row_start <= row and row_stop <= part.row_start + part.rows
    return (
        inside_rows
        and part.column_start <= column
        and column_stop <= part.column_start + part.columns
    )


def tile_at(part: ErrorMap, row: int, column: int) -> tuple[range, range, float]:
    """Rows and columns that share one value with an element, and the value."""
    down, across = part.values.shape
    i = (row - part.row_start) * down // part.rows
    j = (column - part.column_start) * across // part.columns
    rows = (part.row_start + ceil(place * part.rows / down) for place in (i, i + 1))
    columns = (part.column_start + ceil(place * part.columns / across) for place in (j, j + 1))
    return range(*rows), range(*columns), float(part.values[i, j])


def pooled(values: Values, steps: tuple[int, int]) -> Values:
    """Maximum of each tile of so many rows and columns; tiles at the lower and right edge may be
    smaller. NaN wins over everything, so that no bad element is lost between the pixels of a
    screen.
    """
    for axis, step in enumerate(steps):
        if step > 1:
            values = np.maximum.reduceat(values, np.arange(0, values.shape[axis], step), axis=axis)
    return values


SETTLE_MS = 150  # zooming is over when nothing moved for so long
FINER_BELOW = 0.7  # ask for a finer part when less than this share of the present one is in view


class ErrorMapChart(Chart):
    """Picture, axes, colour bar. A finer part may lie on top of the whole."""

    tileHovered = Signal(object)  # (rows: range, columns: range, value: float), or None
    partWanted = Signal(int, int, int, int)  # row, row stop, column, column stop

    def __init__(self) -> None:
        super().__init__(
            {"left": NumberAxis("left", "whole"), "bottom": NumberAxis("bottom", "whole")}
        )
        self.scale = ColourScale(0.0, 0.0, log=False)
        self._whole: ErrorMap | None = None
        self._part: ErrorMap | None = None
        self._log = True
        self._asked: tuple[int, int, int, int] | None = None
        # Values that are not finite are transparent: the ground behind the picture is seen there.
        self._ground = QGraphicsRectItem()
        self._frame = QGraphicsRectItem()
        self._images = (pg.ImageItem(axisOrder="row-major"), pg.ImageItem(axisOrder="row-major"))
        for level, item in enumerate((self._ground, *self._images, self._frame)):
            item.setZValue(level)
            self.addItem(item, ignoreBounds=True)
        self._ground.setPen(pg.mkPen(None))
        self.bar = pg.ColorBarItem(width=BAR_WIDTH, colorMap=COLOURS, interactive=False)
        self.bar.setImageItem(self._images, insert_in=self.getPlotItem())
        self.view.invertY(True)
        self.getPlotItem().showGrid(x=False, y=False)
        self._settle = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._settle.timeout.connect(self._ask_for_part)
        self.view.sigRangeChanged.connect(lambda *_: self._on_view_changed())
        self.view.sigResized.connect(lambda *_: self._draw())
        self.view.sigResized.connect(lambda *_: self._show_ticks())
        self.hovered.connect(self._on_hovered)
        self._show_parts()

    def set_whole(self, part: ErrorMap | None) -> None:
        same_shape = (
            self._whole is not None and part is not None and _rect(self._whole) == _rect(part)
        )
        self._whole = part
        self._part = None
        self._asked = None
        self._colour()
        if part is None:
            return
        if not same_shape:
            self.full_view = _rect(part)
            self.view.setLimits(
                xMin=part.column_start,
                xMax=part.column_start + part.columns,
                yMin=part.row_start,
                yMax=part.row_start + part.rows,
                minXRange=min(4, part.columns),
                minYRange=min(4, part.rows),
            )
            self.reset_view()
        self._settle.start()

    def set_part(self, part: ErrorMap) -> None:
        rows, columns = (
            (part.row_start, part.row_start + part.rows),
            (part.column_start, part.column_start + part.columns),
        )
        if self._whole is None or not covers(self._whole, *rows, *columns):
            return
        self._part = part
        self._show_parts()

    def set_log(self, log: bool) -> None:
        self._log = log
        self._colour()

    def show_worst(self) -> None:
        """Zoom to the largest value, or to the first that is not finite."""
        if self._whole is None or self._whole.values.size == 0:
            return
        best = self._whole
        if self._part is not None and _ranked(self._part).max(initial=0) >= _ranked(
            self._whole
        ).max(initial=0):
            best = self._part
        i, j = np.unravel_index(int(np.argmax(_ranked(best))), best.values.shape)
        down, across = best.values.shape
        row, column = (
            best.row_start + (i + 0.5) * best.rows / down,
            best.column_start + (j + 0.5) * best.columns / across,
        )
        height = min(max(16.0, 2 * best.rows / down), self._whole.rows)
        width = min(max(32.0, 2 * best.columns / across), self._whole.columns)
        self.view.setRange(QRectF(column - width / 2, row - height / 2, width, height), padding=0)

    def apply_theme(self, theme: Theme) -> None:
        super().apply_theme(theme)
        self._ground.setBrush(pg.mkBrush(theme.bad))
        self._frame.setPen(pg.mkPen(theme.accent, width=2))
        for side in ("left", "right", "top", "bottom"):
            axis = self.bar.getAxis(side)
            axis.setPen(pg.mkPen(theme.line))
            axis.setTextPen(pg.mkPen(theme.muted))
            axis.setStyle(tickFont=self.getPlotItem().getAxis("left").style["tickFont"])

    def _colour(self) -> None:
        if self._whole is not None:
            self.scale = scale_for(self._whole.values, self._log)
            self.bar.setLevels(self.scale.bounds)
        self._show_ticks()
        self._show_parts()

    def _show_ticks(self) -> None:
        most = max(int(self.view.rect().height() / with_text(TICK_ROOM)), 2)
        self.bar.axis.setTicks([self.scale.ticks(most)])

    def _show_parts(self) -> None:
        self._frame.setVisible(False)
        self._ground.setVisible(self._whole is not None)
        if self._whole is not None:
            self._ground.setRect(_rect(self._whole))
        self._coordinates = [
            None if part is None else self.scale.coordinates(part.values)
            for part in (self._whole, self._part)
        ]
        self._draw()

    def _draw(self) -> None:
        """No more tiles than there are pixels: else the screen would show one value of several at
        random.
        """
        for image, part, values in zip(
            self._images, (self._whole, self._part), self._coordinates, strict=True
        ):
            image.setVisible(part is not None and values is not None)
            if part is None or values is None:
                continue
            width, height = self.view.viewPixelSize()
            down, across = values.shape
            steps = (
                max(1, ceil(height * down / part.rows)),
                max(1, ceil(width * across / part.columns)),
            )
            shown = pooled(values, steps)
            image.setImage(shown, levels=self.scale.bounds, autoLevels=False)
            tiles = (
                shown.shape[1] * steps[1] / across,
                shown.shape[0] * steps[0] / down,
            )  # the last ones may reach beyond it
            image.setRect(
                QRectF(
                    part.column_start, part.row_start, tiles[0] * part.columns, tiles[1] * part.rows
                )
            )

    def _on_view_changed(self) -> None:
        self._draw()
        self._settle.start()

    def _visible(self, whole: ErrorMap) -> tuple[int, int, int, int]:
        (x_low, x_high), (y_low, y_high) = self.view.viewRange()
        row, column = max(whole.row_start, floor(y_low)), max(whole.column_start, floor(x_low))
        row_stop = min(whole.row_start + whole.rows, ceil(y_high))
        return row, row_stop, column, min(whole.column_start + whole.columns, ceil(x_high))

    def _ask_for_part(self) -> None:
        if self._whole is None:
            return
        visible = self._visible(self._whole)
        row, row_stop, column, column_stop = visible
        if row_stop <= row or column_stop <= column or visible == self._asked:
            return
        best = (
            self._part if self._part is not None and covers(self._part, *visible) else self._whole
        )
        down, across = best.values.shape
        finer_rows = down < best.rows and row_stop - row < FINER_BELOW * best.rows
        finer_columns = across < best.columns and column_stop - column < FINER_BELOW * best.columns
        if finer_rows or finer_columns:
            self._asked = visible
            self.partWanted.emit(*visible)

    def _on_hovered(self, point: tuple[float, float] | None) -> None:
        tile = None if point is None else self._tile_at(*point)
        self._frame.setVisible(tile is not None)
        if tile is not None:
            rows, columns, _value = tile
            self._frame.setRect(QRectF(columns.start, rows.start, len(columns), len(rows)))
        self.tileHovered.emit(tile)

    def _tile_at(self, x: float, y: float) -> tuple[range, range, float] | None:
        row, column = floor(y), floor(x)
        for part in (self._part, self._whole):
            if part is not None and covers(part, row, row + 1, column, column + 1):
                return tile_at(part, row, column)
        return None


def _rect(part: ErrorMap) -> QRectF:
    return QRectF(part.column_start, part.row_start, part.columns, part.rows)


def _ranked(part: ErrorMap) -> Values:
    """Its values, those that are not finite as the largest."""
    return np.where(np.isfinite(part.values), part.values, np.float32(np.inf))
