"""What a run gives. Arrays are numpy; none is modified after it is made."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.peers import DEFAULT_PEERS
from lnexplorer.domain.provenance import DeviceState, Provenance
from lnexplorer.domain.request import ResolvedRequest, RunRequest
from lnkernels.launch import Occupancy

SCHEMA_VERSION = 1
TENSORS = ("y", "dx", "dw", "db")


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorStats:
    """How far one side is from another, over all elements of a tensor."""

    max_abs: float
    mean_abs: float
    max_rel: float
    max_ulp: float  # in units in the last place of the tensor's dtype
    misplaced: int  # elements where one side is NaN or infinite and the other is not the same


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorCheck:
    """Verdict on one result."""

    name: str  # one of TENSORS
    kernel_vs_truth: ErrorStats
    torch_vs_truth: ErrorStats
    kernel_vs_torch: ErrorStats
    tolerance: float  # largest absolute error that any element was allowed; each has a bound of its own
    passed: bool
    tutorial_passed: bool  # within atol 1e-2, rtol 0 of PyTorch's


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ErrorMap:
    """Absolute error of kernel − truth over a part of y or dx, maxima of tiles so that one bad element stays visible."""

    name: str
    row_start: int  # the part that the map covers
    rows: int
    column_start: int
    columns: int
    values: NDArray[np.float32]  # [pooled rows, pooled columns]


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ColumnError:
    """Absolute errors of dw or db by column, [N] each."""

    name: str
    kernel: NDArray[np.float32]
    torch: NDArray[np.float32]


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ErrorHistogram:
    """How many elements have which error of kernel − truth; zeros are counted apart."""

    name: str
    log10_edges: NDArray[np.float32]  # [bins + 1]
    kernel: NDArray[np.int64]  # [bins]
    torch: NDArray[np.int64]  # [bins]
    kernel_zeros: int
    torch_zeros: int


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class PartialRows:
    """What every row adds to dw and db, as stage 1 stored it for small shapes, and what the run summed them to."""

    dw: NDArray[np.float32]  # [M, N]
    db: NDArray[np.float32]  # [M, N]
    dw_total: NDArray[np.float32]  # [N], the run's dw
    db_total: NDArray[np.float32]  # [N], the run's db


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Correctness:
    """All that is known about the errors of a run."""

    checks: tuple[TensorCheck, ...]  # in the order of TENSORS
    maps: tuple[ErrorMap, ...]
    columns: tuple[ColumnError, ...]
    histograms: tuple[ErrorHistogram, ...]
    partial_rows: PartialRows | None  # None where there are too many rows and columns to show

    @property
    def passed(self) -> bool:
        """Whether every result is within its tolerance."""
        return all(check.passed for check in self.checks)


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelFacts:
    """What the compiler made of one kernel. None is "not known"."""

    name: str  # "forward", "backward_stage1", "backward_stage2"
    architecture: str  # such as sm_90
    grid: tuple[int, ...]
    num_warps: int
    registers: int | None  # a thread
    spill_bytes: int | None  # a thread
    shared_bytes: int | None  # a program
    occupancy: Occupancy | None


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Figure:
    """One measured speed."""

    provider: str  # "locked", "torch", …, or "copy" and "add" for the ceilings
    direction: str  # "forward" or "backward"
    mode: str  # "kernel_cold", "kernel_warm" or "autograd"
    samples_ms: NDArray[np.float64]
    p20_ms: float
    p50_ms: float
    p80_ms: float
    gbps: float  # tutorial bytes over p50_ms
    counted_gbps: float  # all bytes that the kernels move, over p50_ms
    share_of_ceiling: float | None
    host_us: float | None  # time of the call on the host
    settled: bool  # the median stopped moving before time ran out


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A provider without a time, and why."""

    provider: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Throughput:
    """All figures of a run, the ceilings among them, and the state of the device around them."""

    figures: tuple[Figure, ...]
    refusals: tuple[Refusal, ...]
    before: DeviceState | None = None  # when timing began; None in results of versions that did not keep it
    after: DeviceState | None = None  # when it had ended

    def find(self, provider: str, direction: str, mode: str) -> Figure | None:
        """The figure of one provider, direction and mode."""
        wanted = (provider, direction, mode)
        return next((f for f in self.figures if (f.provider, f.direction, f.mode) == wanted), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """A whole run. Throughput is None on the interpreter, whose times mean nothing."""

    request: RunRequest
    resolved: ResolvedRequest
    provenance: Provenance
    correctness: Correctness
    compiled: tuple[KernelFacts, ...]
    throughput: Throughput | None
    notes: tuple[str, ...] = ()
    providers: tuple[str, ...] = DEFAULT_PEERS  # who was to be timed beside the strategy
    schema_version: int = SCHEMA_VERSION
