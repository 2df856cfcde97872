"""A timeline as a trace of Chrome's format, for ui.perfetto.dev and chrome://tracing.

One process has the SMs, with a thread for each place that an SM has for programs: a slice for every row, and in it what it
computes, waits and holds; then the tiles of stage 2. Another process has the locks, with a slice for each time that one is held.
Source of the format: "Trace Event Format", the JSON form that both viewers read; times are in microseconds.
"""

import json
from heapq import heappop, heappush
from pathlib import Path
from typing import Any

from lnexplorer.domain.timeline import ReductionTimeline
from lnexplorer.storage.aside import write_whole

SMS, LOCKS = 1, 2  # process numbers
_PLACES = 1000  # thread numbers of an SM


def chrome_trace(timeline: ReductionTimeline) -> dict[str, Any]:
    """The whole document."""
    events = [_name("process_name", SMS, 0, "SMs"), _name("process_name", LOCKS, 0, "locks")]
    threads = _threads(timeline)
    for thread in sorted(set(threads)):
        sm, place = divmod(thread, _PLACES)
        events.append(_name("thread_name", SMS, thread, f"SM {sm}, place {place}"))
    events += [_name("thread_name", LOCKS, int(lock), f"lock {lock}") for lock in sorted(set(timeline.lock.tolist()))]
    for row, (thread, lock, order, *times) in enumerate(
        zip(
            threads,
            timeline.lock.tolist(),
            timeline.order.tolist(),
            timeline.start_ns.tolist(),
            timeline.wanted_ns.tolist(),
            timeline.held_ns.tolist(),
            timeline.released_ns.tolist(),
            strict=False,
        )
    ):
        start, wanted, held, released = times
        told = {"row": row, "lock": lock, "order": order}
        if timeline.tries is not None:
            told["tries"] = int(timeline.tries[row])
        events.append(_slice(f"row {row}", SMS, thread, start, released, told))
        events += [
            _slice(name, SMS, thread, begin, end, None)
            for name, begin, end in (("compute", start, wanted), ("wait", wanted, held), ("hold", held, released))
        ]
        events.append(_slice(f"row {row}", LOCKS, lock, held, released, told))
    tiles = zip(threads[timeline.m :], timeline.tile_start_ns.tolist(), timeline.tile_end_ns.tolist(), strict=True)
    for tile, (thread, begin, end) in enumerate(tiles):
        first = tile * timeline.tile_block_n
        told = {"first_column": first, "last_column": min(first + timeline.tile_block_n, timeline.n) - 1}
        events.append(_slice(f"stage 2, tile {tile}", SMS, thread, begin, end, told))
    about = {
        "kind": timeline.kind.value,
        "clock": timeline.clock.value,
        "tick_ns": timeline.tick_ns,
        "m": timeline.m,
        "n": timeline.n,
        "group_size_m": timeline.group_size_m,
    }
    return {"displayTimeUnit": "ns", "otherData": about, "traceEvents": events}


def write_chrome_trace(path: Path, timeline: ReductionTimeline) -> None:
    """Write it, whole or not at all.

    Raises:
        OSError: it cannot be written.
    """
    write_whole(path, json.dumps(chrome_trace(timeline), separators=(",", ":")).encode())


def _threads(timeline: ReductionTimeline) -> list[int]:
    """A thread for each row and then for each tile, so that what one SM does at the same time stands on different ones."""
    sm = [*timeline.sm.tolist(), *timeline.tile_sm.tolist()]
    start = [*timeline.start_ns.tolist(), *timeline.tile_start_ns.tolist()]
    end = [*timeline.released_ns.tolist(), *timeline.tile_end_ns.tolist()]
    busy: dict[int, list[tuple[int, int]]] = {}  # by SM: until when each of its places is taken
    idle: dict[int, list[int]] = {}  # by SM: places that were used before
    threads = [0] * len(sm)
    for at in sorted(range(len(sm)), key=start.__getitem__):
        taken, free = busy.setdefault(sm[at], []), idle.setdefault(sm[at], [])
        while taken and taken[0][0] <= start[at]:
            heappush(free, heappop(taken)[1])
        place = heappop(free) if free else len(taken)
        heappush(taken, (end[at], place))
        threads[at] = sm[at] * _PLACES + place
    return threads


def _name(what: str, process: int, thread: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": what, "pid": process, "tid": thread, "args": {"name": name}}


def _slice(name: str, process: int, thread: int, start_ns: int, end_ns: int, told: dict[str, int] | None) -> dict[str, Any]:
    event = {"ph": "X", "name": name, "pid": process, "tid": thread, "ts": start_ns / 1000, "dur": (end_ns - start_ns) / 1000}
    return event if told is None else {**event, "args": told}
