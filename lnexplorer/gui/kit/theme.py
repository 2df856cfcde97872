"""Colours, sizes, style sheet. A result, a provider and a lock have one colour everywhere."""

from collections.abc import Iterable
from dataclasses import asdict
from itertools import cycle
from typing import ClassVar

from PySide6.QtCore import QBuffer, QEvent, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QGuiApplication,
    QIcon,
    QImageReader,
    QPalette,
    QPixmap,
    QPixmapCache,
)
from PySide6.QtWidgets import QApplication, QWidget

from lnexplorer.store.resources import resource
from lnkernels.launch import STRATEGIES
from lnkernels.values import frozen
from lnkernels.values.environment import Kind

GRID = 8  # px; margins and gaps are multiples of it
TEXT_SIZE = 10.5  # pt
TITLE_SIZE = 14.0  # pt
SMALL_SIZE = 8.5  # pt; words below the icons of the workspaces
# Fonts in the order of preference; Chinese ones come last, so that a Latin font draws the digits.
FAMILIES = [
    "Inter",
    "Noto Sans",
    "DejaVu Sans",
    "Noto Sans CJK SC",
    "WenQuanYi Micro Hei",
    "sans-serif",
]

# Okabe and Ito's palette, which colour-blind people can tell apart.
ORANGE, SKY, GREEN, YELLOW = "#E69F00", "#56B4E9", "#009E73", "#F0E442"
BLUE, VERMILION, PURPLE = "#0072B2", "#D55E00", "#CC79A7"

RESULT_COLOURS = {"y": SKY, "dx": ORANGE, "dw": GREEN, "db": PURPLE}
PROVIDER_COLOURS = {
    "locked": ORANGE,
    "persistent": "#E0457B",
    "split": "#8F7BE8",
    "atomic": "#A6761D",
    "auto": VERMILION,
    "torch": SKY,
    "torch.compile": BLUE,
    "liger": GREEN,
    "quack": PURPLE,
    "apex": "#8A949E",
    "flash-attn": YELLOW,
}
_SPARE = cycle(("#5AA17F", "#B07AA1"))  # for strategies that are not named above
PROVIDER_COLOURS |= {name: next(_SPARE) for name in STRATEGIES if name not in PROVIDER_COLOURS}
# For many locks, in a cycle: neighbours get colours that differ much.
LOCK_COLOURS = (ORANGE, SKY, GREEN, PURPLE, BLUE, VERMILION, YELLOW, "#999999")


@frozen
class Theme:
    """The colours of one appearance, as #rrggbb."""

    name: str
    window: str  # behind everything
    surface: str  # behind a picture or a table
    raised: str  # fields and buttons
    line: str  # borders and grid lines
    text: str
    muted: str  # labels of axes, secondary text
    accent: str
    good: str
    bad: str
    warning: str
    current: ClassVar["Theme"]  # the one in force


DARK = Theme(
    name="dark",
    window="#16191d",
    surface="#1d2126",
    raised="#282d34",
    line="#3a4049",
    text="#eceff3",
    muted="#a5adb8",
    accent="#56B4E9",
    good="#3ecf8e",
    bad="#ff6b5e",
    warning="#f2b84b",
)
LIGHT = Theme(
    name="light",
    window="#f4f5f7",
    surface="#ffffff",
    raised="#ffffff",
    line="#cfd4db",
    text="#15181c",
    muted="#565f6b",
    accent="#0067a3",
    good="#00734f",
    bad="#b3261e",
    warning="#8a5a00",
)
THEMES = {theme.name: theme for theme in (DARK, LIGHT)}
Theme.current = LIGHT


def lock_colour(lock: int) -> str:
    return LOCK_COLOURS[lock % len(LOCK_COLOURS)]


TONES = {
    Kind.MEASURED: "good",
    Kind.INTERPRETED: "warning",
    Kind.SIMULATED: "warning",
    Kind.RECORDED: "accent",
    Kind.PUBLISHED: "accent",
}


def text_size() -> float:
    """Return the present size of ordinary text in points."""
    return QApplication.font().pointSizeF()


def with_text(size: int) -> int:
    """Return a length in px, scaled as the text is; `size` is the length at the usual text size."""
    return round(size * text_size() / TEXT_SIZE)


def palette(theme: Theme) -> QPalette:
    """Return the colours of a theme for what the style sheet does not reach."""
    role, result = QPalette.ColorRole, QPalette()
    colours = (
        (theme.window, (role.Window, role.AlternateBase)),
        (theme.surface, (role.Base,)),
        (theme.raised, (role.Button, role.ToolTipBase)),
        (theme.text, (role.WindowText, role.Text, role.ButtonText, role.ToolTipText)),
        (theme.muted, (role.PlaceholderText,)),
        (theme.accent, (role.Highlight, role.Link)),
        (on_accent(theme), (role.HighlightedText,)),
        (theme.line, (role.Light, role.Mid, role.Dark, role.Shadow)),
    )
    for colour, roles in colours:
        for which in roles:
            result.setColor(which, QColor(colour))
    for which in (role.WindowText, role.Text, role.ButtonText):
        result.setColor(QPalette.ColorGroup.Disabled, which, mixed(theme.muted, theme.window, 0.4))
    return result


