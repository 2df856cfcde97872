"""A trace of the kernels as the domain's timeline."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.provenance import Kind
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.timeline import Clock, ReductionTimeline, TraceCost, TracedSums
from lnkernels.launch import ceil_div
from lnkernels.lock_trace import LockTrace
from lnkernels.trace_clock import COARSE_TICK_NS

T = TypeVar("T")
Totals = NDArray[np.float32] | None  # [2, N] the run's dw and db


def measured_timeline(
    recorded: LockTrace, resolved: ResolvedRequest, totals: Totals, cost: TraceCost | None
) -> ReductionTimeline:
    """What a GPU did, by its clock; cost is None where it was not asked for."""
    clock = Clock.TIMER
    if recorded.is_refined:
        clock = Clock.REFINED
    elif _there(recorded.tick_ns) > COARSE_TICK_NS:
        clock = Clock.COARSE
    return ReductionTimeline(
        kind=Kind.MEASURED,
        m=resolved.m,
        n=resolved.n,
        group_size_m=resolved.launch.group_size_m,
        lock=recorded.lock,
        order=recorded.order,
        sm=_there(recorded.sm),
        start_ns=_there(recorded.start_ns),
        wanted_ns=_there(recorded.wanted_ns),
        held_ns=_there(recorded.held_ns),
        released_ns=_there(recorded.released_ns),
        tile_block_m=resolved.launch.reduce_block_size_m,
        tile_block_n=resolved.launch.reduce_block_size_n,
        tile_sm=_there(recorded.tile_sm),
        tile_start_ns=_there(recorded.tile_start_ns),
        tile_end_ns=_there(recorded.tile_end_ns),
        tick_ns=float(_there(recorded.tick_ns)),
        clock=clock,
        tries=recorded.tries,
        sums=_sums(recorded, resolved, totals),
        cost=cost,
    )


def interpreted_timeline(recorded: LockTrace, resolved: ResolvedRequest, totals: Totals) -> ReductionTimeline:
    """What the interpreter did, one program after another: each of a row's four events is a step, and each end of a tile.

    No distance between two steps means anything, and all programs are said to run on SM 0. The rows are in the order of their
    programs, which is the order in which each buffer was added to.
    """
    rows = np.arange(resolved.m, dtype=np.int64) * 4
    tiles = 4 * resolved.m + 2 * np.arange(ceil_div(resolved.n, resolved.launch.reduce_block_size_n), dtype=np.int64)
    return ReductionTimeline(
        kind=Kind.INTERPRETED,
        m=resolved.m,
        n=resolved.n,
        group_size_m=resolved.launch.group_size_m,
        lock=recorded.lock,
        order=recorded.order,
        sm=np.zeros(resolved.m, np.int32),
        start_ns=rows,
        wanted_ns=rows + 1,
        held_ns=rows + 2,
        released_ns=rows + 3,
        tile_block_m=resolved.launch.reduce_block_size_m,
        tile_block_n=resolved.launch.reduce_block_size_n,
        tile_sm=np.zeros(tiles.size, np.int32),
        tile_start_ns=tiles,
        tile_end_ns=tiles + 1,
        tick_ns=1.0,
        clock=Clock.STEPS,
        tries=recorded.tries,
        sums=_sums(recorded, resolved, totals),
    )


def _sums(recorded: LockTrace, resolved: ResolvedRequest, totals: Totals) -> TracedSums | None:
    if recorded.row_sums is None or recorded.buffer_after is None or totals is None:
        return None
    return TracedSums(
        partial_dtype="float32" if resolved.launch.partial_dtype == "float32" else resolved.dtype,
        row_dw=recorded.row_sums[0],
        row_db=recorded.row_sums[1],
        dw_after=recorded.buffer_after[0],
        db_after=recorded.buffer_after[1],
        dw=totals[0],
        db=totals[1],
    )


def _there(value: T | None) -> T:
    assert value is not None, "a GPU has a clock"
    return value
