"""Where along an axis the best setting changes, found again and again while rows come. No Qt."""

import numpy as np

from lnexplorer.domain.measuring import PROBLEM_NAMES
from lnexplorer.domain.sweep.best import Best, strategy_of
from lnexplorer.domain.sweep.request import SweepRequest


class BestTurns:
    """Remembers what it has read off each best setting: only those that are new are read."""

    def __init__(self) -> None:
        self._read: dict[Best, tuple[int, int, int]] = {}  # hardware, place, setting
        self._codes: dict[tuple[object, ...], int] = {}

    def among(self, sweep: SweepRequest, bests: list[Best]) -> list[Best]:
        """The first and the last of neighbours with the same best setting: `best_runs` makes the same of them as of all.

        Args:
            sweep: what was asked.
            bests: what is best for each problem.

        Returns:
            By hardware and then along the axis; all of them where the problems lie along no axis, or along two.
        """
        axes = [place for place, axis in enumerate(sweep.axes) if axis.name in PROBLEM_NAMES]
        if len(axes) != 1 or not bests:
            return bests
        before = self._read
        self._read = {found: before.get(found) or self._look_at(found, axes[0]) for found in bests}
        table = np.array([self._read[found] for found in bests])
        order = np.lexsort((table[:, 1], table[:, 0]))
        alike = (np.diff(table[order][:, [0, 2]], axis=0) == 0).all(axis=1)
        first, last = np.concatenate([[True], ~alike]), np.concatenate([~alike, [True]])
        return [bests[index] for index in order[first | last]]

    def _look_at(self, found: Best, along: int) -> tuple[int, int, int]:
        cell = found.result.cell
        settled = found.sure or found.next is None
        others = (index for place, index in enumerate(cell.point) if place != along)
        setting = (strategy_of(found.result), *others) if settled else ()
        return self._code("hardware", found.result.hardware), cell.point[along], self._code("setting", *setting)

    def _code(self, *what: object) -> int:
        return self._codes.setdefault(what, len(self._codes))
