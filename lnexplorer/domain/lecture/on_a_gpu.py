"""The fourth chapter: programs, memories, bytes."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from lnexplorer.domain.lecture.buffers import PLAYED, buffer_bytes
from lnexplorer.domain.lecture.by_hand import INT32_BYTES
from lnexplorer.domain.lecture.material import GROUP_SIZES, LectureMaterial, source_of
from lnexplorer.domain.lecture.scenes import (
    ComparisonScene,
    HierarchyLevel,
    LectureStep,
    Levels,
    Memories,
    Memory,
    Opening,
    Words,
    step,
)
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.roofline import OPERATIONS, cold_figure, measured_pass, roofline
from lnexplorer.domain.wording import bytes_text, milliseconds, percent, share, significant
from lnkernels.launch import buffers_in_use
from lnkernels.launch.limits import DTYPE_BYTES, KNOWN_DEVICES, REGISTERS_PER_SM, DeviceLimits
from lnkernels.values.compiled import KernelFacts
from lnkernels.values.figures import Figure
from lnkernels.values.sentence import Sentence, Value, say

WARP = 32


def where_it_lives(material: LectureMaterial) -> Iterator[LectureStep]:
    """Yield the chapter on programs, memories and bytes."""
    yield LectureStep(
        scene=Opening(4), note=say("Who computes, and where the numbers are meanwhile.")
    )
    yield from (_levels(material), _memories(material), _bytes(material), _roofline(material))


def compiled(result: RunResult) -> tuple[ResolvedRequest, KernelFacts, DeviceLimits]:
    """Return a run as it was launched, its kernel of stage 1, and its device."""
    kernel = next(facts for facts in result.compiled if facts.name == "backward_stage1")
    name = result.provenance.environment.gpu
    limits = next(limits for limits in KNOWN_DEVICES if limits.name == name)
    return result.resolved, kernel, limits


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
            say("SM"), resident, told("{programs} programs at once, on each of {sms} SMs")
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
        source=case.source,
    )


def _memories(material: LectureMaterial) -> LectureStep:
    case = material.cases[PLAYED[0]]
    resolved, kernel, limits = compiled(case.result)
    row, locks = (
        resolved.n * DTYPE_BYTES[resolved.dtype],
        2 * buffers_in_use(resolved.m, resolved.launch),
    )

    def told(template: str, size: int, **more: Value) -> Sentence:
        return say(template, size=bytes_text(size), **more)

    memories = (
        Memory(
            say("registers"),
            told("{size} an SM", REGISTERS_PER_SM * 4),
            (told("a row of x and dy, {size} each", row), say("what it adds to dw and db")),
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
                told("the buffers, {size}", buffer_bytes(resolved)),
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


def _figure(result: RunResult, provider: str, direction: str) -> Figure:
    figure = cold_figure(result, provider, direction)
    assert figure is not None, "recorded on a GPU"
    return figure


def _bytes(material: LectureMaterial) -> LectureStep:
    case = material.cases[PLAYED[0]]
    resolved = case.result.resolved
    own = [_figure(case.result, "locked", direction) for direction in OPERATIONS]
    ceilings = [
        _figure(case.result, name, direction)
        for name, direction in zip(("copy", "add"), OPERATIONS, strict=True)
    ]

    moved = [each.gbps * each.p50_ms * 1e6 for each in own]
    requested = [each.requested_gbps * each.p50_ms * 1e6 for each in own]
    lines: list[Words] = [
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
    return step(
        ComparisonScene(lines),
        "Bytes of both passes",
        "Backward asks for {factor} times the bytes that have to move. L2 answers most of it: the"
        " queues take the time.",
        "Have to move: x in and y out; x and dy in, dx out. Requested: all that the kernels ask L2"
        " and memory for.",
        source=case.source,
        optional=True,
        factor=significant(requested[1] / moved[1], 2),
    )


def _roofline(material: LectureMaterial) -> LectureStep:
    wide, counted = (
        material.wide,
        {kernel.name: percent(kernel.l2_hit_percent / 100) for kernel in material.counted.counters},
    )
    assert material.counted.resolved.launch == wide.resolved.launch, "counted in the same launch"
    hits = {
        "forward": say("L2 hits {share}", share=counted["forward"]),
        "backward": say("L2 hits {share} in stage 1", share=counted["backward_stage1"]),
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
        "The slope is what a + b → c reached with N = {n}. What lies far below it waits for"
        " something else: here for locks. L2 hits were counted by Nsight Compute in the same"
        " launch, on {date}: weight and buffers are found there.",
        scene.peak.sentence(),
        source=source_of(wide),
        n=f"{wide.resolved.n:,}",
        date=source_of(material.counted)[1],
    )
