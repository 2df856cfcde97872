"""Fields for one value: whole number, number, choice, on or off; and the values at a slider's positions.

All fields take any text that might become a value.
"""

import math
from bisect import bisect_left
from dataclasses import dataclass
from typing import TypeAlias

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QLineEdit, QSlider, QSpinBox, QWidget

from lnexplorer.domain.parameters import Parameter

Value: TypeAlias = int | float | str | bool
LARGEST = (1 << 31) - 1  # what a spin box can hold


# Where the sliders end; the number beside them takes more. The interpreter needs about 3 ms a program.
ENDS = {
    "cuda": {"m": 1 << 17, "n": 1 << 16, "group_size_m": 1024, "repeats": 100},
    "interpreter": {"m": 1 << 10, "n": 1 << 14, "group_size_m": 256, "repeats": 20},
}
STEPS_AN_OCTAVE = 4


@dataclass(frozen=True, slots=True)
class Scale:
    """The values at the positions 0, 1, 2 … of a slider, rising."""

    values: tuple[int, ...]

    @property
    def last(self) -> int:
        """The last position."""
        return len(self.values) - 1

    def position(self, value: int) -> int:
        """The position whose value is nearest to `value`, by ratio."""
        after = bisect_left(self.values, value)
        if after == 0:
            return 0
        if after > self.last:
            return self.last
        low, high = self.values[after - 1], self.values[after]
        return after if value * value >= low * high else after - 1


def scale_for(parameter: Parameter, backend: str) -> Scale | None:
    """The scale of a parameter's slider; None where a slider is of no use."""
    if parameter.type is not int or parameter.minimum is None or parameter.maximum is None:
        return None
    if parameter.power_of_two:
        return Scale(tuple(1 << k for k in range(parameter.maximum.bit_length()) if 1 << k >= parameter.minimum))
    if parameter.maximum <= 16:
        return Scale(tuple(range(parameter.minimum, parameter.maximum + 1)))
    end = ENDS[backend].get(parameter.name)
    return None if end is None else _octaves(parameter.minimum, end)


def _octaves(first: int, last: int) -> Scale:
    """Powers of two and, where there is room, three values between each two of them."""
    values = {last}
    for octave in range(last.bit_length()):
        start = 1 << octave
        values |= {start + start * step // STEPS_AN_OCTAVE for step in range(STEPS_AN_OCTAVE)}
    return Scale(tuple(sorted(value for value in values if first <= value <= last)))


class Slider(QSlider):
    """A horizontal slider that leaves the wheel to the page around it until it has the focus."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setPageStep(4)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class IntegerField(QSpinBox):
    """Whole numbers. Values that the parameter does not allow can be typed; the form says what is wrong with them."""

    edited = Signal(object)

    def __init__(self, parameter: Parameter, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._doubling = parameter.power_of_two
        self.setRange(0, LARGEST)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccelerated(True)
        self.valueChanged.connect(self.edited.emit)

    def show_value(self, value: Value) -> None:
        """Show a value without reporting it."""
        self.blockSignals(True)
        self.setValue(int(value))
        self.blockSignals(False)

    def stepBy(self, steps: int) -> None:
        if not self._doubling:
            super().stepBy(steps)
            return
        exponent = max(self.value(), 1).bit_length() - 1 + steps
        self.setValue(1 << min(max(exponent, 0), 30))

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class NumberField(QLineEdit):
    """Any number, such as 1e-5. What is no number is reported as NaN, which no parameter takes."""

    edited = Signal(object)

    def __init__(self, _parameter: Parameter, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.textEdited.connect(lambda text: self.edited.emit(_number(text)))

    def show_value(self, value: Value) -> None:
        """Show a value without reporting it; what is being typed and means the same is left as it is."""
        if _number(self.text()) != value and not (isinstance(value, float) and math.isnan(value)):
            self.setText(f"{value:g}")


class ChoiceField(QComboBox):
    """One of a few words, or on and off."""

    edited = Signal(object)

    def __init__(self, parameter: Parameter, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._values: tuple[Value, ...] = (True, False) if parameter.type is bool else parameter.choices
        self.addItems([str(value) for value in self._values])
        self.retranslate()
        self.activated.connect(lambda index: self.edited.emit(self._values[index]))

    def show_value(self, value: Value) -> None:
        """Show a value without reporting it."""
        if value in self._values:
            self.setCurrentIndex(self._values.index(value))

    def retranslate(self) -> None:
        for index, value in enumerate(self._values):
            if isinstance(value, bool):
                self.setItemText(index, self.tr("on") if value else self.tr("off"))

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


Field: TypeAlias = IntegerField | NumberField | ChoiceField


def field_for(parameter: Parameter, parent: QWidget | None = None) -> Field:
    """The field that suits a parameter's type."""
    if parameter.type is int:
        return IntegerField(parameter, parent)
    if parameter.type is float:
        return NumberField(parameter, parent)
    return ChoiceField(parameter, parent)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
