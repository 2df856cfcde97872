"""Commands of these tests run in this process, and ask the shared worker."""

import queue
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lnexplorer.domain.jobs import JobRequest
from lnexplorer.engine import supervisor
from lnexplorer.protocol.messages import EngineEvent, JobEnded, Outcome
from lnexplorer.store.paths import HOME_VARIABLE
from tests.shared_worker import LentWorker, SharedWorker


@pytest.fixture
def worker(shared_worker: SharedWorker, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Commands that ask for a job ask the one worker, on the interpreter; the folder that they keep things in."""

    def run_to_end(
        job: JobRequest, _device: str = "auto", hear: Callable[[EngineEvent], object] = lambda _: None, **_: Any
    ) -> Outcome:
        events: queue.SimpleQueue[EngineEvent] = queue.SimpleQueue()
        lent = LentWorker(shared_worker, events.put)
        lent.start()
        try:
            lent.submit(job)
            while True:
                event = events.get()
                hear(event)
                if isinstance(event, JobEnded):
                    return event.outcome
        finally:
            lent.close()

    monkeypatch.setattr(supervisor, "run_to_end", run_to_end)
    monkeypatch.setattr(supervisor, "run_in_turn", lambda jobs, *rest, **more: [run_to_end(job, *rest, **more) for job in jobs])
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    return tmp_path / "home"
