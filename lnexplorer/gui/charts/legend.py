"""A legend: samples of lines and symbols with their names, beside a chart."""

from dataclasses import dataclass
from html import escape

from PySide6.QtCore import Qt

from lnexplorer.gui.kit.theme import LIGHT, Theme
from lnexplorer.gui.kit.widgets import WrappedLabel

SPACE = "\u00a0"  # where no line ends
JOINER = "\u2060"  # of two letters, between which no line ends
LINES = {
    Qt.PenStyle.SolidLine: "━━━",
    Qt.PenStyle.DashLine: "╍╍╍",
    Qt.PenStyle.DotLine: "┉┉┉",
    Qt.PenStyle.DashDotLine: "━·━",
    Qt.PenStyle.DashDotDotLine: "━··",
}
SYMBOLS = {
    "o": "●",
    "s": "■",
    "d": "◆",
    "h": "⬢",
    "t": "▼",
    "t1": "▲",
    "t2": "▶",
    "t3": "◀",
}  # by pyqtgraph's names


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """The entry of one line."""

    text: str
    colour: str
    style: Qt.PenStyle = Qt.PenStyle.SolidLine
    symbol: str = ""  # as pyqtgraph calls it: "o" a circle, "t" a triangle; empty for none

    @property
    def sample(self) -> str:
        line = LINES[self.style]
        return f"{line[0]}{SYMBOLS[self.symbol]}{line[2]}" if self.symbol in SYMBOLS else line


class Legend(WrappedLabel):
    """Shows entries side by side, in as many lines as they need."""

    def __init__(self) -> None:
        super().__init__()
        self.entries: tuple[LegendEntry, ...] = ()
        self._theme = LIGHT

    def set_entries(self, entries: tuple[LegendEntry, ...]) -> None:
        self.entries = entries
        self.setAccessibleDescription(", ".join(entry.text for entry in entries))
        self.set_markup(legend_html(entries, self._theme))

    def apply_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.set_entries(self.entries)


def legend_html(entries: tuple[LegendEntry, ...], theme: Theme) -> str:
    """Return the entries as rich text, none of them broken."""
    parts = [
        f'<span style="color:{entry.colour}">{entry.sample}</span>{SPACE}'
        f'<span style="color:{theme.muted}">{_unbroken(entry.text)}</span>'
        for entry in entries
    ]
    return f"{SPACE}{SPACE} ".join(parts)


def _unbroken(text: str) -> str:
    """Keep a text in one line: Chinese breaks after any letter, unless something joins them."""
    joined = text if text.isascii() else JOINER.join(text)
    return escape(joined).replace(" ", SPACE)
