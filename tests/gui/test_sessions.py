"""A session goes from one window to another, with all that is open."""

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from lnexplorer.domain.views import CompiledView, CorrectnessView, TouchView
from lnexplorer.gui.window.application import Explorer
from lnexplorer.store import archive
from lnexplorer.store.session import read_session, write_session
from lnkernels.values.environment import Kind
from tests.gui.windows import Open, Until, keep_sweeps, said
from tests.sample_experiments import sample
from tests.store.examples import small_result, traced_timeline
from tests.store.session_examples import SWEEP, full_session, small_sweep

CODE = CompiledView(kernel="stage2", architecture="sm_80", forms=("llir", "sass"), line=("llir", 9))


def filled(explorer: Explorer, qtbot: QtBot, until: Until) -> None:
    """Give a window a run of a GPU as baseline, a sweep, an experiment, a trace, and something to
    look at.
    """
    window, history = explorer.window, explorer.window.pane("history")
    explorer.history.take([(small_result(), "from the GPU")], 0)
    until(lambda: history.model.baseline is not None)
    keep_sweeps(explorer, qtbot, small_sweep())
    explorer.controllers["sweep"].open_kept(1, go_on=False)
    pane = window.pane("sweep")
    until(lambda: pane.model is not None and len(pane.model.results) == 9)
    pane.picture.bar.choose("share")
    window.pane("experiments").show_result(sample("order"))
    window.pane("experiments").choose("order")
    explorer.session.set_live(False)
    explorer.session.show_past(small_result(), traced_timeline())
    explorer.session.remark("")
    reduction = window.pane("reduction")
    until(lambda: reduction.shown is not None and reduction.shown[0].sums is not None)
    reduction.follow(3)
    reduction.player.seek(120.0)
    window.pane("memory_access").show_view(TouchView(row=2, column=5, kernel="stage2"))
    window.pane("compiled").show_view(CODE)
    window.pane("correctness").show_view(
        CorrectnessView(picture="map", tensor="dx", log=False, columns="db")
    )
    until(lambda: explorer.steps.waiting == 0)
    window.show_workspace("sweep")


@pytest.mark.timeout(170)
def test_everything_that_is_open_goes_from_one_window_to_another(
    opened: Open, qtbot: QtBot, until: Until, tmp_path: Path
) -> None:
    first = opened("first")
    filled(first, qtbot, until)
    path = tmp_path / "talk.lnsession"
    first.commands.exports.sessions.save(path)
    until(lambda: f"Saved as {path} · runs: 2 · sweeps: 1 · experiments:" in said(first))
    assert read_session(path).left_out == ()

    second = opened("second", path)
    look_at_everything(second, until)
    pane = second.window.pane("history")
    until(lambda: pane.model.baseline is not None and pane.model.total == 2)
    assert pane.model.baseline is not None
    assert (pane.model.baseline.kind, pane.model.baseline.note) == (Kind.RECORDED, "from the GPU")
    until(lambda: pane.kept["sweeps"].rowCount() == 1)
    assert second.session.state.jobs.ended == 0  # nothing was run
    until(lambda: "order" in [row.name for row in pane.kept["experiments"].rows])
    kept = pane.kept["experiments"].rowCount()

    # A second time nothing is there twice.
    second.commands.exports.sessions.open(path)
    qtbot.wait(300)
    until(lambda: second.steps.waiting == 0)
    look_at_everything(second, until)
    assert pane.model.total == 2
    assert pane.kept["experiments"].rowCount() == kept
    assert pane.kept["sweeps"].rowCount() == 1

    # What is no session disturbs nothing.
    path.write_text("[]")
    second.commands.exports.sessions.open(path)
    until(lambda: "it is not a session" in said(second))
    second.files.do(lambda: {}["page"], pytest.fail)
    until(lambda: "Something unexpected went wrong: KeyError: 'page'" in said(second))


def look_at_everything(explorer: Explorer, until: Until) -> None:
    window, state = explorer.window, explorer.session.state
    assert state.run.result is not None
    assert state.run.result.provenance.kind is Kind.RECORDED
    assert state.request.m == 8
    reduction, sweep, experiments = (
        window.pane("reduction"),
        window.pane("sweep"),
        window.pane("experiments"),
    )
    until(lambda: reduction.shown is not None and reduction.shown[0].sums is not None)
    assert reduction.shown is not None
    assert reduction.shown[0].kind is Kind.RECORDED
    view = reduction.view()
    assert (view.row, view.lock, view.time_ns) == (3, None, 120.0)
    until(lambda: sweep.model is not None and len(sweep.model.results) == 9)
    until(lambda: explorer.steps.waiting == 0)
    assert sweep.model is not None
    assert sweep.model.sweep == SWEEP
    assert sweep.picture.bar.chosen == "share"
    assert experiments.name == "order"
    assert "order" in {result.request.name for result in experiments.results}
    assert window.pane("memory_access").view() == TouchView(row=2, column=5, kernel="stage2")
    assert window.pane("compiled").view() == CODE
    view = window.pane("correctness").view()
    assert view == CorrectnessView(picture="map", tensor="dx", log=False, columns="db")


def test_what_is_too_much_for_a_session_is_refused(
    explorer: Explorer, until: Until, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "MAX_UNPACKED_BYTES", 1000)
    explorer.commands.exports.sessions.save(tmp_path / "none.lnsession")
    until(lambda: "choose fewer runs or sweeps" in said(explorer))
    assert not (tmp_path / "none.lnsession").exists()


@pytest.mark.timeout(170)
def test_a_session_with_parts_that_cannot_be_shown_opens_and_names_them(
    explorer: Explorer, until: Until, tmp_path: Path
) -> None:
    path = tmp_path / "damaged.lnsession"
    session = full_session()
    wrong = replace(session.runs[0].result, resolved=replace(session.runs[0].result.resolved, m=0))
    write_session(
        path, replace(session, runs=(replace(session.runs[0], result=wrong), session.runs[1]))
    )
    explorer.commands.exports.sessions.open(path)
    until(
        lambda: (
            "Left out is run 1: it is damaged, of another version, or impossible" in said(explorer)
        )
    )
    assert "runs: 1 · sweeps: 1 · experiments: 2" in said(explorer)
    sweep = explorer.window.pane("sweep")
    until(lambda: explorer.steps.waiting == 0)
    assert [str(overlay.title) for overlay in sweep.picture.bar.chosen_overlays] == ["A page"]
    view = sweep.picture.view()
    assert (view.quantity, view.direction) == ("share", "forward")
