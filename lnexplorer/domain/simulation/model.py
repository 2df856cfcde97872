"""Model of the schedule: a discrete-event simulation of both stages, which gives the same kind of
timeline as a trace.
"""

from heapq import heapify, heappop, heappush, heapreplace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lnkernels.values import frozen, frozen_by_name
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import Clock, ReductionTimeline


@frozen_by_name
class SimulationParameters:
    """Parameters of the model, times in ns. They belong to a device and to rows of one width and
    type; GROUP_SIZE_M and the number of rows are free.

    What slows a lock down are mostly the tries of those that wait for it. Each is an atomic
    operation in the L2 cache, which answers one after another, so a try of W waiting programs takes
    sqrt(hand_over² + (spin · W)²): the way there and back while few wait, and as long as it
    takes to answer all of them while many do. Programs that hold a lock add to W, and with many
    locks the work is shared (`crowding`). A lock that is given back is taken by the first of its k
    waiting programs whose try arrives after that; as their tries are spread over the time that one
    takes, this is the (k + 1)-th part of it later. So a hand-over takes (1 + 1 / (k + 1)) times as
    long as a try.
    """

    resident_programs: int  # programs of stage 1 on the device at once: SMs × occupancy
    sm_count: int
    compute_ns: float  # from a program's start to its first try, while few programs compute
    # Bandwidth is shared: each program that computes or holds a lock adds this to the others'
    # compute time.
    crowd_ns: float = 0.0
    hold_ns: float  # from taking the lock to giving it back: load, add, store
    hold_crowd_ns: float = 0.0  # each of them adds this to the others' holds
    first_hold_ns: float | None = None  # of a buffer's first row, which only stores; None: hold_ns
    try_ns: float  # a first try that finds the lock free; it waits for the program's own stores
    hand_over_ns: float  # a try while few programs wait: the way to the L2 cache and back
    spin_ns: float = 0.0  # how long the L2 cache is busy with one try
    # share of a try's slow-down by spinning that a hold suffers, too: it counts with an atomic
    hold_slowdown: float = 0.0
    stagger_ns: float  # between the starts of two programs of the first wave
    exit_ns: float  # from giving the lock back to the start of the next program in its place
    # Any waiting row, the first to come, or the last to come.
    arbitration: Literal["random", "fifo", "newest"] = "random"
    jitter: float = 0.0  # standard deviation of compute and hold times over their mean
    seed: int = 0
    stage2_gap_ns: float = 0.0  # from the last release to the first tile
    tile_base_ns: float = 0.0  # of a tile, whatever its length
    tile_step_ns: float = 0.0  # for each BLOCK_SIZE_M buffers; of fewer in proportion
    tile_jitter: float = 0.0  # standard deviation of a tile's time over its mean


Times = NDArray[np.int64]
Floats = NDArray[np.float64]

# As many different times as a million rows need to look random: a prime, so that turns of one lock
# do not share a few of them. Drawing them for each row would take a third of a simulation's time.
TABLE = 4093
# Standard deviations that a draw is kept within; memory answers late more often than early.
_LEAST, _MOST = -2.0, 3.0


def around(mean_ns: float, count: int, jitter: float, rng: np.random.Generator) -> Times:
    """Draw times about a mean, none shorter than a quarter of it."""
    if jitter == 0:
        return np.full(count, round(mean_ns), np.int64)
    times = mean_ns * (1 + jitter * np.clip(rng.standard_normal(count), _LEAST, _MOST))
    shortest: NDArray[np.float64] = np.maximum(times, mean_ns / 4)
    return np.rint(shortest).astype(np.int64)


# Traces of an NVIDIA H200, 4096 rows of 1024 columns, about 1000 waiting programs: with 1 to 64
# locks of 4 bytes a try is held up by 0.78 to 0.9 ns for each of those that wait, with 128 to 512
# locks by 0.51 to 0.59. So it seems that 256 bytes of locks lie in one slice of the cache, and that
# others help with the rest.
_LOCKS_OF_A_SLICE, _SHARE_OF_MORE = 64, 0.7
# Waiting programs that a holder counts for: its count, loads and stores pass the same cache.
_HOLDER = 1.4
_STEPS = 40  # of the fixed point, each half the way: the rest is below 1e-4 ns


