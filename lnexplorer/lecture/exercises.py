"""The pane of lab sheets: a task, an answer and its verdict, hints."""

import re
from collections.abc import Sequence
from html import escape

from PySide6.QtCore import QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from lnexplorer.domain.lecture.checks import OPEN, RIGHT, WRONG, AnswerVerdict, ExerciseError
from lnexplorer.domain.lecture.exercises import Exercise
from lnexplorer.gui.kit import (
    GRID,
    Choice,
    Label,
    Retranslated,
    WrappedLabel,
    lay_column,
    lay_row,
    restyle,
    scroll_area,
)
from lnexplorer.gui.session.services import Services
from lnexplorer.store.exercises import judge, load_exercises
from lnexplorer.store.files import StoreError
from lnexplorer.store.history import History
from lnkernels.values import Sentence, say

WIDTH = 40 * GRID  # px at least
COLUMNS, SHARE = 48, 0.3  # letters, where the window has room; and at most this share of it
_VERDICTS = {
    RIGHT: (say("Right"), "good"),
    WRONG: (say("Not right"), "bad"),
    OPEN: (say("Not yet"), "warning"),
}


def without_hats(text: str) -> str:
    """Write x̂ as xhat, as Memory access does: many fonts set the hat beside its letter."""
    return text.replace("x\u0302", "xhat")


def markup(task: str) -> str:
    """Return a task as markup: paragraphs, lists of -, **strong** and `code`.

    All else stands letter by letter.
    """
    blocks = []
    for block in re.split(r"\n\s*\n", escape(without_hats(task))):
        lines = block.strip().split("\n")
        if all(line.startswith("- ") for line in lines):
            blocks.append("<ul>" + "".join(f"<li>{line[2:]}</li>" for line in lines) + "</ul>")
        else:
            blocks.append(f"<p>{' '.join(lines)}</p>")
    strong = re.sub(r"\*\*([^*\n]+)\*\*", r"<b>\1</b>", "".join(blocks))
    return re.sub(r"`([^`\n]+)`", r"<code>\1</code>", strong)


