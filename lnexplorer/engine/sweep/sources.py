"""Where the cells of a sweep come from: a grid here, a search elsewhere."""

from collections import deque
from collections.abc import Collection, Sequence
from typing import Protocol

from lnexplorer.domain.measuring import PROBLEM_NAMES
from lnexplorer.domain.sweep.cells import Cell, CellResult, all_cells, in_good_order
from lnexplorer.domain.sweep.request import SweepRequest

# Settings that are measured together. They share inputs, truth and ceilings, and their rows come together.
MOST_TOGETHER = 4


class Source(Protocol):
    """Gives out cells, and hears what came of them. Used by one thread."""

    total: int  # cells, at most
    kept: int  # of these, those with a row from before
    learns: bool  # whether what comes next depends on the rows so far

    def take(self, most: int) -> list[Cell]:
        """The next cells, of one problem; none when there are none now. Of settings at most `most`, with peers beside them; with
        a `most` of 0 a single cell.
        """

    def put_back(self, cells: Sequence[Cell], *, alone: bool) -> None:
        """Cells that were taken and have no row; they come next, each by itself if `alone`."""

    def tell(self, result: CellResult) -> None:
        """A row."""

    def ahead(self) -> list[Cell]:
        """Cells that will come, in their order, as far as that is known."""

    @property
    def exhausted(self) -> bool:
        """Whether no cell will come any more, once those that were taken have their rows."""

    @property
    def conclusion(self) -> str:
        """Why it is exhausted, in a sentence; empty where that needs no words."""


class Grid:
    """All cells of a sweep that have no row yet, from coarse to fine."""

    conclusion = ""
    learns = False

    def __init__(self, sweep: SweepRequest, done: Collection[int] = ()) -> None:
        cells = all_cells(sweep)
        self.total = len(cells)
        self._waiting = deque(in_good_order(sweep, (cell for cell in cells if cell.number not in done)))
        self.kept = self.total - len(self._waiting)
        self._alone: set[int] = set()

    def take(self, most: int) -> list[Cell]:
        """As the protocol says."""
        if not self._waiting:
            return []
        taken = [self._waiting.popleft()]
        if taken[0].number in self._alone or most == 0:
            return taken
        problem = problem_of(taken[0])
        while self._waiting and problem_of(self._waiting[0]) == problem and self._waiting[0].number not in self._alone:
            if len(taken) >= most and not self._waiting[0].peer:
                break
            taken.append(self._waiting.popleft())
        return taken

    def put_back(self, cells: Sequence[Cell], *, alone: bool) -> None:
        """As the protocol says."""
        if alone:
            self._alone.update(cell.number for cell in cells)
        self._waiting.extendleft(reversed(cells))

    def tell(self, result: CellResult) -> None:
        """A grid does not learn."""

    def ahead(self) -> list[Cell]:
        """As the protocol says."""
        return list(self._waiting)

    @property
    def exhausted(self) -> bool:
        """As the protocol says."""
        return not self._waiting


def problem_of(cell: Cell) -> tuple[object, ...]:
    """What cells that are measured together have in common."""
    return tuple(getattr(cell.request, name) for name in PROBLEM_NAMES)
