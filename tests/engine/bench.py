"""A supervisor of a worker that can be given faults."""

import sys
from collections.abc import Sequence
from pathlib import Path

from lnexplorer.domain.jobs import RunJob
from lnexplorer.domain.request import RunRequest
from lnexplorer.engine.deadlines import Deadlines
from lnexplorer.engine.supervisor import Supervisor
from lnexplorer.protocol.messages import JobProgress
from tests.engine.listener import Listener

FAULTY_WORKER = (sys.executable, "-P", str(Path(__file__).with_name("faulty_worker.py")))
LIGHT_WORKER = (sys.executable, "-P", str(Path(__file__).with_name("light_worker.py")))
SMALL = RunRequest.of(m=4, n=8, group_size_m=2)
DEADLINES = Deadlines(start=60, compile=3, run=4, heartbeat=2.5, grace=1, superseded_grace=3)


# Of a worker that computes nothing, so that nothing but the fault takes time.
SHORT = Deadlines(start=20, compile=1, run=10, heartbeat=3, grace=0.5, superseded_grace=1)


class Bench:
    """A supervisor of a worker that can be given a fault, shared by tests because a worker takes
    seconds to start.
    """

    def __init__(
        self,
        fault_file: Path,
        device: str = "interpreter",
        deadlines: Deadlines = DEADLINES,
        command: Sequence[str] = FAULTY_WORKER,
    ) -> None:
        self._fault_file = fault_file
        self.listener = Listener()
        self.supervisor = Supervisor(
            self.listener, device=device, command=command, deadlines=deadlines
        )

    def fault(self, name: str, phase: str) -> None:
        """Let the worker have a fault when it next comes to a phase."""
        self._fault_file.write_text(f"{name}:{phase}")

    def next_run_works(self) -> None:
        """Run once more, and see a result."""
        assert not self._fault_file.exists(), "the fault did not happen"
        self.listener.finished(self.supervisor.submit(RunJob(SMALL)))

    def wait_for_phase(self, job: int, phase: str) -> None:
        """Hear that a job has come to a phase."""
        self.listener.wait_for(JobProgress, lambda event: event.job == job and event.phase == phase)
