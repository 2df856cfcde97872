"""Live on a GPU: what is measured when, and which answers count."""

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from lnexplorer.domain.live import LivePoint
from lnexplorer.domain.measuring import CandidateOutcome, Measured, MeasureRequest
from lnexplorer.domain.request import RunRequest
from lnexplorer.gui.panes.throughput.controller import GATHER_MS, HUNGER_MS, LiveTuner
from lnexplorer.gui.session.session import SessionController
from lnexplorer.gui.session.state import use_device
from lnexplorer.protocol.messages import Broken, Finished, JobEnded, JobPart
from lnkernels.values.accuracy import TensorErrors
from lnkernels.values.environment import Kind
from lnkernels.values.figures import Figure
from lnkernels.values.sentence import verbatim
from tests.gui.fakes import Recorder, state_of
from tests.gui.windows import heard
from tests.sample_results import make_device, make_environment, make_figure, make_resolved


class LiveDesk:
    """A tuner of a session, the jobs that it submits, and the points that it reports."""

    def __init__(self, qtbot: QtBot) -> None:
        self.runner = Recorder()
        self.measured = self.runner.measured
        self.session = SessionController(self.runner, state_of(setting(8), make_device()))
        self.live = LiveTuner(self.runner, self.session, self.session)
        self.points: list[LivePoint] = heard(self.live.pointReady)
        self.wait_until = qtbot.waitUntil

    def move(self, group: int) -> MeasureRequest:
        """Move a slider, and wait for the measurement."""
        count = len(self.measured)
        self.session.set_request(setting(group))
        self.wait_until(lambda: len(self.measured) > count)
        return self.measured[-1]

    def hear(self, part: object, job: int = 501) -> None:
        self.live.take(JobPart(job, part))

    def end(self, outcome: CandidateOutcome, job: int = 501) -> None:
        """End a measurement."""
        request = self.measured[job - 501]
        measured = Measured(
            request=request,
            problem=request.subject,
            kind=Kind.MEASURED,
            outcomes=(outcome,),
            after=make_environment(),
            warnings=(verbatim("The clocks fell."),),
        )
        self.live.take(JobEnded(job, Finished(measured)))


@pytest.fixture
def desk(qtbot: QtBot) -> LiveDesk:
    return LiveDesk(qtbot)


def setting(group: int) -> RunRequest:
    return RunRequest.of(m=4096, n=8192, group_size_m=group)


def figure_of(request: MeasureRequest) -> Figure:
    figure = make_figure("locked", "backward", 1000.0, make_resolved())
    return replace(figure, provider=request.labels[0])


def right(request: MeasureRequest) -> CandidateOutcome:
    return CandidateOutcome(label=request.labels[0], status="ok", figures=(figure_of(request),))


def test_a_move_is_measured_at_once_and_briefly_in_place_of_the_run(desk: LiveDesk) -> None:
    desk.live.set_mode("kernel_warm")
    desk.session.run()
    request = desk.move(16)
    assert request.settings == (setting(16),)
    assert request.modes == ("kernel_warm",)
    assert request.seconds < 0.1
    assert desk.runner.ran == [setting(8)]
    assert desk.session.state.jobs.run in desk.runner.cancelled


def test_only_answers_for_the_newest_setting_become_points(desk: LiveDesk) -> None:
    first = desk.move(16)
    second = desk.move(32)
    assert desk.runner.cancelled == [501]
    desk.hear(figure_of(first))
    desk.end(right(first))
    assert desk.points == []
    desk.hear(figure_of(second), 502)
    (point,) = desk.points
    assert point.resolved.launch.group_size_m == 32
    assert point.figures[0].provider == "locked"


def test_neighbours_are_compiled_ahead_of_the_next_move(desk: LiveDesk) -> None:
    quick = desk.move(16)
    assert desk.runner.prepared == []
    desk.end(right(quick))
    assert setting(24) in desk.runner.prepared[0]
    assert desk.points[-1].warnings == (verbatim("The clocks fell."),)
    assert len(desk.measured) == 1


def test_a_wrong_setting_says_so_and_is_not_measured_again(desk: LiveDesk) -> None:
    request = desk.move(16)
    error = TensorErrors(name="dw", max_abs=1.0, torch_max_abs=0.1, tolerance=0.2, passed=False)
    reason = verbatim("dw is wrong.")
    wrong = replace(right(request), status="incorrect", reason=reason, errors=(error,), figures=())
    desk.hear(wrong)
    assert desk.points[-1].failed == ("dw",)
    desk.end(wrong)
    assert len(desk.measured) == 1


def test_a_broken_measurement_is_told_in_its_sentence(desk: LiveDesk) -> None:
    desk.move(16)
    reason = verbatim("The worker was killed.")
    desk.live.take(JobEnded(501, Broken("run", reason, "")))
    assert desk.points[-1].reason == reason


def test_a_parameter_that_never_rests_gets_a_point_now_and_then(
    desk: LiveDesk, qtbot: QtBot
) -> None:
    for group in range(9, 49):
        desk.session.set_request(setting(group))
        qtbot.wait(2 * HUNGER_MS // 40)
    # Without an answer, the measurement that is under way after the hunger began is not cancelled.
    newest = 500 + len(desk.measured)
    assert newest not in desk.runner.cancelled
    assert desk.measured[-1].settings != (setting(48),)
    desk.hear(figure_of(desk.measured[-1]), newest)
    desk.wait_until(lambda: desk.measured[-1].settings == (setting(48),))


def test_the_interpreter_is_asked_for_runs_and_for_no_times(desk: LiveDesk) -> None:
    request = RunRequest(m=4, n=8)
    desk.session.state = use_device(desk.session.state, make_device("interpreter"))
    desk.session.set_request(request)
    desk.wait_until(lambda: desk.runner.ran == [request])
    assert desk.measured == []


def test_nothing_is_measured_while_the_session_is_held(desk: LiveDesk, qtbot: QtBot) -> None:
    desk.session.hold("A sweep has the GPU.")
    desk.session.set_request(setting(16))
    qtbot.wait(3 * GATHER_MS)
    assert desk.measured == []
