"""The last chapter of the lecture: what replaces locks, and what to take home."""

import math
from collections.abc import Iterator

import numpy as np

from lnexplorer.domain.experiments.barrier import Barriers
from lnexplorer.domain.experiments.strategies import Strategies
from lnexplorer.domain.lecture.buffers import PLAYED
from lnexplorer.domain.lecture.material import (
    Example,
    LectureMaterial,
    plain,
    source_of,
)
from lnexplorer.domain.lecture.scenes import (
    LONG,
    SHORT,
    Closing,
    ComparisonScene,
    LectureStep,
    Move,
    Moves,
    Opening,
    TableLine,
    step,
)
from lnexplorer.domain.timeline import shares
from lnexplorer.domain.wording import (
    bytes_text,
    milliseconds,
    nanoseconds,
    share,
    signed_percent,
    significant,
)
from lnkernels.values import say, verbatim

PROGRAMS = 2  # of the example without locks


def without_locks(material: LectureMaterial) -> Iterator[LectureStep]:
    """Yield the chapter on other ways to add."""
    example = material.example
    yield LectureStep(
        scene=Opening(6),
        shortest=SHORT,
        note=say("[Ask first: how could one do without locks at all?]"),
    )
    yield from _in_registers(example)
    yield _side_by_side(material)
    yield from (_strategies(material), _race(material), _closing(material))


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
    yield step(
        Moves(moves, len(rows), right, verbatim("dw")),
        "Sums of one's own, in registers",
        "{p} programs instead of {m} take one row after the other. Nobody queues.",
        "The same rows, the same sums. [Point at what is missing: locks, counts, queues.]",
        shortest=SHORT,
        p=PROGRAMS,
        m=len(rows),
    )
    yield step(
        Moves(moves, len(moves), right, verbatim("dw")),
        "Stored once, and added in stage 2",
        "Each program stores its sums once; stage 2 adds them. dw = {dw}, the same as with locks.",
        "Two stores in place of one for each row. db goes the same way.",
        shortest=SHORT,
        dw=",\u00a0\u00a0".join(map(plain, right)),
    )


def _side_by_side(material: LectureMaterial) -> LectureStep:
    """Show the rounds in which five ways add the same four numbers, a column of dw."""
    rows = material.example.partial_rows.dw
    column = int(np.abs(rows).sum(axis=0).argmax())
    a, b, c, d = rows[:, column].tolist()

    def told(*sums: float) -> str:
        return "  ".join(map(plain, sums))

    total, m = told(a + b + c + d), material.cases[PLAYED[0]].timeline.m
    pairs, crossed = told(a, b), told(a + c, b + d)
    lines: list[TableLine] = [
        (say("rows {values}", values=told(a, b, c, d)), say("ends at"), *("1", "2", "3", "4")),
        (say("two buffers, locks"), say("GPU"), pairs, crossed, total, ""),
        ("atomic", say("GPU"), told(a), told(a + b), told(a + b + c), total),
        ("persistent", say("GPU"), pairs, crossed, total, ""),
        (say("tree, shared memory"), say("program"), crossed, total, "", ""),
        (say("warp shuffle"), say("warp"), told(*2 * (a + b,), *2 * (c + d,)), total, "", ""),
    ]
    return step(
        ComparisonScene(lines, best=1),
        "The same four numbers, added in five ways",
        "A tree takes {log} rounds for {m} numbers, a chain {m}. But it ends at its program, the"
        " shuffle at its warp: they add c1 and c2.",
        "Sums after each round, of dw[{column}]. Threads of a program share memory, those of a warp"
        " read each other's registers. What joins programs goes through L2: behind a lock, by an"
        " atomic addition, or in a second kernel.",
        shortest=LONG,
        log=math.ceil(math.log2(m)),
        m=f"{m:,}",
        column=column,
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
        say("memory it needs"),
        say("results of {runs} runs", runs=rows[0].runs),
    )
    lines = [
        (row.strategy, HOW[row.strategy], bytes_text(row.workspace_bytes), str(row.distinct))
        for row in rows
    ]
    return step(
        ComparisonScene([titles, *lines]),
        "Four ways to add the same rows",
        "Without locks there is no queue. What remains is how the sums of different programs come"
        " together.",
        "atomic and split are new here. atomic sends the sums of every row to L2, which adds them."
        " Last column: how many different results as many runs of one input gave.",
        source=source_of(result),
    )


def _race(material: LectureMaterial) -> LectureStep:
    result = material.strategies
    strategies, resolved = result.findings_of(Strategies), result.resolved
    first = strategies.timelines()[0]
    bars = {row.strategy: row.ms for row in strategies.rows}
    return step(
        strategies,
        "The same pass, and what the programs did in it",
        result.sentences()[0],
        "{m} × {n}. The length of a bar is the time without tracing, L2 cold. The picture in it is"
        " one traced pass with L2 warm, drawn as long as the bar: {drawn}. {strategy} queues for"
        " {share} of its time.",
        "Tracing: {costs}.",
        shortest=SHORT,
        source=source_of(result),
        m=f"{resolved.m:,}",
        n=f"{resolved.n:,}",
        strategy=first.strategy,
        share=share(shares(first).waiting),
        drawn=[
            f"{each.strategy} {nanoseconds(each.end_ns)} → {milliseconds(bars[each.strategy] or 0)}"
            for each in strategies.timelines()
        ],
        costs=[
            f"{each.strategy} {signed_percent(each.cost.share)}"
            for each in strategies.timelines()
            if each.cost is not None
        ],
    )


def _closing(material: LectureMaterial) -> LectureStep:
    first, second = (material.cases[size] for size in (PLAYED[0], PLAYED[0] // 2))
    side = material.barrier.findings_of(Barriers).worst
    points = (
        say("dx needs one row. dw and db need all rows: they are a reduction."),
        say(
            "A lock keeps load, add and store together, a barrier the threads. {side}, {wrong} of"
            " {runs} runs were wrong.",
            side=side.told,
            wrong=side.wrong_runs,
            runs=side.runs,
        ),
        say(
            "Half the buffers, {factor} times as long: rows that share a lock pass one after the"
            " other.",
            factor=significant(second.summary.stage1_ns / first.summary.stage1_ns, 3),
        ),
        say("The fastest lock is none: sums of one's own, added at the end."),
    )
    return step(
        Closing(points),
        "What to take home",
        "",
        "[Take questions. Type a step's number and Enter to go back to its picture.]",
        shortest=SHORT,
        source=first.source,
    )
