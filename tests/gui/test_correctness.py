"""The Correctness pane."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QRectF, Qt
from pytestqt.qtbot import QtBot

from lnexplorer.gui.charts.error_table import KEYS
from lnexplorer.gui.charts.errors_view import ErrorsView
from lnkernels.values.accuracy import Correctness, ErrorMap
from lnkernels.values.environment import Kind
from tests.gui.windows import on_screen
from tests.sample_results import make_correctness, make_resolved, without_errors


@pytest.fixture
def pane(qtbot: QtBot) -> ErrorsView:
    """A pane on the screen, large enough for all pictures."""
    return on_screen(qtbot, ErrorsView(), 1100, 700)


CORRECTNESS = make_correctness(64, 128)


def show(
    pane: ErrorsView, correctness: Correctness = CORRECTNESS, kind: Kind = Kind.MEASURED
) -> None:
    pane.show_correctness(correctness, make_resolved(64, 128), kind)


def cell(pane: ErrorsView, row: int, key: str) -> str:
    return pane.table.item(row, KEYS.index(key)).text()


def test_the_table_shows_every_result_three_ways(pane: ErrorsView) -> None:
    check = replace(
        CORRECTNESS.checks[2],
        kernel_vs_truth=replace(
            CORRECTNESS.checks[2].kernel_vs_truth, max_abs=2.13e-6, max_ulp=12.4
        ),
    )
    show(pane, replace(CORRECTNESS, checks=(*CORRECTNESS.checks[:2], check)))
    assert [cell(pane, 2, key) for key in ("name", "max", "ulp", "passed", "tutorial")] == [
        "dw",
        "2.1e-6",
        "12",
        "✓ yes",
        "✓ yes",
    ]
    assert "2.13e-06" in pane.table.item(2, KEYS.index("max")).toolTip()


@pytest.mark.parametrize(
    "correctness",
    [
        make_correctness(64, 128, misplaced=5),
        without_errors(CORRECTNESS),
        make_correctness(1, 1),
        replace(CORRECTNESS, maps=(), columns=(), histograms=()),
    ],
    ids=["not finite", "no error", "one element", "no pictures"],
)
def test_odd_results_are_drawn_on_both_scales(pane: ErrorsView, correctness: Correctness) -> None:
    empty = pane.grab().toImage()
    show(pane, correctness)
    pictures = []
    for log in (False, True):
        pane.log.setChecked(log)
        pictures.append(pane.grab().toImage())
    assert all(picture != empty for picture in pictures)
    assert [cell(pane, row, "name") for row in range(4)] == ["y", "dx", "dw", "db"]
    misplaced = cell(pane, 0, "misplaced")
    assert pane.table.isColumnHidden(KEYS.index("misplaced")) == (misplaced == "0")
    linear, logarithmic = pictures
    if correctness.maps and max(float(each.values.max()) for each in correctness.maps) > 0:
        assert linear != logarithmic


def part(rows: range, columns: range, value: float = 0.0, name: str = "y") -> ErrorMap:
    """A part of a map with one error everywhere, pooled where it is large."""
    values = np.full((min(len(rows), 64), min(len(columns), 128)), value, np.float32)
    return ErrorMap(
        name=name,
        row_start=rows.start,
        rows=len(rows),
        column_start=columns.start,
        columns=len(columns),
        values=values,
    )


def zoom(pane: ErrorsView, column: float, row: float, columns: float, rows: float) -> None:
    pane.map_card.map.view.setRange(QRectF(column, row, columns, rows), padding=0)


def test_zooming_into_a_pooled_map_asks_once_for_the_visible_part(
    pane: ErrorsView, qtbot: QtBot
) -> None:
    show(pane, replace(CORRECTNESS, maps=(part(range(1 << 24), range(1 << 20)),)))
    asked: list[tuple[str, int, int, int, int]] = []
    pane.map_card.partWanted.connect(lambda *part: asked.append(part))
    with qtbot.waitSignal(pane.map_card.partWanted, timeout=2000):
        zoom(pane, 1000, 5000, 30, 30)
        zoom(pane, 1000, 5000, 20, 10)
    assert asked == [("y", 5000, 5010, 1000, 1020)]
    pane.show_map(part(range(5000, 5010), range(1000, 1020), 0.5))
    zoom(pane, 1002, 5002, 5, 5)
    pane.map_card.map._ask_for_part()
    assert len(asked) == 1, "every element is there"
    pane.map_card.map.hovered.emit((1004.5, 5003.5))
    assert pane.readout.text() == "y at row 5003, column 1004: error 0.50"


def test_an_element_that_is_clicked_tells_its_values(pane: ErrorsView, qtbot: QtBot) -> None:
    show(pane)
    chart = pane.map_card.map
    with qtbot.waitSignal(pane.map_card.partWanted) as asked:
        chart.clicked.emit(3.7, 2.2)
    assert asked.args == ["y", 2, 3, 3, 4]
    values = (-1.25, -1.251953125, -1.2512345678)
    answer = replace(part(range(2, 3), range(3, 4), 0.0012), element=values)
    chart.hovered.emit((3.5, 2.5))
    pane.show_map(answer)
    told = "y at row 2, column 3: kernel -1.25, PyTorch -1.251953, float64 -1.251235; error 1.2e-3"
    assert pane.readout.text() == told
    chart.hovered.emit((9.5, 9.5))
    assert "column 9" in pane.readout.text()
    chart.hovered.emit((3.2, 2.9))
    assert pane.readout.text() == told, "as long as the element is the one that was clicked"
    show(pane)
    chart.hovered.emit((3.2, 2.9))
    assert pane.readout.text() != told, "another run has other values"


def test_a_part_of_another_result_or_beyond_the_matrix_is_not_placed(pane: ErrorsView) -> None:
    show(pane)
    for name, start in (("dx", 0), ("y", 1000)):
        pane.show_map(part(range(start, start + 4), range(4), name=name))
    pane.map_card.map.hovered.emit((0.5, 0.5))
    assert pane.readout.text() != "y at row 0, column 0: error 0"


def test_a_recording_is_not_asked_for_finer_parts(pane: ErrorsView, qtbot: QtBot) -> None:
    show(pane, replace(CORRECTNESS, maps=(part(range(4096), range(8192)),)), Kind.RECORDED)
    with qtbot.assertNotEmitted(pane.map_card.partWanted):
        zoom(pane, 1000, 1000, 20, 10)
        pane.map_card.map._ask_for_part()


def test_the_largest_error_is_one_click_away(pane: ErrorsView) -> None:
    values = CORRECTNESS.maps[0].values.copy()
    values[40, 100] = 3.0
    show(pane, replace(CORRECTNESS, maps=(replace(CORRECTNESS.maps[0], values=values),)))
    pane.map_card.worst.click()
    (left, right), (top, bottom) = pane.map_card.map.view.viewRange()
    assert left <= 100 <= right <= left + 40
    assert top <= 40 <= bottom <= top + 20


def test_what_is_under_the_cursor_is_said_for_every_picture(pane: ErrorsView) -> None:
    show(pane, CORRECTNESS)
    (columns,) = pane.column_card.chart._charts
    columns.hovered.emit((3.5, 0.0))
    assert pane.readout.text().startswith("dw · absolute error · column 3 · kernel: ")
    histogram = pane.histogram_card.chart._charts[0]
    histogram.hovered.emit((-4.05, 0.0))
    assert pane.readout.text().startswith("y · elements · 7.5e-05 … 1.0e-04 · kernel: ")
    histogram.hovered.emit((histogram.full_view.left() + 0.3, 0.0))
    assert " · 0 · kernel: " in pane.readout.text()
    histogram.hovered.emit(None)
    assert pane.readout.text() == ""


def test_a_small_pane_shows_one_picture_and_a_large_one_all(pane: ErrorsView) -> None:
    show(pane)
    assert all(card.isVisible() for card in pane.cards.values())
    pane.resize(850, 450)
    assert [name for name, card in pane.cards.items() if card.isVisible()] == ["map"]
    pane.views.button("histogram").click()
    assert [name for name, card in pane.cards.items() if card.isVisible()] == ["histogram"]
    assert pane.height() == 450


def test_all_pictures_stand_above_each_other_where_they_are_not_legible_side_by_side(
    pane: ErrorsView,
) -> None:
    show(pane)
    pane.views.button("all").click()
    for width, across in ((1200, True), (480, False)):
        pane.resize(width, 1200)
        first, *others = (card.mapTo(pane, card.rect().topLeft()) for card in pane.cards.values())
        assert all(other.x() > first.x() if across else other.y() > first.y() for other in others)
        assert all(
            card.size().expandedTo(card.minimumSizeHint()) == card.size()
            for card in pane.cards.values()
        )


def test_a_chart_is_moved_and_zoomed_by_keys(pane: ErrorsView, qtbot: QtBot) -> None:
    show(pane)
    chart = pane.map_card.map
    qtbot.keyClick(chart, Qt.Key.Key_Plus)
    zoomed = chart.view.viewRange()[0]
    assert zoomed[1] - zoomed[0] < 128
    qtbot.keyClick(chart, Qt.Key.Key_Right)
    assert chart.view.viewRange()[0][0] > zoomed[0]
    qtbot.keyClick(chart, Qt.Key.Key_Home)
    assert chart.view.viewRange()[0] == [0, 128]
