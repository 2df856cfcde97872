"""The History pane."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QColor, QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu
from pytestqt.qtbot import QtBot

from lnexplorer.domain.history import ExperimentRow, HistoryRow, SweepRow
from lnexplorer.domain.history_query import HistoryQuery
from lnexplorer.domain.provenance import Kind
from lnexplorer.gui.panes.history import EXPORTS, HistoryPane
from lnexplorer.gui.panes.history_parts.columns import PLACES
from lnexplorer.gui.panes.history_parts.model import HistoryModel
from lnexplorer.gui.theme import DARK, LIGHT

ROW = HistoryRow(
    id=1,
    date="2025-11-20T09:30:00+00:00",
    kind=Kind.MEASURED,
    device="NVIDIA H200",
    m=4096,
    n=8192,
    dtype="float16",
    strategy="locked",
    group_size_m=96,
    passed=True,
    failed=(),
    y_error=9.5e-4,
    dx_error=2.4e-4,
    dw_error=2.1e-6,
    db_error=1.1e-6,
    forward_gbps=2765.0,
    backward_gbps=1689.0,
    forward_share=0.76,
    backward_share=0.445,
)
INTERPRETED = replace(
    ROW,
    id=2,
    date="2025-11-20T09:31:00+00:00",
    kind=Kind.INTERPRETED,
    device="CPU",
    m=64,
    n=512,
    forward_gbps=None,
    backward_gbps=None,
    forward_share=None,
    backward_share=None,
)
WRONG = replace(ROW, id=3, date="2025-11-20T09:32:00+00:00", n=1024, passed=False, failed=("dw",), dw_error=float("nan"))
ROWS = [ROW, INTERPRETED, WRONG]
SWEEP = SweepRow(id=4, date=ROW.date, command="--m 4096 --n 1024,2048", total=2, done=2, ended="finished")


def numbers(*runs: int) -> NDArray[np.int64]:
    return np.array(runs, np.int64)


class Runs:
    """What the history would answer, from a list."""

    def __init__(self, pane: HistoryPane, rows: list[HistoryRow]) -> None:
        self.pane, self.rows = pane, {row.id: row for row in rows}
        self.deleted: set[int] = set()
        self.baseline: int | None = None
        self.queries: list[HistoryQuery] = []
        self.pages: list[tuple[int, ...]] = []
        pane.queryChanged.connect(self.find)
        pane.rowsWanted.connect(self.read)
        pane.deleteRequested.connect(self.deleted.update)
        pane.undoDeleteRequested.connect(self.undelete)
        pane.pinRequested.connect(self.pin)
        pane.bar.set_facets({"strategy": ("locked",), "dtype": ("float16",), "device": ("CPU", "NVIDIA H200")})
        pane.refresh()

    def find(self, query: HistoryQuery) -> None:
        self.queries.append(query)
        rows = [row for row in self.rows.values() if row.id not in self.deleted and query.passed in (None, row.passed)]
        rows = [row for row in rows if all(word in row.device.lower() for word in query.words)]
        rows.sort(key=lambda row: (getattr(row, query.sorted_by), row.id), reverse=query.descending)
        baseline = None if self.baseline is None else self.rows[self.baseline]
        self.pane.set_listing(numbers(*(row.id for row in rows)), len(self.rows) - len(self.deleted), baseline)

    def read(self, ids: tuple[int, ...]) -> None:
        self.pages.append(ids)
        self.pane.set_rows([self.rows[id_] for id_ in ids])

    def undelete(self, ids: tuple[int, ...]) -> None:
        self.deleted -= set(ids)
        self.pane.refresh()

    def pin(self, run: int | None) -> None:
        self.baseline = run
        self.pane.refresh()


@pytest.fixture
def pane(qtbot: QtBot) -> HistoryPane:
    """A pane with three runs, the newest first."""
    pane = HistoryPane()
    qtbot.addWidget(pane)
    pane.apply_theme(DARK)
    pane.resize(1260, 300)
    pane.show()
    return pane


@pytest.fixture
def history(pane: HistoryPane, qtbot: QtBot) -> Runs:
    """What answers the pane."""
    history = Runs(pane, ROWS)
    qtbot.waitUntil(lambda: pane.model.row_at(0) is not None)
    return history


def runs(pane: HistoryPane) -> list[int]:
    return [int(run) for run in pane.model.ids]


def text(pane: HistoryPane, row: int, key: str) -> str:
    return str(pane.model.data(pane.model.index(row, PLACES[key])))


def type_filter(pane: HistoryPane, words: str) -> None:
    pane.bar.filter.setText(words)
    pane.bar.filter.returnPressed.emit()


def test_an_empty_history_says_what_to_do(qtbot: QtBot) -> None:
    pane = HistoryPane()
    qtbot.addWidget(pane)
    pane.show()
    assert pane.notice.isVisible()
    assert "Press Run" in pane.notice.body.text()


@pytest.mark.usefixtures("history")
def test_a_run_is_a_row_with_rounded_figures(pane: HistoryPane) -> None:
    keys = ("kind", "m", "n", "forward_gbps", "forward_share", "backward_share", "dw_error", "passed")
    shown = [text(pane, 2, key) for key in keys]
    assert shown == ["measured", "4096", "8192", "2760", "76 %", "44 %", "2.1e-6", "✓"]
    assert text(pane, 1, "forward_gbps") == "–"
    assert [text(pane, 0, key) for key in ("dw_error", "passed")] == ["–", "✗ dw"]


def test_the_model_keeps_qts_rules(qtbot: QtBot) -> None:
    model = HistoryModel()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.rowsWanted.connect(lambda ids: model.set_rows([replace(ROW, id=id_) for id_ in ids]))
    model.set_listing(numbers(1, 2, 3), 3, None)
    qtbot.waitUntil(lambda: model.row_at(2) is not None)
    model.set_listing(numbers(4, 1, 2, 3), 4, ROW)
    model.set_listing(numbers(3, 2, 4), 4, ROW)
    model.remove({2})
    model.apply_theme(LIGHT)
    model.set_listing(numbers(), 0, None)


def test_lines_are_asked_for_where_they_are_looked_at(pane: HistoryPane, qtbot: QtBot) -> None:
    history = Runs(pane, [replace(ROW, id=number) for number in range(1, 20_001)])
    qtbot.waitUntil(lambda: pane.model.row_at(0) is not None)
    pane.table.scrollToBottom()
    pane.grab()
    qtbot.waitUntil(lambda: pane.model.row_at(19_999) is not None)
    assert sum(map(len, history.pages)) < 2000
    assert text(pane, 10_000, "date") == "…"


def test_runs_are_sorted_by_a_click_on_a_header(pane: HistoryPane, history: Runs, qtbot: QtBot) -> None:
    assert runs(pane) == [3, 2, 1]
    header = pane.table.horizontalHeader()
    place = QPoint(header.sectionViewportPosition(PLACES["n"]) + 10, header.height() // 2)
    found = set()
    for _ in range(2):
        qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=place)
        found.add(tuple(history.rows[run].n for run in runs(pane)))
    assert found == {(512, 1024, 8192), (8192, 1024, 512)}


@pytest.mark.usefixtures("history")
def test_a_field_is_filtered_by_its_menu(pane: HistoryPane) -> None:
    pane.bar.fields_menu.aboutToShow.emit()
    assert [action.text() for action in pane.bar.fields_menu.actions()] == ["strategy", "dtype", "device", "date", "verdict"]
    verdicts = pane.bar.fields_menu.findChildren(QMenu)[-1]
    next(action for action in verdicts.actions() if action.text() == "beyond tolerance").trigger()
    assert pane.bar.filter.text() == "failed"
    assert runs(pane) == [3]


@pytest.mark.usefixtures("history")
def test_a_filter_that_nothing_matches_says_so(pane: HistoryPane) -> None:
    type_filter(pane, "bfloat16")
    assert pane.notice.isVisible()
    assert pane.notice.title.text() == "No run matches"
    type_filter(pane, "")
    assert pane.table.isVisible()


@pytest.mark.usefixtures("history")
def test_the_filter_follows_typing_after_a_pause(pane: HistoryPane, qtbot: QtBot) -> None:
    qtbot.keyClicks(pane.bar.filter, "cpu")
    qtbot.waitUntil(lambda: runs(pane) == [2])
    assert pane.bar.count.text() == "1 of 3 runs"


@pytest.mark.usefixtures("history")
def test_a_run_is_restored_by_enter_and_by_a_double_click(pane: HistoryPane, qtbot: QtBot) -> None:
    pane.table.setFocus()
    pane.table.selectRow(1)
    with qtbot.waitSignal(pane.restoreRequested) as asked:
        qtbot.keyClick(pane.table, Qt.Key.Key_Return)
    assert asked.args == [2]
    place = pane.table.visualRect(pane.model.index(2, 1)).center()
    qtbot.mouseClick(pane.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    with qtbot.waitSignal(pane.restoreRequested) as asked:
        qtbot.mouseDClick(pane.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert asked.args == [1]


@pytest.mark.usefixtures("history")
def test_a_note_is_written_in_its_cell(pane: HistoryPane, qtbot: QtBot) -> None:
    pane.table.setFocus()
    pane.table.selectRow(1)
    qtbot.keyClick(pane.table, Qt.Key.Key_F2)
    editor = QApplication.focusWidget()
    assert isinstance(editor, QLineEdit)
    qtbot.keyClicks(editor, "slow clocks")
    with qtbot.waitSignal(pane.annotated) as told:
        qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert told.args == [2, "slow clocks"]
    assert text(pane, 1, "note") == "slow clocks"


def test_speeds_by_all_bytes_stand_in_brackets_where_they_are_known(pane: HistoryPane, history: Runs) -> None:
    history.rows[1] = replace(ROW, forward_counted=2791.0)
    pane.refresh()
    pane.model.set_rows(list(history.rows.values()))
    place = pane.model.place_of(1) or 0
    assert text(pane, place, "forward_gbps") == "2760 (2790)"
    assert text(pane, place, "backward_gbps") == "1690"


def test_runs_are_compared_with_the_baseline(pane: HistoryPane, history: Runs) -> None:
    faster = replace(ROW, id=5, forward_gbps=3041.5, forward_low=3010.0, forward_high=3070.0)
    history.rows |= {7: replace(faster, id=7, n=1024), 8: replace(faster, id=8, device="NVIDIA A100")}
    history.rows |= {1: replace(ROW, forward_low=2740.0, forward_high=2790.0), 5: faster}
    assert pane.table.isColumnHidden(PLACES["forward_difference"])
    pane.refresh()
    pane.table.select_run(1)
    pane.pin()
    place = pane.model.place_of(5)
    assert place is not None
    pane.model.set_rows(list(history.rows.values()))
    assert not pane.table.isColumnHidden(PLACES["forward_difference"])
    assert text(pane, place, "forward_difference").startswith("+10.0 % ± 1.")
    assert text(pane, pane.model.place_of(1) or 0, "forward_difference") == "baseline"
    assert text(pane, pane.model.place_of(2) or 0, "forward_difference") == "–"
    for run, words in ((7, "another problem"), (8, "another device")):
        assert text(pane, pane.model.place_of(run) or 0, "forward_difference") == words
    pane.model.set_rows([replace(ROW, id=3)])
    tooltip = pane.model.index(pane.model.place_of(3) or 0, PLACES["forward_difference"]).data(Qt.ItemDataRole.ToolTipRole)
    assert tooltip == "Too few times were measured to say how far the speeds are apart."
    history.rows[6] = replace(ROW, id=6, forward_gbps=2770.0, forward_low=2740.0, forward_high=2795.0)
    pane.refresh()
    pane.model.set_rows([history.rows[6]])
    assert text(pane, pane.model.place_of(6) or 0, "forward_difference") == "within noise"
    assert pane.bar.baseline.isVisible()
    pane.bar.unpin.click()
    assert pane.table.isColumnHidden(PLACES["forward_difference"])


@pytest.mark.usefixtures("history")
def test_deleted_runs_can_be_taken_back(pane: HistoryPane, qtbot: QtBot) -> None:
    pane.table.setFocus()
    pane.table.selectRow(0)
    qtbot.keyClick(pane.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    with qtbot.waitSignal(pane.deleteRequested) as asked:
        qtbot.keyClick(pane.table, Qt.Key.Key_Delete)
    assert asked.args == [(3, 2)]
    assert runs(pane) == [1]
    assert pane.selected() == (1,)
    assert pane.bar.deleted.text() == "2 runs deleted"
    with qtbot.waitSignal(pane.undoDeleteRequested) as undone:
        pane.bar.undo.click()
    assert undone.args == [(3, 2)]
    assert runs(pane) == [3, 2, 1]
    assert pane.selected() == (3,)
    assert not pane.bar.undo.isVisible()


@pytest.mark.usefixtures("history")
def test_deletions_come_back_one_after_the_other_whatever_was_deleted(pane: HistoryPane, qtbot: QtBot) -> None:
    pane.set_sweeps([SWEEP])
    pane.set_experiments([EXPERIMENT])
    pane.table.select_run(3)
    pane.delete()
    pane.table.select_run(1)
    pane.delete()
    pane.bar.kinds.button("sweeps").click()
    pane.sweeps.setFocus()
    pane.sweeps.selectRow(0)
    with qtbot.waitSignal(pane.deleteSweepsRequested) as asked:
        qtbot.keyClick(pane.sweeps, Qt.Key.Key_Delete)
    assert asked.args == [(4,)]
    assert pane.bar.deleted.text() == "1 sweep deleted"
    pane._forget()
    assert not pane.bar.undo.isVisible()
    with qtbot.waitSignal(pane.undoDeleteSweepsRequested) as undone:
        pane.sweeps.undo.trigger()
    assert undone.args == [(4,)]
    for run in (1, 3):
        with qtbot.waitSignal(pane.undoDeleteRequested) as undone:
            pane.undo_delete()
        assert undone.args == [(run,)]
    assert runs(pane) == [3, 2, 1]
    assert not pane.sweeps.undo.isEnabled()


def test_a_selection_outlives_new_runs(pane: HistoryPane, history: Runs) -> None:
    pane.table.selectRow(2)
    for number in (9, 10, 11):
        history.rows[number] = replace(ROW, id=number, date="2025-11-20T10:00:00+00:00")
        if number != 10:  # one new run, then two at once
            pane.refresh()
    assert runs(pane) == [11, 10, 9, 3, 2, 1]
    assert pane.selected() == (1,)


@pytest.mark.usefixtures("history")
def test_selecting_tells_which_runs(pane: HistoryPane, qtbot: QtBot) -> None:
    with qtbot.waitSignal(pane.selectionChanged) as told:
        pane.table.selectRow(1)
    assert told.args == [(2,)]


@pytest.mark.usefixtures("history")
def test_selected_runs_are_copied_as_a_table(pane: HistoryPane) -> None:
    pane.table.selectRow(2)
    pane.copy()
    header, line = QGuiApplication.clipboard().text().split("\n")
    assert dict(zip(header.split("\t"), line.split("\t"), strict=True))["backward GB/s"] == "1690"


@pytest.mark.usefixtures("history")
def test_the_context_menu_offers_what_can_be_done(pane: HistoryPane, qtbot: QtBot) -> None:
    menu = pane.context_menu()
    texts = [action.text() for action in menu.actions() if not action.isSeparator()]
    assert texts == [
        "Restore parameters and results",
        "Write a note",
        "Compare the others with this run",
        "Copy as a table",
        "Copy as Python",
        "Copy as a command",
        "Copy as triton.Config",
        "Export the selected runs",
        "Delete",
        "Undo the deletion",
        "Sort by",
    ]
    order = menu.findChildren(QMenu)[-1]
    for expected in ([1, 3, 2], [2, 3, 1]):
        next(action for action in order.actions() if action.text() == "N").trigger()
        assert runs(pane) == expected
    pane.table.selectAll()
    for kind in EXPORTS:
        with qtbot.waitSignal(pane.exportRequested) as asked:
            next(action for action in pane.table.actions() if action.text() == WORDS[kind]).trigger()
        assert asked.args == [kind, (2, 3, 1)]
    menu.deleteLater()


WORDS = {
    "csv": "CSV …",
    "parquet": "Parquet …",
    "json": "JSON …",
    "notebook": "Notebook …",
    "report": "HTML report …",
}


@pytest.mark.usefixtures("history")
def test_sweeps_stand_beside_the_runs_where_there_are_any(pane: HistoryPane, qtbot: QtBot) -> None:
    assert not pane.bar.kinds.isVisible()
    pane.set_sweeps([replace(SWEEP, id=5, done=1, ended="cancelled"), SWEEP])
    assert pane.bar.kinds.isVisible()
    with qtbot.waitSignal(pane.sweepsWanted):
        pane.bar.kinds.button("sweeps").click()
    assert pane.sweeps.isVisible()
    assert not pane.bar.fields.isVisible()
    texts = [pane.sweeps.item(row, 1).text() for row in range(2)]
    assert texts == ["1 of 2 · cancelled", "2 of 2"]
    pane.sweeps.setFocus()
    pane.sweeps.selectRow(1)
    with qtbot.waitSignal(pane.sweeps.commandWanted) as copied:
        qtbot.keyClick(pane.sweeps, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert copied.args == ["lnexplorer sweep --m 4096 --n 1024,2048"]
    with qtbot.waitSignal(pane.sweeps.rowsWanted) as exported:
        entry(pane, "Export").trigger()
    assert exported.args == [4]
    pane.refresh()
    assert pane.sweeps.isVisible()
    pane.set_sweeps([])
    assert pane.table.isVisible()


def note_of(pane: HistoryPane, row: int) -> str:
    """What stands in the cell of a sweep's note."""
    item = pane.sweeps.item(row, 2)
    return "" if item is None else item.text()


