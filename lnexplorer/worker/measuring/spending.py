"""Where the time of a measurement goes besides timing."""

import time

from lnexplorer.domain.measuring import Spent


class Spending:
    """A stopwatch that is always at one of the kinds that `Spent` has, or at none."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        self._at: str | None = None
        self._since = 0.0

    def enter(self, kind: str) -> None:
        """From now on it is this, and no more what it was."""
        now = time.perf_counter()
        if self._at is not None:
            self.add(self._at, now - self._since)
        self._at, self._since = kind, now

    def leave(self) -> None:
        """From now on it is none of these."""
        if self._at is not None:
            self.enter(self._at)
            self._at = None

    def add(self, kind: str, seconds: float) -> None:
        """Count what somebody else has measured."""
        self._seconds[kind] = self._seconds.get(kind, 0.0) + seconds

    @property
    def spent(self) -> Spent:
        """All that was counted so far."""
        return Spent(**self._seconds)
