import dataclasses

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication

from lnexplorer.domain.simulation.model import simulate
from lnexplorer.domain.timeline import prepare
from lnexplorer.gui.kit.theme import LIGHT, Theme, apply_theme
from lnexplorer.gui.panes.reduction import comparison
from lnexplorer.gui.panes.reduction.pane import ReductionPane
from lnexplorer.gui.timeline.canvas import title_of
from lnkernels.values.environment import Environment, Kind
from lnkernels.values.timeline import TraceCost
from tests.domain.timelines import model, request, simulated
from tests.gui.windows import on_screen

H200 = Environment(
    date="", python="", torch="", triton="3", gpu="NVIDIA H200", compute_capability=(9, 0)
)


@pytest.fixture
def pane(qtbot):
    """A pane with a recording of GROUP_SIZE_M 16."""
    made = on_screen(qtbot, ReductionPane(), 1500, 800)
    show(made, 16)
    return made


def show(pane, group_size_m):
    device = model(resident_programs=200, jitter=0.2, arbitration="random")
    timeline = simulate(600, 1024, group_size_m, 32, 128, device)
    launch = request(m=600, n=1024, group_size_m=group_size_m)
    pane.show_timeline(dataclasses.replace(timeline, kind=Kind.RECORDED), launch, H200)


def fit(pane, until):
    pane.fit_bar.fit.click()
    until(lambda: not pane.model.isHidden())


@pytest.fixture
def fitted(pane, until):
    fit(pane, until)
    return pane


def predict(pane, until, group_size_m):
    pane.fit_bar.group.setValue(group_size_m)
    until(lambda: pane.model.scene.timeline.group_size_m == group_size_m)


def test_only_what_happened_can_be_fitted(pane):
    assert not pane.fit_bar.fit.isHidden()
    assert pane.fit_bar.isHidden()
    pane.set_problem(request(m=64, n=1024, group_size_m=8), 64, 132)
    assert pane.fit_bar.fit.isHidden()


def test_a_fitted_model_stands_beside_the_trace_with_its_error_and_parameters(fitted):
    bar = fitted.fit_bar
    canvas = fitted.canvas
    model = fitted.model
    assert bar.badge.text() == "simulated"
    for words in ("measured", "%", "stage 2"):
        assert words in bar.figures.text()
    fitted.resize(675, 340)  # as in a window of 1280 × 720, whose letters are wider
    QApplication.processEvents()
    assert "…" not in bar.figures.elided(bar.figures.width()), "the first fact has room"
    assert ", as its trace shows" in bar.facts.text()
    assert str(title_of(canvas.scene.timeline)) == "Recorded, GROUP_SIZE_M 16"
    assert canvas._title
    heights = {picture.mapTo(fitted, QPoint(0, 0)).y() for picture in (canvas, model)}
    assert len(heights) == 1
    assert bar.group.value() == 16
    assert model.scene.timeline.kind is Kind.SIMULATED
    assert model.scene.last_ns == canvas.scene.last_ns


def test_another_number_of_buffers_is_predicted_and_measured_by_a_trace_that_was_shown(pane, until):
    show(pane, 4)
    show(pane, 16)
    fit(pane, until)
    predict(pane, until, 8)
    assert "measured with GROUP_SIZE_M 16" in pane.fit_bar.figures.text()
    predict(pane, until, 4)
    assert "measured with" not in pane.fit_bar.figures.text()
    assert "fitted to GROUP_SIZE_M 16" in pane.fit_bar.facts.text()


@pytest.mark.parametrize("traced_ns", [110_000.0, 102_000.0])
def test_a_recording_that_was_never_shown_tells_the_programs_and_the_time_of_a_prediction(
    fitted, until, traced_ns
):
    cost = TraceCost(plain_ns=100_000.0, traced_ns=traced_ns, repetitions=10)
    few = simulated(600, 1024, 4, resident_programs=20)
    seen = prepare(dataclasses.replace(few, kind=Kind.RECORDED, cost=cost), "a trace of 4")
    fitted.comparison.recorded = lambda kernel: [seen] if kernel.gpu == "NVIDIA H200" else []
    predict(fitted, until, 4)
    bar = fitted.fit_bar
    long = traced_ns > 105_000
    assert "resident programs: 20, as in the recording “a trace of 4”" in bar.facts.text()
    # If recording took long the model is compared with the unrecorded pass, too.
    for words, told in (
        ("%", True),
        ("the pass without recording", long),
        ("measured 100 µs", long),
    ):
        assert (words in bar.figures.text()) is told


def test_both_pictures_share_time_zoom_and_what_is_followed(fitted, until):
    predict(fitted, until, 4)
    canvas = fitted.canvas
    model = fitted.model
    player = fitted.player
    assert player.end_ns == max(fitted.shown[0].end_ns, model.scene.timeline.end_ns)
    fitted.follow(30)
    player.seek(player.end_ns * 0.7)
    assert model.scene.followed == 30
    assert model.now.time_ns == canvas.now.time_ns
    fitted.pictures.follow(None, 12)  # which the model does not have
    assert model.scene.followed_lock is None
    for one, other in ((canvas, model), (model, canvas)):
        one.zoom(0.5)
        stretch = one.scene.begin_ns, one.scene.end_ns
        assert (other.scene.begin_ns, other.scene.end_ns) == pytest.approx(stretch, rel=1e-6)
    Theme.current = LIGHT
    apply_theme(fitted)
    fitted.grab()


def test_closing_leaves_the_trace_alone_on_its_own_axis(fitted, until):
    canvas = fitted.canvas
    fitted.fit_bar.close_button.click()
    assert fitted.model.isHidden()
    assert fitted.fit_bar.isHidden()
    assert not canvas._title
    assert canvas.scene.last_ns == 1.01 * canvas.scene.timeline.end_ns
    assert fitted.player.end_ns == fitted.shown[0].end_ns
    fit(fitted, until)
    show(fitted, 8)
    assert fitted.model.isHidden(), "another timeline ends the comparison"


def test_what_cannot_be_fitted_is_told(pane, until, monkeypatch):
    def refuse(*_args, **_more):
        raise ValueError("a timeline of 0 rows has nothing to fit a model to")

    monkeypatch.setattr(comparison, "fit", refuse)
    pane.comparison.fit()
    until(lambda: "cannot be fitted" in pane.fit_bar.figures.text())
    assert "nothing to fit" in pane.fit_bar.figures.text()
    assert pane.fit_bar.fit.isEnabled()
    assert pane.model.isHidden()
