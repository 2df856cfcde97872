"""Two traces compared: the phases of the rows that decide each end, as a table and a waterfall."""

from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from lnexplorer.domain.panels import Text
from lnexplorer.domain.trace_difference import TraceDifference
from lnexplorer.gui.kit.languages import Retranslated, translate_message
from lnexplorer.gui.kit.theme import DARK, GREEN, GRID, VERMILION, Theme, with_text
from lnexplorer.gui.kit.widgets import Label, lay_column

BARS = 72  # px, the waterfall


class DifferenceView(Retranslated, QWidget):
    """Says what B takes longer than A. A click on a row of a chain asks to follow it."""

    rowClicked = Signal(object)  # int

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._shown: TraceDifference | None = None
        self._theme = DARK
        self.sentence = Label(self, look="strong", wordWrap=True)
        self.table = Label(self)
        self.chains = Label(
            self,
            wordWrap=True,
            textInteractionFlags=Qt.TextInteractionFlag.LinksAccessibleByMouse,
        )
        self.chains.linkActivated.connect(lambda row: self.rowClicked.emit(int(row)))
        parts = (self.sentence, self.table, self.chains, 1)
        lay_column(self, *parts, margins=(2 * GRID, GRID, 2 * GRID, 0), spacing=GRID)

    def show_difference(self, found: TraceDifference) -> None:
        self._shown = found
        self.write(self.sentence.setText, found.sentence())
        self.retranslate()

    def apply_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.retranslate()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._keep_room()

    def _keep_room(self) -> None:
        """Ask for the height of texts that are broken at this width: a splitter does not."""
        self.setMinimumHeight(max(self.heightForWidth(self.width()), 0))

    def retranslate(self) -> None:
        if self._shown is None:
            return
        steps = self._shown.steps()
        heads, *lines = self._shown.table()
        rows = [_line("th", heads)]
        low, high = min(map(min, steps)), max(map(max, steps))
        unit = with_text(BARS) / max(high - low, 1)
        for line, (begin, end) in zip(lines, steps, strict=True):
            colour = VERMILION if end > begin else GREEN
            left, wide = round((min(begin, end) - low) * unit), round(abs(end - begin) * unit)
            cells = f"<td width={left}></td><td width={wide} bgcolor={colour}></td>"
            bar = f"<table cellspacing=0><tr>{cells}</tr></table>" if wide else ""
            rows.append(_line("td", line, bar))
        self.table.set_markup(f"<table cellspacing=0>{''.join(rows)}</table>")
        style = f'style="color:{self._theme.text}"'
        chains = self._shown.lines(lambda row: f'<a href="{row}" {style}>{row}</a>')
        self.chains.set_markup("<br>".join(map(translate_message, chains)))
        self._keep_room()


def _line(tag: str, texts: list[Text], bar: str = "") -> str:
    name, *figures = (escape(translate_message(text)) for text in texts)
    # In the middle: a line of Chinese is higher than one of figures.
    style = f'style="padding-left:{GRID}px;vertical-align:middle"'
    cells = "".join(f"<{tag} align=right {style}>{one}</{tag}>" for one in figures)
    return f"<tr><{tag} align=left>{name}</{tag}>{cells}<td {style}>{bar}</td></tr>"
