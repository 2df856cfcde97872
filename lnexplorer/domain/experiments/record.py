"""Experiments as the history keeps them, however they ended."""

from lnexplorer.domain.experiments.catalogue import EXPERIMENTS
from lnexplorer.domain.experiments.experiment import ExperimentRequest, ExperimentResult
from lnexplorer.domain.request import ResolvedRequest
from lnkernels.values.environment import Device, Kind
from lnkernels.values.frozen import frozen
from lnkernels.values.sentence import Sentence

FINISHED, STOPPED, FAILED = "finished", "stopped", "failed"


@frozen(eq=False, kw_only=True)
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
    whole = own.complete(request, device.backend)
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
