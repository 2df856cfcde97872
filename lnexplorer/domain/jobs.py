"""What can be asked of a worker, what it tells on the way, and what it gives in the end.

A new kind of job is entered here and in the table of `lnexplorer.worker.jobs`; then somebody may ask a supervisor for
it.
"""

from dataclasses import dataclass
from typing import TypeAlias

from lnexplorer.domain.experiments.findings import ExperimentResult
from lnexplorer.domain.experiments.request import ExperimentRequest
from lnexplorer.domain.measuring import CandidateOutcome, Measured, MeasureRequest
from lnexplorer.domain.peers import DEFAULT_PEERS
from lnexplorer.domain.request import ResolvedRequest, RunRequest
from lnexplorer.domain.result import RunResult
from lnkernels.launch import buffers_in_use
from lnkernels.values.accuracy import Correctness, ErrorMap
from lnkernels.values.compiled import CompiledKernels
from lnkernels.values.figures import Figure
from lnkernels.values.listing import Listing
from lnkernels.values.timeline import ReductionTimeline
from lnkernels.values.touched import Access


@dataclass(frozen=True, slots=True)
class RunJob:
    """Check and time the kernels."""

    request: RunRequest
    providers: tuple[str, ...] = DEFAULT_PEERS  # who is timed beside them


@dataclass(frozen=True, slots=True)
class TraceJob:
    """Record when each row wanted, held and released its lock."""

    request: RunRequest


@dataclass(frozen=True, slots=True)
class InspectJob:
    """Give the errors of a part of y or dx of the last finished run, in full resolution where it fits."""

    tensor: str
    row_start: int
    row_stop: int
    column_start: int
    column_stop: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TouchRequest:
    """The row whose forward and stage-1 program is looked at, and the column whose stage-2 program is."""

    problem: RunRequest
    row: int
    column: int = 0


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Touched:
    request: TouchRequest
    resolved: ResolvedRequest
    accesses: tuple[Access, ...]

    @property
    def buffers(self) -> int:
        """Rows of the buffers of partial sums."""
        return buffers_in_use(self.resolved.m, self.resolved.launch)

    def of(self, kernel: str) -> tuple[Access, ...]:
        return tuple(access for access in self.accesses if access.kernel == kernel)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileJob:
    """What the compiler makes of the kernels of a run."""

    problem: RunRequest
    architecture: str = ""  # such as "sm_90", of `lnkernels.values.listing`; that of the worker's device where it is empty


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Compiled:
    request: CompileJob
    resolved: ResolvedRequest
    architecture: str
    kernels: tuple[Listing, ...]  # forward, stage 1, stage 2


# A measurement names in its progress the label of the candidate at work, so that when the worker is lost one knows
# whose fault that was. A touch wants a worker on the interpreter.
JobRequest: TypeAlias = RunJob | TraceJob | InspectJob | MeasureRequest | ExperimentRequest | TouchRequest | CompileJob
# A later figure of the same provider, pass and mode replaces an earlier one, as an experiment's later findings do.
JobFinding: TypeAlias = Correctness | CompiledKernels | Figure | CandidateOutcome | ExperimentResult
JobResult: TypeAlias = RunResult | ReductionTimeline | ErrorMap | Measured | ExperimentResult | Touched | Compiled
