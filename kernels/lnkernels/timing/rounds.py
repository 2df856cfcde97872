"""Statistics of measured times, candidates measured in turns, and figures from times and bytes.
Pure.

Turns, A B A B, are so that a drifting clock or a busy GPU is shared by all of them.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from lnkernels.launch import DTYPE_BYTES, split_norm
from lnkernels.values.figures import Direction, Figure, Subject, median_bounds
from lnkernels.values.frozen import frozen, frozen_by_name

Key = TypeVar("Key")
# Takes a number of repetitions, and returns their times in ms.
Sampler: TypeAlias = Callable[[int], Sequence[float]]

_STATISTIC_BYTES = 4  # mean and rstd are float32

# An event's time stamp is good to about half a microsecond (CUDA runtime API,
# cudaEventElapsedTime).
EVENT_STEP_MS = 0.0005
LEAST_SAMPLES = 25
SETTLED_WITHIN = 0.01


@frozen(eq=False)
class Timing:
    """Times of one call, with all samples."""

    samples_ms: NDArray[np.float64]  # [repetitions], in the order they were taken
    p20_ms: float
    p50_ms: float
    p80_ms: float
    # the median is known at 95 % confidence, within SETTLED_WITHIN or what was asked for
    settled: bool

    @property
    def repetitions(self) -> int:
        return self.samples_ms.size


def summarize(
    samples_ms: Sequence[float] | NDArray[np.float64], within: float = SETTLED_WITHIN
) -> Timing:
    """Return percentiles of `samples_ms`, in milliseconds, and whether the median is known as well
    as `within` asks.

    Raises:
        ValueError: there is no sample, or one is not a finite time of zero or more.
    """
    # A copy: a later round appends to the caller's list, and a Timing never changes.
    samples = np.array(samples_ms, dtype=np.float64)
    if samples.size == 0:
        raise ValueError("samples_ms is empty: at least one repetition is needed")
    if not np.isfinite(samples).all() or (samples < 0).any():
        raise ValueError("samples_ms holds a value that is not a finite time of zero or more")
    samples.flags.writeable = False
    p20, p50, p80 = np.percentile(samples, (20, 50, 80))
    return Timing(samples, float(p20), float(p50), float(p80), has_settled(samples, within))


def has_settled(
    samples_ms: Sequence[float] | NDArray[np.float64], within: float = SETTLED_WITHIN
) -> bool:
    """Return True if more samples would hardly move the median, never of fewer than LEAST_SAMPLES.

    Args:
        samples_ms: times, in milliseconds.
        within: allowed half-width of the median's interval, as a share of the median. The event's
            own step is always allowed.
    """
    samples = np.asarray(samples_ms, dtype=np.float64)
    if samples.size < LEAST_SAMPLES:
        return False
    low, high = median_bounds(samples)
    return (high - low) / 2 <= max(within * float(np.median(samples)), EVENT_STEP_MS)


@frozen_by_name
class Effort:
    """Limits on the time to spend. The defaults give a first estimate of a 0.2 ms kernel within 2
    ms and about 60 samples of it in all.
    """

    first: int = 5  # repetitions of the first turn: an estimate to show at once
    turn: int = 25  # most repetitions of a later turn
    turn_ms: float = 10.0  # a later turn of slow candidates is shortened to about this
    most: int = 200  # repetitions after which a candidate is done, settled or not
    # No turn starts later than this after the first round, in which candidates are prepared: their
    # compiling and capturing takes seconds on a busy host, and would leave nothing to measure in.
    seconds: float = 2.0
    # half-width of the median's interval, as a share of it, at which a candidate is done
    within: float = SETTLED_WITHIN
    # Of turns that every candidate gets after its first, which prepares it: settled or not,
    # `seconds` or not. `most` ends it all the same.
    least_seconds: float = 0.0


@dataclass(slots=True)
class _Record:
    samples: list[float] = field(default_factory=list)
    timing: Timing | None = None
    failed: bool = False
    seconds: float = 0.0  # of its turns after the first, in which it is captured and warmed up

    def wants_more(self, effort: Effort, *, late: bool) -> bool:
        if self.failed:
            return False
        if self.timing is None:
            return True
        if self.timing.repetitions >= effort.most:
            return False
        return self.seconds < effort.least_seconds or not (self.timing.settled or late)

    def next_turn(self, effort: Effort) -> int:
        if self.timing is None:
            return effort.first
        fitting = int(effort.turn_ms / max(self.timing.p50_ms, 1e-6))
        return max(1, min(effort.turn, fitting, effort.most - self.timing.repetitions))


def never() -> bool:
    """Never stop, as a `should_stop`."""
    return False


def interleave(
    candidates: Mapping[Key, Sampler],
    effort: Effort | None = None,
    should_stop: Callable[[], bool] = never,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[tuple[Key, Timing | Exception]]:
    """Take turns until every median has settled, and give each candidate's timing so far after each
    of its turns.

    The first timing of every candidate comes before the second of any. A candidate that has settled
    rests, as soon as it had the least time that `effort` gives to all. One that raises gives its
    exception in place of a timing, and no more turns. Whoever consumes this may stop at any time;
    `should_stop` is asked before each turn. What has not settled when time or repetitions run out
    says so in its `Timing`.
    """
    effort = effort or Effort()
    records = {key: _Record() for key in candidates}
    prepared: float | None = None  # when the first round, which prepares every candidate, had ended

    def is_late(now: float) -> bool:
        return prepared is not None and now - prepared > effort.seconds

    while any(record.wants_more(effort, late=is_late(clock())) for record in records.values()):
        for key, record in records.items():
            if should_stop():
                return
            turn_began = clock()
            if not record.wants_more(effort, late=is_late(turn_began)):
                continue
            try:
                record.samples += candidates[key](record.next_turn(effort))
                if record.timing is not None:
                    record.seconds += clock() - turn_began
                record.timing = summarize(record.samples, effort.within)
            except Exception as error:  # noqa: BLE001  a candidate is somebody else's code; the consumer judges
                record.failed = True
                yield key, error
            else:
                yield key, record.timing
        if prepared is None:
            prepared = clock()


def gbps(moved_bytes: int, ms: float) -> float:
    """Return bytes in milliseconds as GB/s (1e9 bytes a second); infinite for a time of zero, NaN
    for nothing in no time.
    """
    if ms == 0:
        return float("inf") if moved_bytes else float("nan")
    return moved_bytes / ms * 1e-6


def tutorial_bytes(
    direction: Direction, m: int, n: int, dtype: str, norm: str = "layer_norm"
) -> int:
    """Return the bytes that the tutorial counts: x and y forward, x, dy and dx backward; no
    weights, statistics or partial sums. Of x + residual, four matrices either way: both and their
    sum are read or written besides y forward, the sum, its gradient, dy and dx backward.
    """
    matrices = 2 if direction == "forward" else 3
    if split_norm(norm)[1]:
        matrices = 4
    return matrices * m * n * DTYPE_BYTES[dtype]


def least_bytes(direction: Direction, m: int, n: int, dtype: str, norm: str = "layer_norm") -> int:
    """Return the bytes that a norm has to move: each matrix, weight, bias, gradient and statistic
    once, and no workspace. Weight and bias are of the type of x.
    """
    pair = 2 if split_norm(norm)[0] == "layer_norm" else 1  # RMSNorm has neither bias nor mean
    # forward: w and b read; backward: dw and db written, and w read
    weights = (pair + (direction == "backward")) * n * DTYPE_BYTES[dtype]
    statistics = pair * m * _STATISTIC_BYTES
    return tutorial_bytes(direction, m, n, dtype, norm) + weights + statistics


@frozen
class Bytes:
    tutorial: int
    requested: int


def make_figure(
    subject: Subject, timing: Timing, moved: Bytes, ceiling: Timing | None, host_us: float | None
) -> Figure:
    share = None
    if ceiling is not None and timing.p50_ms > 0:
        share = ceiling.p50_ms / timing.p50_ms
    return Figure(
        provider=subject.provider,
        direction=subject.direction,
        mode=subject.mode,
        samples_ms=timing.samples_ms,
        p20_ms=timing.p20_ms,
        p50_ms=timing.p50_ms,
        p80_ms=timing.p80_ms,
        gbps=gbps(moved.tutorial, timing.p50_ms),
        requested_gbps=gbps(moved.requested, timing.p50_ms),
        share_of_ceiling=share,
        host_us=host_us,
        settled=timing.settled,
    )
