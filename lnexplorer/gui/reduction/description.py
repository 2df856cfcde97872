"""The two lines above the animation: what is shown, and what it amounts to."""

import numpy as np
from PySide6.QtCore import QCoreApplication

from lnexplorer.domain.moments import locks_in_use
from lnexplorer.domain.ordered_sums import OrderedSums, order_bound
from lnexplorer.domain.provenance import Kind
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.result import PartialRows
from lnexplorer.domain.simulation import ScheduleModel
from lnexplorer.domain.timeline import Clock, ReductionTimeline
from lnexplorer.domain.timeline_summary import TimelineSummary
from lnexplorer.gui.reduction.painter.wording import number, time_text


def facts_text(timeline: ReductionTimeline, request: ResolvedRequest, model: ScheduleModel | None) -> str:
    """Shape and buffers, and the parameters of the model where there is one."""
    parts = [f"{number(request.m)} × {number(request.n)}"]
    used = locks_in_use(timeline)
    if used < timeline.group_size_m:
        text = QCoreApplication.translate("reduction", "GROUP_SIZE_M {0}, buffers in use: {1}, one a row, no contention")
        parts.append(text.format(timeline.group_size_m, used))
    else:
        parts.append(f"GROUP_SIZE_M {timeline.group_size_m}")
    if timeline.m < request.m:
        parts.append(QCoreApplication.translate("reduction", "the first {0} rows").format(number(timeline.m)))
    if model is not None:
        parts.append(model_text(model))
    if timeline.clock is not Clock.MODEL and timeline.kind is not Kind.SIMULATED:
        parts.append(clock_text(timeline))
    if timeline.cost is not None:
        parts.append(cost_text(timeline.cost.share))
    return " · ".join(parts)


def cost_text(share: float) -> str:
    """By how much recording made a pass longer. Where it was shorter than a plain one, the difference is that between passes."""
    if share > 0:
        return QCoreApplication.translate("reduction", "recording made the pass {0} longer").format(f"{share:.1%}")
    text = QCoreApplication.translate("reduction", "recording made the pass no longer ({0})")
    return text.format(f"{share:+.1%}".replace("-", "−"))


def clock_text(timeline: ReductionTimeline) -> str:
    """How exact the times of a trace are."""
    step = time_text(timeline.tick_ns)
    match timeline.clock:
        case Clock.TIMER:
            return QCoreApplication.translate("reduction", "times to {0}").format(step)
        case Clock.REFINED:
            return QCoreApplication.translate("reduction", "times to {0}, refined by the SMs' clocks").format(step)
        case Clock.COARSE:
            return QCoreApplication.translate("reduction", "times to {0} only: no finer clock could be read").format(step)
        case Clock.STEPS:
            return QCoreApplication.translate("reduction", "no clock: events are counted, only their order is true")
        case Clock.MODEL:
            return QCoreApplication.translate("reduction", "times of a model")


def model_text(model: ScheduleModel) -> str:
    """The parameters of the model that matter most."""
    programs = QCoreApplication.translate("reduction", "model, resident programs: {0}").format(number(model.resident_programs))
    return f"{programs} · {model_times_text(model)}"


def model_times_text(model: ScheduleModel) -> str:
    """The model's times that matter most."""
    return QCoreApplication.translate("reduction", "compute {0}, hold {1}, hand-over {2}").format(
        time_text(model.compute_ns), time_text(model.hold_ns), time_text(model.hand_over_ns)
    )


def summary_text(timeline: ReductionTimeline, summary: TimelineSummary) -> str:
    """The figures that matter most; none where events were only counted."""
    if timeline.counted:
        return QCoreApplication.translate("reduction", "Programs ran one after another: an order of events, no times")
    return QCoreApplication.translate("reduction", "Stage 1 takes {0}; a row waits {1} on average: {2} of its time").format(
        time_text(summary.stage1_ns), time_text(summary.wait_mean_ns), f"{summary.share_waiting:.0%}"
    )


def details_text(timeline: ReductionTimeline, summary: TimelineSummary) -> str:
    """The other figures, where there are any."""
    if timeline.counted:
        return ""
    return QCoreApplication.translate(
        "reduction", "Wait: 95 % below {0}, at most {1}. Busiest lock: {2}, held for {3} of stage 1. Stage 2: {4}."
    ).format(
        time_text(summary.wait_p95_ns),
        time_text(summary.wait_max_ns),
        summary.busiest_lock,
        f"{summary.busiest_lock_share:.0%}",
        time_text(summary.stage2_ns),
    )


def buffer_dtype(request: ResolvedRequest) -> str:
    """Element type of the partial sum buffers."""
    return "float32" if request.launch.partial_dtype == "float32" else request.dtype


def agreement_text(sums: OrderedSums, rows: PartialRows, request: ResolvedRequest, *, other_run: bool = False) -> str:
    """How far the sums in the timeline's order are from the run's, and whether the order can explain it.

    Args:
        sums: in the timeline's order.
        rows: what each row adds, and the run's dw and db.
        request: the launch.
        other_run: the sums are those of a run that was traced, and the run is another one, in an order of its own.
    """
    worst, explained = 0.0, True
    for own, run, partial in ((sums.dw, rows.dw_total, rows.dw), (sums.db, rows.db_total, rows.db)):
        magnitude = np.abs(partial.astype(np.float64)).sum(axis=0)
        bound = order_bound(magnitude, request.m, request.launch.group_size_m, buffer_dtype(request), request.dtype)
        with np.errstate(invalid="ignore"):
            apart = np.abs(own.astype(np.float64) - run)
        if not np.isfinite(apart).all():
            return QCoreApplication.translate("reduction", "sums are not finite")
        worst = max(worst, float(apart.max(initial=0)))
        explained = explained and bool((apart <= bound).all())
    if not worst:
        if other_run:
            return QCoreApplication.translate("reduction", "a run without tracing gave the same dw and db")
        return QCoreApplication.translate("reduction", "sums are exactly the run's")
    if explained and other_run:
        text = QCoreApplication.translate("reduction", "a run without tracing, in another order, differs by up to {0}")
        return text.format(f"{worst:.0e}".replace("-", "−"))
    if explained:
        return QCoreApplication.translate("reduction", "sums match the run's within {0}").format(f"{worst:.0e}")
    text = QCoreApplication.translate("reduction", "sums {0} from the run's: more than rounding explains")
    return text.format(f"{worst:.0e}")
