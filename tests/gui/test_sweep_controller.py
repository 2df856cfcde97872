"""The Sweep pane, the desk and the session together."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from pytestqt.qtbot import QtBot

from lnexplorer.domain.history import SweepRow
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.request import PRESETS, SweepRequest
from lnexplorer.engine.sweep import CellFinished, DeviceLost, SweepEnded, SweepPaused, SweepProgress, SweepResumed, SweepStarted
from lnexplorer.gui.history.pane import HistoryPane
from lnexplorer.gui.responsive import IdleSteps
from lnexplorer.gui.shell.session import SessionController
from lnexplorer.gui.shell.state import Remark, SessionState
from lnexplorer.gui.sweep.controller import CHUNK, SweepController
from lnexplorer.gui.sweep.pane import SweepPane
from lnkernels.sentence import verbatim
from tests.gui.sample_sweeps import invented_rows
from tests.gui.test_session import Recorder
from tests.sample_results import make_device

GROUPS = PRESETS[2].sweep


class Desk(QObject):
    """Takes what the pane wants, and remembers it."""

    begun, shown, told, kept, warned = Signal(object, list), Signal(object, list), Signal(list), Signal(list), Signal(str)
    abandoned = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Callable[..., None]:
        if name not in {"run", "go_on", "show", "pause", "resume", "cancel", "list_kept", "set_own_gpu"}:
            raise AttributeError(name)
        return lambda *arguments: self.calls.append((name, *arguments))


class Files:
    def do(self, work: Callable[[], Any], then: Callable[[Any], None]) -> None:
        then(work())


class Parameters:
    def __init__(self) -> None:
        self.request: RunRequest | None = None

    def set_request(self, request: RunRequest) -> None:
        self.request = request


class Explorer(QObject):
    """As much of the window's objects as the link uses."""

    device = "auto"
    sweepsChanged = Signal()  # of the history  # noqa: N815

    def __init__(self, gpus: int) -> None:
        super().__init__()
        self.history = self
        self.runner = Recorder()
        self.session = SessionController(self.runner, replace(SessionState(), device=make_device()), self)
        self.files, self.steps = Files(), IdleSteps(self)
        self.window = self
        self.preferences = self
        self.made: dict[str, object] = {}
        self.brought: list[str] = []
        self.parameters = Parameters()
        self.actions_ = self
        self.groups = {"devices": self}
        self._actions = [QAction(self) for _ in range(gpus + 1)]
        for number, action in enumerate(self._actions):
            action.setData(f"cuda:{number}" if number < gpus else "interpreter")

    def actions(self) -> list[QAction]:
        return self._actions

    def pane(self, name: str) -> object:
        return self.made[name]

    def show_part(self, name: str) -> None:
        self.brought.append(name)


@pytest.fixture
def parts(qtbot: QtBot) -> tuple[Explorer, SweepPane, Desk]:
    return _parts(qtbot, 1)


def _parts(qtbot: QtBot, gpus: int) -> tuple[Explorer, SweepPane, Desk]:
    explorer, pane, desk = Explorer(gpus), SweepPane(), Desk()
    qtbot.addWidget(pane)
    SweepController(explorer, pane, desk, explorer)  # type: ignore[arg-type]
    return explorer, pane, desk


def begin(desk: Desk, sweep: SweepRequest = GROUPS, rows: list[CellResult] | None = None) -> None:
    desk.begun.emit(sweep, rows or [])
    desk.told.emit([SweepStarted(13, len(rows or []))])


def test_a_sweep_runs_on_the_windows_device_which_does_nothing_else_meanwhile(parts: tuple[Explorer, SweepPane, Desk]) -> None:
    explorer, pane, desk = parts
    pane.bar.presetChosen.emit(GROUPS)
    pane.bar.run.click()
    assert ("run", GROUPS, ("cuda:0",)) in desk.calls
    assert ("set_own_gpu", "cuda:0") in desk.calls
    assert explorer.runner.stopped == 1
    explorer.session.run()
    assert explorer.runner.ran == []
    assert isinstance(explorer.session.state.notice, Remark)
    begin(desk)
    desk.told.emit([SweepEnded("finished", None, 2.0, 1.0)])
    explorer.session.run()
    assert len(explorer.runner.ran) == 1
    assert pane.state == "idle"


