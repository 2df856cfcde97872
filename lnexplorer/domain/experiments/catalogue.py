"""The experiments, in the order in which they are listed, and as the history keeps them. A new one
is an entry here.
"""

from dataclasses import replace
from typing import Any

from lnexplorer.domain.experiments.barrier import BARRIER
from lnexplorer.domain.experiments.dropout import DROPOUT
from lnexplorer.domain.experiments.experiment import (
    Experiment,
    ExperimentRequest,
    ExperimentResult,
    Findings,
)
from lnexplorer.domain.experiments.gpus import GPUS
from lnexplorer.domain.experiments.group_size import GROUP_SIZE
from lnexplorer.domain.experiments.hang import HANG
from lnexplorer.domain.experiments.invariance import INVARIANCE
from lnexplorer.domain.experiments.neighbours import NEIGHBOURS
from lnexplorer.domain.experiments.order import ORDER
from lnexplorer.domain.experiments.strategies import STRATEGIES
from lnexplorer.domain.request import ResolvedRequest
from lnkernels.launch import DeviceLimits, Problem
from lnkernels.values import Sentence, frozen_by_name, say
from lnkernels.values.environment import Device, Kind

LISTED = (GROUP_SIZE, BARRIER, ORDER, INVARIANCE, STRATEGIES, DROPOUT, GPUS, NEIGHBOURS, HANG)
EXPERIMENTS: dict[str, Experiment] = {each.name: each for each in LISTED}


def findings_class(plain: dict[str, Any]) -> type[Findings]:
    """Return the class of findings in plain form, by their tag.

    Raises:
        ValueError: they are of no experiment that is known.
    """
    experiment = EXPERIMENTS.get(plain.get("experiment", ""))
    if experiment is None:
        raise ValueError("these are findings of no experiment")
    return experiment.findings


def check_experiment(
    request: ExperimentRequest, backend: str, limits: DeviceLimits | None = None
) -> list[Problem]:
    """Return what makes a request impossible; empty if it can be done."""
    if request.name in EXPERIMENTS:
        return EXPERIMENTS[request.name].check(request, backend, limits)
    allowed = say("choose one of {choices}", choices=EXPERIMENTS)
    return [Problem("experiment", request.name, allowed)]


FINISHED, STOPPED, FAILED = "finished", "stopped", "failed"


@frozen_by_name(eq=False)
class ExperimentRecord:
    date: str  # ISO 8601, UTC: of its findings, or when it ended without
    request: ExperimentRequest  # completed
    resolved: ResolvedRequest
    kind: Kind
    device: str  # name of the GPU, or "CPU"
    ended: str  # FINISHED, STOPPED by its user, or FAILED
    result: ExperimentResult | None = None  # where it ended early: what it had found, if anything
    reason: Sentence | None = None  # why it failed
    done: int = 0  # steps of `total` that were behind it when it ended early
    total: int = 0


def ended_early(
    request: ExperimentRequest,
    device: Device,
    date: str,
    ended: str,
    reason: Sentence | None,
    steps: tuple[int, int],
    result: ExperimentResult | None = None,
) -> ExperimentRecord:
    """Return the record of an experiment that was STOPPED or has FAILED, so many steps of all in.

    The date is now, ISO 8601, UTC.
    """
    own = EXPERIMENTS[request.name]
    whole = replace(own.complete(request, device.backend), kernel=None)
    return ExperimentRecord(
        date=date,
        request=whole,
        resolved=own.resolve(whole, device.backend, device.limits),
        kind=Kind.MEASURED if device.backend == "cuda" else Kind.INTERPRETED,
        device=device.name if device.backend == "cuda" else "CPU",
        ended=ended,
        result=result,
        reason=reason,
        done=steps[0],
        total=steps[1],
    )


def finished(result: ExperimentResult) -> ExperimentRecord:
    """Return the record of an experiment that came to its end."""
    environment = result.provenance.environment
    return ExperimentRecord(
        date=environment.date,
        request=result.request,
        resolved=result.resolved,
        kind=result.provenance.kind,
        device=environment.where,
        ended=FINISHED,
        result=result,
    )
