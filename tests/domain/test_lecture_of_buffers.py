"""Every number of the chapter on buffers and queues: recomputed here from the recordings, the model
and the experiments.
"""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from lnexplorer.domain.experiments.group_size import GroupSizes
from lnexplorer.domain.lecture.material import GROUP_SIZES, LectureMaterial, queue_model
from lnexplorer.domain.lecture.scenes import (
    ChartScene,
    Closing,
    Playback,
)
from lnexplorer.domain.timeline import free_ns, most_in_flight
from lnexplorer.domain.wording import (
    bytes_text,
    nanoseconds,
    share,
    signed_percent,
    significant,
)
from tests.sample_lecture import (
    Steps,
    question,
    recorded_material,
    shows,
    values,
)


def test_timelines_are_told_by_what_was_recorded(steps: Steps) -> None:
    early = [step for step, scene in shows(steps, Playback) if scene.until_ns is not None]
    whole = [
        step
        for step, scene in shows(steps, Playback)
        if scene.until_ns is None and "buffers" in values(step.title) and step.chapter == 3
    ]
    assert [len(early), len(whole)] == [2, 2]
    for step in (*early, *whole):
        timeline, told = step.scene.case.timeline, values(step.caption)  # type: ignore[union-attr]
        start, wanted, held, released = (
            timeline.start_ns,
            timeline.wanted_ns,
            timeline.held_ns,
            timeline.released_ns,
        )
        free = free_ns(timeline)
        if step in early:
            now = 5000
            counts = {
                "added": (released <= now).sum(),
                "holding": ((held <= now) & (now < released)).sum(),
                "trying": ((free <= now) & (now < held)).sum(),
                "queued": ((wanted <= now) & (now < free)).sum(),
            }
            assert {name: told[name] for name in counts} == {
                name: f"{count:,}" for name, count in counts.items()
            }
        else:
            assert told == {
                "time": nanoseconds(int(released.max() - start.min())),
                "queued": nanoseconds((free - wanted).mean()),
                "share": share((free - wanted).sum() / (released - start).sum()),
                "trying": nanoseconds((held - free).mean()),
            }
        cost = timeline.cost
        assert cost is not None
        assert values(step.aside)["share"] == signed_percent(cost.traced_ns / cost.plain_ns - 1)


def test_the_queue_model_takes_the_times_of_a_recording(recorded: LectureMaterial) -> None:
    size = 512
    timeline = recorded.cases[size].timeline
    gaps = []
    for lock in range(size):
        rows = np.flatnonzero(timeline.lock == lock)
        rows = rows[np.argsort(timeline.order[rows])]
        for before, after in pairwise(rows):
            if timeline.wanted_ns[after] < timeline.released_ns[before]:
                gaps.append(int(timeline.held_ns[after] - timeline.released_ns[before]))
    model = queue_model(recorded.cases[size])
    assert model.hand_over_ns == pytest.approx(np.mean(gaps))
    assert model.hold_ns == pytest.approx((timeline.released_ns - timeline.held_ns).mean())
    assert model.stage1_ns(1) == pytest.approx(4096 * (model.hold_ns + model.hand_over_ns))
    assert (
        model.stage1_ns(10**6)
        == model.floor_ns
        == 3 * (timeline.wanted_ns - timeline.start_ns).mean()
    ), "1,584 at once"


