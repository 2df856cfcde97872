"""The second chapter: what goes wrong, or differs, without the guards of the reduction."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

import numpy as np

from lnexplorer.domain.experiments.barrier import Barriers
from lnexplorer.domain.experiments.experiment import ExperimentResult
from lnexplorer.domain.experiments.order import Orders
from lnexplorer.domain.lecture.by_hand import rows_of_lock_0
from lnexplorer.domain.lecture.example import Example
from lnexplorer.domain.lecture.material import LectureMaterial, source_of
from lnexplorer.domain.lecture.scenes import (
    ComparisonScene,
    LectureStep,
    Move,
    Moves,
    Opening,
    Question,
    Words,
    asked,
    step,
)
from lnexplorer.domain.ordered_sums import rounded
from lnexplorer.domain.wording import error
from lnkernels.values.counters import operation
from lnkernels.values.sentence import Sentence, say, verbatim


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


def _early_release(example: Example) -> LectureStep:
    """Show a row whose second warp stores after its lock was given back."""
    (first, one), (second, two) = rows_of_lock_0(example)
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
    return step(
        Moves(moves, len(moves), tuple(np.add(one, two)), say("buffer {lock}, dw", lock=0)),
        "Without the barrier: the lock is given back too early",
        "A program is many warps, and one thread gives the lock back. Without a barrier it does not"
        " wait for the other warps: their columns of row {first} are lost.",
        "The barrier makes every warp of the program arrive before the lock is given back.",
        first=first,
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

    def line(places: list[int], text: Sentence) -> Words:
        # The innermost places, all of one file.
        inner = [kernel.places[place].partition(" < ")[0].rpartition(":") for place in places]
        numbers = ", ".join(dict.fromkeys(number for _, _, number in inner))
        source = f"{PurePosixPath(inner[0][0]).name}:{numbers}"
        name, count = _short(code[places[0]]), len(places)
        return (name if count == 1 else f"{count}\u00a0×\u00a0{name}"), text, source

    lines = (
        (say("machine code"), say("what it does"), say("line of the source")),
        line([takes], say("takes the lock")),
        line(stores, say("store the sums")),
        line([barrier], say("no warp goes on before all are here")),
        line([gives], say("one thread gives the lock back")),
    )
    return step(
        ComparisonScene(lines, marked=3),
        "The barrier is one instruction",
        "{name} stands between {stores} stores and the exchange. With barrier: off it is missing,"
        " and nothing else holds the exchange back.",
        "This is the code that ran, in its order; what lies between is left out. In Compiled, set"
        " barrier on against off: the rule there finds this fault without a run.",
        source=source_of(material.counted),
        name=_short(code[barrier]),
        stores=len(stores),
    )


def _short(operation: str) -> str:
    """Return an operation without the words on scope and waiting."""
    return re.sub(r"\.(STRONG|DEFER_BLOCKING|GPU)\b", "", operation)


def how_many_wrong(result: ExperimentResult) -> Question:
    """Ask how many runs without the barrier had wrong sums."""
    side = result.findings_of(Barriers).left_out
    options = sorted({0, 1, side.wrong_runs, side.runs})
    return Question(
        text=say("{runs} runs without the barrier: how many have wrong sums?", runs=side.runs),
        options=tuple(verbatim(str(number)) for number in options),
        correct=options.index(side.wrong_runs),
        answer=tuple(result.headline()),
        source=source_of(result),
        hint=say("Show of hands. Ask also: would one test run have found it?"),
        reason=say(
            "A fault of timing: a test that passes says little. It takes exact inputs and many"
            " runs."
        ),
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
    return step(
        side,
        "In how many of {runs} runs each column was wrong",
        caption,
        "A wrong sum is one row short, and each run loses other columns. Ask why neighbours are"
        " wrong together.",
        "{m} × {n}, {buffers} buffers; inputs of ones, so that sums are exact.",
        source=source_of(result),
        runs=side.runs,
        m=f"{resolved.m:,}",
        n=f"{resolved.n:,}",
        buffers=resolved.launch.group_size_m,
    )


def _two_orders(material: LectureMaterial) -> LectureStep:
    """Show a column of a half-precision buffer, added in the recorded order and by row."""
    timeline = material.rounded.timeline
    sums = timeline.sums
    assert sums is not None, "so small that it was recorded with its numbers"
    most = -1.0
    lines: list[Words] = []
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
    return step(
        ComparisonScene(lines),
        "Why the last bits differ: another order, other roundings",
        "The same rows. Every sum is rounded to {dtype}, so the order shows: {apart} apart in the"
        " end.",
        "Addition of rounded numbers is not associative. Neither sum is wrong; both are within the"
        " tolerance.",
        source=material.rounded.source,
        dtype=sums.partial_dtype,
        apart=error(most),
    )


def _running(rows: np.ndarray, dtype: str) -> np.ndarray:
    """Return the sum [rows, N] after each row, rounded to a type."""
    totals = [rounded(rows[0], dtype)]
    for row in rows[1:]:
        totals.append(rounded(totals[-1] + row, dtype))
    return np.array(totals)


def _many_runs(material: LectureMaterial) -> LectureStep:
    result = material.order
    lines: list[Words] = [
        (
            say("{runs} runs of one input", runs=result.findings_of(Orders).sides[0].runs),
            say("different results"),
            say("furthest apart in dw"),
        )
    ]
    for side in result.findings_of(Orders).sides:
        name: Sentence | str = side.strategy
        if side.partial_dtype is not None:
            same = side.partial_dtype == "same"
            buffers = result.resolved.dtype if same else side.partial_dtype
            name = say("{strategy}, buffers in {dtype}", strategy=side.strategy, dtype=buffers)
        lines.append((name, str(side.distinct), error(float(side.spread.max()))))
    return step(
        ComparisonScene(lines, best=1),
        "So no two runs agree to the last bit",
        result.headline()[0],
        "Every run is right, and no two are equal. It matters to whoever compares runs, or hunts a"
        " fault.",
        source=source_of(result),
    )


def _digits(value: float) -> str:
    """Return a sum in half precision to the digits in which neighbours differ."""
    return f"{value:.4f}".replace("-", "−")
