"""Times what `auto` launches beside torch.compile's kernels; a script for a machine with a GPU.

    python -m tests.benchmarks.launch_candidates FILE.csv --part auto --seconds 100
    python -m tests.benchmarks.launch_candidates FILE.csv --part odd --n 1001,8001

"auto" is many rows of 64 to 2048 columns and few rows, "few" these alone, beside all peers that are
installed; "odd" rows whose length is no multiple of 16 bytes. Kernels are compiled by one process for each core
first. Each is checked as every provider is, and then timed in turns with the others: kernels alone
in a CUDA graph, cold L2, medians. Where tensors lie in memory moves times of a few microseconds by
up to a tenth, so a shape is timed in five places: its time and its ratio to torch.compile are
medians of theirs. A line of the file for each of them, a line of the table for each shape: `auto`,
torch.compile, the ceiling.
"""

import csv
import os
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from math import nan
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

import torch

from lnexplorer.domain.ranges import read_whole_numbers
from lnkernels.check.inputs import make_inputs
from lnkernels.check.verifier import Verifier
from lnkernels.compiled.launches import recorded, settle_keys
from lnkernels.device import device_limits
from lnkernels.launch import Launch, LaunchWish, resolve_launch
from lnkernels.passes.arguments import ForwardTensors
from lnkernels.passes.registry import run_backward, run_forward
from lnkernels.providers.own import Own
from lnkernels.providers.peers import Apex, Eager, Inductor, Liger, Quack
from lnkernels.providers.protocol import Case, Provider
from lnkernels.timing.measure import measure
from lnkernels.timing.rounds import Effort
from lnkernels.values.figures import DIRECTIONS
from lnkernels.values.sentence import Sentence
from tests.programs import described

DTYPE = "bfloat16"  # see `set_dtype`
_BYTES = {"bfloat16": 2, "float16": 2, "float32": 4}
NARROW = "64:2048:64"
# M and N whose rows begin at any element
UNALIGNED = (
    *((16384, 1001), (16384, 1002), (16384, 1501), (8192, 2003), (8192, 3001), (8192, 3334)),
    *((4096, 4001), (4096, 4097), (8192, 5119), (4096, 6001), (4096, 7999), (4096, 10001)),
    *((4096, 12289), (4096, 14001), (4096, 16383)),
    *((4096, 12296), (4096, 14000), (4096, 16376)),  # of 16 bytes, for comparison
)
FEW_M, FEW_N = "1,2,4,8,16,32,64,100,128,256,512,1024", "768,1024,2048,4096,8192,16384"
_PEERS = (Inductor, Eager, Liger, Quack, Apex)
_EFFORT = Effort(first=10, turn=15, turn_ms=1e6, most=70, seconds=1e9, within=0.005)
_PLACES = 5


def set_dtype(dtype: str) -> None:
    """Have this process time rows of this type."""
    global DTYPE  # noqa: PLW0603  one run times one type
    DTYPE = dtype


@dataclass(frozen=True)
class Shape:
    direction: str
    m: int
    n: int


def shapes(part: str, m: str, n: str) -> list[Shape]:
    """In an order of which the beginning alone says something of all."""
    if part == "odd":
        wanted = set(read_whole_numbers(n)) if n else {b for _, b in UNALIGNED}
        every = [(a, b) for a, b in UNALIGNED if b in wanted]
        return [Shape(way, a, b) for way in ("backward", "forward") for a, b in every]
    columns = list(read_whole_numbers(n or NARROW))
    columns = columns if n else columns[2::4] + columns[::4] + columns[1::2]
    narrow = [] if part == "few" else [Shape("both", 65536, b) for b in columns]
    few = product(read_whole_numbers(n * (part == "few") or FEW_N), read_whole_numbers(m or FEW_M))
    return narrow + [Shape("both", a, b) for b, a in few]


def launch_of(shape: Shape) -> Launch:
    limits = device_limits(torch.device("cuda"))
    return resolve_launch(shape.n, DTYPE, LaunchWish(strategy="auto"), limits, m=shape.m)


def peers(part: str) -> list[Provider]:
    """Who is there; beside odd rows PyTorch alone."""
    wanted = (Eager,) if part == "odd" else _PEERS
    return [peer() for peer in wanted if peer().unavailable() is None]


def compile_launch(shape: Shape, launch: Launch) -> None:
    """Both passes, for tensors that have no memory."""
    dtype = getattr(torch, DTYPE)
    x = torch.empty(shape.m, shape.n, dtype=dtype, device="meta")
    row = torch.empty(shape.n, dtype=dtype, device="meta")

    def call() -> None:
        forward = ForwardTensors.allocate(x, row, row, 1e-5)
        run_forward(forward, launch)
        run_backward(forward.gradients(x), launch)

    for one in recorded(call):
        one.compile()


