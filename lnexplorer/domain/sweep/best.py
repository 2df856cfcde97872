"""The best correct setting of each problem of a sweep, and when a search ends."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby
from math import inf, prod
from typing import TypeVar

from lnexplorer.domain.comparison import Interval, ratio
from lnexplorer.domain.measuring import PROBLEM_NAMES
from lnexplorer.domain.sweep.cells import Cell, CellResult, time_interval
from lnexplorer.domain.sweep.request import SweepRequest
from lnkernels.values import frozen

T = TypeVar("T", bound=Hashable)
PATIENCE = 40
# Of the time of what is used untuned: another has to take less, or its gain is taken for noise.
WORTH = 0.99
# The data that rows are filled with, and eps, do not make another problem of two settings.
SHAPE = ("m", "n", "dtype")
CONTENDERS = 8  # fastest settings of a problem, among which the best is


@frozen(eq=False)
class Best:
    """The fastest correct setting of one problem on one kind of hardware."""

    result: CellResult
    time_ms: Interval  # of all directions together
    next: CellResult | None  # the second best
    advantage: (
        Interval | None
    )  # time of the second best over that of the best; None without a second

    @property
    def sure(self) -> bool:
        """Return whether the second best is slower beyond the noise.

        Without a rival a best is not sure.
        """
        return self.advantage is not None and not self.advantage.holds_nothing

    @property
    def settled(self) -> bool:
        """Return whether it is the best beyond the noise, or the only one that is right."""
        return self.sure or self.next is None


def best(
    results: Iterable[CellResult], directions: Sequence[str], mode: str = "kernel_cold"
) -> list[Best]:
    """Return the best setting of every problem (M, N, dtype) on every kind of hardware.

    Args:
        results: rows of a sweep; peers without settings on an axis, and settings that are not
            correct or have no time, are no candidates.
        directions: "forward", "backward" or both, whose times are added.
        mode: one of MODES.
    """
    rivals: dict[tuple[object, ...], list[tuple[float, CellResult]]] = {}
    for result in one_a_launch(results):
        figures = [result.figure(direction, mode) for direction in directions]
        if result.status == "ok" and result.resolved is not None and races(result.cell):
            times = [figure.p50_ms for figure in figures if figure is not None]
            if len(times) == len(directions):
                problem = tuple(getattr(result.resolved, name) for name in SHAPE)
                rivals.setdefault((*problem, result.hardware), []).append((sum(times), result))
    found = []
    for race in rivals.values():
        fastest = sorted(race, key=lambda rival: rival[0])[:CONTENDERS]
        among = tuple(result for _, result in fastest)
        found.append(_winner(among, tuple(directions), mode))
    return [each for each in found if each is not None]


def races(cell: Cell) -> bool:
    """Return whether a cell is a setting that may be best: of a strategy, or of a user kernel."""
    return not cell.peer or bool(cell.settings)


def measures(sweep: SweepRequest) -> list[tuple[tuple[str, ...], str]]:
    """Return the times by which settings are compared, as `best` takes them: passes and a mode.

    A search looks for one setting, whose passes together take least; of a grid each pass has its
    best in each mode.
    """
    if sweep.search:
        return [(sweep.directions, sweep.modes[0])]
    return [((direction,), mode) for direction in sweep.directions for mode in sweep.modes]


def one_a_launch(results: Iterable[CellResult]) -> list[CellResult]:
    """Drop rows whose launch another row has under its own name, as `auto` and what it chose, or an
    automatic value and that value. The faster of such twins would make noise an advantage.
    """
    found: dict[object, CellResult] = {}
    for result in results:
        key: object = result.cell.number
        if (resolved := result.resolved) is not None and not result.cell.peer:
            problem = (getattr(resolved, name) for name in PROBLEM_NAMES)
            key = (*problem, resolved.launch, result.hardware, result.status)
        # One of `auto` is not named after the strategy whose kernels ran.
        if key not in found or found[key].cell.provider != strategy_of(found[key]):
            found[key] = result
    return list(found.values())


@lru_cache(maxsize=1 << 13)
def _winner(among: tuple[CellResult, ...], directions: tuple[str, ...], mode: str) -> Best | None:
    """Return the best of some rows. Cached, since few problems of a growing sweep have new ones."""
    timed = [(time_interval(result, directions, mode), result) for result in among]
    ordered = sorted(
        ((time, result) for time, result in timed if time is not None),
        key=lambda entry: entry[0].value,
    )
    if not ordered:
        return None
    time, first = ordered[0]
    if len(ordered) == 1:
        return Best(first, time, None, None)
    other, second = ordered[1]
    return Best(first, time, second, ratio(other, time))


@frozen(eq=False)
class BestRun:
    """Neighbouring values of an axis with the same surely best setting, or with none."""

    result: CellResult  # the best at the first of them
    first: object  # value of the axis
    last: object
    # whether it is the best beyond the noise, or the only one that is right; False: the first two
    # are within it
    sure: bool

    @property
    def hardware(self) -> str:
        return self.result.hardware


def strategy_of(result: CellResult) -> str:
    """Return the strategy whose kernels ran: of `auto` the one that it chose."""
    return (
        result.cell.provider
        if result.resolved is None or result.cell.peer
        else result.resolved.launch.strategy
    )


def best_runs(sweep: SweepRequest, bests: Iterable[Best]) -> list[BestRun]:
    """Return the best settings along the one axis of problems, by hardware and then along the axis;
    nothing where problems lie along no axis, or along two.
    """
    axes = [place for place, axis in enumerate(sweep.axes) if axis.name in PROBLEM_NAMES]
    if len(axes) != 1 or sweep.search:
        return []
    (along,) = axes
    bests = list(bests)
    hardware = list(dict.fromkeys(each.result.hardware for each in bests))

    def place(each: Best) -> tuple[int, int]:
        return hardware.index(each.result.hardware), each.result.cell.point[along]

    def setting(each: Best) -> tuple[object, ...]:
        point = each.result.cell.point
        others = (*point[:along], *point[along + 1 :])
        name = (strategy_of(each.result), others) if each.settled else ()
        return each.result.hardware, *name

    runs, values = [], sweep.axes[along].values
    for _, group in groupby(sorted(bests, key=place), key=setting):
        members = list(group)
        first, last = (values[place(each)[1]] for each in (members[0], members[-1]))
        runs.append(BestRun(members[0].result, first, last, members[0].settled))
    return runs


@dataclass(slots=True)
class Patience:
    """Ends a search after PATIENCE settings in a row of which none is surely faster than the best.

    Surely: the 95 % interval of the ratio of the two median times lies above 1. A setting that is
        faster, but not
    surely, becomes the best and does not make the search go on.
    """

    limit: int = PATIENCE
    best: Interval | None = None  # time in ms
    in_vain: int = field(default=0)

    def hear(self, time_ms: Interval | None) -> None:
        """Take the time of one more setting; None where it has none."""
        self.in_vain += 1
        if time_ms is None:
            return
        if self.best is None:
            self.best = time_ms
            self.in_vain = 0
        elif time_ms.value < self.best.value:
            if ratio(self.best, time_ms).low > 1.0:
                self.in_vain = 0
            self.best = time_ms

    @property
    def over(self) -> bool:
        return self.in_vain >= self.limit


def fastest_everywhere(usual: T, together: Sequence[Mapping[T, float]]) -> T | None:
    """Return the setting whose times on several problems have the least geometric mean.

    Only those count that were timed on each. The usual one stays unless another is worth it.
    """
    products = {
        setting: prod(times[setting] for times in together)
        for setting in (together[0] if together else ())
        if all(setting in times for times in together)
    }
    if not products:
        return None
    best = min(products, key=lambda setting: products[setting])
    worth = products.get(usual, inf) * WORTH ** len(together)
    return usual if usual in products and products[best] > worth else best
