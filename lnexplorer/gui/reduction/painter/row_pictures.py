"""Pictures of rows over time, the first to start on top, as indices of colours: from afar, and from near."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.timeline import free_ns, peak_queue, phase_times
from lnexplorer.gui.reduction.painter.colours import COMPUTING, GREY, HEAT, HELD, HUES, LEVELS, OVER, TILE, TRIED
from lnexplorer.gui.reduction.painter.lanes import LEAST_ROW, Stretch
from lnkernels.values.timeline import ReductionTimeline

_BAND = 8.0, 16.0  # px of a group, between which its rows are told from each other


@dataclass(frozen=True, eq=False, slots=True)
class Arrangement:
    """The rows from top to bottom: each has a place, from 0."""

    rows: NDArray[np.int64]  # [M] at each place
    place: NDArray[np.int64]  # [M] of each row
    group: NDArray[np.int64]  # [M] of each row, counted from the top
    first: NDArray[np.int64]  # [groups + 1] first place of each group, and M
    number: NDArray[np.int64]  # [groups] of the lock or the SM
    deepest: int  # rows of a group that queue at once, at most; at least 1


@lru_cache(maxsize=6)  # asked for with every turn of the wheel
def arranged(timeline: ReductionTimeline, grouping: str) -> Arrangement:
    """The rows in one of GROUPINGS, each group in the order of their starts."""
    keys = {"lock": timeline.lock, "sm": timeline.sm}.get(grouping, np.zeros(timeline.m, np.int32))
    numbers, group = np.unique(keys, return_inverse=True)
    rows = np.lexsort((timeline.start_ns, group))
    place = np.empty(timeline.m, np.int64)
    place[rows] = np.arange(timeline.m)
    first = np.searchsorted(group[rows], np.arange(numbers.size + 1)).astype(np.int64)
    deepest = max(peak_queue(timeline, group), 1)
    return Arrangement(rows=rows, place=place, group=group, first=first, number=numbers.astype(np.int64), deepest=deepest)


def growth(size: float, ends: tuple[float, float]) -> float:
    """How far a size is from the first end to the second, 0 to 1."""
    return min(max((size - ends[0]) / (ends[1] - ends[0]), 0.0), 1.0)


def hues(timeline: ReductionTimeline, grouping: str, arrangement: Arrangement) -> NDArray[np.uint8]:
    """Of each group's heat [groups]: its lock's, or grey."""
    locks = arrangement.number % HUES
    return (locks if grouping == "lock" else np.full(locks.size, GREY)).astype(np.uint8)


def heat_picture(
    timeline: ReductionTimeline, grouping: str, stretch: Stretch, height: int, top: float = 0.0, bottom: float = 1.0
) -> NDArray[np.uint8]:
    """How many rows of each group queue, where rows of it are on the GPU, and the tiles of stage 2 behind them.

    Args:
        timeline: any.
        grouping: one of GROUPINGS.
        stretch: of time.
        height: in pixels.
        top: of the part of the rows, 0 to 1.
        bottom: its end.

    Returns:
        Indices of the lane table [height, width].
    """
    m, columns = timeline.m, _columns(stretch)
    if m == 0:
        return np.zeros((height, stretch.width), np.uint8)
    found = arranged(timeline, grouping)
    edges = (top + (bottom - top) * np.arange(height + 1) / height) * m
    low = np.clip(np.floor(edges[:-1]).astype(np.int64), 0, m - 1)
    high = np.clip(np.ceil(edges[1:]).astype(np.int64), low + 1, m)
    group = found.group[found.rows[(low + high) // 2]]
    # Rows of a group of few pixels are not told from each other: their starts and the pixels would make a pattern.
    joined = 1.0 - growth(height / max((bottom - top) * found.number.size, 1e-9), _BAND)
    first, last = found.first[group], found.first[group + 1]
    low = np.minimum(low, np.round(low + joined * (first - low)).astype(np.int64))
    high = np.maximum(high, np.round(high + joined * (last - high)).astype(np.int64))
    shown, line_of_pixel = np.unique(group, return_inverse=True)
    line = np.full(found.number.size, -1)
    line[shown] = np.arange(shown.size)
    own = line[found.group]
    there = own >= 0
    queued = stretch.past(timeline.wanted_ns[there], own[there], shown.size)[:, 1:]
    queued -= stretch.past(free_ns(timeline)[there], own[there], shown.size)[:, 1:]
    level = np.ceil((LEVELS - 1) * np.arange(found.deepest + 1) / found.deepest).astype(np.uint8)
    base = HEAT + hues(timeline, grouping, found)[shown] * LEVELS
    picture: NDArray[np.uint8] = (level[queued] + base.astype(np.uint8)[:, None])[line_of_pixel]
    slices = np.column_stack((low, high)).ravel()
    starts, ends = np.append(timeline.start_ns[found.rows], 0), np.append(timeline.released_ns[found.rows], 0)
    begun = _pixel(stretch, np.minimum.reduceat(starts, slices)[::2])
    ended = _pixel(stretch, np.maximum.reduceat(ends, slices)[::2])
    over = (OVER + hues(timeline, grouping, found)[shown]).astype(np.uint8)[line_of_pixel]
    np.copyto(picture, over[:, None], where=columns > ended)
    picture[columns < begun] = 0
    return _with_tiles(timeline, picture, stretch, edges / m)


def bars_picture(
    timeline: ReductionTimeline, grouping: str, stretch: Stretch, height: int, top: float = 0.0, bottom: float = 1.0
) -> NDArray[np.uint8]:
    """What each row does, and the tiles of stage 2 behind them; arguments and result as those of `heat_picture`.

    For rows of a pixel at least. However short it is, a hold takes a pixel.
    """
    m = timeline.m
    if m == 0:
        return np.zeros((height, stretch.width), np.uint8)
    edges = (top + (bottom - top) * np.arange(height + 1) / height) * m
    place = np.clip(((edges[:-1] + edges[1:]) / 2).astype(np.int64), 0, m - 1)
    places, line_of_pixel = np.unique(place, return_inverse=True)
    rows = arranged(timeline, grouping).rows[places]
    hue = (timeline.lock[rows] % HUES).astype(np.uint8)
    start, wanted, free, held, released = (_pixel(stretch, times[rows]) for times in phase_times(timeline))
    picture, columns = np.zeros((rows.size, stretch.width), np.uint8), _columns(stretch)
    queued = HEAT + hue * LEVELS + LEVELS - 1  # as in the deepest queue
    phases = np.full_like(hue, COMPUTING), queued, hue + TRIED, hue + HELD, hue + OVER
    for begin, index in zip((start, wanted, free, held, np.maximum(released, held + 1)), phases, strict=True):
        np.copyto(picture, index.astype(np.uint8)[:, None], where=columns >= begin)
    picture = picture[line_of_pixel]
    if height >= LEAST_ROW * (bottom - top) * m:
        picture[1:][line_of_pixel[1:] != line_of_pixel[:-1]] = 0
    return _with_tiles(timeline, picture, stretch, edges / m)


def _columns(stretch: Stretch) -> NDArray[np.int16]:
    """Every pixel of a line. Of few bytes, since all lines are compared with them."""
    return np.arange(stretch.width, dtype=np.int16)


def _pixel(stretch: Stretch, times: NDArray[np.int64]) -> NDArray[np.int16]:
    """The pixel of a time of each line [lines, 1]."""
    return stretch.pixel(times).astype(np.int16)[:, None]


def _with_tiles(
    timeline: ReductionTimeline, picture: NDArray[np.uint8], stretch: Stretch, edges: NDArray[np.float64]
) -> NDArray[np.uint8]:
    tiles = timeline.tile_start_ns.size
    begin = int(stretch.pixel(timeline.tile_start_ns).min(initial=stretch.width))
    if begin >= stretch.width:
        return picture
    tile = np.clip(((edges[:-1] + edges[1:]) / 2 * tiles).astype(np.int64), 0, tiles - 1)
    columns, over = _columns(stretch), (picture >= OVER) & (picture < HEAT)
    starts, ends = (_pixel(stretch, times[tile]) for times in (timeline.tile_start_ns, timeline.tile_end_ns))
    picture[(columns >= starts) & (columns < np.maximum(ends, starts + 1)) & ((picture == 0) | over)] = TILE
    return picture


def holder_near(timeline: ReductionTimeline, lock: int, time_ns: float, slack_ns: float) -> int | None:
    """The row that holds a lock at about a time, the last of several, or None."""
    held, released = timeline.held_ns <= time_ns + slack_ns, timeline.released_ns >= time_ns - slack_ns
    rows = np.flatnonzero((timeline.lock == lock) & held & released)
    return int(rows[timeline.held_ns[rows].argmax()]) if rows.size else None
