"""Paints the program's icon and the small marks of the style sheet into resources/icons.

python resources/icons/paint.py
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QPainter, QPixmap

from lnexplorer.gui.charts.theme import DARK, GREEN, ORANGE, PURPLE, SKY, THEMES, on_accent
from lnexplorer.gui.shell.icons import PAINTERS

FOLDER = Path(__file__).resolve().parent
MARK_SIZE = 16
ICON_SIZE = 256


def main() -> int:
    """Paint everything."""
    application = QGuiApplication(sys.argv)
    FOLDER.mkdir(parents=True, exist_ok=True)
    for theme in THEMES.values():
        for scale, suffix in ((1, ""), (2, "@2x")):
            _mark("tick", on_accent(theme), scale).save(str(FOLDER / f"tick_{theme.name}{suffix}.png"))
            _mark("open", theme.muted, scale).save(str(FOLDER / f"arrow_{theme.name}{suffix}.png"))
            _mark("up", theme.muted, scale).save(str(FOLDER / f"arrow_up_{theme.name}{suffix}.png"))
    _program_icon().save(str(FOLDER / "lnexplorer.png"))
    application.quit()
    return 0


def _mark(name: str, colour: str, scale: int) -> QPixmap:
    pixmap = QPixmap(MARK_SIZE * scale, MARK_SIZE * scale)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(scale, scale)
    PAINTERS[name](painter, QColor(colour))
    painter.end()
    return pixmap


def _program_icon() -> QPixmap:
    """Rows that run together into one sum."""
    pixmap = QPixmap(ICON_SIZE, ICON_SIZE)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(DARK.window))
    painter.drawRoundedRect(QRectF(0, 0, 256, 256), 48, 48)
    for index, colour in enumerate((ORANGE, SKY, GREEN, PURPLE)):
        top = 40 + index * 46
        painter.setBrush(QColor(colour))
        painter.drawRoundedRect(QRectF(36, top, 72, 34), 8, 8)
        pen = painter.pen()
        pen.setColor(QColor(colour))
        pen.setWidthF(7)
        pen.setStyle(Qt.PenStyle.SolidLine)
        painter.setPen(pen)
        painter.drawLine(QPointF(116, top + 17), QPointF(164, 128))
        painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(DARK.text))
    painter.drawEllipse(QPointF(188, 128), 34, 34)
    painter.end()
    return pixmap


if __name__ == "__main__":
    sys.exit(main())
