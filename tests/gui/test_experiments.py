"""The pane of experiments, and the desk that ties it to the engine."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from lnexplorer.domain.experiments.barrier import Barriers
from lnexplorer.domain.experiments.catalogue import EXPERIMENTS, STOPPED, finished
from lnexplorer.domain.experiments.experiment import ExperimentRequest
from lnexplorer.domain.experiments.gpus import Gpus
from lnexplorer.domain.experiments.neighbours import Neighbours
from lnexplorer.domain.experiments.order import Orders
from lnexplorer.domain.panels import bar_panel, bar_picture
from lnexplorer.domain.request import RunRequest
from lnexplorer.gui.charts.panel_chart import PanelChart
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
from lnkernels.launch.source import KernelSource
from lnkernels.values.sentence import verbatim
from tests.gui.fakes import FakeServices
from tests.gui.windows import heard, on_screen
from tests.sample_experiments import sample, samples
from tests.sample_results import make_device


class ExperimentsDesk:
    """A pane on the screen whose controller has services that a test looks into."""

    def __init__(self, qtbot: QtBot, folder: Path) -> None:
        self.pane = on_screen(qtbot, ExperimentsPane(), 1000, 640)
        self.services = FakeServices()
        qtbot.addWidget(self.services.window)
        self.pane.set_backend("cuda")
        self.session = self.services.session
        self.asked = self.services.supervisor.asked
        self.kept = self.services.history.kept
        self.connect(folder)

    def connect(self, recorded: Path) -> None:
        self.controller = ExperimentsController(self.pane, self.services, recorded)  # type: ignore[arg-type]
        self.take = self.controller.take

    def end(self, outcome: Any) -> None:
        """End the experiment that was asked for last."""
        self.take(JobEnded(40 + len(self.asked), outcome))

    @property
    def sentence(self) -> str:
        return self.pane.findings.sentence.text()

    @property
    def badge(self) -> str:
        return self.pane.bar.badge.text()


@pytest.fixture
def desk(qtbot: QtBot, tmp_path: Path) -> ExperimentsDesk:
    return ExperimentsDesk(qtbot, tmp_path)


@pytest.mark.parametrize("gpu", [True, False])
def test_every_experiment_has_a_picture_and_a_sentence(gpu: bool, desk: ExperimentsDesk) -> None:
    table = desk.pane.findings.table
    for name in EXPERIMENTS:
        result = sample(name, gpu=gpu)
        desk.pane.choose(name)
        desk.pane.show_result(result)
        assert desk.sentence
        assert desk.badge == ("measured" if gpu else "interpreted")
        assert table.isHidden() == bool(result.charts())
        desk.pane.grab()
    desk.pane.choose("hang")
    assert (">held (line 26)</td>" in table.text()) == gpu


def test_no_title_and_no_value_of_a_bar_is_cut_where_four_panels_have_little_room(
    qtbot: QtBot,
) -> None:
    chart = on_screen(qtbot, PanelChart(), 935, 300)
    title = "persistent: a title that is longer than a panel, % changed"
    names = ["other M", "run"]
    panel = bar_panel(title, [7.3, 2.4], ["0.073 % @ 1025", "0.024 % @ 1025"], ["sky"])
    chart.set_picture(bar_picture([panel] * 4, names))
    QApplication.processEvents()
    assert len({each.y() for each in chart._charts if each.isVisible()}) == 1
    for each in chart._charts:
        title = each.plotItem.titleLabel
        end = each.view.sceneBoundingRect().right()
        assert title.itemRect().width() <= title.rect().width() + 1
        texts = (item for item in each.view.addedItems if isinstance(item, pg.TextItem))
        assert all(text.sceneBoundingRect().right() <= end for text in texts)


def test_a_height_of_the_barrier_s_picture_is_a_number_of_runs_however_many_columns_share_it() -> (
    None
):
    result = sample("barrier")
    found = result.findings_of(Barriers)
    wrong = np.full(8192, 7)
    wrong[4096] = 9
    left_out = replace(found.left_out, wrong_dw=wrong, wrong_db=np.zeros_like(wrong))
    picture, *_ = replace(result, findings=replace(found, left_out=left_out)).charts()
    heights = picture.panels[0].series[0].y
    assert sorted(set(heights.tolist())) == [7, 9]
    assert (heights == 9).sum() == 1


def test_a_spread_of_zero_has_a_place_of_its_own() -> None:
    result = sample("order")
    picture, *_ = result.charts()
    sides = result.findings_of(Orders).sides
    for side, series in zip(sides, picture.panels[0].series, strict=True):
        assert np.nansum(series.y) == side.spread.size  # no column is left out
        assert series.y[0] == (side.spread == 0).sum()
    assert picture.x_ticks[0][1] == "0"


def test_gpus_are_drawn_over_one_time_axis_and_tell_their_times(desk: ExperimentsDesk) -> None:
    pane = desk.pane
    result = sample("gpus")
    phases = result.findings_of(Gpus).phases
    pane.choose("gpus")
    pane.show_result(result)
    names = [panel.drawing.accessibleName() for panel in pane.findings.panels]
    assert names == ["The experiment's chart", "GPUs over time"]
    part = pane.findings.panels[1]
    (panel,) = part.drawing.picture.panels
    lanes = [name for _, name in part.drawing._ticks()]
    assert lanes == [f"{way}, GPU {n}" for way in ("one shot", "NCCL") for n in (0, 1)]
    assert sum(series.y.size for series in panel.series) == len(phases)
    part.drawing._charts[0].hovered.emit((20.0, 1.0))
    told = pane.findings.readout.text()
    assert "GPU 1" in told
    assert "stage 1: 1.00 – 41.00 µs" in told
    assert "NCCL" not in told  # that other GPU's sum
    pane.show_result(sample("gpus", gpu=False))
    assert part.isHidden()


def test_a_click_does_the_experiment_and_shows_what_is_found(desk: ExperimentsDesk) -> None:
    pane = desk.pane
    bar = desk.pane.bar
    pane.choose("order")
    bar.run.click()
    assert desk.asked == [ExperimentRequest(name="order")]
    assert not bar.run.isEnabled()
    desk.take(JobProgress(41, "run", verbatim("runs"), 20, 600))
    assert "20/600" in bar.step.text()
    desk.take(JobEnded(40, Stopped()))  # of somebody else
    assert bar.stop.isEnabled()
    pane.choose("barrier")
    desk.end(Finished(sample("order")))
    assert bar.run.isEnabled()
    assert desk.sentence == "", "what was chosen meanwhile stays chosen"
    pane.choose("order")
    assert "200 runs" in desk.sentence


def test_nothing_is_timed_beside_a_sweep(desk: ExperimentsDesk) -> None:
    desk.session.hold("A sweep has the GPU.")
    desk.pane.bar.run.click()
    assert desk.asked == []
    assert desk.services.said == "A sweep has the GPU."
    desk.session.hold("")
    desk.pane.bar.run.click()
    assert len(desk.asked) == 1


def test_every_end_of_an_experiment_is_told_with_what_it_has(desk: ExperimentsDesk) -> None:
    pane = desk.pane
    kept = desk.kept
    result = sample("order")
    pane.choose("order")
    outcomes = (Finished(result), Stopped(), Broken("run", verbatim("It broke."), ""), Refused(()))
    for number, outcome in enumerate(outcomes, 41):
        pane.bar.run.click()
        desk.take(JobProgress(number, "run", verbatim("runs"), 120, 600))
        desk.end(outcome)
    desk.controller.close()  # nothing is being done
    told = [(each.ended, str(each.reason or "")) for each in kept]
    assert told == [("finished", ""), ("stopped", ""), ("failed", "It broke.")]
    whole, stopped, _ = kept
    assert whole.result is result
    assert stopped.done == 120
    assert stopped.total == 600
    assert stopped.result is None
    assert stopped.request.runs == 200, "the experiment's own choice is known"
    assert stopped.device == make_device().name
    pane.bar.run.click()
    pane.bar.stop.click()
    assert desk.services.supervisor.cancelled == [45]
    desk.controller.close()
    desk.end(Stopped())
    assert [each.ended for each in kept[3:]] == ["stopped"]


def test_what_was_found_before_the_end_is_shown_and_kept(desk: ExperimentsDesk) -> None:
    part = sample("barrier")
    desk.pane.choose("barrier")
    desk.pane.bar.run.click()
    desk.take(JobPart(40, sample("barrier", gpu=False)))  # of somebody else
    desk.take(JobPart(41, part))
    assert desk.sentence == "", "the picture waits for the end"
    desk.end(Stopped())
    assert "of 1000 runs" in desk.sentence
    told = "The experiment was cut off: what it found until then is on show."
    assert desk.services.said == told
    assert [(each.ended, each.result) for each in desk.kept] == [("stopped", part)]


def test_recorded_findings_stand_in_until_there_are_own_ones(
    desk: ExperimentsDesk, tmp_path: Path
) -> None:
    for result in samples()[1:]:
        write_experiment(tmp_path / f"{result.request.name}.lnexperiment", result)
    desk.connect(tmp_path)
    recorded = desk.pane.bar.recorded
    assert not recorded.isVisible()  # of the first there is none
    assert desk.sentence == ""
    desk.pane.choose("barrier")
    assert recorded.isVisible()
    assert desk.badge == "recorded"
    desk.pane.show_result(sample("barrier"))
    assert desk.badge == "measured"
    recorded.click()
    assert desk.badge == "recorded"


def test_the_source_stands_once_in_the_headline_and_once_below_a_picture(
    desk: ExperimentsDesk,
) -> None:
    told = heard(desk.pane.aboutChanged)
    desk.pane.choose("barrier")
    desk.pane.show_result(sample("barrier"))
    gpu, kind = sample("barrier").provenance.environment.where, desk.badge
    assert (told[-1].count(gpu), told[-1].count(kind)) == (1, 0), "the badge says the kind"
    below = " ".join(desk.pane.findings.panels[0].drawing.caption())
    assert (below.count(gpu), below.count(kind)) == (1, 1)
    assert told[-1].endswith(f" · {gpu}"), "behind the problem, as in a sweep"
    assert told[-1].removesuffix(f" · {gpu}") in below


def test_an_experiment_of_the_history_is_shown_and_one_without_findings_says_so(
    desk: ExperimentsDesk,
) -> None:
    kept = finished(sample("order"))
    barrier = replace(kept.request, name="barrier")
    nothing = replace(kept, request=barrier, result=None, ended=STOPPED)
    desk.services.history.records = {3: kept, 4: nothing, 5: replace(kept, ended=STOPPED)}
    for number, name, told in (
        (3, "order", "Experiment of the history: The order of additions"),
        (5, "order", "An experiment of the history that was cut off: The order of additions"),
        (4, "barrier", "was cut off and found nothing: The barrier, left out and put back."),
    ):
        desk.controller.open_kept(number)
        assert desk.pane.name == name
        assert told in desk.services.said
        assert desk.pane.results == (kept.result,)
    assert set(desk.services.window.brought) == {"experiments"}


def test_what_is_faster_is_taken_with_one_click_and_tried_again(desk: ExperimentsDesk) -> None:
    result = sample("neighbours")
    pane = desk.pane
    pane.choose("neighbours")
    pane.show_result(result)
    (button,) = (button for button in pane.findings.buttons if not button.isHidden())
    assert button.text() == "Take num_warps 8 → 4: 6.1 % faster (5.4 to 6.8)"
    button.click()
    button.click()
    (request,) = desk.asked  # one at a time
    assert [str(step.change.text) for step in request.path] == ["num_warps 8 → 4"]
    assert request.problem.launch.num_warps == 4
    assert desk.session.state.request == request.problem
    desk.end(Finished(replace(result, request=request)))
    assert "The path so far: num_warps 8 → 4: 6.1 % faster" in desk.sentence
    pane.set_backend("interpreter")
    assert all(each.isHidden() for each in pane.findings.buttons), "nothing can be timed here"


def test_a_step_of_ones_own_kernel_needs_its_file(desk: ExperimentsDesk) -> None:
    desk.pane.choose("neighbours")
    result = sample("neighbours")
    findings = replace(result.findings_of(Neighbours), kernel="mine")
    desk.pane.show_result(replace(result, findings=findings))
    step = desk.pane.findings.buttons[0]
    step.click()
    assert "Open the file" in desk.services.said
    assert desk.asked == []
    values = {"settings": (("num_warps", 8),), "offered": (("num_warps", (2, 4, 8)),)}
    desk.session.set_kernel(KernelSource(name="mine", place="/mine.py", **values))
    step.click()
    (request,) = desk.asked
    assert request.kernel == desk.session.state.own.source
    assert request.kernel.settings == (("num_warps", 4),)


def test_the_button_in_run_tries_the_parameters_or_shows_what_was_recorded(
    desk: ExperimentsDesk,
) -> None:
    pane = desk.pane
    asked = desk.asked
    try_them = desk.controller.try_neighbours
    desk.session.set_request(RunRequest(m=77, n=64))
    try_them()
    assert pane.name == "neighbours"
    assert desk.services.window.brought == ["experiments"]
    (request,) = asked
    assert request.name == "neighbours"
    assert request.problem.m == 77
    assert request.problem.n == 64
    desk.end(Stopped())
    desk.session.restart("interpreter")
    desk.session.take(WorkerReady(make_device("interpreter")))
    assert "No recording of it comes with the program." in pane.notice.body.text()
    try_them()
    assert len(asked) == 2, "there is no recording: settings are checked"
    desk.end(Stopped())
    pane.set_recorded({"neighbours": Path("h200_neighbours.lnexperiment")})
    try_them()
    assert len(asked) == 2


def test_invariance_on_my_parameters_takes_the_peers_that_are_chosen(desk: ExperimentsDesk) -> None:
    desk.pane.choose("invariance")
    desk.pane.bar.own_problem.setChecked(True)
    desk.session.set_peers(("torch", "liger"))
    desk.pane.bar.run.click()
    (asked,) = desk.asked
    assert asked.providers == ("torch", "liger")
    assert asked.problem == desk.session.state.request
