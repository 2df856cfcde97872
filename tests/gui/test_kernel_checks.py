"""A kernel of one's own: at which sizes it is checked, what changed in it, and where it is edited."""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from lnexplorer.domain.kernel_versions import SHAPES, hard_sentence
from lnexplorer.domain.measuring import CandidateOutcome, Measured
from lnexplorer.domain.request import RunRequest
from lnexplorer.gui.kit.code import LESS, MORE
from lnexplorer.gui.panes.own_kernels.pane import OwnKernelsPane
from lnexplorer.gui.panes.own_kernels.versions import changed_text
from lnexplorer.gui.session.files import editor_command, open_in_editor
from lnexplorer.gui.session.services import COMPILED, OWN_KERNELS
from lnexplorer.gui.window.application import Explorer
from lnexplorer.protocol.messages import Broken, Finished
from lnexplorer.store.kernels import new_kernel_text
from lnkernels.values.compiled import Launched
from lnkernels.values.environment import Kind
from lnkernels.values.sentence import verbatim
from tests.engine.loopback import write_program
from tests.gui.windows import Until, on_screen
from tests.lnkernels.test_rms_norm import LLAMA
from tests.sample_results import make_environment

CHECKS = "lnexplorer.gui.panes.own_kernels.checks"


class FakeWorker:
    """Notes what the worker of a version is asked; a test says what comes of it."""

    printed = ""

    def __init__(self) -> None:
        self.jobs: list[Any] = []
        self.estimates: list[float] = []
        self.answer: Callable[[object], object] = lambda _outcome: None

    def ask(
        self,
        job: object,
        answer: Callable[[object], object],
        _device: str,
        _hear: object,
        seconds: float,
    ) -> None:
        self.jobs.append(job)
        self.estimates.append(seconds)
        self.answer = answer

    def start(self, device: str) -> None: ...

    def close(self, *, wait: bool = True) -> None: ...

    def find_right(self, choice: str = "") -> None:
        """End the last check: its results are right, and its autotuner has chosen."""
        job, environment = self.jobs[-1], make_environment()
        told = Launched(verbatim("it launched a kernel"), (("kernel", choice),))
        measured = Measured(
            request=job,
            problem=job.subject,
            kind=Kind.INTERPRETED,
            outcomes=(
                CandidateOutcome(label=job.kernels[0].name, launched=told if choice else None),
            ),
            after=environment,
        )
        self.answer(Finished(measured))


@dataclass
class Desk:
    """A window whose own kernels are checked by nobody."""

    explorer: Explorer
    worker: FakeWorker
    path: Path

    def __post_init__(self) -> None:
        self.session = self.explorer.session
        self.pane: OwnKernelsPane = self.explorer.window.pane("own_kernels")
        self.controller = self.explorer.part(OWN_KERNELS)

    def save(self, text: str) -> None:
        self.path.write_text(text)

    def open(self, until: Until, text: str = "") -> None:
        """Watch a new file, until its check is asked for."""
        self.save(text or new_kernel_text(self.path))
        self.controller.watch(self.path)
        until(lambda: len(self.worker.jobs) == 1)

    def rows_checked(self) -> list[int]:
        return [job.problem.m for job in self.worker.jobs]


