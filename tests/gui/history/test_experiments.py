"""Experiments in the History pane."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from lnexplorer.gui.history.pane import HistoryPane
from lnexplorer.gui.shell.theme import LIGHT
from tests.gui.history.sample_history import EXPERIMENT, FAILED, STOPPED


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
def test_the_state_is_whole_beside_other_panes(pane: HistoryPane) -> None:
    pane.resize(904, 300)
    pane.set_experiments([replace(EXPERIMENT, device="NVIDIA H200")])
    pane.show_kind("experiments")
    table = pane.experiments
    assert all(table.columnWidth(column) >= table.sizeHintForColumn(column) for column in range(6))
    pane.set_experiments([STOPPED])
    assert table.item(0, 5).toolTip() == "stopped after 120 of 2000 steps"


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
