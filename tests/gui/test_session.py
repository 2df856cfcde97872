"""The session: one frozen state after another."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from lnexplorer.domain.autopsy import cause_of, with_cause
from lnexplorer.domain.request import PRESETS, RunRequest
from lnexplorer.domain.timeline import RowState
from lnexplorer.gui.panes.parameters.controller import Changes
from lnexplorer.gui.panes.reduction.pane import ReductionPane
from lnexplorer.gui.session.session import SessionController
from lnexplorer.gui.session.state import (
    LongRun,
    Remark,
    SessionState,
    after_event,
    begin_run,
    begin_trace,
    show_result,
)
from lnexplorer.gui.window.picture_run import outcome, save_picture
from lnexplorer.protocol.messages import (
    Broken,
    Finished,
    JobEnded,
    JobPart,
    JobProgress,
    JobStarted,
    Refused,
    Stopped,
    WorkerLost,
    WorkerReady,
)
from lnkernels.values.sentence import verbatim
from tests.gui.fakes import Recorder, state_of
from tests.gui.windows import Until, on_screen
from tests.sample_experiments import hangs
from tests.sample_results import make_device, make_result
from tests.store.examples import small_timeline

LONG = RunRequest(m=4096, n=8192)
INTERPRETER = WorkerReady(make_device("interpreter"))
RESULT = make_result()
ENDED = JobEnded(1, Finished(RESULT))


@pytest.fixture
def runner() -> Recorder:
    return Recorder()


@pytest.fixture
def session(runner: Recorder, qtbot: QtBot) -> SessionController:
    del qtbot
    return SessionController(runner, SessionState())


@pytest.mark.parametrize(
    ("backend", "strategy", "traced"),
    [("cuda", "locked", 1), ("cuda", "split", 0), ("interpreter", "locked", 0)],
)
def test_the_locks_of_the_first_run_are_recorded_by_themselves(
    backend: str, strategy: str, traced: int, session: SessionController, runner: Recorder
) -> None:
    request = RunRequest.of(m=4, n=8, strategy=strategy)
    session.take(WorkerReady(make_device(backend)))
    session.begin_with(request)
    for _ in range(2):  # not after the second
        session.take(JobEnded(len(runner.ran), Finished(RESULT)))
        session.run()
    assert runner.traced == [request] * traced


@pytest.mark.parametrize(
    "event", [JobStarted(1), JobProgress(1, "run", verbatim("step"), 1, 2), ENDED]
)
def test_what_an_older_job_says_changes_nothing(event: JobStarted | JobProgress | JobEnded) -> None:
    state = begin_run(SessionState(), 2)
    assert after_event(state, event) == state


def test_a_restored_result_is_not_overwritten_by_the_run_that_was_under_way() -> None:
    old = make_result()
    state = show_result(begin_run(SessionState(), 1), old)
    assert state.request == old.request
    for event in (ENDED, JobPart(1, RESULT.correctness)):
        run = after_event(state, event).run
        assert run.result is old
        assert run.correctness is old.correctness


def test_a_job_whose_kernel_hangs_shows_a_timeline_that_stops_with_its_cause(
    qtbot: QtBot,
) -> None:
    whole = small_timeline()
    nothing = np.empty(0, np.int64)
    timeline = replace(
        whole,
        source="mine.py",
        released_ns=np.where(np.arange(whole.m) < 2, whole.released_ns, whole.end_ns),
        tile_sm=nothing.astype(np.int32),
        tile_start_ns=nothing,
        tile_end_ns=nothing,
    )
    hang = with_cause(replace(hangs()["release_left_out"], timeline=timeline))
    broken = Broken("run", verbatim("ended"), "", timed_out=True, hang=hang)
    state = begin_trace(state_of(RunRequest.of(m=whole.m, n=64)), 3)
    state = after_event(state, JobEnded(3, broken))
    assert state.notice == broken
    pane = on_screen(qtbot, ReductionPane(), 1100, 700)
    pane.show_timeline(state.trace.timeline, state.trace.shown_launch)
    pane.player.seek(pane.player.end_ns)
    assert pane.header.figures.text() == str(cause_of(hang))
    assert pane.canvas.now.count(RowState.DONE) == 2
    assert pane.canvas.now.count(RowState.HOLDING) == whole.m - 2


def test_a_moving_parameter_runs_once_it_rests_if_live_is_on(
    session: SessionController, runner: Recorder, qtbot: QtBot
) -> None:
    requests = [RunRequest(m=m, n=8) for m in range(1, 6)]
    for request in requests:
        session.set_request(request)
    assert runner.ran == []
    qtbot.waitUntil(lambda: runner.ran == requests[-1:])
    session.set_live(False)
    session.set_request(requests[0])
    qtbot.wait(300)
    assert len(runner.ran) == 1
    session.run()
    assert runner.ran[1:] == requests[:1]


def test_what_a_slider_a_preset_or_a_recording_replaced_comes_back(
    session: SessionController,
) -> None:
    changes = Changes(session, session)
    first, *moved, cell, last = (RunRequest(m=m, n=8) for m in (1, 2, 3, 4, 5, 6, 9))
    preset = PRESETS[0].request
    session.begin_with(first)
    assert not changes.canUndo(), "nothing was chosen before"
    *_, rested, typed = moved
    for request in moved:
        changes.take(request)
        if request is rested:
            changes.settle()
    session.set_request(cell)  # of a sweep
    session.set_request(preset)
    session.show_past(RESULT)
    shown = session.state.request
    seen = []
    while changes.canUndo():
        changes.undo()
        seen.append(session.state.request)
    assert seen == [preset, cell, typed, rested, first], "a slider's moves are one change"
    while changes.canRedo():
        changes.redo()
    assert session.state.request == shown
    changes.undo()
    session.set_request(last)
    assert not changes.canRedo()
    steps = changes.count()
    for n in (16, 32, 8):
        changes.take(replace(last, n=n))
    assert changes.count() == steps, "a slider that is where it was has changed nothing"


def test_a_restart_that_may_not_run_leaves_nobody_waiting(
    session: SessionController, runner: Recorder
) -> None:
    session.run()
    assert session.state.jobs.busy
    session.hold("A sweep has the GPU.")
    session.restart("cuda:0")
    session.take(JobEnded(1, Stopped()))
    assert not session.state.jobs.busy
    assert runner.devices == ["cuda:0"]


def test_live_says_why_it_does_not_run_while_the_session_is_held(
    session: SessionController, runner: Recorder, qtbot: QtBot
) -> None:
    session.take(INTERPRETER)
    session.hold("A sweep has the GPU.")
    session.set_request(RunRequest(m=4, n=8))
    qtbot.waitUntil(lambda: session.state.notice == Remark(("A sweep has the GPU.",)))
    assert runner.ran == []


def test_an_impossible_request_is_neither_run_nor_traced_and_says_why(
    session: SessionController, runner: Recorder
) -> None:
    session.set_request(RunRequest.of(m=4, n=600, block_size_n=512))
    for attempt in (session.run, session.trace):
        session.dismiss()
        attempt()
        assert isinstance(session.state.notice, Refused)
    assert runner.ran == runner.traced == []


def test_the_interpreter_is_asked_before_it_is_given_minutes(
    session: SessionController, runner: Recorder
) -> None:
    session.take(INTERPRETER)
    session.set_live(False)
    session.set_request(LONG)
    session.run()
    assert isinstance(session.state.notice, LongRun)
    assert runner.ran == []
    session.run()
    assert runner.ran == [LONG], "asked for once more"
    session.dismiss()
    session.run()
    assert runner.ran == [LONG]
    session.run_few()
    assert runner.ran == [LONG, replace(LONG, m=64)]


def test_live_starts_nothing_that_takes_minutes(
    session: SessionController, runner: Recorder, until: Until
) -> None:
    session.take(INTERPRETER)
    for m in (4096, 4095, 4096):
        session.set_request(replace(LONG, m=m))
        until(lambda m=m: getattr(session.state.notice, "m", 0) == m)
    assert runner.ran == []


def test_a_long_run_that_was_begun_for_an_unknown_device_is_stopped_and_asked_about(
    session: SessionController, runner: Recorder
) -> None:
    session.begin_with(LONG)
    assert len(runner.ran) == 1
    session.take(INTERPRETER)
    assert runner.stopped == 1
    assert isinstance(session.state.notice, LongRun)


def test_no_warning_takes_the_place_of_another(session: SessionController) -> None:
    for sentence in ("one", "two", "two"):
        session.warn(sentence)
    assert session.state.notice == Remark(("one", "two"), stays=True)


def test_a_picture_says_by_its_status_what_became_of_the_run() -> None:
    broken = Broken("run", verbatim("It fell over."), "")
    lost = WorkerLost(verbatim("Gone."), "", restarting=False)
    for notice in (broken, lost):
        assert outcome(SessionState(notice=notice))[0] == 3
    assert outcome(show_result(SessionState(), RESULT))[0] == 0
    opened = SessionState(notice=Remark(("Session: talk.lnsession",)))
    assert outcome(opened, opened=True) == (0, "")
    assert outcome(opened) == (2, "Session: talk.lnsession")


def test_a_picture_is_saved_whatever_its_name_and_a_full_disk_is_named(
    qtbot: QtBot, tmp_path: Path
) -> None:
    widget = QLabel("picture")
    qtbot.addWidget(widget)
    path = tmp_path / "without a suffix"
    assert save_picture(widget, path) == ""
    assert path.read_bytes().startswith(b"\x89PNG")
    told = "The picture cannot be saved in /dev/full (No space left on device)."
    assert save_picture(widget, Path("/dev/full")) == told
