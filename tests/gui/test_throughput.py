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
from lnexplorer.gui.charts.speed_chart import spread
from lnexplorer.gui.kit.theme import DARK, Theme, apply_theme
from lnexplorer.gui.panes.throughput.controller import ThroughputController
from lnexplorer.gui.panes.throughput.pane import ThroughputPane
from lnexplorer.protocol.messages import Broken, JobEnded
from lnkernels.launch.source import KernelSource
from lnkernels.values.environment import Kind, Offered
from lnkernels.values.figures import DIRECTIONS
from lnkernels.values.sentence import verbatim
from tests.gui.fakes import FakeServices
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


@pytest.fixture
def pane(qtbot: QtBot) -> ThroughputPane:
    """A pane on the screen, with a GPU."""
    pane = ThroughputPane()
    qtbot.addWidget(pane)
    pane.resize(1100, 700)
    Theme.current = DARK
    apply_theme(pane)
    pane.set_device(make_device())
    pane.show()
    return pane


def providers(pane: ThroughputPane, run: int | None = None) -> set[str]:
    """Who has a point in the chart, or in a run's column of it."""
    return {point.provider for point in pane.chart.points if run in (None, point.run)}


def runs(pane: ThroughputPane) -> set[int]:
    return {point.run for point in pane.chart.points}


def test_the_range_of_speeds_comes_from_the_opposite_percentiles_of_the_time() -> None:
    figure = replace(
        make_figure("locked", "forward", 1000, make_resolved()), p20_ms=0.8, p50_ms=1.0, p80_ms=2.0
    )
    assert spread(figure) == (500, 1250)


def test_each_way_of_calling_stands_below_its_own_ceiling(pane: ThroughputPane) -> None:
    resolved = make_resolved()
    pane.begin_run(resolved)
    for mode, speed, ceiling in (
        ("kernel_cold", 1000, 2000),
        ("kernel_warm", 3000, 4000),
        ("autograd", 500, None),
    ):
        pane.add_figure(replace(make_figure("locked", "forward", speed, resolved), mode=mode))
        if ceiling is not None:
            pane.add_figure(replace(make_figure("copy", "forward", ceiling, resolved), mode=mode))
    for mode, ceiling in (("kernel_cold", 2000), ("kernel_warm", 4000), ("autograd", 2000)):
        pane.mode.choose(mode)
        pane.refresh()
        assert [point.ceiling for point in pane.chart.points] == [ceiling]


def test_the_chart_grows_with_every_run_while_figures_arrive(
    pane: ThroughputPane, qtbot: QtBot
) -> None:
    resolved = make_resolved()
    for run in (1, 2):
        pane.begin_run(resolved)
        pane.add_figure(make_figure("locked", "forward", 2000, resolved))
        pane.add_figure(make_figure("locked", "forward", 2100, resolved))
        qtbot.waitUntil(
            lambda run=run: [p.figure.gbps for p in pane.chart.points if p.run == run] == [2100]
        )
        pane.show_result(RESULT)
    pane.begin_run(resolved)  # a run that is stopped without figures takes no number
    pane.begin_run(resolved)
    pane.show_result(RESULT)
    assert runs(pane) == {1, 2, 3}
    assert len(pane.chart.points) == 12


def offered(**missing: str) -> tuple[Offered, ...]:
    names = ("torch", "torch.compile", "liger", "apex", "persistent", "locked")
    return tuple(
        Offered(name=name, label=name, missing=verbatim(missing[name]) if name in missing else None)
        for name in names
    )


def with_peers(*peers: str) -> RunResult:
    result = RESULT
    more = [
        make_figure(name, way, 2000 + 10 * place, result.resolved)
        for place, name in enumerate(peers)
        for way in DIRECTIONS
    ]
    figures = (*result.throughput.figures, *more)
    return replace(
        result, throughput=replace(result.throughput, figures=figures), providers=("torch", *peers)
    )


