"""Pictures of a sweep for a report: lines over one parameter, a map of two for each strategy; errors where no times are."""

import math
from collections.abc import Sequence

from lnexplorer.domain import wording
from lnexplorer.domain.measuring import PROBLEM_NAMES
from lnexplorer.domain.parameters import BY_NAME
from lnexplorer.domain.ranges import write_values
from lnexplorer.domain.sweep.best import best
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.request import Axis
from lnexplorer.report.line_picture import LinePicture, Series, Spot, line_picture
from lnexplorer.report.map_picture import Cell, MapPicture, map_picture
from lnexplorer.report.svg import colour_of
from lnexplorer.store.sweep_values import RecordedSweep

# dx does not depend on how dw and db are summed, which is what settings change.
TENSORS = {"forward": ("y",), "backward": ("dw", "db")}
SHORT = {
    "incorrect": "wrong",
    "invalid": "refused",
    "out_of_resources": "no room",
    "timed_out": "too slow",
    "failed": "failed",
}
MANIFOLD = 16  # numbers that grow by more than this stand at their logarithms
Value = tuple[float, float, float]  # value, low, high


def sweep_pictures(recorded: RecordedSweep, source: str) -> list[str]:
    """One for each pass of a sweep over one parameter; of one over two, one for each strategy, too. None of a search."""
    sweep = recorded.sweep
    if sweep.search or not sweep.axes:
        return []
    timed = any(result.figures for result in recorded.results)
    draw = _lines if len(sweep.axes) == 1 else _maps
    return [picture for direction in sweep.directions for picture in draw(recorded, direction, timed, source) if picture]


def _lines(recorded: RecordedSweep, direction: str, timed: bool, source: str) -> list[str]:
    axis = recorded.sweep.axes[0]
    places = _places(axis)
    several = len(recorded.gpus) > 1
    found: dict[tuple[str, str], list[Spot]] = {}
    wrong: list[tuple[float, str]] = []
    gaps: dict[tuple[str, str], list[float]] = {}
    for result in recorded.results:
        value = _value(recorded, result, direction, timed)
        words = f"{result.cell.provider}, {_label(axis, result.cell.point[0])}"
        if value is not None:
            spots = found.setdefault((result.cell.provider, result.hardware), [])
            # A peer has one cell for all launch settings, and a level line beside them.
            level = result.cell.peer and axis.name not in PROBLEM_NAMES
            for x in places if level else (places[result.cell.point[0]],):
                spots.append(Spot(x, *value, f"{words}: {_words(value[0], timed)}"))
        elif result.status != "ok":
            wrong.append((places[result.cell.point[0]], f"{words}: {result.reason or result.status}"))
            gaps.setdefault((result.cell.provider, result.hardware), []).append(places[result.cell.point[0]])
    series = tuple(
        Series(
            name=f"{key[0]}, {key[1]}" if several else key[0],
            colour=colour_of(key[0], place),
            spots=tuple(spots),
            gaps=tuple(gaps.get(key, ())),
        )
        for place, (key, spots) in enumerate(found.items())
    )
    picture = LinePicture(
        title=_title(recorded, direction, timed),
        x_label=BY_NAME[axis.name].label,
        y_label="GB/s" if timed else "largest error",
        ticks=tuple(sorted((x, write_values((value,))) for x, value in zip(places, axis.values, strict=True))),
        series=series,
        wrong=tuple(wrong),
        source=source,
        log=not timed,
    )
    return [line_picture(picture)]


def _maps(recorded: RecordedSweep, direction: str, timed: bool, source: str) -> list[str]:
    across, down = recorded.sweep.axes
    keys = dict.fromkeys((result.cell.provider, result.hardware) for result in recorded.results)
    return [
        _map(recorded, [r for r in recorded.results if (r.cell.provider, r.hardware) == key], key, direction, timed, source)
        for key in keys
        if len(across.values) > 1 or len(down.values) > 1
    ]


def _map(
    recorded: RecordedSweep, results: Sequence[CellResult], key: tuple[str, str], direction: str, timed: bool, source: str
) -> str:
    across, down = recorded.sweep.axes
    cells = {}
    for result in results:
        column, row = result.cell.point
        value = _value(recorded, result, direction, timed)
        words = f"{_label(across, column)}, {_label(down, row)}"
        if value is not None:
            cells[column, row] = Cell(value[0], _short(value[0], timed), f"{words}: {_words(value[0], timed)}")
        else:
            cells[column, row] = Cell(None, SHORT.get(result.status, ""), f"{words}: {result.reason or result.status}")
    bests = best(results, (direction,), recorded.sweep.modes[0]) if timed else []
    name = f"{key[0]}, {key[1]}" if len(recorded.gpus) > 1 else key[0]
    picture = MapPicture(
        title=f"{name}: {_title(recorded, direction, timed)}",
        columns=tuple(write_values((value,)) for value in across.values),
        rows=tuple(write_values((value,)) for value in down.values),
        column_label=BY_NAME[across.name].label,
        row_label=BY_NAME[down.name].label,
        cells=cells,
        best=frozenset((found.result.cell.point[0], found.result.cell.point[1]) for found in bests if len(bests) == 1),
        source=source,
        falling=not timed,
    )
    return map_picture(picture)


def _value(recorded: RecordedSweep, result: CellResult, direction: str, timed: bool) -> Value | None:
    if result.status != "ok":
        return None
    if timed:
        figure = result.figure(direction, recorded.sweep.modes[0])
        if figure is None:
            return None
        moved = figure.gbps * figure.p50_ms  # GB/s is bytes over time: its percentiles are the opposite ones of the time
        return figure.gbps, moved / figure.p80_ms, moved / figure.p20_ms
    found = largest_error(result, direction)
    return None if found is None else (found, found, found)


def largest_error(result: CellResult, direction: str) -> float | None:
    """The largest error of what a pass gives."""
    errors = [error.max_abs for name in TENSORS[direction] if (error := result.error(name)) is not None]
    return max(errors, default=None)


def _places(axis: Axis) -> list[float]:
    """Numbers lie where they are, or at their logarithms where they are wide apart; everything else side by side."""
    numbers = [float(value) for value in axis.values if isinstance(value, int | float) and not isinstance(value, bool)]
    if len(numbers) < len(axis.values):
        return [float(place) for place in range(len(axis.values))]
    wide = min(numbers) > 0 and max(numbers) > MANIFOLD * min(numbers) and axis.name != "n"
    return [math.log2(number) for number in numbers] if wide else numbers


def _label(axis: Axis, index: int) -> str:
    return f"{BY_NAME[axis.name].label} = {write_values((axis.values[index],))}"


def _title(recorded: RecordedSweep, direction: str, timed: bool) -> str:
    return f"{direction}, {recorded.sweep.modes[0]}, GB/s" if timed else f"{direction}, largest error"


def _words(value: float, timed: bool) -> str:
    return f"{wording.gbps(value)} GB/s" if timed else f"error {wording.error(value)}"


def _short(value: float, timed: bool) -> str:
    return wording.gbps(value) if timed else wording.error(value)
