"""The row of buttons above an experiment: run, stop, recorded; progress, and what is shown."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QProgressBar, QPushButton, QWidget

from lnexplorer.domain.experiments.catalogue import EXPERIMENTS
from lnexplorer.domain.experiments.experiment import ExperimentResult
from lnexplorer.gui.kit.languages import Retranslated
from lnexplorer.gui.kit.theme import GRID
from lnexplorer.gui.kit.widgets import Badge, Readout, lay_row
from lnkernels.values.sentence import Sentence, say

RECORDED = say("Show what was measured before on a GPU")


class ExperimentBar(Retranslated, QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.run = QPushButton()
        self.stop = QPushButton()
        self.recorded = QPushButton()
        self.own_problem = QCheckBox()
        self.progress = QProgressBar()
        self.step = Readout(side=Qt.AlignmentFlag.AlignLeft)
        self.shape = Readout()
        self.badge = Badge()
        self._possible = False
        self._running = False
        self.run.setProperty("look", "primary")
        self.progress.setTextVisible(False)
        self.progress.setMaximumWidth(24 * GRID)
        self.write_on(self.run, say("Run"), say("Do this experiment now"))
        self.write_on(self.stop, say("Stop"), say("End the experiment that is being done"))
        self.write_on(self.recorded, say("Recorded"), RECORDED)
        self.write_on(
            self.own_problem,
            say("on my parameters"),
            say("With M, N and what else the form says; else on the experiment's own"),
        )
        buttons = (self.run, self.stop, self.recorded, self.own_problem)
        lay_row(self, *buttons, self.progress, (self.step, 1), (self.shape, 2), self.badge)
        self._show_buttons()

    def set_possible(self, possible: bool) -> None:
        """Set whether there is a device to run on."""
        self._possible = possible
        self._show_buttons()

    def set_running(
        self, name: str | None, step: Sentence | str = "", done: int = 0, total: int = 0
    ) -> None:
        """Show how far the experiment that is done is; None: nothing is done."""
        self._running = name is not None
        self.progress.setRange(0, max(total, 0))
        self.progress.setValue(min(done, total))
        title: Sentence | str = "" if name is None else EXPERIMENTS[name].title
        if isinstance(title, Sentence) and total > 1:
            values = (("title", title), ("done", done), ("total", total))
            title = Sentence("{title} {done}/{total}", values)
        self.write_on(self.step, title, step)  # the tooltip names the candidate
        self._show_buttons()

    def show_recorded(self, title: str | None) -> None:
        """Offer the recording of an experiment; None: there is none."""
        self.recorded.setVisible(title is not None)
        if title is not None:
            tip = Sentence("{text}: {title}", (("text", RECORDED), ("title", title)))
            self.write(self.recorded.setToolTip, tip)

    def show_source(self, result: ExperimentResult | None) -> None:
        """Show of which problem the figures are, and where they come from."""
        self.badge.setVisible(result is not None)
        if result is None:
            self.shape.setText("")
            return
        resolved, provenance = result.resolved, result.provenance
        where = f"{gpu}, " if (gpu := provenance.environment.named_gpu) else ""
        shape = f"{where}{resolved.m}×{resolved.n} {resolved.dtype}"
        if EXPERIMENTS[result.request.name].with_group_size:
            shape += f", GROUP_SIZE_M {resolved.launch.group_size_m}"
        self.shape.setText(shape)
        self.badge.show_kind(provenance.kind, f"{where}{provenance.environment.date[:10]}")

    def _show_buttons(self) -> None:
        self.run.setEnabled(self._possible and not self._running)
        self.stop.setEnabled(self._running)
        self.progress.setVisible(self._running)
        self.step.setVisible(self._running)
