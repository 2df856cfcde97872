"""Faint lines at the ticks, behind everything: pyqtgraph's axes would paint theirs over pictures, and take 5 ms for it."""

import pyqtgraph as pg
from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

ALPHAS = (190, 110)  # of 255; lines at the coarsest ticks, and at the next finer ones


class GridLines(pg.GraphicsObject):
    """Lines across the view, where the left and the lower axis have their ticks."""

    def __init__(self, left: pg.AxisItem, bottom: pg.AxisItem) -> None:
        super().__init__()
        self.setZValue(-100)
        self._left, self._bottom = left, bottom
        self._colour = "#000000"

    def set_colour(self, colour: str) -> None:
        """Choose the colour, #rrggbb."""
        self._colour = colour
        self.update()

    def boundingRect(self) -> QRectF:  # noqa: N802
        """The whole view."""
        return QRectF(self.viewRect())

    def viewRangeChanged(self, *_ranges: object) -> None:  # noqa: N802
        """The ticks are elsewhere."""
        self.prepareGeometryChange()
        self.update()

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Draw the lines."""
        rect, pixels = self.viewRect(), self.getViewBox().rect()
        if pixels.height() < 1 or pixels.width() < 1:  # there is no tick without room, and what fails here ends the process
            return
        rows = self._left.tickValues(rect.top(), rect.bottom(), pixels.height())
        columns = self._bottom.tickValues(rect.left(), rect.right(), pixels.width())
        lines = [
            [QLineF(rect.left(), y, rect.right(), y) for _spacing, places in rows[level : level + 1] for y in places]
            + [QLineF(x, rect.top(), x, rect.bottom()) for _spacing, places in columns[level : level + 1] for x in places]
            for level in range(len(ALPHAS))
        ]
        for level, alpha in enumerate(ALPHAS):
            colour = QColor(self._colour)
            colour.setAlpha(alpha)
            painter.setPen(pg.mkPen(colour, width=1))
            painter.drawLines(lines[level])
