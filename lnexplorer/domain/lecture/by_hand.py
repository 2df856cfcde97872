"""The first chapter: the reduction by hand."""

import re
from collections.abc import Iterable, Iterator
from functools import partial

import numpy as np

from lnexplorer.domain.lecture.material import (
    Beat,
    BeatKind,
    Example,
    LectureMaterial,
    beats,
    plain,
)
from lnexplorer.domain.lecture.scenes import (
    LONG,
    SHORT,
    ComparisonScene,
    LectureStep,
    Move,
    Moves,
    Playback,
    Question,
    SceneEvent,
    Scheduling,
    TableLine,
    Tables,
    asked,
    step,
)
from lnexplorer.domain.wording import nanoseconds
from lnkernels.values import say

INT32_BYTES = 4
WARP = 32  # threads


def by_hand(material: LectureMaterial) -> Iterator[LectureStep]:
    """Yield the first chapter: the example, a lost update, the lock, and the same on a GPU."""
    example = material.example
    yield from _tables(example)
    yield from _lost_update(example)
    for beat in beats(example.timeline):
        yield _of_event(beat, material)
    yield _line_by_line(material)
    yield from asked(why_twice(example))
    yield _small_run(material)


def _tables(example: Example) -> Iterator[LectureStep]:
    values = example.values
    m, n = values["x"].shape
    statistics, gradients, sums = ("mean", "rstd", "xhat"), ("c1", "c2", "dx"), ("dw", "db")

    def scene(
        formulas: tuple[str, ...],
        marked: tuple[str, ...],
        before: tuple[str, ...],
        about: tuple[str, ...],
    ) -> Tables:
        tables = tuple((name, values[name], name in about) for name in (*before, *about))
        return Tables(formulas, marked, tables)

    yield step(
        scene(statistics, (), (), ("x", "dy", "w")),
        "What comes in: x, dy and the weight w",
        "M = {m} rows, N = {n} columns. eps is 0 here, so that every number can be checked on"
        " paper.",
        "x is the input, dy the gradient that arrives, w the weight. The bias b plays no part in"
        " the gradients.",
        "LayerNorm gives rows the same mean and spread: deep nets train steadily.",
        shortest=SHORT,
        m=m,
        n=n,
    )
    # To somebody who knows the forward pass, or takes dx on trust, these two can be left out.
    yield step(
        scene(statistics, ("mean", "rstd"), ("x",), ("mean", "rstd")),
        "Mean of each row, and one over its standard deviation",
        "The forward pass has kept mean and rstd of each row: the backward pass only loads them.",
        "[Let the room say the means.] Rows 1 and 2 spread twice as far, so their rstd is one"
        " half.",
        shortest=LONG,
    )
    yield step(
        scene(statistics, ("xhat",), ("x", "mean", "rstd"), ("xhat",)),
        "Normalization: every row gets mean 0 and spread 1",
        "Subtract the mean, multiply by rstd.",
        "Only 1 and −1: the example was chosen so. Real rows are not like this.",
        shortest=SHORT,
    )
    yield step(
        scene(gradients, ("c1", "c2"), ("xhat", "wdy"), ("c1", "c2")),
        "Two means over a row: c1 and c2",
        "Both are means over the N columns of one row.",
        "[Do row 0 together. c2 first, it is easier.]",
        shortest=LONG,
    )
    yield step(
        scene(gradients, ("dx",), ("xhat", "c1", "c2", "rstd"), ("dx",)),
        "dx needs nothing but its own row",
        "So the rows can be computed at the same time, each by a program of its own.",
        "[Stress this.] No program needs another one up to here. w · dy stands on the step before.",
        shortest=SHORT,
    )
    yield step(
        scene(sums, ("rows",), ("dy", "xhat"), ("dw row", "db row")),
        "dw and db need all rows: a reduction",
        "Each program has a row for dw and one for db. They are added over all rows, column by"
        " column.",
        "This is the turn of the story: columns now cross programs. How can programs add to one"
        " place?",
        shortest=SHORT,
    )


def rows_of_lock_0(example: Example) -> list[tuple[int, tuple[float, ...]]]:
    """Return the first two rows of lock 0, each with its part of dw."""
    rows = np.flatnonzero(example.timeline.lock == 0)[:2].tolist()
    return [(row, tuple(map(float, example.partial_rows.dw[row]))) for row in rows]


