"""The view of the history's model: rows chosen whole, which stay chosen when others come and go."""

import numpy as np
from PySide6.QtCore import QEvent, QItemSelection, QItemSelectionModel, QModelIndex, Qt, QTimer
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QTableView, QWidget

from lnexplorer.gui.history.badge_delegate import BadgeDelegate
from lnexplorer.gui.history.columns import COLUMNS, DIFFERENCES, PLACES
from lnexplorer.gui.history.model import HistoryModel
from lnexplorer.gui.history.row_look import ROW_HEIGHT, look_like_rows
from lnexplorer.gui.shell.style import with_text
from lnexplorer.gui.shell.theme import GRID

NOTE_WIDTH = 20 * GRID  # at least, so that there is room to write
TITLE_MARGIN = 4  # px
WIDEN_MS = 100  # rows come in pages while the table is scrolled


class RunTable(QTableView):
    """A table of runs."""

    def __init__(self, model: HistoryModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._runs = model
        self._chosen: tuple[int, ...] = ()
        self._current: int | None = None
        self._fitted = False
        self._fitting = False
        self._set_by_hand: set[int] = set()  # columns
        self._widening = QTimer(self)
        self._widening.setSingleShot(True)
        self._widening.setInterval(WIDEN_MS)
        self._widening.timeout.connect(self._widen)
        self.setModel(model)
        look_like_rows(self)
        self.setItemDelegateForColumn(PLACES["kind"], BadgeDelegate(self))
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        columns = self.horizontalHeader()
        columns.setResizeContentsPrecision(0)  # only the rows in view decide how wide the columns are
        columns.setStretchLastSection(False)
        columns.setSortIndicator(PLACES["date"], Qt.SortOrder.DescendingOrder)
        self.setSortingEnabled(True)
        model.modelAboutToBeReset.connect(self._remember)
        model.modelReset.connect(self._restore)
        model.dataChanged.connect(lambda *_: self._fit_once())
        columns.sectionResized.connect(self._on_resized)
        columns.sortIndicatorChanged.connect(self._on_sorted)

    def selected(self) -> tuple[int, ...]:
        """Numbers of the selected runs, from top to bottom."""
        places: set[int] = set()
        selection = self.selectionModel().selection()
        for part in (selection.at(place) for place in range(selection.count())):
            places.update(range(part.top(), part.bottom() + 1))
        return tuple(self._runs.ids[sorted(places)].tolist())

    def current(self) -> int | None:
        """Number of the run that has the keyboard."""
        place = self.currentIndex().row()
        return int(self._runs.ids[place]) if 0 <= place < self._runs.ids.size else None

    def select_run(self, run: int) -> bool:
        """Select one run; False where it does not match."""
        place = self._runs.place_of(run)
        if place is None:
            return False
        self.select_place(place)
        return True

    def select_place(self, place: int) -> None:
        """Select one row alone. Qt's own `selectRow` adds to what is selected while Ctrl is held, as it is in Ctrl+Z."""
        flags = QItemSelectionModel.SelectionFlag
        self.selectionModel().setCurrentIndex(self._runs.index(place, 0), flags.ClearAndSelect | flags.Rows)

    def edit_note(self) -> None:
        """Write the note of the current run, in its cell."""
        if self.currentIndex().isValid():
            cell = self._runs.index(self.currentIndex().row(), PLACES["note"])
            self.selectionModel().setCurrentIndex(cell, QItemSelectionModel.SelectionFlag.NoUpdate)
            self.scrollTo(cell)
            self.edit(cell)

    def restyle(self) -> None:
        """Follow the size of the text."""
        self.verticalHeader().setDefaultSectionSize(with_text(ROW_HEIGHT))
        self.fit_columns()

    def show_differences(self, shown: bool) -> None:
        """Show or hide the columns that compare with the baseline."""
        changed = False
        for key in DIFFERENCES:
            changed |= self.isColumnHidden(PLACES[key]) is shown
            self.setColumnHidden(PLACES[key], not shown)
        if changed:
            self.fit_columns()

    def fit_columns(self) -> None:
        """As wide as the rows in view need; as soon as there are any."""
        # Before the table has its place, every row would count as in view.
        if not (self.isVisible() and self._runs.ids.size and self._runs.row_at(0) is not None):
            self._fitted = False
            return
        self._fitted = True
        # Narrower than Qt would make them: it keeps room for a sort indicator in every header.
        self._set_by_hand.clear()
        self._fitting = True
        for place, column in enumerate(COLUMNS):
            width = max(self._width_of_title(place), self._width_of_rows(place))
            self.setColumnWidth(place, max(width, NOTE_WIDTH) if column.key == "note" else width)
        self._fitting = False

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """A double click on a note writes it; `doubleClicked` tells of the others."""
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and index.column() == PLACES["note"]:
            self.selectRow(index.row())
            self.edit_note()
            event.accept()
            return
        super().mouseDoubleClickEvent(event)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Titles in another language need another width."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.fit_columns()

    def _fit_once(self) -> None:
        """Fit to the first rows that come; later ones, that need more room, get it a moment after they have come."""
        if self._fitted:
            self._widening.start()
        else:
            self.fit_columns()

    def _widen(self) -> None:
        """Columns never become narrower by themselves, and those that were set by hand stay as they are."""
        self._fitting = True
        for place, column in enumerate(COLUMNS):
            if column.key != "note" and place not in self._set_by_hand and not self.isColumnHidden(place):
                self.setColumnWidth(place, max(self.columnWidth(place), self._width_of_rows(place)))
        self._fitting = False

    def _width_of_title(self, place: int) -> int:
        """With the arrow of the column that the rows are sorted by."""
        header = self.horizontalHeader()
        title = header.fontMetrics().horizontalAdvance(str(self._runs.headerData(place, Qt.Orientation.Horizontal)))
        return title + (4 * GRID if header.sortIndicatorSection() == place else 2 * GRID + TITLE_MARGIN)

    def _on_sorted(self, place: int, _order: Qt.SortOrder) -> None:
        if self._fitted and place not in self._set_by_hand:
            self._fitting = True
            self.setColumnWidth(place, max(self.columnWidth(place), self._width_of_title(place)))
            self._fitting = False

    def _width_of_rows(self, place: int) -> int:
        return self.sizeHintForColumn(place) + GRID

    def _on_resized(self, place: int, _before: int, _after: int) -> None:
        if not self._fitting:
            self._set_by_hand.add(place)

    def _remember(self) -> None:
        self._chosen, self._current = self.selected(), self.current()

    def _restore(self) -> None:
        if not self._chosen:
            return
        ids, selection = self._runs.ids, QItemSelection()
        places = np.flatnonzero(np.isin(ids, self._chosen))
        # Neighbours as one range: a hundred thousand ranges would take Qt seconds.
        for run in np.split(places, np.flatnonzero(np.diff(places) > 1) + 1):
            if run.size:
                selection.select(self._runs.index(int(run[0]), 0), self._runs.index(int(run[-1]), len(COLUMNS) - 1))
        place = None if self._current is None else self._runs.place_of(self._current)
        current = QModelIndex() if place is None else self._runs.index(place, 0)
        self.selectionModel().setCurrentIndex(current, QItemSelectionModel.SelectionFlag.NoUpdate)
        self.selectionModel().select(selection, QItemSelectionModel.SelectionFlag.ClearAndSelect)
