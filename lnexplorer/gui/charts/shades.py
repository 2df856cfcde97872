"""Looks of lines that share a provider's colour and are not one line: of another GPU, of another problem, of another source."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from lnexplorer.gui.shell.theme import Theme

SYMBOLS = {"forward": ("o", "s", "d", "h"), "backward": ("t", "t1", "t3", "t2")}
# Of figures from elsewhere; whole lines are the sweep's own.
DASHES = (Qt.PenStyle.DashLine, Qt.PenStyle.DotLine, Qt.PenStyle.DashDotLine, Qt.PenStyle.DashDotDotLine)
MIXED = 0.45  # of the colour of texts, or of the ground, in a shade


def shade(colour: str, place: int, theme: Theme) -> QColor:
    """The colour itself for the first, then one nearer to the texts and one nearer to the ground, in turns."""
    own = QColor(colour)
    if place % 3 == 0:
        return own
    other = QColor(theme.text if place % 3 == 1 else theme.surface)
    channels = ((own.red(), other.red()), (own.green(), other.green()), (own.blue(), other.blue()))
    return QColor(*(round((1 - MIXED) * mine + MIXED * its) for mine, its in channels))


def symbol(direction: str, place: int) -> str:
    """The symbol of a pass, another one for each group of lines."""
    offered = SYMBOLS[direction]
    return offered[place % len(offered)]


def dash(place: int) -> Qt.PenStyle:
    """How the lines of one source from elsewhere are drawn."""
    return DASHES[place % len(DASHES)]
