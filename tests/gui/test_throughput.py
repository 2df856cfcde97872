"""The Throughput pane."""

from dataclasses import replace

import pyqtgraph as pg
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from lnexplorer.domain import wording
from lnexplorer.domain.doubts import doubts
from lnexplorer.domain.kernel_versions import version_of_run
from lnexplorer.domain.live import LivePoint
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.views import ThroughputView
from lnexplorer.gui.charts.speed_chart import spread
from lnexplorer.gui.panes.throughput.controller import ThroughputController
from lnexplorer.gui.panes.throughput.pane import ThroughputPane
from lnexplorer.protocol.messages import Broken, JobEnded
from lnkernels.launch.source import KernelSource
from lnkernels.values.environment import Kind, Offered
from lnkernels.values.figures import DIRECTIONS, Figure
from lnkernels.values.sentence import verbatim
from tests.gui.fakes import FakeServices
from tests.gui.windows import Until, heard, on_screen
from tests.sample_results import (
    make_correctness,
    make_device,
    make_environment,
    make_figure,
    make_resolved,
    make_result,
)

CHECKED = make_correctness(32, 64)
WRONG = make_correctness(32, 64, failing=("dw",))
RESULT = make_result(correctness=CHECKED)
RESOLVED = RESULT.resolved


@pytest.fixture
def pane(qtbot: QtBot) -> ThroughputPane:
    """A pane on the screen, with a GPU."""
    pane = on_screen(qtbot, ThroughputPane(), 1100, 700)
    pane.set_device(make_device())
    return pane


def figure(gbps: float, provider: str = "locked", **changed: object) -> Figure:
    """A speed of the forward pass."""
    return replace(make_figure(provider, "forward", gbps, RESOLVED), **changed)


def providers(pane: ThroughputPane, run: int | None = None) -> set[str]:
    """Tell who has a point in the chart, or in a run's column of it."""
    pane.refresh()
    return {point.provider for point in pane.chart.points if run in (None, point.run)}


def items(pane: ThroughputPane, kind: type) -> list[pg.GraphicsObject]:
    return [item for item in pane.chart._drawn if isinstance(item, kind)]


def names(pane: ThroughputPane) -> list[str]:
    return [entry.text for entry in pane.legend.entries]


def test_the_range_of_speeds_comes_from_the_opposite_percentiles_of_the_time() -> None:
    assert spread(figure(1000, p20_ms=0.8, p50_ms=1.0, p80_ms=2.0)) == (500, 1250)


def test_each_way_of_calling_stands_below_its_own_ceiling(pane: ThroughputPane) -> None:
    pane.begin_run(RESOLVED)
    pane.add_figure(figure(500, mode="autograd"))
    for mode, ceiling in (("kernel_cold", 2000), ("kernel_warm", 4000)):
        pane.add_figure(figure(1000, mode=mode))
        pane.add_figure(figure(ceiling, "copy", mode=mode))
    for mode, ceiling in (("kernel_cold", 2000), ("kernel_warm", 4000), ("autograd", 2000)):
        pane.mode.choose(mode)
        pane.refresh()
        assert [point.ceiling for point in pane.chart.points] == [ceiling]


def test_the_chart_grows_with_every_run_while_figures_arrive(
    pane: ThroughputPane, until: Until
) -> None:
    for run in (1, 2):
        pane.begin_run(RESOLVED)
        pane.add_figure(figure(2000))
        pane.add_figure(figure(2100))
        until(lambda run=run: providers(pane, run) == {"locked"})
        assert pane.chart.points[-1].figure.gbps == 2100
        pane.show_result(RESULT)
    pane.begin_run(RESOLVED)  # a run that is stopped without figures takes no number
    pane.begin_run(RESOLVED)
    pane.show_result(RESULT)
    assert {point.run for point in pane.chart.points} == {1, 2, 3}
    assert {point.device for point in pane.chart.points} == {"NVIDIA H200"}
    assert len(pane.chart.points) == 12


