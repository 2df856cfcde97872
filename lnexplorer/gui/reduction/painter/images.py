"""Arrays of colour indices as pictures."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter

ColourTable = NDArray[np.uint32]


def colour_table(colours: list[QColor], background: QColor) -> ColourTable:
    """256 colours; what is left over is background."""
    return np.array([colour.rgb() for colour in colours] + [background.rgb()] * (256 - len(colours)), np.uint32)


def draw_indices(painter: QPainter, area: QRectF, indices: NDArray[np.uint8], table: ColourTable) -> None:
    """Fill an area with a picture of indices, each a crisp cell.

    The table is applied here, to a cell each, since Qt would apply it to each pixel: that takes three times as long.
    """
    if indices.size and area.width() > 0 and area.height() > 0:
        painter.drawImage(area, _image(pixels := table[indices]))
        del pixels  # alive until here, because the picture shares its memory


def draw_pixels(painter: QPainter, corner: QPointF, pixels: NDArray[np.uint32], ratio: float) -> None:
    """Copy a picture, a device pixel each."""
    image = _image(pixels)
    image.setDevicePixelRatio(ratio)
    painter.drawImage(corner, image)


def picture_of(indices: NDArray[np.uint8], table: ColourTable) -> QImage:
    """A kept picture of indices."""
    return _image(table[indices]).copy()


def left_part(picture: QImage, width: int) -> QImage:
    """The first columns of a picture that is kept, sharing its memory.

    To draw a part by giving its rectangle is not enough: what writes SVG takes the whole picture all the same.
    """
    return QImage(picture.constBits(), width, picture.height(), picture.bytesPerLine(), picture.format())


def _image(pixels: NDArray[np.uint32]) -> QImage:
    """A picture that shares the array's memory."""
    height, width = pixels.shape
    return QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGB32)
