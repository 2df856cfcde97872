"""Pictures over time, made once and kept: a lane for each lock, and how many programs do what."""

import numpy as np
from numpy.typing import NDArray

from lnexplorer.gui.reduction.painter.colours import HUES
from lnexplorer.gui.reduction.painter.timeline_index import Intervals, TimelineIndex

_HELD = 8  # first index of held, in the lane table
COMPUTING, WAITING, HOLDING, TILE = 2, 3, 4, 5


def lane_indices(index: TimelineIndex, begin_ns: float, end_ns: float, width: int) -> NDArray[np.uint8]:
    """Who holds each lock at each pixel of a stretch of the drawing, as indices of the lane table [G in use, width]."""
    locks = index.first.size - 1

    def covered(intervals: Intervals) -> NDArray[np.bool_]:
        lock, begin, end = intervals.between(begin_ns, end_ns)
        first = lock * (width + 1) + _pixel(begin, begin_ns, end_ns, width)
        # At least a pixel each, so that no holder vanishes.
        last = lock * (width + 1) + np.minimum(_pixel(end, begin_ns, end_ns, width) + 1, width)
        size = locks * (width + 1)
        change = np.bincount(first, minlength=size) - np.bincount(np.maximum(last, first), minlength=size)
        count: NDArray[np.int64] = change.reshape(locks, width + 1)[:, :width].cumsum(axis=1)
        return count > 0

    hue = (np.arange(locks) % HUES + _HELD).astype(np.uint8)[:, None]
    holds = index.holds_for((end_ns - begin_ns) / width)
    return np.where(covered(holds), hue, covered(index.waits).astype(np.uint8))


def tile_indices(index: TimelineIndex, begin_ns: float, end_ns: float, width: int, height: int) -> NDArray[np.uint8]:
    """Which tiles of stage 2 run, the first on top, as indices of the lane table [height, width]."""
    timeline, scale = index.timeline, index.scale
    tile = np.arange(height) * timeline.tile_start_ns.size // max(height, 1)
    time = (begin_ns + (np.arange(width) + 0.5) * ((end_ns - begin_ns) / width))[None, :]
    start, end = scale.drawn_all(timeline.tile_start_ns)[tile, None], scale.drawn_all(timeline.tile_end_ns)[tile, None]
    return np.where((start <= time) & (time < end), np.uint8(TILE), np.uint8(0))


def programs_over_time(index: TimelineIndex, begin_ns: float, end_ns: float, width: int) -> dict[int, NDArray[np.int64]]:
    """Programs that compute, wait, hold, and tiles that run, at the end of each pixel, keyed by index of the lane table."""
    times = _pixel_ends(index, begin_ns, end_ns, width)

    def past(sorted_times: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.searchsorted(sorted_times, times)

    wanted, held = past(index.wanted), past(index.held)
    return {
        HOLDING: held - past(index.released),
        WAITING: wanted - held,
        COMPUTING: past(index.started) - wanted,
        TILE: past(index.tiles_started) - past(index.tiles_ended),
    }


def queue_over_time(index: TimelineIndex, lock: int, begin_ns: float, end_ns: float, width: int) -> dict[int, NDArray[np.int64]]:
    """Rows that hold one lock, and that wait for it, at the end of each pixel, keyed by index of the lane table."""
    times = _pixel_ends(index, begin_ns, end_ns, width)
    own = slice(int(index.first[lock]), int(index.first[lock + 1]))
    wanted, held, released = (
        np.searchsorted(some[own], times, "right") for some in (index.wanted_by_lock, index.held_by_lock, index.released_by_lock)
    )
    return {_HELD + lock % HUES: held - released, WAITING: wanted - held}


def _pixel_ends(index: TimelineIndex, begin_ns: float, end_ns: float, width: int) -> NDArray[np.int64]:
    """True times at the end of each pixel of a stretch of the drawing."""
    edges = begin_ns + np.arange(1, width + 1) * ((end_ns - begin_ns) / width)
    # Whole numbers, since for others all of a sorted array would be converted.
    times: NDArray[np.int64] = np.ceil([index.scale.true(edge) for edge in edges.tolist()]).astype(np.int64)
    return times


def most_at_once(counts: dict[int, NDArray[np.int64]]) -> int:
    """The largest sum of the counts, at least 1."""
    return max(int(sum(counts.values()).max(initial=1)), 1)  # type: ignore[union-attr]


def stacked_indices(counts: dict[int, NDArray[np.int64]], height: int, most: int) -> NDArray[np.uint8]:
    """The counts stacked from the bottom, as indices of the lane table [height, width]; `most` is what the height stands for."""
    level = np.arange(height, 0, -1)[:, None]
    picture = np.zeros((height, next(iter(counts.values())).size), np.uint8)
    below = np.zeros(picture.shape[1])
    for index, count in counts.items():
        above = below + count * (height / most)
        picture[(level > np.round(below)) & (level <= np.round(above))] = index
        below = above
    return picture


def _pixel(times: NDArray[np.int64], begin_ns: float, end_ns: float, width: int) -> NDArray[np.int64]:
    pixel = np.floor((times - begin_ns) * (width / (end_ns - begin_ns))).astype(np.int64)
    clipped: NDArray[np.int64] = np.clip(pixel, 0, width - 1)
    return clipped
