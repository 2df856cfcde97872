"""The fourth chapter: programs, memories, bytes."""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from lnexplorer.domain.experiments.hang import Hangs
from lnexplorer.domain.lecture.buffers import PLAYED
from lnexplorer.domain.lecture.by_hand import INT32_BYTES, WARP
from lnexplorer.domain.lecture.checks import WIDEST_LOAD
from lnexplorer.domain.lecture.material import (
    GROUP_SIZES,
    LectureMaterial,
    compiled,
    recorded_figure,
    source_of,
)
from lnexplorer.domain.lecture.scenes import (
    LONG,
    SHORT,
    ComparisonScene,
    HierarchyLevel,
    LectureStep,
    Levels,
    Memories,
    Memory,
    Opening,
    TableLine,
    step,
)
from lnexplorer.domain.roofline import OPERATIONS, measured_pass, roofline
from lnexplorer.domain.timeline import most_in_flight
from lnexplorer.domain.wording import (
    bytes_text,
    milliseconds,
    nanoseconds,
    percent,
    share,
    significant,
)
from lnkernels.launch.limits import DTYPE_BYTES, REGISTERS_PER_SM
from lnkernels.values import Sentence, Value, say, verbatim
from lnkernels.values.environment import KIND_NAMES

FLOAT32_BYTES = 4


def where_it_lives(material: LectureMaterial) -> Iterator[LectureStep]:
    """Yield the chapter on programs, memories and bytes."""
    yield LectureStep(
        scene=Opening(4),
        shortest=SHORT,
        note=say("Who computes, and where the numbers are meanwhile."),
    )
    yield from (_levels(material), _can_it_hang(material), _memories(material))
    yield from (_bytes(material), _roofline(material))


def _levels(material: LectureMaterial) -> LectureStep:
    case = material.cases[PLAYED[0]]
    resolved, kernel, limits = compiled(case.result)
    assert kernel.occupancy is not None, "compiled for a GPU"
    m, n = resolved.m, resolved.n
    warps, resident = kernel.num_warps, kernel.occupancy.programs_per_sm
    columns = n // (warps * WARP)
    first = int(case.timeline.sm.min())
    on_first = np.flatnonzero(case.timeline.sm == first)
    on_first = on_first[np.argsort(case.timeline.start_ns[on_first], kind="stable")][:resident]
    told = partial(
        say, m=f"{m:,}", n=f"{n:,}", sms=limits.sm_count, programs=resident, columns=columns
    )
    grid = told("{m} programs, one for each row")
    levels = (
        HierarchyLevel(say("grid"), m, grid, tuple(map(int, on_first))),
        HierarchyLevel(
            say("SM"), resident, told("programs at once on each of {sms} SMs: {programs}")
        ),
        HierarchyLevel(
            say("program"), warps, told("{warps} warps share a row of {n} columns", warps=warps)
        ),
        HierarchyLevel(say("warp"), WARP, say("{threads} threads, which go in step", threads=WARP)),
        HierarchyLevel(
            say("thread"),
            columns,
            told("{columns} columns, {registers} registers", registers=kernel.registers or 0),
        ),
    )
    return step(
        Levels(levels),
        "Who computes: from the grid to a thread",
        told(
            "{sms} · {programs} = {resident} programs at once, as many as the {limit} allow. The"
            " rest of the {m} start as others end.",
            resident=f"{limits.sm_count * resident:,}",
            limit=say(kernel.occupancy.limited_by),
        ),
        told(
            "Stage 1 with {n} columns, as it was compiled and recorded. Marked in the grid: the"
            " programs that SM {sm} had first. From there on one cell of a square is the next"
            " square.",
            sm=first,
        ),
        shortest=SHORT,
        source=case.source,
    )