@frozen(eq=False)
class Congestion:
    """Times by the number of programs on the device, 0 to resident_programs, in ns."""

    hand_over: Floats  # from giving a lock back to the next holder's taking it
    hold_extra: Floats  # added to every hold
    compute_extra: Floats  # added to the compute time of every row after the first wave


def crowding(waiting: Floats, holding: Floats, locks: int) -> Floats:
    """Return how many tries stand in each other's way while some programs wait for locks, and some
    hold one.
    """
    return (_SHARE_OF_MORE if locks > _LOCKS_OF_A_SLICE else 1.0) * (waiting + _HOLDER * holding)


def congestion(parameters: SimulationParameters, locks: int) -> Congestion:
    """Compute mean values for a number of locks in use.

    Of the programs on the device, those that hold a lock, compute or end do not wait. How many
    these are follows from how often a lock changes hands, and that from how many wait, and how many
    use the memory: a fixed point.
    """
    present = np.arange(parameters.resident_programs + 1, dtype=np.float64)
    waiting = np.maximum(present - locks, 0.0)
    holding, active = present - waiting, np.zeros_like(present)
    for _ in range(_STEPS):
        attempt, hand_over = _hand_over(parameters, waiting, holding, locks)
        hold = (
            parameters.hold_ns
            + parameters.hold_slowdown * (attempt - parameters.hand_over_ns)
            + parameters.hold_crowd_ns * active
        )
        compute = parameters.compute_ns + parameters.crowd_ns * active
        turn = hold + compute + parameters.exit_ns  # of a program, but for its waiting
        busy = locks * turn / np.maximum(hold + hand_over, 1.0)
        waiting = (waiting + np.maximum(present - busy, 0.0)) / 2
        rate = (present - waiting) / np.maximum(turn, 1.0)
        holding = np.minimum(rate * hold, locks)
        active = (active + rate * compute + holding) / 2  # that compute or hold a lock
    attempt, hand_over = _hand_over(parameters, waiting, holding, locks)
    slower = parameters.hold_slowdown * (attempt - parameters.hand_over_ns)
    hold_extra = slower + parameters.hold_crowd_ns * active
    return Congestion(hand_over, hold_extra, parameters.crowd_ns * active)


def _hand_over(
    parameters: SimulationParameters, waiting: Floats, holding: Floats, locks: int
) -> tuple[Floats, Floats]:
    """Return the times of a try and of a hand-over."""
    spinning = parameters.spin_ns * crowding(waiting, holding, locks)
    attempt = np.hypot(parameters.hand_over_ns, spinning)
    return attempt, attempt * (1 + 1 / (np.maximum(waiting / locks, 1.0) + 1))


# Held for no time, a lock could be given back by the very row that this lets start.
LEAST_HOLD_NS = 1
_MOST_NS = 1 << 62  # of all rows together, which figures add up
_RELEASE, _TAKE = 0, 1  # events of a lock; in this order if they are simultaneous


class _Lock:
    """A lock, and the rows that want it."""

    def __init__(self) -> None:
        self.holder = -1  # a row
        self.turns = 0  # that it was held, now included
        self.earliest = 0  # that it can be taken
        self.hold_extra = 0  # of the next hold
        # Heap of rows whose first try ends later: when, and which.
        self.coming: list[tuple[int, int]] = []
        self.waiting: list[int] = []  # rows, the first to come first


