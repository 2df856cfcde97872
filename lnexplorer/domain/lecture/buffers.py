"""The third chapter of the lecture: buffers against queues."""

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from lnexplorer.domain.experiments.group_size import GroupSizes
from lnexplorer.domain.lecture.material import (
    GROUP_SIZES,
    LectureCase,
    LectureMaterial,
    compiled,
    plain,
    queue_model,
    recorded_figure,
    share_overtaken,
    source_of,
)
from lnexplorer.domain.lecture.scenes import (
    LONG,
    SHORT,
    USUAL,
    ByNumber,
    ChartScene,
    LectureStep,
    Opening,
    Playback,
    Question,
    SceneSeries,
    asked,
    step,
)
from lnexplorer.domain.simulation.model import simulate
from lnexplorer.domain.simulation.prediction import default_model
from lnexplorer.domain.timeline import RowState, moment, summarize
from lnexplorer.domain.wording import (
    bytes_text,
    nanoseconds,
    percent,
    share,
    signed_percent,
    significant,
)
from lnkernels.values import say, verbatim

PLAYED = (256, 16)  # values of GROUP_SIZE_M whose timelines are played
EARLY_NS = 5000  # the first of two scales
SHOWN_FROM = 16  # buffers of the sweep
FITTED = 16  # GROUP_SIZE_M of the recording whose times the model of the queue takes
FACTORS = (1.0, 1.5, 2.0, 4.0)  # offered for "how much longer does it take"


def why_not_more(material: LectureMaterial) -> Iterator[LectureStep]:
    """Yield the chapter on buffers and queues."""
    yield LectureStep(
        scene=Opening(3),
        shortest=SHORT,
        note=say("From 4 rows to thousands. Every lock now serves many rows."),
    )
    most, few = PLAYED
    yield _playback(material.cases[most], EARLY_NS, USUAL)
    yield _playback(material.cases[most], None, SHORT)
    yield from asked(if_halved(material.cases, most), shortest=SHORT)
    yield _playback(material.cases[few], EARLY_NS, LONG)
    yield _playback(material.cases[few], None, USUAL)
    yield from (_stage1_chart(material), _who_is_next(material), _total_chart(material))
    yield from (_wide_chart(material), _resident_chart(material))


def _playback(case: LectureCase, until_ns: int | None, shortest: int) -> LectureStep:
    timeline, summary, cost = case.timeline, case.summary, case.cost
    told = partial(say, m=f"{timeline.m:,}", buffers=timeline.group_size_m)
    if until_ns is None:
        title = told("{m} rows, {buffers} buffers")
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
        title = told("{m} rows, {buffers} buffers: the first {span}", span=span)
        caption = say(
            "After {span}: {added} rows are in, {holding} hold a lock, {trying} try a free one,"
            " {queued} queue.",
            span=span,
            added=f"{now.count(RowState.DONE):,}",
            holding=f"{now.count(RowState.HOLDING):,}",
            trying=f"{now.count(RowState.TRYING):,}",
            queued=f"{now.count(RowState.QUEUED):,}",
        )
    return step(
        Playback(case, until_ns),
        title,
        caption,
        "This was measured, on the GPU named above. [It halts at each event; the next key goes on,"
        " Enter leaves it.]",
        "Tracing cost {share}: the pass took {traced}, and {plain} without it.",
        source=case.source,
        shortest=shortest,
        share=signed_percent(cost.share),
        traced=nanoseconds(cost.traced_ns),
        plain=nanoseconds(cost.plain_ns),
    )


