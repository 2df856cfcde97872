"""Every number of the lecture: recomputed here from the example, the model, the recordings and the
experiments.
"""

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from importlib.metadata import version
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

from lnexplorer.domain.experiments.barrier import Barriers, BarrierSide
from lnexplorer.domain.experiments.group_size import GroupSizes
from lnexplorer.domain.experiments.order import Orders
from lnexplorer.domain.experiments.strategies import Strategies
from lnexplorer.domain.lecture.example import BeatKind, work_out
from lnexplorer.domain.lecture.material import GROUP_SIZES, LectureMaterial, queue_model
from lnexplorer.domain.lecture.on_a_gpu import (
    loads,
    pass_accesses,
    product_accesses,
    program_order,
)
from lnexplorer.domain.lecture.scenes import (
    Asked,
    ChartScene,
    Closing,
    ComparisonScene,
    LectureStep,
    Levels,
    Moves,
    Playback,
    Product,
    Question,
    SceneEvent,
)
from lnexplorer.domain.lecture.storyboard import CHAPTERS, TITLE, seconds
from lnexplorer.domain.roofline import Roofline, operations
from lnexplorer.domain.timeline import RowState, free_ns, moment, most_in_flight
from lnexplorer.domain.wording import (
    bytes_text,
    milliseconds,
    nanoseconds,
    share,
    signed_percent,
    significant,
)
from lnkernels.compiled.facts import CompileRequest, facts_in_own_process
from lnkernels.launch import LaunchWish, limits_for_architecture, resolve_launch
from lnkernels.values.counters import operation, same_code
from lnkernels.values.environment import Kind
from lnkernels.values.sentence import Sentence
from tests.sample_lecture import recorded_material, recorded_steps

Steps = tuple[LectureStep, ...]
# What is a name, or the worked example's own: no measured or counted number.
NAMES = re.compile(
    r"[Ss]tage [12]|L[12]|inputs are 1 or −1|c[12]\b|T1|float\d+|[Bb]uffer 0|(lock|warp|mean|spread|SM|eps is)"
    r" [01]\b|from 0 to 1|0 becomes 1|It was 0|"
    r"Rows 1 and 2|row 0|Only 1 and −1|backward, N = \{n\}, 1 buffer|45 minutes|^\d: |"
    r"From 4 rows|2 · G|95 % confidence|[Pp]rogram [01] "
)


@pytest.fixture(scope="module")
def recorded() -> LectureMaterial:
    return recorded_material()


@pytest.fixture(scope="module")
def steps(recorded: LectureMaterial) -> Steps:
    return recorded_steps()


def shows(steps: Steps, kind: type) -> list[tuple[LectureStep, Any]]:
    """The steps with a kind of scene."""
    return [(step, step.scene) for step in steps if isinstance(step.scene, kind)]


def table(steps: Steps, words: str) -> tuple[LectureStep, ComparisonScene]:
    """The table under a title with some words."""
    return next(
        (step, scene) for step, scene in shows(steps, ComparisonScene) if words in str(step.title)
    )


def question(steps: Steps, words: str) -> Question:
    return next(
        scene.question for _, scene in shows(steps, Asked) if words in str(scene.question.text)
    )


def values(sentence: Sentence | None) -> dict[str, object]:
    """What stands in the places of a sentence."""
    assert sentence is not None
    return {name: value for name, value in sentence.values if f"{{{name}" in sentence.template}


def said(part: object) -> Iterator[Sentence]:
    """All sentences of a step, however deep; not those of what it was computed from."""
    if isinstance(part, Sentence):
        yield part
    elif isinstance(part, (tuple, list)):
        for each in part:
            yield from said(each)
    elif (
        is_dataclass(part)
        and type(part).__module__.startswith("lnexplorer.domain.lecture.")
        and not isinstance(part, type)
    ):
        for each in fields(part):
            yield from said(getattr(part, each.name))