def entry(pane: HistoryPane, words: str) -> QAction:
    """What the menu of the sweeps has that begins so."""
    return next(action for action in pane.sweeps.context_menu().actions() if action.text().startswith(words))


@pytest.mark.usefixtures("history")
def test_a_sweep_is_opened_or_gone_on_with_from_the_table(pane: HistoryPane, qtbot: QtBot) -> None:
    cut_off = replace(SWEEP, id=5, done=1, ended="")
    pane.set_sweeps([replace(cut_off, id=6, running=True), cut_off, SWEEP])
    pane.bar.kinds.button("sweeps").click()
    assert [pane.sweeps.item(row, 1).text() for row in range(3)] == ["1 of 2 · running", "1 of 2 · not finished", "2 of 2"]
    pane.sweeps.setFocus()
    possible = []
    for place in range(3):
        pane.sweeps.selectRow(place)
        possible.append(entry(pane, "Go on").isEnabled())
    assert possible == [False, True, False]
    with qtbot.waitSignal(pane.sweepRequested) as asked:
        qtbot.keyClick(pane.sweeps, Qt.Key.Key_Return)
    assert asked.args == [4, False]
    pane.sweeps.selectRow(1)
    with qtbot.waitSignal(pane.sweepRequested) as asked:
        entry(pane, "Go on").trigger()
    assert asked.args == [5, True]


