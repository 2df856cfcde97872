"""The panes that are made after the first paint: their libraries are loaded beside the event loop, they are made in it."""

import importlib
import threading
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

# In the order in which they are wanted; pyqtgraph comes with the second.
PANES = {
    "reduction": ("lnexplorer.gui.panes.reduction", "ReductionPane"),
    "correctness": ("lnexplorer.gui.panes.correctness", "CorrectnessPane"),
    "throughput": ("lnexplorer.gui.panes.throughput", "ThroughputPane"),
    "history": ("lnexplorer.gui.panes.history", "HistoryPane"),
}

# Wanted by the last pane, which would import it only with its first row.
LIBRARY = "pandas"


class LatePanes(QObject):
    """Imports the panes' modules on a thread and reports each one that is there. The next import waits for `proceed`,
    so that making a pane and importing another do not slow each other down.
    """

    imported = Signal(str)  # name of the pane; LIBRARY at the end
    _done = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._done.connect(self.imported, Qt.ConnectionType.QueuedConnection)
        self._turn = threading.Semaphore(1)
        self._closing = False
        self._thread = threading.Thread(target=self._import, name="imports", daemon=True)

    def start(self) -> None:
        """Begin to import."""
        self._thread.start()

    def proceed(self) -> None:
        """Import the next one."""
        self._turn.release()

    def close(self) -> None:
        """Import no more, and return when the thread is done: no program may end in the middle of an import."""
        self._closing = True
        self._turn.release()
        if self._thread.is_alive():
            self._thread.join()

    def _import(self) -> None:
        for name, (module, _) in PANES.items():
            self._turn.acquire()
            if self._closing:
                return
            importlib.import_module(module)
            self._done.emit(name)
        importlib.import_module(LIBRARY)
        self._done.emit(LIBRARY)


def make_pane(name: str) -> "QWidget":
    """A new pane, of a module that is imported."""
    module, kind = PANES[name]
    pane: QWidget = getattr(importlib.import_module(module), kind)()
    return pane
