"""A matrix of errors as colours, zoomable to the single element."""

from dataclasses import dataclass
from math import ceil, floor

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from lnexplorer.gui.charts.axes import WholeAxis
from lnexplorer.gui.charts.chart import Chart
from lnexplorer.gui.charts.colour_bar import ColourBar, ColourScale, colour_table, scale_for
from lnexplorer.gui.charts.theme import GRID, Theme


@dataclass(frozen=True, eq=False, slots=True)
class MapPart:
    """Values over a rectangle of a matrix, maxima of tiles where there are fewer values than elements."""

    row: int
    rows: int
    column: int
    columns: int
    values: NDArray[np.float32]  # [at most rows, at most columns]

    @property
    def exact(self) -> bool:
        """Whether every element has its own value."""
        return self.values.shape == (self.rows, self.columns)

    def covers(self, row: int, row_stop: int, column: int, column_stop: int) -> bool:
        """Whether a rectangle lies inside."""
        inside_rows = self.row <= row and row_stop <= self.row + self.rows
        return inside_rows and self.column <= column and column_stop <= self.column + self.columns

    def tile(self, row: int, column: int) -> tuple[range, range, float]:
        """Rows and columns that share one value with an element, and the value."""
        down, across = self.values.shape
        i = (row - self.row) * down // self.rows
        j = (column - self.column) * across // self.columns
        rows = range(self.row + ceil(i * self.rows / down), self.row + ceil((i + 1) * self.rows / down))
        columns = range(self.column + ceil(j * self.columns / across), self.column + ceil((j + 1) * self.columns / across))
        return rows, columns, float(self.values[i, j])


def pooled_view(
    part: MapPart, indices: NDArray[np.uint8], view: tuple[tuple[float, float], tuple[float, float]], pixels: tuple[float, float]
) -> tuple[NDArray[np.uint8], tuple[float, float, float, float]] | None:
    """The visible values as a picture with no more pixels than the screen has there, so that no maximum is skipped.

    Args:
        part: where the values lie.
        indices: colours of the values, same shape.
        view: ends of the visible columns and of the visible rows.
        pixels: width and height of the view.

    Returns:
        Picture, and its place as column, row, columns, rows; None where nothing is visible.
    """
    (left, right), (top, bottom) = view
    across = _crop((left - part.column) / part.columns, (right - part.column) / part.columns, indices.shape[1], pixels[0])
    down = _crop((top - part.row) / part.rows, (bottom - part.row) / part.rows, indices.shape[0], pixels[1])
    if across is None or down is None:
        return None
    picture = pool_tiles(indices[down.start : down.stop, across.start : across.stop], down.step, across.step)
    width, height = part.columns / indices.shape[1], part.rows / indices.shape[0]
    place = (
        part.column + across.start * width,
        part.row + down.start * height,
        picture.shape[1] * across.step * width,
        picture.shape[0] * down.step * height,
    )
    return np.ascontiguousarray(picture), place


def _crop(low: float, high: float, count: int, pixels: float) -> range | None:
    # Start at a multiple of the step: tiles that moved with the view would flicker.
    start, stop = max(0, floor(low * count)), min(count, ceil(high * count))
    if stop <= start:
        return None
    step = max(1, ceil((stop - start) / max(pixels, 1)))
    return range(start - start % step, stop, step)


SETTLE_MS = 150  # zooming is over when nothing moved for so long
FINER_BELOW = 0.7  # ask for a finer part when less than this share of the present one is in view


