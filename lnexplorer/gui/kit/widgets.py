"""Small widgets: labels, a notice in the place of a chart, joined buttons; and rows and columns."""

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
# The property `side` of a button in a row: is it the first, and is it the last?
SIDES = {
    (True, True): "only",
    (True, False): "first",
    (False, True): "last",
    (False, False): "middle",
}
Piece: TypeAlias = QWidget | QLayout
Part: TypeAlias = Piece | tuple[Piece, int] | int
Margins: TypeAlias = int | tuple[int, int, int, int]  # px; left, top, right, bottom
Box = TypeVar("Box", QHBoxLayout, QVBoxLayout)
_LONG_WORD = re.compile("[!-~]{24}(?=[!-~])")
# Characters that change the direction of text, and those that Qt takes for ends of lines or frames.
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
    """Return a text whose letters are shown in their order.

    Characters that would turn letters around, or break a line unseen by Python, become �.
    """
    return text.translate(_SHOWN)


class Label(QLabel):
    """A label for plain text: text from a file is never taken for markup, nor turns letters around.

    Args:
        arguments: of a QLabel.
        look: the name of a look in the style sheet.
        properties: of a QLabel.
    """

    def __init__(self, *arguments: Any, look: str = "", **properties: Any) -> None:
        super().__init__(*arguments, textFormat=Qt.TextFormat.PlainText, **properties)
        self.setProperty("look", look)

    def setText(self, text: str) -> None:
        super().setText(in_order(text))

    def set_markup(self, html: str) -> None:
        """Show HTML that the program made; it has escaped all values from elsewhere."""
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setText(html)


class Badge(Retranslated, Label):
    """A framed word that names the kind of the numbers beside it; hidden without a kind."""

    def __init__(self) -> None:
        super().__init__(look="badge")
        self.write_on(self, name=say("Provenance"))
        self.hide()

    def show_kind(self, kind: Kind | None, where: Words = "") -> None:
        """Name a kind of numbers; the tooltip explains it, and adds where they come from."""
        self.setVisible(kind is not None)
        if kind is not None:
            about = [KIND_HELP[kind], where]
            self.write_on(self, KIND_NAMES[kind], join_sentences(about, "\n"))
            self.write(self.setAccessibleDescription, KIND_HELP[kind])
            restyle(self, "tone", TONES[kind])


class Notice(Retranslated, QWidget):
    """A title, a few sentences, and up to two buttons."""

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
        """Say what is missing and what to do; `action` and `other` are the texts of the buttons.

        A button without text is hidden.
        """
        self.write_on(self.title, title)
        self.write(self._set_body, body)
        self.write_on(self.button, action, action_help)
        self.write_on(self.other, other)
        self.button.setVisible(bool(action))
        self.other.setVisible(bool(other))

    def _set_body(self, text: str) -> None:
        # So that a long path or hash can go on in the next line.
        self.body.setText(_LONG_WORD.sub("\\g<0>\N{ZERO WIDTH SPACE}", text))


def fill_with_stack(pane: QWidget, notice: Notice) -> tuple[QStackedWidget, QWidget]:
    """Fill a pane with a stack of two: its notice, and an empty widget for everything else.

    Returns:
        The stack, with the notice on top, and the empty widget.
    """
    # From the outside in: a widget that is moved into another one later is polished again, with
    # all widgets inside it.
    stack = QStackedWidget(pane)
    lay_column(pane, stack)
    content = QWidget(stack)
    stack.addWidget(notice)
    stack.addWidget(content)
    return stack, content


class Wheelless:
    """A mixin before a widget's own base: without the focus, the wheel scrolls the page."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():  # type: ignore[attr-defined]
            super().wheelEvent(event)  # type: ignore[misc]
        else:
            event.ignore()


class Choice(Retranslated, Wheelless, QComboBox):
    """A combo box of values with texts; without the focus, it leaves the wheel to the page."""

    def __init__(self) -> None:
        super().__init__(focusPolicy=Qt.FocusPolicy.StrongFocus)

    def clear(self) -> None:
        """Remove all entries."""
        super().clear()
        self._sentences.clear()

    def offer(self, value: object, text: Words, tip: Words = "") -> None:
        """Add an entry: its value, its text and its tooltip."""
        place = self.count()
        self.addItem("", value)
        self.write(partial(self.setItemText, place), text)
        self.write(partial(self.setItemData, place, role=Qt.ItemDataRole.ToolTipRole), tip)

    def choose(self, value: object) -> None:
        """Choose the entry of a value, or the first one if no entry has it."""
        self.setCurrentIndex(max(self.findData(value), 0))

    def option(self) -> QStyleOptionComboBox:
        """Return the style option; a text that is too long is elided in its middle."""
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
    """A mixin before a widget's own base: it is arranged again when its size changes."""

    def arrange(self) -> None:
        """Fit the content into the widget's present size."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)  # type: ignore[misc]  # of the widget's own base
        self.arrange()


class WrappedLabel(Arranged, Label):
    """A label that wraps its text, and asks for the height that the text needs.

    Layouts inside a splitter or a stack ignore a height that follows from a width.
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
    """Says why the figures below it are doubtful; hidden while they are not."""

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
    """A label of one line that is cut where it has no room; its tooltip has the whole text."""

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
        """Return the text as far as it fits into `width` px.

        Of facts between middle dots the last ones are left out, and none is cut.
        """
        text, metrics = self.text(), self.fontMetrics()
        while metrics.horizontalAdvance(text) > width:
            if " · " not in text:
                return metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)
            text = text.rpartition(" · ")[0]
        return text


