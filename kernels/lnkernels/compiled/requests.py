"""Compile the kernels of a request, ours or a user's, with tensors that have no memory.

Torch is needed here: processes that only fill Triton's cache do not import this file.
"""

import os
from dataclasses import replace
from hashlib import sha256

import torch
import triton

from lnkernels.cache_folders import enter_written_folder
from lnkernels.compiled.facts import CompileRequest
from lnkernels.compiled.launches import RecordedLaunch, facts_of_launches, recorded
from lnkernels.launch import USUAL_LIMITS, known_limits, launch_on
from lnkernels.launch.source import KernelSource
from lnkernels.passes.arguments import ForwardTensors
from lnkernels.passes.registry import run_backward, run_forward
from lnkernels.providers.file import FileProvider, KernelFileError
from lnkernels.providers.protocol import Case
from lnkernels.triton_internals import cache_folder, tune_nothing
from lnkernels.values.compiled import KernelFacts

_MOST_ELEMENTS = 1 << 26  # of x, where a user's kernel is given memory


def compile_kernels(request: CompileRequest) -> list[KernelFacts]:
    """Compile forward, stage 1 and stage 2 as they are launched for the request, with tensors that
    have no memory, and return their facts.

    Without weight and bias nothing is summed, so there is no stage 2. Triton's cache answers a
    second time.

    Raises:
        RuntimeError: triton is bound to its interpreter in this process.
        ValueError: the architecture's name is not of the form sm_90.
    """
    if triton.knobs.runtime.interpret:
        raise RuntimeError(
            "kernels cannot be compiled in a process where TRITON_INTERPRET is set: start"
            " another one"
        )
    if request.source is not None:
        return _compile_own(request, request.source)
    m, n = request.m, request.n

    def tensor(dtype: str, *shape: int) -> torch.Tensor:
        return torch.empty(shape, dtype=getattr(torch, dtype), device="meta")

    launch = launch_on(
        request.launch, n, request.dtype, known_limits(request.architecture) or USUAL_LIMITS
    )
    weight_dtype = request.weight_dtype or request.dtype
    forward = ForwardTensors.allocate(
        tensor(request.dtype, m, n),
        tensor(weight_dtype, n) if request.with_weight else None,
        tensor(weight_dtype, n) if request.with_bias else None,
        1e-5,
        request.norm,
    )

    def both_passes() -> None:
        run_forward(forward, launch)
        run_backward(forward.gradients(tensor(request.dtype, m, n)), launch)

    launches = [
        one for one in recorded(both_passes) if not request.kernels or one.name in request.kernels
    ]
    return facts_of_launches(launches, request.architecture, request.stages)


def _compile_own(request: CompileRequest, source: KernelSource) -> list[KernelFacts]:
    """Compile every Triton kernel that a user's file launches in both passes, each once."""
    tune_nothing()  # this process measures nothing
    enter_written_folder()
    os.environ["TORCH_COMPILE_DISABLE"] = (
        "1"  # nor has the file a line of what torch.compile would make
    )
    small = request.m * request.n <= _MOST_ELEMENTS
    try:
        launches, names = _own_launches(request, source, "meta")
    except KernelFileError:
        if not small:
            raise
        launches, names = [], {}
    # Without memory an operator of the file's own launches nothing, and nobody can look at numbers.
    if not launches and small:
        launches, names = _own_launches(request, source, "cpu")

    # Triton's cache knows a kernel by its text alone, and would answer with the lines of another
    # file that has the same.
    with cache_folder(f"own-{sha256(source.place.encode()).hexdigest()[:16]}"):
        found = {
            fact.name: fact
            for fact in facts_of_launches(launches, request.architecture, request.stages)
        }
    return [replace(fact, name=names[name]) for name, fact in found.items()]


def _own_launches(
    request: CompileRequest, source: KernelSource, device: str
) -> tuple[list[RecordedLaunch], dict[str, str]]:
    """Return the launches of a user's file, and a name for each kernel: the first of the forward
    pass and the first two of the backward pass are named like ours, others by their function.
    """
    dtype = getattr(torch, request.dtype)
    x, dy = (torch.ones((request.m, request.n), dtype=dtype, device=device) for _ in range(2))
    weight, bias = (torch.ones(request.n, dtype=dtype, device=device) for _ in range(2))
    provider, case = (
        FileProvider(source, known_limits(request.architecture) or USUAL_LIMITS, judged=False),
        Case(
            x=x,
            weight=weight,
            bias=bias,
            dy=dy,
            eps=1e-5,
            launch=request.launch,
            norm=request.norm,
        ),
    )

    provider.load()  # what is launched meanwhile belongs to no pass

    # Preparing a pass may launch kernels, too.
    def forward() -> None:
        provider.forward(case)()

    def backward() -> None:
        provider.backward(case)()

    launches, names = [], dict[str, str]()
    for call, ours in ((forward, ["forward"]), (backward, ["backward_stage1", "backward_stage2"])):
        for launch in recorded(call):
            if launch.name not in names:
                names[launch.name] = ours.pop(0) if ours else launch.name
            launches.append(launch)
    return launches, names
