"""One worker process for the windows and commands of a test process: one of their own takes seconds
to start.

That each starts and ends one of its own is shown by tests/gui/test_window.py and by the commands
that are processes.
"""

import threading
from collections.abc import Callable, Sequence
from typing import Any

from lnexplorer.domain.jobs import JobRequest
from lnexplorer.domain.request import RunRequest
from lnexplorer.engine.supervisor import Supervisor
from lnexplorer.protocol.messages import (
    EngineEvent,
    JobEnded,
    WorkerReady,
    WorkerStarting,
)

Hear = Callable[[EngineEvent], object]


class SharedWorker:
    """A supervisor on the interpreter, and who hears of which of its jobs."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ready: WorkerReady | None = None
        self._all: list[Hear] = []
        self._owners: dict[int, Hear] = {}
        self.supervisor = Supervisor(self._deliver, device="interpreter")
        self.supervisor.start()

    def join(self, hear: Hear) -> None:
        """Have somebody hear of the worker: at once that it is ready, if it is."""
        with self._lock:
            self._all.append(hear)
            hear(WorkerStarting())
            if self._ready is not None:
                hear(self._ready)

    def submit(self, request: JobRequest, hear: Hear) -> int:
        with self._lock:  # its events come after its number is known
            job = self.supervisor.submit(request)
            self._owners[job] = hear
        return job

    def stop(self, hear: Hear) -> None:
        with self._lock:
            for job in [job for job, owner in self._owners.items() if owner is hear]:
                self.supervisor.cancel(job)

    def leave(self, hear: Hear) -> None:
        """End the jobs of one that hears no more."""
        self.stop(hear)
        with self._lock:
            self._all.remove(hear)
            self._owners = {
                job: (lambda _: None) if owner is hear else owner
                for job, owner in self._owners.items()
            }

    def _deliver(self, event: EngineEvent) -> None:
        with self._lock:
            if isinstance(event, WorkerReady):
                self._ready = event
            job = getattr(event, "job", None)
            for hear in self._all if job is None else [self._owners[job]]:
                hear(event)
            if isinstance(event, JobEnded):
                del self._owners[event.job]


class LentWorker:
    """In place of a `Supervisor`: asks the shared worker, and hears of its own jobs alone."""

    def __init__(self, shared: SharedWorker, on_event: Hear, **_: Any) -> None:
        self._shared = shared
        self._hear = on_event

    def start(self) -> None:
        self._shared.join(self._hear)

    def submit(self, request: JobRequest) -> int:
        return self._shared.submit(request, self._hear)

    def prepare(self, requests: Sequence[RunRequest]) -> None:
        self._shared.supervisor.prepare(requests)

    def cancel(self, job: int, *, patiently: bool = False) -> None:
        self._shared.supervisor.cancel(job, patiently=patiently)

    def stop(self) -> None:
        self._shared.stop(self._hear)

    def close(self) -> None:
        self._shared.leave(self._hear)
