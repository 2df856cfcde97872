"""A stopwatch that leaves pauses out."""

import time
from collections.abc import Callable


class Stopwatch:
    """Starts, pauses, starts again, and goes back to zero.

    Args:
        clock: seconds that only ever grow.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._before = 0.0
        self._since: float | None = None

    @property
    def running(self) -> bool:
        return self._since is not None

    @property
    def seconds(self) -> float:
        return self._before + (self._clock() - self._since if self._since is not None else 0.0)

    def start(self) -> None:
        """Start, or go on running."""
        if self._since is None:
            self._since = self._clock()

    def stop(self) -> None:
        """Pause, if it runs."""
        self._before = self.seconds
        self._since = None

    def toggle(self) -> None:
        if self.running:
            self.stop()
        else:
            self.start()

    def reset(self) -> None:
        """Go back to zero, and go on running if it ran."""
        self._before = 0.0
        self._since = self._clock() if self.running else None
