"""Compile the kernels of a request, ours or a user's, with tensors that have no memory.

Torch is needed here: processes that only fill Triton's cache do not import this file.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from hashlib import sha256
from itertools import chain
from pathlib import Path

import torch
import triton

from lnkernels.cache_folders import enter_written_folder
from lnkernels.check.inputs import Inputs
from lnkernels.compiled.facts import CompileRequest
from lnkernels.compiled.launches import (
    RecordedLaunch,
    TensorNames,
    facts_of_compiled,
    facts_of_launches,
    recorded,
)
from lnkernels.compiled.libraries import kernels_in, loaded_libraries
from lnkernels.launch import USUAL_LIMITS, known_limits, launch_on, split_norm
from lnkernels.launch.source import KernelSource
from lnkernels.passes.arguments import ForwardTensors
from lnkernels.passes.registry import run_backward, run_forward
from lnkernels.providers.file import FileProvider, KernelFileError
from lnkernels.providers.protocol import Case, NoGradientError
from lnkernels.triton_internals import cache_folder, compilations, tuning
from lnkernels.values.compiled import KernelFacts
from lnkernels.values.sentence import Sentence, say

# With kernels of CUDA, by the file that loaded them: a later version finds them loaded.
_LIBRARIES: dict[str, frozenset[str]] = {}
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
    norm, _ = split_norm(request.norm)  # PyTorch adds a residual
    forward = ForwardTensors.allocate(
        tensor(request.dtype, m, n),
        tensor(weight_dtype, n) if request.with_weight else None,
        tensor(weight_dtype, n) if request.with_bias else None,
        1e-5,
        norm,
    )

    dy = tensor(request.dtype, m, n)
    names = TensorNames(x=forward.x, weight=forward.weight, bias=forward.bias, dy=dy)
    launches = names.named(recorded(lambda: run_forward(forward, launch)), forward=True)
    backward = forward.gradients(dy)
    launches += names.named(recorded(lambda: run_backward(backward, launch)), forward=False)
    launches = [one for one in launches if not request.kernels or one.name in request.kernels]
    return facts_of_launches(launches, request.architecture, request.stages)


def _compile_own(request: CompileRequest, source: KernelSource) -> list[KernelFacts]:
    """Compile every Triton kernel that a user's file launches in both passes, each once, and return
    them with the kernels of CUDA that it brings along; where there is none, those of torch.compile.
    """
    enter_written_folder()
    others = loaded_libraries()
    limits = known_limits(request.architecture) or USUAL_LIMITS
    provider = FileProvider(source, limits, judged=False)
    provider.load()  # what is launched meanwhile belongs to no pass
    small = request.m * request.n <= _MOST_ELEMENTS
    tuned, chosen = dict[str, Sentence](), dict(source.tuned)
    # Without memory an operator of the file's own launches nothing, and nobody can look at numbers.
    # What torch.compile would make has not a line of the file. This process measures nothing.
    told = partial(_note_configuration, tuned, chosen)
    with torch.compiler.set_stance("force_eager"), tuning(chosen, told):
        for device in ("meta", "cpu") if small else ("meta",):
            launches, names, why = _own_launches(request, provider, device)
            libraries = loaded_libraries() - others or _LIBRARIES.get(source.place, frozenset())
            _LIBRARIES[source.place] = libraries
            if libraries or (launches and why is None):
                break
    if why is not None and not libraries:  # which have kernels that need a GPU
        raise why
    in_libraries = {each: kernels_in(each, request.architecture) for each in sorted(libraries)}
    of_cuda = list(chain.from_iterable(in_libraries.values()))
    lacking = tuple(
        say(
            "{library} has no kernel for {architecture}, and no PTX to make one of",
            library=Path(each).name,
            architecture=request.architecture,
        )
        for each, kernels in in_libraries.items()
        if not kernels
    )
    if not launches and not libraries:
        return _compiled_by_torch(request, provider)

    # Triton's cache knows a kernel by its text alone, and would answer with the lines of another
    # file that has the same.
    with cache_folder(f"own-{sha256(source.place.encode()).hexdigest()[:16]}"):
        facts = facts_of_launches(launches, request.architecture, request.stages)
    first = {each.name: each for each in reversed(facts)}
    remarks = {name: (tuned[name],) if name in tuned else () for name in names}
    ours = [replace(first[name], name=names[name], remarks=remarks[name]) for name in names]
    return [replace(each, remarks=each.remarks + lacking) for each in ours + of_cuda]


def _note_configuration(
    told: dict[str, Sentence],
    chosen: Mapping[str, str],
    kernel: str,
    configuration: str,
    count: int,
) -> None:
    """Tell in which configuration an autotuned kernel is compiled, and why."""
    words = {"kernel": kernel, "configuration": configuration}
    if chosen.get(kernel) == configuration:
        told[kernel] = say(
            "{kernel} is compiled as {configuration}, which its autotuner chose by time in the last"
            " run of this shape",
            **words,
        )
    else:
        told[kernel] = say(
            "{kernel} is compiled as {configuration}, the first of its {count} configurations: no"
            " run of this text and shape on a GPU has chosen one",
            count=count,
            **words,
        )


def _compiled_by_torch(request: CompileRequest, provider: FileProvider) -> list[KernelFacts]:
    """Return the kernels that torch.compile writes for a user's file, each in its first
    configuration: they are compiled where they run, on the GPU that is here.
    """
    if not torch.cuda.is_available():
        return []
    major, minor = torch.cuda.get_device_capability()
    if request.architecture != f"sm_{major}{minor}":
        return []
    in_this_process = {"compile_threads": 1, "force_disable_caches": True}
    with compilations() as heard, torch._inductor.config.patch(in_this_process):
        _own_launches(request, provider, "cuda")
    first = {each.metadata.name: each for each in reversed(heard)}
    return [
        facts_of_compiled(first[name], request.architecture, request.stages)
        for name in dict.fromkeys(each.metadata.name for each in heard)
    ]


def _own_launches(
    request: CompileRequest, provider: FileProvider, device: str
) -> tuple[list[RecordedLaunch], dict[str, str], KernelFileError | None]:
    """Return the launches of a user's file, a name for each kernel, and why a pass failed: the
    first of the forward pass and the first two of the backward pass are named like ours, others by
    their function.
    """
    dtype, (norm, added) = getattr(torch, request.dtype), split_norm(request.norm)

    def ones(*shape: int) -> torch.Tensor:
        return torch.ones(shape, dtype=dtype, device=device)

    x, dy, *more = (ones(request.m, request.n) for _ in range(4 if added else 2))
    inputs = Inputs(x, ones(request.n), ones(request.n), dy, norm, *more)
    case = Case.of(inputs, 1e-5, request.launch)
    tensors = TensorNames(x=x, weight=case.weight, bias=case.bias, dy=dy)
    launches, names, why = [], dict[str, str](), None

    # Preparing a pass may launch kernels, too.
    def forward() -> None:
        provider.forward(case)()

    def backward() -> None:
        provider.backward(case)()

    for call, ours in ((forward, ["forward"]), (backward, ["backward_stage1", "backward_stage2"])):
        noted = list[RecordedLaunch]()
        try:
            with suppress(NoGradientError):  # a forward pass alone
                recorded(call, noted)
        except KernelFileError as error:
            why = why or error
        for launch in tensors.named(noted, forward=call is forward):
            if launch.name not in names:
                names[launch.name] = ours.pop(0) if ours else launch.name
            launches.append(launch)
    return launches, names, why
