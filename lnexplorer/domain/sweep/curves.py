"""What a curve over N shows: where the heuristics change a launch setting, and where one curve overtakes another.

Pure.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.domain.sweep.best import one_a_launch
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.request import SweepRequest
from lnkernels.values.environment import Kind

# Settings whose change the tutorial's curve shows.
WATCHED = ("block_size", "num_warps", "group_size_m")
# Curves that meet more often are the same but for noise.
MOST_CROSSINGS = 16


@dataclass(frozen=True, slots=True)
class Change:
    """From this value of the axis on, the heuristics choose otherwise than for the value before."""

    at: int  # the first value with the new choice
    name: str  # field of Launch
    before: object
    after: object


@dataclass(frozen=True, slots=True)
class Curve:
    """One line of a chart: a strategy or a peer, on one kind of hardware."""

    provider: str
    hardware: str
    x: tuple[float, ...]  # ascending
    y: tuple[float, ...]


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Overlay:
    """Curves of GB/s against N from one source: a page, or a benchmark or sweep on a named GPU and date."""

    title: str
    brief: str = ""  # beside others of its kind; empty for the title
    source: str = ""  # of what was recorded here: a benchmark or a sweep
    kind: Kind  # published or recorded
    problem: str  # M and dtype, in words
    direction: str
    mode: str | None  # None where the source does not say
    curves: tuple[Curve, ...]
    beside_all: bool = False  # also beside figures of another way of calling, which is said then

    def differs(self, mode: str) -> bool:
        return self.mode not in {None, mode}


@dataclass(frozen=True, slots=True)
class Crossing:
    """Where one curve overtakes another."""

    x: float  # where straight lines between the points meet: a place on a chart, which nobody has measured
    between: tuple[float, float]  # the points
    ahead_before: str  # the label of the curve that is higher before
    ahead_after: str


def setting_changes(base: RunRequest, ns: Iterable[int]) -> list[Change]:
    """Where along N the launch changes. A setting that `base` holds fixed never does.

    Args:
        base: the setting; its n is not used.
        ns: values of N, in any order; those that are not possible are the caller's to leave out.
    """
    changes: list[Change] = []
    before = None
    for n in sorted(set(ns)):
        launch = resolve(replace(base, n=n), "cuda").launch
        if before is not None:
            changes += [
                Change(n, name, getattr(before, name), getattr(launch, name))
                for name in WATCHED
                if getattr(before, name) != getattr(launch, name)
            ]
        before = launch
    return changes


def curves(sweep: SweepRequest, results: Iterable[CellResult], direction: str, mode: str = "kernel_cold") -> list[Curve]:
    """GB/s over the one axis of a sweep, as lines: one for each strategy or peer and kind of hardware."""
    points: dict[tuple[str, str], dict[float, float]] = {}
    for result in results:
        figure = result.figure(direction, mode) if result.status == "ok" else None
        x: object = sweep.axes[0].values[result.cell.point[0]]
        if x is None and result.resolved is not None:
            x = _resolved_value(result, sweep.axes[0].name)
        if figure is not None and isinstance(x, int | float):
            points.setdefault((result.cell.provider, result.hardware), {})[x] = figure.gbps
    return [
        Curve(provider, hardware, tuple(sorted(line)), tuple(line[x] for x in sorted(line)))
        for (provider, hardware), line in points.items()
    ]


def crossings(one: Curve, other: Curve, same: Collection[float] = ()) -> list[Crossing]:
    """Where `one` and `other` change places, over the points that both have. Curves that only touch do not. At points
    of `same` both ran the same launch, so that a difference is noise.
    """
    second = dict(zip(other.x, other.y, strict=True))
    shared = [(x, y - second[x]) for x, y in zip(one.x, one.y, strict=True) if x in second and x not in same]
    found: list[Crossing] = []
    last: tuple[float, float] | None = None  # the last point at which they differ
    for x, difference in shared:
        if difference == 0:
            continue
        if last is not None and (last[1] > 0) != (difference > 0):
            share = abs(last[1]) / (abs(last[1]) + abs(difference))
            before, after = (one.provider, other.provider) if last[1] > 0 else (other.provider, one.provider)
            found.append(Crossing(last[0] + share * (x - last[0]), (last[0], x), before, after))
        last = x, difference
    return found


def crossings_between(
    sweep: SweepRequest, results: Iterable[CellResult], direction: str, mode: str = "kernel_cold"
) -> list[Crossing]:
    """Where the lines of a sweep with one axis overtake each other in GB/s; those of unlike hardware are not compared,
    and points of one launch are one point. None where these are more than MOST_CROSSINGS.
    """
    if len(sweep.axes) != 1 or sweep.search:
        return []
    lines = curves(sweep, one_a_launch(results), direction, mode)
    pairs = [(one, other) for index, one in enumerate(lines) for other in lines[index + 1 :] if one.hardware == other.hardware]
    found = [crossing for one, other in pairs for crossing in crossings(one, other)]
    return found if len(found) <= MOST_CROSSINGS else []


def _resolved_value(result: CellResult, name: str) -> object:
    assert result.resolved is not None, "the caller has looked"
    return getattr(result.resolved, name) if hasattr(result.resolved, name) else getattr(result.resolved.launch, name)