def offer(pane: ThroughputPane, **missing: str) -> None:
    """Offer peers on this machine, of which some are missing."""
    offered = tuple(
        Offered(name=name, label=name, missing=verbatim(missing[name]) if name in missing else None)
        for name in ("torch", "torch.compile", "liger", "apex", "persistent", "locked")
    )
    pane.set_device(replace(make_device(), offered=offered))


def with_peers(*peers: str) -> RunResult:
    more = [
        make_figure(name, way, 2000 + 10 * place, RESOLVED)
        for place, name in enumerate(peers)
        for way in DIRECTIONS
    ]
    throughput = replace(RESULT.throughput, figures=(*RESULT.throughput.figures, *more))
    return replace(RESULT, throughput=throughput, providers=("torch", *peers))


def test_peers_are_lines_across_the_column_of_a_run_and_the_runs_own_kernels_a_cloud(
    pane: ThroughputPane,
) -> None:
    for _ in range(2):
        pane.show_result(with_peers("liger", "persistent"))
    assert {point.provider for point in pane.chart.points if not point.peer} == {"locked"}
    lines = [curve.getData()[0].tolist() for curve in items(pane, pg.PlotCurveItem)]
    assert lines.count([0.5, 1.5, 1.5, 2.5]) == 2 * 3 + 2, "three peers and a ceiling, each way"
    kinds = ["forward", "backward", "ceiling"]
    assert names(pane) == ["locked", "PyTorch", "Liger", "persistent", *kinds]


def test_a_single_run_has_a_bar_of_each_pass_for_everybody_in_it(
    pane: ThroughputPane, until: Until
) -> None:
    pane.show_result(with_peers("liger"))
    forward, _backward = (item.opts for item in items(pane, pg.BarGraphItem))
    assert forward["x"] == [-0.2, 0.8, 1.8]
    points = [point for point in pane.chart.points if point.direction == "forward"]
    assert forward["height"] == [point.figure.gbps for point in points]
    axis = pane.chart.getPlotItem().getAxis("bottom")
    assert axis.tickStrings([0.0, 1.0, 2.0], 1.0, 1.0) == ["locked", "PyTorch", "Liger"]
    assert not axis.label.isVisible()
    # Where the axis has no room for all names the legend has them.
    pane.resize(pane.minimumSizeHint().width(), 700)
    until(lambda: names(pane)[0] == "locked")
    pane.show_result(with_peers("liger"))
    assert not items(pane, pg.BarGraphItem)


def test_the_list_of_peers_says_who_is_here_and_how_the_others_are_had(
    pane: ThroughputPane,
) -> None:
    def is_enabled(name: str) -> bool:
        return bool(pane.peers.item(name).flags() & Qt.ItemFlag.ItemIsEnabled)

    offer(pane, liger="package liger_kernel is not installed: pip install liger-kernel")
    pane.set_peers(("torch",))
    assert not is_enabled("liger")
    assert "pip install liger-kernel" in pane.peers.item("liger").text()
    assert "compiles for some seconds" in pane.peers.item("torch.compile").text()
    pane.set_peers(("torch", "liger", "gone"))
    assert is_enabled("liger"), "one that was chosen elsewhere can be taken out"
    assert pane.peers.text() == "peers: 3"


def test_a_choice_is_reported_and_hides_the_lines_of_who_was_taken_out(
    pane: ThroughputPane,
) -> None:
    offer(pane)
    pane.set_peers(("torch", "liger"))
    pane.show_result(with_peers("liger", "persistent"))
    chosen = heard(pane.peersChosen)
    liger = pane.peers.item("liger")
    for state, others in (("Unchecked", set()), ("Checked", {"liger"})):
        liger.setCheckState(Qt.CheckState[state])
        assert chosen[-1] == ("torch", *others)
        assert providers(pane) == {"locked", "torch", "persistent"} | others


