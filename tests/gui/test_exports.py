"""Files that leave the window, and come back in another."""

import ast
import csv
import json
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QDialog, QInputDialog
from pytestqt.qtbot import QtBot

from lnexplorer.gui.charts.chart import Chart
from lnexplorer.gui.window import exports
from lnexplorer.gui.window.application import Explorer
from lnexplorer.gui.window.exports import ChartDialog
from lnexplorer.lecture.handout import handout
from lnexplorer.lecture.web import lecture_page
from lnexplorer.store.resources import resource
from tests.gui.windows import Open, SaveAs, Until, keep_sweeps, said
from tests.sample_experiments import sample
from tests.store.session_examples import small_sweep


class Saving:
    """Triggers actions of a window that save a file, and waits until it is there."""

    def __init__(self, explorer: Explorer, until: Until, answer: SaveAs) -> None:
        self.actions = explorer.window.actions_
        self.until = until
        self.answer = answer
        self.has_saved = lambda file: f"Saved as {file}" in said(explorer)

    def save(self, action: str, file: Path) -> bytes:
        """Leave the suffix of the file to the program; return what was saved."""
        self.answer(file.with_suffix(""))
        self.actions[action].trigger()
        self.until(lambda: self.has_saved(file))
        return file.read_bytes()


@pytest.fixture
def saving(explorer: Explorer, until: Until, save_as: SaveAs) -> Saving:
    return Saving(explorer, until, save_as)


def test_runs_and_charts_are_exported_from_the_menu(
    saving: Saving,
    explorer: Explorer,
    until: Until,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    window = explorer.window
    window.show_workspace("run")
    clipboard = QGuiApplication.clipboard()
    for action, begin in (("command", "lnexplorer run --m 4 --n 8"), ("python", "#!")):
        window.actions_[f"copy_{action}"].trigger()
        until(lambda begin=begin: clipboard.text().startswith(begin))
    ast.parse(clipboard.text())
    for name, begin in (
        ("report.html", "<!DOCTYPE html>"),
        ("csv.csv", "id,note"),
        ("notebook.ipynb", "{"),
        ("script.py", "#!"),
    ):
        file = tmp_path / name
        assert saving.save(f"export_{file.stem}", file).startswith(begin.encode())
    window.show_part("history")
    window.pane("history").table.selectRow(0)
    document = json.loads(saving.save("export_json", tmp_path / "again.json"))
    assert document["runs"][0]["id"] == 1
    window.show_part("correctness")
    until(lambda: any(chart.isVisible() for chart in window.findChildren(Chart)))
    monkeypatch.setattr(ChartDialog, "exec", lambda _dialog: QDialog.DialogCode.Accepted)
    image = QImage.fromData(saving.save("chart", tmp_path / "chart.png"))
    assert image.size() == QSize(1600, 900)
    assert "interpreted" in image.text("Description")


def test_a_report_takes_the_sweep_and_the_experiments_of_this_window(
    saving: Saving, explorer: Explorer, qtbot: QtBot, until: Until, tmp_path: Path
) -> None:
    window = explorer.window
    pane = explorer.window.pane("sweep")
    keep_sweeps(explorer, qtbot, small_sweep())
    explorer.controllers["sweep"].open_kept(1, go_on=False)
    until(lambda: pane.model is not None and len(pane.model.results) == 9)
    window.pane("experiments").show_result(sample("order", gpu=False))
    page = saving.save("export_report", tmp_path / "report.html").decode()
    assert "LayerNorm: 1 run, 1 sweep, 1 experiment" in page
    assert "The order of additions" in page
    window.show_workspace("sweep")
    table = saving.save("export_csv", tmp_path / "rows.csv").decode()
    head, *rows = table.splitlines()
    assert head.startswith("cell,status,verdict,reason,provider")
    assert len(rows) == 9


def test_a_workspace_exports_the_run_that_it_shows_with_its_figures(
    opened: Open, until: Until, save_as: SaveAs, tmp_path: Path
) -> None:
    explorer = opened("another run is shown")
    saving = Saving(explorer, until, save_as)
    window = explorer.window
    session = explorer.session
    kept = window.pane("history")
    explorer.commands.open_file(resource("recordings/h200_default.lnrec"))
    until(lambda: 4096 in [row.m for row in kept.model.rows])
    for workspace in ("run", "compiled", "history"):  # the rows of a sweep are above
        window.show_workspace(workspace)
        kept.table.selectRow([row.m for row in kept.model.rows].index(4096))
        table = saving.save("export_csv", tmp_path / f"{workspace}.csv").decode()
        (row,) = csv.DictReader(table.splitlines())
        assert row["m"] == "4096"
        assert row["n"] == "8192"
        assert row["kind"] == "recorded"
        for name in ("dw", "db"):
            error = session.state.run.correctness.check(name).kernel_vs_truth.max_abs
            assert float(row[f"{name}_max_abs_error"]) == error


@pytest.mark.parametrize(
    ("name", "made"), [("a.html", (lecture_page, 25)), ("a.pdf", (handout, 25, "speaker", "en"))]
)
def test_the_lecture_is_exported_in_the_chosen_length(
    name: str,
    made: tuple[object, ...],
    saving: Saving,
    save_as: SaveAs,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = tmp_path / name
    asked = []
    monkeypatch.setattr(QInputDialog, "getItem", lambda *given, **_: (given[3][0], True))
    monkeypatch.setattr(exports, "in_a_process", lambda *given: asked.append(given) or b"a page")
    saving.answer = lambda _: save_as(file)
    assert saving.save("handout", file) == b"a page"
    ((make,),) = asked
    assert (make.func, *make.args) == made
