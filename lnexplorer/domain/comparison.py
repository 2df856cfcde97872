"""How far one measured speed is from another, and whether the difference is more than noise. Pure
functions of samples.

The interval of a median is that of `lnkernels.values.figures.median_bounds`. That of a ratio of two
medians joins both on a logarithmic scale, as Price and Bonett (2002, "Distribution-free confidence
intervals for difference and ratio of medians") do. What differs between two captures of the same
kernels, such as where their memory lies, no samples of one of them show: it is added as `CAPTURES`.
What changes between two runs for all kernels alike, such as the clocks, is a `Drift`, known from
kernels that are the same in both.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lnkernels.values import Sentence, Words, frozen, say
from lnkernels.values.figures import median_bounds

# Half of the interval, in logarithms, of what two captures of one launch differ by beyond the noise
# of their samples. On an H200 120 pairs of such figures were timed in two tutorial's curves, as
# `auto` and as `persistent`: with it 6 of them seem to differ, as many as should, and without it
# 10.
CAPTURES = 0.015
# The same where no kernel that did not change tells the drift. Of 90 pairs of the shipped series on
# an H200 the forward kernels, which are the same in all, are up to 2.6 % apart.
CAPTURES_AND_DRIFT = 0.03
LEAST_UNCHANGED = 4  # figures that say how far apart equal ones are


@frozen
class Interval:
    """A value above 0 with the ends of its 95 % interval, which are 0 and infinity where nothing
    can be said about it.
    """

    low: float
    value: float
    high: float

    @property
    def is_known(self) -> bool:
        return self.low > 0 and math.isfinite(self.high)

    @property
    def holds_nothing(self) -> bool:
        """True where the interval of a ratio holds 1: a difference of this size may be none."""
        return self.low <= 1.0 <= self.high


def median_interval(samples: NDArray[np.float64]) -> Interval | None:
    """The median of `samples` [any number] with its interval; None without positive samples.

    Fewer than LEAST_SAMPLES have a median, and an interval that is not known.
    """
    known = samples[samples > 0]
    if known.size == 0:
        return None
    low, high = median_bounds(known)
    return Interval(low, float(np.median(known)), high)


@frozen
class Drift:
    """The speed of what did not change, of one run over another.

    `captures` takes the place of CAPTURES: equal figures of these two runs differ by it.
    """

    value: float = 1.0
    captures: float = CAPTURES
    count: int = 0  # of the figures that tell it

    @classmethod
    def of(cls, ratios: Sequence[float]) -> "Drift":
        """Find it from the speeds of unchanged kernels, of one run over those of the other."""
        if not ratios:
            return cls(captures=CAPTURES_AND_DRIFT)
        logarithms = np.log(ratios)
        middle = float(np.median(logarithms))
        # 1.4826 times the median distance is the standard deviation of a normal distribution.
        spread = 1.96 * 1.4826 * float(np.median(np.abs(logarithms - middle)))
        known = len(ratios) >= LEAST_UNCHANGED
        captures = max(CAPTURES, spread if known else 0.0)
        return cls(math.exp(middle), captures, len(ratios))


NO_DRIFT = Drift()


def ratio(one: Interval, other: Interval, drift: Drift = NO_DRIFT) -> Interval:
    """`one` / `other`, each of a capture of its own, with the interval that follows from both; it
    is known where both are. The drift is taken out.
    """
    middle = math.log(one.value / other.value / drift.value)
    half = math.hypot(_half_width(one), _half_width(other), drift.captures)
    return Interval(math.exp(middle - half), math.exp(middle), math.exp(middle + half))


WITHIN_NOISE = say("within noise")


def difference_text(change: Interval) -> Words:
    """Write a ratio as a difference with half the length of its interval: +9.8 % ± 1.1."""
    percent = f"{100 * (change.value - 1):+.1f} %".replace("-", "−")
    if not change.is_known:
        return say("{difference}, too few times", difference=percent)
    if change.holds_nothing:
        return WITHIN_NOISE
    half = max(change.high - change.value, change.value - change.low)
    return f"{percent} ± {100 * half:.1f}"


def gain_text(gain: Interval) -> Sentence:
    """Write a ratio of speeds in words, with its 95 % interval in brackets."""
    if not gain.is_known:
        return say("too few times")
    low, by, high = (100 * (each - 1) for each in (gain.low, gain.value, gain.high))
    if gain.holds_nothing:
        least = f"{round(low, 1) + 0.0:.1f}".replace("-", "−")
        return say("no difference ({low} to {high} %)", low=least, high=f"{high:.1f}")
    how = say("faster") if by > 0 else say("slower")
    least, middle, most = (f"{each:.1f}" for each in sorted(map(abs, (low, by, high))))
    return say("{by} % {how} ({low} to {high})", by=middle, how=how, low=least, high=most)


def _half_width(interval: Interval) -> float:
    if not interval.is_known:
        return math.inf
    return math.log(interval.high / interval.low) / 2
