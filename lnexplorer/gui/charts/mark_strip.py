"""A strip above a plot with a few words for places on its axis: staggered where they would touch, never cut."""

from collections.abc import Sequence
from dataclasses import dataclass

import pyqtgraph as pg
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QResizeEvent
from PySide6.QtWidgets import QGraphicsSceneResizeEvent, QStyleOptionGraphicsItem, QWidget

from lnexplorer.gui.charts.theme import LIGHT, Theme, text_size

BESIDE = 5.0  # px between the line of a mark and its words
APART = 12.0  # px between the words of two marks in one row
MOST = 0.15  # of the whole chart's height for the strip, above which it is brief


@dataclass(frozen=True, slots=True)
class AxisMark:
    """A place on the axis with a few words: a heuristic chooses otherwise from here on."""

    x: float
    text: str
    brief: str = ""  # where there is little room; empty for the same


@dataclass(frozen=True, slots=True)
class Place:
    """Where the words of a mark stand: px from the left, and the row, 0 being next to the plot."""

    at: float  # of the mark's line
    left: float  # of the words
    row: int
    text: str


def places(marks: Sequence[tuple[float, str, float]], width: float) -> list[Place]:
    """Words to the right of their lines, each in the lowest row in which they touch neither other words nor another
    line.

    Args:
        marks: px from the left, the words and how wide they are, in any order.
        width: px that there are; words that would reach beyond are moved to the left.
    """
    found: list[tuple[Place, float]] = []  # and where the words end
    for at, text, wide in sorted(marks, reverse=True):
        left = max(min(at + BESIDE, width - wide), 0.0)
        end = left + wide
        # The line of a mark reaches up to its words: what stands across it has to be higher.
        lines = [place.row for place, _ in found if left - BESIDE < place.at < end + BESIDE]
        row = max(lines, default=-1) + 1
        while any(place.row == row and left < its_end + APART and place.left < end + APART for place, its_end in found):
            row += 1
        found.append((Place(at, left, row, text), end))
    return [place for place, _ in reversed(found)]


class MarkStrip(pg.AxisItem):
    """Takes the place of an axis above the plot; no higher than its words need, and not there without any."""

    def __init__(self) -> None:
        super().__init__("top")
        self._marks: tuple[AxisMark, ...] = ()
        self._theme = LIGHT
        self._font = QFont()
        self._wanted = 0  # px of height
        self.setHeight(0)

    @property
    def shown(self) -> list[Place]:
        """The words that are in view, from left to right."""
        whole = self._placed([mark.text for mark in self._marks])
        plot = self.parentItem()
        if plot is None or self._height_of(whole) <= MOST * plot.size().height():
            return whole
        return self._placed([mark.brief or mark.text for mark in self._marks])

    def set_marks(self, marks: tuple[AxisMark, ...]) -> None:
        """Show these."""
        self._marks = marks
        self._fit()

    def apply_theme(self, theme: Theme, font: QFont) -> None:
        self._theme, self._font = theme, QFont(font)
        self._font.setPointSizeF(text_size())
        self._fit()

    def setRange(self, mn: float, mx: float) -> None:
        super().setRange(mn, mx)
        if hasattr(self, "_marks"):  # the axis sets its range while it is made
            self._fit()

    def resizeEvent(self, event: QGraphicsSceneResizeEvent | QResizeEvent | None = None) -> None:
        super().resizeEvent(event)
        if hasattr(self, "_marks"):
            self._fit()

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None) -> None:
        line_height, bottom = self._line_height, self.size().height()
        painter.setFont(self._font)
        shown = self.shown
        painter.setPen(pg.mkPen(self._theme.muted, width=1, style=Qt.PenStyle.DotLine))
        for place in shown:
            painter.drawLine(QLineF(place.at, bottom - (place.row + 1) * line_height + 2, place.at, bottom))
        metrics = QFontMetricsF(self._font)
        painter.setPen(pg.mkPen(self._theme.text))
        for place in shown:
            top = bottom - (place.row + 1) * line_height
            box = QRectF(place.left, top, metrics.horizontalAdvance(place.text) + 1, line_height)
            painter.fillRect(box.adjusted(-2, 1, 2, -1), pg.mkColor(self._theme.surface))
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip, place.text)

    def _placed(self, texts: Sequence[str]) -> list[Place]:
        low, high = self.range
        width = self.size().width()
        if high <= low or width <= 0:
            return []
        metrics = QFontMetricsF(self._font)
        marks = [
            ((mark.x - low) / (high - low) * width, text, metrics.horizontalAdvance(text))
            for mark, text in zip(self._marks, texts, strict=True)
            if low <= mark.x <= high
        ]
        return places(marks, width)

    def _height_of(self, placed: Sequence[Place]) -> int:
        return round((max((place.row for place in placed), default=-1) + 1) * self._line_height)

    @property
    def _line_height(self) -> float:
        return QFontMetricsF(self._font).height() + 2

    def _fit(self) -> None:
        height = self._height_of(self.shown)
        if height != self._wanted:
            self._wanted = height
            self.setHeight(height)
        self.update()
