"""`python -m tests.benchmarks.ssh_latency`: from a request to its answer, a worker here against one
over sshd on the loopback.

Prints medians and 95th percentiles in ms, in turns, of a request that computes hardly anything and
of a small run, and with a line that is 100 ms long in each direction and takes 1 MB/s. With
`--device cuda:0` a point of Live takes the run's place, and the kernels' own medians are compared,
in turns of a worker here, another one here and one over the line: what the two here differ by is
the noise. `--stand-in` takes a program in place of OpenSSH and its server.
"""

import argparse
import contextlib
import os
import queue
import statistics
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from lnexplorer.domain.jobs import CompileJob, JobRequest, JobResult, RunJob
from lnexplorer.domain.live import quick_request
from lnexplorer.domain.measuring import Measured, MeasureRequest
from lnexplorer.domain.request import RunRequest
from lnexplorer.engine.supervisor import Supervisor
from lnexplorer.protocol.messages import EngineEvent, Finished, JobEnded, WorkerLost, WorkerReady
from tests.engine.loopback import loopback_server, write_program

TURNS = 40
KERNEL_TURNS = 9
HERE = Path(__file__).parents[1]
RUN = RunRequest.of(m=4, n=8, group_size_m=2)
REQUESTS: dict[str, JobRequest] = {
    "listing": CompileJob(problem=RUN, architecture="sm_90"),
    "run 4×8": RunJob(RUN),
}


class Side:
    """A worker, and what it says."""

    def __init__(self, device: str) -> None:
        self._events: queue.SimpleQueue[EngineEvent] = queue.SimpleQueue()
        self.supervisor = Supervisor(self._events.put, device=device)
        self.supervisor.start()
        self._wait(WorkerReady)

    def answer(self, request: JobRequest) -> JobResult:
        self.supervisor.submit(request)
        ended = self._wait(JobEnded)
        if not isinstance(ended, JobEnded) or not isinstance(ended.outcome, Finished):
            sys.exit(f"no answer: {ended}")
        return ended.outcome.value

    def milliseconds(self, request: JobRequest) -> float:
        began = time.perf_counter()
        self.answer(request)
        return 1e3 * (time.perf_counter() - began)

    def _wait(self, kind: type[EngineEvent]) -> EngineEvent:
        while not isinstance(event := self._events.get(), kind):
            if isinstance(event, WorkerLost):
                sys.exit(str(event.sentence))
        return event


def compare_kernels(sides: dict[str, Side]) -> None:
    """Medians of the kernels' times, measured in turns by workers here and there."""
    request = MeasureRequest(
        settings=(RunRequest(m=4096, n=8192),), with_ceilings=False, least_seconds=0.2, within=0.001
    )
    found: dict[tuple[str, str], list[float]] = {}
    for turn in range(KERNEL_TURNS + 1):
        for title, side in sides.items():
            measured = side.answer(request)
            assert isinstance(measured, Measured)
            for figure in measured.outcomes[0].figures if turn else ():  # the first one compiles
                found.setdefault((figure.direction, title), []).append(1e3 * figure.p50_ms)
    for (direction, title), times in sorted(found.items()):
        spread = ", ".join(f"{time:.2f}" for time in sorted(times))
        ratio = statistics.median(times) / statistics.median(found[direction, "here"])
        print(
            f"{direction:10} {title:22} median {statistics.median(times):7.2f} µs ({spread}),"
            f" {ratio:.4f} of here"
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="interpreter")
    parser.add_argument("--stand-in", action="store_true")
    parser.add_argument("--turns", type=int, default=TURNS)
    options = parser.parse_args()
    requests = dict(REQUESTS)
    if options.device != "interpreter":
        del requests["run 4×8"]
        requests["live point"] = replace(
            quick_request(RunRequest(m=4096, n=8192), "kernel_cold"), with_ceilings=False
        )
    roots = f"{HERE.parent}:{HERE.parent / 'kernels'}"
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        near, far = Path(name) / "near", Path(name) / "far"
        near.mkdir()
        far.mkdir()
        python = near / "python"
        write_program(
            python,
            f"export PYTHONPATH={roots}:{os.environ.get('PYTHONPATH', '')}; exec {sys.executable}"
            ' "$@"',
        )
        stand_in = f'{sys.executable} -P {HERE / "engine/stand_in_ssh.py"} "$@"'
        write_program(far / "ssh", f"STAND_IN_SSH=delay:0.1:1e6 exec {stand_in}")
        title, host = "a program for ssh", "near"
        if options.stand_in:
            write_program(near / "ssh", f"exec {stand_in}")
        else:
            title, host = (
                "sshd on the loopback",
                f"127.0.0.1:{stack.enter_context(loopback_server(near))}",
            )
        path = os.environ["PATH"]
        sides = {"here": Side(options.device)}
        for each, where, machine in ((title, near, host), ("200 ms, 1 MB/s", far, "far")):
            os.environ["PATH"] = f"{where}{os.pathsep}{path}"
            sides[each] = Side(f"ssh://{machine}/{options.device}?python={python}")
        try:
            for what, request in requests.items():
                for side in sides.values():
                    side.milliseconds(request)
                times = {each: [] for each in sides}  # type: dict[str, list[float]]
                for _ in range(options.turns):
                    for each, side in sides.items():
                        times[each].append(side.milliseconds(request))
                for each, found in times.items():
                    high = statistics.quantiles(found, n=20)[-1]
                    print(
                        f"{what:10} {each:22} median {statistics.median(found):7.1f} ms   p95"
                        f" {high:7.1f} ms",
                        flush=True,
                    )
            if options.device != "interpreter":
                sides["here, another"] = Side(options.device)
                compare_kernels({each: sides[each] for each in ("here", "here, another", title)})
        finally:
            for side in sides.values():
                side.supervisor.close()


if __name__ == "__main__":
    main()
