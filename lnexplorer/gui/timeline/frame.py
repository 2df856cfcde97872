"""What a picture of the reduction is made from, with the numbers of its cells, and what is under a
point of it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QSizeF
from PySide6.QtGui import QFont

from lnexplorer.domain.ordered_sums import OrderedSums, ordered_sums, recorded_sums
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.gui.timeline.colours import PictureColours
from lnkernels.values.accuracy import PartialRows
from lnkernels.values.timeline import ReductionTimeline

GROUPINGS = (
    "lock",
    "sm",
    "start",
)  # the rows of each lock, of each SM, or all together, in the order of their starts


@dataclass(frozen=True, slots=True)
class Hit:
    """What is under a point; None where it is nothing of that kind."""

    row: int | None = None
    lock: int | None = None
    tile: int | None = None
    time_ns: float | None = None
    whole: bool = False  # the point is in the picture of the whole time


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class CellNumbers:
    """What each row adds, and what the buffers hold after it; None where that is not known."""

    rows: PartialRows | None = None
    sums: OrderedSums | None = None
    buffer_dtype: str = "float32"  # what the buffers round to
    stored: bool = False  # read back from the buffers while it happened
    other_run: bool = (
        False  # the totals of the rows are those of another run, in an order of its own
    )


def cell_numbers(
    timeline: ReductionTimeline, partial_rows: PartialRows | None, request: ResolvedRequest
) -> CellNumbers:
    """Numbers for a timeline.

    Args:
        timeline: what is shown.
        partial_rows: of the run on show; left aside where they are not of the timeline's shape.
        request: the launch.
    """
    if partial_rows is not None and partial_rows.dw.shape != (timeline.m, timeline.n):
        partial_rows = None
    traced = timeline.sums
    if traced is not None:
        return CellNumbers(
            rows=PartialRows(
                dw=traced.row_dw,
                db=traced.row_db,
                dw_total=partial_rows.dw_total if partial_rows is not None else traced.dw,
                db_total=partial_rows.db_total if partial_rows is not None else traced.db,
            ),
            sums=recorded_sums(timeline),
            buffer_dtype=traced.partial_dtype,
            stored=True,
            other_run=partial_rows is not None,
        )
    dtype = request.buffer_dtype
    sums = None if partial_rows is None else ordered_sums(partial_rows, timeline, dtype)
    return CellNumbers(rows=partial_rows, sums=sums, buffer_dtype=dtype)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Scene:
    """All that a picture is made from, but for the time."""

    timeline: ReductionTimeline
    colours: PictureColours
    size: QSizeF
    font: QFont
    begin_ns: float = 0.0  # the stretch that the waterfall shows
    end_ns: float = 1.0
    top: float = 0.0  # the part of the rows that it shows, from 0 to 1
    bottom: float = 1.0
    grouping: str = "lock"  # one of GROUPINGS
    least_ns: float = 0.0  # the whole of the drawing is at least so long: for two beside each other
    followed: int | None = None  # a row
    followed_lock: int | None = None
    result: str = "dw"  # whose numbers are in the cells
    numbers: CellNumbers = CellNumbers()
    barrier: bool = True  # the launch had it

    @property
    def partial_rows(self) -> NDArray[np.float32] | None:
        """What each row adds to the result on show."""
        return getattr(self.numbers.rows, self.result, None)

    @property
    def sums_after(self) -> NDArray[np.float32] | None:
        """What the buffer of each row holds after it."""
        return getattr(self.numbers.sums, f"{self.result}_after", None)

    @property
    def last_ns(self) -> float:
        """The end of the whole drawing."""
        return max(self.timeline.end_ns * 1.01, self.least_ns, 1.0)
