"""Whether the values of a recording fit together, so that what shows them need not ask again."""

import math
from collections.abc import Iterable

import numpy as np

from lnexplorer.domain.experiments.strategy_timeline import StrategyTimeline, strategy_violations
from lnexplorer.domain.parameters import BY_NAME
from lnexplorer.domain.request import ResolvedRequest, check
from lnexplorer.domain.result import SCHEMA_VERSION, TENSORS, Correctness, Figure, PartialRows, RunResult
from lnexplorer.domain.timeline import ReductionTimeline, TraceCost, violations
from lnexplorer.storage.archive import RecordingError
from lnexplorer.storage.foreign_text import check_environment, check_line, check_names
from lnkernels.launch import DTYPE_BYTES, check_launch

MAX_TIME_NS = 3_600 * 10**9  # no reduction takes an hour
MODES = ("kernel_cold", "kernel_warm", "autograd")
DIRECTIONS = ("forward", "backward")


def check_result(result: RunResult) -> None:
    """Raise RecordingError unless `result` can be shown."""
    if result.schema_version > SCHEMA_VERSION:
        _refuse(f"its run has version {result.schema_version}, and this program reads version {SCHEMA_VERSION}")
    resolved = result.resolved
    check_resolved(resolved)
    # What is left open in a request depends on where it ran, so it is possible when it is possible on either.
    problems = check(result.request, "cuda") and check(result.request, "interpreter")
    problems = problems or check_launch(resolved.n, resolved.dtype, resolved.launch)
    if problems:
        _refuse(f"its run is not possible: {problems[0]}")
    check_environment(result.provenance.environment)
    check_names("a provider of its run", result.providers)
    _check_correctness(result.correctness, resolved.m, resolved.n)
    if result.throughput is not None:
        check_names("a provider without a time", (refusal.provider for refusal in result.throughput.refusals))
    for figure in result.throughput.figures if result.throughput else ():
        check_figure(figure)


def check_resolved(resolved: ResolvedRequest) -> None:
    """Raise RecordingError unless there can be such a problem; whether its launch is possible, `check_launch` says then."""
    for name, what in (("m", "rows"), ("n", "columns")):
        value, most = getattr(resolved, name), BY_NAME[name].maximum
        if value < 1 or (most is not None and value > most):
            _refuse(f"its run has {value} {what}; {name} can be 1 to {most}")
    if resolved.dtype not in DTYPE_BYTES:
        _refuse(f"its dtype is {resolved.dtype!r}; it can be one of {', '.join(DTYPE_BYTES)}")


def check_timeline(timeline: ReductionTimeline) -> None:
    """Raise RecordingError unless `timeline` is a course of events that can have happened."""
    if min(timeline.m, timeline.n, timeline.group_size_m, timeline.tile_block_m, timeline.tile_block_n) < 1:
        _refuse("its timeline has a size below 1")
    impossible = violations(timeline)
    if impossible:
        _refuse(f"its timeline is impossible: {impossible[0]}")
    if not 0 < timeline.tick_ns < MAX_TIME_NS or timeline.end_ns > MAX_TIME_NS:
        _refuse("its timeline is longer than an hour, or its clock has an impossible step")
    if timeline.sm.min() < 0 or timeline.tile_sm.min() < 0 or timeline.tile_start_ns.min() < 0:
        _refuse("its timeline has an SM or a time below 0")
    _check_cost(timeline.cost)


def check_strategy_timeline(timeline: StrategyTimeline) -> None:
    """Raise RecordingError unless `timeline` is a course of events that can have happened."""
    if min(timeline.m, timeline.n, timeline.rows, timeline.sm.size, timeline.tile_sm.size) < 1:
        _refuse(f"its timeline of {timeline.strategy} has a size below 1")
    impossible = strategy_violations(timeline)
    if impossible:
        _refuse(f"its timeline of {timeline.strategy} is impossible: {impossible[0]}")
    if not 0 < timeline.tick_ns < MAX_TIME_NS or timeline.end_ns > MAX_TIME_NS:
        _refuse(f"its timeline of {timeline.strategy} is longer than an hour, or its clock has an impossible step")
    if timeline.sm.min() < 0 or timeline.tile_sm.min() < 0 or timeline.tile_setup_ns.min() < 0:
        _refuse(f"its timeline of {timeline.strategy} has an SM or a time below 0")
    _check_cost(timeline.cost)


