"""Ticks, pooling, colours and parts of maps."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from lnexplorer.domain.panels import column_errors
from lnexplorer.gui.charts.axes import ChartAxis, linear_ticks, log_ticks, tick_text, value_scale
from lnexplorer.gui.charts.error_charts import pooled, scale_for
from lnexplorer.gui.charts.panel_chart import PanelChart
from lnkernels.values.accuracy import ColumnError
from tests.gui.windows import off_screen


def test_whole_decades_are_ticks_where_there_are_enough_else_one_two_and_five() -> None:
    assert log_ticks(-6.2, -2.9) == [-6, -5, -4, -3]
    assert len(log_ticks(-30, 2, most=5)) <= 5
    few = [tick_text(10**place) for place in log_ticks(-3.1, -1.9)]
    assert few == ["1e-3", "2e-3", "5e-3", "1e-2"]
    written = {0.333333: "0.333", 1000.0: "1000", 1234.0: "1234", 20_000.0: "2e4"}
    assert {value: tick_text(value) for value in written} == written


@given(st.floats(-20, 20), st.floats(1e-6, 40))
def test_ticks_lie_within_the_axis(low: float, width: float) -> None:
    for place in log_ticks(low, low + width):
        assert low - 1e-6 <= place <= low + width + 1e-6
    for value in linear_ticks(low, low + width):
        assert low - width * 1e-6 <= value <= low + width * (1 + 1e-6)


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (5, 7)])
@pytest.mark.parametrize("bad", [200.0, np.nan])
def test_a_single_bad_element_survives_pooling(rows: int, columns: int, bad: float) -> None:
    values = np.zeros((rows, columns), np.float32)
    values[rows // 2, columns // 3] = bad
    found = pooled(values, (3, 4))
    assert found.shape == (math.ceil(rows / 3), math.ceil(columns / 4))
    assert found.max() == pytest.approx(bad, nan_ok=True)


@pytest.mark.parametrize("log", [False, True])
def test_colours_span_the_values_and_leave_out_what_is_not_finite(log: bool) -> None:
    values = np.array([[0, 1e-3, 1e-2, 1.0, np.nan, np.inf]], np.float32)
    scale = scale_for(values, log)
    found = scale.coordinates(values)[0]
    assert found[[0, 3]] == pytest.approx(scale.bounds)
    assert np.isnan(found[4:]).all()
    assert list(found[:4]) == sorted(found[:4])


def test_a_million_columns_become_a_short_line_that_keeps_the_peak(qtbot: QtBot) -> None:
    chart = off_screen(qtbot, PanelChart(), 600, 300)
    values = np.full(1 << 20, 1e-6, np.float32)
    values[777_777] = 0.5
    values[5] = np.nan
    errors = ColumnError(name="dw", kernel=values, torch=values / 2)
    chart.set_picture(column_errors(errors, ("#ff0000", "#0000ff"), log=True))
    lines = [each for each in chart._charts[0].plotItem.dataItems if each.opts.get("stepMode")]
    _, heights = lines[0].getData()
    assert np.nanmax(heights) == pytest.approx(np.log10(0.5))
    assert heights.size < 100_000
    (panel,) = chart.picture.panels
    for column, kernel, torch in ((777_777, "0.5", "0.25"), (5, "inf", "inf")):
        told = f"absolute error · column {column} · kernel: {kernel} · PyTorch: {torch}"
        assert chart.values_at(panel, column + 0.5) == told


@pytest.mark.usefixtures("qapp")
def test_every_number_of_buffers_is_named_where_short_names_have_room() -> None:
    values = [2**place for place in range(10)]
    names = list(map(str, values))
    axis = ChartAxis("bottom")
    axis.set_scale_of(value_scale(values, names))
    for width, count in ((540, 10), (270, 5)):
        ((_, places),) = axis.tickValues(-0.3, 9.3, width)
        assert len(places) == count
        assert set(axis.tickStrings(places, 1.0, 1.0)) <= set(names)
