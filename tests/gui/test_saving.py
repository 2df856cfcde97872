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
from tests.gui.windows import Open, SaveAs, Until, said
from tests.sample_results import make_device, make_environment
from tests.store.examples import REQUEST, small_result, small_timeline, traced_timeline

OTHER = replace(REQUEST, n=24)
BEGIN = state_of(RunRequest(), make_device())
HERE = make_environment()


def test_a_file_whose_suffix_was_left_out_is_not_replaced_before_somebody_agrees(
    tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    old = tmp_path / "norm.v2.py"
    old.write_text("a day's work")
    answers = iter([str(old.with_suffix("")), "", str(tmp_path / "norm.v3"), str(old)])
    offered: list[str] = []

    def choose(_parent: QWidget, _title: str, name: str, _forms: str) -> tuple[str, str]:
        offered.append(name)
        return next(answers), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    for expected in (None, tmp_path / "norm.v3.py", old):
        assert ask_where_to_save(parent, "New kernel", "my_norm", ".py") == expected
    assert offered[:2] == ["my_norm.py", str(old)], "Qt asks about the whole name"


def traced(state: SessionState, request: RunRequest) -> SessionState:
    """The request was traced here."""
    state = begin_trace(ask(state, request), 7)
    return after_event(state, JobEnded(7, Finished(small_timeline(n=request.n))))


def test_a_run_is_saved_with_its_own_trace_alone() -> None:
    result = small_result()
    ran = show_result(BEGIN, result)
    state = traced(ran, REQUEST)
    recording, left_out = recording_of(state)
    assert recording.result is state.run.result
    assert recording.timeline is state.trace.timeline
    assert left_out is None
    a100 = replace(result.provenance, environment=make_environment("NVIDIA A100"))
    for other in (
        traced(ran, OTHER),
        traced(show_result(BEGIN, small_result(Kind.RECORDED)), REQUEST),
        traced(show_result(BEGIN, replace(result, provenance=a100)), REQUEST),
        show_timeline(ran, small_timeline(n=24), resolve(OTHER, "cuda"), HERE),
        show_timeline(ran, small_timeline(n=24)),
    ):
        recording, left_out = recording_of(other)
        assert recording.result is other.run.result
        assert recording.timeline is None
        assert left_out is OTHER_TRACE


def test_the_form_has_the_launch_of_a_recorded_timeline_as_far_as_it_tells() -> None:
    state = ask_as_traced(show_timeline(BEGIN, traced_timeline()))
    assert state.request == REQUEST
    assert state.trace.shown_launch == resolve(REQUEST, "cuda")
    launch = resolve(REQUEST.changed(num_warps=2, dtype="float32", data="order"), "cuda")
    state = ask_as_traced(show_timeline(BEGIN, small_timeline(), launch, HERE))
    assert resolve(state.request, "cuda") == launch


def test_a_simulation_and_nothing_at_all_are_not_saved() -> None:
    simulated = replace(small_timeline(), kind=Kind.SIMULATED, clock=Clock.MODEL)
    for state in (SessionState(), show_timeline(SessionState(), simulated)):
        assert recording_of(state) == (None, None)


def test_a_trace_without_a_run_is_opened_alone_and_saved_with_its_launch(
    opened: Open, until: Until, tmp_path: Path, save_as: SaveAs
) -> None:
    explorer = opened("window")
    session = explorer.session
    headline = explorer.window.headline
    path = tmp_path / "trace.lnrec"
    saved = tmp_path / "saved.lnrec"
    timeline = small_timeline(n=8)
    launch = resolve(request_of(timeline).changed(seed=3), "interpreter")
    alone = Recording(title="", result=None, timeline=timeline, alone=launch, alone_in=HERE)
    write_recording(path, alone)
    explorer.files.open_recording(path)
    until(lambda: session.state.run.result is None)
    assert session.state.request.seed == 3
    # Nothing of the run that was there before stands above it.
    assert headline.verdict.text() == "A trace without results"
    assert f"M {timeline.m} × N 8" in headline.shape.text()
    save_as(saved)
    explorer.window.actions_["save_recording"].trigger()
    until(lambda: "Saved as" in said(explorer))
    recording = read_recording(saved)
    assert recording.title == "saved"
    assert recording.result is None
    assert recording.launch == launch
