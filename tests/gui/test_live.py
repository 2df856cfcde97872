"""Live on a GPU: what is measured when, and which answers count."""

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from lnexplorer.domain.live import LivePoint, likely_next
from lnexplorer.domain.measuring import CandidateOutcome, Measured, MeasureRequest
from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.gui.panes.throughput.controller import GATHER_MS, HUNGER_MS, LiveTuner
from lnexplorer.gui.session.session import REST_MS, SessionController
from lnexplorer.gui.session.state import Remark, use_device
from lnexplorer.protocol.messages import Broken, Finished, JobEnded, JobPart
from lnkernels.values.accuracy import TensorErrors
from lnkernels.values.environment import Kind
from lnkernels.values.figures import Figure
from lnkernels.values.sentence import verbatim
from tests.gui.fakes import Recorder, state_of
from tests.sample_results import make_device, make_environment, make_figure, make_resolved


@pytest.fixture
def runner() -> Recorder:
    return Recorder()


@pytest.fixture
def session(runner: Recorder, qtbot: QtBot) -> SessionController:
    del qtbot
    return SessionController(runner, state_of(setting(8), make_device()))


@pytest.fixture
def live(runner: Recorder, session: SessionController) -> LiveTuner:
    return LiveTuner(runner, session, session)


@pytest.fixture
def points(live: LiveTuner) -> list[LivePoint]:
    told: list[LivePoint] = []
    live.pointReady.connect(told.append)
    return told


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


def move(session: SessionController, runner: Recorder, qtbot: QtBot, group: int) -> MeasureRequest:
    """Move a slider, and wait for the measurement."""
    count = len(runner.measured)
    session.set_request(setting(group))
    qtbot.waitUntil(lambda: len(runner.measured) > count)
    return runner.measured[-1]


def test_a_move_is_measured_at_once_and_briefly(
    live: LiveTuner, session: SessionController, runner: Recorder, qtbot: QtBot
) -> None:
    live.set_mode("kernel_warm")
    request = move(session, runner, qtbot, 16)
    assert request.settings == (setting(16),)
    assert request.modes == ("kernel_warm",)
    assert request.seconds < 0.1
    assert runner.ran == []


def test_a_move_cancels_the_run_of_what_is_not_asked_for_any_more(
    live: LiveTuner, session: SessionController, runner: Recorder, qtbot: QtBot
) -> None:
    session.run()
    move(session, runner, qtbot, 16)
    assert session.state.jobs.run in runner.cancelled
    assert live.parent() is session


def test_only_answers_for_the_newest_setting_become_points(
    live: LiveTuner,
    points: list[LivePoint],
    session: SessionController,
    runner: Recorder,
    qtbot: QtBot,
) -> None:
    first = move(session, runner, qtbot, 16)
    second = move(session, runner, qtbot, 32)
    assert runner.cancelled == [501]
    live.take(JobPart(501, figure_of(first)))
    live.take(JobEnded(501, finished(first, CandidateOutcome(label=first.labels[0], status="ok"))))
    assert points == []
    live.take(JobPart(502, figure_of(second)))
    assert [point.resolved.launch.group_size_m for point in points] == [32]
    assert points[0].figures[0].provider == "locked"


def test_neighbours_are_compiled_ahead_of_the_next_move(
    live: LiveTuner,
    points: list[LivePoint],
    session: SessionController,
    runner: Recorder,
    qtbot: QtBot,
) -> None:
    quick = move(session, runner, qtbot, 16)
    outcome = CandidateOutcome(label=quick.labels[0], status="ok", figures=(figure_of(quick),))
    assert runner.prepared == []
    live.take(JobEnded(501, finished(quick, outcome)))
    assert setting(24) in runner.prepared[0]
    assert points[-1].warnings == (verbatim("The clocks fell."),)
    assert len(runner.measured) == 1


def line(provider: str, direction: str = "backward", gbps: float = 2000.0) -> Figure:
    return make_figure(provider, direction, gbps, make_resolved())


def test_a_point_stands_below_a_ceiling_that_comes_after_it(
    live: LiveTuner,
    points: list[LivePoint],
    session: SessionController,
    runner: Recorder,
    qtbot: QtBot,
) -> None:
    quick = move(session, runner, qtbot, 16)
    live.take(JobPart(501, figure_of(quick)))
    live.take(JobPart(501, line("add")))
    assert {figure.provider for figure in points[-1].figures} == {"locked", "add"}