def test_peers_are_lines_across_the_column_of_a_run_and_the_runs_own_kernels_a_cloud(
    pane: ThroughputPane,
) -> None:
    for _ in range(2):
        pane.show_result(with_peers("liger", "persistent"))
    assert {point.provider for point in pane.chart.points if not point.peer} == {"locked"}
    curves = [item for item in pane.chart._drawn if isinstance(item, pg.PlotCurveItem)]
    across = [curve for curve in curves if curve.getData()[0].tolist() == [0.5, 1.5, 1.5, 2.5]]
    assert len(across) == 2 * 3 + 2, "three peers and a ceiling, each way"
    names = [entry.text for entry in pane.legend.entries]
    assert names == ["locked", "PyTorch", "Liger", "persistent", "forward", "backward", "ceiling"]


def test_a_single_run_has_a_bar_of_each_pass_for_everybody_in_it(
    pane: ThroughputPane, qtbot: QtBot
) -> None:
    pane.show_result(with_peers("liger"))
    forward, _backward = (
        item.opts for item in pane.chart._drawn if isinstance(item, pg.BarGraphItem)
    )
    assert forward["x"] == [-0.2, 0.8, 1.8]
    assert forward["height"] == [
        point.figure.gbps for point in pane.chart.points if point.direction == "forward"
    ]
    axis = pane.chart.getPlotItem().getAxis("bottom")
    assert axis.tickStrings([0.0, 1.0, 2.0], 1.0, 1.0) == ["locked", "PyTorch", "Liger"]
    assert not axis.label.isVisible()
    # Where the axis has no room for all names the legend has them.
    pane.resize(pane.minimumSizeHint().width(), 700)
    qtbot.waitUntil(lambda: pane.legend.entries[0].text == "locked")
    pane.show_result(with_peers("liger"))
    assert not any(isinstance(item, pg.BarGraphItem) for item in pane.chart._drawn)


def test_the_list_of_peers_says_who_is_here_and_how_the_others_are_had(
    pane: ThroughputPane,
) -> None:
    pane.set_device(
        replace(
            make_device(),
            offered=offered(
                liger="package liger_kernel is not installed: pip install liger-kernel"
            ),
        )
    )
    pane.set_peers(("torch",))
    pane.show_result(RESULT)
    assert not pane.peers.item("liger").flags() & Qt.ItemFlag.ItemIsEnabled
    assert "pip install liger-kernel" in pane.peers.item("liger").text()
    assert "compiles for some seconds" in pane.peers.item("torch.compile").text()
    pane.set_peers(("torch", "liger", "gone"))
    assert pane.peers.item("liger").flags() & Qt.ItemFlag.ItemIsEnabled, (
        "one that was chosen elsewhere can be taken out"
    )
    assert pane.peers.text() == "peers: 3"


def toggle(pane: ThroughputPane, name: str) -> None:
    item = pane.peers.item(name)
    states = [Qt.CheckState.Checked, Qt.CheckState.Unchecked]
    item.setCheckState(states[item.checkState() is states[0]])


def test_a_choice_is_reported_and_hides_the_lines_of_who_was_taken_out(
    pane: ThroughputPane, qtbot: QtBot
) -> None:
    pane.set_device(replace(make_device(), offered=offered()))
    pane.set_peers(("torch", "liger"))
    pane.show_result(with_peers("liger", "persistent"))
    with qtbot.waitSignal(pane.peersChosen) as chosen:
        toggle(pane, "liger")
    assert chosen.args == [("torch",)]
    assert providers(pane) == {"locked", "torch", "persistent"}
    with qtbot.waitSignal(pane.peersChosen) as chosen:
        toggle(pane, "liger")
    assert chosen.args == [("torch", "liger")]
    assert providers(pane) == {"locked", "torch", "liger", "persistent"}


