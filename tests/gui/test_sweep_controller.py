"""The Sweep pane with what runs sweeps, their files, and the session."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.request import Axis, SweepRequest
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
from lnexplorer.store.recordings import read_recorded_sweep, recorded_sweep, write_recorded_sweep
from lnkernels.values.environment import Kind
from lnkernels.values.sentence import verbatim
from tests.gui.fakes import FakeServices
from tests.gui.sample_sweeps import GROUPS, invented_rows
from tests.gui.windows import SaveAs, Until, heard, off_screen

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


class SweepDesk:
    """A pane whose controller asks nobody for rows."""

    def __init__(self, qtbot: QtBot, gpus: int) -> None:
        self.services = FakeServices(gpus)
        self.sweeps = FakeSweeps()
        self.pane = off_screen(qtbot, SweepPane(), 1100, 700)
        qtbot.addWidget(self.services.window)
        self.session = self.services.session
        self.ran = self.services.supervisor.ran
        self.take = self.sweeps.received.emit
        self.controller = SweepController(self.services, self.pane, self.sweeps, self.services)  # type: ignore[arg-type]

    def run(self) -> tuple[Any, ...]:
        """Click Run; return the sweep, the devices and the cluster that were asked for."""
        self.pane.bar.run.click()
        _, sweep, devices, cluster, *_ = self.sweeps.calls[-1]
        return sweep, devices, cluster

    def begin(self) -> None:
        self.sweeps.begun.emit(GROUPS, [])
        self.take(SweepStarted(13, 0))


@pytest.fixture
def desk(qtbot: QtBot) -> SweepDesk:
    made = SweepDesk(qtbot, 1)
    made.pane.bar.presetChosen.emit(GROUPS)
    return made


def test_a_sweep_runs_on_the_windows_device_which_does_nothing_else_meanwhile(
    desk: SweepDesk,
) -> None:
    session = desk.session
    pane = desk.pane
    ran = desk.ran
    assert desk.run() == (GROUPS, ("cuda:0",), "")
    assert desk.sweeps.own_gpu == "cuda:0"
    assert desk.services.supervisor.stopped == 1
    session.run()
    assert ran == []
    assert desk.services.said
    desk.begin()
    desk.take(SweepEnded("finished", None, 2.0, 1.0))
    session.run()
    assert len(ran) == 1
    assert pane.bar.state == "idle"
    desk.controller.open_kept(4, True)
    desk.sweeps.abandoned.emit()  # it cannot be read
    session.run()
    assert len(ran) == 2
    assert pane.bar.state == "idle"
    request = RunRequest.of(m=64, n=128, group_size_m=8)
    pane.picture.chosen.settingChosen.emit(request)
    assert session.state.request == request
    pane.form.take.click()
    assert "M = 64" in pane.form.fixed.text()


def test_several_gpus_share_a_sweep_unless_that_is_not_wanted(qtbot: QtBot) -> None:
    desk = SweepDesk(qtbot, 3)
    desk.pane.bar.presetChosen.emit(GROUPS)
    assert desk.run() == (GROUPS, ("cuda:0", "cuda:1", "cuda:2"), "")
    desk.take(SweepEnded("cancelled", None, 2.0, 1.0))
    desk.pane.form.all_gpus.setChecked(False)
    assert desk.run() == (GROUPS, ("cuda:0",), "")


def test_rows_progress_pause_and_end_come_to_the_pane(desk: SweepDesk) -> None:
    pane = desk.pane
    lost = verbatim("It fell off the bus.")
    desk.begin()
    for done, row in enumerate(invented_rows(GROUPS)[:4], 1):
        desk.take(CellFinished(row, done, 13, 20.0))
    assert len(pane.model.results) == 4
    assert "4 of 13" in pane.bar.said.text()
    for event, state, told in (
        (SweepPaused(verbatim("The disk is full.")), "paused", "The disk is full."),
        (SweepResumed(), "running", ""),
        (DeviceLost("cuda:0", lost), "running", str(lost)),
        (SweepEnded("failed", lost, 3.0, 1.0), "idle", "rows so far are kept"),
    ):
        desk.take(event)
        assert pane.bar.state == state
        assert told in pane.bar.said.text()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    written = tmp_path / "curve.lnsweep"
    write_recorded_sweep(written, recorded_sweep(CURVE, invented_rows(CURVE), title="A curve"))
    return written


def test_a_recorded_sweep_shows_speeds(desk: SweepDesk, path: Path, until: Until) -> None:
    pane = desk.pane
    services = desk.services
    opened = heard(desk.controller.opened)
    desk.controller.open(path)
    pane.picture.set_interpreted(True)
    until(lambda: services.steps.waiting == 0)
    assert len(opened) == 1
    assert {result.kind for result in pane.model.results.values()} == {Kind.RECORDED}
    assert pane.bar.badge.text() == "recorded"
    assert services.window.brought == ["sweep"]
    assert "NVIDIA H200 · 2025-11-20 · 4 of 4" in pane.bar.said.text()
    assert services.said == f"Recorded sweep: A curve ({path})"
    assert pane.picture.bar.chosen == "gbps", "its times mean something, whatever runs here"
    assert {line.y.size for line in pane.picture.chart.picture.lines} == {2}


def test_a_sweep_of_the_history_waits_for_the_end_of_one_that_runs(desk: SweepDesk) -> None:
    open_kept = desk.controller.open_kept
    pane = desk.pane
    desk.services.history.records[4] = recorded_sweep(CURVE, invented_rows(CURVE))
    open_kept(4, False)
    assert desk.services.window.brought == ["sweep"]
    assert pane.model.sweep == CURVE
    pane.set_state("running")
    open_kept(5, True)
    assert "end it to look at another one" in desk.services.said
    assert desk.sweeps.calls == []
    pane.set_state("idle")
    open_kept(5, True)
    assert desk.sweeps.calls == [("run", 5, ("cuda:0",), "", None, [])]


def test_what_is_on_show_is_saved(
    desk: SweepDesk, path: Path, save_as: SaveAs, until: Until
) -> None:
    pane = desk.pane
    mine = path.with_name("mine.lnsweep")
    assert not pane.save.isEnabled()
    desk.controller.save(mine)
    assert "no row of a sweep to save" in desk.services.said
    desk.controller.open(path)
    until(lambda: desk.services.steps.waiting == 0)
    pane.add_rows([replace(row, kind=Kind.MEASURED) for row in invented_rows(CURVE)[:1]])
    save_as(mine.with_suffix(""))
    pane.save.trigger()
    assert desk.services.said == f"Saved as {mine}"
    saved = read_recorded_sweep(mine)
    assert saved.sweep == CURVE
    assert saved.title == "mine"
    assert len(saved.results) == 4


def test_a_sweep_runs_on_a_cluster_where_one_is_named_and_leaves_the_window_its_gpu(
    desk: SweepDesk,
) -> None:
    pytest.importorskip("distributed", reason="needs Dask: pip install '.[cluster]'")
    form = desk.pane.form
    form.cluster.setText("node1:8786")
    desk.pane.bar.run.click()
    assert not desk.sweeps.calls
    assert "cluster = node1:8786 is not possible. Take tcp://HOST:PORT" in form.error.text()
    form.cluster.setText(" tcp://node1:8786 ")
    assert desk.run() == (GROUPS, ("auto",), "tcp://node1:8786")
    assert desk.sweeps.own_gpu is None
    assert desk.services.supervisor.stopped == 0
    desk.session.run()
    assert len(desk.ran) == 1