class ExercisesPane(Retranslated, QFrame):
    """Shows one exercise of several."""

    answered = Signal(object, str)  # Exercise, answer
    closed = Signal()

    def __init__(self) -> None:
        super().__init__(objectName="part")
        self.exercises: Sequence[Exercise] = ()
        self._solved: frozenset[str] = frozenset()
        self._hints = 0  # on show
        # A word without an end moves nothing.
        narrow = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        select = Qt.TextInteractionFlag.TextSelectableByMouse
        self.head = self.write_on(Label(look="part"), say("Exercises"))
        self.close_button = self.write_on(QToolButton(self), "✕", name=say("Close"))
        self.close_button.setProperty("look", "small")
        self.choice = self.write_on(Choice(), name=say("Exercise"))
        self.title = WrappedLabel(look="title", sizePolicy=narrow)
        self.task = WrappedLabel(sizePolicy=narrow, textInteractionFlags=select)
        self.asked = WrappedLabel(look="muted", sizePolicy=narrow)
        self.reason = WrappedLabel(sizePolicy=narrow, textInteractionFlags=select)
        self.hints = WrappedLabel(look="muted", sizePolicy=narrow)
        self.answer = self.write_on(QLineEdit(), name=say("Answer"))
        self.check = self.write_on(QPushButton(), say("Check"))
        self.check.setProperty("look", "primary")
        self.badge = Label(look="badge")
        self.hint = QPushButton()
        self.next = self.write_on(QPushButton(), say("Next"))
        self.count = Label(look="muted")
        self.choice.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self._lay_out()
        self.close_button.clicked.connect(self.closed)
        self.choice.currentIndexChanged.connect(self._begin)
        self.check.clicked.connect(self._answer)
        self.answer.returnPressed.connect(self._answer)
        self.hint.clicked.connect(lambda: self._show_hints(self._hints + 1))
        self.next.clicked.connect(
            lambda: self.choice.setCurrentIndex(self.choice.currentIndex() + 1)
        )
        self.show_verdict(None)
        self._show_hints(0)

    @property
    def exercise(self) -> Exercise | None:
        place = self.choice.currentIndex()
        return self.exercises[place] if 0 <= place < len(self.exercises) else None

    def set_exercises(self, exercises: Sequence[Exercise]) -> None:
        """Offer other sheets; the one on show stays with its answer, if it is there."""
        before = None if self.exercise is None else self.exercise.name
        names = [each.name for each in exercises]
        self.exercises = exercises
        with QSignalBlocker(self.choice):
            self.choice.clear()
            self.choice.addItems([each.title for each in exercises])
            self.choice.setCurrentIndex(names.index(before) if before in names else 0)
        self.set_solved(self._solved)
        if before in names:
            self._show()
        else:
            self._begin()

    def set_solved(self, names: frozenset[str]) -> None:
        self._solved = names
        for place, each in enumerate(self.exercises):
            self.choice.setItemText(place, f"{'✓' if each.name in names else '○'}  {each.title}")
        done = sum(each.name in names for each in self.exercises)
        count = say("{done} of {all} solved", done=done, all=len(self.exercises))
        self.write_on(self.count, count)

    def show_verdict(self, verdict: AnswerVerdict | None) -> None:
        """Show the verdict on the answer; None takes it back."""
        self.badge.setVisible(verdict is not None)
        self.reason.setVisible(verdict is not None)
        if verdict is not None:
            name, tone = _VERDICTS[verdict.state]
            self.write_on(self.badge, name)
            restyle(self.badge, "tone", tone)
            self.write_on(self.reason, verdict.sentence)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        letters = COLUMNS * self.fontMetrics().averageCharWidth()
        self.setFixedWidth(max(WIDTH, min(letters, round(SHARE * self.window().width()))))

    def _lay_out(self) -> None:
        sheet = QWidget()
        answer = lay_row(None, (self.answer, 1), self.check)
        verdict = lay_row(None, self.badge, 1)
        more = lay_row(None, self.hint, self.next, 1)
        above = (self.title, self.task, self.asked, answer, verdict, self.reason, more, self.hints)
        lay_column(sheet, *above, 1, self.count, margins=GRID, spacing=GRID)
        scroll = scroll_area(self, sideways=False)
        scroll.setWidget(sheet)
        for widget in (scroll.viewport(), sheet):
            widget.setAutoFillBackground(False)
        bar = lay_row(None, (self.head, 1), self.close_button)
        lay_column(self, bar, self.choice, (scroll, 1), margins=(GRID, 0, 0, 0), spacing=GRID // 2)
        self.setFocusProxy(self.answer)

    def _begin(self) -> None:
        """Begin the exercise that is chosen, without answer, verdict and hints."""
        self._hints = 0
        self.answer.clear()
        self.show_verdict(None)
        self._show()

    def _show(self) -> None:
        exercise = self.exercise
        self.title.setText("" if exercise is None else exercise.title)
        self.task.set_markup("" if exercise is None else markup(exercise.shown))
        typed = None if exercise is None else exercise.answer
        self.answer.setVisible(typed is not None)
        self.asked.setVisible(typed is not None)
        self.check.setEnabled(exercise is not None)
        self.next.setEnabled(self.choice.currentIndex() + 1 < len(self.exercises))
        if typed is not None:
            self.write_on(self.asked, say("Your answer: {what}", what=typed))
        self._show_hints(self._hints)

    def _answer(self) -> None:
        if self.exercise is not None:
            self.answered.emit(self.exercise, self.answer.text())

    def _show_hints(self, count: int) -> None:
        self._hints = count
        hints = () if self.exercise is None else self.exercise.hints
        self.hints.setText(without_hats("\n\n".join(hints[:count])))
        self.hints.setVisible(bool(count))
        number = min(count + 1, len(hints))
        self.write_on(self.hint, say("Hint {number} of {all}", number=number, all=len(hints)))
        self.hint.setVisible(bool(hints))
        self.hint.setEnabled(count < len(hints))


class Exercises(QObject):
    """Ties the pane to the sheets, to the evidence, and to the settings."""

    def __init__(self, services: Services, parent: QObject) -> None:
        super().__init__(parent)
        self._services = services
        self._own = services.exercises
        self.pane = ExercisesPane()
        self.pane.set_solved(frozenset(services.preferences.settings.solved))
        services.window.put_beside(self.pane)
        self.pane.answered.connect(self._judge)
        services.preferences.languageChosen.connect(self._read)

    def open(self) -> None:
        """Show them, read anew: somebody may write one."""
        self._read()
        self.pane.show()
        self.pane.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _read(self) -> None:
        language = self._services.preferences.languages.current

        def show(loaded: tuple[list[Exercise], list[Sentence]]) -> None:
            self.pane.set_exercises(loaded[0])
            for sentence in loaded[1]:
                self._services.session.warn(sentence)

        self._services.files.do(lambda: load_exercises(self._own, language), show, key="exercises")

    def _judge(self, exercise: Exercise, answer: str) -> None:
        def work(history: History) -> AnswerVerdict:
            try:
                return judge(exercise, answer, history, self._own)
            except (ExerciseError, StoreError) as error:
                return AnswerVerdict(OPEN, error.sentence)

        self.pane.show_verdict(AnswerVerdict(OPEN, say("The answer is checked …")))
        self._services.history.ask(work, lambda verdict: self._tell(exercise, verdict), "exercise")

    def _tell(self, exercise: Exercise, verdict: AnswerVerdict) -> None:
        preferences = self._services.preferences
        if verdict.state == RIGHT:
            solved = tuple(dict.fromkeys((*preferences.settings.solved, exercise.name)))
            preferences.change(solved=solved)
            self.pane.set_solved(frozenset(solved))
        if self.pane.exercise is not None and self.pane.exercise.name == exercise.name:
            self.pane.show_verdict(verdict)
