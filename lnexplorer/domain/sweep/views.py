"""The rows of a sweep as they come, and the values that are read off them."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from lnexplorer.domain import wording
from lnexplorer.domain.sweep.best import Best, best, measures
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.findings import has_rivals
from lnexplorer.domain.sweep.request import SweepRequest
from lnkernels.values import Sentence, frozen, say, verbatim
from lnkernels.values.environment import Kind

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
    "queued": wording.microseconds,
    "trying": wording.microseconds,
}
SPEEDS = frozenset(("gbps", "share"))
# Quantities of which a small one is a good one.
FALLING = frozenset(("error", "queued", "trying", "registers"))

Key = tuple[str, str]  # provider, hardware
Spread = tuple[float, float, float]  # value, 20th and 80th percentile


@frozen
class View:
    """A quantity of one pass, called in one way."""

    quantity: str = "gbps"  # one of QUANTITIES
    direction: str = "backward"
    mode: str = "kernel_cold"


def value_of(result: CellResult, view: View, *, wrong: bool = False) -> Spread | None:
    """Return the value of a row with its spread, where it has one; None where there is no value.

    The speed of a wrong row, which somebody insisted on, is given where it is asked for.
    """
    found: float | None = None
    match view.quantity:
        case "gbps" | "share":
            figure = result.figure(view.direction, view.mode)
            if figure is None or not figure.p80_ms or not figure.p20_ms:
                return None
            if result.status != "ok" and not wrong:
                return None
            value = figure.gbps if view.quantity == "gbps" else figure.share_of_ceiling
            if value is None:
                return None
            # Percentiles of a speed come from the opposite ones of the time.
            moved = value * figure.p50_ms
            return value, moved / figure.p80_ms, moved / figure.p20_ms
        case "error" if result.status == "ok":
            found = result.largest_error(view.direction)
        case "queued" | "trying" if result.wait is not None:
            wait = result.wait
            found = (wait.queued_ns if view.quantity == "queued" else wait.trying_ns) / 1e3
        case "registers" | "occupancy":
            own = [facts for facts in result.compiled if facts.name.startswith(view.direction)]
            if view.quantity == "registers":
                registers = [facts.registers for facts in own if facts.registers is not None]
                found = max(map(float, registers), default=None)
            else:
                known = [facts.occupancy for facts in own if facts.occupancy is not None]
                found = min((each.share_of_warps for each in known), default=None)
    return None if found is None else (found, found, found)


def text_of(value: float, quantity: str) -> str:
    return WRITTEN[quantity](value) if quantity in WRITTEN else f"{value:.0f}"


class SweepTable:
    """A sweep and its rows, which come in small batches."""

    def __init__(self, sweep: SweepRequest, results: Iterable[CellResult] = ()) -> None:
        self.sweep = sweep
        self.results: dict[int, CellResult] = {}  # by number of the cell
        self.rows: dict[Key, dict[int, CellResult]] = {}
        self._bests: dict[View, list[Best]] = {}
        self.add(results)

    @property
    def is_map(self) -> bool:
        """Return whether two parameters vary, so that a map shows it."""
        return len(self.sweep.axes) == 2 and not self.sweep.search

    @property
    def is_over_n(self) -> bool:
        """Return whether it is a curve over N, as the tutorial's is."""
        return [axis.name for axis in self.sweep.axes] == ["n"] and not self.sweep.search

    @property
    def hardware(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(hardware for _, hardware in self.rows))

    @property
    def kinds(self) -> tuple[Kind, ...]:
        return tuple(dict.fromkeys(result.kind for result in self.results.values()))

    # Counted anew whenever they are asked for: 5 ms for 20,000 rows, the most that a sweep has.
    @property
    def timed(self) -> int:
        """Return the number of rows with figures."""
        return sum(bool(result.figures) for result in self.results.values())

    @property
    def standings(self) -> Counter[str]:
        return Counter(result.standing for result in self.results.values())

    @property
    def notes(self) -> Counter[Sentence]:
        """Return doubts about figures, with their rows."""
        rows = self.results.values()
        return Counter(note for row in rows if row.figures for note in row.notes)

    def add(self, results: Iterable[CellResult]) -> None:
        """Take more rows; one of the same cell is replaced."""
        self._bests = {}
        for result in results:
            number = result.cell.number
            if number in self.results:
                del self.rows[key_of(self.results[number])][number]
            self.results[number] = result
            self.rows.setdefault(key_of(result), {})[number] = result

    def subjects(self) -> tuple[Key, ...]:
        """Return whose rows there are, in the sweep's order; without rows whose there will be."""
        names = [*self.sweep.strategies, *self.sweep.providers]
        keys = sorted(
            self.rows,
            key=lambda key: (names.index(key[0]) if key[0] in names else len(names), key[1]),
        )
        return tuple(keys) or tuple((name, "") for name in names)

    def bests(self, view: View) -> list[Best]:
        """Return the best setting of each problem and kind of hardware, for the pass of a view."""
        if not has_rivals(self.sweep):
            return []
        view = replace(view, quantity="gbps")
        if view not in self._bests:
            # A search has one measure, whatever is looked at.
            searched = measures(self.sweep)[0] if self.sweep.search else None
            directions, mode = searched or ((view.direction,), view.mode)
            self._bests[view] = best(self.results.values(), directions, mode)
        return self._bests[view]


def key_of(result: CellResult) -> Key:
    return result.cell.provider, result.hardware
