"""The cells of a sweep, one for each setting that gets a row, and the rows."""

import itertools
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from lnexplorer.domain.comparison import Interval, median_interval
from lnexplorer.domain.measuring import PROBLEM_NAMES, MeasuredCandidate, Status
from lnexplorer.domain.parameters import owner_of
from lnexplorer.domain.peers import known_providers
from lnexplorer.domain.ranges import Value
from lnexplorer.domain.request import ResolvedRequest, RunRequest, plan_run
from lnexplorer.domain.sweep.request import EFFORTS, SweepRequest
from lnkernels.launch import LaunchWish, belongs
from lnkernels.launch.source import KernelSource, SettingValue, combinations, name_with
from lnkernels.values import Sentence, frozen_by_name
from lnkernels.values.environment import DeviceState, Environment, Kind

# Elements of a tile for each thread from which on compiling takes long (triton 3.7, a core of 2.8
# GHz): 1.5 s for 128, 6 to 8 s for 256, 49 s for 512.
_SLOW_ELEMENTS = 256


@frozen_by_name
class Cell:
    """A setting of a strategy, or a peer on a problem."""

    number: int  # from 0, in the order of the grid: the first axis slowest, strategies before peers
    point: tuple[int, ...]  # index of the value on each axis
    provider: str  # the strategy, or the peer
    peer: bool
    request: RunRequest
    settings: tuple[
        tuple[str, SettingValue], ...
    ] = ()  # those on an axis, of a kernel of one's own

    @property
    def candidate(self) -> str:
        """The name by which a worker knows a peer."""
        return name_with(self.provider, dict(self.settings)) if self.settings else self.provider

    def is_placed_by(self, axis: str) -> bool:
        """Return whether a value of an axis makes another cell.

        A peer has no launch settings, and nobody else's own ones.
        """
        if owner_of(axis):
            return self.provider == owner_of(axis)
        return not self.peer or axis in PROBLEM_NAMES


def missing_peers(results: Iterable["CellResult"]) -> set[str]:
    """Return the providers whose every row says that they are not here."""
    peers = [result for result in results if result.cell.peer]
    usable = {result.cell.provider for result in peers if result.status != "invalid"}
    return {result.cell.provider for result in peers} - usable


def setting_cell(number: int, request: RunRequest) -> Cell:
    """Return the cell of a setting that lies on no axis."""
    return Cell(number=number, point=(), provider=request.strategy, peer=False, request=request)


@lru_cache(maxsize=4)  # 20,000 cells take a second
def all_cells(sweep: SweepRequest) -> tuple[Cell, ...]:
    """Return every cell, by number.

    A peer has one cell for each problem, however many launch settings are tried on it, and so has a
    strategy for those of its own settings, where another strategy beside it has the others.
    """
    cells: list[Cell] = []
    met: set[object] = set()
    for point in itertools.product(*(range(len(axis.values)) for axis in sweep.axes)):
        values = {
            axis.name: axis.values[index] for axis, index in zip(sweep.axes, point, strict=True)
        }
        for provider, peer, request in _subjects(sweep, values):
            own = tuple(
                (name.rpartition(".")[2], value)
                for name, value in values.items()
                if owner_of(name) == provider and value is not None
            )
            if (provider, request, own) in met:
                continue
            met.add((provider, request, own))
            cells.append(
                Cell(
                    number=len(cells),
                    point=point,
                    provider=provider,
                    peer=peer,
                    request=request,
                    settings=own,
                )
            )
    return tuple(cells)


MOST_COUNTED = 2_000  # settings that are made to count them: a tenth of a second
MOST_ESTIMATED = 100  # cells from whose times that of all is told


