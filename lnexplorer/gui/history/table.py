"""The view of the history's models: rows chosen whole, which stay chosen when others come and go."""

from collections.abc import Callable
from typing import Any

import numpy as np
from PySide6.QtCore import (
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRectF,
    QSize,
    Qt,
    QTimer,
)
from PySide6.QtGui import QAction, QColor, QKeySequence, QMouseEvent, QPainter, QPen, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStyle, QStyleOptionViewItem, QTableView, QWidget

from lnexplorer.gui.charts.theme import GRID, with_text
from lnexplorer.gui.charts.widgets import RowDelegate
from lnexplorer.gui.history.columns import place as place_in
from lnexplorer.gui.history.model import HistoryModel

ROW_HEIGHT = 3 * GRID
CELL_PADDING = 5  # px; with Qt's own 3 a value stands under its title
TITLE_MARGIN = 4  # px
WIDEN_MS = 100  # rows come in pages while the table is scrolled


class HistoryTable(QTableView):
    """A table of one kind. What can be done with its rows are its `deeds`, by name."""

    def __init__(self, model: HistoryModel[Any], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = model
        self.deeds: dict[str, QAction] = {}
        self._chosen: tuple[int, ...] = ()
        self._current: int | None = None
        self._late: list[Callable[[], None]] = []  # what came while a note was written
        self._fitting = False
        self._widths: dict[int, int] = {}  # that were needed so far, by column
        self._dragged: set[int] = set()  # columns whose width somebody has chosen
        self._widening = QTimer(self)
        self._widening.setSingleShot(True)
        self._widening.timeout.connect(self._fit)
        self.setModel(model)
        self._look_like_rows()
        columns = self.horizontalHeader()
        columns.setResizeContentsPrecision(0)  # only the rows in view decide how wide the columns are
        columns.setStretchLastSection(not model.columns[-1].number)
        columns.setSortIndicator(place_in(model.columns, "date"), Qt.SortOrder.DescendingOrder)
        self.setSortingEnabled(True)
        model.modelAboutToBeReset.connect(self._remember)
        model.modelReset.connect(self._restore)
        model.dataChanged.connect(lambda *_: self._widening.start(WIDEN_MS if self._widths else 0))
        columns.sectionResized.connect(self._on_resized)
        columns.sortIndicatorChanged.connect(lambda *_: self._fit())

    def add_deed(self, name: str, do: Callable[[], object], *keys: QKeySequence | QKeySequence.StandardKey | Qt.Key) -> None:
        """Offer something in the menu and at some keys; it needs a text."""
        action = self.deeds[name] = QAction(self)
        action.setShortcuts([QKeySequence(key) for key in keys])
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(lambda _checked=False: do())
        self.addAction(action)

    def when_written(self, show: Callable[[], None]) -> None:
        """Show something else now, or as soon as the note that is being written is."""
        if self.state() is self.State.EditingState:
            self._late.append(show)
        else:
            show()

    def selected(self) -> tuple[int, ...]:
        places: set[int] = set()
        selection = self.selectionModel().selection()
        for part in (selection.at(place) for place in range(selection.count())):
            places.update(range(part.top(), part.bottom() + 1))
        return tuple(self.rows.ids[sorted(places)].tolist())

    def current(self) -> int | None:
        place = self.currentIndex().row()
        return int(self.rows.ids[place]) if 0 <= place < self.rows.ids.size else None

    def select(self, number: int) -> bool:
        """Select one row; False where it does not match."""
        place = self.rows.place_of(number)
        if place is not None:
            self.select_place(place)
        return place is not None

    def select_place(self, place: int) -> None:
        """Select one row alone.

        Qt's own `selectRow` adds to what is selected while Ctrl is held, as it is in Ctrl+Z.
        """
        flags = QItemSelectionModel.SelectionFlag
        self.selectionModel().setCurrentIndex(self.rows.index(place, 0), flags.ClearAndSelect | flags.Rows)

    def remove_selected(self) -> tuple[int, ...]:
        """Take the selected rows out of the table, and give their numbers back; the one in their place is chosen next."""
        gone, place = self.selected(), self.currentIndex().row()
        self.rows.remove(set(gone))
        if gone and self.rows.rowCount():
            self.select_place(min(max(place, 0), self.rows.rowCount() - 1))
        return gone

    def edit_note(self) -> None:
        if self.currentIndex().isValid():
            cell = self.rows.index(self.currentIndex().row(), place_in(self.rows.columns, "note"))
            self.selectionModel().setCurrentIndex(cell, QItemSelectionModel.SelectionFlag.NoUpdate)
            self.scrollTo(cell)
            self.edit(cell)

    def restyle(self) -> None:
        self.verticalHeader().setDefaultSectionSize(with_text(ROW_HEIGHT))
        self.fit_anew()

    def fit_anew(self) -> None:
        """As wide as titles and the rows in view need, whatever was needed before."""
        self._widths.clear()
        self._dragged.clear()
        self._fit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and self.rows.columns[index.column()].key == "note":
            self.selectRow(index.row())
            self.edit_note()
            event.accept()
        else:
            super().mouseDoubleClickEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._widening.start(0)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.fit_anew()

    def _look_like_rows(self) -> None:
        """Rows of one height, chosen whole; keys and a context menu are left to the table."""
        self.setItemDelegate(RowDelegate(self))
        if any(column.key == "kind" for column in self.rows.columns):
            self.setItemDelegateForColumn(place_in(self.rows.columns, "kind"), BadgeDelegate(self))
        self.itemDelegate().closeEditor.connect(self._on_written)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setStyleSheet(f"QTableView::item {{ padding: 0 {CELL_PADDING}px; }}")
        self.setAlternatingRowColors(True)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.verticalHeader().hide()
        # Rows of one height: no cell is asked to find out where a row is.
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        self.horizontalHeader().setHighlightSections(False)

    def _fit(self) -> None:
        """Columns never become narrower by themselves, and those that were set by hand stay as they are."""
        # Before the table has its place, every row would count as in view.
        if not (self.isVisible() and self.rows.ids.size and self.rows.row_at(0) is not None):
            return
        self._fitting = True
        for place, column in enumerate(self.rows.columns):
            if place not in self._dragged and not self.isColumnHidden(place):
                needed = max(self._width_of_title(place), self.sizeHintForColumn(place) + GRID, with_text(column.least))
                needed = min(needed, with_text(column.most)) if column.most else needed
                self._widths[place] = max(needed, self._widths.get(place, 0))
                self.setColumnWidth(place, self._widths[place])
        self._fitting = False

    def _width_of_title(self, place: int) -> int:
        """Narrower than Qt would make it, which keeps room for the arrow of the sorted column in every header."""
        header = self.horizontalHeader()
        title = header.fontMetrics().horizontalAdvance(self.rows.columns[place].title_text)
        return title + (4 * GRID if header.sortIndicatorSection() == place else 2 * GRID + TITLE_MARGIN)

    def _on_resized(self, place: int, _before: int, _after: int) -> None:
        last = place == len(self.rows.columns) - 1 and self.horizontalHeader().stretchLastSection()
        if not self._fitting and not last:
            self._dragged.add(place)

    def _on_written(self) -> None:
        late, self._late = self._late, []
        for show in late:
            show()

    def _remember(self) -> None:
        self._chosen, self._current = self.selected(), self.current()

    def _restore(self) -> None:
        if not self._chosen:
            return
        ids, selection = self.rows.ids, QItemSelection()
        places = np.flatnonzero(np.isin(ids, self._chosen))
        # Neighbours as one range: a hundred thousand ranges would take Qt seconds.
        for run in np.split(places, np.flatnonzero(np.diff(places) > 1) + 1):
            if run.size:
                last = self.rows.index(int(run[-1]), len(self.rows.columns) - 1)
                selection.select(self.rows.index(int(run[0]), 0), last)
        place = None if self._current is None else self.rows.place_of(self._current)
        current = QModelIndex() if place is None else self.rows.index(place, 0)
        self.selectionModel().setCurrentIndex(current, QItemSelectionModel.SelectionFlag.NoUpdate)
        self.selectionModel().select(selection, QItemSelectionModel.SelectionFlag.ClearAndSelect)


class BadgeDelegate(RowDelegate):
    """The kind of a run: the text in a rounded frame, both in the cell's colour."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        cell = QStyleOptionViewItem(option)
        self.initStyleOption(cell, index)
        text, cell.text = cell.text, ""
        cell.widget.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, cell, painter, cell.widget)
        width, height = cell.fontMetrics.horizontalAdvance(text) + 2 * GRID, cell.fontMetrics.height() + 2
        frame = QRectF(cell.rect.left() + 5.5, cell.rect.center().y() - height / 2 + 0.5, width, height)
        colour = index.data(Qt.ItemDataRole.ForegroundRole)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colour if isinstance(colour, QColor) else cell.palette.text().color(), 1))
        painter.drawRoundedRect(frame, height / 2, height / 2)
        if cell.fontMetrics.boundingRect(text).height() > cell.fontMetrics.height():
            # Another font steps in for these characters, and its line hangs lower than its ink.
            ink = cell.fontMetrics.tightBoundingRect(text)
            painter.drawText(QPointF(frame.left() + GRID, frame.center().y() - ink.center().y()), text)
        else:
            painter.drawText(frame, Qt.AlignmentFlag.AlignCenter, text)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        size = super().sizeHint(option, index)
        return QSize(size.width() + 2 * GRID, size.height())
