"""Fields for one value: whole number, number, choice, on or off. All take any text that might become a value."""

import math
from typing import TypeAlias

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QLineEdit, QSlider, QSpinBox, QWidget

from lnexplorer.domain.parameters import Parameter

Value: TypeAlias = int | float | str | bool
LARGEST = (1 << 31) - 1  # what a spin box can hold


class Slider(QSlider):
    """A horizontal slider that leaves the wheel to the page around it until it has the focus."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setPageStep(4)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        """Scroll the page, or move the slider once it is in use."""
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

    def stepBy(self, steps: int) -> None:  # noqa: N802
        """Up and down keys: by one, or to the next power of two."""
        if not self._doubling:
            super().stepBy(steps)
            return
        exponent = max(self.value(), 1).bit_length() - 1 + steps
        self.setValue(1 << min(max(exponent, 0), 30))

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        """Scroll the page, or change the number once it is in use."""
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
        """Words for on and off; the other choices are names."""
        for index, value in enumerate(self._values):
            if isinstance(value, bool):
                self.setItemText(index, self.tr("on") if value else self.tr("off"))

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        """Scroll the page, or change the choice once it is in use."""
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
