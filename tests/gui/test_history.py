"""The History pane: rows of runs, sweeps and experiments, and what is done with those that are
chosen.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication, QToolButton
from pytestqt.qtbot import QtBot

from lnexplorer.domain.experiments.catalogue import finished
from lnexplorer.domain.history import ExperimentRow, SweepRow, history_row
from lnexplorer.domain.sweep.request import TUTORIAL
from lnexplorer.gui.kit.languages import Languages
from lnexplorer.gui.kit.responsive import Delivery
from lnexplorer.gui.kit.table import RowsModel, RowsTable, place
from lnexplorer.gui.panes.history.columns import RUNS
from lnexplorer.gui.panes.history.controller import link_history
from lnexplorer.gui.panes.history.pane import HistoryPane
from lnexplorer.gui.session.history import HistoryThread
from lnexplorer.store.history import History, open_history
from lnkernels.values.accuracy import TENSORS
from lnkernels.values.environment import Kind
from lnkernels.values.sentence import say, verbatim
from tests.gui.fakes import FakeHistory
from tests.gui.windows import Until, click, heard, on_screen, press, type_text
from tests.sample_experiments import sample
from tests.sample_results import make_correctness, make_environment, make_result
from tests.store.examples import small_result
from tests.store.session_examples import small_sweep

RUN = make_result()
INTERPRETED = make_result(64, 512, kind=Kind.INTERPRETED)
WRONG = make_result(n=1024, correctness=make_correctness(failing=("dw",)))
ROW = history_row(1, RUN.provenance.environment.date, RUN)
SWEEP = SweepRow(
    id=4, date=ROW.date, command="--m 4096 --n 1024,2048", total=2, done=2, ended="finished"
)
CUT_OFF = replace(SWEEP, id=5, done=1, ended="")
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


class Here(FakeHistory):
    """The history of a file, whose answers come at once."""

    remark = None

    def __init__(self, kept: History) -> None:
        super().__init__()
        self.subject = kept

    change = HistoryThread.change

    def follow(self) -> None: ...


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[History]:
    """Three runs, the newest last."""
    with open_history(tmp_path / "kept.sqlite3", pytest.fail) as made:
        for result in (RUN, INTERPRETED, WRONG):
            made.runs.add(result)
        yield made


@pytest.fixture
def pane(qtbot: QtBot, kept: History) -> HistoryPane:
    made = on_screen(qtbot, HistoryPane(), 1260, 300)
    made.tied = Here(kept)
    link_history(made, made.tied)
    made.refresh()
    return made


def cells(table: RowsTable, row: int, *keys: str) -> list[str]:
    model = table.rows
    return [str(model.index(row, place(model.columns, key)).data()) for key in keys]


def is_shown(pane: HistoryPane, key: str) -> bool:
    return not pane.table.isColumnHidden(place(RUNS, key))


def show(pane: HistoryPane, kind: str) -> RowsTable:
    """Click a kind, and go to its table."""
    pane.bar.kinds.button(kind).click()
    pane.tables[kind].setFocus()
    return pane.tables[kind]


def type_filter(pane: HistoryPane, words: str) -> None:
    pane.bar.filter.setText(words)
    pane.bar.apply()


def test_a_run_is_a_row_with_rounded_figures_and_the_settings_of_its_strategy(
    pane: HistoryPane,
) -> None:
    table = pane.table
    keys = ("kind", "m", "n", "forward_gbps", "forward_share", "dw_error", "passed", "forward_us")
    told = ["measured", "4096", "8192", "2760 (2820)", "76 %", "5.9e-8", "✓", "48.5"]
    assert cells(table, 2, *keys) == told
    keys = ("block_size", "num_warps", "barrier", "reduce_num_warps")
    assert cells(table, 2, *keys) == ["8192", "8", "on", "4"]
    assert cells(table, 1, "forward_gbps") == ["–"]
    assert cells(table, 0, "dw_error", "passed") == ["0.48", "✗ dw"]
    (date,) = cells(table, 2, "date")
    assert date.count(":") == 2, "with seconds"
    assert is_shown(pane, "group_size_m")
    assert not is_shown(pane, "slices"), "locked has none"
    assert cells(table, 2, "setting") == ["GROUP_SIZE_M = 96"]
    assert table.columnViewportPosition(place(RUNS, "forward_share")) <= 1160, (
        "setting and speeds are in view in the smallest window"
    )
    assert not is_shown(pane, "norm"), "all are of LayerNorm"
    old = replace(ROW, forward_requested=None, launch={}, dw_error=float("nan"))
    pane.set_runs([old], 1)
    keys = ("forward_gbps", "group_size_m", "block_size", "dw_error")
    assert cells(table, 0, *keys) == ["2760", "96", "–", "–"], "as far as an old row tells"


def test_runs_are_compared_with_the_pinned_one(pane: HistoryPane, kept: History) -> None:
    a100 = replace(RUN.provenance, environment=make_environment("NVIDIA A100"))
    for result in (
        make_result(wobble=1.1),
        make_result(wobble=1.002),
        replace(RUN, provenance=a100),
        make_result(n=1024),
    ):
        kept.runs.add(result)
    pane.refresh()
    assert not is_shown(pane, "forward_difference")
    pane.table.select(1)
    pane.pin()
    assert is_shown(pane, "forward_difference")
    found = {
        run: cells(pane.table, row, "forward_difference")[0]
        for row, run in enumerate(pane.model.ids)
    }
    assert found.pop(4).startswith("+10.0 % ± ")
    told = {1: "A", 2: "–", 3: "–", 5: "within noise", 6: "another device", 7: "another problem"}
    assert found == told
    pane.bar.unpin.click()
    assert not is_shown(pane, "forward_difference")


def test_runs_are_sorted_by_a_click_on_a_header(pane: HistoryPane) -> None:
    header = pane.table.horizontalHeader()
    middle = QPoint(header.sectionViewportPosition(place(RUNS, "n")) + 10, header.height() // 2)
    found = []
    for _ in range(2):
        click(header.viewport(), middle)
        found.append([row.n for row in pane.model.rows])
    assert sorted(found) == [[512, 1024, 8192], [8192, 1024, 512]]


def test_the_filter_follows_typing_and_says_when_nothing_matches_or_it_is_not_understood(
    pane: HistoryPane, until: Until
) -> None:
    type_filter(pane, "bfloat16")
    assert pane.notice.isVisible()
    assert pane.notice.title.text() == "Nothing matches"
    type_filter(pane, "N>=>foo")
    assert pane.remark.text().startswith("n >= >foo is not possible: take a number")
    type_filter(pane, "")
    assert pane.table.isVisible()
    assert not pane.remark.isVisible()
    type_text(pane.bar.filter, "cpu")
    until(lambda: pane.model.ids == [2])
    assert pane.bar.count.text() == "1 of 3"


def test_deletions_come_back_one_after_the_other_whatever_was_deleted(pane: HistoryPane) -> None:
    deleted = heard(pane.deleteRequested)
    undone = heard(pane.undoDeleteRequested)
    pane.tied.change("sweeps", lambda kept: kept.sweeps.take(small_sweep()))
    pane.table.setFocus()
    pane.table.selectRow(0)
    press(pane.table, "Shift+Down", "Del")
    assert pane.model.ids == [1]
    assert pane.selected() == (1,)
    assert pane.bar.undo.text() == "Undo the deletion of 2"
    show(pane, "sweeps").selectRow(0)
    press(pane.sweeps, "Del")
    both = [("runs", (3, 2)), ("sweeps", (1,))]
    assert deleted == both
    undo = pane.sweeps.commands["undo"]
    undo.trigger()
    pane.bar.undo.click()
    assert undone == both[::-1]
    assert pane.model.ids == [3, 2, 1]
    assert pane.selected() == (3,)
    assert not pane.bar.undo.isVisible()
    assert not undo.isEnabled()


def test_it_is_said_in_what_chosen_runs_differ(pane: HistoryPane) -> None:
    pane.table.selectRow(0)
    assert not pane.differences.isVisible()
    pane.table.selectAll()
    assert pane.differences.isVisible()
    assert pane.differences.text().startswith("They differ in M 4096 | 64 · N 1024 | 512 | 8192")


def test_a_run_is_restored_by_button_enter_and_double_click_and_copied_as_a_table(
    pane: HistoryPane,
) -> None:
    restored = heard(pane.restoreRequested)
    pane.offer_exports([QAction("CSV", pane)])
    buttons = {each.text(): each for each in pane.findChildren(QToolButton) if each.isVisible()}
    assert [action.text() for action in buttons["Export"].menu().actions()] == ["CSV"]
    assert not buttons["Restore"].isEnabled(), "nothing is chosen"
    pane.table.setFocus()
    pane.table.selectRow(1)
    buttons["Restore"].click()
    press(pane.table, "Return")
    pane.table.doubleClicked.emit(pane.model.index(2, 1))
    assert restored == [2, 2, 2]
    pane.table.selectRow(2)
    pane.copy()
    header, line = QGuiApplication.clipboard().text().split("\n")
    row = dict(zip(header.split("\t"), line.split("\t"), strict=True))
    assert row["backward GB/s"] == "1690 (1720)"


def test_a_sweep_is_copied_opened_or_gone_on_with_from_its_table(pane: HistoryPane) -> None:
    running = replace(CUT_OFF, running=True)
    cancelled = replace(CUT_OFF, ended="cancelled")
    pane.set_kept("sweeps", [cancelled, running, CUT_OFF, SWEEP])
    table = show(pane, "sweeps")
    commands = pane.sweeps.commands
    possible = {}
    for row in range(4):
        table.selectRow(row)
        (state,) = cells(table, row, "state")
        possible[state] = commands["go_on"].isEnabled()
    assert possible == {
        "1 of 2 · cancelled": True,
        "1 of 2 · running": False,
        "1 of 2 · not finished": True,
        "2 of 2": False,
    }
    signals = pane.sweepRequested, pane.sweepCommandWanted, pane.sweepRowsWanted
    told = [heard(signal) for signal in signals]
    press(table, "Return")
    commands["copy"].trigger()
    commands["rows"].trigger()
    assert told == [[(4, False)], ["lnexplorer sweep --m 4096 --n 1024,2048"], [4]]


def test_each_kind_has_its_own_filter_and_sweeps_are_sorted(pane: HistoryPane) -> None:
    other = replace(CUT_OFF, command="--m 64 --n 8", note="before the fix", ended="failed")
    pane.set_kept("sweeps", [other, SWEEP])
    pane.bar.filter.setText("N>=4096")
    show(pane, "sweeps")
    assert pane.bar.filter.text() == ""
    type_filter(pane, "FIX failed")
    assert pane.sweeps.rows.ids == [5]
    assert pane.bar.count.text() == "1 of 2"
    show(pane, "runs")
    assert pane.bar.filter.text() == "N>=4096"
    show(pane, "sweeps")
    type_filter(pane, "")
    pane.sweeps.sortByColumn(3, Qt.SortOrder.AscendingOrder)
    assert pane.sweeps.rows.ids == [4, 5]


def test_a_note_on_a_sweep_is_written_in_its_cell_whatever_comes_meanwhile(
    pane: HistoryPane, until: Until
) -> None:
    told = heard(pane.annotated)
    pane.set_kept("sweeps", [CUT_OFF, SWEEP])
    table = show(pane, "sweeps")
    table.selectRow(1)
    press(table, "F2")
    editor = QApplication.focusWidget()
    type_text(editor, "slow clocks")
    pane.set_kept("sweeps", [replace(CUT_OFF, id=6), CUT_OFF, SWEEP])
    press(editor, "Return")
    until(lambda: told == [("sweeps", 4, "slow clocks")])
    assert table.rows.ids == [6, 5, 4]
    assert table.selected() == (4,)


def test_experiments_stand_beside_the_runs(pane: HistoryPane) -> None:
    stopped = replace(EXPERIMENT, name="barrier", ended="stopped", done=120, total=2000)
    crashed = replace(EXPERIMENT, ended="failed", reason=verbatim("The worker crashed."))
    pane.set_kept("experiments", [crashed, stopped, EXPERIMENT])
    table = show(pane, "experiments")
    asked = heard(pane.experimentRequested)
    kind, *told = cells(table, 0, "kind", "name", "shape", "state")
    assert kind == "measured"
    assert told == ["The order of additions", "4096×2048 float16", "failed · The worker crashed."]
    assert cells(table, 1, "state") == ["stopped after 120 of 2000 steps"]
    assert cells(table, 2, "state") == ["finished"]
    table.selectRow(2)
    press(table, "Return")
    assert asked == [7]


def test_the_model_keeps_qts_rules(qapp: QApplication) -> None:
    model = RowsModel(RUNS)
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.set_rows([ROW, replace(ROW, id=2), replace(ROW, id=3)], 3)
    model.set_rows([ROW, replace(ROW, id=3)], 3, ROW)
    model.remove({3})
    model.retranslate()
    model.set_rows([], 0)


def test_what_other_programs_do_comes_into_the_pane(
    qtbot: QtBot, delivery: Delivery, tmp_path: Path, until: Until
) -> None:
    pane = on_screen(qtbot, HistoryPane(), 1260, 300)
    path = tmp_path / "shared.sqlite3"
    thread = HistoryThread(path, delivery, remark=say("The usual folder cannot be written."))
    warned = heard(thread.warned)
    with open_history(path, pytest.fail) as other:
        link_history(pane, thread)
        assert pane.place.isVisible()
        assert pane.place.text() == "The usual folder cannot be written."
        other.runs.add(small_result(Kind.INTERPRETED))
        other.experiments.add(finished(sample("order")))
        other.sweeps.begin(TUTORIAL.sweep)
        until(lambda: pane.model.total == 1)
        until(lambda: [pane.kept[kind].total for kind in ("experiments", "sweeps")] == [1, 1])
        pane.show_kind("sweeps")
        pane.sweeps.select(1)
        pane.delete("sweeps")
        until(lambda: "is running" in str(warned))
        until(lambda: pane.kept["sweeps"].total == 1)
    thread.close()


def test_speeds_are_whole_on_a_projector_beside_a_norm_a_wrong_verdict_and_a_pinned_run(
    qtbot: QtBot,
) -> None:
    pane = on_screen(qtbot, HistoryPane(), 1210, 600)
    row = replace(ROW, norm="add_rms_norm", passed=False, failed=TENSORS)
    pane.set_runs([replace(row, setting="GROUP_SIZE_M = 64, barrier = off")], 1, replace(ROW, id=2))
    header = pane.table.horizontalHeader()
    speed = place(RUNS, "backward_gbps")
    qtbot.waitUntil(lambda: header.sectionSize(speed) > 0)
    end = header.sectionViewportPosition(speed) + header.sectionSize(speed)
    assert end <= pane.table.viewport().width()


def test_settings_of_a_run_are_named_in_the_language_of_the_window(qapp: QApplication) -> None:
    column = RUNS[place(RUNS, "setting")]
    row = replace(ROW, setting="GROUP_SIZE_M = 64, barrier = off, num_warps (stage 2) = 8")
    model = RowsModel(RUNS)
    assert model.text(column, row) == row.setting
    languages = Languages()
    languages.use("zh_CN")
    assert model.text(column, row) == "GROUP_SIZE_M = 64、屏障 = 关、num_warps（阶段 2） = 8"
    languages.use("en")
