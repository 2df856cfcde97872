"""What a map shows of one strategy, filled cell by cell. No Qt."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.sweep.cells import CellResult


@dataclass(frozen=True, eq=False, slots=True)
class MapCells:
    """Arrays [rows, columns]; the first axis of the sweep runs along the columns."""

    values: NDArray[np.float64]
    states: NDArray[np.object_]
    texts: NDArray[np.object_]
    numbers: NDArray[np.int64]

    @classmethod
    def empty(cls, shape: tuple[int, int]) -> "MapCells":
        """Without any row."""
        return cls(np.full(shape, np.nan), np.full(shape, "", object), np.full(shape, "", object), np.full(shape, -1, np.int64))

    def put(self, result: CellResult, value: float, text: str) -> None:
        """Take a row."""
        place = (result.cell.point[1], result.cell.point[0])
        self.values[place], self.states[place] = value, result.status
        self.texts[place], self.numbers[place] = text, result.cell.number
