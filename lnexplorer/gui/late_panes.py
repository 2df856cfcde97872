"""The panes that are made after the first paint, in steps of the event loop.

Modules that define widgets are imported on Qt's thread only (see mailbox); what they need besides is imported beside it.
"""

import importlib
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from lnexplorer.gui.gentle_imports import import_gently

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

# In the order in which they are wanted; pyqtgraph comes with the second.
PANES = {
    "reduction": ("lnexplorer.gui.panes.reduction", "ReductionPane"),
    "correctness": ("lnexplorer.gui.panes.correctness", "CorrectnessPane"),
    "throughput": ("lnexplorer.gui.panes.throughput", "ThroughputPane"),
    "history": ("lnexplorer.gui.panes.history", "HistoryPane"),
}
# Three charts at once would keep the event loop for 70 ms.
PIECES = {"correctness": ("lnexplorer.gui.panes.correctness_parts.cards", ("MapCard", "ColumnCard", "HistogramCard"))}
# Wanted by the history's first row. No Qt in it.
LIBRARY = "pandas"
# Parts of Qt that pyqtgraph loads, each a step of its own.
QT_PARTS = ("PySide6.QtSvg", "PySide6.QtOpenGL", "PySide6.QtOpenGLWidgets", "PySide6.QtTest", "pyqtgraph")


def import_pane(name: str) -> None:
    """Load a pane's module. On Qt's thread."""
    import_gently(PANES[name][0])


def piece_names(name: str) -> tuple[str, ...]:
    """Classes of the pieces that a pane takes ready made; making each is a step of its own."""
    return PIECES[name][1] if name in PIECES else ()


def make_piece(name: str, piece: str) -> "QWidget":
    """A piece of a pane. On Qt's thread."""
    made: QWidget = getattr(importlib.import_module(PIECES[name][0]), piece)()
    return made


def make_pane(name: str, pieces: Sequence["QWidget"] = ()) -> "QWidget":
    """A new pane, around its pieces where it has some. On Qt's thread."""
    module, kind = PANES[name]
    pane: QWidget = getattr(importlib.import_module(module), kind)(*pieces)
    return pane


class LibraryThread:
    """Imports LIBRARY beside the event loop.

    Args:
        done: called on the thread once the library is there.
    """

    def __init__(self, done: Callable[[], None]) -> None:
        self._done = done
        self._thread = threading.Thread(target=self._import, name="imports", daemon=True)
        self._started = False

    def start(self) -> None:
        """Begin to import."""
        self._started = True
        self._thread.start()

    def close(self) -> None:
        """Return when the thread is done: no program may end in the middle of an import."""
        if self._started:
            self._thread.join()

    def _import(self) -> None:
        importlib.import_module(LIBRARY)
        self._done()
