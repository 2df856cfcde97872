"""Events between the engine's thread and Qt's, without Qt: the worker can be started before Qt is loaded."""

import threading
from collections.abc import Callable

from lnexplorer.engine.events import EngineEvent, JobProgress


class EventQueue:
    """Holds events until somebody takes them, and calls a bell once for each batch."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._events: list[EngineEvent] = []
        self._bell: Callable[[], None] | None = None

    def put(self, event: EngineEvent) -> None:
        """Add an event, from any thread. A progress that follows a progress of the same job replaces it."""
        with self._lock:
            first = not self._events
            if not first and isinstance(event, JobProgress) and _same_job(self._events[-1], event):
                self._events[-1] = event
            else:
                self._events.append(event)
            bell = self._bell if first else None
        if bell is not None:
            bell()

    def take(self) -> list[EngineEvent]:
        """All events so far, oldest first."""
        with self._lock:
            events, self._events = self._events, []
        return events

    def attach(self, bell: Callable[[], None] | None) -> None:
        """Call `bell`, on the thread that puts, whenever the queue stops being empty; at once when it is not."""
        with self._lock:
            self._bell = bell
            waiting = bool(self._events)
        if waiting and bell is not None:
            bell()


def _same_job(last: EngineEvent, event: JobProgress) -> bool:
    return isinstance(last, JobProgress) and last.job == event.job
