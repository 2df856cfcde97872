"""The Sweep pane with what runs sweeps, their files, and the session."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.request import PRESETS, Axis, SweepRequest
from lnexplorer.engine.sweep_events import (
    CellFinished,
    DeviceLost,
    SweepEnded,
    SweepPaused,
    SweepResumed,
    SweepStarted,
)
from lnexplorer.gui.panes.sweep.controller import SweepController
from lnexplorer.gui.panes.sweep.pane import SweepPane
from lnexplorer.gui.session.state import Remark
from lnexplorer.store.recordings import read_recorded_sweep, recorded_sweep, write_recorded_sweep
from lnkernels.values.environment import Kind
from lnkernels.values.sentence import verbatim
from tests.gui.fakes import FakeServices
from tests.gui.sample_sweeps import invented_rows

GROUPS = PRESETS[2].sweep
CURVE = SweepRequest(
    base=RunRequest(m=4096), axes=(Axis(name="n", values=(1024, 2048)),), providers=("torch",)
)


class FakeSweeps(QObject):
    """Takes what the pane wants, and remembers it."""

    begun = Signal(object, list)
    received = Signal(object)
    abandoned = Signal()
    busy = False
    own_gpu: str | None = ""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Callable[..., None]:
        if name not in {"run", "pause", "resume", "cancel"}:
            raise AttributeError(name)
        return lambda *arguments: self.calls.append((name, *arguments))


Parts = tuple[FakeServices, SweepPane, FakeSweeps, SweepController]


@pytest.fixture
def parts(qtbot: QtBot) -> Parts:
    return make_parts(qtbot)


def make_parts(qtbot: QtBot, gpus: int = 1) -> Parts:
    services, pane, sweeps = FakeServices(gpus), SweepPane(), FakeSweeps()
    qtbot.addWidget(services.window)
    qtbot.addWidget(pane)
    return services, pane, sweeps, SweepController(services, pane, sweeps, services)  # type: ignore[arg-type]


def begin(
    sweeps: FakeSweeps, sweep: SweepRequest = GROUPS, rows: list[CellResult] | None = None
) -> None:
    sweeps.begun.emit(sweep, rows or [])
    sweeps.received.emit(SweepStarted(13, len(rows or [])))


def test_a_sweep_runs_on_the_windows_device_which_does_nothing_else_meanwhile(parts: Parts) -> None:
    services, pane, sweeps, files = parts
    pane.bar.presetChosen.emit(GROUPS)
    pane.bar.run.click()
    assert ("run", GROUPS, ("cuda:0",), "", None, []) in sweeps.calls
    assert sweeps.own_gpu == "cuda:0"
    assert services.supervisor.stopped == 1
    services.session.run()
    assert services.supervisor.ran == []
    assert isinstance(services.session.state.notice, Remark)
    begin(sweeps)
    sweeps.received.emit(SweepEnded("finished", None, 2.0, 1.0))
    services.session.run()
    assert len(services.supervisor.ran) == 1
    assert pane.bar.state == "idle"
    files.open_kept(4, True)
    sweeps.abandoned.emit()  # it cannot be read
    assert pane.bar.state == "idle"
    services.session.run()
    assert len(services.supervisor.ran) == 2
    request = RunRequest.of(m=64, n=128, group_size_m=8)
    pane.picture.chosen.settingChosen.emit(request)
    assert services.session.state.request == request
    pane.form.take.click()
    assert "M = 64" in pane.form.fixed.text()


def test_several_gpus_share_a_sweep_unless_that_is_not_wanted(qtbot: QtBot) -> None:
    _, pane, sweeps, _ = make_parts(qtbot, 3)
    pane.bar.presetChosen.emit(GROUPS)
    pane.bar.run.click()
    assert ("run", GROUPS, ("cuda:0", "cuda:1", "cuda:2"), "", None, []) in sweeps.calls
    sweeps.received.emit(SweepEnded("cancelled", None, 2.0, 1.0))
    pane.form.all_gpus.setChecked(False)
    pane.bar.run.click()
    assert ("run", GROUPS, ("cuda:0",), "", None, []) in sweeps.calls


def test_rows_progress_pause_and_end_come_to_the_pane(parts: Parts) -> None:
    _, pane, sweeps, _ = parts
    begin(sweeps)
    assert pane.bar.state == "running"
    rows = invented_rows(GROUPS)
    for event in (CellFinished(row, done, 13, 20.0) for done, row in enumerate(rows[:4], 1)):
        sweeps.received.emit(event)
    assert pane.model is not None
    assert len(pane.model.results) == 4
    assert "4 of 13" in pane.bar.said.text()
    sweeps.received.emit(SweepPaused(verbatim("The disk is full.")))
    assert pane.bar.state == "paused"
    assert pane.bar.said.text() == "The disk is full."
    sweeps.received.emit(SweepResumed())
    assert pane.bar.state == "running"
    sweeps.received.emit(DeviceLost("cuda:0", verbatim("It fell off the bus.")))
    assert "It fell off the bus." in pane.bar.said.text()
    sweeps.received.emit(SweepEnded("failed", verbatim("It fell off the bus."), 3.0, 1.0))
    assert pane.bar.state == "idle"
    assert "rows so far are kept" in pane.bar.said.text()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    written = tmp_path / "curve.lnsweep"
    write_recorded_sweep(written, recorded_sweep(CURVE, invented_rows(CURVE), title="A curve"))
    return written


def test_a_recorded_sweep_shows_speeds(parts: Parts, path: Path, qtbot: QtBot) -> None:
    services, pane, _sweeps, files = parts
    with qtbot.waitSignal(files.opened):
        files.open(path)
    pane.picture.set_interpreted(True)
    qtbot.waitUntil(lambda: services.steps.waiting == 0)
    assert pane.model is not None
    assert {result.kind for result in pane.model.results.values()} == {Kind.RECORDED}
    assert (pane.bar.badge.text(), services.window.brought) == ("recorded", ["sweep"])
    assert "NVIDIA H200 · 2025-11-20 · 4 of 4" in pane.bar.said.text()
    assert services.said == f"Recorded sweep: A curve ({path})"
    assert pane.picture.bar.chosen == "gbps", "its times mean something, whatever runs here"
    assert pane.picture.chart.picture is not None
    assert all(line.y.size == 2 for line in pane.picture.chart.picture.lines)


def test_a_sweep_of_the_history_waits_for_the_end_of_one_that_runs(parts: Parts) -> None:
    services, pane, sweeps, files = parts
    services.history.records[4] = recorded_sweep(CURVE, invented_rows(CURVE))
    files.open_kept(4, False)
    assert services.window.brought == ["sweep"]
    assert pane.model is not None
    assert pane.model.sweep == CURVE
    pane.set_state("running")
    files.open_kept(5, True)
    assert "end it to look at another one" in services.said
    assert sweeps.calls == []
    pane.set_state("idle")
    files.open_kept(5, True)
    assert ("run", 5, ("cuda:0",), "", None, []) in sweeps.calls


def test_what_is_on_show_is_saved(
    parts: Parts, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    services, pane, _sweeps, files = parts
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "mine"), ""))
    assert pane.bar.kept.isVisibleTo(pane)
    assert not pane.save.isEnabled()
    files.save(tmp_path / "none.lnsweep")
    assert "no row of a sweep to save" in services.said
    files.open(path)
    qtbot.waitUntil(lambda: services.steps.waiting == 0)
    assert pane.save.isEnabled()
    pane.add_rows([replace(row, kind=Kind.MEASURED) for row in invented_rows(CURVE)[:1]])
    pane.save.trigger()
    assert services.said == f"Saved as {tmp_path / 'mine.lnsweep'}"
    saved = read_recorded_sweep(tmp_path / "mine.lnsweep")
    assert (saved.sweep, saved.title, len(saved.results)) == (CURVE, "mine", 4)


def test_a_sweep_runs_on_a_cluster_where_one_is_named_and_leaves_the_window_its_gpu(
    parts: Parts,
) -> None:
    pytest.importorskip("distributed", reason="needs Dask: pip install '.[cluster]'")
    services, pane, sweeps, _ = parts
    pane.bar.presetChosen.emit(GROUPS)
    pane.form.cluster.setText("node1:8786")
    pane.bar.run.click()
    assert not sweeps.calls
    assert "cluster = node1:8786 is not possible. Take tcp://HOST:PORT" in pane.form.error.text()
    pane.form.cluster.setText(" tcp://node1:8786 ")
    pane.bar.run.click()
    assert ("run", GROUPS, ("auto",), "tcp://node1:8786", None, []) in sweeps.calls
    assert sweeps.own_gpu is None
    assert services.supervisor.stopped == 0
    services.session.run()
    assert len(services.supervisor.ran) == 1
