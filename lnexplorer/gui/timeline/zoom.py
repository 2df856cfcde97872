"""Zooming a picture of a timeline: rows and time together, from all of both to a few rows."""

import math
from functools import lru_cache

import numpy as np

from lnexplorer.gui.timeline.frame import Scene
from lnexplorer.gui.timeline.lanes import arranged
from lnkernels.values.timeline import ReductionTimeline

CLOSEST_NS = 200.0  # the shortest stretch of time
_FEWEST_ROWS = 8


def least_share(timeline: ReductionTimeline) -> float:
    """Return the smallest part of the rows to zoom to."""
    return min(_FEWEST_ROWS / max(timeline.m, 1), 1.0)


@lru_cache(maxsize=4)  # called for every turn of the wheel
def _life_ns(timeline: ReductionTimeline) -> float:
    return float(np.median(timeline.released_ns - timeline.start_ns))


def _time_power(scene: Scene) -> float:
    """Return the power of the rows' zoom by which the time is zoomed along.

    A zoom to the fewest rows shows about two lives of a row, so of few rows with long lives all of
    the time.
    """
    least = least_share(scene.timeline)
    if least == 1:
        return 1.0
    longer = math.log(max(scene.last_ns / max(2 * _life_ns(scene.timeline), 1.0), 1.0))
    return min(longer / -math.log(least), 1.0)


def place_of(scene: Scene, row: int) -> float:
    """Return the place of a row among all, 0 to 1."""
    place = arranged(scene.timeline, scene.grouping).place[row]
    return float(place + 0.5) / scene.timeline.m


def middle_row(scene: Scene, time_ns: float) -> float:
    """Return the place of the row that runs at a time nearest to the middle of the picture; the
    middle if none runs.
    """
    timeline, middle = scene.timeline, (scene.top + scene.bottom) / 2
    running = np.flatnonzero((timeline.start_ns <= time_ns) & (timeline.released_ns > time_ns))
    places = (arranged(timeline, scene.grouping).place[running] + 0.5) / timeline.m
    return float(places[np.abs(places - middle).argmin()]) if places.size else middle


def zoomed(
    scene: Scene, factor: float, around_ns: float, around_rows: float, *, time_alone: bool = False
) -> Scene:
    """Zoom rows and time so that both reach all of it together; the time alone if there are no more
    or fewer rows to show.

    Args:
        scene: the picture.
        factor: of the rows; below 1 to see less.
        around_ns: the time that stays in its place.
        around_rows: the part of the rows, 0 to 1, that does.
        time_alone: leave the rows as they are.
    """
    least, length, share = least_share(scene.timeline), scene.length_ns, scene.share
    joined, rest = share, factor
    if not time_alone and least < 1:
        power, first = _time_power(scene), 1.0
        if factor > 1:  # take back first by how much the time is zoomed further than the rows
            first = min(max(scene.last_ns * share**power / length, 1.0), factor)
        joined = min(max(share * factor / first, least), 1.0)
        rest = first * factor / first / (joined / share) if factor < 1 else first
        rest *= (joined / share) ** power
    new = min(max(length * rest, min(CLOSEST_NS, scene.last_ns)), scene.last_ns)
    begin = around_ns - (around_ns - scene.begin_ns) / length * new
    top = around_rows - (around_rows - scene.top) / share * joined
    return scene.part(begin, new, top, joined)
