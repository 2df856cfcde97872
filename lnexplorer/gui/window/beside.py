"""The strip that compares the run on the screen with A, the pinned run, figure by figure."""

from collections.abc import Iterable
from itertools import groupby
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from lnexplorer.gui.kit import (
    GRID,
    Arranged,
    ElidedLabel,
    Retranslated,
    Theme,
    Veil,
    WrappedLabel,
    lay_column,
    translate_message,
    unbroken,
)
from lnkernels.values import Sentence, join_sentences, say

if TYPE_CHECKING:
    from lnexplorer.domain.pinned import FigureBeside, PinnedRun
    from lnexplorer.gui.session.state import SessionState

IN_LINE = 4  # cells of a row that stand in columns
APART = "&nbsp;&nbsp; "  # between figures that do not stand in columns


class BesideStrip(Retranslated, Arranged, QWidget):
    """Names A, and shows each figure with its difference."""

    def __init__(self) -> None:
        super().__init__()
        self.setting = ElidedLabel(self, look="muted")
        self.table = WrappedLabel()
        self.veil = Veil(self.table)
        self._shown: PinnedRun | None = None  # the newest whole run
        self._figures: list[FigureBeside] = []
        self._rows: list[list[str]] = []  # cells of markup
        lay_column(self, self.setting, self.table)
        self.hide()

    def show_session(self, state: "SessionState", other: Sentence | None) -> None:
        """Show the run on the screen, which may be of another setting, beside A, if there is one.

        While a run is under way, the one before stays, dimmed.
        """
        from lnexplorer.domain.pinned import figures_beside  # numpy, after the first paint

        a, self._shown = state.pinned, state.shown or self._shown
        self.setVisible(a is not None)
        self._figures = []
        if a is None or self._shown is None:
            return
        about = say("A is this run: {setting}")
        if not a.is_of(self._shown.result):
            about = say("A: {setting}. Of another problem or device: figures do not compare.")
            if a.problem == self._shown.problem:
                about = say("A: {setting}")
                self._figures = figures_beside(a, self._shown)
        about = say(about.template, setting=join_sentences((a.setting, *a.problem[1:]), " · "))
        self.write_on(self.setting, about, about)
        self.veil.show_other(say("of the run before") if state.shown is None else other)
        self.retranslate()

    def retranslate(self) -> None:
        by_title = groupby(self._figures, lambda each: each.title)
        self._rows = [self._cells(*row) for row in by_title]
        self.table.setVisible(bool(self._rows))
        self.arrange()

    apply_theme = retranslate

    def arrange(self) -> None:
        """Put figures below their like where there is room, else one after the other."""
        self.table.setWordWrap(False)
        self.table.set_markup(
            f"<table cellspacing=0>{''.join(map(_in_columns, self._rows))}</table>"
        )
        if self.table.sizeHint().width() > self.width():
            self.table.setWordWrap(True)
            self.table.set_markup("<br>".join(map(APART.join, self._rows)))

    def _cells(self, title: Sentence, figures: "Iterable[FigureBeside]") -> list[str]:
        theme = Theme.current
        colours = {True: theme.good, False: theme.bad, None: theme.muted}
        cells = [f"<b>{translate_message(title)}</b>"]
        for each in figures:
            told = (each.label, each.value, each.difference)
            label, value, apart = map(unbroken, told)
            cells.append(
                f'<span style="color:{theme.muted}">{label}</span>&nbsp;{value}&nbsp;'
                f'<span style="color:{colours[each.better]}">{apart}</span>'
            )
        return cells


def _in_columns(cells: list[str]) -> str:
    # The cells behind those share a column: most rows have none.
    cells = [*cells[:IN_LINE], APART.join(cells[IN_LINE:])]
    low = "vertical-align:bottom"  # Chinese letters are higher than Latin ones
    cell = f'</td><td style="{low};padding-left:{2 * GRID}px">'
    return f'<tr><td style="{low}">{cell.join(cells)}</td></tr>'
