"""What the window and its parts are told of a session, from one state to the next."""

from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import pytest
from pytestqt.qtbot import QtBot

from lnexplorer.domain.request import RunRequest
from lnexplorer.gui.kit.responsive import IdleSteps
from lnexplorer.gui.panes.correctness import controller as correctness
from lnexplorer.gui.panes.throughput import controller as throughput
from lnexplorer.gui.session.services import Services
from lnexplorer.gui.session.session import SessionController
from lnexplorer.gui.window.application import show_session
from lnexplorer.gui.window.main_window import MainWindow
from lnexplorer.protocol.messages import (
    Finished,
    JobEnded,
    JobPart,
    JobStarted,
    WorkerReady,
    WorkerStarting,
)
from tests.gui.fakes import state_of
from tests.gui.test_session import Recorder
from tests.sample_results import make_correctness, make_device, make_result


@pytest.fixture
def services(qtbot: QtBot) -> Services:
    window = MainWindow()
    qtbot.addWidget(window)
    found = Services(window)
    found.window, found.steps, found.supervisor = window, IdleSteps(window), Recorder()  # type: ignore[assignment]
    found.files = SimpleNamespace(open_example=lambda: None)  # type: ignore[assignment]
    found.session = SessionController(found.supervisor, state_of(RunRequest()), window)
    found.session.changed.connect(partial(show_session, window))
    return found


def test_a_run_that_begins_before_its_device_is_known_is_one_run_in_the_chart(
    services: Services, qtbot: QtBot
) -> None:
    pane = services.window.pane("throughput")
    throughput.connect(pane, services)
    result = make_result(4096, 8192, correctness=make_correctness(32, 64))
    assert result.throughput is not None
    services.session.run()
    parts = [JobPart(1, figure) for figure in result.throughput.figures]
    for event in (
        WorkerStarting(),
        WorkerReady(make_device()),
        JobStarted(1),
        *parts,
        JobEnded(1, Finished(result)),
    ):
        services.session.take(event)
        qtbot.waitUntil(lambda: not services.steps.waiting)
    qtbot.waitUntil(lambda: bool(pane.chart.points))
    assert {point.run for point in pane.chart.points} == {1}
    assert {point.shape[:2] for point in pane.chart.points} == {(4096, 8192)}
    assert services.window.headline.badge.text() == "measured"


def test_errors_come_in_steps_and_go_when_they_are_forgotten_meanwhile(services: Services) -> None:
    pane, steps, session = services.window.pane("correctness"), services.steps, services.session
    correctness.connect(pane, services)
    steps.clear()
    without, result = session.state, make_result(64, 128, correctness=make_correctness(64, 128))
    session.show_past(result)
    while steps.waiting:
        steps._next()
    assert pane.errors.table.isVisibleTo(pane)
    run = replace(session.state.run, correctness=make_correctness(64, 128))
    session._go(replace(session.state, run=run))
    session._go(without)
    while steps.waiting:
        steps._next()
    assert pane.notice.isVisibleTo(pane)
    assert not pane.errors.table.isVisibleTo(pane)