class HeatMap(QWidget):
    """Picture, axes, colour bar. A finer part may lie on top of the whole."""

    hovered = Signal(object)  # (rows: range, columns: range, value: float), or None
    partWanted = Signal(int, int, int, int)  # row, row stop, column, column stop

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.chart = Chart({"left": WholeAxis("left"), "bottom": WholeAxis("bottom")})
        self.bar = ColourBar()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addWidget(self.chart, 1)
        layout.addWidget(self.bar)
        self._whole: MapPart | None = None
        self._part: MapPart | None = None
        self._log = True
        self._asked: tuple[int, int, int, int] | None = None
        self._images = (pg.ImageItem(axisOrder="row-major"), pg.ImageItem(axisOrder="row-major"))
        self._indices: list[NDArray[np.uint8] | None] = [None, None]
        for level, image in enumerate(self._images):
            image.setZValue(level)
            self.chart.addItem(image)
        self._frame = pg.QtWidgets.QGraphicsRectItem()
        self._frame.setZValue(2)
        self._frame.setVisible(False)
        self.chart.addItem(self._frame, ignoreBounds=True)
        self.chart.view.invertY(True)
        self.chart.grid.setVisible(False)
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(SETTLE_MS)
        self._settle.timeout.connect(self._ask_for_part)
        self.chart.view.sigRangeChanged.connect(lambda *_: self._on_view_changed())
        self.chart.view.sigResized.connect(lambda *_: self._on_resized())
        self.chart.hovered.connect(self._on_hovered)

    @property
    def scale(self) -> ColourScale:
        """Values of the colours."""
        return self.bar.scale

    def set_whole(self, part: MapPart | None) -> None:
        """Show another matrix, all of it."""
        same_shape = self._whole is not None and part is not None and _extent(self._whole) == _extent(part)
        self._whole, self._part, self._asked = part, None, None
        self._frame.setVisible(False)
        self._colour()
        if part is None:
            return
        if not same_shape:
            self.chart.full_view = QRectF(part.column, part.row, part.columns, part.rows)
            self.chart.view.setLimits(
                xMin=part.column,
                xMax=part.column + part.columns,
                yMin=part.row,
                yMax=part.row + part.rows,
                minXRange=min(4, part.columns),
                minYRange=min(4, part.rows),
            )
            self.reset_view()
        self._settle.start()

    def set_part(self, part: MapPart) -> None:
        """Lay finer values over a part of the matrix."""
        if self._whole is None or not self._whole.covers(part.row, part.row + part.rows, part.column, part.column + part.columns):
            return
        self._part = part
        self._indices[1] = self.scale.indices(part.values)
        self._draw()

    def set_log(self, log: bool) -> None:
        """Choose a logarithmic or linear scale of colours."""
        self._log = log
        self._colour()

    def set_labels(self, bottom: str, left: str) -> None:
        """Name the axes."""
        self.chart.set_labels(bottom, left)

    def reset_view(self) -> None:
        """Show the whole matrix."""
        if self._whole is not None:
            self.chart.reset_view()

    @property
    def zoom(self) -> tuple[float, float, float, float] | None:
        """Ends of the rows and of the columns in view; None where all are."""
        if self._whole is None:
            return None
        (left, right), (top, bottom) = self.chart.view.viewRange()
        row, rows, column, columns = _extent(self._whole)
        near = 1e-6 * max(rows, columns)
        if top <= row + near and bottom >= row + rows - near and left <= column + near and right >= column + columns - near:
            return None
        return top, bottom, left, right

    def show_zoom(self, zoom: tuple[float, float, float, float]) -> None:
        """Look at these rows and columns, as far as the matrix has them."""
        if self._whole is None:
            return
        row, rows, column, columns = _extent(self._whole)
        top, bottom = max(zoom[0], row), min(zoom[1], row + rows)
        left, right = max(zoom[2], column), min(zoom[3], column + columns)
        if top < bottom and left < right:
            self.chart.view.setRange(QRectF(left, top, right - left, bottom - top), padding=0)

    def show_worst(self) -> None:
        """Zoom to the largest value, or to the first that is not finite."""
        if self._whole is None or self._whole.values.size == 0:
            return
        best = self._part if self._part is not None and self._part_has_worst() else self._whole
        i, j = np.unravel_index(int(np.argmax(_with_not_finite_on_top(best.values))), best.values.shape)
        down, across = best.values.shape
        row, column = best.row + (i + 0.5) * best.rows / down, best.column + (j + 0.5) * best.columns / across
        height = min(max(16.0, 2 * best.rows / down), self._whole.rows)
        width = min(max(32.0, 2 * best.columns / across), self._whole.columns)
        self.chart.view.setRange(QRectF(column - width / 2, row - height / 2, width, height), padding=0)

    def apply_theme(self, theme: Theme) -> None:
        self.chart.apply_theme(theme)
        self.bar.apply_theme(theme)
        for image in self._images:
            image.setLookupTable(colour_table(theme.bad))
        self._frame.setPen(pg.mkPen(theme.accent, width=2))

    def _colour(self) -> None:
        if self._whole is not None:
            self.bar.set_scale(scale_for(self._whole.values, self._log))
        parts = (self._whole, self._part)
        self._indices = [None if part is None else self.scale.indices(part.values) for part in parts]
        self._draw()

    def _draw(self) -> None:
        for image, part, indices in zip(self._images, (self._whole, self._part), self._indices, strict=True):
            shown = None
            if part is not None and indices is not None:
                size = self.chart.view.rect().size()
                shown = pooled_view(part, indices, self.chart.view.viewRange(), (size.width(), size.height()))
            image.setVisible(shown is not None)
            if shown is not None:
                image.setImage(shown[0], levels=(0, 255), autoLevels=False)
                image.setRect(QRectF(*shown[1]))

    def _on_view_changed(self) -> None:
        self._draw()
        self._settle.start()

    def _on_resized(self) -> None:
        rect = self.chart.view.sceneBoundingRect()
        self.bar.set_extent(rect.top(), rect.bottom())
        self._draw()

    def _visible(self, whole: MapPart) -> tuple[int, int, int, int]:
        (x_low, x_high), (y_low, y_high) = self.chart.view.viewRange()
        row, column = max(whole.row, floor(y_low)), max(whole.column, floor(x_low))
        row_stop = min(whole.row + whole.rows, ceil(y_high))
        return row, row_stop, column, min(whole.column + whole.columns, ceil(x_high))

    def _ask_for_part(self) -> None:
        if self._whole is None:
            return
        visible = self._visible(self._whole)
        row, row_stop, column, column_stop = visible
        if row_stop <= row or column_stop <= column or visible == self._asked:
            return
        best = self._part if self._part is not None and self._part.covers(*visible) else self._whole
        down, across = best.values.shape
        finer_rows = down < best.rows and row_stop - row < FINER_BELOW * best.rows
        finer_columns = across < best.columns and column_stop - column < FINER_BELOW * best.columns
        if finer_rows or finer_columns:
            self._asked = visible
            self.partWanted.emit(*visible)

    def _part_has_worst(self) -> bool:
        assert self._part is not None
        assert self._whole is not None
        worst = _with_not_finite_on_top(self._whole.values).max(initial=0)
        return bool(_with_not_finite_on_top(self._part.values).max(initial=0) >= worst)

    def _on_hovered(self, point: tuple[float, float] | None) -> None:
        tile = None if point is None else self._tile_at(*point)
        self._frame.setVisible(tile is not None)
        if tile is not None:
            rows, columns, _value = tile
            self._frame.setRect(QRectF(columns.start, rows.start, len(columns), len(rows)))
        self.hovered.emit(tile)

    def _tile_at(self, x: float, y: float) -> tuple[range, range, float] | None:
        row, column = floor(y), floor(x)
        for part in (self._part, self._whole):
            if part is not None and part.covers(row, row + 1, column, column + 1):
                return part.tile(row, column)
        return None


def pool_tiles(indices: NDArray[np.uint8], row_factor: int, column_factor: int) -> NDArray[np.uint8]:
    """Maximum of each tile of row_factor × column_factor of [rows, columns]; tiles at the lower and right edge may be
    smaller.
    """
    rows, columns = indices.shape
    missing = ((0, -rows % row_factor), (0, -columns % column_factor))
    if missing != ((0, 0), (0, 0)):
        indices = np.pad(indices, missing)  # with zeros, which win over nothing
    # Maxima of whole slices: three times as fast as numpy's reduceat. Rows first, it reads memory in order.
    indices = _maximum([indices[first::row_factor] for first in range(row_factor)])
    return _maximum([indices[:, first::column_factor] for first in range(column_factor)])


def _maximum(slices: list[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    if len(slices) == 1:
        return slices[0]
    result = np.maximum(slices[0], slices[1])
    for other in slices[2:]:
        np.maximum(result, other, out=result)
    return result


def _extent(part: MapPart) -> tuple[int, int, int, int]:
    return part.row, part.rows, part.column, part.columns


def _with_not_finite_on_top(values: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.where(np.isfinite(values), values, np.float32(np.inf))
