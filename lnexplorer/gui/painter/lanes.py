"""Pictures over time, made once and kept: a lane for each lock, and how many programs do what."""

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.moments import locks_in_use
from lnexplorer.domain.timeline import ReductionTimeline
from lnexplorer.gui.painter.colours import HUES

_HELD = 8  # first index of held, in the lane table
COMPUTING, WAITING, HOLDING, TILE = 2, 3, 4, 5


def lane_indices(timeline: ReductionTimeline, begin_ns: float, end_ns: float, width: int) -> NDArray[np.uint8]:
    """Who holds each lock at each pixel of a stretch of time, as indices of the lane table [G in use, width]."""
    locks = locks_in_use(timeline)
    lock = timeline.lock.astype(np.int64)

    def covered(begin: NDArray[np.int64], end: NDArray[np.int64]) -> NDArray[np.bool_]:
        seen = (end > begin_ns) & (begin < end_ns)
        first = lock[seen] * (width + 1) + _pixel(begin[seen], begin_ns, end_ns, width)
        # At least a pixel each, so that no holder vanishes.
        last = lock[seen] * (width + 1) + np.minimum(_pixel(end[seen], begin_ns, end_ns, width) + 1, width)
        size = locks * (width + 1)
        change = np.bincount(first, minlength=size) - np.bincount(np.maximum(last, first), minlength=size)
        count: NDArray[np.int64] = change.reshape(locks, width + 1)[:, :width].cumsum(axis=1)
        return count > 0

    held = covered(timeline.held_ns, timeline.released_ns)
    waiting = covered(timeline.wanted_ns, timeline.held_ns)
    hue = (np.arange(locks) % HUES + _HELD).astype(np.uint8)[:, None]
    return np.where(held, hue, waiting.astype(np.uint8))


def tile_indices(timeline: ReductionTimeline, begin_ns: float, end_ns: float, width: int, height: int) -> NDArray[np.uint8]:
    """Which tiles of stage 2 run, the first on top, as indices of the lane table [height, width]."""
    tile = np.arange(height) * timeline.tile_start_ns.size // max(height, 1)
    time = (begin_ns + (np.arange(width) + 0.5) * ((end_ns - begin_ns) / width))[None, :]
    runs = (timeline.tile_start_ns[tile, None] <= time) & (time < timeline.tile_end_ns[tile, None])
    return np.where(runs, np.uint8(TILE), np.uint8(0))


def programs_over_time(timeline: ReductionTimeline, begin_ns: float, end_ns: float, width: int) -> dict[int, NDArray[np.int64]]:
    """Programs that compute, wait, hold, and tiles that run, at each pixel, keyed by index of the lane table."""

    def past(times: NDArray[np.int64]) -> NDArray[np.int64]:
        pixel = np.floor((times - begin_ns) * (width / (end_ns - begin_ns))).astype(np.int64)
        counts = np.bincount(np.clip(pixel, 0, width), minlength=width + 1)
        total: NDArray[np.int64] = counts[:width].cumsum()
        return total

    started, wanted = past(timeline.start_ns), past(timeline.wanted_ns)
    held, released = past(timeline.held_ns), past(timeline.released_ns)
    return {
        HOLDING: held - released,
        WAITING: wanted - held,
        COMPUTING: started - wanted,
        TILE: past(timeline.tile_start_ns) - past(timeline.tile_end_ns),
    }


def stacked_indices(counts: dict[int, NDArray[np.int64]], height: int) -> NDArray[np.uint8]:
    """The counts stacked from the bottom, as indices of the lane table [height, width]."""
    most = max(int(sum(counts.values()).max(initial=1)), 1)  # type: ignore[union-attr]
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
