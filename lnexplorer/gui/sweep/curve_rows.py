"""One curve of a sweep while its rows come: a table that grows, put in order once after each batch. No Qt."""

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.sweep.curves import MOST_CROSSINGS, Crossing, Curve, crossings
from lnexplorer.gui.sweep.values import Spread

FIRST_ROOM = 64  # points, doubled as often as needed
X, VALUE, LOW, HIGH, CELL, LAUNCH = range(6)  # rows of what `in_order` returns
NO_LAUNCH = -1


class CurveRows:
    """The points of one strategy or peer on one kind of hardware, and where its line is broken."""

    def __init__(self) -> None:
        self._table = np.empty((6, FIRST_ROOM))
        self._at: dict[float, int] = {}  # column of the table by place
        self._gaps: dict[int, float] = {}  # place by number of the cell that has no value
        self._ordered: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        """How many points have a value."""
        return len(self._at)

    def put(self, place: float, spread: Spread, cell: int, launch: int = NO_LAUNCH) -> None:
        """A point; one at the same place is replaced.

        Args:
            place: along the axis.
            spread: value, low, high.
            cell: its number.
            launch: the same number for the same launch; NO_LAUNCH for that of a peer.
        """
        column = self._at.setdefault(place, len(self._at))
        if column == self._table.shape[1]:
            self._table = np.concatenate([self._table, np.empty_like(self._table)], axis=1)
        self._table[:, column] = (place, *spread, cell, launch)
        self._ordered = None

    def break_at(self, cell: int, place: float) -> None:
        """A cell without a value."""
        self._gaps[cell] = place
        self._ordered = None

    def mend(self, cell: int) -> None:
        """This cell breaks the line no more."""
        if self._gaps.pop(cell, None) is not None:
            self._ordered = None

    def in_order(self) -> NDArray[np.float64]:
        """Six rows: places in rising order, value, low, high, number of the cell, launch.

        Where the line is broken the values are NaN and the number is -1. The same array until a row comes.
        """
        if self._ordered is None:
            gaps = np.full((6, len(self._gaps)), np.nan)
            gaps[X], gaps[CELL], gaps[LAUNCH] = list(self._gaps.values()), -1, NO_LAUNCH
            table = np.concatenate([self._table[:, : len(self)], gaps], axis=1)
            self._ordered = np.take(table, np.argsort(table[X], kind="stable"), axis=1)
        return self._ordered


def meetings(
    names: tuple[str, str], hardware: str, one: NDArray[np.float64], other: NDArray[np.float64]
) -> list[tuple[Crossing, float]] | None:
    """Where two curves change places, and how high; None where that is more often than MOST_CROSSINGS.

    Points at which both ran the same launch differ by noise, and are left out. Only the points beside a change of places go
    through `crossings`, which takes them one by one.

    Args:
        names: of the two.
        hardware: of both.
        one: as `CurveRows.in_order` returns it.
        other: the same.
    """
    first, second = (each[:, each[CELL] >= 0] for each in (one, other))
    if not first.size or not second.size:
        return []
    places = np.minimum(np.searchsorted(second[X], first[X]), second.shape[1] - 1)
    shared = second[X, places] == first[X]
    ours, theirs = first[:, shared], second[:, places[shared]]
    same = (ours[LAUNCH] == theirs[LAUNCH]) & (ours[LAUNCH] != NO_LAUNCH)
    differs = (ours[VALUE] != theirs[VALUE]) & ~same
    ours, theirs = ours[:, differs], theirs[:, differs]
    ahead = ours[VALUE] > theirs[VALUE]
    turns = np.flatnonzero(ahead[1:] != ahead[:-1])
    if turns.size > MOST_CROSSINGS:
        return None
    beside = np.unique(np.concatenate([turns, turns + 1]))
    line, rival = (
        Curve(name, hardware, tuple(each[X, beside].tolist()), tuple(each[VALUE, beside].tolist()))
        for name, each in zip(names, (ours, theirs), strict=True)
    )
    met = crossings(line, rival)
    heights = np.interp([crossing.x for crossing in met], first[X], first[VALUE]).tolist() if met else []
    return list(zip(met, heights, strict=True))
