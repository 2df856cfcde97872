"""What is worked out of a timeline before it is shown, without Qt, on any thread."""

from dataclasses import dataclass

import numpy.ma  # noqa: F401  (percentiles import it; here that is a step of the start, there it would hold up a picture)

from lnexplorer.domain.simulation.fit import most_in_flight
from lnexplorer.domain.timeline import ReductionTimeline
from lnexplorer.domain.timeline_summary import TimelineSummary, summarize
from lnexplorer.gui.reduction.painter.timeline_index import TimelineIndex, timeline_index

AT_ONCE = 20_000  # rows; sorting so many takes less than a frame


@dataclass(frozen=True, eq=False, slots=True)
class Prepared:
    """A timeline, sorted for drawing, and its figures."""

    timeline: ReductionTimeline
    index: TimelineIndex
    summary: TimelineSummary
    programs: int  # of stage 1 on the device at once, at most


def prepare(timeline: ReductionTimeline) -> Prepared:
    """Work it out: a millisecond for a thousand rows."""
    return Prepared(timeline, timeline_index(timeline), summarize(timeline), most_in_flight(timeline))