def _lost_update(example: Example) -> Iterator[LectureStep]:
    """Yield two rows of one buffer, with and without a lock; dw alone."""
    (first, one), (second, two) = rows_of_lock_0(example)
    both = tuple(np.add(one, two))
    zeros = (0.0,) * len(one)
    heading = say("buffer {lock}, dw", lock=0)
    moves = [
        Move(row, say("program {row} loads the buffer", row=row), zeros, zeros)
        for row in (first, second)
    ]
    locked = []
    for row, own, loaded, stored in ((first, one, zeros, one), (second, two, one, both)):
        told = partial(say, row=row)
        moves.append(Move(row, told("program {row} adds its row, stores"), own, own))
        locked += [
            Move(row, told("program {row} takes the lock, loads"), loaded, loaded),
            Move(row, told("program {row} adds, stores, gives it back"), stored, stored),
        ]
    yield step(
        Moves(moves, 2, both, heading),
        "Why a lock: two programs add to one buffer",
        "Rows {first} and {second} belong to buffer 0, which holds zeros. Both programs load it"
        " before one has stored.",
        "To add is three steps: load, add, store. [Ask what the buffer will hold.]",
        "A program is warps of {threads} threads on one SM; each thread has registers.",
        shortest=SHORT,
        threads=WARP,
        first=first,
        second=second,
    )
    yield step(
        Moves(moves, 4, both, heading),
        "One update is lost",
        "It should hold {right}, and holds {wrong}. Program {second} has overwritten row {first}.",
        "Nobody did anything wrong alone, and no error is raised. The sum is just too small by a"
        " row.",
        shortest=SHORT,
        right=_listed(both),
        wrong=_listed(two),
        first=first,
        second=second,
    )
    yield step(
        Moves(locked, 4, both, heading),
        "With a lock, load, add and store stay together",
        "Program {second} loads only after program {first} has stored. The buffer holds {right}.",
        "The price: program {second} has to queue. The rest of the lecture is about that price.",
        shortest=SHORT,
        first=first,
        second=second,
        right=_listed(both),
    )
    rows = ((first, one), (second, two))
    yield step(
        Scheduling(rows, both, heading, locked=False),
        "You are the scheduler: whose turn is it?",
        "Each program loads, then adds and stores. Which orders lose a row?",
        "[J and K, or a click, let a program go on; ← takes it back. Let the room lose a row, then"
        " keep both.] Two of the six orders are right: those in which one program is through before"
        " the other loads.",
        shortest=LONG,
    )
    yield step(
        Scheduling(rows, both, heading, locked=True),
        "The scheduler again, with the lock",
        "Try to lose a row now. A program that finds the lock taken stays where it is.",
        "[Let the room try.] The lock takes no order away but the wrong ones: either program may be"
        " the first.",
        shortest=LONG,
    )


def why_twice(example: Example) -> Question:
    """Ask why there are counts beside locks.

    Without counts, a second pass over the same rows adds to the first one's sums.
    """
    buffers, right = example.timeline.group_size_m, example.sums.dw
    wrong = right + right  # what the first pass left in the buffers, and the rows again
    column = int(np.abs(wrong - right).argmax())
    numbers = 2 * buffers
    return Question(
        text=say(
            "There are {buffers} buffers. How many numbers stand beside them, and what for?",
            buffers=buffers,
        ),
        options=(
            say("{number}: a lock and a count for each buffer", number=numbers),
            say("{number}: a lock for each buffer", number=buffers),
            say("{number}: a lock for each row and buffer", number=example.timeline.m * buffers),
        ),
        correct=0,
        answer=(
            say(
                "{number} numbers, {bytes} bytes. The count says whether the buffer has been"
                " written. Without it, a second pass adds to the first one's sums: dw[{column}] ="
                " {wrong} instead of {right}.",
                number=numbers,
                bytes=numbers * INT32_BYTES,
                column=column,
                wrong=plain(wrong[column]),
                right=plain(right[column]),
            ),
        ),
        hint=say(
            "[Show of hands for each option; click the one with the most. Then the next step.]"
        ),
        reason=say("G locks, G counts: that is why the kernel allocates 2 · G numbers."),
    )


def _small_run(material: LectureMaterial) -> LectureStep:
    case = material.small
    timeline = case.timeline
    row = int(np.flatnonzero((timeline.lock == 0) & (timeline.order == 0))[0])
    other = int(np.flatnonzero((timeline.lock == 0) & (timeline.order > 0))[0])
    return step(
        Playback(case),
        "On a GPU: {m} rows, {buffers} buffers",
        "Row {row} held lock 0 at {early}, row {other} at {late}. All asked at {asked}: the order"
        " is not determined.",
        "Measured, with rows of {n} columns. By hand row 0 was first; here it was not. Nobody can"
        " rely on it.",
        source=case.source,
        m=timeline.m,
        n=timeline.n,
        buffers=timeline.group_size_m,
        row=row,
        other=other,
        early=nanoseconds(int(timeline.held_ns[row])),
        late=nanoseconds(int(timeline.held_ns[other])),
        asked=nanoseconds(int(timeline.wanted_ns[[row, other]].max())),
    )


# What its program does at an event.
AT_EVENT = {
    BeatKind.START: "COMPUTE",
    BeatKind.STORES: "STORE",
    BeatKind.WAITS: "TRY",
    BeatKind.ADDS: "ADD_IN_ONE_TRIP",
    BeatKind.TILES: "RELEASE",
    BeatKind.END: "SUM",
}
TOO_LONG = (" == ", "dw_buffer", "count_ptr")  # for a column of a table


