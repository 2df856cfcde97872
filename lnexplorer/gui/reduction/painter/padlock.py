"""A padlock, open or closed."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen


def draw_padlock(painter: QPainter, area: QRectF, closed: bool, colour: QColor, open_colour: QColor) -> None:
    """Draw it into a square: closed in the lock's colour, open as an outline with its shackle up."""
    size = area.width()
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colour if closed else open_colour, size * 0.11, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    body = QRectF(area.left() + size * 0.18, area.top() + size * 0.48, size * 0.64, size * 0.44)
    lift = 0.0 if closed else size * 0.12
    left, right = body.left() + size * 0.12, body.right() - size * 0.12
    arc = QRectF(left, area.top() + size * 0.16 - lift, right - left, size * 0.44)
    painter.drawArc(arc, 0, 180 * 16)
    painter.drawLine(QPointF(left, arc.center().y()), QPointF(left, body.top()))
    painter.drawLine(QPointF(right, arc.center().y()), QPointF(right, body.top() - 2 * lift))
    painter.setBrush(colour if closed else Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(body, size * 0.06, size * 0.06)
    painter.restore()
