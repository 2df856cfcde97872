"""A red point that follows the mouse, as a laser would."""

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPaintEvent, QRadialGradient
from PySide6.QtWidgets import QWidget

_SIZE = 22  # the page's height over the point's radius
_HOT, _GLOW = QColor(255, 255, 255), QColor(255, 30, 30)


class Pointer(QWidget):
    """Lies over the page and lets every click through. Only its own small area is painted again when it moves."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self.hide()

    def fit(self, height: int) -> None:
        """Take the size that suits a page."""
        radius = max(height // _SIZE, 8)
        self.resize(2 * radius, 2 * radius)

    def move_to(self, position: QPointF) -> None:
        """Point at a place of the page."""
        self.move(round(position.x() - self.width() / 2), round(position.y() - self.height() / 2))

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Draw a white heart in a red glow."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        centre, radius = QPointF(self.width() / 2, self.height() / 2), self.width() / 2
        glow = QRadialGradient(centre, radius)
        clear = QColor(_GLOW)
        clear.setAlpha(0)
        for place, colour in ((0.0, _HOT), (0.16, _HOT), (0.24, _GLOW), (0.4, _GLOW), (1.0, clear)):
            glow.setColorAt(place, colour)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QBrush(glow))
        painter.drawEllipse(centre, radius, radius)
        painter.end()
