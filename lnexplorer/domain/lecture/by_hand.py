"""The first two chapters: the reduction by hand, and its guards."""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

import numpy as np

from lnexplorer.domain.experiments.barrier import Barriers
from lnexplorer.domain.experiments.order import Orders, OrderSide
from lnexplorer.domain.lecture.example import Beat, BeatKind, Example, beats
from lnexplorer.domain.lecture.material import LectureMaterial, source_of
from lnexplorer.domain.lecture.questions import how_many_wrong, plain, why_twice
from lnexplorer.domain.lecture.scenes import (
    ComparisonScene,
    LectureStep,
    Move,
    Moves,
    Opening,
    Playback,
    SceneEvent,
    Tables,
    asked,
)
from lnexplorer.domain.ordered_sums import rounded
from lnexplorer.domain.wording import error, nanoseconds
from lnkernels.values.counters import operation
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


def without_guards(material: LectureMaterial) -> Iterator[LectureStep]:
    """Yield the second chapter: a lock without its barrier, and sums in another order."""
    yield LectureStep(
        scene=Opening(2),
        note=say(
            "The lock is there. Now what else it takes, and what even then is not the same twice."
        ),
    )
    yield _early_release(material.example)
    yield _one_instruction(material)
    yield from asked(how_many_wrong(material.barrier))
    yield from (_wrong_columns(material), _two_orders(material), _many_runs(material))


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


def _rows_of_lock_0(example: Example) -> list[tuple[int, tuple[float, ...]]]:
    """Return the first two rows of lock 0, each with its part of dw."""
    rows = np.flatnonzero(example.timeline.lock == 0)[:2].tolist()
    return [(row, tuple(map(float, example.partial_rows.dw[row]))) for row in rows]


def _lost_update(example: Example) -> Iterator[LectureStep]:
    """Yield two rows of one buffer, with and without a lock; dw alone."""
    (first, one), (second, two) = _rows_of_lock_0(example)
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


def _early_release(example: Example) -> LectureStep:
    """Show a row whose second warp stores after its lock was given back."""
    (first, one), (second, two) = _rows_of_lock_0(example)
    half = len(one) // 2
    zeros = (0.0,) * half
    early, wrong = (*one[:half], *zeros), (*np.add(one[:half], two[:half]), *two[half:])
    moves = (
        Move(first, say("program {row}, warp 0 stores its columns", row=first), one, early),
        Move(first, say("program {row}, warp 0 gives the lock back", row=first), one, early),
        Move(second, say("program {row} takes the lock, loads", row=second), early, early),
        Move(first, say("program {row}, warp 1 stores its columns", row=first), one, one),
        Move(second, say("program {row} adds its row, stores", row=second), wrong, wrong),
    )
    return LectureStep(
        scene=Moves(moves, len(moves), tuple(np.add(one, two)), say("buffer {lock}, dw", lock=0)),
        title=say("Without the barrier: the lock is given back too early"),
        caption=say(
            "A program is many warps, and one thread gives the lock back. Without a barrier it does"
            " not wait for the other warps: their columns of row {first} are lost.",
            first=first,
        ),
        note=say(
            "The barrier makes every warp of the program arrive before the lock is given back."
        ),
    )


def _one_instruction(material: LectureMaterial) -> LectureStep:
    """Show the machine code of stage 1, from taking the lock to giving it back."""
    kernel = next(
        kernel for kernel in material.counted.counters if kernel.name == "backward_stage1"
    )
    code = [operation(line) for line in kernel.sass]
    gives = next(place for place, name in enumerate(code) if re.match(r"ATOMG?\..*EXCH", name))
    takes = max(place for place in range(gives) if re.match(r"ATOMG?\..*CAS", code[place]))
    barrier = max(place for place in range(gives) if code[place].startswith("BAR."))
    stores = [place for place in range(takes, gives) if code[place].startswith("STG.")]

    def line(places: list[int], text: Sentence) -> tuple[Sentence | str, ...]:
        # The innermost places, all of one file.
        inner = [kernel.places[place].partition(" < ")[0].rpartition(":") for place in places]
        numbers = ", ".join(dict.fromkeys(number for _, _, number in inner))
        source = f"{PurePosixPath(inner[0][0]).name}:{numbers}"
        name, count = _short(code[places[0]]), len(places)
        return (name if count == 1 else f"{count}\u00a0×\u00a0{name}"), text, source

    return LectureStep(
        scene=ComparisonScene(
            (
                (say("machine code"), say("what it does"), say("line of the source")),
                line([takes], say("takes the lock")),
                line(stores, say("store the sums")),
                line([barrier], say("no warp goes on before all are here")),
                line([gives], say("one thread gives the lock back")),
            ),
            marked=3,
        ),
        title=say("The barrier is one instruction"),
        caption=say(
            "{name} stands between {stores} stores and the exchange. With barrier: off it is"
            " missing, and nothing else holds the exchange back.",
            name=_short(code[barrier]),
            stores=len(stores),
        ),
        note=say(
            "This is the code that ran, in its order; what lies between is left out. In Compiled,"
            " set barrier on against off: the rule there finds this fault without a run."
        ),
        source=source_of(material.counted),
    )


