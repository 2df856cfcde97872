"""Every run: filter, sort, restore, delete."""

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from lnexplorer.domain.history import HistoryRow
from lnexplorer.gui.panes.history_parts.badge_delegate import BadgeDelegate
from lnexplorer.gui.panes.history_parts.columns import COLUMNS, PLACES
from lnexplorer.gui.panes.history_parts.loader import PandasLoader
from lnexplorer.gui.panes.history_parts.model import HistoryModel
from lnexplorer.gui.panes.history_parts.query import parse
from lnexplorer.gui.plots.notice import Notice
from lnexplorer.gui.plots.row_delegate import RowDelegate
from lnexplorer.gui.style import with_text
from lnexplorer.gui.theme import GRID, Theme

ROW_HEIGHT = 3 * GRID
CELL_PADDING = 5  # px; with Qt's own 3 a value stands under its title
TYPING_MS = 120  # the filter waits until typing pauses
UNDO_MS = 15_000  # how long a deletion can be taken back


class HistoryPane(QWidget):
    """A table of runs. Deleting takes a run out of the table at once; it can be taken back for a while."""

    restoreRequested = Signal(int)  # noqa: N815
    deleteRequested = Signal(int)  # noqa: N815
    undoDeleteRequested = Signal(int)  # noqa: N815
    selectionChanged = Signal(object)  # noqa: N815  # tuple of run numbers

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.filter, self.count, self.table = QLineEdit(), QLabel(), QTableView()
        self.deleted, self.undo = QLabel(), QPushButton()
        self.notice = Notice()
        self.model = HistoryModel(self)
        self._loader = PandasLoader(self)
        self._actions = {name: QAction(self.table) for name in ("restore", "copy", "delete", "undo")}
        self._undoable: list[HistoryRow] = []
        self._typing, self._forgetting = QTimer(self), QTimer(self)
        self._build()
        self._connect()
        self.retranslate()

    def set_rows(self, rows: list[HistoryRow]) -> None:
        """Show these runs. The table fills as soon as pandas is imported."""
        self._undoable.clear()
        self.model.set_rows(rows)
        self._wait_for_pandas()
        self._fit_columns()

    def add_row(self, row: HistoryRow) -> None:
        """Show one more run."""
        first = self.model.total == 0
        self.model.add_row(row)
        self._wait_for_pandas()
        if first:
            self._fit_columns()

    def selected(self) -> tuple[int, ...]:
        """Numbers of the selected runs."""
        rows = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        return tuple(self.model.row_at(row).id for row in rows)

    def apply_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        self.model.apply_theme(theme)
        self.table.verticalHeader().setDefaultSectionSize(with_text(ROW_HEIGHT))
        self._fit_columns()

    def retranslate(self) -> None:
        """Take the words of the language."""
        self.setAccessibleName(self.tr("History"))
        self.table.setAccessibleName(self.tr("Runs"))
        self.table.setToolTip(self.tr("Enter or a double click restores a run, Delete removes it"))
        self.filter.setPlaceholderText(self.tr("Filter: words, or N>=4096 dtype=float16 failed"))
        self.filter.setAccessibleName(self.tr("Filter the runs"))
        self.filter.setToolTip(
            self.tr(
                "Every term must hold. A word occurs in time, device, kind, shape, dtype or strategy; passed and failed are"
                " verdicts; M, N, G, forward, backward, share, y, dx, dw and db compare with <, <=, =, >=, >."
            )
        )
        self.undo.setText(self.tr("Undo"))
        self.undo.setToolTip(self.tr("Put the deleted run back"))
        self.undo.setAccessibleName(self.tr("Undo the deletion"))
        self.count.setToolTip(self.tr("Runs on show"))
        names = {
            "restore": self.tr("Restore parameters and results"),
            "copy": self.tr("Copy as a table"),
            "delete": self.tr("Delete"),
            "undo": self.tr("Undo the deletion"),
        }
        for name, action in self._actions.items():
            action.setText(names[name])
            action.setToolTip(names[name])
        self.model.retranslate()
        self._show_state()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follow the language."""
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def restore(self) -> None:
        """Ask for the current run."""
        index = self.table.currentIndex()
        if index.isValid():
            self.restoreRequested.emit(self.model.row_at(index.row()).id)

    def delete(self) -> None:
        """Take the selected runs out."""
        runs = self.selected()
        if not runs:
            return
        place = self.table.currentIndex().row()
        self._undoable = [row for row in (self.model.remove(run) for run in runs) if row is not None]
        for run in runs:
            self.deleteRequested.emit(run)
        if self.model.rowCount():
            self.table.selectRow(min(max(place, 0), self.model.rowCount() - 1))
        self._forgetting.start()
        self._show_state()

    def undo_delete(self) -> None:
        """Put the runs back that were deleted last."""
        rows, self._undoable = self._undoable, []
        for row in rows:
            self.model.add_row(row)
            self.undoDeleteRequested.emit(row.id)
        if rows:
            self._select(rows[0].id)
        self._show_state()

    def copy(self) -> None:
        """Put the selected runs on the clipboard, tabs between the columns."""
        lines = ["\t".join(str(self.model.headerData(i, Qt.Orientation.Horizontal)) for i in range(len(COLUMNS)))]
        for index in sorted(self.table.selectionModel().selectedRows(), key=lambda index: index.row()):
            cells = (self.model.index(index.row(), column) for column in range(len(COLUMNS)))
            lines.append("\t".join(str(self.model.data(cell)) for cell in cells))
        QGuiApplication.clipboard().setText("\n".join(lines))

    def _build(self) -> None:
        table = self.table
        table.setModel(self.model)
        table.setItemDelegate(RowDelegate(table))
        table.setItemDelegateForColumn(PLACES["kind"], BadgeDelegate(table))
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.setShowGrid(False)
        table.setStyleSheet(f"QTableView::item {{ padding: 0 {CELL_PADDING}px; }}")
        table.setAlternatingRowColors(True)
        table.setWordWrap(False)
        table.setTabKeyNavigation(False)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        table.horizontalHeader().setHighlightSections(False)
        # Only the rows in view decide how wide the columns are.
        table.horizontalHeader().setResizeContentsPrecision(0)
        table.horizontalHeader().setStretchLastSection(False)
        table.horizontalHeader().setSortIndicator(PLACES["date"], Qt.SortOrder.DescendingOrder)
        table.setSortingEnabled(True)
        self.filter.setClearButtonEnabled(True)
        self.filter.setMaximumWidth(420)
        self.count.setProperty("look", "muted")
        self.deleted.setProperty("look", "muted")
        bar = QHBoxLayout()
        bar.setSpacing(GRID)
        bar.addWidget(self.filter, 1)
        bar.addWidget(self.count)
        bar.addStretch(1)
        bar.addWidget(self.deleted)
        bar.addWidget(self.undo)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.notice)
        self._stack.addWidget(table)
        # The table scrolls by itself; the pane needs no second scroll bar around it.
        self.setMinimumHeight(12 * GRID)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GRID, GRID, GRID, GRID)
        layout.setSpacing(GRID)
        layout.addLayout(bar)
        layout.addWidget(self._stack, 1)

    def _connect(self) -> None:
        shortcuts = {
            "restore": (self.restore, [QKeySequence(Qt.Key.Key_Return), QKeySequence(Qt.Key.Key_Enter)]),
            "copy": (self.copy, [QKeySequence(QKeySequence.StandardKey.Copy)]),
            "delete": (self.delete, [QKeySequence(QKeySequence.StandardKey.Delete)]),
            "undo": (self.undo_delete, [QKeySequence(QKeySequence.StandardKey.Undo)]),
        }
        for name, (slot, keys) in shortcuts.items():
            action = self._actions[name]
            action.setShortcuts(keys)
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            action.triggered.connect(lambda _checked=False, slot=slot: slot())
            self.table.addAction(action)
        for timer, interval, slot in ((self._typing, TYPING_MS, self._apply_filter), (self._forgetting, UNDO_MS, self._forget)):
            timer.setSingleShot(True)
            timer.setInterval(interval)
            timer.timeout.connect(slot)
        self.filter.textChanged.connect(lambda _text: self._typing.start())
        self.filter.returnPressed.connect(self._apply_filter)
        self.undo.clicked.connect(self.undo_delete)
        self.table.doubleClicked.connect(lambda _index: self.restore())
        self.table.customContextMenuRequested.connect(self._show_menu)
        self.table.selectionModel().selectionChanged.connect(lambda *_: self.selectionChanged.emit(self.selected()))
        self._chosen: tuple[int, ...] = ()
        self.model.modelAboutToBeReset.connect(self._remember_selection)
        self.model.modelReset.connect(self._on_reset)
        self._loader.loaded.connect(self._on_pandas)

    def _wait_for_pandas(self) -> None:
        if not self.model.ready:
            self._loader.load()
        self._show_state()

    def _on_pandas(self) -> None:
        self.model.rebuild()
        self._fit_columns()
        self._show_state()

    def _apply_filter(self) -> None:
        self._typing.stop()
        self.model.set_query(parse(self.filter.text()))
        self._show_state()

    def _forget(self) -> None:
        self._undoable.clear()
        self._show_state()

    def _remember_selection(self) -> None:
        self._chosen = self.selected()

    def _on_reset(self) -> None:
        for run in self._chosen[:1]:
            self._select(run)
        self._show_state()

    def _select(self, run: int) -> None:
        place = self.model.place_of(run)
        if place is not None:
            self.table.selectRow(place)

    def _fit_columns(self) -> None:
        if self.model.rowCount() == 0:
            return
        # Narrower than Qt would make them: it keeps room for a sort indicator in every header.
        metrics = self.table.horizontalHeader().fontMetrics()
        for column in range(len(COLUMNS)):
            title = metrics.horizontalAdvance(str(self.model.headerData(column, Qt.Orientation.Horizontal)))
            width = max(title + 4 * GRID, self.table.sizeHintForColumn(column) + GRID)
            self.table.setColumnWidth(column, width)

    def _show_state(self) -> None:
        shown, total = self.model.rowCount(), self.model.total
        every = self.tr("1 run") if total == 1 else self.tr("{total} runs")
        text = every if shown == total else self.tr("{shown} of {total} runs")
        self.count.setText(text.format(shown=shown, total=total) if total else "")
        if total == 0:
            body = self.tr("Every run is kept here with its request and its environment. Press Run to make the first.")
            self.notice.set_text(self.tr("No runs yet"), body)
        elif shown == 0 and self.model.ready:
            self.notice.set_text(self.tr("No run matches"), self.tr("Change or clear the filter to see the runs again."))
        self._stack.setCurrentIndex(1 if shown else 0)
        self.filter.setEnabled(total > 0)
        gone = len(self._undoable)
        self.deleted.setText(self.tr("1 run deleted") if gone == 1 else self.tr("{count} runs deleted").format(count=gone))
        self.deleted.setVisible(gone > 0)
        self.undo.setVisible(gone > 0)
        self._actions["undo"].setEnabled(gone > 0)

    def _show_menu(self, place: QPoint) -> None:
        menu = self.context_menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.table.viewport().mapToGlobal(place))

    def context_menu(self) -> QMenu:
        """What can be done with the selected runs."""
        menu = QMenu(self.table)
        for name in ("restore", "copy", "delete"):
            menu.addAction(self._actions[name])
        menu.addSeparator()
        menu.addAction(self._actions["undo"])
        return menu
