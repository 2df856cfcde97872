"""Errors of results against the truth, and verdicts."""

import numpy as np
from numpy.typing import NDArray

from lnkernels.values.frozen import frozen_by_name
from lnkernels.values.sentence import say

TENSORS = ("y", "dx", "dw", "db")
LATER_CALLS = 5  # with other values, one after the other
MANY_ROWS = 65_537  # more than a grid has in its second dimension
# In which users call a kernel who do not hand it contiguous matrices, by name.
LAYOUTS = {
    "three_dimensions": say("x of three dimensions"),
    "strided_rows": say("rows with a stride"),
    "offset": say("x one element behind the beginning of its memory"),
    "expanded_dy": say("an expanded dy"),
    "transposed_dy": say("a transposed dy"),
    "float32_weight": say("weight and bias in float32"),
    "no_bias": say("no bias"),
    "no_weight": say("neither weight nor bias"),
    "no_rows": say("no rows"),
    "later_calls": say("later calls with other values"),
    "many_rows": say("{m:,} rows", m=MANY_ROWS),
}


@frozen_by_name
class ErrorStats:
    """Errors over the elements that are finite on both sides. All are 0 where there is no such
    element.
    """

    max_abs: float
    mean_abs: float
    max_rel: float  # relative to the other side, where that is not 0
    max_ulp: float  # in units in the last place of the result's dtype at the other side's value
    # elements that are NaN, +Inf, -Inf or finite on one side and not the same on the other
    misplaced: int

    @property
    def largest(self) -> float | None:
        """The largest absolute error; None where 0 would hide that all errors are misplaced."""
        return None if self.misplaced and self.max_abs == 0 else self.max_abs


@frozen_by_name
class TensorErrors:
    """Errors of one result against the float64 truth."""

    name: str  # one of TENSORS
    max_abs: float | None  # None where all errors are misplaced NaN or infinity
    torch_max_abs: float | None  # PyTorch's
    tolerance: float  # the largest that any element was allowed; each has its own
    passed: bool
    worst_ratio: float = 0.0  # largest error / tolerance of the same element; above 1 fails
    failed: int = 0  # number of elements that do not pass


@frozen_by_name
class TensorCheck:
    """Errors of one result three ways, and its verdict."""

    name: str  # one of TENSORS
    kernel_vs_truth: ErrorStats
    torch_vs_truth: ErrorStats
    kernel_vs_torch: ErrorStats
    tolerance: float  # the largest that any element was allowed; each has its own
    passed: bool
    # the tutorial's own verdict: within atol 1e-2, rtol 0 of PyTorch's, no NaN
    tutorial_passed: bool
    worst_ratio: float = 0.0  # largest error / tolerance of the same element; above 1 fails
    worst_error: float = 0.0  # of that element
    failed: int = 0  # number of elements that do not pass

    @property
    def errors(self) -> TensorErrors:
        return TensorErrors(
            name=self.name,
            max_abs=self.kernel_vs_truth.largest,
            torch_max_abs=self.torch_vs_truth.largest,
            tolerance=self.tolerance,
            passed=self.passed,
            worst_ratio=self.worst_ratio,
            failed=self.failed,
        )


@frozen_by_name(eq=False)
class ErrorMap:
    """Absolute error of kernel − truth over a part of y or dx, as maxima of tiles, so that one bad
    element stays visible.
    """

    name: str
    row_start: int  # the part that the map covers
    rows: int
    column_start: int
    columns: int
    values: NDArray[np.float32]  # [pooled rows, pooled columns]
    # Of a single element: the kernel's value, PyTorch's and that of float64.
    element: tuple[float, float, float] | None = None


@frozen_by_name(eq=False)
class ColumnError:
    """Absolute errors of dw or db by column, [N] each."""

    name: str
    kernel: NDArray[np.float32]
    torch: NDArray[np.float32]


@frozen_by_name(eq=False)
class ErrorHistogram:
    """Counts of elements by the error of kernel − truth; zeros are counted apart."""

    name: str
    # [bins + 1]; the first and last bin take what lies beyond them
    log10_edges: NDArray[np.float32]
    kernel: NDArray[np.int64]  # [bins]
    torch: NDArray[np.int64]  # [bins]
    kernel_zeros: int
    torch_zeros: int


@frozen_by_name(eq=False)
class PartialRows:
    """Contribution of every row to dw and db, as stage 1 stored it for small shapes, and the run's
    totals.
    """

    dw: NDArray[np.float32]  # [M, N]
    db: NDArray[np.float32]  # [M, N]
    dw_total: NDArray[np.float32]  # [N], the run's dw
    db_total: NDArray[np.float32]  # [N], the run's db


@frozen_by_name(eq=False)
class Correctness:
    """Errors and verdicts of a run."""

    checks: tuple[TensorCheck, ...]  # in the order of TENSORS; of dw and db where they exist
    maps: tuple[ErrorMap, ...]  # of y and dx
    columns: tuple[ColumnError, ...]  # of dw and db
    histograms: tuple[ErrorHistogram, ...]  # of each check
    # None where there are too many rows and columns to show
    partial_rows: PartialRows | None = None

    @property
    def passed(self) -> bool:
        return all(check.passed for check in self.checks)

    def check(self, name: str) -> TensorCheck:
        """Return the check of one tensor.

        Raises:
            KeyError: it was not checked.
        """
        return {check.name: check for check in self.checks}[name]