@pytest.mark.usefixtures("history")
def test_sweeps_are_filtered_and_sorted(pane: HistoryPane) -> None:
    other = replace(SWEEP, id=5, command="--m 64 --n 8", note="before the fix", done=1, ended="failed")
    pane.set_sweeps([other, SWEEP])
    pane.bar.filter.setText("N>=4096")
    pane.bar.kinds.button("sweeps").click()
    assert pane.bar.filter.text() == ""
    pane.bar.filter.setText("FIX failed")
    pane.bar.apply()
    assert [row.id for row in pane.sweeps.rows] == [5]
    assert pane.bar.count.text() == "1 of 2 sweeps"
    pane.bar.filter.setText("nothing")
    pane.bar.apply()
    assert pane.bar.kinds.isVisible()
    pane.bar.kinds.button("runs").click()
    assert pane.bar.filter.text() == "N>=4096"
    pane.bar.kinds.button("sweeps").click()
    pane.bar.filter.clear()
    pane.bar.apply()
    orders = []
    for column in (3, 3, 1):
        pane.sweeps.horizontalHeader().sectionClicked.emit(column)
        orders.append([row.id for row in pane.sweeps.rows])
    assert orders == [[4, 5], [5, 4], [4, 5]]


@pytest.mark.usefixtures("history")
def test_a_note_on_a_sweep_is_written_in_its_cell_whatever_comes_meanwhile(pane: HistoryPane, qtbot: QtBot) -> None:
    pane.set_sweeps([replace(SWEEP, id=5), SWEEP])
    pane.bar.kinds.button("sweeps").click()
    pane.sweeps.setFocus()
    pane.sweeps.selectRow(1)
    qtbot.keyClick(pane.sweeps, Qt.Key.Key_F2)
    editor = QApplication.focusWidget()
    assert isinstance(editor, QLineEdit)
    qtbot.keyClicks(editor, "slow clocks")
    pane.set_sweeps([replace(SWEEP, id=6), replace(SWEEP, id=5), SWEEP])
    with qtbot.waitSignal(pane.sweepAnnotated) as told:
        qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert told.args == [4, "slow clocks"]
    assert [row.id for row in pane.sweeps.rows] == [6, 5, 4]
    assert pane.sweeps.chosen() == (4,)
    pane.set_sweeps([replace(SWEEP, note="slow clocks")])
    assert note_of(pane, 0) == "slow clocks"


