"""One line of text that gives way: it never makes a window wider, and ends in … where there is no room."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QWidget


class Readout(QLabel):
    """What is under the cursor, in words and numbers."""

    def __init__(self, parent: QWidget | None = None, side: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignRight) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAlignment(side | Qt.AlignmentFlag.AlignVCenter)

    def share_place_of(self, other: QWidget) -> QGridLayout:
        """Stand where another widget stands, one of both being hidden, this one at first; what lies below does not move."""
        keeps = other.sizePolicy()
        keeps.setRetainSizeWhenHidden(True)
        other.setSizePolicy(keeps)
        self.hide()
        place = QGridLayout()
        place.addWidget(other, 0, 0)
        place.addWidget(self, 0, 0)
        return place

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """No width of its own."""
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Draw the text, shortened to the room there is."""
        painter = QPainter(self)
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.rect(), self.alignment(), text)
