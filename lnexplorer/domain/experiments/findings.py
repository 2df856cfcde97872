"""What experiments find, what is kept of one that ended, and where rows were seen to be lost: plain
values and arrays.

None is "not known here", as are all times of the interpreter.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.experiments.gpus import Gpus
from lnexplorer.domain.experiments.request import ExperimentRequest, completed
from lnexplorer.domain.request import ResolvedRequest, resolve
from lnexplorer.domain.timeline import LockWait, of_locked
from lnkernels.values.environment import Device, Kind, Provenance
from lnkernels.values.sentence import Sentence
from lnkernels.values.timeline import ReductionTimeline, StrategyTimeline


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSizePoint:
    group_size_m: int
    ms_float32: float | None  # median of the backward pass, kernels alone, cold L2
    ms_same: float | None
    error_float32: float | None  # largest of dw against the float64 truth
    error_same: float | None
    bytes_float32: int  # of the buffers of dw and db
    bytes_same: int
    reason: Sentence | None = (
        None  # why a figure or the lanes are not there, or in what they differ from plain passes
    )
    wait: LockWait | None = None  # float32 buffers
    wait_same: LockWait | None = None  # buffers of the dtype of x


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSizes:
    """The sizes in order."""

    points: tuple[GroupSizePoint, ...]
    torch_error: float | None  # PyTorch's, of dw


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongSum:
    """One element that is not what every order of additions gives."""

    run: int
    result: str  # dw or db
    column: int
    error: float  # result − expected; a whole number


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class BarrierSide:
    barrier: bool
    runs: int
    wrong_runs: int
    wrong_dw: NDArray[np.int64]  # [N] in how many runs the column was wrong
    wrong_db: NDArray[np.int64]  # [N]
    first: tuple[WrongSum, ...]  # the first few


@dataclass(frozen=True, slots=True, kw_only=True)
class Barriers:
    """Both sides, on inputs of ones whose sums are exact in every order."""

    left_out: BarrierSide
    put_back: BarrierSide


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class OrderSide:
    """Repeated backward passes of one kind on one input; dw was kept in float32."""

    strategy: str
    partial_dtype: str | None  # of the buffers; None where there are none behind locks
    runs: int
    distinct: int  # different bit patterns of dw among the runs
    spread: NDArray[np.float32]  # [N] maximum − minimum over the runs
    error: float  # largest of all runs and columns, against the float64 truth


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """The sides, buffers of the dtype of x first."""

    sides: tuple[OrderSide, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyRow:
    strategy: str
    ms: float | None  # median of the backward pass, kernels alone, cold L2
    gbps: float | None  # of the tutorial's bytes
    workspace_bytes: int
    runs: int
    distinct: int | None  # different bit patterns of dw among the runs
    error: float | None  # largest of dw as a result in the dtype of x, against the float64 truth
    reason: Sentence | None = (
        None  # why a figure or the lanes are not there, or in what they differ from plain passes
    )
    share: float | None = (
        None  # of what a + b → c of the same bytes reaches, as a fraction; older files have none
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Strategies:
    """The strategies, the locks of the one that has them, and what the programs of the others do."""

    rows: tuple[StrategyRow, ...]
    timeline: ReductionTimeline | None
    others: tuple[
        StrategyTimeline, ...
    ] = ()  # of the strategies without locks that were traced; older files have none

    def timelines(self) -> tuple[StrategyTimeline, ...]:
        """All that were traced, in the grammar of all."""
        locked = () if self.timeline is None else (of_locked(self.timeline),)
        return locked + self.others


@dataclass(frozen=True, slots=True, kw_only=True)
class DropoutRow:
    """One way to do without elements: dropout alone, or with the addition and norm behind it."""

    way: str  # seed, stored, fused or sequence
    forward_bytes: int  # that the pass has to move at least
    backward_bytes: int
    mask_bytes: int  # kept from the forward to the backward pass
    forward_ms: float | None  # median, kernels alone, cold L2
    backward_ms: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropouts:
    """A mask from a seed, what is to be said of it, and the ways beside each other."""

    p: float  # probability of a zero
    elements: int
    zeros: int
    # zeros that 99.9 of 100 masks of independent elements have, as many at least, and at most
    fewest: int
    most: int
    blocks: tuple[int, int]  # elements a program, of two masks from the same seed
    alike: bool  # these two, bit for bit
    alike_fused: bool  # and that of the fused kernel
    correlations: tuple[float, ...]  # of the mask with those of the seeds that follow
    uncorrelated: float  # below which 99.9 of 100 independent masks are, without sign
    rows: tuple[DropoutRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentResult:
    """A finished experiment. The findings of its name are there, those of the others are None."""

    request: ExperimentRequest  # completed
    resolved: ResolvedRequest
    provenance: Provenance
    group_size: GroupSizes | None = None
    barrier: Barriers | None = None
    order: Orders | None = None
    strategies: Strategies | None = None
    dropout: Dropouts | None = None
    gpus: Gpus | None = None


def rate_bound(wrong: int, runs: int) -> float | None:
    """Below which rate nothing seen in so many runs says it is, at 95 %; None where something was
    seen.
    """
    return 3 / runs if wrong == 0 and runs > 0 else None


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
    result: ExperimentResult | None = (
        None  # where it ended early: what it had found; None where that was nothing
    )
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
    found: ExperimentResult | None = None,
) -> ExperimentRecord:
    """One that was STOPPED or has FAILED; `steps` were behind it, of so many; `date` is now, ISO
    8601, UTC.
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


# Where rows were seen to be lost: device, rows, columns and GROUP_SIZE_M, where it was told; wrong
# runs, and of how many.
SIGHTINGS = {
    ("NVIDIA H200", 8192, 2048, 128): (247, 1000),
    ("NVIDIA H200", 4096, 8192, 96): (1, 6000),
    ("RTX 4090", 8192, 2048, None): (99, 100),
}
PUBLISHED = {
    "RTX 4090": "tritonbench pull request 1266"
}  # who told it, where it was not measured by our kernels
