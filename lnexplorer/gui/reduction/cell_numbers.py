"""The numbers in the cells of a small shape: those that the traced run stored, else computed in the timeline's order."""

from dataclasses import dataclass

from lnexplorer.domain.ordered_sums import OrderedSums, ordered_sums, recorded_sums
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.result import PartialRows
from lnexplorer.domain.timeline import ReductionTimeline
from lnexplorer.gui.reduction.description import buffer_dtype


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class CellNumbers:
    """What each row adds, and what the buffers hold after it; None where that is not known."""

    rows: PartialRows | None = None
    sums: OrderedSums | None = None
    buffer_dtype: str = "float32"
    stored: bool = False  # read back from the buffers while it happened
    other_run: bool = False  # the totals of the rows are those of another run, in an order of its own


def cell_numbers(
    timeline: ReductionTimeline | None, partial_rows: PartialRows | None, request: ResolvedRequest | None
) -> CellNumbers:
    """Numbers for a timeline.

    Args:
        timeline: what is shown.
        partial_rows: of the run on show; left aside where they are not of the timeline's shape.
        request: the launch.
    """
    if timeline is None or request is None:
        return CellNumbers()
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
    dtype = buffer_dtype(request)
    if partial_rows is None:
        return CellNumbers(buffer_dtype=dtype)
    return CellNumbers(rows=partial_rows, sums=ordered_sums(partial_rows, timeline, dtype), buffer_dtype=dtype)
