"""The pane of experiments, and the desk that ties it to the engine."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from lnexplorer.domain.experiments.barrier import Barriers
from lnexplorer.domain.experiments.catalogue import EXPERIMENTS, STOPPED, finished
from lnexplorer.domain.experiments.experiment import ExperimentRequest, ExperimentResult
from lnexplorer.domain.experiments.gpus import Gpus
from lnexplorer.domain.experiments.neighbours import Neighbours
from lnexplorer.domain.experiments.order import Orders
from lnexplorer.domain.panels import PanelPicture, bar_panel, bar_picture
from lnexplorer.domain.request import RunRequest
from lnexplorer.gui.charts.panel_chart import PanelChart, scale_of
from lnexplorer.gui.panes.experiments.controller import ExperimentsController
from lnexplorer.gui.panes.experiments.pane import ExperimentsPane
from lnexplorer.protocol.messages import (
    Broken,
    Finished,
    JobEnded,
    JobPart,
    JobProgress,
    Refused,
    Stopped,
    WorkerReady,
)
from lnexplorer.store.recordings import write_experiment
from lnexplorer.store.resources import resource
from lnkernels.launch.source import KernelSource
from lnkernels.values.sentence import verbatim
from tests.gui.fakes import FakeServices
from tests.gui.windows import on_screen
from tests.sample_experiments import sample, samples
from tests.sample_results import make_device


@pytest.fixture
def pane(qtbot: QtBot) -> ExperimentsPane:
    made = on_screen(qtbot, ExperimentsPane(), 1000, 640)
    made.set_backend("cuda")
    return made


@pytest.fixture
def services(qtbot: QtBot) -> FakeServices:
    made = FakeServices()
    qtbot.addWidget(made.window)
    return made


@pytest.fixture
def controller(
    pane: ExperimentsPane, services: FakeServices, tmp_path: Path
) -> ExperimentsController:
    return ExperimentsController(pane, services, tmp_path)  # type: ignore[arg-type]


def picture_of(result: ExperimentResult) -> PanelPicture:
    picture = result.charts()[0]
    assert isinstance(picture, PanelPicture)
    return picture


@pytest.mark.parametrize("gpu", [True, False])
def test_every_experiment_has_a_picture_and_a_sentence(gpu: bool, pane: ExperimentsPane) -> None:
    for name in EXPERIMENTS:
        pane.choose(name)
        pane.show_result(sample(name, gpu=gpu))
        assert pane.findings.sentence.text()
        assert pane.bar.badge.text() == ("measured" if gpu else "interpreted")
        assert pane.findings.table.isHidden() == bool(sample(name, gpu=gpu).charts())
        assert not pane.grab().toImage().isNull()
    pane.choose("hang")
    assert (">held (line 26)</td>" in pane.findings.table.text()) == gpu


def test_no_title_and_no_value_of_a_bar_is_cut_where_four_panels_have_little_room(
    qtbot: QtBot,
) -> None:
    chart = on_screen(qtbot, PanelChart(), 935, 300)
    title, names = "persistent: a title that is longer than a panel, % changed", ["other M", "run"]
    panel = bar_panel(title, [7.3, 2.4], ["0.073 % @ 1025", "0.024 % @ 1025"], ["sky"])
    chart.set_picture(bar_picture([panel] * 4, names))
    QApplication.processEvents()
    assert len({each.y() for each in chart._charts if each.isVisible()}) == 1
    for each in chart._charts:
        title, end = each.plotItem.titleLabel, each.view.sceneBoundingRect().right()
        assert title.itemRect().width() <= title.rect().width() + 1
        for item in each.view.addedItems:
            if isinstance(item, pg.TextItem):
                assert item.sceneBoundingRect().right() <= end


def test_a_height_of_the_barrier_s_picture_is_a_number_of_runs_however_many_columns_share_it() -> (
    None
):
    result, columns = sample("barrier"), 8192
    found = result.findings_of(Barriers)
    wrong = np.full(columns, 7)
    wrong[columns // 2] = 9
    sides = {
        name: replace(getattr(found, name), wrong_dw=wrong, wrong_db=np.zeros_like(wrong))
        for name in ("left_out", "plain_count", "put_back")
    }
    for series in picture_of(replace(result, findings=replace(found, **sides))).panels[0].series:
        assert sorted(set(series.y.tolist())) == [7, 9]
        assert (series.y == 9).sum() == 1


def test_a_spread_of_zero_has_a_place_of_its_own() -> None:
    result = sample("order")
    picture = picture_of(result)
    sides = result.findings_of(Orders).sides
    for side, series in zip(sides, picture.panels[0].series, strict=True):
        assert np.nansum(series.y) == side.spread.size  # no column is left out
        assert series.y[0] == (side.spread == 0).sum()
    assert picture.x_ticks[0][1] == "0"


def test_gpus_are_drawn_over_one_time_axis_and_tell_their_times(pane: ExperimentsPane) -> None:
    result = sample("gpus")
    phases = result.findings_of(Gpus).phases
    pane.choose("gpus")
    pane.show_result(result)
    panels, part = pane.findings.panels
    assert part.drawing.accessibleName() == "GPUs over time"
    assert panels.drawing.accessibleName() == "The experiment's chart"
    assert isinstance(part.drawing, PanelChart)
    (panel,) = part.drawing.picture.panels
    assert [name for _, name in part.drawing._ticks()] == [
        f"{way}, GPU {n}" for way in ("one shot", "NCCL") for n in (0, 1)
    ]
    assert sum(series.y.size for series in panel.series) == len(phases)
    assert scale_of(panel)[1] >= max(phase.end_ns for phase in phases) / 1e3
    part.drawing._charts[0].hovered.emit((20.0, 1.0))
    assert "GPU 1" in pane.findings.readout.text()
    assert "stage 1: 1.00 – 41.00 µs" in pane.findings.readout.text()
    assert "NCCL" not in pane.findings.readout.text()  # that other GPU's sum
    pane.show_result(sample("gpus", gpu=False))
    assert part.isHidden()


def test_a_click_does_the_experiment_and_shows_what_is_found(
    pane: ExperimentsPane, services: FakeServices, controller: ExperimentsController, qtbot: QtBot
) -> None:
    pane.choose("order")
    qtbot.mouseClick(pane.bar.run, Qt.MouseButton.LeftButton)
    assert services.supervisor.asked == [ExperimentRequest(name="order")]
    assert not pane.bar.run.isEnabled()
    controller.take(JobProgress(41, "run", verbatim("runs"), 20, 600))
    assert "20/600" in pane.bar.step.text()
    controller.take(JobEnded(40, Stopped()))  # of somebody else
    assert pane.bar.stop.isEnabled()
    pane.choose("barrier")
    controller.take(JobEnded(41, Finished(sample("order"))))
    assert pane.bar.run.isEnabled()
    assert pane.findings.sentence.text() == ""  # what was chosen meanwhile stays chosen
    pane.choose("order")
    assert "200 runs" in pane.findings.sentence.text()


def test_nothing_is_timed_beside_a_sweep(
    pane: ExperimentsPane, services: FakeServices, controller: ExperimentsController
) -> None:
    services.session.hold("A sweep has the GPU.")
    pane.bar.run.click()
    assert services.supervisor.asked == []
    assert services.said == "A sweep has the GPU."
    assert pane.bar.run.isEnabled()
    services.session.hold("")
    pane.bar.run.click()
    assert len(services.supervisor.asked) == 1


def test_every_end_of_an_experiment_is_told_with_what_it_has(
    pane: ExperimentsPane, services: FakeServices, controller: ExperimentsController
) -> None:
    kept = services.history.kept
    pane.choose("order")
    result = sample("order")
    outcomes = (Finished(result), Stopped(), Broken("run", verbatim("It broke."), ""), Refused(()))
    for number, outcome in enumerate(outcomes, 41):
        pane.bar.run.click()
        controller.take(JobProgress(number, "run", verbatim("runs"), 120, 600))
        controller.take(JobEnded(number, outcome))
    assert [(each.ended, str(each.reason or "")) for each in kept] == [
        ("finished", ""),
        ("stopped", ""),
        ("failed", "It broke."),
    ]
    assert kept[0].result is result
    assert (kept[1].done, kept[1].total, kept[1].result) == (120, 600, None)
    assert (kept[1].request.runs, kept[1].device) == (
        200,
        make_device().name,
    )  # the experiment's own choice is known
    controller.close()
    assert len(kept) == 3  # nothing was being done
    pane.bar.run.click()
    pane.bar.stop.click()
    assert services.supervisor.cancelled == [45]
    controller.close()
    controller.take(JobEnded(45, Stopped()))
    assert [each.ended for each in kept[3:]] == ["stopped"]


def test_what_was_found_before_the_end_is_shown_and_kept(
    pane: ExperimentsPane, services: FakeServices, controller: ExperimentsController
) -> None:
    kept = services.history.kept
    pane.choose("barrier")
    pane.bar.run.click()
    part = sample("barrier")
    controller.take(JobPart(40, sample("barrier", gpu=False)))  # of somebody else
    controller.take(JobPart(41, part))
    assert pane.findings.sentence.text() == ""  # the picture waits for the end
    controller.take(JobEnded(41, Stopped()))
    assert "of 1000 runs" in pane.findings.sentence.text()
    assert services.said == "The experiment was cut off: what it found until then is on show."
    assert [(each.ended, each.result) for each in kept] == [("stopped", part)]


def test_recorded_findings_stand_in_until_there_are_own_ones(
    pane: ExperimentsPane, services: FakeServices, tmp_path: Path
) -> None:
    for result in samples()[1:]:
        write_experiment(tmp_path / f"{result.request.name}.lnexperiment", result)
    ExperimentsController(pane, services, tmp_path)  # type: ignore[arg-type]
    assert not pane.bar.recorded.isVisible()  # of the first there is none
    assert pane.findings.sentence.text() == ""
    pane.choose("barrier")
    assert pane.bar.recorded.isVisible()
    assert pane.bar.badge.text() == "recorded"
    pane.show_result(sample("barrier"))
    assert pane.bar.badge.text() == "measured"
    pane.bar.recorded.click()
    assert pane.bar.badge.text() == "recorded"


def test_a_recorded_experiment_is_shown_and_kept(
    pane: ExperimentsPane, services: FakeServices, controller: ExperimentsController, qtbot: QtBot
) -> None:
    path = resource("recordings") / "h200_strategies.lnexperiment"
    with qtbot.waitSignal(controller.opened):
        controller.open(path)
    assert (pane.name, services.window.brought) == ("strategies", ["experiments"])
    assert pane.bar.badge.text() == "recorded"
    assert (
        services.said == f"Recorded experiment: {path.name}"
    )  # and not where the program is installed
    assert (
        services.window.about["experiments"]
        == "NVIDIA H200, 4096×2048 float16, GROUP_SIZE_M 128 · recorded"
    )
    assert [record.request.name for record in services.history.kept] == ["strategies"]


def test_an_experiment_of_the_history_is_shown_and_one_without_findings_says_so(
    pane: ExperimentsPane, services: FakeServices, controller: ExperimentsController
) -> None:
    kept = finished(sample("order"))
    nothing = replace(
        kept, request=replace(kept.request, name="barrier"), result=None, ended=STOPPED
    )
    services.history.records = {3: kept, 4: nothing, 5: replace(kept, ended=STOPPED)}
    controller.open_kept(3)
    assert pane.results == (kept.result,)
    assert (pane.name, services.window.brought) == ("order", ["experiments"])
    assert services.said == "Experiment of the history: The order of additions"
    controller.open_kept(5)
    assert services.said == "An experiment of the history that was cut off: The order of additions"
    controller.open_kept(4)
    assert pane.results == (kept.result,)
    assert pane.name == "barrier"
    assert "was cut off and found nothing: The barrier, left out and put back." in services.said


def test_what_is_faster_is_taken_with_one_click_and_tried_again(
    pane: ExperimentsPane, services: FakeServices, controller: ExperimentsController
) -> None:
    pane.choose("neighbours")
    result = sample("neighbours")
    pane.show_result(result)
    buttons = [button for button in pane.findings.buttons if not button.isHidden()]
    assert [button.text() for button in buttons] == [
        "Take num_warps 8 → 4: 6.1 % faster (5.4 to 6.8)"
    ]
    buttons[0].click()
    (request,) = services.supervisor.asked
    assert [step.change.text for step in request.path] == ["num_warps 8 → 4"]
    assert request.problem.launch.num_warps == 4
    assert services.session.state.request == request.problem
    buttons[0].click()
    assert len(services.supervisor.asked) == 1, "one at a time"
    controller.take(JobEnded(41, Finished(replace(result, request=request))))
    assert "The path so far: num_warps 8 → 4: 6.1 % faster" in pane.findings.sentence.text()
    pane.set_backend("interpreter")
    assert all(button.isHidden() for button in pane.findings.buttons), "nothing can be timed here"


def test_a_step_of_ones_own_kernel_needs_its_file(
    pane: ExperimentsPane, services: FakeServices, controller: ExperimentsController
) -> None:
    pane.choose("neighbours")
    result = sample("neighbours")
    findings = replace(result.findings_of(Neighbours), kernel="mine")
    pane.show_result(replace(result, findings=findings))
    pane.findings.buttons[0].click()
    assert "Open the file" in services.said
    assert services.supervisor.asked == []
    offered = (("num_warps", (2, 4, 8)),)
    mine = KernelSource(
        name="mine", place="/mine.py", settings=(("num_warps", 8),), offered=offered
    )
    services.session.set_kernel(mine)
    pane.findings.buttons[0].click()
    (request,) = services.supervisor.asked
    assert request.kernel == services.session.state.own.source
    assert request.kernel is not None
    assert request.kernel.settings == (("num_warps", 4),)


def test_the_button_in_run_tries_the_parameters_or_shows_what_was_recorded(
    pane: ExperimentsPane, services: FakeServices, controller: ExperimentsController
) -> None:
    services.session.set_request(RunRequest(m=77, n=64))
    controller.try_neighbours()
    assert services.window.brought == ["experiments"]
    assert pane.name == "neighbours"
    (request,) = services.supervisor.asked
    assert (request.name, request.problem.m, request.problem.n) == ("neighbours", 77, 64)
    controller.take(JobEnded(41, Stopped()))
    services.session.restart("interpreter")
    services.session.take(WorkerReady(make_device("interpreter")))
    assert "No recording of it comes with the program." in pane.notice.body.text()
    controller.try_neighbours()
    assert len(services.supervisor.asked) == 2, "there is no recording: settings are checked"
    controller.take(JobEnded(42, Stopped()))
    pane.set_recorded({"neighbours": Path("h200_neighbours.lnexperiment")})
    controller.try_neighbours()
    assert len(services.supervisor.asked) == 2


def test_invariance_on_my_parameters_takes_the_peers_that_are_chosen(
    pane: ExperimentsPane, services: FakeServices, controller: ExperimentsController, qtbot: QtBot
) -> None:
    pane.choose("invariance")
    pane.bar.own_problem.setChecked(True)
    services.session.set_peers(("torch", "liger"))
    qtbot.mouseClick(pane.bar.run, Qt.MouseButton.LeftButton)
    (asked,) = services.supervisor.asked
    assert asked.providers == ("torch", "liger")
    assert asked.problem == services.session.state.request
