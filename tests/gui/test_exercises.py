"""The exercises beside the workspaces."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from lnexplorer.domain.lecture.checks import OPEN, RIGHT, WRONG, AnswerVerdict
from lnexplorer.lecture.exercises import ExercisesPane, markup, without_hats
from lnexplorer.store.exercises import load_exercises
from lnkernels.values.sentence import say, verbatim
from tests.gui.windows import Open, Until, heard, on_screen, press, said, type_text

HOSTILE = (
    '![x](/dev/zero) [y](file:///etc/passwd) <img src="/dev/zero"> <a href="http://x.y">z</a>'
    " <script>1</script>"
)
NOWHERE = Path("/nonexistent")
NOT_RIGHT = AnswerVerdict(WRONG, say("So it is."))


@pytest.fixture
def pane(qtbot: QtBot) -> ExercisesPane:
    made = on_screen(qtbot, ExercisesPane(), 400, 700)
    made.set_exercises(load_exercises(NOWHERE)[0])
    return made


def test_a_task_has_no_markup_but_our_own() -> None:
    document = QTextDocument()
    document.setHtml(markup(f"{HOSTILE}\n\n- **strong**\n- `code <b>`\n\nlast line\ngoes on"))
    shown = [HOSTILE, "strong", "code <b>", "last line goes on"]
    assert document.toPlainText().split("\n") == shown
    block = document.begin()
    while block.isValid():
        for each in block.textFormats():
            assert not each.format.isAnchor()
            assert not each.format.isImageFormat()
        block = block.next()


def test_an_answer_is_given_with_the_keyboard_and_hints_come_one_by_one(
    pane: ExercisesPane,
) -> None:
    given = heard(pane.answered)
    first = pane.exercise
    type_text(pane.answer, "-2")
    press(pane.answer, "Return")
    assert given == [(first, "-2")]
    assert first.name == "01-by-hand"
    assert pane.hints.isHidden()
    for number in (1, 2):
        pane.hint.click()
        assert pane.hints.text() == without_hats("\n\n".join(first.hints[:number]))
    assert not pane.hint.isEnabled()
    pane.next.click()
    pane.next.click()
    assert pane.answer.isHidden(), "of the third sheet nothing is typed"
    assert pane.hints.isHidden()


def test_a_verdict_is_said_and_goes_with_its_exercise(pane: ExercisesPane) -> None:
    shown = set()
    for state in (RIGHT, WRONG, OPEN):
        pane.show_verdict(AnswerVerdict(state, say("So it is.")))
        shown.add(pane.badge.text())
        assert pane.reason.text() == "So it is."
    assert len(shown) == 3
    pane.set_solved(frozenset({"01-by-hand", "12-same-bits", "gone"}))
    assert pane.count.text() == "2 of 13 solved"
    assert [pane.choice.itemText(place)[0] for place in (0, 1, 11)] == ["✓", "○", "✓"]
    pane.next.click()
    assert pane.reason.isHidden()


def test_what_was_typed_and_found_stays_when_the_language_changes(pane: ExercisesPane) -> None:
    pane.next.click()
    title = pane.title.text()
    pane.answer.setText("12.5")
    pane.hint.click()
    pane.show_verdict(NOT_RIGHT)
    pane.set_exercises(load_exercises(NOWHERE, "zh_CN")[0])
    assert pane.title.text() != title
    assert pane.answer.text() == "12.5"
    assert pane.reason.text() == "So it is."
    assert pane.hints.text() == without_hats(pane.exercise.hints[0])
    pane.set_exercises(pane.exercises[2:])
    assert pane.answer.text() == "", "another sheet begins without an answer"


def test_a_word_without_an_end_leaves_everything_in_its_place(pane: ExercisesPane) -> None:
    def right() -> int:
        QApplication.processEvents()
        return pane.check.mapTo(pane, pane.check.rect().topRight()).x()

    before = right()
    long = replace(pane.exercises[0], title="W" * 120, task="x" * 20_000, hints=("y" * 600,))
    pane.set_exercises((long,))
    pane.hint.click()
    pane.show_verdict(AnswerVerdict(OPEN, verbatim("z" * 600)))
    assert right() <= before
    assert pane.check.visibleRegion().boundingRect().size() == pane.check.size()


def test_an_answer_is_checked_by_the_run_of_this_window_and_kept_as_solved(
    opened: Open, until: Until, tmp_path: Path
) -> None:
    own = tmp_path / "first" / "exercises"
    own.mkdir(parents=True)
    check = "check: number value=2 within=0\nrun: m=4 n=8 group_size_m=2"
    (own / "own.md").write_text(f"---\ntitle: T\n{check}\n---\n<b>How many?</b>\n")
    (own / "bad.md").write_text("---\ntitle: T\n---\n")
    explorer = opened("first")
    action = explorer.window.actions_["exercises"]
    action.trigger()
    pane = explorer.commands._exercises.pane
    until(lambda: len(pane.exercises) == 14)
    assert "bad.md is left out: check = 0 is not possible" in said(explorer)
    assert pane.isVisible()
    assert explorer.window.pane("reduction").isVisible(), "the workspaces stay"
    pane.choice.setCurrentIndex(13)
    for answer, verdict in (("3", "Not right"), ("many", "Not yet"), ("2", "Right")):
        pane.answer.setText(answer)
        pane.check.click()
        until(lambda text=verdict: pane.badge.text() == text)
    assert explorer.preferences.settings.solved == ("own",)
    explorer.preferences.use_language("zh_CN")
    until(lambda: any("手算" in each.title for each in pane.exercises))
    assert pane.exercise.name == "own"
    assert pane.answer.text() == "2"
    pane.close_button.click()
    assert not action.isChecked()
    assert pane.isHidden()
