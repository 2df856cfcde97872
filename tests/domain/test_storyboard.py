"""Every number of the lecture: recomputed here from the example, the model, the recordings and the
experiments.
"""

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lnexplorer.domain.experiments.barrier import Barriers, BarrierSide
from lnexplorer.domain.experiments.group_size import GroupSizes
from lnexplorer.domain.experiments.order import Orders
from lnexplorer.domain.experiments.strategies import Strategies
from lnexplorer.domain.lecture.example import BeatKind, work_out
from lnexplorer.domain.lecture.material import GROUP_SIZES, LectureMaterial, queue_model, source_of
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
from lnexplorer.domain.timeline import RowState, moment
from lnexplorer.domain.wording import bytes_text, milliseconds, nanoseconds, share, significant
from lnkernels.launch import settings as launch_settings
from lnkernels.values.environment import Kind
from lnkernels.values.sentence import Sentence
from tests.sample_lecture import recorded_material, recorded_steps

Steps = tuple[LectureStep, ...]
# What is a name, or the worked example's own: no measured or counted number.
NAMES = re.compile(
    r"[Ss]tage [12]|L2|c[12]\b|T1|float\d+|[Bb]uffer 0|(lock|warp|mean|spread|SM|eps is)"
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


def test_the_barrier_is_the_instruction_between_the_stores_and_the_exchange(
    steps: Steps, recorded: LectureMaterial
) -> None:
    step, scene = table(steps, "one instruction")
    kernel = next(
        kernel for kernel in recorded.counted.counters if kernel.name == "backward_stage1"
    )
    held = "\n".join(kernel.sass).partition(".CAS.")[2].partition(".EXCH.")[0]
    stored, _, after = held.rpartition("BAR.SYNC")
    assert "STG" not in after
    assert values(step.caption) == {"name": "BAR.SYNC", "stores": stored.count("STG.")}
    assert str(scene.lines[scene.marked][0]) == "BAR.SYNC"
    source = (
        (Path(launch_settings.__file__).parents[1] / "passes" / "locked.py")
        .read_text("utf-8")
        .splitlines()
    )
    assert "atomic_xchg" in source[int(str(scene.lines[-1][2]).partition(":")[2]) - 1]
    assert step.source == source_of(recorded.counted)


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
    (step, first), (total_step, second), _ = shows(steps, ChartScene)
    seen, drawn = (series.times for series in first.series)
    model = queue_model(recorded.cases[16])
    for size in GROUP_SIZES:
        timeline = recorded.cases[size].timeline
        assert seen[size] == timeline.released_ns.max() - timeline.start_ns.min()
        assert drawn[size] == max(
            model.floor_ns, -(-4096 // size) * (model.hold_ns + model.hand_over_ns)
        )
        assert drawn[size] == pytest.approx(seen[size], rel=0.2)
        assert first.bytes[size] == second.bytes[size] == 2 * size * 1024 * 4
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
    assert total_step.caption == result.sentences()[0].sentence


def test_wide_rows_are_those_of_the_sweep(steps: Steps, recorded: LectureMaterial) -> None:
    step, scene = shows(steps, ChartScene)[-1]
    passes, queued = (series.times for series in scene.series)
    rows = {
        row.cell.request.launch.group_size_m: row
        for row in recorded.sweep
        if row.cell.provider == "locked"
    }
    assert {1, *passes} <= set(rows)
    for size, ns in passes.items():
        assert ns == 1e6 * rows[size].figures[0].p50_ms
        assert scene.bytes[size] == 2 * size * 8192 * 2, "buffers in float16"
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
    _, scene = table(steps, "Bytes")
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


def test_points_lie_below_the_roofline_where_their_times_put_them(
    steps: Steps, recorded: LectureMaterial
) -> None:
    scene = shows(steps, Roofline)[0][1]
    wide = recorded.wide
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
