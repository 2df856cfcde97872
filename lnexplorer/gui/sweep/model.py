"""The rows of a sweep as far as they are there, and what the charts make of them. Rows come in small batches. No Qt."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain

import numpy as np

from lnexplorer.domain.measuring import PROBLEM_NAMES
from lnexplorer.domain.ranges import write_values
from lnexplorer.domain.request import check
from lnexplorer.domain.sweep.best import SHAPE, Best, best, measures
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.curves import MOST_CROSSINGS, Change, Crossing, setting_changes
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.domain.wording import provider_label
from lnexplorer.gui.charts.axes import ValueScale, value_scale
from lnexplorer.gui.charts.setting_map import SettingGrid
from lnexplorer.gui.charts.sweep_chart import FootMark, SweepLine
from lnexplorer.gui.charts.throughput_chart import provider_colour, symbol
from lnexplorer.gui.sweep.curve_rows import CELL, NO_LAUNCH, CurveRows, meetings
from lnexplorer.gui.sweep.map_cells import MapCells
from lnexplorer.gui.sweep.trials import Steps, best_so_far, place_of, search_time, trial_scale
from lnexplorer.gui.sweep.values import View, text_of, value_of
from lnkernels.launch import STRATEGIES, LaunchConfig
from lnkernels.values.environment import Kind

CHANGES_A_CALL = 10  # values of N whose launch is looked up at once; each takes some tenths of a millisecond
CONTENDERS = 8  # the fastest settings of each problem, among which the best is; twins of one launch are among them
Key = tuple[str, str]  # provider, hardware


class SweepModel:
    """One sweep and its rows."""

    def __init__(self, sweep: SweepRequest) -> None:
        self.sweep = sweep
        self.results: dict[int, CellResult] = {}
        self.view = View()
        self.timed = 0  # rows with figures
        self._hardware: dict[str, None] = {}
        self._kinds: dict[Kind, None] = {}
        self._curves: dict[Key, CurveRows] = {}
        self._lines: dict[Key, SweepLine] = {}  # as they were the last time
        self._launches: dict[LaunchConfig, int] = {}
        self._foot: dict[int, FootMark] = {}
        self._contenders: dict[tuple[object, ...], list[tuple[float, CellResult]]] = {}
        places = range(len(sweep.axes))
        self.scales = (trial_scale(1),) if sweep.search else tuple(_scale(sweep, place) for place in places)
        self._maps: dict[Key, MapCells] = {}
        self._bests: dict[tuple[object, ...], list[Best]] = {}  # by problem, in the order in which these came
        self._best_cells: dict[tuple[object, ...], list[int]] = {}  # their numbers
        self._raced: set[tuple[object, ...]] = set()  # problems with a new row
        self._all_bests: list[Best] | None = None  # of all problems
        self._crossings: list[tuple[Crossing, float, str]] | None = None
        self._changes: list[Change] = []
        self._doubts: Counter[str] = Counter()  # rows by what makes their figures doubtful
        over_n = [axis.name for axis in sweep.axes] == ["n"] and "locked" in sweep.strategies
        self._widths = sorted({n for n in sweep.axes[0].values if type(n) is int}) if over_n else []

    @property
    def _shape(self) -> tuple[int, int]:
        """Rows and columns of a map."""
        return len(self.scales[1].places), len(self.scales[0].places)

    @property
    def is_map(self) -> bool:
        """Whether two parameters vary, so that a map shows it."""
        return len(self.sweep.axes) == 2 and not self.sweep.search

    @property
    def hardware(self) -> tuple[str, ...]:
        """What the rows ran on."""
        return tuple(self._hardware)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """What kinds of figures these are."""
        return tuple(self._kinds)

    def doubts(self) -> list[tuple[str, int]]:
        """What makes figures doubtful, and of how many rows, the most frequent first."""
        return [(sentence, count) for sentence, count in self._doubts.most_common() if count > 0]

    def look_at(self, view: View) -> None:
        """Choose what is read off the rows."""
        if view != self.view:
            self.view = view
            self._curves, self._lines, self._foot, self._contenders, self._maps, self._bests = {}, {}, {}, {}, {}, {}
            self._raced, self._all_bests, self._best_cells = set(), None, {}
            for result in self.results.values():
                self._read(result)

    def add(self, results: Iterable[CellResult]) -> None:
        """Take more rows; one of the same cell is replaced."""
        for result in results:
            before = self.results.get(result.cell.number)
            if before is not None and before.figures:
                self._doubts.subtract(before.notes)
                self.timed -= 1
            if result.figures:
                self.timed += 1
                self._doubts.update(result.notes)
            self.results[result.cell.number] = result
            self._hardware[result.hardware] = self._kinds[result.kind] = None
            self._read(result)
        if self.sweep.search:
            self.scales = (trial_scale(max(self.results, default=0) + 1),)

    def lines(self) -> tuple[SweepLine, ...]:
        """The curves of a sweep over one parameter. Those to which no row has come are the same as before."""
        several = len(self.hardware) > 1
        found = {}
        for provider, hardware in self._ordered():
            key = provider, hardware
            table = self._curves[key].in_order()
            label = f"{provider_label(provider)} · {hardware}" if several else provider_label(provider)
            line = self._lines.get(key)
            if line is None or line.y.base is not table or line.label != label:
                place = self.hardware.index(hardware)
                sign = symbol("forward" if provider in STRATEGIES else "backward", place)
                x, y, low, high = table[:CELL]
                cells = table[CELL].astype(np.int64)
                line = SweepLine(label, provider_colour(provider), sign, x, y, low, high, cells, place)
            found[key] = line
        self._lines = found
        return tuple(found.values())

    def best_so_far(self) -> dict[str, Steps]:
        """Of a search over its trials, by hardware; empty for a grid."""
        return best_so_far(self.sweep, self.results.values(), self.view) if self.sweep.search else {}

    def foot(self) -> tuple[FootMark, ...]:
        """The cells of such a sweep that have no value because something is wrong with them."""
        return tuple(self._foot.values())

    def map_keys(self) -> tuple[Key, ...]:
        """Whose maps there are: a strategy on one kind of hardware. Of unlike devices each has its own."""
        found = sorted(self._maps, key=lambda key: (self._order(key[0]), key[1]))
        return tuple(found) or tuple((name, "") for name in (*self.sweep.strategies, *self.sweep.providers))

    def grid(self, key: Key, words: dict[str, str]) -> SettingGrid:
        """The map of one strategy or peer on one kind of hardware.

        Args:
            key: of `map_keys`.
            words: a short word for each status.
        """
        cells = self._maps.get(key) or MapCells.empty(self._shape)
        return SettingGrid(
            rows=self.scales[1],
            columns=self.scales[0],
            values=cells.values,
            states=cells.states,
            texts=cells.texts,
            cells=cells.numbers,
            words=words,
            best=[each.result.cell.number for each in self.bests() if (each.result.cell.provider, each.result.hardware) == key],
            falling=self.view.quantity in {"error", "wait", "registers"},
        )

    @property
    def has_rivals(self) -> bool:
        """Whether several settings are tried on one problem, so that one of them is best."""
        varies = any(axis.name not in PROBLEM_NAMES for axis in self.sweep.axes)
        return bool(self.sweep.search) or varies or len(self.sweep.strategies) > 1

    def bests(self) -> list[Best]:
        """The best setting of each problem on each kind of hardware, for the pass that is looked at."""
        if not self.has_rivals:
            return []
        # A search has one measure, whatever is looked at.
        directions, mode = measures(self.sweep)[0] if self.sweep.search else ((self.view.direction,), self.view.mode)
        if self._all_bests is None:
            for problem in self._raced:
                self._bests[problem] = best([result for _, result in self._contenders[problem]], directions, mode)
                self._best_cells[problem] = [found.result.cell.number for found in self._bests[problem]]
            self._raced = set()
            self._all_bests = list(chain.from_iterable(self._bests.values()))
        return self._all_bests

    def best_cells(self) -> tuple[int, ...]:
        """The numbers of their cells."""
        return tuple(chain.from_iterable(self._best_cells.values())) if self.bests() else ()

    def changes(self, *, more: bool = True) -> list[Change]:
        """Where along N the heuristics of `locked` choose otherwise, as far as that is known.

        Args:
            more: look at some more of the axis.
        """
        part = self._widths[: CHANGES_A_CALL + 1] if more else []
        if len(part) > 1:
            possible = [n for n in part if not check(replace(self.sweep.base, n=n), "cuda")]
            self._changes += setting_changes(self.sweep.base, possible)
            del self._widths[:CHANGES_A_CALL]  # the last one is the first of the next part
        return self._changes

    @property
    def knows_changes(self) -> bool:
        """Whether `changes` has looked at all of the axis."""
        return len(self._widths) < 2

    def crossings(self) -> list[tuple[Crossing, float, str]]:
        """Where one curve overtakes another on the same hardware, with the height at which they meet and that hardware.

        None where these are many: the curves are the same but for noise.
        """
        if self._crossings is None:
            self._crossings = (
                [] if self.is_map or self.sweep.search or not self.scales or not self.scales[0].by_size else self._met()
            )
        return self._crossings

    def _met(self) -> list[tuple[Crossing, float, str]]:
        ordered = self._ordered()
        pairs = [(one, other) for index, one in enumerate(ordered) for other in ordered[index + 1 :] if one[1] == other[1]]
        found: list[tuple[Crossing, float, str]] = []
        for one, other in pairs:
            met = meetings((one[0], other[0]), one[1], self._curves[one].in_order(), self._curves[other].in_order())
            if met is None or len(found) + len(met) > MOST_CROSSINGS:
                return []
            found += [(crossing, height, one[1]) for crossing, height in met]
        return found

    def _launch_of(self, result: CellResult) -> int:
        """The same number for the same launch, such as that of `auto` and of what it chose: they differ by noise."""
        if result.cell.peer or result.resolved is None:
            return NO_LAUNCH
        return self._launches.setdefault(result.resolved.launch, len(self._launches))

    def _ordered(self) -> list[Key]:
        with_points = [key for key, curve in self._curves.items() if len(curve)]
        return sorted(with_points, key=lambda key: (self._order(key[0]), key[1]))

    def _order(self, provider: str) -> int:
        names = [*self.sweep.strategies, *self.sweep.providers]
        return names.index(provider) if provider in names else len(names)

    def _read(self, result: CellResult) -> None:
        found = value_of(result, self.view)
        self._crossings = None
        if self.is_map and len(result.cell.point) == 2:
            text = "" if found is None else text_of(found[0], self.view.quantity)
            key = (result.cell.provider, result.hardware)
            cells = self._maps.setdefault(key, MapCells.empty(self._shape))
            cells.put(result, np.nan if found is None else found[0], text)
        elif self.scales:
            x = self.scales[0].places[result.cell.point[0]] if result.cell.point else 0.0
            x = place_of(result) if self.sweep.search else x
            number = result.cell.number
            curve = self._curves.setdefault((result.cell.provider, result.hardware), CurveRows())
            if found is not None:
                # A peer has one cell for all launch settings, and a level line beside them.
                everywhere = result.cell.peer and not self.sweep.search and self.sweep.axes[0].name not in PROBLEM_NAMES
                for place in self.scales[0].places if everywhere else (x,):
                    curve.put(place, found, number, self._launch_of(result))
                self._lift(number)
            elif result.status != "ok":
                self._lift(number)
                self._foot[number] = FootMark(x, result.status, number)
                curve.break_at(number, x)
        self._contend(result)

    def _lift(self, number: int) -> None:
        """Take a cell from the foot."""
        if self._foot.pop(number, None) is not None:
            for curve in self._curves.values():
                curve.mend(number)

    def _contend(self, result: CellResult) -> None:
        figure = result.figure(self.view.direction, self.view.mode)
        if figure is None or result.status != "ok" or result.cell.peer or result.resolved is None:
            return
        problem = tuple(getattr(result.resolved, name) for name in SHAPE)
        key = (*problem, result.hardware)
        self._bests.setdefault(key, [])
        self._raced.add(key)
        self._all_bests = None
        race = self._contenders.setdefault(key, [])
        race[:] = [entry for entry in race if entry[1].cell.number != result.cell.number]
        time = search_time(self.sweep, result) if self.sweep.search else figure.p50_ms
        if time is None:
            return
        race.append((time, result))
        race.sort(key=lambda entry: entry[0])
        del race[CONTENDERS:]


def _scale(sweep: SweepRequest, place: int) -> ValueScale:
    axis = sweep.axes[place]
    labels = [write_values((value,)) for value in axis.values]
    return value_scale(axis.values, labels, even=len(sweep.axes) == 2)
