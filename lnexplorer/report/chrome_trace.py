"""A timeline as a trace of Chrome's format, for ui.perfetto.dev and chrome://tracing.

One process has the locks: a thread for each, with a slice for each time that it is held, and a
counter of the rows that queue for it and that try it. Each SM is a process, with a thread for each
place that it has for programs: a slice for every row, and in it when it computes, is queued, tries
and holds; then the tiles of stage 2. Source of the format: "Trace Event Format", the JSON form that
both viewers read; times are in microseconds. Threads have numbers of their own across all
processes, none of them 0, which Perfetto takes for those of an operating system.
"""

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from lnexplorer.domain.timeline import phase_times
from lnexplorer.store.files import write_parts
from lnkernels.values.timeline import ReductionTimeline, places

_json = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
LOCKS, FIRST_SM = 1, 2  # process numbers: of all locks, and of SM 0, which the others follow


def write_chrome_trace(path: Path, timeline: ReductionTimeline) -> None:
    """Write a trace whole or not at all. A million rows have seven million events, which need not
    fit in memory.

    Raises:
        OSError: it cannot be written.
    """
    write_parts(path, _parts(timeline))


def _parts(timeline: ReductionTimeline) -> Iterator[bytes]:
    yield f'{_json(_head(timeline))[:-1]},"traceEvents":['.encode()
    between = ""
    for event in _events(timeline):
        yield f"{between}{_json(event)}".encode()
        between = ","
    yield b"]}"


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
    locks = {lock: number for number, lock in enumerate(sorted(set(timeline.lock.tolist())), 1)}
    sms, seated = _places(timeline)
    seats = {
        seat: number
        for number, seat in enumerate(sorted(set(zip(sms, seated, strict=True))), 1 + len(locks))
    }
    yield from _named("process", LOCKS, 1, "locks", LOCKS)
    for lock, thread in locks.items():
        yield from _named("thread", LOCKS, thread, f"lock {lock}", lock)
    for (sm, place), thread in seats.items():
        if place == 0:
            yield from _named("process", FIRST_SM + sm, thread, f"SM {sm}", FIRST_SM + sm)
        yield from _named("thread", FIRST_SM + sm, thread, f"place {place}", place)
    yield from _queues(timeline, locks)
    for row, (sm, place, lock, order, *times) in enumerate(
        zip(
            sms,
            seated,
            timeline.lock.tolist(),
            timeline.order.tolist(),
            *(times.tolist() for times in phase_times(timeline)),
            strict=False,
        )
    ):
        start, _, _, held, released = times
        about = {"row": row, "lock": lock, "order": order}
        if timeline.tries is not None:
            about["tries"] = int(timeline.tries[row])
        thread = seats[sm, place]
        yield _slice(f"row {row}", FIRST_SM + sm, thread, start, released, args=about)
        for name, (begin, end) in zip(
            ("compute", "queued", "trying", "hold"), pairwise(times), strict=True
        ):
            yield _slice(name, FIRST_SM + sm, thread, begin, end)
        yield _slice(f"row {row}", LOCKS, locks[lock], held, released, args=about)
    spans = timeline.tile_start_ns.tolist(), timeline.tile_end_ns.tolist()
    for tile, (sm, place, begin, end) in enumerate(
        zip(sms[timeline.m :], seated[timeline.m :], *spans, strict=True)
    ):
        first = tile * timeline.tile_block_n
        about = {
            "first_column": first,
            "last_column": min(first + timeline.tile_block_n, timeline.n) - 1,
        }
        process, thread = FIRST_SM + sm, seats[sm, place]
        yield _slice(f"stage 2, tile {tile}", process, thread, begin, end, args=about)


def _places(timeline: ReductionTimeline) -> tuple[list[int], list[int]]:
    """Return the SM and place of each row and then of each tile; what one SM does at the same time
    has different places.
    """
    sm = np.concatenate((timeline.sm, timeline.tile_sm))
    start = np.concatenate((timeline.start_ns, timeline.tile_start_ns))
    end = np.concatenate((timeline.released_ns, timeline.tile_end_ns))
    place = np.empty(sm.size, np.int64)
    for each in np.unique(sm):
        own = sm == each
        place[own] = places(start[own], end[own])
    return sm.tolist(), place.tolist()


def _queues(timeline: ReductionTimeline, threads: dict[int, int]) -> Iterator[dict[str, Any]]:
    """Yield counters of the rows that queue for each lock and that try it while it is free, at
    every change.
    """
    _, wanted, free, held, _ = phase_times(timeline)
    lock, times = np.tile(timeline.lock, 3), np.concatenate((wanted, free, held))
    queued, trying = np.repeat((1, -1, 0), timeline.m), np.repeat((0, 1, -1), timeline.m)
    now: dict[int, dict[str, int]] = {}
    # At the same time, beginnings come before ends.
    for at in np.lexsort((np.repeat((0, 1, 2), timeline.m), times)).tolist():
        own = int(lock[at])
        rows = now.setdefault(own, {"queued": 0, "trying": 0})
        rows["queued"] += int(queued[at])
        rows["trying"] += int(trying[at])
        name, at_us = f"lock {own}: rows that want it", int(times[at]) / 1000
        yield _event("C", name, LOCKS, threads[own], ts=at_us, args=dict(rows))


def _named(what: str, process: int, thread: int, name: str, order: int) -> Iterator[dict[str, Any]]:
    yield _event("M", f"{what}_name", process, thread, args={"name": name})
    yield _event("M", f"{what}_sort_index", process, thread, args={"sort_index": order})


def _slice(
    name: str, process: int, thread: int, start_ns: int, end_ns: int, **more: Any
) -> dict[str, Any]:
    length_us = (end_ns - start_ns) / 1000
    return _event("X", name, process, thread, ts=start_ns / 1000, dur=length_us, **more)


def _event(phase: str, name: str, process: int, thread: int, **more: Any) -> dict[str, Any]:
    return {"ph": phase, "name": name, "pid": process, "tid": thread, **more}
