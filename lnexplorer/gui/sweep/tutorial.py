"""What the Sweep pane's tutorial curve leaves as files: by itself when it is finished, or where its user says."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from lnexplorer.domain.sweep.request import is_tutorial
from lnexplorer.gui.i18n.sentences import told
from lnexplorer.gui.shell.parts import Parts
from lnexplorer.gui.sweep.pane import SweepPane

if TYPE_CHECKING:
    from lnexplorer.gui.shell.tutorial_files import TutorialFiles


class SweepFiles(QObject):
    """Writes them on the thread for files, with the pictures in a process of their own: the window goes on meanwhile."""

    def __init__(self, parts: Parts, pane: SweepPane, parent: QObject) -> None:
        super().__init__(parent)
        self._parts, self._pane = parts, pane
        pane.filesWanted.connect(self._ask_where_to_save)

    def on_end(self, how: str) -> None:
        """The sweep on show is over: a whole curve of the tutorial leaves its files among the user's data."""
        model = self._pane.model
        if how != "finished" or model is None or not is_tutorial(model.sweep):
            return
        if any(result.figures for result in model.results.values()):
            data = self._parts.folder

            def folder() -> Path:
                from lnexplorer.gui.shell.tutorial_files import new_folder  # noqa: PLC0415

                return new_folder(data)

            self._write(folder)

    def _ask_where_to_save(self) -> None:
        model = self._pane.model
        folder = QFileDialog.getExistingDirectory(self._parts.window, self.tr("Folder for the tutorial's files"))
        if folder and model is not None and model.results:
            self._write(lambda: Path(folder))

    def _write(self, folder: Callable[[], Path]) -> None:
        model = self._pane.model
        assert model is not None, "its rows are written"
        sweep, results = model.sweep, dict(model.results)  # rows may come while the files are made

        def work() -> "TutorialFiles":
            from lnexplorer.domain.sweep.table import row  # noqa: PLC0415  (no work for the start of the window)
            from lnexplorer.gui.shell.tutorial_files import write_apart  # noqa: PLC0415

            return write_apart(folder(), sweep, [row(sweep, results[number]) for number in sorted(results)])

        self._parts.files.do(work, self._tell)

    def _tell(self, written: "TutorialFiles") -> None:
        def words() -> str:
            if not written.names:
                return "\n".join(map(told, written.remarks))
            text = self.tr("The tutorial's files are in {folder}: {names}. “Save as the tutorial …” puts them elsewhere, too.")
            return text.format(folder=written.folder, names=", ".join(written.names))

        self._parts.session.remark(words, lambda: "\n".join(map(told, written.remarks)) if written.names else "")
