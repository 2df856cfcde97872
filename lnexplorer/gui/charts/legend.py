"""Which line is whose: samples of lines and symbols with their names, beside a chart rather than on it."""

from dataclasses import dataclass

from pyqtgraph.graphicsItems.ScatterPlotItem import Symbols
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget

from lnexplorer.gui.charts.theme import GRID, LIGHT, Theme, with_text

SAMPLE_WIDTH = 22
SYMBOL_SIZE = 9


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """One line of a chart."""

    text: str
    colour: str
    style: Qt.PenStyle = Qt.PenStyle.SolidLine
    symbol: str = ""  # as pyqtgraph calls it: "o" a circle, "t" a triangle; empty for none
    sample: int = SAMPLE_WIDTH  # px of the line


class Legend(QWidget):
    """Entries side by side, in as many lines as they need."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)  # else there is never a second line
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self._entries: tuple[LegendEntry, ...] = ()
        self._theme = LIGHT

    @property
    def entries(self) -> tuple[LegendEntry, ...]:
        """What is on show."""
        return self._entries

    @property
    def is_whole(self) -> bool:
        """Whether no entry is wider than the legend."""
        return all(self._width(entry) <= self.width() for entry in self._entries)

    def set_entries(self, entries: tuple[LegendEntry, ...]) -> None:
        """Show these."""
        if entries == self._entries:
            return
        self._entries = entries
        self.setAccessibleDescription(", ".join(entry.text for entry in entries))
        self._keep_lines()
        self.updateGeometry()
        self.update()

    def apply_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._keep_lines()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self._keep_lines()

    def sizeHint(self) -> QSize:
        widths = [self._width(entry) + 2 * GRID for entry in self._entries]
        return QSize(max(0, sum(widths) - 2 * GRID), self._line_height())

    def minimumSizeHint(self) -> QSize:
        return QSize(max((self._width(entry) for entry in self._entries), default=0), self._line_height())

    def heightForWidth(self, width: int) -> int:
        lines = self._places(width)
        return self._line_height() * (lines[-1][1] + 1 if lines else 1)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        height = self._line_height()
        painter.translate(0, max(self.height() - self.heightForWidth(self.width()), 0) / 2)
        for entry, (x, line) in zip(self._entries, self._places(self.width()), strict=True):
            middle = (line + 0.5) * height
            painter.setPen(QPen(QColor(entry.colour), 2, entry.style))
            painter.drawLine(QPointF(x, middle), QPointF(x + entry.sample, middle))
            _draw_symbol(painter, entry, QPointF(x + entry.sample / 2, middle))
            painter.setPen(QColor(self._theme.muted))
            left = x + entry.sample + GRID
            box = QRectF(left, line * height, self._width(entry), height)
            text = entry.text if left + box.width() <= self.width() or x > 0 else self._elided(entry, self.width() - left)
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)

    def _keep_lines(self) -> None:
        """Layouts forget heights that follow from a width as soon as there is a splitter or a stack around them."""
        self.setMinimumHeight(self.heightForWidth(self.width()) if self._entries else 0)

    def _places(self, width: int) -> list[tuple[int, int]]:
        """Left edge and line of each entry."""
        places, x, line = [], 0, 0
        for entry in self._entries:
            needed = self._width(entry)
            if x > 0 and x + needed > width:
                x, line = 0, line + 1
            places.append((x, line))
            x += needed + 2 * GRID
        return places

    def _width(self, entry: LegendEntry) -> int:
        return entry.sample + GRID + QFontMetrics(self.font()).horizontalAdvance(entry.text) + 2

    def _elided(self, entry: LegendEntry, width: int) -> str:
        return QFontMetrics(self.font()).elidedText(entry.text, Qt.TextElideMode.ElideRight, width)

    def _line_height(self) -> int:
        metrics = QFontMetrics(self.font())
        return max(metrics.height() + 4, line_height(" ".join(entry.text for entry in self._entries), metrics))


def line_height(text: str, metrics: QFontMetrics) -> int:
    """Height that a line of this text takes: signs that another font lends, as Chinese ones, reach farther than its
    own.
    """
    return max(metrics.height(), metrics.boundingRect(QRect(), Qt.TextFlag.TextSingleLine, text).height())


def _draw_symbol(painter: QPainter, entry: LegendEntry, centre: QPointF) -> None:
    if not entry.symbol:
        return
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(entry.colour))
    if entry.symbol == "o":
        painter.drawEllipse(centre, 4.5, 4.5)
    elif entry.symbol == "t":
        corners = (QPointF(-5, -4), QPointF(5, -4), QPointF(0, 5))
        painter.drawPolygon(QPolygonF([centre + corner for corner in corners]))
    else:
        painter.save()
        painter.translate(centre)
        painter.scale(SYMBOL_SIZE, SYMBOL_SIZE)
        painter.drawPath(Symbols[entry.symbol])  # one unit wide
        painter.restore()


FEWEST_LINES = 2  # that are seen at least
SHARE = 0.25  # of the height of a chart with its legend and all that is said about it
REST = 400  # px of that height which are the chart's, its marks' and the words'


class LegendRoom(QScrollArea):
    """As high as its legend, up to a share of what both stand in."""

    def __init__(self, legend: Legend, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._legend = legend
        self._whole = 0  # px, the height that is shared
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setWidgetResizable(True)
        self.viewport().setAutoFillBackground(False)
        self.setWidget(legend)
        legend.setAutoFillBackground(False)
        legend.setMinimumWidth(1)  # a long entry ends in … rather than make the pane scroll sideways

    def share(self, whole: int) -> None:
        """Take a share of so many pixels of height at most."""
        self._whole = whole
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(self._legend.sizeHint().width(), self.minimumHeight())

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.minimumHeight())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            self._fit()
        return super().event(event)

    def _fit(self) -> None:
        needed = self._legend.heightForWidth(self.width())
        line = self._legend.sizeHint().height()
        room = min(round(SHARE * self._whole), self._whole - with_text(REST))
        most = max(room // line, FEWEST_LINES) * line
        self.setFixedHeight(min(needed, most))
        everything = needed <= most and self._legend.is_whole
        self._legend.setToolTip("" if everything else "\n".join(entry.text for entry in self._legend.entries))
