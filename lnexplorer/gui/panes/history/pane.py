"""Every run, sweep and experiment: filter, sort, annotate, compare with a baseline, open again,
delete, hand on.

The gallery of recordings is its second page.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QModelIndex, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QLineEdit, QMenu, QPushButton, QStackedWidget, QToolButton, QWidget

from lnexplorer.domain import wording
from lnexplorer.domain.history import ExperimentRow, HistoryQuery, HistoryRow, SweepRow, parse
from lnexplorer.gui.kit.languages import Retranslated
from lnexplorer.gui.kit.style import icon
from lnexplorer.gui.kit.theme import GRID, Theme
from lnexplorer.gui.kit.translate import translate_message
from lnexplorer.gui.kit.widgets import ElidedLabel, Label, Notice, Segments, lay_column, lay_row
from lnexplorer.gui.panes.history.columns import DIFFERENCES, EXPERIMENTS, RUNS, SWEEPS, place
from lnexplorer.gui.panes.history.gallery import GalleryView
from lnexplorer.gui.panes.history.table import HistoryModel, HistoryTable, KeptModel
from lnkernels.values.sentence import say

TYPING_MS = 120  # the filter waits until typing pauses
FILTER_WIDTH = 52 * GRID
KINDS = ("runs", "sweeps", "experiments", "recordings")
MOST_DELETIONS = 100  # that are remembered
ENDS = ("pin", "copy", "undo")  # what ends a group of a menu


class HistoryBar(QWidget):
    filterChanged = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kinds = Segments(KINDS)
        self.filter = QLineEdit()
        self.count = Label()
        self.baseline = ElidedLabel()
        self.unpin = QToolButton()
        self.undo = QPushButton()
        self.other = QPushButton()
        self._baseline: HistoryRow | None = None
        self._kind = KINDS[0]
        self._texts: dict[str, str] = {}  # the filters of the kinds that are not on show
        self._typing = QTimer(self, singleShot=True, interval=TYPING_MS)
        self._build()
        self._typing.timeout.connect(self.apply)
        self.filter.textChanged.connect(lambda _text: self._typing.start())
        self.filter.returnPressed.connect(self.apply)

    def apply(self) -> None:
        self._typing.stop()
        self.filterChanged.emit(self.filter.text())

    def set_baseline(self, row: HistoryRow | None) -> None:
        self._baseline = row
        for part in (self.baseline, self.unpin):
            part.setVisible(row is not None and self._kind == KINDS[0])
        if row is not None:
            shape = wording.shape(row.m, row.n, row.dtype)
            self.baseline.setText(
                self.tr("baseline: {shape}, {strategy}").format(shape=shape, strategy=row.strategy)
            )

    def show_kind(self, kind: str) -> None:
        if kind == self._kind:
            return
        self._texts[self._kind] = self.filter.text()
        self._kind = kind
        self.set_baseline(self._baseline)
        self.filter.setText(self._texts.get(kind, ""))
        self._typing.stop()  # nothing is typed
        self.other.setVisible(kind == "recordings")
        self._name_filter()

    def show_count(self, shown: int, total: int) -> None:
        text = (
            f"{total:,}"
            if shown == total
            else self.tr("{shown} of {total}").format(shown=f"{shown:,}", total=f"{total:,}")
        )
        self.count.setText(text if total else "")
        self.filter.setEnabled(total > 0)

    def offer_undo(self, count: int) -> None:
        self.undo.setText(self.tr("Undo the deletion of {count}").format(count=count))
        self.undo.setVisible(count > 0)

    def apply_theme(self, theme: Theme) -> None:
        self.unpin.setIcon(icon("cross", theme.text))

    def retranslate(self) -> None:
        self.kinds.set_text("runs", self.tr("runs"), self.tr("Every run"))
        self.kinds.set_text(
            "sweeps", self.tr("sweeps"), self.tr("Every sweep, with the command that asked for it")
        )
        self.kinds.set_text(
            "experiments", self.tr("experiments"), self.tr("Every experiment, with what it found")
        )
        self.kinds.set_text(
            "recordings",
            self.tr("recordings"),
            self.tr("The gallery: everything that was recorded before"),
        )
        self._name_filter()
        self.other.setText(self.tr("Another file …"))
        self.other.setToolTip(self.tr("Open a recording that is elsewhere"))
        self.undo.setToolTip(self.tr("Put back what was deleted last"))
        self.baseline.setToolTip(self.tr("The run that the others are compared with"))
        self.unpin.setToolTip(self.tr("Compare with no run"))
        self.unpin.setAccessibleName(self.unpin.toolTip())
        self.set_baseline(self._baseline)

    def _name_filter(self) -> None:
        hint, tip = (
            self.tr("Filter: words that stand in a row"),
            self.tr("Every word must occur in the row."),
        )
        if self._kind == "runs":
            hint = self.tr("Filter: words, or N>=4096 dtype=float16 failed date>=2026-01-31")
            tip = self.tr(
                "Every term must hold. A word occurs in time, device, kind, shape, dtype, strategy"
                " or note; passed and failed are verdicts; M, N, G, forward, backward, share, y,"
                " dx, dw, db and date compare with <, <=, =, >=, >."
            )
        elif self._kind == "recordings":
            hint = self.tr("Search: GROUP_SIZE_M 16, H200, barrier …")
        self.filter.setPlaceholderText(hint)
        self.filter.setAccessibleName(self.tr("Filter"))
        self.filter.setToolTip(tip)

    def _build(self) -> None:
        self.filter.setClearButtonEnabled(True)
        self.filter.setMaximumWidth(FILTER_WIDTH)
        for label in (self.count, self.baseline):
            label.setProperty("look", "muted")
        lay_row(
            self,
            self.kinds,
            (self.filter, 6),
            self.count,
            1,
            (self.baseline, 4),
            self.unpin,
            self.undo,
            self.other,
            spacing=GRID,
        )
        self.baseline.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.other.hide()
        self.set_baseline(None)
        self.offer_undo(0)


class HistoryPane(Retranslated, QWidget):
    """A table for each kind. Deleting takes rows out of their table at once; they can be taken
    back.
    """

    queryChanged = Signal(object)  # HistoryQuery; answered by `set_runs`
    restoreRequested = Signal(int)
    pinRequested = Signal(object)  # run number, or None
    sweepRequested = Signal(int, bool)  # its number, and whether to go on with it; to be shown
    sweepCommandWanted = Signal(str)  # to be copied
    sweepRowsWanted = Signal(int)  # of a sweep, to be exported
    experimentRequested = Signal(int)  # its number; to be shown
    recordingsWanted = Signal()  # answered by the gallery's `keep` and `add`
    annotated = Signal(str, int, str)  # kind, number, note
    deleteRequested = Signal(str, tuple)  # kind, numbers
    undoDeleteRequested = Signal(str, tuple)  # kind, numbers

    def __init__(self) -> None:
        super().__init__()
        self.bar = HistoryBar(self)
        self.notice = Notice()
        self.model = HistoryModel(RUNS, self)
        self.sweep_model = KeptModel(SWEEPS, self)
        self.experiment_model = KeptModel(EXPERIMENTS, self)
        self.table = HistoryTable(self.model)
        self.sweeps = HistoryTable(self.sweep_model)
        self.experiments = HistoryTable(self.experiment_model)
        self.gallery = GalleryView()
        self.tables = {"runs": self.table, "sweeps": self.sweeps, "experiments": self.experiments}
        self.exports: list[QAction] = []  # what copies or writes the selected runs
        self._query = HistoryQuery()
        self._deletions: list[
            tuple[str, tuple[int, ...]]
        ] = []  # kind and numbers; the last comes back first
        self._select_next: int | None = None
        self._build()
        self._add_deeds()
        self._connect()
        self.retranslate()

    def set_runs(
        self, rows: list[HistoryRow], total: int, baseline: HistoryRow | None = None
    ) -> None:
        """Show these runs, in this order, of so many that there are."""

        def show() -> None:
            self.model.set_rows(rows, total, baseline)
            self.bar.set_baseline(baseline)
            for key in DIFFERENCES:
                self.table.setColumnHidden(place(self.model.columns, key), baseline is None)
            if self._select_next is not None and self.table.select(self._select_next):
                self._select_next = None
            self._show_state()

        if (rows, total, baseline) != (self.model.rows, self.model.total, self.model.baseline):
            self.table.when_written(show)

    def set_sweeps(self, rows: list[SweepRow]) -> None:
        if rows != self.sweep_model.all:
            self.sweeps.when_written(lambda: self.sweep_model.set_all(rows))

    def set_experiments(self, rows: list[ExperimentRow]) -> None:
        if rows != self.experiment_model.all:
            self.experiment_model.set_all(rows)

    def show_kind(self, kind: str) -> None:
        self.bar.kinds.choose(kind)
        self._on_kind(kind)

    def refresh(self) -> None:
        self.queryChanged.emit(self._query)

    def selected(self) -> tuple[int, ...]:
        return self.table.selected()

    def apply_theme(self, theme: Theme) -> None:
        self.bar.apply_theme(theme)
        self.gallery.apply_theme(theme)
        for table in self.tables.values():
            table.rows.apply_theme(theme)
            table.restyle()

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("History"))
        titles = {
            "runs": self.tr("Runs"),
            "sweeps": self.tr("Sweeps"),
            "experiments": self.tr("Experiments"),
        }
        tips = {
            "runs": self.tr(
                "Enter or a double click restores a run, F2 writes its note, Delete removes it"
            ),
            "sweeps": self.tr(
                "Enter or a double click shows a sweep, F2 writes its note, Delete removes it"
            ),
            "experiments": self.tr(
                "Enter or a double click shows what an experiment found, Delete removes it"
            ),
        }
        for kind, table in self.tables.items():
            table.setAccessibleName(titles[kind])
            table.setToolTip(tips[kind])
            table.retranslate()
        self.bar.retranslate()
        self._show_state()

    def pin(self) -> None:
        """Compare the other runs with the current one; a second time with none."""
        run = self.table.current()
        if run is not None:
            baseline = self.model.baseline
            self.pinRequested.emit(None if baseline is not None and baseline.id == run else run)

    def delete(self, kind: str = "runs") -> None:
        gone = self.tables[kind].remove_selected()
        if gone:
            self.deleteRequested.emit(kind, gone)
            self._deletions = [*self._deletions, (kind, gone)][-MOST_DELETIONS:]
            self._show_state()

    def undo_delete(self) -> None:
        """Put back what was deleted last, of whatever kind; then what was deleted before that."""
        if self._deletions:
            kind, gone = self._deletions.pop()
            if kind == "runs":
                self._select_next = gone[0]
            self.undoDeleteRequested.emit(kind, gone)
            self._show_state()

    def copy(self) -> None:
        """Put the selected runs on the clipboard, tabs between the columns."""
        import pandas as pd

        columns = [
            column for place, column in enumerate(RUNS) if not self.table.isColumnHidden(place)
        ]
        chosen = set(self.selected())
        cells = [
            [self.model.words(column, row) for column in columns]
            for row in self.model.rows
            if row.id in chosen
        ]
        titles = [translate_message(column.title) for column in columns]
        QGuiApplication.clipboard().setText(
            pd.DataFrame(cells, columns=titles).to_csv(sep="\t", index=False).rstrip("\n")
        )

    def context_menu(self, kind: str = "runs") -> QMenu:
        """What can be done with the selected rows, and the order of all, for whoever has no mouse."""
        table = self.tables[kind]
        menu = QMenu(table)
        for name, action in table.deeds.items():
            menu.addAction(action)
            if name == "copy" and kind == "runs":
                menu.addMenu(self.tr("Copy or export the selected runs")).addActions(self.exports)
            if name in ENDS:
                menu.addSeparator()
        order = menu.addMenu(self.tr("Sort by"))
        for column, what in enumerate(table.rows.columns):
            if not table.isColumnHidden(column):
                order.addAction(translate_message(what.title)).triggered.connect(
                    partial(self._sort_by, table, column)
                )
        return menu

    def _build(self) -> None:
        self._stack = QStackedWidget(self)
        for part in (self.notice, *self.tables.values(), self.gallery):
            self._stack.addWidget(part)
        lay_column(
            self,
            self.bar,
            (self._stack, 1),
            margins=(GRID, GRID // 2, GRID, GRID // 2),
            spacing=GRID // 2,
        )

    def _add_deeds(self) -> None:
        keys, enter = QKeySequence.StandardKey, (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        runs, sweeps, experiments = self.table, self.sweeps, self.experiments
        restore, show = self.restoreRequested.emit, self.experimentRequested.emit
        runs.add_deed(
            "restore",
            say("Restore parameters and results"),
            lambda: self._with_current(runs, restore),
            *enter,
        )
        runs.add_deed("note", say("Write a note"), runs.edit_note, Qt.Key.Key_F2)
        runs.add_deed(
            "pin", say("Compare the others with this run"), self.pin, QKeySequence("Ctrl+B")
        )
        runs.add_deed("copy", say("Copy as a table"), self.copy, keys.Copy)
        sweeps.add_deed(
            "open", say("Show in the Sweep pane"), lambda: self._open_sweep(go_on=False), *enter
        )
        sweeps.add_deed("go_on", say("Go on with it"), lambda: self._open_sweep(go_on=True))
        sweeps.add_deed("note", say("Write a note"), sweeps.edit_note, Qt.Key.Key_F2)
        sweeps.add_deed("copy", say("Copy as a command"), self._copy_command, keys.Copy)
        sweeps.add_deed(
            "rows",
            say("Export its rows …"),
            lambda: self._with_current(sweeps, self.sweepRowsWanted.emit),
        )
        experiments.add_deed(
            "open",
            say("Show in the Experiments pane"),
            lambda: self._with_current(experiments, show),
            *enter,
        )
        for kind, table in self.tables.items():
            table.add_deed("delete", say("Delete"), partial(self.delete, kind), keys.Delete)
            table.add_deed("undo", say("Undo the deletion"), self.undo_delete, keys.Undo)

    def _connect(self) -> None:
        self.bar.kinds.changed.connect(self._on_kind)
        self.bar.filterChanged.connect(self._on_filter)
        self.bar.undo.clicked.connect(self.undo_delete)
        self.bar.unpin.clicked.connect(lambda: self.pinRequested.emit(None))
        self.gallery.shownChanged.connect(self._show_state)
        for kind, table in self.tables.items():
            table.rows.noteEdited.connect(partial(self.annotated.emit, kind))
            table.doubleClicked.connect(partial(self._on_double_click, table))
            table.customContextMenuRequested.connect(partial(self._show_menu, kind))
            table.rows.modelReset.connect(self._show_state)
        self.sweeps.selectionModel().currentChanged.connect(
            lambda *_: self._show_what_is_possible()
        )
        self.model.sortRequested.connect(
            lambda key, falls: self._ask(replace(self._query, sorted_by=key, descending=falls))
        )

    def _with_current(self, table: HistoryTable, do: Callable[[int], object]) -> None:
        number = table.current()
        if number is not None:
            do(number)

    def _open_sweep(self, *, go_on: bool) -> None:
        self._with_current(self.sweeps, lambda number: self.sweepRequested.emit(number, go_on))

    def _copy_command(self) -> None:
        row = self.sweeps.current_row()
        if row is not None:
            self.sweepCommandWanted.emit(f"lnexplorer sweep {row.command}")

    def _sort_by(self, table: HistoryTable, column: int, _checked: bool = False) -> None:
        header = table.horizontalHeader()
        again = (
            header.sortIndicatorSection() == column
            and header.sortIndicatorOrder() == Qt.SortOrder.DescendingOrder
        )
        table.sortByColumn(
            column, Qt.SortOrder.AscendingOrder if again else Qt.SortOrder.DescendingOrder
        )

    def _on_kind(self, kind: str) -> None:
        if kind == "recordings":
            self.recordingsWanted.emit()
        self.bar.show_kind(kind)
        self._show_state()

    def _on_filter(self, text: str) -> None:
        kind = self.bar.kinds.current
        if kind == "runs":
            self._ask(
                replace(
                    parse(text), sorted_by=self._query.sorted_by, descending=self._query.descending
                )
            )
        else:
            kept = {
                "sweeps": self.sweep_model.set_filter,
                "experiments": self.experiment_model.set_filter,
            }
            kept.get(kind, self.gallery.set_filter)(text)
            self._show_state()

    def _ask(self, query: HistoryQuery) -> None:
        if query != self._query:
            self._query = query
            self.refresh()

    def _on_double_click(self, table: HistoryTable, index: QModelIndex) -> None:
        if table.rows.columns[index.column()].key != "note":
            table.deeds["restore" if table is self.table else "open"].trigger()

    def _show_state(self) -> None:
        kind = self.bar.kinds.current
        if kind == "recordings":
            shown, total = len(self.gallery.items()), self.gallery.total
        else:
            shown, total = self.tables[kind].rows.rowCount(), self.tables[kind].rows.total
        if total == 0 and kind == "runs":
            body = self.tr(
                "Every run is kept here with its request and its environment. Press Run to make the"
                " first."
            )
            self.notice.set_text(self.tr("No runs yet"), body)
        elif total == 0:
            self.notice.set_text(self.tr("Nothing here yet"), "")
        elif shown == 0:
            self.notice.set_text(
                self.tr("Nothing matches"),
                self.tr("Change or clear the filter to see the others again."),
            )
        self._stack.setCurrentWidget(self.tables.get(kind, self.gallery) if shown else self.notice)
        self.bar.show_count(shown, total)
        self.bar.offer_undo(len(self._deletions[-1][1]) if self._deletions else 0)
        for table in self.tables.values():
            table.deeds["undo"].setEnabled(bool(self._deletions))
        self._show_what_is_possible()

    def _show_what_is_possible(self) -> None:
        row = self.sweeps.current_row()
        self.sweeps.deeds["go_on"].setEnabled(
            row is not None and not row.complete and not row.running
        )

    def _show_menu(self, kind: str, where: QPoint) -> None:
        menu = self.context_menu(kind)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.tables[kind].viewport().mapToGlobal(where))