@pytest.mark.usefixtures("history")
def test_a_note_on_a_sweep_that_is_not_kept_goes_away_again(pane: HistoryPane) -> None:
    pane.set_sweeps([SWEEP])
    item = pane.sweeps.item(0, 2)
    assert item is not None
    item.setText("slow clocks")
    pane.set_sweeps([SWEEP])
    assert note_of(pane, 0) == ""


EXPERIMENT = ExperimentRow(
    id=7,
    date=ROW.date,
    name="order",
    kind=Kind.MEASURED,
    device="NVIDIA H200",
    m=4096,
    n=2048,
    dtype="float16",
    ended="finished",
    reason="",
    done=0,
    total=0,
)
STOPPED = replace(EXPERIMENT, id=8, name="barrier", ended="stopped", done=120, total=2000)
FAILED = replace(EXPERIMENT, id=9, ended="failed", reason="The worker crashed.", kind=Kind.INTERPRETED)


def shown_experiments(pane: HistoryPane) -> list[int]:
    return [row.id for row in pane.experiments.rows]


@pytest.mark.usefixtures("history")
def test_experiments_stand_beside_the_runs_where_there_are_any(pane: HistoryPane, qtbot: QtBot) -> None:
    pane.set_experiments([FAILED, STOPPED, EXPERIMENT])
    assert pane.bar.kinds.isVisible()
    assert not pane.bar.kinds.button("sweeps").isVisible()
    pane.bar.kinds.button("experiments").click()
    assert pane.experiments.isVisible()
    assert not pane.bar.filter.isVisible()
    texts = [[pane.experiments.item(row, column).text() for column in (1, 2, 3, 5)] for row in range(3)]
    assert texts == [
        ["interpreted", "The order of additions", "4096×2048 float16", "failed · The worker crashed."],
        [
            "measured",
            "The barrier, left out and put back",
            "4096×2048 float16",
            "stopped after 120 of 2000 steps",
        ],
        ["measured", "The order of additions", "4096×2048 float16", "finished"],
    ]
    pane.experiments.setFocus()
    pane.experiments.selectRow(2)
    with qtbot.waitSignal(pane.experimentRequested) as asked:
        qtbot.keyClick(pane.experiments, Qt.Key.Key_Return)
    assert asked.args == [7]
    pane.set_experiments([replace(EXPERIMENT, id=10), FAILED, STOPPED, EXPERIMENT])
    assert pane.experiments.chosen() == (7,)
    pane.apply_theme(LIGHT)
    assert pane.experiments.chosen() == (7,)
    assert not pane.grab().isNull()


