"""One parameter in the form: name, slider, field, and whether the heuristics choose."""

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QToolButton, QWidget

from lnexplorer.domain.parameters import Parameter
from lnexplorer.gui.charts.theme import GRID, with_text
from lnexplorer.gui.charts.widgets import restyle
from lnexplorer.gui.i18n.texts import domain_text
from lnexplorer.gui.parameters.editors import (
    ChoiceField,
    Field,
    IntegerField,
    Scale,
    Slider,
    Value,
    field_for,
    scale_for,
)

LABEL_WIDTH = 14 * GRID
FIELD_WIDTH = 10 * GRID
AUTOMATIC_WIDTH = 6 * GRID
ROW_HEIGHT = 4 * GRID


class ParameterRow(QObject):
    """The widgets of one parameter, placed in two rows of a grid; the second is for a refusal or a note."""

    edited = Signal(str, object)  # name of the parameter; the value, None for automatic

    def __init__(self, parameter: Parameter, parent: QWidget) -> None:
        super().__init__(parent)
        self.parameter = parameter
        self._scale: Scale | None = None
        self._value: Value | None = None
        self._grid: QGridLayout | None = None
        self._row = 0
        self.label = QLabel(parent)
        self.field: Field = field_for(parameter, parent)
        self.label.setBuddy(self.field)
        self.refusal = QLabel(parent)
        self.refusal.setWordWrap(True)
        self.refusal.setProperty("look", "refusal")
        self.refusal.hide()
        self.note = QLabel(parent)
        self.note.setWordWrap(True)
        self.note.setProperty("look", "muted")
        self.note.hide()
        self._shown = True
        self.slider = self._make_slider(parent)
        self.automatic = self._make_automatic(parent) if parameter.automatic else None
        self.field.edited.connect(self._take)
        self.set_backend("interpreter")
        self.retranslate()

    def place(self, grid: QGridLayout, row: int) -> None:
        """Put the widgets into the rows 2·row and 2·row + 1 of the grid."""
        self._grid, self._row = grid, row
        grid.addWidget(self.label, 2 * row, 0)
        if self.slider is None:
            grid.addWidget(self.field, 2 * row, 1, 1, 2)
        else:
            grid.addWidget(self.slider, 2 * row, 1)
            grid.addWidget(self.field, 2 * row, 2)
        if self.automatic is not None:
            grid.addWidget(self.automatic, 2 * row, 3)
        grid.addWidget(self.note, 2 * row + 1, 0, 1, 4)
        grid.addWidget(self.refusal, 2 * row + 1, 0, 1, 4)
        self.fit_text()

    def fit_text(self) -> None:
        """Make room for text of the size that is in use; every row has the same columns."""
        self.label.setFixedWidth(with_text(LABEL_WIDTH))
        if self.slider is not None:
            self.field.setFixedWidth(with_text(FIELD_WIDTH))
        if self.automatic is not None:
            self.automatic.setFixedWidth(with_text(AUTOMATIC_WIDTH))
        if self._grid is not None:
            self._grid.setRowMinimumHeight(2 * self._row, with_text(ROW_HEIGHT) if self._shown else 0)

    def set_backend(self, backend: str) -> None:
        """Let the slider end where this backend's runs get long."""
        self._scale = scale_for(self.parameter, backend)
        if self.slider is not None and self._scale is not None:
            self.slider.blockSignals(True)
            self.slider.setRange(0, self._scale.last)
            self.slider.blockSignals(False)

    def show_value(self, given: Value | None, effective: Value | None) -> None:
        """Show the value that was given, or the one that the heuristics choose; None where they cannot."""
        self._value = given
        shown = effective if given is None else given
        if shown is not None:
            self.field.show_value(shown)
            if self.slider is not None and self._scale is not None and isinstance(shown, int):
                self.slider.blockSignals(True)
                self.slider.setValue(self._scale.position(shown))
                self.slider.blockSignals(False)
        if self.automatic is not None:
            self.automatic.setChecked(given is None)
        self._restyle()

    def show_refusal(self, reason: str) -> None:
        """Say under the field why its value is refused; the empty text takes it back."""
        self.refusal.setText(reason)
        self.refusal.setVisible(bool(reason))
        self.note.setVisible(bool(self.note.text()) and not reason)
        self._restyle()

    def show_note(self, text: str) -> None:
        """Say under the field what its value means; a refusal takes its place."""
        self.note.setText(text)
        self.note.setVisible(bool(text) and self.refusal.isHidden())

    @property
    def shown(self) -> bool:
        """Whether the row is there, in a section that may be folded."""
        return self._shown

    def set_shown(self, shown: bool) -> None:
        """Show the row, or leave it out where its parameter has no meaning."""
        if shown == self._shown:
            return
        self._shown = shown
        for widget in (self.label, self.field, self.slider, self.automatic):
            if widget is not None:
                widget.setVisible(shown)
        self.fit_text()

    def retranslate(self) -> None:
        label, sentence = domain_text(self.parameter.label), domain_text(self.parameter.help)
        self.label.setText(label)
        for widget in (self.label, self.field, self.slider):
            if widget is not None:
                widget.setToolTip(sentence)
                widget.setAccessibleName(label)
                widget.setAccessibleDescription(sentence)
        if isinstance(self.field, ChoiceField):
            self.field.retranslate()
        if self.automatic is not None:
            self.automatic.setText(self.tr("auto"))
            self.automatic.setToolTip(self.tr("The heuristics choose this value. Press to take it over, or to give it back."))
            self.automatic.setAccessibleName(self.tr("{label}: automatic").format(label=label))

    def _make_slider(self, parent: QWidget) -> Slider | None:
        if scale_for(self.parameter, "interpreter") is None:
            return None
        slider = Slider(parent)
        slider.valueChanged.connect(self._slide)
        return slider

    def _make_automatic(self, parent: QWidget) -> QToolButton:
        button = QToolButton(parent)
        button.setCheckable(True)
        button.setChecked(True)
        button.setProperty("look", "automatic")
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.clicked.connect(self._toggle)
        return button

    def _slide(self, position: int) -> None:
        if self._scale is not None:
            self._take(self._scale.values[position])

    def _take(self, value: Value) -> None:
        self.edited.emit(self.parameter.name, value)

    def _toggle(self, automatic: bool) -> None:
        self.edited.emit(self.parameter.name, None if automatic else self._current())

    def _current(self) -> Value:
        if isinstance(self.field, IntegerField):
            return self.field.value()
        if isinstance(self.field, ChoiceField):
            index = self.field.currentIndex()
            return index == 0 if self.parameter.type is bool else self.parameter.choices[index]
        return float(self.field.text())

    def _restyle(self) -> None:
        state = "refused" if not self.refusal.isHidden() else "automatic" if self._value is None else "given"
        for widget in (self.field, self.slider):
            if widget is not None:
                restyle(widget, "state", state)
