"""Times as they are drawn: a long stretch in which nothing happens takes less room than its length asks for."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.timeline import ReductionTimeline

_LONG = 0.5  # of all the other time; a shorter gap between the stages is drawn as it is
_DRAWN = 0.12  # of all the other time


@dataclass(frozen=True, slots=True)
class TimeScale:
    """From begin_ns to end_ns the drawing passes in drawn_ns; elsewhere as fast as time does. No break where they are equal."""

    begin_ns: float = 0.0
    end_ns: float = 0.0
    drawn_ns: float = 0.0

    @property
    def broken(self) -> bool:
        """Whether a stretch is drawn shorter."""
        return self.end_ns - self.begin_ns > self.drawn_ns

    def drawn(self, time_ns: float) -> float:
        """Where a time is on the drawing's own scale, in ns."""
        if time_ns <= self.begin_ns:
            return time_ns
        if time_ns >= self.end_ns:
            return time_ns - (self.end_ns - self.begin_ns) + self.drawn_ns
        return self.begin_ns + (time_ns - self.begin_ns) / (self.end_ns - self.begin_ns) * self.drawn_ns

    def true(self, drawn_ns: float) -> float:
        """The time at a place of the drawing, the inverse of `drawn`."""
        if drawn_ns <= self.begin_ns:
            return drawn_ns
        if drawn_ns >= self.begin_ns + self.drawn_ns:
            return drawn_ns - self.drawn_ns + (self.end_ns - self.begin_ns)
        return self.begin_ns + (drawn_ns - self.begin_ns) / self.drawn_ns * (self.end_ns - self.begin_ns)

    def drawn_all(self, times: NDArray[np.int64]) -> NDArray[np.int64]:
        """`drawn` of many times, of which none lies within the break; whole ns."""
        if not self.broken:
            return times
        return np.where(times >= self.end_ns, times - np.int64(self.end_ns - self.begin_ns - self.drawn_ns), times)


def time_scale(timeline: ReductionTimeline) -> TimeScale:
    """The scale of a timeline: between the stages of a tiny problem lies a launch many times as long as both."""
    if timeline.m == 0 or timeline.tile_start_ns.size == 0:
        return TimeScale()
    begin, end = int(timeline.released_ns.max()), int(timeline.tile_start_ns.min())
    rest = timeline.end_ns - (end - begin)
    if end - begin <= max(_LONG * rest, 1):
        return TimeScale()
    return TimeScale(float(begin), float(end), float(round(_DRAWN * rest)))
