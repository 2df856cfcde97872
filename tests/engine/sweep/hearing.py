"""Hears a sweep, and waits for what it says."""

import queue
import time
from collections.abc import Callable
from typing import TypeVar

from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.engine.sweep import CellFinished, SweepEnded, SweepEvent, SweepRunner

Event = TypeVar("Event")
PATIENCE = 60.0


class Hearing:
    """Every event of a sweep, in order."""

    runner: SweepRunner
    ending: SweepEnded

    def __init__(self) -> None:
        self.events: list[SweepEvent] = []
        self._news: queue.SimpleQueue[SweepEvent] = queue.SimpleQueue()

    def __call__(self, event: SweepEvent) -> None:
        self._news.put(event)

    def wait_for(self, kind: type[Event], fits: Callable[[Event], bool] = lambda _: True) -> Event:
        """The next event of a kind that has not been waited for."""
        deadline = time.monotonic() + PATIENCE
        while True:
            event = self._news.get(timeout=max(deadline - time.monotonic(), 0.01))
            self.events.append(event)
            if isinstance(event, kind) and fits(event):
                return event

    def end(self) -> SweepEnded:
        """The end."""
        return self.wait_for(SweepEnded)

    def rows(self) -> list[CellResult]:
        """Rows that were told up to what was waited for."""
        return [event.result for event in self.events if isinstance(event, CellFinished)]

    def of(self, kind: type[Event]) -> list[Event]:
        """Events of a kind up to what was waited for."""
        return [event for event in self.events if isinstance(event, kind)]
