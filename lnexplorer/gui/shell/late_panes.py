"""The panes that are made after the first paint, in steps of the event loop.

Modules that define widgets are imported on Qt's thread only (see delivery); what they need besides is imported beside it.
"""

import importlib
import threading
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from lnexplorer.gui.responsive import Delivery, IdleSteps, import_in_steps
from lnexplorer.gui.shell.pane_recipes import PANES, Recipe

# Before it, what pyqtgraph needs of Qt besides is loaded.
FIRST_WITH_CHARTS = "correctness"
# Wanted when runs are copied as a table; importing it then would hold up the window. No Qt in it.
LIBRARY = "pandas"
# Parts of Qt that pyqtgraph loads, each a step of its own.
QT_PARTS = ("PySide6.QtSvg", "PySide6.QtOpenGL", "PySide6.QtOpenGLWidgets", "PySide6.QtTest", "pyqtgraph")


class PaneLoader(QObject):
    """Loads, makes and hands over one pane after another, each in steps of its own.

    Args:
        steps: where the steps wait for their turn.
        delivery: how a thread that imports says that it is done.
        stages: what is done with a new pane, by its name, until it is in the window; each is a step.
        parent: owner.
    """

    placed = Signal(str)  # name, a step after the last stage: the pane can be filled
    completed = Signal()  # panes and LIBRARY are there

    def __init__(
        self,
        steps: IdleSteps,
        delivery: Delivery,
        stages: tuple[Callable[[str, QWidget], object], ...],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._steps = steps
        self._delivery = delivery
        self._stages = stages
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
            for part in QT_PARTS:
                self._steps.add(f"import {part}", partial(import_in_steps, part))
        self._steps.add(f"import {name}", partial(import_in_steps, PANES[name].module))
        made: list[QWidget] = []
        for number, recipe in enumerate(PANES[name].in_order()):
            self._steps.add(f"make {number} of {name}", partial(_make, recipe, made))
        for number, stage in enumerate(self._stages):
            self._steps.add(f"stage {number} of {name}", lambda stage=stage: stage(name, made[0]))  # type: ignore[misc]
        self._steps.add(f"fill {name}", partial(self._fill, name))

    def _fill(self, name: str) -> None:
        self.placed.emit(name)
        self._load_next()

    def _import_library(self) -> None:
        importlib.import_module(LIBRARY)
        self._delivery.post(self._finish)

    def _finish(self) -> None:
        self.complete = True
        # Whoever waits for the window to be complete hears of it when the steps are done.
        self._steps.add("complete", self.completed.emit)


def _make(recipe: Recipe, made: list[QWidget]) -> None:
    """Put a widget in the place of its parts, which are the last ones made."""
    first = len(made) - len(recipe.parts)
    made[first:] = [getattr(importlib.import_module(recipe.module), recipe.kind)(*made[first:])]
