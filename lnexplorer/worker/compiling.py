"""Ask the compiler about kernels, in a process of its own: facts of a run, listings for any
architecture, and what the hardware counts in them.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Generic, TypeVar

import torch

from lnexplorer.domain.jobs import Compiled, CompileJob
from lnexplorer.domain.kernel_versions import place_in
from lnexplorer.domain.request import ResolvedRequest, plan_run
from lnexplorer.worker.connection import Task
from lnkernels.compiled.counters import CountersError, count
from lnkernels.compiled.facts import CompileError, CompileRequest, facts_in_own_process
from lnkernels.compiled.listing import LIVE, TEXTS, read_listing
from lnkernels.launch import Problem, known_limits
from lnkernels.values import Sentence, say
from lnkernels.values.counters import KernelCounters
from lnkernels.values.environment import Device
from lnkernels.values.listing import ARCHITECTURES, Listing

KEPT_FACTS = 256
KEPT_LISTINGS = 24  # about 1 MB each
SECONDS = 50.0  # the engine gives a job a minute
POLL_SECONDS = 0.02
KERNELS = 3
COUNTERS = say("hardware counters")

Answer = TypeVar("Answer")


class CompilerAnswers(Generic[Answer]):
    """Asks the compiler, one question at a time, and caches its newest answers."""

    def __init__(self, answer: Callable[[CompileRequest], Answer], kept: int) -> None:
        """`answer` asks, in a thread; `kept` answers are cached."""
        self._answer = answer
        self._kept = kept
        self._known: OrderedDict[CompileRequest, Future[Answer]] = OrderedDict()
        self._pool = ThreadPoolExecutor(1, "compiler")

    def ask(self, request: CompileRequest) -> "Future[Answer]":
        """Return the answer that comes, at once."""
        known = self._known.get(request)
        if known is None or known.cancelled() or (known.done() and known.exception() is not None):
            known = self._known[request] = self._pool.submit(self._answer, request)
            while len(self._known) > self._kept:
                self._known.popitem(last=False)
        return known


Listings = CompilerAnswers[tuple[Listing, ...]]


def listings() -> Listings:
    return CompilerAnswers(
        lambda request: tuple(map(read_listing, facts_in_own_process(request, timeout=SECONDS))),
        KEPT_LISTINGS,
    )


def compile_request(
    resolved: ResolvedRequest, architecture: str, stages: tuple[str, ...] = ()
) -> CompileRequest:
    """Return the question about the kernels of a run, with their texts in some stages."""
    return CompileRequest(
        m=resolved.m,
        n=resolved.n,
        dtype=resolved.dtype,
        norm=resolved.norm,
        launch=resolved.launch,
        architecture=architecture,
        stages=stages,
    )


def wait_for(task: Task, answer: "Future[Answer]") -> Answer:
    """Wait for the compiler's answer.

    Raises:
        CompileError: there is none.
        JobCancelled: the job is left meanwhile.
    """
    try:
        while not answer.done():
            task.check()
            time.sleep(POLL_SECONDS)
        return answer.result()
    finally:
        answer.cancel()  # where it has not begun and the job is left


def compile_listings(
    task: Task, job: CompileJob, compiler: Listings, device: Device
) -> Compiled | list[Problem]:
    """Compile for an architecture, as a run on it would be launched.

    Raises:
        CompileError: the compiler refuses, fails or takes too long.
    """
    architecture = job.architecture or device.limits.architecture
    if architecture not in ARCHITECTURES:
        allowed = say("choose one of {known}", known=ARCHITECTURES)
        return [Problem("architecture", architecture, allowed)]
    limits = known_limits(architecture)
    plan = plan_run(job.problem, device.backend if limits is None else "cuda", limits)
    if plan.problems:
        return list(plan.problems)
    task.begin("compile")
    task.step(say("compiler"), 0, 1)
    stages = (*TEXTS, LIVE) if job.live else TEXTS
    request = replace(compile_request(plan.resolved, architecture, stages), source=job.source)
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
        none = say(
            "it launches no kernel of Triton and has none of CUDA for {architecture}; those that"
            " torch.compile writes are shown on a GPU alone",
            architecture=architecture,
        )
        return [Problem("kernel", job.source.place, none)]
    return Compiled(request=job, resolved=plan.resolved, architecture=architecture, kernels=kernels)


def count_in_hardware(
    task: Task,
    resolved: ResolvedRequest,
    compiler: Listings,
    torch_device: torch.device,
    device: Device,
) -> tuple[tuple[KernelCounters, ...], tuple[Sentence, ...]]:
    """Launch the kernels of a run once more, in a process of their own, and return what the
    hardware counts; or a note why it counts nothing, which is no failure of the run.
    """
    if torch_device.type != "cuda":
        return (), (
            say("There are no hardware counters: the interpreter has no hardware to count."),
        )
    request = compile_request(resolved, device.limits.architecture, TEXTS)
    task.step(COUNTERS, 0, KERNELS)

    def report(done: int) -> None:
        task.tell_step(COUNTERS, min(done, KERNELS), KERNELS)

    try:
        kernels = wait_for(task, compiler.ask(request))
        return count(request, kernels, task.check, report, torch_device.index or 0), ()
    except (CountersError, CompileError) as error:
        return (), (say("There are no hardware counters: {reason}.", reason=error.sentence),)
