"""A line of text that ends in … where it does not fit; the tooltip has all of it."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QStyle, QStyleOption, QWidget


class ElidedLabel(QLabel):
    """A label as wide as there is room, and no wider."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """No width is asked for."""
        return QSize(0, self.fontMetrics().height())

    def sizeHint(self) -> QSize:  # noqa: N802
        """One line."""
        return QSize(self.fontMetrics().horizontalAdvance(self.text()), self.fontMetrics().height() + 2)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Draw the part that fits."""
        painter = QPainter(self)
        option = QStyleOption()
        option.initFrom(self)
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_Widget, option, painter, self)
        inside = self.contentsRect()
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, inside.width())
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(inside, self.alignment() | Qt.AlignmentFlag.AlignVCenter, text)
        painter.end()
