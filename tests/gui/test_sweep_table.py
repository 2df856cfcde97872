"""The rows of a sweep in charts."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPointF, Qt
from pytestqt.qtbot import QtBot

from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.curves import Crossing, crossings_between
from lnexplorer.domain.sweep.request import TUTORIAL, Axis, SweepRequest
from lnexplorer.domain.sweep.views import SweepTable, View
from lnexplorer.gui.charts.axes import value_scale
from lnexplorer.gui.charts.setting_map import SettingGrid, SettingMap
from lnexplorer.gui.charts.sweep_chart import SweepChart, SweepLine, SweepPicture
from lnexplorer.gui.charts.sweep_pictures import (
    axis_scales,
    find,
    setting_grid,
    sweep_lines,
    sweep_picture,
)
from tests.gui.sample_sweeps import GROUPS, MAP, invented_rows
from tests.gui.windows import heard, on_screen

SPEED = View()
SIZES = TUTORIAL.sweep.axes[0].values


def table_of(sweep: SweepRequest) -> SweepTable:
    return SweepTable(sweep, invented_rows(sweep))


def test_a_wrong_setting_breaks_the_line_and_stands_at_its_foot() -> None:
    picture = sweep_picture(table_of(GROUPS), SPEED)
    (line,) = picture.lines
    assert line.label == "locked"
    assert np.isnan(line.y[list(GROUPS.axes[0].values).index(2)])
    assert [mark[:2] for mark in picture.foot] == [(1.0, "incorrect")]  # log2 of 2


def test_a_line_ends_where_an_unfinished_sweep_has_not_measured() -> None:
    measured = {SIZES[0], SIZES[1], SIZES[9]}
    rows = invented_rows(TUTORIAL.sweep)
    table = SweepTable(TUTORIAL.sweep, [row for row in rows if row.cell.request.n in measured])
    for line in sweep_lines(table, SPEED):
        assert set(line.x[np.isfinite(line.y)]) == measured
        assert np.isnan(line.y[[*range(2, 9), *range(10, len(SIZES))]]).all(), "not joined"


def test_every_cell_of_a_map_says_what_became_of_it() -> None:
    grid = setting_grid(table_of(MAP), SPEED, ("locked", "NVIDIA H200"))
    assert grid.values.shape == (6, 7)
    assert (grid.cells >= 0).all()
    assert set(grid.states.flat) == {"ok", "out_of_resources", "timed_out"}
    assert grid.states[0, 0] == "timed_out"
    assert np.isnan(grid.values[0, 0])
    assert list(grid.best) == [grid.cells.flat[np.nanargmax(grid.values)]]


def faster_from(n: int, row: CellResult) -> CellResult:
    share = 100.0 if row.cell.request.n is not None and row.cell.request.n >= n else 0.01
    figures = tuple(replace(figure, gbps=figure.gbps * share) for figure in row.figures)
    return replace(row, figures=figures)


def test_a_chart_marks_the_crossings_that_findings_tell() -> None:
    sweep = replace(TUTORIAL.sweep, strategies=("auto", "locked", "persistent"))
    rows = [faster_from(4096, each) if each.cell.peer else each for each in invented_rows(sweep)]
    table = SweepTable(sweep, rows)
    scale = axis_scales(table)[0]

    def who(found: list[Crossing]) -> set[tuple[object, ...]]:
        return {(each.between, each.ahead_before, each.ahead_after) for each in found}

    told = who(crossings_between(sweep, table.results.values(), "backward"))
    shown = find(table, SPEED).crossings
    places = [tuple(map(scale.value_at, each.between)) for each in shown]
    shown = [replace(each, between=at) for each, at in zip(shown, places, strict=True)]
    assert who(shown) == told
    names = {name for _, *both in told for name in both}
    assert "torch" in names
    assert "auto" not in names, "it is one of the others"


def test_curves_that_differ_by_noise_alone_are_not_said_to_overtake_each_other() -> None:
    axes = (Axis(name="n", values=tuple(range(1024, 15872, 256))),)
    both = ("locked", "persistent")
    sweep = replace(TUTORIAL.sweep, strategies=both, providers=(), axes=axes)
    assert find(table_of(sweep), SPEED).crossings == []


@pytest.fixture
def chart(qtbot: QtBot) -> SweepChart:
    return on_screen(qtbot, SweepChart(), 900, 500)


def show_line(chart: SweepChart, y: np.ndarray) -> None:
    places = np.arange(y.size)
    line = SweepLine("one", "#3377cc", "o", places.astype(float), y, y - 1, np.copy(y), places)
    scale = value_scale(tuple(range(y.size)), ("",) * y.size)
    chart.set_picture(SweepPicture(scale=scale, lines=(line,)))


def test_of_many_points_a_peak_is_kept_and_can_be_clicked(chart: SweepChart) -> None:
    y = np.full(20_000, 100.0)
    y[1234] = 180.0
    show_line(chart, y)
    chart.grab()
    (curve,) = (item for item in chart._drawn if isinstance(item, pg.PlotDataItem))
    x, shown = curve.getData()
    assert x.size < 20_000
    assert shown.max() == 180.0
    place = chart.view.mapViewToScene(QPointF(1234.0, 180.0))
    mouse = SimpleNamespace(scenePos=lambda: place, button=lambda: Qt.MouseButton.LeftButton)
    chosen = heard(chart.chosen)
    chart.scene().sigMouseClicked.emit(mouse)
    assert abs(chosen[0] - 1234) < 25, "within a pixel"


def test_a_point_that_no_line_reaches_is_seen_among_many(chart: SweepChart) -> None:
    y = np.full(300, 100.0)
    y[100:150] = y[151:200] = np.nan
    show_line(chart, y)
    (points,) = (item for item in chart._drawn if isinstance(item, pg.ScatterPlotItem))
    assert [point.pos().x() for point in points.points()] == [150.0]


def test_a_map_of_very_many_cells_is_drawn_and_all_can_be_pointed_at(qtbot: QtBot) -> None:
    chart = on_screen(qtbot, SettingMap(), 900, 500)
    shape = (30, 100)
    seen = heard(chart.pointed)
    cells = np.arange(3000).reshape(shape)
    rows, columns = (value_scale(range(n), [str(i) for i in range(n)], even=True) for n in shape)
    states = np.full(shape, "ok", object)
    texts = np.full(shape, "", object)
    grid = {"values": cells * 1.0, "states": states, "texts": texts, "cells": cells}
    chart.set_grid(SettingGrid(rows=rows, columns=columns, **grid))
    chart.grab()
    chart.hovered.emit((99.0, 29.0))
    assert seen == [2999]
