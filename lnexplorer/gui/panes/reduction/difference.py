"""Two traces compared: the phases of the rows that decide each end, as a table and a waterfall."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from lnexplorer.domain.trace_difference import TraceDifference
from lnexplorer.gui.kit.languages import Retranslated, translate_message
from lnexplorer.gui.kit.table import table_line
from lnexplorer.gui.kit.theme import GREEN, GRID, VERMILION, Theme, with_text
from lnexplorer.gui.kit.widgets import Label, WrappedLabel, lay_column

BARS = 72  # px, the waterfall


class DifferenceView(Retranslated, QWidget):
    """Says what B takes longer than A. A click on a row of a chain asks to follow it."""

    rowClicked = Signal(object)  # int

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._shown: TraceDifference | None = None
        self.sentence = WrappedLabel(look="strong")
        self.table = Label()
        links = Qt.TextInteractionFlag.LinksAccessibleByMouse
        self.chains = WrappedLabel(textInteractionFlags=links)
        self.chains.linkActivated.connect(lambda row: self.rowClicked.emit(int(row)))
        parts = (self.sentence, self.table, self.chains, 1)
        lay_column(self, *parts, margins=(2 * GRID, GRID, 2 * GRID, 0), spacing=GRID)

    def show_difference(self, found: TraceDifference) -> None:
        self._shown = found
        self.write(self.sentence.setText, found.sentence())
        self.retranslate()

    def retranslate(self) -> None:
        if self._shown is None:
            return
        steps = self._shown.steps()
        heads, *lines = self._shown.table()
        rows = [table_line(heads, "th", "right")]
        low, high = min(map(min, steps)), max(map(max, steps))
        unit = with_text(BARS) / max(high - low, 1)
        for line, (begin, end) in zip(lines, steps, strict=True):
            colour = VERMILION if end > begin else GREEN
            left, wide = round((min(begin, end) - low) * unit), round(abs(end - begin) * unit)
            cells = f"<td width={left}></td><td width={wide} bgcolor={colour}></td>"
            bar = f"<table cellspacing=0><tr>{cells}</tr></table>" if wide else ""
            rows.append(table_line(line, align="right", end=bar))
        self.table.set_markup(f"<table cellspacing=0>{''.join(rows)}</table>")
        style = f'style="color:{Theme.current.text}"'
        chains = self._shown.lines(lambda row: f'<a href="{row}" {style}>{row}</a>')
        self.chains.set_markup("<br>".join(map(translate_message, chains)))

    apply_theme = retranslate
