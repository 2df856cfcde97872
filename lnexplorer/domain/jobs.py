"""The jobs of a worker: their requests, what they report on the way, and their results.

A new kind of job is entered here and in the table of `lnexplorer.worker.jobs`; then somebody may
ask a supervisor for it.
"""

from typing import TypeAlias

import numpy as np

from lnexplorer.domain.experiments.experiment import ExperimentRequest, ExperimentResult
from lnexplorer.domain.measuring import CandidateOutcome, Measured, MeasureRequest
from lnexplorer.domain.peers import DEFAULT_PEERS
from lnexplorer.domain.request import ResolvedRequest, RunRequest
from lnexplorer.domain.result import RunResult
from lnkernels.launch import DTYPE_BYTES, LAUNCHED
from lnkernels.launch.source import KernelSource
from lnkernels.values import frozen, frozen_by_name
from lnkernels.values.accuracy import Correctness, ErrorMap
from lnkernels.values.compiled import CompiledKernels
from lnkernels.values.figures import Figure
from lnkernels.values.listing import Listing
from lnkernels.values.timeline import ReductionTimeline
from lnkernels.values.touched import PARTIAL_BUFFERS, Access


@frozen
class RunJob:
    """Check and time the kernels."""

    request: RunRequest
    providers: tuple[str, ...] = DEFAULT_PEERS  # who is timed beside them
    counters: bool = False  # have the hardware count, too, where there is a GPU and Nsight Compute
    kernels: tuple[KernelSource, ...] = ()  # of one's own among the providers, whose code is run
    time_anyway: bool = False  # also those whose results are wrong
    autopsy: bool = False  # record what rows of `locked` do while they are checked, if it hangs


@frozen
class TraceJob:
    """Record when each row wanted, held and released its lock."""

    request: RunRequest
    kernel: KernelSource | None = (
        None  # one of one's own, whose stamps are recorded in place of the locks of `locked`
    )


@frozen
class InspectJob:
    """Give the errors of a part of y or dx of the last finished run, in full resolution where it
    fits.
    """

    tensor: str
    row_start: int
    row_stop: int
    column_start: int
    column_stop: int


@frozen_by_name
class TouchRequest:
    """Record the loads and stores of the forward and stage-1 program of a row, and of the stage-2
    program of a column.
    """

    problem: RunRequest
    row: int
    column: int = 0


@frozen_by_name(eq=False)
class Touched:
    request: TouchRequest
    resolved: ResolvedRequest
    accesses: tuple[Access, ...]

    def of(self, kernel: str) -> tuple[Access, ...]:
        return tuple(access for access in self.accesses if access.kernel == kernel)

    def bytes_of(self, kernel: str) -> int:
        """Bytes that its program asks for, without locks and counts."""
        element, partial = DTYPE_BYTES[self.resolved.dtype], DTYPE_BYTES[self.resolved.buffer_dtype]
        sizes = {"mean": 4, "rstd": 4, "locks": 0, "counts": 0} | dict.fromkeys(
            PARTIAL_BUFFERS, partial
        )
        return sum(
            sizes.get(one.buffer, element) * int(np.count_nonzero(one.mask))
            for one in self.of(kernel)
        )

    def bytes_of_pass(self, kernel: str) -> tuple[int, int]:
        """Bytes that all programs of its pass ask L2 and memory for, and the least that any
        LayerNorm moves: each matrix once.
        """
        m, n, dtype, launch = (
            self.resolved.m,
            self.resolved.n,
            self.resolved.dtype,
            self.resolved.launch,
        )
        direction = "forward" if kernel == "forward" else "backward"
        count = LAUNCHED[launch.strategy].requested_bytes
        asked = count(direction, m, n, dtype, launch, self.resolved.norm)
        least = (2 if direction == "forward" else 3) * m * n * DTYPE_BYTES[dtype]
        return asked or least, least


@frozen_by_name
class CompileJob:
    """Compile the kernels of a run."""

    problem: RunRequest
    # such as "sm_90", of `lnkernels.values.listing`; that of the worker's device where it is empty
    architecture: str = ""
    source: KernelSource | None = None  # a kernel of one's own in place of the strategy's
    live: bool = False  # count the live registers, too, which takes about as long again


@frozen_by_name(eq=False)
class Compiled:
    request: CompileJob
    resolved: ResolvedRequest
    architecture: str
    kernels: tuple[Listing, ...]  # forward, stage 1, stage 2

    def kernel(self, name: str) -> Listing | None:
        """The kernel of a name such as "backward_stage1"; None where there is none."""
        return next((each for each in self.kernels if each.facts.name == name), None)


# A measurement names in its progress the label of the candidate at work, so that when the worker is
# lost one knows whose fault that was. A touch wants a worker on the interpreter.
JobRequest: TypeAlias = (
    RunJob | TraceJob | InspectJob | MeasureRequest | ExperimentRequest | TouchRequest | CompileJob
)
# A later figure of the same provider, pass and mode replaces an earlier one, as an experiment's
# later findings do.
JobFinding: TypeAlias = Correctness | CompiledKernels | Figure | CandidateOutcome | ExperimentResult
JobResult: TypeAlias = (
    RunResult | ReductionTimeline | ErrorMap | Measured | ExperimentResult | Touched | Compiled
)
