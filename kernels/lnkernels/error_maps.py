"""Errors reduced for display, in such a way that a single bad element stays visible."""

from dataclasses import dataclass

import torch

from lnkernels.error_stats import finite_class

MAX_ROWS, MAX_COLUMNS = 512, 1024
# Bins of log10 |error|: from below the smallest float16 number to beyond its largest, four a decade.
_LOWEST, _HIGHEST, _PER_DECADE = -16, 6, 4
_BINS = (_HIGHEST - _LOWEST) * _PER_DECADE


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many errors fall where on a logarithmic scale."""

    log10_edges: tuple[float, ...]  # one more than counts; the first and last bin take what lies beyond them
    counts: tuple[int, ...]
    zeros: int  # errors of exactly 0
    not_finite: int  # elements that are NaN or infinite where the truth is not, or the reverse

    @classmethod
    def empty(cls) -> "Histogram":
        """No errors at all."""
        return cls(tuple(_LOWEST + i / _PER_DECADE for i in range(_BINS + 1)), (0,) * _BINS, 0, 0)

    def __add__(self, other: "Histogram") -> "Histogram":
        return Histogram(
            self.log10_edges,
            tuple(a + b for a, b in zip(self.counts, other.counts, strict=True)),
            self.zeros + other.zeros,
            self.not_finite + other.not_finite,
        )


def abs_error(result: torch.Tensor, truth: torch.Tensor) -> torch.Tensor:
    """|result - truth| in float64; where either is not finite, 0 if both are so in the same way, else infinity.

    A truth beyond the result's dtype counts as the infinity that it rounds to.
    """
    result_class, truth_class = finite_class(result), finite_class(truth.to(result.dtype))
    finite = (result_class == 0) & (truth_class == 0)
    apart = torch.where(result_class == truth_class, 0.0, torch.inf)
    return torch.where(finite, (result.double() - truth).abs(), apart.double())


def histogram(error: torch.Tensor) -> Histogram:
    """Histogram of errors that are 0, positive or infinite."""
    finite = error[error.isfinite() & (error > 0)]
    bins = ((finite.log10() - _LOWEST) * _PER_DECADE).floor().clamp(0, _BINS - 1).long()
    counts = torch.bincount(bins.flatten(), minlength=_BINS).tolist()
    zeros = int((error == 0).sum())
    return Histogram(Histogram.empty().log10_edges, tuple(counts), zeros, error.numel() - zeros - len(finite))


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
