"""By how much other inputs in each repetition change the times of honest kernels; needs a GPU.

    python -m tests.benchmarks.referee_times [--rounds 7] [--shapes 4096x1024,4096x8192] [--autograd]

Times PyTorch's kernels and those of a new kernel's file as a user's kernel is timed, and as ours
are, in turns, and prints the medians of both and how they differ: less than 1 % is promised. Where
tensors lie in memory moves a time of some microseconds by up to a tenth, and a user's kernel has a
tensor of its own. So each round has another place, and the difference is the median of the rounds';
behind it stand the least and the greatest.
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
EFFORT = Effort(seconds=8.0, most=400, within=0.001, least_seconds=0.4)


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
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--shapes", default=",".join(f"{m}x{n}" for m, n in SHAPES))
    parser.add_argument(
        "--autograd",
        action="store_true",
        help="calls through autograd, too, where the host decides",
    )
    options = parser.parse_args()
    which = [pair for pair in EVERYTHING if options.autograd or pair[1] != "autograd"]
    shapes = [tuple(map(int, each.split("x"))) for each in options.shapes.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "my_norm.py")
        path.write_text(NEW_KERNEL.read_text())
        for (m, n), (plain, checked) in product(shapes, pairs(path)):
            launch = resolve_launch(n, "float16", LaunchWish(strategy="locked"), m=m)
            times: dict[tuple[str, str, str], list[float]] = {}
            kept: list[object] = []
            for place in range(options.rounds):
                kept.append(torch.empty((37 << 20) * (place + 1), dtype=torch.uint8, device="cuda"))
                inputs = make_inputs(m, n, torch.float16, "tutorial", 0, "cuda")
                kept.append(inputs)
                pair = [plain, checked] if place % 2 else [checked, plain]
                found = measure(
                    Case.of(inputs, 1e-5, launch), pair, which=which, effort=EFFORT, ceilings=None
                )
                for no in found.refusals:
                    print(f"{m}×{n}: {no.provider}: {no.sentence}", flush=True)
                for each in found.figures:
                    key = each.provider, each.direction, each.mode
                    times.setdefault(key, []).append(each.p50_ms)
            for direction, mode in which:
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
