"""Curves of many cells: only those with a new row are made and drawn anew, and what is drawn of them is thinned."""

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from pytestqt.qtbot import QtBot

from lnexplorer.domain.sweep.best import best_runs
from lnexplorer.domain.sweep.request import TUTORIAL, Axis
from lnexplorer.gui.charts.axes import ValueScale, value_scale
from lnexplorer.gui.charts.sweep_chart import MOST_APART, MOST_GROUPS, MOST_SIGNS, SweepChart, SweepLine, SweepPicture
from lnexplorer.gui.charts.theme import DARK
from lnexplorer.gui.charts.thinning import envelope, extremes, one_in_each
from lnexplorer.gui.sweep.best_turns import BestTurns
from lnexplorer.gui.sweep.model import SweepModel
from tests.gui.sample_sweeps import invented_rows

MANY = 3000
RIVALS = replace(TUTORIAL.sweep, axes=(Axis(name="n", values=tuple(range(1024, 16384, 128))),), strategies=("locked", "split"))


@pytest.fixture
def chart(qtbot: QtBot) -> Iterator[SweepChart]:
    """A chart on the screen."""
    chart = SweepChart()
    qtbot.addWidget(chart)
    chart.apply_theme(DARK)
    chart.resize(900, 500)
    chart.show()
    yield chart
    chart._again.stop()


def line_of(label: str, height: float, first: int, size: int = MANY) -> SweepLine:
    y = np.full(size, height)
    return SweepLine(label, "#3377cc", "o", np.arange(size, dtype=float), y, y - 1, y + 1, first + np.arange(size))


def scale_of(size: int, *, by_size: bool) -> ValueScale:
    return replace(value_scale(tuple(range(size)), ("",) * size, even=True), by_size=by_size)


def test_only_a_curve_with_a_new_row_is_made_anew() -> None:
    model = SweepModel(RIVALS)
    rows = invented_rows(RIVALS)
    model.add(rows[:-1])
    before = model.lines()
    assert all(one is other for one, other in zip(before, model.lines(), strict=True))
    model.add(rows[-1:])
    anew = [line.label for line, other in zip(model.lines(), before, strict=True) if line is not other]
    assert len(anew) == 1
    assert sum(line.y.size for line in model.lines()) == len(rows)
    assert all((np.diff(line.x) > 0).all() for line in model.lines()), "in order"


def test_a_cell_that_fails_and_then_succeeds_breaks_its_curve_and_mends_it() -> None:
    model = SweepModel(RIVALS)
    rows = invented_rows(RIVALS)
    failed = replace(rows[40], status="failed", reason="It failed.", figures=())
    model.add([*rows[:40], failed, *rows[41:]])
    assert sum(np.isnan(line.y).sum() for line in model.lines()) == len(model.foot()) == 1
    model.add([rows[40]])
    assert not any(np.isnan(line.y).any() for line in model.lines())
    assert model.foot() == ()


def test_only_a_changed_line_is_drawn_anew(chart: SweepChart) -> None:
    scale = scale_of(MANY, by_size=True)
    one, other = line_of("one", 100.0, 0), line_of("other", 50.0, MANY)
    chart.set_picture(SweepPicture(scale=scale, lines=(one, other)))
    chart._draw()
    items = {label: series[1] for label, series in chart._series.items()}
    with patch.object(items["one"], "setData") as first, patch.object(items["other"], "setData") as second:
        chart.set_picture(SweepPicture(scale=scale, lines=(replace(one, y=one.y.copy()), other)))
    assert (first.call_count, second.call_count) == (1, 0)


def test_many_joined_points_are_thinned_and_a_peak_is_kept_and_clicked(chart: SweepChart, qtbot: QtBot) -> None:
    one = line_of("one", 100.0, 0)
    one.y[1234] = one.high[1234] = 180.0
    best = tuple(range(MANY))
    chart.set_picture(SweepPicture(scale=scale_of(MANY, by_size=True), lines=(one,), best=best))
    _, curve, _, _ = chart._series["one"]
    x, y = curve.getData()
    assert x.size <= 2 * MOST_GROUPS + 2
    assert (1234.0, 180.0) in set(zip(x.tolist(), y.tolist(), strict=True))
    stars = next(item for item in chart._items if getattr(item, "opts", {}).get("symbol") == "star")
    assert 0 < len(stars.points()) <= MOST_SIGNS
    chart.view.setXRange(1200, 1260, padding=0)
    qtbot.waitUntil(lambda: set(range(1200, 1261)) <= set(chart._series["one"][1].getData()[0].tolist()), timeout=3000)
    place = chart.view.mapViewToScene(QPointF(1234.0, 180.0))
    click = SimpleNamespace(scenePos=lambda: place, button=lambda: Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(chart.cellChosen) as chosen:
        chart.scene().sigMouseClicked.emit(click)
    assert chosen.args == [1234]


@pytest.mark.parametrize("size", [MOST_APART, MOST_APART + 1])
def test_points_side_by_side_have_bars_up_to_a_bound_and_all_can_be_pointed_at(chart: SweepChart, size: int) -> None:
    one = line_of("one", 100.0, 0, size)
    chart.set_picture(SweepPicture(scale=scale_of(size, by_size=False), lines=(one,)))
    _, curve, bars, symbols = chart._series["one"]
    assert bars.isVisible() == (size <= MOST_APART)
    assert symbols.isVisible()
    assert not curve.isVisible()
    assert [chart._nearest(float(place), 100.0) for place in range(0, size, 50)] == list(range(0, size, 50))


def test_thinning_keeps_what_stands_out() -> None:
    y = np.sin(np.arange(1000) / 50)
    y[333], y[777] = 9.0, np.nan
    chosen = extremes(y, 40)
    assert chosen.size <= 3 * 40
    assert {333, 777} <= set(chosen.tolist())
    assert (np.diff(chosen) > 0).all()
    x, low, high = envelope(np.arange(1000.0), y - 1, y + 1, 40)
    assert x.size == 40
    assert (np.nanmax(high), np.nanmin(low)) == (10.0, np.nanmin(y) - 1)
    _, nothing, _ = envelope(np.arange(10.0), np.full(10, np.nan), np.full(10, np.nan), 2)
    assert np.isnan(nothing).all()
    marks = one_in_each(np.arange(1000.0)[::-1], 100.0, 200.0, 10)
    assert sorted(999 - marks) == list(range(100, 200, 10))


def test_the_turns_of_what_is_best_say_the_same_as_all_of_it() -> None:
    rows = invented_rows(RIVALS)
    for place, row in enumerate(rows):
        if (row.cell.provider == "locked") == (((row.cell.request.n or 0) // 2048) % 3 == 0):
            rows[place] = replace(
                row, figures=tuple(replace(f, samples_ms=f.samples_ms / 2, p50_ms=f.p50_ms / 2) for f in row.figures)
            )
    model, turns = SweepModel(RIVALS), BestTurns()
    for part in (rows[::3], rows[1::3], rows[2::3]):
        model.add(part)
        few = turns.among(RIVALS, model.bests())
        told = [
            [(run.result.cell.number, run.first, run.last, run.sure) for run in best_runs(RIVALS, some)]
            for some in (few, model.bests())
        ]
        assert told[0] == told[1]
    assert 2 < len(few) < len(model.bests()) / 4
