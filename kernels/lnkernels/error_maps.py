"""Errors reduced for display, in such a way that a single bad element stays visible."""

import numpy as np
import torch
from numpy.typing import NDArray

from lnkernels.error_stats import finite_class

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


def pooled_abs_error(
    result: torch.Tensor, truth: torch.Tensor, max_rows: int = MAX_ROWS, max_columns: int = MAX_COLUMNS
) -> torch.Tensor:
    """|result - truth| of two [M, N] matrices as a float32 map of at most max_rows × max_columns window maxima."""
    m, n = result.shape
    pooled = PooledMap(m, n, max_rows, max_columns)
    pooled.add(slice(0, m), result, truth)
    return pooled.values
