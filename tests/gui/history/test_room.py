"""The history where there is little room: whole rows, whole numbers."""

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMainWindow
from pytestqt.qtbot import QtBot

from lnexplorer.gui.history.columns import PLACES
from lnexplorer.gui.history.pane import HistoryPane
from lnexplorer.gui.i18n.languages import Languages
from lnexplorer.gui.shell.docks import Docks
from lnexplorer.gui.shell.theme import DARK
from lnexplorer.store.resources import resource
from tests.gui.history.sample_history import ROWS, Runs


def test_a_strip_shows_two_whole_rows_however_low_the_window_is(pane: HistoryPane, history: Runs, qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    docks = Docks(window)
    docks.set_pane("history", pane)
    window.resize(1000, 900)
    docks.arrange(overview=False, gpu=True)
    window.show()
    table = pane.table
    qtbot.waitUntil(lambda: table.viewport().height() > 3 * table.rowHeight(0))
    window.resizeDocks([docks.docks["reduction"], docks.docks["history"]], [880, 10], Qt.Orientation.Vertical)
    qtbot.waitUntil(lambda: table.viewport().height() <= 3 * table.rowHeight(0))
    assert table.viewport().height() >= 2 * table.rowHeight(0)
    assert pane.visibleRegion().boundingRect().height() == pane.height(), "nothing is scrolled out of sight"


def test_the_least_height_follows_the_language(pane: HistoryPane, qapp: QApplication) -> None:
    pane.show()
    pane.apply_theme(DARK)
    languages = Languages(qapp, resource("translations"))
    languages.use("zh_CN")
    try:
        QApplication.processEvents()
        chinese = pane.minimumHeight()
        pane.apply_theme(DARK)
        assert pane.minimumHeight() == chinese, "it is measured anew: Chinese signs are higher"
    finally:
        languages.use("en")


def test_numbers_of_later_runs_are_whole(pane: HistoryPane, history: Runs, qtbot: QtBot) -> None:
    table, column = pane.table, PLACES["m"]
    narrow = table.columnWidth(column)
    wide = replace(ROWS[0], id=900, m=16_777_216)
    history.rows[wide.id] = wide
    pane.refresh()
    qtbot.waitUntil(lambda: table.columnWidth(column) > narrow)
    assert table.columnWidth(column) >= table.fontMetrics().horizontalAdvance("16777216")


def test_a_column_that_was_made_narrow_by_hand_stays_so(pane: HistoryPane, history: Runs, qtbot: QtBot) -> None:
    table, column, other = pane.table, PLACES["m"], PLACES["n"]
    table.setColumnWidth(column, 30)
    before = table.columnWidth(other)
    wide = replace(ROWS[0], id=900, m=16_777_216, n=1_048_576)
    history.rows[wide.id] = wide
    pane.refresh()
    qtbot.waitUntil(lambda: table.columnWidth(other) > before)
    assert table.columnWidth(column) == 30
