"""The numbers of the reduction for shapes small enough to read: what each buffer holds after each
addition.
"""

import numpy as np
from numpy.typing import NDArray

from lnkernels.values import frozen_by_name
from lnkernels.values.accuracy import PartialRows
from lnkernels.values.timeline import ReductionTimeline

# Largest relative error of one rounding, and largest absolute error where numbers lose digits near
# zero.
UNIT_ROUNDOFF = {"float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}
UNDERFLOW = {"float32": 2.0**-150, "float16": 2.0**-25, "bfloat16": 2.0**-134}


@frozen_by_name(eq=False)
class OrderedSums:
    """Contents of the buffers, told by row: a row changes its own lock's buffer only."""

    dw_after: NDArray[
        np.float32
    ]  # [M, N] the buffer of the row's lock after the row has added to it
    db_after: NDArray[np.float32]  # [M, N]
    previous: NDArray[
        np.int32
    ]  # [M] the row that added to the buffer before, or -1 where the row stores first
    dw: NDArray[np.float32]  # [N] the buffers' sum
    db: NDArray[np.float32]  # [N]


def ordered_sums(
    partial_rows: PartialRows, timeline: ReductionTimeline, partial_dtype: str
) -> OrderedSums:
    """Add the rows' partial sums as the kernels do, in the order of a timeline.

    The first row of a buffer stores, a later one loads, adds in float32 and stores; a store rounds
    to the buffers' type. Stage 2 adds the buffers, tile_block_m at a time, in float32.

    Args:
        partial_rows: what each row adds, dw and db [M, N].
        timeline: the order, over the same rows and columns.
        partial_dtype: element type of the buffers, "float32", "float16" or "bfloat16".
    """
    previous, last = previous_rows(timeline)
    dw_after, db_after = np.zeros_like(partial_rows.dw), np.zeros_like(partial_rows.db)
    for row in np.argsort(timeline.order, kind="stable"):
        before = previous[row]
        for partial, after in ((partial_rows.dw, dw_after), (partial_rows.db, db_after)):
            total = partial[row] if before < 0 else after[before] + partial[row]
            after[row] = rounded(total, partial_dtype)
    return OrderedSums(
        dw_after=dw_after,
        db_after=db_after,
        previous=previous,
        dw=_stage2(dw_after[last], timeline.tile_block_m),
        db=_stage2(db_after[last], timeline.tile_block_m),
    )


def recorded_sums(timeline: ReductionTimeline) -> OrderedSums | None:
    """Return the numbers that the traced run stored itself; None where the timeline has none."""
    sums = timeline.sums
    if sums is None:
        return None
    return OrderedSums(
        dw_after=sums.dw_after,
        db_after=sums.db_after,
        previous=previous_rows(timeline)[0],
        dw=sums.dw,
        db=sums.db,
    )


def previous_rows(timeline: ReductionTimeline) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the row before each in its buffer's order [M], or -1; and the last row of each buffer
    [G in use].
    """
    rows = np.lexsort((timeline.order, timeline.lock)).astype(np.int32)
    same = timeline.lock[rows[1:]] == timeline.lock[rows[:-1]]
    previous = np.full(timeline.m, -1, np.int32)
    previous[rows[1:][same]] = rows[:-1][same]
    return previous, rows[np.append(~same, True)]


def _stage2(buffers: NDArray[np.float32], block_m: int) -> NDArray[np.float32]:
    """Sum of the buffers [G, N]: each of block_m lines of a tile adds up its own buffers, then the
    lines are added.
    """
    lines = np.zeros((min(block_m, len(buffers)), buffers.shape[1]), np.float32)
    for first in range(0, len(buffers), block_m):
        step = buffers[first : first + block_m]
        lines[: len(step)] += step
    total: NDArray[np.float32] = lines.sum(axis=0, dtype=np.float32)
    return total


def rounded(values: NDArray[np.float32], dtype: str) -> NDArray[np.float32]:
    """Round to an element type of a buffer, ties to even, as float32."""
    if dtype == "float32":
        return values.astype(np.float32)
    if dtype == "float16":
        with np.errstate(over="ignore"):  # beyond 65504 it is infinite, on the GPU as well
            return values.astype(np.float16).astype(np.float32)
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    # Half of what is cut off, less one where the kept part is even; NaN has to stay NaN.
    up = bits + (np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1)))
    result: NDArray[np.float32] = (up & np.uint32(0xFFFF0000)).view(np.float32)
    return np.where(np.isnan(values), values, result)


def rounding_losses(exact: NDArray[np.float32], stored: NDArray[np.float32]) -> list[float]:
    """Return stored less exact, 0 where nothing was lost or where the numbers are not finite."""
    with np.errstate(invalid="ignore"):
        change = stored.astype(np.float64) - exact
    return [float(value) if np.isfinite(value) else 0.0 for value in change]


def order_bound(
    magnitude: NDArray[np.float64], m: int, group_size_m: int, partial_dtype: str, result_dtype: str
) -> NDArray[np.float64]:
    """Bound the difference of two sums of the same partial rows, added in different orders [N].

    With magnitude = Σ|p| of a column, u the largest relative error of a rounding to the buffers'
    type, e of one in float32, and r of one to the result's type: a row's value passes through at
    most k = ceil(M / GROUP_SIZE_M) additions and stores of its buffer, one store more where the
    partial sum itself was read back from a buffer, and fewer than G additions of stage 2, G being
    the buffers in use. Each multiplies it by a factor of at most 1 + u or 1 + e, and a store near
    zero adds at most half the smallest number of the type. So one sum is within

        magnitude · ((1 + u)^(k + 1) · (1 + e)^(k + G) · (1 + r) − 1) + (M + G) · smallest/2

    of the exact one, and two are within twice that of each other, whatever the order.

    Args:
        magnitude: sum over the rows of the absolute partial sums [N].
        m: rows.
        group_size_m: GROUP_SIZE_M.
        partial_dtype: element type of the buffers.
        result_dtype: element type of dw and db.
    """
    additions, buffers = -(-m // group_size_m), min(group_size_m, m)
    growth = (additions + 1) * np.log1p(UNIT_ROUNDOFF[partial_dtype])
    growth += (additions + buffers) * np.log1p(UNIT_ROUNDOFF["float32"]) + np.log1p(
        UNIT_ROUNDOFF[result_dtype]
    )
    near_zero = (m + buffers) * UNDERFLOW[partial_dtype] + UNDERFLOW[result_dtype]
    bound: NDArray[np.float64] = 2 * (magnitude * np.expm1(growth) + near_zero)
    return bound
