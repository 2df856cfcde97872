"""A training step of one layer norm, forward and backward through autograd, beside other kernels;
for a machine with a GPU.

    python -m tests.benchmarks.step_times FILE.csv [--m 4096] [--n 1024,2048,4096] [--dtype
    bfloat16] [--ways eager,one_thread,inference,captured,compiled]

Each function is timed in five ways: called from Python one step after the other ("eager": what the
host or the GPU takes, whichever is more), the same with the backward pass on the calling thread
("one_thread"), its forward pass alone where nothing is differentiated ("inference"), as one
captured CUDA graph of both passes ("captured"), and compiled by torch.compile, then called as
before ("compiled"). All functions of one way take turns; a figure is the median of its turns, in
microseconds for a step. Results are compared with PyTorch's before they are timed. The last columns
are PyTorch's time and torch.compile's of PyTorch's own, each divided by the function's. "nothing"
is an autograd.Function that launches nothing, called from Python: what autograd takes of any kernel
that is not PyTorch's own.
"""

import csv
import statistics
import time
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import torch

import lnkernels
from lnkernels.launch import resolve_launch
from lnkernels.providers.peers import Liger, Quack
from lnkernels.providers.protocol import Case
from tests.programs import described

TURNS, STEPS = 15, 40
WAYS = "eager,one_thread,inference,captured,compiled"
NOTHING = "nothing"
Function = Callable[[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]


class Nothing(torch.autograd.Function):
    """Saves what a layer norm saves, and gives empty results of their sizes."""

    @staticmethod
    def forward(
        ctx: Any, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor
    ) -> torch.Tensor:
        mean = x.new_empty(len(x), dtype=torch.float32)
        ctx.save_for_backward(x, weight, bias, mean, torch.empty_like(mean))
        return torch.empty_like(x)

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return tuple(torch.empty_like(tensor) for tensor in ctx.saved_tensors[:3])


def functions(m: int, n: int, dtype: torch.dtype) -> dict[str, Function]:
    """What is there on this machine, PyTorch first."""
    found: dict[str, Function] = {
        "torch": lambda x, w, b: torch.nn.functional.layer_norm(x, (n,), w, b),
        "lnkernels": lambda x, w, b: lnkernels.layer_norm(x, (n,), w, b),
    }
    launch = resolve_launch(n, str(dtype).removeprefix("torch."))  # peers choose for themselves
    for peer in (Liger(), Quack()):
        if peer.unavailable() is None:
            x, weight = (
                torch.empty(m, n, device="cuda", dtype=dtype),
                torch.empty(n, device="cuda", dtype=dtype),
            )
            found[peer.name] = peer.autograd(
                Case(x=x, weight=weight, bias=weight, dy=x, eps=1e-5, launch=launch)
            )
    return found | {NOTHING: Nothing.apply}


def step(
    function: Function, leaves: tuple[torch.Tensor, ...], dy: torch.Tensor
) -> tuple[torch.Tensor, ...]:
    x, weight, bias = leaves
    y = function(x, weight, bias)
    return (y.detach(), *torch.autograd.grad(y, leaves, dy))


def captured(call: Callable[[], object]) -> Callable[[], object]:
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            call()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    return graph.replay


def turn_us(call: Callable[[], object]) -> float:
    """Microseconds a step of `STEPS` steps, from an idle GPU to an idle GPU."""
    torch.cuda.synchronize()
    began = time.perf_counter()
    for _ in range(STEPS):
        call()
    torch.cuda.synchronize()
    return (time.perf_counter() - began) / STEPS * 1e6


def time_in_turns(calls: dict[str, Callable[[], object]]) -> dict[str, float]:
    for call in calls.values():
        turn_us(call)
    turns = [{name: turn_us(call) for name, call in calls.items()} for _ in range(TURNS)]
    return {name: statistics.median(turn[name] for turn in turns) for name in calls}


def main() -> None:
    parser = described(__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--m", type=int, default=4096)
    parser.add_argument("--n", default="1024,1536,2048,4096,8192")
    parser.add_argument("--dtype", default="bfloat16", choices=("float16", "bfloat16", "float32"))
    parser.add_argument("--ways", default=WAYS)
    options = parser.parse_args()
    print(torch.cuda.get_device_name(), torch.__version__, options.dtype, f"M = {options.m}")
    with options.file.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(("way", "M", "N", "function", "us", "of torch", "of torch compiled"))
        for way, n in product(options.ways.split(","), map(int, options.n.split(","))):
            torch.compiler.reset()
            dtype = getattr(torch, options.dtype)
            made = [
                torch.randn(size, device="cuda", dtype=dtype)
                for size in ((options.m, n), (n,), (n,), (options.m, n))
            ]
            leaves, dy = tuple(tensor.requires_grad_() for tensor in made[:3]), made[3]
            calls: dict[str, Callable[[], object]] = {}
            expected = None
            for name, plain in functions(options.m, n, dtype).items():
                if name == NOTHING and way not in ("eager", "one_thread"):
                    continue
                uncompiled = partial(step, plain, leaves, dy)
                call = (
                    partial(step, torch.compile(plain), leaves, dy)
                    if way == "compiled"
                    else uncompiled
                )
                try:
                    result = call()
                except (
                    RuntimeError,
                    TypeError,
                    ValueError,
                ) as error:  # a peer that cannot be compiled costs its own rows
                    print(way, n, name, type(error).__name__, str(error).splitlines()[:1])
                    continue
                if way == "compiled":
                    calls[f"{name} uncompiled"] = uncompiled
                expected = expected or result
                for one, other in zip(result, expected, strict=True) if name != NOTHING else ():
                    error = (one.float() - other.float()).norm() / other.float().norm()
                    assert error < 0.02, (name, n, float(error))
                if way == "inference":
                    call = partial(plain, *leaves)
                calls[name] = captured(call) if way == "captured" else call
            with (
                torch.autograd.set_multithreading_enabled(way != "one_thread"),
                torch.set_grad_enabled(way != "inference"),
            ):
                times = time_in_turns(calls)
            compiled = times["torch"] if way == "compiled" else None
            plain_us = times["torch uncompiled" if way == "compiled" else "torch"]
            for name, us in times.items():
                of_compiled = f"{compiled / us:.3f}" if compiled else ""
                row = (way, options.m, n, name, f"{us:.2f}", f"{plain_us / us:.3f}", of_compiled)
                table.writerow(row)
                print(*row)
            file.flush()


if __name__ == "__main__":
    main()
