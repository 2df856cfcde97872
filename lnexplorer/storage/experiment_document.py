"""The JSON of an experiment: what `lnexplorer experiment --json` prints. Keys may be added within one version."""

from dataclasses import replace
from typing import Any

from lnexplorer.domain.experiments.findings import ExperimentResult, rate_bound
from lnexplorer.domain.experiments.words import seen
from lnexplorer.protocol.plain import to_plain
from lnexplorer.storage.document import finite
from lnexplorer.storage.trace_document import summary_document

VERSION = 1


def experiment_document(result: ExperimentResult) -> dict[str, Any]:
    """An experiment as dicts, lists, strings, numbers and None, ready for JSON; a number that is not finite is None.

    Arrays are lists. Of a timeline there is the summary; `lnexplorer trace` has the rest.
    """
    name = result.request.name
    timeline = None if result.strategies is None else result.strategies.timeline
    if result.strategies is not None:
        result = replace(result, strategies=replace(result.strategies, timeline=None))
    plain = to_plain(result, lambda array: array.tolist())
    found = plain[name]
    if result.barrier is not None:
        for side in ("left_out", "put_back"):
            found[side]["rate_below"] = rate_bound(found[side]["wrong_runs"], found[side]["runs"])
    if result.strategies is not None:
        found["timeline"] = None if timeline is None else summary_document(timeline)
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