def test_the_users_own_kernel_stands_beside_a_run_of_the_same_problem(pane: ThroughputPane) -> None:
    result = RESULT
    figures = tuple(
        replace(one, provider="mine")
        for one in result.throughput.figures
        if one.provider == "torch"
    )
    own = replace(
        version_of_run(KernelSource(name="mine", place="/mine.py"), result), figures=figures
    )
    pane.show_own(replace(own, n=1))
    pane.show_result(result)
    assert "mine" not in providers(pane)
    pane.show_own(own)
    pane.refresh()
    assert {
        point.direction for point in pane.chart.points if point.provider == "mine" and point.peer
    } == set(DIRECTIONS)


def test_the_interpreter_shows_no_speed_and_says_why(pane: ThroughputPane, qtbot: QtBot) -> None:
    pane.set_device(make_device("interpreter"))
    pane.show_result(make_result(64, 512, kind=Kind.INTERPRETED, correctness=CHECKED))
    assert pane.notice.isVisible()
    assert "say nothing about a GPU" in pane.notice.body.text()
    assert pane.chart.points == []
    with qtbot.waitSignal(pane.notice.acted):
        pane.notice.button.click()
    assert pane.notice.other.text() == "Add a kernel …"
    with qtbot.waitSignal(pane.peers.kernelWanted):
        pane.notice.other.click()
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


def test_a_wrong_result_gets_no_time(pane: ThroughputPane, qtbot: QtBot) -> None:
    pane.show_result(make_result(correctness=WRONG))
    assert providers(pane) == {"torch"}
    assert (
        "No time for locked in run 1: the result is wrong, dw beyond tolerance"
        in pane.remarks.text()
    )
    pane = ThroughputPane()
    qtbot.addWidget(pane)
    untimed = replace(make_result(correctness=WRONG), throughput=None)
    pane.show_result(untimed)
    assert pane.notice.title.text() == "No speed without correctness"


def test_the_point_under_the_cursor_is_read_out(pane: ThroughputPane) -> None:
    pane.show_result(RESULT)
    pane.chart.hovered.emit((0.2, 1689.0))
    assert pane.readout.text().startswith(
        "run 1 · 4096×8192 float16 · locked backward · 1690 GB/s ("
    )
    figure = RESULT.throughput.find("locked", "backward", "kernel_cold")  # type: ignore[union-attr]
    assert figure is not None
    requested = f"{wording.figure(figure.requested_gbps)} GB/s requested"
    for part in ("45 % of the ceil", "1.18× of PyTorch", requested):
        assert part in pane.readout.text()
    assert pane.badge.text() == "measured"
    pane.show_result(RESULT)
    assert pane.readout.isHidden(), "the point is drawn anew, and under no cursor"
    assert not pane.legend.isHidden()


def test_a_live_setting_grows_into_the_run_of_the_same_setting(
    pane: ThroughputPane, qtbot: QtBot
) -> None:
    resolved = RESULT.resolved
    figure = make_figure("locked", "forward", 2000, resolved)
    pane.show_live(LivePoint(resolved=resolved, figures=(figure,)))
    qtbot.waitUntil(lambda: [point.figure.gbps for point in pane.chart.points] == [2000])
    pane.begin_run(resolved)
    assert pane.chart.points
    pane.show_result(RESULT)
    assert runs(pane) == {1}


def test_a_live_setting_stands_beside_the_peers_of_the_newest_run_of_its_problem(
    pane: ThroughputPane,
) -> None:
    result = with_peers("liger")
    pane.show_result(result)
    figure = make_figure("locked", "forward", 2000, result.resolved)
    other = replace(result.resolved, launch=replace(result.resolved.launch, group_size_m=7))
    pane.show_live(LivePoint(resolved=other, figures=(figure,)))
    pane.refresh()
    assert providers(pane, 2) == {"locked", "torch", "liger"}
    pane.show_live(LivePoint(resolved=replace(other, n=4096), figures=(figure,)))
    pane.refresh()
    assert providers(pane, 3) == {"locked"}


