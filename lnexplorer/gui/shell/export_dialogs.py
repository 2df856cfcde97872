"""What is asked before something is exported: which chart and how large, or what stands beside the runs of a report."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QFormLayout, QSpinBox, QWidget

from lnexplorer.gui.charts.chart import Chart, Drawing
from lnexplorer.gui.charts.picture import LARGEST, SMALLEST
from lnexplorer.gui.charts.theme import GRID, LIGHT
from lnexplorer.store.recordings import RecordedSweep, recorded_sweep
from lnkernels.values.environment import Kind

if TYPE_CHECKING:
    from lnexplorer.domain.experiments.findings import ExperimentResult
    from lnexplorer.gui.shell.main_window import MainWindow

USUAL = QSize(1600, 900)
SCALES = (100, 150, 200, 300)  # per cent


class FormDialog(QDialog):
    """Rows of a form, above the buttons Save and Cancel."""

    def lay_out(self, title: str, *rows: tuple[str, QWidget]) -> None:
        self.setWindowTitle(title)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QFormLayout(self)
        layout.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        layout.setSpacing(GRID)
        for label, field in rows:
            layout.addRow(label, field)
        layout.addRow(buttons)


class ChartDialog(FormDialog):
    """A chart, the size of its picture and that of its text."""

    def __init__(self, charts: Sequence[Chart | Drawing], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._charts = charts
        self.chart, self.scale, self.colours = QComboBox(), QComboBox(), QComboBox()
        self.width_, self.height_ = QSpinBox(), QSpinBox()
        self.chart.addItems([chart.accessibleName() or self.tr("Chart") for chart in charts])
        self.scale.addItems([f"{percent} %" for percent in SCALES])
        self.scale.setCurrentIndex(SCALES.index(200))
        self.colours.addItem(self.tr("For print: dark on white"), LIGHT)
        self.colours.addItem(self.tr("As on the screen"), None)
        for field, size in ((self.width_, USUAL.width()), (self.height_, USUAL.height())):
            field.setRange(SMALLEST, LARGEST)
            field.setSuffix(" px")
            field.setValue(size)
        self.lay_out(
            self.tr("Save a chart"),
            (self.tr("Chart"), self.chart),
            (self.tr("Width"), self.width_),
            (self.tr("Height"), self.height_),
            (self.tr("Text and lines"), self.scale),
            (self.tr("Colours"), self.colours),
        )

    @property
    def chosen(self) -> Chart | Drawing:
        return self._charts[self.chart.currentIndex()]

    @property
    def size_(self) -> QSize:
        return QSize(self.width_.value(), self.height_.value())

    @property
    def factor(self) -> float:
        """How much larger than on the screen text and lines are."""
        return SCALES[self.scale.currentIndex()] / 100


@dataclass(frozen=True, eq=False, slots=True)
class Beside:
    """What stands beside the runs of a report."""

    sweeps: tuple[RecordedSweep, ...] = ()
    all_kept: bool = False  # the sweeps of the history, too
    experiments: "tuple[ExperimentResult, ...]" = ()


class ReportDialog(FormDialog):
    """Which sweeps and experiments stand beside the runs. What came with the program is no first choice."""

    def __init__(self, window: "MainWindow") -> None:
        super().__init__(window)
        sweep, experiments = window.made.get("sweep"), window.made.get("experiments")
        model = None if sweep is None else sweep.model
        done: tuple[ExperimentResult, ...] = () if experiments is None else experiments.results
        own = tuple(result for result in done if result.provenance.kind is not Kind.RECORDED)
        self._sweeps: dict[str, Beside] = {}
        if model is not None and model.results:
            shown = recorded_sweep(model.sweep, list(model.results.values()))
            self._sweeps[self.tr("The sweep on the screen")] = Beside((shown,))
        self._sweeps[self.tr("None")] = Beside()
        if window.pane("history").sweep_model.total:
            self._sweeps[self.tr("All that are kept")] = Beside(all_kept=True)
        self._experiments = {self.tr("Those that were done here"): own} if own else {}
        self._experiments[self.tr("None")] = ()
        if len(done) > len(own):
            self._experiments[self.tr("All on the screen")] = done
        self.asks = len(self._sweeps) > 1 or bool(own)  # whether there is anything of one's own to choose
        self.sweeps, self.experiments = QComboBox(), QComboBox()
        self.sweeps.addItems(list(self._sweeps))
        self.experiments.addItems(list(self._experiments))
        self.lay_out(self.tr("HTML report"), (self.tr("Sweeps"), self.sweeps), (self.tr("Experiments"), self.experiments))

    @property
    def beside(self) -> Beside:
        return replace(self._sweeps[self.sweeps.currentText()], experiments=self._experiments[self.experiments.currentText()])
