"""An experiment that came to an end, with what it has: its findings, or why there are none."""

from dataclasses import dataclass

from lnexplorer.domain.experiments.findings import ExperimentResult
from lnexplorer.domain.experiments.request import ExperimentRequest
from lnexplorer.domain.provenance import Kind
from lnexplorer.domain.request import ResolvedRequest

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
    result: ExperimentResult | None = None  # None where it did not come to its end
    reason: str = ""  # why it failed, in one sentence
    done: int = 0  # steps of `total` that were behind it when it ended early
    total: int = 0


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
