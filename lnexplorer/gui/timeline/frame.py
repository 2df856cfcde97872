"""Input of a picture of the reduction, with the numbers of its cells; and what is under a point."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QSizeF
from PySide6.QtGui import QFont

from lnexplorer.domain.ordered_sums import OrderedSums, ordered_sums, recorded_sums
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.gui.timeline.colours import PictureColours
from lnkernels.values.accuracy import PartialRows
from lnkernels.values.frozen import frozen
from lnkernels.values.timeline import ReductionTimeline

# The rows of each lock, of each SM, or all together, in the order of their starts.
GROUPINGS = ("lock", "sm", "start")


@frozen
class Hit:
    """Result of a hit test; None where there is nothing of that kind."""

    row: int | None = None
    lock: int | None = None
    tile: int | None = None
    time_ns: float | None = None
    whole: bool = False  # the point is in the picture of the whole time


@frozen(eq=False, kw_only=True)
class CellNumbers:
    """Partial sums of each row, and the buffers after it; None where they are not known."""

    rows: PartialRows | None = None
    sums: OrderedSums | None = None
    buffer_dtype: str = "float32"  # what the buffers round to
    stored: bool = False  # read back from the buffers while the kernel ran
    other_run: bool = False  # the totals of the rows are those of another run, in another order


def cell_numbers(
    timeline: ReductionTimeline, partial_rows: PartialRows | None, request: ResolvedRequest
) -> CellNumbers:
    """Return the numbers for a timeline.

    Args:
        timeline: what is shown.
        partial_rows: of the run on show; left aside where they are not of the timeline's shape.
        request: the launch.
    """
    if partial_rows is not None and partial_rows.dw.shape != (timeline.m, timeline.n):
        partial_rows = None
    traced = timeline.sums
    if traced is not None:
        run = partial_rows
        rows = PartialRows(
            dw=traced.row_dw,
            db=traced.row_db,
            dw_total=traced.dw if run is None else run.dw_total,
            db_total=traced.db if run is None else run.db_total,
        )
        return CellNumbers(
            rows=rows,
            sums=recorded_sums(timeline),
            buffer_dtype=traced.partial_dtype,
            stored=True,
            other_run=partial_rows is not None,
        )
    dtype = request.buffer_dtype
    sums = None if partial_rows is None else ordered_sums(partial_rows, timeline, dtype)
    return CellNumbers(rows=partial_rows, sums=sums, buffer_dtype=dtype)


@frozen(eq=False, kw_only=True)
class Scene:
    """Input of a picture, except for the time."""

    timeline: ReductionTimeline
    colours: PictureColours
    size: QSizeF
    font: QFont
    begin_ns: float = 0.0  # the stretch that the waterfall shows
    end_ns: float = 1.0
    top: float = 0.0  # the part of the rows that it shows, from 0 to 1
    bottom: float = 1.0
    grouping: str = "lock"  # one of GROUPINGS
    least_ns: float = 0.0  # the time axis is at least so long: for two pictures beside each other
    followed: int | None = None  # a row
    followed_lock: int | None = None
    result: str = "dw"  # whose numbers are in the cells
    numbers: CellNumbers = CellNumbers()
    barrier: bool = True  # the launch had it

    @property
    def partial_rows(self) -> NDArray[np.float32] | None:
        """Partial sums of each row for the chosen result."""
        return getattr(self.numbers.rows, self.result, None)

    @property
    def sums_after(self) -> NDArray[np.float32] | None:
        """Contents of the buffer of each row after it."""
        return getattr(self.numbers.sums, f"{self.result}_after", None)

    @property
    def last_ns(self) -> float:
        """End of the time axis when all of it is shown."""
        return max(self.timeline.end_ns * 1.01, self.least_ns, 1.0)

    @property
    def length_ns(self) -> float:
        """Length of the stretch that is shown."""
        return self.end_ns - self.begin_ns

    @property
    def share(self) -> float:
        """Share of the rows that is shown."""
        return self.bottom - self.top

    @property
    def zoomed(self) -> bool:
        return self.length_ns < self.last_ns or self.share < 1

    def whole(self) -> "Scene":
        """Return the scene with all of its time and rows."""
        return replace(self, begin_ns=0.0, end_ns=self.last_ns, top=0.0, bottom=1.0)

    def part(
        self,
        begin_ns: float,
        length_ns: float | None = None,
        top: float | None = None,
        share: float | None = None,
    ) -> "Scene":
        """Return the scene at another part of time and rows, clipped to what there is; as long, or
        as high, as now if that is not given.
        """
        length_ns = self.length_ns if length_ns is None else length_ns
        share = self.share if share is None else share
        begin = min(max(begin_ns, 0.0), self.last_ns - length_ns)
        top = min(max(self.top if top is None else top, 0.0), 1.0 - share)
        return replace(self, begin_ns=begin, end_ns=begin + length_ns, top=top, bottom=top + share)
