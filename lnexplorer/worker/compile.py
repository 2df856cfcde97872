"""The job that compiles the kernels of a run for any architecture, and gives all their forms; and
what the hardware counts in them.
"""

from dataclasses import replace

import torch

from lnexplorer.domain.jobs import Compiled, CompileJob
from lnexplorer.domain.kernel_versions import place_in
from lnexplorer.domain.request import ResolvedRequest, check, resolve
from lnexplorer.worker.connection import Task
from lnexplorer.worker.run import CompilerAnswers, compile_request, wait_for
from lnkernels.compiled.counters import CountersError, count
from lnkernels.compiled.facts import CompileError, facts_in_own_process
from lnkernels.compiled.listing import LIVE, TEXTS, read_listing
from lnkernels.launch import Problem, known_limits
from lnkernels.values.counters import KernelCounters
from lnkernels.values.environment import Device
from lnkernels.values.listing import ARCHITECTURES, Listing
from lnkernels.values.sentence import Sentence, say

KEPT_LISTINGS = 24  # about 1 MB each
SECONDS = 50.0  # the engine gives a job a minute
KERNELS = 3
COUNTERS = say("hardware counters")
Listings = CompilerAnswers[tuple[Listing, ...]]


def listings() -> Listings:
    return CompilerAnswers(
        lambda request: tuple(map(read_listing, facts_in_own_process(request, timeout=SECONDS))),
        KEPT_LISTINGS,
    )


def compile_listings(
    task: Task, job: CompileJob, compiler: Listings, backend: str, architecture: str
) -> Compiled | list[Problem]:
    """Compile for an architecture, as a run on it would be launched.

    Args:
        task: the job.
        job: what is asked for.
        compiler: who answers.
        backend: the worker's, which decides the default shape.
        architecture: such as "sm_90".

    Raises:
        CompileError: the compiler refuses, fails or takes too long.
    """
    if architecture not in ARCHITECTURES:
        return [
            Problem(
                "architecture",
                architecture,
                say("choose one of {known}", known=", ".join(ARCHITECTURES)),
            )
        ]
    limits = known_limits(architecture)
    problems = check(job.problem, backend if limits is None else "cuda", None, limits)
    if problems:
        return problems
    resolved = resolve(job.problem, backend, limits)
    task.begin("compile")
    task.step(say("compiler"), 0, 1)
    request = replace(
        compile_request(resolved, architecture, (*TEXTS, LIVE) if job.live else TEXTS),
        source=job.source,
    )
    try:
        kernels = wait_for(task, compiler.ask(request))
    except CompileError as error:
        place = place_in(error.stack, job.source) if job.source is not None else None
        if place is None:
            raise
        file, line = place
        raise CompileError(
            say("{file}, line {line}: {why}", file=file, line=line, why=error.sentence)
        ) from error
    if not kernels and job.source is not None:
        return [Problem("kernel", job.source.place, say("it launches no kernel of Triton"))]
    return Compiled(request=job, resolved=resolved, architecture=architecture, kernels=kernels)


def counted(
    task: Task,
    resolved: ResolvedRequest,
    compiler: Listings,
    torch_device: torch.device,
    device: Device,
) -> tuple[tuple[KernelCounters, ...], tuple[Sentence, ...]]:
    """What the hardware counts while the kernels of a run are launched once more, in a process of
    their own; and as a note why it counts nothing, which is no failure of the run.
    """
    if torch_device.type != "cuda":
        return (), (
            say("There are no hardware counters: the interpreter has no hardware to count."),
        )
    request = compile_request(resolved, device.limits.architecture, TEXTS)
    task.step(COUNTERS, 0, KERNELS)
    try:
        kernels = wait_for(task, compiler.ask(request))
        tell = lambda done: task.tell_step(COUNTERS, min(done, KERNELS), KERNELS)  # noqa: E731
        return count(request, kernels, task.check, tell, torch_device.index or 0), ()
    except (CountersError, CompileError) as error:
        return (), (say("There are no hardware counters: {reason}.", reason=error.sentence),)
