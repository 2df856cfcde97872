"""The pictures on buttons: the SVG files of resources/icons in the theme's colours."""

from PySide6.QtCore import QBuffer, QSize
from PySide6.QtGui import QIcon, QImageReader, QPixmap

from lnexplorer.store.resources import resource

SIZE = 16  # px
SCALE = 3  # sharp up to three device pixels a pixel


def icon(name: str, colour: str, disabled: str | None = None, *, checked: str | None = None, size: int = SIZE) -> QIcon:
    """Picture of that name, in other colours where it is disabled or checked."""
    result = QIcon(_pixmap(name, colour, size))
    if disabled is not None:
        result.addPixmap(_pixmap(name, disabled, size), QIcon.Mode.Disabled)
    if checked is not None:
        for mode in (QIcon.Mode.Normal, QIcon.Mode.Active, QIcon.Mode.Selected):
            result.addPixmap(_pixmap(name, checked, size), mode, QIcon.State.On)
    return result


def _pixmap(name: str, colour: str, size: int) -> QPixmap:
    buffer = QBuffer()
    buffer.setData(resource(f"icons/{name}.svg").read_text(encoding="utf-8").replace("currentColor", colour).encode())
    reader = QImageReader(buffer, b"svg")
    reader.setScaledSize(QSize(size, size) * SCALE)
    pixmap = QPixmap.fromImageReader(reader)
    pixmap.setDevicePixelRatio(SCALE)
    return pixmap
