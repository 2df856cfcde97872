"""The kernel's text with the line that a program is at."""

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QColor, QFontDatabase, QFontInfo, QTextCharFormat, QTextCursor, QTextFormat
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from lnexplorer.gui.reduction.kernel_source import KernelSource, Step, kernel_source
from lnexplorer.gui.style import mixed, text_size
from lnexplorer.gui.theme import DARK, Theme

_SMALLER = 0.9  # of ordinary text
_ABOVE = 4  # lines in sight above the one that is marked


class SourceView(QPlainTextEdit):
    """Read only, not wrapped. The text is read when it is first shown."""

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
        self._blocks: dict[int, int] = {}  # number of a line in the file: place in the view

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
        self._blocks = {number: place for place, (number, _) in enumerate(source.lines) if number}
        self.setPlainText("\n".join(f"{number:4d}  {line}" if number else "" for number, line in source.lines))
        self._mark(scroll=True)

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
        """Take the colours of a theme."""
        self._theme = theme
        family = QFontInfo(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)).family()
        # A font that is merely set gives way to that of the application's style sheet.
        self.setStyleSheet(f'QPlainTextEdit {{ font-family: "{family}", monospace; font-size: {text_size() * _SMALLER:.1f}pt; }}')
        self._mark(scroll=False)

    def _mark(self, *, scroll: bool) -> None:
        lines = self.marked_lines()
        if lines is None:
            self.setExtraSelections([])
            return
        look = QTextCharFormat()
        look.setBackground(QColor(mixed(self._theme.surface, self._theme.accent, 0.3)))
        look.setProperty(QTextFormat.Property.FullWidthSelection, True)
        marks = []
        for number in range(lines[0], lines[1] + 1):
            mark = QTextEdit.ExtraSelection()
            mark.cursor = QTextCursor(self.document().findBlockByNumber(self._blocks[number]))
            mark.format = look
            marks.append(mark)
        self.setExtraSelections(marks)
        if scroll:
            self._bring_in_sight(self._blocks[lines[0]], self._blocks[lines[1]])

    def _bring_in_sight(self, first: int, last: int) -> None:
        bar = self.verticalScrollBar()
        shown = max(self.viewport().height() // max(self.fontMetrics().lineSpacing(), 1), 1)
        if not bar.value() <= first <= last < bar.value() + shown:
            bar.setValue(max(first - min(_ABOVE, shown // 3), 0))
