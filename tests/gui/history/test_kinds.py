"""Sweeps and experiments in the History pane."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from lnexplorer.gui.charts.theme import LIGHT
from lnexplorer.gui.history.pane import HistoryPane
from tests.gui.history.sample_history import EXPERIMENT, FAILED, STOPPED, SWEEP, cell, kept_text, shown


def click_title(pane: HistoryPane, column: int, qtbot: QtBot) -> None:
    """Click the title of a column of the sweeps."""
    header = pane.sweeps.horizontalHeader()
    place = QPoint(header.sectionViewportPosition(column) + 10, header.height() // 2)
    qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=place)


def entry(pane: HistoryPane, words: str) -> QAction:
    """What the menu of the sweeps has that begins so."""
    return next(action for action in pane.context_menu("sweeps").actions() if action.text().startswith(words))


@pytest.mark.usefixtures("history")
def test_sweeps_stand_beside_the_runs_where_there_are_any(pane: HistoryPane, qtbot: QtBot) -> None:
    assert not pane.bar.kinds.button("sweeps").isVisible()
    pane.set_sweeps([replace(SWEEP, id=5, done=1, ended="cancelled"), SWEEP])
    assert pane.bar.kinds.button("sweeps").isVisible()
    with qtbot.waitSignal(pane.sweepsWanted):
        pane.bar.kinds.button("sweeps").click()
    assert pane.sweeps.isVisible()
    assert not pane.bar.fields.isVisible()
    texts = [kept_text(pane.sweeps, row, "state") for row in range(2)]
    assert texts == ["1 of 2 · cancelled", "2 of 2"]
    pane.sweeps.setFocus()
    pane.sweeps.selectRow(1)
    with qtbot.waitSignal(pane.sweepCommandWanted) as copied:
        qtbot.keyClick(pane.sweeps, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert copied.args == ["lnexplorer sweep --m 4096 --n 1024,2048"]
    with qtbot.waitSignal(pane.sweepRowsWanted) as exported:
        entry(pane, "Export").trigger()
    assert exported.args == [4]
    pane.refresh()
    assert pane.sweeps.isVisible()
    pane.set_sweeps([])
    assert pane.table.isVisible()


@pytest.mark.usefixtures("history")
def test_a_sweep_is_opened_or_gone_on_with_from_the_table(pane: HistoryPane, qtbot: QtBot) -> None:
    cut_off = replace(SWEEP, id=5, done=1, ended="")
    pane.set_sweeps([replace(cut_off, id=6, running=True), cut_off, SWEEP])
    pane.bar.kinds.button("sweeps").click()
    assert [kept_text(pane.sweeps, row, "state") for row in range(3)] == ["1 of 2 · running", "1 of 2 · not finished", "2 of 2"]
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
def test_sweeps_are_filtered_and_sorted(pane: HistoryPane, qtbot: QtBot) -> None:
    other = replace(SWEEP, id=5, command="--m 64 --n 8", note="before the fix", done=1, ended="failed")
    pane.set_sweeps([other, SWEEP])
    pane.bar.filter.setText("N>=4096")
    pane.bar.kinds.button("sweeps").click()
    assert pane.bar.filter.text() == ""
    pane.bar.filter.setText("FIX failed")
    pane.bar.apply()
    assert shown(pane.sweeps) == [5]
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
        click_title(pane, column, qtbot)
        orders.append(shown(pane.sweeps))
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
    with qtbot.waitSignal(pane.annotated) as told:
        qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert told.args == ["sweeps", 4, "slow clocks"]
    assert shown(pane.sweeps) == [6, 5, 4]
    assert pane.sweeps.selected() == (4,)
    pane.set_sweeps([replace(SWEEP, note="slow clocks")])
    assert kept_text(pane.sweeps, 0, "note") == "slow clocks"


@pytest.mark.usefixtures("history")
def test_a_note_on_a_sweep_that_is_not_kept_goes_away_again(pane: HistoryPane) -> None:
    pane.set_sweeps([SWEEP])
    pane.show_kind("sweeps")
    pane.sweep_model.setData(cell(pane.sweeps, 0, "note"), "slow clocks")
    assert kept_text(pane.sweeps, 0, "note") == "slow clocks"
    pane.set_sweeps([SWEEP])
    assert kept_text(pane.sweeps, 0, "note") == ""


@pytest.mark.usefixtures("history")
def test_experiments_stand_beside_the_runs_where_there_are_any(pane: HistoryPane, qtbot: QtBot) -> None:
    pane.set_experiments([FAILED, STOPPED, EXPERIMENT])
    assert pane.bar.kinds.isVisible()
    assert not pane.bar.kinds.button("sweeps").isVisible()
    pane.bar.kinds.button("experiments").click()
    assert pane.experiments.isVisible()
    texts = [[kept_text(pane.experiments, row, key) for key in ("kind", "name", "shape", "state")] for row in range(3)]
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
    assert pane.experiments.selected() == (7,)
    pane.apply_theme(LIGHT)
    assert pane.experiments.selected() == (7,)
    assert not pane.grab().isNull()


@pytest.mark.usefixtures("history")
def test_deleted_experiments_can_be_taken_back(pane: HistoryPane, qtbot: QtBot) -> None:
    pane.set_experiments([FAILED, STOPPED, EXPERIMENT])
    pane.bar.kinds.button("experiments").click()
    pane.experiments.setFocus()
    pane.experiments.selectRow(0)
    qtbot.keyClick(pane.experiments, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    with qtbot.waitSignal(pane.deleteRequested) as asked:
        qtbot.keyClick(pane.experiments, Qt.Key.Key_Delete)
    assert asked.args == ["experiments", (9, 8)]
    assert shown(pane.experiments) == [7]
    assert pane.experiments.selected() == (7,)
    assert pane.bar.deleted.text() == "2 experiments deleted"
    assert pane.bar.undo.toolTip() == "Put the deleted experiments back"
    with qtbot.waitSignal(pane.undoDeleteRequested) as undone:
        qtbot.keyClick(pane.experiments, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert undone.args == ["experiments", (9, 8)]
    assert not pane.bar.undo.isVisible()
    # The last one takes the choice away; its way back stays.
    assert pane.experiments.selected() == (7,)
    qtbot.keyClick(pane.experiments, Qt.Key.Key_Delete)
    pane.set_experiments([])
    assert pane.table.isVisible()
    assert not pane.bar.kinds.button("experiments").isVisible()
    assert pane.bar.deleted.text() == "1 experiment deleted"
    with qtbot.waitSignal(pane.undoDeleteRequested):
        pane.bar.undo.click()


@pytest.mark.usefixtures("history")
def test_the_state_is_whole_beside_other_panes(pane: HistoryPane, qtbot: QtBot) -> None:
    pane.resize(904, 300)
    pane.set_experiments([replace(EXPERIMENT, device="NVIDIA H200")])
    pane.show_kind("experiments")
    table = pane.experiments
    qtbot.waitUntil(lambda: all(table.columnWidth(column) >= table.sizeHintForColumn(column) for column in range(6)))
    pane.set_experiments([STOPPED])
    assert cell(table, 0, "state").data(Qt.ItemDataRole.ToolTipRole) == "stopped after 120 of 2000 steps"


@pytest.mark.usefixtures("history")
def test_a_width_that_somebody_chose_stays(pane: HistoryPane) -> None:
    pane.resize(1200, 300)
    pane.set_experiments([EXPERIMENT])
    pane.show_kind("experiments")
    table = pane.experiments
    table.horizontalHeader().resizeSection(4, 250)  # as a drag of its edge does
    pane.set_experiments([EXPERIMENT, STOPPED])
    pane.show_kind("runs")
    pane.show_kind("experiments")
    assert table.columnWidth(4) == 250
