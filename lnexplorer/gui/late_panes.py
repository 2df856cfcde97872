"""The panes that are made after the first paint, in steps of the event loop.

Modules that define widgets are imported on Qt's thread only (see mailbox); what they need besides is imported beside it.
"""

import importlib
import threading
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from lnexplorer.gui.gentle_imports import import_gently, qt_class_steps
from lnexplorer.gui.mailbox import Mailbox
from lnexplorer.gui.steps import StepQueue

# In the order in which they are wanted; pyqtgraph comes with the second.
PANES = {
    "reduction": ("lnexplorer.gui.panes.reduction", "ReductionPane"),
    "correctness": ("lnexplorer.gui.panes.correctness", "CorrectnessPane"),
    "throughput": ("lnexplorer.gui.panes.throughput", "ThroughputPane"),
    "history": ("lnexplorer.gui.panes.history", "HistoryPane"),
    "sweep": ("lnexplorer.gui.panes.sweep", "SweepPane"),
    "experiments": ("lnexplorer.gui.panes.experiments", "ExperimentsPane"),
    "touch": ("lnexplorer.gui.panes.touch", "TouchPane"),
}
# Before it, what pyqtgraph needs of Qt is loaded.
FIRST_WITH_CHARTS = "correctness"
# Three charts at once would keep the event loop for 70 ms.
PIECES = {"correctness": ("lnexplorer.gui.panes.correctness_parts.cards", ("MapCard", "ColumnCard", "HistogramCard"))}
# Wanted when runs are copied as a table; importing it then would hold up the window. No Qt in it.
LIBRARY = "pandas"
# Parts of Qt that pyqtgraph loads, each a step of its own.
QT_PARTS = ("PySide6.QtSvg", "PySide6.QtOpenGL", "PySide6.QtOpenGLWidgets", "PySide6.QtTest", "pyqtgraph")


class PaneLoader(QObject):
    """Loads, makes and hands over one pane after another, each in steps of its own."""

    made = Signal(str, object)  # name and pane, to be placed in the window
    placed = Signal(str)  # name, a step later: the pane can be filled
    completed = Signal()  # panes and LIBRARY are there

    def __init__(self, steps: StepQueue, mailbox: Mailbox, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._steps = steps
        self._mailbox = mailbox
        self._waiting = list(PANES)
        self._library = threading.Thread(target=self._import_library, name="imports", daemon=True)
        self.complete = False

    def start(self) -> None:
        """Queue the first pane's steps; the last step of each queues the next one's."""
        self._load_next()

    def close(self) -> None:
        """Return when no thread imports any more: no program may end in the middle of an import."""
        if self._library.ident is not None:
            self._library.join()

    def _load_next(self) -> None:
        if not self._waiting:
            self._library.start()
            return
        name = self._waiting.pop(0)
        if name == FIRST_WITH_CHARTS:
            for step_name, step in qt_class_steps():
                self._steps.add(step_name, step)
            for part in QT_PARTS:
                self._steps.add(f"import {part}", partial(import_gently, part))
        self._steps.add(f"import {name}", partial(import_gently, PANES[name][0]))
        pieces: list[QWidget] = []
        module, kinds = PIECES.get(name, ("", ()))
        for kind in kinds:
            self._steps.add(f"make {kind}", partial(_append_new, pieces, module, kind))
        self._steps.add(f"make {name}", partial(self._make, name, pieces))

    def _make(self, name: str, pieces: list[QWidget]) -> None:
        module, kind = PANES[name]
        pane = getattr(importlib.import_module(module), kind)(*pieces)
        self._steps.add(f"place {name}", partial(self._place, name, pane))

    def _place(self, name: str, pane: QWidget) -> None:
        self.made.emit(name, pane)
        self._steps.add(f"fill {name}", partial(self._fill, name))

    def _fill(self, name: str) -> None:
        self.placed.emit(name)
        self._load_next()

    def _import_library(self) -> None:
        importlib.import_module(LIBRARY)
        self._mailbox.post(self._finish)

    def _finish(self) -> None:
        self.complete = True
        # Whoever waits for the window to be complete hears of it when the steps are done.
        self._steps.add("complete", self.completed.emit)


def _append_new(pieces: list[QWidget], module: str, kind: str) -> None:
    pieces.append(getattr(importlib.import_module(module), kind)())
