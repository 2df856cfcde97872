"""Sources of the cells of a sweep. `Grid` has all combinations of the axes' values.

A search (`lnexplorer.engine.search`) and tuning (`lnexplorer.engine.tuning`) propose cells by the
rows so far.
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence

from lnexplorer.domain.measuring import PROBLEM_NAMES
from lnexplorer.domain.sweep.cells import Cell, CellResult, all_cells, in_good_order
from lnexplorer.domain.sweep.request import MOST_CELLS, EffortLevel, SweepRequest
from lnkernels.launch.source import KernelSource
from lnkernels.values.environment import Device
from lnkernels.values.sentence import Sentence

# Settings that are measured together. They share inputs, truth and ceilings, and their rows come
# together.
MOST_TOGETHER = 4


def anything(_: Cell) -> bool:
    """Accept every cell."""
    return True


class Source(ABC):
    """Proposes the cells of a sweep, and gets their rows. Used by the sweep's thread alone."""

    sweep: SweepRequest  # how the next cells are measured
    effort: EffortLevel | None = None  # when a timing ends, if not as the sweep says
    kernels: Sequence[KernelSource] = ()  # user kernels, with each combination of settings
    total: int  # cells at most
    kept: int  # cells with a row from before
    conclusion: Sentence | None = None  # why it is exhausted, where that needs words
    learns = False  # whether the next cells depend on the rows so far

    @property
    @abstractmethod
    def exhausted(self) -> bool:
        """Return whether no cell will come any more, once those that were taken have their rows."""

    def begin(self, device: Device) -> None:  # noqa: B027  most sources do not care
        """Take notice of a device that is ready."""

    @abstractmethod
    def ahead(self) -> list[Cell]:
        """Return the cells that will come, in their order, as far as that is known."""

    @abstractmethod
    def take(self, most: int, fits: Callable[[Cell], bool] = anything) -> list[Cell]:
        """Return the next cells, all of one problem, among those that fit; none if there are none.

        At most `most` settings, with peers beside them; a single cell if `most` is 0.
        """

    @abstractmethod
    def put_back(self, cells: Sequence[Cell], *, alone: bool = True) -> None:
        """Take back cells without a row. They come next, by default each by itself."""

    def tell(self, result: CellResult) -> None:  # noqa: B027  a grid does not learn
        """Take the row of a cell."""


class Grid(Source):
    """All cells of a sweep that have no row yet, from coarse to fine."""

    def __init__(
        self,
        sweep: SweepRequest,
        done: Collection[int] = (),
        kernels: Sequence[KernelSource] = (),
        order: Callable[[SweepRequest, Iterable[Cell]], list[Cell]] = in_good_order,
    ) -> None:
        cells = all_cells(sweep)
        self.sweep = sweep
        self.kernels = kernels
        self.total = len(cells)
        self._waiting = deque(order(sweep, (cell for cell in cells if cell.number not in done)))
        self.kept = self.total - len(self._waiting)
        self._alone: set[int] = set()

    @property
    def exhausted(self) -> bool:
        return not self._waiting

    def ahead(self) -> list[Cell]:
        return list(self._waiting)

    def take(self, most: int, fits: Callable[[Cell], bool] = anything) -> list[Cell]:
        first = next((place for place, cell in enumerate(self._waiting) if fits(cell)), None)
        if first is None:
            return []
        self._waiting.rotate(-first)
        taken = [self._waiting.popleft()]
        problem = problem_of(taken[0])
        if taken[0].number not in self._alone and most > 0:
            while self._waiting and problem_of(self._waiting[0]) == problem:
                cell = self._waiting[0]
                if cell.number in self._alone or (len(taken) >= most and not cell.peer):
                    break
                taken.append(self._waiting.popleft())
        self._waiting.rotate(first)
        return taken

    def put_back(self, cells: Sequence[Cell], *, alone: bool = True) -> None:
        if alone:
            self._alone.update(cell.number for cell in cells)
        self._waiting.extendleft(reversed(cells))


class WholeProblems(Grid):
    """The cells of a benchmark: all of one problem in one measurement, problem after problem.

    A peer that cannot be used here has a row for the first problem alone.
    """

    def __init__(
        self, sweep: SweepRequest, effort: EffortLevel, kernels: Sequence[KernelSource] = ()
    ) -> None:
        super().__init__(sweep, kernels=kernels, order=lambda _, cells: list(cells))
        self.effort = effort

    def take(self, most: int, fits: Callable[[Cell], bool] = anything) -> list[Cell]:
        return super().take(most and MOST_CELLS, fits)

    def tell(self, result: CellResult) -> None:
        cell = result.cell
        if cell.peer and result.status == "invalid" and not any(cell.point):
            left = [each for each in self._waiting if each.provider != cell.provider]
            self.total -= len(self._waiting) - len(left)
            self._waiting = deque(left)


def problem_of(cell: Cell) -> tuple[object, ...]:
    """Return what cells that are measured together have in common."""
    return tuple(getattr(cell.request, name) for name in PROBLEM_NAMES)
