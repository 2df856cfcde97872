"""A view of code: coloured words, numbered and marked lines. It colours only what is in sight."""

import re
from collections.abc import Sequence
from dataclasses import field

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRect, QRectF, QSignalBlocker, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontDatabase,
    QFontInfo,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QTextCharFormat,
    QTextCursor,
    QTextLayout,
)
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from lnexplorer.gui.kit.theme import GRID, ORANGE, PURPLE, Theme, Themed, mixed, text_size
from lnexplorer.gui.kit.widgets import Arranged, in_order
from lnkernels.values import frozen

NO_LINES = np.empty(0, np.intp)
BAR_SHARE = 0.4  # of the margin, for the widest bar
AROUND = 5  # lines in sight above and below one that is chosen
SMALLER = 0.9  # of ordinary text
# Tints of a line: the other text has it and this one lacks it, the reverse, and one that is marked.
LESS, MORE, MARKED = 1, 2, 3

# Where a pattern has a group, it has only one, and just that is coloured. A later pattern overrules
# an earlier one.
_PYTHON = (
    (
        "type",
        r"\btl\.(?:constexpr|float\d+|int\d+|bfloat16|dtype|tensor)\b|\b(?:None|True|False)\b",
    ),
    (
        "instruction",
        r"\b(?:def|return|if|elif|else|for|while|in|is|not|and|or|from|import|static_range)\b|\btl\.(?!constexpr|float|int)\w+",
    ),
    ("name", r"^\s*@[\w.]+"),
    ("comment", r"\"\"\".*?(?:\"\"\"|$)|#.*$"),
)
# All other forms. A line is a label, or an instruction; before the instruction stand its result,
# its address or its predicate.
_COMPILED = (
    ("name", r"[#@!$][\w.]+|\.L\w+|`\([^)]*\)|^\S+:$|^\s*\.\w+"),
    (
        "type",
        r"!tt\.ptr<\w+>|\btensor<[^>]*>+|\b(?:bf|[fi])\d+\b|\b(?:index|float|half|bfloat|double|ptr|void|label|desc)\b",
    ),
    ("type", r"<\d+ x [\w ()]+>|\b0x[0-9a-f]+\b|c\[[^\]]*\]\[[^\]]*\]"),
    ("instruction", r"(?:= \"?|^(?:/\*\w+\*/)?\s*(?:@!?U?%?[Pp]\w+\s+)?\"?)([A-Za-z][\w.:]*)"),
    ("value", r"%[\w#$.-]+|\b(?:U?R\d+|U?RZ|U?P\d+|U?PT|S?B\d+|SR_\w+)\b"),
    ("comment", r"//.*$|;[^;]*$|^/\*\w+\*/"),
)


def words_of(line: str, stage: str) -> list[tuple[int, int, str]]:
    """Return the words of a line that are coloured: first letter, length and kind of each."""
    found = []
    for kind, pattern in _PYTHON if stage == "source" else _COMPILED:
        for match in re.finditer(pattern, line):
            first, end = match.span(match.re.groups)
            found.append((first, end - first, kind))
    return found


def _quoted(lines: Sequence[str]) -> frozenset[int]:
    inside, found = False, set()
    for number, line in enumerate(lines):
        if inside or line.count('"""') % 2:
            found.add(number)
        inside ^= line.count('"""') % 2 == 1
    return frozenset(found)


@frozen(eq=False)
class Text:
    """A text in a view, with its margin and tints."""

    stage: str
    lines: tuple[str, ...]
    numbers: NDArray[np.int32]  # in the margin; 0 for none
    tints: NDArray[np.int8] | int = 0  # LESS or MORE of each line; 0 for none
    # Shares from 0 to 1, drawn beside each line; empty for no bars.
    bars: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))


