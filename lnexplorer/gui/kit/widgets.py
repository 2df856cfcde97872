"""Small widgets around charts: a notice in their place, one line that gives way, joined buttons."""

import re
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, TypeAlias, TypeVar

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QButtonGroup,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QStyle,
    QStyleOption,
    QStyleOptionComboBox,
    QStylePainter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from lnexplorer.gui.kit.languages import Retranslated
from lnexplorer.gui.kit.theme import GRID, TONES
from lnkernels.values import Sentence, Words, join_sentences, say
from lnkernels.values.environment import KIND_HELP, KIND_NAMES, Kind

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
CENTRE = Qt.AlignmentFlag.AlignCenter
TEXT_WIDTH = 560
# Of a button among others, by whether it is the first and whether it is the last.
SIDES = {
    (True, True): "only",
    (True, False): "first",
    (False, True): "last",
    (False, False): "middle",
}
Piece: TypeAlias = QWidget | QLayout
Part: TypeAlias = Piece | tuple[Piece, int] | int
Margins: TypeAlias = int | tuple[int, int, int, int]  # px; left, top, right, bottom
Box = TypeVar("Box", bound=QBoxLayout)
_LONG_WORD = re.compile("[!-~]{24}(?=[!-~])")
# Marks of direction, of lines and of frames.
_UNORDERLY = (
    0x061C,
    0x200E,
    0x200F,
    *range(0x2028, 0x202F),
    *range(0x2066, 0x206A),
    0xFDD0,
    0xFDD1,
)
_SHOWN = dict.fromkeys(_UNORDERLY, "\N{REPLACEMENT CHARACTER}")


def in_order(text: str) -> str:
    """A text of which each letter stands in its place: marks that turn letters around, or part
    lines without Python seeing it, are shown as unknown letters.
    """
    return text.translate(_SHOWN)


class Label(QLabel):
    """Shows a text letter by letter: nothing that a file holds is ever taken for markup, or turns
    letters around.

    Args:
        arguments: of a QLabel, and its properties.
        look: the name of a look in the style sheet.
    """

    def __init__(self, *arguments: Any, look: str = "", **properties: Any) -> None:
        super().__init__(*arguments, textFormat=Qt.TextFormat.PlainText, **properties)
        self.setProperty("look", look)

    def setText(self, text: str) -> None:
        super().setText(in_order(text))

    def set_markup(self, html: str) -> None:
        """Show markup of the program's own; values in it that come from elsewhere are escaped."""
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setText(html)


class Badge(Retranslated, Label):
    """A word in a frame that says where the numbers beside it come from; hidden without a kind."""

    def __init__(self) -> None:
        super().__init__(look="badge")
        self.write_on(self, name=say("Provenance"))
        self.hide()

    def show_kind(self, kind: Kind | None, where: Words = "") -> None:
        """Name a kind of numbers; the tooltip explains it, and says also where they come from."""
        self.setVisible(kind is not None)
        if kind is not None:
            about = [KIND_HELP[kind], where]
            self.write_on(self, KIND_NAMES[kind], join_sentences(about, "\n"))
            self.write(self.setAccessibleDescription, KIND_HELP[kind])
            restyle(self, "tone", TONES[kind])


