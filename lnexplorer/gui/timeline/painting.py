"""Helpers that paint texts."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from lnexplorer.gui.kit.translate import translate_message
from lnkernels.values.sentence import Sentence


def write_text(
    painter: QPainter,
    room: QRectF,
    flags: Qt.AlignmentFlag | Qt.TextFlag,
    text: Sentence | str,
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


def text_width(text: Sentence | str, font: QFont) -> float:
    return QFontMetricsF(font).horizontalAdvance(translate_message(text))


def elided(text: Sentence | str, font: QFont, width: float) -> str:
    """Return a text that fits into a width, its end cut if it has to be."""
    return QFontMetricsF(font).elidedText(
        translate_message(text), Qt.TextElideMode.ElideRight, width
    )
