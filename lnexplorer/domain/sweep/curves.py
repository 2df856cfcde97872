"""Curves over an axis: where the heuristics change a setting, and where one overtakes another.

Pure.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np

from lnexplorer.domain.request import RunRequest, plan_run
from lnexplorer.domain.sweep.best import one_a_launch
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.request import SweepRequest
from lnkernels.values import Sentence, Words, frozen, frozen_by_name
from lnkernels.values.environment import Kind

# Settings whose change the tutorial's curve shows.
WATCHED = ("block_size", "num_warps", "group_size_m")
# Curves that meet more often are the same but for noise.
MOST_CROSSINGS = 16


@frozen
class SettingChange:
    """A value of N from which on the heuristics choose otherwise."""

    at: int  # the first value with the new choice
    name: str  # field of Launch
    before: object
    after: object


@frozen
class Curve:
    """A line of a chart: a strategy or a peer on one kind of hardware."""

    provider: str
    hardware: str
    x: tuple[float, ...]  # ascending
    y: tuple[float, ...]


@frozen_by_name(eq=False)
class Overlay:
    """Curves of GB/s against N from one source: a page, or a benchmark or sweep on a named GPU and
    date.
    """

    title: Sentence
    kind: Kind  # published or recorded
    problem: Words  # M and dtype; a text in sessions of earlier versions
    direction: str
    mode: str | None  # None where the source does not say
    curves: tuple[Curve, ...]
    beside_all: bool = False  # also beside figures of another way of calling, which is said then

    @property
    def key(self) -> tuple[object, ...]:
        """The identity of an overlay."""
        return self.title, str(self.problem), self.direction, self.mode

    def differs(self, mode: str) -> bool:
        return self.mode not in {None, mode}


@frozen
class Crossing:
    """A place where one curve overtakes another."""

    # where straight lines between the points meet: a place on a chart, which nobody has measured
    x: float
    y: float
    between: tuple[float, float]  # the points
    hardware: str
    ahead_before: str  # the label of the curve that is higher before
    ahead_after: str


def setting_changes(base: RunRequest, ns: Iterable[int]) -> list[SettingChange]:
    """Return where along N the launch changes. A setting that `base` holds fixed never does.

    Args:
        base: the setting; its n is not used.
        ns: values of N, in any order; those that are not possible are left out.
    """
    plans = [plan_run(replace(base, n=n), "cuda") for n in sorted(set(ns))]
    launches = [(plan.resolved.n, plan.resolved.launch) for plan in plans if not plan.problems]
    return [
        SettingChange(n, name, getattr(before, name), getattr(after, name))
        for (_, before), (n, after) in pairwise(launches)
        for name in WATCHED
        if getattr(before, name) != getattr(after, name)
    ]


def curves(
    sweep: SweepRequest, results: Iterable[CellResult], direction: str, mode: str = "kernel_cold"
) -> list[Curve]:
    """Return GB/s over the one axis of a sweep, a line for each strategy or peer and kind of
    hardware.
    """
    points: dict[tuple[str, str], dict[float, float]] = {}
    axis = sweep.axes[0]
    for result in results:
        figure = result.figure(direction, mode) if result.status == "ok" else None
        x: object = axis.values[result.cell.point[0]]
        if x is None and (resolved := result.resolved) is not None:  # what was automatic
            owner = resolved if hasattr(resolved, axis.name) else resolved.launch
            x = getattr(owner, axis.name, None)
        if figure is not None and isinstance(x, int | float):
            points.setdefault((result.cell.provider, result.hardware), {})[x] = figure.gbps
    return [Curve(*key, *zip(*sorted(line.items()), strict=True)) for key, line in points.items()]


def crossings(one: Curve, other: Curve) -> list[Crossing]:
    """Return where two curves change places, up to one more than MOST_CROSSINGS.

    Curves that only touch do not.
    """
    x, first, second = np.intersect1d(one.x, other.x, assume_unique=True, return_indices=True)
    y = np.array(one.y)[first]
    ahead = y - np.array(other.y)[second]
    apart = ahead != 0
    x, y, ahead = x[apart], y[apart], ahead[apart]
    found = []
    for last in np.flatnonzero(np.diff(np.sign(ahead)))[: MOST_CROSSINGS + 1].tolist():
        (x0, x1), (y0, y1), (a0, a1) = (each[last : last + 2].tolist() for each in (x, y, ahead))
        share = a0 / (a0 - a1)
        names = (one.provider, other.provider) if a0 > 0 else (other.provider, one.provider)
        place = x0 + share * (x1 - x0), y0 + share * (y1 - y0)
        found.append(Crossing(*place, (x0, x1), one.hardware, *names))
    return found


def all_crossings(lines: Sequence[Curve]) -> list[Crossing]:
    """Return the crossings of curves of the same hardware; none if these are more than
    MOST_CROSSINGS.
    """
    pairs = [
        (one, other) for one, other in combinations(lines, 2) if one.hardware == other.hardware
    ]
    found = [crossing for one, other in pairs for crossing in crossings(one, other)]
    return found if len(found) <= MOST_CROSSINGS else []


def crossings_between(
    sweep: SweepRequest, results: Iterable[CellResult], direction: str, mode: str = "kernel_cold"
) -> list[Crossing]:
    """Return where the lines of a sweep with one axis overtake each other in GB/s."""
    if len(sweep.axes) != 1 or sweep.search:
        return []
    return all_crossings(curves(sweep, one_a_launch(results), direction, mode))
