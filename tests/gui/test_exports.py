"""What leaves the window, and comes back in another."""

import ast
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog
from pytestqt.qtbot import QtBot

from lnexplorer.domain.provenance import Kind
from lnexplorer.domain.request import RunRequest
from lnexplorer.gui.application import Explorer, Start
from lnexplorer.gui.exports.chart_dialog import ChartDialog
from lnexplorer.gui.options import WindowOptions
from lnexplorer.gui.plots.chart import Chart
from lnexplorer.gui.session.state import Remark
from lnexplorer.storage.history import History
from lnexplorer.storage.paths import Paths
from lnexplorer.storage.settings import Settings
from tests.storage.examples import small_result

LONG_MS = 60_000
LECTURE = RunRequest(m=4, n=8, group_size_m=2)


@pytest.fixture
def opened(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[Callable[..., Explorer]]:
    """Opens a window on a folder of its own, with a finished run."""
    explorers: list[Explorer] = []

    def make(name: str, file: Path | None = None) -> Explorer:
        folder = tmp_path / name
        folder.mkdir()
        options = WindowOptions(request=LECTURE, size=(1280, 720), language="en", recording=file)
        start = Start(
            options=options,
            paths=Paths(folder, folder),
            settings=Settings(),
            warnings=(),
            device="interpreter",
            spawned=None,
            started=0.0,
        )
        explorer = Explorer(qapp, start)
        explorers.append(explorer)
        explorer.open()
        qtbot.waitUntil(explorer.is_complete, timeout=LONG_MS)
        history = explorer.window.history
        assert history is not None
        qtbot.waitUntil(lambda: history.model.total >= 1, timeout=LONG_MS)
        return explorer

    yield make
    for explorer in explorers:
        explorer.window.close()
        explorer.close()
    qapp.setStyleSheet("")


def said(explorer: Explorer) -> str:
    notice = explorer.session.state.notice
    return notice.sentence if isinstance(notice, Remark) else ""


@pytest.mark.timeout(170)
def test_a_session_goes_from_one_window_to_another(opened: Callable[..., Explorer], qtbot: QtBot, tmp_path: Path) -> None:
    first = opened("first")
    history = first.window.history
    assert history is not None
    first.history.take([(small_result(), "from the GPU")], 0)
    qtbot.waitUntil(lambda: history.model.baseline is not None, timeout=LONG_MS)
    first.window.docks.arrange(overview=True, gpu=True)
    path = tmp_path / "talk.lnsession"
    first.commands.exports.sessions.save(path)
    qtbot.waitUntil(lambda: f"Saved as {path}" in said(first), timeout=LONG_MS)

    second = opened("second")
    second.commands.exports.sessions.open(path)
    qtbot.waitUntil(lambda: "2 runs" in said(second), timeout=LONG_MS)
    shown = second.session.state.result
    assert shown is not None
    assert shown.resolved.m == 4
    pane = second.window.history
    assert pane is not None
    qtbot.waitUntil(lambda: pane.model.baseline is not None and pane.model.total == 3, timeout=LONG_MS)
    assert pane.model.baseline is not None
    assert pane.model.baseline.kind is Kind.RECORDED
    assert pane.model.baseline.note == "from the GPU"

    # A second time nothing is there twice.
    second.commands.exports.sessions.open(path)
    qtbot.wait(300)
    assert pane.model.total == 3

    third = opened("third", path)
    assert third.session.state.result is not None
    assert third.session.state.resolved == shown.resolved

    path.write_text("[]")
    second.commands.exports.sessions.open(path)
    qtbot.waitUntil(lambda: "not a session of this program" in said(second), timeout=LONG_MS)


@pytest.mark.timeout(170)
def test_runs_and_charts_are_exported_from_the_menu(
    opened: Callable[..., Explorer], qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    explorer = opened("first")
    menu, pane = explorer.window.menus.export, explorer.window.history
    assert pane is not None
    target = tmp_path / "out"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))

    menu.copies["command"].trigger()
    qtbot.waitUntil(lambda: QGuiApplication.clipboard().text().startswith("lnexplorer run --m 4 --n 8"), timeout=LONG_MS)
    menu.copies["python"].trigger()
    qtbot.waitUntil(lambda: QGuiApplication.clipboard().text().startswith("#!"), timeout=LONG_MS)
    ast.parse(QGuiApplication.clipboard().text())

    for kind, suffix, begin in (
        ("report", ".html", "<!DOCTYPE html>"),
        ("json", ".json", "{"),
        ("csv", ".csv", "id,note"),
        ("notebook", ".ipynb", "{"),
        ("script", ".py", "#!"),
    ):
        menu.files[kind].trigger()
        file = target.with_suffix(suffix)
        qtbot.waitUntil(lambda file=file: f"Saved as {file}" in said(explorer), timeout=LONG_MS)  # type: ignore[misc]
        assert file.read_text(encoding="utf-8").startswith(begin)
    pane.table.selectRow(0)
    menu.files["json"].trigger()
    file = target.with_suffix(".json")
    qtbot.waitUntil(lambda: json.loads(file.read_text())["runs"][0]["id"] == 1, timeout=LONG_MS)

    explorer.window.docks.show_pane("correctness")
    qtbot.waitUntil(lambda: any(chart.isVisible() for chart in explorer.window.findChildren(Chart)), timeout=LONG_MS)
    monkeypatch.setattr(ChartDialog, "exec", lambda _dialog: QDialog.DialogCode.Accepted)
    menu.chart.trigger()
    picture = target.with_suffix(".png")
    qtbot.waitUntil(lambda: f"Saved as {picture}" in said(explorer), timeout=LONG_MS)
    image = QImage(str(picture))
    assert image.size() == QSize(1600, 900)
    assert "interpreted" in image.text("Description")


def test_a_history_that_is_closed_holds_what_a_session_brought(tmp_path: Path) -> None:
    history = History(tmp_path / "history.sqlite3", pytest.fail)
    first = history.take(small_result(), "a note")
    assert history.take(small_result(), "another") == first
    assert history.rows([first])[0].note == "a note"
    history.delete([first])
    assert history.take(small_result(), "") != first
    history.close()
