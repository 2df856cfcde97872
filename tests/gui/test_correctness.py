"""The Correctness pane."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from pytestqt.qtbot import QtBot

from lnexplorer.gui.charts.error_table import KEYS
from lnexplorer.gui.charts.errors_view import ErrorsView
from lnkernels.values.accuracy import Correctness, ErrorMap
from lnkernels.values.environment import Kind
from tests.gui.windows import Until, heard, on_screen, press
from tests.sample_results import make_correctness, make_resolved, without_errors

CORRECTNESS = make_correctness(64, 128)


@pytest.fixture
def pane(qtbot: QtBot) -> ErrorsView:
    """A pane on the screen, large enough for all pictures, with the errors of a run."""
    made = on_screen(qtbot, ErrorsView(), 1100, 700)
    show(made, CORRECTNESS)
    return made


def show(pane: ErrorsView, correctness: Correctness, kind: Kind = Kind.MEASURED) -> None:
    pane.show_correctness(correctness, make_resolved(64, 128), kind)


def show_map(pane: ErrorsView, error_map: ErrorMap, kind: Kind = Kind.MEASURED) -> None:
    show(pane, replace(CORRECTNESS, maps=(error_map,)), kind)


def cells(pane: ErrorsView, row: int, *keys: str) -> list[str]:
    return [pane.table.item(row, KEYS.index(key)).text() for key in keys]


def pictures(pane: ErrorsView) -> list[str]:
    return [name for name, card in pane.cards.items() if card.isVisible()]


def test_the_table_shows_every_result_three_ways(pane: ErrorsView) -> None:
    y, dx, dw, _ = CORRECTNESS.checks
    stats = replace(dw.kernel_vs_truth, max_abs=2.13e-6, max_ulp=12.4)
    show(pane, replace(CORRECTNESS, checks=(y, dx, replace(dw, kernel_vs_truth=stats))))
    told = cells(pane, 2, "name", "max", "ulp", "passed", "tutorial")
    assert told == ["dw", "2.1e-6", "12", "✓ yes", "✓ yes"]
    assert "2.13e-06" in pane.table.item(2, KEYS.index("max")).toolTip()
    none_finite = replace(stats, max_abs=0.0, misplaced=512)
    lost = replace(dw, kernel_vs_truth=none_finite, passed=False)
    show(pane, replace(CORRECTNESS, checks=(y, dx, lost)))
    assert cells(pane, 2, "max", "misplaced", "passed") == ["–", "512", "✗ no"]


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
def test_odd_results_are_drawn_on_both_scales(qtbot: QtBot, correctness: Correctness) -> None:
    pane = on_screen(qtbot, ErrorsView(), 1100, 700)
    empty = pane.grab().toImage()
    show(pane, correctness)
    drawn = []
    for log in (False, True):
        pane.log.setChecked(log)
        drawn.append(pane.grab().toImage())
    assert empty not in drawn
    names, (misplaced,) = (
        [cells(pane, row, "name") for row in range(4)],
        cells(pane, 0, "misplaced"),
    )
    assert names == [["y"], ["dx"], ["dw"], ["db"]]
    assert pane.table.isColumnHidden(KEYS.index("misplaced")) == (misplaced == "0")
    if any(each.values.max() > 0 for each in correctness.maps):
        assert drawn[0] != drawn[1]


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
    pane: ErrorsView, until: Until
) -> None:
    chart = pane.map_card.map
    asked = heard(pane.map_card.partWanted)
    show_map(pane, part(range(1 << 24), range(1 << 20)))
    zoom(pane, 1000, 5000, 30, 30)
    zoom(pane, 1000, 5000, 20, 10)
    until(lambda: asked == [("y", 5000, 5010, 1000, 1020)])
    pane.show_map(part(range(5000, 5010), range(1000, 1020), 0.5))
    zoom(pane, 1002, 5002, 5, 5)
    chart._ask_for_part()
    assert len(asked) == 1, "every element is there"
    chart.hovered.emit((1004.5, 5003.5))
    assert pane.readout.text() == "y at row 5003, column 1004: error 0.50"
    show_map(pane, part(range(4096), range(8192)), Kind.RECORDED)
    zoom(pane, 1000, 1000, 20, 10)
    chart._ask_for_part()
    assert len(asked) == 1, "a recording has no finer ones"


def test_an_element_that_is_clicked_tells_its_values(pane: ErrorsView) -> None:
    chart = pane.map_card.map
    asked = heard(pane.map_card.partWanted)

    def told(column: float, row: float) -> str:
        chart.hovered.emit((column, row))
        return pane.readout.text()

    chart.clicked.emit(3.7, 2.2)
    assert asked == [("y", 2, 3, 3, 4)]
    chart.hovered.emit((3.5, 2.5))
    values = (-1.25, -1.251953125, -1.2512345678)
    pane.show_map(replace(part(range(2, 3), range(3, 4), 0.0012), element=values))
    answer = pane.readout.text()
    assert answer == (
        "y at row 2, column 3: kernel -1.25, PyTorch -1.251953, float64 -1.251235; error 1.2e-3"
    )
    assert "column 9" in told(9.5, 9.5)
    assert told(3.2, 2.9) == answer, "as long as the element is the one that was clicked"
    show(pane, CORRECTNESS)
    assert told(3.2, 2.9) != answer, "another run has other values"


def test_a_part_of_another_result_or_beyond_the_matrix_is_not_placed(pane: ErrorsView) -> None:
    for name, start in (("dx", 0), ("y", 1000)):
        pane.show_map(part(range(start, start + 4), range(4), name=name))
    pane.map_card.map.hovered.emit((0.5, 0.5))
    assert pane.readout.text() != "y at row 0, column 0: error 0"


def test_the_largest_error_is_one_click_away(pane: ErrorsView) -> None:
    values = CORRECTNESS.maps[0].values.copy()
    values[40, 100] = 3.0
    show_map(pane, replace(CORRECTNESS.maps[0], values=values))
    pane.map_card.worst.click()
    (left, right), (top, bottom) = pane.map_card.map.view.viewRange()
    assert left <= 100 <= right <= left + 40
    assert top <= 40 <= bottom <= top + 20


def test_what_is_under_the_cursor_is_said_for_every_picture(pane: ErrorsView) -> None:
    (columns,) = pane.column_card.chart._charts
    histogram = pane.histogram_card.chart._charts[0]
    zero = histogram.full_view.left() + 0.3
    for chart, place, told in (
        (columns, 3.5, "dw · absolute error · column 3 · kernel: "),
        (histogram, -4.05, "y · elements · 7.5e-05 … 1.0e-04 · kernel: "),
        (histogram, zero, "y · elements · 0 · kernel: "),
    ):
        chart.hovered.emit((place, 0.0))
        assert pane.readout.text().startswith(told)
    histogram.hovered.emit(None)
    assert pane.readout.text() == ""


def test_a_small_pane_shows_one_picture_and_a_large_one_all(pane: ErrorsView) -> None:
    assert pictures(pane) == list(pane.cards)
    pane.resize(850, 450)
    assert pictures(pane) == ["map"]
    pane.views.button("histogram").click()
    assert pictures(pane) == ["histogram"]
    assert pane.height() == 450


def test_all_pictures_stand_above_each_other_where_they_are_not_legible_side_by_side(
    pane: ErrorsView,
) -> None:
    pane.views.button("all").click()
    for width, across in ((1200, True), (480, False)):
        pane.resize(width, 1200)
        cards = pane.cards.values()
        first, *others = (card.mapTo(pane, card.rect().topLeft()) for card in cards)
        assert all(other.x() > first.x() if across else other.y() > first.y() for other in others)
        for card in cards:
            assert card.size().expandedTo(card.minimumSizeHint()) == card.size()


def test_a_chart_is_moved_and_zoomed_by_keys(pane: ErrorsView) -> None:
    chart = pane.map_card.map

    def columns_after(key: str) -> list[float]:
        press(chart, key)
        return chart.view.viewRange()[0]

    left, right = columns_after("+")
    assert right - left < 128
    assert columns_after("Right")[0] > left
    assert columns_after("Home") == [0, 128]
