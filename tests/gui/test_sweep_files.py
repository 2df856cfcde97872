"""The files of the tutorial's curve, from the window."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from lnexplorer.domain.sweep.request import PRESETS, TUTORIAL, is_tutorial
from lnexplorer.domain.sweep.table import row
from lnexplorer.gui.sweep.files import SweepFiles
from lnexplorer.gui.sweep.pane import SweepPane
from lnexplorer.report import files as report_files
from lnexplorer.report.files import TutorialFiles, write_tutorial_files
from tests.gui.sample_sweeps import invented_rows

GROUPS = PRESETS[2].sweep
NAMES = {f"layer-norm-{direction}.{kind}" for direction in ("forward", "backward") for kind in ("csv", "png")}


class Session:
    def __init__(self) -> None:
        self.said: list[str] = []
        self.details: list[str] = []

    def remark(self, words: Callable[[], str], detail: Callable[[], str]) -> None:
        self.said.append(words())
        self.details.append(detail())


class Files:
    def do(self, work: Callable[[], Any], then: Callable[[Any], None]) -> None:
        then(work())


class Parts(QObject):
    """As much of the window's objects as is used."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.window, self.session, self.files, self.folder = None, Session(), Files(), folder


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Path, int]]:
    """Folder and number of rows, instead of files: these have a test of their own."""
    asked: list[tuple[Path, int]] = []

    def note(_write: object, folder: Path, _sweep: object, rows: list[object]) -> TutorialFiles:
        asked.append((folder, len(rows)))
        return TutorialFiles(folder, ("layer-norm-backward.csv", "layer-norm-backward.png"), ("a remark",))

    monkeypatch.setattr(report_files, "in_a_process", note)
    return asked


def parts(qtbot: QtBot, folder: Path) -> tuple[Parts, SweepPane, SweepFiles]:
    made, pane = Parts(folder), SweepPane()
    qtbot.addWidget(pane)
    return made, pane, SweepFiles(made, pane, made)  # type: ignore[arg-type]


def test_a_finished_tutorial_curve_leaves_its_files_and_says_where(
    qtbot: QtBot, tmp_path: Path, written: list[tuple[Path, int]]
) -> None:
    made, pane, files = parts(qtbot, tmp_path)
    pane.show_sweep(TUTORIAL.sweep, invented_rows(TUTORIAL.sweep))
    files.on_end("cancelled")
    assert written == []
    files.on_end("finished")
    ((folder, rows),) = written
    assert folder.parent == tmp_path / "tutorial"
    assert rows == 60
    assert str(folder) in made.session.said[0]
    assert "layer-norm-backward.png" in made.session.said[0]
    assert "Save as the tutorial" in made.session.said[0]
    assert made.session.details == ["a remark"]


def test_other_sweeps_and_those_without_times_leave_none(qtbot: QtBot, tmp_path: Path, written: list[tuple[Path, int]]) -> None:
    _made, pane, files = parts(qtbot, tmp_path)
    pane.show_sweep(GROUPS, invented_rows(GROUPS))
    files.on_end("finished")
    pane.show_sweep(TUTORIAL.sweep, invented_rows(TUTORIAL.sweep, gpu=None))
    files.on_end("finished")
    assert written == []


def test_they_go_where_the_user_says(
    qtbot: QtBot, tmp_path: Path, written: list[tuple[Path, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    _made, pane, _files = parts(qtbot, tmp_path / "data")
    pane.show_sweep(TUTORIAL.sweep, invented_rows(TUTORIAL.sweep)[:4])
    choice = "lnexplorer.gui.sweep.files.QFileDialog.getExistingDirectory"
    monkeypatch.setattr(choice, lambda *_: str(tmp_path))
    pane.filesWanted.emit()
    assert written == [(tmp_path, 4)]


def test_what_is_the_tutorials_curve() -> None:
    assert is_tutorial(TUTORIAL.sweep)
    assert is_tutorial(replace(TUTORIAL.sweep, strategies=("persistent",), effort="quick"))
    assert not is_tutorial(replace(TUTORIAL.sweep, base=replace(TUTORIAL.sweep.base, m=64)))
    assert not is_tutorial(GROUPS)


def test_window_and_command_line_write_the_same(tmp_path: Path) -> None:
    rows = [row(TUTORIAL.sweep, result) for result in invented_rows(TUTORIAL.sweep)]
    apart = report_files.in_a_process(write_tutorial_files, tmp_path / "window", TUTORIAL.sweep, rows)
    here = write_tutorial_files(tmp_path / "command", TUTORIAL.sweep, rows)
    assert apart.complete
    assert here.complete
    assert set(apart.names) == set(here.names) == NAMES
    for name in NAMES:
        data = (tmp_path / "window" / name).read_bytes()
        assert data.startswith(b"N,Triton (GB/s),Torch (GB/s)\n1024.000000," if name.endswith(".csv") else b"\x89PNG")
        assert data == (tmp_path / "command" / name).read_bytes()


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    found = write_tutorial_files(
        tmp_path / "file" / "below", TUTORIAL.sweep, [row(TUTORIAL.sweep, invented_rows(TUTORIAL.sweep)[0])]
    )
    assert not found.complete
    assert "cannot be written" in found.remarks[0]
