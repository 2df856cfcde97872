"""One worker for the commands of these tests, which run in this process: that of a command of its own takes seconds to
start.
"""

import queue
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lnexplorer.domain.jobs import JobRequest
from lnexplorer.engine import supervisor
from lnexplorer.protocol.messages import EngineEvent, JobEnded, Outcome, WorkerReady
from lnexplorer.store.paths import HOME_VARIABLE

Hear = Callable[[EngineEvent], None]


@pytest.fixture(scope="session")
def one_worker() -> Iterator[Callable[..., Outcome]]:
    events: queue.SimpleQueue[EngineEvent] = queue.SimpleQueue()
    started = supervisor.Supervisor(events.put, device="interpreter")
    started.start()
    ready: list[WorkerReady] = []

    def run_to_end(job: JobRequest, _device: str = "auto", hear: Hear | None = None, **_: Any) -> Outcome:
        number = started.submit(job)
        if ready and hear is not None:
            hear(ready[0])
        while True:
            event = events.get()
            ready.extend([event] if isinstance(event, WorkerReady) else [])
            if hear is not None:
                hear(event)
            if isinstance(event, JobEnded) and event.job == number:
                return event.outcome

    yield run_to_end
    started.close()


@pytest.fixture
def worker(one_worker: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Commands that ask for a job ask the one worker, on the interpreter; the folder that they keep things in."""
    monkeypatch.setattr(supervisor, "run_to_end", one_worker)
    monkeypatch.setattr(supervisor, "run_in_turn", lambda jobs, *rest, **more: [one_worker(job, *rest, **more) for job in jobs])
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    return tmp_path / "home"
