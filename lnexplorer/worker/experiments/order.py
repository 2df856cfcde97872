"""Measures how far apart runs of one input are, from the order of additions alone."""

import torch

from lnexplorer.domain.experiments.order import Orders, OrderSide
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.worker.checking import inputs_of
from lnexplorer.worker.connection import Task
from lnexplorer.worker.experiments.work import Work, statistics, true_sums
from lnexplorer.worker.trace import Backward, interruptible
from lnkernels.check.inputs import Inputs
from lnkernels.values import say

CHECK_RUNS = 20  # of a GPU between two looks at whether to stop; one of the interpreter is slow


def measure(work: Work) -> Orders:
    """Repeat `locked` with both types of buffers, and the strategy that suits the width.

    After each, those that are done are told.
    """
    problems = (
        work.problem.changed(partial_dtype="same"),
        work.problem.changed(partial_dtype="float32"),
        work.problem.problem("auto"),
    )
    inputs = inputs_of(work.resolved, work.torch_device)
    work.task.begin("run")
    sides: list[OrderSide] = []
    for number, problem in enumerate(problems):
        resolved = work.resolve(problem)
        sides.append(repeated(work.task, inputs, resolved, work.runs, number, len(problems)))
        work.tell(Orders(sides=tuple(sides)))
    return Orders(sides=tuple(sides))


def repeated(
    task: Task, inputs: Inputs, resolved: ResolvedRequest, runs: int, number: int, total: int
) -> OrderSide:
    """Repeat one backward pass with dw in float32, so that no last rounding hides a difference."""
    mean, rstd = statistics(inputs.x, resolved.eps)
    backward = Backward(inputs, mean, rstd, resolved.launch)
    truth = true_sums(inputs, resolved.eps)[0]
    low, high = torch.full_like(truth, torch.inf), torch.full_like(truth, -torch.inf)
    patterns: set[bytes] = set()
    error = 0.0
    apart = CHECK_RUNS if inputs.x.is_cuda else 1
    for run in range(runs):
        if run % apart == 0:
            task.step(say("runs"), number * runs + run, total * runs)
        dw, db = (torch.full((resolved.n,), torch.nan, device=inputs.x.device) for _ in range(2))
        with interruptible(task, inputs.x.device):
            backward(dw, db)
        wide = dw.double()
        low, high = torch.minimum(low, wide), torch.maximum(high, wide)
        error = max(error, float((wide - truth).abs().max()))
        patterns.add(dw.cpu().numpy().tobytes())
    locked = resolved.launch.strategy == "locked"
    return OrderSide(
        strategy=resolved.launch.strategy,
        partial_dtype=resolved.launch.partial_dtype if locked else None,
        runs=runs,
        distinct=len(patterns),
        spread=(high - low).float().cpu().numpy(),
        error=error,
    )
