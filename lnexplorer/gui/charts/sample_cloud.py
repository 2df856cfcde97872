"""Very many samples as a cloud: counted into the pixels they fall on, so that a million is drawn as fast as a hundred.

What is painted is what a scatter of square translucent dots would give: where n dots overlap, the colour covers 1 − (1
− alpha)ⁿ of what is behind. The counts of a stretch three times as wide as the view are kept as an image, no larger
than the samples in it need, so that moving the view paints an image, and nothing is counted again until the view leaves
the stretch or is zoomed.
"""

import math

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

DOT = 3  # px, the side of a dot
ALPHA = 70 / 255  # of one dot
MARGIN = 1.0  # widths of the view that are kept ready on either side
MOST_SHAPES = 20_000  # dots that an SVG gets one by one
LEVELS = 256


class SampleCloud(pg.GraphicsObject):
    """Dots at x, y in the coordinates of the chart, all in one colour."""

    def __init__(self) -> None:
        super().__init__()
        self._x: NDArray[np.float64] = np.empty(0)
        self._y: NDArray[np.float64] = np.empty(0)
        self._bounds = QRectF()
        self._colour = QColor("black")
        self._image = QImage()
        self._stretch = QRectF()  # that was looked through for the image, in the chart's coordinates
        self._place = (0, 0)  # of the image in it, device pixels from its upper left corner
        self._scale = (0.0, 0.0)  # device pixels for each unit of x and of y
        self._exporting = False

    def set_data(self, x: NDArray[np.float64], y: NDArray[np.float64], colour: QColor) -> None:
        """Show these samples; what is not finite is left out."""
        known = np.isfinite(x) & np.isfinite(y)
        self.prepareGeometryChange()
        self._x, self._y = (x, y) if known.all() else (x[known], y[known])
        self._colour = QColor(colour)
        self._bounds = QRectF()
        if self._x.size:
            left, top = float(self._x.min()), float(self._y.min())
            self._bounds = QRectF(left, top, float(self._x.max()) - left, float(self._y.max()) - top)
        self._image = QImage()
        self.informViewBoundsChanged()
        self.update()

    def boundingRect(self) -> QRectF:
        width, height = (abs(size) for size in self.pixelSize()) if self._x.size else (0.0, 0.0)
        return self._bounds.adjusted(-DOT * width, -DOT * height, DOT * width, DOT * height)

    def dataBounds(self, axis: int, frac: float = 1.0, orthoRange: object = None) -> tuple[float, float] | None:  # noqa: N803
        del frac, orthoRange
        if not self._x.size:
            return None
        bounds = self._bounds
        return (bounds.left(), bounds.right()) if axis == 0 else (bounds.top(), bounds.bottom())

    def setExportMode(self, export: bool, opts: object = None) -> None:
        del opts
        self._exporting = export

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        del option, widget
        view = self.viewRect()
        if not self._x.size or view is None or view.isEmpty():
            return
        to_device = painter.combinedTransform()
        if self._exporting and self._in(view).sum() <= MOST_SHAPES:
            self._paint_shapes(painter, view, to_device)
            return
        scale = (abs(to_device.m11()), abs(to_device.m22()))
        if self._image.isNull() or not _alike(scale, self._scale) or not self._stretch.contains(view):
            self._count(view, scale)
        corner = to_device.map(QPointF(self._stretch.left(), self._stretch.bottom()))  # values grow upwards
        painter.save()
        painter.setWorldTransform(QTransform())
        painter.setViewTransformEnabled(False)
        painter.drawImage(QPointF(round(corner.x()) + self._place[0], round(corner.y()) + self._place[1]), self._image)
        painter.restore()

    def _in(self, part: QRectF) -> NDArray[np.bool_]:
        inside = (self._x >= part.left()) & (self._x <= part.right())
        return inside & (self._y >= part.top()) & (self._y <= part.bottom())

    def _count(self, view: QRectF, scale: tuple[float, float]) -> None:
        stretch = view.adjusted(-MARGIN * view.width(), 0, MARGIN * view.width(), 0)
        columns, rows = (max(int(np.ceil(size)), 1) for size in (stretch.width() * scale[0], stretch.height() * scale[1]))
        column = ((self._x - stretch.left()) * scale[0]).astype(np.int32)
        row = ((stretch.bottom() - self._y) * scale[1]).astype(np.int32)  # values grow upwards, rows of a picture downwards
        inside = (column >= 0) & (column < columns) & (row >= 0) & (row < rows) & (self._x >= stretch.left())
        # Where a pixel of the screen is several of the painter's, so is one of a dot.
        reach = round((DOT * scale[0] * abs(self.pixelSize()[0]) - 1) / 2)
        left, width = _extent(column[inside], columns, reach)
        top, height = _extent(row[inside], rows, reach)
        place = (row[inside] - np.int32(top)) * np.int32(width) + (column[inside] - np.int32(left))
        counts = np.bincount(place, minlength=width * height)
        few = np.minimum(counts, LEVELS - 1, dtype=np.uint16, casting="unsafe").reshape(height, width)
        covered = np.minimum(_spread(_spread(few, 0, reach), 1, reach), LEVELS - 1).astype(np.uint8)
        self._stretch, self._scale, self._place = stretch, scale, (left, top)
        self._image = _coloured(covered, self._colour)

    def _paint_shapes(self, painter: QPainter, view: QRectF, to_device: QTransform) -> None:
        inside = self._in(view)
        width, height = DOT / abs(to_device.m11()), DOT / abs(to_device.m22())
        colour = QColor(self._colour)
        colour.setAlphaF(ALPHA)
        for x, y in zip(self._x[inside].tolist(), self._y[inside].tolist(), strict=True):
            painter.fillRect(QRectF(x - width / 2, y - height / 2, width, height), colour)


def _alike(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return all(math.isclose(a, b, rel_tol=1e-9) for a, b in zip(one, other, strict=True))


def _extent(places: NDArray[np.int32], size: int, reach: int) -> tuple[int, int]:
    """The first pixel that dots at these places cover, and how many from there to the last: few, where the samples are
    few.
    """
    if not places.size:
        return 0, 1
    first = max(int(places.min()) - reach, 0)
    return first, min(int(places.max()) + reach, size - 1) - first + 1


def _spread(counts: NDArray[np.uint16], axis: int, reach: int) -> NDArray[np.uint16]:
    """Every count also at its neighbours along an axis, up to `reach` away."""
    total = counts.copy()
    whole = slice(None)
    for shift in range(1, min(reach, counts.shape[axis] - 1) + 1):
        ahead, behind = [whole, whole], [whole, whole]
        ahead[axis], behind[axis] = slice(shift, None), slice(None, -shift)
        total[tuple(ahead)] += counts[tuple(behind)]
        total[tuple(behind)] += counts[tuple(ahead)]
    return total


def _coloured(covered: NDArray[np.uint8], colour: QColor) -> QImage:
    alpha = np.round(255 * (1 - (1 - ALPHA) ** np.arange(LEVELS))).astype(np.uint32)
    # Premultiplied: each part of the colour times alpha.
    parts = [(np.uint32(part) * alpha // 255).astype(np.uint32) for part in (colour.red(), colour.green(), colour.blue())]
    table = alpha << 24 | parts[0] << 16 | parts[1] << 8 | parts[2]
    pixels = np.ascontiguousarray(table[covered])
    rows, columns = pixels.shape
    image = QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_ARGB32_Premultiplied)
    return image.copy()  # the pixels of numpy go away
