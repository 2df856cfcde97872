"""Points of the chart of speeds: what is worked out once."""

from dataclasses import replace

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from lnexplorer.gui.charts import throughput_chart as throughput_points
from lnexplorer.gui.charts.theme import DARK, LIGHT
from lnexplorer.gui.charts.throughput_chart import Point, PointColumns, ThroughputChart, spread
from tests.sample_results import make_figure, make_resolved


def point(run: int, **changes: object) -> Point:
    figure = make_figure("locked", "backward", 1600.0 + run, make_resolved())
    made = Point(run, (4096, 8192, "float16"), "locked", "backward", figure, ceiling=3800.0, hollow=False)
    return replace(made, **changes)


def test_what_was_there_before_is_told_and_not_worked_out_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    row = throughput_points._row
    monkeypatch.setattr(throughput_points, "_row", lambda point: asked.append(point.run) or row(point))
    points = [point(run) for run in range(1, 6)]
    columns = PointColumns()
    assert columns.take(points[:3]) == slice(0, 0)
    assert columns.take(points) == slice(0, 3)
    assert columns.take(points[1:]) == slice(1, 5)
    assert columns.take([*points[1:4], point(6)]) == slice(0, 3)
    assert asked == [1, 2, 3, 4, 5, 6]
    assert columns.x(by_n=False).tolist() == [2, 3, 4, 6]
    assert columns.take([]) == slice(4, 4)
    assert columns.gbps.size == 0


def test_columns_say_what_the_points_say() -> None:
    points = [point(1), point(2, ceiling=None, peer=True), point(3, shape=(64, 1000, "float32"))]
    columns = PointColumns()
    columns.take(points)
    assert columns.gbps.tolist() == [each.figure.gbps for each in points]
    assert list(zip(columns.slow, columns.fast, strict=True)) == [spread(each.figure) for each in points]
    assert columns.peers.tolist() == [False, True, False]
    assert np.isnan(columns.ceilings).tolist() == [False, True, False]
    assert columns.x(by_n=True).tolist() == [float(np.log10(each.shape[1])) for each in points]
    sideways, speeds, counts = columns.clouds(np.array([0, 2]))
    assert counts.tolist() == [points[0].figure.samples_ms.size, points[2].figure.samples_ms.size]
    assert sideways.size == speeds.size == counts.sum()
    assert np.median(speeds[: counts[0]]) == pytest.approx(points[0].figure.gbps, rel=0.01)


def test_symbols_are_the_same_whether_points_come_one_by_one_or_at_once(qtbot: QtBot) -> None:
    points = [point(run, hollow=run % 3 == 0) for run in range(1, 9)]
    grown, whole = ThroughputChart(), ThroughputChart()
    for chart in (grown, whole):
        qtbot.addWidget(chart)
        chart.apply_theme(DARK)
    for count in range(1, 7):
        grown.set_points(points[:count])
    grown.set_points([*points[1:5], points[7]])  # one has gone, two others were replaced
    whole.set_points([*points[1:5], points[7]])

    def symbols(chart: ThroughputChart) -> list[tuple[object, ...]]:
        scatter = next(items for series, items in chart._series.items() if series[:2] == ("locked", "backward"))[2]
        return [(spot.pos().x(), spot.pos().y(), spot.brush().color().name(), spot.size()) for spot in scatter.points()]

    assert symbols(grown) == symbols(whole)
    assert [place[0] for place in symbols(grown)] == [2, 3, 4, 5, 8]
    for chart in (grown, whole):
        chart.apply_theme(LIGHT)  # the hollow ones are filled with the theme's colour
        chart.set_by_n(True)
    assert symbols(grown) == symbols(whole)
    assert {place[0] for place in symbols(grown)} == {float(np.log10(8192))}
    assert LIGHT.surface.lower() in {place[2] for place in symbols(grown)}
