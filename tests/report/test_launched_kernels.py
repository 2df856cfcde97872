"""The kernels that an exported configuration names are those that a run launches, with these constants."""

import ast
import inspect

import pytest
import torch
import triton

from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.report.script import roots, sources
from lnkernels.launch import LAUNCHED, LaunchedKernel, launched_kernels
from lnkernels.replay import Launched, noted
from lnkernels.strategies.registry import STRATEGIES, launch_here

# One for each kernel of the forward pass and of stage 1: a row as one block of Triton, as several, and in steps.
REQUESTS = (
    RunRequest.of(m=6, n=24, strategy="locked", group_size_m=2, num_warps=2),
    RunRequest.of(m=6, n=24, strategy="persistent"),
    RunRequest.of(m=3, n=5120, strategy="persistent", block_size=512, block_size_n=1024),
    RunRequest.of(m=3, n=5120, strategy="persistent"),
    RunRequest.of(m=3, n=640, strategy="split"),
    RunRequest.of(m=3, n=40, strategy="atomic"),
    RunRequest.of(m=7, n=40, strategy="atomic", forward_rows=1, forward_grid_per_sm=2, forward_num_stages=2),
    RunRequest.of(m=7, n=24, strategy="persistent", rows=2, sums_per_row=False, forward_held=False, forward_rows=1),
    RunRequest.of(m=3, n=1280, strategy="persistent", block_size=512, forward_held=True, forward_rows=1),
)


def parameters() -> dict[str, tuple[str, ...]]:
    """Of every kernel, by its function's name."""
    texts = [text for strategy in LAUNCHED for text in sources(*roots(strategy)).values()]
    functions = (node for text in texts for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef))
    return {node.name: tuple(argument.arg for argument in node.args.args) for node in functions}


def named_kernels(request: RunRequest) -> tuple[LaunchedKernel, ...]:
    resolved = resolve(request, "interpreter")
    return launched_kernels(resolved.n, resolved.launch)


def launched(request: RunRequest) -> list[Launched]:
    """What the interpreter is given when the request is run."""
    resolved = resolve(request, "interpreter")
    m, n = resolved.m, resolved.n
    x = torch.randn(m, n)
    weight, bias = torch.ones(n), torch.zeros(n)
    x, weight, bias = x.half(), weight.half(), bias.half()
    launch, kernels = launch_here(resolved.launch, x), STRATEGIES[resolved.launch.strategy]
    mean, rstd = torch.empty(m), torch.empty(m)
    with noted() as steps:
        kernels.run_forward(x, weight, bias, 1e-5, launch, y=torch.empty_like(x), mean=mean, rstd=rstd)
        gradients = {"dx": torch.empty_like(x), "dw": torch.empty_like(weight), "db": torch.empty_like(bias)}
        kernels.run_backward(x, torch.ones_like(x), weight, mean, rstd, launch, **gradients)
    return [step for step in steps if isinstance(step, Launched)]


def options(constants: dict[str, object]) -> dict[str, object]:
    """What a triton.Config says besides the kernel's constants, where a launch does not leave it to Triton."""
    names = set(inspect.signature(triton.Config).parameters) - {"kwargs", "pre_hook"}
    return {name: value for name, value in constants.items() if name in names and value is not None}


def matches(kernel: LaunchedKernel, step: Launched, names: tuple[str, ...]) -> bool:
    given = {"num_warps": kernel.num_warps, "num_stages": kernel.num_stages}
    same_options = options(given) == options(step.constants)
    return tuple(step.names) == names and same_options and kernel.constants.items() <= step.constants.items()


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: f"{request.strategy}-{request.n}-{request.launch.block_size}")
def test_the_kernels_named_are_the_kernels_launched(request_: RunRequest) -> None:
    named = named_kernels(request_)
    steps = launched(request_)
    known = parameters()
    for kernel in named:
        assert [step for step in steps if matches(kernel, step, known[kernel.name])], kernel
    for step in steps:
        assert [kernel for kernel in named if matches(kernel, step, known[kernel.name])], step.names


def test_the_requests_of_these_tests_launch_every_kernel_there_is() -> None:
    named = {kernel.name for request in REQUESTS for kernel in named_kernels(request)}
    others = {"launch_kernel", "_forward_kernel", "clock_kernel"}  # no kernels of a pass
    assert named == {name for name in parameters() if name.endswith("_kernel")} - others
