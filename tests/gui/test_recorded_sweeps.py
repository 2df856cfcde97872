"""Recorded sweeps come into the Sweep pane, and leave it as files."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.request import Axis, SweepRequest
from lnexplorer.gui.responsive import IdleSteps
from lnexplorer.gui.sweep.files import RecordedSweeps
from lnexplorer.gui.sweep.pane import SweepPane
from lnexplorer.store.recorded_sweep import read_recorded_sweep, recorded_sweep, write_recorded_sweep
from lnkernels.values.environment import Kind
from tests.gui.sample_sweeps import invented_rows

CURVE = SweepRequest(base=RunRequest(m=4096), axes=(Axis(name="n", values=(1024, 2048)),), providers=("torch",))


class Files:
    """Does at once what it is asked, and keeps what goes wrong."""

    def __init__(self) -> None:
        self.warned: list[str] = []

    def note(self, path: Path) -> None:
        self.noted = path

    def do(self, work: Callable[[], Any], then: Callable[[Any], None]) -> None:
        try:
            value = work()
        except ValueError as error:
            self.warned.append(str(error))
        else:
            then(value)


class Window(QWidget):
    """The window's own part in this: its pane, and which pane is in front."""

    front = ""

    def show_part(self, name: str) -> None:
        self.front = name


class Desk:
    """Shows sweeps, if none runs."""

    busy = False

    def __init__(self, pane: SweepPane) -> None:
        self._pane = pane

    def look_at(self, sweep: SweepRequest, results: list[CellResult]) -> None:
        self._pane.show_sweep(sweep, results)


class Explorer(QObject):
    """As much of the window's objects as is used."""

    def __init__(self) -> None:
        super().__init__()
        self.files, self.window, self.steps = Files(), Window(), IdleSteps(self)
        self.session = self
        self.pane = SweepPane(parent=self.window)
        self.sweeps = Desk(self.pane)
        self.said: list[str] = []

    def remark(self, words: Callable[[], str]) -> None:
        self.said.append(words())

    def recorded(self) -> RecordedSweeps:
        return RecordedSweeps(self, self.pane, self.sweeps, self)  # type: ignore[arg-type]


@pytest.fixture
def explorer(qtbot: QtBot) -> Explorer:
    made = Explorer()
    qtbot.addWidget(made.window)
    return made


@pytest.fixture
def path(tmp_path: Path) -> Path:
    written = tmp_path / "curve.lnsweep"
    write_recorded_sweep(written, recorded_sweep(CURVE, invented_rows(CURVE), title="A curve"))
    return written


def test_a_recorded_sweep_shows_speeds(explorer: Explorer, path: Path, qtbot: QtBot) -> None:
    files, pane = explorer.recorded(), explorer.pane
    with qtbot.waitSignal(files.opened):
        files.open(path)
    pane.set_interpreted(True)
    qtbot.waitUntil(lambda: not explorer.steps.waiting)
    assert pane.model is not None
    assert {result.kind for result in pane.model.results.values()} == {Kind.RECORDED}
    assert (pane.bar.badge.text(), explorer.window.front) == ("recorded", "sweep")
    assert "NVIDIA H200 · 2025-11-20 · 4 of 4" in pane.bar.said.text()
    assert explorer.said == [f"Recorded sweep: A curve ({path})"]
    assert pane.picture.bar.chosen == "gbps", "its times mean something, whatever runs here"
    assert pane.picture.chart.picture is not None
    assert all(line.y.size == 2 for line in pane.picture.chart.picture.lines)


def test_rows_of_the_interpreter_show_their_errors(explorer: Explorer, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "errors.lnsweep"
    write_recorded_sweep(path, recorded_sweep(CURVE, invented_rows(CURVE, gpu=None)))
    files = explorer.recorded()
    pane = explorer.pane
    pane.set_interpreted(True)
    files.open(path)
    qtbot.waitUntil(lambda: not explorer.steps.waiting)
    assert (pane.bar.badge.text(), pane.picture.bar.chosen) == ("interpreted", "error")


def test_a_sweep_of_the_history_waits_for_the_end_of_one_that_runs(explorer: Explorer) -> None:
    files, pane = explorer.recorded(), explorer.pane
    chosen: list[tuple[int, bool]] = []
    pane.keptChosen.connect(lambda number, on: chosen.append((number, on)))
    files.open_kept(4, False)
    assert (chosen, explorer.window.front) == ([(4, False)], "sweep")
    pane.set_state("running")
    files.open_kept(5, True)
    assert "end it to look at another one" in explorer.said[0]
    assert chosen == [(4, False)]


def test_a_sweep_that_runs_is_not_put_away(explorer: Explorer, path: Path) -> None:
    files = explorer.recorded()
    pane = explorer.pane
    pane.show_sweep(CURVE)
    pane.set_state("running")
    files.open(path)
    assert "end it to look at a recorded one" in explorer.said[0]
    assert pane.model is not None
    assert pane.model.results == {}


def test_one_that_is_damaged_leaves_everything_as_it_was(explorer: Explorer, path: Path) -> None:
    path.write_bytes(path.read_bytes()[:200])
    files = explorer.recorded()
    pane = explorer.pane
    files.open(path)
    assert "curve.lnsweep cannot be opened" in explorer.files.warned[0]
    assert pane.model is None


def test_the_menu_opens_and_saves(explorer: Explorer, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = explorer.recorded()
    pane = explorer.pane
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "mine"), ""))

    def entry(text: str) -> Any:
        return next(action for action in pane.bar.kept.menu().actions() if text in action.text())

    assert pane.bar.kept.isVisibleTo(pane)
    assert not entry("Save").isEnabled()
    files.save(tmp_path / "none.lnsweep")
    assert "no row of a sweep to save" in explorer.said[-1]
    entry("Open").trigger()
    assert entry("Save").isEnabled()
    pane.add_rows([replace(row, kind=Kind.MEASURED) for row in invented_rows(CURVE)[:1]])
    entry("Save").trigger()
    assert explorer.said[-1] == f"Saved as {tmp_path / 'mine.lnsweep'}"
    saved = read_recorded_sweep(tmp_path / "mine.lnsweep")
    assert (saved.sweep, saved.title, len(saved.results)) == (CURVE, "mine", 4)
