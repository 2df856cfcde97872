"""The last chapters: memory, the order of programs, and what replaces locks."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from lnexplorer.domain.experiments.barrier import Barriers
from lnexplorer.domain.experiments.strategies import Strategies
from lnexplorer.domain.lecture.buffers import PLAYED, buffer_bytes
from lnexplorer.domain.lecture.example import Example
from lnexplorer.domain.lecture.material import GROUP_SIZES, LectureMaterial, queue_model, source_of
from lnexplorer.domain.lecture.order import (
    BLOCKS,
    BUFFER_BLOCKS,
    loads,
    pass_accesses,
    product_accesses,
    program_order,
)
from lnexplorer.domain.lecture.questions import plain
from lnexplorer.domain.lecture.scenes import (
    Closing,
    ComparisonScene,
    HierarchyLevel,
    LectureStep,
    Levels,
    Memories,
    Memory,
    Move,
    Moves,
    Opening,
    Product,
    Words,
)
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.roofline import OPERATIONS, cold_figure, measured_pass, roofline
from lnexplorer.domain.timeline import shares
from lnexplorer.domain.wording import bytes_text, milliseconds, percent, share, significant
from lnkernels.launch import buffers_in_use
from lnkernels.launch.limits import DTYPE_BYTES, KNOWN_DEVICES, REGISTERS_PER_SM, DeviceLimits
from lnkernels.values.compiled import KernelFacts
from lnkernels.values.figures import Figure
from lnkernels.values.sentence import say, verbatim

PROGRAMS = 2  # of the example without locks
INT32_BYTES, FLOAT32_BYTES = 4, 4
WARP = 32
GROUPS = (1, 2, 3)  # of the matrix product
CACHES = (36, 54, 90, 162)  # blocks
SMALL_CACHE = 1 << 20  # bytes: less than the buffers of PLAYED[0]


def where_it_lives(material: LectureMaterial) -> Iterator[LectureStep]:
    """Yield the chapter on programs, memories and bytes."""
    yield LectureStep(
        scene=Opening(4), note=say("Who computes, and where the numbers are meanwhile.")
    )
    yield from (_levels(material), _memories(material), _bytes(material), _roofline(material))


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


def without_locks(material: LectureMaterial) -> Iterator[LectureStep]:
    """Yield the chapter on other ways to add."""
    example = material.example
    yield LectureStep(
        scene=Opening(6), note=say("Ask first: how could one do without locks at all?")
    )
    yield from _in_registers(example)
    yield from (_strategies(material), _race(material), _closing(material))


def _compiled(result: RunResult) -> tuple[ResolvedRequest, KernelFacts, DeviceLimits]:
    """Return a run as it was launched, its kernel of stage 1, and its device."""
    kernel = next(facts for facts in result.compiled if facts.name == "backward_stage1")
    name = result.provenance.environment.gpu
    limits = next(limits for limits in KNOWN_DEVICES if limits.name == name)
    return result.resolved, kernel, limits


def _levels(material: LectureMaterial) -> LectureStep:
    case = material.cases[PLAYED[0]]
    resolved, kernel, limits = _compiled(case.result)
    assert kernel.occupancy is not None, "compiled for a GPU"
    m, n = resolved.m, resolved.n
    warps, resident = kernel.num_warps, kernel.occupancy.programs_per_sm
    threads = warps * WARP
    first = int(case.timeline.sm.min())
    on_first = np.flatnonzero(case.timeline.sm == first)
    on_first = on_first[np.argsort(case.timeline.start_ns[on_first], kind="stable")][:resident]
    levels = (
        HierarchyLevel(
            say("grid"),
            m,
            say("{m} programs, one for each row", m=f"{m:,}"),
            tuple(map(int, on_first)),
        ),
        HierarchyLevel(
            say("SM"),
            resident,
            say(
                "{programs} programs at once, on each of {sms} SMs",
                programs=resident,
                sms=limits.sm_count,
            ),
        ),
        HierarchyLevel(
            say("program"),
            warps,
            say("{warps} warps share a row of {n} columns", warps=warps, n=f"{n:,}"),
        ),
        HierarchyLevel(say("warp"), WARP, say("{threads} threads, which go in step", threads=WARP)),
        HierarchyLevel(
            say("thread"),
            n // threads,
            say(
                "{columns} columns, {registers} registers",
                columns=n // threads,
                registers=kernel.registers or 0,
            ),
        ),
    )
    return LectureStep(
        scene=Levels(levels),
        title=say("Who computes: from the grid to a thread"),
        caption=say(
            "{sms} · {programs} = {resident} programs at once, as many as the {limit} allow. The"
            " rest of the {m} start as others end.",
            sms=limits.sm_count,
            programs=resident,
            resident=f"{limits.sm_count * resident:,}",
            m=f"{m:,}",
            limit=say(kernel.occupancy.limited_by),
        ),
        note=say(
            "Stage 1 with {n} columns, as it was compiled and recorded. Marked in the grid: the"
            " programs that SM {sm} had first. From there on one cell of a square is the next"
            " square.",
            n=f"{n:,}",
            sm=first,
        ),
        source=case.source,
    )


def _memories(material: LectureMaterial) -> LectureStep:
    case = material.cases[PLAYED[0]]
    resolved, kernel, limits = _compiled(case.result)
    element, buffers = DTYPE_BYTES[resolved.dtype], buffers_in_use(resolved.m, resolved.launch)
    row, whole = bytes_text(resolved.n * element), bytes_text(resolved.m * resolved.n * element)
    memories = (
        Memory(
            say("registers"),
            say("{size} an SM", size=bytes_text(REGISTERS_PER_SM * 4)),
            (
                (say("a row of x and dy, {size} each", size=row), False),
                (say("what it adds to dw and db"), False),
            ),
        ),
        Memory(
            say("shared memory"),
            say("{size} an SM", size=bytes_text(limits.shared_bytes_per_sm)),
            (
                (
                    say(
                        "sums that warps exchange for c1 and c2, {size}",
                        size=bytes_text(kernel.shared_bytes or 0),
                    ),
                    False,
                ),
            ),
        ),
        Memory(
            say("L2 cache"),
            bytes_text(limits.l2_bytes),
            (
                (
                    say(
                        "{count} locks and counts, {size}",
                        count=2 * buffers,
                        size=bytes_text(2 * buffers * INT32_BYTES),
                    ),
                    True,
                ),
                (say("the buffers, {size}", size=bytes_text(buffer_bytes(case))), True),
                (say("the weight, {size}", size=row), False),
            ),
        ),
        Memory(
            say("memory (HBM)"),
            say("{size} GB", size=round(limits.memory_bytes / 1e9)),
            (
                (say("x, dy and dx, {size} each", size=whole), False),
                (say("dw and db, {size} each", size=row), False),
            ),
        ),
    )
    return LectureStep(
        scene=Memories(memories),
        title=say("Where the numbers are"),
        caption=say(
            "Programs on all SMs use locks, counts and buffers, so these are in L2: every try for a"
            " lock goes there and back."
        ),
        aside=say(
            "{m} × {n} {dtype}; sizes of the {gpu}",
            m=f"{resolved.m:,}",
            n=f"{resolved.n:,}",
            dtype=resolved.dtype,
            gpu=limits.name,
        ),
        note=say(
            "L2 is a cache of memory: what is in it has a place in memory, too. Compare-and-swap is"
            " done in L2 itself."
        ),
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
    return LectureStep(
        scene=ComparisonScene(lines),
        title=say("Bytes of both passes"),
        caption=say(
            "Backward asks for {factor} times the bytes that have to move. L2 answers most of it:"
            " the queues take the time.",
            factor=significant(requested[1] / moved[1], 2),
        ),
        note=say(
            "Have to move: x in and y out; x and dy in, dx out. Requested: all that the kernels ask"
            " L2 and memory for."
        ),
        source=case.source,
        optional=True,
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
    return LectureStep(
        scene=scene,
        title=say("Both passes below the roofline"),
        caption=scene.sentence(),
        aside=scene.peak.sentence(),
        note=say(
            "The slope is what a + b → c reached with N = {n}. What lies far below it waits for"
            " something else: here for locks. L2 hits were counted by Nsight Compute in the same"
            " launch, on {date}: weight and buffers are found there.",
            n=f"{wide.resolved.n:,}",
            date=source_of(material.counted)[1],
        ),
        source=source_of(wide),
    )


def _product(group: int) -> LectureStep:
    order = program_order(BLOCKS, group)
    loaded = loads(product_accesses(order[:BLOCKS], BLOCKS), 2 * BLOCKS**2)
    title = say("A matrix product, row after row")
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
    return LectureStep(
        scene=Product(order, BLOCKS, BLOCKS),
        title=title,
        caption=say(
            "{results} of {all} blocks of C are done. For them {loaded} blocks of A and B were"
            " loaded from memory.",
            results=BLOCKS,
            all=BLOCKS**2,
            loaded=loaded,
        ),
        note=note,
    )


def _caches() -> LectureStep:
    orders = {group: program_order(BLOCKS, group) for group in GROUPS}
    asked_for = 2 * BLOCKS**3
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
    return LectureStep(
        scene=ComparisonScene([titles, *lines]),
        title=say("Loads of the whole product, by room and order"),
        caption=say(
            "{asked} blocks are asked for. With room for {room}, groups of {group} load {few} from"
            " memory instead of {many}; with room for all {all}, the order is all one.",
            asked=f"{asked_for:,}",
            room=least,
            group=GROUPS[-1],
            few=f"{counted[least, GROUPS[-1]]:,}",
            many=f"{counted[least, 1]:,}",
            all=most,
        ),
        note=say(
            "Counted by a cache that keeps what was used last; programs run one after another. A"
            " group has to fit to pay."
        ),
        optional=True,
    )


def _pass_in_cache(material: LectureMaterial) -> LectureStep:
    case = material.cases[PLAYED[0]]
    resolved, _, limits = _compiled(case.result)
    m, buffers = resolved.m, buffers_in_use(resolved.m, resolved.launch)
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
    return LectureStep(
        scene=ComparisonScene(lines, best=1),
        title=say("What of it holds for LayerNorm"),
        caption=say(
            "x and dy are read once, weight and buffers stay in L2: no order helps. It decides how"
            " many locks there are to choose from."
        ),
        note=say(
            "Counted by the same cache. The order that a small cache would like best is the worst"
            " one for the queues."
        ),
    )


def _in_registers(example: Example) -> Iterator[LectureStep]:
    """Yield programs that keep their sums in registers, and stage 2; dw alone."""
    rows, own = example.partial_rows.dw, np.zeros((PROGRAMS, example.timeline.n))
    nothing = (math.nan,) * example.timeline.n
    moves = []
    for row, values in enumerate(rows):
        program = row % PROGRAMS
        own[program] += values
        moves.append(
            Move(
                program,
                say("program {program} adds row {row}", program=program, row=row),
                tuple(own[program]),
                nothing,
            )
        )
    total = tuple(map(float, own.sum(axis=0)))
    moves.append(Move(PROGRAMS, say("stage 2 adds both"), total, total))
    right = tuple(map(float, example.sums.dw))
    yield LectureStep(
        scene=Moves(tuple(moves), len(rows), right, verbatim("dw")),
        title=say("Sums of one's own, in registers"),
        caption=say(
            "{p} programs instead of {m} take one row after the other. Nobody queues.",
            p=PROGRAMS,
            m=len(rows),
        ),
        note=say("The same rows, the same sums. Point at what is missing: locks, counts, queues."),
    )
    dw = ",\u00a0\u00a0".join(map(plain, right))
    yield LectureStep(
        scene=Moves(tuple(moves), len(moves), right, verbatim("dw")),
        title=say("Stored once, and added in stage 2"),
        caption=say(
            "Each program stores its sums once; stage 2 adds them. dw = {dw}, the same as with"
            " locks.",
            dw=dw,
        ),
        note=say("Two stores in place of one for each row. db goes the same way."),
    )


HOW = {
    "locked": say("into G buffers, each behind a lock"),
    "atomic": say("straight to dw and db, atomically"),
    "persistent": say("few programs, sums in registers"),
    "split": say("the same, several to a wide row"),
}


def _strategies(material: LectureMaterial) -> LectureStep:
    result = material.strategies
    rows = result.findings_of(Strategies).rows
    titles = (
        say("strategy"),
        say("where it adds"),
        say("memory"),
        say("results of {runs} runs", runs=rows[0].runs),
    )
    lines = [
        (row.strategy, HOW[row.strategy], bytes_text(row.workspace_bytes), str(row.distinct))
        for row in rows
    ]
    return LectureStep(
        scene=ComparisonScene([titles, *lines]),
        title=say("Four ways to add the same rows"),
        caption=say(
            "Without locks there is no queue. What remains is how the sums of different programs"
            " come together."
        ),
        note=say(
            "atomic and split are new here. An atomic addition is one trip to L2 for every element"
            " of every row. Last column: how many different results as many runs of one input gave."
        ),
        source=source_of(result),
    )


def _race(material: LectureMaterial) -> LectureStep:
    result = material.strategies
    strategies, resolved = result.findings_of(Strategies), result.resolved
    first = strategies.timelines()[0]
    return LectureStep(
        scene=strategies,
        title=say("The same pass, and what the programs did in it"),
        caption=result.headline()[0],
        aside=say(
            "{m} × {n}, kernels alone, L2 cold; {strategy} queues for {share} of its time.",
            m=f"{resolved.m:,}",
            n=f"{resolved.n:,}",
            strategy=first.strategy,
            share=share(shares(first).waiting),
        ),
        note=say(
            "The length of a bar is the time without tracing. The picture in it is one traced pass,"
            " stretched to that length."
        ),
        source=source_of(result),
    )


def _closing(material: LectureMaterial) -> LectureStep:
    first, second = (material.cases[size] for size in (PLAYED[0], PLAYED[0] // 2))
    barrier = material.barrier.findings_of(Barriers)
    points = (
        say("dx needs one row. dw and db need all rows: they are a reduction."),
        say(
            "A lock keeps load, add and store together, a barrier the threads: without it {wrong}"
            " of {runs} runs were wrong.",
            wrong=barrier.left_out.wrong_runs,
            runs=barrier.left_out.runs,
        ),
        say(
            "Half the buffers, {factor} times as long: rows that share a lock pass one after the"
            " other.",
            factor=significant(second.summary.stage1_ns / first.summary.stage1_ns, 3),
        ),
        say("The fastest lock is none: sums of one's own, added at the end."),
    )
    return LectureStep(
        scene=Closing(points),
        title=say("What to take home"),
        note=say("Take questions. Type a step's number and Enter to go back to its picture."),
        source=first.source,
    )
