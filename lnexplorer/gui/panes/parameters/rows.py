"""Rows of the form, each with a slider, a field and a button for automatic, and their sections.

All fields take any text that might become a value.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QLineEdit,
    QSizePolicy,
    QSlider,
    QSpinBox,
    QToolButton,
    QWidget,
)

from lnexplorer.domain.parameters import Parameter
from lnexplorer.domain.ranges import write_values
from lnexplorer.gui.kit import (
    GRID,
    Choice,
    ElidedLabel,
    Label,
    Retranslated,
    Wheelless,
    at_least_with_text,
    lay_column,
    restyle,
    translate_message,
    with_text,
)
from lnkernels.launch.source import KernelSource, SettingValue
from lnkernels.values import Sentence, say, verbatim

Value: TypeAlias = int | float | str | bool
LARGEST = (1 << 31) - 1  # what a spin box can hold
FIELD_WIDTH = 15 * GRID // 2
FIELD_EDGES = 2 * GRID + 2
AUTOMATIC_WIDTH = 7 * GRID + 2
ROW_HEIGHT, LOW_HEIGHT = 4 * GRID, 7 * GRID // 2  # where there is room, and in a low pane
# Where the sliders end; the number beside them takes more. The interpreter needs about 3 ms a
# program.
ENDS = {
    "cuda": {"m": 1 << 17, "n": 1 << 16, "group_size_m": 1024, "repeats": 100},
    "interpreter": {"m": 1 << 10, "n": 1 << 14, "group_size_m": 256, "repeats": 20},
}
STEPS_AN_OCTAVE = 4


def slider_values(parameter: Parameter, backend: str) -> tuple[int, ...]:
    """The values at the positions of a parameter's slider, rising; none where it is of no use."""
    if parameter.type is not int or parameter.minimum is None or parameter.maximum is None:
        return ()
    first, last = parameter.minimum, parameter.maximum
    if parameter.power_of_two:
        return tuple(1 << k for k in range(last.bit_length()) if 1 << k >= first)
    if last <= 16:
        return tuple(range(first, last + 1))
    end = ENDS[backend].get(parameter.name)
    if end is None:
        return ()
    starts = (1 << octave for octave in range(end.bit_length()))
    steps = {
        start + start * step // STEPS_AN_OCTAVE
        for start in starts
        for step in range(STEPS_AN_OCTAVE)
    }
    return tuple(sorted(value for value in steps | {end} if first <= value <= end))


def nearest(values: tuple[int, ...], value: int) -> int:
    """The position whose value is nearest to `value`, by ratio."""
    return min(
        range(len(values)),
        key=lambda place: abs(math.log((max(value, 0) + 1) / (values[place] + 1))),
    )


