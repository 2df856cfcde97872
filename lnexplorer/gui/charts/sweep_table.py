"""The rows of a sweep as one table, and what a chart shows of it: curves, a map, what is best,
where one overtakes another.

Speed, share of the ceiling, error, queueing for the lock and trying it, registers and occupancy are
read off its rows as they are asked for.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import islice

import numpy as np
import pandas as pd

from lnexplorer.domain import wording
from lnexplorer.domain.measuring import STATUSES
from lnexplorer.domain.ranges import write_values
from lnexplorer.domain.sweep.best import SHAPE, Best, best, has_own_name, launch_of, measures, races
from lnexplorer.domain.sweep.cells import CellResult, time_interval
from lnexplorer.domain.sweep.curves import Crossing, Curve, SettingChange, all_crossings
from lnexplorer.domain.sweep.findings import changes, has_rivals
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.gui.charts.axes import ValueScale, value_scale
from lnexplorer.gui.charts.setting_map import MOST_TEXTS, SettingGrid
from lnexplorer.gui.charts.speed_chart import provider_colour, shade, symbol
from lnexplorer.gui.charts.sweep_chart import AxisMark, OverlayLine, SweepLine, SweepPicture
from lnexplorer.gui.kit.theme import Theme
from lnkernels.launch import STRATEGIES
from lnkernels.values.environment import Kind
from lnkernels.values.sentence import Sentence, say, verbatim

QUANTITIES = {
    "gbps": verbatim("GB/s"),
    "share": say("share of ceiling"),
    "error": say("largest error"),
    "queued": say("a row queues for its lock, mean, µs"),
    "trying": say("a row tries its free lock, mean, µs"),
    "registers": say("registers a thread"),
    "occupancy": say("occupancy"),
}
WRITTEN = {
    "gbps": wording.figure,
    "share": wording.share,
    "occupancy": wording.share,
    "error": wording.error,
    **dict.fromkeys(("queued", "trying"), wording.microseconds),
}
SPEEDS = frozenset(("gbps", "share"))
FALLING = frozenset(
    ("error", "queued", "trying", "registers")
)  # of which a small one is a good one
# the fastest settings of each problem, among which the best is; twins of one launch are among them
CONTENDERS = 8
TRIALS_STEP = (
    20  # the axis of a search grows by so many, so that the view does not move with every row
)
STATUS = pd.CategoricalDtype(STATUSES)
# Beside an arrow from one value to the next these say enough, and the full names would not fit
# beside each other.
SHORT = {"block_size": "BLOCK", "num_warps": "warps", "group_size_m": "GROUP"}
Key = tuple[str, str]  # provider, hardware
Spread = tuple[float, float, float]  # value, low, high
Found = tuple[list[Best], list[Crossing]]


@dataclass(frozen=True, slots=True)
class View:
    """What is looked at."""

    quantity: str = "gbps"  # one of QUANTITIES
    direction: str = "backward"
    mode: str = "kernel_cold"


def value_of(result: CellResult, view: View) -> Spread | None:
    """The value of a row with its 20th and 80th percentile, where these mean something; None where
    there is none.
    """
    own = [facts for facts in result.compiled if facts.name.startswith(view.direction)]
    found: float | None = None
    match view.quantity:
        case "gbps" | "share":
            figure = result.figure(view.direction, view.mode)
            if figure is None or result.status != "ok" or not figure.p80_ms or not figure.p20_ms:
                return None
            value = figure.gbps if view.quantity == "gbps" else figure.share_of_ceiling
            # Percentiles of a speed come from the opposite ones of the time.
            ends = (1.0, figure.p50_ms / figure.p80_ms, figure.p50_ms / figure.p20_ms)
            return None if value is None else (value * ends[0], value * ends[1], value * ends[2])
        case "error" if result.status == "ok":
            found = result.largest_error(view.direction)
        case "queued" | "trying" if result.wait is not None:
            found = (
                result.wait.queued_ns if view.quantity == "queued" else result.wait.trying_ns
            ) / 1e3
        case "registers":
            found = max(
                (float(facts.registers) for facts in own if facts.registers is not None),
                default=None,
            )
        case "occupancy":
            found = min(
                (facts.occupancy.share_of_warps for facts in own if facts.occupancy is not None),
                default=None,
            )
    return None if found is None else (found, found, found)


def text_of(value: float, quantity: str) -> str:
    return WRITTEN[quantity](value) if quantity in WRITTEN else f"{value:.0f}"


class SweepTable:
    """One sweep and its rows, which come in small batches."""

    def __init__(self, sweep: SweepRequest, results: Iterable[CellResult] = ()) -> None:
        self.sweep = sweep
        self.results: dict[int, CellResult] = {}
        self.scales = tuple(self._scale(place) for place in range(len(sweep.axes)))
        self._facts: dict[
            int, tuple[object, ...]
        ] = {}  # what no view changes, by number of the cell
        self._frames: dict[View, pd.DataFrame] = {}
        self._launches: dict[object, int] = {}
        self._problems: dict[tuple[object, ...], int] = {}
        self._keys: dict[Key, int] = {}
        self._bests: dict[View, list[Best]] = {}
        self._crossings: dict[View, list[Crossing]] = {}
        self.timed = 0  # rows with figures
        self.statuses: Counter[str] = Counter()  # how many rows became what
        self.notes: Counter[Sentence] = (
            Counter()
        )  # what makes figures doubtful, with the number of rows
        self.add(results)

    @property
    def is_map(self) -> bool:
        """Whether two parameters vary, so that a map shows it."""
        return len(self.sweep.axes) == 2 and not self.sweep.search

    @property
    def is_over_n(self) -> bool:
        """Whether it is a curve over N, as the tutorial's is."""
        return [axis.name for axis in self.sweep.axes] == ["n"] and not self.sweep.search

    @property
    def hardware(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(hardware for _, hardware in self._keys))

    @property
    def kinds(self) -> tuple[Kind, ...]:
        return tuple(dict.fromkeys(result.kind for result in self.results.values()))

    def add(self, results: Iterable[CellResult]) -> None:
        """Take more rows; one of the same cell is replaced."""
        self._bests = {}
        self._crossings = {}
        for result in results:
            number = result.cell.number
            if (before := self.results.get(number)) is not None:
                self._frames = {}
                self._count(before, -1)
            self._count(result, 1)
            self.results[number] = result
            self._facts[number] = self._read(result)
        if self.sweep.search:
            last = max(max(self.results, default=0) // TRIALS_STEP + 1, 1) * TRIALS_STEP
            self.scales = (
                ValueScale(
                    tuple(map(float, range(1, last + 1))),
                    tuple(map(str, range(1, last + 1))),
                    by_size=False,
                ),
            )

    def _count(self, result: CellResult, each: int) -> None:
        self.statuses[result.status] += each
        if result.figures:
            self.timed += each
            self.notes.update(dict.fromkeys(result.notes, each))

    def frame(self, view: View) -> pd.DataFrame:
        """A row for each cell, in the order in which these came, with the value that a view reads
        off it.
        """
        known = self._frames.get(view)
        there = 0 if known is None else len(known)
        if known is None or there < len(self._facts):
            missing = (np.nan, np.nan, np.nan)
            new = islice(self._facts.items(), there, None)
            rows = [
                (*facts, *(value_of(self.results[number], view) or missing))
                for number, facts in new
            ]
            names = (
                "number",
                "key",
                "peer",
                "status",
                "column",
                "row",
                "x",
                "launch",
                "own_name",
                "problem",
            )
            frame = pd.DataFrame.from_records(rows, columns=[*names, "value", "low", "high"])
            frame = frame.astype(
                {
                    "peer": bool,
                    "own_name": bool,
                    "status": STATUS,
                    "value": float,
                    "low": float,
                    "high": float,
                }
            )
            known = frame if known is None else pd.concat([known, frame], ignore_index=True)
            self._frames[view] = known
        return known

    def subjects(self) -> tuple[Key, ...]:
        """Whose rows there are: a strategy or peer on one kind of hardware each, in the sweep's
        order.
        """
        names = [*self.sweep.strategies, *self.sweep.providers]
        keys = sorted(
            self._keys,
            key=lambda key: (names.index(key[0]) if key[0] in names else len(names), key[1]),
        )
        return tuple(keys) or tuple((name, "") for name in names)

    def lines(self, view: View) -> tuple[SweepLine, ...]:
        """The curves of a sweep over one parameter, broken where a cell has no value because
        something is wrong with it.
        """
        frame, several, hardware_of = self.frame(view), len(self.hardware) > 1, self.hardware
        found = []
        for provider, hardware in self.subjects():
            own = frame[frame.key == self._keys.get((provider, hardware))]
            if not own.value.notna().any():
                continue
            own = own[own.value.notna() | (own.status != "ok")]
            if len(own) == 1 and not self._is_placed(own.number.iloc[0]):
                # One cell stands for all values of a setting that it does not have: a level line
                # beside the others.
                own = own.drop(columns="x").merge(
                    pd.DataFrame({"x": self.scales[0].places}), how="cross"
                )
            own = own.sort_values("x", kind="stable")
            place, label = hardware_of.index(hardware), wording.provider_label(provider)
            found.append(
                SweepLine(
                    label=f"{label} · {hardware}" if several else label,
                    colour=provider_colour(provider),
                    symbol=symbol("forward" if provider in STRATEGIES else "backward", place),
                    x=own.x.to_numpy(np.float64),
                    y=own.value.to_numpy(np.float64),
                    low=own.low.to_numpy(np.float64),
                    high=own.high.to_numpy(np.float64),
                    cells=own.number.to_numpy(np.int64),
                    group=place,
                )
            )
        return tuple(found)

    def grid(self, view: View, key: Key, words: dict[str, str]) -> SettingGrid:
        """The map of one strategy or peer on one kind of hardware.

        Args:
            view: what is looked at.
            key: of `subjects`.
            words: a short word for each status.
        """
        frame = self.frame(view)
        own = frame[frame.key == self._keys.get(key)]
        shape, place = (
            (len(self.scales[1].places), len(self.scales[0].places)),
            (own.row.to_numpy(int), own.column.to_numpy(int)),
        )
        values, numbers = np.full(shape, np.nan), np.full(shape, -1, np.int64)
        states, texts = np.full(shape, "", object), np.full(shape, "", object)
        values[place], numbers[place], states[place] = own.value, own.number, own.status
        if values.size <= MOST_TEXTS:  # in smaller cells there is no room for them
            texts[place] = [
                "" if np.isnan(value) else text_of(value, view.quantity) for value in own.value
            ]
        return SettingGrid(
            rows=self.scales[1],
            columns=self.scales[0],
            values=values,
            states=states,
            texts=texts,
            cells=numbers,
            words=words,
            best=[
                found.result.cell.number for found in self.bests(view) if _key(found.result) == key
            ],
            falling=view.quantity in FALLING,
        )

    def bests(self, view: View) -> list[Best]:
        """The best setting of each problem on each kind of hardware, for the pass that is looked
        at.
        """
        if not has_rivals(self.sweep):
            return []
        if view not in self._bests:
            self._bests[view] = self._find_bests(view)
        return self._bests[view]

    def _find_bests(self, view: View) -> list[Best]:
        # A search has one measure, whatever is looked at.
        directions, mode = (
            measures(self.sweep)[0] if self.sweep.search else ((view.direction,), view.mode)
        )
        speeds = self.frame(replace(view, quantity="gbps"))
        race = speeds[speeds.value.notna() & (speeds.problem >= 0)]
        if self.sweep.search:
            times = [
                time_interval(self.results[number], directions, mode) for number in race.number
            ]
            race = race.assign(
                value=[np.nan if time is None else 1 / time.value for time in times]
            ).dropna(subset="value")
        first = race[
            race.groupby("problem").value.rank(method="first", ascending=False) <= CONTENDERS
        ]
        races: dict[int, list[CellResult]] = {}
        for problem, number in zip(first.problem.tolist(), first.number.tolist(), strict=True):
            races.setdefault(problem, []).append(self.results[number])
        return [
            found for among in races.values() for found in _best(tuple(among), directions, mode)
        ]

    def crossings(self, view: View) -> list[Crossing]:
        """Where one curve overtakes another, at places of the scale; points of one launch are one
        point.
        """
        if self.is_map or self.sweep.search or not self.scales or not self.scales[0].by_size:
            return []
        if view not in self._crossings:
            known = (
                self.frame(view)
                .dropna(subset="value")
                .sort_values("own_name", ascending=False, kind="stable")
            )
            known = known.drop_duplicates("launch").sort_values("x")
            lines = {key: known[known.key == self._keys.get(key)] for key in self.subjects()}
            curves = [Curve(*key, tuple(line.x), tuple(line.value)) for key, line in lines.items()]
            self._crossings[view] = all_crossings(curves)
        return self._crossings[view]

    def found(self, view: View) -> Found:
        """What is best, and the crossings; nothing for what is no speed."""
        return (self.bests(view), self.crossings(view)) if view.quantity in SPEEDS else ([], [])

    @cached_property
    def changes(self) -> list[SettingChange]:
        return changes(self.sweep)

    def marks(self) -> tuple[AxisMark, ...]:
        """The changes above the curves: one mark for each place, with all that changes there."""
        words: dict[float, list[str]] = {}
        for change in self.changes:
            name = SHORT.get(change.name, change.name)
            words.setdefault(self.scales[0].place_of(change.at), []).append(
                f"{name} {change.before}→{change.after}"
            )
        return tuple(AxisMark(x, " · ".join(found)) for x, found in words.items())

    def picture(
        self,
        view: View,
        theme: Theme,
        overlays: Sequence[OverlayLine] = (),
        found: Found | None = None,
    ) -> SweepPicture:
        """The curves with all that belongs to them.

        Args:
            view: what is looked at.
            theme: whose colours they have.
            overlays: figures from elsewhere.
            found: what was found of the view, perhaps some rows ago; now if None.
        """
        bests, crossings = self.found(view) if found is None else found
        frame, speeds, scale = self.frame(view), view.quantity in SPEEDS, self.scales[0]
        foot = frame[frame.value.isna() & (frame.status != "ok")]
        return SweepPicture(
            scale=scale,
            lines=tuple(
                replace(line, colour=shade(line.colour, line.group, theme).name())
                for line in self.lines(view)
            ),
            foot=(foot.x.to_numpy(np.float64), tuple(foot.status), foot.number.to_numpy(np.int64)),
            overlays=tuple(overlays),
            marks=self.marks() if speeds and scale.by_size else (),
            crossings=tuple((crossing.x, crossing.y) for crossing in crossings),
            best=tuple(each.result.cell.number for each in bests),
            log=view.quantity in {"error", "queued", "trying"},
            percent=view.quantity in {"share", "occupancy"},
        )

    def _scale(self, place: int) -> ValueScale:
        values = self.sweep.axes[place].values
        return value_scale(
            values, [write_values((value,)) for value in values], even=len(self.sweep.axes) == 2
        )

    def _is_placed(self, number: int) -> bool:
        """Whether a cell lies at a place of the first axis."""
        return self.sweep.search > 0 or self.results[number].cell.is_placed_by(
            self.sweep.axes[0].name
        )

    def _read(self, result: CellResult) -> tuple[object, ...]:
        cell, resolved, problem = result.cell, result.resolved, -1
        launch = self._launches.setdefault(launch_of(result), len(self._launches))
        if resolved is not None and races(cell):
            shape = (*(getattr(resolved, name) for name in SHAPE), result.hardware)
            problem = self._problems.setdefault(shape, len(self._problems))
        column, row = (*cell.point, 0, 0)[:2]
        x = (
            cell.number + 1.0
            if self.sweep.search
            else self.scales[0].places[column]
            if self.scales
            else 0.0
        )
        key = self._keys.setdefault(_key(result), len(self._keys))
        return (
            cell.number,
            key,
            cell.peer,
            result.status,
            column,
            row,
            x,
            launch,
            has_own_name(result),
            problem,
        )


def _key(result: CellResult) -> Key:
    return result.cell.provider, result.hardware


@lru_cache(maxsize=1 << 13)
def _best(among: tuple[CellResult, ...], directions: tuple[str, ...], mode: str) -> list[Best]:
    """Kept, since of a growing sweep few problems have new contenders."""
    return best(among, directions, mode)
