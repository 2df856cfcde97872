"""Times candidate launch settings beside torch.compile's kernels; a script for a machine with a
GPU.

    python -m tests.benchmarks.launch_candidates FILE.csv --part narrow --seconds 100
    python -m tests.benchmarks.launch_candidates FILE.csv --part few --m 1,64 --n 1024,16384

Part "narrow" is many rows of 64 to 2048 columns, "few" few rows, each with the candidates among
which tuning chooses. As they are launched, "odd" is rows whose length is no multiple of 16 bytes,
and "auto" narrow and few rows beside all peers that are installed. Candidates are compiled by one
process for each core first. Each is checked as every
provider is, and then timed in turns with the others: kernels alone in a CUDA graph, cold L2,
medians. Where tensors lie in memory moves times of a few microseconds by up to a tenth, so a shape
is timed in five places: its time and its ratio to torch.compile are medians of theirs. The first
    candidate is what `auto`
launches. A line of the file for each of them, a line of the table for each shape: `auto`, the best
candidate, torch.compile, the ceiling.
"""

import argparse
import csv
import os
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from math import nan
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

import torch

from lnexplorer.domain.ranges import read_whole_numbers
from lnkernels.check.inputs import make_inputs
from lnkernels.check.results import torch_results
from lnkernels.check.verifier import Verifier
from lnkernels.compiled.launches import recorded, settle_keys
from lnkernels.device import device_limits
from lnkernels.launch import Launch, LaunchWish, check_launch, resolve_launch
from lnkernels.launch.candidates import candidates, launch_of
from lnkernels.passes.arguments import BackwardTensors, ForwardTensors
from lnkernels.passes.registry import run_backward, run_forward
from lnkernels.providers.own import Own
from lnkernels.providers.peers import Apex, Eager, Inductor, Liger, Quack
from lnkernels.providers.protocol import Case, Provider
from lnkernels.timing.measure import measure
from lnkernels.timing.rounds import Effort
from lnkernels.values.figures import CEILINGS, DIRECTIONS
from lnkernels.values.sentence import Sentence

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
FEW_M, FEW_N = "1,16,64,256,1024", "1024,2048,4096,8192,16384"
_PEERS = (Inductor, Eager, Liger, Quack, Apex)
_OTHERS = (*(peer.name for peer in _PEERS), *CEILINGS.values())
_EFFORT = Effort(first=10, turn=15, turn_ms=1e6, most=70, seconds=1e9, within=0.005)
_PLACES = 5


def set_dtype(dtype: str) -> None:
    """Have this process time rows of this type."""
    global DTYPE  # noqa: PLW0603  one run times one type
    DTYPE = dtype


class _Candidate(Own):
    """A launch as a provider."""

    def __init__(self, name: str, launch: Launch) -> None:
        super().__init__(name)
        self.launch = launch

    def _decide(self, case: Case) -> Launch:
        del case
        return self.launch


@dataclass(frozen=True)
class Shape:
    direction: str
    m: int
    n: int


def shapes(part: str, m: str, n: str) -> list[Shape]:
    """In an order of which the beginning alone says something of all."""
    if part == "auto":
        few = [shape for shape in shapes("few", m, "") if shape.direction == "forward"]
        narrow = [shape for shape in shapes("narrow", "", n) if shape.direction == "forward"]
        return [replace(shape, direction="both") for shape in [*narrow, *few]]
    if part == "odd":
        wanted = set(read_whole_numbers(n)) if n else {b for _, b in UNALIGNED}
        every = [(a, b) for a, b in UNALIGNED if b in wanted]
        return [Shape(way, a, b) for way in ("backward", "forward") for a, b in every]
    rows = read_whole_numbers(m or (FEW_M if part == "few" else "65536"))
    columns = list(read_whole_numbers(n or (FEW_N if part == "few" else NARROW)))
    columns = columns[2::4] + columns[::4] + columns[1::2] if part != "few" and not n else columns
    return [Shape(direction, a, b) for direction in DIRECTIONS for b in columns for a in rows]


