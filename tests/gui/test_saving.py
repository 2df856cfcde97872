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
    request_of,
    show_result,
    show_timeline,
)
from lnexplorer.gui.window.exports import OTHER_TRACE, recording_of
from lnexplorer.protocol.messages import Finished, JobEnded
from lnexplorer.store.recordings import Recording, read_recording, write_recording
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import Clock
from tests.gui.fakes import state_of
from tests.gui.windows import Open, Until, said
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


def test_a_run_is_saved_with_its_own_trace_alone(ran: SessionState) -> None:
    state = traced(ran, REQUEST)
    recording, left_out = recording_of(state)
    assert recording is not None
    both = (state.run.result, state.trace.timeline)
    assert ((recording.result, recording.timeline), left_out) == (both, None)
    recorded = show_result(state_of(RunRequest(), make_device()), small_result(Kind.RECORDED))
    elsewhere = replace(
        small_result(),
        provenance=replace(small_result().provenance, environment=make_environment("NVIDIA A100")),
    )
    for other in (
        traced(ran, OTHER),
        traced(recorded, REQUEST),
        traced(show_result(state_of(RunRequest(), make_device()), elsewhere), REQUEST),
        show_timeline(ran, small_timeline(n=24), resolve(OTHER, "cuda"), make_environment()),
        show_timeline(ran, small_timeline(n=24)),
    ):
        recording, left_out = recording_of(other)
        assert recording is not None
        assert (recording.result, recording.timeline) == (other.run.result, None)
        assert left_out is OTHER_TRACE


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
    assert recording_of(SessionState()) == (None, None)
    simulated = replace(small_timeline(), kind=Kind.SIMULATED, clock=Clock.MODEL)
    assert recording_of(show_timeline(SessionState(), simulated)) == (None, None)


@pytest.mark.timeout(170)
def test_a_trace_without_a_run_is_opened_alone_and_saved_with_its_launch(
    opened: Open, until: Until, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    explorer, path, saved = opened("window"), tmp_path / "trace.lnrec", tmp_path / "saved.lnrec"
    session = explorer.session
    timeline = small_timeline(n=8)
    launch = resolve(request_of(timeline).changed(seed=3), "interpreter")
    write_recording(
        path,
        Recording(
            title="", result=None, timeline=timeline, alone=launch, alone_in=make_environment()
        ),
    )
    explorer.files.open_recording(path)
    until(lambda: session.state.run.result is None)
    assert session.state.request.seed == 3
    headline = explorer.window.headline  # nothing of the run that was there before stands above it
    assert headline.verdict.text() == "A trace without results"
    assert f"M {timeline.m} × N 8" in headline.shape.text()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_arguments: (str(saved), ""))
    explorer.window.actions_["save_recording"].trigger()
    until(lambda: "Saved as" in said(explorer))
    recording = read_recording(saved)
    assert (recording.title, recording.result, recording.launch) == ("saved", None, launch)
