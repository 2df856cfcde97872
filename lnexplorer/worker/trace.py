"""The timeline of both stages of the reduction, recorded on a GPU, or counted in steps by the interpreter."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

import torch

from lnexplorer.domain.request import ResolvedRequest, RunRequest, resolve
from lnexplorer.worker.kernels import SHOWN_ELEMENTS, SHOWN_ROWS, compile_kernels
from lnexplorer.worker.task import Task
from lnkernels.inputs import Inputs, make_inputs
from lnkernels.launch import Problem
from lnkernels.lock_trace import TraceMemory, launch_traced, trace_backward
from lnkernels.locked import LockedWorkspace, launch_backward
from lnkernels.results import KernelResults, kernel_results
from lnkernels.trace_cost import measure_cost
from lnkernels.values.timeline import Clock, ReductionTimeline, TraceCost

STEPS = ("inputs", "kernels", "trace", "cost")


def trace(
    task: Task, request: RunRequest, backend: str, device: torch.device, *, with_cost: bool = True
) -> ReductionTimeline | list[Problem]:
    """Record one backward pass, with its numbers where the shape is small enough to read them, and on a GPU what that costs.

    On the interpreter only such shapes are traced: their numbers and the order of additions are true, times there are none. For
    another strategy than `locked`, say why there is nothing to trace.
    """
    resolved = resolve(request, backend)
    numbers = resolved.m <= SHOWN_ROWS and resolved.m * resolved.n <= SHOWN_ELEMENTS
    problems = _problems(resolved, backend, numbers=numbers)
    if problems:
        return problems
    task.begin("compile")
    task.step(STEPS[0], 0, len(STEPS))
    inputs = make_inputs(resolved.m, resolved.n, getattr(torch, resolved.dtype), resolved.data, resolved.seed, device)
    compile_kernels(inputs, resolved.eps, resolved.launch)
    task.begin("run")
    task.step(STEPS[1], 1, len(STEPS))
    with _left_anywhere(task, backend):
        # The forward pass gives the statistics, and an untraced backward pass warms up what a traced one shares with it.
        results = kernel_results(inputs, resolved.eps, resolved.launch)
    assert results.dw is not None and results.db is not None, "runs have a weight and a bias"  # noqa: PT018
    workspace = LockedWorkspace.allocate(resolved.m, resolved.n, inputs.x.dtype, resolved.launch, device)
    task.step(STEPS[2], 2, len(STEPS))
    with _left_anywhere(task, backend):
        recorded = trace_backward(
            inputs.x,
            inputs.dy,
            inputs.weight,
            results.mean,
            results.rstd,
            resolved.launch,
            workspace,
            dx=results.dx,
            dw=results.dw,
            db=results.db,
            numbers=numbers,
        )
    if backend != "cuda" or not with_cost:
        return recorded
    task.step(STEPS[3], 3, len(STEPS))
    with_sm_clocks = recorded.clock in {Clock.REFINED, Clock.COARSE}
    return replace(recorded, cost=_cost(inputs, results, resolved, workspace, numbers=numbers, cycles=with_sm_clocks))


def _left_anywhere(task: Task, backend: str) -> AbstractContextManager[None]:
    """A GPU is not left in the middle of its work; the interpreter may be."""
    return nullcontext() if backend == "cuda" else task.interruptible()


def _problems(resolved: ResolvedRequest, backend: str, *, numbers: bool) -> list[Problem]:
    if resolved.launch.strategy != "locked":
        return [Problem("strategy", resolved.launch.strategy, "choose locked: it is the strategy that has locks")]
    if backend != "cuda" and not numbers:
        field, value = ("m", resolved.m) if resolved.m > SHOWN_ROWS else ("n", resolved.n)
        allowed = (
            f"on the interpreter a trace has at most {SHOWN_ROWS} rows and {SHOWN_ELEMENTS} elements: programs run one after "
            "another there, so nothing but the numbers is worth recording; choose a GPU for the timing of locks"
        )
        return [Problem(field, str(value), allowed)]
    return []


def _cost(
    inputs: Inputs, results: KernelResults, resolved: ResolvedRequest, workspace: LockedWorkspace, *, numbers: bool, cycles: bool
) -> TraceCost:
    """Measured after the trace, with the same memory: what is written is written over."""
    memory = TraceMemory.allocate(resolved.m, resolved.n, resolved.launch, workspace, numbers=numbers, cycles=cycles)
    dx, dw, db = results.dx, results.dw, results.db
    assert dx is not None and dw is not None and db is not None, "runs have a weight and a bias"  # noqa: PT018
    arguments = (inputs.x, inputs.dy, inputs.weight, results.mean, results.rstd, resolved.launch, workspace)
    return measure_cost(
        lambda: launch_backward(*arguments, dx=dx, dw=dw, db=db),
        lambda: launch_traced(*arguments, memory, dx=dx, dw=dw, db=db),
        inputs.x.device,
    )
