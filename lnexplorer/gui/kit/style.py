"""How a theme becomes Qt's palette, the one style sheet of the application, and the pictures on
buttons.
"""

from dataclasses import fields
from typing import Protocol, runtime_checkable

from PySide6.QtCore import QBuffer, QObject, QSize, Qt
from PySide6.QtGui import QFont, QGuiApplication, QIcon, QImageReader, QPixmap
from PySide6.QtWidgets import QApplication

from lnexplorer.gui.kit.theme import (
    DARK,
    FAMILIES,
    GRID,
    LIGHT,
    SMALL_SIZE,
    TEXT_SIZE,
    TITLE_SIZE,
    Theme,
    mixed,
    on_accent,
    palette,
)
from lnexplorer.store.resources import resource

RADIUS = GRID // 2
ICON_SIZE = 16  # px
ICON_SCALE = 3  # sharp up to three device pixels a pixel


@runtime_checkable
class TakesTheme(Protocol):
    """A widget that draws in the colours of a theme."""

    def apply_theme(self, theme: Theme) -> None: ...


def apply_theme(part: QObject, theme: Theme) -> None:
    """Give a theme to a widget or, if it takes none itself, to those of its parts that do."""
    if isinstance(part, TakesTheme):
        part.apply_theme(theme)
    else:
        for child in part.children():
            apply_theme(child, theme)


def apply_style(application: QApplication, theme: Theme, text_percent: int = 100) -> None:
    font = QFont(FAMILIES)
    font.setPointSizeF(TEXT_SIZE * text_percent / 100)
    application.setFont(font)
    application.setPalette(palette(theme))
    application.setStyleSheet(style_sheet(theme, text_percent))


def style_sheet(theme: Theme, text_percent: int = 100) -> str:
    """The style sheet. Widgets choose a look by objectName or by the dynamic property `look`."""
    colours = {
        **{
            field.name: value
            for field in fields(theme)
            if isinstance(value := getattr(theme, field.name), str)
        },
        "icons": resource("icons").as_posix(),
        "soft": mixed(theme.line, theme.window, 0.5).name(),
        "on_accent": on_accent(theme),
        "accent_hover": mixed(theme.accent, theme.text, 0.15).name(),
        "accent_soft": mixed(theme.window, theme.accent, 0.16).name(),
        "faint": mixed(theme.muted, theme.window, 0.5).name(),
        "hover": mixed(theme.raised, theme.accent, 0.12).name(),
        "bad_soft": mixed(theme.window, theme.bad, 0.14).name(),
        "warning_soft": mixed(theme.window, theme.warning, 0.14).name(),
        "title": f"{TITLE_SIZE * text_percent / 100}pt",
        "size": f"{TEXT_SIZE * text_percent / 100}pt",
        "small": f"{SMALL_SIZE * text_percent / 100}pt",
        "button": f"{18 * text_percent // 100}px",
        "field": f"{20 * text_percent // 100}px",
        # Larger titles are whole rather than apart.
        "tab": (
            f"{GRID * 2 if text_percent <= 100 else GRID if text_percent <= 120 else GRID // 2}px"
        ),
        "radius": f"{RADIUS}px",
        "half": f"{GRID // 2}px",
        "one": f"{GRID}px",
        "two": f"{GRID * 2}px",
        "three": f"{GRID * 3}px",
    }
    sheet = resource("style.qss").read_text(encoding="utf-8")
    for name in sorted(colours, key=len, reverse=True):
        sheet = sheet.replace(f"@{name}", colours[name])
    return sheet


def theme_named(name: str) -> Theme:
    """The theme of that name; `system` is what the desktop has."""
    if name == "system":
        light = QGuiApplication.styleHints().colorScheme() is Qt.ColorScheme.Light
        return LIGHT if light else DARK
    return LIGHT if name == "light" else DARK


def icon(
    name: str,
    colour: str,
    disabled: str | None = None,
    *,
    checked: str | None = None,
    size: int = ICON_SIZE,
) -> QIcon:
    """A picture of resources/icons in a colour, in others where it is disabled or checked."""
    result = QIcon(_pixmap(name, colour, size))
    if disabled is not None:
        result.addPixmap(_pixmap(name, disabled, size), QIcon.Mode.Disabled)
    if checked is not None:
        for mode in (QIcon.Mode.Normal, QIcon.Mode.Active, QIcon.Mode.Selected):
            result.addPixmap(_pixmap(name, checked, size), mode, QIcon.State.On)
    return result


def _pixmap(name: str, colour: str, size: int) -> QPixmap:
    buffer = QBuffer()
    buffer.setData(
        resource(f"icons/{name}.svg")
        .read_text(encoding="utf-8")
        .replace("currentColor", colour)
        .encode()
    )
    reader = QImageReader(buffer, b"svg")
    reader.setScaledSize(QSize(size, size) * ICON_SCALE)
    pixmap = QPixmap.fromImageReader(reader)
    pixmap.setDevicePixelRatio(ICON_SCALE)
    return pixmap
