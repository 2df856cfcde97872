"""The sweeps that are kept, newest first: what each asked, and how far it came."""

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QTableWidget, QTableWidgetItem, QWidget

from lnexplorer.domain.history import SweepRow
from lnexplorer.gui.panes.history_parts.columns import written_date
from lnexplorer.gui.panes.history_parts.table import CELL_PADDING, ROW_HEIGHT
from lnexplorer.gui.plots.row_delegate import RowDelegate
from lnexplorer.gui.style import with_text
from lnexplorer.gui.theme import GRID

DATE_WIDTH, DONE_WIDTH = 18 * GRID, 26 * GRID


class SweepTable(QTableWidget):
    """A table of sweeps."""

    commandWanted = Signal(str)  # noqa: N815  # to be copied
    rowsWanted = Signal(int)  # noqa: N815  # number of a sweep whose rows are to be exported

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(0, 3, parent)
        self._rows: list[SweepRow] = []
        self._copy, self._export = QAction(self), QAction(self)
        self.setItemDelegate(RowDelegate(self))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setStyleSheet(f"QTableView::item {{ padding: 0 {CELL_PADDING}px; }}")
        self.setAlternatingRowColors(True)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        for action, keys, slot in (
            (self._copy, QKeySequence(QKeySequence.StandardKey.Copy), self._copy_current),
            (self._export, QKeySequence(), self._export_current),
        ):
            action.setShortcut(keys)
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            action.triggered.connect(slot)
            self.addAction(action)
        self.cellActivated.connect(lambda *_: self._copy_current())
        self.customContextMenuRequested.connect(self._show_menu)
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

    def restyle(self) -> None:
        """Follow the size of the text."""
        self.verticalHeader().setDefaultSectionSize(with_text(ROW_HEIGHT))
        self.setColumnWidth(0, with_text(DATE_WIDTH))
        self.setColumnWidth(1, with_text(DONE_WIDTH))

    def retranslate(self) -> None:
        """Take the words of the language."""
        self.setAccessibleName(self.tr("Sweeps"))
        self.setHorizontalHeaderLabels([self.tr("time"), self.tr("rows"), self.tr("asked")])
        self.setToolTip(self.tr("Enter or a double click copies the command that goes on with a sweep, or makes it again"))
        self._copy.setText(self.tr("Copy as a command"))
        self._export.setText(self.tr("Export its rows as CSV …"))
        self.set_sweeps(self._rows)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follow the language."""
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def context_menu(self) -> QMenu:
        """What can be done with the current sweep."""
        menu = QMenu(self)
        menu.addActions([self._copy, self._export])
        return menu

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

    def _show_menu(self, place: QPoint) -> None:
        menu = self.context_menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.viewport().mapToGlobal(place))
