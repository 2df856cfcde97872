"""The History pane."""

import sys
import time
from dataclasses import replace

import pandas as pd
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from lnexplorer.domain.history import HistoryRow
from lnexplorer.domain.provenance import Kind
from lnexplorer.gui.panes.history import HistoryPane
from lnexplorer.gui.panes.history_parts.columns import PLACES
from lnexplorer.gui.panes.history_parts.model import HistoryModel
from lnexplorer.gui.panes.history_parts.query import parse
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


@pytest.fixture
def pane(qtbot: QtBot) -> HistoryPane:
    """A pane with three runs, the newest first."""
    pane = HistoryPane()
    qtbot.addWidget(pane)
    pane.apply_theme(DARK)
    pane.resize(1260, 300)
    pane.set_rows(ROWS)
    pane.show()
    return pane


def runs(pane: HistoryPane) -> list[int]:
    return [pane.model.row_at(place).id for place in range(pane.model.rowCount())]


def text(pane: HistoryPane, row: int, key: str) -> str:
    return str(pane.model.data(pane.model.index(row, PLACES[key])))


def type_filter(pane: HistoryPane, words: str) -> None:
    pane.filter.setText(words)
    pane.filter.returnPressed.emit()


def test_an_empty_history_says_what_to_do(qtbot: QtBot) -> None:
    pane = HistoryPane()
    qtbot.addWidget(pane)
    pane.show()
    assert pane.notice.isVisible()
    assert "Press Run" in pane.notice.body.text()


def test_a_run_is_a_row_with_rounded_figures(pane: HistoryPane) -> None:
    shown = [text(pane, 2, key) for key in ("kind", "m", "n", "forward_gbps", "backward_share", "dw_error", "passed")]
    assert shown == ["measured", "4096", "8192", "2760", "44 %", "2.1e-6", "✓"]
    assert text(pane, 1, "forward_gbps") == "–"
    assert [text(pane, 0, key) for key in ("dw_error", "passed")] == ["–", "✗ dw"]


def test_the_model_keeps_qts_rules(qtbot: QtBot) -> None:
    model = HistoryModel()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.set_rows(ROWS)
    model.add_row(replace(ROW, id=4))
    model.set_query(parse("n>1000"))
    model.sort(PLACES["n"], Qt.SortOrder.AscendingOrder)
    model.remove(4)
    model.apply_theme(LIGHT)
    model.set_rows([])


def test_runs_are_sorted_by_a_click_on_a_header(pane: HistoryPane, qtbot: QtBot) -> None:
    assert runs(pane) == [3, 2, 1]
    header = pane.table.horizontalHeader()
    place = QPoint(header.sectionViewportPosition(PLACES["n"]) + 10, header.height() // 2)
    qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=place)
    ascending = [pane.model.row_at(row).n for row in range(3)]
    qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=place)
    descending = [pane.model.row_at(row).n for row in range(3)]
    assert {tuple(ascending), tuple(descending)} == {(512, 1024, 8192), (8192, 1024, 512)}


def test_runs_without_a_value_come_last_in_either_order(pane: HistoryPane) -> None:
    for order in (Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder):
        pane.model.sort(PLACES["forward_gbps"], order)
        assert runs(pane)[-1] == 2


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("", [3, 2, 1]),
        ("h200", [3, 1]),
        ("H200 failed", [3]),
        ("N>=1024 passed", [1]),
        ("n<1024", [2]),
        ("share>40%", [3, 1]),
        ("kind=interpreted", [2]),
        ("dtype!=float16", []),
        ("4096x8192", [1]),
        ("a.*[(", []),
        ("forward>abc", []),
    ],
)
def test_the_filter_finds_words_verdicts_and_comparisons(pane: HistoryPane, words: str, found: list[int]) -> None:
    type_filter(pane, words)
    assert runs(pane) == found


def test_a_filter_that_nothing_matches_says_so(pane: HistoryPane) -> None:
    type_filter(pane, "bfloat16")
    assert pane.notice.isVisible()
    assert pane.notice.title.text() == "No run matches"
    type_filter(pane, "")
    assert pane.table.isVisible()


def test_the_filter_follows_typing_after_a_pause(pane: HistoryPane, qtbot: QtBot) -> None:
    qtbot.keyClicks(pane.filter, "cpu")
    qtbot.waitUntil(lambda: runs(pane) == [2])
    assert pane.count.text() == "1 of 3 runs"


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


def test_a_deleted_run_can_be_taken_back(pane: HistoryPane, qtbot: QtBot) -> None:
    pane.table.setFocus()
    pane.table.selectRow(0)
    with qtbot.waitSignal(pane.deleteRequested) as asked:
        qtbot.keyClick(pane.table, Qt.Key.Key_Delete)
    assert asked.args == [3]
    assert runs(pane) == [2, 1]
    assert pane.selected() == (2,)
    assert pane.deleted.text() == "1 run deleted"
    with qtbot.waitSignal(pane.undoDeleteRequested) as undone:
        pane.undo.click()
    assert undone.args == [3]
    assert runs(pane) == [3, 2, 1]
    assert pane.selected() == (3,)
    assert not pane.undo.isVisible()


def test_a_selection_outlives_a_new_run(pane: HistoryPane) -> None:
    pane.table.selectRow(2)
    pane.add_row(replace(ROW, id=9, date="2025-11-20T10:00:00+00:00"))
    assert runs(pane) == [9, 3, 2, 1]
    assert pane.selected() == (1,)


def test_selecting_tells_which_runs(pane: HistoryPane, qtbot: QtBot) -> None:
    with qtbot.waitSignal(pane.selectionChanged) as told:
        pane.table.selectRow(1)
    assert told.args == [(2,)]


def test_selected_runs_are_copied_as_a_table(pane: HistoryPane) -> None:
    pane.table.selectRow(2)
    pane.copy()
    header, line = QGuiApplication.clipboard().text().split("\n")
    assert dict(zip(header.split("\t"), line.split("\t"), strict=True))["backward GB/s"] == "1690"


def test_the_context_menu_offers_what_the_keys_do(pane: HistoryPane) -> None:
    texts = [action.text() for action in pane.context_menu().actions() if not action.isSeparator()]
    assert texts == ["Restore parameters and results", "Copy as a table", "Delete", "Undo the deletion"]


def test_the_table_fills_when_pandas_arrives_later(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    pane = HistoryPane()
    qtbot.addWidget(pane)
    with monkeypatch.context() as absent:
        absent.delitem(sys.modules, "pandas")
        absent.setattr("importlib.import_module", lambda _name: pd)
        pane.set_rows(ROWS)
        assert pane.model.rowCount() == 0
        assert pane.model.total == 3
        sys.modules["pandas"] = pd
        qtbot.waitUntil(lambda: pane.model.rowCount() == 3)


def test_ten_thousand_runs_are_filtered_and_sorted_in_one_frame(pane: HistoryPane) -> None:
    pane.set_rows([replace(ROW, id=number, n=number) for number in range(10_000)])
    start = time.perf_counter()
    pane.model.set_query(parse("h200 n>5000"))
    assert pane.model.rowCount() == 4999
    # A frame is 16 ms; the bound only tells an algorithm that asks Python for every cell, which takes seconds.
    assert time.perf_counter() - start < 0.5


def test_the_theme_colours_verdicts(pane: HistoryPane) -> None:
    pane.apply_theme(LIGHT)
    index = pane.model.index(0, PLACES["passed"])
    assert pane.model.data(index, Qt.ItemDataRole.ForegroundRole) == QColor(LIGHT.bad)
    assert not pane.grab().isNull()
