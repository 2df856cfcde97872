"""Sentences about the figures of a timeline and about its launch."""

import numpy as np

from lnexplorer.domain import wording
from lnexplorer.domain.ordered_sums import OrderedSums, order_bound
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.simulation.model import SimulationParameters
from lnexplorer.domain.timeline import TimelineSummary, locks_in_use
from lnexplorer.domain.wording import nanoseconds
from lnexplorer.gui.timeline.wording import join_facts
from lnkernels.values import Sentence, Words, say
from lnkernels.values.accuracy import PartialRows
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import Clock, ReductionTimeline


def facts_text(
    timeline: ReductionTimeline, request: ResolvedRequest, model: SimulationParameters | None
) -> Sentence:
    """Describe shape, buffers and clock, and the parameters of the model if there is one."""
    facts: list[Words] = [f"{request.m} × {request.n}"]
    used, count = locks_in_use(timeline), timeline.group_size_m
    if timeline.source:
        facts.append(say("stamps of {kernel}", kernel=timeline.source))
        lanes = say("lanes: {count}", count=count)
        facts.append(lanes if timeline.lanes else say("locks: {count}", count=count))
    elif used < count:
        facts.append(
            say(
                "GROUP_SIZE_M {group_size_m}, buffers in use: {used}, one a row, no contention",
                group_size_m=count,
                used=used,
            )
        )
    else:
        facts.append(f"GROUP_SIZE_M {count}")
    if timeline.m < request.m and not timeline.source:
        facts.append(say("the first {rows:,} rows", rows=timeline.m))
    if model is not None:
        programs = model.resident_programs
        facts.append(say("model, resident programs: {programs:,}", programs=programs))
        facts.append(model_times_text(model))
    if timeline.clock is not Clock.MODEL and timeline.kind is not Kind.SIMULATED:
        facts.append(clock_text(timeline))
    if timeline.cost is not None:
        facts.append(cost_text(timeline.cost.share))
    return join_facts(*facts)


def cost_text(share: float) -> Sentence:
    """Say how much longer recording made a pass.

    A pass that was shorter than a plain one was not sped up: passes differ by that much.
    """
    if share > 0:
        return say("recording made the pass {share} longer", share=wording.percent(share))
    return say("recording made the pass no longer ({share})", share=wording.signed_percent(share))


def clock_text(timeline: ReductionTimeline) -> Sentence:
    """Say how exact the times of a trace are."""
    step = nanoseconds(timeline.tick_ns)
    match timeline.clock:
        case Clock.TIMER:
            return say("times to {step}", step=step)
        case Clock.REFINED:
            return say("times to {step}, refined by the SMs' clocks", step=step)
        case Clock.COARSE:
            return say("times to {step} only: no finer clock could be read", step=step)
        case Clock.STEPS:
            return say("no clock: events are counted, only their order is true")
        case Clock.MODEL:
            return say("times of a model")


def model_times_text(model: SimulationParameters) -> Sentence:
    return say(
        "compute {compute}, hold {hold}, hand-over {hand_over}",
        compute=nanoseconds(model.compute_ns),
        hold=nanoseconds(model.hold_ns),
        hand_over=nanoseconds(model.hand_over_ns),
    )


def summary_text(timeline: ReductionTimeline, summary: TimelineSummary) -> Sentence:
    """Say how long stage 1 took and how long its rows waited."""
    if timeline.hang is not None:
        return timeline.hang
    stage1 = nanoseconds(summary.stage1_ns)
    if timeline.counted:
        return say("Programs ran one after another: an order of events, no times")
    if timeline.source and timeline.phases:
        return say("From the first stamp to the last: {length}", length=stage1)
    tries = {
        "stage1": stage1,
        "trying": nanoseconds(summary.trying_mean_ns),
        "share_trying": wording.percent(summary.share_trying),
    }
    if not summary.rows_queued:
        return say(
            "Stage 1 {stage1} · no row queues · a row tries its free lock for {trying}"
            " ({share_trying})",
            **tries,
        )
    return say(
        "Stage 1 {stage1} · peak queue {peak:,} · a row queues {queued} ({share_queued}) · tries"
        " {trying} ({share_trying})",
        peak=summary.peak_queue,
        queued=nanoseconds(summary.queued_mean_ns),
        share_queued=wording.percent(summary.share_queued),
        **tries,
    )


def details_text(timeline: ReductionTimeline, summary: TimelineSummary) -> Words:
    """Describe the waits in more detail; empty if there are no times."""
    if timeline.counted or timeline.source:
        return ""
    return say(
        "Rows that queue: {rows:,}; 95 % of all below {queued_p95}, at most {queued_max}. Trying:"
        " 95 % below {trying_p95}, at most {trying_max}. Busiest lock: {lock}, held for {share} of"
        " stage 1. Stage 2: {stage2}.",
        rows=summary.rows_queued,
        queued_p95=nanoseconds(summary.queued_p95_ns),
        queued_max=nanoseconds(summary.queued_max_ns),
        trying_p95=nanoseconds(summary.trying_p95_ns),
        trying_max=nanoseconds(summary.trying_max_ns),
        lock=summary.busiest_lock,
        share=wording.percent(summary.busiest_lock_share),
        stage2=nanoseconds(summary.stage2_ns),
    )


def agreement_text(
    sums: OrderedSums, rows: PartialRows, request: ResolvedRequest, *, other_run: bool
) -> Sentence:
    """Say how far the sums in the timeline's order are from the run's, and whether the order can
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
            return say("sums are not finite")
        worst = max(worst, float(apart.max(initial=0)))
        explained = explained and bool((apart <= bound).all())
    if not worst:
        if other_run:
            return say("a run without tracing gave the same dw and db")
        return say("sums are exactly the run's")
    apart_by = wording.error(worst)
    if not explained:
        return say("sums {apart} from the run's: more than rounding explains", apart=apart_by)
    if other_run:
        return say(
            "a run without tracing, in another order, differs by up to {apart}", apart=apart_by
        )
    return say("sums match the run's within {apart}", apart=apart_by)
