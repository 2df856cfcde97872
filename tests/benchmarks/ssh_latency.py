"""`python -m tests.benchmarks.ssh_latency`: from a request to its answer, a worker here against one over sshd on the loopback.

Prints medians and 95th percentiles in ms, in turns, of a request that computes hardly anything and of a small run, and with
a line that is 100 ms long in each direction.
"""

import os
import queue
import statistics
import sys
import tempfile
import time
from pathlib import Path

from lnexplorer.domain.jobs import CompileJob, JobRequest, RunJob
from lnexplorer.domain.request import RunRequest
from lnexplorer.engine.supervisor import Supervisor
from lnexplorer.protocol.messages import EngineEvent, Finished, JobEnded, WorkerLost, WorkerReady
from tests.engine.loopback import loopback_server, write_program

TURNS = 40
HERE = Path(__file__).parents[1]
RUN = RunRequest.of(m=4, n=8, group_size_m=2)
REQUESTS: dict[str, JobRequest] = {"listing": CompileJob(problem=RUN, architecture="sm_90"), "run 4×8": RunJob(RUN)}


class Side:
    """A worker, and what it says."""

    def __init__(self, device: str) -> None:
        self._events: queue.SimpleQueue[EngineEvent] = queue.SimpleQueue()
        self.supervisor = Supervisor(self._events.put, device=device)
        self.supervisor.start()
        self._wait(WorkerReady)

    def milliseconds(self, request: JobRequest) -> float:
        began = time.perf_counter()
        self.supervisor.submit(request)
        ended = self._wait(JobEnded)
        if not isinstance(ended, JobEnded) or not isinstance(ended.outcome, Finished):
            sys.exit(f"no answer: {ended}")
        return 1e3 * (time.perf_counter() - began)

    def _wait(self, kind: type[EngineEvent]) -> EngineEvent:
        while not isinstance(event := self._events.get(), kind):
            if isinstance(event, WorkerLost):
                sys.exit(str(event.sentence))
        return event


def main() -> None:
    roots = f"{HERE.parent}:{HERE.parent / 'kernels'}"
    with tempfile.TemporaryDirectory() as name:
        folder, other = Path(name) / "sshd", Path(name) / "long"
        folder.mkdir()
        other.mkdir()
        python = folder / "python"
        write_program(python, f'export PYTHONPATH={roots}; exec {sys.executable} "$@"')
        write_program(other / "ssh", f'STAND_IN_SSH=delay:0.1 exec {sys.executable} -P {HERE / "engine/stand_in_ssh.py"} "$@"')
        path = os.environ["PATH"]
        with loopback_server(folder) as port:
            sides = {"here": Side("interpreter")}
            for title, where, device in (
                ("sshd on the loopback", folder, f"ssh://127.0.0.1:{port}/interpreter?python={python}"),
                ("200 ms two ways", other, f"ssh://far/interpreter?python={python}"),
            ):
                os.environ["PATH"] = f"{where}{os.pathsep}{path}"
                sides[title] = Side(device)
            try:
                for what, request in REQUESTS.items():
                    for side in sides.values():
                        side.milliseconds(request)
                    times = {title: [] for title in sides}  # type: dict[str, list[float]]
                    for _ in range(TURNS):
                        for title, side in sides.items():
                            times[title].append(side.milliseconds(request))
                    for title, found in times.items():
                        high = statistics.quantiles(found, n=20)[-1]
                        print(f"{what:10} {title:22} median {statistics.median(found):7.1f} ms   p95 {high:7.1f} ms")
            finally:
                for side in sides.values():
                    side.supervisor.close()


if __name__ == "__main__":
    main()
