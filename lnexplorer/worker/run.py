"""One run from its request to its result: inputs, kernels, truth, errors, compile facts, times; and
a look at its errors.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import prod
from typing import Any, Generic, TypeVar

import torch

from lnexplorer.domain.doubts import doubts
from lnexplorer.domain.jobs import InspectJob
from lnexplorer.domain.peers import DEFAULT_PEERS
from lnexplorer.domain.request import ResolvedRequest, RunRequest, resolve
from lnexplorer.domain.result import RunResult
from lnexplorer.worker.connection import Task
from lnexplorer.worker.throughput import throughput
from lnkernels.check.accuracy import PooledMap, check_all, worse
from lnkernels.check.inputs import Inputs, make_inputs
from lnkernels.check.results import (
    KernelResults,
    Results,
    backward_results,
    kernel_results,
    per_row_partials,
    rows_per_chunk,
    torch_results,
    true_rows,
)
from lnkernels.compiled.facts import CompileError, CompileRequest, facts_in_own_process
from lnkernels.compiled.launches import recorded
from lnkernels.device import environment
from lnkernels.interpreter import IS_INTERPRETED
from lnkernels.launch import Launch, Problem, grids
from lnkernels.providers.discovery import Found
from lnkernels.values.accuracy import Correctness, ErrorMap, PartialRows
from lnkernels.values.compiled import CompiledKernels, KernelFacts
from lnkernels.values.environment import Device, Kind, Provenance
from lnkernels.values.sentence import Sentence, say

STEPS = {
    "inputs": say("inputs"),
    "kernels": say("kernels"),
    "errors": say("errors"),
    "compiler": say("compiler"),
    "throughput": say("throughput"),
}
# Beyond this nobody reads numbers in cells.
SHOWN_ROWS, SHOWN_ELEMENTS = 64, 4096
KEPT_BYTES = 4 << 30  # of a finished run, for inspections
KEPT_FACTS = 256
POLL_SECONDS = 0.02


Answer = TypeVar("Answer")


class CompilerAnswers(Generic[Answer]):
    """Asks the compiler, one question at a time, and remembers its newest answers."""

    def __init__(self, answer: Callable[[CompileRequest], Answer], kept: int) -> None:
        """`answer` asks, in a thread; `kept` answers are remembered."""
        self._answer = answer
        self._kept = kept
        self._known: OrderedDict[CompileRequest, Future[Answer]] = OrderedDict()
        self._pool = ThreadPoolExecutor(1, "compiler")

    def ask(self, request: CompileRequest) -> "Future[Answer]":
        """Have it answered. Returns at once."""
        known = self._known.get(request)
        if known is None or known.cancelled() or (known.done() and known.exception() is not None):
            known = self._known[request] = self._pool.submit(self._answer, request)
            while len(self._known) > self._kept:
                self._known.popitem(last=False)
        return known


def compile_facts() -> CompilerAnswers[tuple[KernelFacts, ...]]:
    return CompilerAnswers(facts_in_own_process, KEPT_FACTS)


def compile_request(
    resolved: ResolvedRequest, architecture: str, stages: tuple[str, ...] = ()
) -> CompileRequest:
    """The kernels of a run, with their texts in some stages."""
    m, n, dtype, launch = resolved.m, resolved.n, resolved.dtype, resolved.launch
    return CompileRequest(
        m=m, n=n, dtype=dtype, launch=launch, architecture=architecture, stages=stages
    )


def wait_for(task: Task, answer: "Future[Answer]") -> Answer:
    """The compiler's answer; a CompileError where there is none, JobCancelled where the job is left
    meanwhile.
    """
    try:
        while not answer.done():
            task.check()
            time.sleep(POLL_SECONDS)
        return answer.result()
    finally:
        answer.cancel()  # where it has not begun and the job is left


@dataclass(frozen=True, slots=True)
class LastRun:
    """What an inspection needs of a finished run. The truth is computed again, for the rows that
    are looked at.
    """

    inputs: Inputs
    results: Results
    eps: float

    @property
    def nbytes(self) -> int:
        """Memory that it holds, in bytes; the four matrices are nearly all of it."""
        return sum(
            t.nbytes for t in (self.inputs.x, self.inputs.dy, self.results.y, self.results.dx)
        )


@dataclass(frozen=True, slots=True)
class Runner:
    """What all runs of a worker share."""

    torch_device: torch.device
    device: Device
    compiler: CompilerAnswers[tuple[KernelFacts, ...]]

    def run(
        self, task: Task, request: RunRequest, providers: tuple[str, ...], found: Found
    ) -> tuple[RunResult, LastRun]:
        """Do one run, telling its parts as they become known; `found` has who can be timed beside
        it.

        Raises:
            JobCancelled: the job was cancelled.
        """
        resolved = resolve(request, self.device.backend, self.device.limits)
        task.begin("compile")
        self._step(task, "inputs")
        answer = self.compiler.ask(compile_request(resolved, self.device.limits.architecture))
        inputs = inputs_of(resolved, self.torch_device)
        compile_kernels(inputs, resolved.eps, resolved.launch)
        task.begin("run")
        checked, last = self._check(task, inputs, resolved)
        task.tell(checked)
        self._step(task, "compiler")
        facts, notes = self._compiled(task, answer)
        self._step(task, "throughput")
        timed = self.device.backend == "cuda"
        times = throughput(task, inputs, resolved, checked, providers, found, timed=timed)
        if times.before is not None and times.after is not None:
            notes += doubts(times.before, times.after, times.figures)
        else:
            notes += tuple(
                say("{provider}: {reason}", provider=each.provider, reason=each.reason)
                for each in times.refusals
            )
            right = set(providers).difference(
                DEFAULT_PEERS,
                [resolved.launch.strategy],
                [each.provider for each in times.refusals],
            )
            notes += tuple(
                say("{provider}: all results are within tolerance", provider=name)
                for name in sorted(right)
            )
        wrong = {
            each.provider
            for each in times.refusals
            if each.mode is None and each.kind in ("incorrect", "failed")
        }
        stamp = environment(self.torch_device)
        kind = Kind.MEASURED if timed else Kind.INTERPRETED
        result = RunResult(
            request=request,
            resolved=resolved,
            provenance=Provenance(kind=kind, environment=stamp),
            correctness=checked,
            compiled=facts,
            throughput=times if timed else None,
            notes=notes,
            providers=providers,
            wrong_providers=tuple(
                name for name in providers if name in wrong and name not in DEFAULT_PEERS
            ),
        )
        return result, last

    def _check(
        self, task: Task, inputs: Inputs, resolved: ResolvedRequest
    ) -> tuple[Correctness, LastRun]:
        self._step(task, "kernels")
        other = torch_results(inputs, resolved.eps)
        worst = last = partial = None
        for repeat, results in enumerate(run_kernels(task, inputs, resolved)):
            if last is None:
                partial = partial_rows(task, inputs, results, resolved)
                self._step(task, "errors")
            elif resolved.repeats > 1:
                task.count(say("repeats"), repeat, resolved.repeats)
            accuracy = check_all(inputs, resolved.eps, resolved.launch, results, other)
            worst = accuracy if worst is None else worse(worst, accuracy)
            last = LastRun(inputs, results, resolved.eps)
        assert worst is not None and last is not None, "there is at least one repeat"  # noqa: PT018
        task.check()
        return replace(worst, partial_rows=partial), last

    def _compiled(
        self, task: Task, answer: "Future[tuple[KernelFacts, ...]]"
    ) -> tuple[tuple[KernelFacts, ...], tuple[Sentence, ...]]:
        """Wait for the compiler: its facts, and as a note why there are none, which is no failure
        of the run.
        """
        try:
            facts = wait_for(task, answer)
        except CompileError as error:
            return (), (
                say(
                    "What the compiler makes of the kernels is not known: {error}",
                    error=error.sentence,
                ),
            )
        task.tell(CompiledKernels(facts))
        return facts, ()

    def _step(self, task: Task, name: str) -> None:
        number = list(STEPS).index(name)
        task.step(STEPS[name], number, len(STEPS))


def inputs_of(resolved: ResolvedRequest, device: torch.device) -> Inputs:
    return make_inputs(
        resolved.m, resolved.n, getattr(torch, resolved.dtype), resolved.data, resolved.seed, device
    )


def compile_kernels(inputs: Inputs, eps: float, launch: Launch) -> None:
    """Compile what `kernel_results` will launch, and launch nothing. Without a compiler, nothing is
    done.
    """
    if IS_INTERPRETED:
        return
    for noted in recorded(lambda: kernel_results(inputs, eps, launch)):
        noted.compile()


def run_kernels(task: Task, inputs: Inputs, resolved: ResolvedRequest) -> Iterator[KernelResults]:
    """Both passes once, then the backward pass again for each further repeat; every time into
    poisoned outputs.
    """
    with _left_anywhere(task, resolved):
        results = kernel_results(inputs, resolved.eps, resolved.launch)
        _synchronize(inputs.x.device)
    yield results
    for _ in range(1, resolved.repeats):
        task.check()
        with _left_anywhere(task, resolved):
            results = backward_results(
                inputs, resolved.launch, y=results.y, mean=results.mean, rstd=results.rstd
            )
            _synchronize(inputs.x.device)
        yield results


def partial_rows(
    task: Task, inputs: Inputs, results: KernelResults, resolved: ResolvedRequest
) -> PartialRows | None:
    """What each row adds to dw and db; None where there are too many to show, and no buffers to
    show them in.
    """
    if (
        resolved.launch.strategy != "locked"
        or resolved.m > SHOWN_ROWS
        or resolved.m * resolved.n > SHOWN_ELEMENTS
    ):
        return None
    with _left_anywhere(task, resolved):
        dw, db = per_row_partials(
            inputs.x, inputs.dy, results.mean, results.rstd, inputs.weight, resolved.launch
        )
    if results.dw is None or results.db is None:
        return None
    arrays = (tensor.float().cpu().numpy() for tensor in (dw, db, results.dw, results.db))
    return PartialRows(
        dw=next(arrays), db=next(arrays), dw_total=next(arrays), db_total=next(arrays)
    )


@contextmanager
def _left_anywhere(task: Task, resolved: ResolvedRequest) -> Iterator[None]:
    if not IS_INTERPRETED:
        yield
        return
    total = sum(prod(grid) for grid in grids(resolved.m, resolved.n, resolved.launch).values())

    def begun(programs: int) -> None:
        task.check()
        task.count(STEPS["kernels"], min(programs, total), total)

    with task.interruptible(), _counted_programs(begun):
        yield


@contextmanager
def _counted_programs(tell: Callable[[int], None]) -> Iterator[None]:
    """Have the interpreter tell how many programs it has begun, before each."""
    from triton.runtime import interpreter  # only there is one

    builder: Any = interpreter.interpreter_builder
    set_grid_idx = builder.set_grid_idx
    begun = 0

    def counting(*index: int) -> None:
        nonlocal begun
        begun += 1
        tell(begun)
        set_grid_idx(*index)

    builder.set_grid_idx = counting
    try:
        yield
    finally:
        del builder.set_grid_idx


def _synchronize(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def impossible(last: LastRun | None, asked: InspectJob) -> list[Problem]:
    """Why there is nothing to inspect; empty when there is."""
    if last is None:
        return [
            Problem(
                "tensor",
                asked.tensor,
                say("run first; of runs beyond {size} GiB nothing is kept", size=KEPT_BYTES >> 30),
            )
        ]
    if asked.tensor not in {"y", "dx"}:
        return [Problem("tensor", asked.tensor, say("choose y or dx"))]
    m, n = last.inputs.x.shape
    problems = []
    for name, start, stop, limit in (
        ("row", asked.row_start, asked.row_stop, m),
        ("column", asked.column_start, asked.column_stop, n),
    ):
        if not 0 <= start < stop <= limit:
            problems.append(
                Problem(
                    f"{name}_start",
                    f"{start} to {stop}",
                    say("take a part of 0 to {limit}", limit=limit),
                )
            )
    return problems


def inspect(last: LastRun, asked: InspectJob) -> ErrorMap:
    """|kernel − truth| of the part that was asked for, pooled only as far as it is larger than a
    map.
    """
    rows, columns = asked.row_stop - asked.row_start, slice(asked.column_start, asked.column_stop)
    pooled = PooledMap(rows, columns.stop - columns.start)
    result: torch.Tensor = getattr(last.results, asked.tensor)
    step = rows_per_chunk(last.inputs.x.shape[1], result.device, pooled.window_rows)
    for start in range(asked.row_start, asked.row_stop, step):
        part = slice(start, min(start + step, asked.row_stop))
        truth = true_rows(last.inputs, last.eps, part)
        pooled.add(part, result[part, columns], getattr(truth, asked.tensor)[:, columns])
    return ErrorMap(
        name=asked.tensor,
        row_start=asked.row_start,
        rows=rows,
        column_start=asked.column_start,
        columns=asked.column_stop - asked.column_start,
        values=pooled.values.cpu().numpy(),
    )
