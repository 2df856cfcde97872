"""The pane of one's own kernel: what it shows of versions, and a file that is saved again and again."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from lnexplorer.domain.kernel_versions import KernelVersion, version_of_run
from lnexplorer.domain.request import RunRequest
from lnexplorer.gui.charts.theme import DARK
from lnexplorer.gui.own_kernels.pane import OwnKernelsPane
from lnexplorer.store.kernels import new_kernel_text
from lnkernels.launch.source import KernelSource, find_source
from lnkernels.sentence import verbatim
from tests.gui.windows import LONG_MS, windows
from tests.sample_results import make_result

SOURCE = KernelSource(name="locked", place="/somewhere/mine.py", sha256="0" * 64)


@pytest.fixture
def pane(qtbot: QtBot) -> OwnKernelsPane:
    made = OwnKernelsPane()
    qtbot.addWidget(made)
    made.apply_theme(DARK)
    made.resize(1000, 600)
    return made


def timed(version: int, wobble: float = 1.0) -> KernelVersion:
    return replace(version_of_run(SOURCE, make_result(wobble=wobble)), version=version)


def test_versions_stand_newest_first_each_beside_the_one_before(pane: OwnKernelsPane, qtbot: QtBot) -> None:
    wrong = replace(timed(2), figures=(), refused=verbatim("dw is wrong in <b>3</b> elements"))
    pane.show_source(SOURCE)
    pane.show_versions([timed(1), wrong, timed(3, 1.25)])
    table = pane.versions
    assert [table.item(row, 0).text() for row in range(3)] == ["3", "2", "1"]
    assert "dw is wrong in <b>3</b> elements" in table.item(1, 3).text()
    assert "version 3" in pane.verdict.text()
    assert "within tolerance" in pane.verdict.text()
    pane.show_versions([timed(1), timed(2, 1.25)])
    assert "% faster than 1" in table.item(0, 3).text()
    with qtbot.waitSignal(pane.versionChosen) as chosen:
        table.selectRow(1)
    assert chosen.args == [1]
    pane.show_problem(verbatim("mine.py, line 3: invalid syntax"), 3)
    assert "line 3" in pane.verdict.text()
    assert table.rowCount() == 2, "what was found before stays on show"


def test_a_session_asks_before_it_runs_a_kernel(pane: OwnKernelsPane, qtbot: QtBot) -> None:
    pane.show_source(SOURCE)
    view = pane.view()
    assert view is not None
    pane.offer(view)
    assert SOURCE.place in pane.notice.body.text()
    assert SOURCE.sha256 in pane.notice.body.text()
    assert pane.view() is None
    with qtbot.waitSignal(pane.offerTaken) as taken, qtbot.assertNotEmitted(pane.openWanted):
        pane.notice.button.click()
    assert taken.args == [view]


def test_each_text_that_is_saved_becomes_a_version_with_what_was_found_of_it(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "mine.py"
    text = new_kernel_text(path)
    path.write_text(text)
    with windows(qapp, qtbot, tmp_path) as open_window:
        explorer = open_window("home")
        controller, pane = explorer.controller("own_kernels"), explorer.window.pane("own_kernels")
        controller.watch(path)
        qtbot.waitUntil(lambda: pane.versions.rowCount() == 1, timeout=LONG_MS)
        assert "version 1: all results are within tolerance" in pane.verdict.text()
        assert explorer.window.workspace == "own_kernels"
        path.write_text(text.replace("dw += dy * normal", "dw += dy"))
        qtbot.waitUntil(lambda: pane.versions.rowCount() == 2, timeout=LONG_MS)
        assert "dw is wrong in" in pane.verdict.text()
        path.write_text(text.replace("def forward(", "def forward(("))
        line = text[: text.index("def forward(")].count("\n") + 1
        qtbot.waitUntil(lambda: f"line {line}" in pane.verdict.text(), timeout=LONG_MS)
        path.write_text(text.replace("    y = torch.empty_like(x)", "    import os; os._exit(7)"))
        qtbot.waitUntil(lambda: "The worker" in pane.verdict.text(), timeout=LONG_MS)
        path.write_text(text + "# more\n")
        qtbot.waitUntil(lambda: pane.versions.rowCount() == 3, timeout=LONG_MS)
        qtbot.waitUntil(lambda: "# more" in pane.text.toPlainText(), timeout=LONG_MS)
        pane.code.click()
        compiled = explorer.window.pane("compiled")
        qtbot.waitUntil(lambda: compiled.compiled is not None and compiled.compiled.request.source is not None, timeout=LONG_MS)
        assert [kernel.function for kernel in compiled.compiled.kernels] == ["normalize_row", "differentiate_rows"]
        assert str(path) in explorer.window.headings["compiled"].line.text()
        assert explorer.window.pane("history").model.total == 1, "it costs no run of the window"
        view = pane.view()
        assert view is not None
        pane.offer(view)
        path.write_text("raise SystemExit(1)  # somebody else's code\n")
        pane.notice.button.click()
        qtbot.waitUntil(lambda: "has changed since" in pane.notice.body.text(), timeout=LONG_MS)
        assert pane.versions.rowCount() == 3, "nothing was run"
    assert find_source(str(path)).name == "mine"


def test_a_version_is_looked_at_from_all_sides(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(new_kernel_text(path))
    with windows(qapp, qtbot, tmp_path) as open_window:
        explorer = open_window("home")
        explorer.session.set_request(RunRequest(m=4, n=8))
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path))])
        action, buttons, keys = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        explorer.window.dropEvent(QDropEvent(QPoint(5, 5), action, data, buttons, keys))
        pane = explorer.window.pane("own_kernels")
        qtbot.waitUntil(lambda: pane.versions.rowCount() == 1 and not pane.busy, timeout=LONG_MS)
        pane.views.button("errors").click()
        assert pane.errors is not None
        assert pane.errors.table.rowCount() == 4
        pane.errors.inspectRequested.emit("dx", 0, 4, 0, 8)
        qtbot.waitUntil(lambda: not pane.busy, timeout=LONG_MS)
        pane.hard.click()
        qtbot.waitUntil(lambda: "M = 5" in pane.hard_inputs.text(), timeout=LONG_MS)
        qtbot.waitUntil(lambda: not pane.busy, timeout=LONG_MS)
        assert pane.hard_inputs.text().startswith("right: data tutorial, data normal, ")
        pane.settings["num_warps"].setCurrentIndex(1)
        pane.settings["num_warps"].activated.emit(1)
        qtbot.waitUntil(lambda: "mine.num_warps=8, version 1" in pane.verdict.text(), timeout=LONG_MS)
        pane.phases.click()
        qtbot.waitUntil(lambda: explorer.window.workspace == "run", timeout=LONG_MS)
        timeline = explorer.session.state.timeline
        assert (timeline.source, timeline.phases) == ("mine.num_warps=8", ("rows", "sums", "end"))
        qtbot.waitUntil(lambda: "mine" in explorer.window.pane("reduction").caption.text(), timeout=LONG_MS)
