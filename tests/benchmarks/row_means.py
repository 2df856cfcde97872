"""Means over the rows of `locked` by width and types, for `default_times.py`; a script for a
machine with a GPU, about a minute.

Prints, for each type of x and of the buffers, by width, the mean time of a row's computing and of
its hold in ns, each the median of ten traces with M = 4096 and the usual launch. MEANS takes over
the widths of which there is no recording; 1024, 2048 and 8192 columns of float16 with float32
buffers are printed to be held against the recordings.
"""

import sys
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "kernels"), str(ROOT)]

import torch  # noqa: E402

from lnexplorer.domain.request import RunRequest, resolve  # noqa: E402
from lnkernels.check.inputs import make_inputs  # noqa: E402
from lnkernels.passes.arguments import BackwardTensors, ForwardTensors  # noqa: E402
from lnkernels.passes.locked import allocate_trace, allocate_workspace, read_trace  # noqa: E402
from lnkernels.passes.registry import run_backward, run_forward  # noqa: E402
from lnkernels.trace.capture import carry_out  # noqa: E402

M = 4096
WIDTHS = {
    ("float16", "float32"): (512, 1024, 2048, 4096, 8192, 16384),
    ("float16", "same"): (512, 1024, 2048, 4096, 8192, 16384),
    ("float32", "float32"): (512, 1024, 4096, 8192),
}
TRACES = 10


def means_of(n: int, dtype: str, partial_dtype: str, device: torch.device) -> tuple[float, float]:
    """Mean times of computing and of a hold in ns, medians over the traces."""
    launch = resolve(
        RunRequest.of(m=M, n=n, dtype=dtype, partial_dtype=partial_dtype, strategy="locked"), "cuda"
    ).launch
    given = make_inputs(M, n, getattr(torch, dtype), "normal", 0, device)
    if given.weight is None or given.bias is None:
        raise RuntimeError("inputs come with weight and bias")
    y, dx = torch.empty_like(given.x), torch.empty_like(given.x)
    mean, rstd = torch.empty(M, device=device), torch.empty(M, device=device)
    dw, db = torch.empty_like(given.weight), torch.empty_like(given.bias)
    run_forward(
        ForwardTensors(
            x=given.x, weight=given.weight, bias=given.bias, eps=1e-5, y=y, mean=mean, rstd=rstd
        ),
        launch,
    )
    backward = BackwardTensors(
        x=given.x, dy=given.dy, weight=given.weight, mean=mean, rstd=rstd, dx=dx, dw=dw, db=db
    )
    workspace, memory = allocate_workspace(given.x, launch), allocate_trace(given.x, launch)
    computing, holding = [], []
    for _ in range(TRACES):
        carry_out(lambda: run_backward(backward, launch, workspace, memory), device)
        trace = read_trace(given.x, launch, memory, dw=dw, db=db)
        computing.append(float((trace.wanted_ns - trace.start_ns).mean()))
        holding.append(float((trace.released_ns - trace.held_ns).mean()))
    return median(computing), median(holding)


def main() -> None:
    """Print them all."""
    device = torch.device("cuda", 0)
    for types, widths in WIDTHS.items():
        found = {n: means_of(n, *types, device) for n in widths}
        cells = ", ".join(
            f"{n}: ({computing:.0f}, {holding:.0f})" for n, (computing, holding) in found.items()
        )
        print(f"    {types}: {{{cells}}},".replace("'", '"'), flush=True)


if __name__ == "__main__":
    main()