class CodeView(Themed, Arranged, QPlainTextEdit):
    """A read-only text whose lines are chosen by a click, or by the keys that move the caret.

    A line is coloured when it comes into sight: a text of 10,000 lines is never coloured at once.
    """

    lineChosen = Signal(int)

    def __init__(self) -> None:
        super().__init__(
            lineWrapMode=QPlainTextEdit.LineWrapMode.NoWrap,
            readOnly=True,
            textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard,
            tabChangesFocus=True,
            undoRedoEnabled=False,
        )
        self.text: Text | None = None
        self.chosen: int | None = None
        self.marked = NO_LINES
        self._margin = Margin(self)
        self._formats: dict[str, QTextCharFormat] = {}
        self._quoted: frozenset[int] = frozenset()  # lines inside of a docstring
        self._coloured: set[int] = set()
        self._tints = np.zeros(0, np.int8)
        self.cursorPositionChanged.connect(self._on_caret)
        self.verticalScrollBar().valueChanged.connect(lambda _value: self._margin.update())
        self.apply_theme()

    def show_text(self, text: Text) -> bool:
        """Show a text with nothing marked; return True if its lines differ from those before."""
        shown = self.text
        self.text = text
        self.chosen = None
        self.marked = NO_LINES
        self._tints = np.full(len(text.lines), text.tints, np.int8)
        new = shown is None or shown.stage != text.stage or shown.lines != text.lines
        if new:
            self._quoted = _quoted(text.lines) if text.stage == "source" else frozenset()
            self._coloured.clear()
            with QSignalBlocker(self):
                self.setPlainText(in_order("\n".join(text.lines)))  # 17 ms for 10,000 lines
        self.arrange()
        self.viewport().update()
        if new:
            self.textChanged.emit()  # once all of it is of the new text
        return new

    def choose(self, line: int | None, marked: NDArray[np.intp] = NO_LINES) -> None:
        """Mark lines, and scroll to the chosen one, or to the first that is marked."""
        self.chosen = line
        self.marked = marked
        self._tints[:] = 0 if self.text is None else self.text.tints
        self._tints[marked] = MARKED
        shown = line if line is not None else int(marked[0]) if marked.size else None
        if shown is not None:
            self.show_line(shown)
            if self.textCursor().blockNumber() != shown:
                with QSignalBlocker(self):
                    self.setTextCursor(QTextCursor(self.document().findBlockByNumber(shown)))
        self.viewport().update()
        self._margin.update()

    def show_line(self, line: int) -> None:
        """Scroll to a line, unless it and a few below it are in sight."""
        place = self.document().findBlockByNumber(line).firstLineNumber()
        bar = self.verticalScrollBar()
        in_sight = max(self.viewport().height() // max(self.fontMetrics().lineSpacing(), 1), 1)
        around = min(AROUND, in_sight // 3)
        if not bar.value() <= place < bar.value() + in_sight - around:
            bar.setValue(max(place - around, 0))

    def apply_theme(self) -> None:
        theme = Theme.current
        family = QFontInfo(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)).family()
        # A font that is merely set gives way to that of the application's style sheet.
        self.setStyleSheet(
            f'QPlainTextEdit {{ font-family: "{family}", monospace; font-size:'
            f" {text_size() * SMALLER:.1f}pt; }}"
        )
        colours = {
            "comment": theme.muted,
            "instruction": theme.accent,
            "value": mixed(theme.good, theme.text, 0.25),
            "type": mixed(PURPLE, theme.text, 0.35),
            "name": mixed(ORANGE, theme.text, 0.45),
        }
        for kind, colour in colours.items():
            self._formats[kind] = QTextCharFormat()
            self._formats[kind].setForeground(QColor(colour))
        self._coloured.clear()
        tints = {LESS: (theme.bad, 0.2), MORE: (theme.good, 0.2), MARKED: (theme.accent, 0.3)}
        self._grounds = {tint: mixed(theme.surface, *mix) for tint, mix in tints.items()}
        self.arrange()
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        width = self.viewport().width()
        for line, top, height in self.rows():
            self._colour(line)
            if line < self._tints.size and self._tints[line]:
                painter.fillRect(
                    QRectF(0, top, width, height), self._grounds[int(self._tints[line])]
                )
            if line == self.chosen:
                painter.fillRect(QRectF(0, top, 3, height), QColor(Theme.current.accent))
        painter.end()
        super().paintEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if not self.textCursor().hasSelection():
            self._on_caret()  # a click on the line where the caret is chooses it, too

    def rows(self) -> list[tuple[int, float, float]]:
        """Return number, top and height in px of each line that is in sight."""
        block, bottom = self.firstVisibleBlock(), self.viewport().height()
        top, found = self.blockBoundingGeometry(block).translated(self.contentOffset()).top(), []
        while block.isValid() and top < bottom:
            found.append((block.blockNumber(), top, self.blockBoundingRect(block).height()))
            top, block = top + found[-1][2], block.next()
        return found

    def margin_width(self) -> int:
        """Return the width of the margin in px."""
        if self.text is None or not self.text.numbers.size:
            return 0
        digits = len(str(int(self.text.numbers.max())))
        bars = 4 * GRID if self.text.bars.size else 0
        return self.fontMetrics().horizontalAdvance("0" * max(digits, 3)) + 2 * GRID + bars

    def _colour(self, line: int) -> None:
        """Colour the words of a line, unless that is done."""
        if self.text is None or line in self._coloured:
            return
        self._coloured.add(line)
        block, ranges = self.document().findBlockByNumber(line), []
        words = (
            [(0, block.length(), "comment")]
            if line in self._quoted
            else words_of(block.text(), self.text.stage)
        )
        for start, length, kind in words:
            ranges.append(QTextLayout.FormatRange())
            ranges[-1].start = start
            ranges[-1].length = length
            ranges[-1].format = self._formats[kind]
        block.layout().setFormats(ranges)

    def arrange(self) -> None:
        width = self.margin_width()
        self.setViewportMargins(width, 0, 0, 0)
        beside = self.viewport().geometry()  # which ends above the scroll bar
        self._margin.setGeometry(QRect(beside.left() - width, beside.top(), width, beside.height()))
        self._margin.update()  # its numbers may be others in the same place

    def _on_caret(self) -> None:
        if self.text is not None and self.text.lines:
            self.lineChosen.emit(self.textCursor().blockNumber())


class Margin(QWidget):
    """The numbers of the lines, and beside them bars: how often something was counted at a line."""

    def __init__(self, view: CodeView) -> None:
        super().__init__(view)
        self._view = view

    def paintEvent(self, _event: QPaintEvent) -> None:
        view, text = self._view, self._view.text
        if text is None:
            return
        painter = QPainter(self)
        painter.setFont(view.font())
        painter.fillRect(self.rect(), QColor(Theme.current.surface))
        metrics = view.fontMetrics()
        muted, bright = QColor(Theme.current.muted), QColor(Theme.current.text)
        for line, top, height in view.rows():
            if line >= len(text.lines):
                continue
            share = float(text.bars[line]) if line < text.bars.size else 0.0
            if share > 0:
                wide = max(share * BAR_SHARE * self.width(), 1.0)
                painter.fillRect(
                    QRectF(0, top + 2, wide, height - 4), QColor(Theme.current.warning)
                )
            if text.numbers[line]:
                number = str(int(text.numbers[line]))
                left = self.width() - GRID - metrics.horizontalAdvance(number)
                painter.setPen(bright if line == view.chosen else muted)
                painter.drawText(QPointF(left, top + metrics.ascent()), number)
        painter.end()
