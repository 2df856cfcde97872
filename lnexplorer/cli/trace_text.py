"""The text of a timeline on the terminal: figures, clock, model, rows."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from lnexplorer.cli.terminal import aligned
from lnexplorer.domain import wording
from lnexplorer.domain.simulation.prediction import Origin, Prediction
from lnexplorer.domain.timeline import free_ns, phase_times, summarize
from lnexplorer.domain.wording import nanoseconds
from lnexplorer.report.documents import summary_document
from lnkernels.values.environment import KIND_HELP
from lnkernels.values.timeline import Clock, ReductionTimeline, TraceCost

SHOWN_ROWS = 16
CLOCKS = {
    Clock.TIMER: "Times by the GPU's timer, which steps by {tick:.0f} ns.",
    Clock.REFINED: "Times by the GPU's timer and its SMs' clocks, which together tell {tick:.0f}"
    " ns.",
    Clock.COARSE: "Times by the GPU's timer, which steps by {tick:.0f} ns; its SMs' clocks could"
    " not refine that.",
    Clock.MODEL: "Times by the model.",
    Clock.STEPS: "Steps are counted instead: 4 events a row, 2 a tile.",
}
# Of the table of several timelines, by their names in a summary.
COLUMNS = {
    "group_size_m": "GROUP_SIZE_M",
    "stage1_ns": "stage 1",
    "stage2_ns": "stage 2",
    "peak_queue": "peak queue",
    "queued_mean_ns": "mean queued",
    "trying_mean_ns": "mean trying",
    "hold_mean_ns": "mean hold",
    "tries_mean": "mean tries",
}
# Where the number of resident programs is from; its detail follows.
ORIGINS = {
    Origin.GIVEN: "as given",
    Origin.SEEN: "seen in ",
    Origin.COMPILED: "SMs × occupancy of the kernel compiled for ",
    Origin.FITTED: "those of the recording; for this GROUP_SIZE_M they may be others: ",
    Origin.GUESSED: "as many as their warps allow, as the kernels cannot be compiled here: ",
}


def trace_text(
    timeline: ReductionTimeline,
    title: str | None = None,
    model: Prediction | None = None,
    *,
    shown_rows: int = SHOWN_ROWS,
) -> str:
    """Format a timeline, with as many of its rows as are to be shown."""
    parts = [_head(timeline, title, _locks(timeline)), _figures(timeline), _clock(timeline)]
    if model is not None:
        parts.append(_model(model))
    if shown_rows:
        parts.append(_rows(timeline, shown_rows))
    return "\n\n".join(parts)


def traces_text(timelines: Sequence[ReductionTimeline], title: str | None) -> str:
    """Format the figures of several timelines of a problem, a line for each GROUP_SIZE_M."""
    lines = [tuple(COLUMNS.values())]
    for each in timelines:
        known = {"group_size_m": each.group_size_m, **summary_document(each)}
        lines.append(tuple(_cell(name, known[name]) for name in COLUMNS))
    return f"{_head(timelines[0], title, 'by GROUP_SIZE_M')}\n\n{aligned(lines, right_from=0)}"


def _cell(name: str, value: float | None) -> str:
    if value is None:
        return wording.ABSENT
    return nanoseconds(value) if name.endswith("_ns") else str(round(value, 1))


def cost_text(cost: TraceCost) -> str:
    """Say what recording cost, and that it is no benchmark."""
    traced, plain = nanoseconds(cost.traced_ns), nanoseconds(cost.plain_ns)
    return (
        f"Cost of recording: the backward pass takes {traced} instead of {plain}"
        f" ({wording.signed_percent(cost.share)}; medians of {cost.repetitions}, in turns, L2"
        " warm). It is no figure of a benchmark."
    )


def _head(timeline: ReductionTimeline, title: str | None, locks: str) -> str:
    what = f"Stamps of {timeline.source}" if timeline.source else "Locks of stage 1"
    lines = [
        f"{what}, {timeline.m} rows of {timeline.n} columns, {locks}",
        f"{timeline.kind}: {KIND_HELP[timeline.kind]}",
    ]
    return "\n".join([*lines, *([f"recording: {title}"] if title else [])])


def _locks(timeline: ReductionTimeline) -> str:
    if timeline.source:
        return wording.counted(timeline.group_size_m, "lane" if timeline.lanes else "lock")
    return f"GROUP_SIZE_M = {timeline.group_size_m}"


def _phases(timeline: ReductionTimeline) -> list[tuple[str, NDArray[np.int64]]]:
    """Name each phase of a row, with its times [M]."""
    if timeline.phases:
        return [(name, end - start) for (name, start), (_, end) in pairwise(_stamps(timeline))]
    free = free_ns(timeline)
    return [
        ("compute", timeline.wanted_ns - timeline.start_ns),
        ("queued", free - timeline.wanted_ns),
        ("trying", timeline.held_ns - free),
        ("hold", timeline.released_ns - timeline.held_ns),
    ]


def _figures(timeline: ReductionTimeline) -> str:
    summary = summarize(timeline)
    if timeline.clock is Clock.STEPS:
        return (
            "Programs ran one after another: there is an order of events, and nothing that could be"
            " called a time."
        )
    spreads = (_spread(name, times) for name, times in _phases(timeline))
    table = aligned([("of a row", "mean", "median", "p95", "most"), *spreads])
    if timeline.phases:
        return table
    queued, trying = wording.share(summary.share_queued), wording.share(summary.share_trying)
    lines = [
        (
            f"stage 1 {nanoseconds(summary.stage1_ns)}, gap {nanoseconds(summary.gap_ns)}, stage 2"
            f" {nanoseconds(summary.stage2_ns)}"
        ),
        (
            f"rows queue for {queued} of their time ({summary.rows_queued} of {timeline.m} do), and"
            f" try a free lock for {trying}"
        ),
        (
            f"busiest lock: {summary.busiest_lock}, held for"
            f" {wording.share(summary.busiest_lock_share)} of stage 1"
        ),
    ]
    if summary.tries_mean is not None:
        lines.append(f"tries until a row held its lock: {summary.tries_mean:.1f} on average")
    return "\n".join([table, *lines])


def _clock(timeline: ReductionTimeline) -> str:
    if timeline.clock is Clock.STEPS and timeline.source:
        return "Stamps are counted instead."
    text = CLOCKS[timeline.clock].format(tick=timeline.tick_ns)
    return text if timeline.cost is None else f"{text}\n{cost_text(timeline.cost)}"


def _model(model: Prediction) -> str:
    parameters, error = model.parameters, model.error
    times = (parameters.compute_ns, parameters.hold_ns, parameters.hand_over_ns)
    compute, hold, attempt = (nanoseconds(time) for time in times)
    origin = f"{ORIGINS[model.residents.origin]}{model.residents.detail}"
    text = (
        f"model: {wording.counted(parameters.resident_programs, 'resident program')} on"
        f" {wording.counted(parameters.sm_count, 'SM')} ({origin});\ncompute"
        f" {compute}, hold {hold}, a try {attempt} while few wait, and {parameters.spin_ns:.2f} ns"
        f" of the L2 cache's time for each that waits;\n{parameters.arbitration} arbitration"
    )
    if error is not None and model.measured is not None:
        stages = ("stage 1", error.stage1), ("stage 2", error.stage2)
        parts = (*stages, ("mean trying", error.trying_mean), ("mean queued", error.queued_mean))
        errors = ", ".join(
            f"{name} {wording.signed_percent(value)}" for name, value in parts if value is not None
        )
        text += f"\nagainst {model.measured.title}: {errors}"
        if error.unrecorded_pass is not None:
            text += (
                "\nagainst the same pass without recording, both stages:"
                f" {wording.signed_percent(error.unrecorded_pass)}"
            )
    return text


def _rows(timeline: ReductionTimeline, most: int) -> str:
    unit = "step" if timeline.clock is Clock.STEPS else "ns"
    names = ("start", "wanted", "free", "held", "released")
    times = _stamps(timeline) or list(zip(names, phase_times(timeline), strict=True))
    columns = {
        "row": np.arange(timeline.m),
        "lane" if timeline.lanes else "lock": timeline.lock,
        "order": timeline.order,
        "SM": timeline.sm,
        "tries": np.full(timeline.m, wording.ABSENT) if timeline.tries is None else timeline.tries,
        **{f"{name} [{unit}]": column for name, column in times},
    }
    lines = zip(*(map(str, column[:most].tolist()) for column in columns.values()), strict=True)
    table, left = aligned([tuple(columns), *lines]), timeline.m - most
    return f"{table}\n… and {left} more: --json has them all" if left > 0 else table


def _stamps(timeline: ReductionTimeline) -> list[tuple[str, NDArray[np.int64]]]:
    """Name the times of a kernel's own stamps [M]; empty for the locks of stage 1."""
    middle = {3: [timeline.held_ns], 4: [timeline.wanted_ns, timeline.held_ns]}
    times = [timeline.start_ns, *middle.get(len(timeline.phases), []), timeline.released_ns]
    return list(zip(timeline.phases, times, strict=False))


def _spread(name: str, times: NDArray[np.int64]) -> tuple[str, ...]:
    if times.size == 0:
        return (name, *[wording.ABSENT] * 4)
    figures = (times.mean(), np.median(times), np.percentile(times, 95), times.max())
    return (name, *(nanoseconds(float(figure)) for figure in figures))
