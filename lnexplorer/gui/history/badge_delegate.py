"""The kind of a run as a badge in a cell."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem

from lnexplorer.gui.charts.row_delegate import RowDelegate
from lnexplorer.gui.shell.theme import GRID

Index = QModelIndex | QPersistentModelIndex


class BadgeDelegate(RowDelegate):
    """The text in a rounded frame, both in the cell's colour."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw the cell."""
        cell = QStyleOptionViewItem(option)
        self.initStyleOption(cell, index)
        text, cell.text = cell.text, ""
        style = cell.widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, cell, painter, cell.widget)
        width, height = cell.fontMetrics.horizontalAdvance(text) + 2 * GRID, cell.fontMetrics.height() + 2
        frame = QRectF(cell.rect.left() + 5.5, cell.rect.center().y() - height / 2 + 0.5, width, height)
        colour = index.data(Qt.ItemDataRole.ForegroundRole)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colour if isinstance(colour, QColor) else QColor(cell.palette.text().color()), 1))
        painter.drawRoundedRect(frame, height / 2, height / 2)
        ink = cell.fontMetrics.tightBoundingRect(text)
        if cell.fontMetrics.boundingRect(text).height() > cell.fontMetrics.height():
            # Another font steps in for these characters, and its line hangs lower than its ink.
            painter.drawText(QPointF(frame.left() + GRID, frame.center().y() - ink.center().y()), text)
        else:
            painter.drawText(frame, Qt.AlignmentFlag.AlignCenter, text)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802
        """Room for the frame."""
        size = super().sizeHint(option, index)
        return QSize(size.width() + 2 * GRID, size.height())
