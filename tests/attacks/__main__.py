"""Attack the program for some minutes: `python -m tests.attacks [--seed S] [--minutes T] [--only
KIND[,KIND]]`.

- content: mutations of every kind of file and message, 1 % of the files shown in a window;
- flips: one flipped bit of a recording, sweep, experiment or session;
- faults: signals at random moments to processes of commands and of the window, checked against what
  was acknowledged; after some of them in one home a run has to be right;
- disk: an I/O error at one write, fsync or rename;
- commands: random command lines;
- kernels: files that cheat or break, as providers of a run;
- servers: a false ssh client that says something else than a worker;
- homes: read-only, closed, full, or no folder.

The last lines are one summary with the seed; exit status 1 where there was a fault. What caused one
is kept in --keep.
"""

import random
import statistics
import sys
from pathlib import Path

from tests.attacks.attackers import SHARES, attack
from tests.attacks.files import MOST_BYTES, MOST_STALL_MS, Summary
from tests.programs import described

NEXT_RUNS_RIGHT = 0.999


def main() -> int:
    parser = described(__doc__)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument(
        "--only", type=lambda text: text.split(","), default=list(SHARES), metavar="KIND[,KIND]"
    )
    parser.add_argument("--keep", type=Path, help="a folder for what caused a fault")
    given = parser.parse_args()
    if unknown := [kind for kind in given.only if kind not in SHARES]:
        parser.error(f"--only {','.join(unknown)}: allowed are {', '.join(SHARES)}")
    summary = attack(given.seed, given.minutes, given.only, given.keep)
    _print(summary, f"seed {given.seed}, {given.minutes:g} minutes")
    return bool(summary.faults)


def _print(summary: Summary, what: str) -> None:
    for fault in summary.faults:
        print(f"FAULT {fault.encode('unicode_escape').decode()}")
    tried = summary.tried
    print(f"{what}: {', '.join(f'{count} {kind}' for kind, count in sorted(tried.items()))}")
    print(f"{tried['rows acknowledged']} rows acknowledged, {tried['rows lost']} lost")
    if runs := tried["next runs"]:
        right = runs - tried["next runs that failed"]
        print(
            f"the next run was right in {right} of {runs}: {right / runs:.2%} (wanted"
            f" {NEXT_RUNS_RIGHT:.1%})"
        )
    shown = ""
    for kind, stalls in zip(
        ("stalls", "of CPU time"), zip(*summary.stalls_ms, strict=True), strict=False
    ):
        shown += (
            f"; {kind} of {len(stalls)} files shown: median {statistics.median(stalls)} ms, most"
            f" {max(stalls)}, "
        )
        shown += f"{sum(stall > MOST_STALL_MS for stall in stalls)} above {MOST_STALL_MS}"
    print(f"peak {summary.peak_bytes >> 20} MiB (allowed {MOST_BYTES >> 20}){shown}")
    kinds = sorted({"tracebacks", "rich texts", *summary.found})
    print(
        f"{len(summary.faults)} faults:"
        f" {', '.join(f'{summary.found[kind]} {kind}' for kind in kinds)}"
    )


if __name__ == "__main__":
    sys.exit(main())
