"""What it costs that rows of `locked` stamp their phases for an autopsy, on this machine's GPU:
`python -m tests.benchmarks.flight_recorder [--all]`, about two minutes.

A line for each width of the tutorial's series (4096 rows, float16) at the automatic GROUP_SIZE_M:
the backward pass with a warm L2, and how much longer it is with stamps; beside it what a second copy
of the plain pass is off by, which is noise. Medians of several measurements in turns. `--all` adds
launches in which many rows queue. Last, how long a snapshot takes while the GPU is idle.
"""

import argparse
import statistics
import time

import torch

from lnkernels.check.inputs import make_inputs
from lnkernels.launch import LaunchWish, resolve_launch
from lnkernels.passes.arguments import ForwardTensors
from lnkernels.passes.locked import allocate_workspace, launch_backward
from lnkernels.passes.registry import run_forward
from lnkernels.trace.capture import measure_cost
from lnkernels.trace.flight_recorder import FlightRecorder

M = 4096
WIDTHS = (1024, 2048, 4096, 8192, 12288, 16384)
QUEUES = ((1024, 1), (1024, 16), (1024, 64), (4096, 16))
TIMES = 5
LINES = {"start": (1,), "wanted": (1,), "held": (1,), "released": (1,)}


def main() -> int:
    """Print all lines."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--all", action="store_true")
    launches: list[tuple[int, int | None]] = [(n, None) for n in WIDTHS]
    launches += QUEUES if arguments.parse_args().all else ()
    device = torch.device("cuda", 0)
    recorder = FlightRecorder(device)
    print(torch.cuda.get_device_name(device), torch.__version__)
    titles = ("N", "G", "plain µs", "noise", "stamps")
    print("".join(f"{title:>12}" for title in titles))
    for n, group in launches:
        plain_us, shares, used = costs(n, group, recorder, device)
        numbers = "".join(f"{100 * share:>+10.1f} %" for share in shares)
        print(f"{n:>12}{used:>12}{plain_us:>12.1f}{numbers}", flush=True)
    began = time.perf_counter()
    assert recorder.snapshot("locked.py", LINES, n) is not None, "it was stamped"
    print(f"a snapshot: {1e3 * (time.perf_counter() - began):.1f} ms")
    return 0


def costs(
    n: int, group: int | None, recorder: FlightRecorder, device: torch.device
) -> tuple[float, list[float], int]:
    """Return µs of a plain pass, the shares that the others are longer, and GROUP_SIZE_M."""
    inputs = make_inputs(M, n, torch.float16, "tutorial", 0, device)
    launch = resolve_launch(n, "float16", LaunchWish(strategy="locked", group_size_m=group), m=M)
    forward = ForwardTensors.allocate(inputs.x, inputs.weight, inputs.bias, 1e-5)
    run_forward(forward, launch)
    workspace, given = allocate_workspace(inputs.x, launch), forward.gradients(inputs.dy)

    def plain() -> None:
        launch_backward(given, launch, workspace)

    def stamped() -> None:
        launch_backward(given, launch, workspace, recorder.memory)

    found = [[measure_cost(plain, call, device) for _ in range(TIMES)] for call in (plain, stamped)]
    shares = [statistics.median(each.share for each in costs) for costs in found]
    plain_ns = statistics.median(each.plain_ns for costs in found for each in costs)
    return plain_ns / 1e3, shares, launch.group_size_m


if __name__ == "__main__":
    raise SystemExit(main())
