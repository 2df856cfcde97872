"""A recording holds what belongs together: a run and its own trace, or one of the two and a
sentence about the other.
"""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.gui.session.files import ask_where_to_save
from lnexplorer.gui.session.state import (
    SessionState,
    after_event,
    ask,
    ask_as_traced,
    begin_trace,
    show_result,
    show_timeline,
)
from lnexplorer.gui.window.application import Explorer
from lnexplorer.gui.window.exports import OLD_TRACE, OTHER_RUN, recording_of
from lnexplorer.protocol.messages import Finished, JobEnded
from lnexplorer.store.recordings import read_recording, write_recording
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import Clock
from tests.gui.fakes import state_of
from tests.gui.windows import LECTURE, Open, Until, said
from tests.sample_results import make_device, make_environment
from tests.store.examples import REQUEST, small_result, small_timeline, traced_timeline

OTHER = replace(REQUEST, n=24)


def test_a_file_whose_suffix_was_left_out_is_not_replaced_before_somebody_agrees(
    tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    parent, offered = QWidget(), list[str]()
    qtbot.addWidget(parent)
    (tmp_path / "norm.v2.py").write_text("a day's work")
    answers = iter(
        [str(tmp_path / "norm.v2"), "", str(tmp_path / "norm.v3"), str(tmp_path / "norm.v2.py")]
    )

    def ask(_parent: QWidget, _title: str, name: str, _forms: str) -> tuple[str, str]:
        offered.append(name)
        return next(answers), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)
    assert ask_where_to_save(parent, "New kernel", "my_norm", ".py") is None
    assert offered == ["my_norm.py", str(tmp_path / "norm.v2.py")], "Qt asks about the whole name"
    assert ask_where_to_save(parent, "New kernel", "my_norm", ".py") == tmp_path / "norm.v3.py"
    assert ask_where_to_save(parent, "New kernel", "my_norm", ".py") == tmp_path / "norm.v2.py"


@pytest.fixture
def ran() -> SessionState:
    """A run of this GPU is on show, and nothing was traced."""
    return show_result(state_of(RunRequest(), make_device()), small_result())


def traced(state: SessionState, request: RunRequest) -> SessionState:
    """The request was traced here."""
    state = begin_trace(ask(state, request), 7)
    assert request.n is not None
    return after_event(state, JobEnded(7, Finished(small_timeline(n=request.n))))


def test_a_run_and_its_own_trace_are_saved_together_whatever_is_on_show(
    ran: SessionState,
) -> None:
    state = traced(ran, REQUEST)
    assert state.is_of_run
    for on_show in (True, False):
        recording, left_out = recording_of(state, trace_on_show=on_show)
        assert recording is not None
        both = (state.run.result, state.trace.timeline)
        assert ((recording.result, recording.timeline), left_out) == (both, None)


def test_a_trace_of_other_parameters_is_saved_alone_with_its_own(
    ran: SessionState, tmp_path: Path
) -> None:
    state = traced(ran, OTHER)
    assert state.run.resolved == small_result().resolved  # the run's, whose verdict is on show
    recording, left_out = recording_of(state, trace_on_show=True)
    assert recording is not None
    assert (recording.result, left_out) == (None, OTHER_RUN)
    path = tmp_path / "trace.lnrec"
    write_recording(path, recording)
    read = read_recording(path)
    assert (read.result, read.launch, read.environment) == (
        None,
        resolve(OTHER, "cuda"),
        make_device().environment,
    )
    assert read.timeline is not None
    assert read.timeline.kind is Kind.RECORDED
    # Once a simulation of other parameters has taken its place, the run alone is there to save.
    recording, left_out = recording_of(state, trace_on_show=False)
    assert recording is not None
    assert (recording.result, recording.timeline, left_out) == (state.run.result, None, OLD_TRACE)


def test_a_trace_made_here_does_not_pass_for_that_of_a_recorded_run() -> None:
    elsewhere = small_result(Kind.RECORDED)
    state = traced(show_result(state_of(RunRequest(), make_device()), elsewhere), REQUEST)
    assert recording_of(state, trace_on_show=True)[1] is OTHER_RUN
    other = replace(
        elsewhere.provenance, kind=Kind.MEASURED, environment=make_environment("NVIDIA A100")
    )
    state = traced(
        show_result(state_of(RunRequest(), make_device()), replace(elsewhere, provenance=other)),
        REQUEST,
    )
    assert recording_of(state, trace_on_show=True)[1] is OTHER_RUN


def test_a_recorded_timeline_is_never_saved_with_the_run_that_it_was_opened_over(
    ran: SessionState,
) -> None:
    launch, environment = resolve(OTHER, "cuda"), make_environment()
    for known in ((launch, environment), (None, None)):
        state = show_timeline(ran, small_timeline(n=24), *known)
        recording, left_out = recording_of(state, trace_on_show=True)
        assert recording is not None
        assert (recording.result, recording.launch, left_out) == (None, known[0], OTHER_RUN)


def test_the_form_has_the_launch_of_a_recorded_timeline_as_far_as_it_tells() -> None:
    state = ask_as_traced(show_timeline(state_of(RunRequest(), make_device()), traced_timeline()))
    assert state.request == REQUEST
    assert state.trace.shown_launch == resolve(state.request, "cuda")
    launch = resolve(REQUEST.changed(num_warps=2, dtype="float32", data="order"), "cuda")
    state = ask_as_traced(
        show_timeline(
            state_of(RunRequest(), make_device()), small_timeline(), launch, make_environment()
        )
    )
    assert resolve(state.request, "cuda") == launch


def test_a_simulation_and_nothing_at_all_are_not_saved() -> None:
    assert recording_of(SessionState(), trace_on_show=True) == (None, None)
    simulated = replace(small_timeline(), kind=Kind.SIMULATED, clock=Clock.MODEL)
    assert recording_of(show_timeline(SessionState(), simulated), trace_on_show=True) == (
        None,
        None,
    )


@pytest.mark.timeout(170)
def test_what_was_traced_without_a_run_is_saved_and_opened(
    opened: Open, until: Until, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    explorer, path = opened("window"), tmp_path / "trace.lnrec"
    session, pane = explorer.session, explorer.window.pane("reduction")
    assert pane is not None
    session.set_live(False)
    request = replace(LECTURE, m=6, seed=3)
    session.set_request(request)
    session.trace()
    until(lambda: _shows(explorer, 6))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_arguments: (str(path), ""))
    explorer.window.actions_["save_recording"].trigger()
    until(lambda: "Only the trace" in said(explorer))
    recording = read_recording(path)
    assert (recording.title, recording.result) == ("trace", None)
    assert recording.launch is not None
    assert (recording.launch.m, recording.launch.seed) == (6, 3)

    # Opened over the run of other parameters, it is on show with its own in the form.
    session.set_request(LECTURE)
    until(lambda: not _shows(explorer, 6))
    explorer.files.open_recording(path)
    until(lambda: _shows(explorer, 6))
    until(lambda: explorer.steps.waiting == 0)
    assert _shows(explorer, 6)
    assert session.state.request.m == 6
    headline = explorer.window.headline  # nothing of the run that was there before stands above it
    assert (session.state.run.result, headline.verdict.text()) == (None, "A trace without results")
    assert "M 6 × N 8" in headline.shape.text()


def _shows(explorer: Explorer, rows: int) -> bool:
    """Whether a trace of so many rows is on show."""
    pane = explorer.window.pane("reduction")
    return (
        pane is not None
        and pane.shown is not None
        and pane.shown[2] is None
        and pane.shown[0].m == rows
    )
