"""How long it takes until all forms of a setting's kernels are there, and to find partners and
differences in them.

    python -m tests.benchmarks.compile_times

Each is asked of a worker as the window asks it. "new" are settings that Triton has never compiled,
in an empty cache: first with no compiling process, then with one. "again" asks a second time. All
in ms, wall-clock; partners and differences in machine code of 5,000 lines.
"""

import os
import queue
import statistics
import sys
import tempfile
import time

import numpy as np

from lnexplorer.domain.jobs import Compiled, CompileJob
from lnexplorer.domain.request import RunRequest
from lnexplorer.engine.supervisor import Supervisor
from lnexplorer.protocol.messages import EngineEvent, Finished, JobEnded, WorkerReady
from lnkernels.values.listing import Listing, StageText
from lnkernels.values.listing_diff import beside

WARPS = (8, 4, 16, 2)  # of the settings; the first begins the compiling process
LINES = 5000
REPETITIONS = 20


def main() -> int:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as cache:
        os.environ["TRITON_CACHE_DIR"] = cache
        events: queue.SimpleQueue[EngineEvent] = queue.SimpleQueue()
        supervisor = Supervisor(events.put, device="interpreter")
        supervisor.start()
        try:
            while not isinstance(events.get(), WorkerReady):
                pass
            new, again = [], []
            for warps in WARPS:
                job = CompileJob(
                    problem=RunRequest.of(m=4096, n=4096, num_warps=warps), architecture="sm_90"
                )
                for times in (new, again):
                    began = time.monotonic()
                    number = supervisor.submit(job)
                    found = _end(events, number)
                    times.append(1e3 * (time.monotonic() - began))
        finally:
            supervisor.close()
    listing = found.kernels[1]
    print(f"all forms of three kernels, new, with no compiling process: {new[0]:.0f}")
    print(f"the same with one: {', '.join(f'{one:.0f}' for one in new[1:])}")
    print(f"again: {', '.join(f'{one:.0f}' for one in again)}")
    large = _repeated(listing)
    print(f"partners of a line: {_median(lambda: large.partners('sass', LINES // 2)):.1f}")
    left, right = large.stages["sass"].lines, _repeated(found.kernels[0]).stages["sass"].lines
    print(
        "a difference of two texts without much in common:"
        f" {_median(lambda: beside(left, right, 'sass')):.0f}"
    )
    return 0


def _end(events: "queue.SimpleQueue[EngineEvent]", job: int) -> Compiled:
    while True:
        event = events.get()
        if isinstance(event, JobEnded) and event.job == job:
            assert isinstance(event.outcome, Finished), event
            assert isinstance(event.outcome.value, Compiled), event
            return event.outcome.value


def _repeated(listing: Listing) -> Listing:
    """A listing whose machine code is as often repeated as it takes for LINES lines."""
    sass = listing.stages["sass"]
    times = -(-LINES // len(sass.lines))
    longer = StageText((sass.lines * times)[:LINES], np.tile(sass.stacks, times)[:LINES])
    values = {name: getattr(listing, name) for name in Listing.__slots__}
    return Listing(**{**values, "stages": {**listing.stages, "sass": longer}})


def _median(call: object) -> float:
    times = []
    for _ in range(REPETITIONS):
        began = time.perf_counter()
        call()  # type: ignore[operator]
        times.append(1e3 * (time.perf_counter() - began))
    return statistics.median(times)


if __name__ == "__main__":
    sys.exit(main())
