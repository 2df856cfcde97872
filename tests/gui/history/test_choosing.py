"""What is done with the runs that are chosen in the History pane."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu
from pytestqt.qtbot import QtBot

from lnexplorer.gui.history.pane import EXPORTS, HistoryPane
from tests.gui.history.sample_history import EXPERIMENT, ROW, SWEEP, Runs, runs, text


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
    assert told.args == ["runs", 2, "slow clocks"]
    assert text(pane, 1, "note") == "slow clocks"


@pytest.mark.usefixtures("history")
def test_deleted_runs_can_be_taken_back(pane: HistoryPane, qtbot: QtBot) -> None:
    pane.table.setFocus()
    pane.table.selectRow(0)
    qtbot.keyClick(pane.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    with qtbot.waitSignal(pane.deleteRequested) as asked:
        qtbot.keyClick(pane.table, Qt.Key.Key_Delete)
    assert asked.args == ["runs", (3, 2)]
    assert runs(pane) == [1]
    assert pane.selected() == (1,)
    assert pane.bar.deleted.text() == "2 runs deleted"
    with qtbot.waitSignal(pane.undoDeleteRequested) as undone:
        pane.bar.undo.click()
    assert undone.args == ["runs", (3, 2)]
    assert runs(pane) == [3, 2, 1]
    assert pane.selected() == (3,)
    assert not pane.bar.undo.isVisible()


@pytest.mark.usefixtures("history")
def test_deletions_come_back_one_after_the_other_whatever_was_deleted(pane: HistoryPane, qtbot: QtBot) -> None:
    pane.set_sweeps([SWEEP])
    pane.set_experiments([EXPERIMENT])
    pane.table.select(3)
    pane.delete()
    pane.table.select(1)
    pane.delete()
    pane.bar.kinds.button("sweeps").click()
    pane.sweeps.setFocus()
    pane.sweeps.selectRow(0)
    with qtbot.waitSignal(pane.deleteRequested) as asked:
        qtbot.keyClick(pane.sweeps, Qt.Key.Key_Delete)
    assert asked.args == ["sweeps", (4,)]
    assert pane.bar.deleted.text() == "1 sweep deleted"
    pane._forget()
    assert not pane.bar.undo.isVisible()
    with qtbot.waitSignal(pane.undoDeleteRequested) as undone:
        pane.sweeps.deeds["undo"].trigger()
    assert undone.args == ["sweeps", (4,)]
    for run in (1, 3):
        with qtbot.waitSignal(pane.undoDeleteRequested) as undone:
            pane.undo_delete()
        assert undone.args == ["runs", (run,)]
    assert runs(pane) == [3, 2, 1]
    assert not pane.sweeps.deeds["undo"].isEnabled()


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
            pane.table.deeds[kind].trigger()
        assert asked.args == [kind, (2, 3, 1)]
    menu.deleteLater()


def test_a_run_that_comes_back_by_its_key_is_chosen_alone(pane: HistoryPane, history: Runs, qtbot: QtBot) -> None:
    pane.table.setFocus()
    pane.table.selectRow(1)
    gone = pane.selected()
    qtbot.keyClick(pane.table, Qt.Key.Key_Delete)
    qtbot.keyPress(pane.window().windowHandle(), Qt.Key.Key_Control, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(pane.window().windowHandle(), Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert pane.selected() == gone
