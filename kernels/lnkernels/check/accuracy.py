"""Check results: errors three ways against a float64 truth, and a verdict for every element.

PyTorch in half precision is no truth: its own float16 dw can be off by more than the kernels'. So
kernel, PyTorch and truth are compared with each other, pair by pair. An element of the kernels'
result passes where

- its error is within the bound that `lnkernels.check.tolerance` argues for this very element, or
- it is no further from the truth than PyTorch's element is;

and where the result is not finite, it has to be so in the way of the truth rounded to the output's
dtype, or of PyTorch. Each element is judged by itself, so one dropped column, two swapped rows or
one row lost from dw cannot hide behind a large value elsewhere.
"""

import os
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lnkernels.check.inputs import Inputs
from lnkernels.check.results import Results, rows_per_chunk, total, true_chunks
from lnkernels.check.tolerance import ColumnSums, row_bounds, sum_tolerance, with_rounding
from lnkernels.launch import Launch, ceil_div
from lnkernels.values.accuracy import (
    ColumnError,
    Correctness,
    ErrorHistogram,
    ErrorMap,
    ErrorStats,
    TensorCheck,
)
from lnkernels.values.environment import HOST_VARIABLE

TUTORIAL_ATOL = 1e-2  # the tutorial's check: this far from PyTorch's result, everywhere
# Of a map. Over a line to another machine, which may carry 1 MB/s, fewer: 74 KB instead of 2 MB;
# zooming asks for a part.
MAX_ROWS, MAX_COLUMNS = (96, 192) if HOST_VARIABLE in os.environ else (512, 1024)
# Bins of log10 |error|: from below the smallest float16 number to beyond its largest, four a
# decade.
_LOWEST, _HIGHEST, _PER_DECADE = -16, 6, 4
_BINS = (_HIGHEST - _LOWEST) * _PER_DECADE


def check_all(
    inputs: Inputs, eps: float, launch: Launch, kernel: Results, torch_result: Results
) -> Correctness:
    """Check y, dx, dw and db against the truth, which is computed in chunks of rows on the way."""
    m, n = inputs.x.shape
    maps = {name: PooledMap(m, n) for name in ("y", "dx") if getattr(kernel, name) is not None}
    tallies = {name: Tally(name) for name in maps}
    dw, db = ColumnSums.zeros(inputs.x), ColumnSums.zeros(inputs.x)
    for chunk in true_chunks(inputs, eps, multiple_of=maps["y"].window_rows):
        bounds = row_bounds(chunk, inputs, eps, launch)
        for name, pooled in maps.items():
            result, truth = getattr(kernel, name)[chunk.rows], getattr(chunk, name)
            theirs = getattr(torch_result, name)[chunk.rows]
            tallies[name].add(result, truth, theirs, getattr(bounds, name))
            pooled.add(result, truth)
        dw.add(chunk.dy * chunk.xhat, bounds.dw_terms)
        db.add(chunk.dy)  # which has no error of its own
    columns = []
    for name, sums in (("dw", dw), ("db", db)):
        result, theirs = getattr(kernel, name), getattr(torch_result, name)
        if result is not None:
            bound = sum_tolerance(sums, db, m, inputs.x.dtype, result.dtype, launch)
            tallies[name] = Tally(name)
            tallies[name].add(result, sums.total, theirs, bound)
            errors = (
                abs_error(side, sums.total).float().cpu().numpy() for side in (result, theirs)
            )
            columns.append(ColumnError(name=name, kernel=next(errors), torch=next(errors)))
    return Correctness(
        checks=tuple(tally.check() for tally in tallies.values()),
        maps=tuple(pooled.error_map(name) for name, pooled in maps.items()),
        columns=tuple(columns),
        histograms=tuple(tally.histogram() for tally in tallies.values()),
    )


def check_residual_out(inputs: Inputs, found: Tensor) -> TensorCheck:
    """Check x + residual, which is one addition, rounded once."""
    tally, residual = Tally("residual_out"), inputs.residual
    assert residual is not None, "it was added"
    m, n = inputs.x.shape
    step = rows_per_chunk(n, inputs.x.device)
    for start in range(0, m, step):
        rows = slice(start, start + step)
        exact = inputs.x[rows].double() + residual[rows].double()
        bound = with_rounding(torch.zeros_like(exact), exact, found.dtype)
        tally.add(found[rows], exact, total(inputs, rows), bound)
    return tally.check()


