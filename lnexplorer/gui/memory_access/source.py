"""The kernels' text, a file at a time, with the lines that something is tied to."""

from collections.abc import Callable
from importlib.resources import files

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QColor, QFontDatabase, QResizeEvent, QTextCharFormat, QTextCursor, QTextFormat
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from lnexplorer.gui.charts.theme import LIGHT, Theme, mixed, text_size
from lnexplorer.gui.reduction.kernel_source import for_readers

SMALLER = 0.9  # of ordinary text
ABOVE = 5  # lines in sight above the marked ones


def kernel_text(file: str) -> str:
    """The text of a file of the kernels, which is neither imported nor run.

    Raises:
        OSError: it cannot be read.
    """
    return (files("lnkernels") / file).read_text(encoding="utf-8")


class FileView(QPlainTextEdit):
    """Read only, not wrapped, numbered. A file is read when lines of it are first shown."""

    def __init__(self, parent: QWidget | None = None, read: Callable[[str], str] = kernel_text) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._read = read
        self._file = ""
        self._marked: tuple[int, int] | None = None
        self._theme = LIGHT
        self._placed: int | None = None  # where it was scrolled to for the marked lines

    @property
    def file(self) -> str:
        """The file on show."""
        return self._file

    @property
    def marked(self) -> tuple[int, int] | None:
        """First and last line that are marked."""
        return self._marked

    def show_lines(self, file: str, first: int, last: int | None = None) -> None:
        """Show a file with these lines marked; they begin with 1."""
        if file != self._file:
            self._file = file
            self._load()
        self._marked = (first, first if last is None else last)
        self._mark(scroll=True)

    def apply_theme(self, theme: Theme) -> None:
        self._theme = theme
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        # The application's style sheet would win over a font that is only set.
        self.setStyleSheet(f"font-family: '{font.family()}'; font-size: {text_size() * SMALLER}pt;")
        self._mark(scroll=False)

    def _load(self) -> None:
        try:
            text = self._read(self._file)
        except OSError as error:
            self.setPlainText(QCoreApplication.translate("touch", "The kernel's source cannot be read: {0}").format(error))
            return
        self.setPlainText("\n".join(f"{number:4d}  {for_readers(line)}" for number, line in enumerate(text.splitlines(), 1)))

    def _mark(self, *, scroll: bool) -> None:
        if self._marked is None:
            return
        look = QTextCharFormat()
        look.setBackground(QColor(mixed(self._theme.surface, self._theme.accent, 0.3)))
        look.setProperty(QTextFormat.Property.FullWidthSelection, True)
        marks = []
        for number in range(self._marked[0], self._marked[1] + 1):
            mark = QTextEdit.ExtraSelection()
            mark.cursor = QTextCursor(self.document().findBlockByNumber(number - 1))
            mark.format = look
            marks.append(mark)
        self.setExtraSelections(marks)
        first, last = self._marked
        bar = self.verticalScrollBar()
        if scroll and not bar.value() < first <= last <= bar.value() + self._lines_in_sight() - 1:
            self._place()

    def _lines_in_sight(self) -> int:
        return max(self.viewport().height() // max(self.fontMetrics().lineSpacing(), 1), 1)

    def _place(self) -> None:
        """Scroll to the marked lines, with a few others above them."""
        if self._marked is not None:
            self.verticalScrollBar().setValue(max(self._marked[0] - 1 - min(ABOVE, self._lines_in_sight() // 3), 0))
            self._placed = self.verticalScrollBar().value()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        if self.verticalScrollBar().value() == self._placed:
            self._place()