@pytest.fixture
def desk(explorer: Explorer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    made = Desk(explorer, FakeWorker(), tmp_path / "mine.py")
    for name in ("_worker", "_spare"):
        monkeypatch.setattr(made.controller.checks, name, made.worker)
    made.session.set_live(False)
    made.session.set_request(RunRequest(m=9, n=8))
    yield made
    made.session.set_kernel(None)
    made.session.hold("")


def test_few_rows_are_checked_first_and_minutes_of_the_interpreter_are_left_to_a_person(
    desk: Desk, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    pane, worker = desk.pane, desk.worker
    monkeypatch.setattr("lnexplorer.domain.request.ROW_SECONDS", 0.25)
    desk.open(until)
    worker.find_right()
    assert desk.rows_checked() == [3, 9], "a second first, then all of them"
    assert worker.estimates == [pytest.approx(0.75, rel=0.01), pytest.approx(2.25, rel=0.01)]
    worker.find_right()
    until(lambda: pane.views.table.newest is not None and pane.views.table.newest.m == 9)
    assert pane.left.isHidden()
    assert pane.veils[0].isHidden()

    monkeypatch.setattr(f"{CHECKS}.LONG_SECONDS", 2.0)
    desk.save(desk.path.read_text() + "# other\n")
    until(lambda: len(worker.jobs) == 3)
    worker.find_right()
    assert "takes about 2 s here" in pane.left.text()
    until(lambda: pane.state.text() == "of 3×8 float16")
    assert not pane.veils[0].isHidden(), "the verdict is of fewer rows"
    pane.buttons["again"].click()
    worker.find_right()
    until(pane.veils[0].isHidden)
    assert desk.rows_checked() == [3, 9, 3, 9]
    assert pane.left.isHidden()

    monkeypatch.setattr(f"{CHECKS}.LONG_SECONDS", 60.0)
    pane.buttons["again"].click()
    worker.answer(Broken("check", verbatim("It took longer than 60 s."), "", timed_out=True))
    assert "That was at 9×8; nothing is known to hang." in pane.verdict.text()
    assert pane.verdict.property("look") != "refusal", "slow is not wrong"
    assert pane.views.table.newest is not None
    assert pane.views.table.newest.refused is None


def test_checks_with_names_follow_each_other_until_all_are_done(desk: Desk, until: Until) -> None:
    pane, worker = desk.pane, desk.worker
    desk.open(until)
    worker.find_right()
    until(pane.buttons["shapes"].isEnabled)
    pane.buttons["shapes"].click()
    for _ in SHAPES:
        assert pane.busy
        worker.find_right()
    assert not pane.busy
    assert pane.hard_inputs.text().startswith("right: 1×1, 3×7, ")
    wrong, right = (verbatim("data nan"), verbatim("no")), (verbatim("M = 1"), None)
    assert str(hard_sentence([wrong], 1)) == "data nan: no; 1 to come", "of the right ones nothing"
    assert str(hard_sentence([wrong, right], 0)) == "data nan: no; right: M = 1"
    asked = len(worker.jobs)
    desk.session.set_request(RunRequest(m=-1, n=8))
    pane.buttons["hard"].click()
    assert "m = -1 is not possible" in desk.explorer.window.message.sentence.text()
    assert len(worker.jobs) == asked


def test_a_verdict_and_prints_of_a_worker_that_was_lost_name_the_line(
    desk: Desk, until: Until
) -> None:
    pane, worker = desk.pane, desk.worker
    desk.open(until)
    worker.printed = "row 7\n"
    lost = verbatim("It took longer than 1 s. It was at line 5 of mine.py.")
    worker.answer(Broken("run", lost, "line 5 in forward", timed_out=True))
    until(lambda: pane.views.text.place == (5, 5))
    assert pane.verdict.text().startswith(f"mine, version 1: {lost}")
    assert pane.views.printed.toPlainText().split("\n") == ["row 7", "line 5 in forward"]
    newest, device = pane.views.table.newest, desk.session.state.device
    assert newest is not None
    assert device is not None
    assert newest.date > device.environment.date, "when it was checked, not when the window began"


def test_a_file_is_followed_wherever_it_goes(desk: Desk, until: Until) -> None:
    pane, worker = desk.pane, desk.worker
    desk.session.hold("A sweep has the GPU.")
    desk.save(new_kernel_text(desk.path))
    desk.controller.watch(desk.path)
    until(lambda: pane.verdict.text() == "A sweep has the GPU.")
    assert not pane.busy
    desk.session.hold("")
    desk.controller.watch(desk.path)
    until(lambda: pane.busy)
    other = desk.path.parent / "others" / "other.py"
    other.parent.mkdir()
    other.write_text("def forward((")
    desk.controller.watch(other)
    assert not pane.busy, "the check of a file that is left is"
    until(lambda: "line 1" in pane.verdict.text() and pane.views.text.place == (1, 1))
    shutil.rmtree(other.parent)
    until(lambda: "No such file" in pane.verdict.text() and pane.views.text.place is None)
    other.parent.mkdir()
    other.write_text("\ndef forward((")
    until(lambda: "line 2" in pane.verdict.text())
    assert len(worker.jobs) == 1, "what cannot be read is not checked"


def test_a_value_of_a_setting_is_checked_and_a_version_is_saved_as_a_file(
    desk: Desk, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    pane, worker = desk.pane, desk.worker
    desk.open(until)
    worker.find_right()
    box = desk.explorer.window.pane("parameters").kernel.settings["num_warps"].field
    box.setCurrentIndex(1)
    box.activated.emit(1)
    until(lambda: len(worker.jobs) == 2)
    assert worker.jobs[1].providers == ("mine.num_warps=8",)
    worker.find_right()
    until(lambda: "mine.num_warps=8, version 1" in pane.verdict.text())
    copy = desk.path.with_name("copy")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(copy), "*.py"))
    pane.buttons["save"].click()
    until(copy.with_suffix(".py").exists)
    assert copy.with_suffix(".py").read_text().startswith('"""')


def test_a_kernel_of_a_session_that_has_changed_is_not_run(desk: Desk, until: Until) -> None:
    pane, worker = desk.pane, desk.worker
    desk.open(until)
    view = pane.view()
    assert view is not None
    desk.controller._watcher._timer.stop()
    pane.show_view(view)
    desk.save("raise SystemExit(1)  # somebody else's code\n")
    pane.notice.button.click()
    until(lambda: "has changed since" in str(desk.session.state.notice))
    assert len(worker.jobs) == 1


def test_a_file_that_is_certain_of_its_norm_sets_it(desk: Desk, until: Until) -> None:
    pane, worker = desk.pane, desk.worker
    desk.open(until, LLAMA)
    assert desk.session.state.request.norm == worker.jobs[0].problem.norm == "rms_norm"
    worker.find_right()
    until(lambda: pane.views.table.newest is not None)
    assert pane.veils[0].isHidden()
    desk.session.set_request(replace(desk.session.state.request, norm="layer_norm"))
    until(lambda: not pane.veils[0].isHidden())  # says of which problem the verdict is


def test_machine_code_of_each_version_stands_beside_that_of_the_one_before(
    desk: Desk, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    pane, worker, text = desk.pane, desk.worker, new_kernel_text(desk.path)
    shown: list[list[str]] = []
    tuned: list[list[dict[str, str]]] = []
    monkeypatch.setattr(
        desk.explorer.part(COMPILED),
        "show_own",
        lambda *versions: (
            shown.append([Path(each.place).name for each in versions]),
            tuned.append([dict(each.tuned) for each in versions]),
        ),
    )
    for number in (1, 2):
        desk.save(text + "#" * number)
        if number == 1:
            desk.controller.watch(desk.path)
        until(lambda number=number: len(worker.jobs) == number)
        worker.find_right(f"num_warps: {2 * number}")
        until(lambda number=number: len(pane.views.table.rows.ids) == number and not pane.busy)
    assert pane.verdict.text().endswith("within tolerance; it launched a kernel")
    pane.buttons["code"].click()
    until(lambda: shown == [["mine_1.py", "mine.py"]])
    assert tuned == [[{"kernel": "num_warps: 2"}, {"kernel": "num_warps: 4"}]]
    pane.views.table.select_place(1)
    pane.buttons["code"].click()
    until(lambda: len(shown) == 2)
    assert shown[1] == ["mine_1.py"], "none was before it"
    desk.session.set_request(RunRequest(m=9, n=7))
    pane.buttons["code"].click()
    until(lambda: len(tuned) == 3)
    assert tuned[2] == [{}], "of another shape nobody knows"


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