class Notice(Retranslated, QWidget):
    """A title, a few sentences and, where there is something to do here, a button or two."""

    acted = Signal()
    otherWanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.title = Label(look="title", wordWrap=True, alignment=CENTRE)
        self.body = Label(look="empty", wordWrap=True, alignment=CENTRE)
        self.button = QPushButton()
        self.other = QPushButton()
        self.button.clicked.connect(self.acted)
        self.other.clicked.connect(self.otherWanted)
        self.set_text("", "")
        column = QWidget(maximumWidth=TEXT_WIDTH)
        rows = (lay_row(None, 1, button, 1) for button in (self.button, self.other))
        lay_column(column, 1, self.title, self.body, *rows, 1, margins=2 * GRID, spacing=GRID)
        lay_row(self, 1, (column, 100), 1)

    def set_text(
        self,
        title: Words,
        body: Words,
        action: Words = "",
        action_help: Words = "",
        other: Words = "",
    ) -> None:
        """Say what is missing, and what to do; without `action`, or `other`, there is no such
        button.
        """
        self.write_on(self.title, title)
        self.write(self._set_body, body)
        self.write_on(self.button, action, action_help)
        self.write_on(self.other, other)
        self.button.setVisible(bool(action))
        self.other.setVisible(bool(other))

    def _set_body(self, text: str) -> None:
        # A path or a hash goes on in the next line.
        self.body.setText(_LONG_WORD.sub("\\g<0>\N{ZERO WIDTH SPACE}", text))


def fill_with_stack(pane: QWidget, notice: Notice) -> tuple[QStackedWidget, QWidget]:
    """Fill a pane with its notice and, behind it, a widget for everything else.

    Returns:
        The stack, in which the notice is the first, and that widget, which is empty.
    """
    # From the outside in: whatever is put into something else later takes its look anew, with all
    # that it holds.
    stack = QStackedWidget(pane)
    lay_column(pane, stack)
    content = QWidget(stack)
    stack.addWidget(notice)
    stack.addWidget(content)
    return stack, content


class Wheelless:
    """Stands before a widget's own base, and leaves the wheel to the page around it until it has
    the focus.
    """

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():  # type: ignore[attr-defined]
            super().wheelEvent(event)  # type: ignore[misc]
        else:
            event.ignore()


class Choice(Retranslated, Wheelless, QComboBox):
    """A combo box that leaves the wheel to the page around it."""

    def __init__(self) -> None:
        super().__init__(focusPolicy=Qt.FocusPolicy.StrongFocus)

    def clear(self) -> None:
        """Take all entries away."""
        super().clear()
        self._sentences.clear()

    def offer(self, value: object, text: Words, tip: Words = "") -> None:
        """Add an entry: its value, its text and its tooltip."""
        place = self.count()
        self.addItem("", value)
        self.write(partial(self.setItemText, place), text)
        self.write(partial(self.setItemData, place, role=Qt.ItemDataRole.ToolTipRole), tip)

    def choose(self, value: object) -> None:
        """Choose the entry of a value, or the first if there is none."""
        self.setCurrentIndex(max(self.findData(value), 0))

    def option(self) -> QStyleOptionComboBox:
        """Return the style option; a text with too little room is elided in its middle."""
        option, field = QStyleOptionComboBox(), QStyle.SubControl.SC_ComboBoxEditField
        self.initStyleOption(option)
        room = (
            self.style()
            .subControlRect(QStyle.ComplexControl.CC_ComboBox, option, field, self)
            .width()
        )
        option.currentText = self.fontMetrics().elidedText(
            option.currentText, Qt.TextElideMode.ElideMiddle, room
        )
        return option

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, option = QStylePainter(self), self.option()
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()


