"""An experiment that came to an end, with what it has: its findings, or why there are none."""

from dataclasses import dataclass, replace

from lnexplorer.domain.experiments.findings import ExperimentResult
from lnexplorer.domain.experiments.request import ExperimentRequest, completed
from lnexplorer.domain.provenance import Device, Kind
from lnexplorer.domain.request import ResolvedRequest, resolve

FINISHED, STOPPED, FAILED = "finished", "stopped", "failed"


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ExperimentRecord:
    """What is kept of an experiment."""

    date: str  # ISO 8601, UTC: of its findings, or when it ended without
    request: ExperimentRequest  # completed
    resolved: ResolvedRequest
    kind: Kind
    device: str  # name of the GPU, or "CPU"
    ended: str  # FINISHED, STOPPED by its user, or FAILED
    result: ExperimentResult | None = None  # where it ended early: what it had found; None where that was nothing
    reason: str = ""  # why it failed, in one sentence
    done: int = 0  # steps of `total` that were behind it when it ended early
    total: int = 0


def ended_early(
    request: ExperimentRequest,
    device: Device,
    date: str,
    ended: str,
    reason: str,
    steps: tuple[int, int],
    found: ExperimentResult | None = None,
) -> ExperimentRecord:
    """One that did not come to its end.

    Args:
        request: as it was asked for.
        device: that it was asked of.
        date: of now, ISO 8601, UTC.
        ended: STOPPED or FAILED.
        reason: why it failed, in one sentence.
        steps: how many were behind it, and of how many.
        found: what it had found, if anything.
    """
    whole = completed(request, device.backend)
    return ExperimentRecord(
        date=date,
        request=whole,
        resolved=replace(resolve(whole.problem, device.backend, device.limits), repeats=1),
        kind=Kind.MEASURED if device.backend == "cuda" else Kind.INTERPRETED,
        device=device.name if device.backend == "cuda" else "CPU",
        ended=ended,
        result=found,
        reason=reason,
        done=steps[0],
        total=steps[1],
    )


def finished(result: ExperimentResult) -> ExperimentRecord:
    """One that came to its end."""
    environment = result.provenance.environment
    return ExperimentRecord(
        date=environment.date,
        request=result.request,
        resolved=result.resolved,
        kind=result.provenance.kind,
        device=environment.gpu or "CPU",
        ended=FINISHED,
        result=result,
    )
