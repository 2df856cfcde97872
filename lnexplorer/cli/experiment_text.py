"""An experiment as text: what is seen, and the figures that say so."""

from collections.abc import Iterable

from lnexplorer.cli.wording import harmless
from lnexplorer.domain import wording
from lnexplorer.domain.experiments.findings import (
    Barriers,
    ExperimentResult,
    GroupSizes,
    Orders,
    Strategies,
    rate_bound,
)
from lnexplorer.domain.experiments.strategy_timeline import shares
from lnexplorer.domain.experiments.words import TITLES, bytes_text, percent, seen
from lnkernels.values.timeline import Clock, StrategyTimeline


def experiment_text(result: ExperimentResult) -> str:
    """Title, the sentence, and a table."""
    resolved, environment = result.resolved, result.provenance.environment
    where = environment.gpu or "Triton's interpreter"
    head = f"{TITLES[result.request.name]}: {resolved.m}×{resolved.n} {resolved.dtype}, {where}, {result.provenance.kind.value}"
    table: list[list[str]] = []
    if result.group_size is not None:
        table = _group_sizes(result.group_size)
    elif result.barrier is not None:
        table = _barriers(result.barrier, measured=environment.gpu is not None)
    elif result.order is not None:
        table = _orders(result.order)
    elif result.strategies is not None:
        table = _strategies(result.strategies)
    return "\n".join([head, "", seen(result), "", *_aligned(table)])


def _group_sizes(found: GroupSizes) -> list[list[str]]:
    head = ["GROUP_SIZE_M", "ms float32", "ms same", "mean wait µs float32", "mean wait µs same"]
    head += ["dw error float32", "dw error same", "buffers float32", "buffers same"]
    return [head] + [
        [
            str(point.group_size_m),
            _or_absent(point.ms_float32),
            _or_absent(point.ms_same),
            *(_or_absent(None if wait is None else wait / 1e3) for wait in (point.wait_ns, point.wait_same_ns)),
            wording.error(point.error_float32),
            wording.error(point.error_same),
            bytes_text(point.bytes_float32),
            bytes_text(point.bytes_same),
        ]
        for point in found.points
    ]


def _barriers(found: Barriers, *, measured: bool) -> list[list[str]]:
    lines = [["barrier", "runs", "wrong", "rate"]]
    for side in (found.left_out, found.put_back):
        bound = rate_bound(side.wrong_runs, side.runs)
        if bound is not None and not measured:
            rate = "cannot show"
        elif bound is None:
            rate = percent(side.wrong_runs / side.runs)
        else:
            rate = f"below {percent(bound)} (95 %)" if bound < 1 else wording.ABSENT
        lines.append(["put back" if side.barrier else "left out", str(side.runs), str(side.wrong_runs), rate])
    first = found.left_out.first
    return lines + [["", f"run {wrong.run}", f"{wrong.result}[{wrong.column}]", f"{wrong.error:+g}"] for wrong in first]


def _orders(found: Orders) -> list[list[str]]:
    head = ["strategy", "buffers", "runs", "different results", "largest spread", "median spread", "largest error"]
    lines = [head]
    for side in found.sides:
        ordered = sorted(side.spread.tolist())
        spreads = [wording.error(ordered[-1]), wording.error(ordered[len(ordered) // 2])]
        buffers = side.partial_dtype or wording.ABSENT
        lines.append([side.strategy, buffers, str(side.runs), str(side.distinct), *spreads, wording.error(side.error)])
    return lines


def _strategies(found: Strategies) -> list[list[str]]:
    lines = [
        [
            *("strategy", "ms", "GB/s", "of ceiling", "workspace", "different results", "dw error"),
            *("computing", "waiting", "adding", "tracing"),
        ]
    ]
    programs = {timeline.strategy: _programs(timeline) for timeline in found.timelines()}
    for row in found.rows:
        distinct = wording.ABSENT if row.distinct is None else f"{row.distinct} of {row.runs}"
        speed = [_or_absent(row.ms), wording.gbps(row.gbps), wording.share(row.share)]
        figures = [*speed, bytes_text(row.workspace_bytes), distinct]
        traced = programs.get(row.strategy, [wording.ABSENT] * 4)
        lines.append([row.strategy, *figures, wording.error(row.error), *traced, harmless(row.reason)])
    return lines


def _programs(timeline: StrategyTimeline) -> list[str]:
    """What programs did with their time, and by how much recording it made the pass longer."""
    if timeline.clock is Clock.STEPS:
        return [wording.ABSENT] * 4
    told = shares(timeline)
    cost = wording.ABSENT if timeline.cost is None else f"{100 * timeline.cost.share:+.1f} %"
    return [*(f"{100 * part:.0f} %" for part in (told.compute, told.wait, told.add)), cost]


def _or_absent(value: float | None) -> str:
    return wording.ABSENT if value is None else wording.significant(value, 3)


def _aligned(lines: list[list[str]]) -> Iterable[str]:
    widths = [max(len(line[place]) for line in lines if place < len(line)) for place in range(max(map(len, lines), default=0))]
    for line in lines:
        cells = [
            f"{cell:<{width}}" if place == 0 else f"{cell:>{width}}"
            for place, (cell, width) in enumerate(zip(line, widths, strict=False))
        ]
        yield "  ".join(cells).rstrip()
