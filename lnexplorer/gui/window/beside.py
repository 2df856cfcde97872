"""A, the pinned run, and the difference of every figure of the run on the screen from it."""

from collections.abc import Iterable
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from lnexplorer.gui.kit import (
    GRID,
    ElidedLabel,
    Label,
    Retranslated,
    Theme,
    Veil,
    lay_column,
    translate_message,
)
from lnkernels.values import Sentence, say

if TYPE_CHECKING:
    from lnexplorer.domain.pinned import FigureBeside, PinnedRun
    from lnexplorer.gui.session.state import SessionState

IN_LINE = 4  # cells of a row that stand in columns


class BesideStrip(Retranslated, QWidget):
    """Names A, and shows each figure with its difference."""

    def __init__(self) -> None:
        super().__init__()
        self.setting = ElidedLabel(self, look="muted")
        self.table = Label(self)
        self.veil = Veil(self.table)
        self._shown: PinnedRun | None = None  # the newest whole run
        self._figures: list[FigureBeside] = []
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
        about = say(about.template, setting=f"{a.setting} · {' · '.join(a.problem[1:])}")
        self.write_on(self.setting, about, about)
        self.veil.show_other(say("of the run before") if state.shown is None else other)
        self.retranslate()

    def retranslate(self) -> None:
        rows = [self._row(*row) for row in groupby(self._figures, lambda each: each.title)]
        self.table.setVisible(bool(rows))
        self.table.set_markup(f"<table cellspacing=0>{''.join(rows)}</table>")

    apply_theme = retranslate

    def _row(self, title: Sentence, figures: "Iterable[FigureBeside]") -> str:
        theme = Theme.current
        colours = {True: theme.good, False: theme.bad, None: theme.muted}
        cells = [f"<b>{translate_message(title)}</b>"]
        for each in figures:
            label, apart = (
                escape(translate_message(text)) for text in (each.label, each.difference)
            )
            cells.append(
                f'<span style="color:{theme.muted}">{label}</span> {each.value}'
                f' <span style="color:{colours[each.better]}">{apart}</span>'
            )
        # What is beyond the columns that most rows have makes none of its own.
        cells[IN_LINE:] = ["&nbsp;&nbsp; ".join(cells[IN_LINE:])]
        cell = f'</td><td style="padding-left:{2 * GRID}px;white-space:pre">'
        return f"<tr><td>{cell.join(cells)}</td></tr>"
