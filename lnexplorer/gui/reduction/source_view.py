"""Text of the kernels with marked lines; a line that is too long goes on in the next one."""

import textwrap
from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontDatabase, QFontInfo, QResizeEvent, QTextCharFormat, QTextCursor, QTextFormat
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from lnexplorer.gui.charts.theme import DARK, Theme, mixed, text_size
from lnexplorer.gui.reduction.painter.wording import words

Lines = Sequence[tuple[int, str]]  # with their numbers in the file; 0 for an empty one between two parts
ABOVE = 5  # lines in sight above those that are marked
_SMALLER = 0.9  # of ordinary text
_NUMBER = 6  # characters before a line: its number and a space
_HANGING = 4  # more characters before what goes on from the line above
_LEAST_COLUMNS = 24  # in fewer nothing is broken


class SourceView(QPlainTextEdit):
    """Read only, with the numbers of the lines."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.file = ""  # what is on show
        self.marked: tuple[int, int] | None = None  # numbers in the file of the first and the last line
        self._theme = DARK
        self._lines: Lines = ()
        self._columns = 0  # characters that find room
        self._blocks: dict[int, tuple[int, int]] = {}  # number of a line in the file: first and last place in the view
        self._placed: int | None = None  # where it was scrolled to for the marked lines

    def show_file(self, file: str, read: Callable[[], Lines]) -> None:
        """Show a text, which is read if it is another one. Where that is not possible, say so in its place."""
        if file == self.file:
            return
        self.file, self._lines, self._blocks = file, (), {}
        try:
            self._lines = read()
        except (OSError, SyntaxError) as error:
            self.setPlainText(words("The kernel's source cannot be read: {0}", error))
        else:
            self._write()

    def mark(self, lines: tuple[int, int] | None) -> None:
        if lines != self.marked:
            self.marked = lines
            self._mark()

    def apply_theme(self, theme: Theme) -> None:
        self._theme = theme
        family = QFontInfo(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)).family()
        # A font that is merely set gives way to that of the application's style sheet.
        self.setStyleSheet(f'QPlainTextEdit {{ font-family: "{family}", monospace; font-size: {text_size() * _SMALLER:.1f}pt; }}')
        self._write()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._room() != self._columns:
            self._write()
        elif self.verticalScrollBar().value() == self._placed:
            self._place()

    def _room(self) -> int:
        width = self.viewport().width() - 2 * self.document().documentMargin()
        return int(width / max(self.fontMetrics().horizontalAdvance("0"), 1))

    def _write(self) -> None:
        if not self._lines:
            return
        self._columns = self._room()
        text: list[str] = []
        for number, line in self._lines:
            parts = broken(f"{number:4d}  {line}", self._columns) if number else [""]
            self._blocks[number] = (len(text), len(text) + len(parts) - 1)
            text += parts
        self.setPlainText("\n".join(text))
        self._mark()  # text that is written anew begins at its top

    def _mark(self) -> None:
        marks = []
        places = self._places()
        if places is not None:
            look = QTextCharFormat()
            look.setBackground(QColor(mixed(self._theme.surface, self._theme.accent, 0.3)))
            look.setProperty(QTextFormat.Property.FullWidthSelection, True)
            for block in range(places[0], places[1] + 1):
                mark = QTextEdit.ExtraSelection()
                mark.cursor = QTextCursor(self.document().findBlockByNumber(block))
                mark.format = look
                marks.append(mark)
            top = self.verticalScrollBar().value()
            if not top <= places[0] <= places[1] < top + self._lines_in_sight():
                self._place()
        self.setExtraSelections(marks)

    def _places(self) -> tuple[int, int] | None:
        """The first and the last marked line of the view."""
        if self.marked is None or not set(self.marked) <= set(self._blocks):
            return None
        return self._blocks[self.marked[0]][0], self._blocks[self.marked[1]][1]

    def _lines_in_sight(self) -> int:
        return max(self.viewport().height() // max(self.fontMetrics().lineSpacing(), 1), 1)

    def _place(self) -> None:
        places = self._places()
        if places is not None:
            self.verticalScrollBar().setValue(max(places[0] - min(ABOVE, self._lines_in_sight() // 3), 0))
            self._placed = self.verticalScrollBar().value()


def broken(line: str, columns: int) -> list[str]:
    """A numbered line of code in parts of at most so many characters, where a word of it is no longer than that."""
    if columns < _LEAST_COLUMNS or len(line) <= columns:
        return [line]
    code = line[_NUMBER:]
    longest = max(map(len, code.split()), default=0)
    indent = max(min(_NUMBER + len(code) - len(code.lstrip()) + _HANGING, columns // 2, columns - longest), _NUMBER)
    return textwrap.wrap(
        line, columns, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False, replace_whitespace=False
    )
