"""The History pane: every run, sweep and experiment that was kept, and a gallery of recordings."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QLineEdit, QMenu, QPushButton, QStackedWidget, QToolButton, QWidget

from lnexplorer.domain import wording
from lnexplorer.domain.history import (
    ExperimentRow,
    HistoryQuery,
    HistoryRow,
    SweepRow,
    differences,
    parse,
)
from lnexplorer.gui.kit import (
    GRID,
    RIGHT,
    ElidedLabel,
    Label,
    Notice,
    Retranslated,
    Segments,
    Theme,
    WrappedLabel,
    icon,
    lay_column,
    lay_row,
)
from lnexplorer.gui.kit.table import FewRowsModel, RowsModel, RowsTable
from lnexplorer.gui.panes.history.columns import EXPERIMENTS, RUNS, SWEEPS, has_setting
from lnexplorer.gui.panes.history.gallery import GalleryView
from lnkernels.launch import SETTING
from lnkernels.values import Sentence, join_sentences, say

TYPING_MS = 120  # the filter waits until typing pauses
FILTER_WIDTH = 52 * GRID
KINDS = {
    "runs": (say("runs"), say("Every run")),
    "sweeps": (say("sweeps"), say("Every sweep, with the command that asked for it")),
    "experiments": (say("experiments"), say("Every experiment, with what it found")),
    "recordings": (say("recordings"), say("The gallery: everything that was recorded before")),
}
WORDS = (say("Filter: words that stand in a row"), say("Every word must occur in the row."))
FILTERS = {  # placeholder and tooltip of the filter
    "runs": (
        say("Filter: words, or N>=4096 dtype=float16 failed date>=2026-01-31"),
        say(
            "Every term must hold. A word occurs in time, device, kind, shape, dtype, strategy,"
            " setting or note; passed and failed are verdicts; M, N, G, num_warps and every other"
            " setting, forward, backward, share, y, dx, dw, db and date compare with <, <=, =, >=,"
            " >."
        ),
    ),
    "sweeps": WORDS,
    "experiments": WORDS,
    "recordings": (say("Search: GROUP_SIZE_M 16, H200, barrier …"), WORDS[1]),
}


class HistoryBar(Retranslated, QWidget):
    """Each kind keeps its own filter."""

    filterChanged = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.kinds = Segments(KINDS)
        self.filter = self.write_on(QLineEdit(clearButtonEnabled=True), name=say("Filter"))
        self.count = Label(look="muted")
        self.baseline = ElidedLabel(look="muted", alignment=RIGHT)
        about = say("Unpin A")
        self.unpin = self.write_on(QToolButton(), tip=about, name=about)
        self.undo = self.write_on(QPushButton(), tip=say("Put back what was deleted last"))
        self._has_baseline = False
        self._kind = ""
        self._texts: dict[str, str] = {}  # the filters of the kinds that are not on show
        self._typing = QTimer(self, singleShot=True, interval=TYPING_MS)
        self._typing.timeout.connect(self.apply)
        self.filter.textChanged.connect(lambda _text: self._typing.start())
        self.filter.returnPressed.connect(self.apply)
        self.filter.setMaximumWidth(FILTER_WIDTH)
        below = (self.unpin, self.undo)
        parts = (self.kinds, (self.filter, 6), self.count, 1, (self.baseline, 4), *below)
        lay_row(self, *parts, spacing=GRID)
        self.offer_undo(0)
        self.show_kind("runs")

    def apply(self) -> None:
        self._typing.stop()
        self.filterChanged.emit(self.filter.text())

    def set_baseline(self, row: HistoryRow | None) -> None:
        self._has_baseline = row is not None
        if row is not None:
            shape = wording.shape(row.m, row.n, row.dtype)
            self.write(
                self.baseline.setText,
                say("A: {shape}, {strategy}", shape=shape, strategy=row.strategy),
            )
            self.write_on(self.baseline, tip=say("The run that the others are compared with"))
        self._show_baseline()

    def show_kind(self, kind: str) -> None:
        if kind != self._kind:
            self._texts[self._kind] = self.filter.text()
            self._kind = kind
            self.filter.setText(self._texts.get(kind, ""))
            self._typing.stop()  # nothing is typed
            hint, tip = FILTERS[kind]
            self.write(self.filter.setPlaceholderText, hint)
            self.write_on(self.filter, tip=tip)
            self._show_baseline()

    def show_count(self, shown: int, total: int) -> None:
        text = say("{shown} of {total}", shown=f"{shown:,}", total=f"{total:,}")
        self.write_on(self.count, "" if not total else f"{total:,}" if shown == total else text)
        self.filter.setEnabled(total > 0)

    def offer_undo(self, count: int) -> None:
        self.write_on(self.undo, say("Undo the deletion of {count}", count=count))
        self.undo.setVisible(count > 0)

    def apply_theme(self) -> None:
        self.unpin.setIcon(icon("cross", Theme.current.text))

    def _show_baseline(self) -> None:
        for part in (self.baseline, self.unpin):
            part.setVisible(self._has_baseline and self._kind == "runs")


MOST_DELETIONS = 100  # that are remembered
TIPS = {  # of the tables
    "runs": say("Enter or a double click restores a run, F2 writes its note, Delete removes it"),
    "sweeps": say("Enter or a double click shows a sweep, F2 writes its note, Delete removes it"),
    "experiments": say("Enter or a double click shows what an experiment found, Delete removes it"),
}


class HistoryPane(Retranslated, QWidget):
    """A table for each kind. Deleting takes rows out of their table at once; they can be taken
    back.
    """

    queryChanged = Signal(object)  # HistoryQuery; answered by `set_runs`
    restoreRequested = Signal(int)
    pinRequested = Signal(object)  # run number, or None
    sweepRequested = Signal(int, bool)  # its number, and whether to resume it; to be shown
    sweepCommandWanted = Signal(str)  # to be copied
    sweepRowsWanted = Signal(int)  # of a sweep, to be exported
    experimentRequested = Signal(int)  # its number; to be shown
    recordingsWanted = Signal()  # answered by the gallery's `set_exhibits`
    annotated = Signal(str, int, str)  # kind, number, note
    deleteRequested = Signal(str, tuple)  # kind, numbers
    undoDeleteRequested = Signal(str, tuple)  # kind, numbers

    def __init__(self) -> None:
        super().__init__()
        self.bar = HistoryBar()
        self.notice = Notice()
        self.place, self.remark = (
            WrappedLabel(objectName="message", margin=GRID // 2, visible=False) for _ in range(2)
        )
        for line in (self.place, self.remark):
            line.setProperty("tone", "note")
        self.differences = WrappedLabel(visible=False)
        self.model = RowsModel(RUNS, self)
        self.kept = {
            "sweeps": FewRowsModel(SWEEPS, self),
            "experiments": FewRowsModel(EXPERIMENTS, self),
        }
        models = {"runs": self.model, **self.kept}
        self.tables = {
            kind: RowsTable(model, KINDS[kind][0], TIPS[kind]) for kind, model in models.items()
        }
        self.table, self.sweeps, self.experiments = self.tables.values()
        self.gallery = GalleryView()
        self._query = HistoryQuery()
        # Kind and numbers; the last comes back first.
        self._deletions: deque[tuple[str, tuple[int, ...]]] = deque(maxlen=MOST_DELETIONS)
        self._select_next: int | None = None
        self.write_on(self, name=say("History"))
        self._stack = QStackedWidget()
        for part in (self.notice, *self.tables.values(), self.gallery):
            self._stack.addWidget(part)
        margins = (GRID, GRID // 2, GRID, GRID // 2)
        self._buttons = {kind: QWidget() for kind in self.tables}
        parts = (self.place, self.bar, self.remark, (self._stack, 1), self.differences)
        lay_column(self, *parts, *self._buttons.values(), margins=margins, spacing=GRID // 2)
        self._add_commands()
        self._add_buttons()
        self._connect()
        self._show_state()

    def set_runs(
        self, rows: list[HistoryRow], total: int, baseline: HistoryRow | None = None
    ) -> None:
        """Show these runs, in this order, of so many that there are."""

        def show() -> None:
            self.model.set_rows(rows, total, baseline)
            self.bar.set_baseline(baseline)
            for number, column in enumerate(RUNS):
                unused = column.key in SETTING and not any(
                    has_setting(column.key, row) for row in rows
                )
                unused |= column.key == "norm" and {row.norm for row in rows} == {"layer_norm"}
                hidden = unused or (column.compare is not None and baseline is None)
                self.table.setColumnHidden(number, hidden)
            if self._select_next is not None and self.table.select(self._select_next):
                self._select_next = None
            self._show_state()

        if (rows, total, baseline) != (self.model.rows, self.model.total, self.model.baseline):
            self.table.when_written(show)

    def set_kept(self, kind: str, rows: Sequence[SweepRow] | Sequence[ExperimentRow]) -> None:
        """Show all sweeps, or all experiments."""
        model = self.kept[kind]
        if rows != model.all:
            self.tables[kind].when_written(lambda: model.set_all(rows))

    def set_place(self, remark: Sentence | None) -> None:
        """Say above the tables why the history is not in its usual place."""
        if remark is not None:
            self.write(self.place.setText, remark)
            self.place.show()

    def show_kind(self, kind: str) -> None:
        self.bar.kinds.choose(kind)
        self._on_kind(kind)

    def refresh(self) -> None:
        self.queryChanged.emit(self._query)

    def selected(self) -> tuple[int, ...]:
        return self.table.selected()

    def pin(self) -> None:
        """Compare the other runs with the current one; a second time with none."""
        run, baseline = self.table.current_row(), self.model.baseline
        if run is not None:
            pinned = baseline is not None and baseline.id == run.id
            self.pinRequested.emit(None if pinned else run.id)

    def copy(self) -> None:
        """Put the selected runs on the clipboard, with tabs between the columns."""
        import pandas as pd  # takes half a second

        from lnexplorer.report.tables import csv_of

        titles, rows = self.table.written()
        text = csv_of(pd.DataFrame(rows, columns=titles), sep="\t")
        QGuiApplication.clipboard().setText(text.rstrip("\n"))

    def delete(self, kind: str = "runs") -> None:
        gone = self.tables[kind].remove_selected()
        if gone:
            self.deleteRequested.emit(kind, gone)
            self._deletions.append((kind, gone))
            self._show_state()

    def undo_delete(self) -> None:
        """Put back what was deleted last, of whatever kind; then what was deleted before that."""
        if self._deletions:
            kind, gone = self._deletions.pop()
            if kind == "runs":
                self._select_next = gone[0]
            self.undoDeleteRequested.emit(kind, gone)
            self._show_state()

    def _add_commands(self) -> None:
        keys, enter = QKeySequence.StandardKey, (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        runs, sweeps, experiments = self.table, self.sweeps, self.experiments
        restore = partial(self._with_current, runs, self.restoreRequested.emit)
        show_sweep = partial(self._open_sweep, resume=False)
        export = partial(self._with_current, sweeps, self.sweepRowsWanted.emit)
        show = partial(self._with_current, experiments, self.experimentRequested.emit)
        note, f2 = say("Write a note"), Qt.Key.Key_F2
        pin, pinned = say("Pin as A"), QKeySequence("Ctrl+B")
        runs.add_command("open", say("Restore"), restore, *enter)
        runs.add_command("note", note, runs.edit_note, f2)
        runs.add_command("pin", pin, self.pin, pinned)
        runs.add_command("copy", say("Copy as a table"), self.copy, keys.Copy)
        sweeps.add_command("open", say("Show"), show_sweep, *enter)
        sweeps.add_command("go_on", say("Go on with it"), partial(self._open_sweep, resume=True))
        sweeps.add_command("note", note, sweeps.edit_note, f2)
        sweeps.add_command("copy", say("Copy as a command"), self._copy_command, keys.Copy)
        sweeps.add_command("rows", say("Export its rows …"), export)
        experiments.add_command("open", say("Show"), show, *enter)
        for kind, table in self.tables.items():
            table.add_command("delete", say("Delete"), partial(self.delete, kind), keys.Delete)
            table.add_command("undo", say("Undo the deletion"), self.undo_delete, keys.Undo)

    def _add_buttons(self) -> None:
        """Offer the commands of each table below it."""
        for kind, table in self.tables.items():
            actions = [action for name, action in table.commands.items() if name != "undo"]
            buttons = [QToolButton() for _ in actions]
            for button, action in zip(buttons, actions, strict=True):
                button.setDefaultAction(action)
            row = lay_row(self._buttons[kind], *buttons, spacing=GRID)
            if kind == "runs":
                self.export = self.write_on(
                    QToolButton(), say("Export"), say("Copy or export the selected runs")
                )
                self.export.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
                row.addWidget(self.export)
            row.addStretch(1)

    def offer_exports(self, exports: list[QAction]) -> None:
        """Offer what copies and exports the selected runs."""
        self.table.exports = exports
        menu = QMenu(self)
        menu.addActions(exports)
        self.export.setMenu(menu)

    def _connect(self) -> None:
        self.bar.kinds.changed.connect(self._on_kind)
        self.bar.filterChanged.connect(self._on_filter)
        self.bar.undo.clicked.connect(self.undo_delete)
        self.bar.unpin.clicked.connect(lambda: self.pinRequested.emit(None))
        self.gallery.shownChanged.connect(self._show_state)
        for kind, table in self.tables.items():
            table.rows.noteEdited.connect(partial(self.annotated.emit, kind))
            table.doubleClicked.connect(partial(self._on_double_click, table))
            table.rows.modelReset.connect(self._show_state)
            chosen = table.selectionModel()
            for changed in (chosen.currentChanged, chosen.selectionChanged):
                changed.connect(lambda *_: self._on_selection())
        self.model.sortRequested.connect(
            lambda key, falls: self._ask(replace(self._query, sorted_by=key, descending=falls))
        )

    def _with_current(self, table: RowsTable, do: Callable[[int], object]) -> None:
        row = table.current_row()
        if row is not None:
            do(row.id)

    def _open_sweep(self, *, resume: bool) -> None:
        self._with_current(self.sweeps, lambda number: self.sweepRequested.emit(number, resume))

    def _copy_command(self) -> None:
        row = self.sweeps.current_row()
        if isinstance(row, SweepRow):
            self.sweepCommandWanted.emit(f"lnexplorer sweep {row.command}")

    def _on_kind(self, kind: str) -> None:
        if kind == "recordings":
            self.recordingsWanted.emit()
        self.bar.show_kind(kind)
        self._show_state()

    def _on_filter(self, text: str) -> None:
        kind, before = self.bar.kinds.current, self._query
        if kind == "runs":
            sorted_by, descending = before.sorted_by, before.descending
            asked = parse(text)
            self.write(self.remark.setText, join_sentences(asked.problems, "; "))
            self._ask(replace(asked, sorted_by=sorted_by, descending=descending))
        else:
            (self.gallery if kind == "recordings" else self.kept[kind]).set_filter(text)
        self._show_state()

    def _ask(self, query: HistoryQuery) -> None:
        if query != self._query:
            self._query = query
            self.refresh()

    def _on_double_click(self, table: RowsTable, index: QModelIndex) -> None:
        if table.rows.columns[index.column()].key != "note":
            table.commands["open"].trigger()

    def _show_state(self) -> None:
        kind = self.bar.kinds.current
        if kind == "recordings":
            shown, total = len(self.gallery.items()), self.gallery.total
        else:
            shown, total = self.tables[kind].rows.rowCount(), self.tables[kind].rows.total
        if total == 0 and kind == "runs":
            self.notice.set_text(
                say("No runs yet"),
                say(
                    "Every run is kept here with its request and its environment. Press Run to"
                    " make the first."
                ),
            )
        elif total == 0:
            self.notice.set_text(say("Nothing here yet"), "")
        elif shown == 0:
            self.notice.set_text(
                say("Nothing matches"),
                FILTERS[kind][1],
            )
        self._stack.setCurrentWidget(self.tables.get(kind, self.gallery) if shown else self.notice)
        self.bar.show_count(shown, total)
        self.bar.offer_undo(len(self._deletions[-1][1]) if self._deletions else 0)
        for table in self.tables.values():
            table.commands["undo"].setEnabled(bool(self._deletions))
        self.remark.setVisible(kind == "runs" and bool(self.remark.text()))
        for name, buttons in self._buttons.items():
            buttons.setVisible(name == kind and shown > 0)
        self._on_selection()

    def _on_selection(self) -> None:
        """Offer what can be done with the chosen rows, and say in what chosen runs differ."""
        for table in self.tables.values():
            for name, action in table.commands.items():
                if name != "undo":
                    action.setEnabled(table.current_row() is not None)
        chosen = set(self.selected())
        rows = [row for row in self.model.rows if row.id in chosen]
        self.differences.setVisible(self.bar.kinds.current == "runs" and len(rows) > 1)
        if len(rows) > 1:
            self.write(self.differences.setText, differences(rows))
        row = self.sweeps.current_row()
        resumable = isinstance(row, SweepRow) and not row.complete and not row.running
        self.sweeps.commands["go_on"].setEnabled(resumable)
