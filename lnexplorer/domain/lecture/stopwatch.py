"""The time that the lecture has taken."""

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
        """Whether the time runs."""
        return self._since is not None

    @property
    def seconds(self) -> float:
        """Time that has run so far, in s."""
        return self._before + (self._clock() - self._since if self._since is not None else 0.0)

    def start(self) -> None:
        """Let it run."""
        if self._since is None:
            self._since = self._clock()

    def pause(self) -> None:
        """Let it stand."""
        self._before, self._since = self.seconds, None

    def toggle(self) -> None:
        """Start, or pause."""
        if self.running:
            self.pause()
        else:
            self.start()

    def reset(self) -> None:
        """Back to zero; it runs on if it ran."""
        self._before = 0.0
        if self._since is not None:
            self._since = self._clock()


def clock_text(seconds: float) -> str:
    """Hours, where there are any, minutes and seconds."""
    whole = int(seconds)
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes:02d}:{rest:02d}"
