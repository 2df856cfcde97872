"""The setting of a sweep that is selected, or the best one, and what can be done with it."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from lnexplorer.domain.sweep.best import Best
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.views import SweepTable, View
from lnexplorer.gui.kit import GRID, LEFT, FoldedRow, Readout, Retranslated, lay_row
from lnexplorer.gui.panes.sweep.views import cell_text, joined
from lnexplorer.report.configs import autotune_table, cell_config
from lnkernels.values import Words, say

LEAST_WIDTH = 20 * GRID  # px of the text


class ChosenSetting(Retranslated, FoldedRow):
    """Says which setting is chosen, and takes it over or copies it."""

    settingChosen = Signal(object)  # RunRequest
    copyWanted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.taken = Readout(LEFT)
        self.use = self.write_on(
            QPushButton(), say("Use this"), say("Put this setting into the parameters")
        )
        self.copy_config = self.write_on(
            QPushButton(),
            say("Copy as triton.Config"),
            say("This setting, of each kernel, as Python"),
        )
        self.copy_table = self.write_on(
            QPushButton(),
            say("Copy for autotune"),
            say("The best setting of each N, as a table for @triton.autotune"),
        )
        self.selected: int | None = None  # number of the cell
        self._result: CellResult | None = None  # that is taken
        self._table: SweepTable | None = None
        self._mode = ""
        self._lay_out()
        self.use.clicked.connect(self._use)
        self.copy_config.clicked.connect(lambda: self._copy(cell_config))
        self.copy_table.clicked.connect(lambda: self._copy(self._tuned))

    def show_of(self, table: SweepTable | None, view: View, bests: Sequence[Best]) -> None:
        """Show the row of the selected cell, else the last of the best ones."""
        self._table = table
        self._mode = view.mode
        result = bests[-1].result if bests else None
        if self.selected is not None and table is not None:
            result = table.results.get(self.selected)
        self._result = result
        text: Words = say("Click a setting to select it.")
        if table is not None and result is not None:
            whose = say("Best") if self.selected is None else say("Selected")
            text = joined((whose, cell_text(table.sweep, result, view)), ": ")
        self.write_on(self.taken, text, text)
        over_n = table is not None and any(axis.name == "n" for axis in table.sweep.axes)
        has_config = result is not None and bool(cell_config(result))
        self.use.setEnabled(result is not None)
        self.copy_config.setEnabled(has_config)
        self.copy_table.setVisible(over_n)
        self.copy_table.setEnabled(has_config and result is not None and bool(result.figures))

    def _use(self) -> None:
        """Take a cell over as parameters; a peer's gives its problem."""
        if self._result is not None:
            self.settingChosen.emit(replace(self._result.cell.request, repeats=1))

    def _tuned(self, result: CellResult) -> str:
        assert self._table is not None
        rows = self._table.results.values()
        return autotune_table(self._table.sweep, rows, result, self._mode)

    def _copy(self, write: Callable[[CellResult], str]) -> None:
        if self._result is not None:
            self.copyWanted.emit(write(self._result))

    def _lay_out(self) -> None:
        which, actions = QWidget(), QWidget()
        self.taken.setMinimumWidth(LEAST_WIDTH)
        lay_row(which, self.taken)
        lay_row(actions, self.use, self.copy_config, self.copy_table, 1, spacing=GRID)
        self.lay_pieces(which, actions)