def _can_it_hang(material: LectureMaterial) -> LectureStep:
    timeline = material.cases[PLAYED[0]].timeline
    resident = f"{most_in_flight(timeline):,}"
    no, yes = verbatim("✓"), verbatim("✗")
    seen = {each.name: each.cause for each in material.hang.findings_of(Hangs).planted}
    lines: list[TableLine] = [
        (say("what could block the others"), say("goes on"), say("why")),
        (
            say("a program that holds a lock"),
            no,
            say("it waits for nobody, and gives it back"),
        ),
        (
            say("a program that is not on the GPU yet"),
            no,
            say("it holds no lock"),
        ),
        (
            say("two locks, taken in two orders"),
            yes,
            say("each holds what the other wants"),
        ),
        (
            say("a barrier of the whole grid"),
            yes,
            say("{resident} wait, and leave no room for the rest", resident=resident),
        ),
    ]
    return step(
        ComparisonScene(lines, best=1),
        "Can it hang?",
        "{m} programs, {resident} at once. The reduction goes on (✓): each takes one lock, and"
        " holds it only while it is on the GPU. The last two lines (✗) are not part of it.",
        "The GPU promises that a program that is on it goes on. It promises no order. Two kernels"
        " that hang tell why ({kind}): {locks} {barrier}",
        shortest=LONG,
        m=f"{timeline.m:,}",
        resident=resident,
        kind=KIND_NAMES[material.hang.provenance.kind],
        locks=seen["two_orders"],
        barrier=seen["grid_barrier"],
    )


def _memories(material: LectureMaterial) -> LectureStep:
    case = material.cases[PLAYED[0]]
    resolved, kernel, limits = compiled(case.result)
    row, locks = (
        resolved.n * DTYPE_BYTES[resolved.dtype],
        2 * resolved.buffers,
    )

    def told(template: str, size: int, **more: Value) -> Sentence:
        return say(template, size=bytes_text(size), **more)

    memories = (
        Memory(
            say("registers"),
            told("{size} an SM", REGISTERS_PER_SM * 4),
            (
                told("a row of x and dy in float32, {size} each", FLOAT32_BYTES * resolved.n),
                say("what it adds to dw and db"),
            ),
        ),
        Memory(
            say("shared memory"),
            told("{size} an SM", limits.shared_bytes_per_sm),
            (told("sums that warps exchange for c1 and c2, {size}", kernel.shared_bytes or 0),),
        ),
        Memory(
            say("L2 cache"),
            bytes_text(limits.l2_bytes),
            (
                told("{count} locks and counts, {size}", locks * INT32_BYTES, count=locks),
                told("the buffers, {size}", resolved.buffer_bytes),
                told("the weight, {size}", row),
            ),
            of_lock=2,
        ),
        Memory(
            say("memory (HBM)"),
            say("{size} GB", size=round(limits.memory_bytes / 1e9)),
            (
                told("x, dy and dx, {size} each", resolved.m * row),
                told("dw and db, {size} each", row),
            ),
        ),
    )
    return step(
        Memories(memories),
        "Where the numbers are",
        "Programs on all SMs use locks, counts and buffers, so these are in L2: every try for a"
        " lock goes there and back.",
        "L2 is a cache of memory: what is in it has a place in memory, too. Compare-and-swap is"
        " done in L2 itself.",
        "{m} × {n} {dtype}; sizes of the {gpu}",
        m=f"{resolved.m:,}",
        n=f"{resolved.n:,}",
        dtype=resolved.dtype,
        gpu=limits.name,
    )


ODD = 1001  # columns of a row that begins at any even byte


