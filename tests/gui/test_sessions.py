"""A session goes from one window to another, with all that is open; a window that is opened again
shows what was open when it was closed.
"""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from lnexplorer.domain.views import CompiledView, CorrectnessView, TouchView
from lnexplorer.gui.window.application import Explorer
from lnexplorer.gui.window.last_session import LastSession
from lnexplorer.gui.window.start import WindowOptions
from lnexplorer.lecture.controller import LectureView
from lnexplorer.store import archive
from lnexplorer.store.paths import Paths
from lnexplorer.store.resources import resource
from lnexplorer.store.session import Session, read_session, write_session
from lnexplorer.store.settings import load_settings
from lnkernels.values.environment import Kind
from tests.gui.windows import LECTURE, Open, Until, keep_sweeps, said
from tests.sample_experiments import sample
from tests.store.examples import small_result, traced_timeline
from tests.store.session_examples import SWEEP, full_session, small_sweep

CODE = CompiledView(kernel="stage2", architecture="sm_80", forms=("llir", "sass"), line=("llir", 9))
VIEWS = {
    "memory_access": TouchView(row=2, column=5, kernel="stage2"),
    "compiled": CODE,
    "correctness": CorrectnessView(picture="map", tensor="dx", log=False, columns="db"),
}
TALK = LectureView(place=7, length=25)


def wait_for_panes(explorer: Explorer, until: Until) -> None:
    """Wait for the sweep, the trace with its sums, and all that comes in steps."""
    reduction = explorer.window.pane("reduction")
    sweep = explorer.window.pane("sweep")
    until(lambda: reduction.shown is not None and reduction.shown[0].sums is not None)
    until(lambda: sweep.model is not None and len(sweep.model.results) == 9)
    until(lambda: explorer.steps.waiting == 0)


def fill(explorer: Explorer, qtbot: QtBot, until: Until) -> None:
    """Give a window a run of a GPU as baseline, a sweep, an experiment, a trace, and something to
    look at.
    """
    window = explorer.window
    history = window.pane("history")
    explorer.history.take([(small_result(), "from the GPU")], 0)
    until(lambda: history.model.baseline is not None)
    keep_sweeps(explorer, qtbot, small_sweep())
    explorer.controllers["sweep"].open_kept(1, go_on=False)
    window.pane("experiments").show_result(sample("order"))
    window.pane("experiments").choose("order")
    explorer.session.set_live(False)
    explorer.session.show_past(small_result(), traced_timeline())
    explorer.session.remark("")
    wait_for_panes(explorer, until)
    window.pane("sweep").picture.bar.choose("share")
    window.pane("reduction").follow(3)
    window.pane("reduction").player.seek(120.0)
    for name, view in VIEWS.items():
        window.pane(name).show_view(view)
    explorer.commands.lecture.show_view(TALK)
    until(lambda: explorer.steps.waiting == 0)
    window.show_workspace("sweep")


def look_at_everything(explorer: Explorer, until: Until) -> None:
    window = explorer.window
    state = explorer.session.state
    assert state.run.result.provenance.kind is Kind.RECORDED
    assert state.request.m == 8
    wait_for_panes(explorer, until)
    reduction = window.pane("reduction")
    assert reduction.shown[0].kind is Kind.RECORDED
    view = reduction.view()
    assert (view.row, view.lock, view.time_ns) == (3, None, 120.0)
    sweep = window.pane("sweep")
    assert sweep.model.sweep == SWEEP
    assert sweep.picture.bar.chosen == "share"
    experiments = window.pane("experiments")
    assert experiments.name == "order"
    assert "order" in {result.request.name for result in experiments.results}
    assert {name: window.pane(name).view() for name in VIEWS} == VIEWS
    assert state.jobs.ended == 0, "nothing was run"


def test_everything_that_is_open_goes_from_one_window_to_another(
    opened: Open, qtbot: QtBot, until: Until, tmp_path: Path
) -> None:
    first = opened("first")
    fill(first, qtbot, until)
    path = tmp_path / "talk.lnsession"
    first.commands.exports.sessions.save(path)
    until(lambda: f"Saved as {path} · runs: 2 · sweeps: 1 · experiments:" in said(first))
    assert read_session(path).left_out == ()

    second = opened("second", path)
    pane = second.window.pane("history")
    experiments = pane.kept["experiments"]

    def counts() -> list[int]:
        return [pane.model.total, pane.kept["sweeps"].rowCount(), experiments.rowCount()]

    look_at_everything(second, until)
    until(lambda: pane.model.baseline is not None and counts()[:2] == [2, 1])
    assert pane.model.baseline.kind is Kind.RECORDED
    assert pane.model.baseline.note == "from the GPU"
    until(lambda: "order" in [row.name for row in experiments.rows])
    before = counts()

    # A second time nothing is there twice.
    second.commands.exports.sessions.open(path)
    qtbot.wait(300)
    look_at_everything(second, until)
    assert counts() == before

    # What is no session disturbs nothing.
    path.write_text("[]")
    second.commands.exports.sessions.open(path)
    until(lambda: "it is not a session" in said(second))
    second.files.do(lambda: {}["page"], pytest.fail)
    until(lambda: "Something unexpected went wrong: KeyError: 'page'" in said(second))