def test_at_most_sixty_steps_some_of_which_can_be_left_out(steps: Steps) -> None:
    assert len(steps) <= 60
    assert 3 <= sum(step.optional for step in steps) <= 20
    assert [step.chapter for step in steps] == sorted(step.chapter for step in steps)
    assert {step.chapter for step in steps} == {*range(len(CHAPTERS) + 1)}
    asked = [scene for _, scene in shows(steps, Asked)]
    assert [scene.revealed for scene in asked] == [False, True] * (len(asked) // 2)


def test_no_number_is_written_into_a_sentence(steps: Steps) -> None:
    found = {sentence.template for step in steps for sentence in said(step)} | {TITLE.template}
    assert len(found) > 100
    for template in found:
        assert not re.search(r"\d", NAMES.sub("", template)), template


def test_the_update_that_is_lost_is_lost_by_load_add_and_store(
    steps: Steps,
) -> None:
    example = work_out()
    rows = {row: example.partial_rows.dw[row] for row in (0, 2)}
    race, lost, locked, early, *without = (scene for _, scene in shows(steps, Moves))
    for scene in (race, lost, locked, early):
        registers: dict[int, np.ndarray] = {}
        stored = dict.fromkeys(rows, 0)
        buffer = np.zeros(4)
        for move in scene.moves:
            text = move.text.template
            if "loads" in text:
                registers[move.program] = buffer.copy()
            for half, columns in (("warp 0 stores", slice(0, 2)), ("warp 1 stores", slice(2, 4))):
                if half in text:
                    buffer[columns] = rows[move.program][columns]
                    stored[move.program] += 1
            if "adds" in text:
                buffer = registers[move.program] + rows[move.program]
            assert move.buffer == tuple(buffer), text
        assert scene.right == tuple(rows[0] + rows[2])
    assert race.shown < len(race.moves)
    assert lost.moves[-1].buffer == tuple(rows[2]) != lost.right
    assert locked.moves[-1].buffer == locked.right
    assert early.moves[-1].buffer != early.right
    assert early.moves[-1].buffer[:2] == early.right[:2]
    assert [len(scene.moves) - scene.shown for scene in without] == [1, 0]
    for move in without[0].moves[:4]:
        added = [
            row for row in range(4) if row % 2 == move.program and row <= values(move.text)["row"]
        ]
        assert move.own == tuple(example.partial_rows.dw[added].sum(axis=0))
    assert without[1].moves[-1].buffer == without[1].right == tuple(example.sums.dw)


def test_a_picture_of_events_shows_what_their_caption_says(steps: Steps) -> None:
    for step, scene in shows(steps, SceneEvent):
        beat, now = scene.beat, moment(scene.example.timeline, scene.beat.time_ns)
        given_back = beat.others if beat.kind is BeatKind.ADDS else ()
        rows = [*beat.rows, *given_back] or slice(None)
        states = {RowState(state).name for state in now.state[rows]}
        expected = {
            BeatKind.START: {"COMPUTING"},
            BeatKind.STORES: {"HOLDING"},
            BeatKind.WAITS: {"QUEUED"},
            BeatKind.ADDS: {"HOLDING", "DONE"},  # and the row that has given the lock back
            BeatKind.TILES: {"DONE"},
            BeatKind.END: {"DONE"},
        }
        assert states == expected[scene.beat.kind], str(step.caption)
        assert values(step.caption).get("then", nanoseconds(scene.beat.time_ns)) == nanoseconds(
            scene.beat.time_ns
        )
        if scene.beat.kind in (BeatKind.TILES, BeatKind.END):
            assert (now.tile_progress.min() == 1) == (scene.beat.kind is BeatKind.END), (
                "the sums are there at the end alone"
            )


def test_chapter_one_ends_with_the_recorded_run_in_which_row_2_came_before_row_0(
    steps: Steps, recorded: LectureMaterial
) -> None:
    step = [step for step in steps if step.chapter == 1][-1]
    assert isinstance(step.scene, Playback)
    timeline = step.scene.case.timeline
    assert (timeline.kind, timeline.m, timeline.group_size_m) == (Kind.RECORDED, 4, 2)
    assert timeline.held_ns[2] < timeline.held_ns[0]
    told = values(step.caption)
    assert (told["row"], told["other"]) == (2, 0)
    assert told["early"] == nanoseconds(int(timeline.held_ns[2]))


def test_the_runs_without_the_barrier_are_those_of_the_experiment(
    steps: Steps, recorded: LectureMaterial
) -> None:
    result = recorded.barrier
    side = result.findings_of(Barriers).left_out
    asked = question(steps, "without the barrier")
    assert str(asked.options[asked.correct]) == f"{side.wrong_runs:,}"
    assert list(asked.answer) == [finding.sentence for finding in result.sentences()]
    step, scene = shows(steps, BarrierSide)[0]
    assert scene is side
    wrong = side.wrong_dw + side.wrong_db
    assert not wrong[: int(str(values(step.caption)["first"]))].any()
    assert wrong[int(str(values(step.caption)["first"]))]
    closing = shows(steps, Closing)[0][1]
    assert values(closing.points[1]) == {"wrong": side.wrong_runs, "runs": side.runs}


def test_the_switch_takes_out_the_barrier_and_the_atomic_count_and_leaves_the_fence(
    steps: Steps, recorded: LectureMaterial
) -> None:
    step, scene = table(steps, "what the switch changes")
    cells = [[str(text) for text in line[1:]] for line in scene.lines[1:]]
    cells = [[on, on if off == "the same" else off] for on, off in cells]
    count = {}
    for column, barrier in enumerate((True, False)):
        code = "\n".join(recorded.code[barrier])
        held = code.partition(".CAS.")[2].partition(".EXCH.")[0]
        stored, _, after = held.rpartition("STG.E.128")
        takes, counts, hands, stores, waits, fences, gives = (line[column] for line in cells)
        assert takes in code
        assert gives in code
        assert all(operation in held for operation in counts.split(", "))
        assert stores == "2\u00a0×\u00a0STG.E.128"
        assert hands.endswith("BAR.SYNC")
        assert stored.count("BAR.SYNC") == (int(hands[0]) if hands[0].isdigit() else 1)
        assert after.count("BAR.SYNC") == (waits == "BAR.SYNC")
        assert after.count("MEMBAR.ALL.GPU") == (fences == "MEMBAR.ALL.GPU") == 1
        count[barrier] = code.count("BAR.SYNC"), code.count("ATOMG.E.ADD")
    assert cells[scene.marked - 1] == ["BAR.SYNC", "–"]
    assert count == {True: (10, 1), False: (7, 0)}
    assert values(step.note) == {"on": 10, "off": 7, "of_count": 2}
    assert step.source == ()
    experiment = recorded.barrier.resolved
    told = values(step.aside)
    assert [int(str(told[name])) for name in ("m", "n", "buffers")] == [
        experiment.m,
        experiment.n,
        experiment.launch.group_size_m,
    ], "the code is that of the experiment's launch"


def test_a_store_is_seen_by_the_order_of_the_code(steps: Steps, recorded: LectureMaterial) -> None:
    _, scene = table(steps, "a store seen")
    names = [str(line[1]).rpartition("\u00a0")[2] for line in scene.lines[1:]]
    code = "\n".join(recorded.code[True])
    release, acquire = names[:4], names[4:]
    for order, part in (
        (release, code[code.rindex("LDG.E.128") :]),
        (acquire, code[code.index(".CAS.") - 10 :]),
    ):
        places = [part.index(name) for name in order]
        assert places == sorted(places), order


@pytest.mark.parametrize("barrier", [True, False])
def test_the_shipped_machine_code_is_what_the_compiler_makes_of_the_kernel(
    *, barrier: bool, recorded: LectureMaterial
) -> None:
    made = recorded.code[barrier][0]
    if not made.endswith(f"Triton {version('triton')}"):
        pytest.skip(f"{made.rpartition(';')[2].strip()} made it, {version('triton')} is here")
    launch = recorded.barrier.resolved.launch
    wish = LaunchWish(group_size_m=launch.group_size_m, partial_dtype="same", barrier=barrier)
    limits = limits_for_architecture("sm_90")
    request = CompileRequest(
        m=8192,
        n=2048,
        dtype="float16",
        launch=resolve_launch(2048, "float16", wish, limits),
        architecture="sm_90",
        stages=("sass",),
        kernels=("backward_stage1",),
    )
    (facts,) = facts_in_own_process(request, timeout=120)
    fresh, shipped = (
        [line for line in lines if operation(line) and "/*" in line]
        for lines in (facts.texts["sass"].splitlines(), recorded.code[barrier])
    )
    assert same_code(shipped, tuple(fresh))


def test_the_lecture_fits_into_its_45_minutes(steps: Steps) -> None:
    minutes, (length,) = (
        [values(step.minute)["minute"] for step in steps],
        {values(step.minute)["length"] for step in steps},
    )
    assert length <= 45
    assert sum(seconds(step) for step in steps if not step.optional) <= 60 * length
    assert minutes == sorted(minutes)
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    for place, step in enumerate(steps[:-1]):
        lasts = 0.0 if step.optional else seconds(step) / 60
        assert lasts - 1 < minutes[place + 1] - minutes[place] < lasts + 1
    title = steps[0]
    assert title.caption is None
    assert seconds(title) == pytest.approx(5 + 60 / 130 * len(str(title.note).split()))


def test_two_orders_are_added_up_as_the_buffers_round(
    steps: Steps, recorded: LectureMaterial
) -> None:
    timeline = recorded.rounded.timeline
    sums = timeline.sums
    assert sums is not None
    _, scene = table(steps, "order")
    lock, column = (int(str(values(scene.lines[0][0])[name])) for name in ("lock", "column"))
    rows = np.flatnonzero(timeline.lock == lock)
    ends = []
    for place, order in ((1, rows[np.argsort(timeline.order[rows])]), (2, rows)):
        total = np.float16(0)
        for line, row in zip(scene.lines[1:], order, strict=True):
            total = np.float16(np.float32(total) + sums.row_dw[row, column])
            assert values(line[place]) == {
                "row": int(row),
                "sum": f"{float(total):.4f}".replace("-", "−"),
            }
        ends.append(float(total))
    last = rows[np.argsort(timeline.order[rows])][-1]
    assert ends[0] == float(sums.dw_after[last, column]), "the buffer as it was recorded"
    assert ends[0] != ends[1]


def test_the_many_runs_are_those_of_the_experiment(steps: Steps, recorded: LectureMaterial) -> None:
    result = recorded.order
    step, scene = table(steps, "no two runs")
    assert [str(line[1]) for line in scene.lines[1:]] == [
        str(side.distinct) for side in result.findings_of(Orders).sides
    ]
    assert values(scene.lines[0][0]) == {"runs": result.findings_of(Orders).sides[0].runs}
    assert step.caption == result.sentences()[0].sentence


@pytest.mark.parametrize("size", [16, 512])
def test_the_queue_model_takes_the_times_of_a_recording(
    size: int, recorded: LectureMaterial
) -> None:
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


def test_who_is_next_is_counted_over_all_hand_overs(
    steps: Steps, recorded: LectureMaterial
) -> None:
    step = next(step for step in steps if str(step.title) == "Who is next?")
    found = {}
    for size in (1, 16, 128, 256, 512):
        timeline = recorded.cases[size].timeline
        later = total = 0
        for lock in range(size):
            rows = np.flatnonzero(timeline.lock == lock)
            wanted = timeline.wanted_ns[rows[np.argsort(timeline.order[rows])]].tolist()
            total += len(wanted) - 1
            later += sum(min(wanted[at:]) < wanted[at] for at in range(1, len(wanted)))
        found[size] = f"{significant(100 * later / total, 3)} %"
    assert values(step.caption)["share"] == found.pop(1)
    assert values(step.aside)["shares"] == ", ".join(found.values())
    timeline = recorded.cases[1].timeline
    waited = timeline.held_ns - timeline.wanted_ns
    assert values(step.caption)["row"] == waited.argmax()
    assert values(step.caption)["wait"] == f"{waited.max() / 1e3:,.0f}"


def test_queues_of_both_widths_lie_on_one_line_of_programs_a_buffer(
    steps: Steps, recorded: LectureMaterial
) -> None:
    step, scene = shows(steps, ChartScene)[-1]
    wide, narrow, model = (series.times for series in scene.series)
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
    both = wide | narrow
    assert list(model) == sorted(both, reverse=True) == list(scene.labels)
    line = [both[each] for each in model]
    assert line == sorted(line, reverse=True), "the fewer programs a buffer, the shorter the queues"
    assert all(model[each] == pytest.approx(both[each], rel=0.25) for each in model if each > 3)
    told = values(step.caption)
    assert (told["registers"], told["warps"], told["per"], told["resident"]) == (161, 8, 1, 132)
    assert 2 * 161 * 8 * 32 > 65536, "two would not fit into the registers of an SM"
    assert told["queued"] == nanoseconds(max(ns for ns in wide.values() if ns < 100))
    assert values(step.note)["more"] == "1,584"


def test_no_program_of_the_recording_holds_a_lock_without_being_on_the_gpu(
    steps: Steps, recorded: LectureMaterial
) -> None:
    step, scene = table(steps, "Can it hang")
    timeline = recorded.cases[256].timeline
    assert values(step.caption) == {"m": "4,096", "resident": "1,584"}
    assert most_in_flight(timeline) == 1584 < timeline.m, "so a barrier of the grid would hang"
    assert (timeline.start_ns <= timeline.held_ns).all()
    assert [str(line[1]) for line in scene.lines[1:]] == ["✓", "✓", "✗", "✗"]


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
    assert values(shows(steps, Closing)[0][1].points[2])["factor"] == significant(second / first, 3)


def test_programs_and_their_parts_are_those_of_the_recording(
    steps: Steps, recorded: LectureMaterial
) -> None:
    step, scene = shows(steps, Levels)[0]
    timeline = recorded.cases[256].timeline
    grid, sm, program, warp, thread = scene.levels
    assert (grid.cells, program.cells * warp.cells * thread.cells) == (timeline.m, timeline.n)
    assert (
        int(str(values(step.caption)["resident"]).replace(",", ""))
        == queue_model(recorded.cases[256]).resident
    )
    assert len(grid.marked) == sm.cells
    assert set(timeline.sm[list(grid.marked)].tolist()) == {0}


def figure(result: Any, provider: str, direction: str) -> Any:
    figures = result.throughput.figures
    return next(
        each
        for each in figures
        if (each.provider, each.direction, each.mode) == (provider, direction, "kernel_cold")
    )


def test_bytes_and_times_of_both_passes_are_the_recorded_ones(
    steps: Steps, recorded: LectureMaterial
) -> None:
    step, scene = table(steps, "Bytes")
    result = recorded.cases[256].result
    for column, (direction, ceiling, tensors) in enumerate(
        (("forward", "copy", 2), ("backward", "add", 3)), start=1
    ):
        own = figure(result, "locked", direction)
        moved, requested, took, least, of_ceiling = (str(line[column]) for line in scene.lines[1:])
        assert moved == bytes_text(tensors * 4096 * 1024 * 2)
        assert requested == bytes_text(round(own.requested_gbps * own.p50_ms * 1e6))
        assert (took, of_ceiling) == (milliseconds(own.p50_ms), share(own.share_of_ceiling))
        assert least == milliseconds(figure(result, ceiling, direction).p50_ms)
    told = values(step.aside)
    assert told["gbps"] == significant(figure(result, "add", "backward").gbps, 3)
    assert told["most"] == significant(figure(recorded.wide.result, "add", "backward").gbps, 3)
    timeline = recorded.cases[256].timeline
    queued = (free_ns(timeline) - timeline.wanted_ns).sum()
    whole = (timeline.released_ns - timeline.start_ns).sum()
    assert values(step.caption)["share"] == share(queued / whole)


def test_points_lie_below_the_roofline_where_their_times_put_them(
    steps: Steps, recorded: LectureMaterial
) -> None:
    step, scene = shows(steps, Roofline)[0]
    wide = recorded.wide.result
    assert scene.ceiling_gbps == figure(wide, "add", "backward").gbps
    clock = wide.provenance.environment.sm_clock_mhz
    assert clock is not None
    assert scene.peak.gflops == pytest.approx(132 * 256 * clock / 1000)
    cases = (
        (wide, "forward"),
        (wide, "backward"),
        (recorded.cases[256].result, "backward"),
        (recorded.cases[1].result, "backward"),
    )
    stage1 = next(each for each in recorded.counted.counters if each.name == "backward_stage1")
    told = values(step.note)
    assert told["cached"] == f"{stage1.l2_percent:.0f} %"
    assert told["dram"] == f"{stage1.dram_percent:.0f} %"
    timeline = recorded.wide.timeline
    assert told["queued"] == nanoseconds((free_ns(timeline) - timeline.wanted_ns).mean())
    counted = {
        kernel.name: f"{kernel.l2_hit_percent:.0f} %" for kernel in recorded.counted.counters
    }
    hits = [values(point.l2)["share"] for point in scene.points if point.l2 is not None]
    assert hits == [counted["forward"], counted["backward_stage1"]]
    assert [point.l2 is None for point in scene.points] == [
        False,
        False,
        True,
        True,
    ], "no counters of these launches"
    assert recorded.counted.resolved.launch == wide.resolved.launch
    for point, (result, direction) in zip(scene.points, cases, strict=True):
        resolved = result.resolved
        done = operations(direction, resolved.m, resolved.n, resolved.launch.group_size_m)
        moved = (2 if direction == "forward" else 3) * resolved.m * resolved.n * 2
        assert point.gflops == pytest.approx(
            done / figure(result, "locked", direction).p50_ms / 1e6
        )
        assert point.intensity == pytest.approx(done / moved)
        assert point.gflops < min(point.intensity * scene.ceiling_gbps, scene.peak.gflops)


def test_the_tutorials_count_of_block_loads_comes_out(steps: Steps) -> None:
    (rows, grouped), counts = shows(steps, Product), []
    for step, scene in (rows, grouped):
        needed = {
            block
            for row, column in scene.order[: scene.first].tolist()
            for inner in range(scene.blocks)
            for block in (("A", row, inner), ("B", inner, column))
        }
        counts.append(len(needed))
        assert values(step.caption) == {"results": 9, "all": 81, "loaded": len(needed)}
        assert sorted(map(tuple, scene.order.tolist())) == list(product(range(9), repeat=2)), (
            "each result once"
        )
    assert counts == [90, 54]


def test_the_cache_keeps_what_was_used_last() -> None:
    accesses = list(product_accesses(program_order(5, 2), 5))
    for size in (1, 7, 12, 50):
        kept: list[tuple[str, int, int]] = []
        missed = 0
        for block in accesses:
            missed += block not in kept
            kept = [*(each for each in kept if each != block), block][-size:]
        assert loads(accesses, size) == missed
    assert loads([1, 2, 1, 3, 2], 2) == 4


def test_what_the_backward_pass_loads_is_counted_in_both_orders(
    steps: Steps,
) -> None:
    _, scene = table(steps, "LayerNorm")
    row, m, buffers = 1024 * 2, 4096, 256
    once = (2 * m + 1) * row  # x, dy and the weight
    buffer = 2 * 1024 * 4
    requested = 3 * m * row + (m - buffers) * buffer
    lines = [[str(text) for text in line[1:]] for line in scene.lines[1:]]
    assert lines[0] == [bytes_text(requested)] * 2
    assert lines[1] == [bytes_text(once)] * 2
    assert lines[2] == [
        bytes_text(once + (m - buffers) * buffer),
        bytes_text(once),
    ], "a small cache keeps no buffer till its turn"
    assert lines[3] == [str(buffers), str(-(-1584 // (m // buffers)))]
    assert (
        len({block for block in pass_accesses(8, 2, neighbours=True) if block[0] == "buffer"})
        == 2 * 4
    )


def test_strategies_are_compared_by_one_measurement(
    steps: Steps, recorded: LectureMaterial
) -> None:
    result = recorded.strategies
    step, scene = shows(steps, Strategies)[0]
    assert scene is result.findings_of(Strategies)
    assert step.caption == result.sentences()[0].sentence, "as Experiments says"
    timelines = result.findings_of(Strategies).timelines()
    for each in timelines:
        assert each.cost is not None
        assert f"{each.strategy} {signed_percent(each.cost.share)}" in str(step.aside)
        assert f"{each.strategy} {nanoseconds(each.end_ns)} → " in str(step.note)
    assert "atomic +55.1 %" in str(step.aside)
    times = {row.strategy: row.ms for row in result.findings_of(Strategies).rows}
    assert (
        values(step.caption)["factor"]
        == f"{(times['locked'] or 0) / (times['persistent'] or 1):.2f}×"
    )
    introduced = next(place for place, step in enumerate(steps) if "Four ways" in str(step.title))
    assert introduced < steps.index(step)
    table = steps[introduced].scene
    assert isinstance(table, ComparisonScene)
    for line, row in zip(table.lines[1:], result.findings_of(Strategies).rows, strict=True):
        assert (str(line[0]), str(line[2]), str(line[3])) == (
            row.strategy,
            bytes_text(row.workspace_bytes),
            str(row.distinct),
        )
