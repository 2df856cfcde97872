"""Ticks, pooling, colours and parts of maps."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QStyleOptionGraphicsItem
from pytestqt.qtbot import QtBot

from lnexplorer.gui.charts.axes import linear_ticks, log_ticks, plain_number, thinned, tick_text
from lnexplorer.gui.charts.colour_bar import NOT_FINITE, STEPS, colour_table, scale_for
from lnexplorer.gui.charts.error_curves import MOST_STEPS, ColumnChart, pool_columns
from lnexplorer.gui.charts.error_map import MapPart, pool_tiles, pooled_view
from lnexplorer.gui.charts.sweep_chart import SweepChart


def test_whole_decades_are_ticks_where_there_are_enough() -> None:
    assert log_ticks(-6.2, -2.9) == [-6, -5, -4, -3]
    assert len(log_ticks(-30, 2, most=5)) <= 5


def test_less_than_three_decades_get_one_two_and_five() -> None:
    assert [tick_text(10**place) for place in log_ticks(-3.1, -1.9)] == ["1e-3", "2e-3", "5e-3", "1e-2"]


def test_where_one_two_and_five_would_stand_too_close_there_are_fewer() -> None:
    assert thinned(log_ticks(-2.5, -0.2), 3) == [-2, -1]
    assert thinned(log_ticks(-0.9, 0.9), 7) == log_ticks(-0.9, 0.9)
    for most in (2, 3, 4, 5):
        assert 2 <= len(thinned(log_ticks(-1.4, 0.6), most)) <= most


@given(st.floats(-20, 20), st.floats(1e-6, 40))
def test_ticks_lie_within_the_axis(low: float, width: float) -> None:
    for place in log_ticks(low, low + width):
        assert low - 1e-6 <= place <= low + width + 1e-6
    for value in linear_ticks(low, low + width):
        assert low - width * 1e-6 <= value <= low + width * (1 + 1e-6)


def test_numbers_have_the_decimals_that_tell_ticks_apart() -> None:
    assert [plain_number(value, 500) for value in (0, 500, 3500)] == ["0", "500", "3500"]
    assert [plain_number(value, 0.005) for value in (0, 0.005, 0.01)] == ["0.000", "0.005", "0.010"]
    assert plain_number(2.5, 0.5) == "2.5"


def test_an_empty_or_endless_axis_has_no_ticks() -> None:
    assert log_ticks(1, 1) == log_ticks(math.nan, 1) == log_ticks(0, math.inf) == []
    assert linear_ticks(2, 1) == linear_ticks(-math.inf, 0) == []


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (5, 7), (333, 1000), (1024, 1024)])
def test_a_single_bad_element_survives_pooling(rows: int, columns: int) -> None:
    values = np.zeros((rows, columns), np.uint8)
    values[rows // 2, columns // 3] = 200
    pooled = pool_tiles(values, 3, 4)
    assert pooled.shape == (math.ceil(rows / 3), math.ceil(columns / 4))
    assert pooled.max() == 200


def test_nan_wins_when_columns_are_pooled() -> None:
    values = np.arange(10_000, dtype=np.float32)
    values[1234] = np.nan
    edges, pooled = pool_columns(values, 100)
    assert edges[0] == 0
    assert edges[-1] == 10_000
    assert np.isnan(pooled[12])
    assert pooled[-1] == 9999


def test_colours_span_the_values_and_mark_what_is_not_finite() -> None:
    values = np.array([[0, 1e-3, 1e-2, 1.0, np.nan, np.inf]], np.float32)
    for log in (False, True):
        indices = scale_for(values, log).indices(values)[0]
        assert indices[0] == 0
        assert indices[3] == STEPS - 1
        assert list(indices[4:]) == [NOT_FINITE, NOT_FINITE]
        assert list(indices[:4]) == sorted(indices[:4])
    assert tuple(colour_table("#ff0000")[NOT_FINITE]) == (255, 0, 0, 255)


@pytest.mark.parametrize("value", [0.0, np.nan, np.inf])
@pytest.mark.parametrize("log", [False, True])
def test_a_scale_of_nothing_is_flat(value: float, log: bool) -> None:
    assert scale_for(np.full((3, 3), value, np.float32), log).flat


def test_a_tile_knows_its_elements() -> None:
    part = MapPart(100, 10, 200, 7, np.arange(15, dtype=np.float32).reshape(5, 3))
    rows, columns, value = part.tile(103, 206)
    assert (rows, columns, value) == (range(102, 104), range(205, 207), 5.0)
    assert part.covers(100, 110, 200, 207)
    assert not part.covers(99, 110, 200, 207)


def test_a_view_never_has_more_pixels_than_the_screen() -> None:
    values = np.zeros((1000, 3000), np.float32)
    part = MapPart(0, 4000, 0, 3000, values)
    indices = np.zeros(values.shape, np.uint8)
    indices[999, 2999] = 250
    shown = pooled_view(part, indices, ((0, 3000), (0, 4000)), (400, 300))
    assert shown is not None
    picture, (column, row, width, height) = shown
    assert picture.shape[0] <= 300
    assert picture.shape[1] <= 400
    assert picture.max() == 250
    assert (column, row) == (0, 0)
    assert width >= 3000
    assert height >= 4000
    assert pooled_view(part, indices, ((3000, 3100), (0, 10)), (400, 300)) is None


def test_a_million_columns_become_a_short_line_that_keeps_the_peak(qtbot: QtBot) -> None:
    chart = ColumnChart()
    qtbot.addWidget(chart)
    values = np.full(1 << 20, 1e-6, np.float32)
    values[777_777] = 0.5
    found: list[list[float]] = []
    chart.columnHovered.connect(lambda hit: found.append(hit[1]))
    chart.set_values((values, values / 2), ("#ff0000", "#0000ff"))
    assert chart._curves[0].getData()[1].size <= MOST_STEPS
    chart.hovered.emit((777_777.0, 0.0))
    assert found == [[0.5, 0.25]]


def test_where_everything_is_exact_zero_is_the_only_tick(qtbot: QtBot) -> None:
    chart = ColumnChart()
    qtbot.addWidget(chart)
    chart.set_values((np.zeros(8, np.float32), np.zeros(8, np.float32)), ("#ff0000", "#0000ff"))
    axis = chart.getPlotItem().getAxis("left")
    (spacing, places), *finer = axis.tickValues(-0.1, 1.0, 200)
    assert finer == []
    assert axis.tickStrings(places, 1.0, spacing) == ["0"]


def test_a_chart_without_room_between_its_axes_paints_no_grid(qtbot: QtBot) -> None:
    chart = SweepChart()
    qtbot.addWidget(chart)
    chart.setMinimumSize(0, 0)
    chart.viewport().setUpdatesEnabled(False)
    chart.resize(300, 30)  # less than the words below the axis take
    chart.show()
    qtbot.waitUntil(lambda: chart.view.rect().height() == 0)
    picture = QPixmap(10, 10)
    painter = QPainter(picture)
    chart.grid.paint(painter, QStyleOptionGraphicsItem())  # an error while Qt paints would end the process
    painter.end()
