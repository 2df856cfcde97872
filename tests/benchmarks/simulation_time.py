"""Seconds to simulate a million rows, by the clock and by the processor, medians of several runs.

python tests/benchmarks/simulation_time.py [RUNS] [busy]

"busy" keeps as many other processes computing as there are cores.
"""

import multiprocessing
import os
import statistics
import sys
import time
from dataclasses import replace
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2] / "kernels"), str(Path(__file__).parents[2])]

from lnexplorer.domain.request import RunRequest, resolve  # noqa: E402
from lnexplorer.domain.schedule_defaults import default_model  # noqa: E402
from lnexplorer.domain.simulation import simulate  # noqa: E402
from lnexplorer.domain.simulation.fit import USUAL_LOCK_SPREAD  # noqa: E402

ROWS, SM_COUNT = 1_000_000, 132
# N, GROUP_SIZE_M, resident programs, and whether locks differ: then the queue of the slowest grows, and others run
# empty.
LAUNCHES = (
    (1024, 1, 1584, False),
    (1024, 16, 1584, False),
    (1024, 64, 1584, False),
    (1024, 256, 1584, False),
    (1024, 512, 1584, False),
    (1024, 16, 1584, True),
    (1024, 64, 1584, True),
    (1024, 256, 1584, True),
    (1024, 512, 1584, True),
    (1024, 1, 1056, False),
    (1024, 64, 1056, False),
    (1024, 512, 1056, False),
    (8192, 96, 264, False),
    (8192, 96, 264, True),
    (1024, 256, 100, False),
    (1024, 8, 16, False),
    (1024, 512, 4000, False),
)


def main() -> None:
    """Print a table."""
    runs = next((int(word) for word in sys.argv[1:] if word.isdigit()), 7)
    others = [multiprocessing.Process(target=_compute, daemon=True) for _ in range((os.cpu_count() or 1) * ("busy" in sys.argv))]
    for process in others:
        process.start()
    columns = f"{'N':>6} {'GROUP_SIZE_M':>12} {'residents':>9} {'locks':>9}"
    print(f"{columns} {'median s':>8} {'least':>5} {'most':>5} {'processor s':>11}")
    for n, group_size_m, residents, differ in LAUNCHES:
        seconds, processor = _measure(n, group_size_m, residents, USUAL_LOCK_SPREAD if differ else 0.0, runs)
        figures = (
            f"{statistics.median(seconds):9.2f} {min(seconds):6.2f} {max(seconds):6.2f} {statistics.median(processor):11.2f}"
        )
        print(f"{n:6} {group_size_m:12} {residents:9} {'different' if differ else 'alike':>9} {figures}", flush=True)
    for process in others:
        process.terminate()


def _measure(n: int, group_size_m: int, residents: int, lock_spread: float, runs: int) -> tuple[list[float], list[float]]:
    request = resolve(RunRequest.of(m=ROWS, n=n, group_size_m=group_size_m), "cuda")
    model = replace(default_model(request, residents, SM_COUNT), lock_spread=lock_spread)
    seconds, processor = [], []
    for _ in range(runs):
        begin, begin_processor = time.perf_counter(), time.process_time()
        simulate(ROWS, n, group_size_m, 32, 128, model)
        seconds.append(time.perf_counter() - begin)
        processor.append(time.process_time() - begin_processor)
    return seconds, processor


def _compute() -> None:
    while True:
        pass


if __name__ == "__main__":
    main()
