"""Panes tell what is looked at, and look at it again; what a file names and they do not have is
passed over.
"""

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.sweep.request import Axis, SweepRequest
from lnexplorer.domain.sweep.views import SweepTable
from lnexplorer.domain.views import CorrectnessView, SweepView, ThroughputView, TouchView
from lnexplorer.gui.panes.correctness.pane import CorrectnessPane
from lnexplorer.gui.panes.memory_access.pane import TouchPane
from lnexplorer.gui.panes.sweep.picture import SweepPictureView
from lnexplorer.gui.panes.throughput.pane import ThroughputPane
from lnkernels.values.environment import Kind
from tests.gui.sample_sweeps import invented_rows
from tests.sample_results import make_correctness, make_result

MAP = SweepRequest(
    base=RunRequest(m=4096, n=8192),
    axes=(Axis(name="block_size", values=(1024, 2048)), Axis(name="num_warps", values=(4, 8))),
    strategies=("locked", "persistent"),
)


def test_the_errors(qtbot: QtBot) -> None:
    pane = CorrectnessPane()
    qtbot.addWidget(pane)
    result = make_result(8, 16, correctness=make_correctness(8, 16))
    pane.show_correctness(result.correctness, result.resolved, Kind.MEASURED)
    view = CorrectnessView(picture="columns", tensor="dx", log=False, columns="db", histogram="dw")
    pane.show_view(view)
    assert pane.view() == view
    assert not pane.errors.map_card.isVisibleTo(pane)
    pane.show_view(CorrectnessView(picture="weather", tensor="dw"))
    assert pane.view() == CorrectnessView(picture=None, tensor="dx")


def dated(date: str, n: int) -> RunResult:
    result = make_result(4096, n)
    environment = replace(result.provenance.environment, date=date)
    return replace(result, provenance=replace(result.provenance, environment=environment))


def test_the_speeds_with_the_runs_on_their_chart(qtbot: QtBot) -> None:
    pane = ThroughputPane()
    qtbot.addWidget(pane)
    own, first, second = (
        dated("2026-01-03", 1024),
        dated("2026-01-01", 2048),
        dated("2026-01-02", 4096),
    )
    pane.show_result(own)
    pane.show_earlier([first, second])
    assert [date for _, date in pane.charted] == ["2026-01-01", "2026-01-02", "2026-01-03"]
    assert sorted({point.run for point in pane.chart.points}) == [1, 2, 3]
    pane.show_earlier([second])
    assert len(pane.charted) == 3

    view = ThroughputView(mode="kernel_warm", samples=False)
    with qtbot.waitSignal(pane.modeChanged):
        pane.show_view(view)
    assert pane.view() == view
    pane.show_view(ThroughputView(mode="weather"))
    assert pane.view() == replace(view, samples=True)


def test_a_sweep(qtbot: QtBot) -> None:
    picture = SweepPictureView()
    qtbot.addWidget(picture)
    picture.show_table(SweepTable(MAP, invented_rows(MAP)))
    view = SweepView(
        quantity="error", direction="forward", provider="persistent", hardware="NVIDIA H200"
    )
    picture.show_view(view)
    assert picture.view() == view
    picture.show_view(SweepView(quantity="weather", direction="up", provider="nobody"))
    assert picture.view() == view
    picture.show_view(replace(view, quantity="queued"))
    assert picture.bar.chosen == "gbps"  # no waits were traced


@pytest.mark.parametrize(
    "view",
    [TouchView(row=3, column=5, kernel="stage2"), TouchView(row=9, column=5, kernel="weather")],
)
def test_what_a_program_touches(qtbot: QtBot, view: TouchView) -> None:
    pane = TouchPane()
    qtbot.addWidget(pane)
    pane.set_shape(8, 16)
    pane.show_view(view)
    assert pane.view() == (view if view.row == 3 else TouchView(row=7, column=5))
