"""Is a result right? Errors three ways against a float64 truth, and a verdict for every element.

PyTorch in half precision is no truth: its own float16 dw can be off by more than the kernels'. So kernel, PyTorch and truth are
compared with each other, pair by pair. An element of the kernels' result passes where

- its error is within the bound that `lnkernels.tolerance` argues for this very element, or
- it is no further from the truth than PyTorch's element is;

and where the result is not finite, it has to be so in the way of the truth rounded to the output's dtype, or of PyTorch. Being
judged element by element, one dropped column, two swapped rows or one row lost from dw cannot hide behind a large value
elsewhere.
"""

from typing import Any

import torch

from lnkernels.error_maps import PooledMap, RunningHistogram, abs_error, histogram_edges
from lnkernels.error_stats import RunningStats, finite_class
from lnkernels.inputs import Inputs
from lnkernels.launch import Launch
from lnkernels.reference import true_chunks
from lnkernels.results import Results
from lnkernels.tolerance import ColumnSums, row_bounds, sum_tolerance
from lnkernels.values.accuracy import ColumnError, Correctness, ErrorHistogram, ErrorMap, TensorCheck

TUTORIAL_ATOL = 1e-2  # the tutorial's check: this far from PyTorch's result, everywhere


def check_tensor(
    name: str, kernel: torch.Tensor, truth: torch.Tensor, torch_result: torch.Tensor, bound: torch.Tensor
) -> TensorCheck:
    """Check one result as a whole.

    Args:
        name: y, dx, dw or db.
        kernel: the kernels' result, any shape.
        truth: the same in float64.
        torch_result: PyTorch's, in the kernels' dtype.
        bound: float64, the error that correct kernels may make at each element.
    """
    tally = _Tally(name)
    tally.add(kernel, truth, torch_result, bound)
    return tally.check()


def check_all(inputs: Inputs, eps: float, launch: Launch, kernel: Results, torch_result: Results) -> Correctness:
    """Check y, dx, dw and db against the truth, which is computed in chunks of rows on the way.

    Args:
        inputs: what both sides were given.
        eps: as both sides were given it.
        launch: the kernels' launch, on which their bounds depend.
        kernel: the kernels' results, as `lnkernels.results.kernel_results` gives them.
        torch_result: PyTorch's, as `lnkernels.reference.torch_results` gives them.
    """
    m, n = inputs.x.shape
    maps = {"y": PooledMap(m, n), "dx": PooledMap(m, n)}
    tallies = {name: _Tally(name) for name in maps}
    dw, db = (ColumnSums(*(inputs.x.new_zeros(n, dtype=torch.float64) for _ in range(4))) for _ in range(2))
    exact = inputs.x.new_zeros((1, n), dtype=torch.float64)  # dy's terms have no error of their own
    for chunk in true_chunks(inputs, eps, multiple_of=maps["y"].window_rows):
        bounds = row_bounds(chunk, inputs, eps, launch)
        for name, truth, bound in (("y", chunk.y, bounds.y), ("dx", chunk.dx, bounds.dx)):
            result = getattr(kernel, name)[chunk.rows]
            tallies[name].add(result, truth, getattr(torch_result, name)[chunk.rows], bound)
            maps[name].add(chunk.rows, result, truth)
        dw.add(chunk.dy * chunk.xhat, bounds.dw_terms)
        db.add(chunk.dy, exact)
    columns = []
    for name, sums in (("dw", dw), ("db", db)):
        result, theirs = getattr(kernel, name), getattr(torch_result, name)
        if result is not None:
            bound = sum_tolerance(sums, db, m, inputs.x.dtype, result.dtype, launch)
            tallies[name] = _Tally(name)
            tallies[name].add(result, sums.total, theirs, bound)
            errors = (abs_error(side, sums.total).float().cpu().numpy() for side in (result, theirs))
            columns.append(ColumnError(name=name, kernel=next(errors), torch=next(errors)))
    return Correctness(
        checks=tuple(tally.check() for tally in tallies.values()),
        maps=tuple(
            ErrorMap(name=name, row_start=0, rows=m, column_start=0, columns=n, values=pooled.values.cpu().numpy())
            for name, pooled in maps.items()
        ),
        columns=tuple(columns),
        histograms=tuple(tally.histogram() for tally in tallies.values()),
    )


