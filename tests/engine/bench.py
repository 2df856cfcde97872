"""A supervisor of a worker that can be given faults."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from lnexplorer.domain.jobs import RunJob
from lnexplorer.domain.request import RunRequest
from lnexplorer.engine.deadlines import Deadlines
from lnexplorer.engine.supervisor import Supervisor
from lnexplorer.protocol.messages import JobProgress
from tests.engine.listener import Listener

FAULTY_WORKER = (sys.executable, "-P", str(Path(__file__).with_name("faulty_worker.py")))
LIGHT_WORKER = (sys.executable, "-P", str(Path(__file__).with_name("light_worker.py")))
SMALL = RunRequest.of(m=4, n=8, group_size_m=2)
# Longer than anything takes on a machine that is busy with other things.
LONG = Deadlines(heartbeat=60, grace=30, superseded_grace=60)


class ChangingDeadlines:
    """In place of `Deadlines`: those of `now`, which a test shortens while a worker lives."""

    def __init__(self, usual: Deadlines) -> None:
        self.usual = self.now = usual

    def __getattr__(self, name: str) -> Any:
        return getattr(self.now, name)


class Bench:
    """A supervisor of a worker that can be given a fault, shared by tests because a worker takes
    seconds to start.
    """

    def __init__(
        self,
        fault_file: Path,
        device: str = "interpreter",
        deadlines: Deadlines = LONG,
        command: Sequence[str] = FAULTY_WORKER,
    ) -> None:
        self._fault_file = fault_file
        self._deadlines = ChangingDeadlines(deadlines)
        self.listener = Listener()
        self.supervisor = Supervisor(
            self.listener,
            device=device,
            command=command,
            deadlines=cast("Deadlines", self._deadlines),
        )

    def allow(self, **seconds: float) -> None:
        """Shorten deadlines that the next fault is to meet, until a run has to work."""
        self._deadlines.now = replace(self._deadlines.usual, **seconds)

    def fault(self, name: str, phase: str) -> None:
        """Let the worker have a fault when it next comes to a phase."""
        self._fault_file.write_text(f"{name}:{phase}")

    def next_run_works(self) -> None:
        """Run once more, and see a result."""
        assert not self._fault_file.exists(), "the fault did not happen"
        self.allow()
        self.listener.finished(self.supervisor.submit(RunJob(SMALL)))

    def wait_for_phase(self, job: int, phase: str) -> None:
        """Hear that a job has come to a phase."""
        self.listener.wait_for(JobProgress, lambda event: event.job == job and event.phase == phase)