def _bytes(material: LectureMaterial) -> LectureStep:
    case = material.cases[PLAYED[0]]
    resolved = case.result.resolved
    own = [recorded_figure(case.result, "locked", direction) for direction in OPERATIONS]
    ceilings = [
        recorded_figure(case.result, name, direction)
        for name, direction in zip(("copy", "add"), OPERATIONS, strict=True)
    ]

    moved = [each.gbps * each.p50_ms * 1e6 for each in own]
    requested = [each.requested_gbps * each.p50_ms * 1e6 for each in own]
    lines: list[TableLine] = [
        (
            say(
                "{m} × {n} {dtype}", m=f"{resolved.m:,}", n=f"{resolved.n:,}", dtype=resolved.dtype
            ),
            say("forward"),
            say("backward"),
        ),
        (say("bytes that have to move"), *(bytes_text(round(each)) for each in moved)),
        (say("requested bytes"), *(bytes_text(round(each)) for each in requested)),
        (say("time, L2 cold"), *(milliseconds(each.p50_ms) for each in own)),
        (say("the same bytes, only moved"), *(milliseconds(each.p50_ms) for each in ceilings)),
        (say("share of that ceiling"), *(share(each.share_of_ceiling) for each in own)),
    ]
    odd = {
        row.cell.request.n: milliseconds(figure.p50_ms)
        for row in material.widths
        if not row.cell.peer and (figure := row.figure("backward")) is not None
    }
    for n in (resolved.n, ODD):
        load = str(math.gcd(n * DTYPE_BYTES[resolved.dtype], WIDEST_LOAD))
        lines.append((say("bytes a load may have, N = {n}", n=f"{n:,}"), load, load))
    return step(
        ComparisonScene(lines),
        "Bytes of both passes",
        "Backward asks for {factor} times the bytes that have to move. But what takes the time are"
        " the queues: {share} of the time of a row.",
        "Have to move: x in and y out; x and dy in, dx out. Requested: all that the kernels ask L2"
        " and memory for. Ceiling: {gbps} GB/s, with N = {wide} {most} GB/s. persistent takes"
        " whole groups today.",
        "Rows of {odd} begin at even bytes: persistent {slow}, with N = {n} {fast}.",
        source=case.source,
        odd=f"{ODD:,}",
        n=f"{resolved.n:,}",
        slow=odd[ODD],
        fast=odd[resolved.n],
        share=share(case.summary.share_queued),
        gbps=significant(ceilings[1].gbps, 3),
        wide=f"{material.wide.timeline.n:,}",
        most=significant(recorded_figure(material.wide.result, "add", "backward").gbps, 3),
        factor=significant(requested[1] / moved[1], 2),
    )


def _roofline(material: LectureMaterial) -> LectureStep:
    wide, kernels = (
        material.wide.result,
        {kernel.name: kernel for kernel in material.counted.counters},
    )
    hit = {name: percent(kernel.l2_hit_percent / 100) for name, kernel in kernels.items()}
    stage1 = kernels["backward_stage1"]
    assert material.counted.resolved.launch == wide.resolved.launch, "counted in the same launch"
    hits = {
        "forward": say("L2 hits {share}", share=hit["forward"]),
        "backward": say("L2 hits {share} in stage 1", share=hit["backward_stage1"]),
    }
    passes = [measured_pass(wide, direction, l2) for direction, l2 in hits.items()]
    passes += [
        measured_pass(material.cases[group].result, "backward")
        for group in (PLAYED[0], GROUP_SIZES[0])
    ]
    roof = roofline(wide)
    assert roof is not None, "recorded on a GPU that is known"
    scene = replace(roof, points=tuple(point for point in passes if point is not None))
    return step(
        scene,
        "Both passes below the roofline",
        scene.sentence(),
        "The slope is what a + b → c reached with N = {n}. What lies below it waits for something"
        " else: N = {narrow} for locks. N = {n} queues for {queued} a row; its stage 1 keeps L2"
        " busy for {cached} of the time, memory for {dram}. Counted by Nsight Compute in the same"
        " launch, on {date}.",
        scene.peak.sentence(),
        source=source_of(wide),
        n=f"{wide.resolved.n:,}",
        narrow=f"{material.cases[PLAYED[0]].timeline.n:,}",
        queued=nanoseconds(material.wide.summary.queued_mean_ns),
        cached=percent(stage1.l2_percent / 100),
        dram=percent(stage1.dram_percent / 100),
        date=source_of(material.counted)[1],
    )
