"""Colours, sizes and spaces, once: a result, a provider and a lock keep their colour in every pane."""

from dataclasses import dataclass

GRID = 8  # px; margins and gaps are multiples of it
TEXT_SIZE = 10.5  # pt
TITLE_SIZE = 14.0  # pt

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
}
# Locks are many: neighbours get colours far apart, and the cycle is the same in every picture.
LOCK_COLOURS = (ORANGE, SKY, GREEN, PURPLE, BLUE, VERMILION, YELLOW, "#999999")


@dataclass(frozen=True, slots=True)
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


def lock_colour(lock: int) -> str:
    """Colour of a lock, its buffer and its rows."""
    return LOCK_COLOURS[lock % len(LOCK_COLOURS)]