def test_a_new_peer_is_timed_by_itself_when_live(
    session: SessionController, runner: Recorder, qtbot: QtBot
) -> None:
    session.set_peers(())
    qtbot.wait(REST_MS // 3)
    session.set_peers(("liger",))
    qtbot.waitUntil(lambda: len(runner.ran) == 1, timeout=20_000)
    assert runner.providers == ("liger",)
    session.set_live(False)
    session.set_peers(("liger", "apex"))
    qtbot.wait(3 * GATHER_MS)
    assert len(runner.ran) == 1


def test_a_wrong_setting_says_so_and_is_not_measured_again(
    live: LiveTuner,
    points: list[LivePoint],
    session: SessionController,
    runner: Recorder,
    qtbot: QtBot,
) -> None:
    request = move(session, runner, qtbot, 16)
    error = TensorErrors(name="dw", max_abs=1.0, torch_max_abs=0.1, tolerance=0.2, passed=False)
    wrong = CandidateOutcome(
        label=request.labels[0],
        status="incorrect",
        reason=verbatim("dw is wrong."),
        errors=(error,),
    )
    live.take(JobPart(501, wrong))
    assert points[-1].failed == ("dw",)
    live.take(JobEnded(501, finished(request, wrong)))
    assert len(runner.measured) == 1


def test_a_broken_measurement_is_told_in_its_sentence(
    live: LiveTuner,
    points: list[LivePoint],
    session: SessionController,
    runner: Recorder,
    qtbot: QtBot,
) -> None:
    move(session, runner, qtbot, 16)
    live.take(JobEnded(501, Broken("run", verbatim("The worker was killed."), "")))
    assert points[-1].reason == verbatim("The worker was killed.")


def test_a_parameter_that_never_rests_gets_a_point_now_and_then(
    live: LiveTuner, session: SessionController, runner: Recorder, qtbot: QtBot
) -> None:
    group = 8
    for _ in range(40):
        group += 1
        session.set_request(setting(group))
        qtbot.wait(2 * HUNGER_MS // 40)
    # Without an answer, the measurement that is under way after the hunger began is not cancelled.
    assert (500 + len(runner.measured)) not in runner.cancelled
    assert runner.measured[-1].settings != (setting(group),)
    live.take(JobPart((500 + len(runner.measured)), figure_of(runner.measured[-1])))
    qtbot.waitUntil(lambda: runner.measured[-1].settings == (setting(group),))


def test_a_requested_run_is_never_behind_a_live_measurement(
    live: LiveTuner, session: SessionController, runner: Recorder, qtbot: QtBot
) -> None:
    move(session, runner, qtbot, 16)
    session.run()
    assert runner.cancelled == [501]
    live.take(JobEnded(501, Broken("run", verbatim("late"), "")))
    assert len(runner.measured) == 1


def test_the_interpreter_is_asked_for_runs_and_for_no_times(
    live: LiveTuner, session: SessionController, runner: Recorder, qtbot: QtBot
) -> None:
    session.state = use_device(session.state, make_device("interpreter"))
    session.set_request(RunRequest(m=4, n=8))
    qtbot.waitUntil(lambda: runner.ran == [RunRequest(m=4, n=8)])
    assert runner.measured == []
    assert live.parent() is session


def test_while_the_session_is_held_nothing_runs_and_the_reason_is_told(
    live: LiveTuner, session: SessionController, runner: Recorder, qtbot: QtBot
) -> None:
    session.hold("A sweep has the GPU.")
    session.set_request(setting(16))
    session.run()
    qtbot.wait(3 * GATHER_MS)
    assert runner.ran == []
    assert runner.measured == []
    assert session.state.notice == Remark(("A sweep has the GPU.",))
    session.hold("")
    session.run()
    assert runner.ran == [setting(16)]
    assert live.parent() is session


def test_what_comes_next_lies_in_the_direction_of_the_move() -> None:
    before, after = (
        RunRequest.of(m=4096, n=8192, num_warps=4),
        RunRequest.of(m=4096, n=8192, num_warps=8),
    )
    found = likely_next(before, after, resolve(after, "cuda"))
    assert found[0].launch.num_warps == 16
    assert found[1].launch.num_warps == 4
    assert after not in found
