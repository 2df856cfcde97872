"""A search bar for the text above it: it counts all hits, and chooses one."""

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut, QTextCursor
from PySide6.QtWidgets import QFrame, QLineEdit, QPlainTextEdit, QTextEdit, QToolButton, QWidget

from lnexplorer.gui.kit.languages import Retranslated
from lnexplorer.gui.kit.theme import GRID
from lnexplorer.gui.kit.widgets import Label, lay_column, lay_row
from lnkernels.values import say

MOST_HITS = 9999


def searchable(text: QPlainTextEdit) -> QWidget:
    """Return a widget that holds a text and a search bar below it."""
    page = QWidget()
    lay_column(page, (text, 1), SearchBar(text, page), spacing=GRID // 2)
    return page


class SearchBar(Retranslated, QFrame):
    """A search bar: Ctrl+F opens it, Escape closes it.

    Return or F3 chooses the next hit, with Shift the one before; after the last comes the first.
    """

    typed = Signal(str)

    def __init__(self, text: QPlainTextEdit | QTextEdit, owner: QWidget) -> None:
        """Search in `text`; the keys work wherever the focus is within `owner`."""
        super().__init__(owner)
        self._text = text
        self._hits: list[QTextCursor] = []
        self._place = 0
        self.field = QLineEdit(self)
        self.count = Label(self, look="muted")
        self.before, self.next, self.leave = (QToolButton(self) for _ in range(3))
        self.write(self.field.setPlaceholderText, say("Find"))
        self.write_on(self.field, name=say("Find"))
        self.write_on(self.before, "↑", say("The hit before (Shift+Return)"), say("Before"))
        self.write_on(self.next, "↓", say("The next hit (Return)"), say("Next"))
        self.write_on(self.leave, "✕", say("Close (Esc)"), say("Close"))
        lay_row(self, (self.field, 1), self.count, self.before, self.next, self.leave, spacing=GRID)
        self.before.clicked.connect(lambda: self.step(-1))
        self.next.clicked.connect(lambda: self.step(1))
        self.leave.clicked.connect(self.end)
        self.field.installEventFilter(self)
        self.field.textChanged.connect(self._on_typed)
        text.textChanged.connect(self._on_text)
        keys = {"Ctrl+F": self.begin, "F3": self.next.click, "Shift+F3": self.before.click}
        for key, do in keys.items():
            context = Qt.ShortcutContext.WidgetWithChildrenShortcut
            QShortcut(QKeySequence(key), owner, context=context).activated.connect(do)
        self.hide()

    def begin(self) -> None:
        """Open the bar, with the words that are selected in the text."""
        selected = self._text.textCursor().selectedText()
        self.show()
        if selected and "\u2029" not in selected:
            self.field.setText(selected)
        self.field.selectAll()
        self.field.setFocus()
        self.look()

    def end(self) -> None:
        """Close the bar, and leave the text at the chosen hit."""
        self.hide()
        self.field.clear()
        self._text.setFocus()

    def look(self) -> None:
        """Find the hits again, and choose the first one from the caret on."""
        words, document, caret = self.field.text(), self._text.document(), self._text.textCursor()
        self._hits = []
        found = document.find(words) if words else QTextCursor()
        while not found.isNull() and len(self._hits) < MOST_HITS:
            self._hits.append(found)
            found = document.find(words, found)
        from_caret = (hit.selectionStart() >= caret.selectionStart() for hit in self._hits)
        self._place = next((n for n, is_so in enumerate(from_caret) if is_so), 0)
        self._choose()

    def step(self, by: int) -> None:
        """Choose the next hit, or the one before."""
        if self._hits:
            self._place = (self._place + by) % len(self._hits)
            self._choose()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            event.type() is QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape  # which means something else in the window
        ):
            event.accept()
            return True
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Escape:
                self.end()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
                self.step(-1 if back else 1)
            case _:
                super().keyPressEvent(event)

    def _on_typed(self, words: str) -> None:
        self.typed.emit(words)
        self.look()

    def _on_text(self) -> None:
        if self.isVisible():
            self.look()

    def _choose(self) -> None:
        words = self.field.text()
        if self._hits:
            self._text.setTextCursor(self._hits[self._place])
            self._text.ensureCursorVisible()
        found = say("{place} of {count}", place=self._place + 1, count=len(self._hits))
        self.write(self.count.setText, found if self._hits else say("none") if words else "")
