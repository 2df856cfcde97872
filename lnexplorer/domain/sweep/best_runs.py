"""What is best along a curve over problems: from which value of the axis to which one setting wins. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

from lnexplorer.domain.measuring import PROBLEM_NAMES
from lnexplorer.domain.sweep.best import Best
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.domain.sweep.result import CellResult


@dataclass(frozen=True, eq=False, slots=True)
class BestRun:
    """Values of the axis next to each other at which the same setting is surely best, or at which none is."""

    result: CellResult  # the best at the first of them
    first: object  # value of the axis
    last: object
    sure: bool  # whether it is the best beyond the noise, or the only one that is right; False: the first two are within it

    @property
    def hardware(self) -> str:
        """What it ran on."""
        return self.result.hardware


def strategy_of(result: CellResult) -> str:
    """Whose kernels ran: of `auto` those that it chose, for it and they are no rivals."""
    return result.cell.provider if result.resolved is None else result.resolved.launch.strategy


def best_runs(sweep: SweepRequest, bests: Iterable[Best]) -> list[BestRun]:
    """The best settings of a sweep whose problems lie along one axis, by hardware and then along the axis.

    Args:
        sweep: what was asked.
        bests: what is best for each problem.

    Returns:
        None where the problems lie along no axis, or along two.
    """
    axes = [place for place, axis in enumerate(sweep.axes) if axis.name in PROBLEM_NAMES]
    if len(axes) != 1 or sweep.search:
        return []
    (along,) = axes

    def setting(found: Best) -> tuple[object, ...]:
        if not _is_settled(found):
            return ()
        cell = found.result.cell
        return (strategy_of(found.result), *(index for place, index in enumerate(cell.point) if place != along))

    by_hardware: dict[str, list[Best]] = {}
    for found in bests:
        by_hardware.setdefault(found.result.hardware, []).append(found)
    runs: list[BestRun] = []
    for members in by_hardware.values():
        members.sort(key=lambda found: found.result.cell.point[along])
        before: tuple[object, ...] | None = None
        for found in members:
            value = sweep.axes[along].values[found.result.cell.point[along]]
            if setting(found) == before:
                run = runs.pop()
                runs.append(BestRun(run.result, run.first, value, run.sure))
            else:
                runs.append(BestRun(found.result, value, value, _is_settled(found)))
            before = setting(found)
    return runs


def _is_settled(found: Best) -> bool:
    return found.sure or found.next is None