def test_what_is_too_much_for_a_session_is_refused(
    explorer: Explorer, until: Until, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "none.lnsession"
    monkeypatch.setattr(archive, "MAX_UNPACKED_BYTES", 1000)
    explorer.commands.exports.sessions.save(path)
    until(lambda: "choose fewer runs or sweeps" in said(explorer))
    assert not path.exists()


def test_a_session_with_parts_that_cannot_be_shown_opens_and_names_them(
    explorer: Explorer, until: Until, tmp_path: Path
) -> None:
    path = tmp_path / "damaged.lnsession"
    session = full_session()
    first, second = session.runs
    wrong = replace(first.result, resolved=replace(first.result.resolved, m=0))
    write_session(path, replace(session, runs=(replace(first, result=wrong), second)))
    explorer.commands.exports.sessions.open(path)
    told = "Left out is run 1: it is damaged, of another version, or impossible"
    until(lambda: told in said(explorer))
    assert "runs: 1 · sweeps: 1 · experiments: 2" in said(explorer)
    picture = explorer.window.pane("sweep").picture
    until(lambda: explorer.steps.waiting == 0)
    assert [str(overlay.title) for overlay in picture.bar.chosen_overlays] == ["A page"]
    assert picture.view().quantity == "share"
    assert picture.view().direction == "forward"


def test_a_window_comes_back_as_it_was_left_and_runs_nothing(
    opened: Open, qtbot: QtBot, until: Until, tmp_path: Path
) -> None:
    def end(explorer: Explorer) -> None:
        explorer.window.close()
        explorer.close()

    first = opened("home")
    fill(first, qtbot, until)
    changed = first.session.state.request.changed(n=640)
    first.session.set_request(changed)
    end(first)

    second = opened("home", options=WindowOptions(language="en"))
    until(lambda: second.session.state.run.result is not None)
    look_at_everything(second, until)
    assert second.session.state.request == changed
    assert second.commands.lecture.view() == TALK
    assert not said(second)
    assert [path.name for path in (tmp_path / "home").glob("last*")] == ["last.lnsession"]
    end(second)

    # A window for a picture, or for a file, restores nothing.
    picture = WindowOptions(language="en", screenshot=tmp_path / "picture.png")
    recording = resource("recordings/h200_4096x1024_g16.lnrec")
    for options in (picture, WindowOptions(language="en", recording=recording)):
        other = opened("home", options=options)
        assert "last session" not in other.steps._steps
        other.close()


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths(tmp_path, tmp_path)


@pytest.mark.parametrize("fault", ["marker", "damage"])
def test_a_session_that_ended_the_window_or_is_damaged_is_put_aside_and_said_so(
    fault: str, explorer: Explorer, until: Until, paths: Paths
) -> None:
    path = paths.last_session
    last = LastSession(explorer, paths)
    if fault == "marker":
        write_session(path, Session(request=LECTURE))
        gone = subprocess.Popen([sys.executable, "-c", ""])
        gone.wait()
        path.with_name(f"{path.name}.opening").write_text(f"{gone.pid}\nlnexplorer\n")
    else:
        path.write_bytes(b"[]")
    content = path.read_bytes()
    last.restore()
    until(lambda: "What was left open is not shown: " in said(explorer))
    (aside,) = path.parent.glob("last.lnsession.*")
    assert str(aside) in said(explorer)
    assert aside.read_bytes() == content
    explorer.session.dismiss()


def test_a_second_window_that_opens_the_same_session_meanwhile_does_not_put_it_aside(
    explorer: Explorer, paths: Paths
) -> None:
    write_session(paths.last_session, Session(request=LECTURE))
    for window in [LastSession(explorer, paths) for _ in range(2)]:
        assert window._read().request == LECTURE


def test_what_is_changed_is_kept_while_the_window_is_open(
    opened: Open, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    explorer = opened("home")
    last = explorer._last_session
    path = last._paths.last_session
    last._timer.setInterval(20)
    changed = explorer.session.state.request.changed(n=320)
    explorer.session.set_live(False)
    explorer.session.set_request(changed)
    until(lambda: path.exists() and read_session(path).request == changed)
    explorer.preferences.use_theme("light")
    until(lambda: load_settings(last._paths.settings)[0].theme == "light")
    explorer.window.show_workspace("history")
    until(lambda: '"workspace": "history"' in read_session(path).layout)
    written: list[object] = []
    monkeypatch.setattr(
        "lnexplorer.gui.window.sessions.write_session", lambda *of: written.append(of)
    )
    last.keep()
    last.keep()
    explorer.files._pool.submit(lambda: None).result()
    assert len(written) <= 1, "nothing was changed in between"
