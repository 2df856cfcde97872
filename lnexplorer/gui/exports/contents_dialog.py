"""Asks what goes into a file, where there is more than one answer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtWidgets import QButtonGroup, QDialog, QDialogButtonBox, QLabel, QRadioButton, QVBoxLayout, QWidget

from lnexplorer.gui.charts.theme import GRID, with_text

WIDTH = 60 * GRID


@dataclass(frozen=True, slots=True)
class Option:
    """One answer."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Group:
    """One question. The first answer is the usual one."""

    key: str
    title: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to be said about the answers, and whether they are possible."""

    sentence: str
    possible: bool = True


Choice = dict[str, str]  # the key of an option by that of its group


class ContentsDialog(QDialog):
    """A few groups of answers, and a sentence below them that follows from what is chosen.

    Args:
        title: of the dialog.
        intro: what this is about, a sentence.
        groups: each with at least one answer.
        judge: what is to be said about a choice.
        parent: the window.
    """

    def __init__(
        self, title: str, intro: str, groups: Sequence[Group], judge: Callable[[Choice], Verdict], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._judge = judge
        self.buttons: dict[tuple[str, str], QRadioButton] = {}
        self.sentence = QLabel()
        self._box = QDialogButtonBox(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        self.setWindowTitle(title)
        self.setMinimumWidth(with_text(WIDTH))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        layout.setSpacing(GRID)
        head = QLabel(intro)
        head.setWordWrap(True)
        layout.addWidget(head)
        for group in groups:
            self._add(group, layout)
        layout.addSpacing(GRID)
        self.sentence.setWordWrap(True)
        layout.addWidget(self.sentence)
        layout.addStretch(1)
        layout.addWidget(self._box)
        self._box.accepted.connect(self.accept)
        self._box.rejected.connect(self.reject)
        self._follow()

    @property
    def choice(self) -> Choice:
        """What is chosen."""
        return {group: option for (group, option), button in self.buttons.items() if button.isChecked()}

    def choose(self, group: str, option: str) -> None:
        """Give an answer."""
        self.buttons[group, option].setChecked(True)

    @property
    def possible(self) -> bool:
        """Whether what is chosen can be written."""
        return self._box.button(QDialogButtonBox.StandardButton.Save).isEnabled()

    def _add(self, group: Group, layout: QVBoxLayout) -> None:
        title = QLabel(group.title)
        title.setProperty("look", "muted")
        layout.addSpacing(GRID)
        layout.addWidget(title)
        together = QButtonGroup(self)
        for option in group.options:
            button = QRadioButton(option.text)
            button.setAccessibleName(f"{group.title}: {option.text}")
            self.buttons[group.key, option.key] = button
            together.addButton(button)
            layout.addWidget(button)
        self.buttons[group.key, group.options[0].key].setChecked(True)
        together.buttonToggled.connect(lambda _button, on: self._follow() if on else None)

    def _follow(self) -> None:
        verdict = self._judge(self.choice)
        self.sentence.setText(verdict.sentence)
        self.sentence.setVisible(bool(verdict.sentence))
        self._box.button(QDialogButtonBox.StandardButton.Save).setEnabled(verdict.possible)
