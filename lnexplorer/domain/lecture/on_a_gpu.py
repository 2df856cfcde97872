"""The fourth chapter: programs, memories, bytes. The fifth: the order of programs and what a cache
makes of it, in Triton's tutorial 03, "Matrix Multiplication", and here.
"""

import math
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.experiments.hang import Hangs
from lnexplorer.domain.lecture.buffers import PLAYED
from lnexplorer.domain.lecture.by_hand import INT32_BYTES, WARP
from lnexplorer.domain.lecture.checks import WIDEST_LOAD
from lnexplorer.domain.lecture.material import (
    GROUP_SIZES,
    LectureMaterial,
    compiled,
    queue_model,
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
    Product,
    Words,
    step,
)
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.roofline import OPERATIONS, cold_figure, measured_pass, roofline
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
from lnkernels.values.environment import KIND_NAMES
from lnkernels.values.figures import Figure
from lnkernels.values.sentence import Sentence, Value, say, verbatim


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
    lines: list[Words] = [
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


def _figure(result: RunResult, provider: str, direction: str) -> Figure:
    figure = cold_figure(result, provider, direction)
    assert figure is not None, "recorded on a GPU"
    return figure


ODD = 1001  # columns of a row that begins at any even byte


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
        most=significant(_figure(material.wide.result, "add", "backward").gbps, 3),
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


BLOCKS = 9  # in a row and in a column of each matrix, as in the tutorial
BUFFER_BLOCKS = 4
FLOAT32_BYTES = 4
GROUPS = (1, 2, 3)  # of the matrix product
CACHES = (36, 54, 90, 162)  # blocks
SMALL_CACHE = 1 << 20  # bytes: less than the buffers of PLAYED[0]


def program_order(blocks: int, group: int) -> NDArray[np.int64]:
    """Return block row and block column of each result [blocks²], in the order of programs.

    Args:
        blocks: in a row and in a column of the result.
        group: block rows whose results come column after column, as the tutorial's GROUP_SIZE_M; 1
            is row after row.
    """
    order = []
    for first in range(0, blocks, group):
        rows = range(first, min(first + group, blocks))
        order += [(row, column) for column in range(blocks) for row in rows]
    return np.array(order, np.int64)


def product_accesses(order: NDArray[np.int64], blocks: int) -> Iterator[tuple[str, int, int]]:
    """Yield the blocks that programs in turn load: a row of A and a column of B."""
    for row, column in order.tolist():
        for inner in range(blocks):
            yield "A", row, inner
            yield "B", inner, column


def pass_accesses(m: int, group_size_m: int, *, neighbours: bool) -> Iterator[tuple[str, int]]:
    """Yield the blocks that rows in turn touch in the backward pass: x, dy, weight, a buffer.

    A buffer is counted as BUFFER_BLOCKS blocks, dw and db in float32, where a row of x in half
    precision is one. Its first row stores there and loads nothing.

    Args:
        m: rows.
        group_size_m: buffers.
        neighbours: rows beside each other share a buffer; else row r has buffer r mod group_size_m,
            as in the kernel.
    """
    for row in range(m):
        buffer = row * group_size_m // m if neighbours else row % group_size_m
        yield from (("x", row), ("dy", row), ("weight", 0))
        yield from (("buffer", BUFFER_BLOCKS * buffer + part) for part in range(BUFFER_BLOCKS))


def loads(accesses: Iterable[Hashable], size: int) -> int:
    """Count the accesses that a cache of the last `size` different blocks does not answer."""
    cache: OrderedDict[Hashable, None] = OrderedDict()
    missed = 0
    for block in accesses:
        if block in cache:
            cache.move_to_end(block)
            continue
        missed += 1
        cache[block] = None
        if len(cache) > size:
            cache.popitem(last=False)
    return missed


def order_of_programs(material: LectureMaterial) -> Iterator[LectureStep]:
    """Yield the chapter on Triton's matrix product, and what of it holds here."""
    yield LectureStep(
        scene=Opening(5),
        note=say("A step aside, to the first example of Triton's own introduction."),
    )
    for group in (1, 3):
        yield _product(group)
    yield _caches()
    yield _pass_in_cache(material)


def _product(group: int) -> LectureStep:
    order = program_order(BLOCKS, group)
    loaded = loads(product_accesses(order[:BLOCKS], BLOCKS), 2 * BLOCKS**2)
    title = say("A matrix product, row after row")
    aside: Sentence | str = ""
    note = say(
        "From Triton's tutorial on matrix multiplication. Each program computes one block of C from"
        " a row of A and a column of B."
    )
    if group > 1:
        title = say("The same programs in groups of {group} rows", group=group)
        note = say(
            "The same work, another order. What was loaded once is still in the cache for the next"
            " program."
        )
        aside = say("For LayerNorm GROUP_SIZE_M counts buffers, here block rows of a group.")
    return step(
        Product(order, BLOCKS, BLOCKS),
        title,
        "{results} of {all} blocks of C are done. For them {loaded} blocks of A and B were loaded"
        " from memory.",
        note,
        aside,
        results=BLOCKS,
        all=BLOCKS**2,
        loaded=loaded,
    )


def _caches() -> LectureStep:
    orders = {group: program_order(BLOCKS, group) for group in GROUPS}
    counted = {
        (size, group): loads(product_accesses(order, BLOCKS), size)
        for size in CACHES
        for group, order in orders.items()
    }
    titles = (
        say("room in the cache"),
        *(
            say("groups of {rows} rows", rows=group) if group > 1 else say("row after row")
            for group in GROUPS
        ),
    )
    lines: list[Words] = [
        (say("{blocks} blocks", blocks=size), *(f"{counted[size, group]:,}" for group in GROUPS))
        for size in CACHES
    ]
    least, most = CACHES[1], CACHES[-1]
    return step(
        ComparisonScene([titles, *lines]),
        "Loads of the whole product, by room and order",
        "{asked} blocks are asked for. With room for {room}, groups of {group} load {few} from"
        " memory instead of {many}; with room for all {all}, the order is all one.",
        "Counted by a cache that keeps what was used last; programs run one after another. A group"
        " has to fit to pay.",
        shortest=LONG,
        asked=f"{2 * BLOCKS**3:,}",
        room=least,
        group=GROUPS[-1],
        few=f"{counted[least, GROUPS[-1]]:,}",
        many=f"{counted[least, 1]:,}",
        all=most,
    )


def _pass_in_cache(material: LectureMaterial) -> LectureStep:
    case = material.cases[PLAYED[0]]
    resolved, _, limits = compiled(case.result)
    m, buffers = resolved.m, resolved.buffers
    block = resolved.n * DTYPE_BYTES[resolved.dtype]
    assert BUFFER_BLOCKS * block == 2 * resolved.n * FLOAT32_BYTES, (
        "half precision, float32 buffers"
    )
    orders = [
        list(pass_accesses(m, buffers, neighbours=neighbours)) for neighbours in (False, True)
    ]
    stored = BUFFER_BLOCKS * buffers  # by the first row of each buffer, whose first use is no load
    resident = queue_model(case).resident
    locks = [
        len({row % buffers for row in range(resident)}),
        len({row * buffers // m for row in range(resident)}),
    ]
    lines: list[Words] = [
        (
            say("loads of the backward pass"),
            say("row r in buffer r mod {g}", g=buffers),
            say("neighbours in one buffer"),
        ),
        (say("requested"), *(bytes_text((len(order) - stored) * block) for order in orders)),
    ]
    for size in (limits.l2_bytes, SMALL_CACHE):
        missed = (loads(order, size // block) - stored for order in orders)
        lines.append(
            (
                say("from memory, L2 of {size}", size=bytes_text(size)),
                *(bytes_text(count * block) for count in missed),
            )
        )
    lines.append(
        (say("locks that the first {rows} rows want", rows=f"{resident:,}"), *map(str, locks))
    )
    return step(
        ComparisonScene(lines, best=1),
        "What of it holds for LayerNorm",
        "x and dy are read once, weight and buffers stay in L2: no order helps. It decides how many"
        " locks there are to choose from.",
        "Counted by the same cache. The order that a small cache would like best is the worst one"
        " for the queues.",
    )
