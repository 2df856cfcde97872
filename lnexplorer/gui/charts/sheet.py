"""A page to draw on: its painter, colours and type. Sizes follow the page's height."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Any

from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from lnexplorer.gui.kit import (
    CENTRE,
    DARK,
    FAMILIES,
    LEFT,
    LIGHT,
    ORANGE,
    RIGHT,
    SKY,
    Theme,
    translate_message,
)
from lnkernels.values import Words, frozen


class Palette:
    """The colours of a page.

    Args:
        theme: gives most of them; also the theme of pictures of other panes on the page.
        cell: the colour of an ordinary cell.
    """

    def __init__(self, theme: Theme, cell: QColor | str) -> None:
        self.theme = theme
        self.cell = QColor(cell)
        self.background = QColor(theme.surface)
        self.text = QColor(theme.text)
        self.line = QColor(theme.line)
        self.muted = QColor(theme.muted)  # less important, but legible from the last row
        self.accent = QColor(theme.accent)  # what the sentence is about
        self.good = QColor(theme.good)

    def lock(self, number: int) -> QColor:
        """Return the colour of a lock, its buffer and its rows."""
        return QColor((ORANGE, SKY)[number % 2])


BLACK = Palette(
    replace(
        DARK,
        window="#000000",
        surface="#000000",
        raised="#1a1d21",
        line="#59616c",
        text="#ffffff",
        muted="#c3cad3",
        accent="#ffd94a",
    ),
    cell="#23272d",
)
WHITE = Palette(
    replace(
        LIGHT,
        window="#ffffff",
        raised="#f0f2f5",
        line="#98a1ac",
        text="#000000",
        muted="#3f4751",
        accent="#0b57a4",
    ),
    cell="#eceff3",
)

LINES = 30  # no text is smaller than the page's height divided by this
_NARROWEST = 1.6  # width over height; on a narrower page, sizes of type follow the width
TOP = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
_STOP = re.compile("[，。；？]|(?<![!-~])：")
# Between a number and the word before it, its unit, or a sign of equality no line ends.
_UNPARTED = re.compile(r"(?<=\w) (?=[−\d])|(?<=\d) (?=%|[nµm]?s\b|[KM]iB\b)| (?==)|(?<==) ")


@frozen
class Written:
    """A text on a page, the room that it had, and the room that it took."""

    text: str
    room: QRectF
    taken: QRectF
    pixels: float


@cache
def _font(pixels: int, *, bold: bool) -> QFont:
    font = QFont(FAMILIES)
    font.setPixelSize(pixels)
    font.setBold(bold)
    return font


@cache
def _metrics(pixels: int, *, bold: bool) -> QFontMetricsF:
    return QFontMetricsF(_font(pixels, bold=bold))


@lru_cache(maxsize=256)  # a caption is painted with every frame
def _even_width(text: str, pixels: int, width: float, *, bold: bool) -> float:
    """Return the least width in which a text takes no more lines than in `width`.

    With it the lines are about equally long, and the last one is not a single short word.
    """
    metrics, flags = _metrics(pixels, bold=bold), int(Qt.TextFlag.TextWordWrap)
    height = metrics.boundingRect(QRectF(0, 0, width, 0), flags, text).height()
    least, enough = width / 2, width
    while enough - least > pixels / 2:
        middle = (least + enough) / 2
        taken = metrics.boundingRect(QRectF(0, 0, middle, 0), flags, text)
        if taken.height() <= height and taken.width() <= middle:
            enough = middle
        else:
            least = middle
    return enough


@lru_cache(maxsize=256)
def _parted(text: str, pixels: int, width: float, *, bold: bool) -> str:
    """Return a Chinese text of two lines with a line break at the stop nearest to its middle.

    By itself it may break between any two characters, and so within a word.
    """
    measure = _metrics(pixels, bold=bold).horizontalAdvance
    if measure(text) <= width:
        return text
    lines = ((text[: stop.end()], text[stop.end() :]) for stop in _STOP.finditer(text[:-1]))
    longest = {max(map(measure, pair)): pair for pair in lines}
    least = min(longest, default=math.inf)
    return "\n".join(longest[least]) if least <= width else text


@lru_cache(maxsize=1024)
def together(text: str) -> str:
    """Return a text in which no line ends between a number and its word, unit or equality sign."""
    return _UNPARTED.sub("\u00a0", text)


def within(
    area: QRectF,
    left: float = 0.0,
    top: float = 0.0,
    width: float | None = None,
    height: float | None = None,
) -> QRectF:
    """Return a part of an area, in px from its corner; None: up to the area's end."""
    return QRectF(
        area.left() + left,
        area.top() + top,
        area.width() - left if width is None else width,
        area.height() - top if height is None else height,
    )


