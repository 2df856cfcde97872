"""Tables of rows: columns as data, the models of rows, and a view that keeps the selection."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from html import escape
from itertools import repeat
from typing import Any, TypeAlias

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QAction, QColor, QFont, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QTableView

from lnexplorer.gui.kit.languages import Retranslated, translate_message
from lnexplorer.gui.kit.theme import GRID, Theme, with_text
from lnexplorer.gui.kit.widgets import LEFT, RIGHT, in_order
from lnkernels.values import Sentence, Words, frozen, join_sentences

Cell: TypeAlias = tuple[Words, Words, str]  # text, tooltip, colour of the theme or ""
Index = QModelIndex | QPersistentModelIndex
Key = QKeySequence | QKeySequence.StandardKey | Qt.Key
Role = Qt.ItemDataRole
ROW_HEIGHT = 3 * GRID
NOTE_WIDTH, MOST_WIDTH = 20 * GRID, 44 * GRID
ENDS = ("pin", "copy", "undo")  # commands that end a group of the menu


@frozen
class Column:
    """A column of a table; its functions take a row."""

    key: str  # a field of the row, or something made of several
    title: Words
    help: Words = ""
    text: Callable[[Any], Words] | None = None  # None for the field as it is
    tip: Callable[[Any], Words] | None = None  # None for title and text
    tone: Callable[[Any], str] | str = ""  # a colour of the theme
    number: bool = False
    sorted_by: str = ""  # the field that the column is sorted by, if that is not `key`
    falls: bool = False  # the first click on its title puts the largest on top
    compare: Callable[[Any, Any], Cell] | None = None  # takes a row and the baseline

    def cell(self, row: Any, baseline: Any) -> Cell:
        if self.compare is not None:
            return ("", "", "") if baseline is None else self.compare(row, baseline)
        text = str(getattr(row, self.key)) if self.text is None else self.text(row)
        named = join_sentences([self.title, text], ": ")
        tip = named if self.tip is None else self.tip(row)
        return text, tip, self.tone(row) if callable(self.tone) else self.tone


def table_markup(
    lines: Iterable[Iterable[Words]], align: str = "left", ends: Iterable[str] = repeat("")
) -> str:
    """Return a table as HTML.

    Args:
        lines: the first one has the titles.
        align: of all columns but the first, which is at the left.
        ends: HTML behind each line.
    """
    # In the middle: a line of Chinese is higher than one of figures.
    style = f'style="padding-right:{GRID}px;vertical-align:middle"'
    markup, tag = "", "th"
    for line, end in zip(lines, ends, strict=False):
        name, *others = (escape(translate_message(text)) for text in line)
        cells = "".join(f"<{tag} align={align} {style}>{one}</{tag}>" for one in others)
        markup += f"<tr><{tag} align=left {style}>{name}</{tag}>{cells}<td>{end}</td></tr>"
        tag = "td"
    return f"<table cellspacing=0>{markup}</table>"


def place(columns: tuple[Column, ...], key: str) -> int:
    return next(place for place, column in enumerate(columns) if column.key == key)


class RowsModel(QAbstractTableModel):
    """Rows of one kind, each with a number `id`, in the order that was asked for."""

    noteEdited = Signal(int, str)  # row, note
    sortRequested = Signal(str, bool)  # field, descending

    def __init__(self, columns: tuple[Column, ...], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = columns
        self.rows: list[Any] = []
        self.total = 0  # all rows, those that do not match the filter, too
        self.baseline: Any = None  # the row that the others are compared with

    @property
    def ids(self) -> list[int]:
        return [row.id for row in self.rows]

    def place_of(self, number: int) -> int | None:
        """Return the place of the row with a number; None if it is not shown."""
        return self.ids.index(number) if number in self.ids else None

    def set_rows(self, rows: Sequence[Any], total: int, baseline: Any = None) -> None:
        self.beginResetModel()
        self.rows = list(rows)
        self.total = total
        self.baseline = baseline
        self.endResetModel()

    def remove(self, numbers: set[int]) -> None:
        kept = [row for row in self.rows if row.id not in numbers]
        self.set_rows(kept, self.total - len(self.rows) + len(kept), self.baseline)

    def retranslate(self) -> None:
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.columns) - 1)
        if self.rows:
            last = self.index(len(self.rows) - 1, len(self.columns) - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def text(self, column: Column, row: Any) -> str:
        return translate_message(column.cell(row, self.baseline)[0])

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.columns)

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        if index.isValid() and self.columns[index.column()].key == "note":
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        if role != Role.EditRole:
            return False
        row, note = self.rows[index.row()], str(value).strip()
        if note != row.note:
            self.rows[index.row()] = replace(row, note=note)
            self.noteEdited.emit(row.id, note)
            self.dataChanged.emit(index, index)
        return True

    def data(self, index: Index, role: int = Role.DisplayRole) -> object:
        column, row = self.columns[index.column()], self.rows[index.row()]
        match role:
            case Role.DisplayRole | Role.EditRole:
                text = self.text(column, row)
                return in_order(text) if role == Role.DisplayRole else text
            case Role.TextAlignmentRole:
                return RIGHT if column.number else LEFT
            case Role.ToolTipRole:
                return in_order(translate_message(column.cell(row, self.baseline)[1]))
            case Role.ForegroundRole:
                tone = column.cell(row, self.baseline)[2]
                return QColor(getattr(Theme.current, tone)) if tone else None
            case Role.FontRole if self.baseline is not None and row.id == self.baseline.id:
                font = QFont()
                font.setBold(True)
                return font
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> object:
        if orientation != Qt.Orientation.Horizontal:
            return None
        column = self.columns[section]
        if role == Role.SizeHintRole and column.key == "note":
            return QSize(with_text(NOTE_WIDTH), with_text(ROW_HEIGHT))
        if role == Role.InitialSortOrderRole and column.falls:
            return Qt.SortOrder.DescendingOrder.value
        values = {
            Role.DisplayRole: translate_message(column.title),
            Role.ToolTipRole: translate_message(column.help),
            Role.TextAlignmentRole: RIGHT if column.number else LEFT,
        }
        return values.get(Role(role))

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        field = self.columns[column].sorted_by or self.columns[column].key
        self.sortRequested.emit(field, order == Qt.SortOrder.DescendingOrder)


class FewRowsModel(RowsModel):
    """Few rows, which are filtered by words and sorted here, without asking the history."""

    def __init__(self, columns: tuple[Column, ...], parent: QObject) -> None:
        super().__init__(columns, parent)
        self.all: Sequence[Any] = ()  # those that do not match the filter, too
        self._filter: list[str] = []
        self._order = "date", True  # field, descending
        self.sortRequested.connect(self._sort_by)

    def set_all(self, rows: Sequence[Any]) -> None:
        self.all = rows
        self._show()

    def set_filter(self, text: str) -> None:
        """Show only rows whose text has every word."""
        self._filter = text.casefold().split()
        self._show()

    def remove(self, numbers: set[int]) -> None:
        self.set_all([row for row in self.all if row.id not in numbers])

    def _sort_by(self, field: str, descending: bool) -> None:
        self._order = field, descending
        self._show()

    def _show(self) -> None:
        matching = []
        for row in self.all:
            text = " ".join(self.text(column, row) for column in self.columns).casefold()
            if all(word in text for word in self._filter):
                matching.append(row)
        field, descending = self._order
        matching.sort(key=lambda row: (self._value(row, field), row.id), reverse=descending)
        self.set_rows(matching, len(self.all))

    def _value(self, row: Any, field: str) -> Any:
        if hasattr(row, field):
            return getattr(row, field)
        return self.text(self.columns[place(self.columns, field)], row).casefold()


class RowsTable(Retranslated, QTableView):
    """A table of rows of one kind. Selected rows stay selected when the model gets other rows."""

    def __init__(
        self, model: RowsModel, name: Sentence, tip: Sentence | None = None, *, sorts: bool = True
    ) -> None:
        """Show a model; with `sorts` it can be sorted, by its titles and in a context menu."""
        super().__init__(
            selectionBehavior=QAbstractItemView.SelectionBehavior.SelectRows,
            selectionMode=QAbstractItemView.SelectionMode.ExtendedSelection,
            editTriggers=QAbstractItemView.EditTrigger.DoubleClicked,
            horizontalScrollMode=QAbstractItemView.ScrollMode.ScrollPerPixel,
            showGrid=False,
            alternatingRowColors=True,
            wordWrap=False,
            tabKeyNavigation=False,
        )
        self.rows = model
        self.commands: dict[str, QAction] = {}  # on the selected rows
        self.exports: list[QAction] = []  # a menu of their own behind the command "copy"
        self._selected: set[int] = set()  # numbers, while the model is reset
        self._current: int | None = None
        self.write_on(self, tip=tip, name=name)
        self.setModel(model)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        columns = self.horizontalHeader()
        columns.setHighlightSections(False)
        # Only the rows in view decide how wide the columns are.
        columns.setResizeContentsPrecision(0)
        columns.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        columns.setStretchLastSection(not model.columns[-1].number)
        if sorts:
            columns.setSortIndicator(place(model.columns, "date"), Qt.SortOrder.DescendingOrder)
            self.setSortingEnabled(True)
            self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            self.customContextMenuRequested.connect(self._show_menu)
        model.modelAboutToBeReset.connect(self._remember)
        model.modelReset.connect(self._restore)

    def add_command(self, name: str, text: Sentence, do: Callable[[], object], *keys: Key) -> None:
        """Add a command to the context menu, behind those added before, and to some keys."""
        action = self.commands[name] = QAction(self)
        self.write(action.setText, text)
        action.setShortcuts([QKeySequence(key) for key in keys])
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(lambda _checked=False: do())
        self.addAction(action)

    def context_menu(self) -> QMenu:
        """Return the context menu: the commands, and the sort order, so that it needs no mouse."""
        menu = QMenu(self)
        for name, action in self.commands.items():
            menu.addAction(action)
            if name == "copy" and self.exports:
                exports = menu.addMenu(self.tr("Copy or export the selected runs"))
                exports.addActions(self.exports)
            if name in ENDS:
                menu.addSeparator()
        order = menu.addMenu(self.tr("Sort by"))
        for number, column in enumerate(self.rows.columns):
            if not self.isColumnHidden(number):
                title = order.addAction(translate_message(column.title))
                title.triggered.connect(partial(self._sort_by, number))
        return menu

    def apply_theme(self) -> None:
        self.rows.retranslate()
        self.verticalHeader().setDefaultSectionSize(with_text(ROW_HEIGHT))
        self.horizontalHeader().setMaximumSectionSize(with_text(MOST_WIDTH))

    def retranslate(self) -> None:
        self.rows.retranslate()

    def when_written(self, show: Callable[[], None]) -> None:
        """Call a function now, or when the user has finished the note that is being edited."""
        if self.state() is self.State.EditingState:
            once = Qt.ConnectionType.SingleShotConnection
            self.itemDelegate().closeEditor.connect(lambda *_: show(), once)
        else:
            show()

    def selected(self) -> tuple[int, ...]:
        places = {index.row() for index in self.selectedIndexes()}
        return tuple(self.rows.rows[row].id for row in sorted(places))

    def current_row(self) -> Any:
        row = self.currentIndex().row()
        return self.rows.rows[row] if 0 <= row < len(self.rows.rows) else None

    def select(self, number: int) -> bool:
        row = self.rows.place_of(number)
        if row is not None:
            self.select_place(row)
        return row is not None

    def select_place(self, row: int) -> None:
        """Select one row and no other.

        Qt's own `selectRow` would add to the selection while Ctrl is held, as it is for Ctrl+Z.
        """
        flags = QItemSelectionModel.SelectionFlag
        self.selectionModel().setCurrentIndex(
            self.rows.index(row, 0), flags.ClearAndSelect | flags.Rows
        )

    def remove_selected(self) -> tuple[int, ...]:
        """Remove the selected rows and select the next one; return their numbers."""
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

    def written(self) -> tuple[list[str], list[list[str]]]:
        """Return the titles of the visible columns, and the texts of the selected rows."""
        columns = [
            column
            for number, column in enumerate(self.rows.columns)
            if not self.isColumnHidden(number)
        ]
        selected = set(self.selected())
        rows = [row for row in self.rows.rows if row.id in selected]
        return (
            [translate_message(column.title) for column in columns],
            [[self.rows.text(column, row) for column in columns] for row in rows],
        )

    def _sort_by(self, column: int, _checked: bool = False) -> None:
        """Sort by a column, the largest first; the next time the smallest first."""
        header, falling = self.horizontalHeader(), Qt.SortOrder.DescendingOrder
        again = header.sortIndicatorSection() == column and header.sortIndicatorOrder() == falling
        self.sortByColumn(column, Qt.SortOrder.AscendingOrder if again else falling)

    def _show_menu(self, where: QPoint) -> None:
        menu = self.context_menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.viewport().mapToGlobal(where))

    def _remember(self) -> None:
        self._selected = set(self.selected())
        row = self.current_row()
        self._current = None if row is None else row.id

    def _restore(self) -> None:
        flags, selection = QItemSelectionModel.SelectionFlag, QItemSelection()
        current = None if self._current is None else self.rows.place_of(self._current)
        if current is not None:
            self.selectionModel().setCurrentIndex(self.rows.index(current, 0), flags.NoUpdate)
        last = len(self.rows.columns) - 1
        for row, each in enumerate(self.rows.rows):
            if each.id in self._selected:
                selection.select(self.rows.index(row, 0), self.rows.index(row, last))
        self.selectionModel().select(selection, flags.ClearAndSelect)
