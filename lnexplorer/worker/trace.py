"""The lock timeline of stage 1, recorded on a GPU."""

import numpy as np
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
    """The domain's timeline of stage 1. Stage 2 is not traced, so there is no tile in it."""
    times = recorded.start_ns, recorded.wanted_ns, recorded.held_ns, recorded.released_ns
    start, wanted, held, released = (np.zeros(0, np.int64) if each is None else each for each in times)
    return ReductionTimeline(
        kind=Kind.MEASURED,
        m=resolved.m,
        n=resolved.n,
        group_size_m=resolved.launch.group_size_m,
        lock=recorded.lock,
        order=recorded.order,
        sm=np.zeros(0, np.int32) if recorded.sm is None else recorded.sm,
        start_ns=start,
        wanted_ns=wanted,
        held_ns=held,
        released_ns=released,
        tile_block_m=resolved.launch.reduce_block_size_m,
        tile_block_n=resolved.launch.reduce_block_size_n,
        tile_sm=np.zeros(0, np.int32),
        tile_start_ns=np.zeros(0, np.int64),
        tile_end_ns=np.zeros(0, np.int64),
        tick_ns=float(recorded.tick_ns or 0),
    )
