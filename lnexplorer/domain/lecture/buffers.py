"""The third chapter: buffers against queues."""

from collections.abc import Iterator

from lnexplorer.domain.experiments.group_size import GroupSizes
from lnexplorer.domain.lecture.material import (
    GROUP_SIZES,
    LectureCase,
    LectureMaterial,
    queue_model,
    source_of,
)
from lnexplorer.domain.lecture.questions import if_halved
from lnexplorer.domain.lecture.scenes import (
    ChartScene,
    LectureStep,
    Opening,
    Playback,
    SceneSeries,
    asked,
)
from lnexplorer.domain.timeline import RowState, moment
from lnexplorer.domain.wording import bytes_text, nanoseconds, percent, share, signed_percent
from lnkernels.launch import partial_buffer_bytes
from lnkernels.values.sentence import say

PLAYED = (256, 16)  # values of GROUP_SIZE_M whose timelines are played
EARLY_NS = 5000  # the first of two scales
SHOWN_FROM = 16  # buffers of the sweep
FITTED = 16  # GROUP_SIZE_M of the recording whose times the model of the queue takes


def why_not_more(material: LectureMaterial) -> Iterator[LectureStep]:
    """Yield the chapter on buffers and queues."""
    yield LectureStep(
        scene=Opening(3), note=say("From 4 rows to thousands. Every lock now serves many rows.")
    )
    most, few = PLAYED
    for until_ns in (EARLY_NS, None):
        yield _playback(material.cases[most], until_ns)
    yield from asked(if_halved(material.cases, most))
    for until_ns in (EARLY_NS, None):
        yield _playback(material.cases[few], until_ns)
    yield from (_stage1_chart(material), _total_chart(material), _wide_chart(material))


def _playback(case: LectureCase, until_ns: int | None) -> LectureStep:
    timeline, summary, cost = case.timeline, case.summary, case.cost
    note = say(
        "This was measured, on the GPU named above. It halts at each event; the next key goes on,"
        " Enter leaves it."
    )
    rows: dict[str, str | int] = {"m": f"{timeline.m:,}", "buffers": timeline.group_size_m}
    if until_ns is None:
        title = say("{m} rows, {buffers} buffers", **rows)
        caption = say(
            "Stage 1: {time}. On average a row queues {queued}, {share} of its time, and tries"
            " {trying}.",
            time=nanoseconds(summary.stage1_ns),
            queued=nanoseconds(summary.queued_mean_ns),
            share=share(summary.share_queued),
            trying=nanoseconds(summary.trying_mean_ns),
        )
    else:
        now, span = moment(timeline, until_ns), f"{until_ns / 1e3:g} µs"
        title = say("{m} rows, {buffers} buffers: the first {span}", span=span, **rows)
        caption = say(
            "After {span}: {added} rows are in, {holding} hold a lock, {trying} try a free one,"
            " {queued} queue.",
            span=span,
            added=f"{now.count(RowState.DONE):,}",
            holding=f"{now.count(RowState.HOLDING):,}",
            trying=f"{now.count(RowState.TRYING):,}",
            queued=f"{now.count(RowState.QUEUED):,}",
        )
    aside = say(
        "Tracing cost {share}: the pass took {traced}, and {plain} without it.",
        share=signed_percent(cost.share),
        traced=nanoseconds(cost.traced_ns),
        plain=nanoseconds(cost.plain_ns),
    )
    return LectureStep(
        scene=Playback(case, until_ns),
        title=title,
        caption=caption,
        aside=aside,
        note=note,
        source=case.source,
        optional=until_ns is not None and timeline.group_size_m != PLAYED[0],
    )


def buffer_bytes(case: LectureCase) -> int:
    """Return the bytes of the buffers of dw and db."""
    resolved = case.result.resolved
    return partial_buffer_bytes(resolved.m, resolved.n, resolved.dtype, resolved.launch)


