"""Which runs the History pane shows, and in which order."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from lnexplorer.gui.history.columns import PLACES
from lnexplorer.gui.history.pane import HistoryPane
from tests.gui.history.sample_history import Runs, runs


def type_filter(pane: HistoryPane, words: str) -> None:
    pane.bar.filter.setText(words)
    pane.bar.filter.returnPressed.emit()


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
