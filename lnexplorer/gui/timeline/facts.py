"""Figures of a timeline and of its launch, in words."""

import numpy as np

from lnexplorer.domain import wording
from lnexplorer.domain.ordered_sums import OrderedSums, order_bound
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.simulation.model import SimulationParameters
from lnexplorer.domain.timeline import TimelineSummary, locks_in_use
from lnexplorer.gui.timeline.wording import number, time_text, words
from lnkernels.values.accuracy import PartialRows
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import Clock, ReductionTimeline


def facts_text(
    timeline: ReductionTimeline, request: ResolvedRequest, model: SimulationParameters | None
) -> str:
    """Shape and buffers, and the parameters of the model where there is one."""
    parts = [f"{request.m} × {request.n}"]
    used = locks_in_use(timeline)
    if timeline.source:
        count = timeline.group_size_m
        lanes = words("lanes: {0}", count) if timeline.lanes else words("locks: {0}", count)
        parts += [words("stamps of {0}", timeline.source), lanes]
    elif used < timeline.group_size_m:
        parts.append(
            words(
                "GROUP_SIZE_M {0}, buffers in use: {1}, one a row, no contention",
                timeline.group_size_m,
                used,
            )
        )
    else:
        parts.append(f"GROUP_SIZE_M {timeline.group_size_m}")
    if timeline.m < request.m and not timeline.source:
        parts.append(words("the first {0} rows", number(timeline.m)))
    if model is not None:
        parts += [
            words("model, resident programs: {0}", number(model.resident_programs)),
            model_times_text(model),
        ]
    if timeline.clock is not Clock.MODEL and timeline.kind is not Kind.SIMULATED:
        parts.append(clock_text(timeline))
    if timeline.cost is not None:
        parts.append(cost_text(timeline.cost.share))
    return " · ".join(parts)


def cost_text(share: float) -> str:
    """By how much recording made a pass longer.

    Where it was shorter than a plain one, the difference is that between passes.
    """
    if share > 0:
        return words("recording made the pass {0} longer", wording.percent(share))
    return words("recording made the pass no longer ({0})", wording.signed_percent(share))


def clock_text(timeline: ReductionTimeline) -> str:
    """How exact the times of a trace are."""
    step = time_text(timeline.tick_ns)
    match timeline.clock:
        case Clock.TIMER:
            return words("times to {0}", step)
        case Clock.REFINED:
            return words("times to {0}, refined by the SMs' clocks", step)
        case Clock.COARSE:
            return words("times to {0} only: no finer clock could be read", step)
        case Clock.STEPS:
            return words("no clock: events are counted, only their order is true")
        case Clock.MODEL:
            return words("times of a model")


def model_times_text(model: SimulationParameters) -> str:
    """The model's times that matter most."""
    return words(
        "compute {0}, hold {1}, hand-over {2}",
        time_text(model.compute_ns),
        time_text(model.hold_ns),
        time_text(model.hand_over_ns),
    )


def summary_text(timeline: ReductionTimeline, summary: TimelineSummary) -> str:
    if timeline.counted:
        return words("Programs ran one after another: an order of events, no times")
    parts = [time_text(summary.stage1_ns)]
    if timeline.source and timeline.phases:
        return words("From the first stamp to the last: {0}", *parts)
    for mean, share in (
        (summary.queued_mean_ns, summary.share_queued),
        (summary.trying_mean_ns, summary.share_trying),
    ):
        parts += [time_text(mean), wording.percent(share)]
    if not summary.rows_queued:
        return words(
            "Stage 1 {0} · no row queues · a row tries its free lock for {3} ({4})", *parts
        )
    longest = number(summary.peak_queue)
    return words(
        "Stage 1 {0} · peak queue {5} · a row queues {1} ({2}) · tries {3} ({4})", *parts, longest
    )


def details_text(timeline: ReductionTimeline, summary: TimelineSummary) -> str:
    if timeline.counted or timeline.source:
        return ""
    return words(
        "Rows that queue: {0}; 95 % of all below {1}, at most {2}. Trying: 95 % below {3}, at most"
        " {4}. Busiest lock: {5}, held for {6} of stage 1. Stage 2: {7}.",
        number(summary.rows_queued),
        time_text(summary.queued_p95_ns),
        time_text(summary.queued_max_ns),
        time_text(summary.trying_p95_ns),
        time_text(summary.trying_max_ns),
        summary.busiest_lock,
        wording.percent(summary.busiest_lock_share),
        time_text(summary.stage2_ns),
    )


def agreement_text(
    sums: OrderedSums, rows: PartialRows, request: ResolvedRequest, *, other_run: bool
) -> str:
    """How far the sums in the timeline's order are from the run's, and whether the order can
    explain it.

    Args:
        sums: in the timeline's order.
        rows: what each row adds, and the run's dw and db.
        request: the launch.
        other_run: the sums are those of a run that was traced, and the run is another one, in an
            order of its own.
    """
    worst, explained = 0.0, True
    for own, run, partial in ((sums.dw, rows.dw_total, rows.dw), (sums.db, rows.db_total, rows.db)):
        magnitude = np.abs(partial.astype(np.float64)).sum(axis=0)
        bound = order_bound(
            magnitude, request.m, request.launch.group_size_m, request.buffer_dtype, request.dtype
        )
        with np.errstate(invalid="ignore"):
            apart = np.abs(own.astype(np.float64) - run)
        if not np.isfinite(apart).all():
            return words("sums are not finite")
        worst = max(worst, float(apart.max(initial=0)))
        explained = explained and bool((apart <= bound).all())
    if not worst:
        if other_run:
            return words("a run without tracing gave the same dw and db")
        return words("sums are exactly the run's")
    if explained and other_run:
        return words(
            "a run without tracing, in another order, differs by up to {0}", wording.error(worst)
        )
    if explained:
        return words("sums match the run's within {0}", wording.error(worst))
    return words("sums {0} from the run's: more than rounding explains", wording.error(worst))
