"""Is a result right? The verdict of `lnkernels.accuracy`, and no more than it takes, for many results of one problem.

What does not depend on the results stays on the device from one to the next: the truth, and what each element may be off by. The
numbers of a verdict are gathered there, too, and read all at once, so that a GPU is waited for once and not sixty times.

Only where everything is finite, in the truth, in PyTorch's results and in those that are judged. Anything else is rare, and
`check_all` says what is right then.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch

from lnkernels.accuracy import check_all
from lnkernels.inputs import Inputs
from lnkernels.launch import Launch
from lnkernels.reference import true_chunks
from lnkernels.results import Results
from lnkernels.tolerance import ColumnSums, row_bounds, row_depths, sum_tolerance
from lnkernels.values.accuracy import TensorErrors

_KEPT_MATRICES = 4  # float64 [M, N]: y and dx, and what each may be off by


@dataclass(frozen=True, slots=True)
class _Part:
    """Some elements of one result, and all that is known of them before there is one. `limits` are scalars on the device."""

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
        """[6]: the limits, largest error, worst ratio, number of those beyond their tolerance; NaN where the result has one."""
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
            torch_result: PyTorch's, as `lnkernels.reference.torch_results` gives them.
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
