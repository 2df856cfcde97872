"""Sweeps in the History pane."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from lnexplorer.gui.history.pane import HistoryPane
from tests.gui.history.sample_history import SWEEP


def note_of(pane: HistoryPane, row: int) -> str:
    """What stands in the cell of a sweep's note."""
    item = pane.sweeps.item(row, 2)
    return "" if item is None else item.text()


def entry(pane: HistoryPane, words: str) -> QAction:
    """What the menu of the sweeps has that begins so."""
    return next(action for action in pane.sweeps.context_menu().actions() if action.text().startswith(words))


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
    pane.show_kind("sweeps")
    item = pane.sweeps.item(0, 2)
    assert item is not None
    item.setText("slow clocks")
    pane.set_sweeps([SWEEP])
    assert note_of(pane, 0) == ""


@pytest.mark.usefixtures("history")
def test_cells_are_made_when_somebody_looks_and_none_of_them_counts_as_edited(pane: HistoryPane, qtbot: QtBot) -> None:
    pane.set_sweeps([SWEEP])
    assert pane.sweeps.item(0, 2) is None
    with qtbot.assertNotEmitted(pane.sweepAnnotated):
        pane.set_sweeps([replace(SWEEP, note="slow clocks")])
        pane.show_kind("sweeps")
    assert note_of(pane, 0) == "slow clocks"
    pane.show_kind("runs")
    pane.set_sweeps([SWEEP])
    pane.show_kind("sweeps")
    assert note_of(pane, 0) == ""
