"""One parameter to vary: which, and its values as text, with what is wrong with them below."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel, QLineEdit, QSizePolicy, QWidget

from lnexplorer.domain.parameters import BY_NAME, PARAMETERS
from lnexplorer.domain.ranges import read_values, write_values
from lnexplorer.domain.sweep.request import Axis
from lnexplorer.gui.shell.theme import GRID
from lnkernels.launch import Problem

# What a parameter starts with when it is chosen, for those whose range says little.
FIRST_VALUES = {
    "m": "1024:16384:x2",
    "n": "1024:15872:512",
    "group_size_m": "1:256:x2",
    "block_size": "256:16384:x2",
    "num_warps": "1:32:x2",
    "reduce_block_size_m": "16:128:x2",
    "reduce_block_size_n": "32:256:x2",
    "reduce_num_warps": "1:8:x2",
    "rows": "1:16:x2",
    "forward_rows": "1:16:x2",
    "forward_num_warps": "1:32:x2",
    "programs_per_sm": "1:8:x2",
    "slices": "1:16:x2",
    "forward_grid_per_sm": "0,1,2,4,8",
    "seed": "0:9",
    "repeats": "1",
}
VARIED = tuple(parameter.name for parameter in PARAMETERS if parameter.name not in {"strategy", "repeats"})


class AxisField(QWidget):
    """A choice and a line of text."""

    edited = Signal()

    def __init__(self, *, optional: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._optional = optional
        self.choice, self.values, self.error = QComboBox(), QLineEdit(), QLabel()
        self.error.setProperty("look", "refusal")
        self.error.setWordWrap(True)
        self.error.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.error.hide()
        self.choice.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        if optional:
            self.choice.addItem("", None)
        for name in VARIED:
            self.choice.addItem(BY_NAME[name].label, name)
        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setHorizontalSpacing(GRID)
        layout.setVerticalSpacing(GRID // 2)
        layout.addWidget(self.choice, 0, 0)
        layout.addWidget(self.values, 0, 1)
        layout.addWidget(self.error, 1, 0, 1, 2)
        layout.setColumnStretch(0, 2)
        layout.setColumnStretch(1, 3)
        self.choice.activated.connect(self._on_chosen)
        self.values.textEdited.connect(lambda _text: self.edited.emit())
        self._show_values_field()

    @property
    def name(self) -> str | None:
        """The parameter; None where nothing is varied here."""
        name: str | None = self.choice.currentData()
        return name

    def set_axis(self, axis: Axis | None) -> None:
        """Show an axis without reporting it."""
        self.choice.setCurrentIndex(max(self.choice.findData(None if axis is None else axis.name), 0))
        self.values.setText("" if axis is None else write_values(axis.values))
        self.values.setCursorPosition(0)
        self._show_values_field()
        self.show_error("")

    def axis(self) -> Axis | Problem | None:
        """What is asked; a problem where the text names no values, None where nothing is varied here."""
        if self.name is None:
            return None
        found = read_values(BY_NAME[self.name], self.values.text())
        return found if isinstance(found, Problem) else Axis(name=self.name, values=found)

    def show_error(self, text: str) -> None:
        """Say what is wrong with the values; an empty text where nothing is."""
        self.error.setText(text)
        self.error.setVisible(bool(text))
        self.values.setProperty("state", "refused" if text else "")
        self.values.style().unpolish(self.values)
        self.values.style().polish(self.values)

    def retranslate(self) -> None:
        """Set the texts in the current language."""
        if self._optional:
            self.choice.setItemText(0, self.tr("nothing else"))
        self.choice.setAccessibleName(self.tr("Parameter to vary"))
        self.choice.setToolTip(self.tr("The parameter that takes several values"))
        self.values.setAccessibleName(self.tr("Values"))
        self.values.setPlaceholderText("1024:15872:512")
        self.values.setToolTip(
            self.tr(
                "A list A,B,C, a range START:STOP:STEP with its STOP, or START:STOP:x2, which doubles; automatic is a value, too"
            )
        )

    def _on_chosen(self) -> None:
        name = self.name
        if name is not None:
            parameter = BY_NAME[name]
            usual = ",".join(parameter.choices) if parameter.choices else "on,off" if parameter.type is bool else ""
            self.values.setText(FIRST_VALUES.get(name, usual))
            self.values.setCursorPosition(0)
        self._show_values_field()
        self.edited.emit()

    def _show_values_field(self) -> None:
        self.values.setEnabled(self.name is not None)