def worse(one: Correctness, other: Correctness) -> Correctness:
    """Combine two checks of the same problem: for each tensor the worse one."""

    def of(check: TensorCheck) -> tuple[int, float, float]:
        return check.failed, check.worst_ratio, check.kernel_vs_truth.max_abs

    sides = {
        a.name: one if of(a) >= of(b) else other
        for a, b in zip(one.checks, other.checks, strict=True)
    }

    def chosen(part: str) -> tuple[Any, ...]:
        return tuple(
            next(x for x in getattr(sides[own.name], part) if x.name == own.name)
            for own in getattr(one, part)
        )

    parts: dict[str, Any] = {
        part: chosen(part) for part in ("checks", "maps", "columns", "histograms")
    }
    return Correctness(**parts)


class Tally:
    """The check of one result, fed chunk by chunk."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._kernel_truth = RunningStats()
        self._torch_truth = RunningStats()
        self._kernel_torch = RunningStats()
        self._tolerance = 0.0
        self._worst_ratio = self._worst_error = 0.0
        self._failed = 0
        self._nan_anywhere = False
        self._histogram = RunningHistogram()
        self._torch_histogram = RunningHistogram()

    def add(
        self,
        kernel: Tensor,
        truth: Tensor,
        torch_result: Tensor,
        bound: Tensor,
    ) -> None:
        """Check a chunk.

        Args:
            kernel: the kernels' result, any shape.
            truth: the same in float64.
            torch_result: PyTorch's, in the kernels' dtype.
            bound: float64, the error that correct kernels may make at each element.
        """
        if kernel.numel() == 0:
            return
        dtype, theirs = kernel.dtype, torch_result.double()
        error, torch_error = abs_error(kernel, truth), abs_error(torch_result, truth)
        self._kernel_truth.add(error, truth, dtype)
        self._torch_truth.add(torch_error, truth, dtype)
        self._kernel_torch.add(abs_error(kernel, theirs), theirs, dtype)
        self._nan_anywhere |= bool((kernel.isnan() | torch_result.isnan()).any())

        self._histogram.add(error)
        self._torch_histogram.add(torch_error)
        torch_error = torch.where(torch_error.isfinite(), torch_error, 0.0)
        tolerance = torch.maximum(bound.nan_to_num(nan=0.0), torch_error)
        ok = error <= tolerance
        not_finite = ~kernel.isfinite()
        if not_finite.any():
            for expected in (truth, torch_result, truth - tolerance, truth + tolerance):
                ok |= not_finite & _alike(kernel, expected.to(dtype))

        self._failed += int((~ok).sum())
        self._tolerance = max(self._tolerance, float(tolerance.max()))
        ratio = torch.where(ok, error.nan_to_num(posinf=0.0), error) / tolerance
        ratio = torch.where(error == 0, 0.0, ratio)
        ratio = ratio.nan_to_num(nan=0.0, posinf=torch.inf).flatten()
        worst = int(ratio.argmax())
        if float(ratio[worst]) > self._worst_ratio:
            self._worst_ratio = float(ratio[worst])
            self._worst_error = float(error.flatten()[worst])

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
            worst_error=self._worst_error,
            failed=self._failed,
            passed=self._failed == 0,
            tutorial_passed=close and not self._nan_anywhere,
        )

    def histogram(self) -> ErrorHistogram:
        return ErrorHistogram(
            name=self._name,
            log10_edges=(_LOWEST + np.arange(_BINS + 1) / _PER_DECADE).astype(np.float32),
            kernel=self._histogram.counts,
            torch=self._torch_histogram.counts,
            kernel_zeros=self._histogram.zeros,
            torch_zeros=self._torch_histogram.zeros,
        )


class RunningStats:
    """ErrorStats, added up piece by piece."""

    def __init__(self) -> None:
        self._max_abs = self._max_rel = self._max_ulp = self._sum = 0.0
        self._count = self._misplaced = 0

    def add(self, error: Tensor, other: Tensor, dtype: torch.dtype) -> None:
        """Take in one piece, which has elements.

        Args:
            error: of a result, as `abs_error` gives it.
            other: float64 of the same shape, what the result was compared with.
            dtype: of the result, whose units in the last place count.
        """
        both = error.isfinite() & other.to(dtype).isfinite()
        self._misplaced += int(error.isinf().sum())
        self._count += int(both.sum())
        error = torch.where(both, error, 0.0)
        size = torch.where(both, other.abs(), 1.0)
        self._sum += float(error.sum())
        self._max_abs = max(self._max_abs, float(error.max()))
        self._max_rel = max(self._max_rel, float(torch.where(size > 0, error / size, 0.0).max()))
        self._max_ulp = max(self._max_ulp, float((error / unit_in_last_place(size, dtype)).max()))

    def result(self) -> ErrorStats:
        return ErrorStats(
            max_abs=self._max_abs,
            mean_abs=self._sum / max(self._count, 1),
            max_rel=self._max_rel,
            max_ulp=self._max_ulp,
            misplaced=self._misplaced,
        )


def _alike(one: Tensor, other: Tensor) -> Tensor:
    """Return where two tensors are equal; NaN is equal to NaN."""
    return (one == other) | (one.isnan() & other.isnan())


def unit_in_last_place(size: Tensor, dtype: torch.dtype) -> Tensor:
    """Return the distance between neighbours in `dtype` at the magnitudes `size`, float64."""
    limits = torch.finfo(dtype)
    exponent = torch.frexp(size.clamp(min=limits.tiny)).exponent - 1
    return torch.ldexp(torch.full_like(size, limits.eps), exponent)


class RunningHistogram:
    """Histogram of errors on a logarithmic scale, added up piece by piece."""

    def __init__(self) -> None:
        # the first and last bin take what lies beyond them
        self.counts: NDArray[np.int64] = np.zeros(_BINS, np.int64)
        self.zeros = 0  # errors of exactly 0

    def add(self, error: Tensor) -> None:
        """Count errors that are 0, positive or infinite; the infinite ones are in no bin."""
        finite = error[error.isfinite() & (error > 0)]
        bins = ((finite.log10() - _LOWEST) * _PER_DECADE).floor().clamp(0, _BINS - 1).long()
        self.counts += torch.bincount(bins.flatten(), minlength=_BINS).cpu().numpy()
        self.zeros += int((error == 0).sum())


def abs_error(result: Tensor, truth: Tensor) -> Tensor:
    """Return |result - truth| in float64; where either is not finite, 0 if both are alike, else
    infinity.

    A truth beyond the result's dtype counts as the infinity that it rounds to.
    """
    expected = truth.to(result.dtype)
    finite = result.isfinite() & expected.isfinite()
    apart = torch.where(_alike(result, expected), 0.0, torch.inf)
    return torch.where(finite, (result.double() - truth).abs(), apart.double())


class PooledMap:
    """|result - truth| of an [m, n] matrix that comes in chunks of rows, as maxima of equal
    windows.
    """

    def __init__(self, m: int, n: int) -> None:
        self._shape = m, n
        self.window_rows = max(ceil_div(m, MAX_ROWS), 1)
        self.window_columns = max(ceil_div(n, MAX_COLUMNS), 1)
        self._pieces: list[Tensor] = []

    def add(self, result: Tensor, truth: Tensor) -> None:
        """Take the next rows; all but the last chunk are a multiple of `window_rows`."""
        error = abs_error(result, truth).float()
        window = self.window_rows, self.window_columns
        pooled = torch.nn.functional.max_pool2d(error[None], window, ceil_mode=True)
        self._pieces.append(pooled[0])

    def error_map(self, name: str, row_start: int = 0, column_start: int = 0) -> ErrorMap:
        """Return the map so far, float32, at most MAX_ROWS × MAX_COLUMNS, of a matrix that may be a
        part of a larger one.
        """
        rows, columns = self._shape
        nothing = torch.zeros(0, ceil_div(columns, self.window_columns))
        values = torch.cat(self._pieces) if self._pieces else nothing
        return ErrorMap(
            name=name,
            row_start=row_start,
            rows=rows,
            column_start=column_start,
            columns=columns,
            values=values.cpu().numpy(),
        )
