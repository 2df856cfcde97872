"""Every number of the chapters on a GPU, on the order of programs and on what replaces locks:
recomputed here.
"""

from functools import cache
from itertools import product
from typing import Any

import pytest

from lnexplorer.domain.experiments.hang import Hangs
from lnexplorer.domain.experiments.strategies import Strategies
from lnexplorer.domain.lecture.material import LectureMaterial, queue_model
from lnexplorer.domain.lecture.program_order import (
    pass_accesses,
    product_accesses,
    program_order,
)
from lnexplorer.domain.lecture.scenes import (
    ComparisonScene,
    Levels,
    Memories,
    Product,
)
from lnexplorer.domain.roofline import Roofline, operations
from lnexplorer.domain.timeline import free_ns, most_in_flight
from lnexplorer.domain.wording import (
    bytes_text,
    milliseconds,
    nanoseconds,
    share,
    signed_percent,
    significant,
)
from lnexplorer.store.recordings import read_recording
from lnexplorer.store.resources import resource
from lnkernels.values.environment import KIND_NAMES
from lnkernels.values.sentence import say
from tests.sample_lecture import (
    Steps,
    shows,
    table,
    values,
)


def figure(result: Any, provider: str, direction: str) -> Any:
    figures = result.throughput.figures
    return next(
        each
        for each in figures
        if (each.provider, each.direction, each.mode) == (provider, direction, "kernel_cold")
    )


def most_operations_a_byte(recorded: LectureMaterial) -> str:
    """Of the passes below the roofline."""
    found = []
    for result in (recorded.wide.result, recorded.cases[256].result, recorded.cases[1].result):
        m, n, buffers = result.resolved.m, result.resolved.n, result.resolved.launch.group_size_m
        for direction, moved in (("forward", 2), ("backward", 3)):
            done = operations(direction, m, n, buffers)
            found.append(done / (moved * m * n * 2))
    return significant(max(found), 2)


def test_memories_hold_what_the_launch_has_in_them(steps: Steps, recorded: LectureMaterial) -> None:
    registers, shared, cache, memory = shows(steps, Memories)[0][1].memories
    timeline = recorded.cases[256].timeline
    assert [values(registers.holds[0])["size"], values(memory.holds[0])["size"]] == [
        bytes_text(1024 * 4),
        bytes_text(4096 * 1024 * 2),
    ], "float32 in registers, float16 in memory"
    assert values(registers.size)["size"] == bytes_text(65536 * 4)
    assert values(cache.holds[0]) == {"count": 512, "size": bytes_text(512 * 4)}
    assert values(cache.holds[1])["size"] == bytes_text(2 * 256 * 1024 * 4)
    assert "exchange" in shared.holds[0].template
    users = [set(timeline.sm[timeline.lock == lock].tolist()) for lock in range(256)]
    assert min(map(len, users)) > 1, "so no lock can be kept in an SM"


@cache
def missed(room: int, group: int) -> int:
    """The loads of the matrix product that a cache with room for so many blocks lacks."""
    kept: list[object] = []
    count = 0
    for block in product_accesses(program_order(group)):
        count += block not in kept
        kept = [*(each for each in kept if each != block), block][-room:]
    return count


def test_the_table_of_caches_counts_the_loads(steps: Steps) -> None:
    step, scene = table(steps, "Loads of the whole product")
    rooms = [int(str(values(line[0])["blocks"])) for line in scene.lines[1:]]
    for room, line in zip(rooms, scene.lines[1:], strict=True):
        for group, text in zip((1, 2, 3), line[1:], strict=True):
            assert text == f"{missed(room, group):,}"
    told = values(step.caption)
    assert told["few"] == str(scene.lines[1 + rooms.index(int(str(told["room"])))][3])
    assert len({str(text) for text in scene.lines[-1][1:]}) == 1, "with room for all"


def test_no_program_of_the_recording_holds_a_lock_without_being_on_the_gpu(
    steps: Steps, recorded: LectureMaterial
) -> None:
    step, scene = table(steps, "Can it hang")
    timeline = recorded.cases[256].timeline
    told = values(step.caption)
    assert (told["m"], told["resident"]) == ("4,096", "1,584")
    assert most_in_flight(timeline) == 1584 < timeline.m, "so a barrier of the grid would hang"
    assert (timeline.start_ns <= timeline.held_ns).all()
    assert [str(line[1]) for line in scene.lines[1:]] == ["✓", "✓", "✗", "✗"]
    told = values(step.note)
    assert told["kind"] == KIND_NAMES[recorded.hang.provenance.kind]
    seen = {each.name: each.cause for each in recorded.hang.findings_of(Hangs).planted}
    assert (told["locks"], told["barrier"]) == (seen["two_orders"], seen["grid_barrier"])
    assert "want the other's" in str(told["locks"])
    assert "that were never resident" in str(told["barrier"])


def test_programs_and_their_parts_are_those_of_the_recording(
    steps: Steps, recorded: LectureMaterial
) -> None:
    step, scene = shows(steps, Levels)[0]
    timeline = recorded.cases[256].timeline
    grid, sm, program, warp, thread = scene.levels
    kernel = recorded.cases[256].result.compiled[1]
    assert kernel.name == "backward_stage1"
    assert values(program.text)["warps"] == program.cells == kernel.num_warps
    assert values(thread.text)["registers"] == kernel.registers
    assert kernel.occupancy is not None
    assert values(step.caption)["limit"] == say(kernel.occupancy.limited_by)
    assert (grid.cells, program.cells * warp.cells * thread.cells) == (timeline.m, timeline.n)
    assert (
        int(str(values(step.caption)["resident"]).replace(",", ""))
        == queue_model(recorded.cases[256]).resident
    )
    assert len(grid.marked) == sm.cells
    assert set(timeline.sm[list(grid.marked)].tolist()) == {0}


def test_bytes_and_times_of_both_passes_are_the_recorded_ones(
    steps: Steps, recorded: LectureMaterial
) -> None:
    step, scene = table(steps, "Bytes")
    result = recorded.cases[256].result
    for column, (direction, ceiling, tensors) in enumerate(
        (("forward", "copy", 2), ("backward", "add", 3)), start=1
    ):
        own = figure(result, "locked", direction)
        moved, requested, took, least, of_ceiling = (str(line[column]) for line in scene.lines[1:6])
        assert moved == bytes_text(tensors * 4096 * 1024 * 2)
        assert requested == bytes_text(round(own.requested_gbps * own.p50_ms * 1e6))
        assert (took, of_ceiling) == (milliseconds(own.p50_ms), share(own.share_of_ceiling))
        assert least == milliseconds(figure(result, ceiling, direction).p50_ms)
    for line, n in zip(scene.lines[-2:], (1024, 1001), strict=True):
        begins = {row * n * 2 % 16 or 16 for row in range(64)}
        assert [*map(str, line[1:])] == [str(min(begins))] * 2, "it begins at a multiple of them"
    told = values(step.note)
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
    assert step.caption == result.sentences()[0], "as Experiments says"
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
    atomic = read_recording(resource("recordings/h200_counters_atomic.lnrec")).result
    assert atomic is not None
    code = next(each.sass for each in atomic.counters if each.name == "backward_stage1")
    assert any("RED" in line and ".ADD." in line for line in code), "L2 adds"
    assert not any("ATOM" in line for line in code), "so no lock, and no sum comes back"
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
