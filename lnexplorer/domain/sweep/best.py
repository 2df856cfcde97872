"""The best correct setting of a sweep, and how sure that is. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lnexplorer.domain.comparison import Interval, ratio
from lnexplorer.domain.measuring import PROBLEM_NAMES
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.domain.sweep.result import CellResult, time_interval

# The data that rows are filled with, and eps, do not make another problem of two settings.
SHAPE = ("m", "n", "dtype")


@dataclass(frozen=True, eq=False, slots=True)
class Best:
    """The fastest correct setting of one problem on one kind of hardware."""

    result: CellResult
    time_ms: Interval  # of all directions together
    next: CellResult | None  # the second best
    advantage: Interval | None  # time of the second best over that of the best; None without a second

    @property
    def sure(self) -> bool:
        """Whether the second best is slower beyond the noise. A setting without a rival is not surely the best."""
        return self.advantage is not None and not self.advantage.holds_nothing


def best(results: Iterable[CellResult], directions: Sequence[str], mode: str = "kernel_cold") -> list[Best]:
    """The best setting of every problem (M, N, dtype) on every kind of hardware, in the order in which these first appear.

    Args:
        results: rows of a sweep; peers, and settings that are not correct or have no time, are no candidates.
        directions: "forward", "backward" or both, whose times are added.
        mode: one of MODES.
    """
    races: dict[tuple[object, ...], list[tuple[Interval, CellResult]]] = {}
    for result in results:
        time = time_interval(result, tuple(directions), mode)
        if result.status != "ok" or result.cell.peer or result.resolved is None or time is None:
            continue
        problem = tuple(getattr(result.resolved, name) for name in SHAPE)
        races.setdefault((*problem, result.hardware), []).append((time, result))
    return [_winner(race) for race in races.values()]


def measures(sweep: SweepRequest) -> list[tuple[tuple[str, ...], str]]:
    """By which times the settings of a sweep are compared, as `best` takes them: passes whose times are added, and a mode.

    A search looks for one setting, whose passes together take least; of a grid each pass has its best in each mode.
    """
    if sweep.search:
        return [(sweep.directions, sweep.modes[0])]
    return [((direction,), mode) for direction in sweep.directions for mode in sweep.modes]


def _winner(race: list[tuple[Interval, CellResult]]) -> Best:
    ordered = sorted(race, key=lambda entry: entry[0].value)
    time, first = ordered[0]
    # The same launch under two names, such as an automatic value and that value, is no rival of itself.
    rivals = [(other, result) for other, result in ordered[1:] if not _is_same(result, first)]
    if not rivals:
        return Best(first, time, None, None)
    other, second = rivals[0]
    return Best(first, time, second, ratio(other, time))


def _is_same(one: CellResult, other: CellResult) -> bool:
    assert one.resolved is not None, "it has a time"
    assert other.resolved is not None, "it has a time"
    same_problem = all(getattr(one.resolved, name) == getattr(other.resolved, name) for name in PROBLEM_NAMES)
    return same_problem and one.resolved.launch == other.resolved.launch
