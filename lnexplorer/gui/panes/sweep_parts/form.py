"""What a sweep tries: one or two parameters, strategies and peers, passes, effort. Everything else is held fixed."""

from dataclasses import replace

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from lnexplorer.domain.measuring import DIRECTIONS, MODES
from lnexplorer.domain.parameters import BY_NAME
from lnexplorer.domain.ranges import write_values
from lnexplorer.domain.request import RunRequest, changed_fields
from lnexplorer.domain.sweep.request import EFFORTS, Axis, SweepRequest, check_sweep
from lnexplorer.gui.i18n.efforts import effort_help, efforts_help
from lnexplorer.gui.i18n.refusals import refusal
from lnexplorer.gui.panes.sweep_parts.axis_field import AxisField
from lnexplorer.gui.plots.throughput_chart import provider_label
from lnexplorer.gui.style import with_text
from lnexplorer.gui.theme import GRID
from lnkernels.launch import STRATEGIES, Problem

PEERS = ("torch", "torch.compile", "liger", "quack", "apex")
WIDTH = 37 * GRID


class SweepForm(QWidget):
    """Shows a sweep and reads it back. It never runs anything."""

    edited = Signal()
    baseWanted = Signal()  # noqa: N815  # the parameters of the window

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._base = RunRequest()
        self._search = 0
        self.axes = (AxisField(optional=False), AxisField(optional=True))
        self.strategies = {name: QCheckBox(name) for name in STRATEGIES}
        self.peers = {name: QCheckBox(provider_label(name)) for name in PEERS}
        self.directions = {name: QCheckBox() for name in DIRECTIONS}
        self.mode, self.effort = QComboBox(), QComboBox()
        self.waits, self.all_gpus = QCheckBox(), QCheckBox()
        self.all_gpus.setChecked(True)
        self.fixed, self.error = QLabel(), QLabel()
        self.take = QPushButton()
        self.heads = {name: QLabel() for name in ("vary", "and", "strategies", "peers", "passes", "timing", "fixed")}
        self._lay_out()
        self.offer_gpus(0)
        self._connect()
        self.retranslate()

    def set_sweep(self, sweep: SweepRequest) -> None:
        """Show a sweep without reporting it."""
        self._base, self._search = sweep.base, sweep.search
        for place, field in enumerate(self.axes):
            field.set_axis(sweep.axes[place] if place < len(sweep.axes) else None)
        groups = ((self.strategies, sweep.strategies), (self.peers, sweep.providers), (self.directions, sweep.directions))
        for boxes, chosen in groups:
            for name, box in boxes.items():
                box.blockSignals(True)
                box.setChecked(name in chosen)
                box.blockSignals(False)
        self.mode.setCurrentIndex(max(self.mode.findData(sweep.modes[0]), 0))
        self.effort.setCurrentIndex(max(self.effort.findData(sweep.effort), 0))
        with QSignalBlocker(self.waits):
            self.waits.setChecked(sweep.waits)
        self.error.hide()
        self._show_fixed()

    def set_base(self, request: RunRequest) -> None:
        """Hold these parameters fixed; those that are varied are not looked at."""
        self._base = request
        self._show_fixed()

    def offer_gpus(self, count: int) -> None:
        """How many GPUs there are to spread a sweep over; the choice shows where there are several."""
        self.all_gpus.setText(self.tr("all {count} GPUs").format(count=count))
        self.all_gpus.setAccessibleName(self.all_gpus.text())
        self.all_gpus.setToolTip(self.tr("One setting at a time on each; the device stands in every row"))
        self.all_gpus.setVisible(count > 1)

    def sweep(self) -> SweepRequest | None:
        """The sweep; None where something is wrong, which the form says in place."""
        found = [field.axis() for field in self.axes]
        for field, axis in zip(self.axes, found, strict=True):
            field.show_error(refusal(axis) if isinstance(axis, Problem) else "")
        axes = tuple(axis for axis in found if isinstance(axis, Axis))
        varied = {axis.name: getattr(RunRequest(), axis.name) for axis in axes}
        sweep = SweepRequest(
            base=replace(self._base, strategy=RunRequest().strategy, repeats=1, **varied),
            axes=axes,
            strategies=tuple(name for name, box in self.strategies.items() if box.isChecked()),
            providers=tuple(name for name, box in self.peers.items() if box.isChecked()),
            directions=tuple(name for name, box in self.directions.items() if box.isChecked()),
            modes=(self.mode.currentData(),),
            effort=self.effort.currentData(),
            waits=self.waits.isChecked(),
        )
        problems = check_sweep(sweep)
        # What is wrong with one axis stands below it, the rest below everything.
        for field in self.axes:
            own = [problem for problem in problems if problem.field == field.name]
            if own:
                field.show_error(refusal(own[0]))
        names = {field.name for field in self.axes}
        rest = [self._sentence(problem) for problem in problems if problem.field not in names]
        self.error.setText(" ".join(rest))
        self.error.setVisible(bool(rest))
        wrong = bool(problems) or any(isinstance(axis, Problem) for axis in found)
        return None if wrong else sweep

    def retranslate(self) -> None:
        """Set all texts in the current language."""
        heads = {
            "vary": self.tr("Vary"),
            "and": self.tr("and"),
            "strategies": self.tr("Strategies"),
            "peers": self.tr("Beside them"),
            "passes": self.tr("Passes"),
            "timing": self.tr("Timing"),
            "fixed": self.tr("Held fixed"),
        }
        for name, text in heads.items():
            self.heads[name].setText(text)
        passes = {"forward": self.tr("forward"), "backward": self.tr("backward")}
        for name, box in self.directions.items():
            box.setText(passes[name])
            box.setToolTip(self.tr("Time and check this pass"))
        for name, box in self.strategies.items():
            box.setToolTip(self.tr("Rows of strategy {name}").format(name=name))
        for name, box in self.peers.items():
            box.setToolTip(self.tr("Rows of {name}, timed in turns with the strategies").format(name=provider_label(name)))
        for box in (*self.strategies.values(), *self.peers.values(), *self.directions.values()):
            box.setAccessibleName(box.text())
        modes = {
            "kernel_cold": self.tr("Kernel, cold L2"),
            "kernel_warm": self.tr("Kernel, warm L2"),
            "autograd": self.tr("autograd path"),
        }
        efforts = {"quick": self.tr("quick: ±1 %"), "normal": self.tr("normal: ±0.25 %"), "thorough": self.tr("thorough: ±0.1 %")}
        for combo, texts in ((self.mode, modes), (self.effort, efforts)):
            for index in range(combo.count()):
                combo.setItemText(index, texts[combo.itemData(index)])
        self.mode.setToolTip(self.tr("What is timed"))
        self.effort.setToolTip(efforts_help())
        for index in range(self.effort.count()):
            self.effort.setItemData(index, effort_help(self.effort.itemData(index)), Qt.ItemDataRole.ToolTipRole)
        self.mode.setAccessibleName(self.tr("What is timed"))
        self.effort.setAccessibleName(self.tr("Effort"))
        self.waits.setText(self.tr("lock waits, too"))
        self.waits.setToolTip(self.tr("On a GPU, trace each setting of strategy locked once: how long a row waits for its lock"))
        self.waits.setAccessibleName(self.waits.text())
        self.take.setText(self.tr("From Parameters"))
        self.take.setToolTip(self.tr("Hold fixed what the Parameters pane shows"))
        self.take.setAccessibleName(self.take.text())
        for field in self.axes:
            field.retranslate()
        self._show_fixed()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follow the language."""
        if event.type() is QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def restyle(self) -> None:
        """Follow the size of the text."""
        self.setMinimumWidth(with_text(WIDTH))

    def _sentence(self, problem: Problem) -> str:
        return self.tr("{field} = {value} is not possible. {allowed}.").format(
            field=problem.field, value=problem.value, allowed=refusal(problem)
        )

    def _show_fixed(self) -> None:
        varied = {field.name for field in self.axes}
        given = {
            name: value for name, value in changed_fields(self._base).items() if name not in varied | {"strategy", "repeats"}
        }
        words = [f"{BY_NAME[name].label} = {write_values((value,))}" for name, value in given.items()]  # type: ignore[arg-type]
        words += [] if "dtype" in varied | set(given) else [f"dtype = {self._base.dtype}"]
        self.fixed.setText(self.tr("{settings}; the rest is automatic").format(settings=", ".join(words)))

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, GRID, GRID, GRID)
        layout.setSpacing(GRID // 2)
        for label in self.heads.values():
            label.setProperty("look", "muted")
        for label, look in ((self.fixed, "strong"), (self.error, "refusal")):
            label.setProperty("look", look)
            label.setWordWrap(True)
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.fixed.setProperty("look", "")
        self.error.hide()
        for mode in MODES:
            self.mode.addItem("", mode)
        for effort in EFFORTS:
            self.effort.addItem("", effort)
        for combo in (self.mode, self.effort):
            combo.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        parts: list[tuple[str, list[QWidget]]] = [
            ("vary", [self.axes[0]]),
            ("and", [self.axes[1]]),
            ("strategies", list(self.strategies.values())),
            ("peers", list(self.peers.values())),
            ("passes", list(self.directions.values())),
            ("timing", [self.mode, self.effort, self.waits, self.all_gpus]),
            ("fixed", [self.fixed, self.take]),
        ]
        for name, widgets in parts:
            layout.addWidget(self.heads[name])
            if isinstance(widgets[0], QCheckBox):
                grid = QGridLayout()
                grid.setSpacing(GRID // 2)
                for index, widget in enumerate(widgets):
                    grid.addWidget(widget, index // 2, index % 2)
                layout.addLayout(grid)
            else:
                for widget in widgets:
                    layout.addWidget(widget)
            layout.addSpacing(GRID // 2)
        layout.addWidget(self.error)
        layout.addStretch(1)

    def _connect(self) -> None:
        for field in self.axes:
            field.edited.connect(self._on_edited)
        for box in (*self.strategies.values(), *self.peers.values(), *self.directions.values()):
            box.toggled.connect(lambda _on: self._on_edited())
        self.waits.toggled.connect(lambda _on: self._on_edited())
        self.mode.activated.connect(lambda _index: self._on_edited())
        self.effort.activated.connect(lambda _index: self._on_edited())
        self.take.clicked.connect(self.baseWanted)

    def _on_edited(self) -> None:
        self._show_fixed()
        self.edited.emit()