def _check_cost(cost: TraceCost | None) -> None:
    if cost is not None and not (0 < cost.plain_ns < MAX_TIME_NS and 0 < cost.traced_ns < MAX_TIME_NS and cost.repetitions > 0):
        _refuse("the cost of its trace is impossible")


def check_figure(figure: Figure) -> None:
    """Raise RecordingError unless `figure` can be drawn and divided by."""
    if figure.direction not in DIRECTIONS or figure.mode not in MODES:
        _refuse(f"a figure is called {figure.direction}, {figure.mode}")
    check_line("the provider of a figure", figure.provider)
    what = f"{figure.provider}, {figure.direction}, {figure.mode}"
    _has_shape(figure.samples_ms, (None,), f"the times of {what}")
    possible = bool(np.all((figure.samples_ms >= 0) & (figure.samples_ms < math.inf)))
    if not (0 < figure.p20_ms <= figure.p50_ms <= figure.p80_ms < math.inf and possible):
        _refuse(f"a time of {what} is impossible")
    if not (0 <= figure.gbps < math.inf and 0 <= figure.counted_gbps < math.inf):
        _refuse(f"the speed of {what} is impossible")
    for value in (figure.share_of_ceiling, figure.host_us):
        if value is not None and not 0 <= value < math.inf:
            _refuse(f"the share of the ceiling, or the host's time, of {what} is impossible")


def _check_correctness(correctness: Correctness, m: int, n: int) -> None:
    names = tuple(tensor.name for tensor in correctness.checks)
    if names != TENSORS:
        _refuse(f"its checks are of {', '.join(names) or 'nothing'}, not of {', '.join(TENSORS)}")
    for part in correctness.maps:
        _has_shape(part.values, (None, None), f"the error map of {part.name}")
        fits = (
            0 <= part.row_start <= part.row_start + part.rows <= m
            and 0 <= part.column_start <= part.column_start + part.columns <= n
        )
        if part.name not in TENSORS or not fits or part.values.shape[0] > part.rows or part.values.shape[1] > part.columns:
            _refuse(f"an error map of {part.name} lies outside its tensor")
    for column in correctness.columns:
        _has_shape(column.kernel, (n,), f"the errors of {column.name}")
        _has_shape(column.torch, (n,), f"the errors of {column.name}")
    for histogram in correctness.histograms:
        _has_shape(histogram.kernel, (None,), f"the histogram of {histogram.name}")
        _has_shape(histogram.torch, histogram.kernel.shape, f"the histogram of {histogram.name}")
        _has_shape(histogram.log10_edges, (histogram.kernel.size + 1,), f"the edges of the histogram of {histogram.name}")
    if correctness.partial_rows is not None:
        _check_partial_rows(correctness.partial_rows, m, n)


def _check_partial_rows(rows: PartialRows, m: int, n: int) -> None:
    for array in (rows.dw, rows.db):
        _has_shape(array, (m, n), "the partial sums")
    for array in (rows.dw_total, rows.db_total):
        _has_shape(array, (n,), "the sums")


def _has_shape(array: np.ndarray, shape: Iterable[int | None], what: str) -> None:
    wanted = tuple(shape)
    fits = array.ndim == len(wanted) and all(size in (None, found) for size, found in zip(wanted, array.shape, strict=True))
    if not fits:
        _refuse(f"{what} has shape {array.shape}, not {' × '.join('any' if size is None else str(size) for size in wanted)}")


def _refuse(why: str) -> None:
    raise RecordingError(why)
