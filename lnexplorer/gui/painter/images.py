"""Arrays of colour indices as pictures."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter, QPixmap


def indexed_image(indices: NDArray[np.uint8], table: list[int]) -> QImage:
    """A picture of indices [height, width] in the colours of a table; it shares the array's memory, so draw it at once."""
    height, width = indices.shape
    image = QImage(np.ascontiguousarray(indices).data, width, height, width, QImage.Format.Format_Indexed8)
    image.setColorTable(table)
    return image


def draw_indices(painter: QPainter, area: QRectF, indices: NDArray[np.uint8], table: list[int]) -> None:
    """Fill an area with a picture of indices, each a crisp cell."""
    if indices.size and area.width() > 0 and area.height() > 0:
        painter.drawImage(area, indexed_image(indices, table))


def pixmap_of(indices: NDArray[np.uint8], table: list[int]) -> QPixmap:
    """A kept picture of indices."""
    return QPixmap.fromImage(indexed_image(indices, table).convertToFormat(QImage.Format.Format_RGB32))
