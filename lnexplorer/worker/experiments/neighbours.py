"""Checks and times every setting one step away in turns with the present one, round by round."""

import time
from dataclasses import replace

import numpy as np

from lnexplorer.domain.comparison import median_interval
from lnexplorer.domain.doubts import doubts
from lnexplorer.domain.experiments.experiment import Change
from lnexplorer.domain.experiments.neighbours import (
    UNKNOWN,
    Neighbour,
    Neighbours,
    changes_beside,
    kernel_changes,
    limits_of,
)
from lnexplorer.domain.measuring import MeasureRequest
from lnexplorer.domain.request import RunRequest, written_out
from lnexplorer.worker.checking import inputs_of
from lnexplorer.worker.experiments.strategies import trace_strategy
from lnexplorer.worker.experiments.work import Work
from lnexplorer.worker.trace import trace
from lnkernels.launch.source import KernelSource, with_settings
from lnkernels.values import Sentence, say
from lnkernels.values.environment import Environment
from lnkernels.values.timeline import ReductionTimeline, StrategyTimeline

REPETITIONS = 15  # of a candidate and a pass in each round


def measure(work: Work) -> Neighbours:
    """Check all, and on a GPU time them until each difference is known, or the budget is spent.

    After each round, what is known so far is told.
    """
    measurer, task, kernel = work.measurer, work.task, work.request.kernel
    changes, request = _request(work)
    traced = _traced(work) if work.on_gpu and kernel is None else None
    tensors, (first, *beside) = measurer.checked(task, request)
    ratios: list[list[float]] = [[] for _ in changes]
    totals: list[float] = []  # of the present setting, in ms
    # What makes times doubtful, after the reason why the setting itself is.
    warnings: tuple[Sentence, ...] = ()
    before: Environment | None = None
    rounds, began = 0, time.monotonic()

    def seconds() -> float:
        return min(time.monotonic() - began, request.seconds)

    def on_turn(_: object) -> None:
        task.count(say("seconds of timing"), round(seconds()), round(request.seconds))

    while True:
        reason = first.outcome().reason
        known = Neighbours(
            kernel="" if kernel is None else kernel.name,
            ms=float(np.median(totals)) if totals else None,
            rounds=rounds,
            rows=tuple(
                Neighbour(
                    change=change,
                    rounds=len(each),
                    gain=median_interval(np.array(each)) or UNKNOWN,
                    right=candidate.is_right,
                    reason=candidate.outcome().reason,
                )
                for change, candidate, each in zip(changes, beside, ratios, strict=True)
            ),
            limits=limits_of(work.resolved, first.figures, first.compiled, traced),
            warnings=warnings if reason is None else (reason, *warnings),
        )
        if rounds:
            work.tell(known)
        left = [place for place, row in enumerate(known.rows) if row.right and not row.settled]
        over = rounds == work.runs or seconds() >= request.seconds
        if over or not (left and first.is_timed and work.on_gpu):
            measurer.forget()
            return known
        start = rounds % (len(left) + 1)  # none is always captured behind the same one
        turns = [first, *(beside[place] for place in left)]
        turns = turns[start:] + turns[:start]
        _, begun, after = measurer.time_request(task, request, tensors, turns, on_turn)
        before = before or begun
        rounds += 1
        if first.figures:
            totals.append(sum(each.p50_ms for each in first.figures))
        for place in left:
            figures = beside[place].figures
            if figures and len(figures) == len(first.figures):
                ratios[place].append(totals[-1] / sum(each.p50_ms for each in figures))
        # That medians of one round are not settled is no doubt.
        warnings = doubts(before, after, [replace(each, settled=True) for each in first.figures])


def _request(work: Work) -> tuple[list[Change], MeasureRequest]:
    """Return the changes, and the request that checks the present setting and each of them."""
    request, device, kernel = work.request, work.device, work.request.kernel
    settings: list[RunRequest] = []
    kernels: list[KernelSource] = []
    if kernel is None:
        request = replace(request, problem=written_out(work.problem, work.resolved))
        changes = changes_beside(request, work.resolved.launch, device.backend, device.limits)
        settings = [request.problem, *(request.changed(each).problem for each in changes)]
    else:
        changes = kernel_changes(kernel)
        kernels = [kernel]
        for each in changes:
            other = with_settings(kernel, {each.name: each.after})
            kernels.append(replace(other, name=f"{kernel.name}, {each.text}"))
    return changes, MeasureRequest(
        problem=request.problem,
        settings=tuple(settings),
        providers=tuple(each.name for each in kernels),
        kernels=tuple(kernels),
        modes=work.modes,
        most=REPETITIONS,
        seconds=request.budget_seconds,
    )


def _traced(work: Work) -> ReductionTimeline | StrategyTimeline | None:
    """Return one traced backward pass; None where it cannot be traced."""
    task, resolved, device = work.task, work.resolved, work.torch_device
    found: object = None
    if resolved.launch.strategy == "locked":
        found = trace(task, resolved, device, with_cost=False)
    elif resolved.norm == "layer_norm":
        found = trace_strategy(task, inputs_of(resolved, device), resolved)
    return found if isinstance(found, ReductionTimeline | StrategyTimeline) else None
