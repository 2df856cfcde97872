"""The form of a sweep: a grid of one or two parameters, or a search; strategies, passes, effort."""

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from lnexplorer.domain import wording
from lnexplorer.domain.parameters import BY_NAME, owner_of
from lnexplorer.domain.ranges import write_values
from lnexplorer.domain.request import RunRequest, changed_fields
from lnexplorer.domain.sweep.cells import estimate
from lnexplorer.domain.sweep.request import (
    EFFORTS,
    MOST_CELLS,
    Axis,
    SweepRequest,
    check_cluster,
    check_sweep,
    open_settings,
)
from lnexplorer.gui.charts.peer_chooser import PeerChooser
from lnexplorer.gui.charts.speed_chart import MODE_TEXTS
from lnexplorer.gui.kit import (
    GRID,
    Choice,
    Label,
    Retranslated,
    Segments,
    Wheelless,
    allowed_instead,
    lay_column,
)
from lnexplorer.gui.panes.sweep.fields import AxisField, Checks
from lnexplorer.gui.panes.sweep.views import PASS_TEXTS
from lnkernels.launch import CATALOGUE, STRATEGIES, Problem
from lnkernels.launch.source import KernelSource
from lnkernels.values import Words, join_sentences, say
from lnkernels.values.environment import Offered

USUAL_MOST = 150  # settings of a search
WIDTH = 37 * GRID
MOST, CLUSTER = say("settings at most"), say("Runs on")
EFFORT_TEXTS = {
    "quick": say("quick: ±1 %"),
    "normal": say("normal: ±0.25 %"),
    "thorough": say("thorough: ±0.1 %"),
}
NO_OPTUNA = say("A search needs Optuna: pip install '.[search]' in the clone.")
NO_GPU = say("A search compares times, and the interpreter's mean nothing: choose a GPU.")
SEARCH_HELP = say(
    "Optuna proposes settings of one strategy, and learns from each; it ends when nothing better"
    " comes"
)


class _Most(Wheelless, QSpinBox):
    """The number of settings that a search may try."""