def if_halved(cases: dict[int, LectureCase], size: int) -> Question:
    """Ask how much longer stage 1 takes with half of the buffers, as it was recorded.

    Args:
        cases: by GROUP_SIZE_M.
        size: that is asked about.
    """
    first, second = cases[size], cases[size // 2]
    factor = second.summary.stage1_ns / first.summary.stage1_ns
    named = {1.0: say("just as long")}
    least, most = sorted(case.cost.share for case in (first, second))
    return Question(
        text=say(
            "{buffers} buffers: stage 1 takes {time}. With half as many buffers it takes …",
            buffers=size,
            time=nanoseconds(first.summary.stage1_ns),
        ),
        options=tuple(
            named.get(each, say("{factor} times as long", factor=plain(each))) for each in FACTORS
        ),
        correct=min(range(len(FACTORS)), key=lambda index: abs(math.log(FACTORS[index] / factor))),
        answer=(
            say(
                "With {half} buffers: {second}, {factor} times as long.",
                half=size // 2,
                second=nanoseconds(second.summary.stage1_ns),
                factor=significant(factor, 3),
            ),
            say(
                "Tracing overhead of these passes: {least} to {most}.",
                least=signed_percent(least),
                most=signed_percent(most),
            ),
        ),
        source=first.source,
        told_before=True,
        hint=say("[Let everybody write a number down first.]"),
        reason=say("Rows per lock double, and they pass one after the other."),
    )


def _labels(kept: dict[int, int]) -> dict[float, tuple[str, str]]:
    """Return GROUP_SIZE_M and the KiB of its buffers, from its bytes."""
    return {size: (str(size), f"{held / 1024:,.0f}") for size, held in kept.items()}


def _sizes(cases: dict[int, LectureCase]) -> dict[float, tuple[str, str]]:
    return _labels({size: case.result.resolved.buffer_bytes for size, case in cases.items()})


def _stage1_chart(material: LectureMaterial) -> LectureStep:
    cases, model = material.cases, queue_model(material.cases[FITTED])
    seen: ByNumber = {size: case.summary.stage1_ns for size, case in cases.items()}
    drawn: ByNumber = {size: model.stage1_ns(size) for size in GROUP_SIZES}
    worst = max(abs(drawn[size] / seen[size] - 1) for size in GROUP_SIZES)
    costs = [case.cost.share for case in cases.values()]
    series = (
        SceneSeries(say("stage 1, as recorded"), seen, labelled=True),
        SceneSeries(say("max(compute, rows of a lock · (hold + hand-over))"), drawn),
    )
    return step(
        ChartScene(series, _sizes(cases)),
        "Stage 1: the rows of a lock pass one after the other",
        "{m} / G rows of a lock, {each} each: at most {share} from the recorded times. To compute"
        " alone takes {floor}.",
        "No other number was fitted. Both axes are logarithmic. Tracing overhead: {least} to"
        " {most}.",
        "{hold} to hold, {hand_over} to hand over: the recording with {buffers} buffers.",
        shortest=SHORT,
        source=cases[FITTED].source,
        m=f"{model.m:,}",
        each=nanoseconds(model.hold_ns + model.hand_over_ns),
        share=percent(worst),
        floor=nanoseconds(model.floor_ns),
        hold=nanoseconds(model.hold_ns),
        hand_over=nanoseconds(model.hand_over_ns),
        buffers=FITTED,
        least=signed_percent(min(costs)),
        most=signed_percent(max(costs)),
    )


LOTTERIES = (16, 128, 256, 512)  # values of GROUP_SIZE_M beside the single buffer


def _who_is_next(material: LectureMaterial) -> LectureStep:
    """Show that a lock is not given to those that have waited longest."""
    case = material.cases[GROUP_SIZES[0]]
    timeline = case.timeline
    waited = timeline.held_ns - timeline.wanted_ns

    def overtaken(size: int) -> str:
        return f"{significant(100 * share_overtaken(material.cases[size].timeline), 3)} %"

    return step(
        Playback(case),
        "Who is next?",
        "{share} of the hand-overs give the lock to a row that has waited less than another. Row"
        " {row} waits for {wait} of {whole} µs.",
        "Whoever tries first after the lock is free gets it; rows of the first wave wait for their"
        " luck. To serve them in turn takes a ticket for each row: one more number a lock.",
        "Overtaking, with {sizes} buffers: {shares}.",
        source=case.source,
        shortest=LONG,
        share=overtaken(GROUP_SIZES[0]),
        row=int(waited.argmax()),
        wait=f"{waited.max() / 1e3:,.0f}",
        whole=f"{case.summary.stage1_ns / 1e3:,.0f}",
        sizes=LOTTERIES,
        shares=[overtaken(lottery) for lottery in LOTTERIES],
    )


def _total_chart(material: LectureMaterial) -> LectureStep:
    cases, result = material.cases, material.group_size
    many, wide = cases[GROUP_SIZES[-1]], material.wide
    ceiling = recorded_figure(wide.result, "add", "backward")
    whole: ByNumber = {
        point.group_size_m: 1e6 * point.ms_float32
        for point in result.findings_of(GroupSizes).points
        if point.ms_float32 is not None and point.group_size_m in cases
    }
    busy = np.unique(many.timeline.tile_sm).size
    stage1: ByNumber = {size: float(case.summary.stage1_ns) for size, case in cases.items()}
    stage2: ByNumber = {size: float(case.summary.stage2_ns) for size, case in cases.items()}
    series = (
        SceneSeries(say("the whole pass"), whole, labelled=True),
        SceneSeries(say("stage 1"), stage1),
        SceneSeries(say("stage 2"), stage2, labelled=True),
    )

    def gbps(case: LectureCase) -> str:
        return significant(case.result.resolved.buffer_bytes / case.summary.stage2_ns, 3)

    apart = max(abs(ns / cases[int(size)].cost.plain_ns - 1) for size, ns in whole.items())
    return step(
        ChartScene(series, _sizes(cases)),
        "Stage 2 grows with the buffers, on {busy} of {sms} SMs",
        "It has one program for {columns} columns, here {few}: {size} take {time}. With N ="
        " {wide} there are {more}, and {wide_size} take {wide_time}: it is not the bytes that"
        " cost.",
        "The whole pass is the experiment's, kernels alone and L2 cold; the stages are the"
        " recordings', up to {apart} apart.",
        "That is {gbps} and {wide_gbps} GB/s, where a + b → c reaches {ceiling} GB/s.",
        source=source_of(result),
        columns=many.timeline.tile_block_n,
        few=many.timeline.tile_start_ns.size,
        size=bytes_text(many.result.resolved.buffer_bytes),
        time=nanoseconds(many.summary.stage2_ns),
        wide=f"{wide.timeline.n:,}",
        more=wide.timeline.tile_start_ns.size,
        wide_size=bytes_text(wide.result.resolved.buffer_bytes),
        wide_time=nanoseconds(wide.summary.stage2_ns),
        gbps=gbps(many),
        wide_gbps=gbps(wide),
        ceiling=significant(ceiling.gbps, 3),
        apart=percent(apart),
        busy=busy,
        sms=compiled(many.result)[2].sm_count,
    )


def _wide_chart(material: LectureMaterial) -> LectureStep:
    """Show the sweep with wide rows, from SHOWN_FROM buffers on.

    There the queues end before the most buffers are reached.
    """
    passes: ByNumber = {}
    queued: ByNumber = {}
    sizes = {}
    first = material.sweep[0]
    for row in material.sweep:
        if row.resolved is None or not row.figures or row.cell.provider != "locked":
            continue
        size = row.resolved.launch.group_size_m
        if size < SHOWN_FROM:
            continue
        passes[size] = 1e6 * row.figures[0].p50_ms
        sizes[size] = row.resolved.buffer_bytes
        if row.wait is not None and row.wait.queued_ns >= 1:  # the axis is logarithmic
            queued[size] = row.wait.queued_ns
    best, most = min(passes, key=lambda size: passes[size]), max(passes)
    series = (
        SceneSeries(say("the whole pass"), passes, labelled=True),
        SceneSeries(say("a row in its queue, mean"), queued),
    )
    return step(
        ChartScene(series, _labels(sizes)),
        "With wide rows the queues end, and buffers only cost",
        "N = {n}: with {best} buffers a row queues for {queued}. The pass takes {time}, and {more}"
        " with {most} buffers.",
        "[Ask why they end so early: with narrow rows they do not. The next step says it.]",
        source=(first.environment.named_gpu or "GPU", first.environment.date[:10]),
        n=f"{first.cell.request.n:,}",
        best=best,
        queued=nanoseconds(queued.get(best, 0.0)),
        time=nanoseconds(passes[best]),
        more=nanoseconds(passes[most]),
        most=most,
    )


HARDLY_NS = 100  # a row that queues no longer hardly queues
CROWDED = 128  # the least GROUP_SIZE_M of narrow rows beside the wide ones
PARTS = 16  # programs that would share the buffers of a column, in a stage 2 on more SMs


def _resident_chart(material: LectureMaterial) -> LectureStep:
    """Show queues of narrow and of wide rows by the programs on the GPU for each buffer, and what
    the buffers of narrow rows cost in stage 2: as recorded, and on PARTS times as many SMs, which
    takes as long as the recorded one of that part of the buffers and then of PARTS sums.
    """
    cases, narrow, wide = material.cases, material.cases[PLAYED[0]], material.wide
    programs, kernels = [], []
    for case in (narrow, wide):
        _, kernel, limits = compiled(case.result)
        assert kernel.occupancy is not None, "compiled for a GPU"
        programs.append(limits.sm_count * kernel.occupancy.programs_per_sm)
        kernels.append(kernel)
    seen: list[ByNumber] = [{}, {}]
    drawn: ByNumber = {}
    labels: dict[float, tuple[str, str]] = {}
    recorded = [
        (0, case.result.resolved, case.summary.queued_mean_ns)
        for size, case in cases.items()
        if size >= CROWDED
    ]
    recorded += [
        (1, row.resolved, row.wait.queued_ns)
        for row in material.sweep
        if row.resolved is not None and row.wait is not None
    ]
    sms = compiled(wide.result)[2].sm_count
    for side, request, queued in recorded:
        launch, resident = request.launch, programs[side]
        if launch.group_size_m < SHOWN_FROM or queued < 1:  # the axis is logarithmic
            continue
        each = resident / launch.group_size_m
        model = simulate(
            request.m,
            request.n,
            launch.group_size_m,
            launch.reduce_block_size_m,
            launch.reduce_block_size_n,
            default_model(request, resident, sms),
        )
        seen[side][each] = queued
        drawn[each] = summarize(model).queued_mean_ns
        labels[each] = significant(each, 2), str(launch.group_size_m)
    order = sorted(labels, reverse=True)
    names = [say("queue, N = {n}", n=f"{case.timeline.n:,}") for case in (narrow, wide)]
    stage2, spread = {}, {}
    for size in filter(lambda size: size >= CROWDED, cases):
        each = programs[0] / size
        part, sums = (cases[held].summary.stage2_ns for held in (size // PARTS, PARTS))
        stage2[each], spread[each] = float(cases[size].summary.stage2_ns), float(part + sums)
    busy = np.unique(narrow.timeline.tile_sm).size
    series = (
        SceneSeries(names[1], seen[1], labelled=True),
        SceneSeries(names[0], seen[0]),
        SceneSeries(say("model"), {each: drawn[each] for each in order if drawn[each] >= 1}),
        SceneSeries(say("stage 2, {sms} SMs", sms=busy), stage2),
        SceneSeries(say("{sms} SMs, computed", sms=busy * PARTS), spread),
    )
    free = max(each for each, queued in seen[1].items() if queued < HARDLY_NS)
    return step(
        ChartScene(
            series,
            {each: labels[each] for each in order},
            (say("programs a buffer"), verbatim("G")),
        ),
        "Why not more buffers: few programs are there to share them",
        "{registers} registers × {warps} warps: {per} program on an SM, {resident} at once. At"
        " {free} programs a buffer a row queues for {queued}. More buffers have nothing left to"
        " shorten.",
        "Both widths lie on one line: queues depend on the programs at once for each buffer."
        " N = {narrow} has {more}: even {most} buffers are not enough, and stage 2 takes {few_sms}"
        " for them; with {parts} programs to a column, and {parts} sums to add then, {spread}.",
        "Queues: mean of a row. Stage 2: N = {narrow}. Model: usual times of this GPU.",
        shortest=SHORT,
        source=wide.source,
        registers=kernels[1].registers or 0,
        warps=kernels[1].num_warps,
        per=programs[1] // sms,
        resident=programs[1],
        free=significant(free, 2),
        queued=nanoseconds(seen[1][free]),
        narrow=f"{narrow.timeline.n:,}",
        more=f"{programs[0]:,}",
        most=GROUP_SIZES[-1],
        parts=PARTS,
        spread=nanoseconds(spread[programs[0] / GROUP_SIZES[-1]]),
        few_sms=nanoseconds(stage2[programs[0] / GROUP_SIZES[-1]]),
    )
