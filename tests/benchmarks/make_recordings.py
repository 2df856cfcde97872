"""Make the recordings of resources/recordings on this machine's GPU, about a minute and a half:
`make_recordings.py [FOLDER]`.

Each is a run with its speeds and a trace of its locks, of seven the one of median length; of the
small ones the trace has all numbers. `--only` takes parts of their names, and with `--device
interpreter` the small ones can be made without a GPU, to see that the way to them works.
"""

import argparse
import queue
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "kernels"), str(ROOT)]

from lnexplorer.domain.jobs import RunJob, TraceJob  # noqa: E402
from lnexplorer.domain.request import RunRequest  # noqa: E402
from lnexplorer.domain.result import RunResult, compact  # noqa: E402
from lnexplorer.domain.timeline import summarize  # noqa: E402
from lnexplorer.engine.supervisor import Supervisor  # noqa: E402
from lnexplorer.protocol.messages import EngineEvent, Finished, JobEnded  # noqa: E402
from lnexplorer.store.archive import RECORDING  # noqa: E402
from lnexplorer.store.recordings import Recording, write_recording  # noqa: E402
from lnkernels.values.timeline import ReductionTimeline  # noqa: E402

GROUP_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
TRACES = 7  # of each, odd
SMALL_MAP = (
    64,
    128,
)  # of the many runs that differ in one number: an eighth of what a single recording keeps


@dataclass(frozen=True, slots=True)
class Case:
    """One recording to make."""

    name: str
    title: str
    request: RunRequest
    small_map: bool = False


def cases() -> list[Case]:
    """All of them, the quick ones first."""
    numbers = [
        Case(
            "lecture",
            "The lecture's problem: 4×8, GROUP_SIZE_M 2",
            RunRequest.of(m=4, n=8, group_size_m=2),
        ),
        Case(
            "8x8_g2_float16_buffers",
            "8×8 with all numbers, GROUP_SIZE_M 2, float16 buffers: each store rounds",
            RunRequest.of(m=8, n=8, group_size_m=2, partial_dtype="same"),
        ),
        *(
            Case(
                f"64x64_g4_{buffers}_buffers",
                f"64×64 with all numbers, GROUP_SIZE_M 4, {buffers} buffers",
                RunRequest.of(m=64, n=64, group_size_m=4, partial_dtype=partial_dtype),
            )
            for buffers, partial_dtype in (("float16", "same"), ("float32", "float32"))
        ),
    ]
    series = [
        Case(
            f"4096x1024_g{g}",
            f"4096×1024, GROUP_SIZE_M {g}",
            RunRequest.of(m=4096, n=1024, group_size_m=g),
            small_map=True,
        )
        for g in GROUP_SIZES
    ]
    single = [
        Case(
            "4096x2048_g128",
            "4096×2048, GROUP_SIZE_M 128",
            RunRequest.of(m=4096, n=2048, group_size_m=128),
            small_map=True,
        ),
        Case("default", "The default run: 4096×8192", RunRequest()),
        Case("tutorial_check", "The tutorial's check: 1151×8192", RunRequest(m=1151, n=8192)),
        Case(
            "16384x1024_g256",
            "16384×1024, GROUP_SIZE_M 256",
            RunRequest.of(m=16384, n=1024, group_size_m=256),
            small_map=True,
        ),
    ]
    return numbers + series + single


class Engine:
    """One worker for all jobs."""

    def __init__(self, device: str) -> None:
        self._events: queue.SimpleQueue[EngineEvent] = queue.SimpleQueue()
        self.supervisor = Supervisor(self._events.put, device=device)
        self.supervisor.start()

    def value(self, job: int) -> object:
        """What a job gives; ends the program where it gives nothing."""
        while True:
            event = self._events.get()
            if isinstance(event, JobEnded) and event.job == job:
                if not isinstance(event.outcome, Finished):
                    sys.exit(f"no recording: {event.outcome}")
                return event.outcome.value


def main() -> None:
    """Make them, and say how large each is and what it shows."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "resources" / "recordings")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--only", nargs="*", default=[""], help="parts of names")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    engine, begin, total = Engine(options.device), time.monotonic(), 0
    try:
        for case in cases():
            if any(part in case.name for part in options.only):
                total += _make(engine, case, options.folder)
    finally:
        engine.supervisor.close()
    print(f"{total / 1e6:.1f} MB in {time.monotonic() - begin:.0f} s")


def _usual_trace(engine: Engine, request: RunRequest) -> ReductionTimeline:
    traces = []
    for _ in range(TRACES):
        timeline = engine.value(engine.supervisor.submit(TraceJob(request)))
        assert isinstance(timeline, ReductionTimeline)
        traces.append(timeline)
    return sorted(traces, key=lambda timeline: timeline.end_ns)[TRACES // 2]


def _make(engine: Engine, case: Case, folder: Path) -> int:
    begin = time.monotonic()
    result = engine.value(engine.supervisor.submit(RunJob(case.request)))
    assert isinstance(result, RunResult)
    timeline = _usual_trace(engine, case.request)
    gpu = result.provenance.environment.gpu
    path = (
        folder
        / f"{gpu.split()[-1].lower() if gpu else 'interpreter'}_{case.name}{RECORDING.suffix}"
    )
    kept = compact(result, *SMALL_MAP) if case.small_map else result
    write_recording(
        path,
        Recording(title=f"{case.title}, {gpu or 'interpreter'}", result=kept, timeline=timeline),
    )
    summary, cost = summarize(timeline), timeline.cost
    told = "" if cost is None else f", tracing costs {cost.share:+.1%}"
    print(
        f"{path.name}: {path.stat().st_size / 1e3:.0f} kB, {time.monotonic() - begin:.1f} s; passed"
        f" {result.correctness.passed}, stage 1 {summary.stage1_ns / 1e3:.1f} µs, queued"
        f" {summary.queued_mean_ns / 1e3:.1f}, trying {summary.trying_mean_ns / 1e3:.1f} µs{told}",
        flush=True,
    )
    return path.stat().st_size


if __name__ == "__main__":
    main()
