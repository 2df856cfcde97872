"""The model's parameters from one timeline, so that it may say how another GROUP_SIZE_M would do."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.simulation.parameters import SimulationParameters
from lnexplorer.domain.timeline import ReductionTimeline

Floats = NDArray[np.float64]

# What four traces of an NVIDIA H200 (4096 rows of 1024 and 2048 columns, 16 to 256 buffers) gave one by one: 0.55 to 0.83 and
# 0.55 to 0.68. A trace in which the number of waiting programs hardly changes says nothing about these two, and keeps them.
USUAL_SPIN_NS, USUAL_SLOWDOWN = 0.7, 0.6
USUAL_EXIT_NS, USUAL_TRY_NS, USUAL_HAND_OVER_NS = 1000.0, 700.0, 620.0  # the same GPU, for a trace that has none of these
_SPINS = np.linspace(0.0, 2.0, 81)  # ns that are tried
_PRIOR = 0.05  # of the hand-overs' variance: as much may be lost to stay within 50 % of the usual spin_ns
_LEAST_CHANGE_NS = 60.0  # a change of the try's time that is told from chance
_TILE_BASE_NS = 950.0
_MOST_HAND_OVERS = 8192  # that are fitted to; of more, every so many are taken


@dataclass(frozen=True, eq=False, slots=True)
class _HandOvers:
    """Every hand-over to a row that waited, entries [H]."""

    took_ns: Floats
    own: Floats  # rows that waited for this lock
    waiting: Floats  # rows that waited for any lock


def fit(timeline: ReductionTimeline, resident_programs: int | None = None, sm_count: int | None = None) -> SimulationParameters:
    """Parameters with which the model comes close to a timeline.

    Args:
        timeline: of at least one row; the more rows wait, the more it says.
        resident_programs: programs of stage 1 on the device at once; as many as were seen at once if not given, which is too few
            where there were fewer rows than places.
        sm_count: SMs of the device; as many as were seen if not given.

    Raises:
        ValueError: there are no rows.
    """
    if timeline.m == 0:
        raise ValueError("a timeline of 0 rows has nothing to fit a model to")
    places = most_in_flight(timeline)
    rows = np.lexsort((timeline.order, timeline.lock))
    same_lock = timeline.lock[rows[1:]] == timeline.lock[rows[:-1]]
    before, after = rows[:-1][same_lock], rows[1:][same_lock]  # each row but a lock's first, with the one before it
    hand_overs = _hand_overs(timeline, before, after)
    hand_over_ns, spin_ns = _fit_tries(hand_overs)
    hold_ns, slowdown = _fit_hold(timeline, after, hand_over_ns, spin_ns)
    compute_ns, crowd_ns = _fit_compute(timeline, places)
    hold = (timeline.released_ns - timeline.held_ns).astype(np.float64)
    start = np.sort(timeline.start_ns)
    exits = start[places:] - np.sort(timeline.released_ns)[: timeline.m - places]
    tile_base, tile_step, tile_jitter = _fit_tiles(timeline)
    return SimulationParameters(
        resident_programs=places if resident_programs is None else resident_programs,
        sm_count=int(timeline.sm.max()) + 1 if sm_count is None else sm_count,
        compute_ns=compute_ns,
        crowd_ns=crowd_ns,
        hold_ns=hold_ns,
        first_hold_ns=float(hold[timeline.order == 0].mean()),
        try_ns=_fit_first_try(timeline, before, after),
        hand_over_ns=hand_over_ns,
        spin_ns=spin_ns,
        hold_slowdown=slowdown,
        stagger_ns=float(start[places - 1] - start[0]) / max(places - 1, 1),
        exit_ns=float(np.median(exits)) if exits.size else USUAL_EXIT_NS,
        jitter=_jitter(hold[after], timeline.lock[after]),
        lock_spread=_lock_spread(timeline, before, after) / hold_ns if hold_ns else 0.0,
        stage2_gap_ns=float(timeline.tile_start_ns.min(initial=timeline.end_ns) - timeline.released_ns.max()),
        tile_base_ns=tile_base,
        tile_step_ns=tile_step,
        tile_jitter=tile_jitter,
    )


def most_in_flight(timeline: ReductionTimeline) -> int:
    """The largest number of rows whose programs were on the device at once; a place that becomes free is taken later."""
    times = np.concatenate((timeline.start_ns, timeline.released_ns))
    change = np.repeat((1, -1), timeline.m)
    return int(np.cumsum(change[np.lexsort((change, times))]).max(initial=0))


def _hand_overs(timeline: ReductionTimeline, before: NDArray[np.int64], after: NDArray[np.int64]) -> _HandOvers:
    free_at = timeline.released_ns[before]
    waited = timeline.wanted_ns[after] < free_at
    before, after, free_at = before[waited], after[waited], free_at[waited]
    own = np.zeros(after.size)
    locks = timeline.lock[after]
    for lock in np.unique(locks):
        rows, here = np.flatnonzero(timeline.lock == lock), locks == lock
        own[here] = _waiting_at(timeline.wanted_ns[rows], timeline.held_ns[rows], free_at[here])
    everywhere = _waiting_at(timeline.wanted_ns, timeline.held_ns, free_at)
    return _HandOvers((timeline.held_ns[after] - free_at).astype(np.float64), np.maximum(own, 1.0), everywhere)


def _waiting_at(wanted_ns: NDArray[np.int64], held_ns: NDArray[np.int64], at_ns: NDArray[np.int64]) -> Floats:
    """How many rows had wanted their lock and not taken it, at some times."""
    wanted = np.searchsorted(np.sort(wanted_ns), at_ns, side="left")
    return (wanted - np.searchsorted(np.sort(held_ns), at_ns, side="right")).astype(np.float64)


def _fit_tries(seen: _HandOvers) -> tuple[float, float]:
    """hand_over_ns and spin_ns: of each spin_ns that is tried, the best hand_over_ns by Newton's method on the squared error."""
    if seen.took_ns.size == 0:
        return USUAL_HAND_OVER_NS, USUAL_SPIN_NS
    some = slice(None, None, -(-seen.took_ns.size // _MOST_HAND_OVERS))
    took, waiting, share = seen.took_ns[some], seen.waiting[some], 1 + 1 / (seen.own[some] + 1)
    variance = float(took.var()) or 1.0
    best = (np.inf, USUAL_HAND_OVER_NS, USUAL_SPIN_NS)
    for spin in _SPINS.tolist():
        base = float((took / share).mean()) / 2
        for _ in range(20):
            attempt = np.hypot(base, spin * waiting)
            slope = share * base / attempt
            base = max(base + float((slope * (took - share * attempt)).sum() / (slope * slope).sum()), 1.0)
        error = float(((took - share * np.hypot(base, spin * waiting)) ** 2).mean()) / variance
        error += _PRIOR * ((spin - USUAL_SPIN_NS) / (USUAL_SPIN_NS / 2)) ** 2
        best = min(best, (error, base, spin))
    return best[1], best[2]


def _fit_hold(timeline: ReductionTimeline, later: NDArray[np.int64], hand_over_ns: float, spin_ns: float) -> tuple[float, float]:
    """hold_ns and hold_slowdown, of all rows but the first of each buffer."""
    if later.size == 0:
        return float((timeline.released_ns - timeline.held_ns).mean()), USUAL_SLOWDOWN
    hold = (timeline.released_ns[later] - timeline.held_ns[later]).astype(np.float64)
    waiting = _waiting_at(timeline.wanted_ns, timeline.held_ns, timeline.held_ns[later])
    slower = np.hypot(hand_over_ns, spin_ns * waiting) - hand_over_ns
    apart = slower - slower.mean()
    doubt = _LEAST_CHANGE_NS**2
    slowdown = (float((apart * hold).mean()) + doubt * USUAL_SLOWDOWN) / (float((apart**2).mean()) + doubt)
    slowdown = min(max(slowdown, 0.0), float(hold.mean() / max(slower.mean(), 1.0)) / 2, 2.0)
    return float(hold.mean() - slowdown * slower.mean()), slowdown


def _fit_compute(timeline: ReductionTimeline, places: int) -> tuple[float, float]:
    compute = (timeline.wanted_ns - timeline.start_ns).astype(np.float64)[np.argsort(timeline.start_ns, kind="stable")]
    alone = float(compute[places:].mean()) if timeline.m > places else float(np.percentile(compute, 10))
    return alone, max(float(compute[:places].mean()) - alone, 0.0) / places


def _fit_first_try(timeline: ReductionTimeline, before: NDArray[np.int64], after: NDArray[np.int64]) -> float:
    """Median time of the tries that found the lock free."""
    took = timeline.held_ns - timeline.wanted_ns
    found_free = took[after][timeline.wanted_ns[after] > timeline.released_ns[before]]
    tries = np.concatenate((took[timeline.order == 0], found_free))
    return float(np.median(tries)) if tries.size else USUAL_TRY_NS


def _jitter(times: Floats, lock: NDArray[np.int32]) -> float:
    """Standard deviation within locks over the mean."""
    if times.size < 2 or times.mean() == 0:
        return 0.0
    counts = np.bincount(lock)
    means = np.bincount(lock, weights=times) / np.maximum(counts, 1)
    freedom = max(times.size - np.count_nonzero(counts), 1)
    return float(np.sqrt(((times - means[lock]) ** 2).sum() / freedom) / times.mean())


def _lock_spread(timeline: ReductionTimeline, before: NDArray[np.int64], after: NDArray[np.int64]) -> float:
    """Standard deviation in ns between locks of the mean time from one taking to the next, without that of chance.

    Where a hold takes longer because its lock is far away, the hand-over is often shorter, so the two are taken together.
    """
    waited = timeline.wanted_ns[after] < timeline.released_ns[before]
    before, after = before[waited], after[waited]
    lock, took = timeline.lock[after], (timeline.released_ns[after] - timeline.released_ns[before]).astype(np.float64)
    counts = np.bincount(lock)
    many = np.flatnonzero(counts > 1)
    if many.size < 2:
        return 0.0
    means = (np.bincount(lock, weights=took)[many]) / counts[many]
    within = _jitter(took, lock) * took.mean()
    return float(np.sqrt(max(means.var() - within**2 * float((1 / counts[many]).mean()), 0.0)))


def _fit_tiles(timeline: ReductionTimeline) -> tuple[float, float, float]:
    """Of one number of buffers only the sum is known: a tile's base is taken to be the usual one, or half of it."""
    if timeline.tile_start_ns.size == 0:
        return 0.0, 0.0, 0.0
    took = timeline.tile_end_ns - timeline.tile_start_ns
    mean = float(took.mean())
    base = min(_TILE_BASE_NS, mean / 2)
    steps = -(-min(timeline.group_size_m, timeline.m) // timeline.tile_block_m)
    return base, (mean - base) / steps, float(took.std()) / mean if mean else 0.0
