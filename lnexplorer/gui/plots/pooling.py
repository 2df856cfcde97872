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
    # Rows first: it reads memory in order and leaves less for the slower axis.
    if row_factor > 1:
        indices = np.maximum.reduceat(indices, np.arange(0, rows, row_factor), axis=0)
    if column_factor > 1:
        indices = np.maximum.reduceat(indices, np.arange(0, columns, column_factor), axis=1)
    return indices
