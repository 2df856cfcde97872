"""What a list of measured times says: percentiles, and whether its median has settled. Pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lnkernels.values.figures import L2State

# An event's time stamp is good to about half a microsecond (CUDA runtime API, cudaEventElapsedTime).
EVENT_STEP_MS = 0.0005
LEAST_SAMPLES = 25
SETTLED_WITHIN = 0.01
_Z_95 = 1.96
_LEAST_FOR_INTERVAL = 6  # all of 5 lie on one side of the true median in 1 of 16 cases, all of 6 in 1 of 32


@dataclass(frozen=True, slots=True, eq=False)
class Timing:
    """Times of one call, with everything that was measured."""

    samples_ms: NDArray[np.float64]  # [repetitions], in the order they were taken
    p20_ms: float
    p50_ms: float
    p80_ms: float
    l2: L2State  # cold: flushed before every repetition; warm: as the repetition before left it
    settled: bool  # the median is known at 95 % confidence, within SETTLED_WITHIN or what was asked for

    @property
    def repetitions(self) -> int:
        """Number of samples."""
        return self.samples_ms.size


def summarize(samples_ms: Sequence[float] | NDArray[np.float64], l2: L2State, within: float = SETTLED_WITHIN) -> Timing:
    """Percentiles of `samples_ms`, in milliseconds, and whether the median is known as well as `within` asks.

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
    return Timing(samples, float(p20), float(p50), float(p80), l2, has_settled(samples, within))


def median_interval(samples_ms: Sequence[float] | NDArray[np.float64]) -> tuple[float, float]:
    """95 % confidence interval of the median, from order statistics, so without assuming a distribution.

    The number of samples below the true median is binomial(n, 1/2); its normal approximation gives the two ranks. Fewer than
    six samples say nothing with such confidence: the interval goes from 0 to infinity.
    """
    ordered = np.sort(np.asarray(samples_ms, dtype=np.float64))
    n = ordered.size
    if n < _LEAST_FOR_INTERVAL:
        return 0.0, math.inf
    reach = _Z_95 * math.sqrt(n) / 2
    low = max(math.floor(n / 2 - reach), 0)
    high = min(math.ceil(n / 2 + reach), n - 1)
    return float(ordered[low]), float(ordered[high])


def has_settled(
    samples_ms: Sequence[float] | NDArray[np.float64], within: float = SETTLED_WITHIN, least: int = LEAST_SAMPLES
) -> bool:
    """Whether more samples would hardly move the median.

    Args:
        samples_ms: times, in milliseconds.
        within: allowed half-width of the median's interval, as a share of the median. The event's own step is always allowed.
        least: fewer samples than this never count as settled.
    """
    samples = np.asarray(samples_ms, dtype=np.float64)
    if samples.size < least:
        return False
    low, high = median_interval(samples)
    return (high - low) / 2 <= max(within * float(np.median(samples)), EVENT_STEP_MS)
