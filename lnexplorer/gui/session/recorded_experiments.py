"""Recorded experiments as files, opened into the Experiments pane."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from lnexplorer.domain.experiments.findings import ExperimentResult
    from lnexplorer.gui.application import Explorer

SUFFIX = ".lnexperiment"  # storage.experiment_file's


class RecordedExperiments(QObject):
    """Shows recorded experiments in their pane. One that comes before its pane waits for it."""

    opened = Signal(object, str)  # ExperimentResult, path

    def __init__(self, explorer: "Explorer") -> None:
        super().__init__(explorer)
        self._explorer = explorer
        self._waiting: tuple[ExperimentResult, Path] | None = None
        explorer.panes.placed.connect(self._on_placed)

    def open(self, path: Path) -> None:
        """Read a recorded experiment and show it."""

        def read() -> "ExperimentResult":
            from lnexplorer.storage.experiment_file import read_experiment  # noqa: PLC0415  (no work for the start)

            return read_experiment(path)

        self._explorer.files.do(read, lambda result: self._show(result, path))

    def _show(self, result: "ExperimentResult", path: Path) -> None:
        window = self._explorer.window
        pane = window.experiments
        if pane is None:
            self._waiting = result, path
            return
        window.docks.show_pane("experiments")
        pane.choose(result.request.name)
        pane.show_result(result)
        self.opened.emit(result, str(path))
        self._explorer.session.remark(self.tr("Recorded experiment: {path}").format(path=path))

    def _on_placed(self, name: str) -> None:
        if name == "experiments" and self._waiting is not None:
            waiting, self._waiting = self._waiting, None
            self._show(*waiting)
