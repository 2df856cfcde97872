"""Checks and times every setting one step away in turns with the present one, round by round."""

import time
from dataclasses import replace

import numpy as np

from lnexplorer.domain.comparison import median_interval
from lnexplorer.domain.doubts import doubts
from lnexplorer.domain.experiments.experiment import Change, kernel_with
from lnexplorer.domain.experiments.neighbours import (
    UNKNOWN,
    Neighbour,
    Neighbours,
    changes_beside,
    kernel_changes,
    limits_of,
    pass_times,
    with_change,
)
from lnexplorer.domain.measuring import MeasureRequest
from lnexplorer.domain.request import written_out
from lnexplorer.domain.timeline import of_locked, summarize
from lnexplorer.worker.candidates import Candidate
from lnexplorer.worker.checking import inputs_of
from lnexplorer.worker.experiments.strategies import trace_strategy
from lnexplorer.worker.experiments.work import Work, statistics
from lnexplorer.worker.trace import trace
from lnkernels.values.environment import Environment
from lnkernels.values.figures import Figure
from lnkernels.values.sentence import Sentence, say
from lnkernels.values.timeline import ReductionTimeline, StrategyTimeline

REPETITIONS = 15  # of a candidate and a pass in each round


def measure(work: Work) -> Neighbours:
    """Check all, and on a GPU time them until each difference is known, or the budget is spent.

    After each round, what is known so far is told.
    """
    measurer, kernel = work.measurer, work.request.kernel
    changes, request = _request(work)
    traced, tries = _traced(work) if work.on_gpu and kernel is None else (None, None)
    tensors, (first, *beside) = work.checked(request)
    ratios: list[list[float]] = [[] for _ in changes]
    figures: list[Figure] = []  # of the present setting
    warnings: tuple[Sentence, ...] = ()
    before: Environment | None = None
    rounds, began, budget = 0, time.monotonic(), request.seconds

    def so_far() -> Neighbours:
        reason = first.outcome().reason
        return Neighbours(
            kernel="" if kernel is None else kernel.name,
            ms=sum(pass_times(figures).values()) or None,
            rounds=rounds,
            rows=tuple(map(_row, changes, beside, ratios)),
            limits=limits_of(work.resolved, figures, first.compiled, traced, tries),
            warnings=warnings if reason is None else (reason, *warnings),
        )

    def on_turn(_: object) -> None:
        past = min(time.monotonic() - began, budget)
        work.task.count(say("seconds of timing"), round(past), round(budget))

    known = so_far()
    while work.on_gpu and rounds < work.runs and time.monotonic() - began < budget:
        left = [place for place, row in enumerate(known.rows) if row.right and not row.settled]
        if not left or not first.is_timed:
            break
        start = rounds % (len(left) + 1)  # none is always captured behind the same one
        turns = [first, *(beside[place] for place in left)]
        turns = turns[start:] + turns[:start]
        _, begun, after = measurer.time_request(work.task, request, tensors, turns, on_turn)
        before = before or begun
        rounds += 1
        figures += first.figures
        present = pass_times(first.figures)
        for place in left:
            times = pass_times(beside[place].figures)
            if times and times.keys() == present.keys():
                ratios[place].append(sum(present.values()) / sum(times.values()))
        # That medians of one round are not settled is no doubt.
        warnings = doubts(before, after, [replace(each, settled=True) for each in first.figures])
        known = so_far()
        work.tell(known)
    measurer.forget()
    return known


def _request(work: Work) -> tuple[list[Change], MeasureRequest]:
    """Return the changes, and the request that checks the present setting and each of them."""
    kernel, problem, device = work.request.kernel, work.problem, work.device
    if kernel is None:
        changes = changes_beside(problem, work.resolved, device.backend, device.limits)
        present = written_out(problem, work.resolved)
        settings = (present, *(with_change(present, change) for change in changes))
        request = MeasureRequest(settings=settings)
    else:
        changes = kernel_changes(kernel)
        numbered = [
            replace(kernel_with(kernel, change), name=f"{kernel.name}.{number}")
            for number, change in enumerate(changes)
        ]
        kernels = (kernel, *numbered)
        names = tuple(each.name for each in kernels)
        request = MeasureRequest(problem=problem, providers=names, kernels=kernels)
    modes = ("kernel_cold",) if work.on_gpu else ()
    seconds = work.request.budget_seconds
    return changes, replace(request, modes=modes, most=REPETITIONS, seconds=seconds)


def _row(change: Change, candidate: Candidate, ratios: list[float]) -> Neighbour:
    return Neighbour(
        change=change,
        rounds=len(ratios),
        gain=median_interval(np.array(ratios)) or UNKNOWN,
        right=candidate.is_right,
        reason=candidate.outcome().reason,
    )


def _traced(work: Work) -> tuple[StrategyTimeline | None, float | None]:
    """Return one traced backward pass, and the mean tries of a row for its lock, if known."""
    task, resolved, device = work.task, work.resolved, work.torch_device
    if resolved.launch.strategy == "locked":
        locked = trace(task, resolved, device, with_cost=False)
        assert isinstance(locked, ReductionTimeline), "locked can be traced on a GPU"
        return of_locked(locked), summarize(locked).tries_mean
    if resolved.norm != "layer_norm":
        return None, None
    inputs = inputs_of(resolved, device)
    found = trace_strategy(task, inputs, *statistics(inputs.x, resolved.eps), resolved)
    return (found if isinstance(found, StrategyTimeline) else None), None
