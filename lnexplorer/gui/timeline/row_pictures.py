"""Pictures of rows over time, as indices of the lane table: a bar for each row, or how many rows of
each group queue.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.timeline import free_ns, peak_queue, phase_times
from lnexplorer.gui.timeline.colours import (
    COMPUTING,
    GREY,
    HEAT,
    HELD,
    HUES,
    LEVELS,
    OVER,
    TILE,
    TRIED,
)
from lnexplorer.gui.timeline.lanes import LEAST_ROW, TimeAxis
from lnkernels.values.timeline import ReductionTimeline

_TOLD_APART = 10.0  # px of a group; in lower ones its rows are not told from each other
_COLOURED = 3.0  # px of a group; lower ones do not have the colour of their lock


@dataclass(frozen=True, eq=False, slots=True)
class Arrangement:
    """The rows from top to bottom: each has a place, from 0."""

    rows: NDArray[np.int64]  # [M] at each place
    place: NDArray[np.int64]  # [M] of each row
    group: NDArray[np.int64]  # [M] of each row, counted from the top
    first: NDArray[np.int64]  # [groups + 1] first place of each group, and M
    number: NDArray[np.int64]  # [groups] of the lock or the SM
    deepest: int  # rows of a group that queue at once, at most; at least 1


@lru_cache(maxsize=6)  # called for every turn of the wheel
def arranged(timeline: ReductionTimeline, grouping: str) -> Arrangement:
    """Arrange the rows by one of GROUPINGS, each group in the order of their starts."""
    keys = {"lock": timeline.lock, "sm": timeline.sm}.get(grouping, np.zeros(timeline.m, np.int32))
    numbers, group = np.unique(keys, return_inverse=True)
    rows = np.lexsort((timeline.start_ns, group))
    place = np.empty(timeline.m, np.int64)
    place[rows] = np.arange(timeline.m)
    return Arrangement(
        rows=rows,
        place=place,
        group=group,
        first=np.searchsorted(group[rows], np.arange(numbers.size + 1)).astype(np.int64),
        number=numbers.astype(np.int64),
        deepest=max(peak_queue(timeline, group), 1),
    )


def hues(grouping: str, arrangement: Arrangement, band: float) -> NDArray[np.uint8]:
    """Return the hue of the heat of each group [groups], `band` px high: its lock's, or grey if it
    has none.

    Of locks that share pixels, the few that happen to be drawn would make a pattern that is not
    there: they are grey, too.
    """
    locks = arrangement.number % HUES
    coloured = grouping == "lock" and band >= _COLOURED
    return (locks if coloured else np.full(locks.size, GREY)).astype(np.uint8)


def heat_picture(
    timeline: ReductionTimeline,
    grouping: str,
    axis: TimeAxis,
    height: int,
    top: float = 0.0,
    bottom: float = 1.0,
) -> NDArray[np.uint8]:
    """Picture how many rows of each group queue while rows of it are on the GPU, and the tiles of
    stage 2 behind them.

    Args:
        timeline: any.
        grouping: one of GROUPINGS.
        axis: the stretch of time.
        height: in pixels.
        top: of the part of the rows, 0 to 1.
        bottom: its end.

    Returns:
        Indices of the lane table [height, width].
    """
    m, columns = timeline.m, _columns(axis)
    rows = arranged(timeline, grouping)
    edges = _edges(height, top, bottom)
    low = np.clip(np.floor(edges[:-1] * m).astype(np.int64), 0, m - 1)
    high = np.clip(np.ceil(edges[1:] * m).astype(np.int64), low + 1, m)
    group = rows.group[rows.rows[(low + high) // 2]]
    band = height / max((bottom - top) * rows.number.size, 1e-9)
    if band < _TOLD_APART:  # starts of rows and pixels would make a pattern
        low, high = np.minimum(low, rows.first[group]), np.maximum(high, rows.first[group + 1])
    shown, line_of_pixel = np.unique(group, return_inverse=True)
    line = np.full(rows.number.size, -1)
    line[shown] = np.arange(shown.size)
    own = line[rows.group]
    there = own >= 0
    queued, free = (
        axis.past(times[there], own[there], shown.size)[:, 1:]
        for times in (timeline.wanted_ns, free_ns(timeline))
    )
    level = np.ceil((LEVELS - 1) * np.arange(rows.deepest + 1) / rows.deepest).astype(np.uint8)
    hue = hues(grouping, rows, band)[shown]
    base = (HEAT + hue * LEVELS).astype(np.uint8)
    picture: NDArray[np.uint8] = (level[queued - free] + base[:, None])[line_of_pixel]
    slices = np.column_stack((low, high)).ravel()
    starts, ends = (
        np.append(times[rows.rows], 0) for times in (timeline.start_ns, timeline.released_ns)
    )
    begin = _pixel(axis, np.minimum.reduceat(starts, slices)[::2])
    end = _pixel(axis, np.maximum.reduceat(ends, slices)[::2])
    over = (OVER + hue).astype(np.uint8)[line_of_pixel]
    np.copyto(picture, over[:, None], where=columns > end)
    picture[columns < begin] = 0
    return _with_tiles(timeline, picture, axis, edges)


def bars_picture(
    timeline: ReductionTimeline,
    grouping: str,
    axis: TimeAxis,
    height: int,
    top: float = 0.0,
    bottom: float = 1.0,
) -> NDArray[np.uint8]:
    """Picture what each row does, and the tiles of stage 2 behind them; arguments and result as
    those of `heat_picture`.

    For rows of a pixel at least. A hold takes a pixel, however short it is.
    """
    m, edges = timeline.m, _edges(height, top, bottom)
    middle = (edges[:-1] * m + edges[1:] * m) / 2
    place = np.clip(middle.astype(np.int64), 0, m - 1)
    places, line_of_pixel = np.unique(place, return_inverse=True)
    rows = arranged(timeline, grouping).rows[places]
    hue = (timeline.lock[rows] % HUES).astype(np.uint8)
    start, wanted, free, held, released = (
        _pixel(axis, times[rows]) for times in phase_times(timeline)
    )
    picture, columns = np.zeros((rows.size, axis.width), np.uint8), _columns(axis)
    queued = HEAT + hue * LEVELS + LEVELS - 1  # as in the deepest queue
    for begin, index in (
        (start, np.full_like(hue, COMPUTING)),
        (wanted, queued),
        (free, hue + TRIED),
        (held, hue + HELD),
        (np.maximum(released, held + 1), hue + OVER),
    ):
        np.copyto(picture, index.astype(np.uint8)[:, None], where=columns >= begin)
    picture = picture[line_of_pixel]
    if height >= LEAST_ROW * (bottom - top) * m:
        picture[1:][line_of_pixel[1:] != line_of_pixel[:-1]] = 0
    return _with_tiles(timeline, picture, axis, edges)


def _edges(height: int, top: float, bottom: float) -> NDArray[np.float64]:
    """Return the edges of pixels as shares of all rows [height + 1]."""
    return top + (bottom - top) * np.arange(height + 1) / height


def _columns(axis: TimeAxis) -> NDArray[np.int16]:
    """Return every pixel of a line; of few bytes, since all lines are compared with them."""
    return np.arange(axis.width, dtype=np.int16)


def _pixel(axis: TimeAxis, times: NDArray[np.int64]) -> NDArray[np.int16]:
    """Return the pixel of a time of each line [lines, 1]."""
    return axis.pixel(times).astype(np.int16)[:, None]


def _with_tiles(
    timeline: ReductionTimeline,
    picture: NDArray[np.uint8],
    axis: TimeAxis,
    edges: NDArray[np.float64],
) -> NDArray[np.uint8]:
    tiles = timeline.tile_start_ns.size
    if int(axis.pixel(timeline.tile_start_ns).min(initial=axis.width)) >= axis.width:
        return picture
    tile = np.clip(((edges[:-1] + edges[1:]) / 2 * tiles).astype(np.int64), 0, tiles - 1)
    columns, over = _columns(axis), (picture >= OVER) & (picture < HEAT)
    begin, end = (
        _pixel(axis, times[tile]) for times in (timeline.tile_start_ns, timeline.tile_end_ns)
    )
    runs = (columns >= begin) & (columns < np.maximum(end, begin + 1))
    picture[runs & ((picture == 0) | over)] = TILE
    return picture
