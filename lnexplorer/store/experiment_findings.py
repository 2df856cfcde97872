"""Whether what an experiment found can be shown: figures that a foreign file gives are looked at one by one."""

import math
from collections.abc import Iterator

import numpy as np

from lnexplorer.domain.experiments.findings import BarrierSide, ExperimentResult, OrderSide, StrategyRow
from lnexplorer.store.archive import RecordingError
from lnexplorer.store.foreign_text import check_names
from lnexplorer.store.timeline_check import MAX_TIME_NS
from lnkernels.launch.validation import MAX_GROUP_SIZE_M, PARTIAL_DTYPES

RESULTS = ("dw", "db")


def check_figures(result: ExperimentResult) -> None:
    """Raise RecordingError unless every finding is one that there can be; the sentence names it and its value."""
    _check_sizes(result)
    for side in () if result.barrier is None else (result.barrier.left_out, result.barrier.put_back):
        _check_side(side, result.resolved.n)
    if result.barrier is not None and (result.barrier.left_out.barrier or not result.barrier.put_back.barrier):
        sides = result.barrier.left_out.barrier, result.barrier.put_back.barrier
        raise RecordingError(f"its sides are not one without the barrier and one with it: barrier is {sides[0]} and {sides[1]}")
    if result.order is not None:
        _check_order(result.order.sides, result.resolved.n)
    if result.strategies is not None:
        _check_strategies(result.strategies.rows)
    for what, value in _divided_by(result):
        if value is not None and not 0 < value < math.inf:
            raise RecordingError(f"{what} is {value}; it is above 0 and finite")
    for what, value, most in _counted(result):
        if value is not None and not 0 <= value < math.inf:
            raise RecordingError(f"{what} is {value}; it is at least 0 and finite")
        if value is not None and value >= most:
            raise RecordingError(f"{what} is {value}; it is at least 0 and below {most:g}")
    for what, value in _errors(result):
        if value is not None and value < 0:  # it may be NaN or infinite, as the sum that it is of
            raise RecordingError(f"{what} is {value}; it is at least 0")


def _check_sizes(result: ExperimentResult) -> None:
    if result.group_size is None:
        return
    sizes = [point.group_size_m for point in result.group_size.points]
    if len(sizes) < 2:
        raise RecordingError(f"it holds {len(sizes)} sizes; it has at least 2")
    for size in sizes:
        if not 1 <= size <= MAX_GROUP_SIZE_M:
            raise RecordingError(f"it has GROUP_SIZE_M = {size}; it can be 1 to {MAX_GROUP_SIZE_M}")
    if sizes != sorted(set(sizes)):
        raise RecordingError(f"its sizes are not in their order, each once: {', '.join(map(str, sizes[:40]))}")


def _check_side(side: BarrierSide, n: int) -> None:
    counts = (side.wrong_dw, side.wrong_db)
    if side.runs < 1:
        raise RecordingError(f"a side has {side.runs} runs; it has at least 1")
    if not 0 <= side.wrong_runs <= side.runs:
        raise RecordingError(f"it counts {side.wrong_runs} wrong runs of {side.runs}")
    for name, count in zip(RESULTS, counts, strict=True):
        if count.shape != (n,):
            raise RecordingError(f"wrong_{name} has shape {count.shape}; it has one count for each of {n} columns")
        if count.min() < 0 or count.max() > side.wrong_runs:
            most = f"each column was wrong in 0 to {side.wrong_runs} runs, as many as were wrong"
            raise RecordingError(f"wrong_{name} has counts from {count.min()} to {count.max()}; {most}")
    if len(side.first) > sum(int(np.minimum(count, side.runs).sum()) for count in counts):
        raise RecordingError(f"it names {len(side.first)} wrong sums, and counts fewer")
    for wrong in side.first:
        if wrong.result not in RESULTS or not 0 <= wrong.column < n or not 0 <= wrong.run < side.runs:
            raise RecordingError(
                f"a wrong sum is in run {wrong.run}, {wrong.result[:20]!r}, column {wrong.column}; there are {side.runs} runs "
                f"from 0, dw and db, and {n} columns from 0"
            )