def _stage1_chart(material: LectureMaterial) -> LectureStep:
    cases, model = material.cases, queue_model(material.cases[FITTED])
    seen = {size: float(case.summary.stage1_ns) for size, case in cases.items()}
    drawn = {size: model.stage1_ns(size) for size in GROUP_SIZES}
    worst = max(abs(drawn[size] / seen[size] - 1) for size in GROUP_SIZES)
    costs = [case.cost.share for case in cases.values()]
    return LectureStep(
        scene=ChartScene(
            (
                SceneSeries(say("stage 1, as recorded"), seen, labelled=True),
                SceneSeries(say("max(compute, rows of a lock · (hold + hand-over))"), drawn),
            ),
            {size: buffer_bytes(case) for size, case in cases.items()},
        ),
        title=say("Stage 1: the rows of a lock pass one after the other"),
        caption=say(
            "{m} / G rows of a lock, {each} each: at most {share} from the recorded times. To"
            " compute alone takes {floor}.",
            m=f"{model.m:,}",
            each=nanoseconds(model.hold_ns + model.hand_over_ns),
            share=percent(worst),
            floor=nanoseconds(model.floor_ns),
        ),
        aside=say(
            "{hold} to hold, {hand_over} to hand over: the recording with {buffers} buffers.",
            hold=nanoseconds(model.hold_ns),
            hand_over=nanoseconds(model.hand_over_ns),
            buffers=FITTED,
        ),
        note=say(
            "No other number was fitted. Both axes are logarithmic. Tracing overhead: {least} to"
            " {most}.",
            least=signed_percent(min(costs)),
            most=signed_percent(max(costs)),
        ),
        source=cases[FITTED].source,
    )


def _total_chart(material: LectureMaterial) -> LectureStep:
    cases, result = material.cases, material.group_size
    few, many = cases[GROUP_SIZES[0]], cases[GROUP_SIZES[-1]]
    whole = {
        point.group_size_m: 1e6 * point.ms_float32
        for point in result.findings_of(GroupSizes).points
        if point.ms_float32 is not None and point.group_size_m in cases
    }
    return LectureStep(
        scene=ChartScene(
            (
                SceneSeries(say("the whole pass"), whole, labelled=True),
                SceneSeries(
                    say("stage 1"),
                    {size: float(case.summary.stage1_ns) for size, case in cases.items()},
                ),
                SceneSeries(
                    say("stage 2"),
                    {size: float(case.summary.stage2_ns) for size, case in cases.items()},
                    labelled=True,
                ),
            ),
            {size: buffer_bytes(case) for size, case in cases.items()},
        ),
        title=say("Why not more buffers: stage 2 has to read them all"),
        caption=result.headline()[0],
        aside=say(
            "Stage 2 reads {least} in {least_time}, with {buffers} buffers {most} in {most_time}.",
            buffers=GROUP_SIZES[-1],
            least=bytes_text(buffer_bytes(few)),
            least_time=nanoseconds(few.summary.stage2_ns),
            most=bytes_text(buffer_bytes(many)),
            most_time=nanoseconds(many.summary.stage2_ns),
        ),
        note=say(
            "The whole pass is the one of the experiment, kernels alone and L2 cold; the stages are"
            " those of the recordings. These are two measurements: their passes are up to {share}"
            " apart.",
            share=percent(
                max(abs(ns / cases[size].cost.plain_ns - 1) for size, ns in whole.items())
            ),
        ),
        source=source_of(result),
    )


def _wide_chart(material: LectureMaterial) -> LectureStep:
    """Show the sweep with wide rows, from SHOWN_FROM buffers on.

    There the queues end before the most buffers are reached.
    """
    passes, queued, sizes = {}, {}, {}
    first = material.sweep[0]
    n = first.cell.request.n
    for row in material.sweep:
        if row.resolved is None or not row.figures or row.cell.provider != "locked":
            continue
        size = row.resolved.launch.group_size_m
        if size < SHOWN_FROM:
            continue
        passes[size] = 1e6 * row.figures[0].p50_ms
        sizes[size] = partial_buffer_bytes(
            row.resolved.m, row.resolved.n, row.resolved.dtype, row.resolved.launch
        )
        if row.wait is not None and row.wait.queued_ns >= 1:  # the axis is logarithmic
            queued[size] = row.wait.queued_ns
    best, most = min(passes, key=lambda size: passes[size]), max(passes)
    return LectureStep(
        scene=ChartScene(
            (
                SceneSeries(say("the whole pass"), passes, labelled=True),
                SceneSeries(say("a row in its queue, mean"), queued),
            ),
            sizes,
        ),
        title=say("With wide rows the queues end, and buffers only cost"),
        caption=say(
            "N = {n}: with {best} buffers a row queues for {queued}. The pass takes {time}, and"
            " {more} with {most} buffers.",
            n=f"{n:,}",
            best=best,
            queued=nanoseconds(queued.get(best, 0.0)),
            time=nanoseconds(passes[best]),
            more=nanoseconds(passes[most]),
            most=most,
        ),
        note=say(
            "A wide row computes longer, so fewer rows want a lock at once. The best number depends"
            " on the shape: measure it."
        ),
        source=(first.environment.named_gpu or "GPU", first.environment.date[:10]),
    )
