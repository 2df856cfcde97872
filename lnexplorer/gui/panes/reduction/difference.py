"""Two traces compared: the phases of the rows that decide each end, as a table and a waterfall."""

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from lnexplorer.domain.trace_difference import TraceDifference, trace_difference
from lnexplorer.gui.kit import (
    GREEN,
    GRID,
    VERMILION,
    Retranslated,
    Theme,
    WrappedLabel,
    translate_message,
    with_text,
)
from lnexplorer.gui.kit.table import table_markup
from lnkernels.values import Words
from lnkernels.values.timeline import ReductionTimeline

BARS = 72  # px, the waterfall


class DifferenceView(Retranslated, WrappedLabel):
    """Says what B takes longer than A; rows of a chain are links."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(
            textInteractionFlags=Qt.TextInteractionFlag.LinksAccessibleByMouse,
            alignment=Qt.AlignmentFlag.AlignTop,
            margin=GRID,
        )
        self.setParent(parent)
        self._shown: TraceDifference | None = None

    def show_traces(self, a: ReductionTimeline, b: ReductionTimeline) -> Words:
        """Show the timeline B against A, if both have times; return it in a few words."""
        if a.counted or b.counted:
            return ""
        self._shown = trace_difference(a, b)
        self.retranslate()
        self.show()
        return self._shown.ends

    def retranslate(self) -> None:
        if self._shown is None:
            return
        steps = self._shown.steps()
        low, high = min(map(min, steps)), max(map(max, steps))
        unit, bars = with_text(BARS) / max(high - low, 1), [""]  # none in the line of titles
        for begin, end in steps:
            colour = VERMILION if end > begin else GREEN
            left, wide = round((min(begin, end) - low) * unit), round(abs(end - begin) * unit)
            cells = f"<td width={left}></td><td width={wide} bgcolor={colour}></td>"
            bars.append(f"<table cellspacing=0><tr>{cells}</tr></table>" if wide else "")
        style = f'style="color:{Theme.current.text}"'
        chains = self._shown.lines(lambda row: f'<a href="{row}" {style}>{row}</a>')
        sentence = escape(translate_message(self._shown.sentence()))
        lines = (
            # a time stays in one line; titles may take two
            [one.replace(" ", "\xa0") if isinstance(one, str) else one for one in line]
            for line in self._shown.table()
        )
        table = table_markup(lines, "right", bars)
        below = "<br>".join(map(translate_message, chains))
        self.set_markup(f"<p><b>{sentence}</b></p>{table}<p>{below}</p>")

    apply_theme = retranslate
