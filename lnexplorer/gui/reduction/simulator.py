"""Simulates in the background what would take too long for the window's own thread. The newest wish wins."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QRunnable, QThreadPool, Signal

from lnexplorer.domain.timeline import ReductionTimeline

Simulation = Callable[[], ReductionTimeline]


class _Answer(QObject):
    ready = Signal(int, object)


class _Job(QRunnable):
    def __init__(self, number: int, simulation: Simulation, answer: _Answer) -> None:
        super().__init__()
        self._number, self._simulation, self._answer = number, simulation, answer

    def run(self) -> None:
        """Called by the pool."""
        self._answer.ready.emit(self._number, self._simulation())


class Simulator(QObject):
    """One simulation at a time; of those that are wished meanwhile, the last is kept."""

    ready = Signal(object)  # ReductionTimeline

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._answer = _Answer(self)
        self._answer.ready.connect(self._on_ready)
        self._number = 0
        self._running = False
        self._next: Simulation | None = None

    def wish(self, simulation: Simulation) -> None:
        """Simulate this, and nothing that was wished before."""
        self._number += 1
        self._next = simulation
        self._start()

    def cancel(self) -> None:
        """Let nothing come that was wished before."""
        self._number += 1
        self._next = None

    def _start(self) -> None:
        if not self._running and self._next is not None:
            self._running = True
            self._pool.start(_Job(self._number, self._next, self._answer))
            self._next = None

    def _on_ready(self, number: int, timeline: ReductionTimeline) -> None:
        self._running = False
        if number == self._number:
            self.ready.emit(timeline)
        self._start()
