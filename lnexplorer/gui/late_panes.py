"""The panes that are made after the first paint: their libraries are loaded beside the event loop, they are made in it."""

import importlib
import threading
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

# In the order in which they are wanted; pyqtgraph comes with the second, pandas with the last.
PANES = {
    "reduction": ("lnexplorer.gui.panes.reduction", "ReductionPane"),
    "correctness": ("lnexplorer.gui.panes.correctness", "CorrectnessPane"),
    "throughput": ("lnexplorer.gui.panes.throughput", "ThroughputPane"),
    "history": ("lnexplorer.gui.panes.history", "HistoryPane"),
}


class LatePanes(QObject):
    """Imports the panes' modules on a thread, and reports each one that is there."""

    imported = Signal(str)  # name of the pane
    _done = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._done.connect(self.imported, Qt.ConnectionType.QueuedConnection)
        self._thread = threading.Thread(target=self._import, name="imports", daemon=True)

    def start(self) -> None:
        """Begin to import."""
        self._thread.start()

    def wait(self) -> None:
        """Return when the thread is done; no program may end in the middle of an import."""
        if self._thread.is_alive():
            self._thread.join()

    def _import(self) -> None:
        for name, (module, _) in PANES.items():
            importlib.import_module(module)
            self._done.emit(name)


def make_pane(name: str) -> "QWidget":
    """A new pane, of a module that is imported."""
    module, kind = PANES[name]
    pane: QWidget = getattr(importlib.import_module(module), kind)()
    return pane
