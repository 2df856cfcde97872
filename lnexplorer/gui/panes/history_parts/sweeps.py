"""The sweeps that are kept, newest first: what each asked, and how far it came."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QTableWidgetItem, QWidget

from lnexplorer.domain.history import SweepRow
from lnexplorer.gui.panes.history_parts.columns import written_date
from lnexplorer.gui.panes.history_parts.plain_table import PlainTable
from lnexplorer.gui.theme import GRID

DATE_WIDTH, DONE_WIDTH = 18 * GRID, 26 * GRID


class SweepTable(PlainTable):
    """A table of sweeps."""

    commandWanted = Signal(str)  # noqa: N815  # to be copied
    rowsWanted = Signal(int)  # noqa: N815  # number of a sweep whose rows are to be exported

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__((DATE_WIDTH, DONE_WIDTH), parent=parent)
        self._rows: list[SweepRow] = []
        self._copy = self.add_action(QKeySequence.StandardKey.Copy, self._copy_current)
        self._export = self.add_action(None, self._export_current)
        self.languageChanged.connect(self.retranslate)
        self.cellActivated.connect(lambda *_: self._copy_current())
        self.retranslate()
        self.restyle()

    def set_sweeps(self, rows: list[SweepRow]) -> None:
        """Show these."""
        self._rows = rows
        self.setRowCount(len(rows))
        for place, row in enumerate(rows):
            for column, text in enumerate((written_date(row.date), self._state(row), row.command)):
                item = QTableWidgetItem(text)
                if column == 2:
                    item.setToolTip(text.replace(" --", "\n--"))
                self.setItem(place, column, item)

    def retranslate(self) -> None:
        """Take the words of the language."""
        self.setAccessibleName(self.tr("Sweeps"))
        self.setHorizontalHeaderLabels([self.tr("time"), self.tr("rows"), self.tr("asked")])
        self.setToolTip(self.tr("Enter or a double click copies the command that goes on with a sweep, or makes it again"))
        self._copy.setText(self.tr("Copy as a command"))
        self._export.setText(self.tr("Export its rows as CSV …"))
        self.set_sweeps(self._rows)

    def _state(self, row: SweepRow) -> str:
        text = self.tr("{done} of {total}").format(done=f"{row.done:,}", total=f"{row.total:,}")
        if row.done >= row.total:
            return text
        word = {"cancelled": self.tr("cancelled"), "failed": self.tr("failed")}.get(row.ended, self.tr("not finished"))
        return f"{text} · {word}"

    def _current(self) -> SweepRow | None:
        place = self.currentRow()
        return self._rows[place] if 0 <= place < len(self._rows) else None

    def _copy_current(self) -> None:
        row = self._current()
        if row is not None:
            self.commandWanted.emit(f"lnexplorer sweep {row.command}")

    def _export_current(self) -> None:
        row = self._current()
        if row is not None:
            self.rowsWanted.emit(row.id)
