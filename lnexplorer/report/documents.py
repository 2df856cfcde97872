"""The documents that commands print with --json: a run, a sweep, a trace, an experiment as plain
values, ready for JSON: a number that is not finite is None. The manual explains the keys.

Keys may be added within one schema_version; one that goes, or changes its meaning, needs the next.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from lnexplorer.domain.comparison import Interval
from lnexplorer.domain.experiments.experiment import ExperimentResult
from lnexplorer.domain.measuring import STATUSES
from lnexplorer.domain.parameters import LAUNCH_NAMES
from lnexplorer.domain.result import SCHEMA_VERSION, RunResult
from lnexplorer.domain.simulation.prediction import Prediction
from lnexplorer.domain.sweep.best import best, measures
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.curves import crossings_between
from lnexplorer.domain.sweep.findings import changes
from lnexplorer.domain.sweep.request import SweepRequest, sweep_command
from lnexplorer.domain.sweep.table import row
from lnexplorer.domain.timeline import free_ns, shares, summarize
from lnexplorer.domain.trace_difference import TraceDifference
from lnexplorer.protocol.codec import to_plain
from lnkernels.launch import Launch, belongs
from lnkernels.values import Sentence
from lnkernels.values.accuracy import TensorCheck
from lnkernels.values.compiled import KernelFacts
from lnkernels.values.counters import KernelCounters
from lnkernels.values.figures import DIRECTIONS, MODES, Throughput
from lnkernels.values.timeline import Clock, ReductionTimeline, StrategyTimeline

VERSION = 1  # of the documents of sweeps, traces and experiments


def run_document(result: RunResult) -> dict[str, Any]:
    """Return a run as plain values."""
    times = result.throughput or Throughput()
    document = {
        "schema_version": SCHEMA_VERSION,
        "request": {**result.request.flat(), "providers": list(result.providers)},
        "resolved": to_plain(result.resolved) | {"launch": _launch(result.resolved.launch)},
        "provenance": to_plain(result.provenance),
        "passed": result.correctness.passed,
        "correctness": _correctness(result.correctness.checks),
        "own_correctness": {
            name: _correctness(checks) for name, checks in result.own_checks.items()
        },
        "compiled": {facts.name: kernel_document(facts) for facts in result.compiled},
        "counters": {counters.name: _counters(counters) for counters in result.counters},
        "throughput": result.throughput and _throughput(result.throughput),
        "device_state": (
            {"before": to_plain(times.before), "after": to_plain(times.after)}
            if times.before is not None and times.after is not None
            else None
        ),
        "refusals": {each.provider: each.reason for each in times.refusals},
        "wrong_providers": list(result.wrong_providers),
        "verdicts": {name: result.candidate(name).verdict for name in result.providers},
        "notes": list(result.notes),
    }
    return _plain(document)


def _counters(counters: KernelCounters) -> dict[str, Any]:
    values: dict[str, Any] = to_plain(counters)
    for name in ("name", "sass", "places", "reasons", "by_reason"):
        del values[name]
    return values | {"samples": counters.by_place()}


def _launch(launch: Launch) -> dict[str, Any]:
    """Return the settings; None for those that the strategy does not have."""
    values = asdict(launch)
    foreign = (
        name for name in LAUNCH_NAMES if name != "strategy" and not belongs(name, launch.strategy)
    )
    # One program a row, or a tile, where their number is not limited.
    unlimited = (name for name in ("programs", "forward_programs") if not values[name])
    return values | dict.fromkeys([*foreign, *unlimited])


def _correctness(checks: Iterable[TensorCheck]) -> dict[str, Any]:
    return {
        check.name: {
            "max_abs_error": check.kernel_vs_truth.largest,
            "torch_max_abs_error": check.torch_vs_truth.largest,
            "max_abs_diff_to_torch": check.kernel_vs_torch.largest,
            "tolerance": check.tolerance,
            "passed": check.passed,
            "tutorial_passed": check.tutorial_passed,
            "kernel_vs_truth": to_plain(check.kernel_vs_truth),
            "torch_vs_truth": to_plain(check.torch_vs_truth),
            "kernel_vs_torch": to_plain(check.kernel_vs_torch),
        }
        for check in checks
    }


def kernel_document(facts: KernelFacts) -> dict[str, Any]:
    """Return the compiler's figures of a kernel; None where one is not known."""
    values: dict[str, Any] = to_plain(replace(facts, texts={}))
    del values["name"], values["texts"], values["tensors"]
    return values


