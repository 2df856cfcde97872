"""A search as a chart: every setting at its place in the order of trials, and how good the best so far is. No Qt."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.sweep.cells import CellResult, time_interval
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.gui.charts.axes import ValueScale
from lnexplorer.gui.sweep.values import View, value_of

STEP = 20  # the axis grows by so many trials at once, so that a growing search does not move the view with every row
Steps = tuple[NDArray[np.float64], NDArray[np.float64]]  # x, y


def trial_scale(trials: int) -> ValueScale:
    """Places of so many trials, and of some more."""
    places = range(1, max(-(-trials // STEP), 1) * STEP + 1)
    return ValueScale(tuple(map(float, places)), tuple(map(str, places)), by_size=False)


def place_of(result: CellResult) -> float:
    """Where a trial stands: the first one at 1."""
    return float(result.cell.number + 1)


def search_time(sweep: SweepRequest, result: CellResult) -> float | None:
    """Milliseconds that a search compares: of all passes together; None where a setting has no right result or no time."""
    time = time_interval(result, sweep.directions, sweep.modes[0]) if result.status == "ok" else None
    return None if time is None else time.value


def best_so_far(sweep: SweepRequest, results: Iterable[CellResult], view: View) -> dict[str, Steps]:
    """By hardware, the value that `view` reads off the setting that was fastest until then, as a line of steps."""
    found: dict[str, tuple[list[float], list[float]]] = {}
    fastest: dict[str, float] = {}
    for result in sorted(results, key=lambda each: each.cell.number):
        time, value = search_time(sweep, result), value_of(result, view)
        x, y = found.setdefault(result.hardware, ([], []))
        place = place_of(result)
        if y:
            x.append(place)
            y.append(y[-1])
        if time is not None and value is not None and time < fastest.get(result.hardware, np.inf):
            fastest[result.hardware] = time
            x.append(place)
            y.append(value[0])
    return {hardware: (np.array(x), np.array(y)) for hardware, (x, y) in found.items() if y}
