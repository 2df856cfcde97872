"""Experiments that were done before, from files and from the history, opened into the Experiments pane."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from lnexplorer.domain.experiments.findings import FINISHED
from lnexplorer.domain.experiments.words import TITLES
from lnexplorer.gui.i18n.translate import translate_message
from lnexplorer.gui.shell.parts import Parts

if TYPE_CHECKING:
    from lnexplorer.domain.experiments.findings import ExperimentRecord, ExperimentResult

SUFFIX = ".lnexperiment"  # storage.experiment_file's


class RecordedExperiments(QObject):
    """Shows experiments in their pane. One that comes before its pane waits for it."""

    opened = Signal(object, str)  # ExperimentResult, path

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parent)
        self._window, self._session, self._files, self._history = parts.window, parts.session, parts.files, parts.history
        self._waiting: tuple[ExperimentResult, Path] | None = None
        parts.panes.placed.connect(self._on_placed)

    def open(self, path: Path) -> None:
        """Read a recorded experiment and show it."""

        def read() -> "ExperimentResult":
            from lnexplorer.store.experiment_file import read_experiment  # noqa: PLC0415  (no work for the start)

            return read_experiment(path)

        self._files.do(read, lambda result: self._show(result, path))

    def open_kept(self, number: int) -> None:
        """Show an experiment of the history; one without findings is chosen, and the way to have some told."""
        self._history.load_experiment(number, self._show_kept)

    def _show_kept(self, record: "ExperimentRecord") -> None:
        pane = self._window.experiments
        if pane is None:
            return  # the window is not ready; the history is there for a second click
        self._window.docks.show_pane("experiments")
        name, ended, found = record.request.name, record.ended, record.result is not None
        if record.result is not None:
            pane.show_result(record.result)  # before it is chosen: one without findings would ask for those in the recordings
        pane.choose(name)

        def words() -> str:
            text = self.tr("Experiment of the history: {title}")
            if not found:
                text = self.tr("This experiment did not come to its end and found nothing: {title}. Run does it again.")
            elif ended != FINISHED:
                text = self.tr("Experiment of the history, which did not come to its end: {title}")
            return text.format(title=translate_message(TITLES[name]))

        self._session.remark(words)

    def _show(self, result: "ExperimentResult", path: Path) -> None:
        pane = self._window.experiments
        if pane is None:
            self._waiting = result, path
            return
        self._window.docks.show_pane("experiments")
        pane.show_result(result)
        pane.choose(result.request.name)
        self.opened.emit(result, str(path))
        self._session.remark(lambda: self.tr("Recorded experiment: {path}").format(path=path))

    def _on_placed(self, name: str) -> None:
        if name == "history" and self._window.history is not None:
            self._window.history.experimentRequested.connect(self.open_kept)
        if name == "experiments" and self._waiting is not None:
            waiting, self._waiting = self._waiting, None
            self._show(*waiting)
