"""The tables of the history: a model for all kinds of rows, and its view, whose chosen rows stay
chosen when others come.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QAction, QColor, QFont, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from lnexplorer.domain.history import ExperimentRow, HistoryRow, SweepRow
from lnexplorer.gui.kit.theme import GRID, LIGHT, Theme, with_text
from lnexplorer.gui.kit.translate import translate_message
from lnexplorer.gui.panes.history.columns import DIFFERENCES, Column, difference, place
from lnkernels.values.sentence import Sentence

Index = QModelIndex | QPersistentModelIndex
Row = HistoryRow | SweepRow | ExperimentRow
ROW_HEIGHT = 3 * GRID
NOTE_WIDTH, MOST_WIDTH = 20 * GRID, 44 * GRID


class HistoryModel(QAbstractTableModel):
    """Rows of one kind, in the order that was asked for."""

    noteEdited = Signal(int, str)  # row, note
    sortRequested = Signal(str, bool)  # field, descending

    def __init__(self, columns: tuple[Column, ...], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = columns
        self.rows: list[Any] = []
        self.total = 0  # rows that there are, whether they match or not
        self.baseline: HistoryRow | None = None  # what runs are compared with
        self._theme = LIGHT

    @property
    def ids(self) -> list[int]:
        return [row.id for row in self.rows]

    def place_of(self, number: int) -> int | None:
        """The row of the table in which a number is, None where it does not match."""
        return next((place for place, row in enumerate(self.rows) if row.id == number), None)

    def set_rows(self, rows: Sequence[Row], total: int, baseline: HistoryRow | None = None) -> None:
        self.beginResetModel()
        self.rows = list(rows)
        self.total = total
        self.baseline = baseline
        self.endResetModel()

    def remove(self, numbers: set[int]) -> None:
        kept = [row for row in self.rows if row.id not in numbers]
        self.set_rows(kept, self.total - len(self.rows) + len(kept), self.baseline)

    def apply_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.retranslate()

    def retranslate(self) -> None:
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.columns) - 1)
        if self.rows:
            self.dataChanged.emit(
                self.index(0, 0), self.index(len(self.rows) - 1, len(self.columns) - 1)
            )

    def words(self, column: Column, row: Any) -> str:
        if column.key in DIFFERENCES:
            return translate_message(self._difference(column, row)[0])
        return translate_message(column.words(row))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.columns)

    def flags(self, index: Index) -> Qt.ItemFlag:
        editable = index.isValid() and self.columns[index.column()].key == "note"
        return (
            super().flags(index) | Qt.ItemFlag.ItemIsEditable if editable else super().flags(index)
        )

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.EditRole:
            return False
        row, note = self.rows[index.row()], str(value).strip()
        if note != row.note:
            self.rows[index.row()] = replace(row, note=note)
            self.noteEdited.emit(row.id, note)
            self.dataChanged.emit(index, index)
        return True

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        column, row = self.columns[index.column()], self.rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.EditRole:
                return self.words(column, row)
            case Qt.ItemDataRole.TextAlignmentRole:
                return _alignment(column)
            case Qt.ItemDataRole.ToolTipRole:
                return self._tip(column, row)
            case Qt.ItemDataRole.ForegroundRole:
                tone = column.tone(row) if callable(column.tone) else column.tone
                tone = self._difference(column, row)[2] if column.key in DIFFERENCES else tone
                return QColor(getattr(self._theme, tone)) if tone else None
            case Qt.ItemDataRole.FontRole if (
                self.baseline is not None and row.id == self.baseline.id
            ):
                font = QFont()
                font.setBold(True)
                return font
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation != Qt.Orientation.Horizontal:
            return None
        column = self.columns[section]
        result: object = None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                result = translate_message(column.title)
            case Qt.ItemDataRole.ToolTipRole:
                result = translate_message(column.help)
            case Qt.ItemDataRole.TextAlignmentRole:
                result = _alignment(column)
            case Qt.ItemDataRole.SizeHintRole if column.key == "note":
                result = QSize(with_text(NOTE_WIDTH), with_text(ROW_HEIGHT))
            case Qt.ItemDataRole.InitialSortOrderRole if column.falls:
                result = Qt.SortOrder.DescendingOrder.value
        return result

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        chosen = self.columns[column]
        self.sortRequested.emit(
            chosen.sorted_by or chosen.key, order == Qt.SortOrder.DescendingOrder
        )

    def _difference(self, column: Column, row: HistoryRow) -> tuple[Any, Any, str]:
        return (
            ("", "", "muted")
            if self.baseline is None
            else difference(row, self.baseline, DIFFERENCES[column.key])
        )

    def _tip(self, column: Column, row: Any) -> str:
        if column.key in DIFFERENCES:
            return translate_message(self._difference(column, row)[1])
        if column.tip is not None:
            return translate_message(column.tip(row))
        return f"{translate_message(column.title)}: {self.words(column, row)}"


class KeptModel(HistoryModel):
    """Rows of which there are few: filtered by words, and sorted, without asking anybody."""

    def __init__(self, columns: tuple[Column, ...], parent: QObject | None = None) -> None:
        super().__init__(columns, parent)
        self.all: list[Any] = []  # whether they match or not
        self._filter: tuple[str, ...] = ()
        self._sorted_by = "date"
        self._descending = True

    def set_all(self, rows: Sequence[Row]) -> None:
        self.all = list(rows)
        self._show()

    def set_filter(self, text: str) -> None:
        """Show only rows of whose text every word is a part."""
        self._filter = tuple(text.casefold().split())
        self._show()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        chosen = self.columns[column]
        self._sorted_by = chosen.sorted_by or chosen.key
        self._descending = order == Qt.SortOrder.DescendingOrder
        self._show()

    def remove(self, numbers: set[int]) -> None:
        self.set_all([row for row in self.all if row.id not in numbers])

    def _show(self) -> None:
        lines = [
            (row, " ".join(self.words(column, row) for column in self.columns).casefold())
            for row in self.all
        ]
        found = [row for row, text in lines if all(word in text for word in self._filter)]
        found.sort(key=lambda row: (self._order(row), row.id), reverse=self._descending)
        self.set_rows(found, len(self.all))

    def _order(self, row: Any) -> Any:
        if hasattr(row, self._sorted_by):
            return getattr(row, self._sorted_by)
        return self.words(self.columns[place(self.columns, self._sorted_by)], row).casefold()


class HistoryTable(QTableView):
    """A table of one kind. What can be done with its rows are its `deeds`, by name."""

    def __init__(self, model: HistoryModel) -> None:
        super().__init__()
        self.rows = model
        self.deeds: dict[str, QAction] = {}
        self._chosen: tuple[int, ...] = ()
        self._current: int | None = None
        self._late: list[Callable[[], None]] = []  # what came while a note was written
        self.setModel(model)
        self.itemDelegate().closeEditor.connect(self._on_written)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.DoubleClicked)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setStyleSheet(
            "QTableView::item { padding: 0 5px; }"
        )  # with 3 a value stands not under its title
        self.setAlternatingRowColors(True)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        columns = self.horizontalHeader()
        columns.setHighlightSections(False)
        columns.setResizeContentsPrecision(
            0
        )  # only the rows in view decide how wide the columns are
        columns.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        columns.setStretchLastSection(not model.columns[-1].number)
        columns.setSortIndicator(place(model.columns, "date"), Qt.SortOrder.DescendingOrder)
        self.setSortingEnabled(True)
        self.restyle()
        model.modelAboutToBeReset.connect(self._remember)
        model.modelReset.connect(self._restore)

    def add_deed(
        self,
        name: str,
        text: Sentence,
        do: Callable[[], object],
        *keys: QKeySequence | QKeySequence.StandardKey | Qt.Key,
    ) -> None:
        """Offer something at some keys and in the menu, in the order of the calls."""
        action = self.deeds[name] = QAction(self)
        action.setData(text)
        action.setShortcuts([QKeySequence(key) for key in keys])
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(lambda _checked=False: do())
        self.addAction(action)

    def retranslate(self) -> None:
        self.rows.retranslate()
        for action in self.deeds.values():
            action.setText(translate_message(action.data()))

    def when_written(self, show: Callable[[], None]) -> None:
        """Show something else now, or as soon as the note that is being written is."""
        if self.state() is self.State.EditingState:
            self._late.append(show)
        else:
            show()

    def selected(self) -> tuple[int, ...]:
        selection, places = self.selectionModel().selection(), set[int]()
        for part in (selection.at(number) for number in range(selection.count())):
            places.update(range(part.top(), part.bottom() + 1))
        return tuple(self.rows.rows[row].id for row in sorted(places))

    def current_row(self) -> Any:
        place_ = self.currentIndex().row()
        return self.rows.rows[place_] if 0 <= place_ < len(self.rows.rows) else None

    def current(self) -> int | None:
        row = self.current_row()
        return None if row is None else row.id

    def select(self, number: int) -> bool:
        found = self.rows.place_of(number)
        if found is not None:
            self.select_place(found)
        return found is not None

    def select_place(self, row: int) -> None:
        """Select one row alone.

        Qt's own `selectRow` adds to what is selected while Ctrl is held, as it is in Ctrl+Z.
        """
        flags = QItemSelectionModel.SelectionFlag
        self.selectionModel().setCurrentIndex(
            self.rows.index(row, 0), flags.ClearAndSelect | flags.Rows
        )

    def remove_selected(self) -> tuple[int, ...]:
        """Take the selected rows out of the table, and give their numbers back; the one in their
        place is chosen next.
        """
        gone, row = self.selected(), self.currentIndex().row()
        self.rows.remove(set(gone))
        if gone and self.rows.rows:
            self.select_place(min(max(row, 0), len(self.rows.rows) - 1))
        return gone

    def edit_note(self) -> None:
        if self.currentIndex().isValid():
            cell = self.rows.index(self.currentIndex().row(), place(self.rows.columns, "note"))
            self.selectionModel().setCurrentIndex(cell, QItemSelectionModel.SelectionFlag.NoUpdate)
            self.scrollTo(cell)
            self.edit(cell)

    def restyle(self) -> None:
        self.verticalHeader().setDefaultSectionSize(with_text(ROW_HEIGHT))
        self.horizontalHeader().setMaximumSectionSize(with_text(MOST_WIDTH))

    def _on_written(self) -> None:
        late = self._late
        self._late = []
        for show in late:
            show()

    def _remember(self) -> None:
        self._chosen = self.selected()
        self._current = self.current()

    def _restore(self) -> None:
        flags, chosen, selection = (
            QItemSelectionModel.SelectionFlag,
            set(self._chosen),
            QItemSelection(),
        )
        current = None if self._current is None else self.rows.place_of(self._current)
        if current is not None:
            self.selectionModel().setCurrentIndex(self.rows.index(current, 0), flags.NoUpdate)
        places = [row for row, each in enumerate(self.rows.rows) if each.id in chosen]
        # Neighbours as one range: Qt takes minutes to join two thousand.
        for _, group in groupby(enumerate(places), key=lambda each: each[1] - each[0]):
            neighbours = [row for _, row in group]
            last = self.rows.index(neighbours[-1], len(self.rows.columns) - 1)
            selection.select(self.rows.index(neighbours[0], 0), last)
        self.selectionModel().select(selection, flags.ClearAndSelect)


def _alignment(column: Column) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column.number else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
