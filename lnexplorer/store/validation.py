"""Whether the values of a recording fit together, so that what shows them need not ask again."""

import math
from collections.abc import Iterable

import numpy as np

from lnexplorer.domain.ordered_sums import order_bound
from lnexplorer.domain.parameters import BY_NAME
from lnexplorer.domain.request import ResolvedRequest, check
from lnexplorer.domain.result import SCHEMA_VERSION, RunResult
from lnexplorer.store.archive import RecordingError
from lnexplorer.store.foreign_text import check_environment, check_line, check_names
from lnkernels.launch import DTYPE_BYTES, check_launch
from lnkernels.values.accuracy import TENSORS, Correctness, PartialRows
from lnkernels.values.compiled import KernelFacts
from lnkernels.values.figures import Figure

MAX_WARPS, MAX_PROGRAMS, MAX_REGISTERS = 64, 128, 1 << 16  # of a program, of an SM, of a thread: beyond those of any GPU
MAX_GRID, MAX_BYTES = (1 << 31) - 1, 1 << 31
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
    _check_correctness(result.correctness, resolved)
    for facts in result.compiled:
        _check_compiled(facts)
    if result.throughput is not None:
        check_names("a provider without a time", (refusal.provider for refusal in result.throughput.refusals))
    for figure in result.throughput.figures if result.throughput else ():
        check_figure(figure)


def check_possible(resolved: ResolvedRequest) -> None:
    """Raise RecordingError unless `resolved` can be launched."""
    check_resolved(resolved)
    problems = check_launch(resolved.n, resolved.dtype, resolved.launch)
    if problems:
        _refuse(f"its run is not possible: {problems[0]}")


def check_resolved(resolved: ResolvedRequest) -> None:
    """Raise RecordingError unless there can be such a problem; whether its launch is possible, `check_launch` says then."""
    for name, what in (("m", "rows"), ("n", "columns")):
        value, most = getattr(resolved, name), BY_NAME[name].maximum
        if value < 1 or (most is not None and value > most):
            _refuse(f"its run has {value} {what}; {name} can be 1 to {most}")
    if resolved.dtype not in DTYPE_BYTES:
        _refuse(f"its dtype is {resolved.dtype!r}; it can be one of {', '.join(DTYPE_BYTES)}")


def check_figure(figure: Figure) -> None:
    """Raise RecordingError unless `figure` can be drawn and divided by."""
    if figure.direction not in DIRECTIONS or figure.mode not in MODES:
        allowed = f"a direction is one of {', '.join(DIRECTIONS)}, a mode one of {', '.join(MODES)}"
        _refuse(f"a figure is called {figure.direction[:20]}, {figure.mode[:20]}; {allowed}")
    check_line("the provider of a figure", figure.provider)
    what = f"{figure.provider}, {figure.direction}, {figure.mode}"
    _has_shape(figure.samples_ms, (None,), f"the times of {what}")
    impossible = ~((figure.samples_ms >= 0) & (figure.samples_ms < math.inf))
    if impossible.any():
        _refuse(f"samples_ms of {what} is impossible: it has {figure.samples_ms[impossible][0]}; each is at least 0 and finite")
    percentiles = (figure.p20_ms, figure.p50_ms, figure.p80_ms)
    if not 0 < percentiles[0] <= percentiles[1] <= percentiles[2] < math.inf:
        times = ", ".join(map(str, percentiles))
        _refuse(
            f"p20_ms, p50_ms, p80_ms of {what} is impossible: they are {times}; they are above 0, finite, none below the former"
        )
    for name in ("gbps", "counted_gbps", "share_of_ceiling", "host_us"):
        value = getattr(figure, name)
        if value is not None and not 0 <= value < math.inf:
            _refuse(f"{name} of {what} is impossible: it is {value}; it is at least 0 and finite")