def short_code(text: str, *cuts: str) -> str:
    """Return a line of code in one piece, up to its mask, a conversion or what else is cut off."""
    ends = "|".join((", mask", r"\.to\(", *cuts))
    short = re.sub(f"({ends}).*", "…", text.strip(":")).removeprefix("while ")
    return re.sub("(?<!=) ", "\u00a0", short)


def _line_by_line(material: LectureMaterial) -> LectureStep:
    """Show the lines that the first two rows of lock 0 pass through, with their numbers."""
    example = material.example
    (first, one), (second, two) = rows_of_lock_0(example)
    own, both = _listed(one), _listed(np.add(one, two))
    passed = (
        ("TRY", 0, "0 → 1", "1, 1, … 0 → 1"),
        ("COUNT", 0, "0", "1"),
        ("ADD_IN_ONE_TRIP", 0, "–", own),
        ("ADD_IN_ONE_TRIP", 3, "–", both),
        ("STORE", 0, own, both),
        ("BARRIER", 0, "✓", "✓"),
        ("RELEASE", 0, "1 → 0", "1 → 0"),
    )
    lines: list[TableLine] = [
        (
            say("line"),
            say("passes/locked.py"),
            say("row {row}", row=first),
            say("row {row}", row=second),
        )
    ]
    for name, place, *values in passed:
        number, text = material.kernel[name][place]
        lines.append((str(number), short_code(text, *TOO_LONG), *values))
    return step(
        ComparisonScene(lines, best=1),
        "The same in the kernel, line by line",
        "Row {second} waits in line {spin} until row {first} is through line {gives}: what lies"
        " between is done by one program of the lock at a time.",
        "[Go down the first column of numbers, then the second.] The numbers are those of dw in the"
        " example; the first row of a lock loads nothing.",
        shortest=LONG,
        first=first,
        second=second,
        spin=material.kernel["TRY"][0][0],
        gives=material.kernel["RELEASE"][0][0],
    )


def _of_event(beat: Beat, material: LectureMaterial) -> LectureStep:
    """Return the step of an event of the example, with the kernel's line of that moment."""
    example = material.example
    timeline, lock = example.timeline, beat.lock
    first, then = nanoseconds(beat.first_ns), nanoseconds(beat.time_ns)
    rows, others = beat.rows, beat.others
    number, code = material.kernel[AT_EVENT[beat.kind]][0]
    told = partial(
        step,
        SceneEvent(example, beat),
        "",
        aside=say("passes/locked.py, line {number}:  {code}", number=number, code=short_code(code)),
        shortest=LONG if lock > 0 else SHORT,
    )
    match beat.kind:
        case BeatKind.START:
            return told(
                "{m} programs start, one for each row. Row r belongs to buffer r mod {g}.",
                "Colours are locks: even rows one colour, odd rows the other.",
                m=timeline.m,
                g=timeline.group_size_m,
            )
        case BeatKind.STORES:
            return told(
                "{time}: program {row} asks for lock {lock}, which is free. {then}: it holds the"
                " lock and raises the count from 0 to 1. It was 0, so it just stores its row.",
                "Compare and swap: 0 becomes 1, in one step that nobody can divide. A store, no"
                " load: old contents do not matter.",
                time=first,
                then=then,
                row=rows,
                lock=lock,
            )
        case BeatKind.WAITS:
            return told(
                "From {time} to {then}: programs {waiting} ask for their locks. Programs {holding}"
                " hold them, so they queue.",
                "Each tries again and again: a spin lock. Its program stays on the SM and does"
                " nothing else. It is a queue without an order: whoever tries first is next.",
                time=first,
                then=then,
                waiting=rows,
                holding=others,
            )
        case BeatKind.ADDS:
            return told(
                "{time}: program {other} gives lock {lock} back. {then}: program {row} holds it,"
                " raises the count from {count} to {raised}, loads the buffer, adds its row, stores"
                " the sum.",
                "Load, add, store, all under the lock. [Do the sum of one column aloud.] Between"
                " the two times: the hand-over.",
                time=first,
                then=then,
                other=others,
                row=rows,
                lock=lock,
                count=beat.count,
                raised=beat.count + 1,
            )
        case BeatKind.TILES:
            return told(
                "To {released} programs {rows} give their locks back. {then}: {tiles} programs of"
                " stage 2, {columns} columns each, load all buffers. No locks.",
                "All rows are in: first every thread's stores, then the lock; a barrier in the"
                " kernel sees to it. Stage 2 is a second kernel, which begins when the first one"
                " has ended. Its sums are not there yet.",
                released=first,
                then=then,
                rows=rows,
                tiles=timeline.tile_start_ns.size,
                columns=timeline.tile_block_n,
            )
        case BeatKind.END:
            return told(
                "{then}: dw = {dw}. The sum over all rows at once gives the same.",
                "[Check one column on the board.]",
                then=then,
                dw=_listed(example.sums.dw),
            )


def _listed(values: Iterable[float]) -> str:
    return ",\u00a0\u00a0".join(map(plain, values))  # on one line
