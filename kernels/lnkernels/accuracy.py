"""Is a result right? Errors three ways against a float64 truth, and a verdict for every element.

PyTorch in half precision is no truth: its own float16 dw can be off by more than the kernels'. So kernel, PyTorch and
truth are compared with each other, pair by pair. An element of the kernels' result passes where

- its error is within the bound that `lnkernels.tolerance` argues for this very element, or
- it is no further from the truth than PyTorch's element is;

and where the result is not finite, it has to be so in the way of the truth rounded to the output's dtype, or of
PyTorch. Being judged element by element, one dropped column, two swapped rows or one row lost from dw cannot hide
behind a large value elsewhere.

`check_all` gives everything there is to say. `Judge` gives the verdict and no more than it takes, for many results of
one problem. What does not depend on the results stays on the device from one to the next: the truth, and what each
element may be off by. The numbers of a verdict are gathered there, too, and read all at once, so that a GPU is waited
for once and not sixty times. Only where everything is finite, in the truth, in PyTorch's results and in those that are
judged. Anything else is rare, and `check_all` says what is right then.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch

from lnkernels.errors import PooledMap, RunningHistogram, RunningStats, abs_error, finite_class, histogram_edges
from lnkernels.inputs import Inputs
from lnkernels.launch import Launch
from lnkernels.results import Results, true_chunks
from lnkernels.tolerance import ColumnSums, row_bounds, row_depths, sum_tolerance
from lnkernels.values.accuracy import ColumnError, Correctness, ErrorHistogram, ErrorMap, TensorCheck, TensorErrors

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
        torch_result: PyTorch's, as `lnkernels.results.torch_results` gives them.
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


_KEPT_MATRICES = 4  # float64 [M, N]: y and dx, and what each may be off by


@dataclass(frozen=True, slots=True)
class _Part:
    """Some elements of one result, and all that is known of them before there is one. `limits` are scalars on the
    device.
    """

    name: str
    rows: slice
    truth: torch.Tensor
    tolerance: torch.Tensor
    limits: torch.Tensor  # [3]: largest error of PyTorch, largest tolerance, largest magnitude of the truth

    @classmethod
    def of(cls, name: str, rows: slice, truth: torch.Tensor, bound: torch.Tensor, theirs: torch.Tensor) -> "_Part":
        error = torch.sub(truth, theirs[rows]).abs_()
        tolerance = torch.maximum(bound, error)
        return cls(name, rows, truth, tolerance, torch.stack((error.amax(), tolerance.amax(), truth.abs().amax())))

    def judge(self, result: torch.Tensor) -> torch.Tensor:
        """[6]: the limits, largest error, worst ratio, number of those beyond their tolerance; NaN where the result has
        one.
        """
        error = torch.sub(self.truth, result[self.rows]).abs_()
        beyond = (error > self.tolerance).sum()
        largest = error.amax()
        ratio = error.div_(self.tolerance).amax()
        return torch.cat((self.limits, torch.stack((largest, ratio, beyond))))


@dataclass(frozen=True, slots=True)
class _Sums:
    """What dw and db are summed from."""

    dw: ColumnSums
    db: ColumnSums


class Judge:
    """Judges results of one problem; what it keeps of it takes device memory for as long as it lives."""

    def __init__(self, inputs: Inputs, eps: float, torch_result: Results, keep_bytes: int = 0) -> None:
        """Judge against the truth of `inputs`.

        Args:
            inputs: what both sides were given.
            eps: as both sides were given it.
            torch_result: PyTorch's, as `lnkernels.results.torch_results` gives them.
            keep_bytes: how much may be kept on the device for the next result.
        """
        self._inputs = inputs
        self._eps = eps
        self._torch = torch_result
        self._keeps = _KEPT_MATRICES * 8 * inputs.x.numel() <= keep_bytes
        self._kept: tuple[tuple[int, int], list[_Part], _Sums] | None = None

    def __call__(self, launch: Launch, results: Results) -> dict[str, TensorErrors]:
        """The verdicts on y, dx, and on dw and db where they exist.

        Args:
            launch: that made the results; the bounds depend on it.
            results: of the problem's shapes.
        """
        if self._inputs.x.numel() == 0:
            return self._in_full(launch, results)
        names, numbers = [], []
        sums = _Sums(*(ColumnSums(*(self._zeros() for _ in range(4))) for _ in range(2)))
        for part in self._parts(launch, sums):
            names.append(part.name)
            numbers.append(part.judge(getattr(results, part.name)))
        for part in self._sum_parts(launch, results, self._kept[2] if self._kept is not None else sums):
            names.append(part.name)
            numbers.append(part.judge(getattr(results, part.name)))
        table = torch.stack(numbers).tolist()  # here the device is waited for
        found: dict[str, TensorErrors] = {}
        for name, (torch_error, tolerance, magnitude, error, ratio, beyond) in zip(names, table, strict=True):
            largest = torch.finfo(getattr(results, name).dtype).max
            if not math.isfinite(error + torch_error + tolerance) or magnitude > largest:
                return self._in_full(launch, results)
            one = TensorErrors(
                name=name,
                max_abs=error,
                torch_max_abs=torch_error,
                tolerance=tolerance,
                passed=beyond == 0,
                worst_ratio=ratio,
                failed=int(beyond),
            )
            found[name] = one if name not in found else _together(found[name], one)
        return found

    def _zeros(self) -> torch.Tensor:
        x = self._inputs.x
        return x.new_zeros(x.shape[1], dtype=torch.float64)

    def _parts(self, launch: Launch, sums: _Sums) -> Iterator[_Part]:
        """The parts of y and dx. Afterwards `sums` are complete, unless they are kept."""
        depths = row_depths(self._inputs.x.shape[1], launch)
        if self._kept is not None and self._kept[0] == depths:
            yield from self._kept[1]
            return
        self._kept = None  # its memory is needed now
        kept = []
        exact = self._inputs.x.new_zeros((1, self._inputs.x.shape[1]), dtype=torch.float64)  # dy's terms have no error
        for chunk in true_chunks(self._inputs, self._eps):
            bounds = row_bounds(chunk, self._inputs, self._eps, launch)
            sums.dw.add(chunk.dy * chunk.xhat, bounds.dw_terms)
            sums.db.add(chunk.dy, exact)
            parts = [
                _Part.of("y", chunk.rows, chunk.y, bounds.y, self._torch.y),
                _Part.of("dx", chunk.rows, chunk.dx, bounds.dx, self._torch.dx),
            ]
            yield from parts
            kept += parts if self._keeps else []
        if self._keeps:
            self._kept = depths, kept, sums

    def _sum_parts(self, launch: Launch, results: Results, sums: _Sums) -> Iterator[_Part]:
        m, dtype = self._inputs.x.shape[0], self._inputs.x.dtype
        for name, own in (("dw", sums.dw), ("db", sums.db)):
            result, theirs = getattr(results, name), getattr(self._torch, name)
            if result is not None and theirs is not None:
                bound = sum_tolerance(own, sums.db, m, dtype, result.dtype, launch)
                yield _Part.of(name, slice(None), own.total, bound, theirs)

    def _in_full(self, launch: Launch, results: Results) -> dict[str, TensorErrors]:
        checks = check_all(self._inputs, self._eps, launch, results, self._torch).checks
        return {check.name: check.errors for check in checks}


def _together(one: TensorErrors, other: TensorErrors) -> TensorErrors:
    """Two parts of the same result."""
    return TensorErrors(
        name=one.name,
        max_abs=max(one.max_abs, other.max_abs),
        torch_max_abs=max(one.torch_max_abs, other.torch_max_abs),
        tolerance=max(one.tolerance, other.tolerance),
        passed=one.passed and other.passed,
        worst_ratio=max(one.worst_ratio, other.worst_ratio),
        failed=one.failed + other.failed,
    )
