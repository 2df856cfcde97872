"""What is asked before something is exported: which chart and how large, or what goes into a file."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QRadioButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from lnexplorer.gui.charts.chart import Chart, Drawing
from lnexplorer.gui.charts.picture import FORMATS, LARGEST, SMALLEST
from lnexplorer.gui.charts.theme import GRID, with_text
from lnkernels.values.environment import Kind

if TYPE_CHECKING:
    from lnexplorer.domain.experiments.findings import ExperimentResult
    from lnexplorer.domain.sweep.cells import CellResult
    from lnexplorer.domain.sweep.request import SweepRequest
    from lnexplorer.gui.shell.main_window import MainWindow
    from lnexplorer.store.recordings import RecordedSweep

WIDTH = 60 * GRID
USUAL = QSize(1600, 900)
SCALES = (100, 150, 200, 300)  # per cent
SHOWN, ALL, NONE, OWN = "shown", "all", "none", "own"


@dataclass(frozen=True, slots=True)
class Option:
    """One answer."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Group:
    """One question. The first answer is the usual one."""

    key: str
    title: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to be said about the answers, and whether they are possible."""

    sentence: str
    possible: bool = True


Choice = dict[str, str]  # the key of an option by that of its group


class ContentsDialog(QDialog):
    """A few groups of answers, and a sentence below them that follows from what is chosen.

    Args:
        title: of the dialog.
        intro: what this is about, a sentence.
        groups: each with at least one answer.
        judge: what is to be said about a choice.
        parent: the window.
    """

    def __init__(
        self, title: str, intro: str, groups: Sequence[Group], judge: Callable[[Choice], Verdict], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._judge = judge
        self.buttons: dict[tuple[str, str], QRadioButton] = {}
        self.sentence = QLabel()
        self._box = QDialogButtonBox(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        self.setWindowTitle(title)
        self.setMinimumWidth(with_text(WIDTH))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        layout.setSpacing(GRID)
        head = QLabel(intro)
        head.setWordWrap(True)
        layout.addWidget(head)
        for group in groups:
            self._add(group, layout)
        layout.addSpacing(GRID)
        self.sentence.setWordWrap(True)
        layout.addWidget(self.sentence)
        layout.addStretch(1)
        layout.addWidget(self._box)
        self._box.accepted.connect(self.accept)
        self._box.rejected.connect(self.reject)
        self._follow()

    @property
    def choice(self) -> Choice:
        """What is chosen."""
        return {group: option for (group, option), button in self.buttons.items() if button.isChecked()}

    def choose(self, group: str, option: str) -> None:
        """Give an answer."""
        self.buttons[group, option].setChecked(True)

    @property
    def possible(self) -> bool:
        """Whether what is chosen can be written."""
        return self._box.button(QDialogButtonBox.StandardButton.Save).isEnabled()

    def _add(self, group: Group, layout: QVBoxLayout) -> None:
        title = QLabel(group.title)
        title.setProperty("look", "muted")
        layout.addSpacing(GRID)
        layout.addWidget(title)
        together = QButtonGroup(self)
        for option in group.options:
            button = QRadioButton(option.text)
            button.setAccessibleName(f"{group.title}: {option.text}")
            self.buttons[group.key, option.key] = button
            together.addButton(button)
            layout.addWidget(button)
        self.buttons[group.key, group.options[0].key].setChecked(True)
        together.buttonToggled.connect(lambda _button, on: self._follow() if on else None)

    def _follow(self) -> None:
        verdict = self._judge(self.choice)
        self.sentence.setText(verdict.sentence)
        self.sentence.setVisible(bool(verdict.sentence))
        self._box.button(QDialogButtonBox.StandardButton.Save).setEnabled(verdict.possible)


class ChartDialog(QDialog):
    """A chart, its format, its size and that of its text."""

    def __init__(self, charts: Sequence[Chart | Drawing], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._charts = charts
        self.chart, self.format, self.scale = QComboBox(), QComboBox(), QComboBox()
        self.width_, self.height_ = QSpinBox(), QSpinBox()
        for chart in charts:
            self.chart.addItem(chart.accessibleName() or self.tr("Chart"))
        self.format.addItems([name.upper() for name in FORMATS])
        self.scale.addItems([f"{percent} %" for percent in SCALES])
        self.scale.setCurrentIndex(SCALES.index(200))
        for field, size in ((self.width_, USUAL.width()), (self.height_, USUAL.height())):
            field.setRange(SMALLEST, LARGEST)
            field.setSuffix(" px")
            field.setValue(size)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        self.setWindowTitle(self.tr("Save a chart"))
        layout = QFormLayout(self)
        layout.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        layout.setSpacing(GRID)
        layout.addRow(self.tr("Chart"), self.chart)
        layout.addRow(self.tr("Format"), self.format)
        layout.addRow(self.tr("Width"), self.width_)
        layout.addRow(self.tr("Height"), self.height_)
        layout.addRow(self.tr("Text and lines"), self.scale)
        layout.addRow(buttons)

    @property
    def chosen(self) -> Chart | Drawing:
        """The chart."""
        return self._charts[self.chart.currentIndex()]

    @property
    def kind(self) -> str:
        """One of FORMATS."""
        return FORMATS[self.format.currentIndex()]

    @property
    def size_(self) -> QSize:
        """Of the picture, in pixels."""
        return QSize(self.width_.value(), self.height_.value())

    @property
    def factor(self) -> float:
        """How much larger than on the screen text and lines are."""
        return SCALES[self.scale.currentIndex()] / 100


@dataclass(frozen=True, eq=False, slots=True)
class Beside:
    """What goes in."""

    sweep: "tuple[SweepRequest, list[CellResult]] | None" = None  # the one on the screen
    kept: tuple[int, ...] = ()  # numbers of kept ones
    experiments: "tuple[ExperimentResult, ...]" = ()

    def sweeps(self, kept: "Sequence[RecordedSweep]") -> "tuple[RecordedSweep, ...]":
        """The sweeps with their rows, given the kept ones."""
        from lnexplorer.store.recordings import recorded_sweep

        shown = () if self.sweep is None else (recorded_sweep(*self.sweep),)
        return (*shown, *kept)


class ReportContents(QObject):
    """What there is on the screen and in the history.

    Args:
        window: whose panes are looked at.
        kept: numbers of the sweeps in the history.
        runs: how many of them are reported on.
        parent: owner.
    """

    def __init__(self, window: "MainWindow", kept: tuple[int, ...], runs: int, parent: QObject) -> None:
        super().__init__(parent)
        sweep, experiments = window.made.get("sweep"), window.made.get("experiments")
        model = None if sweep is None else sweep.model
        self._shown = (model.sweep, list(model.results.values())) if model is not None and model.results else None
        self._kept, self._runs = kept, runs
        self._experiments = () if experiments is None else experiments.results
        self._own = tuple(result for result in self._experiments if result.provenance.kind is not Kind.RECORDED)

    @property
    def is_open(self) -> bool:
        """Whether there is something to ask: what came with the program is not put beside somebody's runs."""
        return self._shown is not None or bool(self._kept) or bool(self._own)

    def ask(self, parent: QWidget, then: Callable[[Beside], None]) -> ContentsDialog:
        """Open a dialog, which gives the answer to a function, or nothing."""
        intro = self.tr("The report holds runs: {count}. Beside them it holds:").format(count=self._runs)
        dialog = ContentsDialog(self.tr("HTML report"), intro, self._groups(), self._judge, parent)
        dialog.accepted.connect(lambda: then(self._beside(dialog.choice)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        return dialog

    def _groups(self) -> tuple[Group, ...]:
        sweeps, experiments = [], []
        if self._shown is not None:
            sweeps.append(Option(SHOWN, self.tr("The sweep on the screen, rows: {count}").format(count=len(self._shown[1]))))
        if self._kept:
            sweeps.append(Option(ALL, self.tr("All that are kept: {count}").format(count=len(self._kept))))
        sweeps.append(Option(NONE, self.tr("None")))
        if self._own:
            experiments.append(Option(OWN, self.tr("Those that were done here: {count}").format(count=len(self._own))))
        experiments.append(Option(NONE, self.tr("None")))
        if len(self._experiments) > len(self._own):
            experiments.append(Option(ALL, self.tr("All on the screen: {count}").format(count=len(self._experiments))))
        return (
            Group("sweeps", self.tr("Sweeps"), tuple(sweeps)),
            Group("experiments", self.tr("Experiments"), tuple(experiments)),
        )

    def _beside(self, choice: Choice) -> Beside:
        experiments = {OWN: self._own, ALL: self._experiments, NONE: ()}
        return Beside(
            sweep=self._shown if choice["sweeps"] == SHOWN else None,
            kept=self._kept if choice["sweeps"] == ALL else (),
            experiments=experiments[choice["experiments"]],
        )

    def _judge(self, choice: Choice) -> Verdict:
        beside = self._beside(choice)
        nothing = not self._runs and beside.sweep is None and not beside.kept and not beside.experiments
        return Verdict(self.tr("There is nothing to report on.") if nothing else "", possible=not nothing)