def _check_compiled(facts: KernelFacts) -> None:
    """Programs and SMs are multiplied to how many a simulation has, so none of these can be any number."""
    check_line("a kernel of its run", facts.name)
    check_line(f"the architecture of {facts.name}", facts.architecture)
    occupancy = facts.occupancy
    for name, value, least, most in (
        *(("grid", size, 1, MAX_GRID) for size in facts.grid),
        ("num_warps", facts.num_warps, 1, MAX_WARPS),
        ("registers", facts.registers, 0, MAX_REGISTERS),
        ("spill_bytes", facts.spill_bytes, 0, MAX_BYTES),
        ("shared_bytes", facts.shared_bytes, 0, MAX_BYTES),
        ("programs_per_sm", None if occupancy is None else occupancy.programs_per_sm, 0, MAX_PROGRAMS),
    ):
        if value is not None and not least <= value <= most:
            _refuse(f"{name} of {facts.name} is {value}; it is {least} to {most}")
    if occupancy is not None and not 0 <= occupancy.share_of_warps <= 1:
        _refuse(f"share_of_warps of {facts.name} is {occupancy.share_of_warps}; it is 0 to 1")


def _check_correctness(correctness: Correctness, resolved: ResolvedRequest) -> None:
    m, n = resolved.m, resolved.n
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
            rows = f"rows from {part.row_start} on, {part.rows}, in {part.values.shape[0]} values"
            columns = f"columns from {part.column_start} on, {part.columns}, in {part.values.shape[1]}"
            allowed = f"it is of {', '.join(TENSORS)}, {m} rows of {n} columns, with at most a value for each"
            _refuse(f"an error map of {part.name[:20]} lies outside its tensor: {rows}, {columns}; {allowed}")
    for column in correctness.columns:
        _has_shape(column.kernel, (n,), f"the errors of {column.name}")
        _has_shape(column.torch, (n,), f"the errors of {column.name}")
    for histogram in correctness.histograms:
        _has_shape(histogram.kernel, (None,), f"the histogram of {histogram.name}")
        _has_shape(histogram.torch, histogram.kernel.shape, f"the histogram of {histogram.name}")
        _has_shape(histogram.log10_edges, (histogram.kernel.size + 1,), f"the edges of the histogram of {histogram.name}")
    if correctness.partial_rows is not None:
        _check_partial_rows(correctness.partial_rows, correctness, resolved)


def _check_partial_rows(rows: PartialRows, correctness: Correctness, resolved: ResolvedRequest) -> None:
    """A sum that was found to be right is that of its rows; of what is not finite the verdict said what there is to say."""
    launch = resolved.launch
    for name, of_rows, total in (("dw", rows.dw, rows.dw_total), ("db", rows.db, rows.db_total)):
        _has_shape(of_rows, (resolved.m, resolved.n), "the partial sums")
        _has_shape(total, (resolved.n,), "the sums")
        check = next(check for check in correctness.checks if check.name == name)
        if launch.strategy != "locked" or not check.passed:
            continue
        exact = of_rows.astype(np.float64)
        buffers = "float32" if launch.partial_dtype == "float32" else resolved.dtype
        with np.errstate(invalid="ignore"):
            bound = order_bound(np.abs(exact).sum(axis=0), resolved.m, launch.group_size_m, buffers, resolved.dtype)
            apart = np.abs(total - exact.sum(axis=0))
        wrong = np.isfinite(apart) & (apart > bound + check.tolerance)
        if wrong.any():
            at = int(wrong.argmax())
            added = f"its rows add up to {exact[:, at].sum():.9g}, give or take {bound[at] + check.tolerance:.2g}"
            _refuse(f"{name}[{at}] of its run is {total[at]:.9g} and within its tolerance, and {added}")


def _has_shape(array: np.ndarray, shape: Iterable[int | None], what: str) -> None:
    wanted = tuple(shape)
    fits = array.ndim == len(wanted) and all(size in (None, found) for size, found in zip(wanted, array.shape, strict=True))
    if not fits:
        _refuse(f"{what} has shape {array.shape}, not {' × '.join('any' if size is None else str(size) for size in wanted)}")


def _refuse(why: str) -> None:
    raise RecordingError(why)
