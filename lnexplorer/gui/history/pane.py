"""Every run: filter, sort, annotate, compare with a baseline, restore, delete, hand on."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QModelIndex, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QMenu, QStackedWidget, QVBoxLayout, QWidget

from lnexplorer.domain.history import ExperimentRow, HistoryRow, SweepRow
from lnexplorer.domain.history_filter import parse
from lnexplorer.domain.history_query import HistoryQuery
from lnexplorer.gui.charts.notice import Notice
from lnexplorer.gui.history.bar import HistoryBar
from lnexplorer.gui.history.columns import COLUMNS, PLACES
from lnexplorer.gui.history.deletions import Deletions
from lnexplorer.gui.history.experiments import ExperimentTable
from lnexplorer.gui.history.model import HistoryModel
from lnexplorer.gui.history.sweeps import SweepTable
from lnexplorer.gui.history.table import RunTable
from lnexplorer.gui.history.words import title
from lnexplorer.gui.shell.theme import GRID, Theme

LEAST_ROWS = 2  # that a strip at the foot of a small window shows whole
UNDO_MS = 15_000  # how long a button offers to take a deletion back; the key and the menu do so as long as the window is open
COPIES = ("python", "command", "config")
EXPORTS = ("csv", "parquet", "json", "notebook", "report")


class HistoryPane(QWidget):
    """Tables of runs, sweeps and experiments. Deleting takes something out of its table at once; it can be taken back."""

    queryChanged = Signal(object)  # noqa: N815  # HistoryQuery; answered by `set_listing`
    rowsWanted = Signal(tuple)  # noqa: N815  # run numbers; answered by `set_rows`
    restoreRequested = Signal(int)  # noqa: N815
    deleteRequested = Signal(tuple)  # noqa: N815
    undoDeleteRequested = Signal(tuple)  # noqa: N815
    annotated = Signal(int, str)
    pinRequested = Signal(object)  # noqa: N815  # run number, or None
    copyRequested = Signal(str, int)  # noqa: N815  # one of COPIES, run number
    exportRequested = Signal(str, tuple)  # noqa: N815  # one of EXPORTS, run numbers
    sweepsWanted = Signal()  # noqa: N815  # answered by `set_sweeps`
    sweepRequested = Signal(int, bool)  # noqa: N815  # its number, and whether to go on with it; to be shown
    sweepAnnotated = Signal(int, str)  # noqa: N815  # answered, as the next two, by `set_sweeps`
    deleteSweepsRequested = Signal(tuple)  # noqa: N815
    undoDeleteSweepsRequested = Signal(tuple)  # noqa: N815
    experimentRequested = Signal(int)  # noqa: N815  # its number; to be shown
    deleteExperimentsRequested = Signal(tuple)  # noqa: N815  # answered, as the next, by `set_experiments`
    undoDeleteExperimentsRequested = Signal(tuple)  # noqa: N815
    selectionChanged = Signal(object)  # noqa: N815  # tuple of run numbers

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bar = HistoryBar(self)
        self.model = HistoryModel(self)
        self.table = RunTable(self.model)
        self.sweeps, self.experiments = SweepTable(), ExperimentTable()
        self.notice = Notice()
        self._actions: dict[str, QAction] = {}
        self._query = HistoryQuery()
        self._deletions = Deletions()
        self._offers_undo = False
        self._forgetting = QTimer(self)
        self._select_next: int | None = None
        self._build()
        self._connect()
        self.retranslate()

    def set_listing(self, ids: NDArray[np.int64], total: int, baseline: HistoryRow | None) -> None:
        """Show these runs, in this order. Their lines are asked for as they come into view."""
        self.model.set_listing(ids, total, baseline)
        self.bar.set_baseline(baseline)
        self.table.show_differences(baseline is not None)
        if self._select_next is not None and self.table.select_run(self._select_next):
            self._select_next = None
        self._show_state()

    def set_rows(self, rows: list[HistoryRow]) -> None:
        """Take lines that were asked for."""
        self.model.set_rows(rows)

    def show_rows(self, rows: list[HistoryRow]) -> None:
        """Show a few runs that are all there is."""
        self.set_listing(np.array([row.id for row in rows], np.int64), len(rows), None)
        self.set_rows(rows)

    def set_sweeps(self, rows: list[SweepRow]) -> None:
        """Show these sweeps; where there are none, they are no choice beside the runs."""
        self.sweeps.set_sweeps(rows)
        self._show_kinds()

    def set_experiments(self, rows: list[ExperimentRow]) -> None:
        """Show these experiments; where there are none, they are no choice beside the runs."""
        self.experiments.set_experiments(rows)
        self._show_kinds()

    def show_kind(self, kind: str) -> None:
        """Show the runs, the sweeps or the experiments; nothing happens where there are none."""
        if not self.bar.kinds.button(kind).isHidden():
            self.bar.kinds.choose(kind)
            self._on_kind(kind)

    def refresh(self) -> None:
        """Ask again for the runs that match."""
        self.queryChanged.emit(self._query)

    def selected(self) -> tuple[int, ...]:
        """Numbers of the selected runs."""
        return self.table.selected()

    def apply_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        self.model.apply_theme(theme)
        self.bar.apply_theme(theme)
        self.table.restyle()
        self.sweeps.restyle()
        self.experiments.apply_theme(theme)
        self._keep_rows_in_sight()

    def retranslate(self) -> None:
        """Take the words of the language."""
        self.setAccessibleName(self.tr("History"))
        self.table.setAccessibleName(self.tr("Runs"))
        self.table.setToolTip(self.tr("Enter or a double click restores a run, F2 writes its note, Delete removes it"))
        names = {
            "restore": self.tr("Restore parameters and results"),
            "note": self.tr("Write a note"),
            "pin": self.tr("Compare the others with this run"),
            "copy": self.tr("Copy as a table"),
            "python": self.tr("Copy as Python"),
            "command": self.tr("Copy as a command"),
            "config": self.tr("Copy as triton.Config"),
            "csv": self.tr("CSV …"),
            "parquet": self.tr("Parquet …"),
            "json": self.tr("JSON …"),
            "notebook": self.tr("Notebook …"),
            "report": self.tr("HTML report …"),
            "delete": self.tr("Delete"),
            "undo": self.tr("Undo the deletion"),
        }
        for name, action in self._actions.items():
            action.setText(names[name])
            action.setToolTip(names[name])
        self.bar.retranslate()
        self.model.retranslate()
        self._show_state()
        self._keep_rows_in_sight()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follow the language."""
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def restore(self) -> None:
        """Ask for the current run."""
        run = self.table.current()
        if run is not None:
            self.restoreRequested.emit(run)

    def pin(self) -> None:
        """Compare the other runs with the current one; a second time with none."""
        run = self.table.current()
        if run is not None:
            baseline = self.model.baseline
            self.pinRequested.emit(None if baseline is not None and baseline.id == run else run)

    def delete(self) -> None:
        """Take the selected runs out."""
        runs = self.selected()
        if not runs:
            return
        place = self.table.currentIndex().row()
        self.model.remove(set(runs))
        self.deleteRequested.emit(runs)
        if self.model.rowCount():
            self.table.select_place(min(max(place, 0), self.model.rowCount() - 1))
        self._note_deletion("runs", runs)

    def undo_delete(self) -> None:
        """Put back what was deleted last, be it runs, sweeps or experiments; then what was deleted before that."""
        gone = self._deletions.pop()
        if gone is None:
            return
        match gone.kind:
            case "experiments":
                self.undoDeleteExperimentsRequested.emit(gone.ids)
            case "sweeps":
                self.undoDeleteSweepsRequested.emit(gone.ids)
            case _:
                self._select_next = gone.ids[0]
                self.undoDeleteRequested.emit(gone.ids)
        self._show_state()

    def _delete_experiments(self, gone: tuple[int, ...]) -> None:
        self.experiments.remove(set(gone))
        self.deleteExperimentsRequested.emit(gone)
        self._note_deletion("experiments", gone)  # whether any are left, the answer says

    def _delete_sweeps(self, gone: tuple[int, ...]) -> None:
        self.sweeps.remove(set(gone))
        self.deleteSweepsRequested.emit(gone)
        self._note_deletion("sweeps", gone)

    def _note_deletion(self, kind: str, gone: tuple[int, ...]) -> None:
        self._deletions.push(kind, gone)
        self._offers_undo = True
        self._forgetting.start()
        self._show_state()

    def copy(self) -> None:
        """Put the selected runs on the clipboard, tabs between the columns. Lines that are not here yet are left out."""
        import pandas as pd  # noqa: PLC0415  (imported after the first paint; see late_panes)

        columns = [place for place in range(len(COLUMNS)) if not self.table.isColumnHidden(place)]
        places = [place for run in self.selected() if (place := self.model.place_of(run)) is not None]
        known = [place for place in places if self.model.row_at(place) is not None]
        cells = [[str(self.model.data(self.model.index(place, column))) for column in columns] for place in known]
        titles = [str(self.model.headerData(place, Qt.Orientation.Horizontal)) for place in columns]
        QGuiApplication.clipboard().setText(pd.DataFrame(cells, columns=titles).to_csv(sep="\t", index=False).rstrip("\n"))

    def context_menu(self) -> QMenu:
        """What can be done with the selected runs, and the order of all, for whoever has no mouse."""
        menu = QMenu(self.table)
        for name in ("restore", "note", "pin"):
            menu.addAction(self._actions[name])
        menu.addSeparator()
        menu.addAction(self._actions["copy"])
        for name in COPIES:
            menu.addAction(self._actions[name])
        export = menu.addMenu(self.tr("Export the selected runs"))
        for name in EXPORTS:
            export.addAction(self._actions[name])
        menu.addSeparator()
        menu.addAction(self._actions["delete"])
        menu.addAction(self._actions["undo"])
        menu.addSeparator()
        order = menu.addMenu(self.tr("Sort by"))
        for place in range(len(COLUMNS)):
            if not self.table.isColumnHidden(place):
                order.addAction(title(COLUMNS[place].key)).triggered.connect(partial(self._sort_by, place))
        return menu

    def _sort_by(self, place: int) -> None:
        header = self.table.horizontalHeader()
        again = header.sortIndicatorSection() == place and header.sortIndicatorOrder() == Qt.SortOrder.DescendingOrder
        self.table.sortByColumn(place, Qt.SortOrder.AscendingOrder if again else Qt.SortOrder.DescendingOrder)

    def _build(self) -> None:
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.notice)
        self._stack.addWidget(self.table)
        self._stack.addWidget(self.sweeps)
        self._stack.addWidget(self.experiments)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GRID, GRID // 2, GRID, GRID // 2)
        layout.setSpacing(GRID // 2)
        layout.addWidget(self.bar)
        layout.addWidget(self._stack, 1)

    def _keep_rows_in_sight(self) -> None:
        """The table scrolls by itself; the pane needs no second scroll bar around it, and is no lower than two rows need."""
        table, layout = self.table, self.layout()
        assert layout is not None, "it has been laid out"
        margins = layout.contentsMargins()
        around = margins.top() + margins.bottom() + layout.spacing() + 2 * table.frameWidth()
        parts = (self.bar, table.horizontalHeader(), table.horizontalScrollBar())
        rows = LEAST_ROWS * table.verticalHeader().defaultSectionSize()
        self.setMinimumHeight(around + rows + sum(part.sizeHint().height() for part in parts))

    def _connect(self) -> None:
        slots: dict[str, tuple[Callable[[], None], list[QKeySequence]]] = {
            "restore": (self.restore, [QKeySequence(Qt.Key.Key_Return), QKeySequence(Qt.Key.Key_Enter)]),
            "note": (self.table.edit_note, [QKeySequence("F2")]),
            "pin": (self.pin, [QKeySequence("Ctrl+B")]),
            "copy": (self.copy, [QKeySequence(QKeySequence.StandardKey.Copy)]),
            "delete": (self.delete, [QKeySequence(QKeySequence.StandardKey.Delete)]),
            "undo": (self.undo_delete, [QKeySequence(QKeySequence.StandardKey.Undo)]),
        }
        slots |= {name: (partial(self._copy_as, name), []) for name in COPIES}
        slots |= {name: (partial(self._export, name), []) for name in EXPORTS}
        for name, (slot, keys) in slots.items():
            action = self._actions[name] = QAction(self.table)
            action.setShortcuts(keys)
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            action.triggered.connect(lambda _checked=False, slot=slot: slot())
            self.table.addAction(action)
        self._forgetting.setSingleShot(True)
        self._forgetting.setInterval(UNDO_MS)
        self._forgetting.timeout.connect(self._forget)
        self.bar.kinds.changed.connect(self._on_kind)
        self.bar.filterChanged.connect(self._on_filter)
        self.bar.undoRequested.connect(self.undo_delete)
        self.bar.unpinRequested.connect(lambda: self.pinRequested.emit(None))
        self.sweeps.openRequested.connect(self.sweepRequested)
        self.sweeps.annotated.connect(self.sweepAnnotated)
        self.sweeps.deleteRequested.connect(self._delete_sweeps)
        self.sweeps.undoRequested.connect(self.undo_delete)
        self.sweeps.shownChanged.connect(self._show_state)
        self.experiments.openRequested.connect(self.experimentRequested)
        self.experiments.deleteRequested.connect(self._delete_experiments)
        self.experiments.undoRequested.connect(self.undo_delete)
        self.table.doubleClicked.connect(self._on_double_click)
        self.table.customContextMenuRequested.connect(self._show_menu)
        self.table.selectionModel().selectionChanged.connect(lambda *_: self.selectionChanged.emit(self.selected()))
        self.model.rowsWanted.connect(self.rowsWanted)
        self.model.noteEdited.connect(self.annotated)
        self.model.sortRequested.connect(self._on_sort)

    def _on_kind(self, kind: str) -> None:
        if kind == "sweeps":
            self.sweepsWanted.emit()
        self.bar.show_kind(kind)
        self._show_state()

    def _on_filter(self, text: str) -> None:
        if self.bar.kinds.current == "sweeps":
            self.sweeps.set_filter(text)
            return
        query = parse(text)
        self._ask(replace(query, sorted_by=self._query.sorted_by, descending=self._query.descending))

    def _on_sort(self, key: str, descending: bool) -> None:
        self._ask(replace(self._query, sorted_by=key, descending=descending))

    def _ask(self, query: HistoryQuery) -> None:
        if query != self._query:
            self._query = query
            self.refresh()

    def _on_double_click(self, index: QModelIndex) -> None:
        if index.column() != PLACES["note"]:
            self.restore()

    def _copy_as(self, kind: str) -> None:
        run = self.table.current()
        if run is not None:
            self.copyRequested.emit(kind, run)

    def _export(self, kind: str) -> None:
        runs = self.selected()
        if runs:
            self.exportRequested.emit(kind, runs)

    def _forget(self) -> None:
        self._offers_undo = False
        self._show_state()

    def _show_kinds(self) -> None:
        self.bar.set_kinds(sweeps=self.sweeps.total > 0, experiments=self.experiments.rowCount() > 0)
        self._show_state()

    def _show_state(self) -> None:
        shown, total = self.model.rowCount(), self.model.total
        self.bar.count.setText(self._count())
        if total == 0:
            body = self.tr("Every run is kept here with its request and its environment. Press Run to make the first.")
            self.notice.set_text(self.tr("No runs yet"), body)
        elif shown == 0:
            self.notice.set_text(self.tr("No run matches"), self.tr("Change or clear the filter to see the runs again."))
        kind = self.bar.kinds.current
        self._stack.setCurrentIndex({"sweeps": 2, "experiments": 3}.get(kind, 1 if shown else 0))
        for part in (self.bar.filter, self.bar.fields, self.bar.count):
            part.setVisible(kind == "runs" or (kind == "sweeps" and part is not self.bar.fields))
        self.bar.filter.setEnabled(total > 0 or kind == "sweeps")
        self.bar.fields.setEnabled(total > 0)
        last = self._deletions.last
        offered = last if self._offers_undo else None
        self.bar.set_deleted(len(offered.ids) if offered else 0, offered.kind if offered else "runs")
        for action in (self._actions["undo"], self.sweeps.undo, self.experiments.undo):
            action.setEnabled(last is not None)

    def _count(self) -> str:
        """How many of how many are on show."""
        if self.bar.kinds.current == "sweeps":
            shown, total = self.sweeps.rowCount(), self.sweeps.total
            if total == 1:
                text = self.tr("1 sweep") if shown else self.tr("0 of 1 sweep")
            else:
                text = self.tr("{total} sweeps") if shown == total else self.tr("{shown} of {total} sweeps")
        else:
            shown, total = self.model.rowCount(), self.model.total
            if total == 1:
                text = self.tr("1 run") if shown else self.tr("0 of 1 run")
            else:
                text = self.tr("{total} runs") if shown == total else self.tr("{shown} of {total} runs")
        return text.format(shown=f"{shown:,}", total=f"{total:,}") if total else ""

    def _show_menu(self, place: QPoint) -> None:
        menu = self.context_menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.table.viewport().mapToGlobal(place))
