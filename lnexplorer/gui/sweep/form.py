"""What a sweep tries: a grid of one or two parameters, or what a search chooses from; whose, how well.

All else is fixed.
"""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from lnexplorer.domain.parameters import BY_NAME
from lnexplorer.domain.peers import KNOWN_PEERS, in_order
from lnexplorer.domain.ranges import write_values
from lnexplorer.domain.request import RunRequest, changed_fields
from lnexplorer.domain.sweep.request import EFFORTS, Axis, SweepRequest, check_sweep
from lnexplorer.domain.wording import provider_label
from lnexplorer.gui.charts.theme import GRID, Theme, with_text
from lnexplorer.gui.charts.widgets import Segments
from lnexplorer.gui.i18n.languages import Retranslated
from lnexplorer.gui.i18n.texts import effort_help, efforts_help
from lnexplorer.gui.i18n.translate import allowed_instead, translate_message
from lnexplorer.gui.sweep.fields import AxisField, SearchField
from lnkernels.launch import STRATEGIES, Problem
from lnkernels.values.environment import Offered
from lnkernels.values.figures import DIRECTIONS, MODES

COLUMNS = 2


class PeerBoxes(Retranslated, QWidget):
    """Shows a choice and reports every change of it. Strategies have boxes of their own, elsewhere."""

    toggled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._offered: tuple[Offered, ...] = ()
        self.boxes: dict[str, QCheckBox] = {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(GRID // 2)
        self._fill(())

    @property
    def chosen(self) -> tuple[str, ...]:
        """Who is chosen, in the order of the boxes."""
        return tuple(name for name, box in self.boxes.items() if box.isChecked())

    def choose(self, names: tuple[str, ...]) -> None:
        """Show a choice without reporting it; somebody who is not offered here gets a box, too."""
        self._fill(names)

    def set_offered(self, offered: tuple[Offered, ...]) -> None:
        """Who can be timed here, and who cannot; before a device is known, the usual ones are listed."""
        if offered != self._offered:
            self._offered = offered
            self._fill(self.chosen)

    def retranslate(self) -> None:
        missing = {one.name: one.missing for one in self._offered}
        for name, box in self.boxes.items():
            box.setText(self._label(name))
            box.setAccessibleName(box.text())
            help_ = self.tr("Rows of {name}, timed in turns with the strategies").format(name=box.text())
            if missing.get(name):
                help_ = self.tr("not here: {reason}").format(reason=translate_message(missing[name]))
            elif self._offered and name not in missing:
                help_ = self.tr("not here: no installed package provides it")
            box.setToolTip(help_)
            box.setAccessibleDescription(help_)
            # One that is missing can be taken out of a sweep that was made elsewhere, and not be put into one.
            here = not self._offered or (name in missing and missing[name] is None)
            box.setEnabled(here or box.isChecked())

    def _fill(self, chosen: tuple[str, ...]) -> None:
        own = {one.name for one in self._offered} - set(STRATEGIES)
        names = in_order({*chosen, *(own or KNOWN_PEERS)})
        if names != tuple(self.boxes):
            for box in self.boxes.values():
                self._grid.removeWidget(box)
                box.setParent(None)
                box.deleteLater()
            self.boxes = {name: self._box(place) for place, name in enumerate(names)}
        for name, box in self.boxes.items():
            with QSignalBlocker(box):
                box.setChecked(name in chosen)
        self.retranslate()

    def _box(self, place: int) -> QCheckBox:
        box = QCheckBox()
        box.toggled.connect(lambda _on: self._on_toggled())
        self._grid.addWidget(box, place // COLUMNS, place % COLUMNS)
        return box

    def _label(self, name: str) -> str:
        label = provider_label(name)
        return label if label != name else next((one.label for one in self._offered if one.name == name), name)

    def _on_toggled(self) -> None:
        self.retranslate()
        self.toggled.emit()


WIDTH = 37 * GRID


class SweepForm(Retranslated, QWidget):
    """Shows a sweep and reads it back. It never runs anything."""

    edited = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._base = RunRequest()
        self._needs = ""  # what a search lacks here
        self.kind, self.search = Segments(("grid", "search")), SearchField()
        self.axes = (AxisField(optional=False), AxisField(optional=True))
        self.strategies = {name: QCheckBox(name) for name in STRATEGIES}
        self.peers = PeerBoxes()
        self.directions: dict[str, QCheckBox] = {name: QCheckBox() for name in DIRECTIONS}
        self.modes: dict[str, QCheckBox] = {name: QCheckBox() for name in MODES}
        self._given_modes: tuple[str, ...] = ()  # of the sweep on show, in its order: a search goes by the first
        self.effort = QComboBox()
        self.waits, self.all_gpus = QCheckBox(), QCheckBox()
        self.all_gpus.setChecked(True)
        self.fixed, self.error = QLabel(), QLabel()
        self.take = QPushButton()
        self.heads = {name: QLabel() for name in ("vary", "and", "open", "strategies", "peers", "passes", "timing", "fixed")}
        self._lay_out()
        self.offer_gpus(0)
        self._show_kind()
        self._connect()
        self.retranslate()

    def set_sweep(self, sweep: SweepRequest) -> None:
        """Show a sweep without reporting it."""
        self._base = sweep.base
        self.kind.choose("search" if sweep.search else "grid")
        if sweep.search:
            self.search.set_search(sweep)
        else:
            for place, field in enumerate(self.axes):
                field.set_axis(sweep.axes[place] if place < len(sweep.axes) else None)
        self.peers.choose(sweep.providers)
        self._given_modes = sweep.modes
        for boxes, chosen in (
            (self.strategies, sweep.strategies),
            (self.directions, sweep.directions),
            (self.modes, sweep.modes),
        ):
            for name, box in boxes.items():
                box.blockSignals(True)
                box.setChecked(name in chosen)
                box.blockSignals(False)
        self.effort.setCurrentIndex(max(self.effort.findData(sweep.effort), 0))
        with QSignalBlocker(self.waits):
            self.waits.setChecked(sweep.waits)
        self.error.hide()
        self._show_kind()
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

    def offer_search(self, *, installed: bool, timed: bool) -> None:
        """Whether there is what a search needs: Optuna, and a device whose times mean something."""
        self._needs = "" if installed and timed else "optuna" if not installed else "gpu"
        self.kind.button("search").setEnabled(not self._needs)
        self._name_kinds()

    def sweep(self) -> SweepRequest | None:
        """The sweep; None where something is wrong, which the form says in place."""
        if self.kind.current == "search":
            read = self.search.read(self._base.changed(strategy=RunRequest().strategy, repeats=1))
            return None if read is None else self._checked(self._asked(*read), ())
        found = [field.axis() for field in self.axes]
        for field, axis in zip(self.axes, found, strict=True):
            field.show_error(allowed_instead(axis) if isinstance(axis, Problem) else "")
        axes = tuple(axis for axis in found if isinstance(axis, Axis))
        varied = {axis.name: RunRequest().value(axis.name) for axis in axes}
        base = self._base.changed(strategy=RunRequest().strategy, repeats=1, **varied)
        sweep = self._checked(self._asked(base, axes), self.axes)
        return None if any(isinstance(axis, Problem) for axis in found) else sweep

    def _asked(self, base: RunRequest, axes: tuple[Axis, ...]) -> SweepRequest:
        search = self.search.most.value() if self.kind.current == "search" else 0
        return SweepRequest(
            base=base,
            axes=axes,
            strategies=tuple(name for name, box in self.strategies.items() if box.isChecked()),
            providers=() if search else self.peers.chosen,
            directions=tuple(name for name, box in self.directions.items() if box.isChecked()),
            modes=self._chosen_modes(),
            effort=self.effort.currentData(),
            waits=self.waits.isChecked(),
            search=search,
        )

    def _chosen_modes(self) -> tuple[str, ...]:
        chosen = tuple(name for name, box in self.modes.items() if box.isChecked())
        return self._given_modes if set(chosen) == set(self._given_modes) else chosen

    def _checked(self, sweep: SweepRequest, fields: Sequence[AxisField]) -> SweepRequest | None:
        """The sweep, if it is possible. What is wrong with one axis stands below it, the rest below everything."""
        problems = check_sweep(sweep)
        for field in fields:
            own = [problem for problem in problems if problem.field == field.name]
            if own:
                field.show_error(allowed_instead(own[0]))
        names = {field.name for field in fields}
        rest = [self._sentence(problem) for problem in problems if problem.field not in names]
        self.error.setText(" ".join(rest))
        self.error.setVisible(bool(rest))
        return None if problems else sweep

    def retranslate(self) -> None:
        heads = {
            "vary": self.tr("Vary"),
            "and": self.tr("and"),
            "open": self.tr("Open to the search"),
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
        self.peers.retranslate()
        modes = {
            "kernel_cold": (self.tr("cold L2"), self.tr("Kernels alone, L2 flushed before each repetition")),
            "kernel_warm": (self.tr("warm L2"), self.tr("Kernels alone, L2 as the repetition before left it")),
            "autograd": (self.tr("autograd path"), self.tr("A call through autograd, with Python and the allocator")),
        }
        for name, (text, tip) in modes.items():
            self.modes[name].setText(text)
            self.modes[name].setToolTip(tip)
        for box in (*self.strategies.values(), *self.directions.values(), *self.modes.values()):
            box.setAccessibleName(box.text())
        efforts = {"quick": self.tr("quick: ±1 %"), "normal": self.tr("normal: ±0.25 %"), "thorough": self.tr("thorough: ±0.1 %")}
        self.effort.setToolTip(efforts_help())
        for index in range(self.effort.count()):
            self.effort.setItemText(index, efforts[self.effort.itemData(index)])
            self.effort.setItemData(index, effort_help(self.effort.itemData(index)), Qt.ItemDataRole.ToolTipRole)
        self.effort.setAccessibleName(self.tr("Effort"))
        self.waits.setText(self.tr("lock waits, too"))
        self.waits.setToolTip(self.tr("On a GPU, trace each setting of strategy locked once: how long a row waits for its lock"))
        self.waits.setAccessibleName(self.waits.text())
        self.take.setText(self.tr("From Parameters"))
        self.take.setToolTip(self.tr("Hold fixed what the Parameters pane shows"))
        self.take.setAccessibleName(self.take.text())
        for field in self.axes:
            field.retranslate()
        self.search.retranslate()
        self._name_kinds()
        self._show_fixed()

    def apply_theme(self, theme: Theme) -> None:
        self.kind.apply_theme(theme)
        self.setMinimumWidth(with_text(WIDTH))

    def _sentence(self, problem: Problem) -> str:
        return self.tr("{field} = {value} is not possible. {allowed}.").format(
            field=problem.field, value=problem.value, allowed=allowed_instead(problem)
        )

    def _name_kinds(self) -> None:
        needs = {
            "": self.tr("Optuna proposes settings of one strategy, and learns from each; it ends when nothing better comes"),
            "optuna": self.tr("A search needs Optuna: pip install 'lnexplorer[search]'."),
            "gpu": self.tr("A search compares times, and the interpreter's mean nothing: choose a GPU."),
        }
        self.kind.set_text("grid", self.tr("Grid"), self.tr("Every combination of the values of one or two parameters"))
        self.kind.set_text("search", self.tr("Search"), needs[self._needs])

    def _show_kind(self) -> None:
        """Show what a grid, or a search, can be asked."""
        searches = self.kind.current == "search"
        of_grids: tuple[QWidget, ...] = (self.heads["vary"], self.heads["and"], *self.axes, self.heads["peers"], self.peers)
        of_searches: tuple[QWidget, ...] = (self.heads["open"], self.search)
        for part in (*of_grids, *of_searches):
            part.setVisible((part in of_searches) == searches)
        if searches:
            self._keep_one_strategy(next((name for name, box in self.strategies.items() if box.isChecked()), "locked"))

    def _keep_one_strategy(self, kept: str) -> None:
        for name, box in self.strategies.items():
            with QSignalBlocker(box):
                box.setChecked(name == kept)
        self.search.set_strategy(kept)

    def _show_fixed(self) -> None:
        searches = self.kind.current == "search"
        open_ = {name for name, tick in self.search.ticks.items() if tick.isChecked() and not tick.isHidden()}
        varied = open_ if searches else {field.name for field in self.axes}
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
        for effort in EFFORTS:
            self.effort.addItem("", effort)
        self.effort.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        parts: list[tuple[str, list[QWidget]]] = [
            ("kind", [self.kind]),
            ("vary", [self.axes[0]]),
            ("and", [self.axes[1]]),
            ("open", [self.search]),
            ("strategies", list(self.strategies.values())),
            ("peers", [self.peers]),
            ("passes", list(self.directions.values())),
            ("timing", list(self.modes.values())),
            ("effort", [self.effort, self.waits, self.all_gpus]),
            ("fixed", [self.fixed, self.take]),
        ]
        for name, widgets in parts:
            if name in self.heads:
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
        self.peers.toggled.connect(self._on_edited)
        for box in (*self.directions.values(), *self.modes.values()):
            box.toggled.connect(lambda _on: self._on_edited())
        for name, box in self.strategies.items():
            box.toggled.connect(lambda on, name=name: self._on_strategy(name, on))
        self.kind.changed.connect(lambda _key: self._on_kind())
        self.search.edited.connect(self._on_edited)
        self.waits.toggled.connect(lambda _on: self._on_edited())
        self.effort.activated.connect(lambda _index: self._on_edited())

    def _on_strategy(self, name: str, on: bool) -> None:
        # A search is of one strategy: another one takes its place, and the last one stays.
        if self.kind.current == "search":
            self._keep_one_strategy(name)
        self._on_edited()

    def _on_kind(self) -> None:
        self._show_kind()
        self._on_edited()

    def _on_edited(self) -> None:
        self._show_fixed()
        self.edited.emit()
