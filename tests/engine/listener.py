"""Hears a supervisor or a sweep, and waits for what it says."""

import os
import queue
import time
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.engine.sweep import SweepRunner
from lnexplorer.engine.sweep_events import CellFinished, SweepEnded, SweepEvent
from lnexplorer.protocol.messages import Broken, EngineEvent, Finished, JobEnded, Outcome

Event = TypeVar("Event")
Heard = TypeVar("Heard")


class News(Generic[Heard]):
    """Every event, in order."""

    patience = 40.0

    def __init__(self) -> None:
        self.events: list[Heard] = []
        self._news: queue.SimpleQueue[Heard] = queue.SimpleQueue()

    def __call__(self, event: Heard) -> None:
        self._news.put(event)

    def wait_for(self, kind: type[Event], fits: Callable[[Event], bool] = lambda _: True) -> Event:
        """The next event of a kind that has not been waited for."""
        deadline = time.monotonic() + self.patience
        while True:
            event = self._news.get(timeout=max(deadline - time.monotonic(), 0.01))
            self.events.append(event)
            if isinstance(event, kind) and fits(event):
                return event


class Listener(News[EngineEvent]):
    """Every event of a supervisor."""

    def outcome_of(self, job: int) -> Outcome:
        """How a job ends."""
        return self.wait_for(JobEnded, lambda event: event.job == job).outcome

    def broken(self, job: int) -> Broken:
        """How a job breaks."""
        outcome = self.outcome_of(job)
        assert isinstance(outcome, Broken), outcome
        return outcome

    def finished(self, job: int) -> Finished:
        """How a job finishes."""
        outcome = self.outcome_of(job)
        assert isinstance(outcome, Finished), outcome
        return outcome

    def hear_all(self) -> list[EngineEvent]:
        """Everything so far."""
        while not self._news.empty():
            self.events.append(self._news.get())
        return self.events

    def ends(self) -> dict[int, list[Outcome]]:
        """All ends of all jobs."""
        found: dict[int, list[Outcome]] = {}
        for event in self.hear_all():
            if isinstance(event, JobEnded):
                found.setdefault(event.job, []).append(event.outcome)
        return found


class Hearing(News[SweepEvent]):
    """Every event of a sweep, in order."""

    patience = 60.0
    runner: SweepRunner
    ending: SweepEnded

    def end(self) -> SweepEnded:
        """The end."""
        return self.wait_for(SweepEnded)

    def rows(self) -> list[CellResult]:
        """Rows that were told up to what was waited for."""
        return [event.result for event in self.of(CellFinished)]

    def of(self, kind: type[Event]) -> list[Event]:
        """Events of a kind up to what was waited for."""
        return [event for event in self.events if isinstance(event, kind)]


def processes_with(text: str, parent: int | None = None) -> list[int]:
    """Numbers of the living processes whose environment holds `text`, this one and the tracker
    of multiprocessing apart, which a test that ends them would miss later; children of `parent`
    alone.
    """
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdecimal() or int(folder.name) == os.getpid():
            continue
        try:
            state, above = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
            if (
                state != "Z"
                and parent in (None, int(above))
                and text.encode() in (folder / "environ").read_bytes()
                and b"resource_tracker" not in (folder / "cmdline").read_bytes()
            ):
                found.append(int(folder.name))
        except (OSError, PermissionError):
            continue
    return found


def wait_until(happened: Callable[[], object], seconds: float = 60.0) -> bool:
    """Whether something happened in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if happened():
            return True
        time.sleep(0.02)
    return bool(happened())
