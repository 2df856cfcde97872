"""The JSON of a timeline: what `lnexplorer trace --json` prints. Keys may be added within one version."""

from dataclasses import asdict
from typing import Any

from lnexplorer.domain.residents import ModelFacts
from lnexplorer.domain.timeline_summary import summarize
from lnexplorer.report.document import finite
from lnkernels.values.timeline import Clock, ReductionTimeline, TracedSums

VERSION = 1
ROW_ARRAYS = ("lock", "order", "sm", "tries", "start_ns", "wanted_ns", "held_ns", "released_ns")


def trace_document(
    timeline: ReductionTimeline,
    title: str | None = None,
    model: ModelFacts | None = None,
) -> dict[str, Any]:
    """A timeline as dicts, lists, strings, numbers and None, ready for JSON; a number that is not finite is None.

    Args:
        timeline: any.
        title: of the recording that it comes from.
        model: of the simulation that it comes from.
    """
    arrays = {name: getattr(timeline, name) for name in ROW_ARRAYS}
    document = {
        "schema_version": VERSION,
        "kind": timeline.kind.value,
        "title": title,
        "m": timeline.m,
        "n": timeline.n,
        "group_size_m": timeline.group_size_m,
        "clock": timeline.clock.value,
        "tick_ns": timeline.tick_ns,
        "summary": summary_document(timeline),
        "parameters": None if model is None else asdict(model.parameters),
        "resident_programs": None if model is None else asdict(model.residents),
        "prediction_error": None if model is None or model.error is None else asdict(model.error),
        "compared_with": None if model is None else model.compared_with,
        "row": list(range(timeline.m)),
        **{name: None if array is None else array.tolist() for name, array in arrays.items()},
        "tiles": {
            "block_size_m": timeline.tile_block_m,
            "block_size_n": timeline.tile_block_n,
            "sm": timeline.tile_sm.tolist(),
            "start_ns": timeline.tile_start_ns.tolist(),
            "end_ns": timeline.tile_end_ns.tolist(),
        },
        "sums": None if timeline.sums is None else _sums(timeline.sums),
    }
    cleaned: dict[str, Any] = finite(document)
    return cleaned


def summary_document(timeline: ReductionTimeline) -> dict[str, Any]:
    """The figures of a timeline, and what is known of how they were taken; of one without times, None for all but the tries."""
    cost, figures = timeline.cost, asdict(summarize(timeline))
    if timeline.clock is Clock.STEPS:
        figures = {name: value if name == "tries_mean" else None for name, value in figures.items()}
    return {
        **figures,
        "tick_ns": timeline.tick_ns,
        "clock": timeline.clock.value,
        "instrumentation": None if cost is None else {**asdict(cost), "share": cost.share},
    }


def _sums(sums: TracedSums) -> dict[str, Any]:
    names = ("row_dw", "row_db", "dw_after", "db_after", "dw", "db")
    return {"partial_dtype": sums.partial_dtype, **{name: getattr(sums, name).tolist() for name in names}}