def _throughput(throughput: Throughput) -> dict[str, Any]:
    document: dict[str, Any] = {}
    for figure in throughput.figures:
        empty = {direction: dict.fromkeys(MODES) for direction in DIRECTIONS}
        provider = document.setdefault(figure.provider, empty)
        provider[figure.direction][figure.mode] = figure.flat()
    return document


def finite(value: Any) -> Any:
    """Return the value with None for every number that is not finite, for which JSON has no word,
    and with sentences in English.
    """
    if isinstance(value, dict):
        return {key: finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [finite(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return str(value) if isinstance(value, Sentence) else value


def _plain(document: dict[str, Any]) -> dict[str, Any]:
    return {name: finite(value) for name, value in document.items()}


def sweep_document(
    sweep: SweepRequest,
    results: Sequence[CellResult],
    ended: tuple[str, str],
    times: Mapping[str, float],
) -> dict[str, Any]:
    """Return a sweep as plain values.

    Args:
        sweep: the form.
        results: its rows.
        ended: "finished", "cancelled" or "failed", and why, where that needs words.
        times: seconds by name.
    """
    counted = Counter(result.status for result in results)
    return {
        "schema_version": VERSION,
        "sweep": {
            "command": sweep_command(sweep),
            "axes": {axis.name: list(axis.values) for axis in sweep.axes},
            "strategies": list(sweep.strategies),
            "providers": list(sweep.providers),
            "modes": list(sweep.directions),
            "timing": list(sweep.modes),
            "effort": sweep.effort,
        },
        "ended": ended[0],
        "because": ended[1],
        "counts": {status: counted[status] for status in STATUSES},
        "times": dict(times),
        "best": [
            entry
            for directions, mode in measures(sweep)
            for entry in _best(results, directions, mode)
        ],
        "changes": [
            {"n": each.at, "name": each.name, "before": each.before, "after": each.after}
            for each in changes(sweep)
        ],
        "crossings": [
            entry
            for direction in sweep.directions
            for mode in sweep.modes
            for entry in _crossings(sweep, results, direction, mode)
        ],
        "rows": [
            {name: value for name, value in each.items() if name not in ("schema_version", "sweep")}
            for each in (row(sweep, result) for result in results)
        ],
    }


def _best(
    results: Sequence[CellResult], directions: tuple[str, ...], mode: str
) -> list[dict[str, Any]]:
    return [
        {
            # Of a search all that it times together, written as --mode takes them.
            "mode": ",".join(directions),
            "timing": mode,
            "cell": found.result.cell.number,
            "provider": found.result.cell.provider,
            "gpu": found.result.environment.gpu,
            "p50_ms": found.time_ms.value,
            "p50_ms_interval": _ends(found.time_ms),
            "sure": found.sure,
            "next_cell": None if found.next is None else found.next.cell.number,
            "advantage": None if found.advantage is None else found.advantage.value,
            "advantage_interval": _ends(found.advantage),
        }
        for found in best(results, directions, mode)
    ]


def _ends(interval: Interval | None) -> list[float] | None:
    return [interval.low, interval.high] if interval is not None and interval.is_known else None


def _crossings(
    sweep: SweepRequest, results: Sequence[CellResult], direction: str, mode: str
) -> list[dict[str, Any]]:
    return [
        {
            "mode": direction,
            "timing": mode,
            sweep.axes[0].name: list(crossing.between),
            "ahead_before": crossing.ahead_before,
            "ahead_after": crossing.ahead_after,
        }
        for crossing in crossings_between(sweep, results, direction, mode)
    ]


# Of a timeline, as they are; then arrays with an entry a row.
TRACED = ("kind", "m", "n", "group_size_m", "clock", "tick_ns", "phases", "lanes")
ROW_ARRAYS = ("lock", "order", "sm", "tries", "start_ns", "wanted_ns", "held_ns", "released_ns")


def trace_document(
    timeline: ReductionTimeline,
    title: str | None,
    model: Prediction | None,
    difference: TraceDifference | None = None,
) -> dict[str, Any]:
    """Return a timeline as plain values. `title` is that of its recording, `model` that of its
    simulation, `difference` the one from another timeline.
    """
    plain = to_plain(timeline)
    simulated: dict[str, Any] = dict.fromkeys(
        ("parameters", "resident_programs", "prediction_error", "compared_with")
    )
    if model is not None:
        simulated |= {
            "parameters": to_plain(model.parameters),
            "resident_programs": to_plain(model.residents),
            "prediction_error": to_plain(model.error),
            "compared_with": model.measured and model.measured.title,
        }
    document = {
        "schema_version": VERSION,
        "title": title,
        **{name: plain[name] for name in TRACED},
        "source": timeline.source or None,
        "summary": summary_document(timeline),
        **simulated,
        "row": list(range(timeline.m)),
        **{name: plain[name] for name in ROW_ARRAYS},
        "free_ns": free_ns(timeline).tolist(),
        "tiles": {
            "block_size_m": timeline.tile_block_m,
            "block_size_n": timeline.tile_block_n,
            **{name: plain[f"tile_{name}"] for name in ("sm", "start_ns", "end_ns")},
        },
        "sums": plain["sums"],
        "against": to_plain(difference),
    }
    return _plain(document)


def summary_document(timeline: ReductionTimeline) -> dict[str, Any]:
    """Return the figures of a timeline and how they were taken; of one without times, None for all
    but the tries.
    """
    figures = asdict(summarize(timeline))
    if timeline.clock is Clock.STEPS:
        figures = {name: value if name == "tries_mean" else None for name, value in figures.items()}
    return {**figures, **_taken(timeline)}


def _taken(timeline: ReductionTimeline | StrategyTimeline) -> dict[str, Any]:
    cost = timeline.cost
    instrumentation = None if cost is None else {**asdict(cost), "share": cost.share}
    return {
        "tick_ns": timeline.tick_ns,
        "clock": timeline.clock.value,
        "instrumentation": instrumentation,
    }


def experiment_document(result: ExperimentResult) -> dict[str, Any]:
    """Return an experiment as plain values, arrays as lists.

    Of a timeline there is the summary; `lnexplorer trace` has the rest.
    """
    findings = result.findings
    found = to_plain(findings)
    for name in findings.TRACES:
        value = getattr(findings, name)
        if isinstance(value, tuple):
            found[name] = {timeline.strategy: _summary(timeline) for timeline in value}
        else:
            found[name] = value and summary_document(value)
    return _plain(
        {
            "schema_version": VERSION,
            "experiment": found.pop("experiment"),
            "request": to_plain(result.request),
            "resolved": to_plain(result.resolved),
            "provenance": to_plain(result.provenance),
            "findings": findings.document(found),
            "seen": result.seen(),
        }
    )


def _summary(timeline: StrategyTimeline) -> dict[str, Any]:
    """Return how programs without locks spend their time; no times where there is no clock."""
    times = asdict(shares(timeline))
    return {
        **(dict.fromkeys(times) if timeline.clock is Clock.STEPS else times),
        "programs": timeline.sm.size,
        "rows_a_piece": timeline.rows,
        "slices_a_row": timeline.slices,
        **_taken(timeline),
    }
