"""A model of the reduction's schedule: a discrete-event simulation that gives the same kind of timeline as a trace."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.provenance import Kind
from lnexplorer.domain.timeline import ReductionTimeline

ARBITRATIONS = ("random", "fifo", "newest")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleModel:
    """What the model knows of a device and a kernel. Times in ns.

    A try for a free lock takes `try_ns`, the way to the L2 cache and back. A lock that is given back is taken again no
    sooner than `hand_over_ns` later: the exchange has to arrive, and the next try of a waiting program has to find it. Which of
    the waiting programs that is, none of them can know; `arbitration` decides.
    """

    resident_programs: int  # programs on the device at once: SMs × occupancy
    sm_count: int
    compute_ns: float  # from a program's start to its first try for the lock
    hold_ns: float  # from taking the lock to giving it back
    try_ns: float  # of an atomic compare-and-swap that finds the lock free
    hand_over_ns: float  # from giving a lock back to the next holder's taking it
    stagger_ns: float  # between the starts of two programs of the first wave
    exit_ns: float  # from giving the lock back to the start of the next program in its place
    arbitration: str = "random"  # one of ARBITRATIONS: any waiting row, the first to come, or the last to come
    jitter: float = 0.0  # standard deviation of compute and hold times over their mean
    seed: int = 0
    stage2_gap_ns: float = 0.0  # from the last release to the first tile
    tile_base_ns: float = 0.0  # of a tile, whatever its length
    tile_step_ns: float = 0.0  # for each step of BLOCK_SIZE_M buffers

    def __post_init__(self) -> None:
        if self.resident_programs < 1 or self.sm_count < 1:
            raise ValueError("resident_programs and sm_count are at least 1")
        if self.arbitration not in ARBITRATIONS:
            raise ValueError(f"arbitration = {self.arbitration!r} is not one of {', '.join(ARBITRATIONS)}")


def simulate(m: int, n: int, group_size_m: int, tile_block_m: int, tile_block_n: int, model: ScheduleModel) -> ReductionTimeline:
    """Both stages for x [m, n]; equal arguments give equal timelines.

    Args:
        m: rows, one program of stage 1 each, started in their order as places become free.
        n: columns.
        group_size_m: buffers; row r adds to buffer r mod group_size_m.
        tile_block_m: buffers that a program of stage 2 adds per step.
        tile_block_n: columns of a program of stage 2.
        model: the device and the kernel.
    """
    rng = np.random.default_rng(model.seed)
    compute = _around(model.compute_ns, m, model.jitter, rng)
    hold = _around(model.hold_ns, m, model.jitter, rng)
    start, held, order, place = _stage1(m, group_size_m, compute, hold, model, rng)
    released = held + hold
    end = int(released.max(initial=0))
    tile_sm, tile_start, tile_end = _stage2(min(group_size_m, m), n, tile_block_m, tile_block_n, end, model, rng)
    return ReductionTimeline(
        kind=Kind.SIMULATED,
        m=m,
        n=n,
        group_size_m=group_size_m,
        lock=(np.arange(m) % group_size_m).astype(np.int32),
        order=order,
        sm=(place % model.sm_count).astype(np.int32),
        start_ns=start,
        wanted_ns=start + compute,
        held_ns=held,
        released_ns=released,
        tile_block_m=tile_block_m,
        tile_block_n=tile_block_n,
        tile_sm=tile_sm,
        tile_start_ns=tile_start,
        tile_end_ns=tile_end,
        tick_ns=1.0,
    )


def _around(mean_ns: float, count: int, jitter: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """Times about a mean, none shorter than a quarter of it: memory answers late more often than early."""
    if jitter == 0:
        return np.full(count, round(mean_ns), np.int64)
    times = mean_ns * (1 + jitter * rng.standard_normal(count))
    shortest: NDArray[np.float64] = np.maximum(times, mean_ns / 4)
    return np.rint(shortest).astype(np.int64)


_Chooser = Callable[["deque[int]"], int]


def _chooser(model: ScheduleModel, m: int, rng: np.random.Generator) -> _Chooser:
    """Takes one waiting row out of a lock's queue."""
    if model.arbitration == "fifo":
        return deque.popleft
    if model.arbitration == "newest":
        return deque.pop
    lots = iter(rng.random(m).tolist())

    def any_of(queue: "deque[int]") -> int:
        queue.rotate(int(next(lots) * len(queue)))
        return queue.pop()

    return any_of


def _stage1(
    m: int,
    group_size_m: int,
    compute: NDArray[np.int64],
    hold: NDArray[np.int64],
    model: ScheduleModel,
    rng: np.random.Generator,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Start and held times, place in the buffer's order, and place on the device of each row [m].

    Two events a row, "wants its lock" (even) and "gives it back" (odd), in one heap of integers: time, row and kind packed, so
    that comparing them is cheap and ties are broken by row.
    """
    compute_of, hold_of = compute.tolist(), hold.tolist()
    hand_over, exit_ns = round(model.hand_over_ns), round(model.exit_ns)
    try_ns = round(model.try_ns)
    take = _chooser(model, m, rng)
    first_wave = min(model.resident_programs, m)
    start = [round(place * model.stagger_ns) for place in range(first_wave)] + [0] * (m - first_wave)
    place_of = [*range(first_wave)] + [0] * (m - first_wave)
    held, order = [0] * m, [0] * m
    queues: list[deque[int]] = [deque() for _ in range(min(group_size_m, m))]
    busy, free_at, additions = [False] * len(queues), [0] * len(queues), [0] * len(queues)
    shift = m.bit_length() + 1
    mask = (1 << shift) - 1
    events = [(start[row] + compute_of[row]) << shift | row << 1 for row in range(first_wave)]
    heapify(events)
    next_row = first_wave
    while events:
        event = heappop(events)
        now, row = event >> shift, (event & mask) >> 1
        lock = row % group_size_m
        if event & 1:
            if next_row < m:
                start[next_row] = now + exit_ns
                place_of[next_row] = place_of[row]
                heappush(events, (now + exit_ns + compute_of[next_row]) << shift | next_row << 1)
                next_row += 1
            if not queues[lock]:
                busy[lock], free_at[lock] = False, now + hand_over
                continue
            row = take(queues[lock])
            at = now + hand_over
        elif busy[lock]:
            queues[lock].append(row)
            continue
        else:
            busy[lock], at = True, max(now + try_ns, free_at[lock])
        held[row] = at
        order[row] = additions[lock]
        additions[lock] += 1
        heappush(events, (at + hold_of[row]) << shift | row << 1 | 1)
    return np.array(start, np.int64), np.array(held, np.int64), np.array(order, np.int32), np.array(place_of, np.int64)


def _stage2(
    buffers: int, n: int, block_m: int, block_n: int, after_ns: int, model: ScheduleModel, rng: np.random.Generator
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """SM, start and end of each tile of columns. Tiles need no lock: each has columns of its own."""
    tiles, steps = -(-n // block_n), -(-buffers // block_m)
    durations = _around(model.tile_base_ns + steps * model.tile_step_ns, tiles, model.jitter, rng)
    begin = after_ns + round(model.stage2_gap_ns)
    places = [(begin + round(place * model.stagger_ns), place) for place in range(min(model.resident_programs, tiles))]
    heapify(places)
    start, place_of = np.empty(tiles, np.int64), np.empty(tiles, np.int64)
    for tile in range(tiles):
        start[tile], place_of[tile] = heappop(places)
        heappush(places, (int(start[tile] + durations[tile]), int(place_of[tile])))
    return (place_of % model.sm_count).astype(np.int32), start, start + durations
