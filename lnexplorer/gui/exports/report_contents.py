"""What a report holds beside its runs: sweeps and experiments, as far as somebody wants them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from lnexplorer.gui.exports.contents_dialog import Choice, ContentsDialog, Group, Option, Verdict
from lnkernels.values.environment import Kind

if TYPE_CHECKING:
    from lnexplorer.domain.experiments.findings import ExperimentResult
    from lnexplorer.domain.sweep.cells import CellResult
    from lnexplorer.domain.sweep.request import SweepRequest
    from lnexplorer.gui.shell.main_window import MainWindow
    from lnexplorer.store.recorded_sweep import RecordedSweep

SHOWN, ALL, NONE, OWN = "shown", "all", "none", "own"


@dataclass(frozen=True, eq=False, slots=True)
class Beside:
    """What goes in."""

    sweep: "tuple[SweepRequest, list[CellResult]] | None" = None  # the one on the screen
    kept: tuple[int, ...] = ()  # numbers of kept ones
    experiments: "tuple[ExperimentResult, ...]" = ()

    def sweeps(self, kept: "Sequence[RecordedSweep]") -> "tuple[RecordedSweep, ...]":
        """The sweeps with their rows, given the kept ones."""
        from lnexplorer.store.recorded_sweep import recorded_sweep  # noqa: PLC0415

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
        model = None if window.sweep is None else window.sweep.model
        self._shown = (model.sweep, list(model.results.values())) if model is not None and model.results else None
        self._kept, self._runs = kept, runs
        self._experiments = () if window.experiments is None else window.experiments.results
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
