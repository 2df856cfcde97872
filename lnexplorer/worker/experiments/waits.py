"""How long a row waits for its lock, of any setting of `locked`."""

import torch

from lnexplorer.domain.provenance import Kind
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.timeline import ReductionTimeline
from lnexplorer.domain.timeline_summary import summarize
from lnexplorer.worker.task import Task
from lnexplorer.worker.trace import trace


def mean_wait_ns(task: Task, request: RunRequest, backend: str, device: torch.device) -> float | None:
    """Mean time from a row's first try for its lock to holding it, traced once; None where nothing waits that has a clock.

    That is so on the interpreter, and for strategies without locks.
    """
    if backend != "cuda":
        return None
    traced = trace(task, request, backend, device)
    if isinstance(traced, ReductionTimeline) and traced.kind is Kind.MEASURED:
        return summarize(traced).wait_mean_ns
    return None