def test_stage_1_is_drawn_as_recorded_and_as_its_formula_says(
    steps: Steps, recorded: LectureMaterial
) -> None:
    (step, first), (total_step, second), *_ = shows(steps, ChartScene)
    seen, drawn = (series.times for series in first.series)
    model = queue_model(recorded.cases[16])
    for size in GROUP_SIZES:
        timeline = recorded.cases[size].timeline
        assert seen[size] == timeline.released_ns.max() - timeline.start_ns.min()
        assert drawn[size] == max(
            model.floor_ns, -(-4096 // size) * (model.hold_ns + model.hand_over_ns)
        )
        assert drawn[size] == pytest.approx(seen[size], rel=0.2)
        kib = f"{2 * size * 1024 * 4 / 1024:,.0f}"
        assert first.labels[size] == second.labels[size] == (str(size), kib)
    told = values(step.caption)
    assert told["each"] == nanoseconds(model.hold_ns + model.hand_over_ns)
    assert told["floor"] == nanoseconds(model.floor_ns)
    assert values(step.aside) == {
        "hold": nanoseconds(model.hold_ns),
        "hand_over": nanoseconds(model.hand_over_ns),
        "buffers": 16,
    }
    costs = [case.cost.share for case in recorded.cases.values()]
    note = values(step.note)
    assert [note["least"], note["most"]] == [signed_percent(min(costs)), signed_percent(max(costs))]
    worst = max(abs(drawn[size] / seen[size] - 1) for size in GROUP_SIZES)
    assert values(step.caption)["share"] == f"{100 * worst:.0f} %"
    result = recorded.group_size
    whole, stage1, stage2 = (series.times for series in second.series)
    assert whole == {
        point.group_size_m: 1e6 * (point.ms_float32 or 0)
        for point in result.findings_of(GroupSizes).points
    }
    assert stage1 == seen
    for size in GROUP_SIZES:
        timeline = recorded.cases[size].timeline
        assert stage2[size] == timeline.tile_end_ns.max() - timeline.tile_start_ns.min()
    wide, narrow = recorded.wide.timeline, recorded.cases[512].timeline
    times = [int(each.tile_end_ns.max() - each.tile_start_ns.min()) for each in (narrow, wide)]
    assert [each.tile_sm.size for each in (narrow, wide)] == [8, 64]
    assert len(set(narrow.tile_sm.tolist())) == values(total_step.title)["busy"] == 8
    assert stage2[64] < times[1] < stage2[128], "96 buffers: as long on 64 SMs as on 8"
    assert values(total_step.title)["sms"] == 132
    told = values(total_step.caption)
    assert (told["few"], told["more"]) == (8, 64)
    assert [told["time"], told["wide_time"]] == [nanoseconds(time) for time in times]
    sizes = [2 * 512 * 1024 * 4, 2 * 96 * 8192 * 4]
    assert [told["size"], told["wide_size"]] == [bytes_text(size) for size in sizes]
    assert sizes[1] > sizes[0], "more bytes ..."
    assert times[1] < times[0] / 4, "... in less time, so it is not the bytes that cost"
    aside = values(total_step.aside)
    for name, size, time in zip(("gbps", "wide_gbps"), sizes, times, strict=True):
        assert aside[name] == significant(size / time, 3)


@cache
def overtaken(size: int) -> str:
    """The share of the hand-overs to a row that had waited less than another."""
    timeline = recorded_material().cases[size].timeline
    later = total = 0
    for lock in range(size):
        rows = np.flatnonzero(timeline.lock == lock)
        wanted = timeline.wanted_ns[rows[np.argsort(timeline.order[rows])]].tolist()
        total += len(wanted) - 1
        later += sum(min(wanted[at:]) < wanted[at] for at in range(1, len(wanted)))
    return f"{significant(100 * later / total, 3)} %"


def test_who_is_next_is_counted_over_all_hand_overs(
    steps: Steps, recorded: LectureMaterial
) -> None:
    step = next(step for step in steps if str(step.title) == "Who is next?")
    assert values(step.caption)["share"] == overtaken(1)
    assert values(step.aside)["shares"] == ", ".join(map(overtaken, (16, 128, 256, 512)))
    timeline = recorded.cases[1].timeline
    waited = timeline.held_ns - timeline.wanted_ns
    assert values(step.caption)["row"] == waited.argmax()
    assert values(step.caption)["wait"] == f"{waited.max() / 1e3:,.0f}"


def test_queues_of_both_widths_lie_on_one_line_of_programs_a_buffer(
    steps: Steps, recorded: LectureMaterial
) -> None:
    step, scene = shows(steps, ChartScene)[-1]
    wide, narrow, model, stage2, spread = (series.times for series in scene.series)
    resident = {8192: 132, 1024: 1584}
    assert [
        most_in_flight(recorded.wide.timeline),
        most_in_flight(recorded.cases[512].timeline),
    ] == [*resident.values()]
    for row in recorded.sweep:
        if row.wait is not None and row.cell.request.launch.group_size_m >= 16:
            each = 132 / row.cell.request.launch.group_size_m
            assert wide.get(each, 0) == (row.wait.queued_ns if row.wait.queued_ns >= 1 else 0)
    for each, queued in narrow.items():
        case = recorded.cases[round(1584 / each)]
        assert queued == (free_ns(case.timeline) - case.timeline.wanted_ns).mean()
    times = {
        size: float(case.timeline.tile_end_ns.max() - case.timeline.tile_start_ns.min())
        for size, case in recorded.cases.items()
    }
    assert list(stage2) == list(spread) == list(narrow)
    for each, ns in stage2.items():
        size = round(1584 / each)
        assert (ns, spread[each]) == (times[size], times[size // 16] + times[16])
    assert [values(series.name)["sms"] for series in scene.series[3:]] == [8, 8 * 16]
    assert 8 * 16 <= 132, "there are so many SMs"
    both = wide | narrow
    assert list(scene.labels) == sorted(both, reverse=True)
    assert all(ns >= 1 for ns in model.values()), "the axis is logarithmic"
    assert {each for each in both if each > 3} < set(model) <= set(both)
    line = [both[each] for each in scene.labels]
    assert line == sorted(line, reverse=True), "the fewer programs a buffer, the shorter the queues"
    assert all(model[each] == pytest.approx(both[each], rel=0.25) for each in model if each > 3)
    told = values(step.caption)
    assert (told["registers"], told["warps"], told["per"], told["resident"]) == (161, 8, 1, 132)
    assert 2 * 161 * 8 * 32 > 65536, "two would not fit into the registers of an SM"
    assert told["queued"] == nanoseconds(max(ns for ns in wide.values() if ns < 100))
    assert values(step.note)["more"] == "1,584"


def test_wide_rows_are_those_of_the_sweep(steps: Steps, recorded: LectureMaterial) -> None:
    step, scene = shows(steps, ChartScene)[-2]
    passes, queued = (series.times for series in scene.series)
    rows = {
        row.cell.request.launch.group_size_m: row
        for row in recorded.sweep
        if row.cell.provider == "locked"
    }
    assert {1, *passes} <= set(rows)
    for size, ns in passes.items():
        assert ns == 1e6 * rows[size].figures[0].p50_ms
        assert scene.labels[size][1] == f"{2 * size * 8192 * 2 / 1024:,.0f}", "buffers in float16"
        wait = rows[size].wait
        assert wait is not None
        assert queued.get(size, 0.0) == (wait.queued_ns if wait.queued_ns >= 1 else 0.0)
    told = values(step.caption)
    best, most = int(str(told["best"])), int(str(told["most"]))
    assert passes[best] == min(passes.values()) < passes[most]
    assert (told["time"], told["more"]) == (nanoseconds(passes[best]), nanoseconds(passes[most]))


def test_halving_is_the_same_in_its_question_and_at_the_end(
    steps: Steps, recorded: LectureMaterial
) -> None:
    spans = [recorded.cases[size].timeline for size in (256, 128)]
    first, second = (float(each.released_ns.max() - each.start_ns.min()) for each in spans)
    assert values(question(steps, "half as many").answer[0])["half"] == 128
    assert values(shows(steps, Closing)[-1][1].points[2])["factor"] == significant(
        second / first, 3
    )
