"""What charts show of the rows of a sweep."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPointF, Qt
from pytestqt.qtbot import QtBot

from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.curves import crossings_between
from lnexplorer.domain.sweep.request import PRESETS, TUTORIAL, Axis, SweepRequest
from lnexplorer.domain.sweep.views import SweepTable, View, value_of
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
from tests.gui.sample_sweeps import invented_rows
from tests.gui.windows import on_screen

MAP, GROUPS = (preset.sweep for preset in PRESETS[1:3])


SPEED = View()


def table_of(sweep: SweepRequest, gpu: str | None = "NVIDIA H200") -> SweepTable:
    return SweepTable(sweep, invented_rows(sweep, gpu))


def test_each_strategy_and_peer_is_a_line_with_its_band() -> None:
    ours, torch = sweep_lines(table_of(TUTORIAL.sweep), SPEED)
    assert (ours.label, torch.label) == ("locked", "PyTorch")
    assert ours.x.size == len(TUTORIAL.sweep.axes[0].values)
    assert (ours.low <= ours.y).all()
    assert (ours.y <= ours.high).all()
    assert (np.diff(ours.x) > 0).all(), "in order"


def test_a_wrong_setting_breaks_the_line_and_stands_at_its_foot() -> None:
    table = table_of(GROUPS)
    (line,) = sweep_lines(table, SPEED)
    place = list(GROUPS.axes[0].values).index(2)
    assert np.isnan(line.y[place])
    foot = sweep_picture(table, SPEED).foot
    assert [mark[:2] for mark in foot] == [(1.0, "incorrect")]  # log2 of 2


def test_a_line_ends_where_an_unfinished_sweep_has_not_measured() -> None:
    values = TUTORIAL.sweep.axes[0].values
    measured = {values[0], values[1], values[9]}
    rows = invented_rows(TUTORIAL.sweep)
    table = SweepTable(TUTORIAL.sweep, [row for row in rows if row.cell.request.n in measured])
    for line in sweep_lines(table, SPEED):
        assert set(line.x[np.isfinite(line.y)]) == measured
        assert np.isnan(line.y[2:9]).all(), "not joined over what was not run"
        assert np.isnan(line.y[10:]).all()


def test_every_cell_of_a_map_says_what_became_of_it() -> None:
    grid = setting_grid(table_of(MAP), SPEED, ("locked", "NVIDIA H200"))
    assert grid.values.shape == (6, 7)
    assert (grid.cells >= 0).all()
    assert set(grid.states.reshape(-1)) == {"ok", "out_of_resources", "timed_out"}
    assert grid.states[0, 0] == "timed_out"
    assert np.isnan(grid.values[0, 0])
    best = np.unravel_index(np.nanargmax(grid.values), grid.values.shape)
    assert list(grid.best) == [grid.cells[best]]


def test_the_error_of_a_pass_is_that_of_its_results() -> None:
    row = invented_rows(GROUPS)[0]
    errors = tuple(
        replace(error, max_abs=size)
        for error, size in zip(row.errors, (1.0, 2.0, 3.0, 4.0), strict=True)
    )
    row = replace(row, errors=errors)
    assert value_of(row, View("error", "forward")) == (1.0, 1.0, 1.0)
    assert value_of(row, View("error", "backward")) == (4.0, 4.0, 4.0)


def test_values_stand_by_size_by_powers_or_side_by_side() -> None:
    assert value_scale((1024, 1536, 2048), ("a", "b", "c")).places == (1024.0, 1536.0, 2048.0)
    powers = value_scale((1, 4, 16, 64), ("a", "b", "c", "d"))
    assert powers.places == (0.0, 2.0, 4.0, 6.0)
    assert powers.value_at(powers.place_of(16)) == 16
    assert not value_scale(("float16", "float32"), ("a", "b")).by_size
    assert value_scale((None, 4), ("automatic", "4")).places == (0.0, 1.0)


def faster_from(n: int, row: CellResult) -> CellResult:
    share = 100.0 if row.cell.request.n is not None and row.cell.request.n >= n else 0.01
    return replace(
        row, figures=tuple(replace(figure, gbps=figure.gbps * share) for figure in row.figures)
    )


def test_a_chart_marks_the_crossings_that_findings_tell() -> None:
    sweep = replace(TUTORIAL.sweep, strategies=("auto", "locked", "persistent"))
    table = SweepTable(
        sweep,
        [faster_from(4096, each) if each.cell.peer else each for each in invented_rows(sweep)],
    )
    told = crossings_between(sweep, table.results.values(), "backward")
    shown = [
        replace(each, between=tuple(map(axis_scales(table)[0].value_at, each.between)))  # type: ignore[arg-type]
        for each in find(table, SPEED).crossings
    ]
    assert told
    assert {(each.between, each.ahead_before, each.ahead_after) for each in shown} == {
        (each.between, each.ahead_before, each.ahead_after) for each in told
    }
    assert "torch" in {each.ahead_after for each in told}
    assert "auto" not in {
        name for each in told for name in (each.ahead_before, each.ahead_after)
    }, "it is one of the others"


def test_curves_that_differ_by_noise_alone_are_not_said_to_overtake_each_other() -> None:
    sweep = replace(TUTORIAL.sweep, strategies=("locked", "persistent"), providers=())
    sweep = replace(sweep, axes=(Axis(name="n", values=tuple(range(1024, 15872, 256))),))
    assert find(table_of(sweep), SPEED).crossings == []


@pytest.fixture
def chart(qtbot: QtBot) -> SweepChart:
    return on_screen(qtbot, SweepChart(), 900, 500)


def line_of(size: int) -> SweepLine:
    y = np.full(size, 100.0)
    return SweepLine(
        "one", "#3377cc", "o", np.arange(size, dtype=float), y, y - 1, y + 1, np.arange(size)
    )


def test_of_many_points_a_peak_is_kept_and_can_be_clicked(chart: SweepChart, qtbot: QtBot) -> None:
    one = line_of(20_000)
    one.y[1234] = one.high[1234] = 180.0
    scale = value_scale(tuple(range(20_000)), ("",) * 20_000)
    chart.set_picture(SweepPicture(scale=scale, lines=(one,)))
    chart.grab()
    (curve,) = (item for item in chart._drawn if isinstance(item, pg.PlotDataItem))
    x, y = curve.getData()
    assert x.size < 20_000
    assert y.max() == 180.0
    place = chart.view.mapViewToScene(QPointF(1234.0, 180.0))
    click = SimpleNamespace(scenePos=lambda: place, button=lambda: Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(chart.chosen) as chosen:
        chart.scene().sigMouseClicked.emit(click)
    assert abs(chosen.args[0] - 1234) < 25, "within a pixel"


def test_a_point_that_no_line_reaches_is_seen_among_many(chart: SweepChart) -> None:
    one = line_of(300)
    one.y[100:200] = np.nan
    one.y[150] = 100.0
    scale = value_scale(tuple(range(300)), ("",) * 300)
    chart.set_picture(SweepPicture(scale=scale, lines=(one,)))
    (points,) = (item for item in chart._drawn if isinstance(item, pg.ScatterPlotItem))
    assert [point.pos().x() for point in points.points()] == [150.0]


def test_a_map_of_very_many_cells_is_drawn_and_all_can_be_pointed_at(qtbot: QtBot) -> None:
    shape = 30, 100
    cells = np.arange(3000).reshape(shape)
    sides = [value_scale(range(size), [str(n) for n in range(size)], even=True) for size in shape]
    chart = SettingMap()
    qtbot.addWidget(chart)
    chart.resize(900, 500)
    states, texts = np.full(shape, "ok", object), np.full(shape, "", object)
    grid = SettingGrid(
        rows=sides[0],
        columns=sides[1],
        values=cells * 1.0,
        states=states,
        texts=texts,
        cells=cells,
    )
    chart.set_grid(grid)
    assert not chart.grab().isNull()
    seen: list[object] = []
    chart.pointed.connect(seen.append)
    chart.hovered.emit((99.0, 29.0))
    assert seen == [2999]
