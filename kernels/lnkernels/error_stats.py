"""How far apart two results are, as a few numbers."""

import torch

from lnkernels.values.accuracy import ErrorStats

_NAN, _POSITIVE_INFINITY, _NEGATIVE_INFINITY = 1, 2, 3


class RunningStats:
    """ErrorStats of pieces that come one after another."""

    def __init__(self) -> None:
        self._max_abs = self._max_rel = self._max_ulp = self._sum = 0.0
        self._count = self._misplaced = 0

    def add(self, result: torch.Tensor, other: torch.Tensor, dtype: torch.dtype) -> None:
        """Compare one piece.

        Args:
            result: any dtype.
            other: float64 of the same shape. An element beyond `dtype` counts as the infinity that it rounds to.
            dtype: whose infinities and units in the last place count.
        """
        if result.numel() == 0:
            return
        other_class = finite_class(other.to(dtype))
        result_class = finite_class(result)
        self._misplaced += int((result_class != other_class).sum())
        both = (result_class == 0) & (other_class == 0)
        error = torch.where(both, (result.double() - other).abs(), 0.0)
        size = torch.where(both, other.abs(), 1.0)
        self._count += int(both.sum())
        self._sum += float(error.sum())
        self._max_abs = max(self._max_abs, float(error.max()))
        self._max_rel = max(self._max_rel, float(torch.where(size > 0, error / size, 0.0).max()))
        self._max_ulp = max(self._max_ulp, float((error / unit_in_last_place(size, dtype)).max()))

    def result(self) -> ErrorStats:
        """The numbers so far."""
        return ErrorStats(
            max_abs=self._max_abs,
            mean_abs=self._sum / max(self._count, 1),
            max_rel=self._max_rel,
            max_ulp=self._max_ulp,
            misplaced=self._misplaced,
        )


def error_stats(result: torch.Tensor, other: torch.Tensor) -> ErrorStats:
    """ErrorStats of `result` against `other`, which is in float64; units in the last place are those of result's dtype."""
    running = RunningStats()
    running.add(result, other, result.dtype)
    return running.result()


def finite_class(values: torch.Tensor) -> torch.Tensor:
    """0 where finite, and one code each for NaN, +Inf and -Inf; int8."""
    if values.isfinite().all():
        return torch.zeros(values.shape, dtype=torch.int8, device=values.device)
    codes = values.isnan().to(torch.int8) * _NAN
    codes += values.isposinf().to(torch.int8) * _POSITIVE_INFINITY
    return codes + values.isneginf().to(torch.int8) * _NEGATIVE_INFINITY


def unit_in_last_place(size: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Distance between neighbours in `dtype` at the magnitudes `size`, float64."""
    limits = torch.finfo(dtype)
    exponent = torch.frexp(size.clamp(min=limits.tiny)).exponent - 1
    return torch.ldexp(torch.full_like(size, limits.eps), exponent)