class _Draws:
    """Drawn times in ns. That of a row, or of a lock's turn, is the one at its number mod TABLE."""

    def __init__(
        self,
        m: int,
        locks: int,
        present: int,
        model: SimulationParameters,
        rng: np.random.Generator,
    ) -> None:
        jitter, mean = model.jitter, model.hold_ns
        slowness = congestion(model, max(locks, 1))
        hold = around(mean, TABLE, jitter, rng)
        first = mean if model.first_hold_ns is None else model.first_hold_ns
        # The loads of a wave are served one after another: the first program waits for none of
        # them, the last for all.
        crowd = 2 * model.crowd_ns * present * rng.random(present)
        self.compute = around(model.compute_ns, TABLE, jitter, rng).tolist()
        self.hold = hold.tolist()
        self.first_hold = _whole(hold * (first / mean if mean else 0.0))
        # Added to the hand-over before a turn, and less than none for a quick one.
        wobble = around(model.hand_over_ns, TABLE, jitter, rng) - round(model.hand_over_ns)
        self.wobble = wobble.tolist()
        self.crowd = _whole(crowd)  # of rows of the first wave, added to the compute time
        self.beside = round(float(slowness.compute_extra[present]))  # the same of later rows
        self.chance = rng.random(m).tolist()
        self.hand_over = _whole(slowness.hand_over)
        self.hold_extra = _whole(slowness.hold_extra)


def _whole(times: NDArray[np.floating]) -> list[int]:
    whole: list[int] = np.rint(times).astype(np.int64).tolist()
    return whole


class _Loop:
    """Simulation of stage 1 event by event: a lock is given back, or taken. 5 µs a row."""

    def __init__(
        self, m: int, group_size_m: int, parameters: SimulationParameters, rng: np.random.Generator
    ) -> None:
        self._m = m
        self._parameters = parameters
        locks = min(group_size_m, m)
        self._present = min(parameters.resident_programs, m)
        self._draws = _Draws(m, locks, self._present, parameters, rng)
        self._try = round(parameters.try_ns)
        self._exit = round(parameters.exit_ns)
        self.start, self.wanted, self.held, self.released, self.order, self.place = (
            [0] * m for _ in range(6)
        )
        self._started = 0
        self._events: list[tuple[int, int, int]] = []
        self._locks = [_Lock() for _ in range(locks)]
        for lock in self._locks[self._present :]:  # rows of the first wave find the device quiet
            lock.hold_extra = self._draws.hold_extra[self._present]
        for row in range(self._present):
            self._start(round(row * parameters.stagger_ns), row)

    def run(self) -> None:
        """Fill in the times of each row.

        Raises:
            ValueError: they would not fit into an integer.
        """
        while self._events:
            now, kind, number = heappop(self._events)
            if kind == _RELEASE:
                self._release(number, now)
            else:
                self._take(number, now)
        if self._m * max(self.released, default=0) > _MOST_NS:
            raise ValueError(
                f"{self._m} rows until {max(self.released)} ns are too long to simulate"
            )

    def _start(self, now: int, place: int) -> None:
        row, draws = self._started, self._draws
        self._started = row + 1
        extra = draws.crowd[row] if row < len(draws.crowd) else draws.beside
        wanted = now + draws.compute[row % TABLE] + extra
        self.start[row] = now
        self.wanted[row] = wanted
        self.place[row] = place
        number = row % len(self._locks)
        lock = self._locks[number]
        heappush(lock.coming, (wanted + self._try, row))
        if lock.holder < 0:
            heappush(self._events, (max(wanted + self._try, lock.earliest), _TAKE, number))

    def _take(self, number: int, now: int) -> None:
        lock, draws = self._locks[number], self._draws
        if lock.holder >= 0 or now < lock.earliest:
            return  # a row that was ready sooner has had it
        while lock.coming and lock.coming[0][0] <= now:
            lock.waiting.append(heappop(lock.coming)[1])
        if not lock.waiting:
            return
        turn = lock.turns * len(self._locks) + number
        match self._parameters.arbitration:
            case "fifo":
                chosen = 0
            case "newest":
                chosen = -1
            case _:
                chosen = int(draws.chance[turn] * len(lock.waiting))
        row = lock.holder = lock.waiting.pop(chosen)
        self.held[row] = now
        self.order[row] = lock.turns
        hold = (draws.hold if lock.turns else draws.first_hold)[turn % TABLE]
        lock.turns += 1
        heappush(self._events, (now + max(hold, LEAST_HOLD_NS) + lock.hold_extra, _RELEASE, number))

    def _release(self, number: int, now: int) -> None:
        lock, draws = self._locks[number], self._draws
        row = lock.holder
        lock.holder = -1
        self.released[row] = now
        if self._started < self._m:
            self._start(now + self._exit, self.place[row])
        else:
            self._present -= 1
        turn = lock.turns * len(self._locks) + number
        lock.earliest = now + draws.hand_over[self._present] + draws.wobble[turn % TABLE]
        lock.hold_extra = draws.hold_extra[self._present]
        if lock.waiting:
            heappush(self._events, (max(lock.earliest, now), _TAKE, number))
        elif lock.coming:
            heappush(self._events, (max(lock.earliest, lock.coming[0][0]), _TAKE, number))


