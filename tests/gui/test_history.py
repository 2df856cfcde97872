"""The History pane: rows of runs, sweeps and experiments, and what is done with those that are
chosen.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, QPoint, Qt, SignalInstance
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication, QLineEdit, QToolButton
from pytestqt.qtbot import QtBot

from lnexplorer.domain.experiments.catalogue import finished
from lnexplorer.domain.history import ExperimentRow, HistoryQuery, HistoryRow, SweepRow, history_row
from lnexplorer.domain.sweep.request import TUTORIAL
from lnexplorer.gui.kit.responsive import Delivery
from lnexplorer.gui.kit.table import RowsModel, RowsTable, place
from lnexplorer.gui.panes.history.columns import RUNS
from lnexplorer.gui.panes.history.controller import link_history
from lnexplorer.gui.panes.history.pane import HistoryPane
from lnexplorer.gui.session.history import HistoryThread
from lnexplorer.store.history import open_history
from lnkernels.values.environment import Kind
from lnkernels.values.sentence import say, verbatim
from tests.gui.windows import on_screen
from tests.sample_experiments import sample
from tests.sample_results import make_result
from tests.store.examples import small_result

DATES = [f"2025-11-20T09:3{minute}:00+00:00" for minute in range(3)]
ROW = history_row(1, DATES[0], make_result())
INTERPRETED = history_row(2, DATES[1], make_result(64, 512, kind=Kind.INTERPRETED))
WRONG = replace(
    ROW, id=3, date=DATES[2], n=1024, passed=False, failed=("dw",), dw_error=float("nan")
)
ROWS = [ROW, INTERPRETED, WRONG]
SWEEP = SweepRow(
    id=4, date=ROW.date, command="--m 4096 --n 1024,2048", total=2, done=2, ended="finished"
)
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
    reason=None,
    done=0,
    total=0,
)
STOPPED = replace(EXPERIMENT, id=8, name="barrier", ended="stopped", done=120, total=2000)
FAILED = replace(
    EXPERIMENT, id=9, ended="failed", reason=verbatim("The worker crashed."), kind=Kind.INTERPRETED
)


class Runs:
    """What the history would answer, from a list."""

    def __init__(self, pane: HistoryPane, rows: list[HistoryRow]) -> None:
        self.pane = pane
        self.rows = {row.id: row for row in rows}
        self.deleted: set[int] = set()
        self.baseline: int | None = None
        pane.queryChanged.connect(self.find)
        pane.deleteRequested.connect(
            lambda kind, ids: self.deleted.update(ids) if kind == "runs" else None
        )
        pane.undoDeleteRequested.connect(self.undelete)
        pane.pinRequested.connect(self.pin)
        pane.refresh()

    def find(self, query: HistoryQuery) -> None:
        rows = [
            row
            for row in self.rows.values()
            if row.id not in self.deleted
            and all(word in row.device.lower() for word in query.words)
        ]
        rows.sort(key=lambda row: (getattr(row, query.sorted_by), row.id), reverse=query.descending)
        baseline = None if self.baseline is None else self.rows[self.baseline]
        self.pane.set_runs(rows, len(self.rows) - len(self.deleted), baseline)

    def undelete(self, kind: str, ids: tuple[int, ...]) -> None:
        if kind == "runs":
            self.deleted -= set(ids)
            self.pane.refresh()

    def pin(self, run: int | None) -> None:
        self.baseline = run
        self.pane.refresh()


@pytest.fixture
def pane(qtbot: QtBot) -> HistoryPane:
    return on_screen(qtbot, HistoryPane(), 1260, 300)


@pytest.fixture
def history(pane: HistoryPane) -> Runs:
    """Three runs in the pane, the newest first."""
    return Runs(pane, ROWS)


def cell(table: RowsTable, row: int, key: str) -> QModelIndex:
    return table.rows.index(row, place(table.rows.columns, key))


def kept_text(table: RowsTable, row: int, key: str) -> str:
    return str(table.rows.data(cell(table, row, key)))


def text(pane: HistoryPane, row: int, key: str) -> str:
    return kept_text(pane.table, row, key)


def emitted(signal: SignalInstance, do: Callable[[], object]) -> list[object]:
    """Do something, and return what a signal told."""
    told: list[list[object]] = []
    signal.connect(lambda *values: told.append(list(values)))
    do()
    return told[-1]


def click_title(table: RowsTable, column: int, qtbot: QtBot) -> None:
    """Click the title of a column."""
    header = table.horizontalHeader()
    place = QPoint(header.sectionViewportPosition(column) + 10, header.height() // 2)
    qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=place)


def show(pane: HistoryPane, kind: str) -> RowsTable:
    """Click a kind, and go to its table."""
    pane.bar.kinds.button(kind).click()
    pane.tables[kind].setFocus()
    return pane.tables[kind]


def type_filter(pane: HistoryPane, words: str) -> None:
    pane.bar.filter.setText(words)
    pane.bar.apply()


def test_a_run_is_a_row_with_rounded_figures(pane: HistoryPane, history: Runs) -> None:
    speeds = ["forward_gbps", "forward_share", "backward_share"]
    shown = [text(pane, 2, key) for key in ("kind", "m", "n", *speeds, "dw_error", "passed")]
    assert shown == ["measured", "4096", "8192", "2760 (2820)", "76 %", "45 %", "5.9e-8", "✓"]
    assert text(pane, 1, "forward_gbps") == "–"
    history.rows[1] = replace(ROW, forward_requested=None)
    pane.refresh()
    assert text(pane, 2, "forward_gbps") == "2760", "all bytes stand in brackets where known"
    assert [text(pane, 0, key) for key in ("dw_error", "passed")] == ["–", "✗ dw"]


def test_runs_are_compared_with_the_pinned_one(pane: HistoryPane, history: Runs) -> None:
    def compared(run: int) -> str:
        return text(pane, pane.model.place_of(run) or 0, "forward_difference")

    faster = replace(ROW, id=5, forward_gbps=3041.5, forward_low=3010.0, forward_high=3070.0)
    history.rows |= {
        7: replace(faster, id=7, n=1024),
        8: replace(faster, id=8, device="NVIDIA A100"),
    }
    history.rows[5] = faster
    assert pane.table.isColumnHidden(place(RUNS, "forward_difference"))
    pane.refresh()
    pane.table.select(1)
    pane.pin()
    assert not pane.table.isColumnHidden(place(RUNS, "forward_difference"))
    assert compared(5).startswith("+10.0 % ± 2.")
    others = "; ".join(map(compared, (1, 2, 7, 8)))
    assert others == "A; –; another problem; another device"
    history.rows[3] = replace(
        ROW, id=3, forward_gbps=2770.0, forward_low=2740.0, forward_high=2795.0
    )
    pane.refresh()
    assert compared(3) == "within noise"
    assert pane.bar.baseline.isVisible()
    pane.bar.unpin.click()
    assert pane.table.isColumnHidden(place(RUNS, "forward_difference"))


def test_runs_are_sorted_by_a_click_on_a_header(
    pane: HistoryPane, history: Runs, qtbot: QtBot
) -> None:
    assert pane.model.ids == [3, 2, 1]
    found = set()
    for _ in range(2):
        click_title(pane.table, place(RUNS, "n"), qtbot)
        found.add(tuple(history.rows[run].n for run in pane.model.ids))
    assert found == {(512, 1024, 8192), (8192, 1024, 512)}


@pytest.mark.usefixtures("history")
def test_the_filter_follows_typing_and_says_when_nothing_matches(
    pane: HistoryPane, qtbot: QtBot
) -> None:
    type_filter(pane, "bfloat16")
    assert pane.notice.isVisible()
    assert pane.notice.title.text() == "Nothing matches"
    type_filter(pane, "")
    assert pane.table.isVisible()
    qtbot.keyClicks(pane.bar.filter, "cpu")
    qtbot.waitUntil(lambda: pane.model.ids == [2])
    assert pane.bar.count.text() == "1 of 3"


@pytest.mark.usefixtures("history")
def test_deletions_come_back_one_after_the_other_whatever_was_deleted(
    pane: HistoryPane, qtbot: QtBot
) -> None:
    def delete(table: RowsTable) -> None:
        qtbot.keyClick(table, Qt.Key.Key_Delete)

    pane.set_kept("sweeps", [SWEEP])
    pane.table.setFocus()
    pane.table.selectRow(0)
    qtbot.keyClick(pane.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert emitted(pane.deleteRequested, lambda: delete(pane.table)) == ["runs", (3, 2)]
    assert (pane.model.ids, pane.selected()) == ([1], (1,))
    assert pane.bar.undo.text() == "Undo the deletion of 2"
    show(pane, "sweeps").selectRow(0)
    assert emitted(pane.deleteRequested, lambda: delete(pane.sweeps)) == ["sweeps", (4,)]
    undo = pane.sweeps.commands["undo"]
    assert emitted(pane.undoDeleteRequested, undo.trigger) == ["sweeps", (4,)]
    assert emitted(pane.undoDeleteRequested, pane.bar.undo.click) == ["runs", (3, 2)]
    assert (pane.model.ids, pane.selected()) == ([3, 2, 1], (3,))
    assert not pane.bar.undo.isVisible()
    assert not undo.isEnabled()


@pytest.mark.usefixtures("history")
def test_settings_of_the_strategies_on_show_have_columns_and_times_have_seconds(
    pane: HistoryPane,
) -> None:
    def is_shown(name: str) -> bool:
        return not pane.table.isColumnHidden(place(RUNS, name))

    keys = ("block_size", "num_warps", "barrier", "reduce_num_warps", "forward_us", "backward_us")
    assert [text(pane, 2, key) for key in keys] == ["8192", "8", "on", "4", "48.5", "119"]
    assert text(pane, 2, "date").count(":") == 2
    assert is_shown("group_size_m")
    assert not is_shown("slices"), "locked has none"
    old = replace(ROW, launch={})
    pane.set_runs([old], 1)
    assert (text(pane, 0, "group_size_m"), text(pane, 0, "block_size")) == ("96", "–")


@pytest.mark.usefixtures("history")
def test_it_is_said_in_what_chosen_runs_differ(pane: HistoryPane) -> None:
    pane.table.selectRow(0)
    assert not pane.differences.isVisible()
    pane.table.selectAll()
    assert pane.differences.isVisible()
    assert pane.differences.text().startswith("They differ in M 4096 | 64 · N 1024 | 512 | 8192")


def buttons(pane: HistoryPane) -> dict[str, QToolButton]:
    """The buttons below the table on show, by their text."""
    return {each.text(): each for each in pane.findChildren(QToolButton) if each.isVisible()}


@pytest.mark.usefixtures("history")
def test_what_can_be_done_stands_on_buttons(pane: HistoryPane) -> None:
    pane.offer_exports([QAction("CSV", pane)])
    assert not buttons(pane)["Restore"].isEnabled(), "nothing is chosen"
    pane.table.selectRow(1)
    assert emitted(pane.restoreRequested, buttons(pane)["Restore"].click) == [2]
    assert [action.text() for action in buttons(pane)["Export"].menu().actions()] == ["CSV"]


@pytest.mark.usefixtures("history")
def test_a_filter_that_is_not_understood_says_so(pane: HistoryPane) -> None:
    type_filter(pane, "N>=>foo")
    assert pane.remark.isVisible()
    assert pane.remark.text().startswith("n >= >foo is not possible: take a number")
    type_filter(pane, "num_warps=8 barrier=on")
    assert not pane.remark.isVisible()


@pytest.mark.usefixtures("history")
def test_selected_runs_are_copied_as_a_table(pane: HistoryPane) -> None:
    pane.table.selectRow(2)
    pane.copy()
    header, line = QGuiApplication.clipboard().text().split("\n")
    assert dict(zip(header.split("\t"), line.split("\t"), strict=True))["backward GB/s"] == (
        "1690 (1720)"
    )


@pytest.mark.usefixtures("history")
def test_a_run_is_restored_by_enter_and_by_a_double_click(pane: HistoryPane, qtbot: QtBot) -> None:
    pane.table.setFocus()
    pane.table.selectRow(1)
    restored = emitted(pane.restoreRequested, lambda: qtbot.keyClick(pane.table, Qt.Key.Key_Return))
    assert restored == [2]
    index = pane.model.index(2, 1)
    assert emitted(pane.restoreRequested, lambda: pane.table.doubleClicked.emit(index)) == [2]


@pytest.mark.usefixtures("history")
def test_a_sweep_is_copied_opened_or_gone_on_with_from_its_table(
    pane: HistoryPane, qtbot: QtBot
) -> None:
    cut_off = replace(SWEEP, id=5, done=1, ended="")
    running = replace(cut_off, id=6, running=True)
    cancelled = replace(cut_off, id=8, ended="cancelled")
    pane.set_kept("sweeps", [cancelled, running, cut_off, SWEEP])
    table = show(pane, "sweeps")
    possible = {}
    for row in range(4):
        table.selectRow(row)
        possible[kept_text(table, row, "state")] = table.commands["go_on"].isEnabled()
    assert possible == {
        "1 of 2 · cancelled": True,
        "1 of 2 · running": False,
        "1 of 2 · not finished": True,
        "2 of 2": False,
    }
    opened = emitted(pane.sweepRequested, lambda: qtbot.keyClick(table, Qt.Key.Key_Return))
    assert opened == [4, False]
    copied = emitted(pane.sweepCommandWanted, table.commands["copy"].trigger)
    assert copied == ["lnexplorer sweep --m 4096 --n 1024,2048"]
    assert emitted(pane.sweepRowsWanted, table.commands["rows"].trigger) == [4]
    texts = [action.text() for action in table.context_menu().actions() if action.text()]
    assert texts[0] == "Show"
    assert texts[-1] == "Sort by"


@pytest.mark.usefixtures("history")
def test_sweeps_are_filtered_and_sorted(pane: HistoryPane, qtbot: QtBot) -> None:
    other = replace(
        SWEEP, id=5, command="--m 64 --n 8", note="before the fix", done=1, ended="failed"
    )
    pane.set_kept("sweeps", [other, SWEEP])
    pane.bar.filter.setText("N>=4096")
    pane.bar.kinds.button("sweeps").click()
    assert pane.bar.filter.text() == ""
    type_filter(pane, "FIX failed")
    assert pane.sweeps.rows.ids == [5]
    assert pane.bar.count.text() == "1 of 2"
    pane.bar.kinds.button("runs").click()
    assert pane.bar.filter.text() == "N>=4096"
    pane.bar.kinds.button("sweeps").click()
    type_filter(pane, "")
    click_title(pane.sweeps, 3, qtbot)
    assert pane.sweeps.rows.ids == [4, 5]


@pytest.mark.usefixtures("history")
def test_a_note_on_a_sweep_is_written_in_its_cell_whatever_comes_meanwhile(
    pane: HistoryPane, qtbot: QtBot
) -> None:
    pane.set_kept("sweeps", [replace(SWEEP, id=5), SWEEP])
    show(pane, "sweeps")
    pane.sweeps.selectRow(1)
    qtbot.keyClick(pane.sweeps, Qt.Key.Key_F2)
    editor = QApplication.focusWidget()
    assert isinstance(editor, QLineEdit)
    qtbot.keyClicks(editor, "slow clocks")
    pane.set_kept("sweeps", [replace(SWEEP, id=6), replace(SWEEP, id=5), SWEEP])
    with qtbot.waitSignal(pane.annotated) as told:
        qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert told.args == ["sweeps", 4, "slow clocks"]
    assert pane.sweeps.rows.ids == [6, 5, 4]
    assert pane.sweeps.selected() == (4,)


@pytest.mark.usefixtures("history")
def test_experiments_stand_beside_the_runs(pane: HistoryPane, qtbot: QtBot) -> None:
    pane.set_kept("experiments", [FAILED, STOPPED, EXPERIMENT])
    assert pane.bar.kinds.isVisible()
    show(pane, "experiments")
    keys = ("kind", "name", "shape", "state")
    assert [
        "; ".join(kept_text(pane.experiments, row, key) for key in keys) for row in range(3)
    ] == [
        "interpreted; The order of additions; 4096×2048 float16; failed · The worker crashed.",
        (
            "measured; The barrier, left out and put back; 4096×2048 float16;"
            " stopped after 120 of 2000 steps"
        ),
        "measured; The order of additions; 4096×2048 float16; finished",
    ]
    pane.experiments.selectRow(2)
    assert emitted(
        pane.experimentRequested, lambda: qtbot.keyClick(pane.experiments, Qt.Key.Key_Return)
    ) == [7]


def test_the_model_keeps_qts_rules(qtbot: QtBot) -> None:
    model = RowsModel(RUNS)
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.set_rows(ROWS, 3)
    model.set_rows([ROW, WRONG], 3, ROW)
    model.remove({3})
    model.retranslate()
    model.set_rows([], 0)


def test_a_history_of_a_file_comes_into_its_pane(
    pane: HistoryPane, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "kept.sqlite3"
    with open_history(path, pytest.fail) as kept:
        for _ in range(3):
            kept.runs.add(small_result(Kind.INTERPRETED))
        kept.experiments.add(finished(sample("order")))
    delivery = Delivery()
    thread = HistoryThread(path, delivery, remark=say("The usual folder cannot be written."))
    link_history(pane, thread)
    assert pane.place.isVisibleTo(pane)
    assert pane.place.text() == "The usual folder cannot be written."
    qtbot.waitUntil(lambda: (pane.model.total, pane.kept["experiments"].total) == (3, 1))
    assert pane.model.rows[0].kind is Kind.INTERPRETED
    pane.table.select(2)
    pane.delete()
    pane.pinRequested.emit(1)
    qtbot.waitUntil(lambda: pane.model.ids == [3, 1] and pane.model.baseline is not None)
    with open_history(path, pytest.fail) as other:  # another program is at a sweep
        other.sweeps.begin(TUTORIAL.sweep)
        qtbot.waitUntil(lambda: pane.kept["sweeps"].total == 1)
        pane.show_kind("sweeps")
        pane.sweeps.select(1)
        with qtbot.waitSignal(thread.warned) as said:
            pane.delete("sweeps")
        assert "is running" in str(said.args[0])
        qtbot.waitUntil(lambda: pane.kept["sweeps"].total == 1)
    thread.close()
    delivery.close()