class Slider(Wheelless, QSlider):
    """A horizontal slider over the values of a parameter."""

    edited = Signal(object)
    settled = Signal()  # the hand or the key that moved it has let go

    def __init__(self, parameter: Parameter, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._parameter = parameter
        self.values: tuple[int, ...] = ()  # at its positions
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setPageStep(4)
        self.set_backend("interpreter")
        self.valueChanged.connect(lambda place: self.edited.emit(self.values[place]))
        self.sliderReleased.connect(self.settled)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        super().keyReleaseEvent(event)
        if not event.isAutoRepeat():
            self.settled.emit()

    def set_backend(self, backend: str) -> None:
        """End where this backend's runs get long. Without values the slider is of no use."""
        self.values = slider_values(self._parameter, backend)
        with QSignalBlocker(self):
            self.setRange(0, len(self.values) - 1)

    def show_value(self, value: int) -> None:
        """Show the position nearest to a value, without reporting it."""
        with QSignalBlocker(self):
            self.setValue(nearest(self.values, value))


class Undoing:
    """Stands before a field's own base: Ctrl+Z is the field's while something is being typed, else
    the window's.
    """

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            line = self if isinstance(self, QLineEdit) else self.lineEdit()  # type: ignore[attr-defined]
            undo = event.matches(QKeySequence.StandardKey.Undo) or event.matches(
                QKeySequence.StandardKey.Redo
            )
            if undo and not line.isUndoAvailable():
                return False
        return super().event(event)  # type: ignore[misc,no-any-return]


class IntegerField(Undoing, Wheelless, QSpinBox):
    """Whole numbers. Values that the parameter does not allow can be typed; the form says what is
    wrong with them.
    """

    edited = Signal(object)

    def __init__(self, parameter: Parameter) -> None:
        super().__init__()
        self._doubling = parameter.power_of_two
        self.setRange(0, LARGEST)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccelerated(True)
        self.valueChanged.connect(self.edited.emit)

    def show_value(self, value: Value) -> None:
        """Show a value without reporting it; a request from elsewhere may have a negative one."""
        with QSignalBlocker(self):
            shown = min(max(int(value), -LARGEST), LARGEST)
            self.setMinimum(min(shown, 0))
            self.setValue(shown)

    def stepBy(self, steps: int) -> None:
        if not self._doubling:
            super().stepBy(steps)
            return
        exponent = max(self.value(), 1).bit_length() - 1 + steps
        self.setValue(1 << min(max(exponent, 0), 30))


class NumberField(Undoing, QLineEdit):
    """Any number, such as 1e-5. What is no number is reported as NaN, which no parameter takes."""

    edited = Signal(object)

    def __init__(self, _parameter: Parameter) -> None:
        super().__init__()
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.textEdited.connect(lambda text: self.edited.emit(_number(text)))

    def value(self) -> Value:
        return _number(self.text())

    def show_value(self, value: Value) -> None:
        """Show a value without reporting it; what is being typed and means the same is left as it
        is.
        """
        if _number(self.text()) != value and not (isinstance(value, float) and math.isnan(value)):
            self.setText(f"{value:g}")


class ChoiceField(Choice):
    """A field for one of a few words, or for on and off."""

    edited = Signal(object)

    def __init__(self, parameter: Parameter) -> None:
        super().__init__()
        if parameter.type is bool:
            self.offer(True, say("on"))
            self.offer(False, say("off"))
        for value in parameter.choices:
            self.offer(value, value)
        self.activated.connect(lambda _index: self.edited.emit(self.value()))

    def show_value(self, value: Value) -> None:
        """Show a value without reporting it."""
        place = self.findData(value)
        if place >= 0:
            self.setCurrentIndex(place)

    def value(self) -> Value:
        value: Value = self.currentData()
        return value


Field: TypeAlias = IntegerField | NumberField | ChoiceField


FIELDS: dict[type, type[Field]] = {
    int: IntegerField,
    float: NumberField,
    str: ChoiceField,
    bool: ChoiceField,
}


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


class ParameterRow(Retranslated, QWidget):
    """Name, slider, field and button of one parameter; below them a note, or why its value is
    refused.
    """

    edited = Signal(str, object)  # name of the parameter; the value, None for automatic
    settled = Signal()  # it has its value: what comes now is another change

    def __init__(self, parameter: Parameter) -> None:
        super().__init__()
        self.parameter = parameter
        self._value: Value | None = None
        self._has_room = True
        self.label = ElidedLabel(self)
        self.note = Label(self, look="muted", wordWrap=True, visible=False)
        self.refusal = Label(self, look="refusal", wordWrap=True, visible=False)
        self.field: Field = FIELDS[parameter.type](parameter)
        self.label.setBuddy(self.field)
        self.label.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.slider = Slider(parameter, self)
        self.automatic = QCheckBox(self)
        self._grid = QGridLayout(self)
        self._lay_out()
        self.field.edited.connect(self._on_edited)
        if not isinstance(self.field, ChoiceField):
            self.field.editingFinished.connect(self.settled)
        self._write_texts()

    def fit_text(self) -> None:
        """Make room for text of the size that is in use, and for the number that is shown."""
        if self.slider.values:
            text = self.field.fontMetrics().horizontalAdvance(str(self.field.value()))
            self.field.setFixedWidth(max(with_text(FIELD_WIDTH), text + FIELD_EDGES))
        self.automatic.setFixedWidth(at_least_with_text(AUTOMATIC_WIDTH))
        self._grid.setColumnMinimumWidth(3, at_least_with_text(AUTOMATIC_WIDTH))
        height = ROW_HEIGHT if self._has_room else LOW_HEIGHT
        self._grid.setRowMinimumHeight(0, with_text(height))

    def show_value(self, given: Value | None, effective: Value | None) -> None:
        """Show the value that was given, or the one that the heuristics choose; None where they
        cannot.
        """
        self._value = given
        shown = effective if given is None else given
        if shown is not None:
            self.field.show_value(shown)
            if self.slider.values and isinstance(shown, int):
                self.slider.show_value(shown)
                self.fit_text()
        self.automatic.setChecked(given is None)
        self._restyle()

    def show_refusal(self, reason: str) -> None:
        """Say under the field why its value is refused; the empty text takes it back."""
        self.refusal.setText(reason)
        self.refusal.setVisible(bool(reason))
        self._show_note()
        self._restyle()

    def show_note(self, text: str) -> None:
        """Say under the field what its value means; a refusal takes its place."""
        self.note.setText(text)
        self.field.setToolTip(text or translate_message(self.parameter.help or ""))
        self._show_note()

    def set_room(self, room: bool) -> None:
        """Say whether there is room for the note, and for air."""
        if room is not self._has_room:
            self._has_room = room
            self._show_note()
            self.fit_text()

    def _show_note(self) -> None:
        self.note.setVisible(self._has_room and bool(self.note.text()) and self.refusal.isHidden())

    def _write_texts(self) -> None:
        label, sentence = self.parameter.label, self.parameter.help
        self.write(self.label.setText, label)  # first: it makes the text the tooltip
        for widget in (self.label, self.field, self.slider):
            self.write_on(widget, tip=sentence or label, name=label)
            self.write(widget.setAccessibleDescription, sentence or "")
        self.write_on(
            self.automatic,
            say("auto"),
            say("Ticked: the heuristics choose this value. Untick to take it over."),
            say("{label}: automatic", label=label),
        )

    def _lay_out(self) -> None:
        grid = self._grid
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(GRID)
        grid.setVerticalSpacing(0)
        grid.setColumnStretch(1, 1)
        grid.addWidget(self.label, 0, 0)
        if self.slider.values:
            grid.addWidget(self.slider, 0, 1)
            grid.addWidget(self.field, 0, 2)
        else:
            grid.addWidget(self.field, 0, 1, 1, 2)
            self.slider.hide()
        self.slider.edited.connect(self._on_edited)
        self.slider.settled.connect(self.settled)
        self.automatic.clicked.connect(self._on_automatic)
        grid.addWidget(self.automatic, 0, 3)
        if not self.parameter.automatic:
            self.automatic.hide()
        grid.addWidget(self.note, 1, 0, 1, 4)
        grid.addWidget(self.refusal, 2, 0, 1, 4)
        self.fit_text()

    def _on_edited(self, value: Value | None) -> None:
        self.edited.emit(self.parameter.name, value)

    def _on_automatic(self, automatic: bool) -> None:
        self._on_edited(None if automatic else self.field.value())

    def _restyle(self) -> None:
        state = "automatic" if self._value is None else "given"
        if not self.refusal.isHidden():
            state = "refused"
        for widget in (self.field, self.slider):
            restyle(widget, "state", state)


class ParameterSection(Retranslated, QWidget):
    """A group of rows under a heading that opens and closes it."""

    def __init__(self, *, open_at_first: bool = True) -> None:
        super().__init__()
        self.heading = QToolButton(self)
        self.heading.setCheckable(True)
        self.heading.setChecked(open_at_first)
        self.heading.setProperty("look", "section")
        self.heading.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.heading.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.heading.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.body = QWidget(self)
        self.rows = lay_column(self.body, margins=(GRID // 2, 0, 0, GRID // 2), spacing=0)
        lay_column(self, self.heading, self.body, spacing=0)
        self.heading.toggled.connect(self._fold)
        self._fold(open_at_first)

    def fit_text(self, rows: Sequence[ParameterRow]) -> None:
        """Make all labels of its rows as wide as the widest, so that their sliders are as long as
        they can be.
        """
        widest = max((row.label.sizeHint().width() for row in rows), default=0)
        for row in rows:
            row.label.setFixedWidth(widest + GRID // 2)
            row.fit_text()

    def show_title(self, title: Sentence) -> None:
        self.write_on(self.heading, title, say("Show or hide: {title}", title=title), title)

    def _fold(self, opened: bool) -> None:
        self.body.setVisible(opened)
        self.heading.setArrowType(Qt.ArrowType.DownArrow if opened else Qt.ArrowType.RightArrow)


class KernelSection(ParameterSection):
    """The settings of the user's own kernel that have several values."""

    changed = Signal(object)  # KernelSource, with another value of one

    def __init__(self) -> None:
        super().__init__()
        self.settings: dict[str, ParameterRow] = {}
        self._kernel: KernelSource | None = None
        # Values of each setting by their texts.
        self._offered: dict[str, dict[str, SettingValue]] = {}
        self.hide()

    def show_kernel(self, kernel: KernelSource | None) -> None:
        offered = {
            name: {write_values((value,)): value for value in values}
            for name, values in (kernel.offered if kernel is not None else ())
            if len(values) > 1
        }
        if offered != self._offered:
            for row in self.settings.values():
                row.setParent(None)
                row.deleteLater()
            self.settings = {name: self._make_row(name, tuple(offered[name])) for name in offered}
        self._kernel = kernel
        self._offered = offered
        self.setVisible(bool(offered))
        if kernel is not None:
            self.show_title(verbatim(kernel.name))
            for name, row in self.settings.items():
                row.show_value(write_values((dict(kernel.settings)[name],)), None)

    def _make_row(self, name: str, texts: tuple[str, ...]) -> ParameterRow:
        parameter = Parameter(
            name=name, label=verbatim(name), group="", type=str, help=None, choices=texts
        )
        row = ParameterRow(parameter)
        row.edited.connect(self._on_edited)
        # However long its texts are.
        row.field.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.rows.addWidget(row)
        return row

    def _on_edited(self, name: str, text: str) -> None:
        if self._kernel is not None:
            chosen = dict(self._kernel.settings) | {name: self._offered[name][text]}
            self.changed.emit(replace(self._kernel, settings=tuple(chosen.items())))
