"""Events of a sweep on their way to the window, without Qt: many of the sweep's thread, one batch for Qt's."""

import threading
from collections.abc import Callable

from lnexplorer.engine.sweep import SweepEvent, SweepProgress


class SweepEvents:
    """Holds events until they are taken, and rings once for each batch."""

    def __init__(self, bell: Callable[[], None]) -> None:
        self._bell = bell
        self._lock = threading.Lock()
        self._events: list[SweepEvent] = []

    def put(self, event: SweepEvent) -> None:
        """Add an event, from any thread. Of progress only the newest is kept."""
        with self._lock:
            first = not self._events
            if isinstance(event, SweepProgress):
                self._events = [other for other in self._events if not isinstance(other, SweepProgress)]
            self._events.append(event)
        if first:
            self._bell()

    def take(self, most: int) -> list[SweepEvent]:
        """The oldest events; the bell rings no more for those that stay."""
        with self._lock:
            taken, self._events = self._events[:most], self._events[most:]
        return taken
