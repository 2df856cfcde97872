"""What leaves the window, and comes back in another."""

import ast
import csv
import json
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QDialog, QFileDialog, QInputDialog
from pytestqt.qtbot import QtBot

from lnexplorer.gui.charts.chart import Chart
from lnexplorer.gui.window import exports
from lnexplorer.gui.window.application import Explorer
from lnexplorer.gui.window.exports import ChartDialog
from lnexplorer.lecture.handout import handout
from lnexplorer.lecture.web import lecture_page
from lnexplorer.store.resources import resource
from tests.gui.windows import Until, keep_sweeps, said
from tests.sample_experiments import sample
from tests.store.session_examples import small_sweep


@pytest.mark.timeout(170)
def test_runs_and_charts_are_exported_from_the_menu(
    explorer: Explorer, until: Until, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    actions, pane = explorer.window.actions_, explorer.window.pane("history")
    target = tmp_path / "out"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))

    actions["copy_command"].trigger()
    until(lambda: QGuiApplication.clipboard().text().startswith("lnexplorer run --m 4 --n 8"))
    actions["copy_python"].trigger()
    until(lambda: QGuiApplication.clipboard().text().startswith("#!"))
    ast.parse(QGuiApplication.clipboard().text())

    for kind, suffix, begin in (
        ("report", ".html", "<!DOCTYPE html>"),
        ("json", ".json", "{"),
        ("csv", ".csv", "id,note"),
        ("notebook", ".ipynb", "{"),
        ("script", ".py", "#!"),
    ):
        actions[f"export_{kind}"].trigger()
        file = target.with_suffix(suffix)
        until(lambda file=file: f"Saved as {file}" in said(explorer))  # type: ignore[misc]
        assert file.read_text(encoding="utf-8").startswith(begin)
    explorer.window.show_part("history")
    pane.table.selectRow(0)
    target = tmp_path / "again"
    actions["export_json"].trigger()
    file = target.with_suffix(".json")
    until(lambda: f"Saved as {file}" in said(explorer))
    assert json.loads(file.read_text())["runs"][0]["id"] == 1

    explorer.window.show_part("correctness")
    until(lambda: any(chart.isVisible() for chart in explorer.window.findChildren(Chart)))
    monkeypatch.setattr(ChartDialog, "exec", lambda _dialog: QDialog.DialogCode.Accepted)
    actions["chart"].trigger()
    picture = target.with_suffix(".png")
    until(lambda: f"Saved as {picture}" in said(explorer))

    image = QImage(str(picture))
    assert image.size() == QSize(1600, 900)
    assert "interpreted" in image.text("Description")


@pytest.mark.timeout(170)
def test_a_report_takes_the_sweep_and_the_experiments_of_this_window(
    explorer: Explorer, qtbot: QtBot, until: Until, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, file = explorer.window, tmp_path / "report.html"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(file), ""))
    keep_sweeps(explorer, qtbot, small_sweep())
    explorer.controllers["sweep"].open_kept(1, go_on=False)
    pane = window.pane("sweep")
    until(lambda: pane.model is not None and len(pane.model.results) == 9)
    window.pane("experiments").show_result(sample("order", gpu=False))

    window.actions_["export_report"].trigger()
    until(lambda: f"Saved as {file}" in said(explorer))
    page = file.read_text(encoding="utf-8")
    assert "LayerNorm: 1 run, 1 sweep, 1 experiment" in page
    assert "The order of additions" in page

    table = tmp_path / "rows.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(table), ""))
    window.show_workspace("sweep")
    window.actions_["export_csv"].trigger()
    until(lambda: f"Saved as {table}" in said(explorer))
    head, *rows = table.read_text(encoding="utf-8").splitlines()
    assert head.startswith("cell,status,verdict,reason,provider")
    assert len(rows) == 9


@pytest.mark.timeout(170)
def test_a_workspace_exports_the_run_that_it_shows_with_its_figures(
    explorer: Explorer, until: Until, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, session = explorer.window, explorer.session
    kept = window.pane("history")
    explorer.commands.open_file(resource("recordings/h200_default.lnrec"))
    until(
        lambda: session.state.run.result is not None and session.state.run.kind.value == "recorded"
    )
    for workspace in ("run", "compiled", "history"):  # the rows of a sweep are above
        file = tmp_path / f"{workspace}.csv"
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, file=file: (str(file), ""))
        window.show_workspace(workspace)
        if workspace == "history":
            until(lambda: 4096 in [row.m for row in kept.model.rows])
            kept.table.selectRow([row.m for row in kept.model.rows].index(4096))
        window.actions_["export_csv"].trigger()
        until(lambda file=file: f"Saved as {file}" in said(explorer))  # type: ignore[misc]
        (row,) = csv.DictReader(file.read_text(encoding="utf-8").splitlines())
        assert (row["m"], row["n"], row["kind"]) == ("4096", "8192", "recorded")
        for name in ("dw", "db"):
            check = session.state.run.correctness.check(name)  # type: ignore[union-attr]
            assert float(row[f"{name}_max_abs_error"]) == check.kernel_vs_truth.max_abs
    window.show_workspace("run")


@pytest.mark.parametrize(
    ("name", "made"), [("a.html", (lecture_page, 25)), ("a.pdf", (handout, 25, "speaker", "en"))]
)
def test_the_lecture_is_exported_in_the_chosen_length(
    name: str,
    made: tuple[object, ...],
    explorer: Explorer,
    until: Until,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file, asked = tmp_path / name, []
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(file), ""))
    monkeypatch.setattr(QInputDialog, "getItem", lambda *given, **_: (given[3][0], True))
    monkeypatch.setattr(exports, "in_a_process", lambda *given: asked.append(given) or b"a page")
    explorer.window.actions_["handout"].trigger()
    until(lambda: f"Saved as {file}" in said(explorer))
    ((make,),) = asked
    assert (make.func, *make.args) == made
    assert file.read_bytes() == b"a page"
