"""One parameter to vary, or the settings that a search may choose from: names, and values as text."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QLabel, QLineEdit, QSizePolicy, QSpinBox, QWidget

from lnexplorer.domain.parameters import BY_NAME, GROUPS, LAUNCH_NAMES, PARAMETERS
from lnexplorer.domain.ranges import read_values, write_values
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.request import MOST_CELLS, Axis, SweepRequest
from lnexplorer.domain.sweep.space import WORTH_TRYING, open_settings
from lnexplorer.gui.charts.theme import GRID
from lnexplorer.gui.charts.widgets import restyle
from lnexplorer.gui.i18n.texts import domain_text
from lnexplorer.gui.i18n.translate import allowed_instead
from lnkernels.launch import Problem, belongs


def setting_label(name: str) -> str:
    """What people call a setting; of stage 2 with its stage, as others have the same names."""
    parameter = BY_NAME[name]
    return f"{parameter.label} ({domain_text(GROUPS['stage2'])})" if parameter.group == "stage2" else parameter.label


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
        restyle(self.values, "state", "refused" if text else "")

    def retranslate(self) -> None:
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


USUAL_MOST = 150
# Stage 2 last, under its own head, as others have settings of the same names. Of these, those that are not worth trying
# by themselves, because they change results, are shown where a search has them.
NAMES = tuple(sorted((name for name in LAUNCH_NAMES if name != "strategy"), key=lambda name: BY_NAME[name].group == "stage2"))
STAGE2 = tuple(name for name in NAMES if BY_NAME[name].group == "stage2")


class SearchField(QWidget):
    """A number, and a tick and a line of values for each setting."""

    edited = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.most, self.most_text, self.stage2, self.error = QSpinBox(), QLabel(), QLabel(), QLabel()
        self.stage2.setProperty("look", "muted")
        self.most.setRange(1, MOST_CELLS)
        self.most.setValue(USUAL_MOST)
        self.most.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.ticks = {name: QCheckBox() for name in NAMES}
        self.values = {name: QLineEdit(_usual(name)) for name in NAMES}
        self._wished: frozenset[str] = frozenset()
        self._strategy = ""
        self.error.setProperty("look", "refusal")
        self.error.setWordWrap(True)
        self.error.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._lay_out()
        for name in NAMES:
            self.ticks[name].setChecked(name in WORTH_TRYING)
            self.ticks[name].toggled.connect(lambda on, name=name: self._on_ticked(name, on))
            self.values[name].textEdited.connect(lambda _text: self.edited.emit())
            self.values[name].textChanged.connect(lambda _text, name=name: self._name_values(name))
        self.most.valueChanged.connect(lambda _value: self.edited.emit())
        self.set_strategy("locked")
        self.retranslate()

    def set_strategy(self, strategy: str) -> None:
        """Whose settings these are; others are not offered."""
        if strategy == self._strategy:
            return
        self._strategy = strategy
        for name in NAMES:
            offered = belongs(name, strategy) and (name in WORTH_TRYING or name in self._wished)
            self.ticks[name].setVisible(offered)
            self.values[name].setVisible(offered)
        self.stage2.setVisible(any(not self.ticks[name].isHidden() for name in STAGE2))

    def set_search(self, sweep: SweepRequest) -> None:
        """Show a search without reporting it."""
        found = open_settings(sweep)
        self._wished = frozenset(axis.name for axis in sweep.axes)
        with QSignalBlocker(self):
            self.most.setValue(sweep.search)
            for name in NAMES:
                values = found.get(name, (None,))
                is_open = name in found and values != (None,)
                self.ticks[name].setChecked(is_open)
                self.values[name].setText(write_values(values) if is_open else _usual(name))
                self.values[name].setCursorPosition(0)
                self.values[name].setEnabled(is_open)
        self._strategy = ""
        self.set_strategy(sweep.strategies[0])
        self._show_problems({})

    def read(self, base: RunRequest) -> tuple[RunRequest, tuple[Axis, ...]] | None:
        """What is held fixed and what is varied, of what would be held fixed; None where something is wrong, which is
        shown.
        """
        open_: dict[str, Any] = {}
        axes: list[Axis] = []
        problems: dict[str, Problem] = {}
        for name in NAMES:
            if self.ticks[name].isHidden():
                continue
            fixed = base.value(name)
            if not self.ticks[name].isChecked():
                # What is automatic would be open if nothing were said.
                axes += [Axis(name=name, values=(None,))] if fixed is None and name in WORTH_TRYING else []
                continue
            values = read_values(BY_NAME[name], self.values[name].text())
            if isinstance(values, Problem):
                problems[name] = values
            elif values != WORTH_TRYING.get(name):
                axes.append(Axis(name=name, values=values))
            open_[name] = None
        self._show_problems(problems)
        return None if problems else (base.changed(**open_), tuple(axes))

    def retranslate(self) -> None:
        self.stage2.setText(domain_text(GROUPS["stage2"]))
        self.most_text.setText(self.tr("settings at most"))
        self.most.setAccessibleName(self.tr("settings at most"))
        self.most.setToolTip(self.tr("It ends sooner where it no longer finds better: 40 settings without a surely faster one"))
        for name in NAMES:
            label = setting_label(name)
            self.ticks[name].setText(BY_NAME[name].label)
            self.ticks[name].setToolTip(self.tr("Whether the search chooses {name}; else it is held fixed").format(name=label))
            self.ticks[name].setAccessibleName(label)
            self._name_values(name)

    def _name_values(self, name: str) -> None:
        field, label = self.values[name], setting_label(name)
        words = self.tr("The values of {name} that it chooses from: {values}")
        field.setToolTip(words.format(name=label, values=field.text()))
        field.setAccessibleName(label)

    def _on_ticked(self, name: str, on: bool) -> None:
        self.values[name].setEnabled(on)
        self.edited.emit()

    def _show_problems(self, problems: dict[str, Problem]) -> None:
        self.error.setText(" ".join(f"{setting_label(name)}: {allowed_instead(problem)}" for name, problem in problems.items()))
        self.error.setVisible(bool(problems))
        for name, field in self.values.items():
            restyle(field, "state", "refused" if name in problems else "")

    def _lay_out(self) -> None:
        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setHorizontalSpacing(GRID)
        layout.setVerticalSpacing(GRID // 2)
        layout.setColumnStretch(0, 3)
        layout.setColumnStretch(1, 2)
        layout.addWidget(self.most_text, 0, 0)
        layout.addWidget(self.most, 0, 1)
        for name in NAMES:
            if name == STAGE2[0]:
                layout.addWidget(self.stage2, layout.rowCount(), 0, 1, 2)
            row = layout.rowCount()
            layout.addWidget(self.ticks[name], row, 0)
            layout.addWidget(self.values[name], row, 1)
        layout.addWidget(self.error, layout.rowCount(), 0, 1, 2)
        self.error.hide()


def _usual(name: str) -> str:
    parameter = BY_NAME[name]
    values: Sequence[object] = WORTH_TRYING.get(name, parameter.choices)
    return write_values(tuple(values)) if values else "on,off" if parameter.type is bool else ""  # type: ignore[arg-type]
