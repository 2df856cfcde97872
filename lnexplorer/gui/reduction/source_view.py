"""The kernel's text with the line that a program is at."""

import textwrap

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QColor, QFontDatabase, QFontInfo, QResizeEvent, QTextCharFormat, QTextCursor, QTextFormat
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from lnexplorer.gui.charts.theme import DARK, Theme, mixed, text_size
from lnexplorer.gui.reduction.kernel_source import KernelSource, Step, kernel_source

_SMALLER = 0.9  # of ordinary text
_ABOVE = 4  # lines in sight above the one that is marked
_NUMBER = 6  # characters before a line: its number and a space
_HANGING = 4  # more characters before what goes on from the line above
_LEAST_COLUMNS = 24  # in fewer nothing is broken


class SourceView(QPlainTextEdit):
    """Read only. The text is read when it is first shown. A line that is too long goes on in the next one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._theme = DARK
        self._source: KernelSource | None = None
        self._step: Step | None = None
        self._columns = 0  # characters that find room
        self._blocks: dict[int, int] = {}  # number of a line in the file: place in the view where it begins
        self._last_blocks: dict[int, int] = {}  # and where it ends

    def load(self) -> None:
        """Read the text, once. Where that is not possible, say so in its place."""
        if self._source is not None or self.toPlainText():
            return
        try:
            source = kernel_source()
        except (OSError, SyntaxError) as error:
            text = QCoreApplication.translate("reduction", "The kernel's source cannot be read: {0}")
            self.setPlainText(text.format(error))
            return
        self._source = source
        self._write()
        self._mark(scroll=True)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        if self._source is not None and self._room() != self._columns:
            self._write()
            self._mark(scroll=True)

    def _room(self) -> int:
        width = self.viewport().width() - 2 * self.document().documentMargin()
        return int(width / max(self.fontMetrics().horizontalAdvance("0"), 1))

    def _write(self) -> None:
        assert self._source is not None
        self._columns = self._room()
        text: list[str] = []
        for number, line in self._source.lines:
            self._blocks[number] = len(text)
            text += broken(f"{number:4d}  {line}", self._columns) if number else [""]
            self._last_blocks[number] = len(text) - 1
        self.setPlainText("\n".join(text))

    @property
    def step(self) -> Step | None:
        """What is marked."""
        return self._step

    def marked_lines(self) -> tuple[int, int] | None:
        """Numbers in the file of the first and the last line that are marked."""
        if self._source is None or self._step is None:
            return None
        return self._source.steps.get(self._step)

    def show_step(self, step: Step | None) -> None:
        """Mark the lines of a step, and bring them in sight."""
        if step is not self._step:
            self._step = step
            self._mark(scroll=True)

    def apply_theme(self, theme: Theme) -> None:
        self._theme = theme
        family = QFontInfo(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)).family()
        # A font that is merely set gives way to that of the application's style sheet.
        self.setStyleSheet(f'QPlainTextEdit {{ font-family: "{family}", monospace; font-size: {text_size() * _SMALLER:.1f}pt; }}')
        if self._source is not None:
            self._write()
        self._mark(scroll=True)  # text that is written anew begins at its top

    def _mark(self, *, scroll: bool) -> None:
        lines = self.marked_lines()
        if lines is None:
            self.setExtraSelections([])
            return
        look = QTextCharFormat()
        look.setBackground(QColor(mixed(self._theme.surface, self._theme.accent, 0.3)))
        look.setProperty(QTextFormat.Property.FullWidthSelection, True)
        marks = []
        for block in range(self._blocks[lines[0]], self._last_blocks[lines[1]] + 1):
            mark = QTextEdit.ExtraSelection()
            mark.cursor = QTextCursor(self.document().findBlockByNumber(block))
            mark.format = look
            marks.append(mark)
        self.setExtraSelections(marks)
        if scroll:
            self._bring_in_sight(self._blocks[lines[0]], self._last_blocks[lines[1]])

    def _bring_in_sight(self, first: int, last: int) -> None:
        bar = self.verticalScrollBar()
        shown = max(self.viewport().height() // max(self.fontMetrics().lineSpacing(), 1), 1)
        if not bar.value() <= first <= last < bar.value() + shown:
            bar.setValue(max(first - min(_ABOVE, shown // 3), 0))


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
