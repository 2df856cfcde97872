"""Work for Qt's thread in small steps, so that input and painting come between them."""

from collections.abc import Callable, Iterable

from PySide6.QtCore import QObject, QTimer, Signal


class StepQueue(QObject):
    """Runs one step in each turn of the event loop. A step that waits is replaced by a newer one of the same name."""

    emptied = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._steps: dict[str, Callable[[], object]] = {}
        self._running = False
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._next)

    def add(self, name: str, step: Callable[[], object]) -> None:
        """Run `step` when its turn comes."""
        self._steps[name] = step
        if not self._running:
            self._timer.start()

    def replace(self, name: str, steps: Iterable[Callable[[], object]]) -> None:
        """Run several steps, one in each turn, instead of those of this name that have not begun."""
        for waiting in [each for each in self._steps if each.startswith(f"{name}: ")]:
            del self._steps[waiting]
        for number, step in enumerate(steps):
            self.add(f"{name}: {number}", step)

    @property
    def waiting(self) -> int:
        """Number of steps that have not begun."""
        return len(self._steps)

    def clear(self) -> None:
        """Forget what waits."""
        self._steps.clear()
        self._timer.stop()

    def _next(self) -> None:
        # A step may turn the event loop itself; no other step begins inside it. One that fails does not hold up the others.
        self._timer.stop()
        try:
            if self._steps:
                self._running = True
                self._steps.pop(next(iter(self._steps)))()
        finally:
            self._running = False
            if self._steps:
                self._timer.start()
            else:
                self.emptied.emit()
