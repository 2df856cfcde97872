"""Make the files of resources/recordings on this machine's GPU, some minutes; counters need `ncu`.

    python -m tests.benchmarks.recordings [FOLDER] [--only PART …]

Runs come with a trace of their locks, of seven the one of median length; of the small ones the
trace has all numbers. `--only` takes parts of names, such as `lecture`, `sweep` or `counters`. With
`--device interpreter` the small ones can be made without a GPU, to see that the way to them works.
It says how large each is.
"""

import argparse
import shlex
import sys
import time
from pathlib import Path
from typing import Any

from lnexplorer.cli.main import main as lnexplorer
from lnexplorer.domain.jobs import JobRequest, RunJob, TraceJob
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.result import RunResult, compact
from lnexplorer.engine.supervisor import run_in_turn
from lnexplorer.protocol.messages import Finished
from lnexplorer.store.archive import RECORDING, SWEEP
from lnexplorer.store.recordings import Recording, read_recorded_sweep, write_recording
from lnexplorer.store.resources import resource
from lnkernels.launch import LAUNCHED

TRACES = 7  # of each run, odd
# Of the many runs that differ in one number: an eighth of what a single recording keeps.
SMALL_MAP = (64, 128)
RUNS = {
    "lecture": (
        "The lecture's problem: 4×8, GROUP_SIZE_M 2",
        RunRequest.of(m=4, n=8, group_size_m=2),
    ),
    "8x8_g2_float16_buffers": (
        "8×8 with all numbers, GROUP_SIZE_M 2, float16 buffers: each store rounds",
        RunRequest.of(m=8, n=8, group_size_m=2, partial_dtype="same"),
    ),
    "default": ("The default run: 4096×8192", RunRequest()),
    "tutorial_check": ("The tutorial's check: 1151×8192", RunRequest(m=1151, n=8192)),
}
RUNS |= {
    f"64x64_g4_{buffers}_buffers": (
        f"64×64 with all numbers, GROUP_SIZE_M 4, {buffers} buffers",
        RunRequest.of(m=64, n=64, group_size_m=4, partial_dtype=partial_dtype),
    )
    for buffers, partial_dtype in (("float16", "same"), ("float32", "float32"))
}
SERIES = {
    f"{m}x{n}_g{g}": (f"{m}×{n}, GROUP_SIZE_M {g}", RunRequest.of(m=m, n=n, group_size_m=g))
    for m, n, g in (
        *((4096, 1024, 1 << power) for power in range(10)),
        (4096, 2048, 128),
        (16384, 1024, 256),
    )
}
# Quick ones have 200 samples a figure at most, which keeps their files below 300 kB.
SWEEPS = {
    "tutorial": "--tutorial --strategy locked,persistent,auto --provider torch --effort quick",
    "blocks": (
        "--m 4096 --n 8192 --block-size 256:16384:x2 --num-warps 1:32:x2 --mode forward --effort"
        " quick"
    ),
    "group_size": (
        "--m 4096 --n 8192 --group-size-m 1,2,4,8,16,32,48,64,96,128,192,256,512 --partial-dtype"
        " same --mode backward --waits --provider torch --effort quick"
    ),
    # Rows that begin at every element, at every second one …: how wide their loads can be.
    "widths": (
        "--m 4096 --n 992,1000,1001,1002,1004,1008,1016,1023,1024 --strategy persistent --provider"
        " torch --effort quick --title 'Widths from 992 to 1024, M = 4096, float16, NVIDIA H200'"
    ),
}


def named(gpu: str | None) -> str:
    return gpu.split()[-1].lower() if gpu else "interpreter"


def values(device: str, *jobs: JobRequest) -> list[Any]:
    """Give what jobs gave, one after the other; the program ends where one gives nothing."""
    outcomes = run_in_turn(jobs, device)
    if not isinstance(outcomes[-1], Finished):
        sys.exit(f"no recording: {outcomes[-1]}"[:3000])
    return [outcome.value for outcome in outcomes if isinstance(outcome, Finished)]


def write(folder: Path, name: str, title: str, result: RunResult, **more: Any) -> Path:
    gpu = result.provenance.environment.gpu
    path = folder / f"{named(gpu)}_{name}{RECORDING.suffix}"
    title = f"{title}, {gpu or 'interpreter'}"
    write_recording(path, Recording(title=title, result=result, **({"timeline": None} | more)))
    return path


def record(folder: Path, name: str, device: str) -> Path:
    """Make a run with its usual trace."""
    title, request = (RUNS | SERIES)[name]
    result, *traces = values(device, RunJob(request), *[TraceJob(request)] * TRACES)
    usual = sorted(traces, key=lambda timeline: timeline.end_ns)[TRACES // 2]
    kept = compact(result, *SMALL_MAP) if name in SERIES else result
    return write(folder, name, title, kept, timeline=usual)


def sweep(folder: Path, name: str, device: str) -> Path:
    made = folder / f"new_sweep_{name}{SWEEP.suffix}"
    where = ["--device", device, "--save", str(made)]
    if status := lnexplorer(["sweep", *shlex.split(SWEEPS[name]), *where]):
        sys.exit(status)
    gpu = read_recorded_sweep(made).results[0].environment.gpu
    return made.rename(made.with_name(f"{named(gpu)}_sweep_{name}{SWEEP.suffix}"))


def count(folder: Path, strategy: str, device: str) -> Path:
    """Make a run of a strategy with what the hardware counts, without other providers."""
    job = RunJob(RunRequest.of(strategy=strategy), (), counters=True)
    (result,) = values(device, job)
    resolved = result.resolved
    title = f"{resolved.m}×{resolved.n} {resolved.dtype}, {strategy}, hardware counters"
    return write(folder, f"counters_{strategy}", title, result)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("folder", nargs="?", type=Path, default=Path(resource("recordings")))
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--only", nargs="*", default=[""], help="parts of names")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    kinds = (("", record, RUNS | SERIES), ("sweep_", sweep, SWEEPS), ("counters_", count, LAUNCHED))
    for kind, make, names in kinds:
        for name in names:
            if any(part in f"{kind}{name}" for part in given.only):
                begin = time.monotonic()
                path = make(given.folder, name, given.device)
                seconds, size = time.monotonic() - begin, path.stat().st_size / 1e3
                print(f"{path.name}: {size:.0f} kB, {seconds:.0f} s", flush=True)


if __name__ == "__main__":
    main()
