"""How well a sweep uses its GPUs: run as a script on a machine with GPUs; needs nothing but this
package.

    python -m tests.benchmarks.sweep_times share     # the tutorial's curve of one strategy, with a cold compile cache
    python -m tests.benchmarks.sweep_times pool      # a sweep of 200 settings on 1, 2, 4 … GPUs, each with a cold
    compile cache

`share` prints which part of the wall time the GPU was timing; at least 0.8 is wanted. It takes the
preset's effort, "thorough", which times each figure for half a second at least, as the tutorial's
own `do_bench(rep=500)` does. `pool` prints how many times as fast more GPUs are than one; 1.9 and
3.7 times are wanted of two and four. Its effort is "normal", 0.2 s for each figure. `--effort
quick` shows what there is besides timing. Both print times from the start, and from when the first
worker was ready, because a worker takes seconds to import torch however short the sweep is, and
what the rest of the time went into.
"""

import json
import os
import queue
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass
from statistics import median

from lnexplorer.doctor.facts import find_driver
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.request import EFFORTS, TUTORIAL, Axis, SweepRequest
from lnexplorer.engine.sources import Grid
from lnexplorer.engine.sweep import SweepRunner
from lnexplorer.engine.sweep_events import CellFinished, DeviceReady, SweepEnded, SweepEvent
from tests.programs import described

GROUPS = tuple(range(16, 416, 16))  # 25 of them
TILES = (2, 4, 8, 16, 32, 64, 128, 256)


@dataclass(frozen=True)
class Times:
    """What one sweep took, in seconds."""

    devices: int
    cells: int
    statuses: dict[str, int]
    wall: float
    start: float  # until the first worker was ready
    timing: float  # summed over devices
    in_cells: float  # from hand-over to answer, summed over devices
    samples: int  # median number of samples a figure

    @property
    def share(self) -> float:
        """Part of the wall time in which a GPU was timing."""
        return self.timing / (self.wall * self.devices)

    @property
    def share_without_start(self) -> float:
        """The same from when the first worker was ready."""
        return self.timing / ((self.wall - self.start) * self.devices)


def run(sweep: SweepRequest, devices: tuple[str, ...]) -> Times:
    """Run a sweep to its end with an empty cache of compiled kernels."""
    with tempfile.TemporaryDirectory(prefix="lnexplorer-cache-") as cache:
        os.environ["TRITON_CACHE_DIR"] = cache
        heard: queue.SimpleQueue[tuple[float, SweepEvent]] = queue.SimpleQueue()
        runner = SweepRunner(
            lambda sweep=sweep: Grid(sweep),
            lambda event: heard.put((time.monotonic(), event)),
            devices=devices,
        )
        began = time.monotonic()
        runner.start()
        ready, timing, in_cells, statuses, samples = None, 0.0, 0.0, Counter[str](), list[int]()
        while True:
            at, event = heard.get()
            match event:
                case DeviceReady():
                    ready = ready or at - began
                case CellFinished(result=result):
                    statuses[result.status] += 1
                    timing += result.timing_seconds
                    in_cells += result.seconds
                    samples += [figure.samples_ms.size for figure in result.figures]
                    if result.reason:
                        print(
                            f"{result.cell.provider} {result.status}: {result.reason}",
                            file=sys.stderr,
                        )
                case SweepEnded() as end:
                    if end.how != "finished":
                        sys.exit(f"the sweep {end.how}: {end.sentence}")
                    break
        runner.join()
    return Times(
        devices=len(devices),
        cells=sum(statuses.values()),
        statuses=dict(statuses),
        wall=end.wall_seconds,
        start=ready or end.wall_seconds,
        timing=timing,
        in_cells=in_cells,
        samples=round(median(samples)) if samples else 0,
    )


def curve(effort: str) -> SweepRequest:
    """The tutorial's curve of one strategy, forward and backward."""
    return SweepRequest(
        base=TUTORIAL.sweep.base, axes=TUTORIAL.sweep.axes, strategies=("locked",), effort=effort
    )


def two_hundred(effort: str) -> SweepRequest:
    """200 settings of one problem: GROUP_SIZE_M × the block of stage 2."""
    axes = (
        Axis(name="group_size_m", values=GROUPS),
        Axis(name="reduce_block_size_m", values=TILES),
    )
    return SweepRequest(
        base=RunRequest.of(m=4096, n=4096, reduce_block_size_n=64), axes=axes, effort=effort
    )


def show(times: Times) -> None:
    """One line for people, one for programs."""
    start = f"{times.start:.1f} s of them until the first worker was ready"
    work = f"timing {times.timing:.1f} s, with checks and compilation {times.in_cells:.1f} s"
    share = f"share {times.share:.2f}, without the start {times.share_without_start:.2f}"
    print(
        f"{times.devices} GPU: {times.cells} settings in {times.wall:.1f} s, {start}; {work};"
        f" {share}"
    )
    print(f"{times.samples} samples a figure")
    print(json.dumps(asdict(times)), flush=True)


def main() -> None:
    """Print what was asked for."""
    parser = described(__doc__)
    parser.add_argument("what", choices=("share", "pool"))
    parser.add_argument(
        "--effort", choices=tuple(EFFORTS), help="default: thorough for share, normal for pool"
    )
    parser.add_argument(
        "--gpus", default="1,2,4", help="numbers of GPUs to try with `pool`, by comma"
    )
    options = parser.parse_args()
    present = len(find_driver().gpus)
    if not present:
        sys.exit("there is no NVIDIA GPU here")
    if options.what == "share":
        show(run(curve(options.effort or TUTORIAL.sweep.effort), ("cuda:0",)))
        return
    first: Times | None = None
    for count in (int(number) for number in options.gpus.split(",")):
        if count > present:
            print(f"{count} GPUs: there are {present}")
            continue
        times = run(
            two_hundred(options.effort or "normal"),
            tuple(f"cuda:{index}" for index in range(count)),
        )
        show(times)
        first = first or times
        if count != first.devices:
            ready = (first.wall - first.start) / (times.wall - times.start)
            print(
                f"{first.wall / times.wall:.2f} times as fast as on {first.devices}, without the"
                f" start {ready:.2f} times"
            )


if __name__ == "__main__":
    main()
