"""The curves and the map of a sweep's rows, as the charts draw them."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from lnexplorer.domain import wording
from lnexplorer.domain.ranges import write_values
from lnexplorer.domain.sweep.best import Best, one_a_launch
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.curves import Crossing, Curve, all_crossings
from lnexplorer.domain.sweep.findings import STATUS_WORDS, changes
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.domain.sweep.views import FALLING, SPEEDS, Key, SweepTable, View, text_of, value_of
from lnexplorer.gui.charts.axes import ValueScale, value_scale
from lnexplorer.gui.charts.setting_map import SettingGrid
from lnexplorer.gui.charts.speed_chart import provider_colour, shade, symbol
from lnexplorer.gui.charts.sweep_chart import (
    AxisMark,
    OverlayLine,
    SweepLine,
    SweepPicture,
    Unlined,
)
from lnexplorer.gui.kit import translate_message
from lnkernels.launch import STRATEGIES

# The axis of a search grows by so many trials at a time: the view does not move with every row.
TRIALS_STEP = 20
# Short names for an arrow from one value to the next, where the full names would not fit.
SHORT = {"block_size": "BLOCK", "num_warps": "warps", "group_size_m": "GROUP"}
NO_VALUE = (np.nan, np.nan, np.nan)
MARKS = {"inexact": "≈ ", "no kernel": "∅ "}  # before a value in a map


class Highlights(NamedTuple):
    """The best settings, and the places at which curves cross."""

    bests: list[Best]
    crossings: list[Crossing]  # at places of the scale


def axis_scales(table: SweepTable) -> tuple[ValueScale, ...]:
    """Return the scale of each axis; for a search, that of its trials."""
    if not table.sweep.search:
        return _scales(table.sweep)
    last = max(max(table.results, default=0) // TRIALS_STEP + 1, 1) * TRIALS_STEP
    trials = range(1, last + 1)
    return (ValueScale(tuple(map(float, trials)), tuple(map(str, trials)), by_size=False),)


@lru_cache(maxsize=4)
def _scales(sweep: SweepRequest) -> tuple[ValueScale, ...]:
    return tuple(
        value_scale(
            axis.values,
            [write_values((value,)) for value in axis.values],
            even=len(sweep.axes) == 2,
        )
        for axis in sweep.axes
    )


def find(table: SweepTable, view: View) -> Highlights:
    """Return the best settings and the crossings of a view; none if it does not show speeds."""
    if view.quantity not in SPEEDS:
        return Highlights([], [])
    scales, crossings = axis_scales(table), []
    if not table.is_map and not table.sweep.search and scales and scales[0].by_size:
        points: dict[Key, dict[float, float]] = {}
        for result in one_a_launch(table.results.values()):
            if (value := value_of(result, view)) is not None:
                key = (result.cell.provider, result.hardware)
                points.setdefault(key, {})[_place(table, scales[0], result)] = value[0]
        crossings = all_crossings(
            [
                Curve(*key, *zip(*sorted(points[key].items()), strict=True))
                for key in table.subjects()
                if key in points
            ]
        )
    return Highlights(table.bests(view), crossings)


def sweep_lines(table: SweepTable, view: View) -> tuple[SweepLine, ...]:
    """Return the curves of a sweep over one parameter.

    A curve is broken where a setting is wrong or was not measured.
    """
    scale, hardware_of = axis_scales(table)[0], table.hardware
    lines = []
    for provider, hardware in table.subjects():
        results = table.rows.get((provider, hardware), {})
        rows = [
            (
                _place(table, scale, result),
                *(value_of(result, view) or NO_VALUE),
                number,
                result.inexact,
            )
            for number, result in results.items()
            if result.status != "ok" or value_of(result, view) is not None
        ]
        if all(np.isnan(row[1]) for row in rows):
            continue
        first = table.results[rows[0][4]].cell
        placed = table.sweep.search > 0 or first.is_placed_by(table.sweep.axes[0].name)
        if len(rows) == 1 and not placed:
            # The setting does not have the parameter, so one cell stands for all its values.
            rows = [(place, *rows[0][1:]) for place in scale.places]
        elif not table.sweep.search:
            told = {row[0] for row in rows}
            rows += [(place, *NO_VALUE, -1, False) for place in scale.places if place not in told]
        x, y, low, high, cells, inexact = np.array(
            sorted(rows, key=lambda row: row[0]), np.float64
        ).T
        group, known = hardware_of.index(hardware), {each.verdict for each in results.values()}
        verdict = next((each for each in MARKS if each in known), None)
        label = translate_message(wording.with_verdict(wording.provider_label(provider), verdict))
        lines.append(
            SweepLine(
                label=f"{label} · {hardware}" if len(hardware_of) > 1 else label,
                colour=shade(provider_colour(provider), group).name(),
                symbol=symbol("forward" if provider in STRATEGIES else "backward", group),
                x=x,
                y=y,
                low=low,
                high=high,
                cells=cells.astype(np.int64),
                hollow=inexact.astype(bool),
            )
        )
    return tuple(lines)


def sweep_picture(
    table: SweepTable,
    view: View,
    overlays: Sequence[OverlayLine] = (),
    found: Highlights | None = None,
) -> SweepPicture:
    """Return the curves of a sweep with their marks, overlays, crossings and best settings.

    Args:
        table: the rows.
        view: what is looked at.
        overlays: figures from elsewhere.
        found: the result of `find`, perhaps of fewer rows; None: it is called now.
    """
    bests, crossings = find(table, view) if found is None else found
    scale = axis_scales(table)[0]
    foot = tuple(
        Unlined(
            _place(table, scale, result),
            result.status,
            result.cell.number,
            (value_of(result, view, wrong=True) or NO_VALUE)[0],
        )
        for result in table.results.values()
        if result.status != "ok" and value_of(result, view) is None
    )
    return SweepPicture(
        scale=scale,
        lines=sweep_lines(table, view),
        foot=foot,
        overlays=tuple(overlays),
        marks=axis_marks(table.sweep, scale) if view.quantity in SPEEDS and scale.by_size else (),
        crossings=tuple((crossing.x, crossing.y) for crossing in crossings),
        best=tuple(each.result.cell.number for each in bests),
        log=view.quantity in {"error", "queued", "trying"},
        percent=view.quantity in {"share", "occupancy"},
    )


@lru_cache(maxsize=4)
def axis_marks(sweep: SweepRequest, scale: ValueScale) -> tuple[AxisMark, ...]:
    """Return the places at which heuristics choose other settings, with the changes."""
    words: dict[float, list[str]] = {}
    for change in changes(sweep):
        name = SHORT.get(change.name, change.name)
        words.setdefault(scale.place_of(change.at), []).append(
            f"{name} {change.before}→{change.after}"
        )
    return tuple(AxisMark(x, " · ".join(texts)) for x, texts in words.items())


def setting_grid(table: SweepTable, view: View, key: Key) -> SettingGrid:
    """Return the map of one strategy or peer on one kind of hardware.

    Args:
        table: the rows.
        view: what is looked at.
        key: of `SweepTable.subjects`.
    """
    columns, rows = axis_scales(table)
    shape = len(rows.places), len(columns.places)
    values, numbers = np.full(shape, np.nan), np.full(shape, -1, np.int64)
    states, texts = np.full(shape, "", object), np.full(shape, "", object)
    for number, result in table.rows.get(key, {}).items():
        place = result.cell.point[1], result.cell.point[0]
        numbers[place] = number
        states[place] = result.status
        text = translate_message(STATUS_WORDS[result.standing])
        if (value := value_of(result, view, wrong=True)) is not None:
            written = text_of(value[0], view.quantity)
            if result.status == "ok":
                values[place] = value[0]
                text = MARKS.get(result.standing, "") + written
            else:
                text = f"{text} {written}"
        texts[place] = text
    return SettingGrid(
        rows=rows,
        columns=columns,
        values=values,
        states=states,
        texts=texts,
        cells=numbers,
        best=[best.result.cell.number for best in table.bests(view)],
        falling=view.quantity in FALLING,
    )


def _place(table: SweepTable, scale: ValueScale, result: CellResult) -> float:
    cell = result.cell
    return cell.number + 1.0 if table.sweep.search else scale.places[cell.point[0]]
