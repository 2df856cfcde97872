import dataclasses

import pytest
from PySide6.QtCore import QPoint

from lnexplorer.domain.simulation.model import simulate
from lnexplorer.domain.timeline import prepare
from lnexplorer.gui.kit.theme import DARK, Theme, apply_theme
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


H200 = Environment(
    date="", python="", torch="", triton="3", gpu="NVIDIA H200", compute_capability=(9, 0)
)


def show(pane, group_size_m):
    launch = request(m=600, n=1024, group_size_m=group_size_m)
    pane.show_timeline(recorded(group_size_m), launch, H200)


def fit(pane, qtbot):
    pane.fit_bar.fit.click()
    qtbot.waitUntil(lambda: not pane.model.isHidden(), timeout=10_000)


@pytest.fixture
def fitted(pane, qtbot):
    show(pane, 16)
    fit(pane, qtbot)
    return pane


def predict(pane, qtbot, group_size_m):
    pane.fit_bar.group.setValue(group_size_m)
    qtbot.waitUntil(lambda: pane.model.scene.timeline.group_size_m == group_size_m, timeout=10_000)


def test_only_what_happened_can_be_fitted(pane):
    pane.set_problem(request(m=64, n=1024, group_size_m=8), 64, 132)
    assert pane.fit_bar.fit.isHidden()
    show(pane, 16)
    assert not pane.fit_bar.fit.isHidden()
    assert pane.fit_bar.isHidden()


def test_a_fitted_model_stands_beside_the_trace_with_its_error_and_parameters(fitted):
    assert fitted.fit_bar.badge.text() == "simulated"
    assert "error" in fitted.fit_bar.figures.text()
    assert "%" in fitted.fit_bar.figures.text()
    assert "stage 2" in fitted.fit_bar.figures.text()
    assert ", as its trace shows" in fitted.fit_bar.facts.text()
    assert str(title_of(fitted.canvas.scene.timeline)) == "Recorded, GROUP_SIZE_M 16"
    assert fitted.canvas._title
    assert (
        fitted.canvas.mapTo(fitted, fitted.canvas.rect().topLeft()).y()
        == fitted.model.mapTo(fitted, QPoint(0, 0)).y()
    )
    assert fitted.fit_bar.group.value() == 16
    assert fitted.model.scene.timeline.kind is Kind.SIMULATED
    assert fitted.model.scene.last_ns == fitted.canvas.scene.last_ns


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
    seen = prepare(timeline, f"a trace of {timeline.group_size_m}")
    pane.comparison.recorded = lambda kernel: [seen] if kernel.gpu == "NVIDIA H200" else []


@pytest.mark.parametrize("traced_ns", [110_000.0, 102_000.0])
def test_a_recording_that_was_never_shown_tells_the_programs_and_the_time_of_a_prediction(
    pane, qtbot, traced_ns
):
    cost = TraceCost(plain_ns=100_000.0, traced_ns=traced_ns, repetitions=10)
    few = simulated(600, 1024, 4, resident_programs=20)
    knows(pane, dataclasses.replace(few, kind=Kind.RECORDED, cost=cost))
    show(pane, 16)
    fit(pane, qtbot)
    predict(pane, qtbot, 4)
    assert "resident programs: 20, as in the recording “a trace of 4”" in pane.fit_bar.facts.text()
    figures, long = pane.fit_bar.figures.text(), traced_ns > 105_000
    assert "error" in figures
    # If recording took long the model is compared with the unrecorded pass, too.
    assert ("the pass without recording" in figures) is long
    assert ("measured 100 µs" in figures) is long


def test_both_pictures_share_time_and_what_is_followed(fitted, qtbot):
    predict(fitted, qtbot, 4)
    assert fitted.player.end_ns == max(fitted.shown[0].end_ns, fitted.model.scene.timeline.end_ns)
    fitted.follow(30)
    fitted.player.seek(fitted.player.end_ns * 0.7)
    assert fitted.model.scene.followed == 30
    assert fitted.model.now.time_ns == fitted.canvas.now.time_ns
    fitted.pictures.follow(None, 12)  # which the model does not have
    assert fitted.model.scene.followed_lock is None
    assert not fitted.grab().isNull()
    Theme.current = DARK
    apply_theme(fitted)
    assert not fitted.grab().isNull()


def test_closing_leaves_the_trace_alone_on_its_own_axis(fitted, qtbot):
    fitted.fit_bar.close_button.click()
    assert fitted.model.isHidden()
    assert not fitted.canvas._title
    assert fitted.canvas.scene.last_ns == 1.01 * fitted.canvas.scene.timeline.end_ns
    assert fitted.player.end_ns == fitted.shown[0].end_ns
    assert fitted.fit_bar.isHidden()
    fit(fitted, qtbot)
    show(fitted, 8)
    assert fitted.model.isHidden(), "another timeline ends the comparison"


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


def test_zooming_one_picture_zooms_the_other(fitted):
    for one, other in ((fitted.canvas, fitted.model), (fitted.model, fitted.canvas)):
        one.zoom(0.5)
        assert other.scene.begin_ns == pytest.approx(one.scene.begin_ns, rel=1e-6)
        assert other.scene.end_ns == pytest.approx(one.scene.end_ns, rel=1e-6)