def test_the_users_own_kernel_stands_beside_a_run_of_the_same_problem(pane: ThroughputPane) -> None:
    torch = [one for one in RESULT.throughput.figures if one.provider == "torch"]
    own = replace(
        version_of_run(KernelSource(name="mine", place="/mine.py"), RESULT),
        figures=tuple(replace(one, provider="mine") for one in torch),
    )
    pane.show_own(replace(own, n=1))
    pane.show_result(RESULT)
    assert "mine" not in providers(pane)
    pane.show_own(own)
    assert "mine" in providers(pane)
    mine = [point for point in pane.chart.points if point.provider == "mine"]
    assert {point.direction for point in mine if point.peer} == set(DIRECTIONS)


def test_the_interpreter_shows_no_speed_and_says_why(pane: ThroughputPane) -> None:
    notice = pane.notice
    pane.set_device(make_device("interpreter"))
    pane.show_result(make_result(64, 512, kind=Kind.INTERPRETED, correctness=CHECKED))
    assert notice.isVisible()
    assert "say nothing about a GPU" in notice.body.text()
    acted = heard(notice.acted)
    wanted = heard(pane.peers.kernelWanted)
    notice.button.click()
    assert notice.other.text() == "Add a kernel …"
    notice.other.click()
    assert len(acted) == 1
    assert len(wanted) == 1
    interpreted = replace(RESULT.provenance, kind=Kind.INTERPRETED)
    pane.show_result(replace(RESULT, provenance=interpreted))
    assert pane.chart.points == [], "nor what claims to be the interpreter's"


def test_a_recording_is_shown_beside_the_interpreter_but_not_under_its_run(
    pane: ThroughputPane,
) -> None:
    pane.set_device(make_device("interpreter"))
    pane.show_result(make_result(64, 512, kind=Kind.RECORDED, correctness=CHECKED))
    assert not pane.notice.isVisible()
    assert pane.badge.text() == "recorded"
    assert "Not measured here: recorded on NVIDIA H200" in pane.remarks.text()
    assert all(point.hollow for point in pane.chart.points)
    pane.begin_run(make_resolved(64, 512))
    pane.refresh()
    assert pane.notice.isVisible()


def test_a_wrong_result_gets_no_time(pane: ThroughputPane) -> None:
    wrong = make_result(correctness=WRONG)
    pane.show_result(replace(wrong, throughput=None))
    assert pane.notice.title.text() == "No speed without correctness"
    pane.show_result(wrong)
    assert providers(pane) == {"torch"}
    told = "No time for locked in run 2: the result is wrong, dw beyond tolerance"
    assert told in pane.remarks.text()


def test_the_point_under_the_cursor_is_read_out(pane: ThroughputPane) -> None:
    pane.show_result(RESULT)
    pane.chart.hovered.emit((0.2, 1689.0))
    told = pane.readout.text()
    assert told.startswith("run 1 · 4096×8192 float16 · locked backward · 1690 GB/s (")
    found = RESULT.throughput.find("locked", "backward", "kernel_cold")
    requested = f"{wording.figure(found.requested_gbps)} GB/s requested"
    for part in ("45 % of the ceil", "1.18× of PyTorch", requested):
        assert part in told
    assert pane.badge.text() == "measured"
    pane.show_result(RESULT)
    assert pane.readout.isHidden(), "the point is drawn anew, and under no cursor"
    assert not pane.legend.isHidden()


def test_a_live_setting_stands_beside_the_peers_of_its_problem_and_grows_into_its_run(
    pane: ThroughputPane, until: Until
) -> None:
    result = with_peers("liger")
    live = LivePoint(resolved=RESOLVED, figures=(figure(2000),))
    pane.show_live(live)
    until(lambda: [point.figure.gbps for point in pane.chart.points] == [2000])
    pane.begin_run(RESOLVED)
    assert pane.chart.points
    pane.show_result(result)
    assert {point.run for point in pane.chart.points} == {1}
    other = replace(RESOLVED, launch=replace(RESOLVED.launch, group_size_m=7))
    pane.show_live(replace(live, resolved=other))
    assert providers(pane, 2) == {"locked", "torch", "liger"}
    pane.show_live(replace(live, resolved=replace(other, n=4096)))
    assert providers(pane, 3) == {"locked"}


