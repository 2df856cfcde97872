"""Prints how fast the window is: command to painted window, command to results, longest time that the event loop is
away.

    python tests/benchmarks/window_times.py [--repeats 10]

Each repetition starts the real command, offscreen, with an empty home and Triton's interpreter. A start that is not
counted comes first, so that Python's compiled files are there, as they are after an installation. Work is the
processor's time that the program took, or Qt's thread alone between two turns of its event loop: other programs on the
machine change it far less than the rest.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

INSTALLED = Path(sys.executable).with_name("lnexplorer")
COMMAND = [*([str(INSTALLED)] if INSTALLED.exists() else [sys.executable, "-m", "lnexplorer"]), "--device", "interpreter"]
LIMIT_SECONDS = 120


def main() -> int:
    """Measure, print medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=10)
    options = parser.parse_args()
    measure()
    runs = [measure() for _ in range(options.repeats)]
    for name, unit, scale in (
        ("command to painted window", "s", 1.0),
        ("command to results on screen", "s", 1.0),
        ("event loop away at most, at the start", "ms", 1.0),
        ("event loop away at most, while sliders move and runs run", "ms", 1.0),
        ("work to the painted window", "s", 1.0),
        ("work of a turn of the event loop at most, at the start", "ms", 1.0),
        ("work of a turn of the event loop at most, while moving", "ms", 1.0),
    ):
        values = sorted(run[name] * scale for run in runs)
        print(f"{name:58} median {statistics.median(values):7.2f} {unit}   ({values[0]:.2f} to {values[-1]:.2f})")
    return 0


def measure() -> dict[str, float]:
    """One start of the window."""
    with tempfile.TemporaryDirectory() as home:
        environment = {
            **os.environ,
            "QT_QPA_PLATFORM": "offscreen",
            "LNEXPLORER_HOME": home,
            "LNEXPLORER_MEASURE": "1",
        }
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        began = time.time()
        done = subprocess.run(COMMAND, env=environment, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=True)
    times = next(json.loads(line) for line in done.stderr.splitlines() if line.startswith("{"))
    return {
        "command to painted window": times["first_paint"] - began,
        "command to results on screen": times["results"] - began,
        "event loop away at most, at the start": times["longest_block_at_start_ms"],
        "event loop away at most, while sliders move and runs run": times["longest_block_while_moving_ms"],
        "work to the painted window": times["work_to_first_paint"],
        "work of a turn of the event loop at most, at the start": times["longest_work_at_start_ms"],
        "work of a turn of the event loop at most, while moving": times["longest_work_while_moving_ms"],
    }


if __name__ == "__main__":
    sys.exit(main())
