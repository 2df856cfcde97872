"""The pane of one's own kernel: what it shows of versions, and a file that is saved again and
again.
"""

import os
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from lnexplorer.domain.kernel_versions import KernelVersion, hard_sentence, version_of_run
from lnexplorer.domain.request import RunRequest
from lnexplorer.gui.kit.theme import DARK, apply_theme
from lnexplorer.gui.kit.widgets import TEXT_WIDTH
from lnexplorer.gui.panes.own_kernels.pane import OwnKernelsPane
from lnexplorer.gui.window.application import Explorer
from lnexplorer.gui.window.main_window import MainWindow
from lnexplorer.store.kernels import new_kernel_text
from lnkernels.launch.source import KernelSource
from lnkernels.values.environment import Kind
from lnkernels.values.sentence import verbatim
from tests.engine.loopback import write_program
from tests.gui.windows import Open, Until
from tests.sample_results import make_result

Wait = Callable[[Callable[[], bool]], None]
SOURCE = KernelSource(name="locked", place="/somewhere/mine.py", sha256="0" * 64)


@pytest.fixture
def pane(qtbot: QtBot) -> OwnKernelsPane:
    made = OwnKernelsPane()
    qtbot.addWidget(made)
    apply_theme(made, DARK)
    made.resize(1000, 600)
    return made


def timed(version: int, wobble: float = 1.0) -> KernelVersion:
    return replace(version_of_run(SOURCE, make_result(wobble=wobble)), version=version)


def cell(
    pane: OwnKernelsPane, row: int, column: int, role: int = Qt.ItemDataRole.DisplayRole
) -> str:
    return str(pane.views.table.model().index(row, column).data(role))


def test_versions_stand_newest_first_each_beside_the_one_before(
    pane: OwnKernelsPane, qtbot: QtBot
) -> None:
    told = "dw is wrong in <b>3</b> elements \u202e of" + " many" * 99
    wrong = replace(timed(2), figures=(), refused=verbatim(told))
    pane.show_file(SOURCE.place)
    pane.show_source(SOURCE)
    pane.show_versions([timed(1), wrong, timed(3, 1.25)])
    table = pane.views.table
    assert [cell(pane, row, 0) for row in range(3)] == ["3", "2", "1"]
    assert cell(pane, 1, 3) == f"{told[:160]} …".replace("\u202e", "\ufffd")
    assert cell(pane, 1, 3, Qt.ItemDataRole.ToolTipRole).endswith(" many" * 99)
    assert "version 3" in pane.verdict.text()
    assert "within tolerance" in pane.verdict.text()
    eager = tuple(replace(figure, host_us=20.0) for figure in timed(2).figures)
    pane.show_versions([replace(timed(1), figures=eager), timed(2, 1.25)])
    assert "% faster (" in cell(pane, 0, 3)
    assert "locked, backward: timed by events around the call" in cell(pane, 1, 3)
    with qtbot.waitSignal(table.selectionModel().selectionChanged):
        table.selectRow(1)
    assert pane.views.table.chosen == 1
    pane.show_problem(
        verbatim("mine.py, line 3: invalid \u202e syntax"),
        "one\f\u2028\r\ntwo \u202e\u2029\nthree(\n",
    )
    assert pane.verdict.text() == "mine.py, line 3: invalid \ufffd syntax", (
        "nothing turns the rest around"
    )
    assert (pane.views.text.place, pane.views.text.text.lines[2]) == (
        (3, 3),
        "three(",
    ), "the text that was saved, with its line"
    assert pane.views.text.toPlainText().split("\n")[1:] == [
        "two \ufffd\ufffd",
        "three(",
    ], "each line is one"
    assert table.rows.rowCount() == 2, "what was found before stays on show"


def test_the_version_that_is_looked_at_stays_when_another_one_comes(pane: OwnKernelsPane) -> None:
    pane.show_file(SOURCE.place)
    pane.show_versions([timed(1), timed(2), timed(3)])
    pane.views.table.selectRow(2)
    assert pane.views.table.chosen == 1
    pane.show_versions([timed(1), timed(2), timed(3), timed(4)])
    assert pane.views.table.chosen == 1
    pane.views.table.selectRow(0)
    pane.show_versions([timed(1), timed(2), timed(3), timed(4), timed(5)])
    assert pane.views.table.chosen == 5, "who looks at the newest goes on with the newest"