def on_accent(theme: Theme) -> str:
    return theme.window if theme.name == "dark" else "#ffffff"


def mixed(first: QColor | str, second: QColor | str, share: float) -> QColor:
    """Return a mixture of two colours, with this share of the second one."""
    a, b = QColor(first), QColor(second)
    pairs = ((a.redF(), b.redF()), (a.greenF(), b.greenF()), (a.blueF(), b.blueF()))
    return QColor.fromRgbF(*(x + (y - x) * share for x, y in pairs))


def at_least_with_text(size: int) -> int:
    """A length in pixels that grows with text and is no less with smaller one: boxes and margins
    beside the text do not shrink.
    """
    return max(size, with_text(size))


RADIUS = GRID // 2
ICON_SIZE = 16  # px
ICON_SCALE = 3  # sharp up to three device pixels a pixel


class Themed:
    """A mixin of widgets that draw in colours of the theme in force, `Theme.current`."""

    def apply_theme(self) -> None:
        """Draw in the theme that has come into force; the widgets inside have done so before."""


def apply_theme(part: QWidget) -> None:
    """Make a widget, and all widgets inside it, draw in the theme in force."""
    for each in (*reversed(part.findChildren(QWidget)), part):  # those inside first
        if isinstance(each, Themed):
            each.apply_theme()


def apply_style(
    application: QApplication, theme: Theme, text_percent: int = 100, later: Iterable[QWidget] = ()
) -> None:
    """Give an application its look; the widgets of `later` keep theirs until `polish`."""
    Theme.current = theme
    for widget in later:
        leave_unpolished(widget)
    # When one sheet replaces another, Qt polishes a widget once for each widget around it, 1.1 s
    # for a whole window; when a sheet comes where there was none, it does so once, 0.2 s.
    application.setStyleSheet("")
    font = QFont(FAMILIES)
    font.setPointSizeF(TEXT_SIZE * text_percent / 100)
    application.setFont(font)
    application.setPalette(palette(theme))
    application.setStyleSheet(style_sheet(theme, text_percent))


def leave_unpolished(widget: QWidget) -> None:
    """Make a hidden widget, and all widgets inside it, keep their look until `polish`."""
    for each in (widget, *widget.findChildren(QWidget)):
        # Qt polishes only widgets that were polished, and tells only those without own style.
        each.setAttribute(Qt.WidgetAttribute.WA_WState_Polished, False)
        each.setAttribute(Qt.WidgetAttribute.WA_SetStyle)


def polish(widget: QWidget) -> None:
    """Give a widget, and all widgets inside it, the look that `leave_unpolished` kept from them."""
    for each in (widget, *widget.findChildren(QWidget)):
        if not each.testAttribute(Qt.WidgetAttribute.WA_WState_Polished):
            each.setAttribute(Qt.WidgetAttribute.WA_SetStyle, False)
            each.setAttribute(Qt.WidgetAttribute.WA_WState_Polished)
            each.style().polish(each)
            QApplication.sendEvent(each, QEvent(QEvent.Type.StyleChange))


def style_sheet(theme: Theme, text_percent: int) -> str:
    """Return the style sheet. A widget chooses its look by objectName or by the property `look`."""
    colours = {
        **asdict(theme),
        "icons": resource("icons").as_posix(),
        "soft": mixed(theme.line, theme.window, 0.5).name(),
        "on_accent": on_accent(theme),
        "accent_hover": mixed(theme.accent, theme.text, 0.15).name(),
        "accent_soft": mixed(theme.window, theme.accent, 0.16).name(),
        "faint": mixed(theme.muted, theme.window, 0.5).name(),
        "hover": mixed(theme.raised, theme.accent, 0.12).name(),
        "bad_soft": mixed(theme.window, theme.bad, 0.14).name(),
        "warning_soft": mixed(theme.window, theme.warning, 0.14).name(),
        "veil": f"#99{theme.surface[1:]}",  # most of what it covers can still be read
        "title": f"{TITLE_SIZE * text_percent / 100}pt",
        "size": f"{TEXT_SIZE * text_percent / 100}pt",
        "small": f"{SMALL_SIZE * text_percent / 100}pt",
        "button": f"{18 * text_percent // 100}px",
        "field": f"{20 * text_percent // 100}px",
        # Tabs with larger titles stand closer together, so that their titles are not cut.
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
    """Return the theme of a name; with "system" the one that the desktop has."""
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
    """Return an icon of resources/icons in a colour, and in others for disabled and checked."""
    result = QIcon(_pixmap(name, colour, size))
    if disabled is not None:
        result.addPixmap(_pixmap(name, disabled, size), QIcon.Mode.Disabled)
    if checked is not None:
        for mode in (QIcon.Mode.Normal, QIcon.Mode.Active, QIcon.Mode.Selected):
            result.addPixmap(_pixmap(name, checked, size), mode, QIcon.State.On)
    return result


def _pixmap(name: str, colour: str, size: int) -> QPixmap:
    key, pixmap = f"{name} {colour} {size}", QPixmap()
    if QPixmapCache.find(key, pixmap):
        return pixmap
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
    QPixmapCache.insert(key, pixmap)
    return pixmap