def compile_ahead(part: str, chores: list[Shape]) -> None:
    """In a process of its own: fill the caches of Triton and Inductor."""
    settle_keys()
    for shape in chores:
        launch = launch_of(shape)
        try:
            compile_launch(shape, launch)
        except Exception as error:  # noqa: BLE001  it is left out where it is timed, too
            print(f"{shape}: {error}"[:200])
        case = Case.of(
            make_inputs(shape.m, shape.n, getattr(torch, DTYPE), "normal", 0, torch.device("cuda")),
            1e-5,
            launch,
        )
        for peer in peers(part):
            for direction, prepare in (("forward", peer.forward), ("backward", peer.backward)):
                if shape.direction in (direction, "both"):
                    with suppress(Exception):  # who fails is refused where it is timed
                        prepare(case)()
        torch.cuda.synchronize()


def time_shape(part: str, shape: Shape, count: int) -> list[dict[str, dict[str, float]]]:
    """Median ms by pass and provider, with peers and the ceiling, in each of `count` places."""
    device = torch.device("cuda")
    providers, found, kept = [Own("auto"), *peers(part)], [], []
    passes = DIRECTIONS if shape.direction == "both" else (shape.direction,)
    which: Any = [(direction, "kernel_cold") for direction in passes]
    for place in range(count):
        kept.append(
            torch.empty((37 << 20) * (place + 1), dtype=torch.uint8, device=device)
        )  # moves what comes next
        inputs = make_inputs(shape.m, shape.n, getattr(torch, DTYPE), "normal", place, device)
        case = Case.of(inputs, 1e-5, launch_of(shape))

        def check(
            provider: Provider, case: Case = case, first: bool = place == 0
        ) -> Sentence | None:
            checked = provider.name == "auto" and first
            return Verifier(case, autograd=False)(provider) if checked else None

        first = place * len(providers) // count  # a graph's place in memory counts, too
        figures = measure(
            case,
            providers[first:] + providers[:first],
            which=which,
            effort=_EFFORT,
            check=check,
            ceilings={},
        )
        for refusal in figures.refusals:
            print(f"{shape}: {refusal.provider}: {refusal.reason}"[:300])
        found.append(
            {
                one: {
                    each.provider: each.p50_ms for each in figures.figures if each.direction == one
                }
                for one in passes
            }
        )
        kept.append(inputs)
    return found


def median_of(places: list[dict[str, float]], name: str, over: str | None = None) -> float:
    """Of a name's ms in all places, or of its speed over another's, each compared in its place."""
    times = [
        (one[over] / one[name] if over else one[name])
        for one in places
        if name in one and (over or name) in one
    ]
    return median(times) if times else nan


def main() -> None:
    parser = described(__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--part", choices=("auto", "few", "odd"), default="auto")
    parser.add_argument("--dtype", choices=_BYTES, default=DTYPE)
    parser.add_argument("--places", type=int, default=_PLACES, help="in memory, of each shape")
    parser.add_argument("--m", default="")
    parser.add_argument("--n", default="")
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    set_dtype(options.dtype)
    began = time.monotonic()
    wanted = shapes(options.part, options.m, options.n)
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    share = [wanted[first :: options.processes] for first in range(options.processes)]
    with ProcessPoolExecutor(
        options.processes, get_context("spawn"), set_dtype, (options.dtype,)
    ) as pool:
        list(pool.map(compile_ahead, [options.part] * len(share), share))
    print(
        torch.cuda.get_device_name(),
        torch.__version__,
        "beside",
        *(peer.name for peer in peers(options.part)),
    )
    print(f"compiled in {time.monotonic() - began:.0f} s", flush=True)
    settle_keys()
    with options.file.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("direction", "m", "n", "candidate", "us", "of_torch_compile"))
        for shape in wanted:
            if time.monotonic() - began > options.seconds:
                print("time is up")
                break
            timed = time_shape(options.part, shape, options.places)
            yardstick = "torch" if options.part == "odd" else "torch.compile"
            for direction in timed[0]:
                places = [one[direction] for one in timed]
                us = {name: 1e3 * median_of(places, name) for name in places[0]}
                ratio = {name: median_of(places, name, yardstick) for name in us}
                place = direction, shape.m, shape.n
                rows.writerows(
                    (*place, name, f"{us[name]:.2f}", f"{ratio[name]:.3f}") for name in us
                )
                file.flush()
                words = (f"{name} {us[name]:.2f} ({ratio[name]:.3f})" for name in us)
                print(f"{direction} {shape.m}x{shape.n}: {', '.join(words)}", flush=True)


if __name__ == "__main__":
    main()
