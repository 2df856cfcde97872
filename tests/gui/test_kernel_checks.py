"""A kernel of one's own: at which sizes it is checked, what changed in it, and where it is edited."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from lnexplorer.domain.kernel_versions import SHAPES
from lnexplorer.domain.request import RunRequest
from lnexplorer.gui.kit.code import LESS, MORE
from lnexplorer.gui.kit.search import SearchBar
from lnexplorer.gui.panes.own_kernels.pane import OwnKernelsPane
from lnexplorer.gui.panes.own_kernels.versions import changed_text
from lnexplorer.gui.session.files import editor_command, open_in_editor
from lnexplorer.gui.session.services import OWN_KERNELS
from lnexplorer.protocol.messages import JobStarted
from lnexplorer.store.kernels import new_kernel_text
from tests.engine.loopback import write_program
from tests.gui.windows import Open, Until, on_screen, press
from tests.lnkernels.test_rms_norm import LLAMA

CONTROLLER = "lnexplorer.gui.panes.own_kernels.controller"


def test_few_rows_are_checked_first_and_minutes_of_the_interpreter_are_left_to_a_person(
    opened: Open, until: Until, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(new_kernel_text(path))
    explorer = opened("home")
    pane, session = explorer.window.pane("own_kernels"), explorer.session
    checked: list[tuple[int | None, float]] = []
    controller = explorer.part(OWN_KERNELS)
    ask = controller._ask

    def note(job: object, *rest: object) -> None:
        if hasattr(job, "problem"):
            checked.append((job.problem.m, job.limit_seconds))
        ask(job, *rest)

    estimates: list[float] = []
    hear = explorer.under_way.hear

    def follow(event: object, worker: object = None, estimate: float = 0.0) -> None:
        hear(event, worker, estimate)  # type: ignore[arg-type]
        if isinstance(event, JobStarted) and worker is not None:
            estimates.append(explorer.under_way.oldest.estimate)  # type: ignore[union-attr]

    monkeypatch.setattr(explorer.under_way, "hear", follow)
    monkeypatch.setattr(controller, "_ask", note)
    monkeypatch.setattr("lnexplorer.domain.request.ROW_SECONDS", 0.25)
    session.set_live(False)
    session.set_request(RunRequest(m=9, n=8))
    controller.watch(path)
    until(lambda: len(checked) == 2 and not pane.busy)
    assert [m for m, _ in checked] == [3, 9], "a second first, then all of them"
    assert estimates == [pytest.approx(0.75, rel=0.01), pytest.approx(2.25, rel=0.01)]
    assert pane.left.isHidden()
    until(lambda: pane.views.table.newest is not None and pane.views.table.newest.m == 9)
    assert pane.veils[0].isHidden()

    monkeypatch.setattr(f"{CONTROLLER}.LONG_SECONDS", 2.0)
    path.write_text(path.read_text() + "# other\n")
    until(lambda: "takes about 2 s here" in pane.left.text() and not pane.busy)
    until(lambda: pane.state.text() == "of 3×8 float16")
    assert [m for m, _ in checked] == [3, 9, 3]
    assert not pane.veils[0].isHidden(), "the verdict is of fewer rows"
    pane.again.click()
    until(lambda: pane.views.table.newest.m == 9 and not pane.busy)
    assert [m for m, _ in checked] == [3, 9, 3, 9]
    assert pane.left.isHidden()
    assert pane.veils[0].isHidden()

    pane.shapes.click()
    until(lambda: f"{SHAPES[-1][0]}×{SHAPES[-1][1]}" in pane.hard_inputs.text() and not pane.busy)
    assert pane.hard_inputs.text().startswith("right: 1×1, 3×7, ")

    session.set_request(RunRequest(m=-1, n=8))
    before = len(checked)
    pane.hard.click()
    assert "m = -1 is not possible" in explorer.window.message.sentence.text()
    assert len(checked) == before
    session.set_request(RunRequest(m=9, n=8))
    say_what_was_too_slow(pane, until, monkeypatch)


def say_what_was_too_slow(
    pane: OwnKernelsPane, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{CONTROLLER}.LIMIT_SECONDS", 0.02)
    monkeypatch.setattr(f"{CONTROLLER}.MOST_TIMES", 0)
    pane.again.click()
    until(lambda: "nothing is known to hang" in pane.verdict.text() and not pane.busy)
    assert "That was at 9×8; " in pane.verdict.text()
    assert pane.verdict.property("look") != "refusal", "slow is not wrong"
    assert pane.views.table.newest.refused is None


def test_lines_that_a_version_changed_are_told_with_their_numbers() -> None:
    before = "\n".join(f"line {number}" for number in range(1, 31))
    after = before.replace("line 4\n", "").replace("line 20", "other 20")
    found = changed_text(before, after)
    tints = np.asarray(found.tints)
    told = {
        tint: [line for line, its in zip(found.lines, tints, strict=True) if its == tint]
        for tint in (LESS, MORE)
    }
    assert told == {LESS: ["line 4", "line 20"], MORE: ["other 20"]}
    numbers = dict(zip(found.lines, found.numbers.tolist(), strict=True))
    assert (numbers["other 20"], numbers["line 4"], numbers["line 30"]) == (19, 0, 29)
    assert not np.any(changed_text(before, before).tints)


def test_changes_are_offered_for_a_version_that_has_one_before(qtbot: QtBot) -> None:
    pane = on_screen(qtbot, OwnKernelsPane(), 1100, 600)
    pane.show_file("/somewhere/mine.py")
    button = pane.views.choice.button("changes")
    pane.show_text(1, "a\nb\n")
    assert button.isHidden()
    pane.show_text(2, "a\nc\n", changed_text("a\nb\n", "a\nc\n"))
    button.click()
    assert pane.views.changes.isVisible()
    assert pane.views.changes.toPlainText() == "a\nb\nc"
    assert pane.views.changes._tints.tolist() == [0, LESS, MORE]
    pane.show_text(1, "a\nb\n")
    assert pane.views.text.isVisible(), "which has nothing before it"


@pytest.mark.timeout(300)
def test_machine_code_of_each_version_stands_beside_that_of_the_one_before(
    opened: Open, until: Until, tmp_path: Path
) -> None:
    path = tmp_path / "mine.py"
    text = new_kernel_text(path)
    path.write_text(text)
    explorer = opened("home")
    pane, compiled = explorer.window.pane("own_kernels"), explorer.window.pane("compiled")
    explorer.part(OWN_KERNELS).watch(path)
    until(lambda: pane.views.table.newest is not None and not pane.busy)
    path.write_text(text.replace("sum(x, axis=0) / n", "sum(x + x, axis=0) / (2 * n)"))
    until(lambda: len(pane.views.table.rows.ids) == 2 and not pane.busy)

    pane.code.click()
    until(lambda: compiled.code.left.head.text() == "kernel mine_1.py")
    assert compiled.code.right.head.text() == "kernel mine.py"
    assert compiled.code.forms == ("sass", "sass")
    assert ["x + x" in each.text["source"] for each in compiled.code.pair] == [False, True]
    pane.views.table.select_place(1)
    explorer.window.show_part("own_kernels")
    pane.code.click()
    until(lambda: compiled.code.pair is None and compiled.compiled.request.source is not None)
    until(lambda: compiled.compiled.request.source.place.endswith("mine_1.py"))
    assert "x + x" not in compiled.code.listing.text["source"], "none was before it"


def test_words_are_found_in_the_text_of_a_version(qtbot: QtBot) -> None:
    pane = on_screen(qtbot, OwnKernelsPane(), 1100, 600)
    pane.show_file("/somewhere/mine.py")
    pane.show_text(1, "sum\nmean\nsum\n")
    pane.activateWindow()
    qtbot.waitUntil(pane.isActiveWindow)
    pane.views.text.setFocus()
    press(pane.views.text, "Ctrl+F")
    bar = pane.views.text.parentWidget().findChild(SearchBar)
    qtbot.waitUntil(bar.field.hasFocus)
    qtbot.keyClicks(bar.field, "sum")
    assert bar.count.text() == "1 of 2"
    press(bar.field, "Return")
    assert pane.views.text.textCursor().blockNumber() == 2
    pane.show_text(2, "mean\nsum\n")
    assert bar.count.text() == "1 of 1", "another text was chosen"


@pytest.mark.parametrize(
    ("editor", "expected"),
    [
        ("emacs -nw", ["emacs", "-nw", "+7", "/a b.py"]),
        ("/usr/bin/code --wait", ["/usr/bin/code", "--wait", "-g", "/a b.py:7"]),
        ("vim", ["x-terminal-emulator", "-e", "vim", "+7", "/a b.py"]),
        ("kate", ["kate", "-l", "7", "/a b.py"]),
    ],
)
def test_an_editor_is_told_the_line(editor: str, expected: list[str]) -> None:
    assert editor_command("/a b.py", 7, editor) == expected


def test_a_file_is_edited_with_the_editor_of_the_environment_else_with_the_desktops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, until: Until, qapp: QApplication
) -> None:
    told = tmp_path / "told"
    write_program(tmp_path / "my_editor", f'echo "$@" > {told}.new; mv {told}.new {told}')
    opened: list[str] = []

    def open_url(url: object) -> bool:
        opened.append(url.toLocalFile())  # type: ignore[attr-defined]
        return True

    monkeypatch.setattr(QDesktopServices, "openUrl", open_url)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setenv("EDITOR", "nobody")
    monkeypatch.setenv("VISUAL", "my_editor")
    assert open_in_editor("/mine.py", 29)
    until(told.exists)
    assert told.read_text().split() == ["+29", "/mine.py"]
    assert opened == []
    for useless in ("", "'quoted", "nobody"):
        monkeypatch.setenv("VISUAL", useless)
        assert open_in_editor("/mine.py", 29)
    assert opened == ["/mine.py"] * 3


def test_a_file_that_is_certain_of_its_norm_sets_it_and_is_right(
    opened: Open, until: Until, tmp_path: Path
) -> None:
    (path := tmp_path / "mine.py").write_text(LLAMA)
    explorer = opened("home")
    pane, session = explorer.window.pane("own_kernels"), explorer.session
    session.set_live(False)
    session.set_request(RunRequest(m=3, n=8))
    explorer.part(OWN_KERNELS).watch(path)
    until(lambda: pane.views.table.newest is not None and not pane.busy)
    assert session.state.request.norm == "rms_norm"
    newest = pane.views.table.newest
    assert (newest.norm, newest.refused) == ("rms_norm", None)
    assert pane.veils[0].isHidden()
    session.set_request(replace(session.state.request, norm="layer_norm"))
    until(lambda: not pane.veils[0].isHidden())  # says of which problem the verdict is
