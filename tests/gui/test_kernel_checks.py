"""A kernel of one's own: at which sizes it is checked, what changed in it, and where it is edited."""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QRect, Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from lnexplorer.domain.kernel_versions import SHAPES, HardInputs, KernelVersion, hard_sentence
from lnexplorer.domain.measuring import CandidateOutcome, Measured
from lnexplorer.domain.request import RunRequest
from lnexplorer.gui.kit import GRID
from lnexplorer.gui.kit.code import LESS, MORE
from lnexplorer.gui.kit.table import place
from lnexplorer.gui.kit.theme import DARK, style_sheet
from lnexplorer.gui.panes.own_kernels.pane import OwnKernelsPane
from lnexplorer.gui.panes.own_kernels.versions import COLUMNS, VersionsTable, changed_text
from lnexplorer.gui.session.files import editor_command, open_in_editor
from lnexplorer.gui.session.services import COMPILED, OWN_KERNELS
from lnexplorer.gui.window.application import Explorer
from lnexplorer.protocol.messages import Broken, Finished, Stopped
from lnexplorer.store.kernels import new_kernel_text
from lnkernels.values.compiled import LaunchedKernels
from lnkernels.values.environment import Kind
from lnkernels.values.sentence import verbatim
from tests.engine.loopback import write_program
from tests.gui.windows import SaveAs, Until, on_screen
from tests.lnkernels.test_rms_norm import LLAMA
from tests.sample_results import make_environment

NO = verbatim("y is wrong")
VERSION = KernelVersion(
    place="/tmp/mine.py",
    name="mine",
    sha256="",
    version=1,
    date="2026-11-30T10:00:00+00:00",
    m=9,
    n=8,
    dtype="float16",
    device="",
)
CHECKS = "lnexplorer.gui.panes.own_kernels.checks"


class KernelDesk:
    """A window whose own kernels are checked by nobody: it takes the place of their worker."""

    printed = ""

    def __init__(self, explorer: Explorer, path: Path) -> None:
        self.explorer = explorer
        self.session = explorer.session
        self.path = path
        self.pane: OwnKernelsPane = explorer.window.pane("own_kernels")
        self.controller = explorer.part(OWN_KERNELS)
        self.jobs: list[Any] = []
        self.estimates: list[float] = []

    def ask(
        self, job: object, answer: Callable[[object], object], *device_hear_seconds: Any
    ) -> None:
        self.jobs.append(job)
        self.estimates.append(device_hear_seconds[-1])
        self.answer = answer

    def start(self, device: str) -> None: ...

    def close(self, *, wait: bool = True) -> None: ...

    def find_right(self, choice: str = "", *, inexact: bool = False) -> None:
        """End the last check: its results are right or inexact, and its autotuner has chosen."""
        job = self.jobs[-1]
        told = LaunchedKernels(verbatim("it launched a kernel"), (("kernel", choice),))
        label = job.kernels[0].name
        measured = Measured(
            request=job,
            problem=job.subject,
            kind=Kind.INTERPRETED,
            outcomes=(
                CandidateOutcome(label=label, launched=told if choice else None, inexact=inexact),
            ),
            after=make_environment(),
        )
        self.answer(Finished(measured))

    def save(self, text: str) -> None:
        self.path.write_text(text)

    def watch(self) -> None:
        self.controller.watch(self.path)

    @property
    def rows_checked(self) -> list[int]:
        return [job.problem.m for job in self.jobs]


