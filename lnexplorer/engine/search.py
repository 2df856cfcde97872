"""A search in place of a grid: Optuna proposes settings, and learns from their rows."""

import importlib.util
import warnings
from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from lnexplorer.domain.comparison import Interval
from lnexplorer.domain.ranges import Value
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.best import PATIENCE, Patience
from lnexplorer.domain.sweep.cells import Cell, CellResult, setting_cell, time_interval
from lnexplorer.domain.sweep.request import SweepRequest, open_settings
from lnexplorer.engine.sources import Grid, Source, anything
from lnkernels.launch.source import KernelSource
from lnkernels.values.sentence import ExplainedError, say

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
