"""Colours of the lecture: as much contrast as a projector leaves."""

from dataclasses import dataclass

from PySide6.QtGui import QColor

from lnexplorer.gui.shell.theme import ORANGE, SKY, Theme


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of a page."""

    theme: Theme  # for the animation of the reduction
    background: QColor
    text: QColor
    muted: QColor  # second in rank, and still to be read from the last row
    line: QColor
    cell: QColor  # a cell with nothing special about it
    accent: QColor  # what the sentence is about
    good: QColor
    locks: tuple[QColor, ...]

    def lock(self, number: int) -> QColor:
        """Colour of a lock, its buffer and its rows."""
        return self.locks[number % len(self.locks)]


def _palette(theme: Theme, cell: str, accent: str) -> Palette:
    return Palette(
        theme=theme,
        background=QColor(theme.surface),
        text=QColor(theme.text),
        muted=QColor(theme.muted),
        line=QColor(theme.line),
        cell=QColor(cell),
        accent=QColor(accent),
        good=QColor(theme.good),
        locks=(QColor(ORANGE), QColor(SKY)),
    )


BLACK = _palette(
    Theme(
        name="dark",
        window="#000000",
        surface="#000000",
        raised="#1a1d21",
        line="#59616c",
        text="#ffffff",
        muted="#c3cad3",
        accent="#ffd94a",
        good="#3ecf8e",
        bad="#ff6b5e",
        warning="#f2b84b",
    ),
    cell="#23272d",
    accent="#ffd94a",
)
WHITE = _palette(
    Theme(
        name="light",
        window="#ffffff",
        surface="#ffffff",
        raised="#f0f2f5",
        line="#98a1ac",
        text="#000000",
        muted="#3f4751",
        accent="#0b57a4",
        good="#00734f",
        bad="#b3261e",
        warning="#8a5a00",
    ),
    cell="#eceff3",
    accent="#0b57a4",
)
