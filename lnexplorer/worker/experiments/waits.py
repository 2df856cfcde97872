"""How long a row waits for its lock, of any setting of `locked`."""

from dataclasses import replace

import torch

from lnexplorer.domain.measuring import Measured
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.timeline_summary import summarize
from lnexplorer.worker.task import Task
from lnexplorer.worker.trace import trace
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import ReductionTimeline


def with_waits(task: Task, measured: Measured, backend: str, device: torch.device) -> Measured:
    """The same measurement, with the mean wait of each right setting whose rows wait."""
    outcomes = []
    for outcome in measured.outcomes:
        wait_ns = None
        if outcome.setting is not None and outcome.status == "ok":
            wait_ns = mean_wait_ns(task, outcome.setting, backend, device)
        outcomes.append(replace(outcome, wait_ns=wait_ns))
    return replace(measured, outcomes=tuple(outcomes))


def mean_wait_ns(task: Task, request: RunRequest, backend: str, device: torch.device) -> float | None:
    """Mean time from a row's first try for its lock to holding it, traced once; None where nothing waits that has a clock.

    That is so on the interpreter, and for strategies without locks.
    """
    if backend != "cuda":
        return None
    traced = trace(task, request, backend, device, with_cost=False)
    if isinstance(traced, ReductionTimeline) and traced.kind is Kind.MEASURED:
        return summarize(traced).wait_mean_ns
    return None