def worse(one: Correctness, other: Correctness) -> Correctness:
    """Of two checks of the same problem, for each tensor the one in which it came out worse."""

    def of(check: TensorCheck) -> tuple[int, float, float]:
        return check.failed, check.worst_ratio, check.kernel_vs_truth.max_abs

    sides = {a.name: one if of(a) >= of(b) else other for a, b in zip(one.checks, other.checks, strict=True)}

    def chosen(part: str) -> tuple[Any, ...]:
        return tuple(next(x for x in getattr(sides[own.name], part) if x.name == own.name) for own in getattr(one, part))

    return Correctness(checks=chosen("checks"), maps=chosen("maps"), columns=chosen("columns"), histograms=chosen("histograms"))


class _Tally:
    """A check under way, fed chunk by chunk."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._kernel_truth, self._torch_truth, self._kernel_torch = RunningStats(), RunningStats(), RunningStats()
        self._tolerance, self._worst_ratio, self._failed = 0.0, 0.0, 0
        self._nan_anywhere = False
        self._histogram, self._torch_histogram = RunningHistogram(), RunningHistogram()

    def add(self, kernel: torch.Tensor, truth: torch.Tensor, torch_result: torch.Tensor, bound: torch.Tensor) -> None:
        if kernel.numel() == 0:
            return
        dtype = kernel.dtype
        self._kernel_truth.add(kernel, truth, dtype)
        self._torch_truth.add(torch_result, truth, dtype)
        self._kernel_torch.add(kernel, torch_result.double(), dtype)
        self._nan_anywhere |= bool((kernel.isnan() | torch_result.isnan()).any())

        error, torch_error = abs_error(kernel, truth), abs_error(torch_result, truth)
        self._histogram.add(error)
        self._torch_histogram.add(torch_error)
        torch_error = torch.where(torch_error.isfinite(), torch_error, 0.0)
        tolerance = torch.maximum(bound.nan_to_num(nan=0.0), torch_error)
        ok = error <= tolerance
        kernel_class = finite_class(kernel)
        not_finite = kernel_class != 0
        if not_finite.any():
            for expected in (truth, torch_result, truth - tolerance, truth + tolerance):
                ok |= not_finite & (kernel_class == finite_class(expected.to(dtype)))

        self._failed += int((~ok).sum())
        self._tolerance = max(self._tolerance, float(tolerance.max()))
        ratio = torch.where(ok, error.nan_to_num(posinf=0.0), error) / tolerance
        ratio = torch.where(error == 0, 0.0, ratio)
        self._worst_ratio = max(self._worst_ratio, float(ratio.nan_to_num(nan=0.0, posinf=torch.inf).max()))

    def check(self) -> TensorCheck:
        kernel_torch = self._kernel_torch.result()
        close = kernel_torch.misplaced == 0 and kernel_torch.max_abs <= TUTORIAL_ATOL
        return TensorCheck(
            name=self._name,
            kernel_vs_truth=self._kernel_truth.result(),
            torch_vs_truth=self._torch_truth.result(),
            kernel_vs_torch=kernel_torch,
            tolerance=self._tolerance,
            worst_ratio=self._worst_ratio,
            failed=self._failed,
            passed=self._failed == 0,
            tutorial_passed=close and not self._nan_anywhere,
        )

    def histogram(self) -> ErrorHistogram:
        return ErrorHistogram(
            name=self._name,
            log10_edges=histogram_edges(),
            kernel=self._histogram.counts,
            torch=self._torch_histogram.counts,
            kernel_zeros=self._histogram.zeros,
            torch_zeros=self._torch_histogram.zeros,
        )