class SweepForm(Retranslated, QWidget):
    """Shows a sweep and reads it back. It never runs anything."""

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.kind = Segments(
            {
                "grid": (
                    say("Grid"),
                    say("Every combination of the values of one or two parameters"),
                ),
                "search": (say("Search"), SEARCH_HELP),
            }
        )
        self.most = self.write_on(
            _Most(),
            tip=say(
                "It ends sooner where it no longer finds better: 40 settings without a surely"
                " faster one"
            ),
            name=MOST,
        )
        self.axes = [AxisField(optional=False), AxisField(optional=True)]
        self.strategies = Checks({name: (name, CATALOGUE[name].summary) for name in STRATEGIES})
        self.peers = PeerChooser()
        self.peers.own.setVisible(False)  # it is named in Run, and offered here then
        timed = say("Time and check this pass")
        self.directions = Checks({name: (text, timed) for name, (text, _) in PASS_TEXTS.items()})
        self.modes = Checks(MODE_TEXTS)
        self.effort = self.write_on(
            Choice(),
            tip=say(
                "How well each median is to be known; normal times each figure for 0.2 s at least,"
                " thorough for 0.5 s"
            ),
            name=say("Effort"),
        )
        for effort in EFFORTS:
            self.effort.offer(effort, EFFORT_TEXTS[effort])
        self.waits = self.write_on(
            QCheckBox(),
            say("lock waits, too"),
            say(
                "On a GPU, trace each setting of strategy locked once: how long a row queues for"
                " its lock, and tries it"
            ),
        )
        self.all_gpus = QCheckBox()
        self.all_gpus.setChecked(True)
        self.all_gpus.hide()
        self.cluster = self.write_on(
            QLineEdit(),
            tip=say(
                "Empty for the window's device; tcp://HOST:PORT of a Dask scheduler; local:4 for"
                " four workers here"
            ),
            name=CLUSTER,
        )
        self.write(self.cluster.setPlaceholderText, say("this device"))
        self.fixed = Label(wordWrap=True)
        self.open = Label(wordWrap=True)
        self.error = Label(look="refusal", wordWrap=True, visible=False)
        self.cost = Label(look="muted", wordWrap=True)
        self._backend = "cuda"
        self._gpus = 1
        self.take = self.write_on(
            QPushButton(), say("From Parameters"), say("Hold fixed what the Parameters pane shows")
        )
        self._column_of: dict[QWidget, QVBoxLayout] = {}  # of each part, with its heading
        self._base = RunRequest()
        # What the search on show may choose from, where that is not all.
        self._limits: tuple[Axis, ...] = ()
        # Of the sweep on show, in its order: a search goes by the first.
        self._given_modes: tuple[str, ...] = ()
        self._lay_out()
        self._show_kind()
        self._connect()
        self._show_fixed()

    def set_sweep(self, sweep: SweepRequest) -> None:
        self._base = sweep.base
        self.kind.choose("search" if sweep.search else "grid")
        if sweep.search:
            with QSignalBlocker(self.most):
                self.most.setValue(sweep.search)
        else:
            for place, field in enumerate(self.axes):
                field.set_axis(sweep.axes[place] if place < len(sweep.axes) else None)
        self._limits = sweep.axes if sweep.search else ()
        self.peers.set_peers(sweep.providers)
        self._given_modes = sweep.modes
        self.strategies.tick(sweep.strategies)
        self.directions.tick(sweep.directions)
        self.modes.tick(sweep.modes)
        self.effort.choose(sweep.effort)
        self.waits.setChecked(sweep.waits)
        self.error.hide()
        self._show_kind()
        self._show_fixed()

    def set_base(self, request: RunRequest) -> None:
        """Hold these parameters fixed; those that are varied are ignored."""
        self._base = request
        self._show_fixed()

    def offer(self, offered: tuple[Offered, ...], kernel: KernelSource | None) -> None:
        """Offer the peers of this machine, and the user's own kernel with its settings."""
        # Strategies have boxes of their own.
        peers = [provider for provider in offered if provider.name not in STRATEGIES]
        settings = {}
        if kernel is not None:
            peers.append(Offered(name=kernel.name, label=kernel.name, missing=None))
            settings = {f"{kernel.name}.{name}": values for name, values in kernel.offered}
        self.peers.set_offered(tuple(peers) if offered else ())
        for field in self.axes:
            field.offer_settings(settings)

    def offer_gpus(self, count: int) -> None:
        self.all_gpus.setVisible(count > 1)
        self._gpus = max(count, 1)
        self.write_on(
            self.all_gpus,
            say("all {count} GPUs", count=count),
            say("One setting at a time on each; the device stands in every row"),
        )

    def offer_search(self, *, installed: bool, timed: bool) -> None:
        """Offer a search where Optuna is installed, and times mean something."""
        self._backend = "cuda" if timed else "interpreter"
        self._show_cost()
        self.kind.button("search").setEnabled(installed and timed)
        tip = NO_OPTUNA if not installed else SEARCH_HELP if timed else NO_GPU
        self.kind.write_on(self.kind.button("search"), tip=tip)

    def sweep(self) -> SweepRequest | None:
        """Return the sweep; None where something is wrong, which the form says in place."""
        sweep, problems = self._read()
        for field in self.axes:
            field.refuse(field.name in {problem.field for problem in problems})
        self._show_problems(problems)
        self._show_cost()
        return None if problems or self.refuse_cluster() else sweep

    @property
    def cluster_address(self) -> str:
        """The address of a Dask scheduler, or local:N; empty for the window's own device."""
        return self.cluster.text().strip()

    def refuse_cluster(self) -> bool:
        """Refuse the address where it is not possible. Return whether it is refused."""
        problems = check_cluster(self.cluster_address) if self.cluster_address else []
        if problems:
            self._show_problems(problems)
        return bool(problems)

    @property
    def _searches(self) -> bool:
        return self.kind.current == "search"

    def _read(self) -> tuple[SweepRequest, list[Problem]]:
        """Return what is asked for, as far as it can be read, and what is wrong with it."""
        found = self._found()
        sweep = self._asked(tuple(axis for axis in found if isinstance(axis, Axis)))
        return sweep, [axis for axis in found if isinstance(axis, Problem)] + check_sweep(sweep)

    def _found(self) -> list[Axis | Problem | None]:
        return list(self._limits) if self._searches else [field.axis() for field in self.axes]

    def _asked(self, axes: tuple[Axis, ...]) -> SweepRequest:
        search, modes = self.most.value() if self._searches else 0, self.modes.ticked
        varied = {
            axis.name: RunRequest().value(axis.name) for axis in axes if not owner_of(axis.name)
        }
        return SweepRequest(
            base=self._base.changed(strategy=RunRequest().strategy, repeats=1, **varied),
            axes=axes,
            strategies=self.strategies.ticked,
            providers=() if search else self.peers.peers,
            directions=self.directions.ticked,
            modes=self._given_modes if set(modes) == set(self._given_modes) else modes,
            effort=self.effort.currentData(),
            waits=self.waits.isChecked(),
            search=search,
        )

    def _show_problems(self, problems: list[Problem]) -> None:
        sentences = [
            self.tr("{field} = {value} is not possible. {allowed}.").format(
                field=problem.field, value=problem.value, allowed=allowed_instead(problem)
            )
            for problem in problems
        ]
        self.error.setText(" ".join(sentences))
        if problems:  # below what it is about
            self._column_of[self._part_of(problems[0].field)].addWidget(self.error)
        self.error.setVisible(bool(problems))

    def _part_of(self, field: str) -> QWidget:
        """Return the part of the form that a problem is about."""
        own = next((axis for axis in self.axes if axis.name == field), None)
        parts = {
            "strategy": self.strategies,
            "provider": self.peers,
            "mode": self.directions,
            "timing": self.modes,
            "effort": self.effort,
            "cluster": self.cluster,
            "search": self.most,
        }
        return own or parts.get(field) or (self.fixed if field in BY_NAME else self.kind)

    def _show_cost(self) -> None:
        """Say how many settings the sweep has, and about how long they take."""
        sweep, problems = self._read()
        count, seconds = (0, 0.0) if problems else estimate(sweep, self._backend)
        if not self.all_gpus.isHidden() and self.all_gpus.isChecked():
            seconds /= self._gpus
        told = [say("{count:,} settings", count=count)] if count else []
        if seconds and not self.cluster_address:
            told.append(say("about {time}", time=wording.duration(seconds)))
        self.write_on(self.cost, join_sentences(told, " · ") if told else "")

    def _show_kind(self) -> None:
        for kind, rows in self._rows_of.items():
            for row in rows:
                row.setVisible(kind == self.kind.current)
        if self._searches:
            self.strategies.tick((self.strategies.ticked or ("locked",))[:1])

    def _show_fixed(self) -> None:
        self._show_cost()
        varied = {axis.name for axis in (self._limits if self._searches else self.axes)}
        given = set(changed_fields(self._base)) - varied - {"strategy", "repeats"}
        names = [name for name in BY_NAME if name in given]
        words: list[Words] = [
            join_sentences((BY_NAME[name].label, write_values((self._base.value(name),))), " = ")
            for name in names
        ]
        words += [] if "dtype" in varied | given else [f"dtype = {self._base.dtype}"]
        self.write_on(self.fixed, say("{settings}; the rest is automatic", settings=words))
        if self._searches:
            found = open_settings(self._asked(self._limits)).items()
            asked = [
                join_sentences((wording.setting_label(name), write_values(values)), " ")
                for name, values in found
            ]
            self.write(self.open.setText, join_sentences(asked))

    retranslate = _show_fixed

    def _lay_out(self) -> None:
        self._column = lay_column(self, margins=(2 * GRID, GRID, GRID, GRID), spacing=GRID)
        for label in (self.cost, self.fixed, self.open, self.error):
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.most.setRange(1, MOST_CELLS)
        self.most.setValue(USUAL_MOST)
        self.most.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._add("", self.kind, self.cost, self.error)
        axes = [self._add(say("Vary"), self.axes[0]), self._add(say("and"), self.axes[1])]
        search = [self._add(MOST, self.most), self._add(say("Chosen from"), self.open)]
        self._add(say("Strategies"), self.strategies)
        peers = self._add(say("Beside them"), self.peers)
        self._rows_of = {"grid": [*axes, peers], "search": search}
        self._add(say("Passes"), self.directions)
        self._add(say("Timing"), self.modes, self.effort, self.waits, self.all_gpus)
        self._add(CLUSTER, self.cluster)
        self._add(say("Held fixed"), self.fixed, self.take)
        self._column.addStretch(1)

    def _add(self, heading: Words, *parts: QWidget) -> QWidget:
        """Add a row of the form: parts below their heading, if they have one."""
        row = QWidget(self)
        heads = [self.write_on(Label(look="muted"), heading)] if heading else []
        column = lay_column(row, *heads, *parts, spacing=GRID // 2)
        self._column_of |= dict.fromkeys(parts, column)
        self._column.addWidget(row)
        return row

    def _connect(self) -> None:
        for changed in (
            *(field.edited for field in self.axes),
            *(part.clicked for part in (self.directions, self.modes, self.waits)),
            *(self.peers.chosen, self.most.valueChanged, self.all_gpus.clicked),
            *(self.cluster.textEdited, self.effort.activated),
        ):
            changed.connect(lambda *_: self._on_edited())
        self.strategies.clicked.connect(self._on_strategy)
        self.kind.changed.connect(lambda _key: self._on_kind())

    def _on_strategy(self, name: str) -> None:
        # A search has one strategy: another one takes its place, and the last one stays.
        if self._searches:
            self.strategies.tick((name,))
        self._on_edited()

    def _on_kind(self) -> None:
        self._limits = ()  # a search that is begun here chooses from all
        self._show_kind()
        self._on_edited()

    def _on_edited(self) -> None:
        owners = [owner_of(field.name) for field in self.axes if field.name is not None]
        # A setting that is varied is of a kernel that takes part.
        self.peers.set_peers(tuple(dict.fromkeys((*self.peers.peers, *filter(None, owners)))))
        self._show_fixed()
        self.edited.emit()
