"""Fits the model's parameters to a timeline, and computes how far a model is from a measurement."""

import math

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.simulation.model import SINGLE_BUFFER, SimulationParameters, crowding
from lnexplorer.domain.timeline import TimelineSummary, hand_overs, locks_in_use, most_in_flight
from lnkernels.values import frozen_by_name
from lnkernels.values.timeline import ReductionTimeline, TraceCost

Floats = NDArray[np.float64]

# What traces of an NVIDIA H200 (4096 rows of 1024 columns, 1 to 512 buffers) gave one by one: 0.73
# to 0.93, and 0.35 to 0.71 (with two exceptions, 0.1 and 0.2). Fitted to each trace they predict
# the others no better than these do.
USUAL_SPIN_NS, USUAL_SLOWDOWN = 0.8, 0.55
# The same traces: with 256 buffers 180 programs compute or hold a lock at a time, with 512 buffers
# 380. Computing takes 180 and 280 ns longer than beside few, 0.5 ns for each of them as in a first
# wave. What holding takes longer was chosen so that a fit to any of these traces predicts the
# others best. Where x does not stay in the L2 cache a first wave takes longer; the buffers do.
HOLD_CROWD_SHARE = 0.75  # of crowd_ns, that each of them adds to a hold
USUAL_HOLD_CROWD_NS = 4e-4  # at most, for each column
# The same GPU, for a trace that has none of these.
USUAL_EXIT_NS, USUAL_TRY_NS, USUAL_HAND_OVER_NS = 1000.0, 700.0, 620.0
LEAST_HAND_OVER_NS = 100.0
# Tiles of 128 columns of 1 to 512 float32 buffers: 1050, 1470, 1540, 1780, 1840, 2480, 4360, 7120,
# 12890, 24640 ns.
USUAL_TILE_NS, USUAL_BUFFER_NS = 1500.0, 45.0


def fit(timeline: ReductionTimeline, sm_count: int | None = None) -> SimulationParameters:
    """Return parameters with which the model comes close to a timeline.

    Its resident programs are those that were seen at once: too few if there were fewer rows than
    places.

    Args:
        timeline: of at least one row; the more rows wait, the more it says.
        sm_count: SMs of the device; as many as were seen if not given.
    """
    places = most_in_flight(timeline)
    before, after = hand_overs(timeline)
    hand_over_ns = _fit_hand_over(timeline, before, after)
    compute_ns, crowd_ns = _fit_compute(timeline, places)
    hold = (timeline.released_ns - timeline.held_ns).astype(np.float64)
    hold_crowd_ns = min(HOLD_CROWD_SHARE * crowd_ns, USUAL_HOLD_CROWD_NS * timeline.n)
    hold_ns, slowdown = _fit_hold(timeline, after, hand_over_ns, hold_crowd_ns)
    start = np.sort(timeline.start_ns)
    exits = start[places:] - np.sort(timeline.released_ns)[: timeline.m - places]
    tile_base, tile_step, tile_jitter = _fit_tiles(timeline)
    return SimulationParameters(
        resident_programs=places,
        sm_count=int(timeline.sm.max()) + 1 if sm_count is None else sm_count,
        compute_ns=compute_ns,
        crowd_ns=crowd_ns,
        hold_ns=hold_ns,
        hold_crowd_ns=hold_crowd_ns,
        first_hold_ns=float(hold[timeline.order == 0].mean()),
        try_ns=_fit_first_try(timeline, before, after),
        hand_over_ns=hand_over_ns,
        spin_ns=USUAL_SPIN_NS,
        hold_slowdown=slowdown,
        stagger_ns=float(start[places - 1] - start[0]) / max(places - 1, 1),
        exit_ns=float(np.median(exits)) if exits.size else USUAL_EXIT_NS,
        jitter=_jitter(hold[after], timeline.lock[after]),
        stage2_gap_ns=float(
            timeline.tile_start_ns.min(initial=timeline.end_ns) - timeline.released_ns.max()
        ),
        tile_base_ns=tile_base,
        tile_step_ns=tile_step,
        tile_jitter=tile_jitter,
    )


def _fit_hand_over(
    timeline: ReductionTimeline, before: NDArray[np.int64], after: NDArray[np.int64]
) -> float:
    """Return the time of a try beside few others, by the mean hand-over to a row that waited."""
    free_at = timeline.released_ns[before]
    waited = timeline.wanted_ns[after] < free_at
    after, free_at = after[waited], free_at[waited]
    if after.size == 0:
        return USUAL_HAND_OVER_NS
    waiting = _between(timeline.wanted_ns, timeline.held_ns, free_at) / locks_in_use(timeline)
    share = 1 + 1 / (np.maximum(waiting, 1.0) + 1)
    attempt = float(((timeline.held_ns[after] - free_at) / share).mean())
    spinning = USUAL_SPIN_NS * float(_crowding_at(timeline, free_at).mean())
    return math.sqrt(max(attempt**2 - spinning**2, LEAST_HAND_OVER_NS**2))


def _crowding_at(timeline: ReductionTimeline, at_ns: NDArray[np.int64]) -> Floats:
    waiting = _between(timeline.wanted_ns, timeline.held_ns, at_ns)
    holding = _between(timeline.held_ns, timeline.released_ns, at_ns)
    return crowding(waiting, holding, locks_in_use(timeline))


