"""The timeline of both stages of the reduction, recorded on a GPU."""

from typing import TypeVar

import torch

from lnexplorer.domain.provenance import Kind
from lnexplorer.domain.request import ResolvedRequest, RunRequest, resolve
from lnexplorer.domain.timeline import ReductionTimeline
from lnexplorer.worker.kernels import compile_kernels
from lnexplorer.worker.task import Task
from lnkernels.inputs import make_inputs
from lnkernels.launch import Problem
from lnkernels.lock_trace import LockTrace, trace_backward
from lnkernels.locked import LockedWorkspace
from lnkernels.results import kernel_results

T = TypeVar("T")


def trace(task: Task, request: RunRequest, backend: str, device: torch.device) -> ReductionTimeline | list[Problem]:
    """Record one backward pass; on the interpreter, and for another strategy than `locked`, say why that cannot be."""
    resolved = resolve(request, backend)
    if backend != "cuda":
        allowed = "choose a GPU: the interpreter runs one program after another, so no lock is ever waited for"
        return [Problem("device", backend, allowed)]
    if resolved.launch.strategy != "locked":
        return [Problem("strategy", resolved.launch.strategy, "choose locked: it is the strategy that has locks")]
    task.begin("compile")
    task.step("inputs", 0, 3)
    inputs = make_inputs(resolved.m, resolved.n, getattr(torch, resolved.dtype), resolved.data, resolved.seed, device)
    compile_kernels(inputs, resolved.eps, resolved.launch)
    task.begin("run")
    task.step("kernels", 1, 3)
    # The forward pass gives the statistics, and an untraced backward pass warms up what a traced one shares with it.
    before = kernel_results(inputs, resolved.eps, resolved.launch)
    assert before.dw is not None and before.db is not None, "runs have a weight and a bias"  # noqa: PT018
    workspace = LockedWorkspace.allocate(resolved.m, resolved.n, inputs.x.dtype, resolved.launch, device)
    task.step("trace", 2, 3)
    recorded = trace_backward(
        inputs.x,
        inputs.dy,
        inputs.weight,
        before.mean,
        before.rstd,
        resolved.launch,
        workspace,
        dx=before.dx,
        dw=before.dw,
        db=before.db,
    )
    return _timeline(recorded, resolved)


def _timeline(recorded: LockTrace, resolved: ResolvedRequest) -> ReductionTimeline:
    return ReductionTimeline(
        kind=Kind.MEASURED,
        m=resolved.m,
        n=resolved.n,
        group_size_m=resolved.launch.group_size_m,
        lock=recorded.lock,
        order=recorded.order,
        sm=_there(recorded.sm),
        start_ns=_there(recorded.start_ns),
        wanted_ns=_there(recorded.wanted_ns),
        held_ns=_there(recorded.held_ns),
        released_ns=_there(recorded.released_ns),
        tile_block_m=resolved.launch.reduce_block_size_m,
        tile_block_n=resolved.launch.reduce_block_size_n,
        tile_sm=_there(recorded.tile_sm),
        tile_start_ns=_there(recorded.tile_start_ns),
        tile_end_ns=_there(recorded.tile_end_ns),
        tick_ns=float(_there(recorded.tick_ns)),
    )


def _there(value: T | None) -> T:
    assert value is not None, "a GPU has a clock"
    return value
