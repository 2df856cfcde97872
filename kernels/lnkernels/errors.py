"""How far apart two results are: as a few numbers, and for display so that a single bad element stays visible."""

import numpy as np
import torch
from numpy.typing import NDArray

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


MAX_ROWS, MAX_COLUMNS = 512, 1024
# Bins of log10 |error|: from below the smallest float16 number to beyond its largest, four a decade.
_LOWEST, _HIGHEST, _PER_DECADE = -16, 6, 4
_BINS = (_HIGHEST - _LOWEST) * _PER_DECADE


class RunningHistogram:
    """Where errors fall on a logarithmic scale, of pieces that come one after another."""

    def __init__(self) -> None:
        self.counts: NDArray[np.int64] = np.zeros(_BINS, np.int64)  # the first and last bin take what lies beyond them
        self.zeros = 0  # errors of exactly 0

    def add(self, error: torch.Tensor) -> None:
        """Count errors that are 0, positive or infinite; the infinite ones are in no bin."""
        finite = error[error.isfinite() & (error > 0)]
        bins = ((finite.log10() - _LOWEST) * _PER_DECADE).floor().clamp(0, _BINS - 1).long()
        self.counts += torch.bincount(bins.flatten(), minlength=_BINS).cpu().numpy()
        self.zeros += int((error == 0).sum())


def histogram_edges() -> NDArray[np.float32]:
    """Edges of the bins, in log10 of the error."""
    return (_LOWEST + np.arange(_BINS + 1) / _PER_DECADE).astype(np.float32)


def abs_error(result: torch.Tensor, truth: torch.Tensor) -> torch.Tensor:
    """|result - truth| in float64; where either is not finite, 0 if both are so in the same way, else infinity.

    A truth beyond the result's dtype counts as the infinity that it rounds to.
    """
    result_class, truth_class = finite_class(result), finite_class(truth.to(result.dtype))
    finite = (result_class == 0) & (truth_class == 0)
    apart = torch.where(result_class == truth_class, 0.0, torch.inf)
    return torch.where(finite, (result.double() - truth).abs(), apart.double())


class PooledMap:
    """|result - truth| of an [m, n] matrix that comes in chunks of rows, as the maximum over equal windows."""

    def __init__(self, m: int, n: int, max_rows: int = MAX_ROWS, max_columns: int = MAX_COLUMNS) -> None:
        self.window_rows = max(-(-m // max_rows), 1)
        self.window_columns = max(-(-n // max_columns), 1)
        self._columns = -(-n // self.window_columns)
        self._pieces: list[torch.Tensor] = []

    def add(self, rows: slice, result: torch.Tensor, truth: torch.Tensor) -> None:
        """Take the next rows; all but the last chunk are a multiple of `window_rows`."""
        height, width = self.window_rows, self.window_columns
        error = abs_error(result, truth).float()
        windows = -(-(rows.stop - rows.start) // height)
        padded = error.new_zeros(windows * height, self._columns * width)
        padded[: error.shape[0], : error.shape[1]] = error
        self._pieces.append(padded.view(windows, height, self._columns, width).amax((1, 3)))

    @property
    def values(self) -> torch.Tensor:
        """The map so far, float32, at most max_rows × max_columns."""
        return torch.cat(self._pieces) if self._pieces else torch.zeros(0, self._columns)
