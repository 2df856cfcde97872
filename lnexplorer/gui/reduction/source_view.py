"""Text of the kernels with marked lines; a line that is too long goes on in the next one."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontDatabase, QFontInfo, QTextCharFormat, QTextCursor, QTextFormat
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from lnexplorer.gui.charts.theme import DARK, Theme, mixed, text_size
from lnexplorer.gui.reduction.painter.wording import words

Lines = Sequence[tuple[int, str]]  # with their numbers in the file; 0 for an empty one between two parts
ABOVE = 5  # lines in sight above those that are marked
_SMALLER = 0.9  # of ordinary text


class SourceView(QPlainTextEdit):
    """Read only, with the numbers of the lines."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.file = ""  # what is on show
        self.marked: tuple[int, int] | None = None  # numbers in the file of the first and the last line
        self._theme = DARK
        self._blocks: dict[int, int] = {}  # place in the view of a line of the file

    def show_file(self, file: str, read: Callable[[], Lines]) -> None:
        """Show a text, which is read if it is another one. Where that is not possible, say so in its place."""
        if file == self.file:
            return
        self.file, self._blocks = file, {}
        try:
            lines = read()
        except (OSError, SyntaxError) as error:
            self.setPlainText(words("The kernel's source cannot be read: {0}", error))
            return
        self._blocks = {number: place for place, (number, _) in enumerate(lines) if number}
        self.setPlainText("\n".join(f"{number:4d}  {line}" if number else "" for number, line in lines))
        self._mark()

    def mark(self, lines: tuple[int, int] | None) -> None:
        if lines != self.marked:
            self.marked = lines
            self._mark()

    def apply_theme(self, theme: Theme) -> None:
        self._theme = theme
        family = QFontInfo(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)).family()
        # A font that is merely set gives way to that of the application's style sheet.
        self.setStyleSheet(f'QPlainTextEdit {{ font-family: "{family}", monospace; font-size: {text_size() * _SMALLER:.1f}pt; }}')
        self._mark()

    def _mark(self) -> None:
        marks = []
        if self.marked is not None and set(self.marked) <= set(self._blocks):
            first, last = (self.document().findBlockByNumber(self._blocks[line]) for line in self.marked)
            look = QTextCharFormat()
            look.setBackground(QColor(mixed(self._theme.surface, self._theme.accent, 0.3)))
            look.setProperty(QTextFormat.Property.FullWidthSelection, True)
            for place in range(first.blockNumber(), last.blockNumber() + 1):
                mark = QTextEdit.ExtraSelection()
                mark.cursor = QTextCursor(self.document().findBlockByNumber(place))
                mark.format = look
                marks.append(mark)
            bar = self.verticalScrollBar()
            in_sight = max(self.viewport().height() // max(self.fontMetrics().lineSpacing(), 1), 1)
            if not bar.value() <= first.firstLineNumber() <= last.firstLineNumber() < bar.value() + in_sight:
                bar.setValue(max(first.firstLineNumber() - min(ABOVE, in_sight // 3), 0))
        self.setExtraSelections(marks)
