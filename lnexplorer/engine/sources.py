"""Where the cells of a sweep come from: a grid, or a search in its place.

In a search Optuna proposes settings, and each is tried, checked and kept as a cell of a grid is.
"""

import importlib.util
import warnings
from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, TypeAlias

from lnexplorer.domain.comparison import Interval
from lnexplorer.domain.measuring import PROBLEM_NAMES
from lnexplorer.domain.ranges import Value
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.cells import Cell, CellResult, all_cells, in_good_order, time_interval
from lnexplorer.domain.sweep.request import PATIENCE, Patience, SweepRequest, open_settings
from lnkernels.values.sentence import Sentence, say

# After so many proposals in a row that were tried before, there is hardly anything else left.
MOST_REPEATED = 200
# Settings that are measured together. They share inputs, truth and ceilings, and their rows come
# together.
MOST_TOGETHER = 4


def anything(_: Cell) -> bool:
    """Any cell is right."""
    return True


class Grid:
    """All cells of a sweep that have no row yet, from coarse to fine. Used by one thread, which
    tells it each row.
    """

    conclusion: Sentence | None = None  # why it is exhausted, where that needs words
    learns = False  # whether what comes next depends on the rows so far

    def __init__(self, sweep: SweepRequest, done: Collection[int] = ()) -> None:
        cells = all_cells(sweep)
        self.total = len(cells)  # at most
        self._waiting = deque(
            in_good_order(sweep, (cell for cell in cells if cell.number not in done))
        )
        self.kept = self.total - len(self._waiting)  # cells with a row from before
        self._alone: set[int] = set()

    def take(self, most: int, fits: Callable[[Cell], bool] = anything) -> list[Cell]:
        """The next cells, of one problem, of those that fit; none when there are none now. Of
        settings at most `most`, with peers beside them; with a `most` of 0 a single cell.
        """
        first = next((place for place, cell in enumerate(self._waiting) if fits(cell)), None)
        if first is None:
            return []
        self._waiting.rotate(-first)
        try:
            return self._take_first(most)
        finally:
            self._waiting.rotate(first)

    def _take_first(self, most: int) -> list[Cell]:
        taken = [self._waiting.popleft()]
        if taken[0].number in self._alone or most == 0:
            return taken
        problem = problem_of(taken[0])
        while (
            self._waiting
            and problem_of(self._waiting[0]) == problem
            and self._waiting[0].number not in self._alone
        ):
            if len(taken) >= most and not self._waiting[0].peer:
                break
            taken.append(self._waiting.popleft())
        return taken

    def put_back(self, cells: Sequence[Cell]) -> None:
        """Cells that were taken and have no row; they come next, each by itself."""
        self._alone.update(cell.number for cell in cells)
        self._waiting.extendleft(reversed(cells))

    def tell(self, result: CellResult) -> None:
        """A grid does not learn."""

    def ahead(self) -> list[Cell]:
        """Cells that will come, in their order, as far as that is known."""
        return list(self._waiting)

    @property
    def exhausted(self) -> bool:
        """Whether no cell will come any more, once those that were taken have their rows."""
        return not self._waiting


def problem_of(cell: Cell) -> tuple[object, ...]:
    """What cells that are measured together have in common."""
    return tuple(getattr(cell.request, name) for name in PROBLEM_NAMES)


def why_no_search() -> str:
    """What to install for a search; empty where everything is here."""
    if importlib.util.find_spec("optuna") is not None:
        return ""
    return "it needs Optuna, which is not installed: pip install 'lnexplorer[search]'"


