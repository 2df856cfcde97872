"""A translucent band between two lines, broken where a value is missing."""

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

ALPHA = 60  # of 255


class QuantileBand(pg.GraphicsObject):
    """The area from `low` to `high` over `x`."""

    def __init__(self) -> None:
        super().__init__()
        self._paths: list[QPainterPath] = []
        self._bounds = QRectF()
        self._colour = QColor("black")

    def set_data(self, x: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64], colour: str) -> None:
        """Show another band; where one of the two is not finite there is a gap."""
        self.prepareGeometryChange()
        self._colour = QColor(colour)
        self._colour.setAlpha(ALPHA)
        known = np.isfinite(low) & np.isfinite(high)
        self._paths, self._bounds = [], QRectF()
        edges = np.flatnonzero(np.diff(np.concatenate([[False], known, [False]]).astype(np.int8)))
        for start, stop in edges.reshape(-1, 2):
            around = np.concatenate([x[start:stop], x[start:stop][::-1]])
            path = pg.arrayToQPath(around, np.concatenate([high[start:stop], low[start:stop][::-1]]))
            self._paths.append(path)
            self._bounds = self._bounds.united(path.boundingRect())
        self.informViewBoundsChanged()
        self.update()

    def boundingRect(self) -> QRectF:  # noqa: N802
        """What the band covers."""
        return self._bounds

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Fill it."""
        del option, widget
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._colour)
        for path in self._paths:
            painter.drawPath(path)
