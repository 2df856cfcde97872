"""Whether a timeline can have happened."""

from itertools import pairwise

import numpy as np

from lnkernels.values.timeline import BUFFER_DTYPES, ReductionTimeline, TracedSums


def violations(timeline: ReductionTimeline) -> list[str]:
    """What is impossible in a timeline, a sentence each; empty for one that can have happened.

    Times of different programs are compared up to `tick_ns`, those of one program exactly: the clock of an SM does not
    go backwards.
    """
    shapes = _shape_violations(timeline)
    if shapes:
        return shapes  # nothing below can be computed
    return _row_violations(timeline) + _lock_violations(timeline) + _tile_violations(timeline)


def _shape_violations(timeline: ReductionTimeline) -> list[str]:
    found = []
    for name in ("lock", "order", "sm", "start_ns", "wanted_ns", "held_ns", "released_ns"):
        shape = getattr(timeline, name).shape
        if shape != (timeline.m,):
            found.append(f"{name} has shape {shape}; every row is there exactly once, so it is ({timeline.m},)")
    tiles = -(-timeline.n // timeline.tile_block_n) if timeline.tile_block_n > 0 else 0
    for name in ("tile_sm", "tile_start_ns", "tile_end_ns"):
        shape = getattr(timeline, name).shape
        if shape != (tiles,):
            found.append(f"{name} has shape {shape}; tiles of {timeline.tile_block_n} cover {timeline.n} columns with ({tiles},)")
    if timeline.group_size_m < 1 or timeline.tile_block_m < 1:
        sizes = f"{timeline.group_size_m} and {timeline.tile_block_m}"
        found.append(f"GROUP_SIZE_M and a tile's BLOCK_SIZE_M are {sizes}; both are at least 1")
    if timeline.tries is not None and timeline.tries.shape != (timeline.m,):
        found.append(f"tries has shape {timeline.tries.shape}; every row is there exactly once, so it is ({timeline.m},)")
    return found + (_sums_violations(timeline.sums, timeline.m, timeline.n) if timeline.sums is not None else [])


def _sums_violations(sums: TracedSums, m: int, n: int) -> list[str]:
    found = []
    for name, shape in (
        ("row_dw", (m, n)),
        ("row_db", (m, n)),
        ("dw_after", (m, n)),
        ("db_after", (m, n)),
        ("dw", (n,)),
        ("db", (n,)),
    ):
        if getattr(sums, name).shape != shape:
            found.append(f"{name} has shape {getattr(sums, name).shape}, not {shape}")
    if sums.partial_dtype not in BUFFER_DTYPES:
        found.append(f"its buffers are of {sums.partial_dtype!r}, not of {', '.join(BUFFER_DTYPES)}")
    return found


def _row_violations(timeline: ReductionTimeline) -> list[str]:
    found = []
    wrong = timeline.lock != np.arange(timeline.m) % timeline.group_size_m
    if wrong.any():
        row = int(wrong.argmax())
        right = row % timeline.group_size_m
        found.append(f"row {row} uses lock {timeline.lock[row]}, not row mod GROUP_SIZE_M, which is {right}")
    steps = ("start_ns", "wanted_ns", "held_ns", "released_ns")
    for before, after in pairwise(steps):
        wrong = getattr(timeline, before) > getattr(timeline, after)
        if wrong.any():
            row = int(wrong.argmax())
            times = getattr(timeline, before)[row], getattr(timeline, after)[row]
            found.append(f"row {row}: {before} is later than {after}, {times[0]} and {times[1]}")
    if timeline.m and int(timeline.start_ns.min()) < 0:
        row = int(timeline.start_ns.argmin())
        found.append(f"row {row} starts before time 0: start_ns is {timeline.start_ns[row]}")
    if timeline.tries is not None and timeline.m and int(timeline.tries.min()) < 1:
        row = int(timeline.tries.argmin())
        found.append(f"row {row} held its lock without a try: tries is {timeline.tries[row]}, and at least 1")
    return found


def _lock_violations(timeline: ReductionTimeline) -> list[str]:
    """Rows of one lock, sorted by their place in the buffer's order: places count up from 0, and holds follow each other."""
    rows = np.lexsort((timeline.order, timeline.lock))
    lock, order = timeline.lock[rows], timeline.order[rows]
    same = lock[1:] == lock[:-1]
    found = []
    first = np.flatnonzero(np.concatenate(([True], ~same))) if timeline.m else np.zeros(0, np.int64)
    counted = np.arange(timeline.m) - np.repeat(first, np.diff(np.append(first, timeline.m)))
    wrong = order != counted
    if wrong.any():
        at = int(wrong.argmax())
        has = f"row {rows[at]} has place {order[at]}, in place of {counted[at]}"
        found.append(f"the order of lock {lock[at]} does not count its rows from 0: {has}")
    held, released = timeline.held_ns[rows], timeline.released_ns[rows]
    wrong = same & (held[1:] + timeline.tick_ns < held[:-1])
    if wrong.any():
        at = int(wrong.argmax())
        times = f"held_ns is {held[at + 1]}, and {held[at]}"
        found.append(
            f"row {rows[at + 1]} comes after row {rows[at]} in the order of lock {lock[at]}, but held it earlier: {times}"
        )
    wrong = same & (held[1:] + timeline.tick_ns < released[:-1])
    if wrong.any():
        at = int(wrong.argmax())
        times = f"released_ns is {released[at]}, held_ns {held[at + 1]}"
        found.append(f"rows {rows[at]} and {rows[at + 1]} hold lock {lock[at]} at the same time: {times}")
    return found


def _tile_violations(timeline: ReductionTimeline) -> list[str]:
    if timeline.tile_start_ns.size == 0:
        return []
    found = []
    wrong = timeline.tile_start_ns > timeline.tile_end_ns
    if wrong.any():
        tile = int(wrong.argmax())
        times = f"tile_start_ns is {timeline.tile_start_ns[tile]}, tile_end_ns {timeline.tile_end_ns[tile]}"
        found.append(f"tile {tile} ends before it starts: {times}")
    first = int(timeline.tile_start_ns.argmin())
    if timeline.m and timeline.tile_start_ns[first] + timeline.tick_ns < timeline.released_ns.max():
        times = f"tile_start_ns is {timeline.tile_start_ns[first]}, the last released_ns {timeline.released_ns.max()}"
        found.append(f"tile {first} of stage 2 starts before the last row has given its lock back: {times}")
    return found