def test_several_gpus_share_a_sweep_unless_that_is_not_wanted(qtbot: QtBot) -> None:
    _explorer, pane, desk = _parts(qtbot, 3)
    pane.bar.presetChosen.emit(GROUPS)
    pane.bar.run.click()
    assert ("run", GROUPS, ("cuda:0", "cuda:1", "cuda:2")) in desk.calls
    desk.told.emit([SweepEnded("cancelled", None, 2.0, 1.0)])
    pane.form.all_gpus.setChecked(False)
    pane.bar.run.click()
    assert ("run", GROUPS, ("cuda:0",)) in desk.calls


def test_rows_progress_pause_and_end_come_to_the_pane(parts: tuple[Explorer, SweepPane, Desk]) -> None:
    _explorer, pane, desk = parts
    begin(desk)
    assert pane.state == "running"
    rows = invented_rows(GROUPS)
    desk.told.emit([*(CellFinished(row) for row in rows[:4]), SweepProgress(4, 13, 20.0)])
    assert pane.model is not None
    assert len(pane.model.results) == 4
    assert "4 of 13" in pane.bar.said.text()
    desk.told.emit([SweepPaused(verbatim("The disk is full."))])
    assert pane.state == "paused"
    assert pane.bar.said.text() == "The disk is full."
    desk.told.emit([SweepResumed()])
    assert pane.state == "running"
    desk.told.emit([DeviceLost("cuda:0", verbatim("It fell off the bus."))])
    assert "It fell off the bus." in pane.bar.said.text()
    desk.told.emit([SweepEnded("failed", verbatim("It fell off the bus."), 3.0, 1.0)])
    assert pane.state == "idle"
    assert "rows so far are kept" in pane.bar.said.text()


def test_many_rows_of_before_come_in_parts(qtbot: QtBot, parts: tuple[Explorer, SweepPane, Desk]) -> None:
    explorer, pane, desk = parts
    wide = PRESETS[0].sweep
    rows = invented_rows(wide) * 8
    desk.shown.emit(wide, rows)
    assert pane.model is not None
    assert pane.model.results == {}
    assert explorer.steps.waiting == -(-len(rows) // CHUNK)
    qtbot.waitUntil(lambda: len(pane.model.results) == 60)  # type: ignore[union-attr]


def test_a_chosen_setting_goes_to_the_parameters_and_is_asked_for(parts: tuple[Explorer, SweepPane, Desk]) -> None:
    explorer, pane, _desk = parts
    request = RunRequest.of(m=64, n=128, group_size_m=8)
    pane.settingChosen.emit(request)
    assert explorer.parameters.request == request
    assert explorer.session.state.request == request
    pane.baseWanted.emit()
    assert "M = 64" in pane.form.fixed.text()


def test_a_kept_sweep_is_gone_on_with_or_looked_at(parts: tuple[Explorer, SweepPane, Desk]) -> None:
    _explorer, pane, desk = parts
    pane.keptChosen.emit(3, False)
    pane.keptChosen.emit(4, True)
    assert ("show", 3) in desk.calls
    assert ("go_on", 4, ("cuda:0",)) in desk.calls


def test_all_kept_sweeps_are_those_of_the_history(parts: tuple[Explorer, SweepPane, Desk], qtbot: QtBot) -> None:
    explorer, pane, desk = parts
    explorer.made["history"] = history = HistoryPane()
    qtbot.addWidget(history)
    history.set_sweeps([])
    pane.allKeptWanted.emit()
    assert history.bar.kinds.current == "runs", "there is none"
    kept = SweepRow(id=1, date="2026-01-03T03:04:05+00:00", command="--m 4096", total=9, done=9, ended="finished")
    desk.kept.emit([kept])
    with qtbot.waitSignal(history.sweepsWanted):
        pane.allKeptWanted.emit()
    assert history.bar.kinds.current == "sweeps"
    assert explorer.brought == ["history", "history"]


def test_a_kept_sweep_that_cannot_be_read_leaves_everything_as_it_was(parts: tuple[Explorer, SweepPane, Desk]) -> None:
    explorer, pane, desk = parts
    pane.keptChosen.emit(4, True)
    assert pane.state == "running"
    desk.abandoned.emit()
    assert pane.state == "idle"
    explorer.session.run()
    assert len(explorer.runner.ran) == 1