def _short(operation: str) -> str:
    """Return an operation without the words on scope and waiting."""
    return re.sub(r"\.(STRONG|DEFER_BLOCKING|GPU)\b", "", operation)


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


def _wrong_columns(material: LectureMaterial) -> LectureStep:
    result = material.barrier
    side, resolved = result.findings_of(Barriers).left_out, result.resolved
    ever = np.flatnonzero((side.wrong_dw > 0) | (side.wrong_db > 0))
    caption = say("No column was ever wrong.")
    if ever.size:
        caption = say(
            "Columns before {first} were never wrong. The others are lost with their neighbours.",
            first=int(ever[0]),
        )
    return LectureStep(
        scene=side,
        title=say("In how many of {runs} runs each column was wrong", runs=side.runs),
        caption=caption,
        aside=say(
            "{m} × {n}, {buffers} buffers; inputs of ones, so that sums are exact.",
            m=f"{resolved.m:,}",
            n=f"{resolved.n:,}",
            buffers=resolved.launch.group_size_m,
        ),
        note=say(
            "A wrong sum is one row short, and each run loses other columns. Ask why neighbours are"
            " wrong together."
        ),
        source=source_of(result),
    )


def _two_orders(material: LectureMaterial) -> LectureStep:
    """Show a column of a half-precision buffer, added in the recorded order and by row."""
    timeline = material.rounded.timeline
    sums = timeline.sums
    assert sums is not None, "so small that it was recorded with its numbers"
    most = -1.0
    lines: list[Sequence[Sentence]] = []
    for lock in range(timeline.group_size_m):
        rows = np.flatnonzero(timeline.lock == lock)
        orders = rows[np.argsort(timeline.order[rows])], rows
        one, other = (_running(sums.row_dw[order], sums.partial_dtype) for order in orders)
        apart = np.abs(one[-1] - other[-1])
        column = int(apart.argmax())
        if apart[column] <= most:
            continue
        most = float(apart[column])
        title = say("buffer {lock}, dw[{column}]", lock=lock, column=column)
        lines = [(title, say("as it was recorded"), say("in the rows' order"))]
        for place in range(rows.size):
            texts = [
                say(
                    "row {row}: {sum}",
                    row=int(order[place]),
                    sum=_digits(float(total[place, column])),
                )
                for order, total in zip(orders, (one, other), strict=True)
            ]
            lines.append((say("sum after {count}", count=place + 1), *texts))
    return LectureStep(
        scene=ComparisonScene(lines),
        title=say("Why the last bits differ: another order, other roundings"),
        caption=say(
            "The same rows. Every sum is rounded to {dtype}, so the order shows: {apart} apart in"
            " the end.",
            dtype=sums.partial_dtype,
            apart=error(most),
        ),
        note=say(
            "Addition of rounded numbers is not associative. Neither sum is wrong; both are within"
            " the tolerance."
        ),
        source=material.rounded.source,
    )


def _running(rows: np.ndarray, dtype: str) -> np.ndarray:
    """Return the sum [rows, N] after each row, rounded to a type."""
    totals = [rounded(rows[0], dtype)]
    for row in rows[1:]:
        totals.append(rounded(totals[-1] + row, dtype))
    return np.array(totals)


def _many_runs(material: LectureMaterial) -> LectureStep:
    result = material.order
    sides = result.findings_of(Orders).sides
    titles = (
        say("{runs} runs of one input", runs=sides[0].runs),
        say("different results"),
        say("furthest apart in dw"),
    )
    return LectureStep(
        scene=ComparisonScene(
            (titles, *(_of_side(side, result.resolved.dtype) for side in sides)), best=1
        ),
        title=say("So no two runs agree to the last bit"),
        caption=result.headline()[0],
        note=say(
            "Every run is right, and no two are equal. It matters to whoever compares runs, or"
            " hunts a fault."
        ),
        source=source_of(result),
    )


def _of_side(side: OrderSide, dtype: str) -> tuple[Sentence | str, ...]:
    name: Sentence | str = side.strategy
    if side.partial_dtype is not None:
        buffers = dtype if side.partial_dtype == "same" else side.partial_dtype
        name = say("{strategy}, buffers in {dtype}", strategy=side.strategy, dtype=buffers)
    return name, str(side.distinct), error(float(side.spread.max()))


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


def _digits(value: float) -> str:
    """Return a sum in half precision to the digits in which neighbours differ."""
    return f"{value:.4f}".replace("-", "−")
