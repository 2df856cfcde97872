"""Commands of these tests run in this process, and ask the shared worker."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from lnexplorer.domain.jobs import JobRequest
from lnexplorer.engine import supervisor, sweep
from lnexplorer.protocol.messages import Outcome
from lnexplorer.store.paths import HOME_VARIABLE
from tests.shared_worker import Hear, LentWorker, SharedWorker, run_in_turn


@pytest.fixture
def worker(shared_worker: SharedWorker, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Commands that ask for a job, and sweeps, ask the one worker, on the interpreter; the folder
    that they keep things in.
    """

    def run(
        jobs: Sequence[JobRequest], _device: str = "auto", hear: Hear = lambda _: None, **how: Any
    ) -> list[Outcome]:
        return run_in_turn(shared_worker, jobs, hear, **how)

    monkeypatch.setattr(
        supervisor, "run_to_end", lambda job, *rest, **more: run([job], *rest, **more)[0]
    )
    monkeypatch.setattr(supervisor, "run_in_turn", run)
    monkeypatch.setattr(sweep, "Supervisor", partial(LentWorker, shared_worker))
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    return tmp_path / "home"
