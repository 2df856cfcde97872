"""What a card shows of a recorded sweep: its lines, or its map, read off the rows without a window."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.measuring import PROBLEM_NAMES
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.curves import Curve
from lnexplorer.store.sweep_values import RecordedSweep

SIZES = ("m", "n")  # axes on which distances mean something; the values of others stand side by side
Key = tuple[str, str]  # provider, hardware: never one line for two of these


@dataclass(frozen=True, eq=False, slots=True)
class SweepSketch:
    """Lines, or a map."""

    curves: tuple[Curve, ...] = ()
    grid: NDArray[np.float64] | None = None  # [second axis, first axis] from 0 to 1, the best; NaN where there is no value


def sketch_of(recorded: RecordedSweep) -> SweepSketch:
    """GB/s of the backward pass where it was timed, else of the other; of rows without speeds the largest error of dw and db."""
    sweep = recorded.sweep
    direction = "backward" if "backward" in sweep.directions else sweep.directions[0]
    timed = any(result.figure(direction, sweep.modes[0]) for result in recorded.results)
    values: dict[Key, list[tuple[CellResult, float]]] = {}
    for result in recorded.results:
        value = _speed(result, direction, sweep.modes[0]) if timed else _error(result)
        if value is not None:
            values.setdefault((result.cell.provider, result.hardware), []).append((result, value))
    if len(sweep.axes) == 2 and not sweep.search:
        return SweepSketch(grid=_grid(recorded, values, timed=timed))
    return SweepSketch(curves=tuple(_curve(recorded, key, found) for key, found in values.items()))


def _curve(recorded: RecordedSweep, key: Key, found: list[tuple[CellResult, float]]) -> Curve:
    sweep = recorded.sweep
    points: dict[float, float] = {}
    for result, value in found:
        if sweep.search or not sweep.axes:
            points[float(result.cell.number)] = value
            continue
        (axis,), place = sweep.axes, result.cell.point[0]
        given = axis.values[place]
        by_size = axis.name in SIZES and all(type(each) is int for each in axis.values)
        # A peer has one cell for all launch settings, and a level line.
        everywhere = result.cell.peer and axis.name not in PROBLEM_NAMES
        for x in range(len(axis.values)) if everywhere else (float(given) if by_size and given is not None else place,):
            points[float(x)] = value
    return Curve(*key, *zip(*sorted(points.items()), strict=True))


def _grid(
    recorded: RecordedSweep, values: dict[Key, list[tuple[CellResult, float]]], *, timed: bool
) -> NDArray[np.float64] | None:
    """That of the first strategy on one kind of hardware."""
    found = next((each for key, each in values.items() if key[0] in recorded.sweep.strategies), None)
    if found is None:
        return None
    first, second = (len(axis.values) for axis in recorded.sweep.axes)
    grid = np.full((second, first), np.nan)
    for result, value in found:
        grid[result.cell.point[1], result.cell.point[0]] = value if timed else -value
    low, high = float(np.nanmin(grid)), float(np.nanmax(grid))
    return np.divide(grid - low, (high - low) or 1.0)


def _speed(result: CellResult, direction: str, mode: str) -> float | None:
    figure = result.figure(direction, mode)
    return None if figure is None else figure.gbps


def _error(result: CellResult) -> float | None:
    found = [error.max_abs for error in result.errors if error.name in ("dw", "db") and np.isfinite(error.max_abs)]
    return max(found) if found and result.status == "ok" else None
