"""Seconds to simulate a million rows, medians of several runs.

python tests/benchmarks/simulation_time.py [RUNS]
"""

import statistics
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2] / "kernels"), str(Path(__file__).parents[2])]

from lnexplorer.domain.request import RunRequest, resolve  # noqa: E402
from lnexplorer.domain.schedule_defaults import default_model  # noqa: E402
from lnexplorer.domain.simulation import simulate  # noqa: E402

ROWS, SM_COUNT = 1_000_000, 132
LAUNCHES = ((1024, 256, 12), (1024, 16, 12), (1024, 1, 12), (2048, 128, 6), (8192, 96, 2))  # N, GROUP_SIZE_M, programs per SM


def main() -> None:
    """Print a table."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    print(f"{'N':>6} {'GROUP_SIZE_M':>12} {'residents':>9} {'median s':>9} {'least':>6} {'most':>6}")
    for n, group_size_m, per_sm in LAUNCHES:
        request = resolve(RunRequest(m=ROWS, n=n, group_size_m=group_size_m), "cuda")
        model = default_model(request, per_sm * SM_COUNT, SM_COUNT)
        seconds = []
        for _ in range(runs):
            begin = time.perf_counter()
            simulate(ROWS, n, group_size_m, 32, 128, model)
            seconds.append(time.perf_counter() - begin)
        middle, least, most = statistics.median(seconds), min(seconds), max(seconds)
        print(f"{n:6} {group_size_m:12} {per_sm * SM_COUNT:9} {middle:9.2f} {least:6.2f} {most:6.2f}")


if __name__ == "__main__":
    main()
