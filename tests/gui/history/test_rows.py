"""What the History pane writes of each run, which runs it shows, and in which order."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from lnexplorer.gui.charts.theme import LIGHT
from lnexplorer.gui.history.columns import RUNS, place
from lnexplorer.gui.history.model import RunModel
from lnexplorer.gui.history.pane import HistoryPane
from tests.gui.history.sample_history import ROW, ROWS, Runs, cell, numbers, runs, text


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
    model = RunModel()
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


def test_speeds_by_all_bytes_stand_in_brackets_where_they_are_known(pane: HistoryPane, history: Runs) -> None:
    history.rows[1] = replace(ROW, forward_counted=2791.0)
    pane.refresh()
    pane.model.set_rows(list(history.rows.values()))
    row = pane.model.place_of(1) or 0
    assert text(pane, row, "forward_gbps") == "2760 (2790)"
    assert text(pane, row, "backward_gbps") == "1690"


def test_runs_are_compared_with_the_baseline(pane: HistoryPane, history: Runs) -> None:
    faster = replace(ROW, id=5, forward_gbps=3041.5, forward_low=3010.0, forward_high=3070.0)
    history.rows |= {7: replace(faster, id=7, n=1024), 8: replace(faster, id=8, device="NVIDIA A100")}
    history.rows |= {1: replace(ROW, forward_low=2740.0, forward_high=2790.0), 5: faster}
    assert pane.table.isColumnHidden(place(RUNS, "forward_difference"))
    pane.refresh()
    pane.table.select(1)
    pane.pin()
    row = pane.model.place_of(5)
    assert row is not None
    pane.model.set_rows(list(history.rows.values()))
    assert not pane.table.isColumnHidden(place(RUNS, "forward_difference"))
    assert text(pane, row, "forward_difference").startswith("+10.0 % ± 2.")
    assert text(pane, pane.model.place_of(1) or 0, "forward_difference") == "baseline"
    assert text(pane, pane.model.place_of(2) or 0, "forward_difference") == "–"
    for run, words in ((7, "another problem"), (8, "another device")):
        assert text(pane, pane.model.place_of(run) or 0, "forward_difference") == words
    pane.model.set_rows([replace(ROW, id=3)])
    tooltip = cell(pane.table, pane.model.place_of(3) or 0, "forward_difference").data(Qt.ItemDataRole.ToolTipRole)
    assert tooltip == "Too few times were measured to say how far the speeds are apart."
    history.rows[6] = replace(ROW, id=6, forward_gbps=2770.0, forward_low=2740.0, forward_high=2795.0)
    pane.refresh()
    pane.model.set_rows([history.rows[6]])
    assert text(pane, pane.model.place_of(6) or 0, "forward_difference") == "within noise"
    assert pane.bar.baseline.isVisible()
    pane.bar.unpin.click()
    assert pane.table.isColumnHidden(place(RUNS, "forward_difference"))


@pytest.mark.usefixtures("history")
def test_the_theme_colours_verdicts(pane: HistoryPane) -> None:
    pane.apply_theme(LIGHT)
    index = cell(pane.table, 0, "passed")
    assert pane.model.data(index, Qt.ItemDataRole.ForegroundRole) == QColor(LIGHT.bad)
    assert not pane.grab().isNull()


def type_filter(pane: HistoryPane, words: str) -> None:
    pane.bar.filter.setText(words)
    pane.bar.filter.returnPressed.emit()


def test_runs_are_sorted_by_a_click_on_a_header(pane: HistoryPane, history: Runs, qtbot: QtBot) -> None:
    assert runs(pane) == [3, 2, 1]
    header = pane.table.horizontalHeader()
    point = QPoint(header.sectionViewportPosition(place(RUNS, "n")) + 10, header.height() // 2)
    found = set()
    for _ in range(2):
        qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=point)
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
    assert pane.notice.title.text() == "Nothing matches"
    type_filter(pane, "")
    assert pane.table.isVisible()


@pytest.mark.usefixtures("history")
def test_the_filter_follows_typing_after_a_pause(pane: HistoryPane, qtbot: QtBot) -> None:
    qtbot.keyClicks(pane.bar.filter, "cpu")
    qtbot.waitUntil(lambda: runs(pane) == [2])
    assert pane.bar.count.text() == "1 of 3 runs"


def test_numbers_of_later_runs_are_whole(pane: HistoryPane, history: Runs, qtbot: QtBot) -> None:
    table, column = pane.table, place(RUNS, "m")
    narrow = table.columnWidth(column)
    wide = replace(ROWS[0], id=900, m=16_777_216)
    history.rows[wide.id] = wide
    pane.refresh()
    qtbot.waitUntil(lambda: table.columnWidth(column) > narrow)
    assert table.columnWidth(column) >= table.fontMetrics().horizontalAdvance("16777216")


def test_a_column_that_was_made_narrow_by_hand_stays_so(pane: HistoryPane, history: Runs, qtbot: QtBot) -> None:
    table, column, other = pane.table, place(RUNS, "m"), place(RUNS, "n")
    table.setColumnWidth(column, 30)
    before = table.columnWidth(other)
    wide = replace(ROWS[0], id=900, m=16_777_216, n=1_048_576)
    history.rows[wide.id] = wide
    pane.refresh()
    qtbot.waitUntil(lambda: table.columnWidth(other) > before)
    assert table.columnWidth(column) == 30
