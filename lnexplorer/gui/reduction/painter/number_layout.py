"""Where the lines and columns of a small shape's sum are, and how large its type is: never smaller than can be read."""

from dataclasses import dataclass

from PySide6.QtGui import QFont, QFontInfo, QFontMetricsF

from lnexplorer.gui.shell.theme import GRID

LEAST_PIXELS = 11  # of a letter
_OF_TEXT = 0.85  # of the other text's size; smaller are no numbers, so that large type has large numbers
_LEAST_DIGITS, _MOST_DIGITS = 3, 5  # behind the point; where stores round, fewer than the most would hide it
_LINE_WITH_HEADINGS = 22.0  # px
_HIGHEST = 120.0  # px of a line
_ROOMY = 1.5  # times the least line; lower ones get some of the room of the lanes
_PAD = 0.6  # of a letter's height, between numbers of two columns
_OF_LINE = {1: 1.0, 2: 0.75, 3: 0.57}  # height of a line in a buffer that has so many, over that of a row's line
_LABEL = (150.0, 420.0)  # px; least and most


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What has to find room."""

    rows: int
    columns: int
    buffers: int
    whole: int  # digits before the point of the largest number, with its sign and point
    rounds: bool  # the buffers' type loses something, which has a line of its own


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberLayout:
    """Sizes in px."""

    least: int  # of a letter
    label_width: float
    columns: int  # that are shown; the others are left to a sign
    cell_width: float
    line: float
    least_line: float
    heading: float  # 0 where there are none
    gap: float
    lanes: float
    stacked: bool  # in a buffer one number stands above another
    buffer: float  # height of one
    lost: float  # of it, for what rounding takes; 0 where it takes nothing
    number: int  # of a letter of the numbers
    digits: int  # behind the point
    arrow: bool  # there is room for one in a cell of a buffer

    @property
    def legible(self) -> bool:
        """Whether there is room for the least type."""
        return self.line >= self.least_line and self.columns > 0

    @property
    def two_in_line(self) -> bool:
        """Whether two numbers find room above each other in a line of one row."""
        return self.stacked and self.line >= 2 * self.least_line


def lay_out(width: float, height: float, content: Content, font: QFont) -> NumberLayout:
    """Find sizes for a picture: two numbers of a cell above each other, where that is too high beside each other.

    Args:
        width: px of the picture.
        height: px of the picture.
        content: what is in it.
        font: of the other text.
    """
    stacked = _laid_out(width, height, content, font, stacked=True)
    if stacked.legible:
        return stacked
    beside = _laid_out(width, height, content, font, stacked=False)
    return beside if beside.legible else stacked


def _laid_out(width: float, height: float, content: Content, font: QFont, *, stacked: bool) -> NumberLayout:
    text = QFontMetricsF(font).height()
    least = max(LEAST_PIXELS, round(QFontInfo(font).pixelSize() * _OF_TEXT))
    metrics = sized(font, least)
    least_part = metrics.height()  # a line of a buffer's
    least_line = least_part + 1
    label = min(max(width * 0.22, _LABEL[0]), _LABEL[1])

    least_digits = _MOST_DIGITS if content.rounds else _LEAST_DIGITS
    one = _number_width(metrics, content.whole, least_digits)
    needed = (one if stacked else 2 * one) + least * _PAD
    columns, cell = _columns(width - label, content.columns, needed, 2.0 * least)

    parts = (2 if stacked else 1) + content.rounds
    others = content.rows + 2
    axis = text + 4
    lanes = max(min(height * 0.24, content.rows * text * 1.3), 40.0) + axis

    def line_of(rest: float) -> float:
        line = rest / (others + content.buffers * parts * _OF_LINE[parts])
        if line * _OF_LINE[parts] < least_part:  # the buffers need all that the least type needs
            line = (rest - content.buffers * parts * least_part) / others
        return line

    heading, gap = text + GRID / 2, float(GRID)
    line = line_of(height - lanes - GRID - 3 * heading - 2 * gap)
    if line < _LINE_WITH_HEADINGS:  # the numbers need the room
        heading, gap = 0.0, GRID / 2
        line = line_of(height - lanes - GRID - 2 * gap)
    if line < _ROOMY * least_line:
        lanes = max(height * 0.13, 36.0) + axis
        line = line_of(height - lanes - GRID - 2 * gap)
    line = min(line, _HIGHEST)
    part = max(line * _OF_LINE[parts], least_part)

    number = int(max(min(line * 0.6, cell / 5.8, 64.0), least))
    pad = number * _PAD
    room = (cell - pad) if stacked else (cell - pad) / 2
    shown = sized(font, number)
    digits = int((room - _number_width(shown, content.whole, 0)) / shown.horizontalAdvance("0"))
    return NumberLayout(
        least=least,
        label_width=label,
        columns=columns,
        cell_width=cell,
        line=line,
        least_line=least_line,
        heading=heading,
        gap=gap,
        lanes=lanes,
        stacked=stacked,
        buffer=parts * part,
        lost=part if content.rounds else 0.0,
        number=number,
        digits=min(max(digits, least_digits), _MOST_DIGITS),
        arrow=cell >= one + metrics.horizontalAdvance("→ ") + least * _PAD,
    )


def sized(font: QFont, pixels: int) -> QFontMetricsF:
    """Of a font in another size."""
    other = QFont(font)
    other.setPixelSize(pixels)
    return QFontMetricsF(other)


def _number_width(metrics: QFontMetricsF, whole: int, digits: int) -> float:
    """Of a term that is added: its sign stands apart."""
    return metrics.horizontalAdvance("− ." + "0" * (max(whole - 2, 1) + digits))


def _columns(room: float, columns: int, needed: float, sign: float) -> tuple[int, float]:
    """How many columns are shown, and how wide each is; `sign` stands for the others, if there are any."""
    if columns <= 0 or room / columns >= needed:
        return columns, room / max(columns, 1)
    shown = max(int((room - sign) / needed), 0)
    return shown, (room - sign) / max(shown, 1)
