"""An experiment as a part of a report: the question, what is seen, the findings as a picture and a table, and their source."""

from html import escape

from lnexplorer.domain import wording
from lnexplorer.domain.experiments.findings import (
    Barriers,
    BarrierSide,
    ExperimentResult,
    GroupSizes,
    Orders,
    Strategies,
    rate_bound,
)
from lnexplorer.domain.experiments.words import QUESTIONS, TITLES, seen
from lnexplorer.report.line_picture import LinePicture, Series, Spot, line_picture
from lnexplorer.report.page import table, verdict
from lnexplorer.report.svg import colour_of
from lnkernels.values.environment import KIND_HELP, Kind


def experiment_section(result: ExperimentResult, anchor: str) -> str:
    """The part of the page."""
    name = result.request.name
    parts = [
        f'<h2 id="{anchor}">{escape(TITLES[name])}</h2>',
        f"<p>{escape(QUESTIONS[name])}</p>",
        f"<p><strong>{escape(seen(result).strip())}</strong></p>",
        f"<section>{_findings(result)}</section>",
        f'<p class="muted">{escape(source_of(result))}. {escape(_help(result.provenance.kind))}</p>',
    ]
    return "\n".join(parts)


def source_of(result: ExperimentResult) -> str:
    """Kind, hardware, date, and the problem."""
    resolved, provenance = result.resolved, result.provenance
    where = provenance.environment.gpu or "CPU"
    shape = wording.shape(resolved.m, resolved.n, resolved.dtype)
    versions = f"torch {provenance.environment.torch}, triton {provenance.environment.triton}"
    return f"{provenance.kind} · {where} · {provenance.environment.date} · {shape} · {versions}"


def _help(kind: Kind) -> str:
    """What a kind of figure is, to somebody who reads the page elsewhere."""
    return "" if kind is Kind.MEASURED else KIND_HELP[kind]


def _findings(result: ExperimentResult) -> str:
    if result.group_size is not None:
        return _group_sizes(result.group_size, source_of(result))
    if result.barrier is not None:
        return _barriers(result.barrier)
    if result.order is not None:
        return _orders(result.order)
    assert result.strategies is not None, "it holds the findings of its name"
    return _strategies(result.strategies)


def _group_sizes(found: GroupSizes, source: str) -> str:
    ticks = tuple((float(place), str(point.group_size_m)) for place, point in enumerate(found.points))
    series = []
    for name, key, colour in (("float32 buffers", "ms_float32", "locked"), ("narrow buffers", "ms_same", "torch")):
        values = [(place, getattr(point, key)) for place, point in enumerate(found.points)]
        spots = tuple(Spot(float(place), value, value, value, wording.milliseconds(value)) for place, value in values if value)
        if spots:
            series.append(Series(name, colour_of(colour), spots))
    picture = line_picture(
        LinePicture(
            title="Backward pass",
            x_label="GROUP_SIZE_M",
            y_label="ms",
            ticks=ticks,
            series=tuple(series),
            source=source,
            log=True,
        )
    )
    titles = [
        "GROUP_SIZE_M",
        "float32 buffers",
        "narrow buffers",
        "wait for the lock, float32",
        "wait, narrow",
        "error, float32",
        "error, narrow",
        "bytes",
        "",
    ]
    rows = [
        [
            str(point.group_size_m),
            _time(point.ms_float32),
            _time(point.ms_same),
            *(wording.microseconds(None if wait is None else wait / 1e3) for wait in (point.wait_ns, point.wait_same_ns)),
            wording.error(point.error_float32),
            wording.error(point.error_same),
            f"{point.bytes_float32:,}",
            escape(point.reason),
        ]
        for point in found.points
    ]
    return picture + table(titles, rows, numbers_from=0)


def _barriers(found: Barriers) -> str:
    titles = ["", "runs", "with wrong sums", "at most, at 95 %", "wrong columns of dw, db"]
    return table(titles, [_barrier(side) for side in (found.left_out, found.put_back)], numbers_from=1)


def _barrier(side: BarrierSide) -> list[str]:
    bound = rate_bound(side.wrong_runs, side.runs)
    columns = [int((counts > 0).sum()) for counts in (side.wrong_dw, side.wrong_db)]
    return [
        "with the barrier" if side.barrier else "without it",
        f"{side.runs:,}",
        verdict(good=side.wrong_runs == 0, words=f"{side.wrong_runs:,}"),
        wording.ABSENT if bound is None else f"{100 * bound:.2g} %",
        f"{columns[0]:,}, {columns[1]:,}",
    ]


def _orders(found: Orders) -> str:
    titles = ["strategy", "buffers", "runs", "different results", "largest spread of dw", "largest error"]
    rows = [
        [
            escape(side.strategy),
            escape(side.partial_dtype or wording.ABSENT),
            f"{side.runs:,}",
            f"{side.distinct:,}",
            wording.error(float(side.spread.max(initial=0.0))),
            wording.error(side.error),
        ]
        for side in found.sides
    ]
    return table(titles, rows, numbers_from=2)


def _strategies(found: Strategies) -> str:
    titles = ["strategy", "backward pass", "GB/s", "workspace, bytes", "different results", "largest error of dw", ""]
    rows = [
        [
            escape(row.strategy),
            _time(row.ms),
            wording.gbps(row.gbps),
            f"{row.workspace_bytes:,}",
            wording.ABSENT if row.distinct is None else f"{row.distinct:,} of {row.runs:,}",
            wording.error(row.error),
            escape(row.reason),
        ]
        for row in found.rows
    ]
    return table(titles, rows, numbers_from=1)


def _time(ms: float | None) -> str:
    return wording.ABSENT if ms is None else wording.milliseconds(ms)
