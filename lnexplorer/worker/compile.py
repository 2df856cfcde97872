"""The job that compiles the kernels of a run for any architecture, and gives all their forms."""

from lnexplorer.domain.jobs import Compiled, CompileJob
from lnexplorer.domain.request import check, resolve
from lnexplorer.worker.connection import Task
from lnexplorer.worker.run import CompilerAnswers, wait_for
from lnkernels.compiled import CompileRequest, facts_in_own_process
from lnkernels.compiled.listing import LIVE, TEXTS, read_listing
from lnkernels.launch import DeviceLimits, Problem, limits_for_architecture
from lnkernels.sentence import say
from lnkernels.values.listing import ARCHITECTURES, Listing

KEPT_LISTINGS = 24  # about 1 MB each
SECONDS = 50.0  # the engine gives a job a minute
Listings = CompilerAnswers[tuple[Listing, ...]]


def listings() -> Listings:
    return CompilerAnswers(
        lambda request: tuple(map(read_listing, facts_in_own_process(request, timeout=SECONDS))), KEPT_LISTINGS
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
        return [Problem("architecture", architecture, say("choose one of {known}", known=", ".join(ARCHITECTURES)))]
    limits = known_limits(architecture)
    problems = check(job.problem, backend if limits is None else "cuda", None, limits)
    if problems:
        return problems
    resolved = resolve(job.problem, backend, limits)
    task.begin("compile")
    task.step(say("compiler"), 0, 1)
    request = CompileRequest(
        m=resolved.m,
        n=resolved.n,
        dtype=resolved.dtype,
        launch=resolved.launch,
        architecture=architecture,
        stages=(*TEXTS, LIVE) if job.live else TEXTS,
    )
    kernels = wait_for(task, compiler.ask(request))
    return Compiled(request=job, resolved=resolved, architecture=architecture, kernels=kernels)


def known_limits(architecture: str) -> DeviceLimits | None:
    """Those of a card of this architecture; None where none is known."""
    try:
        return limits_for_architecture(architecture)
    except ValueError:
        return None
