"""Maxima of neighbours: a picture has few pixels, and one bad element among millions has to stay visible in it."""

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float32]
Indices = NDArray[np.uint8]


def pool_edges(count: int, most: int) -> NDArray[np.int64]:
    """Bounds of at most `most` neighbouring groups that cover `count` elements, [groups + 1]."""
    groups = min(count, most)
    return np.arange(groups + 1, dtype=np.int64) * count // max(groups, 1)


def pool_columns(values: Values, most: int) -> tuple[NDArray[np.int64], Values]:
    """Maximum of each group of neighbours in [N], with the groups' bounds. NaN wins over everything."""
    edges = pool_edges(values.size, most)
    if edges.size - 1 == values.size:
        return edges, values
    return edges, np.maximum.reduceat(values, edges[:-1])


def pool_tiles(indices: Indices, row_factor: int, column_factor: int) -> Indices:
    """Maximum of each tile of row_factor × column_factor of [rows, columns]; tiles at the lower and right edge may be smaller."""
    rows, columns = indices.shape
    missing = ((0, -rows % row_factor), (0, -columns % column_factor))
    if missing != ((0, 0), (0, 0)):
        indices = np.pad(indices, missing)  # with zeros, which win over nothing
    # Maxima of whole slices: three times as fast as numpy's reduceat. Rows first, it reads memory in order.
    indices = _maximum([indices[first::row_factor] for first in range(row_factor)])
    return _maximum([indices[:, first::column_factor] for first in range(column_factor)])


def _maximum(slices: list[Indices]) -> Indices:
    if len(slices) == 1:
        return slices[0]
    result = np.maximum(slices[0], slices[1])
    for other in slices[2:]:
        np.maximum(result, other, out=result)
    return result
