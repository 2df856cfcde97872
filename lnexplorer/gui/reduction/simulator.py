"""Simulates in the background what would take too long for the window's own thread. The newest wish wins."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from lnexplorer.gui.reduction.background import Background
from lnkernels.values.timeline import ReductionTimeline

Simulation = Callable[[], ReductionTimeline]
_WORK = "simulation"


class Simulator(QObject):
    """One simulation at a time; of those that are wished meanwhile, the last is kept."""

    ready = Signal(object)  # ReductionTimeline

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._background = Background(self)

    def wish(self, simulation: Simulation) -> None:
        """Simulate this, and nothing that was wished before."""
        self._background.ask(_WORK, simulation, self.ready.emit)

    def cancel(self) -> None:
        """Let nothing come that was wished before."""
        self._background.drop(_WORK)
