"""Times of traced events, more exact than the GPU's timer gives them."""

import numpy as np
import numpy.typing as npt

from lnkernels.values.timeline import Times

_Floats = npt.NDArray[np.float64]
_WORTH = 2  # refined times are worth having when they are this many times finer than the timer's
_APART_NS = 16  # the two clocks are read one after the other
_SLOPES = np.linspace(-1, 1, 161)


def whole_times(start: npt.NDArray[np.int64], low: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Return times [events + 1, M] from one that is whole [M] and the lower halves of later ones
    [events, M], up to 4 s later.
    """
    later: npt.NDArray[np.int64] = start + (low.astype(np.int64) - start) % (np.int64(1) << 32)
    return np.concatenate((start[None], later))


def refined(
    timer_ns: Times, cycles: Times, sm: npt.NDArray[np.int32], tick_ns: int
) -> tuple[Times, int] | None:
    """Return times of events more exact than the timer's, and how far off they may be in ns; None
    where that cannot be done.

    An SM counts cycles of one length, from a beginning of its own. A timer that steps shows a time
    up to a step too early. So each event bounds the beginning of its SM's count from both sides,
    and the events of an SM together bound it closely. The length of a cycle is the same for all SMs
    while the clock does not change; where it does, the bounds contradict each other.

    Args:
        timer_ns: [events, M] as read from the timer.
        cycles: [events, M] as read from the SM's clock at the same moments.
        sm: [M] the SM of each column.
        tick_ns: the timer's step.
    """
    present, index = np.unique(sm, return_inverse=True)
    base = timer_ns.min()
    told, counted = (timer_ns - base).astype(np.float64), (cycles - cycles.min()).astype(np.float64)
    length = _cycle_length(told, counted, index, present.size)
    if length is None:
        return None
    # The slope through so many points is off by less than this over the whole stretch. Of the
    # slopes that contradict no reading the middle one is taken, and how far apart they are is a
    # doubt of its own.
    stretch = max(float(np.ptp(told)), float(tick_ns))
    slopes = _SLOPES * min(8 / np.sqrt(told.size), 1.0) * tick_ns
    bounds = [
        _beginnings(told, counted * length * (1 + off / stretch), index, present.size, tick_ns)
        for off in slopes
    ]
    possible = [at for at, (least, most) in enumerate(bounds) if (least <= most).all()]
    if not possible:
        return None
    middle = possible[len(possible) // 2]
    least, most = bounds[middle]
    doubt = float((most - least).max()) + slopes[possible[-1]] - slopes[possible[0]]
    if doubt * _WORTH > tick_ns:
        return None
    true = counted * length * (1 + slopes[middle] / stretch) + ((least + most) / 2)[index]
    return np.rint(true).astype(np.int64) + base, max(round(doubt), 1)


def _beginnings(
    told: _Floats, counted: _Floats, index: npt.NDArray[np.int64], sms: int, tick_ns: int
) -> tuple[_Floats, _Floats]:
    """Return the least and the most that each SM's count can begin at: told <= true < told + tick,
    true = begin + counted.
    """
    apart = told - counted
    least, most = np.full(sms, -np.inf), np.full(sms, np.inf)
    for event in range(told.shape[0]):
        np.maximum.at(least, index, apart[event])
        np.minimum.at(most, index, apart[event])
    return least - _APART_NS / 2, most + tick_ns + _APART_NS / 2


def _cycle_length(
    told: _Floats, counted: _Floats, index: npt.NDArray[np.int64], sms: int
) -> float | None:
    """Return the length of a cycle in ns: the slope of the timer over the clock, within SMs."""
    size = np.bincount(index, minlength=sms) * told.shape[0]
    apart = []
    for values in (told, counted):
        means = np.bincount(index, weights=values.sum(axis=0), minlength=sms) / size
        apart.append(values - means[index])
    spread = float((apart[1] ** 2).sum())
    slope = float((apart[0] * apart[1]).sum()) / spread if spread else 0.0
    return slope if slope > 0 else None
