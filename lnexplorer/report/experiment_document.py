"""The JSON of an experiment: what `lnexplorer experiment --json` prints. Keys may be added within one version."""

from dataclasses import asdict, replace
from typing import Any

from lnexplorer.domain.experiments.findings import ExperimentResult, rate_bound
from lnexplorer.domain.experiments.strategy_timeline import shares
from lnexplorer.domain.experiments.words import seen
from lnexplorer.protocol.codec import to_plain
from lnexplorer.report.document import finite
from lnexplorer.report.trace_document import summary_document
from lnkernels.values.timeline import Clock, StrategyTimeline

VERSION = 1


def experiment_document(result: ExperimentResult) -> dict[str, Any]:
    """An experiment as dicts, lists, strings, numbers and None, ready for JSON; a number that is not finite is None.

    Arrays are lists. Of a timeline there is the summary; `lnexplorer trace` has the rest.
    """
    name = result.request.name
    strategies = result.strategies
    if strategies is not None:
        result = replace(result, strategies=replace(strategies, timeline=None, others=()))
    plain = to_plain(result, lambda array: array.tolist())
    found = plain[name]
    if result.barrier is not None:
        for side in ("left_out", "put_back"):
            found[side]["rate_below"] = rate_bound(found[side]["wrong_runs"], found[side]["runs"])
    if strategies is not None:
        found["timeline"] = None if strategies.timeline is None else summary_document(strategies.timeline)
        found["others"] = {timeline.strategy: _summary(timeline) for timeline in strategies.others}
    document: dict[str, Any] = finite(
        {
            "schema_version": VERSION,
            "experiment": name,
            "request": plain["request"],
            "resolved": plain["resolved"],
            "provenance": plain["provenance"],
            "findings": found,
            "seen": seen(result),
        }
    )
    return document


def _summary(timeline: StrategyTimeline) -> dict[str, Any]:
    """What the programs of a strategy without locks do; no times where there is no clock."""
    found, cost = asdict(shares(timeline)), timeline.cost
    if timeline.clock is Clock.STEPS:
        found = dict.fromkeys(found)
    return {
        **found,
        "programs": timeline.sm.size,
        "rows_a_piece": timeline.rows,
        "slices_a_row": timeline.slices,
        "tick_ns": timeline.tick_ns,
        "clock": timeline.clock.value,
        "instrumentation": None if cost is None else {**asdict(cost), "share": cost.share},
    }