@dataclass(slots=True)
class Sheet:
    """A page: painter, size and colours, and what was written. Many sizes are in its `unit`."""

    painter: QPainter
    size: QSizeF
    palette: Palette
    written: list[Written] = field(default_factory=list)
    options: list[QRectF] = field(default_factory=list)  # where the options of a question stand

    # Sizes in units: of labels, of sentences, of titles and questions.
    small = 1.02
    body = 1.3
    large = 1.8

    @property
    def unit(self) -> float:
        """Return the height of the smallest text, in px."""
        return min(self.size.height(), self.size.width() / _NARROWEST) / LINES

    def rect(self, left: float, top: float, right: float, bottom: float) -> QRectF:
        """Return a part of the page; the arguments are shares of its width and height."""
        width, height = self.size.width(), self.size.height()
        return QRectF(left * width, top * height, (right - left) * width, (bottom - top) * height)

    def clear(self) -> None:
        """Fill the page with its background."""
        self.painter.fillRect(QRectF(QPointF(), self.size), self.palette.background)

    def font(self, units: float, *, bold: bool = False) -> QFont:
        """Return the font of a size in units."""
        return _font(max(round(units * self.unit + 0.3), 1), bold=bold)

    def width_of(self, text: Words, units: float = body, *, bold: bool = False) -> float:
        """Return the length of a line in px."""
        metrics = _metrics(self.font(units).pixelSize(), bold=bold)
        return metrics.horizontalAdvance(translate_message(text))

    def fitting(
        self, room: QRectF, texts: Iterable[Words], units: float = body, *, bold: bool = False
    ) -> float:
        """Return the largest size up to `units` in which each text fits; at least `small`.

        A text may take several lines.
        """
        flags = int(Qt.TextFlag.TextWordWrap)
        for text in map(together, map(translate_message, texts)):
            while units > self.small:
                taken = _metrics(self.font(units).pixelSize(), bold=bold).boundingRect(
                    room, flags, text
                )
                if taken.height() <= room.height() and taken.width() <= room.width():
                    break
                units = max(units * 0.96, self.small)
        return units

    def write(
        self,
        room: QRectF,
        text: Words,
        units: float = body,
        colour: QColor | None = None,
        align: Qt.AlignmentFlag = LEFT,
        *,
        bold: bool = False,
    ) -> QRectF:
        """Write a text in a room, in several lines and smaller where that is necessary.

        Returns:
            The room that the text took.
        """
        said = translate_message(text)
        text, flags = together(said), int(align) | int(Qt.TextFlag.TextWordWrap)
        size = self.fitting(room, [text], units, bold=bold)
        font = self.font(size, bold=bold)
        pixels, metrics = font.pixelSize(), _metrics(font.pixelSize(), bold=bold)
        taken = metrics.boundingRect(room, flags, text)
        if align != RIGHT and taken.height() > 1.5 * metrics.lineSpacing():
            text = "\n".join(
                _parted(line, pixels, room.width(), bold=bold) for line in text.split("\n")
            )
            spare = room.width() - _even_width(text, pixels, room.width(), bold=bold)
            room = (
                room.adjusted(spare / 2, 0, -spare / 2, 0)
                if align == CENTRE
                else room.adjusted(0, 0, -spare, 0)
            )
            taken = metrics.boundingRect(room, flags, text)
        ink = self.palette.text if colour is None else colour
        self.painter.setFont(font)
        self.painter.setPen(ink)
        self.painter.drawText(room, flags | int(Qt.TextFlag.TextDontClip), text)
        if text:
            self.written.append(Written(said, room, taken, pixels))
        return taken

    def label(self, room: QRectF, text: Words, align: Qt.AlignmentFlag = LEFT) -> QRectF:
        """Write a label, small and muted, as `write` does."""
        return self.write(room, text, self.small, self.palette.muted, align)

    def tick(self, row: QRectF, x: float, text: Words, room: QRectF) -> None:
        """Write a label below a place of an axis, moved so far that it stays in the room.

        Args:
            row: below the axis.
            x: px from the left end of the row.
            text: the label.
            room: around both.
        """
        width = self.width_of(text, self.small) + 0.2 * self.unit
        place = within(row, x - width / 2, width=width)
        place.moveLeft(min(max(place.left(), room.left()), room.right() - width))
        self.label(place, text, CENTRE)

    def rule(
        self, area: QRectF, y: float, colour: QColor | None = None, width: float = 0.06
    ) -> None:
        """Draw a level line through an area, at a height in px; its width is in units."""
        self.painter.setPen(QPen(colour or self.palette.line, width * self.unit))
        self.painter.drawLine(QLineF(area.left(), y, area.right(), y))

    def box(
        self, area: QRectF, fill: QColor | None, frame: QColor | None = None, width: float = 0.1
    ) -> None:
        """Draw a rounded box; the width of its frame is in units."""
        self.painter.setPen(
            QPen(frame, width * self.unit) if frame is not None else Qt.PenStyle.NoPen
        )
        self.painter.setBrush(fill if fill is not None else Qt.BrushStyle.NoBrush)
        self.painter.drawRoundedRect(area, 0.25 * self.unit, 0.25 * self.unit)
        self.painter.setBrush(Qt.BrushStyle.NoBrush)


class SheetView(QWidget):
    """A widget that draws a value as large as it has room; nothing while it has none."""

    _shown: Any = None

    def draw(self, painter: QPainter, shown: Any) -> None:
        raise NotImplementedError

    def show_drawn(self, shown: Any) -> None:
        self._shown = shown
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._shown is not None:
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self.draw(painter, self._shown)
            painter.end()