@pytest.fixture
def desk(
    explorer: Explorer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[KernelDesk]:
    made = KernelDesk(explorer, tmp_path / "mine.py")
    for name in ("_worker", "_spare"):
        monkeypatch.setattr(made.controller.checks, name, made)
    made.session.set_live(False)
    made.session.set_request(RunRequest(m=9, n=8))
    made.save(new_kernel_text(made.path))
    yield made
    made.session.set_kernel(None)
    made.session.hold("")


@pytest.fixture
def asked(desk: KernelDesk, until: Until) -> KernelDesk:
    """The check of a new file is asked for."""
    desk.watch()
    until(lambda: len(desk.jobs) == 1)
    return desk


def test_few_rows_are_checked_first_and_minutes_of_the_interpreter_are_left_to_a_person(
    desk: KernelDesk, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    pane = desk.pane
    table = desk.pane.views.table
    dimmed = desk.pane.veils[0]
    monkeypatch.setattr("lnexplorer.domain.request.ROW_SECONDS", 0.25)
    desk.watch()
    until(lambda: len(desk.jobs) == 1)
    desk.find_right()
    assert desk.rows_checked == [3, 9], "a second first, then all of them"
    assert desk.estimates == pytest.approx([0.75, 2.25], rel=0.01)
    desk.find_right()
    until(lambda: table.newest is not None and table.newest.m == 9)
    assert pane.left.isHidden()
    assert dimmed.isHidden()

    monkeypatch.setattr(f"{CHECKS}.LONG_SECONDS", 2.0)
    desk.save(desk.path.read_text() + "# other\n")
    until(lambda: len(desk.jobs) == 3)
    desk.find_right()
    assert "takes about 2 s here" in pane.left.text()
    until(lambda: pane.state.text() == "of 3×8 float16")
    assert not dimmed.isHidden(), "the verdict is of fewer rows"
    pane.buttons["again"].click()
    desk.find_right()
    until(dimmed.isHidden)
    assert desk.rows_checked == [3, 9, 3, 9]
    assert pane.left.isHidden()

    monkeypatch.setattr(f"{CHECKS}.LONG_SECONDS", 60.0)
    pane.buttons["again"].click()
    desk.answer(Stopped())
    assert pane.verdict.text().endswith("Stopped: Check again runs it.")
    assert pane.verdict.property("look") != "refusal"
    pane.buttons["again"].click()
    desk.answer(Broken("check", verbatim("It took longer than 60 s."), "", timed_out=True))
    assert "That was at 9×8, where it may be slow or hang." in pane.verdict.text()
    assert pane.verdict.property("look") != "refusal", "slow is not wrong"
    assert table.newest.refused is None


def test_checks_with_names_follow_each_other_until_all_are_done(
    asked: KernelDesk, until: Until
) -> None:
    pane = asked.pane
    asked.find_right()
    until(pane.buttons["shapes"].isEnabled)
    pane.buttons["shapes"].click()
    for _ in SHAPES:
        assert pane.busy
        asked.find_right()
    assert not pane.busy
    assert pane.hard_inputs.text().startswith("right: 1×1, 3×7, ")
    wrong = (verbatim("data nan"), verbatim("no"))
    right = (verbatim("M = 1"), None)
    problem = (9, 8, "float16", "layer_norm")
    some, all_ = HardInputs(problem, (wrong,), 1), HardInputs(problem, (wrong, right))
    assert str(hard_sentence(some)) == "data nan: no; 1 to come", "of the right ones nothing"
    assert str(hard_sentence(all_)) == "data nan: no; right: M = 1"
    rough = HardInputs(problem, (right,), inexact=(right[0],))
    assert str(rough.sentence()) == "inexact on hard inputs around 9×8 float16: M = 1"
    count = len(asked.jobs)
    asked.session.set_request(RunRequest(m=-1, n=8))
    pane.buttons["hard"].click()
    assert "m = -1 is not possible" in asked.explorer.window.message.sentence.text()
    assert len(asked.jobs) == count


def test_hard_inputs_stay_with_their_text_until_it_is_checked_on_them_again(
    asked: KernelDesk, until: Until
) -> None:
    pane, table = asked.pane, asked.pane.views.table
    asked.find_right()
    until(pane.buttons["hard"].isEnabled)
    pane.buttons["hard"].click()
    asked.answer(Broken("run", verbatim("It ended."), "", timed_out=False))
    asked.find_right(inexact=True)
    while pane.busy:
        asked.find_right()
    until(lambda: table.newest.hard is not None)
    shown = "hard inputs: data tutorial: It ended.; inexact: data normal; right: data offset, "
    assert pane.hard_inputs.text().startswith(shown)
    pane.buttons["again"].click()
    assert pane.hard_inputs.isHidden()
    asked.find_right()
    until(lambda: not pane.hard_inputs.isHidden())
    shown = table.model().index(0, 3).data()
    assert shown.endswith("wrong on hard inputs around 9×8 float16: data tutorial"), (
        "why stands above"
    )
    pane.buttons["hard"].click()
    asked.find_right()
    asked.answer(Stopped())
    pane.buttons["again"].click()
    asked.find_right()
    until(lambda: "data tutorial: It ended." in pane.hard_inputs.text())
    asked.save(asked.path.read_text() + "# other\n")
    until(lambda: asked.jobs[-1].kernels[0].sha256 != table.newest.sha256)
    asked.find_right()
    until(lambda: len(table.rows.ids) == 2)
    assert table.newest.hard is None
    assert pane.hard_inputs.isHidden()


def test_results_of_versions_are_whole_in_the_table(qtbot: QtBot, qapp: QApplication) -> None:
    table = on_screen(qtbot, VersionsTable(), 620, 400)
    table.setStyleSheet(style_sheet(DARK, 100))
    column = place(COLUMNS, "result")
    hard = HardInputs((9, 8, "float16", "layer_norm"), ((verbatim("rows with a stride"), NO),))
    table.show_versions([replace(VERSION, hard=hard)])
    for width in range(560, 680):
        table.resize(width, 400)
        qapp.processEvents()
        room = QRect(0, 0, table.columnWidth(column) - GRID, 1000)
        text = table.model().index(0, column).data()
        wrap = Qt.TextFlag.TextWordWrap
        needed = table.fontMetrics().boundingRect(room, wrap, text).height()
        assert table.rowHeight(0) >= needed, f"{width} px: a line is left out"


def test_a_verdict_and_prints_of_a_worker_that_was_lost_name_the_line(
    asked: KernelDesk, until: Until
) -> None:
    views = asked.pane.views
    asked.printed = "row 7\n"
    lost = verbatim("It took longer than 1 s. It was at line 5 of mine.py.")
    asked.answer(Broken("run", lost, "line 5 in forward", timed_out=True))
    until(lambda: views.text.place == (5, 5))
    assert asked.pane.verdict.text().startswith(f"mine, version 1: {lost}")
    assert views.printed.toPlainText().split("\n") == ["row 7", "line 5 in forward"]
    began = asked.session.state.device.environment.date
    assert views.table.newest.date > began, "when it was checked, not when the window began"


def test_a_file_is_followed_wherever_it_goes(desk: KernelDesk, until: Until) -> None:
    pane = desk.pane
    desk.session.hold("A sweep has the GPU.")
    desk.watch()
    until(lambda: pane.verdict.text() == "A sweep has the GPU.")
    assert not pane.busy
    desk.session.hold("")
    desk.watch()
    until(lambda: pane.busy)
    other = desk.path.parent / "others" / "other.py"

    def write(text: str) -> None:
        other.parent.mkdir()
        other.write_text(text)

    write("def forward((")
    desk.controller.watch(other)
    assert not pane.busy, "the check of a file that is left is"
    until(lambda: "line 1" in pane.verdict.text() and pane.views.text.place == (1, 1))
    shutil.rmtree(other.parent)
    until(lambda: "No such file" in pane.verdict.text() and pane.views.text.place is None)
    write("\ndef forward((")
    until(lambda: "line 2" in pane.verdict.text())
    assert len(desk.jobs) == 1, "what cannot be read is not checked"


def test_a_value_of_a_setting_is_checked_and_a_version_is_saved_as_a_file(
    asked: KernelDesk, until: Until, save_as: SaveAs
) -> None:
    asked.find_right()
    box = asked.explorer.window.pane("parameters").kernel.settings["num_warps"].field
    box.setCurrentIndex(1)
    box.activated.emit(1)
    until(lambda: len(asked.jobs) == 2)
    assert asked.jobs[1].providers == ("mine.num_warps=8",)
    asked.find_right()
    until(lambda: "mine.num_warps=8, version 1" in asked.pane.verdict.text())
    copy = asked.path.with_name("copy.py")
    save_as(copy.with_suffix(""))
    asked.pane.buttons["save"].click()
    until(copy.exists)
    assert copy.read_text().startswith('"""')


def test_a_kernel_of_a_session_that_has_changed_is_not_run(asked: KernelDesk, until: Until) -> None:
    asked.controller._watcher._timer.stop()
    asked.pane.show_view(asked.pane.view())
    asked.save("raise SystemExit(1)  # somebody else's code\n")
    asked.pane.notice.button.click()
    until(lambda: "has changed since" in str(asked.session.state.notice))
    assert len(asked.jobs) == 1


def test_a_file_that_is_certain_of_its_norm_sets_it(desk: KernelDesk, until: Until) -> None:
    desk.save(LLAMA)
    desk.watch()
    until(lambda: len(desk.jobs) == 1)
    request, (dimmed, *_) = desk.session.state.request, desk.pane.veils
    assert request.norm == desk.jobs[0].problem.norm == "rms_norm"
    desk.find_right()
    until(lambda: desk.pane.views.table.newest is not None)
    assert dimmed.isHidden()
    desk.session.set_request(replace(request, norm="layer_norm"))
    until(lambda: not dimmed.isHidden())  # says of which problem the verdict is


def test_machine_code_of_each_version_stands_beside_that_of_the_one_before(
    asked: KernelDesk, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = asked.pane.views.table
    code = asked.pane.buttons["code"]
    shown: list[dict[str, object]] = []

    def show(*versions: Any) -> None:
        shown.append({Path(each.place).name: each.tuned for each in versions})

    monkeypatch.setattr(asked.explorer.part(COMPILED), "show_own", show)
    for number in (1, 2):
        until(lambda number=number: len(asked.jobs) == number)
        asked.find_right(f"num_warps: {2 * number}")
        until(lambda number=number: len(table.rows.ids) == number and not asked.pane.busy)
        asked.save(asked.path.read_text() + "#" * (number == 1))
    assert asked.pane.verdict.text().endswith("within tolerance; it launched a kernel")
    first, second = ((("kernel", f"num_warps: {warps}"),) for warps in (2, 4))
    code.click()
    until(lambda: shown == [{"mine_1.py": first, "mine.py": second}])
    table.select_place(1)
    code.click()
    until(lambda: shown[1:] == [{"mine_1.py": first}])  # none was before it
    asked.session.set_request(RunRequest(m=9, n=7))
    code.click()
    until(lambda: shown[2:] == [{"mine_1.py": ()}])  # of another shape nobody knows


def test_lines_that_a_version_changed_are_told_with_their_numbers(qtbot: QtBot) -> None:
    pane = on_screen(qtbot, OwnKernelsPane(), 1100, 600)
    views = pane.views
    button = pane.views.choice.button("changes")
    before = "\n".join(f"line {number}" for number in range(1, 31))
    after = before.replace("line 4\n", "").replace("line 20", "other 20")
    found = changed_text(before, after)
    pane.show_file("/somewhere/mine.py")
    pane.show_text(1, before)
    assert button.isHidden(), "nothing is before it"
    pane.show_text(2, after, found)
    button.click()
    lines = views.changes.toPlainText().split("\n")
    tints = dict(zip(lines, views.changes._tints.tolist(), strict=True))
    told = {line: tint for line, tint in tints.items() if tint}
    assert told == {"line 4": LESS, "line 20": LESS, "other 20": MORE}
    numbers = dict(zip(found.lines, found.numbers.tolist(), strict=True))
    assert numbers["other 20"] == 19
    assert numbers["line 4"] == 0
    assert numbers["line 30"] == 29
    assert not np.any(changed_text(before, before).tints)
    pane.show_text(1, before)
    assert views.text.isVisible()


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
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, until: Until
) -> None:
    told = tmp_path / "told"
    opened = list[str]()
    write_program(tmp_path / "my_editor", f'echo "$@" > {told}.new; mv {told}.new {told}')

    def open_url(url: QUrl) -> bool:
        opened.append(url.toLocalFile())
        return True

    monkeypatch.setattr(QDesktopServices, "openUrl", open_url)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setenv("EDITOR", "nobody")
    for editor in ("my_editor", "", "'quoted", "nobody"):
        monkeypatch.setenv("VISUAL", editor)
        assert open_in_editor("/mine.py", 29)
    until(told.exists)
    assert told.read_text().split() == ["+29", "/mine.py"]
    assert opened == ["/mine.py"] * 3
