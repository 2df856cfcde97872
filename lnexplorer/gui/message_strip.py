"""A strip for what went wrong: a sentence, ways out, and a cross. Never a dialog that stands in the way."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QToolButton, QVBoxLayout, QWidget

from lnexplorer.gui.icons import icon
from lnexplorer.gui.theme import GRID, Theme

DETAIL_HEIGHT = 16 * GRID
MOST_LINES = 4  # of notes; the panes below need the room


class MessageStrip(QFrame):
    """Hidden until there is something to say."""

    runRequested = Signal()  # noqa: N815
    restartRequested = Signal()  # noqa: N815
    dismissed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("message")
        self._sentence: Callable[[], str] = str
        self._detail: Callable[[], str] = str
        self._note = False
        self.sentence = QLabel(self)
        self.sentence.setWordWrap(True)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.details = QPushButton(self)
        self.details.setCheckable(True)
        self.run = QPushButton(self)
        self.restart = QPushButton(self)
        self.close_button = QToolButton(self)
        self.close_button.setProperty("look", "plain")
        self.detail = QPlainTextEdit(self)
        self.detail.setReadOnly(True)
        self.detail.setFixedHeight(DETAIL_HEIGHT)
        self._lay_out()
        self.details.toggled.connect(self.detail.setVisible)
        self.run.clicked.connect(self.runRequested)
        self.restart.clicked.connect(self.restartRequested)
        self.close_button.clicked.connect(self.dismissed)
        self.retranslate()
        self.hide()

    def show_message(
        self,
        sentence: Callable[[], str],
        detail: Callable[[], str] = str,
        *,
        note: bool = False,
        can_restart: bool = False,
    ) -> None:
        """Show a sentence, with the details behind a button and the ways out that help.

        Args:
            sentence: says it in the language of the window, now and again after each change of the language.
            detail: the same of the details; empty where there are none.
            note: it is no failure.
            can_restart: whether a new worker helps.
        """
        self._sentence, self._detail, self._note = sentence, detail, note
        self._say()
        self.details.setVisible(bool(self.detail.toPlainText()))
        self.details.setChecked(False)
        self.detail.hide()
        self.run.setVisible(not note)
        self.restart.setVisible(can_restart)
        self.setProperty("tone", "note" if note else "error")
        self.style().unpolish(self)
        self.style().polish(self)
        self.show()

    def apply_theme(self, theme: Theme) -> None:
        """Colour of the cross."""
        self.close_button.setIcon(icon("cross", theme.text))

    def retranslate(self) -> None:
        """Set all texts in the current language, those of the message on show, too."""
        self._say()
        self.setAccessibleName(self.tr("Message"))
        self.details.setText(self.tr("Details"))
        self.details.setToolTip(self.tr("What was written when it happened"))
        self.run.setText(self.tr("Run again"))
        self.run.setToolTip(self.tr("Run with the parameters as they are now"))
        self.restart.setText(self.tr("Restart worker"))
        self.restart.setToolTip(self.tr("Start a new worker process"))
        self.close_button.setToolTip(self.tr("Put this message away"))
        self.close_button.setAccessibleName(self.tr("Close"))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follow a change of the language."""
        if event.type() is QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def _say(self) -> None:
        """Notes gather until they are put away: the latest are on show, those before them among the details."""
        lines = self._sentence().split("\n")
        latest = lines[-MOST_LINES:] if self._note else lines
        self.sentence.setText("\n".join(latest))
        detail = "\n".join((*lines[: -len(latest)], *filter(None, (self._detail(),))))
        if detail != self.detail.toPlainText():  # setting it would scroll back to its beginning
            self.detail.setPlainText(detail)

    def _lay_out(self) -> None:
        line = QHBoxLayout()
        line.setSpacing(GRID)
        line.addWidget(self.sentence, 1)
        for button in (self.details, self.run, self.restart, self.close_button):
            line.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, GRID // 2, GRID, GRID // 2)
        layout.setSpacing(GRID // 2)
        layout.addLayout(line)
        layout.addWidget(self.detail)