def test_nothing_of_one_file_is_left_when_another_one_is_watched(pane: OwnKernelsPane) -> None:
    result = make_result()
    pane.show_file(SOURCE.place)
    pane.show_source(SOURCE)
    pane.set_busy(busy=True)
    pane.views.show_errors((result.correctness, result.resolved, Kind.MEASURED))
    pane.show_hard_inputs(verbatim("right: all of it"))
    pane.views.show_printed("row 7\n\x1b[31m<b>red</b> \u202e\n")
    assert not pane.views.choice.button("printed").isHidden()
    pane.views.choice.button("printed").click()
    assert pane.views.printed.isVisibleTo(pane)
    assert pane.views.printed.toPlainText().split("\n") == ["row 7", "\x1b[31m<b>red</b> \ufffd"]
    pane.views.show_printed("")
    assert pane.views.choice.current == "text"
    pane.views.show_printed("row 8\n")
    pane.views.choice.button("errors").click()
    pane.show_file("/somewhere/else.py")
    assert pane.views.choice.button("printed").isHidden()
    assert pane.hard_inputs.text() == ""
    assert pane.views.errors is None or pane.views.errors.isHidden()
    assert not pane.busy


def test_versions_stand_above_the_text_where_both_halves_have_no_room_beside_each_other(
    pane: OwnKernelsPane, qapp: QApplication
) -> None:
    pane.show_file(SOURCE.place)
    pane.show()
    for width, way in ((1000, Qt.Orientation.Horizontal), (700, Qt.Orientation.Vertical)):
        pane.resize(width, 600)
        qapp.processEvents()
        assert pane.views.orientation() is way
        assert pane.views.table.isVisible()
        assert pane.views.text.isVisible()


def test_a_session_asks_before_it_runs_a_kernel(pane: OwnKernelsPane) -> None:
    pane.show_file(SOURCE.place)
    pane.show_source(SOURCE)
    view = pane.view()
    assert view is not None
    pane.show_view(view)
    body = pane.notice.body
    assert f"{SOURCE.place}\nsha256 {SOURCE.sha256}\n" in body.text().replace("\u200b", "")
    assert (
        max(map(body.fontMetrics().horizontalAdvance, re.split("[\\s\u200b]", body.text())))
        < TEXT_WIDTH / 2
    ), "it is not cut"
    assert pane.view() == view, "a session that is saved before somebody agrees keeps it"


def test_a_verdict_is_dimmed_while_another_text_or_problem_is_in_force(
    pane: OwnKernelsPane,
) -> None:
    pane.show_file(SOURCE.place)
    pane.show_source(SOURCE)
    pane.show_versions([timed(1), replace(timed(2), refused=verbatim("y is wrong"))])
    pane.set_shape((4096, 8192, "float16", "layer_norm"))
    dimmed = pane.veils[0]
    assert pane.verdict.property("look") == "refusal"
    assert dimmed.isHidden()
    pane.show_source(replace(SOURCE, sha256="1" * 64))  # which is being checked
    assert pane.verdict.property("look") == "strong"
    assert not dimmed.isHidden()
    assert pane.state.text() == "of version 2"
    pane.show_source(SOURCE)
    pane.set_shape((64, 512, "float16", "layer_norm"))
    assert not dimmed.isHidden()
    assert pane.state.text() == "of 4096×8192 float16"


def test_errors_are_those_of_the_version_that_they_say(pane: OwnKernelsPane) -> None:
    pane.show_file(SOURCE.place)
    pane.show_source(SOURCE)
    pane.show_versions([timed(1), timed(2)])
    result = make_result(64, 512)
    pane.views.show_errors((result.correctness, result.resolved, Kind.MEASURED))
    pane.views.choice.button("errors").click()
    veil = pane.views.veil
    assert veil is not None
    assert veil.isHidden()
    pane.views.table.select_place(1)
    assert not veil.isHidden()
    assert veil.note.text() == "of version 2"
    pane.views.table.select_place(0)
    assert veil.isHidden()


