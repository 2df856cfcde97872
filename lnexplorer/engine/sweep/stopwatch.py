"""Time that a sweep has taken, without its pauses, and how much longer it will."""

import time


class Stopwatch:
    """Counts from `begin`, and not between `stop` and `go_on`."""

    def __init__(self) -> None:
        self._created = time.monotonic()
        self._began: float | None = None  # when the first worker was ready
        self._stopped: float | None = None
        self._paused = 0.0

    @property
    def began(self) -> bool:
        """Whether a worker was ready."""
        return self._began is not None

    @property
    def seconds(self) -> float:
        """Since it was made: what the user waits, the workers' start included."""
        return (self._stopped or time.monotonic()) - self._created - self._paused

    def begin(self) -> None:
        """Cells are handed out from now on."""
        self._began = time.monotonic()

    def stop(self) -> None:
        """Nothing is measured from now on."""
        if self._stopped is None:
            self._stopped = time.monotonic()

    def go_on(self) -> None:
        """It is again."""
        if self._stopped is not None:
            self._paused += time.monotonic() - self._stopped
            self._stopped = None

    def remaining(self, done: int, left: int) -> float | None:
        """Seconds that `left` cells will take if each takes as long as the `done` ones did; None without any."""
        if self._began is None or done < 1:
            return None
        elapsed = (self._stopped or time.monotonic()) - self._began - self._paused
        return elapsed / done * left
