"""Live on a GPU: what is measured when, and which answers count."""

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from lnexplorer.domain.live import LivePoint, likely_next
from lnexplorer.domain.measuring import CandidateOutcome, Measured, MeasureRequest
from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.gui.panes.throughput.controller import GATHER_MS, HUNGER_MS, LiveTuner
from lnexplorer.gui.session.session import SessionController
from lnexplorer.gui.session.state import Remark, use_device
from lnexplorer.protocol.messages import Broken, Finished, JobEnded, JobPart
from lnkernels.values.accuracy import TensorErrors
from lnkernels.values.environment import Kind
from lnkernels.values.figures import Figure
from lnkernels.values.sentence import verbatim
from tests.gui.fakes import Recorder, state_of
from tests.sample_results import make_device, make_environment, make_figure, make_resolved


class Desk:
    """A tuner of a session, the jobs that it submits, and the points that it reports."""

    def __init__(self, qtbot: QtBot) -> None:
        self.runner = Recorder()
        self.session = SessionController(self.runner, state_of(setting(8), make_device()))
        self.live = LiveTuner(self.runner, self.session, self.session)
        self.points: list[LivePoint] = []
        self.live.pointReady.connect(self.points.append)
        self.wait_until = qtbot.waitUntil

    def move(self, group: int) -> MeasureRequest:
        """Move a slider, and wait for the measurement."""
        count = len(self.runner.measured)
        self.session.set_request(setting(group))
        self.wait_until(lambda: len(self.runner.measured) > count)
        return self.runner.measured[-1]


@pytest.fixture
def desk(qtbot: QtBot) -> Desk:
    return Desk(qtbot)


def setting(group: int) -> RunRequest:
    return RunRequest.of(m=4096, n=8192, group_size_m=group)


def figure_of(request: MeasureRequest, gbps: float = 1000.0, samples: int | None = None) -> Figure:
    figure = replace(
        make_figure("locked", "backward", gbps, make_resolved()), provider=request.labels[0]
    )
    return figure if samples is None else replace(figure, samples_ms=figure.samples_ms[:samples])


def finished(request: MeasureRequest, outcome: CandidateOutcome) -> Finished:
    environment = make_environment()
    return Finished(
        Measured(
            request=request,
            problem=request.subject,
            kind=Kind.MEASURED,
            outcomes=(outcome,),
            ceilings=(),
            before=environment,
            after=environment,
            warnings=(verbatim("The clocks fell."),),
            timing_seconds=0.1,
            total_seconds=0.2,
        )
    )


def test_a_move_is_measured_at_once_and_briefly(desk: Desk) -> None:
    desk.live.set_mode("kernel_warm")
    request = desk.move(16)
    assert request.settings == (setting(16),)
    assert request.modes == ("kernel_warm",)
    assert request.seconds < 0.1
    assert desk.runner.ran == []


def test_a_move_cancels_the_run_of_what_is_not_asked_for_any_more(desk: Desk) -> None:
    desk.session.run()
    desk.move(16)
    assert desk.session.state.jobs.run in desk.runner.cancelled


def test_only_answers_for_the_newest_setting_become_points(desk: Desk) -> None:
    first = desk.move(16)
    second = desk.move(32)
    assert desk.runner.cancelled == [501]
    desk.live.take(JobPart(501, figure_of(first)))
    desk.live.take(
        JobEnded(501, finished(first, CandidateOutcome(label=first.labels[0], status="ok")))
    )
    assert desk.points == []
    desk.live.take(JobPart(502, figure_of(second)))
    assert [point.resolved.launch.group_size_m for point in desk.points] == [32]
    assert desk.points[0].figures[0].provider == "locked"


def test_neighbours_are_compiled_ahead_of_the_next_move(desk: Desk) -> None:
    quick = desk.move(16)
    outcome = CandidateOutcome(label=quick.labels[0], status="ok", figures=(figure_of(quick),))
    assert desk.runner.prepared == []
    desk.live.take(JobEnded(501, finished(quick, outcome)))
    assert setting(24) in desk.runner.prepared[0]
    assert desk.points[-1].warnings == (verbatim("The clocks fell."),)
    assert len(desk.runner.measured) == 1


def test_a_wrong_setting_says_so_and_is_not_measured_again(desk: Desk) -> None:
    request = desk.move(16)
    error = TensorErrors(name="dw", max_abs=1.0, torch_max_abs=0.1, tolerance=0.2, passed=False)
    wrong = CandidateOutcome(
        label=request.labels[0],
        status="incorrect",
        reason=verbatim("dw is wrong."),
        errors=(error,),
    )
    desk.live.take(JobPart(501, wrong))
    assert desk.points[-1].failed == ("dw",)
    desk.live.take(JobEnded(501, finished(request, wrong)))
    assert len(desk.runner.measured) == 1


def test_a_broken_measurement_is_told_in_its_sentence(desk: Desk) -> None:
    desk.move(16)
    desk.live.take(JobEnded(501, Broken("run", verbatim("The worker was killed."), "")))
    assert desk.points[-1].reason == verbatim("The worker was killed.")


def test_a_parameter_that_never_rests_gets_a_point_now_and_then(desk: Desk, qtbot: QtBot) -> None:
    group = 8
    for _ in range(40):
        group += 1
        desk.session.set_request(setting(group))
        qtbot.wait(2 * HUNGER_MS // 40)
    # Without an answer, the measurement that is under way after the hunger began is not cancelled.
    assert (500 + len(desk.runner.measured)) not in desk.runner.cancelled
    assert desk.runner.measured[-1].settings != (setting(group),)
    desk.live.take(JobPart((500 + len(desk.runner.measured)), figure_of(desk.runner.measured[-1])))
    qtbot.waitUntil(lambda: desk.runner.measured[-1].settings == (setting(group),))


def test_the_interpreter_is_asked_for_runs_and_for_no_times(desk: Desk, qtbot: QtBot) -> None:
    desk.session.state = use_device(desk.session.state, make_device("interpreter"))
    desk.session.set_request(RunRequest(m=4, n=8))
    qtbot.waitUntil(lambda: desk.runner.ran == [RunRequest(m=4, n=8)])
    assert desk.runner.measured == []


def test_while_the_session_is_held_nothing_runs_and_the_reason_is_told(
    desk: Desk, qtbot: QtBot
) -> None:
    desk.session.hold("A sweep has the GPU.")
    desk.session.set_request(setting(16))
    desk.session.run()
    qtbot.wait(3 * GATHER_MS)
    assert desk.runner.ran == []
    assert desk.runner.measured == []
    assert desk.session.state.notice == Remark(("A sweep has the GPU.",))
    desk.session.hold("")
    desk.session.run()
    assert desk.runner.ran == [setting(16)]


def test_what_comes_next_lies_in_the_direction_of_the_move() -> None:
    before, after = (
        RunRequest.of(m=4096, n=8192, num_warps=4),
        RunRequest.of(m=4096, n=8192, num_warps=8),
    )
    found = likely_next(before, after, resolve(after, "cuda"))
    assert found[0].launch.num_warps == 16
    assert found[1].launch.num_warps == 4
    assert after not in found
