"""Which line is whose: samples of lines and symbols with their names, beside a chart rather than on it."""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from lnexplorer.gui.theme import GRID, LIGHT, Theme

SAMPLE_WIDTH = 28


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """One line of a chart."""

    text: str
    colour: str
    style: Qt.PenStyle = Qt.PenStyle.SolidLine
    symbol: str = ""  # "", "o" or "t", as pyqtgraph calls circle and triangle


class Legend(QWidget):
    """Entries side by side."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._entries: tuple[LegendEntry, ...] = ()
        self._theme = LIGHT

    @property
    def entries(self) -> tuple[LegendEntry, ...]:
        """What is on show."""
        return self._entries

    def set_entries(self, entries: tuple[LegendEntry, ...]) -> None:
        """Show these."""
        if entries == self._entries:
            return
        self._entries = entries
        self.setAccessibleDescription(", ".join(entry.text for entry in entries))
        self.updateGeometry()
        self.update()

    def apply_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """All entries in a row."""
        metrics = QFontMetrics(self.font())
        widths = (SAMPLE_WIDTH + GRID + metrics.horizontalAdvance(entry.text) + 2 * GRID for entry in self._entries)
        return QSize(max(0, sum(widths) - 2 * GRID), metrics.height() + 4)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """It may be cut off at the right."""
        return QSize(0, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Draw samples and names."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        metrics = QFontMetrics(self.font())
        x, middle = 0, self.height() / 2
        for entry in self._entries:
            painter.setPen(QPen(QColor(entry.colour), 2, entry.style))
            painter.drawLine(QPointF(x, middle), QPointF(x + SAMPLE_WIDTH, middle))
            _draw_symbol(painter, entry, QPointF(x + SAMPLE_WIDTH / 2, middle))
            x += SAMPLE_WIDTH + GRID
            width = metrics.horizontalAdvance(entry.text)
            painter.setPen(QColor(self._theme.muted))
            painter.drawText(QRectF(x, 0, width + 2, self.height()), Qt.AlignmentFlag.AlignVCenter, entry.text)
            x += width + 2 * GRID


def _draw_symbol(painter: QPainter, entry: LegendEntry, centre: QPointF) -> None:
    if not entry.symbol:
        return
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(entry.colour))
    if entry.symbol == "o":
        painter.drawEllipse(centre, 4.5, 4.5)
    else:
        corners = (QPointF(-5, -4), QPointF(5, -4), QPointF(0, 5))
        painter.drawPolygon(QPolygonF([centre + corner for corner in corners]))
