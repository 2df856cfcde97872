"""Which points of the Throughput chart are joined by a line."""

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from lnexplorer.domain.result import RunResult
from lnexplorer.gui.charts.theme import DARK
from lnexplorer.gui.throughput.pane import ThroughputPane
from tests.sample_results import make_correctness, make_device, make_figure, make_resolved, make_result

CHECKED = make_correctness(32, 64)


@pytest.fixture
def pane(qtbot: QtBot) -> ThroughputPane:
    """A pane with a GPU."""
    pane = ThroughputPane()
    qtbot.addWidget(pane)
    pane.resize(1100, 700)
    pane.apply_theme(DARK)
    pane.set_device(make_device())
    return pane


def on_gpu(result: RunResult, gpu: str) -> RunResult:
    environment = replace(result.provenance.environment, gpu=gpu)
    return replace(result, provenance=replace(result.provenance, environment=environment))


def test_figures_of_unlike_gpus_are_never_one_line(pane: ThroughputPane) -> None:
    runs = [make_result(correctness=CHECKED), make_result(n=4096, correctness=CHECKED)]
    pane.show_earlier([*runs, *(on_gpu(run, "NVIDIA A100") for run in runs)])
    for axis, places in (("run", {"NVIDIA H200": [1, 2], "NVIDIA A100": [3, 4]}), ("n", None)):
        pane.axis.choose(axis)
        pane.refresh()
        chart = pane.chart
        locked = {key[2][0]: items for key, items in chart._series.items() if key[:2] == ("locked", "backward")}
        assert set(locked) == {"NVIDIA H200", "NVIDIA A100"}
        for gpu, (curve, _, scatter, _) in locked.items():
            assert len(curve.getData()[0]) == len(scatter.data) == 2
            assert places is None or curve.getData()[0].tolist() == places[gpu]
        looks = {(items[0].opts["pen"].color().name(), items[2].points()[0].symbol()) for items in locked.values()}
        assert len(looks) == 2, "they can be told apart"
        assert {key[1][0] for key in chart._ceilings if key[0] == "backward"} == set(locked), "nor are their ceilings"
        names = [entry.text for entry in pane.legend.entries]
        assert {"locked · NVIDIA H200", "locked · NVIDIA A100", "ceiling · NVIDIA H200", "ceiling · NVIDIA A100"} <= set(names)


def test_over_n_unlike_problems_are_no_line(pane: ThroughputPane) -> None:
    runs = [make_result(n=n, correctness=CHECKED) for n in (4096, 8192)]
    other = [replace(run, resolved=replace(run.resolved, dtype="bfloat16")) for run in runs]
    pane.show_earlier([*runs, *other])
    pane.axis.choose("n")
    pane.refresh()
    lines = {key[2][1]: len(items[0].getData()[0]) for key, items in pane.chart._series.items() if key[0] == "locked"}
    assert lines == {"M = 4096, float16": 2, "M = 4096, bfloat16": 2}
    assert "locked · M = 4096, bfloat16" in [entry.text for entry in pane.legend.entries]
    pane.axis.choose("run")
    pane.refresh()
    assert "locked" in [entry.text for entry in pane.legend.entries], "in the order of the runs they are one GPU's"


def test_a_run_that_is_under_way_stays_on_the_line_of_its_gpu(pane: ThroughputPane) -> None:
    pane.show_result(make_result(correctness=CHECKED))
    pane.begin_run(make_resolved(n=4096))
    pane.add_figure(make_figure("locked", "backward", 1500, make_resolved(n=4096)))
    pane.refresh()
    assert {point.device for point in pane.chart.points} == {"NVIDIA H200"}
    assert len(pane.chart.points) > 1
