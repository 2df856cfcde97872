"""Fields of the form: a parameter that is varied, with its values, and boxes to tick."""

from collections.abc import Collection, Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QLineEdit, QWidget

from lnexplorer.domain import wording
from lnexplorer.domain.parameters import BY_NAME, PARAMETERS, owner_of
from lnexplorer.domain.ranges import Value, read_setting, read_values, write_values
from lnexplorer.domain.sweep.request import WORTH_TRYING, Axis
from lnexplorer.gui.kit import GRID, Choice, Retranslated, lay_row, restyle
from lnkernels.launch import Problem
from lnkernels.launch.source import SettingValue
from lnkernels.values import Sentence, Words, say

# What a parameter starts with when it is chosen, where no values of it are worth trying by
# themselves.
FIRST_VALUES = {
    "m": "1024:16384:x2",
    "n": "1024:15872:512",
    "slices": "1:16:x2",
    "forward_grid_per_sm": "0,1,2,4,8",
    "seed": "0:9",
}
VARIED = tuple(
    parameter.name for parameter in PARAMETERS if parameter.name not in {"strategy", "repeats"}
)


def usual_values(name: str) -> str:
    parameter = BY_NAME[name]
    if name in WORTH_TRYING:
        return write_values(WORTH_TRYING[name])
    flags = "on,off" if parameter.type is bool else ""
    return FIRST_VALUES.get(name) or ",".join(parameter.choices) or flags


class AxisField(Retranslated, QWidget):
    """A parameter to vary, and its values as text."""

    edited = Signal()

    def __init__(self, *, optional: bool) -> None:
        super().__init__()
        self._own: Mapping[str, tuple[SettingValue, ...]] = {}  # settings of the user's own kernel
        self.choice = self.write_on(
            Choice(),
            tip=say("The parameter that takes several values"),
            name=say("Parameter to vary"),
        )
        self.values = self.write_on(
            QLineEdit(placeholderText="1024:15872:512"),
            tip=say(
                "A list A,B,C, a range START:STOP:STEP with its STOP, or START:STOP:x2, which"
                " doubles; automatic is a value, too"
            ),
            name=say("Values"),
        )
        self.choice.setMinimumContentsLength(9)
        self.choice.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        if optional:
            self.choice.offer(None, say("nothing else"))
        for name in VARIED:
            self.choice.offer(name, wording.setting_label(name))
        lay_row(self, (self.choice, 2), (self.values, 3), spacing=GRID)
        self.choice.activated.connect(self._on_chosen)
        self.values.textEdited.connect(lambda _text: self.edited.emit())
        self.set_axis(None)

    @property
    def name(self) -> str | None:
        """The parameter; None where nothing is varied here."""
        name: str | None = self.choice.currentData()
        return name

    def offer_settings(self, own: Mapping[str, tuple[SettingValue, ...]]) -> None:
        """Offer the settings of a user kernel, with their values. One that is varied here stays."""
        for name in set(self._own) - set(own) - {self.name}:
            self.choice.removeItem(self.choice.findData(name))
        self._own = own
        for name in own:
            self._add(name)

    def set_axis(self, axis: Axis | None) -> None:
        if axis is not None and owner_of(axis.name):
            self._add(axis.name)
        self.choice.choose(None if axis is None else axis.name)
        self._show_values("" if axis is None else write_values(axis.values))
        self.refuse(False)

    def axis(self) -> Axis | Problem | None:
        """Return the axis; a problem where the text names no values, None if nothing is varied."""
        if self.name is None:
            return None
        found: tuple[Value, ...] | Problem
        if owner_of(self.name):
            found = read_setting(self.name, self.values.text(), self._own.get(self.name, ()))
        else:
            found = read_values(BY_NAME[self.name], self.values.text())
        return found if isinstance(found, Problem) else Axis(name=self.name, values=found)

    def refuse(self, refused: bool) -> None:
        """Mark values with which something is wrong."""
        restyle(self.values, "state", "refused" if refused else "")

    def _add(self, name: str) -> None:
        if self.choice.findData(name) < 0:
            self.choice.addItem(name, name)

    def _on_chosen(self) -> None:
        name = self.name
        if name is not None and name in self._own:
            text = write_values(self._own[name])
        else:
            text = "" if name is None or owner_of(name) else usual_values(name)
        self._show_values(text)
        self.edited.emit()

    def _show_values(self, text: str) -> None:
        self.values.setText(text)
        self.values.setCursorPosition(0)
        self.values.setEnabled(self.name is not None)


class Checks(Retranslated, QWidget):
    """Boxes to tick in two columns, by key."""

    clicked = Signal(str)  # key of the box

    def __init__(self, texts: Mapping[str, tuple[Words, Sentence]]) -> None:
        """Make a box for each key, with its text and its tooltip."""
        super().__init__()
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(GRID // 2)
        self.boxes = {key: self.write_on(QCheckBox(), *each) for key, each in texts.items()}
        for place, (key, box) in enumerate(self.boxes.items()):
            grid.addWidget(box, place // 2, place % 2)
            box.clicked.connect(lambda _on, key=key: self.clicked.emit(key))

    @property
    def ticked(self) -> tuple[str, ...]:
        return tuple(key for key, box in self.boxes.items() if box.isChecked())

    def tick(self, keys: Collection[str]) -> None:
        """Tick these alone, without a signal."""
        for key, box in self.boxes.items():
            box.setChecked(key in keys)