def launches(part: str, shape: Shape) -> dict[str, Launch]:
    """`auto` first, and then candidates by their words, without those that cannot be launched."""
    limits = device_limits(torch.device("cuda"))
    found = {"auto": resolve_launch(shape.n, DTYPE, LaunchWish(strategy="auto"), limits, m=shape.m)}
    kind = "forward" if shape.direction == "forward" else "rows"
    tuned = () if part in ("auto", "odd") else candidates(kind, shape.n, DTYPE, limits)
    for entry in tuned:
        launch = launch_of(entry, shape.n, DTYPE, limits, shape.m)
        if launch not in found.values() and not check_launch(shape.n, DTYPE, launch, limits):
            kept = {
                name: value
                for name, value in asdict(entry).items()
                if name not in ("element_bytes", "up_to_n", "many_rows")
            }
            words = " ".join(f"{name}={value}" for name, value in kept.items())
            found[words] = launch
    return found


def peers(part: str) -> list[Provider]:
    """Who is there; beside candidates PyTorch and torch.compile alone."""
    wanted = {"auto": _PEERS, "odd": (Eager,)}.get(part, _PEERS[:2])
    return [peer() for peer in wanted if peer().unavailable() is None]


def compile_launch(shape: Shape, launch: Launch) -> None:
    """Both passes, for tensors that have no memory."""

    def tensor(*size: int, dtype: torch.dtype | None = None) -> torch.Tensor:
        return torch.empty(size, dtype=dtype or getattr(torch, DTYPE), device="meta")

    m, n = shape.m, shape.n
    x, y, dx, weight, bias = tensor(m, n), tensor(m, n), tensor(m, n), tensor(n), tensor(n)
    mean, rstd = tensor(m, dtype=torch.float32), tensor(m, dtype=torch.float32)

    def call() -> None:
        run_forward(
            ForwardTensors(x=x, weight=weight, bias=bias, eps=1e-5, y=y, mean=mean, rstd=rstd),
            launch,
        )
        run_backward(
            BackwardTensors(
                x=x, dy=y, weight=weight, mean=mean, rstd=rstd, dx=dx, dw=weight, db=bias
            ),
            launch,
        )

    for one in recorded(call):
        one.compile()


def compile_ahead(part: str, chores: list[Shape]) -> None:
    """In a process of its own: fill the caches of Triton and Inductor."""
    settle_keys()
    for shape in chores:
        every = launches(part, shape)
        for name, launch in every.items():
            try:
                compile_launch(shape, launch)
            except Exception as error:  # noqa: BLE001  it is left out where it is timed, too
                print(f"{shape}, {name}: {error}"[:200])
        case = Case.of(
            make_inputs(shape.m, shape.n, getattr(torch, DTYPE), "normal", 0, torch.device("cuda")),
            1e-5,
            every["auto"],
        )
        for peer in peers(part):
            for direction, prepare in (("forward", peer.forward), ("backward", peer.backward)):
                if shape.direction in (direction, "both"):
                    with suppress(Exception):  # who fails is refused where it is timed
                        prepare(case)()
        torch.cuda.synchronize()


def time_shape(part: str, shape: Shape, count: int) -> list[dict[str, dict[str, float]]]:
    """Median ms by pass and candidate, with peers and the ceiling, in each of `count` places."""
    device = torch.device("cuda")
    tried, others, found, kept = launches(part, shape), peers(part), [], []
    passes = DIRECTIONS if shape.direction == "both" else (shape.direction,)
    which: Any = [(direction, "kernel_cold") for direction in passes]
    for place in range(count):
        kept.append(
            torch.empty((37 << 20) * (place + 1), dtype=torch.uint8, device=device)
        )  # moves what comes next
        inputs = make_inputs(shape.m, shape.n, getattr(torch, DTYPE), "normal", place, device)
        theirs = torch_results(inputs, 1e-5)
        case = Case.of(inputs, 1e-5, tried["auto"])

        def check(
            provider: Provider, case: Case = case, theirs: Any = theirs, first: bool = place == 0
        ) -> Sentence | None:
            if provider.name not in tried or not first:
                return None
            return Verifier(
                replace(case, launch=tried[provider.name]), theirs=theirs, autograd=False
            )(provider)

        providers = [*(_Candidate(name, launch) for name, launch in tried.items()), *others]
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
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--part", choices=("narrow", "few", "odd", "auto"))
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
                best = max(
                    (name for name in us if name not in _OTHERS), key=lambda name: ratio[name]
                )
                shown = {"auto": "auto", f"best ({best})": best} | {
                    name: name for name in us if name in _OTHERS
                }
                words = (
                    f"{label} {us[name]:.2f} ({ratio[name]:.3f})"
                    for label, name in shown.items()
                    if name in us
                )
                print(f"{direction} {shape.m}x{shape.n}: {', '.join(words)}", flush=True)


if __name__ == "__main__":
    main()
