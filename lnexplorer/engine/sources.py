"""Sources of the cells of a sweep. `Grid` has all combinations of the axes' values.

`Search`, in whose place Optuna proposes settings, and tuning (`lnexplorer.engine.tuning`) propose
cells by the rows so far.
"""

import importlib.util
import warnings
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from lnexplorer.domain.comparison import Interval
from lnexplorer.domain.measuring import PROBLEM_NAMES
from lnexplorer.domain.ranges import Value
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.best import PATIENCE, Patience
from lnexplorer.domain.sweep.cells import (
    Cell,
    CellResult,
    all_cells,
    in_good_order,
    setting_cell,
    time_interval,
)
from lnexplorer.domain.sweep.request import MOST_CELLS, EffortLevel, SweepRequest, open_settings
from lnkernels.launch.source import KernelSource
from lnkernels.values import ExplainedError, Sentence, say
from lnkernels.values.environment import Device

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


# After so many proposals in a row that were tried before, there is hardly anything else left.
MOST_REPEATED = 200


def why_no_search() -> str:
    """Return what to install for a search; empty where everything is here."""
    if importlib.util.find_spec("optuna") is not None:
        return ""
    return "it needs Optuna, which is not installed: pip install '.[search]' in the clone"


def source_of(
    sweep: SweepRequest,
    before: Collection[CellResult] = (),
    kernels: Sequence[KernelSource] = (),
) -> Source:
    """Return the source of a sweep's cells, which have the rows from before already.

    Raises:
        ExplainedError: the sweep is a search, and Optuna is not installed.
    """
    if not sweep.search:
        return Grid(sweep, {result.cell.number for result in before}, kernels)
    if why_no_search():
        raise ExplainedError("A search needs Optuna: pip install '.[search]' in the clone.")
    return Search(sweep, before)


class Search(Source):
    """The automatic setting first, then proposals of Optuna's TPE sampler.

    The sum of the median times is to be least. The search ends with the number of settings that was
    asked for, or as `Patience` says. One that is resumed learns from the rows from before, with
    their samples, and proposes what was not tried yet.
    """

    learns = True

    def __init__(self, sweep: SweepRequest, before: Iterable[CellResult] = ()) -> None:
        # Loaded late: it is an extra, and takes a second.
        import optuna

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self.sweep = sweep
        self.total = sweep.search
        self._space = open_settings(sweep)
        self._base = sweep.base.changed(strategy=sweep.strategies[0])
        rows = sorted(before, key=lambda row: row.cell.number)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            seed = sweep.base.seed + len(rows)  # a resumed search does not propose the same again
            sampler = optuna.samplers.TPESampler(seed=seed, multivariate=True, constant_liar=True)
        self._study = optuna.create_study(direction="minimize", sampler=sampler)
        self._optuna = optuna
        self._patience = Patience()
        self._trials: dict[int, Any] = {}  # by cell
        self._tried: set[RunRequest] = set()
        self._again: list[Cell] = []
        done = {row.cell.number for row in rows}
        self.kept = len(done)
        self._numbers = deque(number for number in range(self.total) if number not in done)
        for row in rows:
            self._recall(row)

    @property
    def exhausted(self) -> bool:
        return not self._again and (self.conclusion is not None or not self._numbers)

    def ahead(self) -> list[Cell]:
        first = setting_cell(0, self._base)
        return [*self._again, *([first] if self._begins else [])]

    def take(self, most: int, fits: Callable[[Cell], bool] = anything) -> list[Cell]:
        if not fits(self._again[0] if self._again else setting_cell(0, self._base)):
            return []
        if self._again:
            return [self._again.pop(0)]
        cells: list[Cell] = []
        while len(cells) < max(most, 1) and not self.exhausted and (cell := self._next()):
            cells.append(cell)
        return cells

    def put_back(self, cells: Sequence[Cell], *, alone: bool = True) -> None:
        del alone  # they always come one by one
        self._again = [*cells, *self._again]

    def tell(self, result: CellResult) -> None:
        time = self._time(result)
        trial = self._trials.pop(result.cell.number, None)
        if trial is not None and time is not None:
            self._study.tell(trial, time.value)
        elif trial is not None:
            self._study.tell(trial, state=self._optuna.trial.TrialState.FAIL)
        self._note(time)

    @property
    def _begins(self) -> bool:
        return bool(self._numbers) and self._numbers[0] == 0

    def _time(self, result: CellResult) -> Interval | None:
        if result.status != "ok":
            return None
        return time_interval(result, self.sweep.directions, self.sweep.modes[0])

    def _recall(self, row: CellResult) -> None:
        chosen = {name: row.cell.request.value(name) for name in self._space}
        time = self._time(row)
        self._tried.add(row.cell.request)
        if all(value in self._space[name] for name, value in chosen.items()):
            choice, trial = self._optuna.distributions.CategoricalDistribution, self._optuna.trial
            spaces = {name: choice(list(values)) for name, values in self._space.items()}
            self._study.add_trial(
                trial.create_trial(
                    params=chosen,
                    distributions=spaces,
                    value=time and time.value,
                    state=trial.TrialState.FAIL if time is None else trial.TrialState.COMPLETE,
                )
            )
        self._note(time)

    def _note(self, time: Interval | None) -> None:
        self._patience.hear(time)
        if self._patience.over and self.conclusion is None:
            self.conclusion = say(
                "The search ends: of the last {count} settings none was surely faster than the best"
                " before.",
                count=PATIENCE,
            )

    def _next(self) -> Cell | None:
        if self._begins:
            return self._new_cell(self._base, None)
        for _ in range(MOST_REPEATED):
            trial = self._study.ask()
            chosen: dict[str, Value] = {
                name: trial.suggest_categorical(name, list(values))
                for name, values in self._space.items()
            }
            request = self._base.changed(**chosen)
            if request not in self._tried:
                return self._new_cell(request, trial)
            self._study.tell(trial, state=self._optuna.trial.TrialState.FAIL)
        self.conclusion = say("The search ends: it finds no setting that it has not tried.")
        return None

    def _new_cell(self, request: RunRequest, trial: Any) -> Cell:
        cell = setting_cell(self._numbers.popleft(), request)
        self._tried.add(request)
        if trial is not None:
            self._trials[cell.number] = trial
        return cell
