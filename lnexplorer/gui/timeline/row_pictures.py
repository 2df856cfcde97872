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


@dataclass(frozen=True, eq=False, slots=True)
class RowsPart:
    """The part of rows and time that a picture shows."""

    timeline: ReductionTimeline
    grouping: str  # one of GROUPINGS
    axis: TimeAxis
    height: int  # in pixels
    top: float = 0.0  # of the part of the rows, 0 to 1
    bottom: float = 1.0

    @property
    def edges(self) -> NDArray[np.float64]:
        """Edges of the pixels as shares of all rows [height + 1]."""
        return self.top + (self.bottom - self.top) * np.arange(self.height + 1) / self.height

    @property
    def columns(self) -> NDArray[np.int16]:
        """Every pixel of a line; of few bytes, since all lines are compared with them."""
        return np.arange(self.axis.width, dtype=np.int16)

    def pixel(self, times: NDArray[np.int64]) -> NDArray[np.int16]:
        """Return the pixel of a time of each line [lines, 1]."""
        return self.axis.pixel(times).astype(np.int16)[:, None]


def heat_picture(part: RowsPart) -> NDArray[np.uint8]:
    """Picture how many rows of each group queue while rows of it are on the GPU, and the tiles of
    stage 2 behind them.

    Returns:
        Indices of the lane table [height, width].
    """
    timeline, grouping, axis = part.timeline, part.grouping, part.axis
    m, edges, rows = timeline.m, part.edges, arranged(timeline, grouping)
    low = np.clip(np.floor(edges[:-1] * m).astype(np.int64), 0, m - 1)
    high = np.clip(np.ceil(edges[1:] * m).astype(np.int64), low + 1, m)
    group = rows.group[rows.rows[(low + high) // 2]]
    band = part.height / max((part.bottom - part.top) * rows.number.size, 1e-9)
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
    begin = part.pixel(np.minimum.reduceat(starts, slices)[::2])
    end = part.pixel(np.maximum.reduceat(ends, slices)[::2])
    over = (OVER + hue).astype(np.uint8)[line_of_pixel]
    np.copyto(picture, over[:, None], where=part.columns > end)
    picture[part.columns < begin] = 0
    return _with_tiles(part, picture)


def bars_picture(part: RowsPart) -> NDArray[np.uint8]:
    """Picture what each row does, and the tiles of stage 2 behind them; see `heat_picture`.

    For rows of a pixel at least. A hold takes a pixel, however short it is.
    """
    timeline, m, edges, columns = part.timeline, part.timeline.m, part.edges, part.columns
    middle = (edges[:-1] * m + edges[1:] * m) / 2
    place = np.clip(middle.astype(np.int64), 0, m - 1)
    places, line_of_pixel = np.unique(place, return_inverse=True)
    rows = arranged(timeline, part.grouping).rows[places]
    hue = (timeline.lock[rows] % HUES).astype(np.uint8)
    start, wanted, free, held, released = (
        part.pixel(times[rows]) for times in phase_times(timeline)
    )
    picture = np.zeros((rows.size, columns.size), np.uint8)
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
    if part.height >= LEAST_ROW * (part.bottom - part.top) * m:
        picture[1:][line_of_pixel[1:] != line_of_pixel[:-1]] = 0
    return _with_tiles(part, picture)


def _with_tiles(part: RowsPart, picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    timeline, edges, columns = part.timeline, part.edges, part.columns
    starts, ends, width = timeline.tile_start_ns, timeline.tile_end_ns, columns.size
    if part.axis.pixel(starts).min(initial=width) >= width:
        return picture
    middle = (edges[:-1] + edges[1:]) / 2
    tile = np.clip((middle * starts.size).astype(np.int64), 0, starts.size - 1)
    begin, end = part.pixel(starts[tile]), part.pixel(ends[tile])
    runs = (columns >= begin) & (columns < np.maximum(end, begin + 1))
    over = (picture >= OVER) & (picture < HEAT)
    picture[runs & ((picture == 0) | over)] = TILE
    return picture
