"""Record the sweeps of resources/recordings on this machine's GPU, some minutes: `record_sweeps.py
[FOLDER] [--only PART …]`.

Each is one `lnexplorer sweep --save`. Other options go to every sweep, in place of its own: with
`--device interpreter --m 16 --n 64,128` they can be made without a GPU, to see that the way to them
works.
"""

import argparse
import shlex
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "kernels"), str(ROOT)]

from lnexplorer.cli.main import main as lnexplorer  # noqa: E402
from lnexplorer.store.archive import SWEEP  # noqa: E402
from lnexplorer.store.recordings import read_recorded_sweep  # noqa: E402

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


def main() -> int:
    """Record them, and say how large each is; the exit status of the first that failed, or 0."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "resources" / "recordings")
    parser.add_argument("--only", nargs="*", default=list(SWEEPS), choices=SWEEPS)
    options, other = parser.parse_known_args()
    for name in options.only:
        begin = time.monotonic()
        made = options.folder / f"new_sweep_{name}{SWEEP.suffix}"
        status = lnexplorer(["sweep", *shlex.split(SWEEPS[name]), *other, "--save", str(made)])
        if status:
            return status
        found = read_recorded_sweep(made)
        gpu = found.results[0].environment.gpu
        path = made.rename(
            made.with_name(
                f"{gpu.split()[-1].lower() if gpu else 'interpreter'}_sweep_{name}{SWEEP.suffix}"
            )
        )
        right = sum(result.status == "ok" for result in found.results)
        print(
            f"{path.name}: {path.stat().st_size / 1e3:.0f} kB, {time.monotonic() - begin:.0f} s,"
            f" {right} of {found.total} right",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
