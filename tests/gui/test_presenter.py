"""What the panes are told of a session, from one state to the next."""

from dataclasses import replace

from pytestqt.qtbot import QtBot

from lnexplorer.domain.request import RunRequest
from lnexplorer.gui.correctness.pane import CorrectnessPane
from lnexplorer.gui.responsive import IdleSteps
from lnexplorer.gui.shell.main_window import MainWindow
from lnexplorer.gui.shell.presenter import Presenter
from lnexplorer.gui.shell.state import SessionState, after_event, begin_run
from lnexplorer.gui.throughput.pane import ThroughputPane
from lnexplorer.protocol.messages import EngineEvent, Finished, JobEnded, JobPart, JobStarted, WorkerReady, WorkerStarting
from lnkernels.values.environment import Kind
from tests.sample_results import make_correctness, make_device, make_resolved, make_result


def test_a_run_that_begins_before_its_device_is_known_is_one_run_in_the_chart(qtbot: QtBot) -> None:
    window = MainWindow()
    qtbot.addWidget(window)
    pane = ThroughputPane()
    window.set_pane("throughput", pane)
    steps = IdleSteps(window)
    presenter = Presenter(window, steps)
    result = make_result(4096, 8192, correctness=make_correctness(32, 64))
    assert result.throughput is not None
    events: list[EngineEvent] = [WorkerStarting(), WorkerReady(make_device()), JobStarted(1)]
    events += [JobPart(1, figure) for figure in result.throughput.figures]
    before = SessionState(request=RunRequest())
    after = begin_run(before, 1)
    presenter.show(before, after)
    for event in (*events, JobEnded(1, Finished(result))):
        before, after = after, after_event(after, event)
        presenter.show(before, after)
        qtbot.waitUntil(lambda: not steps.waiting)
    qtbot.waitUntil(lambda: bool(pane.chart.points))
    assert {point.run for point in pane.chart.points} == {1}
    assert {point.shape[:2] for point in pane.chart.points} == {(4096, 8192)}


def test_errors_come_in_steps_and_go_when_they_are_forgotten_meanwhile(qtbot: QtBot) -> None:
    window = MainWindow()
    qtbot.addWidget(window)
    pane = CorrectnessPane()
    window.set_pane("correctness", pane)
    steps = IdleSteps(window)
    presenter = Presenter(window, steps)
    without = SessionState(request=RunRequest())
    known = replace(without, correctness=make_correctness(64, 128), resolved=make_resolved(64, 128), kind=Kind.MEASURED)
    presenter.show(without, known)
    assert steps.waiting > 1
    while steps.waiting:
        steps._next()
    assert pane.table.isVisibleTo(pane)
    presenter.show(without, known)
    steps._next()
    presenter.show(known, without)
    while steps.waiting:
        steps._next()
    assert pane.notice.isVisibleTo(pane)
    assert not pane.table.isVisibleTo(pane)