class Readout(ElidedLabel):
    """A label that describes what is under the cursor."""

    def __init__(self, alignment: Qt.AlignmentFlag = RIGHT) -> None:
        super().__init__(alignment=alignment)

    def share_place_of(self, other: QWidget) -> QGridLayout:
        """Return a layout in which this label and another widget have the same place.

        One of the two is hidden, at first this label; what lies below does not move.
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
    """Two widgets beside each other where there is room, else above each other."""

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
        if event.type() is QEvent.Type.LayoutRequest:  # one of the two needs more or less width
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
            # Later: the layout around it may be in the midst of sharing its room.
            QTimer.singleShot(0, self, self.updateGeometry)


class Segments(Retranslated, QWidget):
    """Joined buttons, of which one is chosen. Tab reaches them, arrow keys move the choice."""

    changed = Signal(str)  # key of the new choice, when the user made it

    def __init__(self, choices: Mapping[str, tuple[Words, ...]]) -> None:
        """Make a button for each key, with its text, its tooltip and its accessible name."""
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        group = QButtonGroup(self)
        self._buttons: dict[str, QToolButton] = {}
        for key, texts in choices.items():
            button = self._buttons[key] = self.write_on(QToolButton(), *texts)
            button.setCheckable(True)
            group.addButton(button)
            button.clicked.connect(lambda _checked=False, key=key: self.changed.emit(key))
        lay_row(self, *self._buttons.values(), spacing=0)
        self.choose(self.keys[0])
        self._round_corners()

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self._buttons)

    @property
    def current(self) -> str:
        return next(key for key, button in self._buttons.items() if button.isChecked())

    def choose(self, key: str) -> None:
        """Make a choice without emitting `changed`."""
        self._buttons[key].setChecked(True)

    def button(self, key: str) -> QToolButton:
        return self._buttons[key]

    def set_available(self, key: str, available: bool) -> None:
        """Show or hide a choice."""
        self._buttons[key].setVisible(available)
        self._round_corners()

    def _round_corners(self) -> None:
        """Give round corners to the first and the last of the visible buttons."""
        there = [button for button in self._buttons.values() if not button.isHidden()]
        for button in there:
            ends = button is there[0], button is there[-1]
            restyle(button, "side", SIDES[ends])


def scroll_area(parent: QWidget, *, sideways: bool = True) -> QScrollArea:
    """Return a scroll area that gives its widget all its room and takes no keyboard focus."""
    scroll = QScrollArea(parent)
    scroll.setWidgetResizable(True)
    scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    if not sideways:
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return scroll


def _lay(
    kind: type[Box],
    owner: QWidget | None,
    *parts: Part,
    margins: Margins | None = 0,
    spacing: int | None = None,
) -> Box:
    """Return a layout of parts: in a widget, or where that is None, for another layout around it.

    Args:
        kind: of layout.
        owner: the widget that the layout fills.
        parts: widgets and layouts, alone or in a pair with their share of the spare room; a number
            is the share of a gap.
        margins: px; None for those of the style.
        spacing: px between the parts; None for that of the style.
    """
    layout = kind(owner) if owner is not None else kind()
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


lay_row = partial(_lay, QHBoxLayout)  # parts beside each other
lay_column = partial(_lay, QVBoxLayout)  # parts above each other


def restyle(widget: QWidget, name: str, value: str) -> None:
    """Set a property of a widget, and give it the look that the style sheet has for the value.

    By itself Qt looks into the style sheet only once.
    """
    if widget.property(name) != value:
        widget.setProperty(name, value)
        # Otherwise it gets its look when it is shown.
        if widget.testAttribute(Qt.WidgetAttribute.WA_WState_Polished):
            widget.style().unpolish(widget)
            widget.style().polish(widget)
            widget.updateGeometry()