def estimate(sweep: SweepRequest, backend: str) -> tuple[int, float]:
    """Return how many cells a sweep has at most, and about how many seconds one device takes for
    them; 0 where that is not known.
    """
    count = sweep.search or sweep.settings * len((*sweep.strategies, *sweep.providers))
    cells = all_cells(sweep) if count <= MOST_COUNTED and not sweep.search else ()
    count = len(cells) or count
    if backend == "cuda":
        figures = len(sweep.directions) * len(sweep.modes)
        return count, count * figures * EFFORTS[sweep.effort].takes
    some = cells[:: -(-len(cells) // MOST_ESTIMATED) or 1]
    seconds = [plan_run(cell.request, backend).seconds for cell in some if not cell.peer]
    return count, count * sum(seconds) / max(len(some), 1)


def kernels_of(sweep: SweepRequest, kernel: KernelSource | None) -> list[KernelSource]:
    """Return a user kernel with each combination of settings that a sweep tries; none if it has no
    part in it.

    Raises:
        SourceError: there are too many.
    """
    if kernel is None or kernel.name not in sweep.providers:
        return []
    own = [axis for axis in sweep.axes if owner_of(axis.name) == kernel.name]
    varied = {
        axis.name.rpartition(".")[2]: [value for value in axis.values if value is not None]
        for axis in own
    }
    return combinations(kernel, varied)


def kernels_left_out(
    sweep: SweepRequest, kernels: Iterable[KernelSource], offered: Iterable[str] = ()
) -> list[str]:
    """Return the user kernels of a kept sweep whose files are not named: it has their names alone.

    Args:
        sweep: as it was kept.
        kernels: that somebody has named, as `kernels_of` gives them.
        offered: providers that are known elsewhere, beside those that are known here.
    """
    there = {*known_providers(), *offered, *(kernel.name for kernel in kernels)}
    return list(
        dict.fromkeys(
            cell.provider for cell in all_cells(sweep) if cell.peer and cell.candidate not in there
        )
    )


def in_good_order(sweep: SweepRequest, cells: Iterable[Cell]) -> list[Cell]:
    """Sort cells from coarse to fine: the ends of the axes, their middles, and so on; last those
    that are slow to compile.

    Cells of one point follow each other, so that strategies and peers that are compared meet the
    same clocks. Settings are timed in batches, and one that compiles for half a minute would hold
    its batch up: meanwhile all others are timed.
    """
    depths = [subdivision_depths(len(axis.values)) for axis in sweep.axes]

    def order(cell: Cell) -> tuple[bool, int, int]:
        depth = max((depths[axis][index] for axis, index in enumerate(cell.point)), default=0)
        return not cell.peer and slow_to_compile(cell.request), depth, cell.number

    return sorted(cells, key=order)


def slow_to_compile(request: RunRequest) -> bool:
    """Return whether a kernel takes seconds to compile: threads have many elements of its tile."""
    plan = plan_run(request, "cuda")
    if plan.problems:
        return False
    launch = plan.resolved.launch
    forward_warps = launch.forward_num_warps or launch.num_warps
    forward = launch.forward_rows * launch.block_size / forward_warps
    backward = launch.rows * launch.block_size_n / launch.num_warps
    return max(forward, backward) >= 32 * _SLOW_ELEMENTS


def subdivision_depths(count: int) -> list[int]:
    """Return how often a row of `count` values is halved before each is met; 0 for the two ends."""
    depths = [0] * count
    parts = [(0, count - 1, 1)]
    while parts:
        low, high, depth = parts.pop()
        if high - low < 2:
            continue
        middle = (low + high) // 2
        depths[middle] = depth
        parts += [(low, middle, depth + 1), (middle, high, depth + 1)]
    return depths


def _subjects(
    sweep: SweepRequest, values: dict[str, Value]
) -> Iterable[tuple[str, bool, RunRequest]]:
    request = sweep.base.changed(
        **{name: value for name, value in values.items() if not owner_of(name)}
    )
    for strategy in sweep.strategies:
        # What no strategy of the sweep has stays, so that its cells are refused with the reason.
        kept = {
            name: value
            for name, value in request.launch.given().items()
            if belongs(name, strategy)
            or not any(belongs(name, other) for other in sweep.strategies)
        }
        yield strategy, False, replace(request, launch=LaunchWish(strategy=strategy, **kept))
    # Of the strategies auto takes the widest rows, so that a peer is refused nothing that only the
    # others cannot do.
    problem = request.problem("auto")
    for provider in sweep.providers:
        yield provider, True, problem


VERSION = 1  # of a row, in files


@frozen_by_name(eq=False)
class CellResult(MeasuredCandidate):
    """A row of a sweep.

    It has figures only where the results are right, and none on the interpreter.
    """

    cell: Cell
    status: Status
    reason: Sentence | None
    device: str  # "cuda:0", "interpreter"
    kind: Kind
    environment: Environment  # when its timing had ended
    before: DeviceState | None = (
        # when it began; None where nothing was timed, and in rows of versions that did not keep it
        None
    )
    resolved: ResolvedRequest | None = None  # None for a setting that is not possible
    notes: tuple[Sentence, ...] = ()  # what makes the figures doubtful
    seconds: float = 0.0  # its part of the time from the hand-over to the answer
    timing_seconds: float = 0.0  # of these, while the GPU was timing

    @property
    def hardware(self) -> str:
        """The kind of device. Figures of unlike hardware are never one line."""
        return self.environment.gpu or "CPU"

    def largest_error(self, direction: str) -> float | None:
        """Return the largest error of y, or of dw and db. dx does not depend on how these are
        summed, which is what settings change.
        """
        names = ("y",) if direction == "forward" else ("dw", "db")
        known = (each.max_abs for each in self.errors if each.name in names)
        return max((value for value in known if value is not None), default=None)


def time_interval(result: CellResult, directions: tuple[str, ...], mode: str) -> Interval | None:
    """Return the ms of all `directions` together with their 95 % interval; None where one is
    missing.

    The ends of the passes' intervals are added, which never claims to know more than is known.
    """
    low = value = high = 0.0
    for direction in directions:
        figure = result.figure(direction, mode)
        each = None if figure is None else median_interval(figure.samples_ms)
        if each is None:
            return None
        low, value, high = low + each.low, value + each.value, high + each.high
    return Interval(low, value, high)
