"""Whether a recorded timeline can have happened, as a trace of the run that it comes with."""

from collections.abc import Iterator

import numpy as np

from lnexplorer.domain.experiments.strategy_timeline import strategy_violations
from lnexplorer.domain.parameters import BY_NAME
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.sum_violations import sum_violations
from lnexplorer.domain.timeline import violations
from lnexplorer.store.archive import RecordingError
from lnexplorer.store.foreign_text import check_names
from lnkernels.launch.validation import MAX_GROUP_SIZE_M
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import Clock, ReductionTimeline, StrategyTimeline, TraceCost

MAX_TIME_NS = 3_600 * 10**9  # no reduction takes an hour
MOST_SMS = 1 << 16
_BLOCK = BY_NAME["reduce_block_size_n"].maximum
_CLOCKS = {
    Kind.MEASURED: (Clock.TIMER, Clock.REFINED, Clock.COARSE),
    Kind.RECORDED: (Clock.TIMER, Clock.REFINED, Clock.COARSE),
    # Those of a version that did not tell the clock are read as the timer's.
    Kind.INTERPRETED: (Clock.STEPS, Clock.TIMER),
    Kind.SIMULATED: (Clock.MODEL, Clock.TIMER),
}


def check_timeline(timeline: ReductionTimeline, resolved: ResolvedRequest | None = None, *, barrier: bool = True) -> None:
    """Raise RecordingError unless `timeline` is a course of events that can have happened.

    Args:
        timeline: with numbers or without.
        resolved: the run that it has to be a trace of; None where it is not known.
        barrier: where it is not known, whether each row waited for its stores.
    """
    most = {
        "m": BY_NAME["m"].maximum,
        "n": BY_NAME["n"].maximum,
        "group_size_m": MAX_GROUP_SIZE_M,
        "tile_block_m": _BLOCK,
        "tile_block_n": _BLOCK,
    }
    for name, largest in most.items():
        value = getattr(timeline, name)
        if value < 1 or (largest is not None and value > largest):
            raise RecordingError(f"{name} of its timeline is {value}; it is at least 1 and at most {largest}")
    _check_clock("its timeline", timeline)
    if resolved is not None:
        check_launch_of(timeline, resolved)
    impossible = violations(timeline)
    if not impossible and resolved is not None:
        impossible = sum_violations(timeline, resolved.dtype, barrier=resolved.launch.barrier)
    elif not impossible:
        impossible = sum_violations(timeline, barrier=barrier)
    if impossible:
        raise RecordingError(f"its timeline is impossible: {impossible[0]}")
    first = (("sm", timeline.sm), ("tile_sm", timeline.tile_sm), ("tile_start_ns", timeline.tile_start_ns))
    _check_rest("its timeline", timeline, first)


def check_strategy_timeline(timeline: StrategyTimeline, resolved: ResolvedRequest) -> None:
    """Raise RecordingError unless `timeline` is a course of events that can have happened, of a run's problem."""
    check_names("the strategy of a timeline", (timeline.strategy,))
    name = f"its timeline of {timeline.strategy}"
    for field, value in (
        ("m", timeline.m),
        ("n", timeline.n),
        ("rows", timeline.rows),
        ("the number of programs", timeline.sm.size),
        ("the number of tiles", timeline.tile_sm.size),
    ):
        if value < 1:
            raise RecordingError(f"{field} of {name} is {value}; it is at least 1")
    _check_clock(name, timeline)
    _check_same(name, timeline.m, timeline.n, resolved)
    impossible = strategy_violations(timeline)
    if impossible:
        raise RecordingError(f"{name} is impossible: {impossible[0]}")
    first = (("sm", timeline.sm), ("tile_sm", timeline.tile_sm), ("tile_setup_ns", timeline.tile_setup_ns))
    _check_rest(name, timeline, first)


def check_launch_of(timeline: ReductionTimeline, resolved: ResolvedRequest) -> None:
    """Raise RecordingError unless `timeline` has the sizes and the buffers of a launch."""
    launch = resolved.launch
    if launch.strategy != "locked":
        raise RecordingError(f"it has a timeline of locks, and its run is of {launch.strategy}; only locked has locks")
    _check_same("its timeline", timeline.m, timeline.n, resolved)
    for name, of_run in (
        ("group_size_m", launch.group_size_m),
        ("tile_block_m", launch.reduce_block_size_m),
        ("tile_block_n", launch.reduce_block_size_n),
    ):
        if getattr(timeline, name) != of_run:
            raise RecordingError(f"{name} of its timeline is {getattr(timeline, name)}, and of its run {of_run}")
    buffers = "float32" if launch.partial_dtype == "float32" else resolved.dtype
    if timeline.sums is not None and timeline.sums.partial_dtype != buffers:
        raise RecordingError(
            f"the buffers of its timeline are of {timeline.sums.partial_dtype[:20]!r}, and of its run of {buffers}"
        )


def _check_same(what: str, m: int, n: int, resolved: ResolvedRequest) -> None:
    if (m, n) != (resolved.m, resolved.n):
        raise RecordingError(f"{what} is of {m} rows of {n} columns, and its run of {resolved.m} of {resolved.n}")


def _check_clock(what: str, timeline: ReductionTimeline | StrategyTimeline) -> None:
    clocks = _CLOCKS.get(timeline.kind, ())
    if timeline.clock not in clocks:
        known = ", ".join(clocks) or "no clock, as there is no such timeline"
        raise RecordingError(f"clock of {what} is {timeline.clock}; one that is {timeline.kind} has {known}")
    if not 0 < timeline.tick_ns < MAX_TIME_NS:
        raise RecordingError(f"tick_ns of {what} is {timeline.tick_ns}; it is above 0 and below {MAX_TIME_NS}")


def _check_rest(what: str, timeline: ReductionTimeline | StrategyTimeline, least: tuple[tuple[str, np.ndarray], ...]) -> None:
    """What all timelines have: SMs, an end, and what it cost to record them; `least` is nowhere below 0."""
    if timeline.end_ns > MAX_TIME_NS:
        raise RecordingError(f"{what} ends at {timeline.end_ns} ns; no reduction takes an hour, {MAX_TIME_NS} ns")
    for name, values in least:
        if values.min() < 0:
            raise RecordingError(f"{name} of {what} has {values.min()}; it is at least 0")
        if name.endswith("sm") and values.max() >= MOST_SMS:
            raise RecordingError(f"{name} of {what} has {values.max()}; it is below {MOST_SMS}")
    for name, value, most in _of_cost(timeline.cost):
        if not 0 < value < most:
            raise RecordingError(f"{name} of the cost of {what} is {value}; it is above 0 and below {most}")


def _of_cost(cost: TraceCost | None) -> Iterator[tuple[str, float, int]]:
    if cost is not None:
        yield "plain_ns", cost.plain_ns, MAX_TIME_NS
        yield "traced_ns", cost.traced_ns, MAX_TIME_NS
        yield "repetitions", cost.repetitions, 1 << 31