# Traces of an NVIDIA H200 with one buffer and with two: 1060 and 1560 ns a tile. Triton takes an
# argument of 1 as a constant, so that the kernel for a single buffer has neither loop nor sum.
SINGLE_BUFFER = 0.68


def simulate(
    m: int,
    n: int,
    group_size_m: int,
    tile_block_m: int,
    tile_block_n: int,
    parameters: SimulationParameters,
) -> ReductionTimeline:
    """Simulate both stages for x [m, n]; equal arguments give equal timelines.

    Args:
        m: rows, one program of stage 1 each, started in their order as places become free.
        n: columns.
        group_size_m: buffers; row r adds to buffer r mod group_size_m.
        tile_block_m: buffers that a program of stage 2 adds per step.
        tile_block_n: columns of a program of stage 2.
        parameters: the device and the kernel.

    Raises:
        ValueError: the times are so long that they would not fit into an integer.
    """
    rng = np.random.default_rng(parameters.seed)
    stage1 = _Loop(m, group_size_m, parameters, rng)
    stage1.run()
    end = max(stage1.released, default=0)
    tile_sm, tile_start, tile_end = _stage2(
        min(group_size_m, m), n, tile_block_m, tile_block_n, end, parameters, rng
    )
    return ReductionTimeline(
        kind=Kind.SIMULATED,
        m=m,
        n=n,
        group_size_m=group_size_m,
        lock=(np.arange(m) % group_size_m).astype(np.int32),
        order=np.array(stage1.order, np.int32),
        sm=(np.array(stage1.place, np.int64) % parameters.sm_count).astype(np.int32),
        start_ns=np.array(stage1.start, np.int64),
        wanted_ns=np.array(stage1.wanted, np.int64),
        held_ns=np.array(stage1.held, np.int64),
        released_ns=np.array(stage1.released, np.int64),
        tile_block_m=tile_block_m,
        tile_block_n=tile_block_n,
        tile_sm=tile_sm,
        tile_start_ns=tile_start,
        tile_end_ns=tile_end,
        tick_ns=1.0,
        clock=Clock.MODEL,
    )


def _stage2(
    buffers: int,
    n: int,
    block_m: int,
    block_n: int,
    after_ns: int,
    parameters: SimulationParameters,
    rng: np.random.Generator,
) -> tuple[NDArray[np.int32], Times, Times]:
    """Simulate the SM, start and end of each tile of columns. Tiles need no lock: each has columns
    of its own.
    """
    tiles, steps = -(-n // block_n), buffers / block_m  # a step of fewer buffers loads less
    mean_ns = parameters.tile_base_ns + steps * parameters.tile_step_ns
    mean_ns *= SINGLE_BUFFER if buffers == 1 else 1.0
    durations = around(mean_ns, tiles, parameters.tile_jitter, rng)
    begin = after_ns + round(parameters.stage2_gap_ns)
    places = [
        (begin + round(place * parameters.stagger_ns), place)
        for place in range(min(parameters.resident_programs, tiles))
    ]
    heapify(places)
    start, place_of = np.empty(tiles, np.int64), np.empty(tiles, np.int64)
    for tile in range(tiles):
        start[tile], place_of[tile] = places[0]
        heapreplace(places, (int(start[tile] + durations[tile]), int(place_of[tile])))
    return (place_of % parameters.sm_count).astype(np.int32), start, start + durations
