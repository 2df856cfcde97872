"""The pane of one's own kernel: what it shows of versions, and a file that is saved again and
again.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from lnexplorer.domain.kernel_versions import KernelVersion, version_of_run
from lnexplorer.domain.request import RunRequest
from lnexplorer.gui.kit.widgets import TEXT_WIDTH
from lnexplorer.gui.panes.own_kernels.pane import OwnKernelsPane
from lnexplorer.gui.window.main_window import MainWindow
from lnexplorer.store.kernels import new_kernel_text
from lnkernels.launch.source import KernelSource
from lnkernels.values.environment import Kind
from lnkernels.values.sentence import verbatim
from tests.gui.windows import Open, Until, on_screen, said
from tests.sample_results import make_result

Wait = Callable[[Callable[[], bool]], None]
SOURCE = KernelSource(name="locked", place="/somewhere/mine.py", sha256="0" * 64)


@pytest.fixture
def pane(qtbot: QtBot) -> OwnKernelsPane:
    made = on_screen(qtbot, OwnKernelsPane(), 1000, 600)
    made.show_file(SOURCE.place)
    made.show_source(SOURCE)
    return made


def timed(version: int, wobble: float = 1.0) -> KernelVersion:
    return replace(version_of_run(SOURCE, make_result(wobble=wobble)), version=version)


def show(pane: OwnKernelsPane, count: int) -> None:
    pane.show_versions([timed(number) for number in range(1, count + 1)])


def show_errors(pane: OwnKernelsPane) -> None:
    result = make_result(64, 512)
    pane.views.show_errors((result.correctness, result.resolved, Kind.MEASURED))


def test_versions_stand_newest_first_each_beside_the_one_before(pane: OwnKernelsPane) -> None:
    model = pane.views.table.model()

    def cell(row: int, column: int, role: int = Qt.ItemDataRole.DisplayRole) -> str:
        return str(model.index(row, column).data(role))

    told = "dw is wrong in <b>3</b> elements \u202e of" + " many" * 99
    wrong = replace(timed(2), figures=(), refused=verbatim(told))
    pane.show_versions([timed(1), wrong, timed(3, 1.25)])
    assert [cell(row, 0) for row in range(3)] == ["3", "2", "1"]
    assert cell(1, 3) == f"{told[:160]} …".replace("\u202e", "\ufffd")
    assert cell(1, 3, Qt.ItemDataRole.ToolTipRole).endswith(" many" * 99)
    assert "version 3" in pane.verdict.text()
    assert "within tolerance" in pane.verdict.text()
    eager = tuple(replace(figure, host_us=20.0) for figure in timed(2).figures)
    pane.show_versions([replace(timed(1), figures=eager), timed(2, 1.25)])
    assert "% faster (" in cell(0, 3)
    assert "locked, backward: timed by events around the call" in cell(1, 3)


def test_a_text_that_is_no_python_stands_with_its_line_below_what_was_found_before(
    pane: OwnKernelsPane,
) -> None:
    show(pane, 2)
    told = "mine.py, line 3: invalid \u202e syntax"
    pane.show_problem(verbatim(told), "one\f\u2028\r\ntwo \u202e\u2029\nthree(\n")
    text = pane.views.text
    assert pane.verdict.text() == told.replace("\u202e", "\ufffd"), "nothing turns the rest around"
    assert text.place == (3, 3)
    assert text.toPlainText().split("\n")[1:] == ["two \ufffd\ufffd", "three("]
    assert pane.views.table.rows.rowCount() == 2


def test_the_version_that_is_looked_at_stays_when_another_one_comes(pane: OwnKernelsPane) -> None:
    table = pane.views.table
    show(pane, 3)
    table.selectRow(2)
    show(pane, 4)
    assert table.chosen == 1
    table.selectRow(0)
    show(pane, 5)
    assert table.chosen == 5, "who looks at the newest goes on with the newest"


def test_nothing_of_one_file_is_left_when_another_one_is_watched(pane: OwnKernelsPane) -> None:
    views = pane.views
    printed = views.choice.button("printed")
    pane.set_busy(busy=True)
    show_errors(pane)
    pane.show_hard_inputs(verbatim("right: all of it"))
    views.show_printed("row 7\n\x1b[31m<b>red</b> \u202e\n")
    printed.click()
    assert views.printed.isVisible()
    assert views.printed.toPlainText().split("\n") == ["row 7", "\x1b[31m<b>red</b> \ufffd"]
    views.show_printed("")
    assert views.choice.current == "text"
    views.show_printed("row 8\n")
    views.choice.button("errors").click()
    pane.show_file("/somewhere/else.py")
    assert printed.isHidden()
    assert pane.hard_inputs.text() == ""
    assert views.errors is None or views.errors.isHidden()
    assert not pane.busy


@pytest.mark.parametrize(
    ("width", "way"), [(1000, Qt.Orientation.Horizontal), (700, Qt.Orientation.Vertical)]
)
def test_versions_stand_above_the_text_where_both_halves_have_no_room_beside_each_other(
    pane: OwnKernelsPane, width: int, way: Qt.Orientation
) -> None:
    pane.resize(width, 600)
    QApplication.processEvents()
    assert pane.views.orientation() is way
    assert pane.views.table.isVisible()
    assert pane.views.text.isVisible()


def test_a_session_asks_before_it_runs_a_kernel(pane: OwnKernelsPane) -> None:
    view = pane.view()
    body = pane.notice.body
    pane.show_view(view)
    assert f"{SOURCE.place}\nsha256 {SOURCE.sha256}\n" in body.text().replace("\u200b", "")
    words = re.split("[\\s\u200b]", body.text())
    widest = max(map(body.fontMetrics().horizontalAdvance, words))
    assert widest < TEXT_WIDTH / 2, "it is not cut"
    assert pane.view() == view, "a session that is saved before somebody agrees keeps it"


def test_a_verdict_is_dimmed_while_another_text_or_problem_is_in_force(
    pane: OwnKernelsPane,
) -> None:
    dimmed = pane.veils[0]
    pane.show_versions([timed(1), replace(timed(2), refused=verbatim("y is wrong"))])
    pane.set_shape((4096, 8192, "float16", "layer_norm"))
    assert pane.verdict.property("look") == "refusal"
    assert dimmed.isHidden()
    pane.show_source(replace(SOURCE, sha256="1" * 64))  # which is being checked
    assert pane.verdict.property("look") == "strong"
    assert not dimmed.isHidden()
    assert pane.state.text() == "of version 2"
    pane.show_source(SOURCE)
    pane.show_left(verbatim("4096×8192 takes minutes"))
    pane.set_shape((64, 512, "float16", "layer_norm"))
    assert pane.left.isHidden()
    assert not dimmed.isHidden()
    assert pane.state.text() == "of 4096×8192 float16"


def test_errors_are_those_of_the_version_that_they_say(pane: OwnKernelsPane) -> None:
    show(pane, 2)
    show_errors(pane)
    pane.views.choice.button("errors").click()
    veil = pane.views.veil
    for place in (0, 1):
        pane.views.table.select_place(place)
        assert veil.isHidden() == (place == 0)
    assert veil.note.text() == "of version 2"


def drop(window: MainWindow, *paths: Path) -> None:
    """On a field of the window, as a person may who does not look."""
    field = window.pane("sweep").form.cluster
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    data.setText(paths[0].as_uri())  # as file managers do
    wish = (
        Qt.DropAction.MoveAction | Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.ShiftModifier,
    )
    QApplication.sendEvent(field, QDragEnterEvent(QPoint(5, 5), *wish))
    event = QDropEvent(QPoint(5, 5), *wish)
    QApplication.sendEvent(field, event)
    assert field.text() == ""
    assert event.isAccepted()
    copied = event.dropAction() == Qt.DropAction.CopyAction
    assert copied, "the program that it comes from deletes what was moved"


def test_each_text_that_is_saved_becomes_a_version_that_is_looked_at_from_all_sides(
    opened: Open, until: Until, tmp_path: Path
) -> None:
    path = tmp_path / "mine.py"
    text = new_kernel_text(path)
    path.write_text(text)
    explorer = opened("home")
    window = explorer.window
    session = explorer.session
    pane = window.pane("own_kernels")
    views = pane.views
    session.set_live(False)
    session.set_request(RunRequest(m=4, n=8))
    drop(window, path, path)
    assert said(explorer) == "2 files were dropped: drop one at a time."
    drop(window, path)
    until(lambda: pane.busy)
    # Whose answer would take the place of the version's.
    views.inspectRequested.emit("dx", 0, 4, 0, 8)
    until(lambda: views.table.rows.rowCount() == 1 and not pane.busy)
    assert window.workspace == "own_kernels"
    assert "version 1: all results are within tolerance" in pane.verdict.text()
    views.choice.button("errors").click()
    assert views.errors.table.rowCount() == 4
    views.show_printed("row 7\n")
    views.errors.map_card.partWanted.emit("dx", 0, 4, 0, 8)
    until(lambda: not pane.busy)
    assert views.printed.toPlainText() == "row 7", "nothing of the kernel was run again"
    pane.buttons["phases"].click()
    until(lambda: window.workspace == "run")
    assert session.state.trace.timeline.phases == ("rows", "sums", "end")
    until(lambda: "mine" in window.pane("reduction").caption.text())

    place = "    y = torch.empty_like(x)"
    path.write_text(text.replace(place, "    import os; os._exit(3)"))
    line = text[: text.index(place)].count("\n") + 1
    told = f"exit status 3 while running. It was at line {line} of mine.py."
    until(lambda: pane.verdict.text().endswith(told))
    until(lambda: views.text.place == (line, line))
    assert views.text.isVisibleTo(pane), "there are no results, and so no errors of them"
    assert f"line {line} in forward" in views.printed.toPlainText(), "as Python tells it"
    assert window.pane("history").model.total == 1, "it costs no run of the window"