def _between(
    begin_ns: NDArray[np.int64], end_ns: NDArray[np.int64], at_ns: NDArray[np.int64]
) -> Floats:
    """Count the rows that had begun something and not ended it, at some times."""
    begun = np.searchsorted(np.sort(begin_ns), at_ns, side="left")
    return (begun - np.searchsorted(np.sort(end_ns), at_ns, side="right")).astype(np.float64)


def _fit_hold(
    timeline: ReductionTimeline,
    later: NDArray[np.int64],
    hand_over_ns: float,
    hold_crowd_ns: float,
) -> tuple[float, float]:
    """Fit hold_ns and hold_slowdown to all rows but the first of each buffer."""
    if later.size == 0:
        return float((timeline.released_ns - timeline.held_ns).mean()), USUAL_SLOWDOWN
    held = timeline.held_ns[later]
    hold = float((timeline.released_ns[later] - held).mean())
    hold -= hold_crowd_ns * float(_using_memory(timeline, held).mean())
    spinning = USUAL_SPIN_NS * _crowding_at(timeline, held)
    slower = float(np.hypot(hand_over_ns, spinning).mean()) - hand_over_ns
    slowdown = min(USUAL_SLOWDOWN, hold / max(slower, 1.0) / 2)
    return hold - slowdown * slower, slowdown


def _fit_compute(timeline: ReductionTimeline, places: int) -> tuple[float, float]:
    """Fit compute_ns and crowd_ns: the first wave is beside all of its programs, later rows beside
    those that use the memory.
    """
    by_start = np.argsort(timeline.start_ns, kind="stable")
    compute = (timeline.wanted_ns - timeline.start_ns).astype(np.float64)[by_start]
    first = float(compute[:places].mean())
    if timeline.m == places:
        alone = float(np.percentile(compute, 10))
        return alone, max(first - alone, 0.0) / places
    later = float(compute[places:].mean())
    beside = float(_using_memory(timeline, timeline.start_ns[by_start[places:]]).mean())
    crowd = min(max(first - later, 0.0) / max(places - beside, 1.0), later / 2 / max(beside, 1.0))
    return later - crowd * beside, crowd


def _using_memory(timeline: ReductionTimeline, at_ns: NDArray[np.int64]) -> Floats:
    """Count the programs that compute or hold a lock at some times."""
    computing = _between(timeline.start_ns, timeline.wanted_ns, at_ns)
    return computing + _between(timeline.held_ns, timeline.released_ns, at_ns)


def _fit_first_try(
    timeline: ReductionTimeline, before: NDArray[np.int64], after: NDArray[np.int64]
) -> float:
    """Return the median time of the tries that found the lock free."""
    took = timeline.held_ns - timeline.wanted_ns
    found_free = took[after][timeline.wanted_ns[after] > timeline.released_ns[before]]
    tries = np.concatenate((took[timeline.order == 0], found_free))
    return float(np.median(tries)) if tries.size else USUAL_TRY_NS


def _jitter(times: Floats, lock: NDArray[np.int32]) -> float:
    """Return the standard deviation within locks over the mean."""
    if times.size < 2 or times.mean() == 0:
        return 0.0
    counts = np.bincount(lock)
    means = np.bincount(lock, weights=times) / np.maximum(counts, 1)
    freedom = max(times.size - np.count_nonzero(counts), 1)
    return float(np.sqrt(((times - means[lock]) ** 2).sum() / freedom) / times.mean())


def _fit_tiles(timeline: ReductionTimeline) -> tuple[float, float, float]:
    """Fit tile_base_ns, tile_step_ns and tile_jitter.

    For one number of buffers only their sum is known: it is split as it usually is.
    """
    if timeline.tile_start_ns.size == 0:
        return 0.0, 0.0, 0.0
    took = timeline.tile_end_ns - timeline.tile_start_ns
    buffers = locks_in_use(timeline)
    mean = float(took.mean()) / (SINGLE_BUFFER if buffers == 1 else 1.0)
    step = USUAL_BUFFER_NS * min(timeline.n, timeline.tile_block_n) / 128
    longer = mean / (USUAL_TILE_NS + step * buffers)
    jitter = float(took.std() / took.mean()) if mean else 0.0
    return longer * USUAL_TILE_NS, longer * step * timeline.tile_block_m, jitter


@frozen_by_name
class PredictionError:
    """Simulated over measured, less 1: 0.1 is "10 % too long". None if the measured time is 0."""

    stage1: float | None
    stage2: float | None
    trying_mean: float | None
    queued_mean: float | None
    # Of both stages, against the pass that was not recorded; None if nobody timed it.
    unrecorded_pass: float | None = None


def error_of_summary(
    real: TimelineSummary, model: TimelineSummary, cost: TraceCost | None = None
) -> PredictionError:
    """Compare the figures of a simulated timeline with those of the measured one of the same
    launch, and with the pass that was not recorded.
    """
    return PredictionError(
        stage1=_relative(real.stage1_ns, model.stage1_ns),
        stage2=_relative(real.stage2_ns, model.stage2_ns),
        trying_mean=_relative(real.trying_mean_ns, model.trying_mean_ns),
        queued_mean=_relative(real.queued_mean_ns, model.queued_mean_ns),
        unrecorded_pass=None if cost is None else _relative(cost.plain_ns, model.pass_ns),
    )


def _relative(real: float, model: float) -> float | None:
    return model / real - 1 if real else None
