"""What went wrong, over the window's lower edge: a sentence, ways out, and a cross.

It moves nothing, and blocks nothing.
"""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from lnexplorer.gui.charts.theme import GRID, Theme
from lnexplorer.gui.charts.widgets import restyle
from lnexplorer.gui.i18n.languages import Retranslated
from lnexplorer.gui.shell.icons import icon

DETAIL_HEIGHT = 16 * GRID
LEAST_DETAIL = 3  # lines of it where there is little room
MOST_LINES = 4  # of notes; the panes below need the room


class _Words(QScrollArea):
    """A text as high as it needs, or as it may be: then it scrolls, and shows whole lines."""

    def __init__(self, text: QLabel, parent: QWidget) -> None:
        super().__init__(parent)
        self._text = text
        self._last = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setWidget(text)
        text.setAutoFillBackground(False)
        self.viewport().setAutoFillBackground(False)
        self.verticalScrollBar().rangeChanged.connect(self._scroll)

    def begin(self, *, at_last: bool) -> None:
        """Show the first lines of the text, or the last ones."""
        self._last = at_last
        self._scroll()

    def fit(self, most: int) -> None:
        """Be as high as the text, or the lines of it that stand in so many pixels: one at least."""
        line = self._text.fontMetrics().lineSpacing()
        needed = max(self._text.heightForWidth(self.width()), line)
        wide = self._text.minimumSizeHint().width() > self.width()  # a word
        beside = self.horizontalScrollBar().sizeHint().height() if wide else 0
        lines = max((most - beside) // line, 1) * line
        self.setFixedHeight(min(needed, lines) + beside)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if needed > lines or wide else Qt.FocusPolicy.NoFocus)

    def _scroll(self) -> None:
        bar = self.verticalScrollBar()
        bar.setValue(bar.maximum() if self._last else bar.minimum())


class MessageStrip(Retranslated, QFrame):
    """Hidden until there is something to say."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("message")
        self._sentence: Callable[[], str] = str
        self._detail: Callable[[], str] = str
        self._note = False
        self._left, self._bottom, self._width, self._room = 0, 400, 800, 400  # px
        self.sentence = QLabel(self)
        self.sentence.setWordWrap(True)
        self._words = _Words(self.sentence, self)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.details = QPushButton(self)
        self.details.setCheckable(True)
        self.run = QPushButton(self)
        self.restart = QPushButton(self)
        self.close_button = QToolButton(self)
        self.close_button.setProperty("look", "plain")
        self._buttons = (self.details, self.run, self.restart, self.close_button)
        self.detail = QPlainTextEdit(self)
        self.detail.setReadOnly(True)
        self._lay_out()
        self.details.toggled.connect(self._show_detail)
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
        restyle(self, "tone", "note" if note else "error")
        self._words.begin(at_last=note)
        self.show()
        self._fit()
        if not self.isWindow():
            self.raise_()

    def place(self, left: int, bottom: int, width: int, room: int) -> None:
        """Where it lies, and how high it may be, if one line, and three of open details, can be read in that."""
        self._left, self._bottom, self._width, self._room = left, bottom, width, room
        self._fit()

    def apply_theme(self, theme: Theme) -> None:
        self.close_button.setIcon(icon("cross", theme.text))

    def retranslate(self) -> None:
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
        self._fit()

    def _show_detail(self, shown: bool) -> None:
        self.detail.setVisible(shown)
        self._fit()

    def _fit(self) -> None:
        """Share the room: the details have the least of theirs, then the sentence has what it needs, then the details
        more.
        """
        layout = self.layout()
        assert layout is not None, "made with one"
        self.resize(self._width, self.height())
        self._share(layout)
        layout.activate()
        height = layout.sizeHint().height()
        self.setGeometry(self._left, self._bottom - height, self._width, height)

    def _share(self, layout: QLayout) -> None:
        layout.activate()  # the sentence's width is that beside the buttons which are on show
        border, around, gap = self.contentsMargins(), layout.contentsMargins(), layout.spacing()
        room = self._room - border.top() - border.bottom() - around.top() - around.bottom()
        if self.detail.isHidden():
            self._words.fit(room)
            return
        least = LEAST_DETAIL * self.detail.fontMetrics().lineSpacing() + 2 * GRID  # its frame
        self._words.fit(room - gap - least)
        beside = max(button.sizeHint().height() for button in self._buttons if not button.isHidden())
        left = room - gap - max(self._words.height(), beside)
        self.detail.setFixedHeight(max(least, min(left, DETAIL_HEIGHT)))

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
        line.addWidget(self._words, 1)
        for button in self._buttons:
            line.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, GRID // 2, GRID, GRID // 2)
        layout.setSpacing(GRID // 2)
        layout.addLayout(line)
        layout.addWidget(self.detail)
