"""Helpers that paint texts."""

from collections.abc import Iterable

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from lnexplorer.gui.charts.sheet import LEFT, RIGHT
from lnexplorer.gui.kit.theme import GRID
from lnexplorer.gui.kit.translate import translate_message
from lnexplorer.gui.timeline.frame import Scene
from lnexplorer.gui.timeline.wording import Phrase
from lnkernels.values.sentence import Sentence


def write_text(
    painter: QPainter,
    room: QRectF,
    flags: Qt.AlignmentFlag | Qt.TextFlag,
    text: Phrase,
    colour: QColor,
    font: QFont | None = None,
) -> None:
    """Paint a text in the language of the window; in the painter's font if none is given."""
    if font is not None:
        painter.setFont(font)
    painter.setPen(colour)
    painter.drawText(room, flags, translate_message(text))


def bold(font: QFont) -> QFont:
    other = QFont(font)
    other.setBold(True)
    return other


def text_width(text: Phrase, font: QFont) -> float:
    return QFontMetricsF(font).horizontalAdvance(translate_message(text))


def elided(text: Phrase, font: QFont, width: float) -> str:
    """Return a text that fits into a width, its end cut if it has to be."""
    return QFontMetricsF(font).elidedText(
        translate_message(text), Qt.TextElideMode.ElideRight, width
    )


def write_title(
    painter: QPainter, room: QRectF, title: Sentence, notes: Iterable[Phrase], scene: Scene
) -> None:
    """Paint a title in bold, and beside it the first of the notes that fits; nothing if the title
    does not.
    """
    font, strong = scene.font, bold(scene.font)
    left = room.width() - text_width(title, strong)
    if left < 0:
        return
    write_text(painter, room, LEFT, title, scene.colours.text, strong)
    note = next((note for note in notes if text_width(note, font) <= left - GRID), "")
    write_text(painter, room, RIGHT, note, scene.colours.muted, font)
