"""Large letters, fast. Qt keeps pictures of letters up to 64 px and fills the outline of larger ones each time: 0.15 ms a letter,
a tenth of a second for a page with 2160 lines. Here a larger letter is a picture, too, made once for its size and colour.
"""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QRawFont, QTextLayout, QTextOption, QTransform

LARGEST_KEPT = 64  # px: below it Qt's own letters are as fast
_MOST = 600  # letters that are kept: about 20 MB

_Key = tuple[str, str, bool, float, float, int, int]
_letters: dict[_Key, tuple[QImage, QPointF] | None] = {}


def is_large(painter: QPainter, font: QFont) -> bool:
    """Whether Qt would fill outlines, on an axis-parallel page."""
    transform = painter.deviceTransform()
    if transform.isRotating() or transform.m11() != transform.m22():
        return False
    return font.pixelSize() * transform.m11() >= LARGEST_KEPT


def draw_large(painter: QPainter, room: QRectF, align: Qt.AlignmentFlag, text: str, font: QFont, colour: QColor) -> None:
    """Write a text as `QPainter.drawText` with word wrap does; nothing is clipped.

    Args:
        painter: on an axis-parallel page.
        room: where.
        align: in the room.
        text: of one line or several.
        font: whose size is in px.
        colour: of the letters.
    """
    layout, height = _laid_out(text, font, room.width())
    left = QPointF(room.left(), room.top())
    if align & Qt.AlignmentFlag.AlignVCenter:
        left += QPointF(0, (room.height() - height) / 2)
    elif align & Qt.AlignmentFlag.AlignBottom:
        left += QPointF(0, room.height() - height)
    scale = painter.deviceTransform().m11()
    for number in range(layout.lineCount()):
        line = layout.lineAt(number)
        spare = room.width() - line.naturalTextWidth()
        indent = spare if align & Qt.AlignmentFlag.AlignRight else spare / 2 if align & Qt.AlignmentFlag.AlignHCenter else 0.0
        for run in line.glyphRuns():
            raw = run.rawFont()
            for glyph, place in zip(run.glyphIndexes(), run.positions(), strict=True):
                letter = _letter(raw, glyph, font.bold(), scale, colour)
                if letter is not None:
                    picture, offset = letter
                    at = left + QPointF(indent, 0) + place + offset
                    painter.drawImage(QPointF(round(at.x() * scale) / scale, round(at.y() * scale) / scale), picture)


def _laid_out(text: str, font: QFont, width: float) -> tuple[QTextLayout, float]:
    layout = QTextLayout(text.replace("\n", "\u2028"), font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WordWrap)
    layout.setTextOption(option)
    leading = QFontMetricsF(font).leading()
    layout.beginLayout()
    height = -leading
    while (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        height += leading
        line.setPosition(QPointF(0, height))
        height += line.height()
    layout.endLayout()
    return layout, height


def _letter(raw: QRawFont, glyph: int, bold: bool, scale: float, colour: QColor) -> tuple[QImage, QPointF] | None:
    """A letter's picture, and where it lies from the letter's place on its line; None for one without ink."""
    key = (raw.familyName(), raw.styleName(), bold, raw.pixelSize(), scale, colour.rgba(), glyph)
    if key not in _letters:
        if len(_letters) >= _MOST:
            _letters.clear()
        _letters[key] = _made(raw, glyph, scale, colour)
    return _letters[key]


def _made(raw: QRawFont, glyph: int, scale: float, colour: QColor) -> tuple[QImage, QPointF] | None:
    shape = raw.alphaMapForGlyph(glyph, QRawFont.AntialiasingType.PixelAntialiasing, QTransform.fromScale(scale, scale))
    if shape.isNull():
        return None
    picture = QImage(shape.size(), QImage.Format.Format_ARGB32_Premultiplied)
    picture.fill(colour)
    painter = QPainter(picture)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_DestinationIn)
    painter.drawImage(0, 0, shape.convertToFormat(QImage.Format.Format_Alpha8))
    painter.end()
    picture.setDevicePixelRatio(scale)
    return picture, raw.boundingRect(glyph).topLeft()