class Search:
    """The automatic setting first, then what Optuna's TPE sampler proposes; the sum of the median
    times is to be least.

    It ends with the number of settings that was asked for, or as `Patience` says. See `Grid` for
    the methods. One that goes on has learnt from the rows of before, with their samples, and
    proposes what was not tried yet.
    """

    learns = True

    def __init__(self, sweep: SweepRequest, before: Iterable[CellResult] = ()) -> None:
        # Loaded late: it is an extra, and takes a second.
        import optuna

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self.total = sweep.search
        self.conclusion: Sentence | None = None
        self._sweep = sweep
        self._space = open_settings(sweep)
        self._base = sweep.base.changed(strategy=sweep.strategies[0])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            rows = sorted(before, key=lambda row: row.cell.number)
            seed = sweep.base.seed + len(rows)  # one that goes on does not propose the same again
            sampler = optuna.samplers.TPESampler(seed=seed, multivariate=True, constant_liar=True)
        self._study = optuna.create_study(direction="minimize", sampler=sampler)
        self._trial_of = optuna.trial.create_trial
        self._choice = optuna.distributions.CategoricalDistribution
        self._failed = optuna.trial.TrialState.FAIL
        self._patience = Patience()
        self._trials: dict[int, Any] = {}  # by cell
        self._tried: set[RunRequest] = set()
        self._again: list[Cell] = []
        told = {row.cell.number for row in rows}
        self.kept = len(told)
        self._numbers = deque(number for number in range(self.total) if number not in told)
        for row in rows:
            self._recall(row)

    @property
    def exhausted(self) -> bool:
        return not self._again and (self.conclusion is not None or not self._numbers)

    def take(self, most: int, fits: Callable[[Cell], bool] = anything) -> list[Cell]:
        if not fits(self._again[0] if self._again else self._cell_of(0, self._base)):
            return []
        if self._again:
            return [self._again.pop(0)]
        cells: list[Cell] = []
        while len(cells) < max(most, 1) and not self.exhausted:
            cell = self._next()
            if cell is None:
                break
            cells.append(cell)
        return cells

    def put_back(self, cells: Sequence[Cell]) -> None:
        self._again = [*cells, *self._again]

    def tell(self, result: CellResult) -> None:
        time = self._time(result)
        trial = self._trials.pop(result.cell.number, None)
        if trial is not None:
            if time is None:
                self._study.tell(trial, state=self._failed)
            else:
                self._study.tell(trial, time.value)
        self._hear(time)

    def ahead(self) -> list[Cell]:
        """What will come is not known, but for the first one."""
        first = self._cell_of(0, self._base)
        return [*self._again, *([first] if self._begins else [])]

    @property
    def _begins(self) -> bool:
        return bool(self._numbers) and self._numbers[0] == 0

    def _time(self, result: CellResult) -> Interval | None:
        return (
            time_interval(result, self._sweep.directions, self._sweep.modes[0])
            if result.status == "ok"
            else None
        )

    def _recall(self, row: CellResult) -> None:
        chosen = {name: row.cell.request.value(name) for name in self._space}
        time = self._time(row)
        self._tried.add(row.cell.request)
        if all(value in self._space[name] for name, value in chosen.items()):
            spaces: dict[str, Any] = {
                name: self._choice(list(values)) for name, values in self._space.items()
            }
            state = {"state": self._failed} if time is None else {"value": time.value}
            self._study.add_trial(self._trial_of(params=chosen, distributions=spaces, **state))
        self._hear(time)

    def _hear(self, time: Interval | None) -> None:
        self._patience.hear(time)
        if self._patience.over and self.conclusion is None:
            self.conclusion = say(
                "The search ends: of the last {count} settings none was surely faster than the best"
                " before.",
                count=PATIENCE,
            )

    def _next(self) -> Cell | None:
        if self._begins:
            return self._cell(self._base, None)
        for _ in range(MOST_REPEATED):
            trial = self._study.ask()
            chosen: dict[str, Value] = {
                name: trial.suggest_categorical(name, list(values))
                for name, values in self._space.items()
            }
            request = self._base.changed(**chosen)
            if request not in self._tried:
                return self._cell(request, trial)
            self._study.tell(trial, state=self._failed)
        self.conclusion = say("The search ends: it finds no setting that it has not tried.")
        return None

    def _cell(self, request: RunRequest, trial: Any) -> Cell:
        cell = self._cell_of(self._numbers.popleft(), request)
        self._tried.add(request)
        if trial is not None:
            self._trials[cell.number] = trial
        return cell

    @staticmethod
    def _cell_of(number: int, request: RunRequest) -> Cell:
        return Cell(number=number, point=(), provider=request.strategy, peer=False, request=request)


Source: TypeAlias = Grid | Search