def drop(window: MainWindow, path: Path) -> None:
    """On a field of the window, as a person may who does not look."""
    field = window.pane("sweep").form.cluster
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    data.setText(path.as_uri())  # as file managers do
    actions, buttons = (
        Qt.DropAction.MoveAction | Qt.DropAction.CopyAction,
        Qt.MouseButton.LeftButton,
    )
    event = QDropEvent(QPoint(5, 5), actions, data, buttons, Qt.KeyboardModifier.ShiftModifier)
    QApplication.sendEvent(
        field,
        QDragEnterEvent(QPoint(5, 5), actions, data, buttons, Qt.KeyboardModifier.ShiftModifier),
    )
    QApplication.sendEvent(field, event)
    assert field.text() == ""
    assert event.isAccepted()
    assert event.dropAction() == Qt.DropAction.CopyAction, (
        "the program that it comes from deletes what was moved"
    )


def save_what_hangs(
    explorer: Explorer,
    path: Path,
    text: str,
    wait: Wait,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A version that does not end, and one for a machine that does not answer."""
    pane, place = explorer.window.pane("own_kernels"), "    y = torch.empty_like(x)"
    copy = path.with_name("copy")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(copy), "*.py"))
    pane.save.click()
    wait(copy.with_suffix(".py").exists)
    assert copy.with_suffix(".py").read_text().startswith('"""')
    monkeypatch.setattr("lnexplorer.gui.panes.own_kernels.controller.LIMIT_SECONDS", 1.0)
    path.write_text(text.replace(place, "    import time; time.sleep(3600)"))
    line = text[: text.index(place)].count("\n") + 1
    wait(
        lambda: (
            "took longer than 1 s" in pane.verdict.text() and pane.views.table.rows.rowCount() == 3
        )
    )
    assert f"It was at line {line} of mine.py." in pane.verdict.text()
    assert "version 3: " in pane.verdict.text()
    wait(lambda: pane.views.text.place == (line, line))
    device, kept = explorer.session.state.device, list[KernelVersion]()
    explorer.history.ask(lambda history: history.kernels.versions(str(path)), kept.extend)
    wait(lambda: len(kept) == 3)
    assert device is not None
    assert kept[-1].date > device.environment.date, "when it was checked, not when the window began"
    path.write_text(text.replace(place, "    import os; os._exit(3)"))
    wait(
        lambda: pane.verdict.text().endswith(
            f"exit status 3 while running. It was at line {line} of mine.py."
        )
    )
    assert pane.views.choice.current == "errors"
    assert pane.views.text.isVisibleTo(pane), "there are no results, and so no errors of them"
    assert f"line {line} in forward" in pane.views.printed.toPlainText(), (
        "where it was, as Python tells it"
    )
    write_program(
        path.parent / "ssh",
        "echo 'ssh: connect to host rack7 port 22: Connection refused' >&2; exit 255",
    )
    monkeypatch.setenv("PATH", str(path.parent), prepend=os.pathsep)
    here = explorer.preferences.device
    explorer.preferences.device = "ssh://rack7/cuda:1"
    path.write_text(text + "# on the machine of the window's GPU\n")
    wait(lambda: "rack7" in pane.verdict.text())
    explorer.preferences.device = here


def look_at_errors(pane: OwnKernelsPane, wait: Wait) -> None:
    pane.views.choice.button("errors").click()
    assert pane.views.errors.table.rowCount() == 4
    pane.views.show_printed("row 7\n")
    pane.views.errors.inspectRequested.emit("dx", 0, 4, 0, 8)
    wait(lambda: not pane.busy)
    assert pane.views.printed.toPlainText() == "row 7", "nothing of the kernel was run again"
    pane.hard.click()
    wait(lambda: "M = 5" in pane.hard_inputs.text() and not pane.busy)
    assert pane.hard_inputs.text().startswith("right: data tutorial, data normal, ")
    wrong, right = (verbatim("data nan"), verbatim("no")), (verbatim("M = 1"), None)
    assert str(hard_sentence([wrong], 1)) == "data nan: no; 1 to come", (
        "of what is right nothing is said yet"
    )
    assert str(hard_sentence([wrong, right], 0)) == "data nan: no; right: M = 1"


def leave_while_it_is_checked(explorer: Explorer, path: Path, text: str, wait: Wait) -> None:
    pane = explorer.window.pane("own_kernels")
    explorer.session.hold("A sweep has the GPU.")
    path.write_text(text)
    explorer.controllers["own_kernels"].watch(path)
    wait(lambda: pane.verdict.text() == "A sweep has the GPU.")
    assert not pane.busy
    explorer.session.hold("")
    explorer.controllers["own_kernels"].watch(path)
    wait(lambda: pane.busy)
    other = path.parent / "others" / "other.py"
    other.parent.mkdir()
    other.write_text("def forward((")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(other), ""))
        explorer.window.pane("throughput").peers.own.trigger()  # Add a kernel …
    assert not pane.busy, "the check of a file that is left is"
    wait(lambda: "line 1" in pane.verdict.text())
    shutil.rmtree(other.parent)
    wait(lambda: "No such file" in pane.verdict.text() and pane.views.text.place is None)
    other.parent.mkdir()
    other.write_text("\ndef forward((")
    wait(lambda: "line 2" in pane.verdict.text())
    other.write_text("\n\ndef forward((")
    wait(lambda: "line 3" in pane.verdict.text())


