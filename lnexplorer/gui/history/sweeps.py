"""The sweeps that are kept: what each asked, how far it came, and what its user says about it."""

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QMouseEvent
from PySide6.QtWidgets import QTableWidgetItem, QWidget

from lnexplorer.domain.history import SweepRow
from lnexplorer.gui.history.columns import written_date
from lnexplorer.gui.history.plain_table import PlainTable
from lnexplorer.gui.shell.theme import GRID

DATE, STATE, NOTE, COMMAND = range(4)
WIDTHS = (18 * GRID, 26 * GRID, 26 * GRID)
KEYS: dict[int, Callable[[SweepRow], object]] = {
    DATE: lambda row: row.date,
    STATE: lambda row: row.done,
    NOTE: lambda row: row.note.casefold(),
    COMMAND: lambda row: row.command,
}


class SweepTable(PlainTable[SweepRow]):
    """A table of sweeps: filtered by words, sorted by a click on a title."""

    openRequested = Signal(int, bool)  # noqa: N815  # its number, and whether to go on with it
    annotated = Signal(int, str)
    commandWanted = Signal(str)  # noqa: N815  # to be copied
    rowsWanted = Signal(int)  # noqa: N815  # number of a sweep whose rows are to be exported
    shownChanged = Signal()  # noqa: N815  # how many match the filter

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(WIDTHS, parent=parent)
        self._all: list[SweepRow] = []
        self._written: dict[SweepRow, tuple[str, ...]] = {}  # the cells of each, in the language of the window
        self._words: tuple[str, ...] = ()
        self._sorted_by, self._descending = DATE, True
        self._late: list[SweepRow] | None = None  # what came while a note was written
        self._open = self.add_row_action(None, lambda row: self.openRequested.emit(row.id, False))
        self._go_on = self.add_row_action(None, lambda row: self.openRequested.emit(row.id, True))
        self._annotate = self.add_action(QKeySequence("F2"), self.edit_note)
        self._copy = self.add_row_action(QKeySequence.StandardKey.Copy, self._copy_command)
        self._export = self.add_row_action(None, lambda row: self.rowsWanted.emit(row.id))
        self._delete, self.undo = self.add_deletion()
        self.horizontalHeader().setSectionsClickable(True)
        self.horizontalHeader().setSortIndicatorShown(True)
        self.horizontalHeader().setSortIndicator(DATE, Qt.SortOrder.DescendingOrder)
        self.horizontalHeader().sectionClicked.connect(self.sort_by)
        self.languageChanged.connect(self.retranslate)
        self.cellActivated.connect(lambda *_: self._open.trigger())
        self.itemChanged.connect(self._on_edited)
        self.itemDelegate().closeEditor.connect(self._on_editor_closed)
        self.currentItemChanged.connect(lambda *_: self._show_what_is_possible())
        self.retranslate()
        self.restyle()

    @property
    def total(self) -> int:
        """How many there are, whether they match or not."""
        return len(self._all)

    def set_sweeps(self, rows: list[SweepRow]) -> None:
        """Show these, as far as they match; what is chosen stays chosen. A note that is being written is ended first."""
        if self.state() is self.State.EditingState:
            self._late = rows
            return
        if rows != self._all:
            self._all = list(rows)
            self._show_matching()

    def set_filter(self, text: str) -> None:
        """Show only sweeps in which every word occurs: in time, state, note or command."""
        self._words = tuple(text.casefold().split())
        self._show_matching()

    def sort_by(self, column: int) -> None:
        """Sort by a column; a second time the other way round."""
        again = column == self._sorted_by
        self._descending = not self._descending if again else column in (DATE, STATE)
        self._sorted_by = column
        order = Qt.SortOrder.DescendingOrder if self._descending else Qt.SortOrder.AscendingOrder
        self.horizontalHeader().setSortIndicator(column, order)
        self._show_matching()

    def remove(self, ids: set[int]) -> None:
        """Take sweeps out of the table; the one in their place is chosen next."""
        place = self.currentRow()
        self._all = [row for row in self._all if row.id not in ids]
        self._show_matching()
        self.choose_near(place)

    def edit_note(self) -> None:
        """Write the note of the current sweep, in its cell."""
        if self.currentRow() >= 0:
            index = self.model().index(self.currentRow(), NOTE)
            self.selectionModel().setCurrentIndex(index, self.selectionModel().SelectionFlag.NoUpdate)
            self.scrollTo(index)
            self.edit(index)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """A double click on a note writes it; elsewhere it opens the sweep."""
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and index.column() == NOTE:
            self.selectRow(index.row())
            self.edit_note()
            event.accept()
            return
        super().mouseDoubleClickEvent(event)

    def retranslate(self) -> None:
        """Take the words of the language."""
        self.setAccessibleName(self.tr("Sweeps"))
        self.setHorizontalHeaderLabels([self.tr("time"), self.tr("rows"), self.tr("note"), self.tr("asked")])
        self.setToolTip(self.tr("Enter or a double click shows a sweep, F2 writes its note, Delete removes it"))
        self._open.setText(self.tr("Show in the Sweep pane"))
        self._go_on.setText(self.tr("Go on with it"))
        self._annotate.setText(self.tr("Write a note"))
        self._copy.setText(self.tr("Copy as a command"))
        self._export.setText(self.tr("Export its rows as CSV …"))
        self._delete.setText(self.tr("Delete"))
        self.undo.setText(self.tr("Undo the deletion"))
        self._written.clear()
        self._show_matching()

    def _item_of(self, row: SweepRow, column: int) -> QTableWidgetItem:
        """The cell of a sweep."""
        text = self._texts(row)[column]
        item = QTableWidgetItem(text)
        if column != NOTE:
            item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsEditable)
        if text and column >= NOTE:
            item.setToolTip(text.replace(" --", "\n--") if column == COMMAND else text)
        return item

    def _show_matching(self) -> None:
        self._written = {row: self._written[row] for row in self._all if row in self._written}
        found = [row for row in self._all if self._matches(row)]
        found.sort(key=lambda row: row.id)
        found.sort(key=KEYS[self._sorted_by])  # type: ignore[arg-type]  # each column has values of one type
        self.blockSignals(True)  # cells that are filled are not edited
        self.show_rows(found[::-1] if self._descending else found, self._item_of)
        self.blockSignals(False)
        self._show_what_is_possible()
        self.shownChanged.emit()

    def _matches(self, row: SweepRow) -> bool:
        text = " ".join(self._texts(row)).casefold() if self._words else ""
        return all(word in text for word in self._words)

    def _texts(self, row: SweepRow) -> tuple[str, ...]:
        found = self._written.get(row)
        if found is None:
            found = self._written[row] = (written_date(row.date), self._state(row), row.note, row.command)
        return found

    def _state(self, row: SweepRow) -> str:
        text = self.tr("{done} of {total}").format(done=f"{row.done:,}", total=f"{row.total:,}")
        if row.done >= row.total and not row.running:
            return text
        words = {"cancelled": self.tr("cancelled"), "failed": self.tr("failed"), "finished": self.tr("finished")}
        word = self.tr("running") if row.running else words.get(row.ended, self.tr("not finished"))
        return f"{text} · {word}"

    def _show_what_is_possible(self) -> None:
        row = self.current_row()
        self._go_on.setEnabled(row is not None and not row.complete and not row.running)

    def _on_edited(self, item: QTableWidgetItem) -> None:
        place = item.row()
        if item.column() == NOTE and place < len(self.rows) and self.rows[place].note != item.text():
            row = self._rows[place] = replace(self._rows[place], note=item.text())
            # A note that cannot be kept comes back as it was, which is then something else than what is here.
            self._all = [row if each.id == row.id else each for each in self._all]
            self.annotated.emit(row.id, row.note)

    def _on_editor_closed(self) -> None:
        if self._late is not None:
            late, self._late = self._late, None
            self._all = late
            self._show_matching()

    def _copy_command(self, row: SweepRow) -> None:
        self.commandWanted.emit(f"lnexplorer sweep {row.command}")
