"""A timeline as a trace of Chrome's format, for ui.perfetto.dev and chrome://tracing.

One process has the SMs, with a thread for each place that an SM has for programs: a slice for every row, and in it what
it computes, waits and holds; then the tiles of stage 2. Another process has the locks, with a slice for each time that
one is held. Source of the format: "Trace Event Format", the JSON form that both viewers read; times are in
microseconds.
"""

import json
from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import islice
from pathlib import Path
from typing import Any

from lnexplorer.store.files import write_parts
from lnkernels.values.timeline import ReductionTimeline

SMS, LOCKS = 1, 2  # process numbers
_PLACES = 1000  # thread numbers of an SM, or more where one has more programs
_EVENTS_AT_ONCE = 10_000  # that are made and written


def chrome_trace(timeline: ReductionTimeline) -> dict[str, Any]:
    """The whole document."""
    return {**_head(timeline), "traceEvents": list(_events(timeline))}


def write_chrome_trace(path: Path, timeline: ReductionTimeline) -> None:
    """Write it, whole or not at all. A million rows have five million events, which need not fit in memory.

    Raises:
        OSError: it cannot be written.
    """
    write_parts(path, _parts(timeline))


def _parts(timeline: ReductionTimeline) -> Iterator[bytes]:
    yield f'{_json(_head(timeline))[:-1]},"traceEvents":['.encode()
    events, between = _events(timeline), ""
    while some := list(islice(events, _EVENTS_AT_ONCE)):
        yield f"{between}{_json(some)[1:-1]}".encode()
        between = ","
    yield b"]}"


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def _head(timeline: ReductionTimeline) -> dict[str, Any]:
    about = {
        "kind": timeline.kind.value,
        "clock": timeline.clock.value,
        "tick_ns": timeline.tick_ns,
        "m": timeline.m,
        "n": timeline.n,
        "group_size_m": timeline.group_size_m,
    }
    return {"displayTimeUnit": "ns", "otherData": about}


def _events(timeline: ReductionTimeline) -> Iterator[dict[str, Any]]:
    yield from (_name("process_name", SMS, 0, "SMs"), _name("process_name", LOCKS, 0, "locks"))
    sms, places = _places(timeline)
    numbers = max(_PLACES, max(places, default=0) + 1)
    threads = [sm * numbers + place for sm, place in zip(sms, places, strict=True)]
    for thread in sorted(set(threads)):
        sm, place = divmod(thread, numbers)
        yield _name("thread_name", SMS, thread, f"SM {sm}, place {place}")
    for lock in sorted(set(timeline.lock.tolist())):
        yield _name("thread_name", LOCKS, lock, f"lock {lock}")
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
        yield _slice(f"row {row}", SMS, thread, start, released, told)
        for name, begin, end in (("compute", start, wanted), ("wait", wanted, held), ("hold", held, released)):
            yield _slice(name, SMS, thread, begin, end, None)
        yield _slice(f"row {row}", LOCKS, lock, held, released, told)
    tiles = zip(threads[timeline.m :], timeline.tile_start_ns.tolist(), timeline.tile_end_ns.tolist(), strict=True)
    for tile, (thread, begin, end) in enumerate(tiles):
        first = tile * timeline.tile_block_n
        told = {"first_column": first, "last_column": min(first + timeline.tile_block_n, timeline.n) - 1}
        yield _slice(f"stage 2, tile {tile}", SMS, thread, begin, end, told)


def _places(timeline: ReductionTimeline) -> tuple[list[int], list[int]]:
    """SM and place of each row and then of each tile, so that what one SM does at the same time stands in different
    places.
    """
    sm = [*timeline.sm.tolist(), *timeline.tile_sm.tolist()]
    start = [*timeline.start_ns.tolist(), *timeline.tile_start_ns.tolist()]
    end = [*timeline.released_ns.tolist(), *timeline.tile_end_ns.tolist()]
    busy: dict[int, list[tuple[int, int]]] = {}  # by SM: until when each of its places is taken
    idle: dict[int, list[int]] = {}  # by SM: places that were used before
    places = [0] * len(sm)
    for at in sorted(range(len(sm)), key=start.__getitem__):
        taken, free = busy.setdefault(sm[at], []), idle.setdefault(sm[at], [])
        while taken and taken[0][0] <= start[at]:
            heappush(free, heappop(taken)[1])
        place = heappop(free) if free else len(taken)
        heappush(taken, (end[at], place))
        places[at] = place
    return sm, places


def _name(what: str, process: int, thread: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": what, "pid": process, "tid": thread, "args": {"name": name}}


def _slice(name: str, process: int, thread: int, start_ns: int, end_ns: int, told: dict[str, int] | None) -> dict[str, Any]:
    event = {"ph": "X", "name": name, "pid": process, "tid": thread, "ts": start_ns / 1000, "dur": (end_ns - start_ns) / 1000}
    return event if told is None else {**event, "args": told}