def test_each_text_that_is_saved_becomes_a_version_that_is_looked_at_from_all_sides(
    opened: Open, until: Until, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.py"
    text = new_kernel_text(path)
    path.write_text(text)
    explorer = opened("home")
    window, session, pane = explorer.window, explorer.session, explorer.window.pane("own_kernels")

    def wait(condition: Callable[[], bool]) -> None:
        until(condition)

    session.set_live(False)
    session.set_request(RunRequest(m=4, n=8))
    drop(window, path)
    wait(lambda: pane.busy)
    pane.views.inspectRequested.emit(
        "dx", 0, 4, 0, 8
    )  # whose answer would take the place of the version's
    wait(lambda: pane.views.table.rows.rowCount() == 1 and not pane.busy)
    assert window.workspace == "own_kernels"
    assert "version 1: all results are within tolerance" in pane.verdict.text()
    look_at_errors(pane, wait)
    pane.code.click()
    compiled = window.pane("compiled")
    wait(lambda: compiled.compiled is not None and compiled.compiled.request.source is not None)
    assert [kernel.function for kernel in compiled.compiled.kernels] == [
        "normalize_row",
        "differentiate_rows",
    ]
    assert str(path) in window.headings["compiled"].line.text()
    box = window.pane("parameters").kernel.settings["num_warps"].field
    box.setCurrentIndex(1)
    box.activated.emit(1)
    wait(lambda: "mine.num_warps=8, version 1" in pane.verdict.text() and not pane.busy)
    pane.phases.click()
    wait(lambda: window.workspace == "run")
    assert (session.state.trace.timeline.source, session.state.trace.timeline.phases) == (
        "mine.num_warps=8",
        ("rows", "sums", "end"),
    )
    wait(lambda: "mine" in window.pane("reduction").caption.text())
    assert pane.views.choice.button("printed").isHidden()
    trips = "    if trace is not None: print('now'), 1 / 0\n    dx = "
    path.write_text(
        text.replace("dw += dy * normal", "dw += dy; print(row)").replace("    dx = ", trips)
    )
    wait(lambda: pane.views.table.rows.rowCount() == 2 and not pane.busy)
    assert "dw is wrong in" in pane.verdict.text()
    assert pane.views.printed.toPlainText().split("\n")[:4] == ["[0]", "[1]", "[2]", "[3]"]
    pane.phases.click()
    wait(lambda: "division by zero" in pane.verdict.text() and not pane.busy)
    assert pane.views.printed.toPlainText().endswith("now"), "what it printed until then"
    path.write_text(text.replace("def forward(", "def forward(("))
    line = text[: text.index("def forward(")].count("\n") + 1
    wait(lambda: f"line {line}" in pane.verdict.text() and pane.views.text.place == (line, line))
    save_what_hangs(explorer, path, text, wait, monkeypatch)
    assert window.pane("history").model.total == 1, "it costs no run of the window"
    pane.show_view(pane.view())
    path.write_text("raise SystemExit(1)  # somebody else's code\n")
    pane.notice.button.click()
    wait(lambda: "has changed since" in str(session.state.notice))
    assert pane.views.table.rows.rowCount() == 4, "nothing was run"
    leave_while_it_is_checked(explorer, path, text, wait)
