import dataclasses

import pytest
from PySide6.QtCore import QPoint

from lnexplorer.domain.simulation.model import simulate
from lnexplorer.domain.simulation.prediction import SeenLaunch
from lnexplorer.domain.timeline import prepare
from lnexplorer.gui.kit.theme import LIGHT
from lnexplorer.gui.panes.reduction import comparison
from lnexplorer.gui.panes.reduction.pane import ReductionPane
from lnexplorer.gui.timeline.canvas import title_of
from lnkernels.values.environment import Environment, Kind
from lnkernels.values.timeline import TraceCost
from tests.domain.timelines import model, request, simulated
from tests.gui.windows import on_screen


def recorded(group_size_m, m=600):
    device = model(resident_programs=200, jitter=0.2, arbitration="random")
    return dataclasses.replace(simulate(m, 1024, group_size_m, 32, 128, device), kind=Kind.RECORDED)


@pytest.fixture
def pane(qtbot):
    return on_screen(qtbot, ReductionPane(), 1500, 800)


def show(pane, group_size_m):
    pane.show_timeline(recorded(group_size_m), request(m=600, n=1024, group_size_m=group_size_m))


def fit(pane, qtbot):
    pane.fit_bar.fit.click()
    qtbot.waitUntil(lambda: not pane.model.isHidden(), timeout=10_000)


def predict(pane, qtbot, group_size_m):
    pane.fit_bar.group.setValue(group_size_m)
    qtbot.waitUntil(lambda: pane.model.scene.timeline.group_size_m == group_size_m, timeout=10_000)


def test_only_what_happened_can_be_fitted(pane):
    pane.set_problem(request(m=64, n=1024, group_size_m=8), 64, 132)
    assert pane.fit_bar.fit.isHidden()
    show(pane, 16)
    assert not pane.fit_bar.fit.isHidden()
    assert pane.fit_bar.isHidden()


def test_a_fitted_model_stands_beside_the_trace_with_its_error_and_parameters(pane, qtbot):
    show(pane, 16)
    fit(pane, qtbot)
    assert pane.fit_bar.badge.text() == "simulated"
    assert "error" in pane.fit_bar.figures.text()
    assert "%" in pane.fit_bar.figures.text()
    assert "stage 2" in pane.fit_bar.figures.text()
    assert ", as its trace shows" in pane.fit_bar.facts.text()
    assert str(title_of(pane.canvas.scene.timeline)) == "Recorded, GROUP_SIZE_M 16"
    assert pane.canvas._titled
    assert (
        pane.canvas.mapTo(pane, pane.canvas.rect().topLeft()).y()
        == pane.model.mapTo(pane, QPoint(0, 0)).y()
    )
    assert pane.fit_bar.group.value() == 16
    assert pane.model.scene.timeline.kind is Kind.SIMULATED
    assert pane.model.scene.last_ns == pane.canvas.scene.last_ns


def test_another_number_of_buffers_is_predicted_and_measured_by_a_trace_that_was_shown(pane, qtbot):
    show(pane, 4)
    show(pane, 16)
    fit(pane, qtbot)
    predict(pane, qtbot, 8)
    assert "measured with GROUP_SIZE_M 16" in pane.fit_bar.figures.text()
    predict(pane, qtbot, 4)
    assert "error" in pane.fit_bar.figures.text()
    assert "fitted to GROUP_SIZE_M 16" in pane.fit_bar.facts.text()


def knows(pane, timeline):
    """Have the pane find a trace that it never showed."""
    gpu = Environment(
        date="", python="", torch="", triton="3", gpu="NVIDIA H200", compute_capability=(9, 0)
    )
    seen = SeenLaunch.of(f"a trace of {timeline.group_size_m}", prepare(timeline))
    pane.comparison.set_launches(
        lambda: gpu, lambda kernel: [seen] if kernel.gpu == "NVIDIA H200" else []
    )


def test_a_recording_that_was_never_shown_tells_the_programs_and_the_time_of_a_prediction(
    pane, qtbot
):
    few = dataclasses.replace(simulated(600, 1024, 4, resident_programs=20), kind=Kind.RECORDED)
    knows(pane, few)
    show(pane, 16)
    fit(pane, qtbot)
    predict(pane, qtbot, 4)
    assert "resident programs: 20, as in the recording “a trace of 4”" in pane.fit_bar.facts.text()
    assert "error" in pane.fit_bar.figures.text()


@pytest.mark.parametrize(("traced_ns", "told"), [(110_000.0, True), (102_000.0, False)])
def test_where_recording_took_long_the_model_is_held_against_the_unrecorded_pass_too(
    pane, qtbot, traced_ns, told
):
    cost = TraceCost(plain_ns=100_000.0, traced_ns=traced_ns, repetitions=10)
    slowed = dataclasses.replace(
        simulated(600, 1024, 4, resident_programs=20), kind=Kind.RECORDED, cost=cost
    )
    knows(pane, slowed)
    show(pane, 16)
    fit(pane, qtbot)
    predict(pane, qtbot, 4)
    assert ("the pass without recording" in pane.fit_bar.figures.text()) is told
    assert ("measured 100 µs" in pane.fit_bar.figures.text()) is told


def test_both_pictures_share_time_and_what_is_followed(pane, qtbot):
    show(pane, 16)
    fit(pane, qtbot)
    predict(pane, qtbot, 4)
    assert pane.player.end_ns == max(pane.shown[0].end_ns, pane.model.scene.timeline.end_ns)
    pane.follow(30)
    pane.player.seek(pane.player.end_ns * 0.7)
    assert pane.model.scene.followed == 30
    assert pane.model.now.time_ns == pane.canvas.now.time_ns
    pane.pictures.follow(None, 12)  # which the model does not have
    assert pane.model.scene.followed_lock is None
    assert not pane.grab().isNull()
    pane.apply_theme(LIGHT)
    assert not pane.grab().isNull()


def test_closing_leaves_the_trace_alone_on_its_own_axis(pane, qtbot):
    show(pane, 16)
    fit(pane, qtbot)
    pane.fit_bar.close_button.click()
    assert pane.model.isHidden()
    assert not pane.canvas._titled
    assert pane.canvas.scene.last_ns == 1.01 * pane.canvas.scene.timeline.end_ns
    assert pane.player.end_ns == pane.shown[0].end_ns
    assert pane.fit_bar.isHidden()
    fit(pane, qtbot)
    show(pane, 8)
    assert pane.model.isHidden(), "another timeline ends the comparison"


def test_what_cannot_be_fitted_is_told(pane, qtbot, monkeypatch):
    def refuse(*_args, **_more):
        raise ValueError("a timeline of 0 rows has nothing to fit a model to")

    monkeypatch.setattr(comparison, "fit", refuse)
    show(pane, 16)
    pane.comparison.fit()
    qtbot.waitUntil(lambda: "cannot be fitted" in pane.fit_bar.figures.text(), timeout=10_000)
    assert "nothing to fit" in pane.fit_bar.figures.text()
    assert pane.fit_bar.fit.isEnabled()
    assert pane.model.isHidden()


def test_zooming_one_picture_zooms_the_other(pane, qtbot):
    show(pane, 16)
    fit(pane, qtbot)
    for one, other in ((pane.canvas, pane.model), (pane.model, pane.canvas)):
        one.zoom(0.5)
        assert other.scene.begin_ns == pytest.approx(one.scene.begin_ns, rel=1e-6)
        assert other.scene.end_ns == pytest.approx(one.scene.end_ns, rel=1e-6)