class Arranged:
    """A mixin before a widget's own base, for what depends on its size."""

    def arrange(self) -> None:
        """Make use of the room that there is, which has changed."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)  # type: ignore[misc]  # of the widget's own base
        self.arrange()


class WrappedLabel(Arranged, Label):
    """A label whose lines are as long as there is room.

    Layouts forget heights that follow from a width as soon as there is a splitter or a stack around
        them: it asks for
    its own.
    """

    def __init__(self, **properties: Any) -> None:
        super().__init__(wordWrap=True, **properties)

    def setText(self, text: str) -> None:
        super().setText(text)
        self.arrange()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self.arrange()

    def arrange(self) -> None:
        self.setMinimumHeight(0)  # Qt's height for a width is never below it
        self.setMinimumHeight(max(self.heightForWidth(self.width()), 0))


class DoubtsStrip(Retranslated, WrappedLabel):
    """Says why the figures below it are doubtful; hidden while nothing speaks against them."""

    def __init__(self) -> None:
        super().__init__(objectName="message", margin=GRID // 2, visible=False)
        self.setProperty("tone", "note")

    def show_doubts(self, sentences: Iterable[Sentence]) -> None:
        """Show sentences, each once."""
        doubts = list(dict.fromkeys(sentences))
        joined = join_sentences(doubts, " ")
        self.write(self.setText, say("Doubtful: {sentences}", sentences=joined) if doubts else "")
        self.setVisible(bool(doubts))


class ElidedLabel(Label):
    """A label as wide as there is room, and no wider; its tooltip has the whole text."""

    def __init__(self, *arguments: Any, **properties: Any) -> None:
        super().__init__(*arguments, **properties)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def setText(self, text: str) -> None:
        super().setText(text)
        self.setToolTip(text)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.fontMetrics().height())

    def sizeHint(self) -> QSize:
        return QSize(
            self.fontMetrics().horizontalAdvance(self.text()), self.fontMetrics().height() + 2
        )

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        option = QStyleOption()
        option.initFrom(self)
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_Widget, option, painter, self)
        inside = self.contentsRect()
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(
            inside, self.alignment() | Qt.AlignmentFlag.AlignVCenter, self.elided(inside.width())
        )
        painter.end()

    def elided(self, width: int) -> str:
        """Return the text that fits into `width` px; facts between middle dots are never cut."""
        text, metrics = self.text(), self.fontMetrics()
        while metrics.horizontalAdvance(text) > width:
            if " · " not in text:
                return metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)
            text = text.rpartition(" · ")[0]
        return text


class Readout(ElidedLabel):
    """A label for what is under the cursor."""

    def __init__(self, alignment: Qt.AlignmentFlag = RIGHT) -> None:
        super().__init__(alignment=alignment)

    def share_place_of(self, other: QWidget) -> QGridLayout:
        """Stand where another widget stands, one of both being hidden, this one at first; what lies
        below does not move.
        """
        keeps = other.sizePolicy()
        keeps.setRetainSizeWhenHidden(True)
        other.setSizePolicy(keeps)
        self.hide()
        place = QGridLayout()
        place.addWidget(other, 0, 0)
        place.addWidget(self, 0, 0)
        return place


class FoldedRow(Arranged, QWidget):
    """Two pieces in one line where that is possible, else in two."""

    def lay_pieces(
        self,
        first: QWidget,
        second: QWidget,
        margins: tuple[int, int, int, int] = (0, 0, 0, 0),
        *,
        wide: int = 0,
    ) -> None:
        """Lay two pieces, of which number `wide` takes what the other one leaves."""
        self._pieces = (first, second)
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._row.setContentsMargins(*margins)
        self._row.setSpacing(GRID)
        for place, piece in enumerate(self._pieces):
            self._row.addWidget(piece, int(place == wide))

    def minimumSizeHint(self) -> QSize:
        margins = self._row.contentsMargins()
        widest = max(piece.minimumSizeHint().width() for piece in self._pieces)
        return QSize(widest + margins.left() + margins.right(), super().minimumSizeHint().height())

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() is QEvent.Type.LayoutRequest:  # a piece has become wider or narrower
            self.arrange()
        return done

    def arrange(self) -> None:
        margins = self._row.contentsMargins()
        needed = (
            sum(piece.minimumSizeHint().width() for piece in self._pieces)
            + GRID
            + margins.left()
            + margins.right()
        )
        way = (
            QBoxLayout.Direction.TopToBottom
            if needed > self.width()
            else QBoxLayout.Direction.LeftToRight
        )
        if way is not self._row.direction():
            self._row.setDirection(way)
            QTimer.singleShot(
                0, self, self.updateGeometry
            )  # what is around it may be sharing its room just now


class Segments(Retranslated, QWidget):
    """Choices by key. Tab reaches the row, arrow keys move the choice."""

    changed = Signal(str)  # key of the new choice, when the user made it

    def __init__(self, choices: Iterable[str] | Mapping[str, tuple[Words, ...]]) -> None:
        """Make a button for each key; of a mapping, with its text, its tooltip and, if there is
        one, its accessible name.
        """
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        group = QButtonGroup(self)
        self._buttons = {key: QToolButton() for key in choices}
        for key, button in self._buttons.items():
            button.setCheckable(True)
            group.addButton(button)
            button.clicked.connect(lambda _checked=False, key=key: self.changed.emit(key))
        lay_row(self, *self._buttons.values(), spacing=0)
        self.choose(self.keys[0])
        self._round_corners()
        if isinstance(choices, Mapping):
            for key, texts in choices.items():
                self.write_on(self._buttons[key], *texts)

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self._buttons)

    @property
    def current(self) -> str:
        return next(key for key, button in self._buttons.items() if button.isChecked())

    def choose(self, key: str) -> None:
        """Make a choice without telling anybody."""
        self._buttons[key].setChecked(True)

    def button(self, key: str) -> QToolButton:
        return self._buttons[key]

    def set_available(self, key: str, available: bool) -> None:
        """Show or hide a choice."""
        self._buttons[key].setVisible(available)
        self._round_corners()

    def _round_corners(self) -> None:
        """Give round corners to the outer ones of the buttons that are there."""
        there = [button for button in self._buttons.values() if not button.isHidden()]
        for button in there:
            ends = button is there[0], button is there[-1]
            restyle(button, "side", SIDES[ends])


def scroll_area(parent: QWidget, *, sideways: bool = True) -> QScrollArea:
    """Return an area that gives its widget all its room, and does not take the keyboard."""
    scroll = QScrollArea(parent)
    scroll.setWidgetResizable(True)
    scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    if not sideways:
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return scroll


def lay_row(
    owner: QWidget | None, *parts: Part, margins: Margins | None = 0, spacing: int | None = None
) -> QHBoxLayout:
    """Parts beside each other, in a widget or, where it is None, in a layout around them.

    Args:
        owner: the widget that they fill.
        parts: widgets and layouts, each with its share of the room that is left if it has one; a
            number alone is the share of a gap.
        margins: px; None for those of the style.
        spacing: px between them; None for that of the style.
    """
    return _laid(
        QHBoxLayout(owner) if owner is not None else QHBoxLayout(), parts, margins, spacing
    )


def lay_column(
    owner: QWidget | None, *parts: Part, margins: Margins | None = 0, spacing: int | None = None
) -> QVBoxLayout:
    """Parts above each other, as in `lay_row`."""
    return _laid(
        QVBoxLayout(owner) if owner is not None else QVBoxLayout(), parts, margins, spacing
    )


def _laid(
    layout: Box, parts: tuple[Part, ...], margins: Margins | None, spacing: int | None
) -> Box:
    if margins is not None:
        layout.setContentsMargins(*((margins,) * 4 if isinstance(margins, int) else margins))
    if spacing is not None:
        layout.setSpacing(spacing)
    for part in parts:
        if isinstance(part, int):
            layout.addStretch(part)
            continue
        piece, share = part if isinstance(part, tuple) else (part, 0)
        if isinstance(piece, QLayout):
            layout.addLayout(piece, share)
        else:
            layout.addWidget(piece, share)
    return layout


def restyle(widget: QWidget, name: str, value: str) -> None:
    """Give a widget the look that the style sheet has for a value of a property; Qt looks there
    once by itself.
    """
    if widget.property(name) != value:
        widget.setProperty(name, value)
        if widget.testAttribute(
            Qt.WidgetAttribute.WA_WState_Polished
        ):  # else it takes its look when it is shown
            widget.style().unpolish(widget)
            widget.style().polish(widget)
            widget.updateGeometry()
