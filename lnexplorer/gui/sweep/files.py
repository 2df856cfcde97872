"""Files of sweeps: recorded ones, opened and saved, and what the tutorial's benchmark leaves."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog

from lnexplorer.domain.sweep.request import is_tutorial
from lnexplorer.gui.i18n.sentences import told
from lnexplorer.gui.shell.services import Services
from lnexplorer.gui.sweep.pane import SweepPane
from lnexplorer.gui.sweep.runner import SweepThread
from lnexplorer.store.resources import resource

if TYPE_CHECKING:
    from lnexplorer.store.recorded_sweep import RecordedSweep

SUFFIX = ".lnsweep"  # storage.sweep_recording's


class RecordedSweeps(QObject):
    """Shows recorded sweeps in the Sweep pane, and saves what it shows."""

    opened = Signal(object, str)  # RecordedSweep, path

    def __init__(self, services: Services, pane: SweepPane, sweeps: SweepThread, parent: QObject) -> None:
        super().__init__(parent)
        self._services, self._pane, self.sweeps = services, pane, sweeps
        self._window, self._session, self._files = services.window, services.session, services.files
        self.opened.connect(lambda _recorded, path: self._files.note(Path(path)))
        pane.openWanted.connect(self._ask_which_to_open)
        pane.saveWanted.connect(self._ask_where_to_save)

    def close(self) -> None:
        """End the sweep."""
        self.sweeps.close()

    def open(self, path: Path) -> None:
        """Read a recorded sweep and show it."""

        def read() -> "RecordedSweep":
            from lnexplorer.store.recorded_sweep import read_recorded_sweep  # noqa: PLC0415  (no work for the start)

            return read_recorded_sweep(path)

        self._files.do(read, lambda recorded: self._show(recorded, path))

    def open_kept(self, number: int, go_on: bool) -> None:
        """Show a sweep of the history, or go on with it."""
        pane = self._pane
        if self.sweeps.busy or pane.state != "idle":
            self._session.remark(lambda: self.tr("A sweep is under way: end it to look at another one."))
        else:
            self._window.show_part("sweep")
            pane.keptChosen.emit(number, go_on)

    def save(self, path: Path) -> None:
        """Write the sweep on show with its rows so far; nothing where there is none."""
        pane = self._pane
        if pane.model is None or not pane.model.results:
            self._session.remark(lambda: self.tr("There is no row of a sweep to save yet."))
            return
        sweep, results, title = pane.model.sweep, list(pane.model.results.values()), path.stem

        def write() -> Path:
            from lnexplorer.store.recorded_sweep import recorded_sweep, write_recorded_sweep  # noqa: PLC0415

            write_recorded_sweep(path, recorded_sweep(sweep, results, title=title))
            return path

        self._files.do(write, self._tell_saved)

    def _show(self, recorded: "RecordedSweep", path: Path) -> None:
        pane = self._pane
        if self.sweeps.busy or pane.state != "idle":
            self._session.remark(lambda: self.tr("A sweep is under way: end it to look at a recorded one."))
            return
        self._window.show_part("sweep")
        self.sweeps.look_at(recorded.sweep, list(recorded.results))
        pane.show_progress(len(recorded.results), recorded.total, None, [*recorded.gpus, recorded.date[:10]])
        if any(result.figures for result in recorded.results):
            self._services.steps.add("recorded sweep", self._look_at_speeds)  # after its rows
        self.opened.emit(recorded, str(path))
        title = recorded.title
        self._session.remark(lambda: self.tr("Recorded sweep: {title} ({path})").format(title=title, path=path))

    def _look_at_speeds(self) -> None:
        """Where kernels are interpreted, errors were looked at so far."""
        self._pane.picture.bar.choose("gbps")
        self._pane.picture.refresh()

    def _ask_which_to_open(self) -> None:
        kind = self.tr("Recorded sweeps") + f" (*{SUFFIX})"
        name, _ = QFileDialog.getOpenFileName(self._window, self.tr("Open sweep"), str(resource("recordings")), kind)
        if name:
            self.open(Path(name))

    def _ask_where_to_save(self) -> None:
        kind = self.tr("Recorded sweeps") + f" (*{SUFFIX})"
        name, _ = QFileDialog.getSaveFileName(self._window, self.tr("Save sweep"), f"sweep{SUFFIX}", kind)
        if name:
            self.save(Path(name) if Path(name).suffix == SUFFIX else Path(name + SUFFIX))

    def _tell_saved(self, path: Path) -> None:
        self._session.remark(lambda: self.tr("Saved as {path}").format(path=path))


if TYPE_CHECKING:
    from lnexplorer.report.files import TutorialFiles


class SweepFiles(QObject):
    """Writes them on the thread for files, with the pictures in a process of their own: the window goes on meanwhile."""

    def __init__(self, services: Services, pane: SweepPane, parent: QObject) -> None:
        super().__init__(parent)
        self._services, self._pane = services, pane
        pane.filesWanted.connect(self._ask_where_to_save)

    def on_end(self, how: str) -> None:
        """The sweep on show is over: a whole curve of the tutorial leaves its files among the user's data."""
        model = self._pane.model
        if how != "finished" or model is None or not is_tutorial(model.sweep):
            return
        if any(result.figures for result in model.results.values()):
            data = self._services.folder

            def folder() -> Path:
                from lnexplorer.report.files import new_folder  # noqa: PLC0415

                return new_folder(data)

            self._write(folder)

    def _ask_where_to_save(self) -> None:
        model = self._pane.model
        folder = QFileDialog.getExistingDirectory(self._services.window, self.tr("Folder for the tutorial's files"))
        if folder and model is not None and model.results:
            self._write(lambda: Path(folder))

    def _write(self, folder: Callable[[], Path]) -> None:
        model = self._pane.model
        assert model is not None, "its rows are written"
        sweep, results = model.sweep, dict(model.results)  # rows may come while the files are made

        def work() -> "TutorialFiles":
            from lnexplorer.domain.sweep.table import row  # noqa: PLC0415  (no work for the start of the window)
            from lnexplorer.report.files import in_a_process, write_tutorial_files  # noqa: PLC0415

            rows = [row(sweep, results[number]) for number in sorted(results)]
            return in_a_process(write_tutorial_files, folder(), sweep, rows)

        self._services.files.do(work, self._tell)

    def _tell(self, written: "TutorialFiles") -> None:
        def words() -> str:
            if not written.names:
                return "\n".join(map(told, written.remarks))
            text = self.tr("The tutorial's files are in {folder}: {names}. “Save as the tutorial …” puts them elsewhere, too.")
            return text.format(folder=written.folder, names=", ".join(written.names))

        self._services.session.remark(words, lambda: "\n".join(map(told, written.remarks)) if written.names else "")