def _check_order(sides: tuple[OrderSide, ...], n: int) -> None:
    if not sides:
        raise RecordingError("it holds no side")
    check_names("a strategy of it", (side.strategy for side in sides))
    for side in sides:
        if side.partial_dtype is not None and side.partial_dtype not in PARTIAL_DTYPES:
            allowed = f"they are of one of {', '.join(PARTIAL_DTYPES)}"
            raise RecordingError(f"the buffers of {side.strategy} are of {side.partial_dtype[:20]!r}; {allowed}")
        if side.spread.shape != (n,):
            raise RecordingError(
                f"the spread of {side.strategy} has shape {side.spread.shape}; it has one for each of {n} columns"
            )
        if not 1 <= side.distinct <= side.runs:
            raise RecordingError(f"{side.strategy} has {side.distinct} unlike results of {side.runs} runs; it has 1 to as many")
        if (side.spread < 0).any():
            raise RecordingError(f"the spread of {side.strategy} is below 0: {side.spread[side.spread < 0][0]}")


def _check_strategies(rows: tuple[StrategyRow, ...]) -> None:
    names = [row.strategy for row in rows]
    if not names:
        raise RecordingError("it holds no strategy")
    check_names("a strategy of it", names)
    if len(set(names)) != len(names):
        raise RecordingError("it holds a strategy twice")
    for row in rows:
        if row.distinct is not None and not 1 <= row.distinct <= row.runs:
            raise RecordingError(f"{row.strategy} has {row.distinct} unlike results of {row.runs} runs; it has 1 to as many")


def _divided_by(result: ExperimentResult) -> Iterator[tuple[str, float | None]]:
    """What is divided by, or drawn on a logarithmic axis."""
    for point in () if result.group_size is None else result.group_size.points:
        for buffers, ms in (("float32", point.ms_float32), ("narrow", point.ms_same)):
            yield f"the time of GROUP_SIZE_M = {point.group_size_m} with {buffers} buffers", ms
    for row in () if result.strategies is None else result.strategies.rows:
        yield f"the time of {row.strategy}", row.ms
        yield f"the speed of {row.strategy}", row.gbps


def _counted(result: ExperimentResult) -> Iterator[tuple[str, float | None, float]]:
    """What may be 0, and what it is below."""
    for point in () if result.group_size is None else result.group_size.points:
        for buffers, wait, size in (
            ("float32", point.wait_ns, point.bytes_float32),
            ("narrow", point.wait_same_ns, point.bytes_same),
        ):
            where = f"of GROUP_SIZE_M = {point.group_size_m} with {buffers} buffers"
            yield f"the wait {where}", wait, MAX_TIME_NS
            yield f"the memory {where}", size, math.inf
    for row in () if result.strategies is None else result.strategies.rows:
        yield f"the workspace of {row.strategy}", row.workspace_bytes, math.inf
        yield f"the number of runs of {row.strategy}", row.runs, math.inf
        yield f"the share of the ceiling of {row.strategy}", row.share, math.inf


def _errors(result: ExperimentResult) -> Iterator[tuple[str, float | None]]:
    """Largest errors, which are never below 0."""
    for point in () if result.group_size is None else result.group_size.points:
        for buffers, error in (("float32", point.error_float32), ("narrow", point.error_same)):
            yield f"the error of GROUP_SIZE_M = {point.group_size_m} with {buffers} buffers", error
    if result.group_size is not None:
        yield "PyTorch's error", result.group_size.torch_error
    for side in () if result.order is None else result.order.sides:
        yield f"the error of {side.strategy}", side.error
    for row in () if result.strategies is None else result.strategies.rows:
        yield f"the error of {row.strategy}", row.error
