"""Attack the program for some minutes: `python -m tests.attacks [--seed S] [--minutes T] [--only KIND[,KIND]]`.

- content: mutations of every kind of file and message, 1 % of the files shown in a window;
- flips: one flipped bit of a recording, sweep, experiment, session or history;
- faults: signals at random moments of commands and of the window, checked against what was acknowledged, each followed by a
  run, which has to be right;
- disk: an I/O error at one write, fsync or rename;
- commands: random command lines.

The last lines are a summary with the seed; exit status 1 where there was a fault. What caused one is kept in --keep.
"""

import argparse
import random
import shutil
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tests.attacks.files import MOST_BYTES, MOST_STALL_MS, ContentAttack, Summary, scratch
from tests.attacks.processes import ProcessAttack

# Steps of content are a thousand times shorter than the others, so each kind has its share of time.
NEXT_RUNS_RIGHT = 0.999
SHARES = {"content": 0.3, "flips": 0.05, "faults": 0.35, "disk": 0.15, "commands": 0.15}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(SHARES), metavar="KIND[,KIND]")
    parser.add_argument("--keep", type=Path, help="a folder for what caused a fault")
    given = parser.parse_args()
    if unknown := [kind for kind in given.only if kind not in SHARES]:
        parser.error(f"--only {','.join(unknown)}: allowed are {', '.join(SHARES)}")
    summary = Summary()
    with scratch() as name:
        folder = Path(name)
        rng = random.Random(given.seed)
        content = ContentAttack(folder, random.Random(rng.random()), summary)
        processes = ProcessAttack(folder, random.Random(rng.random()), summary)
        steps: dict[str, Callable[[], None]] = {
            "content": content.step,
            "flips": content.flip,
            "faults": processes.fault_point,
            "disk": processes.disk_error,
            "commands": processes.command_line,
        }
        spent = dict.fromkeys(given.only, 0.0)
        ends = time.monotonic() + 60 * given.minutes
        with suppress(KeyboardInterrupt):  # what was found until then is told
            while time.monotonic() < ends:
                kind = min(spent, key=lambda each: spent[each] / SHARES[each])
                began = time.monotonic()
                steps[kind]()
                spent[kind] += time.monotonic() - began
        content.close()
        if given.keep is not None:
            for path in folder.glob("fault-*"):
                (shutil.copytree if path.is_dir() else shutil.copy2)(path, given.keep / path.name)
    _print(summary, given.seed, given.minutes)
    return bool(summary.faults)


def _print(summary: Summary, seed: int, minutes: float) -> None:
    for fault in summary.faults:
        print(f"FAULT {fault.encode('unicode_escape').decode()}")
    tried = ", ".join(f"{count} {what}" for what, count in sorted(summary.tried.items()))
    print(f"seed {seed}, {minutes:g} minutes: {tried}")
    if runs := summary.tried.get("next runs", 0):
        right = runs - summary.tried.get("next runs that failed", 0)
        print(f"the next run was right in {right} of {runs}: {right / runs:.2%} (wanted {NEXT_RUNS_RIGHT:.1%})")
    stalls = summary.stalls_ms
    shown = f"; {len(stalls)} shown, stall median {statistics.median(stalls)} ms, most {max(stalls)}" if stalls else ""
    print(f"peak {summary.peak_bytes >> 20} MiB (allowed {MOST_BYTES >> 20}){shown} (wanted {MOST_STALL_MS})")
    print(f"{len(summary.faults)} faults")


if __name__ == "__main__":
    sys.exit(main())
