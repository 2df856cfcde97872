"""What the tables of few rows in the history have in common; that of the runs has a model, as there may be any number."""

from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence, QShowEvent
from PySide6.QtWidgets import QHeaderView, QMenu, QTableWidget, QTableWidgetItem, QWidget

from lnexplorer.gui.history.row_look import ROW_HEIGHT, look_like_rows
from lnexplorer.gui.shell.style import with_text
from lnexplorer.gui.shell.theme import GRID

LOOKED_AT = 50  # rows that decide how wide a column is


class Numbered(Protocol):
    """Something that is kept under a number."""

    @property
    def id(self) -> int:
        """The number."""


Row = TypeVar("Row", bound=Numbered)


class PlainTable(QTableWidget, Generic[Row]):
    """Rows that are chosen whole, with a menu of what can be done with them.

    Args:
        widths: of the columns but the last, which takes the rest, in px at the usual size of text.
        fitted: columns that are narrower than that where what they hold is.
        parent: owns this.
    """

    deleteRequested = Signal(tuple)  # noqa: N815  # numbers
    undoRequested = Signal()  # noqa: N815
    languageChanged = Signal()  # noqa: N815

    def __init__(self, widths: Sequence[int], fitted: Sequence[int] = (), parent: QWidget | None = None) -> None:
        super().__init__(0, len(widths) + 1, parent)
        self._widths, self._fitted = tuple(widths), tuple(fitted)
        self._rows: list[Row] = []
        self._item_of_cell: Callable[[Row, int], QTableWidgetItem] | None = None  # where there are cells to be made
        self._dragged: set[int] = set()  # columns whose width somebody has chosen
        self._fitting = False
        look_like_rows(self)
        header = self.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setResizeContentsPrecision(LOOKED_AT)
        header.setSectionResizeMode(len(widths), QHeaderView.ResizeMode.Stretch)
        header.sectionResized.connect(self._note_width)
        self.customContextMenuRequested.connect(self._show_menu)

    @property
    def rows(self) -> tuple[Row, ...]:
        """What is on show."""
        return tuple(self._rows)

    def show_rows(self, rows: Sequence[Row], item_of: Callable[[Row, int], QTableWidgetItem]) -> None:
        """Show these, each with the cell of every column that `item_of` makes; what is chosen stays chosen.

        While the table is hidden no cell is made: behind the runs there may be hundreds of rows that nobody looks at.
        """
        chosen, current, column = set(self.chosen()), self.current_row(), max(self.currentColumn(), 0)
        self._rows = list(rows)
        self.setRowCount(len(self._rows))
        self._item_of_cell = item_of
        if self.isVisible():
            self._make_cells()
        self.clearSelection()
        model = self.selectionModel()
        for place, row in enumerate(self._rows):
            if current is not None and row.id == current.id:
                self.setCurrentCell(place, column, model.SelectionFlag.NoUpdate)
            if row.id in chosen:
                model.select(self.model().index(place, 0), model.SelectionFlag.Select | model.SelectionFlag.Rows)

    def chosen(self) -> tuple[int, ...]:
        """Numbers of the selected rows, from top to bottom."""
        places = sorted({index.row() for index in self.selectionModel().selectedRows()})
        return tuple(self._rows[place].id for place in places if place < len(self._rows))

    def current_row(self) -> Row | None:
        """What has the keyboard."""
        place = self.currentRow()
        return self._rows[place] if 0 <= place < len(self._rows) else None

    def choose_near(self, place: int) -> None:
        """Choose what stands where something was taken out."""
        if self._rows:
            self.selectRow(min(max(place, 0), len(self._rows) - 1))

    def add_action(self, keys: QKeySequence | QKeySequence.StandardKey | None, slot: Callable[[], None]) -> QAction:
        """What can be done with the chosen rows; it needs a text."""
        action = QAction(self)
        if keys is not None:
            action.setShortcut(QKeySequence(keys))
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(lambda _checked=False: slot())
        self.addAction(action)
        return action

    def add_row_action(self, keys: QKeySequence | QKeySequence.StandardKey | None, do: Callable[[Row], None]) -> QAction:
        """What can be done with the row that has the keyboard; it needs a text."""

        def do_it() -> None:
            row = self.current_row()
            if row is not None:
                do(row)

        return self.add_action(keys, do_it)

    def add_deletion(self) -> tuple[QAction, QAction]:
        """Deleting the chosen rows, and taking that back; both need a text."""
        delete = self.add_action(QKeySequence.StandardKey.Delete, self._delete_chosen)
        return delete, self.add_action(QKeySequence.StandardKey.Undo, self.undoRequested.emit)

    def restyle(self) -> None:
        """Follow the size of the text."""
        self.verticalHeader().setDefaultSectionSize(with_text(ROW_HEIGHT))
        self._dragged.clear()
        for column, width in enumerate(self._widths):
            self._set_width(column, with_text(width))
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Make the cells of what came meanwhile."""
        super().showEvent(event)
        self._make_cells()
        self._fit()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Tell of another language."""
        if event.type() == QEvent.Type.LanguageChange:
            self.languageChanged.emit()
        super().changeEvent(event)

    def context_menu(self) -> QMenu:
        """What can be done with the chosen rows."""
        menu = QMenu(self)
        menu.addActions(self.actions())
        return menu

    def _make_cells(self) -> None:
        item_of, self._item_of_cell = self._item_of_cell, None
        if item_of is None:
            return
        before = self.blockSignals(True)  # cells that are filled are not edited
        for place, row in enumerate(self._rows):
            for cell in range(self.columnCount()):
                self.setItem(place, cell, item_of(row, cell))
        self.blockSignals(before)
        self._fit()

    def _fit(self) -> None:
        if not self.isVisible() or not self._rows:
            return
        for column in set(self._fitted) - self._dragged:
            needed = max(self.sizeHintForColumn(column), self.horizontalHeader().sectionSizeHint(column)) + GRID
            self._set_width(column, min(needed, with_text(self._widths[column])))

    def _set_width(self, column: int, width: int) -> None:
        self._fitting = True
        self.setColumnWidth(column, width)
        self._fitting = False

    def _note_width(self, column: int, _before: int, _now: int) -> None:
        if not self._fitting and column < len(self._widths):  # the last one takes what the others leave
            self._dragged.add(column)

    def _delete_chosen(self) -> None:
        chosen = self.chosen()
        if chosen:
            self.deleteRequested.emit(chosen)

    def _show_menu(self, place: QPoint) -> None:
        menu = self.context_menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.viewport().mapToGlobal(place))
