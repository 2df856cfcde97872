"""The exercises beside the workspaces."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from lnexplorer.domain.lecture.checks import OPEN, RIGHT, WRONG, AnswerVerdict
from lnexplorer.lecture.exercises import ExercisesPane, markup, without_hats
from lnexplorer.store.exercises import load_exercises
from lnkernels.values.sentence import say, verbatim
from tests.gui.windows import Open, Until, said

HOSTILE = (
    '![x](/dev/zero) [y](file:///etc/passwd) <img src="/dev/zero"> <a href="http://x.y">z</a>'
    " <script>1</script>"
)


@pytest.fixture
def pane(qtbot: QtBot) -> ExercisesPane:
    made = ExercisesPane()
    qtbot.addWidget(made)
    made.set_exercises(load_exercises(Path("/nonexistent"))[0])
    made.show()
    return made


def test_a_task_has_no_markup_but_our_own() -> None:
    document = QTextDocument()
    document.setHtml(markup(f"{HOSTILE}\n\n- **strong**\n- `code <b>`\n\nlast line\ngoes on"))
    assert document.toPlainText().split("\n") == [
        HOSTILE,
        "strong",
        "code <b>",
        "last line goes on",
    ]
    block = document.begin()
    while block.isValid():
        for format_ in (each.format for each in block.textFormats()):
            assert not format_.isAnchor()
            assert not format_.isImageFormat()
        block = block.next()


def test_an_answer_is_given_with_the_keyboard_and_hints_come_one_by_one(
    pane: ExercisesPane, qtbot: QtBot
) -> None:
    given: list[tuple[str, str]] = []
    pane.answered.connect(lambda exercise, answer: given.append((exercise.name, answer)))
    qtbot.keyClicks(pane.answer, "-2")
    qtbot.keyClick(pane.answer, Qt.Key.Key_Return)
    assert given == [("01-by-hand", "-2")]
    assert pane.hints.isHidden()
    exercise = pane.exercise
    assert exercise is not None
    for number in (1, 2):
        pane.hint.click()
        assert pane.hints.text() == without_hats("\n\n".join(exercise.hints[:number]))
    assert not pane.hint.isEnabled()
    pane.next.click()
    pane.next.click()
    assert pane.answer.isHidden(), "of the third sheet nothing is typed"
    assert pane.hints.isHidden()


def test_a_verdict_is_said_and_goes_with_its_exercise(pane: ExercisesPane) -> None:
    shown = {}
    for state in (RIGHT, WRONG, OPEN):
        pane.show_verdict(AnswerVerdict(state, say("So it is.")))
        shown[state] = pane.badge.text()
        assert pane.reason.text() == "So it is."
    assert len(set(shown.values())) == 3
    pane.set_solved(frozenset({"01-by-hand", "12-same-bits", "gone"}))
    assert pane.count.text() == "2 of 13 solved"
    assert [pane.choice.itemText(place)[0] for place in (0, 1, 11)] == ["✓", "○", "✓"]
    pane.next.click()
    assert pane.reason.isHidden()


def test_what_was_typed_and_found_stays_when_the_language_changes(
    pane: ExercisesPane, qtbot: QtBot
) -> None:
    pane.next.click()
    title = pane.title.text()
    qtbot.keyClicks(pane.answer, "12.5")
    pane.hint.click()
    pane.show_verdict(AnswerVerdict(WRONG, say("So it is.")))
    pane.set_exercises(load_exercises(Path("/nonexistent"), "zh_CN")[0])
    assert pane.title.text() != title
    assert (pane.answer.text(), pane.reason.text()) == ("12.5", "So it is.")
    assert pane.exercise is not None
    assert pane.hints.text() == without_hats(pane.exercise.hints[0])
    pane.set_exercises(pane.exercises[2:])
    assert pane.answer.text() == "", "another sheet begins without an answer"


def test_a_word_without_an_end_leaves_everything_in_its_place(
    pane: ExercisesPane, qapp: QApplication
) -> None:
    qapp.processEvents()
    before = pane.check.mapTo(pane, pane.check.rect().topRight())
    long = replace(pane.exercises[0], title="W" * 120, task="x" * 20_000, hints=("y" * 600,))
    pane.set_exercises((long,))
    pane.hint.click()
    pane.show_verdict(AnswerVerdict(OPEN, verbatim("z" * 600)))
    qapp.processEvents()
    assert pane.check.mapTo(pane, pane.check.rect().topRight()).x() <= before.x()
    assert pane.check.visibleRegion().boundingRect().size() == pane.check.size()


@pytest.mark.timeout(170)
def test_an_answer_is_checked_by_the_run_of_this_window_and_kept_as_solved(
    opened: Open, until: Until, tmp_path: Path
) -> None:
    own = tmp_path / "first" / "exercises"
    own.mkdir(parents=True)
    (own / "own.md").write_text(
        "---\ntitle: T\ncheck: number value=2 within=0\nrun: m=4 n=8 group_size_m=2\n---\n<b>How many?</b>\n"
    )
    (own / "bad.md").write_text("---\ntitle: T\n---\n")
    explorer = opened("first")
    window = explorer.window
    action = window.actions_["exercises"]
    action.trigger()
    commands = explorer.commands
    pane = commands._exercises.pane
    until(lambda: len(pane.exercises) == 14)
    assert "bad.md is left out: check = 0 is not possible" in said(explorer)
    assert pane.isVisible()
    assert window.pane("reduction").isVisible(), "the workspaces stay"
    pane.choice.setCurrentIndex(13)
    for answer, verdict in (("3", "Not right"), ("many", "Not yet"), ("2", "Right")):
        pane.answer.setText(answer)
        pane.check.click()
        until(lambda text=verdict: pane.badge.text() == text)
    assert explorer.preferences.settings.solved == ("own",)
    explorer.preferences.use_language("zh_CN")
    until(lambda: any("手算" in each.title for each in pane.exercises))
    assert (pane.exercise.name, pane.answer.text()) == ("own", "2")
    pane.close_button.click()
    assert not action.isChecked()
    assert pane.isHidden()
