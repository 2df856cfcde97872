"""How a theme becomes Qt's palette and the one style sheet of the application."""

from dataclasses import fields

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QGuiApplication
from PySide6.QtWidgets import QApplication

from lnexplorer.gui.charts.theme import (
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


def apply_style(application: QApplication, theme: Theme, text_percent: int = 100) -> None:
    font = QFont(FAMILIES)
    font.setPointSizeF(TEXT_SIZE * text_percent / 100)
    application.setFont(font)
    application.setPalette(palette(theme))
    application.setStyleSheet(style_sheet(theme, text_percent))


def style_sheet(theme: Theme, text_percent: int = 100) -> str:
    """The style sheet. Widgets choose a look by objectName or by the dynamic property `look`."""
    colours = {
        **{field.name: value for field in fields(theme) if isinstance(value := getattr(theme, field.name), str)},
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
        "tab": f"{GRID * 2 if text_percent <= 100 else GRID if text_percent <= 120 else GRID // 2}px",
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
