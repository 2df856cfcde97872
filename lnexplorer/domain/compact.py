"""A result small enough to keep: the pictures of its errors are made coarser, its numbers stay."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.result import RunResult
from lnkernels.values.accuracy import ErrorMap

# 0.25 MB for both maps. In a run's own resolution, 512 × 1024, they take 4 MB and are nearly all of the file.
KEPT_ROWS, KEPT_COLUMNS = 128, 256


def compact(result: RunResult, rows: int = KEPT_ROWS, columns: int = KEPT_COLUMNS) -> RunResult:
    """The same result with error maps of at most rows × columns, each value the maximum of those it replaces."""
    correctness = result.correctness
    maps = tuple(_coarser(error_map, rows, columns) for error_map in correctness.maps)
    return replace(result, correctness=replace(correctness, maps=maps))


def _coarser(error_map: ErrorMap, rows: int, columns: int) -> ErrorMap:
    values = _pooled(_pooled(error_map.values, rows).T, columns).T
    return replace(error_map, values=np.ascontiguousarray(values))


def _pooled(values: NDArray[np.float32], most: int) -> NDArray[np.float32]:
    """Maxima of as many neighbouring rows as it takes to have at most `most`; a NaN stays one."""
    window = max(-(-values.shape[0] // most), 1)
    starts = np.arange(0, values.shape[0], window)
    return np.maximum.reduceat(values, starts, axis=0) if window > 1 else values
