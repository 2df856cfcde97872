"""The bar beside a picture that says which colour is which value."""

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from lnexplorer.gui.charts.colour_scale import STEPS, ColourScale, colour_table
from lnexplorer.gui.charts.ticks import linear_ticks, log_ticks, tick_text
from lnexplorer.gui.shell.style import text_size
from lnexplorer.gui.shell.theme import LIGHT, Theme

BAR_WIDTH = 16
GAP = 8


class ColourBar(QWidget):
    """A vertical scale, highest value on top."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        font = QFont(self.font())
        font.setPointSizeF(text_size())
        self.setFont(font)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Ignored)
        self._theme = LIGHT
        self._scale = ColourScale(0.0, 0.0, log=False)
        self._top, self._bottom = 0.0, 0.0
        self._image = QImage()
        self.apply_theme(LIGHT)

    @property
    def scale(self) -> ColourScale:
        """The scale on show."""
        return self._scale

    def set_scale(self, scale: ColourScale) -> None:
        """Show another scale."""
        self._scale = scale
        self.update()

    def set_extent(self, top: float, bottom: float) -> None:
        """Align the bar with a picture: its upper and lower edge, in px of this widget."""
        self._top, self._bottom = top, bottom
        self.update()

    def apply_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        self._theme = theme
        table = np.ascontiguousarray(colour_table(theme.bad)[:STEPS][::-1]).reshape(STEPS, 1, 4)
        self._image = QImage(table.data, 1, STEPS, 4, QImage.Format.Format_RGBA8888).copy()
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """Room for the bar and the widest label."""
        return QSize(BAR_WIDTH + GAP + int(QFontMetricsF(self.font()).horizontalAdvance("8.88e-88")), 80)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """As wide as it wants to be, and as low as needed."""
        return QSize(self.sizeHint().width(), 40)

    def ticks(self) -> list[tuple[float, str]]:
        """Place of each label, 0 at the bottom to 1 at the top, and its text."""
        if self._scale.flat:
            return [(0.0, tick_text(self._scale.high))]
        low, high = self._scale.bounds()
        most = max(2, int((self._bottom - self._top) / 32))
        if not self._scale.log:
            return [((value - low) / (high - low), tick_text(value)) for value in linear_ticks(low, high, most)]
        return [((place - low) / (high - low), tick_text(10.0**place)) for place in log_ticks(low, high, most)]

    def labels(self) -> list[tuple[float, str]]:
        """Those of the ticks' texts that have room, from the bottom: the middle of each in px of this widget, and the text."""
        line = QFontMetricsF(self.font()).height()
        found: list[tuple[float, str]] = []
        for place, text in self.ticks():
            y = self._bottom - place * (self._bottom - self._top)
            if not found or y + line <= found[-1][0]:
                found.append((y, text))
        return found

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Draw bar, ticks and labels."""
        painter = QPainter(self)
        height = self._bottom - self._top
        if height <= 0:
            return
        bar = QRectF(0.5, self._top, BAR_WIDTH, height)
        if self._scale.flat:
            painter.fillRect(bar, QColor(*colour_table(self._theme.bad)[0].tolist()))
        else:
            painter.drawImage(bar, self._image)
        painter.setPen(QColor(self._theme.line))
        painter.drawRect(bar)
        painter.setPen(QColor(self._theme.muted))
        line = QFontMetricsF(self.font()).height()
        for place, _ in self.ticks():
            edge = round(self._bottom - place * height)
            painter.drawLine(BAR_WIDTH, edge, BAR_WIDTH + 3, edge)
        for y, text in self.labels():
            box = QRectF(BAR_WIDTH + GAP - 2, y - line / 2, self.width(), line)
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
