"""The first chapter: the reduction by hand."""

from collections.abc import Iterator

import numpy as np

from lnexplorer.domain.lecture.example import Beat, BeatKind, Example, beats
from lnexplorer.domain.lecture.material import LectureMaterial
from lnexplorer.domain.lecture.questions import plain, why_twice
from lnexplorer.domain.lecture.scenes import (
    LectureStep,
    Move,
    Moves,
    Playback,
    SceneEvent,
    Tables,
    asked,
)
from lnexplorer.domain.wording import nanoseconds
from lnkernels.values.sentence import Sentence, say


def by_hand(material: LectureMaterial) -> Iterator[LectureStep]:
    """Yield the first chapter: the example, a lost update, the lock, and the same on a GPU."""
    example = material.example
    yield from _tables(example)
    yield from _lost_update(example)
    for beat in beats(example.timeline):
        caption, note = _of_event(beat, example)
        yield LectureStep(scene=SceneEvent(example, beat), caption=caption, note=note)
    yield from asked(why_twice(example))
    yield _small_run(material)


def _tables(example: Example) -> Iterator[LectureStep]:
    values = example.values
    m, n = values["x"].shape
    statistics, gradients, sums = ("mean", "rstd", "xhat"), ("c1", "c2", "dx"), ("dw", "db")
    for title, caption, note, formulas, marked, before, about in (
        (
            say("What comes in: x, dy and the weight w"),
            say(
                "M = {m} rows, N = {n} columns. eps is 0 here, so that every number can be checked"
                " on paper.",
                m=m,
                n=n,
            ),
            say(
                "x is the input, dy the gradient that arrives, w the weight. The bias b plays no"
                " part in the gradients."
            ),
            *(statistics, (), (), ("x", "dy", "w")),
        ),
        (
            say("Mean of each row, and one over its standard deviation"),
            say(
                "The forward pass has kept mean and rstd of each row: the backward pass only loads"
                " them."
            ),
            say(
                "Let the room say the means. Rows 1 and 2 spread twice as far, so their rstd is one"
                " half."
            ),
            *(statistics, ("mean", "rstd"), ("x",), ("mean", "rstd")),
        ),
        (
            say("Normalization: every row gets mean 0 and spread 1"),
            say("Subtract the mean, multiply by rstd."),
            say("Only 1 and −1: the example was chosen so. Real rows are not like this."),
            *(statistics, ("xhat",), ("x", "mean", "rstd"), ("xhat",)),
        ),
        (
            say("Two means over a row: c1 and c2"),
            say("Both are means over the N columns of one row."),
            say("Do row 0 together. c2 first, it is easier."),
            *(gradients, ("c1", "c2"), ("xhat", "wdy"), ("c1", "c2")),
        ),
        (
            say("dx needs nothing but its own row"),
            say("So the rows can be computed at the same time, each by a program of its own."),
            say(
                "Stress: no program needs another one up to here. w · dy stands on the step before."
            ),
            *(gradients, ("dx",), ("xhat", "c1", "c2", "rstd"), ("dx",)),
        ),
        (
            say("dw and db need all rows: a reduction"),
            say(
                "Each program has a row for dw and one for db. They are added over all rows, column"
                " by column."
            ),
            say(
                "This is the turn of the story: columns now cross programs. How can programs add to"
                " one place?"
            ),
            *(sums, ("rows",), ("dy", "xhat"), ("dw row", "db row")),
        ),
    ):
        tables = tuple((name, values[name], name in about) for name in (*before, *about))
        # To somebody who knows the forward pass, or takes dx on trust.
        known = marked in (("mean", "rstd"), ("c1", "c2"))
        yield LectureStep(
            scene=Tables(formulas, marked, tables),
            title=title,
            caption=caption,
            note=note,
            optional=known,
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
    moves = (
        Move(first, say("program {row} loads the buffer", row=first), zeros, zeros),
        Move(second, say("program {row} loads the buffer", row=second), zeros, zeros),
        Move(first, say("program {row} adds its row, stores", row=first), one, one),
        Move(second, say("program {row} adds its row, stores", row=second), two, two),
    )
    yield LectureStep(
        scene=Moves(moves, 2, both, heading),
        title=say("Why a lock: two programs add to one buffer"),
        caption=say(
            "Rows {first} and {second} belong to buffer 0, which holds zeros. Both programs load it"
            " before one has stored.",
            first=first,
            second=second,
        ),
        note=say("To add is three steps: load, add, store. Ask what the buffer will hold."),
    )
    yield LectureStep(
        scene=Moves(moves, 4, both, heading),
        title=say("One update is lost"),
        caption=say(
            "It should hold {right}, and holds {wrong}. Program {second} has overwritten row"
            " {first}.",
            right=_listed(np.array(both)),
            wrong=_listed(np.array(two)),
            first=first,
            second=second,
        ),
        note=say(
            "Nobody did anything wrong alone, and no error is raised. The sum is just too small by"
            " a row."
        ),
    )
    locked = (
        Move(first, say("program {row} takes the lock, loads", row=first), zeros, zeros),
        Move(first, say("program {row} adds, stores, gives it back", row=first), one, one),
        Move(second, say("program {row} takes the lock, loads", row=second), one, one),
        Move(second, say("program {row} adds, stores, gives it back", row=second), both, both),
    )
    yield LectureStep(
        scene=Moves(locked, 4, both, heading),
        title=say("With a lock, load, add and store stay together"),
        caption=say(
            "Program {second} loads only after program {first} has stored. The buffer holds"
            " {right}.",
            first=first,
            second=second,
            right=_listed(np.array(both)),
        ),
        note=say(
            "The price: program {second} has to queue. The rest of the lecture is about that"
            " price.",
            second=second,
        ),
    )


def _small_run(material: LectureMaterial) -> LectureStep:
    case = material.small
    timeline = case.timeline
    row = int(np.flatnonzero((timeline.lock == 0) & (timeline.order == 0))[0])
    others = np.flatnonzero((timeline.lock == 0) & (timeline.order > 0))
    other = int(others[0])
    return LectureStep(
        scene=Playback(case),
        title=say(
            "On a GPU: {m} rows, {buffers} buffers", m=timeline.m, buffers=timeline.group_size_m
        ),
        caption=say(
            "Row {row} held lock 0 at {early}, row {other} at {late}. All asked at {asked}: the"
            " order is not determined.",
            row=row,
            other=other,
            early=nanoseconds(int(timeline.held_ns[row])),
            late=nanoseconds(int(timeline.held_ns[other])),
            asked=nanoseconds(int(timeline.wanted_ns[[row, other]].max())),
        ),
        note=say(
            "Measured, with rows of {n} columns. By hand row 0 was first; here it was not. Nobody"
            " can rely on it.",
            n=timeline.n,
        ),
        source=case.source,
    )


def _of_event(beat: Beat, example: Example) -> tuple[Sentence, Sentence]:
    """Return caption and note."""
    times = {"time": nanoseconds(beat.first_ns), "then": nanoseconds(beat.time_ns)}
    timeline = example.timeline
    lock = beat.lock
    rows, others = (", ".join(map(str, each)) for each in (beat.rows, beat.others))
    match beat.kind:
        case BeatKind.START:
            caption = say(
                "{m} programs start, one for each row. Row r belongs to buffer r mod {g}.",
                m=timeline.m,
                g=timeline.group_size_m,
            )
            note = say("Colours are locks: even rows one colour, odd rows the other.")
        case BeatKind.STORES:
            caption = say(
                "{time}: program {row} asks for lock {lock}, which is free. {then}: it holds the"
                " lock and raises the count from 0 to 1. It was 0, so it just stores its row.",
                row=rows,
                lock=lock,
                **times,
            )
            note = say(
                "Compare and swap: 0 becomes 1, in one step that nobody can divide. A store, no"
                " load: old contents do not matter."
            )
        case BeatKind.WAITS:
            caption = say(
                "From {time} to {then}: programs {waiting} ask for their locks. Programs {holding}"
                " hold them, so they queue.",
                waiting=rows,
                holding=others,
                **times,
            )
            note = say(
                "Each tries again and again: a spin lock. Its program stays on the SM and does"
                " nothing else."
            )
        case BeatKind.ADDS:
            caption = say(
                "{time}: program {other} gives lock {lock} back. {then}: program {row} holds it,"
                " raises the count from {count} to {raised}, loads the buffer, adds its row, stores"
                " the sum.",
                other=others,
                row=rows,
                lock=lock,
                count=beat.count,
                raised=beat.count + 1,
                **times,
            )
            note = say(
                "Load, add, store, all under the lock. Do the sum of one column aloud. Between the"
                " two times: the hand-over."
            )
        case BeatKind.TILES:
            caption = say(
                "To {released} programs {rows} give their locks back. {then}: {tiles} programs of"
                " stage 2, {columns} columns each, load all buffers. No locks.",
                released=nanoseconds(beat.first_ns),
                rows=rows,
                tiles=timeline.tile_start_ns.size,
                columns=timeline.tile_block_n,
                **times,
            )
            note = say(
                "All rows are in: first every thread's stores, then the lock; a barrier in the"
                " kernel sees to it. Stage 2 is a second kernel, which begins when the first one"
                " has ended. Its sums are not there yet."
            )
        case BeatKind.END:
            caption = say(
                "{then}: dw = {dw}. The sum over all rows at once gives the same.",
                dw=_listed(example.sums.dw),
                **times,
            )
            note = say("Check one column on the board.")
    return caption, note


def _listed(values: np.ndarray) -> str:
    return ",\u00a0\u00a0".join(plain(float(value)) for value in values)  # on one line
