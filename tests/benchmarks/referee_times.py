"""By how much other inputs in each repetition change the times of honest kernels; needs a GPU.

    python -m tests.benchmarks.referee_times [--rounds 5] [--shapes 4096x1024,4096x8192]

Times PyTorch's kernels and those of a new kernel's file as a user's kernel is timed, and as ours
are, in turns, and prints the medians of both and how they differ: less than 1 % is promised. Two
captures of one launch differ by up to 1.5 %, so each round captures anew, and the difference is the
median of the rounds'; behind it stand the least and the greatest.
"""

import argparse
import statistics
import tempfile
from itertools import product
from pathlib import Path

import torch

from lnkernels.check.inputs import make_inputs
from lnkernels.launch import LaunchWish, resolve_launch
from lnkernels.launch.source import find_source
from lnkernels.providers.file import FileProvider
from lnkernels.providers.peers import Eager
from lnkernels.providers.protocol import Case, Provider
from lnkernels.timing.measure import EVERYTHING, measure
from lnkernels.timing.rounds import Effort

NEW_KERNEL = Path(__file__).parents[2].joinpath("resources", "new_kernel.txt")
SHAPES = ((4096, 1024), (4096, 8192), (512, 256), (65536, 4096))
EFFORT = Effort(seconds=20.0, most=400, within=0.001, least_seconds=0.4)


class Checked(Eager):
    """PyTorch, timed as a user's kernel is."""

    name = "torch, as a user's"
    unproven = True


def pairs(place: Path) -> list[tuple[Provider, Provider]]:
    file, twin = (FileProvider(find_source(str(place))) for _ in range(2))
    file.name, twin.name = "file", "file, as ours"
    twin.unproven = False
    return [(Eager(), Checked()), (twin, file)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--shapes", default=",".join(f"{m}x{n}" for m, n in SHAPES))
    options = parser.parse_args()
    shapes = [tuple(map(int, each.split("x"))) for each in options.shapes.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "my_norm.py")
        place.write_text(NEW_KERNEL.read_text())
        for (m, n), (plain, checked) in product(shapes, pairs(place)):
            inputs = make_inputs(m, n, torch.float16, "tutorial", 0, "cuda")
            launch = resolve_launch(n, "float16", LaunchWish(strategy="locked"), m=m)
            case = Case.of(inputs, 1e-5, launch)
            times: dict[tuple[str, str, str], list[float]] = {}
            for _ in range(options.rounds):
                found = measure(case, [plain, checked], effort=EFFORT, ceilings=None)
                for no in found.refusals:
                    print(f"{m}×{n}: {no.provider}: {no.sentence}", flush=True)
                for each in found.figures:
                    key = each.provider, each.direction, each.mode
                    times.setdefault(key, []).append(each.p50_ms)
            for direction, mode in EVERYTHING:
                ours, theirs = (
                    times.get((one.name, direction, mode), []) for one in (plain, checked)
                )
                if not ours or len(ours) != len(theirs):
                    continue
                changes = [100 * (b / a - 1) for a, b in zip(ours, theirs, strict=True)]
                print(
                    f"{m}×{n} {plain.name:5} {direction:8} {mode:11}"
                    f" {1e3 * statistics.median(ours):8.2f} µs →"
                    f" {1e3 * statistics.median(theirs):8.2f} µs,"
                    f" {statistics.median(changes):+.2f} %"
                    f" ({min(changes):+.2f} to {max(changes):+.2f})",
                    flush=True,
                )


if __name__ == "__main__":
    main()
