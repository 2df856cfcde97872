"""A rectangle of a matrix with its values, and what of it fits on a screen."""

from dataclasses import dataclass
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from lnexplorer.gui.charts.pooling import pool_tiles


@dataclass(frozen=True, eq=False, slots=True)
class MapPart:
    """Values over a rectangle of a matrix, maxima of tiles where there are fewer values than elements."""

    row: int
    rows: int
    column: int
    columns: int
    values: NDArray[np.float32]  # [at most rows, at most columns]

    @property
    def exact(self) -> bool:
        """Whether every element has its own value."""
        return self.values.shape == (self.rows, self.columns)

    def covers(self, row: int, row_stop: int, column: int, column_stop: int) -> bool:
        """Whether a rectangle lies inside."""
        inside_rows = self.row <= row and row_stop <= self.row + self.rows
        return inside_rows and self.column <= column and column_stop <= self.column + self.columns

    def tile(self, row: int, column: int) -> tuple[range, range, float]:
        """Rows and columns that share one value with an element, and the value."""
        down, across = self.values.shape
        i = (row - self.row) * down // self.rows
        j = (column - self.column) * across // self.columns
        rows = range(self.row + ceil(i * self.rows / down), self.row + ceil((i + 1) * self.rows / down))
        columns = range(self.column + ceil(j * self.columns / across), self.column + ceil((j + 1) * self.columns / across))
        return rows, columns, float(self.values[i, j])


def pooled_view(
    part: MapPart, indices: NDArray[np.uint8], view: tuple[tuple[float, float], tuple[float, float]], pixels: tuple[float, float]
) -> tuple[NDArray[np.uint8], tuple[float, float, float, float]] | None:
    """The visible values as a picture with no more pixels than the screen has there, so that no maximum is skipped.

    Args:
        part: where the values lie.
        indices: colours of the values, same shape.
        view: ends of the visible columns and of the visible rows.
        pixels: width and height of the view.

    Returns:
        Picture, and its place as column, row, columns, rows; None where nothing is visible.
    """
    (left, right), (top, bottom) = view
    across = _crop((left - part.column) / part.columns, (right - part.column) / part.columns, indices.shape[1], pixels[0])
    down = _crop((top - part.row) / part.rows, (bottom - part.row) / part.rows, indices.shape[0], pixels[1])
    if across is None or down is None:
        return None
    picture = pool_tiles(indices[down.start : down.stop, across.start : across.stop], down.step, across.step)
    width, height = part.columns / indices.shape[1], part.rows / indices.shape[0]
    place = (
        part.column + across.start * width,
        part.row + down.start * height,
        picture.shape[1] * across.step * width,
        picture.shape[0] * down.step * height,
    )
    return np.ascontiguousarray(picture), place


def _crop(low: float, high: float, count: int, pixels: float) -> range | None:
    # Start at a multiple of the step: tiles that moved with the view would flicker.
    start, stop = max(0, floor(low * count)), min(count, ceil(high * count))
    if stop <= start:
        return None
    step = max(1, ceil((stop - start) / max(pixels, 1)))
    return range(start - start % step, stop, step)
