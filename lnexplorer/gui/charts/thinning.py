"""Fewer points for what is drawn of many, so that it looks the same: the highest and lowest of each few neighbours. No Qt."""

import numpy as np
from numpy.typing import NDArray

Band = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]  # x, low, high


def in_view(x: NDArray[np.float64], left: float, right: float) -> slice:
    """The points between two places, and one beyond each, to which a line goes on.

    Args:
        x: rising.
        left: the first place.
        right: the last place.
    """
    return slice(max(int(np.searchsorted(x, left)) - 1, 0), int(np.searchsorted(x, right, side="right")) + 1)


def extremes(y: NDArray[np.float64], groups: int) -> NDArray[np.int64]:
    """Which points to draw: of each group of neighbours the lowest, the highest, and one that is missing (NaN) if any is.

    Args:
        y: heights along the line.
        groups: about how many groups there are to be.
    """
    inside = _grouped(y, groups, np.nan)
    starts = np.arange(inside.shape[0]) * inside.shape[1]
    missing = np.isnan(inside)
    lowest = starts + np.where(missing, np.inf, inside).argmin(axis=1)
    highest = starts + np.where(missing, -np.inf, inside).argmax(axis=1)
    gap = starts + missing.argmax(axis=1)
    found = np.unique(np.concatenate([lowest, highest, gap[missing.any(axis=1)]]))
    return found[found < y.size].astype(np.int64)


def envelope(x: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64], groups: int) -> Band:
    """The band around each group of neighbours; NaN for a group without a value.

    Args:
        x: rising.
        low: lower edge, NaN where it is missing.
        high: upper edge.
        groups: about how many groups there are to be.
    """
    lows, highs = _grouped(low, groups, np.nan), _grouped(high, groups, np.nan)
    middle = np.minimum(np.arange(lows.shape[0]) * lows.shape[1] + lows.shape[1] // 2, x.size - 1)
    least = np.where(np.isnan(lows), np.inf, lows).min(axis=1)
    most = np.where(np.isnan(highs), -np.inf, highs).max(axis=1)
    known = np.isfinite(least) & np.isfinite(most)
    return x[middle], np.where(known, least, np.nan), np.where(known, most, np.nan)


def one_in_each(x: NDArray[np.float64], left: float, right: float, columns: int) -> NDArray[np.int64]:
    """Which points to mark: the first in each of so many equal parts of the view. More points to come move none of them much.

    Args:
        x: in any order; those outside of the view are left out.
        left: where the view begins.
        right: where it ends.
        columns: into how many parts it is divided.
    """
    inside = np.flatnonzero((x >= left) & (x <= right))
    part = np.minimum((x[inside] - left) / ((right - left) or 1.0) * columns, columns - 1).astype(np.int64)
    order = np.lexsort((x[inside], part))
    _, first = np.unique(part[order], return_index=True)
    return inside[order[first]].astype(np.int64)


def _grouped(values: NDArray[np.float64], groups: int, fill: float) -> NDArray[np.float64]:
    size = max(-(-values.size // max(groups, 1)), 1)
    rows = -(-values.size // size)
    padded = np.full(rows * size, fill)
    padded[: values.size] = values
    return padded.reshape(rows, size)
