"""From values to colours, and the bar beside a picture that says which colour is which value."""

from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from lnexplorer.gui.charts.axes import linear_ticks, log_ticks, tick_text
from lnexplorer.gui.charts.theme import LIGHT, Theme, text_size

STEPS = 254  # indices 0 to 253; 254 is never used, 255 says "not finite"
NOT_FINITE = 255
# A few elements that happen to be nearly exact would stretch a logarithmic scale over decades that hold nothing else.
LOWEST_SHARE = 5  # per cent of the values that may lie below the first colour
LEAST_DECADES = 1.0
SAMPLES = 1 << 14


@dataclass(frozen=True, slots=True)
class ColourScale:
    """Which values the first and the last colour stand for. `low` is 0 on a linear scale, above 0 on a logarithmic one."""

    low: float
    high: float
    log: bool

    @property
    def flat(self) -> bool:
        """Whether all values are the same."""
        return self.high <= self.low

    def bounds(self) -> tuple[float, float]:
        """Ends of the scale in the coordinates in which the colours are evenly spaced."""
        return (float(np.log10(self.low)), float(np.log10(self.high))) if self.log else (self.low, self.high)

    def indices(self, values: NDArray[np.float32]) -> NDArray[np.uint8]:
        """Index of each value's colour, same shape as `values`."""
        if self.flat:
            scaled = np.where(values > 0, np.float32(STEPS - 1), np.float32(0))
        else:
            low, high = self.bounds()
            with np.errstate(divide="ignore", invalid="ignore"):
                coordinates = np.log10(values) if self.log else values
            scaled = (coordinates - np.float32(low)) * np.float32((STEPS - 1) / (high - low))
        finite = np.isfinite(values)
        scaled = np.clip(np.where(finite, scaled, 0), 0, STEPS - 1)
        return np.where(finite, scaled, np.float32(NOT_FINITE)).astype(np.uint8)


def scale_for(values: NDArray[np.float32], log: bool) -> ColourScale:
    """From the lowest values but a few to the highest; flat where all are zero or none is finite."""
    high = float(np.max(values, where=np.isfinite(values), initial=0))
    if high <= 0:
        return ColourScale(0.0, 0.0, log=False)
    if not log:
        return ColourScale(0.0, high, log=False)
    flat = values.reshape(-1)
    some = flat[:: max(1, flat.size // SAMPLES)]
    some = some[np.isfinite(some) & (some > 0)]
    low = float(np.percentile(some, LOWEST_SHARE)) if some.size else high
    return ColourScale(min(low, high * 10**-LEAST_DECADES), high, log=True)


def colour_table(not_finite: str) -> NDArray[np.uint8]:
    """RGBA of each index, [256, 4].

    Args:
        not_finite: colour of values that are NaN or infinite, #rrggbb.
    """
    table = np.empty((256, 4), np.uint8)
    table[:STEPS] = pg.colormap.get("cividis").getLookupTable(nPts=STEPS, alpha=True)
    table[STEPS:] = pg.mkColor(not_finite).getRgb()
    return table


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
        self._theme = theme
        table = np.ascontiguousarray(colour_table(theme.bad)[:STEPS][::-1]).reshape(STEPS, 1, 4)
        self._image = QImage(table.data, 1, STEPS, 4, QImage.Format.Format_RGBA8888).copy()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(BAR_WIDTH + GAP + int(QFontMetricsF(self.font()).horizontalAdvance("8.88e-88")), 80)

    def minimumSizeHint(self) -> QSize:
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
        """Those of the ticks' texts that have room, from the bottom: the middle of each in px of this widget, and the
        text.
        """
        line = QFontMetricsF(self.font()).height()
        found: list[tuple[float, str]] = []
        for place, text in self.ticks():
            y = self._bottom - place * (self._bottom - self._top)
            if not found or y + line <= found[-1][0]:
                found.append((y, text))
        return found

    def paintEvent(self, event: QPaintEvent) -> None:
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