@pytest.mark.usefixtures("history")
def test_deleted_experiments_can_be_taken_back(pane: HistoryPane, qtbot: QtBot) -> None:
    pane.set_experiments([FAILED, STOPPED, EXPERIMENT])
    pane.bar.kinds.button("experiments").click()
    pane.experiments.setFocus()
    pane.experiments.selectRow(0)
    qtbot.keyClick(pane.experiments, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    with qtbot.waitSignal(pane.deleteExperimentsRequested) as asked:
        qtbot.keyClick(pane.experiments, Qt.Key.Key_Delete)
    assert asked.args == [(9, 8)]
    assert shown_experiments(pane) == [7]
    assert pane.experiments.chosen() == (7,)
    assert pane.bar.deleted.text() == "2 experiments deleted"
    assert pane.bar.undo.toolTip() == "Put the deleted experiments back"
    with qtbot.waitSignal(pane.undoDeleteExperimentsRequested) as undone:
        qtbot.keyClick(pane.experiments, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert undone.args == [(9, 8)]
    assert not pane.bar.undo.isVisible()
    # The last one takes the choice away; its way back stays.
    assert pane.experiments.chosen() == (7,)
    qtbot.keyClick(pane.experiments, Qt.Key.Key_Delete)
    pane.set_experiments([])
    assert pane.table.isVisible()
    assert not pane.bar.kinds.isVisible()
    assert pane.bar.deleted.text() == "1 experiment deleted"
    with qtbot.waitSignal(pane.undoDeleteExperimentsRequested):
        pane.bar.undo.click()


@pytest.mark.usefixtures("history")
def test_the_theme_colours_verdicts(pane: HistoryPane) -> None:
    pane.apply_theme(LIGHT)
    index = pane.model.index(0, PLACES["passed"])
    assert pane.model.data(index, Qt.ItemDataRole.ForegroundRole) == QColor(LIGHT.bad)
    assert not pane.grab().isNull()