def test_what_makes_figures_doubtful_stands_above_the_chart(pane: ThroughputPane) -> None:
    doubtful = doubts(
        replace(make_environment(), sm_clock_mhz=1980, other_processes=2),
        replace(make_environment(), sm_clock_mhz=1700, throttle_reasons=("thermal slowdown",)),
        [replace(make_figure("locked", "forward", 1000, make_resolved()), settled=False)],
    )
    pane.show_result(replace(RESULT, notes=(*doubtful, verbatim("A note about registers."))))
    assert pane.doubts.isVisible()
    assert "registers" not in pane.doubts.text()
    assert "forward, cold L2: locked" in pane.doubts.text()
    pane.mode.button("kernel_warm").click()
    assert "1700 MHz" in pane.doubts.text()
    assert "Measure longer" not in pane.doubts.text(), "it is about another way of calling"
    pane.show_result(RESULT)
    assert not pane.doubts.isVisible()


def test_below_a_picture_stands_where_each_of_its_runs_comes_from(pane: ThroughputPane) -> None:
    assert pane.chart.caption is not None
    assert pane.chart.legend is not None
    pane.show_result(RESULT)
    environment = make_environment("NVIDIA A100")
    later = replace(environment, date="2025-12-01T08:00:00+00:00", triton="3.7.1", driver="580.1")
    for date in (later.date, "2025-12-02T08:00:00+00:00"):
        recorded = make_result(n=4096, correctness=CHECKED, kind=Kind.RECORDED)
        pane.show_result(
            replace(
                recorded,
                provenance=replace(recorded.provenance, environment=replace(later, date=date)),
            )
        )
    assert pane.chart.caption() == (
        "measured · NVIDIA H200 · torch 2.11.0 · triton 3.6.0 · 2025-11-20T09:30:00+00:00",
        (
            "recorded · NVIDIA A100 · torch 2.11.0 · triton 3.7.1 · driver 580.1 ·"
            " 2025-12-02T08:00:00+00:00"
        ),
        f"{wording.shape(4096, 8192, 'float16')}, {wording.shape(4096, 4096, 'float16')} · locked",
    )
    assert [entry.text for entry in pane.chart.legend()][:2] == [
        "locked · NVIDIA H200",
        "locked · NVIDIA A100",
    ]


def test_a_line_joins_runs_of_one_problem_alone(pane: ThroughputPane) -> None:
    for n in (512, 512, 1024, 1024, 512):
        pane.show_result(make_result(64, n, correctness=CHECKED))
    lines = [item for item in pane.chart.scene().items() if isinstance(item, pg.PlotCurveItem)]
    joined = [
        item.opts["connect"].tolist() for item in lines if not isinstance(item.opts["connect"], str)
    ]
    assert joined.count([True, False, True, False, False]) == 2  # forward and backward


def test_a_run_that_is_under_way_stays_on_the_line_of_its_gpu(pane: ThroughputPane) -> None:
    pane.show_result(RESULT)
    pane.begin_run(make_resolved(n=4096))
    pane.add_figure(make_figure("locked", "backward", 1500, make_resolved(n=4096)))
    pane.refresh()
    assert {point.device for point in pane.chart.points} == {"NVIDIA H200"}
    assert len(pane.chart.points) > 1


def test_figures_of_a_recording_are_no_figures_of_a_run_that_failed(
    pane: ThroughputPane, qtbot: QtBot
) -> None:
    services = FakeServices()
    controller = ThroughputController(pane, services)  # type: ignore[arg-type]
    session = services.session
    session.set_request(RunRequest.of(m=32, n=64, group_size_m=2))
    session.run()
    session.take(JobEnded(1, Broken("run", verbatim("The worker ended."), "")))
    recorded = make_result(kind=Kind.RECORDED)
    session.show_past(recorded)
    qtbot.waitUntil(lambda: bool(pane.charted))
    assert [run.resolved for run in pane.runs.timed] == [recorded.resolved]
    assert controller.parent() is pane