def test_what_makes_figures_doubtful_stands_above_the_chart(pane: ThroughputPane) -> None:
    begun = replace(make_environment(), sm_clock_mhz=1980, other_processes=2)
    ended = replace(begun, sm_clock_mhz=1700, throttle_reasons=("thermal slowdown",))
    notes = doubts(begun, ended, [figure(1000, settled=False)])
    pane.show_result(replace(RESULT, notes=(*notes, verbatim("A note about registers."))))
    assert pane.doubts.isVisible()
    assert "registers" not in pane.doubts.text()
    assert "forward, cold L2: locked" in pane.doubts.text()
    pane.mode.button("kernel_warm").click()
    assert "1700 MHz" in pane.doubts.text()
    assert "Measure longer" not in pane.doubts.text(), "it is about another way of calling"
    pane.show_result(RESULT)
    assert not pane.doubts.isVisible()


def test_below_a_picture_stands_where_each_of_its_runs_comes_from(pane: ThroughputPane) -> None:
    pane.show_result(RESULT)
    recorded = make_result(n=4096, correctness=CHECKED, kind=Kind.RECORDED)
    a100 = replace(make_environment("NVIDIA A100"), triton="3.7.1", driver="580.1")
    for day in (1, 2):
        environment = replace(a100, date=f"2025-12-0{day}T08:00:00+00:00")
        provenance = replace(recorded.provenance, environment=environment)
        pane.show_result(replace(recorded, provenance=provenance))
    first, second, shapes = pane.chart.caption()
    assert first.startswith("measured · NVIDIA H200 · torch 2.11.0 · triton 3.6.0 · 2025-11-20T")
    assert second.startswith("recorded · NVIDIA A100 · torch 2.11.0 · triton 3.7.1 · driver 580.1")
    assert second.endswith("2025-12-02T08:00:00+00:00"), "the latest"
    both = [wording.shape(4096, n, "float16") for n in (8192, 4096)]
    assert shapes == f"{', '.join(both)} · locked"
    legend = [entry.text for entry in pane.chart.legend()]
    assert legend[:2] == ["locked · NVIDIA H200", "locked · NVIDIA A100"]


def test_a_line_joins_runs_of_one_problem_alone(pane: ThroughputPane) -> None:
    for n in (512, 512, 1024, 1024, 512):
        pane.show_result(make_result(64, n, correctness=CHECKED))
    lines = [line.opts["connect"] for line in items(pane, pg.PlotCurveItem)]
    joined = [line.tolist() for line in lines if not isinstance(line, str)]
    assert joined.count([True, False, True, False, False]) == 2  # forward and backward


def test_figures_of_a_recording_are_no_figures_of_a_run_that_failed(
    pane: ThroughputPane, until: Until
) -> None:
    services = FakeServices()
    pane.tied = ThroughputController(pane, services)  # type: ignore[arg-type]
    services.session.set_request(RunRequest.of(m=32, n=64, group_size_m=2))
    services.session.run()
    services.session.take(JobEnded(1, Broken("run", verbatim("The worker ended."), "")))
    recorded = make_result(kind=Kind.RECORDED)
    services.session.show_past(recorded)
    until(lambda: bool(pane.charted))
    assert [run.resolved for run in pane.runs.timed] == [recorded.resolved]


def test_a_view_comes_back_with_the_runs_on_its_chart(pane: ThroughputPane) -> None:
    def dated(day: int) -> RunResult:
        environment = replace(RESULT.provenance.environment, date=f"2026-01-0{day}")
        return replace(RESULT, provenance=replace(RESULT.provenance, environment=environment))

    pane.show_result(dated(3))
    pane.show_earlier([dated(1), dated(2)])
    pane.show_earlier([dated(2)])
    assert [date[-1] for _, date in pane.charted] == ["1", "2", "3"]
    assert {point.run for point in pane.chart.points} == {1, 2, 3}
    view = ThroughputView(mode="kernel_warm", samples=False)
    pane.show_view(view)
    assert pane.view() == view
    pane.show_view(ThroughputView(mode="weather"))
    assert pane.view() == replace(view, samples=True)
