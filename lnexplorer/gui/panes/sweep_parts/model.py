"""The rows of a sweep as far as they are there, and what the charts make of them. Rows come in small batches. No Qt."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from lnexplorer.domain.measuring import PROBLEM_NAMES
from lnexplorer.domain.parameters import BY_NAME
from lnexplorer.domain.provenance import Kind
from lnexplorer.domain.ranges import write_values
from lnexplorer.domain.request import check
from lnexplorer.domain.sweep.best import SHAPE, Best, best
from lnexplorer.domain.sweep.curves import Change, Crossing, Curve, crossings, setting_changes
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.domain.sweep.result import CellResult
from lnexplorer.gui.panes.sweep_parts.values import View, text_of, value_of
from lnexplorer.gui.plots.setting_map import SettingGrid
from lnexplorer.gui.plots.sweep_chart import FootMark, SweepLine
from lnexplorer.gui.plots.throughput_chart import provider_colour, provider_label
from lnexplorer.gui.plots.value_axis import ValueScale, value_scale
from lnkernels.launch import STRATEGIES

CONTENDERS = 8  # the fastest settings of each problem, among which the best is; twins of one launch are among them
Key = tuple[str, str]  # provider, hardware
Spot = tuple[float, float, float, float, int]  # x, value, low, high, cell


class SweepModel:
    """One sweep and its rows."""

    def __init__(self, sweep: SweepRequest) -> None:
        self.sweep = sweep
        self.results: dict[int, CellResult] = {}
        self.view = View()
        self._spots: dict[Key, dict[float, Spot]] = {}
        self._foot: dict[int, FootMark] = {}
        self._contenders: dict[tuple[object, ...], list[tuple[float, CellResult]]] = {}
        self.scales = tuple(_scale(sweep, place) for place in range(len(sweep.axes)))

    @property
    def is_map(self) -> bool:
        """Whether two parameters vary, so that a map shows it."""
        return len(self.sweep.axes) == 2 and not self.sweep.search

    @property
    def hardware(self) -> tuple[str, ...]:
        """What the rows ran on."""
        return tuple(dict.fromkeys(result.hardware for result in self.results.values()))

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """What kinds of figures these are."""
        return tuple(dict.fromkeys(result.kind for result in self.results.values()))

    def look_at(self, view: View) -> None:
        """Choose what is read off the rows."""
        if view != self.view:
            self.view = view
            self._spots, self._foot, self._contenders = {}, {}, {}
            for result in self.results.values():
                self._read(result)

    def add(self, results: Iterable[CellResult]) -> None:
        """Take more rows; one of the same cell is replaced."""
        for result in results:
            self.results[result.cell.number] = result
            self._read(result)

    def lines(self) -> tuple[SweepLine, ...]:
        """The curves of a sweep over one parameter."""
        several = len(self.hardware) > 1
        broken: dict[Key, list[float]] = {}
        for number, mark in self._foot.items():
            result = self.results[number]
            broken.setdefault((result.cell.provider, result.hardware), []).append(mark.x)
        found = []
        for provider, hardware in self._ordered():
            spots = sorted(self._spots[provider, hardware].values())
            gaps = [(x, np.nan, np.nan, np.nan, -1) for x in broken.get((provider, hardware), ())]
            x, y, low, high, cells = np.array(sorted([*spots, *gaps]), np.float64).T
            label = f"{provider_label(provider)} · {hardware}" if several else provider_label(provider)
            symbol = "o" if provider in STRATEGIES else "t"
            found.append(SweepLine(label, provider_colour(provider), symbol, x, y, low, high, cells.astype(np.int64)))
        return tuple(found)

    def foot(self) -> tuple[FootMark, ...]:
        """The cells of such a sweep that have no value because something is wrong with them."""
        return tuple(self._foot.values())

    def grid(self, provider: str, words: dict[str, str]) -> SettingGrid:
        """The map of one strategy or peer.

        Args:
            provider: whose.
            words: a short word for each status.
        """
        rows, columns = self.scales[1], self.scales[0]
        shape = (len(rows.places), len(columns.places))
        values = np.full(shape, np.nan)
        states, texts = np.full(shape, "", object), np.full(shape, "", object)
        cells = np.full(shape, -1, np.int64)
        for result in self.results.values():
            if result.cell.provider != provider or len(result.cell.point) != 2:
                continue
            place = (result.cell.point[1], result.cell.point[0])
            found = value_of(result, self.view)
            cells[place], states[place] = result.cell.number, result.status
            if found is not None:
                values[place], texts[place] = found[0], text_of(found[0], self.view.quantity)
            else:
                texts[place] = words.get(result.status, "")
        winners = [each.result.cell.number for each in self.bests() if each.result.cell.provider == provider]
        return SettingGrid(
            rows=rows,
            columns=columns,
            values=values,
            states=states,
            texts=texts,
            cells=cells,
            best=winners,
            falling=self.view.quantity in {"error", "registers"},
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
        contenders = [result for race in self._contenders.values() for _, result in race]
        return best(contenders, (self.view.direction,), self.view.mode)

    def changes(self) -> list[Change]:
        """Where along N the heuristics of `locked` choose otherwise."""
        if [axis.name for axis in self.sweep.axes] != ["n"] or "locked" not in self.sweep.strategies:
            return []
        widths = [value for value in self.sweep.axes[0].values if isinstance(value, int) and not isinstance(value, bool)]
        return setting_changes(self.sweep.base, [n for n in widths if not check(replace(self.sweep.base, n=n), "cuda")])

    def crossings(self) -> list[tuple[Crossing, float]]:
        """Where one curve overtakes another on the same hardware, with the height at which they meet."""
        if self.is_map or not self.scales or not self.scales[0].by_size:
            return []
        curves = {
            key: Curve(key[0], key[1], tuple(spot[0] for spot in sorted(spots.values())), _heights(spots))
            for key, spots in self._spots.items()
        }
        ordered = self._ordered()
        pairs = [(one, other) for index, one in enumerate(ordered) for other in ordered[index + 1 :] if one[1] == other[1]]
        met = [(crossing, curves[one]) for one, other in pairs for crossing in crossings(curves[one], curves[other])]
        return [(crossing, float(np.interp(crossing.x, curve.x, curve.y))) for crossing, curve in met]

    def place_words(self, result: CellResult) -> str:
        """The cell's place on the axes."""
        return ", ".join(
            f"{BY_NAME[axis.name].label} = {write_values((axis.values[index],))}"
            for axis, index in zip(self.sweep.axes, result.cell.point, strict=False)
        )

    def _ordered(self) -> list[Key]:
        names = [*self.sweep.strategies, *self.sweep.providers]
        return sorted(self._spots, key=lambda key: (names.index(key[0]) if key[0] in names else len(names), key[1]))

    def _read(self, result: CellResult) -> None:
        found = value_of(result, self.view)
        if not self.is_map and self.scales:
            x = self.scales[0].places[result.cell.point[0]] if result.cell.point else 0.0
            if found is not None:
                spots = self._spots.setdefault((result.cell.provider, result.hardware), {})
                # A peer has one cell for all launch settings, and a level line beside them.
                everywhere = result.cell.peer and self.sweep.axes[0].name not in PROBLEM_NAMES
                for place in self.scales[0].places if everywhere else (x,):
                    spots[place] = (place, *found, result.cell.number)
                self._foot.pop(result.cell.number, None)
            elif result.status != "ok":
                self._foot[result.cell.number] = FootMark(x, result.status, result.cell.number)
        self._contend(result)

    def _contend(self, result: CellResult) -> None:
        figure = result.figure(self.view.direction, self.view.mode)
        if figure is None or result.status != "ok" or result.cell.peer or result.resolved is None:
            return
        problem = tuple(getattr(result.resolved, name) for name in SHAPE)
        race = self._contenders.setdefault((*problem, result.hardware), [])
        race[:] = [entry for entry in race if entry[1].cell.number != result.cell.number]
        race.append((figure.p50_ms, result))
        race.sort(key=lambda entry: entry[0])
        del race[CONTENDERS:]


def _scale(sweep: SweepRequest, place: int) -> ValueScale:
    axis = sweep.axes[place]
    labels = [write_values((value,)) for value in axis.values]
    return value_scale(axis.values, labels, even=len(sweep.axes) == 2)


def _heights(spots: dict[float, Spot]) -> tuple[float, ...]:
    return tuple(spot[1] for spot in sorted(spots.values()))
