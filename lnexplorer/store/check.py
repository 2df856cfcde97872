"""Checks whether the values of a file fit together: shapes, sizes, and an order of events.

The first thing that is wrong is raised as a StoreError of one sentence, without a full stop. Types
and bounds are checked where values are decoded.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from lnexplorer.domain.experiments.catalogue import EXPERIMENTS, check_experiment
from lnexplorer.domain.experiments.experiment import ExperimentResult
from lnexplorer.domain.request import ResolvedRequest, check
from lnexplorer.domain.result import SCHEMA_VERSION, RunResult
from lnexplorer.domain.sweep.cells import CellResult, all_cells
from lnexplorer.domain.sweep.request import SweepRequest, check_sweep
from lnexplorer.domain.violations import violations
from lnexplorer.store.files import StoreError, short
from lnkernels.launch import DTYPE_BYTES, Problem, check_launch, split_norm
from lnkernels.values import Sentence, say, verbatim
from lnkernels.values.accuracy import TENSORS, Correctness, ErrorMap
from lnkernels.values.environment import Kind
from lnkernels.values.figures import DIRECTIONS, MODES, Figure
from lnkernels.values.timeline import Clock, ReductionTimeline, StrategyTimeline

NONE = say("none")
Shape = tuple[int | None, ...]  # None is any length
_CLOCKS = {
    Kind.MEASURED: (Clock.TIMER, Clock.REFINED, Clock.COARSE),
    Kind.RECORDED: (Clock.TIMER, Clock.REFINED, Clock.COARSE),
    Kind.INTERPRETED: (Clock.STEPS,),
    Kind.SIMULATED: (Clock.MODEL,),
}


def check_result(result: RunResult) -> None:
    version, known = result.schema_version, SCHEMA_VERSION
    _need(
        version <= known,
        say(
            "its run has version {version}, and this program reads version {known}",
            version=version,
            known=known,
        ),
    )
    check_possible(result.resolved)
    check_asked(say("its run"), check, result.request)
    _check_correctness(result.correctness, result.resolved)
    for figure in result.throughput.figures if result.throughput else ():
        _check_figure(figure)
    for counters in result.counters:
        size = len(counters.sass)
        shapes = (counters.samples.shape, counters.by_reason.shape, len(counters.places))
        _need(
            shapes == ((size,), (size, len(counters.reasons)), size),
            say("the samples of its counters do not belong to their instructions"),
        )


def check_possible(resolved: ResolvedRequest) -> None:
    _check_dtype(resolved)
    _check_problems(say("its run"), check_launch(resolved.n, resolved.dtype, resolved.launch))


def check_asked(
    what: Sentence, problems: Callable[[Any, str], list[Problem]], request: Any
) -> None:
    """Raise StoreError unless a request is possible on either backend: what it leaves open depends
    on where it ran.
    """
    _check_problems(what, problems(request, "cuda") and problems(request, "interpreter"))


def check_sweep_form(sweep: SweepRequest) -> None:
    _check_problems(say("its sweep"), check_sweep(sweep))


def check_sweep_result(sweep: SweepRequest, results: Sequence[CellResult], total: int) -> None:
    """Raise StoreError unless rows are those of a sweep of `total` cells, whose form is checked, in
    their order, each once.
    """
    cells = () if sweep.search else all_cells(sweep)
    before = -1
    for result in results:
        number = result.cell.number
        _need(
            before < number < total,
            say(
                "its rows are not in the order of its {total} cells, each once: {cell}",
                total=total,
                cell=number,
            ),
        )
        before = number
        own = result.cell.provider in (*sweep.strategies, *sweep.providers)
        try:
            _need(
                own if sweep.search else cells[number] == result.cell,
                say("its setting is none of its sweep"),
            )
            _check_row(result)
        except StoreError as error:
            raise StoreError("row {cell}: {why}", cell=number, why=error.sentence) from error


def check_experiment_result(result: ExperimentResult) -> None:
    name, resolved = result.request.name, result.resolved
    check_asked(say("its experiment"), check_experiment, result.request)
    check_possible(resolved)
    findings = result.findings
    _need(
        findings.experiment == name and isinstance(findings, EXPERIMENTS[name].findings),
        say("it does not hold the findings of {name} alone", name=name),
    )
    for fault in findings.faults(result):
        raise StoreError(fault)
    for trace in findings.TRACES:
        value = getattr(findings, trace)
        for timeline in value if isinstance(value, tuple) else (value,):
            if isinstance(timeline, ReductionTimeline):
                check_timeline(timeline, resolved)
            elif timeline is not None:
                _check_times(timeline, resolved)


def check_timeline(timeline: ReductionTimeline, resolved: ResolvedRequest | None) -> None:
    """Raise StoreError unless a timeline is a course of events that can have happened.

    Args:
        timeline: with numbers or without.
        resolved: the run that it has to be a trace of; None where it is not known.
    """
    if resolved is not None and not timeline.source:
        launch = resolved.launch
        _need(
            launch.strategy == "locked",
            say("it has a timeline of locks, and its run is of {name}", name=launch.strategy),
        )
        found = (timeline.group_size_m, timeline.tile_block_m, timeline.tile_block_n)
        wanted = (launch.group_size_m, launch.reduce_block_size_m, launch.reduce_block_size_n)
        _need_same(say("GROUP_SIZE_M with the blocks of its timeline"), found, wanted)
    _check_times(timeline, None if timeline.source else resolved)


def _need(holds: bool, otherwise: Sentence) -> None:
    if not holds:
        raise StoreError(otherwise)


def _need_same(what: Sentence, found: object, wanted: object) -> None:
    texts = {"found": short(str(found)[:80]) or NONE, "wanted": short(str(wanted)[:80]) or NONE}
    _need(found == wanted, say("{what} is {found}, not {wanted}", what=what, **texts))


def _check_dtype(resolved: ResolvedRequest) -> None:
    _need(
        resolved.dtype in DTYPE_BYTES,
        say("its dtype is {dtype}, which no kernel takes", dtype=short(resolved.dtype[:20])),
    )


def _check_problems(what: Sentence, problems: Iterable[Problem]) -> None:
    for problem in problems:
        raise StoreError("{what} is not possible: {problem}", what=what, problem=problem.sentence)


def _check_figure(figure: Figure) -> None:
    named = figure.direction in DIRECTIONS and figure.mode in MODES
    _need(named, say("a figure of it is of no pass, or of no way of calling"))
    _check_shape(verbatim("samples_ms"), figure.samples_ms, (None,))
    in_order = figure.p20_ms <= figure.p50_ms <= figure.p80_ms
    _need(
        in_order,
        say(
            "p20_ms, p50_ms and p80_ms of {provider} are not in their order",
            provider=figure.provider,
        ),
    )


def _check_correctness(correctness: Correctness, resolved: ResolvedRequest) -> None:
    m, n = resolved.m, resolved.n
    names = tuple(each.name for each in correctness.checks)
    results = TENSORS if split_norm(resolved.norm)[0] == "layer_norm" else TENSORS[:-1]  # no db
    _need_same(say("the list of its checks"), ", ".join(names), ", ".join(results))
    for part in correctness.maps:
        check_map(part, resolved)
    for column in correctness.columns:
        what = say("the errors of {name}", name=short(column.name[:20]))
        _check_shape(what, column.kernel, (n,))
        _check_shape(what, column.torch, (n,))
    for histogram in correctness.histograms:
        bins = histogram.kernel.size
        what = say("the histogram of {name}", name=short(histogram.name[:20]))
        _check_shape(what, histogram.kernel, (bins,))
        _check_shape(what, histogram.torch, (bins,))
        _check_shape(what, histogram.log10_edges, (bins + 1,))
    rows = correctness.partial_rows
    if rows is not None:
        for values, shape in (
            (rows.dw, (m, n)),
            (rows.db, (m, n)),
            (rows.dw_total, (n,)),
            (rows.db_total, (n,)),
        ):
            _check_shape(say("the partial sums"), values, shape)


def check_map(part: ErrorMap, resolved: ResolvedRequest) -> None:
    """Raise StoreError unless a part of an error map is one of a run, with at most a value for each
    element.
    """
    _check_shape(say("an error map"), part.values, (None, None))
    inside = (
        part.row_start + part.rows <= resolved.m and part.column_start + part.columns <= resolved.n
    )
    small = part.values.shape[0] <= part.rows and part.values.shape[1] <= part.columns
    _need(
        part.name in TENSORS and inside and small,
        say("an error map of {name} lies outside its tensor", name=short(part.name[:20])),
    )


def _check_row(result: CellResult) -> None:
    if result.resolved is not None:
        _check_dtype(result.resolved)
        if result.status == "ok" and not result.cell.peer:
            check_possible(result.resolved)
    is_speed = result.status == "ok" and result.kind is not Kind.INTERPRETED
    _need(
        is_speed or not result.figures,
        say("it has a speed, and no right results that were measured"),
    )
    for figure in result.figures:
        _check_figure(figure)
    _need(
        all(error.name in TENSORS for error in result.errors),
        say("it has errors of what is no result"),
    )


def _check_times(
    timeline: ReductionTimeline | StrategyTimeline, resolved: ResolvedRequest | None
) -> None:
    known = timeline.clock in _CLOCKS.get(timeline.kind, ())
    _need(
        known, say("a timeline of this kind has not the clock {clock}", clock=timeline.clock.value)
    )
    if resolved is not None:
        _need_same(
            say("the size of its timeline"),
            f"{timeline.m}×{timeline.n}",
            f"{resolved.m}×{resolved.n}",
        )
    for why in violations(timeline):
        raise StoreError("its timeline is impossible: {why}", why=why)


def _check_shape(what: Sentence, array: np.ndarray, shape: Shape) -> None:
    fits = array.ndim == len(shape) and all(
        size in (None, found) for size, found in zip(shape, array.shape, strict=True)
    )
    _need(
        fits,
        say(
            "the shape of {what} is {found}",
            what=what,
            found=" × ".join(map(str, array.shape)) or NONE,
        ),
    )
